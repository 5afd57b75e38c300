/* The Matrix Unit's moves between SrcA, SrcB and Dst in every mode, format and view of Dst, datum by datum as their
 * pages have them; undefined forms; and waits for them. */
#include "support/tensix_scene.h"
#include "tensix/matrix_rows.h"

enum { ROUNDS = 3000 };

/* ---- Formats ------------------------------------------------------------------------------------------ */

static bool eight_bit_exponent(unsigned format) {
    switch (format) {
    case 0: /* FP32 */
    case MR_TF32:
    case 5:  /* BF16 */
    case 6:  /* BFP8 */
    case 7:  /* BFP4 */
    case 15: /* BFP2 */
    case 8:  /* INT32 */
    case 9: /* INT16 */ return true;
    default: return false;
    }
}

/* FP16, FP8, BFP8a, BFP4a, BFP2a, INT8. */
static bool five_bit_exponent(unsigned format) {
    return format == 1 || format == 10 || format == 2 || format == 3 || format == 11 || format == 14;
}

static bool is_format(unsigned format) {
    return eight_bit_exponent(format) || five_bit_exponent(format);
}

static unsigned configured(struct tensix_box *tb) {
    const uint32_t *config = mr_config(tb);
    return CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcA_override) ? CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcA_val)
                                                                 : CONFIG_GET(config, ALU_FORMAT_SPEC_REG0_SrcA);
}

/* Of the bank of a file, for moves: the same bit is looked at for both. */
static unsigned format_of(struct tensix_box *tb, unsigned file) {
    if (CONFIG_GET(mr_own(tb), DISABLE_IMPLIED_SRCA_FMT_Base))
        return configured(tb);
    return tb->x->src.format[file][tb->x->src.matrix_bank[file]];
}

static bool flag(struct tensix_box *tb, unsigned word, unsigned shift) {
    return mr_config(tb)[word] >> shift & 1;
}
#define FLAG(tb, name) flag(tb, CONFIG_WORD_##name, CONFIG_SHIFT_##name)

static bool blocked(struct tensix_box *tb, unsigned column) {
    return tb->x->vector.lane_config[column / 2] >> (9 + column % 2) & 1;
}

/* ---- Src to Dst --------------------------------------------------------------------------------------- */

struct shape {
    unsigned format, file, src_row, dst_row, rows;
    bool same_row, first_column;
};

static uint16_t to_16(uint32_t datum, bool eight_bits) {
    uint32_t sign = datum >> 18, mantissa = datum >> 8 & 0x3FF, exponent = datum & 0xFF;
    if (eight_bits)
        return (uint16_t)(sign << 15 | mantissa >> 3 << 8 | exponent);
    return (uint16_t)(sign << 15 | mantissa << 5 | (exponent & 0x1F));
}

static void put32(struct tensix_box *tb, struct rows *w, unsigned row, unsigned column, uint32_t value) {
    unsigned stored = mr_adj32(tb, row);
    w->dst[stored][column] = (uint16_t)(value >> 16);
    w->dst[stored + 8][column] = (uint16_t)value;
}

static bool src_to_dst(struct tensix_box *tb, struct rows *w, const struct shape *s, bool low) {
    bool forced = CONFIG_GET(mr_own(tb), FP16A_FORCE_Enable), fp32 = FLAG(tb, ALU_ACC_CTRL_Fp32_enabled);
    bool eight_bits = eight_bit_exponent(s->format) || fp32 || FLAG(tb, ALU_ACC_CTRL_INT8_math_enabled), any = false;
    bool wide = s->format == MR_TF32 || (fp32 && !low);
    if (forced)
        eight_bits = wide = false;
    else if (!is_format(s->format) || (wide && low))
        return false;
    static struct rows old;
    old = *w;
    for (unsigned column = 0; column < 16; column++)
        any |= !blocked(tb, column);
    for (unsigned i = 0; i < s->rows && any; i++) {
        unsigned row = s->dst_row + i, stored = wide || low ? mr_adj32(tb, row) : mr_row16(tb, row);
        w->valid[stored] = true;
        for (unsigned column = 0; column < 16; column++) {
            if (blocked(tb, column))
                continue;
            uint32_t datum = w->src[s->file][w->matrix_bank[s->file]][s->src_row + (s->same_row ? 0 : i)]
                                   [s->first_column ? 0 : column];
            if (!FLAG(tb, ALU_ACC_CTRL_Zero_Flag_disabled_src) && !(datum & 0xFF))
                datum = 0;
            uint16_t value = to_16(datum, eight_bits);
            if (wide)
                put32(tb, w, row, column, (uint32_t)value << 16 | (datum >> 8 & 7) << 13);
            else if (low)
                put32(tb, w, row, column, (old.valid[stored] ? (uint32_t)old.dst[stored][column] << 16 : 0) | value);
            else
                w->dst[stored][column] = value;
        }
    }
    return true;
}

static unsigned dst_row(struct tensix_box *tb, uint32_t word, unsigned rows) {
    return ((word & 0x3FF) + mr_dst_offset(tb)) % 1024 / rows * rows;
}

static bool mean_a_to_dst(struct tensix_box *tb, struct rows *w, uint32_t word, unsigned format, bool remembered) {
    struct shape s = { .format = format, .file = SRC_A, .rows = word >> 13 & 1 ? 8 : 1 };
    s.src_row = ((word >> 17) + w->rwc.src_a) % 64 / s.rows * s.rows;
    s.dst_row = dst_row(tb, word, s.rows);
    if (!src_to_dst(tb, w, &s, word >> 23 & 1))
        return false;
    if (remembered)
        w->last_a_row = s.src_row;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

static bool mean_MOVA2D(struct tensix_box *tb, struct rows *w, uint32_t word) {
    return mean_a_to_dst(tb, w, word, format_of(tb, SRC_A), true);
}

static bool mean_b_to_dst(struct tensix_box *tb, struct rows *w, uint32_t word, unsigned format) {
    struct shape s = { .format = format, .file = SRC_B, .first_column = word >> 11 & 1, .same_row = word >> 12 & 1 };
    unsigned src_rows = s.same_row ? 1 : word >> 13 & 1 ? 4 : 1;
    s.rows = s.same_row ? 8 : src_rows;
    s.src_row = ((word >> 17) + w->rwc.src_b) % 64 / src_rows * src_rows;
    s.dst_row = dst_row(tb, word, s.rows);
    if (!src_to_dst(tb, w, &s, word >> 23 & 1))
        return false;
    return true;
}

static bool mean_MOVB2D(struct tensix_box *tb, struct rows *w, uint32_t word) {
    if (!mean_b_to_dst(tb, w, word, format_of(tb, SRC_B)))
        return false;
    w->last_a_row = w->rwc.src_a;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

/* The format that a bank without an owner implies. */
static unsigned debug_format_of(struct tensix_box *tb, unsigned file) {
    bool owned = tb->x->src.allowed[file][tb->x->src.matrix_bank[file]] == SRC_MATRIX;
    if (CONFIG_GET(mr_own(tb), DISABLE_IMPLIED_SRCA_FMT_Base) || owned)
        return format_of(tb, file);
    return CONFIG_GET(mr_own(tb), SFPU_DEST_FMT_Base);
}

static bool mean_MOVDBGA2D(struct tensix_box *tb, struct rows *w, uint32_t word) {
    return mean_a_to_dst(tb, w, word, debug_format_of(tb, SRC_A), false);
}

static bool mean_MOVDBGB2D(struct tensix_box *tb, struct rows *w, uint32_t word) {
    if (!mean_b_to_dst(tb, w, word, debug_format_of(tb, SRC_B)))
        return false;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

/* ---- Dst to Src --------------------------------------------------------------------------------------- */

/* 16 bits of Dst as 19 of Src. */
static uint32_t shuffled(uint16_t x, bool eight_bits) {
    return eight_bits ? (x & 0xFF00u) << 3 | (x & 0xFF) : (x & 0xFFE0u) << 3 | (x & 0x1F);
}

static uint32_t shuffled_tf32(uint32_t x) {
    return (x & 0x7F800) | (x & 7) << 8 | (x >> 3 & 0xFF);
}

/* False: undefined. */
static bool from_dst(struct tensix_box *tb, const struct rows *w, unsigned format, bool low, unsigned row,
                     unsigned column, uint32_t *datum) {
    bool forced = CONFIG_GET(mr_own(tb), FP16A_FORCE_Enable);
    bool wide = !forced && (FLAG(tb, ALU_ACC_CTRL_Fp32_enabled) || FLAG(tb, ALU_ACC_CTRL_INT8_math_enabled));
    bool tf32 = !forced && format == MR_TF32, eight_bits = !forced && eight_bit_exponent(format);
    if (!forced && !is_format(format))
        return false;
    if (!wide && (tf32 || (low && !tb->x->dst.halves)))
        return false;
    unsigned stored = wide ? mr_adj32(tb, row) : mr_row16(tb, row);
    uint32_t high = w->valid[stored] ? w->dst[stored][column] : 0, rest = 0;
    if ((wide || tb->x->dst.halves) && w->valid[stored])
        rest = w->dst[stored + 8][column];
    if (!tf32)
        *datum = shuffled((uint16_t)(low ? rest : high), eight_bits);
    else
        *datum = low ? rest & 0x1FFF : shuffled_tf32(high << 3 | rest >> 13);
    return true;
}

static bool dst_to_src(struct tensix_box *tb, struct rows *w, uint32_t word, unsigned file, unsigned counter) {
    unsigned rows = word >> 13 & 1 ? 4 : 1, to = ((word >> 17) + counter) % 64 / rows * rows;
    for (unsigned i = 0; i < rows * 16; i++) {
        uint32_t datum;
        if (!from_dst(tb, w, format_of(tb, file), word >> 23 & 1, dst_row(tb, word, rows) + i / 16, i % 16, &datum))
            return false;
        if (!blocked(tb, i % 16))
            w->src[file][w->matrix_bank[file]][to + i / 16][i % 16] = datum;
    }
    w->last_a_row = file == SRC_A ? to : w->rwc.src_a;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

static bool mean_MOVD2A(struct tensix_box *tb, struct rows *w, uint32_t word) {
    return dst_to_src(tb, w, word, SRC_A, w->rwc.src_a);
}

static bool mean_MOVD2B(struct tensix_box *tb, struct rows *w, uint32_t word) {
    return dst_to_src(tb, w, word, SRC_B, w->rwc.src_b);
}

/* ---- SrcB to SrcA --------------------------------------------------------------------------------------- */

static bool mean_MOVB2A(struct tensix_box *tb, struct rows *w, uint32_t word) {
    unsigned rows = word >> 13 & 1 ? 4 : 1;
    unsigned to = ((word >> 17) + w->rwc.src_a) % 64 / rows * rows, from = (word + w->rwc.src_b) % 64 / rows * rows;
    for (unsigned i = 0; i < rows * 16; i++) {
        uint32_t datum = w->src[SRC_B][w->matrix_bank[SRC_B]][from + i / 16][i % 16];
        if (!FLAG(tb, ALU_ACC_CTRL_Zero_Flag_disabled_src) && !(datum & 0xFF))
            datum = 0;
        if (!blocked(tb, i % 16))
            w->src[SRC_A][w->matrix_bank[SRC_A]][to + i / 16][i % 16] = datum;
    }
    w->last_a_row = to;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

/* ---- All of them -------------------------------------------------------------------------------------------- */

struct move {
    unsigned opcode;
    tensix_handler *handler;
    rows_meaning *meaning;
    bool debug; /* without an owner in half of the cases */
};

#define MOVE(name, is_debug) \
    { TENSIX_##name, execute_##name, mean_##name, is_debug }
static const struct move moves[] = {
    MOVE(MOVA2D, false), MOVE(MOVB2D, false),   MOVE(MOVD2A, false),   MOVE(MOVD2B, false),
    MOVE(MOVB2A, false), MOVE(MOVDBGA2D, true), MOVE(MOVDBGB2D, true),
};

static void test_every_move(void **state) {
    (void)state;
    uint64_t seed = 5;
    struct tensix_box *tb = mr_create(&seed);
    for (unsigned n = 0; n < ROUNDS * 7; n++) {
        const struct move *move = &moves[n % 7];
        mr_level(tb, n / 7);
        mr_draw(tb, &seed);
        if (n % 100 == 0)
            mr_draw_data(tb->x, &seed);
        for (unsigned i = 0; move->debug && i < SRC_FILES; i++)
            if (random_below(&seed, 2))
                memset(tb->x->src.allowed[i], SRC_UNPACKERS, SRC_BANKS);
        mr_check(tb, move->handler, move->meaning, move->opcode << 24 | (uint32_t)random_next(&seed) >> 8);
    }
    tb_destroy(tb);
}

/* One configuration for many moves, between which banks change hands, counters and contents change, and SFPCONFIG
 * blocks columns: a plan is for those only for which it holds. */
static void test_plans(void **state) {
    (void)state;
    uint64_t seed = 7;
    struct tensix_box *tb = mr_create(&seed);
    struct tensix *x = tb->x;
    uint32_t words[7];
    for (unsigned n = 0; n < ROUNDS * 7; n++) {
        const struct move *move = &moves[random_below(&seed, 7)];
        if (n % 16 == 0) {
            mr_draw(tb, &seed);
            for (unsigned i = 0; i < 8; i++) /* some ADDR_MODs leave the counters as they are */
                if (random_below(&seed, 2)) {
                    mr_own(tb)[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] = 0;
                    mr_own(tb)[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i] = 0;
                }
            for (unsigned i = 0; i < 7; i++)
                words[i] = (uint32_t)random_next(&seed) >> 8;
        }
        if (random_below(&seed, 2))
            mr_draw_banks(x, &seed);
        if (random_below(&seed, 4) == 0)
            x->src.format[random_below(&seed, 2)][random_below(&seed, 2)] = (uint8_t)random_below(&seed, 16);
        if (random_below(&seed, 16) == 0) {
            uint32_t blocked = random_below(&seed, 4) << 9;
            assert_int_equal(execute_SFPCONFIG(x, MR_THREAD, TT(SFPCONFIG, blocked, 15, 1), tb->now += 8), 0);
        }
        x->rwc[MR_THREAD].src_a = (uint8_t)random_below(&seed, 64);
        mr_check(tb, move->handler, move->meaning, move->opcode << 24 | words[random_below(&seed, 7)]);
    }
    tb_destroy(tb);
}

/* Most of what is drawn at random is unusual; here nothing is but contents and rows. */
static void test_usual_moves(void **state) {
    (void)state;
    uint64_t seed = 6;
    struct tensix_box *tb = mr_create(&seed);
    static const unsigned formats[] = { 5, 1, MR_TF32 };
    for (unsigned n = 0; n < ROUNDS * 7; n++) {
        const struct move *move = &moves[n % 7];
        mr_level(tb, n / 7);
        unsigned format = formats[random_below(&seed, 3)];
        mr_draw(tb, &seed);
        memset(tb->x->vector.lane_config, 0, sizeof tb->x->vector.lane_config);
        vector_derive(&tb->x->vector);
        memset(tb->x->src.format, (int)format, sizeof tb->x->src.format);
        MR_SET(mr_own(tb), DISABLE_IMPLIED_SRCA_FMT_Base, 0);
        MR_SET(mr_own(tb), FP16A_FORCE_Enable, 0);
        MR_SET(mr_config(tb), ALU_ACC_CTRL_Fp32_enabled, format == MR_TF32);
        MR_SET(mr_config(tb), ALU_ACC_CTRL_INT8_math_enabled, 0);
        MR_SET(mr_config(tb), DEST_ACCESS_CFG_remap_addrs, 0);
        tb->x->dst.halves = false;
        config_changed(&tb->x->config);
        mr_check(tb, move->handler, move->meaning, move->opcode << 24 | ((uint32_t)random_next(&seed) >> 8 & 0x7FFFFF));
    }
    tb_destroy(tb);
}

/* ---- Bits by hand ------------------------------------------------------------------------------------------- */

static struct tensix_box *plain_box(unsigned format) {
    struct tensix_box *tb = tb_create();
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    memset(tb->x->src.format, (int)format, sizeof tb->x->src.format);
    return tb;
}

/* -1.5 times 2^3 as TF32 with a mantissa's lowest bit, to Dst and back. */
static void test_layouts(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(MR_TF32);
    MR_SET(mr_config(tb), ALU_ACC_CTRL_Fp32_enabled, 1);
    src_set(&tb->x->src.bank[SRC_A][0], 8, 3, 1u << 18 | 0x201u << 8 | 130);
    assert_int_equal(execute_MOVA2D(tb->x, MR_THREAD, TT(MOVA2D, 0, 8, 0, 2, 16), 100), TENSIX_PASSED);
    assert_int_equal(tb->x->dst.bits[32][3], 0x8000 | 0x40 << 8 | 130);
    assert_int_equal(tb->x->dst.bits[40][3], 1 << 13);
    assert_int_equal(dst_decode32(dst_get32(&tb->x->dst, 32, 3)), 0xC1402000);
    tb->x->dst.bits[40][3] |= 0x1FFF; /* what TF32 has no room for */
    assert_int_equal(execute_MOVD2B(tb->x, MR_THREAD, TT(MOVD2B, 0, 20, 0, 2, 16), 200), TENSIX_PASSED);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_B][0], 20, 3), 1u << 18 | 0x201u << 8 | 130);
    memset(tb->x->src.format, 5, sizeof tb->x->src.format);
    assert_int_equal(execute_MOVD2B(tb->x, MR_THREAD, TT(MOVD2B, 1, 20, 0, 2, 16), 300), TENSIX_PASSED);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_B][0], 20, 3), 0x3Fu << 11 | 0xFF);
    tb_destroy(tb);
}

/* Where Blackhole is not as Wormhole, nor as ttsim 1.10.0 (docs/matrix.md). */
static void test_to_dst_on_blackhole(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    struct src *src = &tb->x->src;
    uint16_t(*dst)[DST_COLUMNS] = tb->x->dst.bits;
    src_set(&src->bank[SRC_B][0], 5, 3, 1u << 18 | 0x203u << 8 | 130);
    /* BF16 with Fp32_enabled, to eight rows: as TF32, in rows of 32 bits */
    MR_SET(mr_config(tb), ALU_ACC_CTRL_Fp32_enabled, 1);
    assert_int_equal(execute_MOVB2D(tb->x, MR_THREAD, TT(MOVB2D, 0, 5, 0, 2, 16), 100), TENSIX_PASSED);
    for (unsigned row = 32; row < 40; row++) {
        assert_int_equal(dst[row][3], 0x8000 | 0x40 << 8 | 130);
        assert_int_equal(dst[row + 8][3], 3 << 13);
    }
    /* a bank of BF16 that is moved as TF32: its low bits too */
    MR_SET(mr_config(tb), ALU_ACC_CTRL_Fp32_enabled, 0);
    MR_SET(mr_config(tb), ALU_FORMAT_SPEC_REG0_SrcA, MR_TF32);
    MR_SET(mr_own(tb), DISABLE_IMPLIED_SRCA_FMT_Base, 1);
    config_changed(&tb->x->config);
    assert_int_equal(execute_MOVB2D(tb->x, MR_THREAD, TT(MOVB2D, 0, 5, 0, 0, 64), 200), TENSIX_PASSED);
    assert_int_equal(dst[128][3], 0x8000 | 0x40 << 8 | 130);
    assert_int_equal(dst[136][3], 3 << 13);
    /* FP16 with INT8_math_enabled: eight bits of exponent, seven of mantissa, in 16 bits */
    MR_SET(mr_config(tb), ALU_FORMAT_SPEC_REG0_SrcA, 1);
    MR_SET(mr_config(tb), ALU_ACC_CTRL_INT8_math_enabled, 1);
    config_changed(&tb->x->config);
    assert_int_equal(execute_MOVB2D(tb->x, MR_THREAD, TT(MOVB2D, 0, 5, 0, 0, 300), 300), TENSIX_PASSED);
    assert_int_equal(dst[300][3], 0x8000 | 0x40 << 8 | 130);
    tb_destroy(tb);
}

/* A row that ZEROACC has marked reads as zero and stays marked. */
static void test_invalid_rows(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    memset(tb->x->dst.bits, 0x55, sizeof tb->x->dst.bits);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 0, 0, 0, 0, 6), 100), TENSIX_PASSED);
    assert_int_equal(execute_MOVD2A(tb->x, MR_THREAD, TT(MOVD2A, 0, 0, 0, 2, 4), 200), TENSIX_PASSED);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 1, 9), 0x55u << 11 | 0x55);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 2, 9), 0);
    assert_true(dst_is_invalid(&tb->x->dst, 6));
    assert_int_equal(execute_MOVA2D(tb->x, MR_THREAD, TT(MOVA2D, 0, 1, 0, 0, 6), 300), TENSIX_PASSED);
    assert_false(dst_is_invalid(&tb->x->dst, 6));
    assert_int_equal(tb->x->dst.bits[6][9], 0x5555);
    tb_destroy(tb);
}

/* ---- Waits ------------------------------------------------------------------------------------------------ */

enum { NOW = 1000 };
#define TAKEN(tb, name, now, ...) mr_taken_at(tb, execute_##name, TT(name, __VA_ARGS__), now)

static void test_banks_waited_for(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    struct src *src = &tb->x->src;
    src->allowed[SRC_A][0] = SRC_UNPACKERS;
    assert_int_equal(TAKEN(tb, MOVA2D, NOW, .addr_mode = 0), TENSIX_NEVER);
    assert_int_equal(TAKEN(tb, MOVB2D, NOW, .addr_mode = 0), NOW);
    assert_int_equal(TAKEN(tb, MOVB2A, NOW + 10, .addr_mode = 0), NOW + 10);
    assert_int_equal(TAKEN(tb, MOVDBGA2D, NOW + 20, .addr_mode = 0), NOW + 20);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW + 30, .addr_mode = 0), NOW + 30);
    src->allowed[SRC_A][0] = SRC_MATRIX;
    src->allowed[SRC_B][0] = SRC_UNPACKERS;
    assert_int_equal(TAKEN(tb, MOVB2D, NOW + 40, .addr_mode = 0), TENSIX_NEVER);
    assert_int_equal(TAKEN(tb, MOVB2A, NOW + 40, .addr_mode = 0), TENSIX_NEVER);
    assert_int_equal(TAKEN(tb, MOVA2D, NOW + 40, .addr_mode = 0), NOW + 40);
    assert_int_equal(TAKEN(tb, MOVDBGB2D, NOW + 50, .addr_mode = 0), NOW + 50);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW + 60, .addr_mode = 0), NOW + 60);
    tb_destroy(tb);
}

/* Readers of Dst, wherever they read, come four cycles after a move there; others follow at once. */
static void test_after_moves_to_dst(void **state) {
    (void)state;
    static const struct {
        tensix_handler *handler;
        unsigned opcode;
    } to_dst[] = { { execute_MOVA2D, TENSIX_MOVA2D },
                   { execute_MOVB2D, TENSIX_MOVB2D },
                   { execute_MOVDBGA2D, TENSIX_MOVDBGA2D },
                   { execute_MOVDBGB2D, TENSIX_MOVDBGB2D } };
    for (unsigned i = 0; i < 4; i++) {
        struct tensix_box *tb = plain_box(5);
        tensix_handler *handler = to_dst[i].handler;
        uint32_t word = to_dst[i].opcode << 24;
        uint64_t now = NOW;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(TAKEN(tb, MOVD2A, now + 1, .dst = 768), now + 4);
        now += 20;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(TAKEN(tb, MOVD2B, now + 2, .dst = 768), now + 4);
        now += 20;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(TAKEN(tb, MVMUL, now + 1, .dst = 768), now + 4);
        now += 20;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(TAKEN(tb, MOVB2A, now, .addr_mode = 0), now + 1);
        now += 20;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(TAKEN(tb, ELWADD, now, .dst = 768), now + 1);
        now += 20;
        assert_int_equal(mr_taken_at(tb, handler, word, now), now);
        assert_int_equal(mr_taken_at(tb, handler, word, now), now + 1);
        tb_destroy(tb);
    }
}

/* Four rows wait for what is being written as one does. */
static void test_reads_what_is_written(void **state) {
    (void)state;
    for (unsigned rows = 0; rows < 2; rows++) {
        struct tensix_box *tb = plain_box(5);
        assert_int_equal(TAKEN(tb, ELWADD, NOW, .dst = 8), NOW);
        assert_int_equal(TAKEN(tb, MOVD2A, NOW + 1, .instr_mod = 2 * rows, .dst = 0), NOW + 1);
        assert_int_equal(TAKEN(tb, MOVD2A, NOW + 2, .instr_mod = 2 * rows, .dst = 12), NOW + 6);
        tb_destroy(tb);
    }
}

/* In the cycle after MOVD2A and MOVB2A only these are taken. */
static void test_after_moves_to_a(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW, .addr_mode = 0), NOW);
    assert_int_equal(TAKEN(tb, MOVB2A, NOW, .addr_mode = 0), NOW + 1);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW, .addr_mode = 0), NOW + 2);
    assert_int_equal(TAKEN(tb, SETRWC, NOW, .rwc_cr = 0), NOW + 4);
    assert_int_equal(TAKEN(tb, MOVB2A, NOW + 5, .addr_mode = 0), NOW + 5);
    assert_int_equal(TAKEN(tb, MOVA2D, NOW + 5, .addr_mode = 0), NOW + 7);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW + 20, .addr_mode = 0), NOW + 20);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW + 21, .addr_mode = 0), NOW + 22);
    tb_destroy(tb);
}

/* In the three cycles after MOVD2B only that is taken. */
static void test_after_moves_to_b(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW, .addr_mode = 0), NOW);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW, .addr_mode = 0), NOW + 1);
    assert_int_equal(mr_taken_at(tb, execute_TRNSPSRCB, MR_TRNSPSRCB, NOW + 2), NOW + 5);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW + 6, .addr_mode = 0), NOW + 6);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW + 7, .addr_mode = 0), NOW + 10);
    tb_destroy(tb);
}

/* A thread's pipeline is busy until a move's latency has passed. */
static void test_latency(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    const uint64_t *busy = &tb->x->thread[MR_THREAD].busy[TENSIX_BUSY_MATRIX];
    assert_int_equal(TAKEN(tb, MOVA2D, NOW, .addr_mode = 0), NOW);
    assert_int_equal(*busy, NOW + 4);
    assert_int_equal(TAKEN(tb, MOVD2A, NOW + 100, .addr_mode = 0), NOW + 100);
    assert_int_equal(*busy, NOW + 102);
    assert_int_equal(TAKEN(tb, MOVD2B, NOW + 200, .addr_mode = 0), NOW + 200);
    assert_int_equal(*busy, NOW + 204);
    assert_int_equal(TAKEN(tb, MOVB2A, NOW + 300, .addr_mode = 0), NOW + 300);
    assert_int_equal(*busy, NOW + 304);
    assert_int_equal(TAKEN(tb, MOVB2D, NOW + 400, .addr_mode = 0), NOW + 400);
    assert_int_equal(*busy, NOW + 404);
    assert_int_equal(TAKEN(tb, MOVDBGA2D, NOW + 500, .addr_mode = 0), NOW + 500);
    assert_int_equal(*busy, NOW + 504);
    assert_int_equal(TAKEN(tb, MOVDBGB2D, NOW + 600, .addr_mode = 0), NOW + 600);
    assert_int_equal(*busy, NOW + 604);
    tb_destroy(tb);
}

/* Moves through a thread's frontend: transposing 16 rows of Dst in place, as tt-llk does. */
static void test_transpose_in_dst(void **state) {
    (void)state;
    struct tensix_box *tb = plain_box(5);
    uint16_t old[16][16];
    uint64_t seed = 7;
    for (unsigned i = 0; i < 256; i++)
        tb->x->dst.bits[i / 16][i % 16] = old[i / 16][i % 16] = (uint16_t)(random_next(&seed) | 1);
    TB_PUSH_ALL(tb, MR_THREAD, HELD(0), TT(MOVD2B, 0, 16, 0, 2, 0), TT(MOVD2B, 0, 20, 0, 2, 4),
                TT(MOVD2B, 0, 24, 0, 2, 8), TT(MOVD2B, 0, 28, 0, 2, 12), MR_TRNSPSRCB, TT(MOVB2D, 0, 16, 0, 4, 0),
                TT(MOVB2D, 0, 20, 0, 4, 4), TT(MOVB2D, 0, 24, 0, 4, 8), TT(MOVB2D, 0, 28, 0, 4, 12),
                TT(MOVD2A, 0, 0, 0, 2, 8));
    tb_post_later(tb, 0, 0, 60);
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(tb->x->dst.bits[i / 16][i % 16], old[i % 16][i / 16]);
    static const unsigned after[] = { 1, 2, 3, 7, 8, 9, 10, 11, 15 }; /* cycles after the first */
    for (unsigned i = 0; i < sizeof after / sizeof after[0]; i++)
        assert_int_equal(tb->at[MR_THREAD][i + 2] - tb->at[MR_THREAD][1], after[i]);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_move),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_usual_moves),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_to_dst_on_blackhole),
        cmocka_unit_test(test_invalid_rows),
        cmocka_unit_test(test_banks_waited_for),
        cmocka_unit_test(test_after_moves_to_dst),
        cmocka_unit_test(test_reads_what_is_written),
        cmocka_unit_test(test_after_moves_to_a),
        cmocka_unit_test(test_after_moves_to_b),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_transpose_in_dst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
