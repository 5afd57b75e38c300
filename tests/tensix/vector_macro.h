/* A Vector Unit whose macros a test sets up by hand (src/tensix/vector/macro.c). */
#ifndef TESTS_TENSIX_VECTOR_MACRO_H
#define TESTS_TENSIX_VECTOR_MACRO_H

#include "tensix/vector_drive.h"

enum { START = 100, INT32 = 4 };
enum { SIMPLE, MAD, ROUND, STORE };
enum { TO_16 = 0x40, INTO_B = 0x80, AS_TEMPLATE = 0x80 };

#define NOP_AFTER(delay)   (2u | (unsigned)(delay) << 3)
#define STORE_AFTER(delay) (3u | (unsigned)(delay) << 3)
#define AFTER(delay, k)    ((4u + (k)) | (unsigned)(delay) << 3) /* template k */
#define MACRO(k, vd, imm)  TT(SFPLOADMACRO, (k) << 2 | ((vd)&3), INT32, 0, (imm) | (vd) >> 2)
#define COUNT_ISSUES(unit) (0x100u << (unit))

#define MOV(vc, vd) TT(SFPMOV, 0, vc, vd, 0)
#define ADD_TO_C(n) TT(SFPIADD, n, 0, 0, 5)

/* Every LReg n is 0x100 * n, and what is loaded is 0x1000. */
static inline struct tensix_box *create(void) {
    struct tensix_box *tb = tb_create();
    for (unsigned i = 0; i < 8; i++)
        vd_fill(tb, i, 0x100 * i);
    vd_fill(tb, 0, 0x1000);
    VD_ALL(tb, START - 50, TT(SFPSTORE, 0, INT32, 0, 0));
    vd_fill(tb, 0, 0);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        tb->x->vector.macro[i].misc = INT32;
    return tb;
}

/* In all columns. */
static inline void set_template(struct tensix_box *tb, unsigned k, uint32_t word) {
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        tb->x->vector.macro[i].template[k] = word;
}

static inline void set_sequence(struct tensix_box *tb, unsigned macro, unsigned unit, unsigned bits) {
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        uint32_t *sequence = &tb->x->vector.macro[i].sequence[macro];
        *sequence = (*sequence & ~(0xFFu << 8 * unit)) | (uint32_t)bits << 8 * unit;
    }
}

static inline void set_misc(struct tensix_box *tb, uint32_t bits) {
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        tb->x->vector.macro[i].misc = bits;
}

/* A lane of an LReg as an instruction of that cycle reads it. */
static inline uint32_t read_at(struct tensix_box *tb, unsigned lreg, uint64_t cycle) {
    vd_until(tb, cycle);
    return vector_peek(&tb->x->vector, lreg, 9, cycle);
}

static inline uint32_t dst_at(struct tensix_box *tb, unsigned row, uint64_t cycle) {
    vd_until(tb, cycle);
    uint32_t word = dst_get32(&tb->x->dst, dst_row32(tb->x->config.bank[0], row), 2);
    return (word >> 16 & 0xFF) << 23 | (word >> 24 & 0x7F) << 16 | (word & 0xFFFF);
}

#endif
