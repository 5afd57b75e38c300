/* A loosely timed NoC: memories and counters come out as documented (support/noc_world.h, noc_soak.h), whatever the
 * number of host threads, and what is done at once is in order with what is put off.
 *
 *     noc_loose [ROUNDS [SEED]]
 */
#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_soak.h"
#include "support/noc_world.h"

static unsigned rounds = 1;
static uint64_t seed = 11;

static bh_chip *make_loose(struct bh_config config, unsigned threads) {
    config.timing = BH_TIMING_LOOSE;
    config.threads = threads;
    return make_configured(&config);
}

/* ---- Random requests, against plain arrays -------------------------------------------------------------------------
 */

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    struct world **world = user;
    assert_true(address + size <= WORLD_HOST);
    memcpy(data, (*world)->shadow + address, size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    struct world **world = user;
    assert_true(address + size <= WORLD_HOST);
    memcpy((*world)->shadow + address, data, size);
}

struct setting {
    unsigned sources, requests;
    uint32_t part, limit; /* bytes of a source's part of a memory, and of a request */
    enum bh_core core;
    unsigned skew, epoch;
    enum bh_board board;
};

static uint64_t run_world(const struct setting *setting, uint64_t number, unsigned threads) {
    struct bh_config config;
    struct world *world;
    struct bh_stop stop;
    bh_config_board(&config, setting->board);
    config.skew = setting->skew;
    config.epoch = setting->epoch;
    config.host_read = host_read;
    config.host_write = host_write;
    config.user = &world;
    bh_chip *chip = make_loose(config, threads);
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
    uint64_t hash = bh_state_hash(chip);
    world_destroy(world);
    bh_destroy(chip);
    return hash;
}

static void run_rounds(struct setting setting) {
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = run_world(&setting, seed + i, 1);
        assert_int_equal(run_world(&setting, seed + i, 2), hash);
        assert_int_equal(run_world(&setting, seed + i, 3), hash);
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

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_sends_to_all_kinds),
        cmocka_unit_test(long_requests),
        cmocka_unit_test(in_lockstep_and_short_epochs),
        cmocka_unit_test(on_a_harvested_board),
    };
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
