/* SrcA, SrcB and Dst datum by datum, as the pages describe them, to compare the Matrix Unit's moves with: a state drawn
 * at random, the meaning of addresses, formats and counters, and the comparison of everything afterwards. */
#ifndef TESTS_TENSIX_MATRIX_ROWS_H
#define TESTS_TENSIX_MATRIX_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/random.h"
#include "support/tensix_box.h"

enum { MR_THREAD = 1, MR_TF32 = 4 };
#define MR_TRNSPSRCB ((uint32_t)TENSIX_TRNSPSRCB << 24)

struct rows {
    uint32_t src[SRC_FILES][SRC_BANKS][SRC_ROWS][SRC_COLUMNS]; /* 19 bits: sign, mantissa, exponent */
    uint16_t dst[DST_ROWS][DST_COLUMNS];
    bool valid[DST_ROWS];
    struct rwc rwc;
    uint8_t allowed[SRC_FILES][SRC_BANKS], matrix_bank[SRC_FILES], unpacker_bank[SRC_FILES];
    unsigned last_a_row;
};

#define MR_SET(words, name, value) \
    ((words)[CONFIG_WORD_##name] = \
         (__typeof__((words)[0]))(((words)[CONFIG_WORD_##name] & \
                                   ~(((UINT32_C(1) << CONFIG_WIDTH_##name) - 1) << CONFIG_SHIFT_##name)) | \
                                  (uint32_t)(value) << CONFIG_SHIFT_##name))

static inline uint32_t *mr_config(struct tensix_box *tb) {
    return tb->x->config.bank[0];
}

static inline uint16_t *mr_own(struct tensix_box *tb) {
    return tb->x->config.thread[MR_THREAD];
}

/* ---- Draws --------------------------------------------------------------------------------------------- */

static inline uint32_t mr_draw_datum(uint64_t *seed) {
    uint32_t datum = (uint32_t)random_next(seed) & 0x7FFFF;
    switch (random_below(seed, 6)) {
    case 0: return datum & ~0xFFu; /* denormal */
    case 1: return datum & ~0x3FF00u;
    case 2: return datum & 0x7FF1F;
    default: return datum;
    }
}

static inline void mr_draw_data(struct tensix *x, uint64_t *seed) {
    for (unsigned file = 0; file < SRC_FILES; file++)
        for (unsigned bank = 0; bank < SRC_BANKS; bank++)
            for (unsigned i = 0; i < SRC_ROWS * SRC_COLUMNS; i++)
                src_set(&x->src.bank[file][bank], i / 16, i % 16, mr_draw_datum(seed));
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++)
        x->dst.bits[i / 16][i % 16] = (uint16_t)random_next(seed);
}

static inline void mr_draw_valid(struct tensix *x, uint64_t *seed) {
    unsigned kind = random_below(seed, 3);
    for (unsigned i = 0; i < DST_ROWS / 32; i++) {
        x->dst.invalid[i] = kind == 0 ? 0 : (uint32_t)random_next(seed);
        x->dst.invalid[i] &= kind == 0 ? 0 : (uint32_t)random_next(seed);
    }
}

static inline void mr_draw_counters(struct tensix_box *tb, uint64_t *seed) {
    struct rwc *rwc = &tb->x->rwc[MR_THREAD];
    uint16_t *own = mr_own(tb);
    *rwc = (struct rwc){
        .dst = (uint16_t)random_below(seed, 1024),
        .dst_cr = (uint16_t)random_below(seed, 1024),
        .src_a = (uint8_t)random_below(seed, 64),
        .src_a_cr = (uint8_t)random_below(seed, 64),
        .src_b = (uint8_t)random_below(seed, 64),
        .src_b_cr = (uint8_t)random_below(seed, 64),
        .fidelity = (uint8_t)random_below(seed, 4),
    };
    for (unsigned i = 0; i < 8; i++) {
        own[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] = (uint16_t)random_next(seed);
        own[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = (uint16_t)random_next(seed);
    }
    MR_SET(own, DEST_TARGET_REG_CFG_MATH_Offset, random_below(seed, 1024));
    MR_SET(mr_config(tb), DEST_REGW_BASE_Base, random_below(seed, 3) ? 0 : random_below(seed, 1024));
}

static inline void mr_draw_formats(struct tensix_box *tb, uint64_t *seed) {
    uint32_t *config = mr_config(tb);
    uint16_t *own = mr_own(tb);
    MR_SET(config, ALU_FORMAT_SPEC_REG_SrcA_override, random_below(seed, 2));
    MR_SET(config, ALU_FORMAT_SPEC_REG_SrcA_val, random_below(seed, 16));
    MR_SET(config, ALU_FORMAT_SPEC_REG0_SrcA, random_below(seed, 16));
    MR_SET(config, ALU_FORMAT_SPEC_REG1_SrcB, random_below(seed, 16));
    MR_SET(config, ALU_ACC_CTRL_Fp32_enabled, random_below(seed, 3) == 0);
    MR_SET(config, ALU_ACC_CTRL_INT8_math_enabled, random_below(seed, 4) == 0);
    MR_SET(config, ALU_ACC_CTRL_Zero_Flag_disabled_src, random_below(seed, 2));
    MR_SET(own, DISABLE_IMPLIED_SRCA_FMT_Base, random_below(seed, 2));
    MR_SET(own, DISABLE_IMPLIED_SRCB_FMT_Base, random_below(seed, 2));
    MR_SET(own, SFPU_DEST_FMT_Base, random_below(seed, 16));
    MR_SET(own, FP16A_FORCE_Enable, random_below(seed, 8) == 0);
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS; i++)
        tb->x->src.format[i / 2][i % 2] = (uint8_t)random_below(seed, 16);
}

static inline void mr_draw_banks(struct tensix *x, uint64_t *seed) {
    for (unsigned file = 0; file < SRC_FILES; file++) {
        x->src.matrix_bank[file] = (uint8_t)random_below(seed, 2);
        x->src.unpacker_bank[file] = (uint8_t)random_below(seed, 2);
        memset(x->src.allowed[file], SRC_MATRIX, SRC_BANKS);
    }
}

static inline void mr_draw(struct tensix_box *tb, uint64_t *seed) {
    struct tensix *x = tb->x;
    mr_draw_valid(x, seed);
    mr_draw_counters(tb, seed);
    mr_draw_formats(tb, seed);
    mr_draw_banks(x, seed);
    MR_SET(mr_config(tb), DEST_ACCESS_CFG_remap_addrs, random_below(seed, 2));
    MR_SET(mr_config(tb), DEST_ACCESS_CFG_swizzle_32b, random_below(seed, 2));
    x->dst.halves = random_below(seed, 4) == 0;
    for (unsigned i = 0, any = random_below(seed, 3) == 0; i < VECTOR_COLUMNS; i++)
        x->vector.lane_config[i] = any ? random_below(seed, 4) << 9 : 0;
    if (random_below(seed, 32) == 0)
        for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
            x->vector.lane_config[i] = 3 << 9;
    vector_derive(&x->vector);
    config_changed(&x->config);
}

/* ---- The plain state -------------------------------------------------------------------------------------- */

static inline void mr_get(struct rows *r, const struct tensix *x) {
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; i++) {
        unsigned file = i >> 11, bank = i >> 10 & 1, row = i >> 4 & 63, column = i & 15;
        r->src[file][bank][row][column] = src_get(&x->src.bank[file][bank], row, column);
    }
    memcpy(r->dst, x->dst.bits, sizeof r->dst);
    for (unsigned i = 0; i < DST_ROWS; i++)
        r->valid[i] = !(x->dst.invalid[i / 32] >> i % 32 & 1);
    r->rwc = x->rwc[MR_THREAD];
    memcpy(r->allowed, x->src.allowed, sizeof r->allowed);
    memcpy(r->matrix_bank, x->src.matrix_bank, sizeof r->matrix_bank);
    memcpy(r->unpacker_bank, x->src.unpacker_bank, sizeof r->unpacker_bank);
    r->last_a_row = x->matrix.last_a_row;
}

static inline void mr_assert_same(const struct rows *got, const struct rows *want, uint32_t word) {
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; i++)
        if ((&got->src[0][0][0][0])[i] != (&want->src[0][0][0][0])[i])
            fail_msg("%08x: Src%c bank %u row %u column %u is %05x, not %05x", word, "AB"[i >> 11], i >> 10 & 1,
                     i >> 4 & 63, i & 15, (&got->src[0][0][0][0])[i], (&want->src[0][0][0][0])[i]);
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++)
        if (got->dst[i / 16][i % 16] != want->dst[i / 16][i % 16])
            fail_msg("%08x: Dst row %u column %u is %04x, not %04x", word, i / 16, i % 16, got->dst[i / 16][i % 16],
                     want->dst[i / 16][i % 16]);
    for (unsigned i = 0; i < DST_ROWS; i++)
        if (got->valid[i] != want->valid[i])
            fail_msg("%08x: row %u of Dst is %svalid", word, i, got->valid[i] ? "" : "in");
    assert_memory_equal(&got->rwc, &want->rwc, sizeof got->rwc);
    assert_memory_equal(got->allowed, want->allowed, sizeof got->allowed);
    assert_memory_equal(got->matrix_bank, want->matrix_bank, sizeof got->matrix_bank);
    assert_memory_equal(got->unpacker_bank, want->unpacker_bank, sizeof got->unpacker_bank);
    assert_int_equal(got->last_a_row, want->last_a_row);
}

/* ---- Addresses and counters --------------------------------------------------------------------------------- */

static inline unsigned mr_adj16(struct tensix_box *tb, unsigned r) {
    if (CONFIG_GET(mr_config(tb), DEST_ACCESS_CFG_remap_addrs))
        r = (r & 0x3C7) ^ (r & 0x30) >> 1 ^ (r & 8) << 2;
    return r;
}

static inline unsigned mr_adj32(struct tensix_box *tb, unsigned r) {
    r = mr_adj16(tb, r);
    if (CONFIG_GET(mr_config(tb), DEST_ACCESS_CFG_swizzle_32b))
        r = (r & 0x3F3) ^ (r & 0x18) >> 1 ^ (r & 4) << 1;
    return (r & 0x1F8) << 1 | (r & 0x207);
}

/* Where a row of the 16-bit view is stored. */
static inline unsigned mr_row16(struct tensix_box *tb, unsigned row) {
    return tb->x->dst.halves ? mr_adj32(tb, row) : mr_adj16(tb, row);
}

static inline unsigned mr_dst_offset(struct tensix_box *tb) {
    return CONFIG_GET(mr_own(tb), DEST_TARGET_REG_CFG_MATH_Offset) + tb->x->rwc[MR_THREAD].dst +
           CONFIG_GET(mr_config(tb), DEST_REGW_BASE_Base);
}

static inline void mr_advance_src(uint8_t *counter, uint8_t *cr, unsigned mode) {
    if (mode >> 7 & 1) {
        *counter = *cr = 0;
    } else if (mode >> 6 & 1) {
        *cr = (uint8_t)((*cr + (mode & 63)) % 64);
        *counter = *cr;
    } else {
        *counter = (uint8_t)((*counter + (mode & 63)) % 64);
    }
}

static inline void mr_advance(struct rows *r, struct tensix_box *tb, unsigned i) {
    unsigned ab = mr_own(tb)[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i];
    unsigned dst = mr_own(tb)[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i], increment = dst & 1023;
    mr_advance_src(&r->rwc.src_a, &r->rwc.src_a_cr, ab & 255);
    mr_advance_src(&r->rwc.src_b, &r->rwc.src_b_cr, ab >> 8);
    if (dst >> 11 & 1)
        r->rwc.dst = r->rwc.dst_cr = 0;
    else if (dst >> 12 & 1)
        r->rwc.dst_cr = r->rwc.dst = (r->rwc.dst + increment) % 1024;
    else if (dst >> 10 & 1)
        r->rwc.dst = r->rwc.dst_cr = (r->rwc.dst_cr + increment) % 1024;
    else
        r->rwc.dst = (r->rwc.dst + increment) % 1024;
    r->rwc.fidelity = dst >> 15 ? 0 : (uint8_t)((r->rwc.fidelity + (dst >> 13 & 3)) % 4);
}

/* ---- The unit itself ----------------------------------------------------------------------------------------- */

/* The instruction does to `want` what it should, or returns false: it should fault as undefined. */
typedef bool rows_meaning(struct tensix_box *tb, struct rows *want, uint32_t word);

/* Rows that have changed are known to have been written. */
static inline void mr_assert_touched(const struct rows *before, const struct tensix *x) {
    for (unsigned i = 0; i < DST_ROWS; i++)
        if (memcmp(before->dst[i], x->dst.bits[i], sizeof before->dst[i]))
            assert_true(x->dst.touched >> i / 32 & 1);
}

static inline void mr_check(struct tensix_box *tb, tensix_handler *handler, rows_meaning *meaning, uint32_t word) {
    static struct rows before, want, got;
    struct tensix_thread *t = &tb->x->thread[MR_THREAD];
    tb->now += 8; /* past all windows */
    mr_get(&before, tb->x);
    want = before;
    tb->x->dst.touched = 0;
    unsigned faults = tb->box->faults;
    bool defined = meaning(tb, &want, word);
    assert_int_equal(handler(tb->x, MR_THREAD, word, tb->now), defined ? TENSIX_PASSED : TENSIX_NEVER);
    if (t->faulted == defined)
        fail_msg("%08x: %s", word, defined ? tb->box->fault.text : "should fault");
    assert_int_equal(tb->box->faults - faults, !defined);
    if (!defined)
        assert_int_equal(t->fault.kind, BH_FAULT_UNDEFINED);
    t->faulted = false;
    tensix_run(tb->x, tb->now + 2); /* banks change hands */
    mr_get(&got, tb->x);
    mr_assert_same(&got, &want, word);
    mr_assert_touched(&before, tb->x);
}

/* Each level of the host's instructions in turn. */
static inline void mr_level(struct tensix_box *tb, unsigned n) {
    unsigned levels = 1;
    while (lanes_at(levels))
        levels++;
    tb->x->vector.lanes = lanes_at(n % levels);
    config_changed(&tb->x->config);
}

static inline struct tensix_box *mr_create(uint64_t *seed) {
    struct tensix_box *tb = tb_create();
    mr_draw_data(tb->x, seed);
    return tb;
}

/* ---- Time ----------------------------------------------------------------------------------------------------- */

/* The first cycle from `now` on in which the instruction is taken: never before one that has been promised. */
static inline uint64_t mr_taken_at(struct tensix_box *tb, tensix_handler *handler, uint32_t word, uint64_t now) {
    uint64_t promised = now;
    for (;; now++) {
        uint64_t again = handler(tb->x, MR_THREAD, word, now);
        if (again == TENSIX_NEVER)
            return TENSIX_NEVER;
        if (again == TENSIX_PASSED)
            break;
        assert_true(again > now && again < now + 10);
        if (again > promised)
            promised = again;
    }
    assert_true(now >= promised);
    return now;
}

#endif
