/* Tests of src/chip/pace_probe.c: the cheaper way is found, kept, left when it is cheaper no more, and trying costs
 * little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chip/pace_probe.h"

enum { LONG = 100000, TILES = 100 };

/* Runs pieces at these costs of a unit of work. Returns the number of pieces with choice 1. */
static unsigned go(struct pace_probe *probe, unsigned pieces, const uint64_t price[2]) {
    unsigned ones = 0;
    for (unsigned i = 0; i < pieces; i++) {
        bool way = pace_probe_choice(probe);
        uint64_t work = TILES + i * 7 % 11;
        ones += way;
        pace_probe_note(probe, work, work * price[way]);
    }
    return ones;
}

static void the_cheaper_way_is_found(void **state) {
    (void)state;
    for (unsigned first = 0; first < 2; first++)
        for (unsigned cheap = 0; cheap < 2; cheap++) {
            struct pace_probe probe;
            uint64_t price[2] = { cheap ? 1100 : 1000, cheap ? 1000 : 1100 };
            pace_probe_init(&probe, first, UINT64_MAX);
            assert_int_equal(pace_probe_choice(&probe), first);
            unsigned ones = go(&probe, LONG, price);
            assert_in_range(cheap ? LONG - ones : ones, 1, LONG / 50);
        }
}

/* Both ways are tried from the beginning. */
static void both_ways_are_tried_early(void **state) {
    struct pace_probe probe;
    (void)state;
    pace_probe_init(&probe, true, UINT64_MAX);
    assert_in_range(go(&probe, 100, (uint64_t[]){ 1000, 2000 }), 20, 80);
}

/* A way that is very expensive is given up at its first piece. */
static void trying_costs_little(void **state) {
    struct pace_probe probe;
    uint64_t price[2] = { 1000, 100000 };
    unsigned trials = 0, pieces = 0;
    bool before = false;
    (void)state;
    pace_probe_init(&probe, false, UINT64_MAX);
    for (unsigned i = 0; i < LONG; i++) {
        bool way = pace_probe_choice(&probe);
        trials += way && !before;
        pieces += way;
        before = way;
        pace_probe_note(&probe, TILES, TILES * price[way]);
    }
    assert_in_range(trials, 8, LONG / 32 / 100);
    assert_int_equal(pieces, trials);
}

/* The first two pieces of a window, which may have to wake up threads, do not make it look expensive. */
static void a_warm_up_is_free(void **state) {
    struct pace_probe probe;
    unsigned ones = 0, since = 0;
    bool before = false;
    (void)state;
    pace_probe_init(&probe, false, UINT64_MAX);
    for (unsigned i = 0; i < LONG; i++) {
        bool way = pace_probe_choice(&probe);
        since = way == before ? since + 1 : 0;
        before = way;
        ones += way;
        pace_probe_note(&probe, TILES, TILES * (way && since >= 2 ? 800 : way ? 4000 : 1000));
    }
    assert_in_range(ones, LONG - LONG / 50, LONG);
}

/* Soon, if the way that was cheaper becomes expensive; in time, if the other becomes cheaper. */
static void what_changes_is_noticed(void **state) {
    struct pace_probe probe;
    (void)state;
    pace_probe_init(&probe, true, UINT64_MAX);
    go(&probe, LONG, (uint64_t[]){ 1000, 600 });
    assert_in_range(go(&probe, LONG, (uint64_t[]){ 1000, 3000 }), 32, 10 * 32);
    assert_in_range(go(&probe, LONG, (uint64_t[]){ 1000, 600 }), LONG - LONG / 5, LONG);
}

/* The host has been busy with something else for a while: that is no reason to go the other way for long. */
static void a_hiccup_is_forgotten(void **state) {
    struct pace_probe probe;
    (void)state;
    pace_probe_init(&probe, true, UINT64_MAX);
    go(&probe, LONG, (uint64_t[]){ 1000, 900 });
    while (probe.piece != 8)
        go(&probe, 1, (uint64_t[]){ 1000, 900 });
    assert_true(pace_probe_choice(&probe));
    pace_probe_note(&probe, TILES, 1000000000);
    assert_in_range(go(&probe, LONG, (uint64_t[]){ 1000, 900 }), LONG - 200, LONG);
}

/* If the trial was right, the probe soon returns. */
static void a_longer_one_too(void **state) {
    struct pace_probe probe;
    (void)state;
    pace_probe_init(&probe, true, UINT64_MAX);
    go(&probe, LONG, (uint64_t[]){ 1000, 900 });
    go(&probe, 10 * 32, (uint64_t[]){ 1000, 5000 });
    assert_false(pace_probe_choice(&probe));
    assert_in_range(go(&probe, 2000, (uint64_t[]){ 1000, 900 }), 1300, 2000);
}

/* Other programs want the processors: threads are faster, but every fortieth piece or so waits for one of them. Returns
 * the whole cost, in pieces of the caller's thread. */
static double busy_host(unsigned pieces) {
    struct pace_probe probe;
    double spent = 0;
    pace_probe_init(&probe, true, UINT64_MAX);
    for (unsigned i = 0; i < pieces; i++) {
        bool threads = pace_probe_choice(&probe);
        uint64_t price = !threads ? 1000 : i % 41 == 0 ? 500000 : 600;
        spent += (double)price / 1000;
        pace_probe_note(&probe, TILES, TILES * price);
    }
    return spent;
}

/* Long pieces have choice true, and trials go on after them where they were. */
static void long_pieces_are_not_tried(void **state) {
    struct pace_probe probe;
    (void)state;
    pace_probe_init(&probe, false, 5000);
    go(&probe, 1000, (uint64_t[]){ 10, 20 });
    pace_probe_note(&probe, TILES, 5000);
    const struct pace_probe before = probe;
    for (unsigned i = 0; i < 100; i++) {
        assert_true(pace_probe_choice(&probe));
        pace_probe_note(&probe, TILES, 5000 + i);
    }
    pace_probe_note(&probe, TILES, 1000);
    assert_int_equal(pace_probe_choice(&probe), before.choice);
    assert_int_equal(probe.piece, before.piece);
}

static void a_busy_host_costs_little(void **state) {
    (void)state;
    assert_true(busy_host(LONG) < 1.2 * LONG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_way_is_found),  cmocka_unit_test(both_ways_are_tried_early),
        cmocka_unit_test(trying_costs_little),       cmocka_unit_test(what_changes_is_noticed),
        cmocka_unit_test(a_hiccup_is_forgotten),     cmocka_unit_test(a_longer_one_too),
        cmocka_unit_test(a_warm_up_is_free),         cmocka_unit_test(a_busy_host_costs_little),
        cmocka_unit_test(long_pieces_are_not_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
