/* A tile under a debugger: its breakpoints and watchpoints, and the accesses that have not been reported yet.
 *
 * Cores of such a tile report before each instruction (core_port.debug). An access to watched bytes is noted when it
 * happens and reported before the next instruction of a core of the tile, where pc and registers of all cores are in
 * step, or at the end of the epoch. The blocks report and never read: debugging changes nothing that the guest sees.
 */
#ifndef TILE_DEBUG_H
#define TILE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "riscv/core.h"

struct noc_grid;
struct tile;
struct transaction;

enum { DEBUG_NOTES = 16 }; /* accesses between two reports */

struct debug_break {
    uint32_t pc;
    uint8_t cores; /* mask */
};

struct debug_watch {
    uint32_t address, size;
    uint8_t core;   /* whose local memory it is; BH_CORE_COUNT: L1 or a register */
    uint8_t access; /* enum bh_access */
    uint8_t *old;   /* of local memory: the bytes as they were before the core's last instruction */
};

struct debug_note {
    uint8_t kind; /* BH_DEBUG_WRITE or BH_DEBUG_READ */
    int by;       /* core, or -1 */
    uint32_t address, size;
    char agent[64];
};

/* Consecutive words of a core that have been reported already. */
struct debug_row {
    uint32_t pc, count;
    uint64_t number; /* of the first */
};

struct debug_tile {
    /* Reports an event to the host. */
    void (*report)(void *owner, const struct bh_debug_event *event);
    void *owner;
    struct debug_break *breaks;
    struct debug_watch *watches;
    uint32_t break_count, watch_count;
    uint8_t steps;  /* mask of cores whose every instruction is reported */
    uint8_t faults; /* not reported yet: bit core, or bit BH_CORE_COUNT + thread */
    struct debug_row row[BH_CORE_COUNT];
    uint32_t last_pc[BH_CORE_COUNT]; /* of the last instruction of a core */
    struct debug_note note[DEBUG_NOTES];
    uint32_t note_count;
    struct debug_note ahead[BH_CORE_COUNT]; /* what the last instruction of a core does; size 0: nothing */
    const bool *in_run;                     /* whether the chip runs; otherwise the host writes */
    enum bh_track unit;                     /* of the coprocessor, the last one that wrote L1 */
    bool packet;                            /* a packet is being delivered, from this tile: */
    struct bh_xy from;
    uint8_t noc;
};

/* Brings the marks of L1 and the flags of cores up to date, after a change of points or of the tile. Precondition: the
 * tile has a debug_tile. */
void debug_refresh(struct tile *tile);
/* Detaches the tile. */
void debug_detach(struct tile *tile);
/* Forgets what has been reported: the tile has another state now. */
void debug_forget(struct debug_tile *debug);
void debug_free(struct debug_tile *debug);

/* Set or remove a point. Return false if memory is short. */
bool debug_set_break(struct debug_tile *debug, unsigned cores, uint32_t pc, bool on);
bool debug_set_watch(struct debug_tile *debug, const struct debug_watch *watch, bool on);

/* core_port.debug */
enum core_debug debug_step(void *owner, struct core *core);
/* Returns what the instruction at the core's pc does to memory (enum bh_access), and where. Vector loads and stores do
 * not count. */
unsigned debug_access(const struct core *core, uint32_t *address, uint32_t *size);
/* Returns the number of words at pc that the core pushes in one go, or 1. */
unsigned debug_row(const struct core *core);
/* Notes a write to L1. Precondition: the tile has a debug_tile, and one of the grains is marked. */
void debug_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t time);
/* A packet is about to take effect; NULL: it has. */
void debug_came(struct debug_tile *debug, const struct noc_grid *grid, const struct transaction *transaction);
/* Reports at the end of an epoch, at this time, what has not been reported. */
void debug_end_epoch(struct tile *tile, uint64_t time);

#endif
