/* A loosely timed coprocessor: what a core pushes is done at once.
 *
 * An instruction and all that it sets on its way are done before the next one of any thread is looked at; the clock goes
 * on to wherever that takes it, ahead of the cores if need be. So no FIFO fills and no pipeline is busy for longer than
 * one instruction, and a result is never late. What remains are the waits that only somebody else can end (semaphores,
 * mutexes, owners of Src's banks, streams, L1): then the word, and the expansion that it comes from, stay in the
 * frontend, and pass as in a coprocessor with cycles (turn.c) when they have been woken, with what is queued behind
 * them.
 *
 * Inexact by design: cycle counts, and what a program sees that forgot to wait. The values of one that did not are the
 * same. */
#include "base/order.h"
#include "isa/push.h"
#include "tensix/turn.h"

/* ---- Time --------------------------------------------------------------------------------------- */

/* What is on its way gets there, and the units do what they have to. */
static void finish(struct tensix *x) {
    uint64_t others;
    while (smaller(x->next_landing, others = turn_others_due(x)) != TENSIX_NEVER) {
        uint64_t due = smaller(x->next_landing, others);
        x->time = later(x->time, due);
        if (others == due)
            turn_step_others(x, due);
        else
            turn_land(x, due);
    }
}

/* Nobody else has anything to do. */
static inline void begin(struct tensix *x) {
    x->until = x->alone_until = x->calm_until = TENSIX_NEVER;
}

/* The thread, if any, that has been woken first. */
static struct tensix_thread *woken(struct tensix *x) {
    struct tensix_thread *first = &x->thread[0];
    for (unsigned i = 1; i < TENSIX_THREADS; i++)
        if (x->thread[i].due < first->due)
            first = &x->thread[i];
    return first->due == TENSIX_NEVER ? NULL : first;
}

static void run_woken(struct tensix *x) {
    struct tensix_thread *t;
    while (finish(x), t = woken(x)) {
        unsigned thread = (unsigned)(t - x->thread);
        uint64_t now = later(t->due, x->time);
        begin(x);
        if (x->observer)
            turn_take_watched(x, t, thread, now);
        else
            turn_take(x, t, thread, now);
        x->time = later(x->time, t->frontend.after_pass);
    }
}

void loose_run(struct tensix *x, uint64_t until) {
    if (x->running)
        return;
    if (until != TENSIX_NEVER)
        x->time = later(x->time, until);
    x->running = true;
    run_woken(x);
    x->running = false;
}

/* ---- Words -------------------------------------------------------------------------------------- */

/* The word has to wait at the gate, with what is left of the expansions that it comes from. */
static void park(struct tensix *x, struct frontend *f, uint32_t word) {
    struct frontend_word *slot = &f->last[frontend_last_at(f)];
    *slot = (struct frontend_word){
        .time = x->time, .word = *x->feed->words, .pc = tensix_feed_pc(x->feed), .tag = frontend_tag(f)
    };
    f->expanded = f->played = *slot;
    f->played.ends = !f->mop.active;
    slot->word = word;
    slot->ends = f->played.ends && !replay_plays(&f->replay);
    f->in_flight = f->last_count = 1;
    f->mops = f->after_mop = f->mop.active;
    f->lane = f->open = false;
}

/* The word passes the gate, when it can and no later, and is done. False: it has to wait for somebody. */
static inline bool pass(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    uint64_t now = later(x->time, t->frozen_until), again;
    for (;;) {
        turn_settle(x, now);
        begin(x);
        again = turn_try(x, t, thread, word, 0, now);
        if (BH_UNLIKELY(x->observer))
            tensix_observe(x, thread, word, tensix_feed_pc(x->feed), now, again);
        if (BH_LIKELY(again <= TENSIX_PASSED_NEXT))
            break;
        x->time = now;
        finish(x);
        if (again == TENSIX_NEVER) {
            park(x, &t->frontend, word);
            return false;
        }
        now = later(again, x->time);
    }
    now += again;
    t->waits_on = NULL;
    frontend_passes(&t->frontend, now);
    x->time = now + 1;
    if (smaller(x->next_landing, turn_others_due(x)) != TENSIX_NEVER)
        finish(x);
    return true;
}

static bool play(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word);

/* A word gets to the Replay expander, or out of it. */
static bool replay(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    struct replay *r = &t->frontend.replay;
    if (r->left) {
        *replay_step(r) = word;
        if (!r->executing)
            return true;
    } else if (word >> 24 == TENSIX_REPLAY) {
        return play(x, t, thread, word);
    }
    if (word >> 24 != TENSIX_RESOURCEDECL)
        return pass(x, t, thread, word);
    ttsync_declare(&t->frontend.ttsync, word);
    return true;
}

static bool play(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    struct replay *r = &t->frontend.replay;
    replay_start(r, word);
    while (replay_plays(r)) {
        uint32_t played = *replay_step(r);
        if (BH_UNLIKELY(played >> 24 == TENSIX_RESOURCEDECL))
            ttsync_declare(&t->frontend.ttsync, played);
        else if (!pass(x, t, thread, played))
            return false;
    }
    return true;
}

static bool expand(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    struct mop *mop = &t->frontend.mop;
    uint32_t expanded;
    mop_start(mop, word);
    while (mop_next(mop, &expanded))
        if (!replay(x, t, thread, expanded))
            return false;
    return true;
}

/* A word gets to the MOP expander, and everything behind it is empty. False: something is left there. */
static bool enter(struct tensix *x, struct tensix_thread *t, unsigned thread, uint32_t word) {
    struct frontend *f = &t->frontend;
    if (BH_LIKELY(tensix_is_ordinary(word) && !f->replay.left))
        return pass(x, t, thread, word);
    switch (word >> 24) {
    case TENSIX_MOP: return expand(x, t, thread, word);
    case TENSIX_MOP_CFG: f->mop.mask_high = (uint16_t)tensix_decode_MOP_CFG(word).zmask_hi16; return true;
    case TENSIX_RESOURCEDECL: ttsync_declare(&f->ttsync, word); return true;
    }
    if (!tensix_is_ordinary(word) && word >> 24 == TENSIX_SETC16)
        f->ttsync.bank = word & 1;
    return replay(x, t, thread, word);
}

/* ---- Pushes ------------------------------------------------------------------------------------- */

/* May words be done, or do others wait before them? */
static inline bool is_free(const struct tensix_thread *t) {
    return frontend_empty(&t->frontend) && !t->faulted;
}

static inline void do_words(struct tensix *x, struct tensix_thread *t, unsigned thread, struct tensix_feed *feed) {
    bool done = is_free(t);
    x->feed = feed;
    while (done && feed->words < feed->end) {
        done = enter(x, t, thread, *feed->words);
        feed->words++;
    }
    x->feed = NULL;
}

void loose_push(struct tensix *x, unsigned thread, struct tensix_feed *feed) {
    struct tensix_thread *t = &x->thread[thread];
    x->time = later(x->time, feed->time + 1);
    x->running = true;
    do {
        do_words(x, t, thread, feed);
        run_woken(x); /* which may free the thread again */
    } while (feed->words < feed->end && is_free(t));
    x->running = false;
    feed->time += tensix_feed_groups(feed);
    if (feed->words < feed->end && frontend_has_room(&t->frontend))
        tensix_feed(x, thread, feed);
}

bool loose_push_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t time) {
    struct tensix_feed feed = tensix_feed_of(&word, 1, 1, pc, time);
    if ((x->debug_owns >> thread & 1) || !is_free(&x->thread[thread]))
        return false;
    loose_push(x, thread, &feed);
    return true;
}
