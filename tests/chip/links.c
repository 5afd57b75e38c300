/* src/chip/links.c: what packets that share links cost each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "chip/links.h"

static struct links links;
static struct links_paths paths;

static unsigned site(unsigned x, unsigned y) {
    return y * NOC_WIDTH + x;
}

static struct links_route route(unsigned from, unsigned to, uint32_t words) {
    return (struct links_route){
        .path = to == NOC_NOWHERE ? NULL : links_path(&paths, 0, from, to),
        .from = (uint8_t)from,
        .cycles = 1 + words,
        .busy = 1 + words,
    };
}

/* Returns the delay of a packet, or UINT64_MAX if it stays in its NIU. */
static uint64_t delay_of(struct links_route packet, uint64_t time) {
    uint64_t delay;
    return links_take(&links, &packet, time, &delay) ? delay : UINT64_MAX;
}

static int reset(void **state) {
    (void)state;
    memset(&links, 0, sizeof links);
    return 0;
}

static void a_packet_of_its_own_does_not_wait(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(6, 8), 256), 100), 0);
    assert_int_equal(links.inject[0][site(1, 2)], 100 + 257 + NOC_NEXT);
    assert_int_equal(delay_of(route(site(1, 3), site(6, 3), 256), 100), 0); /* another row */
}

/* Two packets over one link at the same time: together they take the time of both, and no link but the shared ones. */
static void packets_share_a_link(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(5, 2), 64), 96), 0);
    uint64_t delay = delay_of(route(site(2, 2), site(4, 3), 64), 96 + 9); /* shares x = 2 and x = 3 of row 2 */
    assert_in_range(delay, 64 - LINKS_PERIOD, 65 + LINKS_PERIOD);
    assert_int_equal(delay_of(route(site(4, 3), site(5, 3), 64), 96), 0);
}

/* A short packet finds room between others, before a packet that has left earlier and comes from further away. */
static void gaps_are_used(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(0, 2), 16), 64), 0); /* crosses x = 14 after 13 links */
    assert_int_equal(delay_of(route(site(14, 2), site(15, 2), 16), 64), 0);
}

/* With more than LINKS_MOST in the way, the packet stays where it is, for so long that less is in the way then. */
static void long_queues_stay_in_niu(void **state) {
    uint64_t delay;
    struct links_route packet = route(site(3, 2), site(5, 2), 256);
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(5, 2), 256), 96), 0);
    assert_in_range(delay_of(route(site(2, 2), site(5, 2), 256), 96), 257 - LINKS_PERIOD, 257 + LINKS_PERIOD);
    assert_false(links_take(&links, &packet, 96, &delay));
    assert_in_range(delay, 1, 2 * 257 - LINKS_MOST + LINKS_PERIOD);
    assert_int_equal(links.inject[0][site(3, 2)], 0);
    uint64_t time = 96 + delay;
    assert_true(delay_of(packet, time - 1) == UINT64_MAX);
    assert_in_range(delay_of(packet, time + LINKS_PERIOD), LINKS_MOST - 2 * LINKS_PERIOD, LINKS_MOST);
}

/* Routers take flits in while a packet waits; the rest of the wait keeps the sender's next packets of its kind back. */
static void waits_keep_the_next_packet_back(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(5, 2), 256), 96), 0);
    assert_int_equal(links.next_from[0][site(1, 2)][0], 96 + 257);
    struct links_route packet = route(site(2, 2), site(5, 2), 256);
    packet.response = true;
    uint64_t delay = delay_of(packet, 96);
    assert_true(delay > LINKS_SLACK);
    assert_int_equal(links.inject[0][site(2, 2)], 96 + 257 + NOC_NEXT);
    assert_int_equal(links.next_from[0][site(2, 2)][0], 0);
    assert_int_equal(links.next_from[0][site(2, 2)][1], 96 + 257 + delay - LINKS_SLACK);
}

/* A packet that waits keeps the links behind it, and others wait for it there. */
static void waits_keep_links(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(3, 2), site(5, 2), 256), 200), 0);
    assert_true(delay_of(route(site(1, 2), site(5, 2), 256), 200) > LINKS_SLACK + 64);
    uint64_t delay = delay_of(route(site(1, 2), site(2, 2), 1), 200 + 257); /* its link is free of flits by then */
    assert_in_range(delay, 64, LINKS_SLACK + 64);
}

/* A response that waits does not: there is another virtual channel. */
static void responses_let_others_pass(void **state) {
    struct links_route response = route(site(1, 2), site(5, 2), 256);
    (void)state;
    response.response = true;
    assert_int_equal(delay_of(route(site(3, 2), site(5, 2), 256), 200), 0);
    assert_true(delay_of(response, 200) > LINKS_SLACK + 64);
    assert_in_range(delay_of(route(site(1, 2), site(2, 2), 1), 200 + 257), 0, LINKS_PERIOD);
}

/* A receiver that takes nothing for a while is like a link that is busy for so long. */
static void receivers_keep_packets_back(void **state) {
    struct links_route packet = route(site(1, 2), site(5, 2), 64);
    (void)state;
    packet.accepted_from = 1000 + NOC_INJECT + 4 * NOC_HOP + NOC_EJECT + 64 + 200;
    assert_int_equal(delay_of(packet, 1000), 200);
    assert_int_equal(links.next_from[0][site(1, 2)][0], 1000 + 65 + 200 - LINKS_SLACK);
    assert_int_equal(delay_of(packet, 1200), 0);
}

/* Data that comes slowly keeps links for as long as it takes. */
static void slow_packets_take_more_of_a_link(void **state) {
    struct links_route packet = route(site(1, 2), site(5, 2), 64);
    (void)state;
    packet.busy = 87;
    assert_int_equal(delay_of(packet, 1024), 0);
    assert_in_range(delay_of(route(site(2, 2), site(4, 2), 64), 1024 + 9), 87 - LINKS_PERIOD, 87 + LINKS_PERIOD);
    assert_int_equal(links.inject[0][site(1, 2)], 1024 + 87);
}

static struct noc_request multicast(bool linked, uint16_t reservation) {
    return (struct noc_request){ .multicast = true, .reserve = true, .linked = linked, .reservation = reservation };
}

static bool tree_later(unsigned from, struct noc_request request, uint64_t time, uint64_t *delay) {
    struct noc_sites sites = { { 0 } };
    struct links_route packet = route(from, NOC_NOWHERE, 1);
    for (unsigned x = 1; x < 7; x++)
        if (site(x, 2) != from)
            noc_sites_add(&sites, site(x, 2));
    return links_take_tree(&links, &packet, &sites, &request, time, delay);
}

static bool tree(unsigned from, struct noc_request request, uint64_t time) {
    uint64_t delay;
    return tree_later(from, request, time, &delay);
}

/* The next reservation begins when the packet has passed. */
static void reserved_paths_follow_each_other(void **state) {
    (void)state;
    assert_true(tree(site(1, 2), multicast(false, 100), 1000));
    assert_false(tree(site(2, 2), multicast(false, 100), 1050));
    assert_true(tree(site(2, 2), multicast(false, 100), 1000 + 100 + 60));
}

/* A sender that has waited for n cycles for a path gets it n / 8 cycles after it is free; the sender before is first.
 */
static void senders_back_off(void **state) {
    struct noc_request second = multicast(false, 100), third = second;
    uint64_t delay, wait, failed;
    (void)state;
    second.time = 1050;
    third.time = 1002 + NOC_NEXT + 100;
    assert_true(tree(site(1, 2), multicast(false, 100), 1000));
    assert_false(tree_later(site(1, 2), multicast(false, 100), 1010, &delay));
    assert_int_equal(1010 + delay, third.time);
    assert_false(tree_later(site(2, 2), second, 1050, &delay));
    wait = 1000 + NOC_HOP + 2 + 100 - 1050; /* until the packet has passed the first link that both need */
    assert_int_equal(delay, wait + wait / LINKS_BACKOFF);
    assert_true(tree(site(1, 2), third, third.time));
    failed = delay;
    assert_false(tree_later(site(2, 2), second, 1050 + failed, &delay));
    wait = third.time + NOC_HOP + 2 + 100 - 1050;
    assert_int_equal(1050 + failed + delay, 1050 + wait + wait / LINKS_BACKOFF);
}

/* Nobody waits for ever: a sender that has waited for long gets the path as soon as it is free. */
static void patience_ends(void **state) {
    struct noc_request second = multicast(false, 100), first = second;
    const uint64_t late = 1050 + LINKS_PATIENCE;
    uint64_t delay;
    (void)state;
    second.time = 1050;
    first.time = late;
    assert_true(tree(site(1, 2), first, late));
    assert_false(tree_later(site(2, 2), second, late + 10, &delay));
    assert_in_range(late + 10 + delay, late + 100, late + 100 + 2 + 2 * NOC_HOP);
}

/* A linked transaction keeps its path until its last packet, whose own path may be another. */
static void linked_transactions_keep_their_path(void **state) {
    (void)state;
    assert_true(tree(site(1, 2), multicast(true, 100), 1000));
    assert_false(tree(site(2, 2), multicast(false, 100), 100000));
    assert_true(tree(site(1, 2), multicast(true, 0), 100000));
    assert_false(tree(site(2, 2), multicast(false, 100), 200000));
    struct noc_request last = multicast(false, 0);
    last.reserve = false;
    assert_true(tree(site(1, 2), last, 200000));
    assert_true(tree(site(2, 2), multicast(false, 100), 200300));
}

/* ---- Against links one by one ----------------------------------------------------------------------------------- */

/* Flits by link and absolute period. */
enum { REFERENCE_PERIODS = 4096, REFERENCE_KINDS = 3 };
static uint8_t crossing[2][NOC_SITES][REFERENCE_KINDS][REFERENCE_PERIODS];
static uint32_t kept[2][LINKS_LINES][LINKS_PERIODS]; /* the periods that lines have counts of */

struct step {
    uint8_t *crossing;
    uint32_t *kept; /* of its line */
    uint64_t enters;
};

static unsigned next_of(unsigned noc, unsigned at, unsigned size) {
    return noc ? (at ? at - 1 : size - 1) : (at + 1 < size ? at + 1 : 0);
}

/* The link by which packets leave (x, y) along an axis, or for the NIU. Its periods begin 9 cycles after those of the
 * link before it. */
static struct step step_of(unsigned noc, unsigned x, unsigned y, unsigned kind, uint64_t enters) {
    unsigned at_x = noc ? NOC_WIDTH - 1 - x : x, at_y = noc ? NOC_HEIGHT - 1 - y : y;
    bool last = at_x == NOC_WIDTH - 1;
    unsigned link = kind == 1 || last ? at_y : at_x;
    unsigned line = kind == 1 ? LINKS_ALONG_Y + at_x
                    : kind    ? (last ? LINKS_TO_LAST_NIU : LINKS_TO_NIU + at_y)
                              : (last ? LINKS_LAST_X : LINKS_ALONG_X + at_y);
    return (struct step){ crossing[noc][site(x, y)][kind], kept[noc][line],
                          enters + (uint64_t)NOC_HOP * (LINKS_A_LINE - link) };
}

static unsigned walk(const struct links_route *packet, unsigned to, uint64_t time,
                     struct step steps[NOC_WIDTH + NOC_HEIGHT]) {
    unsigned noc = packet->noc, count = 0, x = packet->from % NOC_WIDTH, y = packet->from / NOC_WIDTH;
    unsigned to_x = to % NOC_WIDTH, to_y = to / NOC_WIDTH;
    uint64_t at = time + NOC_INJECT;
    for (; noc && y != to_y; y = next_of(noc, y, NOC_HEIGHT), at += NOC_HOP)
        steps[count++] = step_of(noc, x, y, 1, at);
    for (; x != to_x; x = next_of(noc, x, NOC_WIDTH), at += NOC_HOP)
        steps[count++] = step_of(noc, x, y, 0, at);
    for (; y != to_y; y = next_of(noc, y, NOC_HEIGHT), at += NOC_HOP)
        steps[count++] = step_of(noc, x, y, 1, at);
    steps[count++] = step_of(noc, x, y, 2, at);
    return count;
}

/* Returns whether a line has counts of a period, which it makes if `now` is the current period and it has room. */
static bool keeps(uint32_t *kept_periods, uint32_t period, uint32_t now) {
    uint32_t *at = &kept_periods[period % LINKS_PERIODS];
    if (*at < now && *at != period)
        *at = period;
    return *at == period;
}

/* A flit goes in the first period that has room; the last one comes behind those that crossed before it. */
static uint64_t cross_one(const struct step *step, uint64_t *head, uint32_t flits, uint32_t now) {
    uint32_t period = (uint32_t)(*head / LINKS_PERIOD), from = (uint32_t)(*head % LINKS_PERIOD);
    uint64_t tail = *head + flits;
    for (bool begun = false; flits; period++, from = 0) {
        uint32_t there = keeps(step->kept, period, 0) ? step->crossing[period] : 0, full = there > from ? there : from;
        uint32_t some = LINKS_PERIOD - full < flits ? LINKS_PERIOD - full : flits;
        if (!some)
            continue;
        *head = begun || *head > (uint64_t)period * LINKS_PERIOD ? *head : (uint64_t)period * LINKS_PERIOD;
        begun = true;
        flits -= some;
        uint64_t end = (uint64_t)period * LINKS_PERIOD + full + some;
        tail = !flits && end > tail ? end : tail;
        if (now && keeps(step->kept, period, now))
            step->crossing[period] = (uint8_t)(there + some);
    }
    return tail;
}

static uint64_t reference_delay(const struct links_route *packet, unsigned to, uint64_t time) {
    struct step steps[NOC_WIDTH + NOC_HEIGHT];
    unsigned count = walk(packet, to, time, steps), narrow = 0;
    uint64_t late = 0, most = 0, limit = packet->response ? 0 : packet->busy * 3 / 2;
    for (unsigned i = 0; i < count; i++) {
        uint64_t head = steps[i].enters + late;
        uint64_t delay = cross_one(&steps[i], &head, packet->busy, 0) - steps[i].enters - packet->busy;
        late = head - steps[i].enters;
        narrow = delay > most ? i : narrow;
        most = delay > most ? delay : most;
    }
    if (most > LINKS_MOST)
        return UINT64_MAX;
    late = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t head = steps[i].enters + late, wait = i < narrow ? most - late : 0;
        uint64_t hold = wait > LINKS_SLACK ? wait - LINKS_SLACK : 0;
        hold = hold < limit ? hold : limit;
        cross_one(&steps[i], &head, packet->busy + (uint32_t)hold, (uint32_t)(time / LINKS_PERIOD));
        late = head - steps[i].enters;
    }
    return most;
}

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % below);
}

/* sites: how many take part. Returns how many packets waited. */
static unsigned compare_traffic(uint64_t seed, unsigned sites, unsigned gap) {
    static const uint32_t sizes[] = { 1, 1, 2, 17, 65, 257 };
    unsigned waited = 0;
    uint64_t time = 1000;
    memset(&links, 0, sizeof links);
    memset(crossing, 0, sizeof crossing);
    memset(kept, 0, sizeof kept);
    while (time < (REFERENCE_PERIODS - 2 * LINKS_PERIODS) * (uint64_t)LINKS_PERIOD) {
        struct links_route packet = { .noc = (uint8_t)draw(&seed, 2),
                                      .from = (uint8_t)(draw(&seed, sites) * 7 % NOC_SITES),
                                      .response = draw(&seed, 2),
                                      .busy = sizes[draw(&seed, sizeof sizes / sizeof *sizes)] };
        unsigned to = draw(&seed, sites) * 11 % NOC_SITES;
        uint64_t leaves = time - draw(&seed, 16), expected = reference_delay(&packet, to, leaves);
        packet.path = links_path(&paths, packet.noc, packet.from, to);
        assert_int_equal(delay_of(packet, leaves), expected);
        waited += expected > 0;
        time += draw(&seed, gap);
    }
    return waited;
}

static void lines_are_the_same_as_links(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++) {
        assert_in_range(compare_traffic(seed, NOC_SITES, 8), 4000, 30000); /* most packets wait */
        assert_in_range(compare_traffic(seed, NOC_SITES, 100), 10, 2600);
        assert_in_range(compare_traffic(seed, 5, 64), 100, 4000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_packet_of_its_own_does_not_wait, reset),
        cmocka_unit_test_setup(packets_share_a_link, reset),
        cmocka_unit_test_setup(gaps_are_used, reset),
        cmocka_unit_test_setup(long_queues_stay_in_niu, reset),
        cmocka_unit_test_setup(waits_keep_the_next_packet_back, reset),
        cmocka_unit_test_setup(waits_keep_links, reset),
        cmocka_unit_test_setup(responses_let_others_pass, reset),
        cmocka_unit_test_setup(receivers_keep_packets_back, reset),
        cmocka_unit_test_setup(slow_packets_take_more_of_a_link, reset),
        cmocka_unit_test_setup(reserved_paths_follow_each_other, reset),
        cmocka_unit_test_setup(senders_back_off, reset),
        cmocka_unit_test_setup(patience_ends, reset),
        cmocka_unit_test_setup(linked_transactions_keep_their_path, reset),
        cmocka_unit_test(lines_are_the_same_as_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
