/* Tests of src/chip/topology.c. Expected coordinates of harvested chips are what tt-umd's coordinate manager gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "chip/topology.h"

static struct topology make(enum bh_board board, unsigned tensix, unsigned eth, unsigned dram) {
    struct topology topology;
    struct bh_config config = {
        .board = board, .tensix_harvest = (uint16_t)tensix, .eth_harvest = (uint16_t)eth, .dram_harvest = (uint8_t)dram
    };
    const char *wrong = topology_init(&topology, &config);
    assert_null(wrong);
    return topology;
}

static const struct bh_tile_info *at(const struct topology *topology, unsigned noc, unsigned x, unsigned y) {
    unsigned site = topology_find(topology, noc, (struct bh_xy){ (uint8_t)x, (uint8_t)y });
    assert_int_not_equal(site, TOPOLOGY_NONE);
    return &topology->site[site];
}

static void assert_xy(struct bh_xy is, unsigned x, unsigned y) {
    assert_int_equal(is.x, x);
    assert_int_equal(is.y, y);
}

static void counts_of_kinds(void **state) {
    (void)state;
    static const unsigned expected[BH_TILE_KIND_COUNT] = { 140, 24, 14, 2, 1, 4, 1, 18 };
    unsigned count[BH_TILE_KIND_COUNT] = { 0 };
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    for (unsigned i = 0; i < TOPOLOGY_SITES; i++)
        count[t.site[i].kind]++;
    assert_memory_equal(count, expected, sizeof expected);
}

static void instances_are_distinct(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    for (unsigned i = 0; i < TOPOLOGY_SITES; i++)
        for (unsigned j = 0; j < i; j++)
            if (t.site[i].kind != BH_TILE_ROUTER && t.site[i].kind == t.site[j].kind &&
                t.site[i].port == t.site[j].port)
                assert_int_not_equal(t.site[i].index, t.site[j].index);
}

static void tensix_unharvested_is_identity(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
        const struct bh_tile_info *info = &t.site[t.tensix_site[i]];
        assert_int_equal(info->kind, BH_TILE_TENSIX);
        assert_int_equal(info->index, i);
        assert_xy(info->translated, info->noc0.x, info->noc0.y);
        assert_false(info->harvested);
    }
    assert_xy(at(&t, 0, 10, 2)->logical, 7, 0);
    assert_xy(at(&t, 0, 16, 11)->logical, 13, 9);
}

/* Bits 6 and 7 are x = 4 and 13; bit 6 goes outermost. */
static void dead_columns_go_right(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P100A, 0x00C0, 0x3FFF, 0x08);
    static const uint8_t live[12] = { 1, 2, 3, 5, 6, 7, 10, 11, 12, 14, 15, 16 };
    static const uint8_t slots[14] = { 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16 };
    for (unsigned i = 0; i < 12; i++) {
        const struct bh_tile_info *info = at(&t, 0, slots[i], 7);
        assert_xy(info->noc0, live[i], 7);
        assert_xy(info->logical, i, 5);
        assert_false(info->harvested);
    }
    assert_xy(at(&t, 0, 16, 2)->noc0, 4, 2);
    assert_xy(at(&t, 0, 15, 2)->noc0, 13, 2);
    assert_true(at(&t, 0, 15, 2)->harvested);
    assert_xy(at(&t, 0, 16, 2)->logical, TOPOLOGY_NONE, TOPOLOGY_NONE);
}

static void assert_bank(const struct topology *t, unsigned x, unsigned y, unsigned bank) {
    for (unsigned port = 0; port < 3; port++) {
        const struct bh_tile_info *info = at(t, 0, x, y + port);
        assert_int_equal(info->kind, BH_TILE_DRAM);
        assert_int_equal(info->index, bank);
        assert_int_equal(info->port, port);
    }
}

static void dram_columns(void **state) {
    (void)state;
    static const struct {
        uint8_t harvest, west[4], east[4]; /* banks at x = 17 and 18 from y = 12 */
    } cases[] = {
        { 0x00, { 0, 1, 2, 3 }, { 4, 5, 6, 7 } }, { 0x01, { 5, 6, 7, 4 }, { 1, 2, 3, 0 } },
        { 0x08, { 4, 5, 6, 7 }, { 0, 1, 2, 3 } }, { 0x02, { 4, 6, 7, 5 }, { 0, 2, 3, 1 } },
        { 0x20, { 0, 2, 3, 1 }, { 4, 6, 7, 5 } }, { 0x80, { 0, 1, 2, 3 }, { 4, 5, 6, 7 } },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topology t = make(BH_BOARD_P150, 0, 0x120, cases[i].harvest);
        for (unsigned slot = 0; slot < 4; slot++) {
            assert_bank(&t, 17, 12 + 3 * slot, cases[i].west[slot]);
            assert_bank(&t, 18, 12 + 3 * slot, cases[i].east[slot]);
        }
        assert_int_equal(at(&t, 0, 18, 21)->harvested, cases[i].harvest != 0);
    }
}

/* Ports of a bank in the order software counts them; logical banks skip the dead one. */
static void dram_positions(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    assert_xy(at(&t, 0, 17, 12)->noc0, 0, 0);
    assert_xy(at(&t, 0, 17, 14)->noc0, 0, 11);
    assert_xy(at(&t, 0, 17, 16)->noc0, 0, 10);
    assert_xy(at(&t, 0, 18, 18)->noc0, 9, 9);
    assert_xy(at(&t, 0, 18, 23)->noc0, 9, 6);
    t = make(BH_BOARD_P150, 0, 0x120, 0x08);
    assert_xy(at(&t, 0, 17, 12)->logical, 3, 0);
    assert_xy(at(&t, 0, 18, 12)->logical, 0, 0);
}

static void ethernet_channels(void **state) {
    (void)state;
    static const uint8_t live[12] = { 1, 16, 2, 15, 3, 4, 13, 12, 6, 11, 7, 10 }; /* without channels 5 and 8 */
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    for (unsigned i = 0; i < 12; i++) {
        assert_xy(at(&t, 0, 20 + i, 25)->noc0, live[i], 1);
        assert_xy(at(&t, 0, 20 + i, 25)->logical, 0, i);
    }
    assert_true(at(&t, 0, 14, 1)->harvested);
    assert_true(at(&t, 0, 5, 1)->harvested);
    t = make(BH_BOARD_P100A, 0, 0x3FFF, 0);
    assert_int_equal(topology_find(&t, 0, (struct bh_xy){ 20, 25 }), TOPOLOGY_NONE);
}

static void pcie_is_the_boards(void **state) {
    (void)state;
    struct topology p150 = make(BH_BOARD_P150, 0, 0x120, 0);
    struct topology p100a = make(BH_BOARD_P100A, 0, 0x3FFF, 0);
    assert_xy(at(&p150, 0, 19, 24)->noc0, 2, 0);
    assert_xy(at(&p100a, 0, 19, 24)->noc0, 11, 0);
    assert_true(at(&p150, 0, 11, 0)->harvested);
    assert_xy(at(&p150, 0, 2, 0)->translated, 19, 24);
}

/* The second chip of a P300 and the chips of a Galaxy have their host on the other tile. */
static void pcie_depends_on_the_location(void **state) {
    (void)state;
    for (unsigned location = 0; location < 2; location++) {
        struct bh_config config;
        bh_config_board(&config, BH_BOARD_P300);
        config.location = (uint8_t)location;
        assert_int_equal(topology_host_pcie(&config), location);
        bh_config_board(&config, BH_BOARD_GALAXY);
        config.location = (uint8_t)location;
        assert_int_equal(topology_host_pcie(&config), 1);
    }
}

/* Raw coordinates that do not collide with translated ones mean themselves. */
static void raw_where_unambiguous(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    assert_int_equal(at(&t, 0, 8, 0)->kind, BH_TILE_ARC);
    assert_int_equal(at(&t, 0, 8, 2)->kind, BH_TILE_SECURITY);
    assert_int_equal(at(&t, 0, 8, 30)->kind, BH_TILE_SECURITY);
    assert_int_equal(at(&t, 0, 8, 26)->kind, BH_TILE_L2CPU);
    assert_xy(at(&t, 0, 8, 27)->noc0, 8, 9);
    assert_int_equal(at(&t, 0, 0, 5)->kind, BH_TILE_DRAM);
    assert_int_equal(at(&t, 0, 9, 11)->kind, BH_TILE_DRAM);
    assert_int_equal(at(&t, 0, 8, 4)->kind, BH_TILE_ROUTER);
    assert_int_equal(topology_find(&t, 0, (struct bh_xy){ 17, 2 }), TOPOLOGY_NONE);
    assert_int_equal(topology_find(&t, 0, (struct bh_xy){ 200, 2 }), TOPOLOGY_NONE);
    assert_int_equal(topology_find(&t, 1, (struct bh_xy){ 1, 64 }), TOPOLOGY_NONE);
}

/* On NoC 1, rows 0 and 1 keep their y and count x from the right; translated coordinates are the same. */
static void rows_0_and_1_on_noc_1(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    assert_xy(at(&t, 1, 15, 0)->noc0, 1, 0);
    assert_xy(at(&t, 1, 2, 1)->noc0, 14, 1);
    assert_xy(at(&t, 1, 14, 0)->translated, 19, 24);
    assert_xy(at(&t, 1, 8, 10)->noc0, 8, 10);
    assert_xy(at(&t, 1, 3, 4)->noc0, 3, 4);
    assert_xy(at(&t, 1, 18, 12)->noc0, 9, 0);
    assert_xy(at(&t, 1, 3, 4)->noc1, 13, 7);
}

static void endpoint_ids(void **state) {
    (void)state;
    struct topology t = make(BH_BOARD_P150, 0, 0x120, 0);
    assert_int_equal(topology_endpoint_class(at(&t, 0, 16, 11)), 0x0100);
    assert_int_equal(topology_endpoint_index(at(&t, 0, 16, 11)), 139);
    assert_int_equal(topology_endpoint_class(at(&t, 0, 0, 0)), 0x0800);
    assert_int_equal(topology_endpoint_class(at(&t, 0, 8, 3)), 0x0901);
    assert_int_equal(topology_endpoint_index(at(&t, 0, 11, 0)), 2);
    assert_int_equal(topology_endpoint_index(at(&t, 0, 2, 0)), 2);
}

static void bad_configurations(void **state) {
    (void)state;
    static const struct bh_config bad[] = {
        { .board = (enum bh_board)7, .eth_harvest = 0x120 },
        { .tensix_harvest = 0x4000, .eth_harvest = 0x120 },
        { .tensix_harvest = 0x3FFF, .eth_harvest = 0x120 },
        { .eth_harvest = 0 },
        { .eth_harvest = 1 },
        { .eth_harvest = 0x8120 },
        { .eth_harvest = 0x120, .dram_harvest = 3 },
    };
    struct topology t;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_non_null(topology_init(&t, &bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_kinds),
        cmocka_unit_test(instances_are_distinct),
        cmocka_unit_test(tensix_unharvested_is_identity),
        cmocka_unit_test(dead_columns_go_right),
        cmocka_unit_test(dram_columns),
        cmocka_unit_test(dram_positions),
        cmocka_unit_test(ethernet_channels),
        cmocka_unit_test(pcie_is_the_boards),
        cmocka_unit_test(pcie_depends_on_the_location),
        cmocka_unit_test(raw_where_unambiguous),
        cmocka_unit_test(rows_0_and_1_on_noc_1),
        cmocka_unit_test(endpoint_ids),
        cmocka_unit_test(bad_configurations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
