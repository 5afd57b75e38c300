/* A loosely timed NoC: memories and counters come out as documented and as they do in time (support/noc_world.h,
 * noc_soak.h), the same for any number of host threads.
 *
 *     noc_loose [ROUNDS [SEED]]
 */
#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_soak.h"
#include "support/noc_world.h"

static unsigned rounds = 1;
static uint64_t seed = 11;

/* ---- Random requests, against plain arrays -------------------------------------------------------------------------
 */

struct setting {
    unsigned sources, requests;
    uint32_t part, limit; /* bytes of a source's part of a memory, and of a request */
    enum bh_core core;
    unsigned skew, epoch;
    enum bh_board board;
};

/* The chip at rest. */
static bh_chip *run_world(const struct setting *setting, uint64_t number, enum bh_timing timing, unsigned threads) {
    struct bh_config config;
    struct world *world;
    struct bh_stop stop;
    bh_config_board(&config, setting->board);
    config.timing = timing;
    config.threads = threads;
    config.skew = setting->skew;
    config.epoch = setting->epoch;
    config.host_read = world_host_read;
    config.host_write = world_host_write;
    config.user = &world;
    bh_chip *chip = make_configured(&config);
    world = world_create(chip, number, setting->sources, setting->part);
    world_load_memory(world, chip);
    world_draw_all(world, setting->requests, setting->limit);
    world_start(world, chip, setting->core);
    assert_int_equal(bh_run(chip, 100000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("seed %llu: %s", (unsigned long long)number, stop.fault.text);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    if (!world_check(world, chip))
        fail_msg("seed %llu, %u sources: see above", (unsigned long long)number, setting->sources);
    world_destroy(world);
    return chip;
}

/* All that software can see of a NIU. */
static void assert_same_niu(struct niu *niu, struct niu *other) {
    niu_run(niu, NIU_NEVER - 1);
    niu_run(other, NIU_NEVER - 1);
    assert_memory_equal(niu->count, other->count, sizeof niu->count);
    assert_memory_equal(niu->initiator, other->initiator, sizeof niu->initiator);
    assert_int_equal(niu->rtz_source, other->rtz_source);
    assert_int_equal(niu->busy | other->busy, 0);
    assert_int_equal(niu->flights | other->flights, 0);
}

static void assert_same_nius(bh_chip *chip, bh_chip *other) {
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
            assert_same_niu(&chip_made(chip, i)->niu[noc], &chip_made(other, i)->niu[noc]);
        for (unsigned i = 0; i < CHIP_SMALL_TILES; i++)
            assert_same_niu(&chip->small_niu[i][noc], &other->small_niu[i][noc]);
    }
}

static void run_rounds(struct setting setting) {
    for (unsigned i = 0; i < rounds; i++) {
        bh_chip *chip = run_world(&setting, seed + i, BH_TIMING_LOOSE, 1);
        for (unsigned threads = 2; threads <= 3; threads++) {
            bh_chip *other = run_world(&setting, seed + i, BH_TIMING_LOOSE, threads);
            assert_int_equal(bh_state_hash(other), bh_state_hash(chip));
            bh_destroy(other);
        }
        bh_chip *timed = run_world(&setting, seed + i, BH_TIMING_CYCLES, 1);
        assert_same_nius(chip, timed);
        bh_destroy(timed);
        bh_destroy(chip);
    }
}

static void every_tile_sends_to_all_kinds(void **state) {
    (void)state;
    run_rounds((struct setting){ 140, 10, 4096, 1500, BH_BRISC, 128, 0, BH_BOARD_P150 });
}

static void long_requests(void **state) {
    (void)state;
    run_rounds((struct setting){ 16, 40, 0xF000, 40000, BH_NCRISC, 128, 0, BH_BOARD_P150 });
}

static void in_lockstep_and_short_epochs(void **state) {
    (void)state;
    run_rounds((struct setting){ 16, 20, 0xF000, 16384, BH_TRISC0, 1, 19, BH_BOARD_P150 });
}

static void on_a_harvested_board(void **state) {
    (void)state;
    run_rounds((struct setting){ 30, 20, 0x4000, 5000, BH_TRISC2, 128, 0, BH_BOARD_P100A });
}

/* ---- All cores at once ---------------------------------------------------------------------------------------------
 */

enum { PIECES = 5, PIECE = 2000 };

static void hash_soak(unsigned threads, uint64_t hash[PIECES]) {
    struct soak soak = { .random = seed, .length = 256 };
    bh_chip *chip = make_timed(BH_TIMING_LOOSE, threads);
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    for (unsigned i = 0; i < PIECES; i++) {
        assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
        hash[i] = bh_state_hash(chip);
    }
    bh_destroy(chip);
}

static void threads_do_not_matter(void **state) {
    uint64_t hash[PIECES], other[PIECES];
    (void)state;
    hash_soak(1, hash);
    assert_true(hash[0] != hash[1]);
    for (unsigned threads = 2; threads <= 3; threads++) {
        hash_soak(threads, other);
        assert_memory_equal(hash, other, sizeof hash);
    }
}

/* The state does not depend on the number of runs either, if each is a whole number of epochs. */
static uint64_t hash_in_pieces(uint64_t piece) {
    struct soak soak = { .random = seed, .length = 256 };
    bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
    soak_start(&soak, chip, 3, BH_ALL_CORES);
    for (uint64_t at = 0; at < 40 * (uint64_t)bh_epoch(chip); at += piece)
        assert_int_equal(bh_run(chip, piece, 0, NULL), BH_OK);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void whole_epochs_do_not_matter(void **state) {
    uint64_t hash = hash_in_pieces(40 * BH_EPOCH_MAX);
    (void)state;
    assert_int_equal(hash_in_pieces(BH_EPOCH_MAX), hash);
    assert_int_equal(hash_in_pieces(8 * BH_EPOCH_MAX), hash);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_sends_to_all_kinds), cmocka_unit_test(long_requests),
        cmocka_unit_test(in_lockstep_and_short_epochs),  cmocka_unit_test(on_a_harvested_board),
        cmocka_unit_test(threads_do_not_matter),         cmocka_unit_test(whole_epochs_do_not_matter),
    };
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
