/* Blocks whose results were recorded: which operation on which operands. matrix_model.c compares. */
#ifndef TESTS_NUMERIC_MATRIX_RECORDED_H
#define TESTS_NUMERIC_MATRIX_RECORDED_H

#include "matrix_blocks.h"

enum recorded_operation { MVMUL, GAPOOL, ELWMUL, ELWADD, ELWSUB, GMPOOL };
enum { BF16 = MATRIX_BF16, TF32 = MATRIX_TF32, FP16 = MATRIX_FP16, INT8 = MATRIX_INT8, RECORDED_BLOCKS = 24 };

struct recorded_blocks {
    enum recorded_operation operation;
    unsigned a, b, wide, phase, keep_b, accumulate;
    uint64_t hash; /* of what the blocks' rows become */
};

struct recorded_element {
    enum recorded_operation operation;
    unsigned style, wide, phase, keep_b, accumulate;
    uint32_t a, b, dst, want;
};

static inline struct matrix_mode recorded_mode(const struct recorded_blocks *r) {
    return (struct matrix_mode){ .a = r->a, .b = r->b, .phase = r->phase, .wide = r->wide, .keep_b = r->keep_b };
}

static inline unsigned recorded_rows(enum recorded_operation operation) {
    return operation == GAPOOL || operation == GMPOOL ? 4 : 8;
}

/* Block i of an entry, and how SrcB is broadcast. */
static inline unsigned draw_recorded(struct block *x, const struct recorded_blocks *r, unsigned i) {
    struct matrix_mode mode = recorded_mode(r);
    uint64_t seed = i;
    seed = seed * 2 + r->wide;
    seed = (seed * 4 + r->phase) * 2 + r->keep_b;
    seed = (((seed * 2 + r->accumulate) * 4 + r->a) * 4 + r->b) * 8 + r->operation;
    draw_block(x, &mode, &seed);
    for (unsigned k = 0; k < 16 && r->operation == GMPOOL; k++) { /* scaled by 1 */
        x->b.mantissa[0][k] = 0;
        x->b.exponent[0][k] = 127;
    }
    return r->operation < ELWMUL || r->operation == GMPOOL ? 0 : random_below(&seed, 4);
}

static inline uint64_t recorded_hash(uint64_t hash, const struct block *x, const struct recorded_blocks *r) {
    struct matrix_mode mode = recorded_mode(r);
    for (unsigned row = 0; row < recorded_rows(r->operation); row++)
        for (unsigned column = 0; column < 16; column++)
            hash = (hash ^ get_dst(x, &mode, row, column)) * UINT64_C(0x100000001B3);
    return hash;
}

#endif
