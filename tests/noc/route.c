/* src/noc/route.c: distances by walking, areas by walking, translation against the page's algorithm, and the tables
 * that firmware programs against the coordinates that the chip's topology knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "chip/topology.h"
#include "noc/route.h"

static uint64_t seed;

static uint32_t noise(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

/* ---- Distance ------------------------------------------------------------------------------------------- */

/* NoC 0 moves right, then down; NoC 1 up, then left. */
static unsigned walk(unsigned noc, unsigned from, unsigned to) {
    int x = (int)from % 17, y = (int)from / 17, step = noc ? -1 : 1;
    unsigned hops = 0;
    while (x != (int)to % 17 || y != (int)to / 17) {
        bool along_x = noc ? y == (int)to / 17 : x != (int)to % 17;
        x = along_x ? (x + step + 17) % 17 : x;
        y = along_x ? y : (y + step + 12) % 12;
        hops++;
    }
    return hops;
}

static void distances(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned from = 0; from < NOC_SITES; from++)
            for (unsigned to = 0; to < NOC_SITES; to++)
                assert_int_equal(route_hops(noc, from, to), walk(noc, from, to));
}

static void sites_and_coordinates(void **state) {
    (void)state;
    for (unsigned site = 0; site < NOC_SITES; site++) {
        assert_int_equal(route_x(0, site), site % 17);
        assert_int_equal(route_y(0, site), site / 17);
        assert_int_equal(route_x(1, site), 16 - site % 17);
        assert_int_equal(route_y(1, site), 11 - site / 17);
        for (unsigned noc = 0; noc < 2; noc++)
            assert_int_equal(route_site(noc, route_x(noc, site), route_y(noc, site)), site);
    }
}

static void times(void **state) {
    (void)state;
    struct noc_request write = { .kind = NOC_KIND_WRITE, .source = 18, .length = 16384, .time = 1000 };
    assert_int_equal(route_request_arrives(&write, 18), 1000 + 14 + 256 + 6);
    assert_int_equal(route_request_arrives(&write, 19), 1000 + 14 + 9 + 256 + 6);
    assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9 * 16 + 256 + 6);
    assert_int_equal(route_request_arrives(&write, 18 + 17), 1000 + 14 + 9 + 256 + 6);
    write.noc = 1;
    assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9 + 256 + 6);
    write.length = 64;
    assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9 + 1);
    write.length = 65;
    assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9 + 2);
    write.kind = NOC_KIND_MASKED;
    write.length = 64;
    assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9 + 1);
    static const uint8_t single[] = { NOC_KIND_READ, NOC_KIND_INLINE, NOC_KIND_ATOMIC };
    for (unsigned i = 0; i < 3; i++) {
        write.kind = single[i];
        assert_int_equal(route_request_arrives(&write, 17), 1000 + 14 + 9);
    }
    struct noc_request read = { .kind = NOC_KIND_READ, .source = 20, .target = 18, .reply = 20, .length = 129 };
    assert_int_equal(route_response_arrives(&read, 18, 7), 7 + 14 + 18 + 3);
    read.kind = NOC_KIND_WRITE;
    assert_int_equal(route_response_arrives(&read, 18, 7), 7 + 14 + 18);
    assert_int_equal(NOC_LATENCY_MIN, 23);
    assert_int_equal(NOC_LATENCY_SELF, 14);
}

/* ---- Areas ---------------------------------------------------------------------------------------------- */

/* The positions of a span in its order; how many there are. */
static unsigned span(unsigned start, unsigned end, unsigned size, unsigned *at) {
    unsigned count = 0;
    for (unsigned i = start;; i = (i + 1) % size) {
        at[count++] = i;
        if (i == end)
            return count;
    }
}

struct strides {
    unsigned keep_x, skip_x, keep_y, skip_y;
};

static bool strided_out(unsigned place, unsigned keep, unsigned skip) {
    return keep && skip && place % (keep + skip) >= keep;
}

/* Plain rectangles and strides: walks the spans. */
static struct noc_sites area_by_walking(unsigned noc, unsigned from, const struct noc_area *area, struct strides s) {
    unsigned xs[17], ys[12];
    unsigned columns = span(area->start_x, area->end_x, 17, xs), rows = span(area->start_y, area->end_y, 12, ys);
    struct noc_sites sites = { { 0 } };
    for (unsigned i = 0; i < columns; i++)
        for (unsigned j = 0; j < rows; j++) {
            unsigned site = noc ? (11 - ys[j]) * 17 + 16 - xs[i] : ys[j] * 17 + xs[i];
            if (strided_out(i, s.keep_x, s.skip_x) || strided_out(j, s.keep_y, s.skip_y))
                continue;
            if (site != from || area->include_source)
                noc_sites_add(&sites, site);
        }
    return sites;
}

static void assert_same(struct noc_sites a, struct noc_sites b) {
    assert_memory_equal(&a, &b, sizeof a);
}

static void all_rectangles(void **state) {
    (void)state;
    struct strides none = { 0 };
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned x = 0; x < 17 * 17; x++)
            for (unsigned y = 0; y < 12 * 12; y++) {
                struct noc_area area = {
                    .start_x = (uint8_t)(x / 17),
                    .end_x = (uint8_t)(x % 17),
                    .start_y = (uint8_t)(y / 12),
                    .end_y = (uint8_t)(y % 12),
                    .include_source = (x + y) % 2,
                };
                unsigned from = (x * 7 + y) % NOC_SITES;
                assert_null(route_area_check(&area));
                assert_same(route_area(noc, from, &area), area_by_walking(noc, from, &area, none));
            }
}

static void strides(void **state) {
    (void)state;
    seed = 1;
    for (unsigned round = 0; round < 200000; round++) {
        uint32_t bits = noise() & 0xFF;
        struct strides s = { bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6 };
        struct noc_area area = {
            .exclude = bits | (noise() & 0x3FFF00), /* a corner that is not applied */
            .start_x = (uint8_t)(noise() % 17),
            .end_x = (uint8_t)(noise() % 17),
            .start_y = (uint8_t)(noise() % 12),
            .end_y = (uint8_t)(noise() % 12),
        };
        unsigned from = noise() % NOC_SITES;
        bool three_x = s.keep_x && s.skip_x && (s.keep_x + s.skip_x) % 2 && area.start_x > area.end_x;
        bool three_y = s.keep_y && s.skip_y && (s.keep_y + s.skip_y) % 2 && area.start_y > area.end_y;
        bool six = (s.keep_x == 3 && s.skip_x == 3 && area.start_x > area.end_x) ||
                   (s.keep_y == 3 && s.skip_y == 3 && area.start_y > area.end_y);
        assert_int_equal(route_area_check(&area) != NULL, three_x || three_y || six);
        if (!route_area_check(&area))
            assert_same(route_area(round % 2, from, &area), area_by_walking(round % 2, from, &area, s));
    }
}

/* Sides: larger coordinates with 1, smaller ones with 0; the corner itself is excluded. */
static void excluded_quadrants(void **state) {
    (void)state;
    struct strides none = { 0 };
    for (unsigned round = 0; round < 2 * 4 * NOC_SITES; round++) {
        unsigned noc = round % 2, sides = round / 2 % 4, x = round / 8 % 17, y = round / 8 / 17;
        struct noc_area area = { .start_x = 2, .start_y = 3, .end_x = 12, .end_y = 9, .include_source = true };
        struct noc_sites expected = area_by_walking(noc, 0, &area, none);
        for (unsigned site = 0; site < NOC_SITES; site++) {
            unsigned at_x = noc ? 16 - site % 17 : site % 17, at_y = noc ? 11 - site / 17 : site / 17;
            bool beyond_x = sides & 1 ? at_x >= x : at_x <= x;
            bool beyond_y = sides & 2 ? at_y >= y : at_y <= y;
            if (beyond_x && beyond_y)
                noc_sites_remove(&expected, site);
        }
        area.exclude = 1u << 22 | sides << 20 | y << 14 | x << 8;
        assert_same(route_area(noc, 0, &area), expected);
    }
}

static unsigned sites_count(const struct noc_sites *sites) {
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++)
        count += (unsigned)__builtin_popcountll(sites->word[i]);
    return count;
}

/* Where the span wraps, from its start on: columns 15, 16, 0, 1 without the side of 0. */
static void a_quadrant_of_a_span_that_wraps(void **state) {
    (void)state;
    struct noc_area area = { .start_x = 15, .end_x = 1, .start_y = 4, .end_y = 4, .include_source = true };
    area.exclude = 1u << 22 | 1u << 20 | 1u << 21 | 4u << 14 | 0u << 8;
    struct noc_sites sites = route_area(0, 0, &area);
    assert_int_equal(sites_count(&sites), 2);
    assert_true(noc_sites_has(&sites, 4 * 17 + 15) && noc_sites_has(&sites, 4 * 17 + 16));
    area.exclude = 1u << 22 | 4u << 14 | 0u << 8;
    sites = route_area(0, 0, &area);
    assert_int_equal(sites_count(&sites), 1);
    assert_true(noc_sites_has(&sites, 4 * 17 + 1));
}

static void sets(void **state) {
    (void)state;
    struct noc_sites sites = { { 0 } };
    static const unsigned member[] = { 0, 1, 63, 64, 127, 130, 203 };
    for (unsigned i = 0; i < 7; i++)
        noc_sites_add(&sites, member[6 - i]);
    assert_int_equal(sites_count(&sites), 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_true(noc_sites_has(&sites, member[i]));
        assert_int_equal(noc_sites_next(&sites), member[i]);
        assert_false(noc_sites_has(&sites, member[i]));
    }
    assert_int_equal(noc_sites_next(&sites), NOC_NOWHERE);
}

static void bits_that_mean_nothing(void **state) {
    (void)state;
    for (unsigned bit = 24; bit < 32; bit++) {
        struct noc_area area = { .exclude = 1u << bit };
        assert_non_null(strstr(route_area_check(&area), "BRCST_EXCLUDE"));
    }
    struct noc_area area = { .exclude = 1u << 23 };
    assert_null(route_area_check(&area));
}

/* ---- Translation ---------------------------------------------------------------------------------------- */

/* The page's tables: 32 entries of five bits, six in a word. */
static void unpack(const uint32_t *word, uint8_t *entry) {
    for (unsigned i = 0; i < 32; i++)
        entry[i] = (uint8_t)(word[i / 6] >> 5 * (i % 6) & 31);
}

static void translate_by_page(const uint32_t *config, unsigned *x, unsigned *y) {
    uint8_t x_table[32], y_table[32], ddr_table[32];
    unpack(config + 6, x_table);
    unpack(config + 12, y_table);
    unpack(config + 22, ddr_table);
    uint32_t ddr_columns = (config[27] & 1u << 10 ? 1u << 9 : 0) | (config[27] & 1u << 11 ? 1u << 0 : 0);
    unsigned x31 = *x & 31, y31 = *y & 31, old_x = *x, old_y = *y;
    bool swap = config[28] >> y31 & 1 && ddr_columns >> (x31 ^ 9) & 1;
    *x = swap ? x31 ^ 9 : config[21] >> y31 & 1 ? old_x : x_table[x31];
    *y = ddr_columns >> x31 & 1 ? ddr_table[y31] : config[20] >> x31 & 1 ? old_y : y_table[y31];
}

static void any_tables(void **state) {
    (void)state;
    seed = 2;
    for (unsigned round = 0; round < 300; round++) {
        uint32_t config[32];
        for (unsigned i = 0; i < 32; i++)
            config[i] = noise();
        for (unsigned at = 0; at < 64 * 64; at++) {
            unsigned x = at % 64, y = at / 64, ref_x = x, ref_y = y;
            route_translate(config, &x, &y);
            if (config[0] >> 14 & 1)
                translate_by_page(config, &ref_x, &ref_y);
            assert_int_equal(x, ref_x);
            assert_int_equal(y, ref_y);
        }
    }
}

/* ---- Tables of firmware --------------------------------------------------------------------------------- */

static void make_grid(const struct topology *topology, struct noc_grid *grid) {
    for (unsigned site = 0; site < NOC_SITES; site++) {
        grid->kind[site] = (uint8_t)topology->site[site].kind;
        grid->dead[site] = topology->site[site].harvested;
        grid->translated[site] = topology->site[site].translated;
    }
    route_firmware(grid);
}

static void copy_tables(uint32_t config[32], const struct noc_grid *grid, unsigned noc) {
    memset(config, 0, 32 * sizeof config[0]);
    memcpy(config, grid->firmware[noc], sizeof grid->firmware[noc]);
}

static void check_tables(const struct topology *topology, const struct noc_grid *grid, unsigned noc) {
    uint32_t config[32];
    copy_tables(config, grid, noc);
    for (unsigned at = 0; at < 64 * 64; at++) {
        unsigned x = at % 64, y = at / 64, site = topology->lookup[noc][at];
        if (site == TOPOLOGY_NONE)
            continue;
        route_translate(config, &x, &y);
        assert_true(x < 17 && y < 12);
        assert_int_equal(route_site(noc, x, y), site);
    }
    for (unsigned site = 0; site < NOC_SITES; site++) {
        bool takes = grid->kind[site] == BH_TILE_TENSIX && !grid->dead[site];
        bool out = config[2] >> route_x(noc, site) & 1 || config[4] >> route_y(noc, site) & 1;
        assert_int_equal(takes, !out);
    }
    assert_int_equal(config[2] >> 17 | config[4] >> 12, 0);
}

static void tables_of_boards(void **state) {
    (void)state;
    static struct topology topology;
    static struct noc_grid grid;
    seed = 3;
    for (unsigned round = 0; round < 400; round++) {
        struct bh_config config;
        bh_config_board(&config, round % 2 ? BH_BOARD_P100A : BH_BOARD_P150);
        if (round > 1) {
            config.tensix_harvest = (uint16_t)(1u << noise() % 14);
            config.tensix_harvest |= (uint16_t)(1u << noise() % 14);
            config.dram_harvest = (uint8_t)(noise() % 2 << noise() % 8);
            config.eth_harvest = (uint16_t)(1u << round % 14 | 1u << (round + 1 + noise() % 13) % 14);
        }
        assert_null(topology_init(&topology, &config));
        make_grid(&topology, &grid);
        check_tables(&topology, &grid, 0);
        check_tables(&topology, &grid, 1);
    }
}

/* A coordinate that no tile uses. */
static void coordinates_of_no_tile(void **state) {
    (void)state;
    static struct topology topology;
    static struct noc_grid grid;
    struct bh_config config;
    uint32_t words[32];
    bh_config_board(&config, BH_BOARD_P150);
    assert_null(topology_init(&topology, &config));
    make_grid(&topology, &grid);
    copy_tables(words, &grid, 0);
    unsigned x = 3, y = 31;
    route_translate(words, &x, &y);
    assert_true(y >= 12);
    x = 40;
    y = 1;
    route_translate(words, &x, &y); /* rows 0 and 1 keep x */
    assert_int_equal(x, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(sites_and_coordinates),
        cmocka_unit_test(times),
        cmocka_unit_test(all_rectangles),
        cmocka_unit_test(strides),
        cmocka_unit_test(excluded_quadrants),
        cmocka_unit_test(a_quadrant_of_a_span_that_wraps),
        cmocka_unit_test(sets),
        cmocka_unit_test(bits_that_mean_nothing),
        cmocka_unit_test(any_tables),
        cmocka_unit_test(tables_of_boards),
        cmocka_unit_test(coordinates_of_no_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
