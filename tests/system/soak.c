/* Random systems under load, with back-pressure: nothing is lost, doubled or out of order; the outcome does not depend
 * on host threads, or on how a run is divided; links that are cut and connected again lose no packet of TT-link. A chip
 * that is reset loses what was under way to and from it, which is counted, and its links then work as at first.
 *
 * SOAK=N draws N systems of each kind instead of a few. SOAK_PACKETS=N goes on with the last kind until N packets have
 * arrived, and says so now and then; SOAK_SEED is the first seed (docs/system.md). */
#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"
#include "system/talk.h"

enum { PORTS = 12, CHIPS = 5, PACKETS = 60, LIMIT = 4000000, EVENTS = 6 };

enum event_kind { CUT, JOIN, RESET };

/* Something that happens to a system. */
struct event {
    uint64_t cycle;
    enum event_kind kind;
    unsigned what; /* link or chip */
};

/* A system as it was drawn. */
struct plan {
    unsigned chips, links;
    struct bh_link link[CHIPS * PORTS];
    uint32_t seed[CHIPS * PORTS][2];
    unsigned ahead[CHIPS * PORTS][2];
    enum bh_timing timing;
    unsigned epoch;
    unsigned packets; /* that each end of a link sends */
    struct event event[EVENTS];
    unsigned event_count;
    bool touched[CHIPS * PORTS]; /* links of chips that are reset */
    bool reset[CHIPS];
};

enum { CUTS = 1, RESETS = 2 };

static void add_event(struct plan *plan, uint64_t cycle, enum event_kind kind, unsigned what) {
    unsigned i = plan->event_count++;
    for (; i && plan->event[i - 1].cycle > cycle; i--)
        plan->event[i] = plan->event[i - 1];
    plan->event[i] = (struct event){ cycle, kind, what };
}

/* Cuts of different links, or resets, in the first part of the talk. */
static void draw_events(struct plan *plan, uint64_t *random, unsigned what) {
    unsigned span = plan->packets * 100;
    for (unsigned i = 0; i < 2 && i < plan->links && what & CUTS; i++) {
        unsigned link = (random_below(random, plan->links) & ~1u) + i;
        uint64_t at = 1000 + random_below(random, span);
        if (link >= plan->links)
            continue;
        add_event(plan, at, CUT, link);
        add_event(plan, at + 1 + random_below(random, 5000), JOIN, link);
    }
    for (unsigned i = 0; i < 2 && what & RESETS; i++)
        add_event(plan, 1000 + random_below(random, span), RESET, random_below(random, plan->chips));
    for (unsigned i = 0; i < plan->event_count; i++)
        if (plan->event[i].kind == RESET)
            plan->reset[plan->event[i].what] = true;
    for (unsigned i = 0; i < plan->links; i++)
        plan->touched[i] = plan->reset[plan->link[i].chip[0]] || plan->reset[plan->link[i].chip[1]];
}

static void draw(struct plan *plan, uint64_t *random, unsigned what, unsigned packets) {
    bool used[CHIPS][PORTS] = { { false } };
    *plan =
        (struct plan){ .chips = 2 + random_below(random, CHIPS - 1), .timing = BH_TIMING_CYCLES, .packets = packets };
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
    draw_events(plan, random, what);
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
            talk_start(bh_system_chip(system, plan->link[i].chip[end]), plan->link[i].port[end], plan->packets,
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

static bh_chip *chip_at(bh_system *system, const struct plan *plan, unsigned link, unsigned end) {
    return bh_system_chip(system, plan->link[link].chip[end]);
}

static uint32_t word_at(bh_system *system, const struct plan *plan, unsigned link, unsigned end, uint32_t address) {
    return peek_word(chip_at(system, plan, link, end), eth_xy(plan->link[link].port[end]), address);
}

static bool is_over(bh_system *system, const struct plan *plan) {
    for (unsigned i = 0; i < plan->links; i++)
        for (unsigned end = 0; end < 2; end++)
            if (word_at(system, plan, i, end, TALK_CREDIT) != plan->packets)
                return false;
    return true;
}

/* Packets that the software of an end has sent: commands that the queues have taken, and those under way. */
static uint64_t count_sent(bh_system *system, const struct plan *plan, unsigned link, unsigned end) {
    uint64_t count = 0;
    for (unsigned queue = 0; queue < 2; queue++) {
        uint32_t base = TXQ0 + queue * QUEUE;
        count += word_at(system, plan, link, end, base + TX_TRANSFERS);
        count += (word_at(system, plan, link, end, base + TX_STATUS) & ONGOING) != 0;
    }
    return count;
}

/* Whatever happened, each packet of a chip that was not reset has arrived once, is under way, or is counted as lost. */
static void check_balance(bh_system *system, const struct plan *plan) {
    for (unsigned i = 0; i < plan->links; i++) {
        struct bh_link_stats stats;
        assert_int_equal(bh_system_link_stats(system, i, &stats), BH_OK);
        for (unsigned end = 0; end < 2; end++) {
            assert_int_equal(stats.dropped[end], 0);
            if (!plan->reset[plan->link[i].chip[end]])
                assert_int_equal(count_sent(system, plan, i, end),
                                 stats.received[!end] + stats.lost[end] + stats.in_flight[end]);
        }
    }
}

/* Lets both ends of a link talk again, as if for the first time. */
static void talk_again(bh_system *system, const struct plan *plan, unsigned link) {
    static const uint8_t zeros[TALK_SLOTS * TALK_SLOT];
    for (unsigned end = 0; end < 2; end++) {
        bh_chip *chip = chip_at(system, plan, link, end);
        struct bh_xy tile = eth_xy(plan->link[link].port[end]);
        assert_int_equal(bh_hold(chip, tile, 1u << BH_ERISC0 | 1u << BH_ERISC1), BH_OK);
        assert_int_equal(bh_write(chip, tile, TALK_TO, zeros, sizeof zeros), BH_OK);
        assert_int_equal(bh_write(chip, tile, TALK_CREDIT, zeros, TALK_TAKEN + 4 - TALK_CREDIT), BH_OK);
        talk_start(chip, plan->link[link].port[end], plan->packets, plan->seed[link][end], plan->ahead[link][end]);
    }
}

static void happen(bh_system *system, const struct plan *plan, const struct event *event) {
    switch (event->kind) {
    case CUT: assert_int_equal(bh_system_cut(system, event->what), BH_OK); break;
    case JOIN: assert_int_equal(bh_system_join(system, event->what), BH_OK); break;
    case RESET:
        check_balance(system, plan);
        assert_int_equal(bh_system_reset_chip(system, event->what), BH_OK);
        check_balance(system, plan);
        for (unsigned i = 0; i < plan->links; i++)
            if (plan->link[i].chip[0] == event->what || plan->link[i].chip[1] == event->what)
                talk_again(system, plan, i);
        break;
    }
}

static void run_all(bh_system *system, const struct plan *plan, uint64_t *random) {
    uint64_t limit = LIMIT + (uint64_t)plan->packets * 5000;
    for (unsigned i = 0; i < plan->event_count; i++) {
        run_to(system, plan->event[i].cycle, random);
        happen(system, plan, &plan->event[i]);
        check_balance(system, plan);
    }
    for (uint64_t end = bh_system_cycle(system) + 20000; end < limit && !is_over(system, plan); end += 20000)
        run_to(system, end, random);
}

/* Returns the number of packets that have arrived, credits included. */
static uint64_t check(bh_system *system, const struct plan *plan) {
    uint64_t arrived = 0;
    check_balance(system, plan);
    for (unsigned i = 0; i < plan->links; i++) {
        struct bh_link_stats stats;
        assert_int_equal(bh_system_link_stats(system, i, &stats), BH_OK);
        for (unsigned end = 0; end < 2; end++) {
            assert_int_equal(word_at(system, plan, i, end, TALK_TAKEN), plan->packets);
            assert_int_equal(word_at(system, plan, i, end, TALK_SEEN), talk_sum(plan->packets, plan->seed[i][!end]));
            assert_int_equal(word_at(system, plan, i, end, RXQ0 + RX_DROPS), 0);
            assert_int_equal(stats.dropped[end], 0);
            assert_int_equal(stats.in_flight[end], 0);
            arrived += stats.received[end];
            if (plan->touched[i])
                continue;
            assert_int_equal(stats.received[end], 2 * plan->packets);
            assert_int_equal(stats.lost[end], 0);
            assert_int_equal(stats.frames[end], 2 * plan->packets + stats.resent[end]);
        }
    }
    return arrived;
}

static void soak(uint64_t seed, unsigned what) {
    uint64_t random = seed, pieces = seed + 1;
    struct plan plan;
    uint64_t expected = 0;
    draw(&plan, &random, what, PACKETS);
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
        soak(1000 + i, 0);
}

static void random_systems_with_cuts(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds(); i++)
        soak(5000 + i, CUTS);
}

static void random_systems_with_resets(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds(); i++)
        soak(9000 + i, i % 2 ? RESETS : CUTS | RESETS);
}

static uint64_t asked(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Longer talks. Each system runs once. */
static void many_packets(void **state) {
    uint64_t wanted = asked("SOAK_PACKETS", 20000), arrived = 0, said = 0, systems = 0;
    (void)state;
    for (uint64_t seed = asked("SOAK_SEED", 20000); arrived < wanted; seed++, systems++) {
        uint64_t random = seed;
        struct plan plan;
        draw(&plan, &random, (unsigned)(seed % 4), wanted < 1000000 ? 300 : 3000);
        bh_system *system = build(&plan, 1 + (unsigned)(seed % 2));
        run_all(system, &plan, seed % 3 ? &random : NULL);
        arrived += check(system, &plan);
        bh_system_destroy(system);
        if (arrived / 1000000 == said)
            continue;
        said = arrived / 1000000;
        printf("%llu packets have arrived in %llu systems, up to seed %llu\n", (unsigned long long)arrived,
               (unsigned long long)systems + 1, (unsigned long long)seed);
        fflush(stdout);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(random_systems_with_cuts),
        cmocka_unit_test(random_systems_with_resets),
        cmocka_unit_test(many_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
