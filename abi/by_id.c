/* libttsim_by_id.so: the client creates chips and connects them. See by_id.h.
 *
 * Source: the calls that tt-umd makes (tt_sim_communicator.cpp, and the wiring in cluster.cpp). */
#include "by_id.h"

#include "device.h"

const bool device_by_id = true;

enum { DRAIN_CLOCKS = 64 };

/* ---- Chips ------------------------------------------------------------------------------------------------------ */

static void expect_init(const char *function) {
    if (!device.users)
        device_expect_chip(function);
}

void *libttsim_create_device_by_id(uint32_t id, int x, int y) {
    (void)x, (void)y;
    expect_init(__func__);
    if (id >= CHIPS_MAX)
        device_die("UndefinedBehavior", "%s: chip %u; numbers up to %d are possible", __func__, id, CHIPS_MAX - 1);
    if (device.chips->chip[id])
        return device.chips->chip[id];
    if (device.chips->described)
        device_die("UndefinedBehavior", "%s: there is no chip %u in BHEMU_SYSTEM, which has %u", __func__, id,
                   bh_system_chip_count(device.chips->system));
    return device_add_chip(id);
}

static bh_chip *chip_of(uint32_t id, const char *function) {
    expect_init(function);
    if (id >= CHIPS_MAX || !device.chips->chip[id])
        device_die("UndefinedBehavior", "%s: chip %u has not been created", function, id);
    return device.chips->chip[id];
}

void libttsim_select_device_by_id(uint32_t id) {
    device.chip = chip_of(id, __func__);
}

void libttsim_clock_all_devices(uint32_t clocks) {
    libttsim_clock(clocks);
}

/* ---- Links ------------------------------------------------------------------------------------------------------ */

/* Returns the number of the chip at this pointer. Ends the process if there is none. */
static unsigned number_of(const void *chip, const char *function) {
    expect_init(function);
    unsigned number = chips_number(device.chips, chip);
    if (number == CHIPS_MAX)
        device_die("UndefinedBehavior", "%s: %p is not a chip", function, chip);
    return number;
}

static bool has_port(const bh_chip *chip, uint32_t port) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_ETH && !info.harvested && info.logical.y == port)
            return true;
    return false;
}

static void expect_port(const void *chip, uint32_t port, const char *function) {
    unsigned number = number_of(chip, function);
    if (!has_port(chip, port))
        device_die("UndefinedBehavior", "%s: chip %u has no Ethernet port %u", function, number, port);
}

void libttsim_switch_reset(void) {
    struct bh_link_stats stats;
    expect_init(__func__);
    bh_system *system = device.chips->system;
    for (unsigned i = 0; bh_system_link_stats(system, i, &stats) == BH_OK; i++)
        if (stats.up)
            device_expect_system_ok(bh_system_cut(system, i));
}

static bool is_end(const struct bh_link *link, unsigned end, unsigned chip, unsigned port) {
    return link->chip[end] == chip && link->port[end] == port;
}

/* Returns whether two cables have the same ends. */
static bool is_same(const struct bh_link *one, const struct bh_link *two) {
    for (unsigned first = 0; first < 2; first++)
        if (is_end(one, first, two->chip[0], two->port[0]) && is_end(one, !first, two->chip[1], two->port[1]))
            return true;
    return false;
}

/* Ends the process if a port of a cable to be is taken by another cable. */
static void expect_free(const struct bh_link *link, const struct bh_link *there, const char *function) {
    for (unsigned i = 0; i < 4; i++) {
        unsigned end = i & 1, other = i >> 1;
        if (is_end(there, other, link->chip[end], link->port[end]))
            device_die("UndefinedBehavior", "%s: port %u of chip %u already leads to port %u of chip %u", function,
                       link->port[end], link->chip[end], there->port[!other], there->chip[!other]);
    }
}

void libttsim_switch_register_peer(void *chip, uint32_t tile, void *peer, uint32_t peer_tile) {
    struct bh_link there;
    struct bh_link_stats stats;
    expect_port(chip, tile, __func__);
    expect_port(peer, peer_tile, __func__);
    bh_system *system = device.chips->system;
    const struct bh_link link = {
        .chip = { number_of(chip, __func__), number_of(peer, __func__) },
        .port = { tile, peer_tile },
    };
    if (link.chip[0] == link.chip[1] && tile == peer_tile)
        device_die("UndefinedBehavior", "%s: both ends are port %u of chip %u", __func__, tile, link.chip[0]);
    for (unsigned i = 0; bh_system_link_at(system, i, &there) == BH_OK; i++) {
        if (!is_same(&there, &link)) {
            expect_free(&link, &there, __func__);
            continue;
        }
        device_expect_system_ok(bh_system_link_stats(system, i, &stats));
        if (!stats.up)
            device_expect_system_ok(bh_system_join(system, i));
        return;
    }
    device_expect_system_ok(bh_system_add_link(system, &link, NULL));
}

static bool has_frames_in_flight(const bh_system *system) {
    struct bh_link_stats stats;
    for (unsigned i = 0; bh_system_link_stats(system, i, &stats) == BH_OK; i++)
        if (stats.up && stats.in_flight[0] + stats.in_flight[1])
            return true;
    return false;
}

void libttsim_switch_drain(void) {
    expect_init(__func__);
    for (unsigned i = 0; i < DRAIN_CLOCKS && has_frames_in_flight(device.chips->system); i++)
        device_run(device.epoch);
}

void libttsim_switch_register(void *chip, uint32_t tile, uint64_t mac) {
    (void)mac;
    expect_port(chip, tile, __func__);
}

void libttsim_configure_eth_link_virtual(void *chip, uint32_t tile, uint64_t mac) {
    (void)mac;
    expect_port(chip, tile, __func__);
}

void libttsim_switch_register_fabric_node_id(void *chip, uint32_t mesh, uint32_t number) {
    (void)mesh, (void)number;
    (void)number_of(chip, __func__);
}

void libttsim_switch_register_fabric_endpoint_direction(void *chip, uint32_t tile, uint32_t direction) {
    (void)direction;
    expect_port(chip, tile, __func__);
}

/* ---- DRAM ------------------------------------------------------------------------------------------------------- */

static void expect_ok(const bh_chip *chip, bh_status status) {
    if (status != BH_OK)
        device_fail(chip, status);
}

static struct bh_xy bank_of(const bh_chip *chip, uint32_t bank, const char *function) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_DRAM && !info.harvested && info.port == 0 && info.logical.x == bank)
            return info.translated;
    device_die("UndefinedBehavior", "%s: chip %u has no DRAM bank %u", function, chips_number(device.chips, chip),
               bank);
}

static struct bh_xy port_at(const bh_chip *chip, uint32_t x, uint32_t y, const char *function) {
    struct bh_tile_info info;
    struct bh_xy tile = { x < 64 ? (uint8_t)x : 255, y < 64 ? (uint8_t)y : 255 };
    if (bh_tile_find(chip, tile, &info) != BH_OK || info.kind != BH_TILE_DRAM)
        device_die("UndefinedBehavior", "%s: chip %u has no DRAM at (%u,%u)", function,
                   chips_number(device.chips, chip), x, y);
    return tile;
}

void libttsim_dram_rd_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, void *data, uint32_t size) {
    bh_chip *chip = chip_of(id, __func__);
    expect_ok(chip, bh_read(chip, bank_of(chip, bank, __func__), address, data, size));
}

void libttsim_dram_wr_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, const void *data, uint32_t size) {
    bh_chip *chip = chip_of(id, __func__);
    expect_ok(chip, bh_write(chip, bank_of(chip, bank, __func__), address, data, size));
}

void libttsim_dram_core_rd_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address, void *data,
                                       uint32_t size) {
    bh_chip *chip = chip_of(id, __func__);
    expect_ok(chip, bh_read(chip, port_at(chip, x, y, __func__), address, data, size));
}

void libttsim_dram_core_wr_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address, const void *data,
                                       uint32_t size) {
    bh_chip *chip = chip_of(id, __func__);
    expect_ok(chip, bh_write(chip, port_at(chip, x, y, __func__), address, data, size));
}
