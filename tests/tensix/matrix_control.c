/* The Matrix Unit's arithmetic against a plain model of everything but the arithmetic itself: rows, masks, broadcasts,
 * formats, validity of rows, counters and banks, from random states. Values are those of numeric/matrix/model.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "numeric/matrix/model.h"
#include "support/random.h"
#include "support/tensix_box.h"

enum { ROUNDS = 4000 };

/* ---- The model: state as the pages have it ----------------------------------------------------------------- */

struct state {
    uint32_t src[2][2][64][16];
    bool allowed[2][2]; /* the Matrix Unit's */
    unsigned format[2][2], bank[2];
    uint16_t dst[1024][16];
    bool valid[1024];
    unsigned d, d_cr, a, a_cr, b, b_cr, fidelity;
};

struct settings {
    const uint16_t *own;
    const uint32_t *config;
    bool halves; /* DBG_FEATURE_DISABLE bit 11: Dst16b is the upper half of Dst32b */
};

static unsigned remap(const struct settings *s, unsigned r) {
    if (CONFIG_GET(s->config, DEST_ACCESS_CFG_remap_addrs))
        r = (r & 0x3C7) ^ (r & 0x30) >> 1 ^ (r & 8) << 2;
    return r;
}

static unsigned adj32(const struct settings *s, unsigned r) {
    r = remap(s, r);
    if (CONFIG_GET(s->config, DEST_ACCESS_CFG_swizzle_32b))
        r = (r & 0x3F3) ^ (r & 0x18) >> 1 ^ (r & 4) << 1;
    return (r & 0x1F8) << 1 | (r & 0x207);
}

static unsigned adj16(const struct settings *s, unsigned r) {
    return s->halves ? adj32(s, r) : remap(s, r);
}

/* Of 16 bits as of 32: in the lowest ones. */
static uint32_t get(const struct state *t, const struct settings *s, bool wide, unsigned row, unsigned column,
                    uint32_t identity) {
    unsigned at = wide ? adj32(s, row) : adj16(s, row);
    if (!t->valid[at])
        return wide ? identity : identity & 0xFFFF;
    return wide ? (uint32_t)t->dst[at][column] << 16 | t->dst[at + 8][column] : t->dst[at][column];
}

static void put(struct state *t, const struct settings *s, bool wide, unsigned row, unsigned column, uint32_t value) {
    unsigned at = wide ? adj32(s, row) : adj16(s, row);
    t->dst[at][column] = (uint16_t)(wide ? value >> 16 : value);
    if (wide)
        t->dst[at + 8][column] = (uint16_t)value;
}

static void make_valid(struct state *t, const struct settings *s, bool wide, unsigned row) {
    t->valid[wide ? adj32(s, row) : adj16(s, row)] = true;
}

static bool is_any(unsigned format, const unsigned *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (list[i] == format)
            return true;
    return false;
}

static enum matrix_style style_of(unsigned format) {
    static const unsigned bf16[] = { 0, 5, 6, 7, 15, 8, 9 }, fp16[] = { 1, 10, 2, 3, 11, 14 };
    if (is_any(format, bf16, 7))
        return MATRIX_BF16;
    return is_any(format, fp16, 6) ? MATRIX_FP16 : MATRIX_TF32;
}

static struct matrix_mode mode_of(const struct state *t, const struct settings *s) {
    struct matrix_mode mode = { .a = MATRIX_FP16, .b = MATRIX_FP16 };
    mode.phase = (t->fidelity + CONFIG_GET(s->own, FIDELITY_BASE_Phase)) & 3;
    mode.keep_b = CONFIG_GET(s->config, ALU_ACC_CTRL_Zero_Flag_disabled_src);
    if (CONFIG_GET(s->own, FP16A_FORCE_Enable))
        return mode;
    if (CONFIG_GET(s->config, ALU_ACC_CTRL_INT8_math_enabled)) {
        mode.a = mode.b = MATRIX_INT8;
        mode.wide = true;
        return mode;
    }
    unsigned a = CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG0_SrcA), b = CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG1_SrcB);
    if (CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG_SrcA_override))
        a = CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG_SrcA_val);
    if (CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG_SrcB_override))
        b = CONFIG_GET(s->config, ALU_FORMAT_SPEC_REG_SrcB_val);
    if (!CONFIG_GET(s->own, DISABLE_IMPLIED_SRCA_FMT_Base))
        a = t->format[0][t->bank[0]];
    if (!CONFIG_GET(s->own, DISABLE_IMPLIED_SRCB_FMT_Base))
        b = t->format[1][t->bank[1]];
    mode.a = mode.b = style_of(a);
    if (mode.a != MATRIX_FP16)
        mode.b = style_of(b) == MATRIX_FP16 ? mode.a : style_of(b);
    mode.wide = CONFIG_GET(s->config, ALU_ACC_CTRL_Fp32_enabled);
    return mode;
}

static void advance(unsigned *counter, unsigned *cr, bool clear, bool to_cr, bool from_cr, unsigned by, unsigned mask) {
    if (clear) {
        *counter = *cr = 0;
    } else if (to_cr) {
        *counter = (*counter + by) & mask;
        *cr = *counter;
    } else if (from_cr) {
        *cr = (*cr + by) & mask;
        *counter = *cr;
    } else {
        *counter = (*counter + by) & mask;
    }
}

static void apply_addr_mod(struct state *t, const struct settings *s, unsigned i) {
    unsigned ab = s->own[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i];
    unsigned d = s->own[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i];
    advance(&t->a, &t->a_cr, ab >> 7 & 1, false, ab >> 6 & 1, ab & 63, 63);
    advance(&t->b, &t->b_cr, ab >> 15 & 1, false, ab >> 14 & 1, ab >> 8 & 63, 63);
    advance(&t->d, &t->d_cr, d >> 11 & 1, d >> 12 & 1, d >> 10 & 1, d & 1023, 1023);
    t->fidelity = d >> 15 & 1 ? 0 : (t->fidelity + (d >> 13 & 3)) & 3;
}

static void flip(struct state *t, const struct settings *s, unsigned files) {
    if (files & 1) {
        if (!CONFIG_GET(s->own, CLR_DVALID_SrcA_Disable))
            t->allowed[0][t->bank[0]] = false;
        t->bank[0] ^= 1;
    }
    if (files & 2) {
        if (!CONFIG_GET(s->own, CLR_DVALID_SrcB_Disable))
            t->allowed[1][t->bank[1]] = false;
        t->bank[1] ^= 1;
    }
}

/* ---- The model: instructions ----------------------------------------------------------------------------------- */

static unsigned dst_row(const struct state *t, const struct settings *s, uint32_t word) {
    return (word & 0x3FF) + CONFIG_GET(s->own, DEST_TARGET_REG_CFG_MATH_Offset) + t->d +
           CONFIG_GET(s->config, DEST_REGW_BASE_Base);
}

static void do_multiply(struct state *t, const struct settings *s, uint32_t word, unsigned rows, bool one_row) {
    struct matrix_mode mode = mode_of(t, s);
    unsigned row = dst_row(t, s, word) & (0x400 - rows), a_row = t->a & 0x38, b_row = t->b & (one_row ? 0x3F : 0x38);
    for (unsigned i = 0; i < rows; i += one_row ? 2 : 1) {
        for (unsigned j = 0; j < 16; j++) {
            uint32_t column[16];
            for (unsigned k = 0; k < 16; k++)
                column[k] = t->src[0][t->bank[0]][(a_row + k) & 63][j];
            uint32_t old = get(t, s, mode.wide, row + i, j, 0);
            const uint32_t *b = t->src[1][t->bank[1]][b_row + (one_row ? 0 : i)];
            put(t, s, mode.wide, row + i, j, matrix_model_dot(&mode, column, b, old));
        }
        make_valid(t, s, mode.wide, row + i);
    }
}

enum kind { MULTIPLY, ADD, SUBTRACT };

static void do_elementwise(struct state *t, const struct settings *s, uint32_t word, enum kind kind) {
    struct matrix_mode mode = mode_of(t, s);
    bool one_row = word >> 20 & 1, one_column = word >> 19 & 1, adds = kind == MULTIPLY || (word >> 21 & 1);
    unsigned row = dst_row(t, s, word) & 0x3F8, a_row = t->a & 0x38, b_row = t->b & (one_row ? 0x3F : 0x38);
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned j = 0; j < 16; j++) {
            uint32_t a = t->src[0][t->bank[0]][a_row + i][j];
            uint32_t b = t->src[1][t->bank[1]][b_row + (one_row ? 0 : i)][one_column ? 0 : j];
            uint32_t old = adds ? get(t, s, mode.wide, row + i, j, 0) : 0;
            put(t, s, mode.wide, row + i, j,
                kind == MULTIPLY ? matrix_model_multiply(&mode, a, b, old)
                                 : matrix_model_add(&mode, a, b, kind == SUBTRACT, old));
        }
        make_valid(t, s, mode.wide, row + i);
    }
}

static void do_maximum(struct state *t, const struct settings *s, uint32_t word, bool no_a) {
    struct matrix_mode mode = mode_of(t, s);
    bool index = word >> 14 & 1;
    unsigned row = dst_row(t, s, word) & 0x3FC, a_row = t->a & 0x30, b_row = t->b & 0x38;
    for (unsigned j = 0; j < 16; j++) {
        uint32_t column[16], old = get(t, s, mode.wide, row, j, UINT32_MAX);
        for (unsigned k = 0; k < 16; k++)
            column[k] = no_a ? 0 : t->src[0][t->bank[0]][a_row + k][j];
        uint32_t new =
            matrix_model_maximum(&mode, column, t->src[1][t->bank[1]][b_row], index, mode.wide ? old : old << 16);
        put(t, s, mode.wide, row, j, mode.wide ? new : new >> 16);
        for (unsigned i = 1; i < 4; i++) {
            uint32_t other = get(t, s, mode.wide, row + i, j, UINT32_MAX);
            put(t, s, mode.wide, row + i, j, mode.wide && index ? (other + 0x100) & 0xF00 : 0);
        }
    }
    for (unsigned i = 0; i < 4; i++)
        make_valid(t, s, mode.wide, row + i);
}

static void do_nothing(struct state *t, const struct settings *s, uint32_t word, unsigned rows) {
    struct matrix_mode mode = mode_of(t, s);
    unsigned row = dst_row(t, s, word) & (0x400 - rows);
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < 16; j++)
            put(t, s, mode.wide, row + i, j, matrix_model_multiply(&mode, 0, 0, get(t, s, mode.wide, row + i, j, 0)));
        make_valid(t, s, mode.wide, row + i);
    }
}

static void execute(struct state *t, const struct settings *s, uint32_t word) {
    bool pool = false;
    switch (word >> 24) {
    case TENSIX_MVMUL: do_multiply(t, s, word, word >> 19 & 1 ? 7 : 8, word >> 19 & 1); break;
    case TENSIX_DOTPV: do_multiply(t, s, word, 8, false); break;
    case TENSIX_GAPOOL: do_multiply(t, s, word, 4, false), pool = true; break;
    case TENSIX_ELWMUL: do_elementwise(t, s, word, MULTIPLY); break;
    case TENSIX_ELWADD: do_elementwise(t, s, word, ADD); break;
    case TENSIX_ELWSUB: do_elementwise(t, s, word, SUBTRACT); break;
    case TENSIX_GMPOOL: do_maximum(t, s, word, false), pool = true; break;
    case TENSIX_MPOOL3S1:
    case TENSIX_MPOOL3S2: do_maximum(t, s, word, true), pool = true; break;
    case TENSIX_APOOL3S1:
    case TENSIX_APOOL3S2: do_nothing(t, s, word, 4), pool = true; break;
    default: do_nothing(t, s, word, 8); break;
    }
    flip(t, s, word >> 22 & 3);
    apply_addr_mod(t, s, word >> (pool ? 15 : 14) & 7);
}

/* ---- Random states -------------------------------------------------------------------------------------------- */

/* 0: all exponents, 1: small ones, 2: those around a middle, 3: those of integers. */
static uint32_t draw_datum(uint64_t *seed, unsigned kind) {
    static const unsigned first[] = { 0, 0, 120, 16 }, count[] = { 256, 32, 16, 1 };
    uint32_t exponent = first[kind] + random_below(seed, count[kind]);
    uint32_t mantissa = random_below(seed, 0x400), sign = random_below(seed, 2);
    if (!random_below(seed, 8))
        exponent = 0;
    return sign << 18 | mantissa << 8 | exponent;
}

static void draw_src(struct state *t, struct src *src, uint64_t *seed) {
    unsigned kind = random_below(seed, 4);
    for (unsigned i = 0; i < 2 * 2 * 64 * 16; i++) {
        uint32_t datum = draw_datum(seed, kind);
        unsigned file = i >> 11, bank = i >> 10 & 1, row = i >> 4 & 63, column = i & 15;
        t->src[file][bank][row][column] = datum;
        src_set(&src->bank[file][bank], row, column, datum);
    }
    for (unsigned file = 0; file < 2; file++) {
        static const unsigned formats[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15 };
        src->matrix_bank[file] = (uint8_t)(t->bank[file] = random_below(seed, 2));
        for (unsigned bank = 0; bank < 2; bank++) {
            t->allowed[file][bank] = bank == t->bank[file] || random_below(seed, 2);
            src->allowed[file][bank] = t->allowed[file][bank] ? SRC_MATRIX : SRC_UNPACKERS;
            src->format[file][bank] = (uint8_t)(t->format[file][bank] = formats[random_below(seed, 14)]);
        }
        src_changed(src, file);
    }
}

static void draw_dst(struct state *t, struct dst *dst, uint64_t *seed) {
    bool some = random_below(seed, 2);
    for (unsigned row = 0; row < 1024; row++) {
        for (unsigned column = 0; column < 16; column++)
            dst->bits[row][column] = t->dst[row][column] = (uint16_t)random_next(seed);
        t->valid[row] = !(some && random_below(seed, 3) == 0);
    }
    memset(dst->invalid, 0, sizeof dst->invalid);
    for (unsigned row = 0; row < 1024; row++)
        if (!t->valid[row])
            dst->invalid[row / 32] |= 1u << row % 32;
}

static void draw_rwc(struct state *t, struct rwc *rwc, uint64_t *seed) {
    rwc->dst = (uint16_t)(t->d = random_below(seed, 1024));
    rwc->dst_cr = (uint16_t)(t->d_cr = random_below(seed, 1024));
    rwc->src_a = (uint8_t)(t->a = random_below(seed, 64));
    rwc->src_a_cr = (uint8_t)(t->a_cr = random_below(seed, 64));
    rwc->src_b = (uint8_t)(t->b = random_below(seed, 64));
    rwc->src_b_cr = (uint8_t)(t->b_cr = random_below(seed, 64));
    rwc->fidelity = (uint8_t)(t->fidelity = random_below(seed, 4));
}

#define SET(words, name, value) \
    ((words)[CONFIG_WORD_##name] = (__typeof__(( \
         words)[0]))(((words)[CONFIG_WORD_##name] & ~(((1u << CONFIG_WIDTH_##name) - 1) << CONFIG_SHIFT_##name)) | \
                     (uint32_t)(value) << CONFIG_SHIFT_##name))

static void draw_settings(struct tensix *x, uint64_t *seed) {
    static const unsigned formats[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15 };
    uint16_t *own = x->config.thread[1];
    uint32_t *config = x->config.bank[1];
    memset(own, 0, sizeof x->config.thread[1]);
    memset(config, 0, sizeof x->config.bank[1]);
    SET(own, CFG_STATE_ID_StateID, 1);
    for (unsigned i = 0; i < 8; i++) {
        own[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] = (uint16_t)random_next(seed);
        own[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = (uint16_t)random_next(seed);
    }
    SET(own, DEST_TARGET_REG_CFG_MATH_Offset, random_below(seed, 0x1000));
    SET(own, FIDELITY_BASE_Phase, random_below(seed, 4));
    SET(own, DISABLE_IMPLIED_SRCA_FMT_Base, random_below(seed, 2));
    SET(own, DISABLE_IMPLIED_SRCB_FMT_Base, random_below(seed, 2));
    SET(own, CLR_DVALID_SrcA_Disable, random_below(seed, 2));
    SET(own, CLR_DVALID_SrcB_Disable, random_below(seed, 2));
    SET(own, FP16A_FORCE_Enable, random_below(seed, 8) == 0);
    SET(config, DEST_REGW_BASE_Base, random_below(seed, 0x10000));
    SET(config, ALU_FORMAT_SPEC_REG0_SrcA, formats[random_below(seed, 14)]);
    SET(config, ALU_FORMAT_SPEC_REG1_SrcB, formats[random_below(seed, 14)]);
    SET(config, ALU_FORMAT_SPEC_REG_SrcA_override, random_below(seed, 2));
    SET(config, ALU_FORMAT_SPEC_REG_SrcB_override, random_below(seed, 2));
    SET(config, ALU_FORMAT_SPEC_REG_SrcA_val, formats[random_below(seed, 14)]);
    SET(config, ALU_FORMAT_SPEC_REG_SrcB_val, formats[random_below(seed, 14)]);
    SET(config, ALU_ACC_CTRL_Fp32_enabled, random_below(seed, 2));
    SET(config, ALU_ACC_CTRL_INT8_math_enabled, random_below(seed, 4) == 0);
    SET(config, ALU_ACC_CTRL_Zero_Flag_disabled_src, random_below(seed, 4) == 0);
    SET(config, DEST_ACCESS_CFG_remap_addrs, random_below(seed, 2));
    SET(config, DEST_ACCESS_CFG_swizzle_32b, random_below(seed, 2));
}

/* ---- The comparison ---------------------------------------------------------------------------------------------- */

static void assert_dst(const struct dst *dst, const struct state *t, uint32_t word) {
    for (unsigned row = 0; row < 1024; row++) {
        if (memcmp(dst->bits[row], t->dst[row], sizeof t->dst[row]) != 0)
            for (unsigned i = 0; i < 16; i++)
                if (dst->bits[row][i] != t->dst[row][i])
                    fail_msg("%08x: Dst %u.%u is %04x, not %04x", word, row, i, dst->bits[row][i], t->dst[row][i]);
        if (dst_is_invalid(dst, row) == t->valid[row])
            fail_msg("%08x: row %u of Dst is %svalid", word, row, t->valid[row] ? "in" : "");
    }
}

static void assert_rest(const struct tensix *x, const struct state *t) {
    const struct rwc *rwc = &x->rwc[1];
    assert_int_equal(rwc->dst, t->d);
    assert_int_equal(rwc->dst_cr, t->d_cr);
    assert_int_equal(rwc->src_a, t->a);
    assert_int_equal(rwc->src_a_cr, t->a_cr);
    assert_int_equal(rwc->src_b, t->b);
    assert_int_equal(rwc->src_b_cr, t->b_cr);
    assert_int_equal(rwc->fidelity, t->fidelity);
    for (unsigned file = 0; file < 2; file++) {
        assert_int_equal(x->src.matrix_bank[file], t->bank[file]);
        for (unsigned bank = 0; bank < 2; bank++)
            assert_int_equal(x->src.allowed[file][bank] == SRC_MATRIX, t->allowed[file][bank]);
    }
}

struct instruction {
    tensix_handler *handler;
    uint8_t opcode;
    uint32_t fixed; /* bits that are always set */
};

static const struct instruction instructions[] = {
    { execute_MVMUL, TENSIX_MVMUL, 0 },         { execute_DOTPV, TENSIX_DOTPV, 0 },
    { execute_GAPOOL, TENSIX_GAPOOL, 0 },       { execute_ELWMUL, TENSIX_ELWMUL, 0 },
    { execute_ELWADD, TENSIX_ELWADD, 0 },       { execute_ELWSUB, TENSIX_ELWSUB, 0 },
    { execute_GMPOOL, TENSIX_GMPOOL, 1 << 19 }, { execute_MPOOL3S1, TENSIX_MPOOL3S1, 0 },
    { execute_MPOOL3S2, TENSIX_MPOOL3S2, 0 },   { execute_APOOL3S1, TENSIX_APOOL3S1, 0 },
    { execute_APOOL3S2, TENSIX_APOOL3S2, 0 },   { execute_CONV3S1, TENSIX_CONV3S1, 0 },
    { execute_CONV3S2, TENSIX_CONV3S2, 0 },     { execute_MFCONV3S1, TENSIX_MFCONV3S1, 0 },
};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

/* Three instructions from a state each, so that what is prepared for one is there for the next, and bank flips count.
 */
static void round_of(struct tensix_box *tb, struct state *t, const struct instruction *instruction, uint64_t *seed) {
    struct tensix *x = tb->x;
    struct settings settings = { x->config.thread[1], x->config.bank[1], random_below(seed, 8) == 0 };
    x->dst.halves = settings.halves;
    draw_src(t, &x->src, seed);
    draw_dst(t, &x->dst, seed);
    draw_rwc(t, &x->rwc[1], seed);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t word = (uint32_t)instruction->opcode << 24 | instruction->fixed | random_below(seed, 1 << 24);
        if (!t->allowed[0][t->bank[0]] || !t->allowed[1][t->bank[1]])
            return;
        tb->now += 8;
        draw_settings(x, seed);
        assert_int_equal(instruction->handler(x, 1, word, tb->now), TENSIX_PASSED);
        tensix_run(x, tb->now + 2);
        execute(t, &settings, word);
        assert_dst(&x->dst, t, word);
        assert_rest(x, t);
    }
}

static void random_states(void **unused) {
    struct tensix_box *tb = tb_create();
    struct state *t = calloc(1, sizeof *t);
    uint64_t seed = 1;
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(tb, t, &instructions[i % INSTRUCTIONS], &seed);
    free(t);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
