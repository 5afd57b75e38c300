/* bh_state_diff: what differs has its name and both values, nothing else is reported, and chips without a difference
 * have the same hash. */
#include <string.h>

#include "chip/chip.h"
#include "support/noc_stage.h"

static const struct bh_xy first = { 1, 2 }, second = { 2, 2 };

struct pair {
    bh_chip *chip[2];
    struct bh_difference seen[64];
    size_t count, most;
};

static int make_pair(void **state) {
    static struct pair pair;
    memset(&pair, 0, sizeof pair);
    pair.most = 100;
    for (unsigned i = 0; i < 2; i++) {
        struct bh_config config;
        bh_config_init(&config);
        config.threads = 1;
        if (bh_create(&config, &pair.chip[i], NULL, 0) != BH_OK)
            return -1;
    }
    *state = &pair;
    return 0;
}

static int end(void **state) {
    struct pair *pair = *state;
    bh_destroy(pair->chip[0]);
    bh_destroy(pair->chip[1]);
    return 0;
}

static bool note(void *user, const struct bh_difference *difference) {
    struct pair *pair = user;
    if (pair->count < 64)
        pair->seen[pair->count] = *difference;
    return ++pair->count < pair->most;
}

static size_t diff(struct pair *pair, const struct bh_xy *tile, unsigned flags) {
    pair->count = 0;
    assert_int_equal(bh_state_diff(pair->chip[0], pair->chip[1], tile, flags, note, pair), BH_OK);
    return pair->count;
}

static void assert_is(const struct bh_difference *d, enum bh_part part, const char *name, uint64_t a, uint64_t b) {
    assert_int_equal(d->part, part);
    assert_string_equal(d->name, name);
    assert_int_equal(d->value[0], a);
    assert_int_equal(d->value[1], b);
}

static void assert_one(struct pair *pair, enum bh_part part, const char *name, uint64_t a, uint64_t b) {
    assert_int_equal(diff(pair, NULL, 0), 1);
    assert_is(&pair->seen[0], part, name, a, b);
    assert_true(bh_state_hash(pair->chip[0]) != bh_state_hash(pair->chip[1]));
}

static void test_equal(void **state) {
    struct pair *pair = *state;
    assert_int_equal(diff(pair, NULL, 0), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bh_run(pair->chip[i], 1000, 0, NULL), BH_OK);
    assert_int_equal(diff(pair, NULL, 0), 0);
    assert_int_equal(bh_state_hash(pair->chip[0]), bh_state_hash(pair->chip[1]));
}

static void test_l1(void **state) {
    struct pair *pair = *state;
    uint32_t word = 0x1234;
    assert_int_equal(bh_poke(pair->chip[1], second, 0x5678, &word, sizeof word), BH_OK);
    assert_one(pair, BH_PART_L1, "0x00005678", 0, 0x1234);
    assert_int_equal(pair->seen[0].tile.x, 2);
    assert_int_equal(pair->seen[0].address, 0x5678);
    assert_int_equal(diff(pair, &first, 0), 0);
    assert_int_equal(diff(pair, &second, 0), 1);
}

static void test_dram(void **state) {
    struct pair *pair = *state;
    struct bh_tile_info info;
    uint32_t word = 7;
    for (unsigned i = 0; bh_tile_at(pair->chip[0], i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_DRAM && info.index == 5)
            break;
    assert_int_equal(bh_poke(pair->chip[0], info.translated, 0x01340004, &word, sizeof word), BH_OK);
    assert_one(pair, BH_PART_DRAM, "0x01340004", 7, 0);
    assert_int_equal(pair->seen[0].bank, 5);
}

static void test_registers(void **state) {
    struct pair *pair = *state;
    assert_int_equal(bh_core_set(pair->chip[0], first, BH_TRISC1, 10, 5), BH_OK);
    assert_one(pair, BH_PART_TILE, "core[2].x[10]", 5, 0);
    assert_int_equal(bh_core_set(pair->chip[0], first, BH_TRISC1, 10, 0), BH_OK);
    assert_int_equal(bh_gpr_set(pair->chip[1], first, 2, 63, 9), BH_OK);
    assert_one(pair, BH_PART_TILE, "tensix.gpr[2][63]", 0, 9);
}

/* Members that a function hashes (views), in the middle of inner tables. */
static void test_views(void **state) {
    struct pair *pair = *state;
    struct tile *tile = chip_made(pair->chip[1], 0);
    pair->chip[1]->touched[0] = true;
    tile->tensix.dst.touched = 1;
    tile->tensix.dst.bits[3][4] = 0xABCD;
    assert_int_equal(diff(pair, NULL, 0), 2);
    assert_is(&pair->seen[0], BH_PART_TILE, "tensix.dst.touched", 0, 1);
    assert_is(&pair->seen[1], BH_PART_TILE, "tensix.dst.bits[3][4]", 0, 0xABCD);
    tile->tensix.dst.touched = 0;
    tile->tensix.dst.bits[3][4] = 0;
    tile->tensix.src.touched[1] = 1; /* the view of the banks shows it, their bytes do not */
    tile->tensix.src.format[1][0] = 3;
    assert_int_equal(diff(pair, NULL, 0), 2);
    assert_is(&pair->seen[0], BH_PART_TILE, "tensix.src.format[2]", 0, 3);
    assert_is(&pair->seen[1], BH_PART_TILE, "tensix.src.touched[1]", 0, 1);
}

static void test_what_is_not_seen(void **state) {
    struct pair *pair = *state;
    struct tile *tile = chip_made(pair->chip[1], 0);
    tile->core[0].retired = 7; /* does not enter the hash */
    assert_int_equal(diff(pair, NULL, 0), 0);
    assert_int_equal(bh_state_hash(pair->chip[0]), bh_state_hash(pair->chip[1]));
}

static void test_time(void **state) {
    struct pair *pair = *state;
    assert_int_equal(bh_run(pair->chip[0], 10, 0, NULL), BH_OK);
    assert_true(diff(pair, NULL, 0) >= 1);
    assert_is(&pair->seen[0], BH_PART_CHIP, "time", 10, 0);
    assert_true(pair->seen[0].time);
    assert_int_equal(diff(pair, NULL, BH_DIFF_VALUES), 0);
}

static void test_stops(void **state) {
    struct pair *pair = *state;
    uint8_t bytes[64];
    memset(bytes, 1, sizeof bytes);
    assert_int_equal(bh_poke(pair->chip[0], first, 0x1000, bytes, sizeof bytes), BH_OK);
    assert_int_equal(diff(pair, NULL, 0), 16);
    pair->most = 3;
    assert_int_equal(diff(pair, NULL, 0), 3);
}

static void test_refused(void **state) {
    struct pair *pair = *state;
    struct bh_config config;
    bh_chip *other;
    assert_int_equal(bh_state_diff(NULL, pair->chip[1], NULL, 0, note, pair), BH_ERR_ARGUMENT);
    assert_int_equal(bh_state_diff(pair->chip[0], NULL, NULL, 0, note, pair), BH_ERR_ARGUMENT);
    assert_int_equal(bh_state_diff(pair->chip[0], pair->chip[1], NULL, 0, NULL, pair), BH_ERR_ARGUMENT);
    assert_int_equal(bh_state_diff(pair->chip[0], pair->chip[1], &(struct bh_xy){ 60, 60 }, 0, note, pair),
                     BH_ERR_COORDINATE);
    bh_config_board(&config, BH_BOARD_P100A);
    assert_int_equal(bh_create(&config, &other, NULL, 0), BH_OK);
    assert_int_equal(bh_state_diff(pair->chip[0], other, NULL, 0, note, pair), BH_ERR_STATE);
    bh_destroy(other);
}

/* A packet that goes to another address. */
static void test_packet(void **state) {
    struct pair *pair = *state;
    size_t packets = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct script script = { 0 };
        request(&script, 0, write_to(first, DATA, second, DATA + 0x8000 + 64 * i, 64));
        start(pair->chip[i], first, BH_BRISC, &script);
    }
    for (unsigned cycle = 0; cycle < 400 && !packets; cycle += 10) {
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(bh_run(pair->chip[i], 10, 0, NULL), BH_OK);
        diff(pair, NULL, 0);
        for (size_t i = 0; i < pair->count && i < 64; i++)
            packets += pair->seen[i].part == BH_PART_PACKETS && strstr(pair->seen[i].text[0], "write of 64 bytes") &&
                       strstr(pair->seen[i].text[1], "write of 64 bytes");
        diff(pair, NULL, BH_DIFF_VALUES);
        for (size_t i = 0; i < pair->count && i < 64; i++)
            assert_int_not_equal(pair->seen[i].part, BH_PART_PACKETS);
    }
    assert_int_equal(packets, 1);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(bh_part_name(BH_PART_L1), "L1");
    assert_string_equal(bh_part_name(BH_PART_COUNT), "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_pair, end)
    const struct CMUnitTest tests[] = {
        TEST(test_equal),     TEST(test_l1),    TEST(test_dram),
        TEST(test_registers), TEST(test_views), TEST(test_what_is_not_seen),
        TEST(test_time),      TEST(test_stops), TEST(test_refused),
        TEST(test_packet),    TEST(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
