/* The unpackers in time: waits, speeds of all formats, two at once, banks, queues and resets. */
#include "support/tensix_scene.h"
#include "tensix/unpack_setup.h"

enum { BF16 = 5, B_CONFIG = 1 << 7, B_ALL = 0x1FF };
#define AFTER TT(SETC16, 3, 1)

/* ---- One instruction --------------------------------------------------------------------------------------- */

static void two_cycles_of_its_thread(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, 16);
    TB_PUSH_ALL(tb, 0, TT(NOP, 0), US_UNPACR(0), AFTER, AFTER);
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->at[0][2], tb->at[0][1] + 2);
    assert_int_equal(tb->at[0][3], tb->at[0][2] + 1);
    tb_destroy(tb);
}

/* Whatever the unpacker. */
static void two_cycles_of_every_unpacr(void **state) {
    (void)state;
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        struct tensix_box *tb = tb_create();
        us_setup(tb, 0, BF16, BF16, 16);
        us_setup(tb, 1, BF16, BF16, 16);
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            tb_push(tb, thread, US_UNPACR(unpacker && thread ? US_B : 0));
            tb_push(tb, thread, AFTER);
        }
        assert_true(tb_run(tb));
        uint64_t first = tb->at[0][0];
        assert_int_equal(tb->at[1][0] + tb->at[2][0], 2 * first + 2 + 4);
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
            assert_int_equal(tb->at[thread][1], tb->at[thread][0] + 2);
        tb_destroy(tb);
    }
}

/* The address of a compressed tile takes two cycles more: of the thread, and of every other thread's UNPACR. */
static void four_cycles_of_a_compressed_tile(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, 16);
    us_setup(tb, 1, BF16, BF16, 16);
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] &= ~UINT32_C(0x10);
    memset(tb->x->l1 + US_TILE, 0, 256); /* row starts, data and deltas */
    tb->x->l1[US_TILE + 2] = 16;
    TB_PUSH_ALL(tb, 0, TT(NOP, 0), US_UNPACR(0), AFTER);
    TB_PUSH_ALL(tb, 1, TT(NOP, 0), TT(NOP, 0), US_UNPACR(US_B), AFTER);
    assert_true(tb_run(tb));
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->at[0][2], tb->at[0][1] + 4);
    assert_int_equal(tb->at[1][2], tb->at[0][1] + 4);
    assert_int_equal(tb->at[1][3], tb->at[1][2] + 2);
    tb_destroy(tb);
}

/* Cycles of the data phase of 1024 data, at default speed and at x1 to x8. */
static const struct speed {
    unsigned in, out;
    unsigned cycles[5];
} speeds[] = {
    { 0, 4, { 32, 256, 128, 32, 32 } }, /* FP32: 4096 bytes; x4 is 128 bytes */
    { 0, 5, { 32, 256, 128, 32, 32 } }, { 0, 1, { 32, 256, 128, 32, 32 } }, { 5, 5, { 16, 128, 64, 16, 16 } },
    { 1, 1, { 16, 128, 64, 16, 16 } },  { 9, 9, { 16, 128, 64, 16, 16 } },  { 10, 10, { 8, 64, 32, 16, 8 } },
    { 14, 14, { 8, 64, 32, 16, 8 } },   { 6, 6, { 8, 64, 32, 16, 8 } },     { 2, 2, { 8, 64, 32, 16, 8 } },
    { 7, 7, { 8, 32, 16, 8, 4 } },      { 3, 3, { 8, 32, 16, 8, 4 } },      { 15, 15, { 16, 16, 16, 16, 16 } },
    { 11, 11, { 16, 16, 16, 16, 16 } },
};

static uint64_t data_cycles(unsigned unpacker, const struct speed *speed, unsigned mode, uint32_t extra) {
    struct tensix_box *tb = tb_create();
    us_setup(tb, unpacker, speed->in, speed->out, US_DATA);
    if (mode)
        us_throttle(tb, unpacker, mode - 1);
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG2_Out_data_format + 48 * unpacker] |= extra;
    tb_push(tb, 2, US_UNPACR(US_FLIP | (unpacker ? US_B : 0)));
    tb_push(tb, 2, TT(STALLWAIT, B_CONFIG, unpacker ? GATE_C_UNPACK1 : GATE_C_UNPACK0));
    tb_push(tb, 2, AFTER);
    tb_start(tb);
    uint64_t end = us_handed(tb, unpacker, 0);
    tb_step(tb, end + 20);
    assert_int_equal(tb->box->faults, 0);
    uint64_t start = tb->at[2][0] + TENSIX_OCCUPANCY_UNPACR;
    assert_int_equal(tb->at[2][2], end - 1 + (end - 1 > tb->at[2][1] + 1 ? 1 : 0));
    tb_destroy(tb);
    return end - 1 - start; /* its last cycle has been run when tb->now is one more */
}

static void speeds_of_formats(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
        for (unsigned mode = 0; mode < 5; mode++)
            for (unsigned unpacker = 0; unpacker < 2; unpacker++)
                if (data_cycles(unpacker, &speeds[i], mode, 0) != speeds[i].cycles[mode])
                    fail_msg("%u to %u, mode %u: %u cycles, not %u", speeds[i].in, speeds[i].out, mode,
                             (unsigned)data_cycles(unpacker, &speeds[i], mode, 0), speeds[i].cycles[mode]);
}

/* The format that a mode needs, whatever is configured. */
static void speeds_of_modes(void **state) {
    const struct speed bf16 = { BF16, BF16, { 0 } };
    const uint32_t tilize = 1u << CONFIG_SHIFT_THCON_SEC0_REG2_Tileize_mode | 4u << 16;
    const uint32_t skip = 1u << CONFIG_SHIFT_THCON_SEC0_REG2_Upsample_and_interleave;
    const unsigned rate = CONFIG_SHIFT_THCON_SEC0_REG2_Upsample_rate;
    (void)state;
    for (unsigned mode = 0; mode < 5; mode++) {
        assert_int_equal(data_cycles(0, &bf16, mode, tilize), 16);
        assert_int_equal(data_cycles(0, &bf16, mode, skip | 1u << rate), mode == 1 ? 128 : 64);
        assert_int_equal(data_cycles(0, &bf16, mode, skip | 2u << rate), 128);
        assert_int_equal(data_cycles(0, &bf16, mode, skip | 3u << rate), 128);
    }
}

/* BFP4 goes to Dst at x2 at most, others as fast as anywhere. */
static void speeds_to_dst(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct tensix_box *tb = tb_create();
        unsigned format = i ? BF16 : 7;
        us_setup(tb, 0, format, format, US_DATA);
        MR_SET(tb->x->config.bank[0], THCON_SEC0_REG2_Unpack_If_Sel, 1);
        MR_SET(tb->x->config.thread[0], SRCA_SET_SetOvrdWithAddr, 0);
        TB_PUSH_ALL(tb, 0, US_UNPACR(0), TT(STALLWAIT, B_CONFIG, GATE_C_UNPACK0), AFTER);
        assert_true(tb_run(tb));
        assert_int_equal(tb->at[0][2], tb->at[0][0] + 2 + 16 + 1);
        tb_destroy(tb);
    }
}

static void at_least_one_cycle(void **state) {
    (void)state;
    for (unsigned count = 0; count < 2; count++) {
        struct tensix_box *tb = tb_create();
        us_setup(tb, 0, BF16, BF16, 1);
        if (!count)
            tb->x->adc[0][0].channel[0].value[ADC_X] = 1;
        tb_push(tb, 0, US_UNPACR(US_FLIP));
        tb_start(tb);
        uint64_t end = us_handed(tb, 0, 0);
        assert_int_equal(end, tb->at[0][0] + 2 + 1 + 1);
        tb_destroy(tb);
    }
}

/* ---- The Matrix Unit ------------------------------------------------------------------------------------------ */

static void bank_is_seen_when_it_ends(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, 256);
    us_setup(tb, 1, BF16, BF16, 512);
    TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), US_UNPACR(US_FLIP | US_B));
    tb_push(tb, 1, TT(MVMUL, 0, 0, 0, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 2);
    assert_int_equal(tb->at[1][0], tb->at[0][1] + 2 + 8);
    tb_destroy(tb);
}

/* One whose bank the Matrix Unit has waits in the unpacker, and its thread goes on. */
static void waits_for_its_bank(void **state) {
    struct tensix_box *tb = tb_create();
    char text[256] = "";
    (void)state;
    us_setup(tb, 0, BF16, BF16, 256);
    TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), US_UNPACR(US_FLIP), US_UNPACR(US_FLIP), AFTER,
                TT(STALLWAIT, B_CONFIG, GATE_C_UNPACK0), AFTER);
    tb_nops(tb, BH_TRISC1, 80);
    TB_PUSH_ALL(tb, 1, TT(CLEARDVALID, 1, 0));
    tb_start(tb);
    tb_step(tb, 70);
    assert_int_equal(tb->passes[0], 5);
    assert_int_equal(tb->at[0][3], tb->at[0][2] + 2);
    tensix_explain(tb->x, 0, text, sizeof text);
    assert_string_equal(text,
                        "held by STALLWAIT: unpacker 0 is busy (C1): it waits for SrcA's bank, which the Matrix Unit "
                        "has not handed back");
    tb_step(tb, 200);
    /* It starts when the bank is back, takes four cycles, and the wait is met when they are over. */
    assert_int_equal(tb->at[0][5], tb->at[1][0] + TENSIX_PART_HAND_BACK + 4 + 1);
    assert_int_equal(tb->x->src.allowed[SRC_A][0], SRC_MATRIX);
    assert_int_equal(tb->x->src.allowed[SRC_A][1], SRC_MATRIX);
    tb_destroy(tb);
}

/* A bank is the unpacker's when the instruction that gives it back has left the Matrix Unit, not a cycle earlier. */
static void bank_given_back_meanwhile(void **state) {
    (void)state;
    for (unsigned i = 0; i < 48; i++) {
        struct tensix_box *tb = tb_create();
        unsigned giver = i % 2, taker = !giver; /* of two in one cycle the first thread comes first */
        tb->x->src.allowed[SRC_A][0] = SRC_MATRIX;
        tb_nops(tb, tb_core(giver), 12);
        tb_push(tb, giver, TT(CLEARDVALID, 1, 2));
        tb_nops(tb, tb_core(taker), i / 2);
        tb_push(tb, taker, TT(UNPACR_NOP, 0, 0, 0, 1, 0, 1, 0, 0, 1));
        tb_start(tb);
        while ((tb->x->src.unpacker_bank[SRC_A] == 0 || !tb->passes[giver]) && tb->now < 100)
            tb_step(tb, tb->now + 1);
        uint64_t given = tb->at[giver][0] + TENSIX_PART_HAND_BACK,
                 from = given > tb->at[taker][0] ? given : tb->at[taker][0];
        assert_int_equal(tb->now, from + 1 + 1);
        tb_destroy(tb);
    }
}

/* SETDVALID takes the bank away from an UNPACR that has it, and the other one is not there either. */
static void bank_taken_away(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, US_DATA);
    memset(tb->x->l1 + US_TILE, 0x3F, 2 * US_DATA);
    tb->x->src.allowed[SRC_A][1] = SRC_MATRIX;
    TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), TT(SETDVALID, 1));
    tb_nops(tb, BH_TRISC1, 60);
    TB_PUSH_ALL(tb, 1, TT(CLEARDVALID, 1, 0), TT(CLEARDVALID, 1, 0));
    tb_start(tb);
    tb_step(tb, 50);
    assert_int_equal(tb->x->unpack.unit[0].count, 1);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 0, 0) | src_get(&tb->x->src.bank[SRC_A][1], 0, 0), 0);
    tb_step(tb, 200);
    assert_int_equal(tb->x->unpack.unit[0].count, 0);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 0, 0), 0);
    assert_int_not_equal(src_get(&tb->x->src.bank[SRC_A][1], 0, 0), 0);
    tb_destroy(tb);
}

/* Four wait in an unpacker, the next ones at the gate. */
static void room_for_four(void **state) {
    struct tensix_box *tb = tb_create();
    char text[256] = "";
    (void)state;
    us_setup(tb, 1, BF16, BF16, 256);
    tb->x->src.allowed[SRC_B][0] = SRC_MATRIX;
    for (unsigned i = 0; i < 6; i++)
        tb_push(tb, 0, US_UNPACR(US_B));
    tb_push(tb, 0, AFTER);
    tb_nops(tb, BH_TRISC1, 80);
    TB_PUSH_ALL(tb, 1, TT(CLEARDVALID, 2, 2));
    tb_start(tb);
    tb_step(tb, 70);
    assert_int_equal(tb->passes[0], 4);
    assert_non_null(
        strstr(wait_text(tb->x->thread[0].waits_on), "unpacker 1, which has all the instructions that it takes"));
    tensix_explain(tb->x, 0, text, sizeof text);
    assert_string_equal(text, "unpacker 1 has all the instructions that it takes: it waits for SrcB's bank, which the "
                              "Matrix Unit has not handed back");
    tb_step(tb, 200);
    assert_int_equal(tb->passes[0], 7);
    const uint64_t back = tb->at[1][0] + TENSIX_PART_HAND_BACK;
    assert_int_equal(tb->at[0][4], back + 4); /* as the first one ends */
    assert_int_equal(tb->at[0][5], back + 8);
    assert_true(tensix_idle(tb->x, 0, back + 6 * 4));
    assert_false(tensix_idle(tb->x, 0, back + 6 * 4 - 1));
    tb_destroy(tb);
}

/* ---- Two at once ------------------------------------------------------------------------------------------------ */

/* Speeds of both, and how long 1024 bytes each take that start two cycles apart: the first one's and the second one's.
 */
static void no_interference(void **state) {
    static const struct {
        unsigned speed[2];
        unsigned first, second;
    } cases[] = {
        { { 0, 0 }, 64, 64 }, { { 0, 1 }, 64, 32 }, { { 1, 0 }, 32, 64 },
        { { 1, 1 }, 32, 32 }, { { 1, 3 }, 32, 8 },  { { 3, 3 }, 8, 8 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tensix_box *tb = tb_create();
        uint64_t end[2];
        us_setup(tb, 0, 6, 6, US_DATA); /* BFP8: a byte a datum, all speeds */
        us_setup(tb, 1, 6, 6, US_DATA);
        us_throttle(tb, 0, cases[i].speed[0]);
        us_throttle(tb, 1, cases[i].speed[1]);
        TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), US_UNPACR(US_FLIP | US_B));
        tb_start(tb);
        unsigned sooner = cases[i].first > cases[i].second + 2;
        end[sooner] = us_handed(tb, sooner, 0);
        end[!sooner] = us_handed(tb, !sooner, 0);
        assert_int_equal(tb->box->faults, 0);
        unsigned first = (unsigned)(end[0] - 1 - (tb->at[0][0] + 2)),
                 second = (unsigned)(end[1] - 1 - (tb->at[0][1] + 2));
        if (first != cases[i].first || second != cases[i].second)
            fail_msg("x%u and x%u: %u and %u cycles", 1u << cases[i].speed[0], 1u << cases[i].speed[1], first, second);
        tb_destroy(tb);
    }
}

/* ---- Order ------------------------------------------------------------------------------------------------------ */

/* UNPACR_NOP does its work in its turn, in a cycle; the other unpacker's does not wait. */
static void nop_in_its_turn(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, 512);
    TB_PUSH_ALL(tb, 0, US_UNPACR(0), TT(UNPACR_NOP, 0, 0, 0, 0, 3, 0, 0, 0, 0),
                TT(UNPACR_NOP, 1, 0, 0, 0, 3, 0, 0, 0, 0));
    tb_start(tb);
    uint64_t b = us_handed(tb, 1, 0), a = us_handed(tb, 0, 0);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 2);
    assert_int_equal(b, tb->at[0][2] + 1 + 1);
    assert_int_equal(a, tb->at[0][0] + 2 + 8 + 1 + 1);
    tb_destroy(tb);
}

/* ---- All at once, or cycle by cycle ------------------------------------------------------------------------------ */

static void everybody(struct tensix_box *tb) {
    us_setup(tb, 0, BF16, BF16, 256);
    us_setup(tb, 1, 6, 6, 256);
    for (unsigned i = 0; i < 12; i++) {
        TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), US_UNPACR(US_FLIP | US_B), TT(SETC16, 3, i));
        if (i % 4 == 3)
            TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_ALL, GATE_C_UNPACK0 | GATE_C_UNPACK1), TT(SEMPOST, 1));
        TB_PUSH_ALL(tb, 1, TT(MVMUL, 0, 0, 0, 8 * i), TT(MVMUL, 3, 0, 0, 8 * i));
    }
    tb_finish(tb, 0);
    tb_cycle(tb, BH_TRISC0, 20);
    tb_finish(tb, 1);
    tb_cycle(tb, BH_TRISC1, 20);
    TB_PUSH_ALL(tb, 2, TT(SEMWAIT, B_ALL, 1, GATE_SEM_ZERO), TT(SETC16, 4, 1));
    tb_finish(tb, 2);
    tb_cycle(tb, BH_TRISC2, 20);
}

static void scene(void **state) {
    (void)state;
    struct tensix_box *tb = scene_play(everybody);
    assert_ended(tb);
    assert_int_equal(tb->passes[0], 12 * 3 + 6);
    assert_int_equal(tb->passes[1], 24);
    tb_destroy(tb);
}

/* ---- Resets ------------------------------------------------------------------------------------------------------ */

static void aborted(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    us_setup(tb, 0, BF16, BF16, 1024);
    TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP), US_UNPACR(US_FLIP), AFTER, TT(STALLWAIT, B_CONFIG, GATE_C_UNPACK0), AFTER,
                US_UNPACR(US_FLIP));
    tb_start(tb);
    while (tb->passes[0] < 4)
        tb_step(tb, tb->now + 1);
    assert_int_equal(tb->x->unpack.unit[0].count, 2);
    tensix_soft_reset(tb->x, REG_HOLD_UNPACKERS, tb->now);
    tb_step(tb, tb->now + 30);
    assert_int_equal(tb->passes[0], 5); /* nothing is there any more, and nothing starts */
    assert_non_null(strstr(wait_text(tb->x->thread[0].waits_on), "held in soft reset"));
    assert_int_equal(tb->x->src.allowed[SRC_A][0], SRC_UNPACKERS);
    tensix_soft_reset(tb->x, 0, tb->now);
    tb_step(tb, tb->now + 30);
    assert_int_equal(tb->passes[0], 6);
    assert_int_equal(tb->x->src.allowed[SRC_A][0], SRC_MATRIX);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cycles_of_its_thread),
        cmocka_unit_test(two_cycles_of_every_unpacr),
        cmocka_unit_test(four_cycles_of_a_compressed_tile),
        cmocka_unit_test(speeds_of_formats),
        cmocka_unit_test(speeds_of_modes),
        cmocka_unit_test(speeds_to_dst),
        cmocka_unit_test(at_least_one_cycle),
        cmocka_unit_test(bank_is_seen_when_it_ends),
        cmocka_unit_test(waits_for_its_bank),
        cmocka_unit_test(bank_given_back_meanwhile),
        cmocka_unit_test(bank_taken_away),
        cmocka_unit_test(room_for_four),
        cmocka_unit_test(no_interference),
        cmocka_unit_test(nop_in_its_turn),
        cmocka_unit_test(scene),
        cmocka_unit_test(aborted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
