/* The record of a tile under observation: statistics, profiles of its cores, and events.
 *
 * Each observed tile has one observer. Only the host thread that runs the tile touches it, so there are no locks.
 * Blocks have a pointer to the observer in their wiring, NULL while the tile is not observed. Blocks report to the
 * observer and never read from it, so observation changes no result. Times are cycles, intervals are [start, end). */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/riscv.h"
#include "isa/tensix.h"

enum {
    OBSERVE_REASONS = 64, /* reasons that a track tells apart; the last one collects all others */
    OBSERVE_PAGE = 1024,  /* words of code in one page of a profile */
    OBSERVE_PAGES = 0x180000 / 4 / OBSERVE_PAGE, /* pages of L1 */
};

/* ---- Statistics ------------------------------------------------------------------------------------------ */

struct observe_track {
    uint64_t busy, stalled, instructions;
    uint64_t busy_until; /* end of the cycles counted in `busy` */
    unsigned reasons;
    struct bh_stall reason[OBSERVE_REASONS];
    bool has_pending;
    struct bh_event pending; /* not in the list yet, because the next event may extend it */
};

/* The first instruction of a thread, if it did not pass at its last attempt. */
struct observe_held {
    const char *why; /* NULL: no attempt yet, or the instruction has passed */
    uint64_t since;
    uint32_t word, pc;
};

/* The state of an unpacker at its last report. */
struct observe_job {
    uint64_t since;
    uint32_t word;
    uint8_t first, phase, thread;
};

struct observe_core {
    bool counts;          /* the core is out of reset */
    uint64_t since;       /* end of the core's last wait */
    uint64_t retired_out; /* instructions retired before the observation began */
};

struct observe_noc {
    uint64_t packets_in, bytes_in, bytes_out;
};

/* ---- Profiles -------------------------------------------------------------------------------------------- */

struct observe_word {
    uint32_t word;
    uint64_t count, cycles, waited;
};

/* The time that a core spends at each instruction. */
struct profile {
    struct observe_word *page[OBSERVE_PAGES];
    uint64_t mix[RV_COUNT + 1]; /* executions of words that have been overwritten since; the last entry is .ttinsn */
    uint32_t pc;                /* pc of the instruction in progress */
    uint64_t time, retired;     /* time and count of retired instructions when it began */
    uint64_t slept_until;       /* end of the cycles that are counted as sleep already */
};

/* ---- Instructions ---------------------------------------------------------------------------------------- */

/* An executed instruction of a core. */
struct observe_step {
    uint64_t start, end;
    uint32_t pc, word;
    uint8_t core;
    struct bh_instruction done; /* done.vector is set when the host reads the step */
    uint32_t vector_at;         /* index of its first value in observer.vector */
};

/* The instruction that a core executes, or is about to execute (riscv/note.c). */
struct observe_steps {
    struct observer *observer;
    bool open;      /* there is such an instruction */
    uint32_t flags; /* fflags before the instruction */
    uint64_t slept; /* cycles in a polling loop since the previous instruction */
    struct observe_step now;
    uint8_t v[32][16]; /* vector registers before the instruction, if it is a vector instruction */
};

/* ---- All of it ------------------------------------------------------------------------------------------- */

struct observer {
    unsigned what; /* enum bh_watch */
    struct bh_xy tile;
    struct observe_track track[BH_TRACK_COUNT];
    uint64_t mix[BH_THREADS][TENSIX_ROW_COUNT];
    uint64_t unit_mix[2][TENSIX_ROW_COUNT]; /* by each of the two unpackers, which are one unit in the table */
    struct observe_held held[BH_THREADS];
    struct observe_job job[2];
    struct observe_core core[BH_CORE_COUNT];
    struct observe_noc noc[BH_TRACK_COUNT - BH_TRACK_NOC0]; /* both NoCs and the cable */
    struct profile *profile[BH_CORE_COUNT];
    struct observe_steps *steps[BH_CORE_COUNT];

    struct observe_step *step; /* instructions executed and not reported yet, in order for each core */
    size_t step_count, step_room;
    uint8_t (*vector)[16]; /* values of the vector registers that those instructions have changed */
    size_t vector_count, vector_room;
    struct bh_event *event; /* on each track ordered by end */
    size_t events, room;
    bool lost; /* an event was dropped: there was no memory for it */
};

/* Clears the record, except `what` and `tile`. */
void observe_clear(struct observer *o);
void observe_free(struct observer *o);

/* Counts cycles of a stall under a reason. at: an address, or 0. */
void observe_stall(struct observe_track *track, const char *why, uint32_t at, uint64_t cycles);
/* Records work on a track. Cycles that the track has counted as busy already are cut off, so its intervals do not
 * overlap. */
void observe_work(struct observer *o, enum bh_track id, struct bh_event event);
/* Records a wait on a track, in the statistics and as an event. */
void observe_wait(struct observer *o, enum bh_track id, struct bh_event event);
/* Records an event, or extends the previous one. */
void observe_record(struct observer *o, enum bh_track id, const struct bh_event *event);
/* Records an executed instruction. */
void observe_put_step(struct observer *o, const struct observe_step *step);
/* Records the new value of a vector register. */
void observe_put_vector(struct observer *o, const uint8_t value[16]);
/* Moves the pending events to the list; later events cannot extend them. */
void observe_close(struct observer *o);

/* ---- Cores ------------------------------------------------------------------------------------------------ */

/* Records that the core worked until `start` and then waited until `end`. */
void observe_core_waited(struct observer *o, enum bh_core core, const char *why, uint32_t at, uint32_t pc,
                         uint64_t start, uint64_t end);
/* Record that the core leaves and enters reset. */
void observe_core_released(struct observer *o, enum bh_core core, uint64_t time);
void observe_core_held(struct observer *o, enum bh_core core, uint64_t time);

/* Records that the instruction at pc begins, `retired` instructions having retired before it. The previous one is
 * complete. */
void profile_step(struct profile *p, const uint8_t *l1, uint32_t pc, uint64_t time, uint64_t retired);
/* Records sleep at pc: cycles and instructions that do not count for the instruction in progress. */
void profile_slept(struct profile *p, uint32_t pc, uint64_t start, uint64_t end, uint64_t instructions);
/* Counts the executions of each instruction of the core: by rv_id, with .ttinsn at index RV_COUNT. */
void profile_mix(const struct profile *p, uint64_t mix[RV_COUNT + 1]);

#endif
