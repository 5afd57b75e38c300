/* Random systems under load: nothing is lost, doubled or out of order; the outcome does not depend on host threads, or
 * on how a run is divided; links that are cut and connected again lose no packet of TT-link. */
#include <stdlib.h>

#include "support/random.h"
#include "system/talk.h"

enum { PORTS = 12, CHIPS = 5, PACKETS = 60, LIMIT = 4000000 };

/* A system as it was drawn. */
struct plan {
    unsigned chips, links;
    struct bh_link link[CHIPS * PORTS];
    uint32_t seed[CHIPS * PORTS][2];
    unsigned ahead[CHIPS * PORTS][2];
    enum bh_timing timing;
    unsigned epoch;
    unsigned cut_link;
    uint64_t cut_at, join_at; /* 0: never */
};

static void draw(struct plan *plan, uint64_t *random, bool cuts) {
    bool used[CHIPS][PORTS] = { { false } };
    *plan = (struct plan){ .chips = 2 + random_below(random, CHIPS - 1), .timing = BH_TIMING_CYCLES };
    unsigned wanted = 1 + random_below(random, 3 * plan->chips);
    plan->timing = random_below(random, 4) ? BH_TIMING_CYCLES : BH_TIMING_LOOSE;
    plan->epoch = random_below(random, 3) ? 0 : 1 + random_below(random, 19);
    for (unsigned tries = 0; plan->links < wanted && tries < 200; tries++) {
        struct bh_link *link = &plan->link[plan->links];
        for (unsigned end = 0; end < 2; end++) {
            link->chip[end] = random_below(random, plan->chips);
            link->port[end] = random_below(random, PORTS);
        }
        if (used[link->chip[0]][link->port[0]] || used[link->chip[1]][link->port[1]] ||
            (link->chip[0] == link->chip[1] && link->port[0] == link->port[1]))
            continue;
        used[link->chip[0]][link->port[0]] = used[link->chip[1]][link->port[1]] = true;
        link->latency = BH_LINK_LATENCY_MIN + random_below(random, random_below(random, 2) ? 900 : 60);
        link->rate = 25 + random_below(random, 800);
        for (unsigned end = 0; end < 2; end++) {
            plan->seed[plan->links][end] = 1 + (uint32_t)(random_next(random) >> 40);
            plan->ahead[plan->links][end] = random_below(random, 9);
        }
        plan->links++;
    }
    plan->cut_link = random_below(random, plan->links);
    plan->cut_at = cuts ? 1000 + random_below(random, 6000) : 0;
    plan->join_at = cuts ? plan->cut_at + 1 + random_below(random, 5000) : 0;
}

static bh_system *build(const struct plan *plan, unsigned threads) {
    bh_system *system;
    struct bh_config config;
    bh_config_init(&config);
    config.timing = plan->timing;
    config.epoch = plan->epoch;
    assert_int_equal(bh_system_create(&system), BH_OK);
    assert_int_equal(bh_system_threads(system, threads), BH_OK);
    for (unsigned i = 0; i < plan->chips; i++)
        assert_int_equal(bh_system_add_chip(system, &config, NULL), BH_OK);
    for (unsigned i = 0; i < plan->links; i++) {
        const struct bh_link *link = &plan->link[i];
        if (bh_system_add_link(system, link, NULL) != BH_OK)
            fail_msg("%s", bh_system_message(system));
    }
    for (unsigned i = 0; i < plan->links; i++)
        for (unsigned end = 0; end < 2; end++)
            talk_start(bh_system_chip(system, plan->link[i].chip[end]), plan->link[i].port[end], PACKETS,
                       plan->seed[i][end], plan->ahead[i][end]);
    return system;
}

/* Runs up to this cycle, in pieces that are drawn. */
static void run_to(bh_system *system, uint64_t end, uint64_t *random) {
    while (bh_system_cycle(system) < end) {
        uint64_t left = end - bh_system_cycle(system), piece = random ? 1 + random_below(random, 3000) : left;
        assert_int_equal(bh_system_run(system, piece < left ? piece : left, 0, NULL), BH_OK);
    }
}

static bool is_over(bh_system *system, const struct plan *plan) {
    for (unsigned i = 0; i < plan->links; i++)
        for (unsigned end = 0; end < 2; end++)
            if (peek_word(bh_system_chip(system, plan->link[i].chip[end]), eth_xy(plan->link[i].port[end]),
                          TALK_CREDIT) != PACKETS)
                return false;
    return true;
}

static void run_all(bh_system *system, const struct plan *plan, uint64_t *random) {
    if (plan->cut_at) {
        run_to(system, plan->cut_at, random);
        assert_int_equal(bh_system_cut(system, plan->cut_link), BH_OK);
        run_to(system, plan->join_at, random);
        assert_int_equal(bh_system_join(system, plan->cut_link), BH_OK);
    }
    for (uint64_t end = 20000; end < LIMIT && !is_over(system, plan); end += 20000)
        run_to(system, end, random);
}

static void check(bh_system *system, const struct plan *plan) {
    for (unsigned i = 0; i < plan->links; i++) {
        struct bh_link_stats stats;
        assert_int_equal(bh_system_link_stats(system, i, &stats), BH_OK);
        for (unsigned end = 0; end < 2; end++) {
            bh_chip *chip = bh_system_chip(system, plan->link[i].chip[end]);
            struct bh_xy tile = eth_xy(plan->link[i].port[end]);
            assert_int_equal(peek_word(chip, tile, TALK_TAKEN), PACKETS);
            assert_int_equal(peek_word(chip, tile, TALK_SEEN), talk_sum(PACKETS, plan->seed[i][!end]));
            assert_int_equal(peek_word(chip, tile, RXQ0 + RX_DROPS), 0);
            assert_int_equal(stats.received[end], 2 * PACKETS);
            assert_int_equal(stats.dropped[end] + stats.lost[end], 0);
            assert_int_equal(stats.in_flight[end], 0);
            assert_int_equal(stats.frames[end], 2 * PACKETS + stats.resent[end]);
        }
    }
}

static void soak(uint64_t seed, bool cuts) {
    uint64_t random = seed, pieces = seed + 1;
    struct plan plan;
    uint64_t expected = 0;
    draw(&plan, &random, cuts);
    for (unsigned threads = 1; threads <= 4; threads++) {
        bh_system *system = build(&plan, threads);
        run_all(system, &plan, threads % 2 ? NULL : &pieces);
        check(system, &plan);
        uint64_t hash = bh_system_hash(system);
        if (threads == 1)
            expected = hash;
        if (hash != expected)
            fail_msg("seed %llu: %u threads give another state", (unsigned long long)seed, threads);
        bh_system_destroy(system);
    }
}

static unsigned rounds(void) {
    const char *asked = getenv("SOAK");
    return asked ? (unsigned)strtoul(asked, NULL, 0) : 6;
}

static void random_systems(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds(); i++)
        soak(1000 + i, false);
}

static void random_systems_with_cuts(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds(); i++)
        soak(5000 + i, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(random_systems_with_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
