/* The cores' side of the coprocessor: GPRs, MOP configuration, semaphores, TTSync and status.
 *
 * A core that reads sees every cycle before its own; what it writes in cycle t is seen from t + 1 on. Pushes are in
 * push.c, accesses to Config in config/.
 *
 * Inexact: a store that Auto TTSync holds, or that waits for the Sync Unit, stops its core at once, while the hardware
 * lets the core continue until its store queue is full. A load that should be able to overtake a push in the store
 * queue does not (AutoTTSync.md, the caution). Sources: ManualTTSync.md, AutoTTSync.md, PCBufs.md, CSRs.md, SyncUnit.md
 * (BH), ScalarUnit.md (WH). */
#include "tensix/push.h"

#include "base/check.h"
#include "base/order.h"

uint32_t tensix_buf_status(struct tensix *x, uint64_t time) {
    uint32_t status = 0;
    tensix_run(x, time);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend *f = &x->thread[i].frontend;
        frontend_advance(f, time);
        unsigned count = frontend_middle_count(f, time);
        status |= (uint32_t)(count < FRONTEND_MIDDLE) << i | (uint32_t)!count << (4 + i);
    }
    return status;
}

struct access tensix_mop_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    unsigned thread = core - BH_TRISC0;
    struct frontend *f = &x->thread[thread].frontend;
    tensix_catch_up(x);
    if (!tensix_run(x, time + 1))
        return access_later();
    frontend_advance(f, time + 1);
    frontend_configure_mop(f, offset / 4, value);
    return clock_verified(x, access_done());
}

/* ---- Auto TTSync --------------------------------------------------------------------------------- */

struct access tensix_sync_with_words(struct tensix *x, enum bh_core core, uint16_t resources, bool store,
                                     uint64_t time) {
    if (!resources)
        return access_done();
    unsigned thread = core - BH_TRISC0;
    struct frontend *f = &x->thread[thread].frontend;
    frontend_advance(f, time);
    if (!ttsync_meets(resources, store, frontend_resources(f)))
        return access_done();
    return tensix_wait_for_pass(x, thread, time, WAIT_TTSYNC_PUSHED);
}

static struct access sync_gpr(struct tensix *x, enum bh_core core, bool store, uint64_t time) {
    if (!tensix_has_thread(core))
        return access_done();
    return tensix_sync_with_words(x, core, ttsync_of_gpr(x->config.thread[core - BH_TRISC0]), store, time);
}

struct access tensix_tdma_sync(struct tensix *x, enum bh_core core, bool store, uint64_t time) {
    if (!tensix_has_thread(core))
        return access_done();
    tensix_run(x, time);
    return tensix_sync_with_words(x, core, ttsync_of_tdma(x->config.thread[core - BH_TRISC0]), store, time);
}

/* ---- GPRs ------------------------------------------------------------------------------------------ */

/* Returns the GPR that a core sees at an offset, or NULL. A TRISC sees the GPRs of its thread, repeated; BRISC sees
 * those of all threads, once. */
static uint32_t *gpr_at(struct tensix *x, enum bh_core core, uint32_t offset) {
    unsigned index = offset / 4;
    if (tensix_has_thread(core))
        return &x->gpr[core - BH_TRISC0][index % TENSIX_GPRS];
    return index < TENSIX_THREADS * TENSIX_GPRS ? &x->gpr[index / TENSIX_GPRS][index % TENSIX_GPRS] : NULL;
}

static struct access no_such_gpr(void) {
    return access_refused(BH_FAULT_UNMAPPED, "there are 3 x 64 GPRs, up to offset 0x300");
}

struct access tensix_gpr_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value) {
    const uint32_t *gpr = gpr_at(x, core, offset);
    if (!gpr)
        return no_such_gpr();
    tensix_run(x, time);
    struct access access = sync_gpr(x, core, false, time);
    if (access.result == ACCESS_DONE)
        *value = *gpr;
    return access;
}

struct access tensix_gpr_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    uint32_t *gpr = gpr_at(x, core, offset);
    if (!gpr)
        return no_such_gpr();
    tensix_catch_up(x);
    tensix_run(x, time);
    struct access access = sync_gpr(x, core, true, time);
    if (access.result != ACCESS_DONE)
        return access;
    if (!tensix_run(x, time + 1))
        return access_later();
    *gpr = value;
    scalar_look_again(x, time + 1);
    return clock_verified(x, access);
}

/* ---- Semaphores -------------------------------------------------------------------------------------- */

static struct access no_such_semaphore(void) {
    return access_refused(BH_FAULT_UNMAPPED, "there are eight semaphores");
}

struct access tensix_semaphore_read(struct tensix *x, uint32_t offset, uint64_t time, uint32_t *value) {
    if (offset / 4 >= SYNC_SEMAPHORES)
        return no_such_semaphore();
    tensix_run(x, time);
    *value = x->sync.semaphore[offset / 4].value;
    return access_done();
}

struct access tensix_semaphore_peek(const struct tensix *x, uint32_t offset, uint32_t *value) {
    if (offset / 4 >= SYNC_SEMAPHORES)
        return no_such_semaphore();
    *value = x->sync.semaphore[offset / 4].value;
    return access_done();
}

/* Takes the Sync Unit's slot for a core's store: in the cycle of the store or, if the coprocessor has run that cycle
 * already, in the last one that has been run. Returns the first cycle that sees the store; 0 if the slot is taken and
 * the core has to wait. With loose timing, no store waits. Assumed: an instruction of the same cycle comes first. */
static uint64_t take_slot(struct tensix *x, uint64_t time) {
    struct sync *sync = &x->sync;
    uint64_t seen = later(time + 1, x->loose ? sync->slot_free : x->time);
    if (!x->loose && sync->slot_free >= seen) {
        tensix_alarm(x, sync->slot_free);
        return 0;
    }
    return sync->slot_free = seen;
}

struct access tensix_semaphore_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                                     uint32_t value) {
    if (offset / 4 >= SYNC_SEMAPHORES)
        return no_such_semaphore();
    if (!tensix_run(x, time + 1))
        return access_later();
    struct sync_semaphore *semaphore = &x->sync.semaphore[offset / 4];
    uint64_t seen = take_slot(x, time);
    if (!seen)
        return access_wait(WAIT_SEMAPHORE_SLOT);
    if (value & 1)
        sync_get(semaphore, SYNC_CORE + core);
    else
        sync_post(semaphore, SYNC_CORE + core);
    tensix_wake(x, seen);
    return clock_verified(x, access_done());
}

/* ---- Manual TTSync and status -------------------------------------------------------------------------- */

bool tensix_wait_idle(struct tensix *x, unsigned thread, uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    tensix_run(x, time);
    if (tensix_idle(x, thread, time))
        return true;
    if (!frontend_empty(&t->frontend))
        t->idle_wanted = true;
    else
        tensix_alarm(x, t->idle_at);
    clock_verify(x);
    return false;
}

static struct access mop_done(struct tensix *x, unsigned thread, uint64_t time) {
    struct frontend *f = &x->thread[thread].frontend;
    tensix_run(x, time);
    frontend_advance(f, time);
    if (!frontend_mop_busy(f))
        return access_done();
    push_look_again(x, &x->thread[thread], time + frontend_mop_left(f));
    clock_verify(x);
    return access_wait(WAIT_MOP_END);
}

struct access tensix_done_check(struct tensix *x, unsigned thread, uint32_t offset, bool override, uint64_t time) {
    if (offset > 4)
        return access_refused(BH_FAULT_UNMAPPED, "Manual TTSync has two words");
    if (override)
        return access_done();
    if (offset == 0)
        return tensix_wait_idle(x, thread, time) ? access_done() : access_wait(WAIT_THREAD_IDLE);
    return mop_done(x, thread, time);
}

/* Bits of tt_cfg_qstatus and bstatus. STATUS_LANES: at least one lane is enabled. */
enum { STATUS_LANES = 1 << 11, STATUS_ALL_SHIFT = 13, STATUS_LANES_COPY = 1 << 24, BUSY_ALL_SHIFT = 11 };

static unsigned busy_types(const struct tensix_thread *t, uint64_t now) {
    static const uint16_t type[TENSIX_BUSY_COUNT] = {
        [TENSIX_BUSY_SCALAR] = FRONTEND_TYPE_SCALAR | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_MEMORY] = FRONTEND_TYPE_SCALAR | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_UNPACK0] = FRONTEND_TYPE_UNPACKER | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_UNPACK1] = FRONTEND_TYPE_UNPACKER | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_PACK] = FRONTEND_TYPE_PACKER | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_MATRIX] = FRONTEND_TYPE_MATRIX,
        [TENSIX_BUSY_VECTOR] = FRONTEND_TYPE_VECTOR,
        [TENSIX_BUSY_CONFIG] = FRONTEND_TYPE_CONFIG,
        [TENSIX_BUSY_MOVER] = FRONTEND_TYPE_MOVER | FRONTEND_TYPE_ADDRESSED,
        [TENSIX_BUSY_MISC] = FRONTEND_TYPE_ADDRESSED,
    };
    unsigned types = 0;
    for (unsigned i = 0; i < TENSIX_BUSY_COUNT; i++)
        types |= t->busy[i] > now ? type[i] : 0;
    return types;
}

/* Returns the types of the core's own thread, or of all threads if it has none. Sets *all to the types of all
 * threads. */
static unsigned types_of(struct tensix *x, enum bh_core core, bool with_busy, uint64_t time, unsigned *all) {
    unsigned own = 0;
    *all = 0;
    tensix_run(x, time);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_thread *t = &x->thread[i];
        frontend_advance(&t->frontend, time);
        unsigned types = frontend_types(&t->frontend, time) | (with_busy ? busy_types(t, time) : 0);
        *all |= types;
        if (core == BH_TRISC0 + i)
            own = types;
    }
    return tensix_has_thread(core) ? own : *all;
}

uint32_t tensix_qstatus(struct tensix *x, enum bh_core core, uint64_t time) {
    unsigned all, own = types_of(x, core, false, time, &all);
    unsigned lanes = x->vector.enabled ? STATUS_LANES | STATUS_LANES_COPY : 0;
    return own | all << STATUS_ALL_SHIFT | lanes;
}

uint32_t tensix_bstatus(struct tensix *x, enum bh_core core, uint64_t time) {
    unsigned all, own = types_of(x, core, true, time, &all);
    return own | all << BUSY_ALL_SHIFT;
}
