/* The packer's queue, which executes one job after the other; and soft reset. Source: SoftReset.md (BH). */
#include <string.h>

#include "tensix/clock.h"

void pack_init(struct pack *pack) {
    pack->due = TENSIX_NEVER;
}

/* Sets the due time to the end of the first job. */
static inline void schedule(struct tensix *x) {
    struct pack *pack = &x->pack;
    pack->due = pack->count ? pack_job_at(pack, 0)->end - 1 : TENSIX_NEVER;
    tensix_data_due(x);
}

/* Delays all jobs by a cycle, because the register of the first one cannot be written yet. */
static void delay(struct tensix *x) {
    struct pack *pack = &x->pack;
    BH_ASSERT(pack_job_at(pack, 0)->task == PACK_REGISTER);
    for (unsigned i = 0; i < pack->count; i++) {
        struct pack_job *job = pack_job_at(pack, i);
        job->end++;
        tensix_busy_until(x, job->thread, TENSIX_BUSY_PACK, job->end);
    }
    pack->free_at++;
    schedule(x);
}

/* Executes a job. Returns false if it has to wait. */
static bool perform(struct tensix *x, struct pack_job *job, uint64_t now) {
    switch (job->task) {
    case PACK_MOVE: pack_move(x, job, now); return true;
    case PACK_REGISTER: return pack_write_register(x, job, now);
    default: pack_set_half(&x->pack, job->word); return true;
    }
}

void pack_step(struct tensix *x, uint64_t now) {
    struct pack *pack = &x->pack;
    BH_ASSERT(pack->count && pack_job_at(pack, 0)->end == now + 1);
    if (!perform(x, pack_job_at(pack, 0), now)) {
        delay(x);
        return;
    }
    pack->first = (uint8_t)((pack->first + 1) % PACK_JOBS);
    pack->count--;
    schedule(x);
}

/* ---- Soft reset ----------------------------------------------------------------------------------------------- */

void pack_abort(struct tensix *x, uint64_t now) {
    struct pack *pack = &x->pack;
    pack->count = 0;
    pack->free_at = now;
    pack->position = pack->plane = 0;
    pack->rests = 0;
    pack->open = (struct pack_open){ .compress = false };
    pack->compressed = (struct pack_compressed){ .rows = 0 };
    for (unsigned i = 0; i < PACK_SECTIONS; i++) {
        pack->placed[i] = false;
        pack->stream[i].filled = 0;
    }
    tensix_forget_busy(x, TENSIX_BUSY_PACK, now);
    schedule(x);
}

void pack_leave_dst(struct pack *pack) {
    memset(pack->random[0], 0, sizeof pack->random[0]);
}
