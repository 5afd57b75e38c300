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

/* An expensive way is given up before it has cost much. */
static void trying_costs_little(void **state) {
    struct trial trial;
    uint64_t cost = 0, work = 0, price[2] = { 1000, 20000 };
    (void)state;
    trial_init(&trial, true);
    for (unsigned i = 0; i < LONG; i++) {
        bool way = trial_way(&trial);
        cost += TILES * price[way];
        work += TILES;
        trial_note(&trial, TILES, TILES * price[way]);
    }
    assert_in_range(cost, work * 1000, work * 1050);
}

static void what_changes_is_noticed(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    go(&trial, LONG, (uint64_t[]){ 1000, 600 });
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 3000 }), 1, LONG / 5);
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 600 }), LONG - LONG / 5, LONG);
}

/* The host has been busy with something else for a while. */
static void a_hiccup_is_forgotten(void **state) {
    struct trial trial;
    (void)state;
    trial_init(&trial, true);
    go(&trial, LONG, (uint64_t[]){ 1000, 600 });
    trial_note(&trial, TILES, 1000000000);
    trial_note(&trial, TILES, 1000000000);
    trial_note(&trial, TILES, 1000000000);
    assert_in_range(go(&trial, LONG, (uint64_t[]){ 1000, 600 }), LONG - LONG / 5, LONG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_way_is_found), cmocka_unit_test(both_ways_are_tried_early),
        cmocka_unit_test(trying_costs_little),      cmocka_unit_test(what_changes_is_noticed),
        cmocka_unit_test(a_hiccup_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
