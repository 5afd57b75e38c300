/* When requests to host memory are served: the latency of reads, and the rate of PCI Express, which tiles share. */
#include <string.h>

#include "chip/channel.h"
#include "support/noc_stage.h"

static const struct bh_xy pcie = { 19, 24 };

enum { PIECE = 16384, PIECES = 8, FLITS = PIECE / 64 };

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user, (void)address;
    memset(data, 0x5A, size);
}
static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user, (void)address, (void)data, (void)size;
}

static bh_chip *with_host(enum bh_timing timing) {
    struct bh_config config;
    bh_config_init(&config);
    config.timing = timing;
    config.threads = 1;
    config.skew = 1;
    config.epoch = EXACT;
    config.host_read = host_read;
    config.host_write = host_write;
    return make_configured(&config);
}

/* Returns the cycles from the start of a read of one word until the answer is back. */
static uint64_t time_of_read(uint32_t high, uint32_t low) {
    bh_chip *chip = with_host(BH_TIMING_CYCLES);
    struct script script = { 0 };
    struct script_request r = read_from(pcie, low, here, DATA + low % 64, 4);
    r.targ_mid = high;
    request(&script, 0, r);
    start(chip, here, BH_BRISC, &script);
    uint64_t sent = changes_at(chip, here, script_counter(0, NIU_OUTSTANDING));
    uint64_t back = changes_at(chip, here, script_counter(0, NIU_RD_RESP_RECEIVED));
    bh_destroy(chip);
    return back - sent;
}

static void reads_of_memory_take_longer_than_those_of_registers(void **state) {
    const uint32_t windows[] = { 0, 3u << 26, 1u << 28, 7u << 26 };
    uint64_t niu = time_of_read(UINT32_MAX, 0xFFB20044);
    (void)state;
    assert_int_equal(time_of_read(62u << 26, 0x78), niu);           /* a register of the controller */
    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++) /* a flit takes two cycles, not one */
        assert_int_equal(time_of_read(windows[i], 0x1000), niu - NOC_L1_READ + channel_host.read + 1);
}

/* Lets each of these tiles read PIECES pieces from host memory, or write as many to it. Returns the cycle in which all
 * tiles are done. */
static uint64_t time_of_pieces(unsigned readers, unsigned writers) {
    bh_chip *chip = with_host(BH_TIMING_CYCLES);
    uint64_t last = 0;
    for (unsigned i = 0; i < readers + writers; i++) {
        struct bh_xy tile = { (uint8_t)(1 + i), 2 };
        struct script script = { 0 };
        bool reads = i < readers;
        for (unsigned k = 0; k < PIECES; k++)
            request(&script, i % 2,
                    reads ? read_from(pcie, 0x1000, tile, DATA, PIECE) : write_to(tile, DATA, pcie, 0x1000, PIECE));
        wait_for(&script, i % 2, reads ? NIU_RD_RESP_RECEIVED : NIU_WR_ACK_RECEIVED, PIECES);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        start(chip, tile, BH_BRISC, &script);
    }
    for (unsigned i = 0; i < readers + writers; i++) {
        struct bh_xy tile = { (uint8_t)(1 + i), 2 };
        if (peek_word(chip, tile, DONE) == 0)
            last = changes_at(chip, tile, DONE);
    }
    bh_destroy(chip);
    return last;
}

static void assert_near(uint64_t cycles, uint64_t wanted) {
    enum { AROUND = 700 }; /* scripts, routes, and the packet with which a crowd begins or ends */
    assert_in_range(cycles, wanted, wanted + AROUND);
}

static void tiles_share_the_rate(void **state) {
    const uint64_t piece = channel_cycles(&channel_host, FLITS),
                   room = channel_cycles(&channel_host, channel_host.room);
    (void)state;
    for (unsigned tiles = 1; tiles <= 4; tiles *= 2) {
        assert_near(time_of_pieces(tiles, 0), tiles * PIECES * piece + channel_host.read);
        assert_near(time_of_pieces(0, tiles), tiles * PIECES * piece - room);
    }
}

static void reads_and_writes_do_not_wait_for_each_other(void **state) {
    (void)state;
    uint64_t reads = time_of_pieces(2, 0), both = time_of_pieces(2, 2);
    assert_in_range(both, reads, reads + reads / 20);
}

/* With loose timing, requests are copies. */
static void loose_timing_has_no_latency(void **state) {
    enum { SOON = 300 };
    bh_chip *chip = with_host(BH_TIMING_LOOSE);
    struct script script = { 0 };
    (void)state;
    request(&script, 0, read_from(pcie, 0x1000, here, DATA, 4));
    start(chip, here, BH_BRISC, &script);
    assert_in_range(changes_at(chip, here, DATA), 1, SOON);
    assert_int_equal(peek_word(chip, here, DATA), 0x5A5A5A5A);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_memory_take_longer_than_those_of_registers),
        cmocka_unit_test(tiles_share_the_rate),
        cmocka_unit_test(reads_and_writes_do_not_wait_for_each_other),
        cmocka_unit_test(loose_timing_has_no_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
