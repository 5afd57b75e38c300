/* tt-umd's questions to a chip that it discovers, as on a card, without a cluster descriptor beside the library: PCI
 * devices, ARC's firmware and telemetry, results of Ethernet firmware. Sources: tt-umd's topology_discovery.cpp,
 * topology_discovery_blackhole.cpp, blackhole_device_firmware.cpp, firmware_utils.cpp.
 *     discovery LIBRARY
 */
#include "chip.h"

/* ---- Devices -------------------------------------------------------------------------------------------------- */

/* Function 0 of every device of bus 0; other buses must not end the process. */
static void one_device_on_the_bus(void **state) {
    (void)state;
    for (uint32_t device = 0; device < 32; device++)
        assert_int_equal(abi.config_read(device << 3, 0), device ? UINT32_MAX : 0xB1401E52);
    for (uint32_t bus = 1; bus < 256; bus++)
        assert_int_equal(abi.config_read(bus << 8, 0), UINT32_MAX);
}

/* ---- ARC -------------------------------------------------------------------------------------------------------- */

static uint32_t arc(uint64_t address) {
    return read32(&abi, 8, 0, address);
}

static bool find_tag(unsigned tag, uint32_t *value) {
    uint32_t values = arc(0x80030430), table = arc(0x80030434);
    for (uint32_t i = 0, count = arc(table + 4); i < count; i++) {
        uint32_t entry = arc(table + 8 + 4 * i);
        if ((entry & 0xFFFF) == tag) {
            *value = arc(values + 4 * (entry >> 16));
            return true;
        }
    }
    return false;
}

static uint32_t tag(unsigned number) {
    uint32_t value = 0;
    if (!find_tag(number, &value))
        fail_msg("no telemetry tag %u", number);
    return value;
}

static void firmware_is_ready(void **state) {
    (void)state;
    assert_int_equal(bus_word(BAR0 + 0x1FD04100) >> 14 & 1, 1); /* coordinates are translated */
    assert_int_equal(arc(0x80030408) & 7, 5);                   /* boot status */
    assert_int_not_equal(arc(0x8003042C), 0);                   /* queues */
}

/* Below 18.5 tt-umd refuses a Blackhole, below 18.12 it cannot number the channels of a P300. From 19.5 on it expects
 * a P150 to have dead columns. */
static void bundle_version_suits_the_board(void **state) {
    (void)state;
    uint32_t version = tag(28);
    assert_in_range(version >> 16, 18 << 8 | 12, 19 << 8 | 4);
}

/* A P150, by bits 55:36 of its board id; two Ethernet channels are off, and the PCIe tile at (11,0). */
static void telemetry_has_the_harvesting(void **state) {
    (void)state;
    uint64_t board = (uint64_t)tag(1) << 32 | tag(2);
    assert_int_equal(board >> 36 & 0xFFFFF, 0x40);
    assert_int_equal(~tag(34) & 0x3FFF, 0);      /* Tensix columns */
    assert_int_equal(~tag(35) & 0x3FFF, 0x3000); /* Ethernet channels, which tt-umd assumes where it cannot ask */
    assert_int_equal(~tag(36) & 0xFF, 0);        /* GDDR */
    assert_int_equal(tag(37), 0xF);              /* L2CPUs */
    assert_int_equal(tag(38) & 3, 1);            /* PCIe 0 is the endpoint */
    assert_int_not_equal(tag(38) >> 2 & 3, 1);
    assert_int_equal(tag(52), 0);
    assert_int_not_equal((uint64_t)tag(61) << 32 | tag(62), 0);
    assert_int_equal(tag(22) & 0xFFFF, 0x5555); /* GDDR is trained */
}

/* ---- Ethernet --------------------------------------------------------------------------------------------------- */

enum { LIVE = 12, ROW = 25, FIRST = 20, PORT_UP = 1, PORT_DOWN = 2 };

/* The link is not in training, so tt-umd does not wait; it is not up, so tt-umd looks for no chip at the other end; and
 * E0 is in reset, which tt-umd takes for a channel without firmware of its own. */
static void links_are_down(void **state) {
    (void)state;
    for (unsigned channel = 0; channel < LIVE; channel++) {
        assert_int_equal(read32(&abi, FIRST + channel, ROW, 0x7CC04), PORT_DOWN);
        assert_int_equal(read32(&abi, FIRST + channel, ROW, 0xFFB121B0) >> 11 & 1, 1);
    }
}

/* Firmware's heartbeat: 0xABCD above a count that goes on while time passes. */
static void firmware_is_alive(void **state) {
    (void)state;
    uint32_t first = read32(&abi, FIRST, ROW, 0x7CC70);
    assert_int_equal(first >> 16, 0xABCD);
    abi.clock(4);
    uint32_t second = read32(&abi, FIRST, ROW, 0x7CC70);
    assert_int_equal(second >> 16, 0xABCD);
    assert_int_not_equal(first, second);
    assert_in_range(read32(&abi, FIRST, ROW, 0x7CFBC) & 0xFFFFFF, 0x010401, 0x01FFFF); /* 1.4.1 and above */
}

/* Board, place on it, channel by its place and among live ones, ASIC: as telemetry has it. */
static void channels_know_their_board(void **state) {
    (void)state;
    static const uint8_t column[LIVE] = { 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11 };
    for (unsigned channel = 0; channel < LIVE; channel++) {
        unsigned x = FIRST + channel;
        assert_int_equal(read32(&abi, x, ROW, 0xFFB20044) & 63, column[channel]);
        assert_int_equal(read32(&abi, x, ROW, 0x7CFC0), channel << 24 | channel << 16);
        assert_int_equal(read32(&abi, x, ROW, 0x7CFC4), tag(1));
        assert_int_equal(read32(&abi, x, ROW, 0x7CFC8), tag(2));
        assert_int_equal(read32(&abi, x, ROW, 0x7CFD4), tag(61));
        assert_int_equal(read32(&abi, x, ROW, 0x7CFD8), tag(62));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        TEST(one_device_on_the_bus),        TEST(firmware_is_ready), TEST(bundle_version_suits_the_board),
        TEST(telemetry_has_the_harvesting), TEST(links_are_down),    TEST(firmware_is_alive),
        TEST(channels_know_their_board),
    };
    if (count < 2) {
        fprintf(stderr, "usage: discovery LIBRARY\n");
        return 2;
    }
    library = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
