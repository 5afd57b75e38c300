/* The cores' side of the coprocessor: instruction push, GPRs, MOP configuration, semaphores, TTSync and status.
 *
 * A core that looks sees every cycle before its own; what it writes in cycle t is seen from t + 1 on. Pushed words are
 * in their FIFO from t + 1 on. Accesses to Config are in config/.
 *
 * Inexact: a store that Auto TTSync holds stops its core at once, where the hardware lets it run on until its store
 * queue is full. A load that should be able to overtake a push in the store queue does not (AutoTTSync.md, the
 * caution). Sources: PushTensixInstruction.md, ManualTTSync.md, AutoTTSync.md, PCBufs.md, CSRs.md (BH), ScalarUnit.md
 * (WH).
 */
#include "tensix/tensix.h"

#include "base/check.h"
#include "base/order.h"

/* ---- Push -------------------------------------------------------------------------------------- */

/* A thread without a time gets one if all it lacks is an instruction. */
static void rouse(const struct tensix *x, struct tensix_thread *t, uint64_t time) {
    if (t->due == TENSIX_NEVER && !t->waits_on && !t->faulted)
        t->due = time > x->time ? time : tensix_clock(x, x->time);
}

/* Words that are consumed or recorded go without passing the gate: while any may, the core looks in every cycle. */
struct access tensix_wait_for_pass(struct tensix *x, unsigned thread, uint64_t time, const char *why) {
    x->thread[thread].pass_wanted = true;
    if (frontend_moves(&x->thread[thread].frontend))
        tensix_alarm(x, time + 1);
    return access_wait(why);
}

/* A core that waits for what its frontend does looks again at this time, before which that cannot be; or, if nothing
 * moves there by itself, when an instruction has passed. Returns when. */
static uint64_t look_again(struct tensix *x, struct tensix_thread *t, uint64_t time) {
    if (!frontend_moves(&t->frontend)) {
        t->pass_wanted = true;
        return TENSIX_NEVER;
    }
    tensix_alarm(x, time);
    return time;
}

/* Is there room for a push in cycle `time`? A core with a lower number may have had that very cycle run: words that
 * leave in it make room for the next one. */
static inline bool has_room_at(const struct tensix *x, const struct frontend *f, uint64_t time) {
    return frontend_has_room(f) &&
           (BH_LIKELY(x->time <= time) || f->in_flight + frontend_left_in(f, time) <= FRONTEND_ACCEPTS);
}

/* The stages have been brought forward if anything but a pass can make it. */
static struct access wait_for_room(struct tensix *x, unsigned thread, uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    t->room_wanted = true;
    t->room_at = 0;
    if (frontend_has_room(&t->frontend)) /* by what leaves in this cycle */
        tensix_alarm(x, t->room_at = time + 1);
    else if (frontend_may_consume(&t->frontend))
        t->room_at = look_again(x, t, later(time, x->time) + 1 + frontend_consumes_after(&t->frontend));
    return access_wait(TENSIX_NO_ROOM);
}

/* Will the FIFO behind the MOP expander be full when cycle `now` is over? That depends on its stages only, whatever
 * passes in that cycle. They stay where they are. */
static bool is_full_after(const struct frontend *f, uint64_t now) {
    struct frontend copy = *f;
    frontend_advance(&copy, now + 1);
    return frontend_middle_full(&copy);
}

static struct access wait_behind_mop(struct tensix *x, unsigned thread, uint64_t time) {
    return tensix_wait_for_pass(x, thread, time, "room in the FIFO before the Replay expander");
}

/* One word, in the cycle feed->time. Without room that cycle is not run: cores with a higher number may still look at
 * what there is before it. */
static struct access push_behind_mop(struct tensix *x, unsigned thread, struct tensix_feed *feed) {
    struct tensix_thread *t = &x->thread[thread];
    struct frontend *f = &t->frontend;
    uint64_t now = feed->time, seen = now + 1;
    if (!feed->in_turn || !tensix_run(x, now))
        return access_later();
    frontend_advance(f, now);
    if (is_full_after(f, now))
        return wait_behind_mop(x, thread, now);
    if (!tensix_run(x, seen))
        return access_later();
    feed->time = seen;
    frontend_advance(f, seen);
    if (!frontend_push_behind_mop(f, *feed->words, tensix_feed_pc(feed), seen))
        return wait_behind_mop(x, thread, now);
    feed->words++;
    rouse(x, t, seen);
    if (t->due > seen && !t->waits_on && !t->faulted) /* it is due for a word that its TRISC, ahead, pushes later */
        t->due = later(seen, t->frozen_until);
    tensix_not_calm(x, seen);
    t->room_at = seen + 1; /* what the MOP expander emits now is lost: it goes on, and there is room */
    tensix_alarm(x, seen + 1);
    if (BH_UNLIKELY(x->loose))
        loose_shared(x, thread, seen);
    return access_done();
}

/* What a core pushes in cycle t is in the FIFO from t + 1 on, or from the first cycle that has not been run. */
static inline uint64_t seen_from(const struct tensix *x, uint64_t time) {
    return time + 1 > x->time ? time + 1 : x->time;
}

/* Ordinary words that are pushed one a cycle, as many as there is room for. False: consumed words may have to make it
 * first. */
static inline bool feed_words(const struct tensix *x, struct frontend *f, struct tensix_feed *feed) {
    uint64_t most = smaller(FRONTEND_ACCEPTS + 1 - f->in_flight, FRONTEND_FIRST - frontend_first_count(f));
    most = smaller(most, (uint64_t)(feed->end - feed->words));
    most = smaller(most, feed->horizon > feed->time ? feed->horizon - feed->time : 1);
    struct frontend_entry entry = frontend_enter(f);
    uint32_t pc = tensix_feed_pc(feed);
    for (const uint32_t *end = feed->words + most; feed->words < end; feed->words++, feed->time++, pc += 4)
        frontend_put_words(f, &entry, feed->words, 1, pc, seen_from(x, feed->time));
    frontend_pushed(f, &entry);
    return most;
}

void tensix_feed(struct tensix *x, unsigned thread, struct tensix_feed *feed) {
    struct frontend *f = &x->thread[thread].frontend;
    do {
        if (feed->ordinary == 1 && feed_words(x, f, feed))
            continue;
        unsigned left = (unsigned)(feed->end - feed->words), count = left < feed->group ? left : feed->group;
        uint64_t from = seen_from(x, feed->time);
        if (!feed->ordinary || !frontend_push_ordinary(f, feed->words, count, tensix_feed_pc(feed), from))
            (void)BH_CHECK(x->error,
                           frontend_push(f, feed->words, count, tensix_feed_pc(feed), from, x->config.thread[thread]));
        feed->words += count;
        feed->time++;
    } while (feed->words < feed->end && feed->time < feed->horizon && frontend_has_room(f));
}

/* Brings the coprocessor to where everything has been pushed, or else to the core's time or the horizon. Only a pass
 * tells when there is room, so that it goes no further than the core if something else may make it. */
static inline void run_and_feed(struct tensix *x, struct tensix_thread *t, struct tensix_feed *feed) {
    struct frontend *f = &t->frontend;
    bool ahead = feed->horizon > feed->time && !frontend_may_consume(f);
    x->feed = feed;
    t->room_feeds = true;
    tensix_run(x, ahead ? feed->horizon : feed->time);
    t->room_feeds = false;
    x->feed = NULL;
    if (frontend_may_consume(f))
        frontend_advance(f, x->time);
}

/* There is no room for the next words of the feed. */
static inline void wait_and_feed(struct tensix *x, struct tensix_thread *t, unsigned thread, struct tensix_feed *feed) {
    run_and_feed(x, t, feed);
    if (feed->words == feed->first && has_room_at(x, &t->frontend, feed->time)) /* consumed words have made it */
        tensix_feed(x, thread, feed);
}

/* Does more happen to words when they are pushed than that they are in the FIFO afterwards? */
static inline bool is_followed(const struct tensix *x, unsigned thread) {
    return x->thread[thread].frontend.declares ||
           CONFIG_GET(x->config.thread[thread], TENSIX_TRISC_SYNC_TrackTensixInstructions);
}

/* Is there room for another word in cycle `time` when so many more are in flight, and nothing more to it? */
static inline bool takes_ordinary(const struct tensix *x, unsigned thread, unsigned more, uint64_t time) {
    if (BH_UNLIKELY(x->time > time && more < FRONTEND_LEAVE)) /* see has_room_at */
        more = FRONTEND_LEAVE;
    return !(x->debug_owns >> thread & 1) && !is_followed(x, thread) &&
           x->thread[thread].frontend.in_flight + more <= FRONTEND_ACCEPTS;
}

bool tensix_push_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    if (!takes_ordinary(x, thread, 0, time) || !frontend_push_one(&t->frontend, word, pc, seen_from(x, time)))
        return false;
    rouse(x, t, time + 1);
    return true;
}

bool tensix_push_row(struct tensix *x, unsigned thread, const uint32_t *words, unsigned count, bool fused, uint32_t pc,
                     uint64_t time) {
    struct tensix_thread *t = &x->thread[thread];
    struct frontend *f = &t->frontend;
    if (!takes_ordinary(x, thread, fused ? 0 : count - 1, time) || frontend_first_count(f) + count > FRONTEND_FIRST)
        return false;
    struct frontend_entry entry = frontend_enter(f);
    for (unsigned i = 0; i < count; i++)
        frontend_put_words(f, &entry, words + 2 * i, 1, pc + 4 * i, seen_from(x, fused ? time : time + i));
    frontend_pushed(f, &entry);
    rouse(x, t, time + 1);
    return true;
}

static struct access push_loosely(struct tensix *x, unsigned thread, struct tensix_feed *feed) {
    unsigned count = (unsigned)(feed->end - feed->words);
    feed->words += loose_push(x, thread, feed->words, count, feed->pc, feed->time, feed->ordinary);
    feed->time += tensix_feed_groups(feed);
    return feed->words == feed->first ? access_wait(TENSIX_NO_ROOM) : access_done();
}

/* Then a core that is ahead of others need not come back to find out: the pass tells it, and it goes on at its own time
 * or in the cycle after the pass, whichever is later. */
static inline bool only_a_pass_makes_room(const struct frontend *f) {
    return !frontend_has_room(f) && !frontend_may_consume(f);
}

struct access tensix_push(struct tensix *x, enum bh_core core, unsigned thread, struct tensix_feed *feed) {
    struct tensix_thread *t = &x->thread[thread];
    struct frontend *f = &t->frontend;
    uint64_t first = feed->time + 1;                /* from when on there may be something to do */
    if (BH_UNLIKELY(x->debug_owns >> thread & 1)) { /* the debug bus has the FIFO: what cores push is lost */
        feed->words = feed->end;
        feed->time += tensix_feed_groups(feed);
        return access_done();
    }
    if (core == BH_BRISC)
        return push_behind_mop(x, thread, feed);
    if (BH_UNLIKELY(x->loose))
        return push_loosely(x, thread, feed);
    if (is_followed(x, thread))
        feed->ordinary = 0;
    if (has_room_at(x, f, feed->time))
        tensix_feed(x, thread, feed);
    if (feed->in_turn && feed->words < feed->end && !has_room_at(x, f, feed->time) &&
        (feed->words == feed->first || feed->time < feed->horizon))
        wait_and_feed(x, t, thread, feed);
    if (feed->words == feed->first)
        return feed->in_turn || only_a_pass_makes_room(f) ? wait_for_room(x, thread, feed->time) : access_later();
    rouse(x, t, first);
    return access_done();
}

void tensix_debug_control(struct tensix *x, uint32_t old_value, uint32_t value, uint32_t word, uint64_t time) {
    uint32_t rising = value & ~old_value; /* into a full FIFO: lost */
    x->debug_owns = value & 7;
    tensix_not_calm(x, 0);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct tensix_feed feed = tensix_feed_of(&word, 1, 1, 0, time);
        if ((value >> i & 1) && (rising >> (4 + i) & 1))
            (void)push_behind_mop(x, i, &feed);
    }
}

uint32_t tensix_buf_status(struct tensix *x, uint64_t time) {
    uint32_t status = 0;
    tensix_run(x, time);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend *f = &x->thread[i].frontend;
        frontend_advance(f, time);
        status |= (uint32_t)!frontend_middle_full(f) << i | (uint32_t)frontend_middle_empty(f) << (4 + i);
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
    return access_done();
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
    return tensix_wait_for_pass(x, thread, time,
                                "Auto TTSync: instructions pushed before that touch the same registers");
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

/* Ti sees its own, again and again; B sees all three threads' once. */
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
    return access;
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

struct access tensix_semaphore_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                                     uint32_t value) {
    if (offset / 4 >= SYNC_SEMAPHORES)
        return no_such_semaphore();
    if (!tensix_run(x, time + 1))
        return access_later();
    struct sync *sync = &x->sync;
    uint64_t slot = sync->slot_free > time + 1 ? sync->slot_free : time + 1;
    sync->slot_free = slot;
    if (value & 1)
        sync_get(&sync->semaphore[offset / 4], SYNC_CORE + core);
    else
        sync_post(&sync->semaphore[offset / 4], SYNC_CORE + core);
    tensix_wake(x, slot);
    return access_done();
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
    return false;
}

static struct access mop_done(struct tensix *x, unsigned thread, uint64_t time) {
    struct frontend *f = &x->thread[thread].frontend;
    tensix_run(x, time);
    frontend_advance(f, time);
    if (!frontend_mop_busy(f))
        return access_done();
    look_again(x, &x->thread[thread], time + frontend_mop_left(f));
    return access_wait("the MOP expander to finish");
}

struct access tensix_done_check(struct tensix *x, unsigned thread, uint32_t offset, bool override, uint64_t time) {
    if (offset > 4)
        return access_refused(BH_FAULT_UNMAPPED, "Manual TTSync has two words");
    if (override)
        return access_done();
    if (offset == 0)
        return tensix_wait_idle(x, thread, time) ? access_done() : access_wait("its Tensix thread to become idle");
    return mop_done(x, thread, time);
}

/* Bits of tt_cfg_qstatus and bstatus. Of lanes: at least one is enabled. */
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

/* The core's own thread's types, or everybody's; everybody's in *all. */
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
