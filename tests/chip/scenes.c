/* Random scenes on one tile: five cores push words, access the coprocessor, write its registers and toggle bits of
 * SOFT_RESET_0 at any time. The state afterwards does not depend on the skew, on observation or on the ends of runs,
 * and no scene ends the process. `chip_scenes FIRST COUNT` plays others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/chip.h"
#include "support/scene.h"

enum { CYCLES = 20000 };
static const struct bh_xy TILE = { 1, 2 };

/* ---- Ways to play one -------------------------------------------------------------------------------------------- */

struct way {
    const char *name;
    enum bh_timing timing;
    unsigned skew;
    unsigned watch; /* enum bh_watch */
    unsigned piece; /* cycles of a run; 0: all of them */
    bool saves;     /* after every piece another chip goes on, from a file */
    bool counts;    /* performance counters run */
    bool checks;    /* hazards are looked for */
};

static void ignore_event(void *user, const struct bh_event *event) {
    (void)user, (void)event;
}

/* A chip that goes on where this one is, which is gone. */
static bh_chip *save_and_load(bh_chip *chip, const struct bh_config *config) {
    char path[] = "/tmp/bhemu-scene-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    uint64_t hash = bh_state_hash(chip);
    assert_int_equal(bh_save(chip, path), BH_OK);
    bh_destroy(chip);
    chip = make_configured(config);
    assert_int_equal(bh_load(chip, path), BH_OK);
    assert_int_equal(bh_state_hash(chip), hash);
    (void)unlink(path);
    return chip;
}

/* The registers that start and stop performance counters: all five banks. */
static void command_counters(bh_chip *chip, uint32_t command) {
    static const uint32_t control[] = { 0xFFB12008, 0xFFB12014, 0xFFB12020, 0xFFB12038, 0xFFB120F8 };
    for (unsigned i = 0; i < sizeof control / sizeof *control; i++)
        assert_int_equal(bh_write(chip, TILE, control[i], &command, sizeof command), BH_OK);
}

/* Counts of two ways are equal, or leave no trace. */
enum { KEEP_COUNTS, DROP_COUNTS } counts_are;

static void drop_counts(bh_chip *chip) {
    static const uint32_t commands[] = { 0, 1, 2, 0 };
    for (unsigned i = 0; i < 4; i++)
        command_counters(chip, commands[i]);
}

static uint64_t play(const struct scene *s, const struct way *way) {
    struct bh_config config;
    struct bh_stop stop;
    bh_config_init(&config);
    config.threads = 1;
    config.skew = way->skew;
    config.timing = way->timing;
    bh_chip *chip = make_configured(&config);
    if (way->watch)
        assert_int_equal(bh_observe(chip, way->watch, ignore_event, NULL), BH_OK);
    if (way->checks)
        assert_int_equal(bh_check(chip, true), BH_OK);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (s->code[core].count)
            assert_int_equal(
                bh_load_raw(chip, TILE, core, core_entry[core], s->code[core].word, 4 * s->code[core].count), BH_OK);
    if (way->counts)
        command_counters(chip, 1);
    assert_int_equal(bh_release(chip, TILE, 0xF), BH_OK);
    for (unsigned done = 0; done < CYCLES;) {
        unsigned piece = way->piece && way->piece < CYCLES - done ? way->piece : CYCLES - done;
        if (bh_run(chip, piece, 0, &stop) != BH_OK)
            fail_msg("%s", bh_message(chip));
        done += piece;
        if (way->saves)
            chip = save_and_load(chip, &config);
    }
    if (counts_are == DROP_COUNTS)
        drop_counts(chip);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static uint64_t first_seed = 1, seeds = 24;

static void compare_one(uint64_t seed, const struct way *ways, unsigned count, unsigned allowed) {
    struct scene *s = malloc(sizeof *s);
    assert_non_null(s);
    make_scene(s, seed, allowed);
    uint64_t expected = play(s, &ways[0]);
    for (unsigned i = 1; i < count; i++)
        if (play(s, &ways[i]) != expected)
            fail_msg("seed %" PRIu64 ": '%s' and '%s' end in different states", seed, ways[0].name, ways[i].name);
    free(s);
}

static void compare(const struct way *ways, unsigned count, unsigned allowed) {
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        compare_one(seed, ways, count, allowed);
}

/* Every third seed: counting takes longer. */
static void compare_some(const struct way *ways, unsigned count, unsigned allowed) {
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed += 3)
        compare_one(seed, ways, count, allowed);
}

static const struct way skews[] = {
    { .name = "lockstep", .skew = 1 },
    { .name = "skew of 7", .skew = 7 },
    { .name = "default skew" },
    { .name = "skew of 128", .skew = 128 },
};
enum { SKEWS = sizeof skews / sizeof *skews, ANY_SKEW = SOFT_RESETS | LONG_WAITS | EXPANDERS };

static void skew_makes_no_difference(void **state) {
    (void)state;
    compare(skews, SKEWS, ANY_SKEW);
}

/* BRISC waits for room behind the MOP expander and tries again in cycles in which a TRISC, with a higher number, pushes
 * or looks at a status: how often it tries must not show. */
static void tries_of_brisc_make_no_difference(void **state) {
    static const uint64_t seed[] = { 283, 706, 825, 827, 891, 1040, 1090 };
    (void)state;
    for (unsigned i = 0; i < sizeof seed / sizeof *seed; i++)
        compare_one(seed[i], skews, SKEWS, ANY_SKEW);
}

static void watching_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "unwatched" },
        { .name = "checked", .checks = true },
        { .name = "statistics", .watch = BH_WATCH_STATS },
        { .name = "profile", .watch = BH_WATCH_PROFILE },
        { .name = "everything", .watch = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void watching_makes_no_difference_to_loose_timing(void **state) {
    static const struct way ways[] = {
        { .name = "unwatched", .timing = BH_TIMING_LOOSE },
        { .name = "everything",
          .timing = BH_TIMING_LOOSE,
          .watch = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void cutting_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "one run" },
        { .name = "pieces of 97 cycles", .piece = 97 },
        { .name = "pieces of 1000 cycles", .piece = 1000 },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void saving_makes_no_difference(void **state) {
    static const struct way ways[] = {
        { .name = "one run" },
        { .name = "saved every 2003 cycles", .piece = 2003, .saves = true },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

static void saving_makes_no_difference_to_loose_timing(void **state) {
    static const struct way ways[] = {
        { .name = "pieces of 2003 cycles", .timing = BH_TIMING_LOOSE, .piece = 2003 },
        { .name = "saved every 2003 cycles", .timing = BH_TIMING_LOOSE, .piece = 2003, .saves = true },
    };
    (void)state;
    compare(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
}

/* What the counters say does not depend on any of this. */
static void counts_are_always_the_same(void **state) {
    static const struct way ways[] = {
        { .name = "counting", .counts = true },
        { .name = "in lockstep", .counts = true, .skew = 1 },
        { .name = "skew of 128", .counts = true, .skew = 128 },
        { .name = "watched", .counts = true, .watch = BH_WATCH_STATS | BH_WATCH_EVENTS },
        { .name = "pieces of 97 cycles", .counts = true, .piece = 97 },
        { .name = "saved every 2003 cycles", .counts = true, .piece = 2003, .saves = true },
    };
    (void)state;
    compare_some(ways, sizeof ways / sizeof *ways, ANY_SKEW);
}

static void counting_makes_no_difference(void **state) {
    static const struct way ways[] = { { .name = "not counting" }, { .name = "counting", .counts = true } };
    (void)state;
    counts_are = DROP_COUNTS;
    compare_some(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
    counts_are = KEEP_COUNTS;
}

static void counting_makes_no_difference_to_loose_timing(void **state) {
    static const struct way ways[] = {
        { .name = "not counting", .timing = BH_TIMING_LOOSE },
        { .name = "counting", .timing = BH_TIMING_LOOSE, .counts = true },
    };
    (void)state;
    counts_are = DROP_COUNTS;
    compare_some(ways, sizeof ways / sizeof *ways, SOFT_RESETS | RACES | LONG_WAITS | EXPANDERS);
    counts_are = KEEP_COUNTS;
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_makes_no_difference),
        cmocka_unit_test(tries_of_brisc_make_no_difference),
        cmocka_unit_test(watching_makes_no_difference),
        cmocka_unit_test(watching_makes_no_difference_to_loose_timing),
        cmocka_unit_test(cutting_makes_no_difference),
        cmocka_unit_test(saving_makes_no_difference),
        cmocka_unit_test(saving_makes_no_difference_to_loose_timing),
        cmocka_unit_test(counts_are_always_the_same),
        cmocka_unit_test(counting_makes_no_difference),
        cmocka_unit_test(counting_makes_no_difference_to_loose_timing),
    };
    if (count > 2) {
        first_seed = strtoull(arguments[1], NULL, 0);
        seeds = strtoull(arguments[2], NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
