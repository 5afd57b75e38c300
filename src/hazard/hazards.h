/* The hazards of a chip, for the files of this folder. */
#ifndef HAZARD_HAZARDS_H
#define HAZARD_HAZARDS_H

#include "hazard/hazard.h"

#define HAZARD_MEMORY (UINT64_C(4) << 30) /* bytes of host memory for all shadows together */

struct hazards {
    unsigned tiles;
    struct hazard_tile **tile;
    struct bh_hazard *found;
    uint32_t count, room;
    uint64_t room_left; /* bytes that shadows may still take */
    bool incomplete;
    struct hazard_clock scratch;
};

#endif
