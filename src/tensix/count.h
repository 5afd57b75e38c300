/* Performance counters of the coprocessor: five banks that count cycles in which a condition holds (isa/perf.def).
 *
 * A bank counts from the cycle after the write that starts it up to and including the cycle of the write that stops it.
 * Nothing is counted cycle by cycle: before anything changes in cycle c (a word that tries to pass, a step of a unit, a
 * result that lands, the end of a run), the cycles since the last change are added at once. While a bank runs, every
 * turn of a thread is one attempt of one word (tensix_run); while none runs, counting costs nothing.
 *
 *     waits and units    cycles before `units` are counted: cycle c as it is when c begins
 *     threads and math   cycles before `threads` are counted: cycle c with the words that pass in c
 *
 * With loose timing, words that pass count one cycle each, and nothing else counts. */
#ifndef TENSIX_COUNT_H
#define TENSIX_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "isa/perf.h"

struct tensix;

enum count_mode { COUNT_ON, COUNT_PERIOD, COUNT_WITHOUT_REFERENCE, COUNT_MODES };

struct count_bank {
    uint64_t since, until; /* the bank counts cycles from `since` on and before `until`, which is TENSIX_NEVER while it
                            * runs */
    uint32_t period;       /* in cycles, for COUNT_PERIOD */
    uint8_t mode;          /* enum count_mode */
};

struct count {
    uint64_t units, threads;             /* cycles before these have been counted; see above */
    uint64_t matrix_until, vector_until; /* cycle until which the last instruction occupies its unit */
    uint8_t passed;                      /* a mask of threads of which a word has passed in cycle `threads` */
    uint8_t latched;                     /* a mask of STALLWAITs' conditions on Src that were unmet when cycle `threads`
                                          * began */
    uint8_t passed_kind[3];              /* enum count_kind of these words */
    struct count_bank bank[PERF_BANKS];
    uint32_t value[PERF_COUNT];
};

/* Start or stop a bank at the time of a write. Starting clears the bank's counters. Precondition: the cycle of the
 * write has been run, or the write is the coprocessor's own. */
void count_start(struct tensix *x, enum perf_bank bank, uint64_t time);
void count_stop(struct tensix *x, enum perf_bank bank, uint64_t time);
/* Sets the period and the mode of a bank. Preconditions: as above; mode < COUNT_MODES. */
void count_configure(struct tensix *x, enum perf_bank bank, uint32_t period, unsigned mode, uint64_t time);
/* Returns the reference cycles of a bank. */
uint32_t count_reference(const struct tensix *x, enum perf_bank bank, uint64_t time);
/* Reads the counter that the values of the mode register and of PERF_CNT_MUX_CTRL select. Precondition: every cycle
 * before that of the access has been run. */
struct access count_read(const struct tensix *x, enum perf_bank bank, uint32_t mode, uint32_t mux_ctrl,
                         uint32_t *value);
/* Counts requests that an agent other than the coprocessor makes at a port of L1 in this cycle. port: its row of
 * requests. */
void count_requests(struct tensix *x, enum perf_id port, uint32_t requests, uint64_t time);
/* Returns whether the bank of L1 counts. */
static inline bool count_has_l1(uint8_t counting) {
    return counting >> PERF_BANK_L1 & 1;
}

/* ---- For the time core (tensix.c, loose.c). Precondition: a bank runs (x->counting). ------------------------ */

/* Counts every cycle before this one. */
void count_to(struct tensix *x, uint64_t until);
/* Counts what is about to end because of a step of a unit in this cycle. */
void count_step(struct tensix *x, uint64_t now);
/* Counts a thread's turn in cycle `now`, which is one attempt. */
void count_turn(struct tensix *x, unsigned thread, uint64_t now);
/* With loose timing: counts a word that has passed. */
void count_loose(struct tensix *x, unsigned thread, uint32_t word);

#endif
