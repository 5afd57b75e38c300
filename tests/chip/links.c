/* src/chip/links.c: what packets that share links cost each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "chip/links.h"

static struct links links;

static unsigned site(unsigned x, unsigned y) {
    return y * NOC_WIDTH + x;
}

static struct links_route route(unsigned from, unsigned to, uint32_t words) {
    return (struct links_route){ .from = (uint8_t)from, .to = (uint8_t)to, .flits = 1 + words, .cycles = 1 + words };
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
    assert_int_equal(links.inject[0][site(1, 2)], 100 + 257);
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

/* With more than LINKS_SLACK in the way, the packet stays where it is. */
static void long_queues_stay_in_niu(void **state) {
    (void)state;
    assert_int_equal(delay_of(route(site(1, 2), site(5, 2), 256), 96), 0);
    assert_int_equal(delay_of(route(site(2, 2), site(5, 2), 256), 96), UINT64_MAX);
    assert_int_equal(links.inject[0][site(2, 2)], 0);
    assert_in_range(delay_of(route(site(2, 2), site(5, 2), 256), 96 + 256), 0, LINKS_PERIOD);
}

static struct noc_request multicast(bool linked, uint16_t reservation) {
    return (struct noc_request){ .multicast = true, .reserve = true, .linked = linked, .reservation = reservation };
}

static bool tree(unsigned from, struct noc_request request, uint64_t time) {
    struct noc_sites sites = { { 0 } };
    struct links_route packet = route(from, NOC_NOWHERE, 1);
    uint64_t delay;
    for (unsigned x = 1; x < 7; x++)
        if (site(x, 2) != from)
            noc_sites_add(&sites, site(x, 2));
    return links_take_tree(&links, &packet, &sites, &request, time, &delay);
}

/* The next reservation begins when the packet has passed. */
static void reserved_paths_follow_each_other(void **state) {
    (void)state;
    assert_true(tree(site(1, 2), multicast(false, 100), 1000));
    assert_false(tree(site(2, 2), multicast(false, 100), 1050));
    assert_true(tree(site(2, 2), multicast(false, 100), 1000 + 100 + 60));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_packet_of_its_own_does_not_wait, reset),
        cmocka_unit_test_setup(packets_share_a_link, reset),
        cmocka_unit_test_setup(gaps_are_used, reset),
        cmocka_unit_test_setup(long_queues_stay_in_niu, reset),
        cmocka_unit_test_setup(reserved_paths_follow_each_other, reset),
        cmocka_unit_test_setup(linked_transactions_keep_their_path, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
