/* The Vector Unit one lane at a time, as the instructions' pages describe it, to compare with. A test gives the meaning
 * of an instruction in one lane; here are the state to start from, drawn at random with every kind of predication, and
 * the comparison of everything afterwards. */
#ifndef TESTS_TENSIX_VECTOR_LANES_H
#define TESTS_TENSIX_VECTOR_LANES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/random.h"
#include "support/tensix_box.h"

struct lane {
    unsigned number;
    uint32_t r[VECTOR_LREGS], random, config;
    bool flag, use_flag, enabled;
    unsigned depth; /* of the stack */
    bool stack_flag[VECTOR_STACK];
    const struct vector_macro_config *macro;
};

struct fields {
    unsigned imm12, vb, vc, vd, mod;
};

typedef void lane_meaning(struct lane *lane, const struct fields *f);

static inline uint32_t vl_word(unsigned opcode, const struct fields *f) {
    return (uint32_t)opcode << 24 | f->imm12 << 12 | f->vc << 8 | f->vd << 4 | f->mod;
}

static inline void lane_put(struct lane *l, unsigned vd, uint32_t value) {
    if (vd < 8 || vd == 16)
        l->r[vd] = value;
}

/* The order of numbers as sign and magnitude. */
static inline int64_t lane_order(uint32_t x) {
    return x >> 31 ? -1 - (int64_t)(x & 0x7FFFFFFF) : x;
}

/* ---- A state -------------------------------------------------------------------------------------------- */

static const uint32_t vl_edges[] = {
    0,          0x80000000, 1,          0x80000001, 0x7FFFFFFF, 0xFFFFFFFF, 0x007FFFFF, 0x807FFFFF,
    0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
    0x7F800001, 0xFF800001, 0x7FC00000, 0xFFC00000, 31,         32,         33,         0xFFFFFFE0,
};

static inline uint32_t vl_draw(uint64_t *seed) {
    uint32_t word = (uint32_t)random_next(seed);
    switch (random_below(seed, 4)) {
    case 0: return vl_edges[word % (sizeof vl_edges / sizeof vl_edges[0])];
    case 1: return word >> random_below(seed, 32);
    default: return word;
    }
}

static inline uint32_t vl_draw_lanes(uint64_t *seed) {
    static const uint32_t some[] = { 0, UINT32_MAX, UINT32_MAX };
    unsigned kind = random_below(seed, 6);
    return kind < 3 ? some[kind] : (uint32_t)random_next(seed);
}

static inline void vl_draw_registers(struct vector *v, uint64_t *seed) {
    for (unsigned n = 0; n < VECTOR_LREGS; n++) {
        if (n >= 8 && n < 11)
            continue; /* constants */
        for (unsigned i = 0; n != 15 && i < LANES; i++)
            v->lreg[n][i] = n > 0 && n < 8 && !random_below(seed, 6) ? v->lreg[n - 1][i] : vl_draw(seed);
    }
    for (unsigned i = 0; i < LANES; i++)
        v->random[i] = (uint32_t)random_next(seed);
}

static inline void vl_draw_flags(struct vector *v, uint64_t *seed) {
    v->flags = vl_draw_lanes(seed);
    v->use_flags = vl_draw_lanes(seed);
    uint32_t occupied = vl_draw_lanes(seed);
    for (unsigned i = 0; i < VECTOR_STACK; i++, occupied &= vl_draw_lanes(seed))
        v->stack[i] = (struct vector_flags){ occupied, vl_draw_lanes(seed), vl_draw_lanes(seed) };
}

/* A few of the bits that matter here, in half of the cases. */
static inline void vl_draw_configuration(struct vector *v, uint64_t *seed) {
    bool any = random_below(seed, 2);
    uint32_t common = (uint32_t)random_next(seed);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        v->lane_config[i] = any ? common & (uint32_t)random_next(seed) & 0x3FFFF : 0;
        for (unsigned k = 0; k < 4; k++) {
            v->macro[i].template[k] = (uint32_t)random_next(seed);
            v->macro[i].sequence[k] = (uint32_t)random_next(seed);
        }
        v->macro[i].misc = random_below(seed, 0x1000);
    }
}

static inline void vl_draw_state(struct vector *v, uint64_t *seed) {
    vl_draw_registers(v, seed);
    vl_draw_flags(v, seed);
    vl_draw_configuration(v, seed);
    vector_derive(v);
}

/* Likewise without ENABLE_DEST_INDEX, in whose lanes few results may go to LReg4..7. */
static inline void vl_draw_state_without_index(struct vector *v, uint64_t *seed) {
    vl_draw_state(v, seed);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->lane_config[i] &= ~(uint32_t)LANE_DEST_INDEX;
    vector_derive(v);
}

/* ---- One lane of it ------------------------------------------------------------------------------------- */

static inline struct lane vl_get(const struct vector *v, unsigned number) {
    struct lane l = { .number = number, .random = v->random[number], .config = v->lane_config[number % 8] };
    for (unsigned n = 0; n < VECTOR_LREGS; n++)
        l.r[n] = v->lreg[n][number];
    l.flag = v->flags >> number & 1;
    l.use_flag = v->use_flags >> number & 1;
    l.enabled = !(l.config >> (12 + number / 8) & 1) && (l.flag || !l.use_flag);
    while (l.depth < VECTOR_STACK && v->stack[l.depth].occupied >> number & 1) {
        l.stack_flag[l.depth] = v->stack[l.depth].flags >> number & 1;
        l.depth++;
    }
    l.macro = &v->macro[number % 8];
    return l;
}

static inline void vl_set_bit(uint32_t *word, unsigned bit, bool value) {
    *word = (*word & ~(1u << bit)) | (uint32_t)value << bit;
}

static inline void vl_put(struct vector *v, const struct lane *l) {
    for (unsigned n = 0; n < VECTOR_LREGS; n++)
        v->lreg[n][l->number] = l->r[n];
    v->random[l->number] = l->random;
    vl_set_bit(&v->flags, l->number, l->flag);
    for (unsigned i = 0; i < l->depth; i++)
        vl_set_bit(&v->stack[i].flags, l->number, l->stack_flag[i]);
}

/* Lane by lane; those in which VD asks for the backdoor keep the word as a template. */
static inline void vl_apply(struct vector *v, uint32_t word, const struct fields *f, lane_meaning *meaning) {
    for (unsigned i = 0; i < LANES; i++) {
        struct lane l = vl_get(v, i);
        if (f->vd >= 12 && f->vd < 16 && !(l.config & LANE_NO_BACKDOOR)) {
            v->macro[i % 8].template[f->vd - 12] = word;
            continue;
        }
        meaning(&l, f);
        vl_put(v, &l);
    }
}

static inline void vl_assert_same(const struct vector *v, const struct vector *want, uint32_t word) {
    for (unsigned n = 0; n < VECTOR_LREGS; n++)
        for (unsigned i = 0; i < LANES; i++)
            if (v->lreg[n][i] != want->lreg[n][i])
                fail_msg("%08x: LReg%u lane %u is %08x, not %08x", word, n, i, v->lreg[n][i], want->lreg[n][i]);
    if (v->flags != want->flags)
        fail_msg("%08x: flags are %08x, not %08x", word, v->flags, want->flags);
    assert_int_equal(v->use_flags, want->use_flags);
    assert_memory_equal(v->random, want->random, sizeof v->random);
    assert_memory_equal(v->stack, want->stack, sizeof v->stack);
    assert_memory_equal(v->lane_config, want->lane_config, sizeof v->lane_config);
    assert_memory_equal(v->macro, want->macro, sizeof v->macro);
    for (unsigned i = 0; i < LANES; i++)
        assert_int_equal(v->enabled >> i & 1, vl_get(want, i).enabled);
}

/* ---- The unit itself ------------------------------------------------------------------------------------- */

/* An instruction passes; then all results land. */
static inline void vl_execute(struct tensix_box *tb, tensix_handler *handler, uint32_t word) {
    assert_int_equal(handler(tb->x, 0, word, tb->now), TENSIX_PASSED);
    tb->now += 4;
    assert_int_equal(execute_SFPNOP(tb->x, 0, 0x8F000000, tb->now++), TENSIX_PASSED);
}

/* ---- Instructions against their meanings ------------------------------------------------------------------------ */

struct vl_op {
    unsigned opcode;
    tensix_handler *handler;
    lane_meaning *meaning;
};

static inline void vl_check(struct tensix_box *tb, const struct vl_op *op, const struct fields *f) {
    struct vector want = tb->x->vector;
    uint32_t word = vl_word(op->opcode, f);
    vl_apply(&want, word, f, op->meaning);
    vl_execute(tb, op->handler, word);
    vl_assert_same(&tb->x->vector, &want, word);
}

/* Every instruction in each of 16 modes, so many times, from states of all kinds, at every level of the host. */
static inline void vl_test_all_modes(const struct vl_op *ops, unsigned count, unsigned rounds, uint64_t seed,
                                     struct fields (*draw)(uint64_t *seed, unsigned mod)) {
    struct tensix_box *tb = tb_create();
    for (unsigned level = 0; lanes_at(level); level++) {
        tb->x->vector.lanes = lanes_at(level);
        for (unsigned n = 0; n < count * 16 * rounds; n++) {
            vl_draw_state_without_index(&tb->x->vector, &seed);
            struct fields f = draw(&seed, n / count % 16);
            vl_check(tb, &ops[n % count], &f);
        }
    }
    tb_destroy(tb);
}

#endif
