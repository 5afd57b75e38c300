/* Delays follow from the seed alone: NoC traffic with delays has the same states on any number of host threads, in
 * pieces, and after a save and a load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/noc_soak.h"
#include "support/sanitizers.h"

enum { STEPS = TSAN ? 3 : 6, STEP = 768 };

struct setting {
    uint64_t seed;
    unsigned threads, skew, step;
    unsigned saved_after; /* steps; 0: never */
};

struct outcome {
    uint64_t hash[STEPS];
    uint64_t rounds;
    size_t delays;
    uint64_t hash_of_delays;
};

static bh_chip *make(const struct setting *setting) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = setting->threads;
    config.skew = setting->skew;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    assert_int_equal(bh_vary(chip, setting->seed), BH_OK);
    return chip;
}

static void add_delays(struct outcome *outcome, const bh_chip *chip) {
    struct bh_delay delay;
    for (size_t i = 0; bh_delay_at(chip, i, &delay) == BH_OK; i++) {
        char text[80];
        bh_delay_text(&delay, text, sizeof text);
        for (const char *at = text; *at; at++)
            outcome->hash_of_delays = (outcome->hash_of_delays ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
        outcome->delays++;
    }
    assert_false(bh_delays_incomplete(chip));
}

static bh_chip *save_and_load(bh_chip *chip, const struct setting *setting, struct outcome *outcome) {
    char path[] = "/tmp/bhemu-vary-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(bh_save(chip, path), BH_OK);
    add_delays(outcome, chip);
    bh_destroy(chip);
    chip = make(setting);
    assert_int_equal(bh_load(chip, path), BH_OK);
    unlink(path);
    return chip;
}

static struct outcome run(struct setting setting) {
    struct outcome outcome = { .rounds = 0 };
    struct soak soak = { .random = 3, .length = 512 };
    bh_chip *chip = make(&setting);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    for (unsigned i = 0; i < STEPS; i++) {
        for (unsigned done = 0; done < STEP; done += setting.step)
            assert_int_equal(bh_run(chip, setting.step, 0, NULL), BH_OK);
        outcome.hash[i] = bh_state_hash(chip);
        if (setting.saved_after == i + 1)
            chip = save_and_load(chip, &setting, &outcome);
    }
    add_delays(&outcome, chip);
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
    assert_int_equal(a->rounds, b->rounds);
}

static const uint64_t seeds[] = { 1, 2, 3, 77, UINT64_MAX };
enum { SEEDS = sizeof seeds / sizeof *seeds };

static void host_threads_make_no_difference(void **state) {
    (void)state;
    for (unsigned i = 0; i < some_of(SEEDS); i++) {
        struct setting setting = { .seed = seeds[i], .threads = 1, .skew = 128, .step = STEP };
        struct outcome alone = run(setting);
        assert_true(alone.delays > 0 && alone.rounds > SOAK_TILES);
        for (setting.threads = 2; setting.threads <= 4; setting.threads++) {
            struct outcome together = run(setting);
            assert_same(&alone, &together);
            assert_int_equal(alone.delays, together.delays);
            assert_true(alone.hash_of_delays == together.hash_of_delays);
        }
    }
}

static void pieces_make_no_difference(void **state) {
    (void)state;
    for (unsigned i = 0; i < some_of(SEEDS); i++) {
        struct outcome whole = run((struct setting){ .seed = seeds[i], .threads = 1, .skew = 128, .step = STEP });
        struct outcome pieces = run((struct setting){ .seed = seeds[i], .threads = 1, .skew = 128, .step = 256 });
        assert_same(&whole, &pieces);
        whole = run((struct setting){ .seed = seeds[i], .threads = 1, .skew = 1, .step = STEP });
        pieces = run((struct setting){ .seed = seeds[i], .threads = 2, .skew = 1, .step = 3 });
        assert_same(&whole, &pieces);
    }
}

static void a_saved_chip_goes_on(void **state) {
    (void)state;
    for (unsigned i = 0; i < some_of(SEEDS); i++) {
        struct setting setting = { .seed = seeds[i], .threads = 1, .skew = 32, .step = STEP };
        struct outcome whole = run(setting);
        setting.saved_after = 1 + i % (STEPS - 1);
        struct outcome saved = run(setting);
        assert_same(&whole, &saved);
    }
}

static void seeds_differ(void **state) {
    (void)state;
    struct outcome a = run((struct setting){ .seed = 0, .threads = 1, .skew = 32, .step = STEP });
    assert_int_equal(a.delays, 0);
    for (unsigned i = 0; i < some_of(SEEDS); i++) {
        struct outcome b = run((struct setting){ .seed = seeds[i], .threads = 1, .skew = 32, .step = STEP });
        assert_true(a.hash[STEPS - 1] != b.hash[STEPS - 1]);
        a = b;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_threads_make_no_difference),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(a_saved_chip_goes_on),
        cmocka_unit_test(seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
