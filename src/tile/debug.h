/* A tile under a debugger: its breakpoints and watchpoints, and the accesses that have not been reported yet.
 *
 * The cores of such a tile report before each instruction (core_port.debug). An access to watched bytes is noted when
 * it happens. It is reported before the next instruction of any core of the tile, at which pc and registers of all
 * cores are consistent, or at the end of the epoch. Blocks report accesses and never read debugging state: debugging
 * changes nothing that the guest sees. */
#ifndef TILE_DEBUG_H
#define TILE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "riscv/core.h"

struct noc_grid;
struct tile;
struct transaction;

enum { DEBUG_NOTES = 16 }; /* the most accesses between two reports */

struct debug_break {
    uint32_t pc;
    uint8_t cores; /* a mask */
};

struct debug_watch {
    uint32_t address, size;
    uint8_t core;   /* the core whose local memory is watched; BH_CORE_COUNT: L1 or a register */
    uint8_t access; /* enum bh_access */
    uint8_t *old;   /* for local memory: the bytes before the core's last instruction */
};

struct debug_note {
    uint8_t kind; /* BH_DEBUG_WRITE or BH_DEBUG_READ */
    int by;       /* the core that made the access, or -1 */
    uint32_t address, size;
    char agent[64];
};

/* Consecutive words of a core that have been reported already. */
struct debug_row {
    uint32_t pc, count;
    uint64_t number; /* number of the first word */
};

struct debug_tile {
    /* Reports an event to the host. */
    void (*report)(void *owner, const struct bh_debug_event *event);
    void *owner;
    struct debug_break *breaks;
    struct debug_watch *watches;
    uint32_t break_count, watch_count;
    uint8_t steps;  /* mask of cores whose every instruction is reported */
    uint8_t faults; /* faults that have not been reported: bit core, or bit BH_CORE_COUNT + thread */
    struct debug_row row[BH_CORE_COUNT];
    uint32_t last_pc[BH_CORE_COUNT]; /* pc of each core's last instruction */
    struct debug_note note[DEBUG_NOTES];
    uint32_t note_count;
    struct debug_note ahead[BH_CORE_COUNT]; /* the access of each core's last instruction; size 0: none */
    const bool *in_run;                     /* whether the chip runs; if it does not, the host is the writer */
    enum bh_track unit;                     /* the unit of the coprocessor that wrote L1 last */
    bool packet;                            /* a packet is being delivered; it comes from the following tile */
    struct bh_xy from;
    uint8_t noc;
};

/* Updates the marks of L1 and the flags of cores. Call it after a change of points or of the tile. Precondition: the
 * tile has a debug_tile. */
void debug_refresh(struct tile *tile);
/* Detaches the tile. */
void debug_detach(struct tile *tile);
/* Forgets what has been reported. Call it when the tile has got another state. */
void debug_forget(struct debug_tile *debug);
void debug_free(struct debug_tile *debug);

/* Set (on) or remove a point. Return false without memory. */
bool debug_set_break(struct debug_tile *debug, unsigned cores, uint32_t pc, bool on);
bool debug_set_watch(struct debug_tile *debug, const struct debug_watch *watch, bool on);

/* The function for core_port.debug. */
enum core_debug debug_step(void *owner, struct core *core);
/* Returns the kind of memory access of the instruction at the core's pc (enum bh_access), and sets its address and
 * size. Vector loads and stores do not count. */
unsigned debug_access(const struct core *core, uint32_t *address, uint32_t *size);
/* Returns the number of words at pc that the core pushes in one go, or 1. */
unsigned debug_row(const struct core *core);
/* Notes a write to L1. Precondition: the tile has a debug_tile, and one of the grains is marked. */
void debug_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t time);
/* Records that a packet is about to take effect; with NULL, that it has. */
void debug_came(struct debug_tile *debug, const struct noc_grid *grid, const struct transaction *transaction);
/* Reports what has not been reported yet. Call it at the end of an epoch, which is at this time. */
void debug_end_epoch(struct tile *tile, uint64_t time);

#endif
