/* What a callback of an observation may do (src/chip/observe.c). */
#include "support/chip.h"
#include "support/rv.h"

enum {
    EBREAK = 0x00100073,
    WATCH_ALL = BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS | BH_WATCH_INSTRUCTIONS,
};

static const struct bh_xy TILE = { 1, 2 };

/* BRISC counts for a while, then polls a word that nobody writes. */
static void load_scene(bh_chip *chip) {
    const uint32_t program[] = { rv_addi(5, 0, 50),  rv_addi(5, 5, -1), rv_bne(5, 0, -4),
                                 rv_lw(6, 0x100, 0), rv_b(0, 6, 0, -4), EBREAK };
    start_at(chip, TILE, BH_BRISC, 0, program, sizeof program);
}

struct nosy {
    bh_chip *chip;
    unsigned refused, asked;
};

/* Asks for statistics, which is allowed, and tries what would take away the events that are being reported. */
static void ask_and_meddle(void *user, const struct bh_event *event) {
    struct nosy *nosy = user;
    struct bh_track_stats stats;
    struct bh_event before = *event;
    for (unsigned track = 0; track < BH_TRACK_COUNT; track++)
        nosy->asked += bh_stats_get(nosy->chip, TILE, (enum bh_track)track, &stats) == BH_OK;
    assert_memory_equal(&before, event, sizeof before); /* it is valid during the call */
    bool refused = bh_observe(nosy->chip, 0, NULL, NULL) == BH_ERR_STATE &&
                   bh_observe(nosy->chip, BH_WATCH_STATS, NULL, NULL) == BH_ERR_STATE &&
                   bh_observe_flush(nosy->chip) == BH_ERR_STATE && bh_run(nosy->chip, 100, 0, NULL) == BH_ERR_STATE &&
                   bh_save(nosy->chip, "never") == BH_ERR_STATE;
    nosy->refused += refused;
}

static void a_callback_does_not_end_what_calls_it(void **state) {
    (void)state;
    struct nosy nosy = { .chip = make_chip(1) };
    load_scene(nosy.chip);
    assert_int_equal(bh_observe(nosy.chip, WATCH_ALL, ask_and_meddle, &nosy), BH_OK);
    assert_int_equal(bh_run(nosy.chip, 100, 0, NULL), BH_OK);
    assert_int_equal(bh_observe_flush(nosy.chip), BH_OK);
    assert_int_equal(nosy.asked, nosy.refused * BH_TRACK_COUNT);
    assert_true(nosy.refused > 20);
    assert_int_equal(bh_cycle(nosy.chip), 100);
    assert_int_equal(bh_observe(nosy.chip, 0, NULL, NULL), BH_OK);
    assert_int_equal(bh_run(nosy.chip, 100, 0, NULL), BH_OK);
    bh_destroy(nosy.chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_does_not_end_what_calls_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
