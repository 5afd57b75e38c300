/* Tests of descriptors (src/system/descriptor.c, yaml.c): tt-umd's form, the short form, and clear errors. */
#include "describe.h"

static void assert_link(bh_system *system, unsigned index, unsigned a, unsigned a_port, unsigned b, unsigned b_port) {
    struct bh_link link;
    assert_int_equal(bh_system_link_at(system, index, &link), BH_OK);
    assert_int_equal(link.chip[0], a);
    assert_int_equal(link.port[0], a_port);
    assert_int_equal(link.chip[1], b);
    assert_int_equal(link.port[1], b_port);
}

static unsigned live(bh_chip *chip, enum bh_tile_kind kind) {
    struct bh_tile_info info;
    unsigned count = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        count += info.kind == kind && !info.harvested;
    return count;
}

/* As tt-umd writes it. */
static void cluster_descriptors_are_read(void **state) {
    static const char text[] =
        "arch:\n  0: blackhole\n  1: blackhole\nchips:\n  {}\nchip_unique_ids:\n  1: 94935\n"
        "ethernet_connections:\n  -\n    - chip: 0\n      chan: 2\n    - chip: 1\n      chan: 9\n"
        "  -\n    - chip: 0\n      chan: 3\n    - chip: 1\n      chan: 8\n"
        "ethernet_connections_to_remote_devices:\n  []\nchips_with_mmio:\n  - 0: 1\n  - 1: 0\n"
        "io_device_type: PCIe\nharvesting:\n  0:\n    noc_translation: true\n"
        "    harvest_mask: 8320\n    dram_harvesting_mask: 0\n    eth_harvesting_mask: 288\n"
        "  1:\n    harvest_mask: 0x10\n    dram_harvesting_mask: 8\n"
        "boards:\n  -\n    - board_id: 4746770444292\n    - board_type: p300\n    - chips:\n"
        "        - 1\n        - 0\nasic_locations:\n  0: 0\n  1: 1\n"
        "chip_to_bus_id:\n  0: \"0x0001\"\n";
    bh_system *system = describe(text);
    struct bh_tile_info info;
    (void)state;
    assert_int_equal(bh_system_chip_count(system), 2);
    assert_int_equal(bh_system_link_count(system), 2);
    assert_link(system, 0, 0, 2, 1, 9);
    assert_link(system, 1, 0, 3, 1, 8);
    assert_int_equal(live(bh_system_chip(system, 0), BH_TILE_TENSIX), 120);
    assert_int_equal(live(bh_system_chip(system, 1), BH_TILE_TENSIX), 130);
    for (unsigned i = 0; bh_tile_at(bh_system_chip(system, 0), i, &info) == BH_OK; i++) {
        if (info.kind == BH_TILE_TENSIX) /* columns 7 and 13 from the left are x = 10 and 16 */
            assert_int_equal(info.harvested, info.noc0.x == 10 || info.noc0.x == 16);
        if (info.kind == BH_TILE_ETH)
            assert_int_equal(info.harvested, info.index == 5 || info.index == 8);
    }
    const struct bh_xy first = { 20, 25 };
    assert_int_equal(read_word(bh_system_chip(system, 1), first, 0x7CFC0) >> 8 & 0xFF, 1); /* location */
    assert_int_equal(read_word(bh_system_chip(system, 1), first, 0x7CFC4), 0x440);         /* a P300 */
    assert_int_equal(read_word(bh_system_chip(system, 1), first, 0x7CFC8), 1);
    assert_int_equal(read_word(bh_system_chip(system, 0), first, 0x7CFC8), 1);
    bh_system_destroy(system);
}

/* The forms that YAML has for the same. */
static void other_forms_mean_the_same(void **state) {
    static const char *const texts[] = {
        "arch: {0: blackhole, 1: blackhole}\nethernet_connections:\n- [{chip: 0, chan: 2}, {chip: 1, chan: 9}]\n",
        ("arch:\n  0: blackhole\n  1: 'blackhole' # a comment\nethernet_connections:\n  - - chip: 0\n      chan: 2\n"
         "    - chip: 1\n      chan: 9\n    - routing: none\n"),
        "---\nchips: 2\nlinks:\n  - 0.2 1.9\n",
        "chips: 2\nlinks: [0.2 1.9]\n",
        "chips: 2\r\nlinks:\r\n- \"0.2 1.9 latency=425 rate=400\"\r\n",
    };
    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bh_system *system = describe(texts[i]);
        struct bh_link link;
        assert_int_equal(bh_system_chip_count(system), 2);
        assert_int_equal(bh_system_link_count(system), 1);
        assert_link(system, 0, 0, 2, 1, 9);
        bh_system_link_at(system, 0, &link);
        assert_int_equal(link.rate, 400);
        bh_system_destroy(system);
    }
}

static void machines_and_more(void **state) {
    (void)state;
    bh_system *system = describe("machine: quietbox\nchips: 1\nboard: p100a\n");
    assert_int_equal(bh_system_chip_count(system), 5);
    assert_int_equal(bh_system_link_count(system), 16);
    static const char more[] = "chips: 2\nlinks:\n  - 0.0 1.1 rate=100\n"; /* counted from its own first chip on */
    assert_int_equal(bh_system_describe(system, more, strlen(more)), BH_OK);
    assert_link(system, 16, 5, 0, 6, 1);
    bh_system_destroy(system);
}

static void wrong_texts_name_their_line(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "the text is empty" },
        { "# nothing\n", "the text is empty" },
        { "machine: toaster\n", "line 1: the machine is none of p150" },
        { "chips: 2\nlnks:\n", "line 2: a descriptor has no key \"lnks\"" },
        { "chips: 2\nchips: 3\n", "line 2: the key stands in the text twice" },
        { "chips: many\n", "line 1: chips: a number" },
        { "chips: 3000\n", "line 1: chips: a number" },
        { "links:\n  - 0.1 1.1\n", "no chips" },
        { "chips: 2\nboard: n300\n", "line 2: the board is none of" },
        { "chips: 2\nlinks:\n  - 0.1 2.1\n", "line 3: a link leads to a chip" },
        { "chips: 2\nlinks:\n  - 0.1 1.12\n", "line 3: link: chip 1 has no Ethernet port 12" },
        { "chips: 2\nlinks:\n  - 0.1 1.1\n  - 1.1 0.4\n", "line 4: link: port 1 of chip 1 already leads" },
        { "chips: 2\nlinks:\n  - 0.1\n", "line 3: a link is CHIP.PORT" },
        { "chips: 2\nlinks:\n  - 0.1 1.1 speed=4\n", "line 3: a link is CHIP.PORT" },
        { "chips: 2\nlinks:\n  - 0.1 1.1 latency=3\n", "line 3: link: a latency of 3" },
        { "arch:\n  0: wormhole_b0\n", "line 2: arch: only chips" },
        { "arch:\n  0: blackhole\n  2: blackhole\n", "arch: the numbers" },
        { "arch:\n  0: blackhole\nharvesting:\n  1:\n    harvest_mask: 0\n", "line 5: the number of a chip" },
        { "arch:\n  0: blackhole\nharvesting:\n  0:\n    harvest_mask: all\n", "line 5: harvesting: a mask" },
        { "arch: {0: blackhole}\nethernet_connections:\n  - - chip: 0\n      chan: 1\n",
          "line 3: a connection is a list" },
        { "arch: {0: blackhole\n", "line 1: a bracket is not closed" },
        { "arch: \"x\n", "line 1: a quote is not closed" },
        { "chips: 2\n   board: p150\n", "line 2: the line is indented further" },
        { "chips: 2\njust a word\n", "line 2: a key with a colon" },
        { "\tchips: 2\n", "line 1: indentation" },
        { "- a\n- b\n", "a descriptor consists of keys" },
        { "machine: p150\nboards:\n  - - chips: [7]\n", "line 3: boards: the number of a chip" },
        { "chips: [1] 2\n", "line 1: something stands behind a value" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(wrong[i].text, wrong[i].message);
}

/* Any text is read or refused, and never more. */
static void texts_of_all_sorts(void **state) {
    static const char text[] =
        "arch: {0: blackhole, 1: blackhole}\nethernet_connections:\n- [{chip: 0, chan: 2}, {chip: 1, "
        "chan: 9}]\nlinks:\n  - 0.1 1.1\nboards:\n  -\n    - board_type: p150\n    - chips: [0, 1]\n";
    (void)state;
    for (size_t cut = 0; cut < sizeof text; cut += 3) {
        bh_system *system = make_empty();
        (void)bh_system_describe(system, text, cut);
        bh_system_destroy(system);
    }
    for (size_t at = 0; at + 1 < sizeof text; at += 5)
        for (const char *other = ":-[]{}\n #'\"9"; *other; other++) {
            char changed[sizeof text];
            bh_system *system = make_empty();
            memcpy(changed, text, sizeof text);
            changed[at] = *other;
            (void)bh_system_describe(system, changed, sizeof text - 1);
            bh_system_destroy(system);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cluster_descriptors_are_read),
        cmocka_unit_test(other_forms_mean_the_same),
        cmocka_unit_test(machines_and_more),
        cmocka_unit_test(wrong_texts_name_their_line),
        cmocka_unit_test(texts_of_all_sorts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
