/* The hazards of a chip, for the files of this folder. */
#ifndef HAZARD_HAZARDS_H
#define HAZARD_HAZARDS_H

#include "hazard/hazard.h"

struct hazards {
    unsigned tiles;
    struct hazard_tile **tile;
    struct bh_hazard *found;
    uint32_t count, room;
    bool incomplete;
    struct hazard_clock scratch;
};

#endif
