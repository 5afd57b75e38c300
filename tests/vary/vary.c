/* Draws: pure, within their bounds, mostly zero, different for each seed; and lists of delays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vary/vary.h"

enum { SEEDS = 300, EVENTS = 64, SITE = 40 };

static struct vary_event event_of(unsigned kind, unsigned agent, uint64_t number) {
    return (struct vary_event){ (uint8_t)kind, SITE, (uint8_t)agent, number };
}

static void a_draw_depends_on_seed_and_name_only(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        const struct vary one = { .seed = seed }, other = { .seed = seed };
        for (unsigned kind = 0; kind < BH_DELAY_KIND_COUNT; kind++)
            for (unsigned i = 0; i < EVENTS; i++) {
                struct vary_event first = event_of(kind, 1, i), last = event_of(kind, 1, EVENTS - 1 - i);
                uint32_t cycles = vary_cycles(&one, &first);
                vary_cycles(&other, &last);
                assert_int_equal(vary_cycles(&other, &first), cycles);
            }
    }
}

static void delays_stay_within_their_bounds(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < BH_DELAY_KIND_COUNT; kind++) {
        uint32_t longest = 0, most = bh_delay_kind_most((enum bh_delay_kind)kind);
        unsigned zero = 0, short_ones = 0, all = 0;
        for (uint64_t seed = 1; seed < SEEDS; seed++)
            for (unsigned i = 0; i < EVENTS; i++, all++) {
                const struct vary vary = { .seed = seed };
                struct vary_event event = event_of(kind, (unsigned)seed % 3, i);
                uint32_t cycles = vary_cycles(&vary, &event);
                assert_true(cycles <= most);
                longest = cycles > longest ? cycles : longest;
                zero += cycles == 0;
                short_ones += cycles > 0 && cycles <= (most + 3) / 4;
            }
        assert_true(longest > most - most / 100 - 1);
        assert_true(zero > all / 2);
        assert_true(short_ones > (all - zero) / 2);
        assert_true(all - zero > all / 20);
    }
}

/* Each kind, and each agent, is left alone by some seeds and always late with others. */
static void seeds_differ(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < BH_DELAY_KIND_COUNT; kind++) {
        unsigned none = 0, every = 0, unlike = 0;
        for (uint64_t seed = 1; seed < SEEDS; seed++) {
            const struct vary vary = { .seed = seed };
            unsigned late[2] = { 0 };
            for (unsigned i = 0; i < EVENTS; i++)
                for (unsigned agent = 0; agent < 2; agent++) {
                    struct vary_event event = event_of(kind, agent, i);
                    late[agent] += vary_cycles(&vary, &event) != 0;
                }
            none += late[0] == 0;
            every += late[0] == EVENTS;
            unlike += (late[0] == 0) != (late[1] == 0);
        }
        assert_true(none > SEEDS / 3 && none < SEEDS * 4 / 5);
        assert_true(every > SEEDS / 40);
        assert_true(unlike > SEEDS / 40);
    }
}

static void a_list_has_no_other_delays(void **state) {
    (void)state;
    struct vary_delay list[] = {
        { .event = { BH_DELAY_STORE, SITE, 0, 5 }, .cycles = 7 },
        { .event = { BH_DELAY_GAP, SITE, 3, 0 }, .cycles = 100 },
        { .event = { BH_DELAY_STORE, SITE, 0, 4 }, .cycles = 1 },
    };
    enum { COUNT = sizeof list / sizeof *list };
    qsort(list, COUNT, sizeof *list, vary_compare);
    const struct vary vary = { .seed = 9, .listed = true, .list = list, .count = COUNT };
    for (unsigned kind = 0; kind < BH_DELAY_KIND_COUNT; kind++)
        for (unsigned agent = 0; agent < VARY_AGENTS; agent++)
            for (unsigned i = 0; i < 8; i++) {
                struct vary_event event = event_of(kind, agent, i);
                uint32_t expected = 0;
                for (unsigned k = 0; k < COUNT; k++)
                    if (list[k].event.kind == kind && list[k].event.agent == agent && list[k].event.number == i)
                        expected = list[k].cycles;
                assert_int_equal(vary_cycles(&vary, &event), expected);
            }
}

static void events_are_counted_and_delays_logged(void **state) {
    (void)state;
    struct vary_delay list[] = { { .event = { BH_DELAY_UNPACK, SITE, 1, 2 }, .cycles = 30 } };
    const struct vary vary = { .listed = true, .list = list, .count = 1 };
    uint32_t number[VARY_COUNTED][VARY_AGENTS] = { 0 };
    struct vary_tile tile = { .vary = &vary, .site = SITE, .number = number };
    static const uint32_t expected[] = { 0, 0, 30, 0 };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(vary_next(&tile, BH_DELAY_UNPACK, 0), 0);
        assert_int_equal(vary_next(&tile, BH_DELAY_UNPACK, 1), expected[i]);
    }
    vary_note(&tile, 1234, BH_TRISC0, 0x6000);
    assert_int_equal(number[BH_DELAY_UNPACK][1], 4);
    assert_int_equal(tile.count, 1);
    assert_int_equal(tile.log[0].event.number, 2);
    assert_int_equal(tile.log[0].cycles, 30);
    assert_int_equal(tile.log[0].time, 1234);
    assert_int_equal(tile.log[0].core, BH_TRISC0);
    assert_int_equal(tile.log[0].pc, 0x6000);
    vary_free_log(&tile);
    assert_int_equal(tile.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_draw_depends_on_seed_and_name_only),
        cmocka_unit_test(delays_stay_within_their_bounds),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(a_list_has_no_other_delays),
        cmocka_unit_test(events_are_counted_and_delays_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
