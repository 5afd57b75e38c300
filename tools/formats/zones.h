/* Kernels in the events of a run: when each core was in one, and when in the firmware around it. Without firmware, a
 * core is in a kernel from its first instruction to its last. */
#ifndef TOOLS_ZONES_H
#define TOOLS_ZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

struct zone {
    struct bh_xy tile;
    uint8_t core;
    bool kernel; /* else: firmware, from the end of the sleep before a kernel to the next sleep behind it */
    unsigned op; /* machine->op */
    uint64_t start, end;
    const struct program *program; /* of the first instruction; NULL: unknown */
    uint32_t pc;                   /* of it, in the file */
};

typedef void zone_found(void *user, const struct zone *zone);

struct zones {
    const struct machine *machine;
    struct zone_core *core;
    zone_found *found;
    void *user;
};

bool zones_init(struct zones *zones, const struct machine *machine, zone_found *found, void *user);
/* A zone is found when it has ended. */
void zones_event(struct zones *zones, const struct bh_event *event);
void zones_end(struct zones *zones); /* ends those that are open, and frees */

/* Returns "BRISC", "NCRISC", "TRISC_0" ...: tt-metal's names. */
const char *zone_risc(unsigned core);
/* Returns their order: brisc, ncrisc, triscs. */
unsigned zone_rank(unsigned core);
/* Returns "BRISC-KERNEL", "TRISC-FW" ... */
const char *zone_name(unsigned core, bool kernel);

#endif
