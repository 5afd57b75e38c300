/* A system over several processes, called ranks: each runs some of the chips, and a transport carries bytes between
 * them (struct bh_transport).
 *
 * Every rank has all chips and cables, but runs only those chips that are its own. Of the others it uses what never
 * changes: their configuration and ports. Functions of this header that exchange something are called by all ranks at
 * the same point: each sends a message to each other, and takes one from each. A message begins with the call, its
 * argument and the outcome so far, so that a rank that has failed, or is somewhere else, fails all of them with the
 * same text. After that, no call sends anything any more. */
#ifndef SYSTEM_RANKS_H
#define SYSTEM_RANKS_H

#include "system/system.h"

/* What the next quantum of a run depends on. */
struct ranks_view {
    bool idle;    /* nothing can happen any more */
    bool drained; /* and an exchange of frames would change nothing */
    bool faulted; /* a core or a thread has faulted in this run */
};

/* How a run has ended, as far as the chips of this rank are concerned. */
struct ranks_end {
    bool faulted, deadlocked;
    struct bh_system_stop fault, deadlock;
    unsigned waiting;
};

static inline unsigned ranks_of(const bh_system *system, unsigned chip) {
    return system->ranks && system->chip_count ? chip * system->transport.ranks / system->chip_count : 0;
}

/* Returns whether this process runs the chip. */
static inline bool ranks_own(const bh_system *system, unsigned chip) {
    return !system->ranks || ranks_of(system, chip) == system->transport.rank;
}

/* Begins a run up to this time. Makes the view that of all ranks. */
bh_status ranks_begin(bh_system *system, uint64_t end, unsigned flags, struct ranks_view *view);
/* Exchanges frames at this multiple of the quantum; status: the outcome of the quantum. Makes the view that of all
 * ranks. */
bh_status ranks_meet(bh_system *system, uint64_t time, bh_status status, struct ranks_view *view);
/* Ends a run, with the state of all cables and the first fault or deadlock of all ranks. */
bh_status ranks_end(bh_system *system, bh_status status, struct ranks_end *end);
/* Brings the state of all cables to all ranks, in a call with this name and argument. */
bh_status ranks_share_cables(bh_system *system, const char *call, uint64_t argument);
/* Makes hashes of chips known to all ranks. */
bh_status ranks_share_hashes(bh_system *system, uint64_t *hash);
void ranks_free(struct ranks *ranks); /* may be NULL */

#endif
