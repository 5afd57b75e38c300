/* The rate of a link against the highest that tt-metal publishes, within ten per cent (docs/system.md). The latency of
 * a hop is what guest/examples/eth-ping prints. */
#include "system/pair.h"

/* tests/tt_metal/tt_fabric/test_infra/golden/golden_bandwidth_summary_blackhole_p150_x4.csv of tt-metal:
 * CustomMaxPacketSizeMesh8K, packets of 8704 bytes, in GB/s. */
static const double PUBLISHED = 45.56;
enum { PACKET = 8704, FRAMES = 3, PACKETS = 40, MHZ = 1350 };

static void the_rate_of_a_link(void **state) {
    bh_system *system = make_pair(0, 0);
    (void)state;
    tx_put(system, 0, 0, TX_AHEAD, 4);
    for (unsigned i = 0; i < PACKETS; i++) {
        while (tx_get(system, 0, 0, TX_STATUS))
            pair_run(system, 8);
        send_data(system, 0, 0, 0x10000, 0x20000, PACKET);
    }
    uint64_t before = bh_system_cycle(system);
    while (tx_get(system, 0, 0, TX_ENDED) < PACKETS * FRAMES)
        pair_run(system, 1);
    uint64_t all = bh_system_cycle(system);
    double rate = (double)PACKET * PACKETS * MHZ / 1000 / (double)all;
    assert_true(before < all);
    if (rate < PUBLISHED * 0.9 || rate > PUBLISHED * 1.1)
        fail_msg("%.2f GB/s, published are %.2f", rate, PUBLISHED);
    pair_run(system, 2000);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), PACKETS * FRAMES);
    bh_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_rate_of_a_link) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
