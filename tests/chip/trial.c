/* Tests of src/chip/trial.c: the cheaper way is found, kept, left when it is cheaper no more, and trying costs little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "chip/trial.h"

enum { LONG = 100000, TILES = 100 };

/* So many pieces at these costs of a unit of work; returns how many went way 1. */
static unsigned go(struct trial *trial, unsigned pieces, const uint64_t price[2]) {
    unsigned ones = 0;
    for (unsigned i = 0; i < pieces; i++) {
        bool way = trial_way(trial);
        uint64_t work = TILES + i * 7 % 11;
        ones += way;
        trial_note(trial, work, work * price[way]);
    }
    return ones;
}

static void the_cheaper_way_is_found(void **state) {
    (void)state;
    for (unsigned first = 0; first < 2; first++)
        for (unsigned cheap = 0; cheap < 2; cheap++) {
            struct trial trial;
            uint64_t price[2] = { cheap ? 1100 : 1000, cheap ? 1000 : 1100 };
            trial_init(&trial, first);
            assert_int_equal(trial_way(&trial), first);
            unsigned ones = go(&trial, LONG, price);
            assert_in_range(cheap ? LONG - ones : ones, 1, LONG / 50);
        }
}

/* Both ways are tried from the beginning. */
static void both_ways_are_tried_early(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    assert_in_range(go(&trial, 100, (uint64_t[]){ 1000, 2000 }), 20, 80);
}

/* A way that is very expensive is given up at its first piece. */
static void trying_costs_little(void **state) {
    struct trial trial;
    uint64_t price[2] = { 1000, 100000 };
    unsigned trials = 0, pieces = 0;
    bool before = false;
    (void)state;
    trial_init(&trial, false);
    for (unsigned i = 0; i < LONG; i++) {
        bool way = trial_way(&trial);
        trials += way && !before;
        pieces += way;
        before = way;
        trial_note(&trial, TILES, TILES * price[way]);
    }
    assert_in_range(trials, 8, LONG / 32 / 100);
    assert_int_equal(pieces, trials);
}

/* The first two pieces of a window, which may have to wake up threads, do not make it look expensive. */
static void a_warm_up_is_free(void **state) {
    struct trial trial;
    unsigned ones = 0, since = 0;
    bool before = false;
    (void)state;
    trial_init(&trial, false);
    for (unsigned i = 0; i < LONG; i++) {
        bool way = trial_way(&trial);
        since = way == before ? since + 1 : 0;
        before = way;
        ones += way;
        trial_note(&trial, TILES, TILES * (way && since >= 2 ? 800 : way ? 4000 : 1000));
    }
    assert_in_range(ones, LONG - LONG / 50, LONG);
}

/* Soon, if the way that was cheaper becomes expensive; in time, if the other becomes cheaper. */
static void what_changes_is_noticed(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    go(&trial, LONG, (uint64_t[]){ 1000, 600 });
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 3000 }), 32, 10 * 32);
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 600 }), LONG - LONG / 5, LONG);
}

/* The host has been busy with something else for a while: that is no reason to go the other way for long. */
static void a_hiccup_is_forgotten(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    go(&trial, LONG, (uint64_t[]){ 1000, 900 });
    while (trial.piece != 8)
        go(&trial, 1, (uint64_t[]){ 1000, 900 });
    assert_true(trial_way(&trial));
    trial_note(&trial, TILES, 1000000000);
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 900 }), LONG - 200, LONG);
}

/* And if it was, the way back is short. */
static void a_longer_one_too(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    go(&trial, LONG, (uint64_t[]){ 1000, 900 });
    go(&trial, 10 * 32, (uint64_t[]){ 1000, 5000 });
    assert_false(trial_way(&trial));
    assert_in_range(go(&trial, 2000, (uint64_t[]){ 1000, 900 }), 1300, 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_way_is_found), cmocka_unit_test(both_ways_are_tried_early),
        cmocka_unit_test(trying_costs_little),      cmocka_unit_test(what_changes_is_noticed),
        cmocka_unit_test(a_hiccup_is_forgotten),    cmocka_unit_test(a_longer_one_too),
        cmocka_unit_test(a_warm_up_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
