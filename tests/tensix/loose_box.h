/* A loosely timed coprocessor in a tensix_box: its words, their effects, and the events that wake threads. */
#ifndef TESTS_TENSIX_LOOSE_BOX_H
#define TESTS_TENSIX_LOOSE_BOX_H

#include "loose_same.h"
#include "base/order.h"
#include "isa/regs.h"

enum { ALL = 0x1FF, L1 = 0x20000, MARK = 3 /* a word of ThreadConfig */ };

#define SOFT_RESET_0 0xFFB121B0u
#define BUF_CTRL0    0xFFB120A0u
#define REG(address) (((address)-0xFFB00000u) / 4)
#define POST(i)      TT(SEMPOST, 1u << (i))
#define GET(i)       TT(SEMGET, 1u << (i))
#define MARKED(n)    TT(SETC16, MARK, (n))
#define ILLEGAL      (UINT32_C(0xFF) << 24)

#define HAND_OVER TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 0, 1)
#define HAND_BACK TT(CLEARDVALID, 1, 0)

static inline struct tensix_box *create(void) {
    return loose_create(1, true);
}

static inline struct frontend *frontend_of(struct tensix_box *tb, unsigned thread) {
    return &tb->x->thread[thread].frontend;
}

/* The word at a thread's gate; there must be one. */
static inline struct frontend_word at_gate(const struct tensix_box *tb, unsigned thread) {
    struct frontend_word head = { 0 };
    assert_true(tensix_at_gate(tb->x, thread, &head));
    return head;
}

static inline uint32_t mark(struct tensix_box *tb, unsigned thread) {
    return tb->x->config.thread[thread][MARK];
}

static inline unsigned semaphore(struct tensix_box *tb, unsigned i) {
    return tb->x->sync.semaphore[i].value;
}

/* The cores' time comes to where threads that have been woken go on. */
static inline void settle(struct tensix_box *tb) {
    tensix_run(tb->x, tb->now);
    for (uint64_t due; (due = tensix_due(tb->x)) != TENSIX_NEVER; tensix_run(tb->x, tb->now))
        tb->now = later(tb->now, due) + 1;
}

/* The thread's own core pushes words, wherever it is. */
static inline void push(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned count) {
    assert_int_equal(loose_push(tb->x, thread, words, push_shape(count, 1, FRONTEND_GROUP, false), 0x100, tb->now++),
                     count);
    settle(tb);
}
#define PUSH(tb, thread, ...) \
    push(tb, thread, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static inline void push_by_brisc(struct tensix_box *tb, unsigned thread, uint32_t word) {
    scene_push(tb, BH_BRISC, thread, &word, 1, tb->now++);
    settle(tb);
}

static inline void post(struct tensix_box *tb, unsigned i) {
    assert_int_equal(tensix_semaphore_write(tb->x, BH_TRISC2, 4 * i, tb->now++, 0).result, ACCESS_DONE);
    settle(tb);
}

static inline void configure(struct tensix_box *tb, unsigned thread, const uint32_t config[MOP_WORDS]) {
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tensix_mop_write(tb->x, tb_core(thread), 4 * i, tb->now, config[i]);
}

/* Of the one word so many times. */
static inline void configure_loop(struct tensix_box *tb, unsigned thread, unsigned outer, unsigned inner,
                                  uint32_t word) {
    uint32_t nop = TT(NOP, 0);
    configure(tb, thread, (const uint32_t[]){ outer, inner, nop, nop, nop, word, nop, word, word });
}

static inline void assert_empty(struct tensix_box *tb, unsigned thread) {
    const struct frontend *f = frontend_of(tb, thread);
    assert_true(tensix_idle(tb->x, thread, tb->now));
    assert_int_equal(f->in_flight, 0);
    assert_int_equal(f->mops, 0);
    assert_int_equal(f->special, 0);
    assert_int_equal(tb->x->thread[thread].waits_on, WAIT_NONE);
}

#endif
