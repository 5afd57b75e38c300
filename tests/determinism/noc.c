/* NoC traffic gives the same state, cycles and faults on any number of host threads, and in runs of any length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/noc_soak.h"
#include "support/sanitizers.h"

enum { STEPS = TSAN ? 5 : 12, STEP = 768 }; /* after five a core has been through its list once, on average */

struct heard {
    unsigned count;
    uint64_t hash; /* of all faults, in their order */
};

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    struct heard *heard = user;
    (void)chip;
    heard->count++;
    heard->hash = (heard->hash ^ fault->cycle ^ (uint64_t)fault->tile.x << 40 ^ (uint64_t)fault->tile.y << 48 ^
                   (uint64_t)fault->core << 56) *
                  UINT64_C(0x100000001B3);
    for (const char *at = fault->text; *at; at++)
        heard->hash = (heard->hash ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
}

struct setting {
    unsigned threads, skew, epoch, step;
    bool faulty;
};

struct outcome {
    uint64_t hash[STEPS];
    struct heard heard;
    uint64_t rounds;
};

/* Some cores read where there is nothing, once: how long the refusal takes depends on the traffic. */
static void spoil(bh_chip *chip, unsigned tile) {
    struct script script = { 0 };
    struct script_request request = {
        .targ_lo = 0xFFB10000, /* nothing that a NoC could see */
        .targ_hi = soak_xy((tile * 7 + 3) % SOAK_TILES),
        .ret_lo = SOAK_INTO,
        .ret_hi = soak_xy(tile),
        .ctrl = SCRIPT_READ,
        .len = 4,
    };
    for (unsigned i = 0; i < 8 + tile % 9; i++)
        script_put(&script, SCRIPT_ADD, 0x8300, 1);
    script_request(&script, 0, 0, &request);
    uint32_t wait = SOAK_LIST + 4 * (uint32_t)script.count;
    script_put(&script, SCRIPT_ADD, 0x8300, 1);
    script_put(&script, SCRIPT_JUMP, wait, 0);
    assert_int_equal(bh_write(chip, soak_tile(tile), SOAK_LIST, script.word, script.count * 4), BH_OK);
    script_free(&script);
}

static struct outcome run(struct setting setting) {
    struct outcome outcome = { .rounds = 0 };
    struct soak soak = { .random = 3, .length = 512 };
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = setting.threads;
    config.skew = setting.skew;
    config.epoch = setting.epoch;
    config.on_fault = on_fault;
    config.user = &outcome.heard;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    for (unsigned tile = 0; tile < SOAK_TILES && setting.faulty; tile += 5)
        spoil(chip, tile);
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned done = 0; done < STEP; done += setting.step)
            assert_int_equal(bh_run(chip, setting.step, 0, NULL), BH_OK);
        outcome.hash[i] = bh_state_hash(chip);
    }
    for (unsigned tile = 0; tile < SOAK_TILES; tile++)
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            outcome.rounds += soak_peek(chip, tile, SOAK_ROUNDS + 4 * core);
    bh_destroy(chip);
    return outcome;
}

static void assert_same(const struct outcome *a, const struct outcome *b) {
    for (unsigned i = 0; i < STEPS; i++)
        if (a->hash[i] != b->hash[i])
            fail_msg("the state differs after %u cycles", (i + 1) * STEP);
    assert_int_equal(a->heard.count, b->heard.count);
    assert_true(a->heard.hash == b->heard.hash);
    assert_int_equal(a->rounds, b->rounds);
}

static void compare_threads(struct setting setting) {
    setting.threads = 1;
    struct outcome alone = run(setting);
    assert_true(alone.rounds > SOAK_TILES * BH_CORE_COUNT);
    for (setting.threads = 2; setting.threads <= 4; setting.threads++) {
        struct outcome together = run(setting);
        assert_same(&alone, &together);
    }
}

static void threads_make_no_difference(void **state) {
    (void)state;
    compare_threads((struct setting){ .skew = 128, .step = STEP });
}

static void nor_do_they_exactly_in_time(void **state) {
    (void)state;
    compare_threads((struct setting){ .skew = 1, .epoch = 19, .step = STEP });
}

static void nor_do_they_to_faults(void **state) {
    (void)state;
    struct setting setting = { .threads = 1, .skew = 128, .step = STEP, .faulty = true };
    struct outcome alone = run(setting);
    assert_int_equal(alone.heard.count, SOAK_TILES / 5);
    for (setting.threads = 2; setting.threads <= 4; setting.threads++) {
        struct outcome together = run(setting);
        assert_same(&alone, &together);
    }
}

static void pieces_make_no_difference(void **state) {
    (void)state;
    struct outcome whole = run((struct setting){ .threads = 1, .skew = 128, .step = STEP });
    struct outcome pieces = run((struct setting){ .threads = 1, .skew = 128, .step = 256 });
    assert_same(&whole, &pieces);
}

/* In lockstep, where a run ends makes no difference to the order of a tile's cores. */
static void in_lockstep_no_piece_is_too_short(void **state) {
    static const unsigned steps[] = { 256, 3, 1 };
    (void)state;
    struct outcome whole = run((struct setting){ .threads = 1, .skew = 1, .step = STEP });
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct outcome pieces = run((struct setting){ .threads = 1 + i, .skew = 1, .step = steps[i] });
        assert_same(&whole, &pieces);
    }
}

/* Cycle by cycle nothing runs ahead of anything. */
static void exactly_in_time_no_piece_is_too_short(void **state) {
    (void)state;
    struct outcome whole = run((struct setting){ .threads = 1, .skew = 1, .epoch = 16, .step = STEP });
    struct outcome pieces = run((struct setting){ .threads = 1, .skew = 1, .epoch = 16, .step = 1 });
    assert_same(&whole, &pieces);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(nor_do_they_exactly_in_time),
        cmocka_unit_test(nor_do_they_to_faults),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(in_lockstep_no_piece_is_too_short),
        cmocka_unit_test(exactly_in_time_no_piece_is_too_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
