/* ZEROACC in every mode and ZEROSRC with every mask, as their pages have them. */
#include "tensix/matrix_rows.h"

enum { ROUNDS = 4000 };

/* ---- ZEROACC ------------------------------------------------------------------------------------------ */

static bool absolute(struct tensix_box *tb) {
    return CONFIG_GET(mr_config(tb), DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
}

static void mark_16(struct tensix_box *tb, struct rows *w, unsigned number, bool wide, bool valid) {
    unsigned in_upper = mr_dst_offset(tb) & (wide ? 768 : 512);
    if (in_upper && !absolute(tb))
        number += wide ? 16 : 32;
    if (number >= (wide ? 32 : 64))
        return;
    for (unsigned i = 0; i < 16; i++)
        w->valid[wide ? number * 32 + (i & 8) * 2 + (i & 7) : number * 16 + i] = valid;
}

static void hand_back(struct tensix_box *tb, struct rows *w, uint32_t word) {
    for (unsigned file = 0; file < SRC_FILES; file++) {
        if (!(word >> (22 + file) & 1))
            continue;
        if (!(mr_own(tb)[CONFIG_WORD_CLR_DVALID_SrcA_Disable] >> file & 1))
            w->allowed[file][w->matrix_bank[file]] = SRC_UNPACKERS;
        w->matrix_bank[file] ^= 1;
    }
}

static bool mean_ZEROACC(struct tensix_box *tb, struct rows *w, uint32_t word) {
    unsigned mode = word >> 19 & 3, row = ((word & 0x3FF) + mr_dst_offset(tb)) % 1024;
    bool valid = word >> 17 & 1;
    bool wide = CONFIG_GET(mr_config(tb), ALU_ACC_CTRL_Fp32_enabled) ||
                CONFIG_GET(mr_config(tb), ALU_ACC_CTRL_INT8_math_enabled);
    if (mode == 0)
        w->valid[wide ? mr_adj32(tb, row) : mr_row16(tb, row)] = valid;
    else if (mode == 1)
        mark_16(tb, w, word & 0xFF, word >> 18 & 1, valid);
    else
        for (unsigned i = 0; i < DST_ROWS; i++)
            if (mode == 3 || i / 512 == (word & 1))
                w->valid[i] = valid;
    if (mode < 2)
        mr_advance(w, tb, word >> 14 & 7);
    hand_back(tb, w, word);
    return true;
}

static void test_zeroacc(void **state) {
    (void)state;
    uint64_t seed = 8;
    struct tensix_box *tb = mr_create(&seed);
    for (unsigned n = 0; n < ROUNDS * 4; n++) {
        mr_draw(tb, &seed);
        MR_SET(mr_config(tb), DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, random_below(&seed, 2));
        mr_own(tb)[CONFIG_WORD_CLR_DVALID_SrcA_Disable] = (uint16_t)random_below(&seed, 4);
        uint32_t word = (uint32_t)random_next(&seed) & (random_below(&seed, 2) ? 0xFFFF3F : 0xFFFFFF);
        mr_check(tb, execute_ZEROACC, mean_ZEROACC, (uint32_t)TENSIX_ZEROACC << 24 | word);
    }
    tb_destroy(tb);
}

/* Several under one configuration, of two kinds that differ in one bit: most run by the plan of one before, with other
 * counters. */
static void test_zeroacc_by_plan(void **state) {
    (void)state;
    uint64_t seed = 9;
    struct tensix_box *tb = mr_create(&seed);
    for (unsigned n = 0; n < ROUNDS / 8; n++) {
        mr_draw(tb, &seed);
        MR_SET(mr_config(tb), DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, random_below(&seed, 4) == 0);
        uint32_t kind = 1 << 19 | random_below(&seed, 16) << 14, other = kind ^ 1u << (14 + random_below(&seed, 10));
        mr_own(tb)[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + (kind >> 14 & 7)] = 0; /* counters stay */
        mr_own(tb)[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + (kind >> 14 & 7)] = 0;
        for (unsigned i = 0; i < 8; i++) {
            uint32_t word = (random_below(&seed, 4) ? kind : other) | random_below(&seed, 80);
            mr_check(tb, execute_ZEROACC, mean_ZEROACC, (uint32_t)TENSIX_ZEROACC << 24 | word);
            tb->x->rwc[MR_THREAD].dst = (uint16_t)random_below(&seed, 1024);
        }
    }
    tb_destroy(tb);
}

/* In the lower half of Dst numbers are absolute anyway; 255 does nothing but advance the counters. */
static void test_zeroacc_by_hand(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    struct dst *dst = &tb->x->dst;
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 0, 0, 0, 3), 100), TENSIX_PASSED);
    assert_int_equal(dst->invalid[1], 0xFFFF0000);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 1, 0, 0, 3), 101), TENSIX_PASSED);
    assert_int_equal(dst->invalid[3], 0x00FF00FF);
    MR_SET(mr_own(tb), DEST_TARGET_REG_CFG_MATH_Offset, 512);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 0, 0, 0, 4), 102), TENSIX_PASSED);
    assert_int_equal(dst->invalid[18], 0x0000FFFF);
    MR_SET(mr_own(tb), DEST_TARGET_REG_CFG_MATH_Offset, 256);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 1, 0, 0, 4), 103), TENSIX_PASSED);
    assert_int_equal(dst->invalid[20], 0x00FF00FF);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 1, 1, 0, 4), 104), TENSIX_PASSED);
    assert_int_equal(dst->invalid[20], 0);
    mr_own(tb)[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + 5] = 12;
    uint32_t before[DST_ROWS / 32];
    memcpy(before, dst->invalid, sizeof before);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 0, 0, 5, 255), 105), TENSIX_PASSED);
    assert_memory_equal(before, dst->invalid, sizeof before);
    assert_int_equal(tb->x->rwc[MR_THREAD].dst, 12);
    tb_destroy(tb);
}

/* Bit 17 of SOFT_RESET_0 discards every form, with its step of the counters. */
static void test_zeroacc_in_reset(void **state) {
    static const uint32_t zero[DST_ROWS / 32];
    (void)state;
    struct tensix_box *tb = tb_create();
    mr_own(tb)[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + 5] = 12;
    tensix_soft_reset(tb->x, 0x47800 | 1 << 17, 50);
    for (unsigned mode = 0; mode < 4; mode++)
        assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, mode, 0, 0, 5, 3), 100 + mode), TENSIX_PASSED);
    assert_memory_equal(tb->x->dst.invalid, zero, sizeof zero);
    assert_int_equal(tb->x->rwc[MR_THREAD].dst, 0);
    tensix_soft_reset(tb->x, 0x47800, 150);
    assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, TT(ZEROACC, 1, 0, 0, 5, 3), 200), TENSIX_PASSED);
    assert_int_equal(tb->x->dst.invalid[1], 0xFFFF0000);
    tb_destroy(tb);
}

/* Dst has 64 faces of 16 rows, or 32 of 32 bits: the first number behind them does nothing. */
static void test_zeroacc_behind_dst(void **state) {
    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        struct tensix_box *tb = tb_create();
        struct dst before = tb->x->dst;
        uint32_t word = TT(ZEROACC, 1, wide, 0, 0, wide ? 32 : 64);
        assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, word, 100), TENSIX_PASSED);
        assert_memory_equal(&before, &tb->x->dst, sizeof before);
        assert_int_equal(execute_ZEROACC(tb->x, MR_THREAD, word - 1, 101), TENSIX_PASSED);
        assert_int_equal(tb->x->dst.invalid[31], wide ? 0x00FF00FF : 0xFFFF0000);
        tb_destroy(tb);
    }
}

/* ---- ZEROSRC ------------------------------------------------------------------------------------------- */

static bool mean_ZEROSRC(struct tensix_box *tb, struct rows *w, uint32_t word) {
    (void)tb;
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; i++) {
        unsigned file = i >> 11, bank = i >> 10 & 1;
        unsigned one = word >> 3 & 1 ? w->matrix_bank[file] : w->unpacker_bank[file];
        if ((word >> file & 1) && ((word >> 2 & 1) || bank == one))
            w->src[file][bank][i >> 4 & 63][i & 15] = file == SRC_A && (word >> 4 & 1) ? 0x7FFFF : 0;
    }
    return true;
}

static void test_zerosrc(void **state) {
    (void)state;
    uint64_t seed = 9;
    struct tensix_box *tb = mr_create(&seed);
    for (unsigned n = 0; n < 32 * 16; n++) {
        mr_draw(tb, &seed);
        mr_draw_data(tb->x, &seed);
        if (n % 2)
            memset(tb->x->src.allowed, SRC_UNPACKERS, sizeof tb->x->src.allowed); /* it does not wait */
        mr_check(tb, execute_ZEROSRC, mean_ZEROSRC, (uint32_t)TENSIX_ZEROSRC << 24 | n % 32);
    }
    tb_destroy(tb);
}

/* One a cycle, without waits. */
static void test_time(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    assert_int_equal(mr_taken_at(tb, execute_ZEROACC, TT(ZEROACC, .clear_mode = 3), 100), 100);
    assert_int_equal(mr_taken_at(tb, execute_ZEROACC, TT(ZEROACC, .clear_mode = 3), 100), 101);
    assert_int_equal(mr_taken_at(tb, execute_ZEROSRC, TT(ZEROSRC, 0, 0, 1, 3), 100), 102);
    assert_int_equal(mr_taken_at(tb, execute_MOVD2A, TT(MOVD2A, .dst = 0), 103), 103);
    assert_int_equal(mr_taken_at(tb, execute_ZEROACC, TT(ZEROACC, .clear_mode = 0), 104), 105);
    assert_int_equal(tb->x->thread[MR_THREAD].busy[TENSIX_BUSY_MATRIX], 105);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroacc),
        cmocka_unit_test(test_zeroacc_by_plan),
        cmocka_unit_test(test_zeroacc_by_hand),
        cmocka_unit_test(test_zeroacc_in_reset),
        cmocka_unit_test(test_zeroacc_behind_dst),
        cmocka_unit_test(test_zerosrc),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
