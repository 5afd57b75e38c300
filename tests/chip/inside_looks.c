/* Looking at the inside of the coprocessor changes nothing (src/tensix/peek.c). */
#include "inside.h"
#include "support/random.h"

static uint32_t any_word(uint64_t *seed) {
    uint32_t one = 1u << random_below(seed, 3), gpr = 16 + random_below(seed, 16);
    switch (random_below(seed, 22)) {
    case 0: return TT(SEMWAIT, 1u << random_below(seed, 9), one, 1 + random_below(seed, 2));
    case 1: return TT(STALLWAIT, 1u << random_below(seed, 9), 1u << random_below(seed, 13));
    case 2: return TT(SEMPOST, one);
    case 3: return TT(SEMGET, one);
    case 4: return TT(SEMINIT, 3, random_below(seed, 3), one);
    case 5: return TT(MOP_CFG, random_below(seed, 0x10000));
    case 6: return TT(MOP, random_below(seed, 2), random_below(seed, 6), random_below(seed, 8));
    case 7: return TT(REPLAY, random_below(seed, 32), 1 + random_below(seed, 12), random_below(seed, 2), 1);
    case 8:
    case 9: return TT(REPLAY, random_below(seed, 32), 1 + random_below(seed, 12), 0, 0);
    case 10: return TT(UNPACR_NOP, random_below(seed, 2), 0, 0, random_below(seed, 2), 0, 1, 0, 1, CLEAR);
    case 11: return TT(SETDVALID, random_below(seed, 4));
    case 12: return TT(SETRWC, random_below(seed, 4), 0, random_below(seed, 16), random_below(seed, 16), 3, 15);
    case 13: return TT(CLEARDVALID, random_below(seed, 4), 0);
    case 14: return TT(SETADC, 1u << random_below(seed, 3), random_below(seed, 2), random_below(seed, 4), gpr);
    case 15: return TT(MOVA2D, 0, 0, 0, 2, random_below(seed, 64) * 8);
    case 16: return TT(ATINCGET, 0, 31, 0, gpr, 9);
    case 17: return TT(SFPMAD, 1, 1, 1, 1, 0);
    case 18: return TT(RESOURCEDECL, 0, random_below(seed, 8), random_below(seed, 8));
    case 19: return TENSIX_NOP << 24;
    default: return TT(ADDDMAREG, 1, gpr, random_below(seed, 16), gpr);
    }
}

/* Words that a REPLAY or a MOP may hold. */
static uint32_t any_part(uint64_t *seed) {
    uint32_t word = any_word(seed);
    while (word >> 24 == TENSIX_MOP || word >> 24 == TENSIX_MOP_CFG)
        word = any_word(seed);
    return word;
}

/* A semaphore from its core: polls, or a post. */
static void touch_semaphore(struct code *code, uint64_t *seed) {
    emit(code, rv_lui(12, 0xFFE80000));
    emit(code, rv_lw(13, (int32_t)(0x20 + 4 * random_below(seed, 3)), 12));
    if (random_below(seed, 2))
        emit(code, rv_sw(0, (int32_t)(0x20 + 4 * random_below(seed, 3)), 12));
}

static struct code any_program(uint64_t *seed) {
    struct code code = { .count = 0 };
    for (unsigned i = 0; i < 9; i++)
        configure(&code, i, i < 2 ? random_below(seed, 9) : any_part(seed));
    while (code.count < WORDS - 8) {
        if (random_below(seed, 24) == 0)
            touch_semaphore(&code, seed);
        else
            push(&code, any_word(seed));
    }
    return code;
}

static void look_at_everything(const bh_chip *chip, struct bh_xy tile) {
    struct bh_adc adc;
    struct bh_rwc rwc;
    struct bh_src_info src;
    struct bh_mop_info mop;
    struct bh_replay_info replay;
    struct bh_wait wait;
    struct bh_thread_info info;
    uint32_t value;
    for (unsigned thread = 0; thread < BH_THREADS; thread++) {
        assert_int_equal(bh_wait_get(chip, tile, thread, &wait), BH_OK);
        for (unsigned user = 0; user < BH_ADC_USERS; user++)
            assert_int_equal(bh_adc_get(chip, tile, thread, (enum bh_adc_user)user, &adc), BH_OK);
        assert_int_equal(bh_rwc_get(chip, tile, thread, &rwc), BH_OK);
        assert_int_equal(bh_mop_get(chip, tile, thread, &mop), BH_OK);
        assert_int_equal(bh_replay_get(chip, tile, thread, &replay), BH_OK);
        assert_int_equal(bh_thread_query(chip, tile, thread, &info), BH_OK);
    }
    for (unsigned file = 0; file < BH_SRC_FILES; file++) {
        assert_int_equal(bh_src_query(chip, tile, (enum bh_src_file)file, &src), BH_OK);
        assert_int_equal(bh_src_get(chip, tile, (enum bh_src_file)file, file, 5, 5, &value), BH_OK);
    }
    assert_true(bh_report(chip, NULL, 0) < 100000);
}

enum { PIECES = 5, PIECE = 100 };

struct played {
    uint64_t hash[PIECES];
};

/* Runs a scene cycle by cycle. */
static struct played play(enum bh_timing timing, uint64_t seed, bool looks) {
    struct played played;
    bh_chip *chip = make_timed(timing, 1);
    for (unsigned thread = 0; thread < BH_THREADS; thread++) {
        struct code code = any_program(&seed);
        start(chip, thread, &code);
    }
    for (unsigned i = 0; i < PIECES; i++) {
        for (unsigned cycle = 0; cycle < PIECE; cycle++) {
            run(chip, 1);
            if (looks)
                look_at_everything(chip, TILE);
        }
        played.hash[i] = bh_state_hash(chip);
    }
    bh_destroy(chip);
    return played;
}

/* Behind a word that waits stand words that expanders take in at a look. */
static void words_behind_a_wait_stay(void **state) {
    bh_chip *chip = *state;
    struct code code = { .count = 0 };
    push(&code, TT(SEMWAIT, 0x1FF, 1, 1));
    push(&code, TT(SEMPOST, 2));
    push(&code, TT(MOP_CFG, 0x1234));
    push(&code, TT(REPLAY, 0, 4, 0, 1));
    for (unsigned i = 0; i < 4; i++)
        push(&code, TT(SETDMAREG, 0, i, 0, 20));
    start(chip, 0, &code);
    run(chip, 500);
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(mop_of(chip, 0).zmask_high, 0x1234);
    assert_int_equal(replay_of(chip, 0).word[3], TT(SETDMAREG, 0, 3, 0, 20));
    look_at_everything(chip, TILE);
    assert_true(bh_state_hash(chip) == hash);
}

static void random_looks_change_nothing(void **state) {
    enum { SCENES = 80 };
    (void)state;
    for (unsigned i = 0; i < 2 * SCENES; i++) {
        enum bh_timing timing = i % 2 ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
        struct played unseen = play(timing, i / 2, false), seen = play(timing, i / 2, true);
        for (unsigned piece = 0; piece < PIECES; piece++)
            if (unseen.hash[piece] != seen.hash[piece])
                fail_msg("scene %u, %s: another state after %u cycles", i / 2, i % 2 ? "loose" : "cycles",
                         (piece + 1) * PIECE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(words_behind_a_wait_stay),
        cmocka_unit_test(random_looks_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
