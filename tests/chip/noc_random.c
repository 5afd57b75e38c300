/* Random requests of every kind between tiles of every kind, against plain arrays (support/noc_world.h).
 *
 *     noc_random [ROUNDS [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "chip/chip.h"
#include "support/noc_world.h"

static unsigned rounds = 1;
static uint64_t seed = 7;

struct setting {
    unsigned sources, requests;
    uint32_t part, limit; /* bytes of a source's part of a memory, and of a request */
    enum bh_core core;
    unsigned threads, skew, epoch;
    enum bh_board board;
};

static void run_world(const struct setting *setting, uint64_t number) {
    struct bh_config config;
    struct world *world;
    struct bh_stop stop;
    bh_chip *chip;
    bh_config_board(&config, setting->board);
    config.threads = setting->threads;
    config.skew = setting->skew;
    config.epoch = setting->epoch;
    config.host_read = world_host_read;
    config.host_write = world_host_write;
    config.user = &world;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
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
    print_message("%u requests, %u arrivals, %llu cycles\n", world->requests, world->receivers,
                  (unsigned long long)stop.cycle);
    world_destroy(world);
    bh_destroy(chip);
}

static void run_rounds(struct setting setting) {
    for (unsigned i = 0; i < rounds; i++)
        run_world(&setting, seed + i);
}

static void every_tile_sends_to_all_kinds(void **state) {
    (void)state;
    run_rounds((struct setting){ 140, 10, 4096, 1500, BH_BRISC, 1, 128, 0, BH_BOARD_P150 });
}

static void long_requests(void **state) {
    (void)state;
    run_rounds((struct setting){ 16, 40, 0xF000, 40000, BH_NCRISC, 1, 128, 0, BH_BOARD_P150 });
}

static void exact_in_time(void **state) {
    (void)state;
    run_rounds((struct setting){ 16, 20, 0xF000, 16384, BH_TRISC0, 1, 1, 19, BH_BOARD_P150 });
}

static void with_long_epochs(void **state) {
    (void)state;
    run_rounds((struct setting){ 30, 20, 0x4000, 5000, BH_TRISC2, 1, 128, 256, BH_BOARD_P150 });
}

static void on_a_harvested_board(void **state) {
    (void)state;
    run_rounds((struct setting){ 30, 20, 0x4000, 5000, BH_BRISC, 2, 128, 0, BH_BOARD_P100A });
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_sends_to_all_kinds),
        cmocka_unit_test(long_requests),
        cmocka_unit_test(exact_in_time),
        cmocka_unit_test(with_long_epochs),
        cmocka_unit_test(on_a_harvested_board),
    };
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
