/* Performance counters of the coprocessor: five banks that count cycles in which something holds (isa/perf.def).
 *
 * A bank counts from the cycle after the write that starts it up to and including the cycle of the write that stops it.
 * Nothing is counted cycle by cycle: before anything changes in cycle c (a word that tries to pass, a step of a unit, a
 * result that lands, the end of a run), the cycles since the last change are added at once. While a bank runs, every
 * turn of a thread is one attempt of one word (tensix_run); while none runs, counting costs nothing.
 *
 *     waits and units    cycles before `units` are counted: cycle c as it is when c begins
 *     threads and math   cycles before `threads` are counted: cycle c with the words that pass in c
 *
 * With loose timing, words that pass count one cycle each, and nothing else counts.
 */
#ifndef TENSIX_COUNT_H
#define TENSIX_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "isa/perf.h"

struct tensix;

enum count_mode { COUNT_ON, COUNT_PERIOD, COUNT_WITHOUT_REFERENCE, COUNT_MODES };

struct count_bank {
    uint64_t since, until; /* counts cycles from `since` on; not from `until` on, which is TENSIX_NEVER while it runs */
    uint32_t period;       /* cycles, for COUNT_PERIOD */
    uint8_t mode;          /* enum count_mode */
};

struct count {
    uint64_t units, threads;             /* cycles before these are counted; see above */
    uint64_t matrix_until, vector_until; /* the last instruction occupies its unit */
    uint8_t passed;                      /* a mask of threads: a word has passed in cycle `threads` */
    uint8_t latched;                     /* a mask of waits for Src by STALLWAITs, as cycle `threads` began */
    uint8_t passed_kind[3];              /* enum count_kind of these words */
    bool phases;                         /* the bank TDMA_UNPACK has seen a phase of fidelity other than 0 */
    struct count_bank bank[PERF_BANKS];
    uint32_t value[PERF_COUNT];
};

/* Start or stop a bank at the time of a write. Starting clears the bank's counters. Precondition: the cycle of the
 * write has been run, or the coprocessor writes itself. */
void count_start(struct tensix *x, enum perf_bank bank, uint64_t time);
void count_stop(struct tensix *x, enum perf_bank bank, uint64_t time);
/* The bank has a new period or mode. Preconditions: as above; mode < COUNT_MODES. */
void count_configure(struct tensix *x, enum perf_bank bank, uint32_t period, unsigned mode, uint64_t time);
/* Returns the reference cycles of a bank. */
uint32_t count_reference(const struct tensix *x, enum perf_bank bank, uint64_t time);
/* Reads the counter that a value of the mode register selects. Precondition: every cycle before that of the access has
 * been run. */
struct access count_read(const struct tensix *x, enum perf_bank bank, uint32_t mode, uint32_t *value);

/* ---- For the time core (tensix.c, loose.c). Precondition: a bank runs (x->counting). ------------------------ */

/* Counts every cycle before this one. */
void count_to(struct tensix *x, uint64_t until);
/* The same, and units in this cycle: something is about to change that shows from the next cycle on. */
void count_cycle(struct tensix *x, uint64_t now);
/* Counts what a step of a unit in this cycle is about to end. */
void count_step(struct tensix *x, uint64_t now);
/* A thread's turn in cycle `now`, which is one attempt. */
void count_turn(struct tensix *x, unsigned thread, uint64_t now);
/* Loose timing: a word has passed. */
void count_loose(struct tensix *x, unsigned thread, uint32_t word);

#endif
