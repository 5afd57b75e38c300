/* Finds the kernels in the events of a run: the times at which each core was in a kernel, and in the firmware around
 * it. Without firmware, a core is in a kernel from its first instruction to its last. */
#ifndef TOOLS_ZONES_H
#define TOOLS_ZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

struct zone {
    struct bh_xy tile;
    uint8_t core;
    bool kernel; /* false: firmware, from the end of its sleep before a kernel to its next sleep after the kernel */
    unsigned op; /* machine->op, the number of the launch */
    uint64_t start, end;
    const struct program *program; /* program of the first instruction; NULL: unknown */
    uint32_t pc;                   /* of the first instruction, in the file */
};

typedef void zone_found(void *user, const struct zone *zone);

struct zones {
    const struct machine *machine;
    struct zone_core *core;
    zone_found *found;
    void *user;
};

/* `found` is called for each zone. Returns false without memory. */
bool zones_init(struct zones *zones, const struct machine *machine, zone_found *found, void *user);
/* Takes the next event. A zone is found when it has ended. */
void zones_event(struct zones *zones, const struct bh_event *event);
void zones_end(struct zones *zones); /* ends the zones in progress, and frees zones->core */

/* Returns tt-metal's name for a core: "BRISC", "NCRISC", "TRISC_0" ... */
const char *zone_risc(unsigned core);
/* Returns the position of a core in tt-metal's order: brisc, ncrisc, triscs. */
unsigned zone_rank(unsigned core);
/* Returns tt-metal's name for a zone: "BRISC-KERNEL", "TRISC-FW" ... */
const char *zone_name(unsigned core, bool kernel);

#endif
