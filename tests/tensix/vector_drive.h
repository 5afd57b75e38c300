/* The Vector Unit driven by hand: instructions are presented in the cycles that a test names, without cores. */
#ifndef TESTS_TENSIX_VECTOR_DRIVE_H
#define TESTS_TENSIX_VECTOR_DRIVE_H

#include "support/tensix_scene.h"

#define SFPNOP_WORD 0x8F000000u
#define NOP_WORD    0x02000000u /* not a vector instruction */

static inline tensix_handler *vd_handler(uint32_t word) {
    static tensix_handler *const handlers[] = {
#define VECTOR_OP(name, ...) [TENSIX_##name - TENSIX_SFPLOAD] = execute_##name,
#include "tensix/vector/vector.def"
    };
    return handlers[(word >> 24) - TENSIX_SFPLOAD];
}

/* Everything before this cycle has happened, and what lands in it. */
static inline void vd_until(struct tensix_box *tb, uint64_t cycle) {
    tensix_run(tb->x, cycle);
    tb->now = cycle;
}

/* When the instruction may pass if it is presented in that cycle: 0: it has. */
static inline uint64_t vd_try(struct tensix_box *tb, unsigned thread, uint32_t word, uint64_t cycle) {
    vd_until(tb, cycle);
    return vd_handler(word)(tb->x, thread, word, cycle);
}

static inline void vd_pass(struct tensix_box *tb, unsigned thread, uint32_t word, uint64_t cycle) {
    uint64_t again = vd_try(tb, thread, word, cycle);
    if (again)
        fail_msg("%08x in cycle %u: %s", word, (unsigned)cycle,
                 tb->box->faults ? tb->box->fault.text : wait_text(tb->x->thread[thread].waits_on));
}

/* Presents the instruction until it passes; the cycle in which it does. */
static inline uint64_t vd_wait(struct tensix_box *tb, unsigned thread, uint32_t word, uint64_t cycle) {
    uint64_t again;
    while ((again = vd_try(tb, thread, word, cycle))) {
        assert_true(again > cycle && again < cycle + 10);
        cycle = again;
    }
    return cycle;
}

/* Instructions one after the other from that cycle on; the cycle after the last. */
static inline uint64_t vd_all(struct tensix_box *tb, const uint32_t *words, size_t count, uint64_t cycle) {
    for (size_t i = 0; i < count; i++)
        cycle = vd_wait(tb, 0, words[i], cycle) + 1;
    return cycle;
}
#define VD_ALL(tb, cycle, ...) \
    vd_all(tb, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, cycle)

/* Lets all results land. */
static inline const struct vector *vd_settled(struct tensix_box *tb) {
    vd_until(tb, tb->now + 20);
    vector_arrive(&tb->x->vector, tb->now);
    return &tb->x->vector;
}

static inline void vd_fill(struct tensix_box *tb, unsigned lreg, uint32_t value) {
    for (unsigned i = 0; i < LANES; i++)
        tb->x->vector.lreg[lreg][i] = value;
}

static inline void vd_assert_lreg(struct tensix_box *tb, unsigned lreg, uint32_t value) {
    const struct vector *v = vd_settled(tb);
    for (unsigned i = 0; i < LANES; i++)
        if (v->lreg[lreg][i] != value)
            fail_msg("LReg%u lane %u is %08x, not %08x", lreg, i, v->lreg[lreg][i], value);
}

/* The instruction is refused, with this in the text. */
static inline void vd_assert_refused(struct tensix_box *tb, unsigned thread, uint32_t word, uint64_t cycle,
                                     const char *text) {
    assert_true(vd_try(tb, thread, word, cycle) == TENSIX_NEVER);
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.thread, thread);
    assert_int_equal(tb->box->fault.insn, word);
    if (!strstr(tb->box->fault.text, text))
        fail_msg("\"%s\" says nothing of \"%s\"", tb->box->fault.text, text);
    assert_true(tb->x->thread[thread].faulted);
}

#endif
