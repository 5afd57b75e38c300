/* Host threads that run the chips of a system. */
#ifndef SYSTEM_CREW_H
#define SYSTEM_CREW_H

#include "system/system.h"

/* The run of one chip, and its outcome. */
struct crew_task {
    bh_status status;
    bool faulted;
    struct bh_fault fault; /* the first */
};

/* Runs every chip of this process up to this time. Creates threads when there is work for them. */
void crew_run(bh_system *system, struct crew_task *task, uint64_t until);
void crew_destroy(struct crew *crew); /* may be NULL */

#endif
