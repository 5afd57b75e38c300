/* What is noted about a tile while somebody watches it: statistics, a profile of its cores, and events.
 *
 * One observer a tile, touched by whoever runs the tile and by nobody else, so that nothing here takes a lock. Blocks
 * have a pointer to it in their wiring, NULL as long as nobody watches; they tell it what they have done, and it tells
 * them nothing: what is noted changes no result. Times are cycles, intervals are [start, end).
 */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/riscv.h"
#include "isa/tensix.h"

enum {
    OBSERVE_REASONS = 64,                        /* that are told apart on a track; the last one is for all others */
    OBSERVE_PAGE = 1024,                         /* words of code in a page of a profile */
    OBSERVE_PAGES = 0x180000 / 4 / OBSERVE_PAGE, /* of L1 */
};

/* ---- Statistics ------------------------------------------------------------------------------------------ */

struct observe_track {
    uint64_t busy, stalled, instructions;
    uint64_t busy_until; /* what is counted in `busy` ends here */
    unsigned reasons;
    struct bh_stall reason[OBSERVE_REASONS];
    bool has_open;
    struct bh_event open; /* not told yet: the next one may go on with it */
};

/* Of a thread whose first instruction did not pass when it last tried. */
struct observe_held {
    const char *why; /* NULL: it has not tried, or has passed */
    uint64_t since;
    uint32_t word, pc;
};

/* Of an unpacker, when it was last looked at. */
struct observe_job {
    uint64_t since;
    uint32_t word;
    uint8_t first, phase, thread;
};

struct observe_core {
    bool counts;          /* it is out of reset */
    uint64_t since;       /* it has not waited since */
    uint64_t retired_out; /* instructions before anybody watched */
};

struct observe_noc {
    uint64_t packets_in, bytes_in, bytes_out;
};

/* ---- Profiles -------------------------------------------------------------------------------------------- */

struct observe_word {
    uint32_t word;
    uint64_t count, cycles, waited;
};

/* Where a core spends its time. */
struct profile {
    struct observe_word *page[OBSERVE_PAGES];
    uint64_t mix[RV_COUNT + 1]; /* of words that have been overwritten; the last one is .ttinsn */
    uint32_t pc;                /* of the instruction under way */
    uint64_t time, retired;     /* when it began */
    uint64_t slept_until;       /* sleep is counted up to here */
};

/* ---- All of it ------------------------------------------------------------------------------------------- */

struct observer {
    unsigned what; /* enum bh_watch */
    struct bh_xy tile;
    struct observe_track track[BH_TRACK_COUNT];
    uint64_t mix[BH_THREADS][TENSIX_ROW_COUNT];
    uint64_t unit_mix[2][TENSIX_ROW_COUNT]; /* of the two unpackers, which share a unit in the table */
    struct observe_held held[BH_THREADS];
    struct observe_job job[2];
    struct observe_core core[BH_CORE_COUNT];
    struct observe_noc noc[2];
    struct profile *profile[BH_CORE_COUNT];

    struct bh_event *event; /* in order of their ends on each track */
    size_t events, room;
    bool lost; /* no memory for all of them */
};

/* Forgets what was noted. `what` and `tile` stay. */
void observe_clear(struct observer *o);
void observe_free(struct observer *o);

/* So many cycles for this reason. `at`: an address, or 0. */
void observe_stall(struct observe_track *track, const char *why, uint32_t at, uint64_t cycles);
/* Work on a track, whose intervals do not overlap: what has been counted already is cut off. */
void observe_work(struct observer *o, enum bh_track id, struct bh_event event);
/* A wait on a track, in statistics and as an event. */
void observe_wait(struct observer *o, enum bh_track id, struct bh_event event);
/* An event goes out, or goes on with the one before. */
void observe_tell(struct observer *o, enum bh_track id, const struct bh_event *event);
/* What is open goes out: nothing will go on with it. */
void observe_close(struct observer *o);

/* ---- Cores ------------------------------------------------------------------------------------------------ */

/* The core has worked until `start`, then waited until `end`. */
void observe_core_waited(struct observer *o, enum bh_core core, const char *why, uint32_t at, uint32_t pc,
                         uint64_t start, uint64_t end);
void observe_core_released(struct observer *o, enum bh_core core, uint64_t time);
void observe_core_held(struct observer *o, enum bh_core core, uint64_t time);

/* The instruction at pc is under way: `retired` have been before it. */
void profile_step(struct profile *p, const uint8_t *l1, uint32_t pc, uint64_t time, uint64_t retired);
/* The core has slept at pc: cycles and instructions that belong to nothing that was under way. */
void profile_slept(struct profile *p, uint32_t pc, uint64_t start, uint64_t end, uint64_t instructions);
/* How often each instruction of the core was run: rv_id, or RV_COUNT for .ttinsn. */
void profile_mix(const struct profile *p, uint64_t mix[RV_COUNT + 1]);

#endif
