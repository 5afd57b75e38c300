/* A loosely timed NoC: memories and counters come out as documented and as they do in time (support/noc_world.h,
 * noc_soak.h), the same for any number of host threads, and what is done at once is in order with what is put off.
 *
 *     noc_loose [ROUNDS [SEED]]
 */
#include "support/noc_soak.h"
#include "support/noc_stage.h"
#include "support/noc_world.h"

static unsigned rounds = 1;
static uint64_t seed = 11;

static bh_chip *make_loose(void) {
    return make_timed(BH_TIMING_LOOSE, 1);
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
    config.host_read = host_read;
    config.host_write = host_write;
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

/* ---- In order ------------------------------------------------------------------------------------------------------
 */

static const struct bh_xy bank[] = { { 17, 12 }, { 17, 13 } }; /* two ports of one */

/* What has been acknowledged is there, also by another way. */
static void memory_is_as_it_was_written(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    fill(chip, here, DATA, 16, 500);
    request(&script, 0, write_to(here, DATA, bank[0], 0x7FE0, 64));
    wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
    request(&script, 1, read_from(bank[1], 0x8000, here, DATA + 0x100, 32)); /* the second half of it */
    wait_for(&script, 1, NIU_RD_RESP_RECEIVED, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, here, DATA + 0x100, 8, 508);
    bh_destroy(chip);
}

/* Others' memory is read before it changes, if that was asked for first. */
static void own_memory_is_read_before_it_is_written(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    fill(chip, here, DATA, 8, 100);
    request(&script, 0, read_from(here, DATA, there, DATA, 16));       /* put off: it goes elsewhere */
    request(&script, 0, write_to(here, DATA + 16, here, DATA, 16));    /* so this has to wait */
    request(&script, 0, read_from(here, DATA, here, DATA + 0x40, 16)); /* and this for it */
    wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
    wait_for(&script, 0, NIU_RD_RESP_RECEIVED, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, there, DATA, 4, 100);
    assert_filled(chip, here, DATA, 4, 104);
    assert_filled(chip, here, DATA + 0x40, 4, 104);
    bh_destroy(chip);
}

/* What goes to the tile itself is there in the next instruction, and so is what is read of DRAM. */
static void what_can_be_done_is_done_at_once(void **state) {
    const struct {
        struct script_request request;
        uint32_t address, value;
    } cases[] = {
        { write_to(here, DATA, here, DATA + 0x20, 16), DATA + 0x20, 7 },
        { read_from(here, DATA + 4, here, DATA + 0x24, 4), DATA + 0x24, 8 },
        { increment(here, here, DATA, DATA + 0x10), DATA, 8 },
        { read_from(bank[0], 0x100, here, DATA + 0x40, 16), DATA + 0x40, 70 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bh_chip *chip = make_loose();
        struct script script = { 0 };
        fill(chip, here, DATA, 4, 7);
        fill(chip, bank[0], 0x100, 4, 70);
        request(&script, 0, cases[i].request);
        script_put(&script, SCRIPT_STOP_IF, cases[i].address, cases[i].value);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(peek_word(chip, here, cases[i].address), cases[i].value);
        assert_int_equal(peek_word(chip, here, DONE), 0);
        bh_destroy(chip);
    }
}

static void bytes_that_overlap_move_as_if_they_did_not(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    fill(chip, here, DATA, 64, 1);
    request(&script, 0, read_from(here, DATA, here, DATA + 32, 128));
    wait_for(&script, 0, NIU_RD_RESP_RECEIVED, 1);
    request(&script, 0, write_to(here, DATA + 32, here, DATA + 16, 128));
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, here, DATA + 16, 32, 1);
    bh_destroy(chip);
}

/* ---- Requests that make requests ------------------------------------------------------------------------------------
 */

static struct script_request start_of(struct bh_xy tile, unsigned buffer) {
    return (struct script_request){ .targ_lo = script_niu(0, buffer) + NIU_CMD_CTRL,
                                    .targ_hi = xy(tile),
                                    .ctrl = SCRIPT_WRITE | SCRIPT_INLINE | in_order,
                                    .len = 0xF,
                                    .data = 1 };
}

static void fields(struct script *script, unsigned buffer, struct script_request r) {
    uint32_t word[12];
    memcpy(word, &r, sizeof word);
    for (uint32_t i = 0; i < 12; i++)
        script_put(script, SCRIPT_STORE, script_niu(0, buffer) + 4 * i, word[i]);
}

/* A core lets another tile send what that tile has prepared. */
static void one_tile_starts_anothers_request(void **state) {
    bh_chip *chip = make_loose();
    struct script prepares = { 0 }, starts = { 0 };
    (void)state;
    fill(chip, there, DATA, 8, 40);
    fields(&prepares, 2, write_to(there, DATA, here, DATA, 32));
    start(chip, there, BH_BRISC, &prepares);
    run(chip);
    request(&starts, 0, start_of(there, 2));
    script_put(&starts, SCRIPT_WAIT, DATA, 40);
    start(chip, here, BH_BRISC, &starts);
    run(chip);
    assert_filled(chip, here, DATA, 8, 40);
    assert_int_equal(counter_at(chip, there, 0, NIU_WR_ACK_RECEIVED), 1);
    bh_destroy(chip);
}

/* One that starts itself goes on for ever, and yet time passes. */
static void a_request_that_starts_itself(void **state) {
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    request(&script, 0, start_of(here, 0));
    start(chip, here, BH_BRISC, &script);
    assert_int_equal(bh_run(chip, 100 * BH_EPOCH_MAX, 0, NULL), BH_OK);
    assert_int_equal(bh_cycle(chip), 100 * BH_EPOCH_MAX);
    assert_in_range(counter_at(chip, here, 0, NIU_CMD_ACCEPTED), 50, 200);
    bh_destroy(chip);
}

/* ---- Room -----------------------------------------------------------------------------------------------------------
 */

/* A core that sends and sends is held back before everything waits that it could send. */
static void floods_are_held_back(void **state) {
    enum { LARGE = STORE_CLASSES - 1, REQUESTS = 200 };
    bh_chip *chip = make_loose();
    struct script script = { 0 };
    (void)state;
    request(&script, 0, write_to(here, DATA, there, DATA, NOC_PACKET_MAX));
    for (unsigned i = 0; i < REQUESTS; i++)
        script_put(&script, SCRIPT_STORE, script_niu(0, 0) + NIU_CMD_CTRL, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(counter_at(chip, there, 0, NIU_SLV_WR_REQ_RECEIVED), REQUESTS + 1);
    assert_in_range(chip->store[chip->exchange.live_tile[2 * NOC_WIDTH + 1]]->fresh[LARGE], 1, 6);
    bh_destroy(chip);
}

/* Nobody can tell that somebody watches, and whoever does is told of everything. */
static void hear(void *user, const struct bh_event *event) {
    uint64_t *packets = user;
    *packets += event->kind == BH_EVENT_PACKET;
}

static void watching_changes_nothing(void **state) {
    uint64_t hash[2], packets = 0;
    (void)state;
    for (unsigned watched = 0; watched < 2; watched++) {
        struct script script = { 0 };
        bh_chip *chip = make_loose();
        if (watched)
            assert_int_equal(bh_observe(chip, BH_WATCH_EVENTS, hear, &packets), BH_OK);
        request(&script, 0, write_to(here, DATA, here, DATA + 0x20, 16));
        request(&script, 0, write_to(here, DATA, there, DATA + 0x20, 16));
        request(&script, 1, read_from(bank[0], 0x100, here, DATA + 0x40, 16));
        request(&script, 1, increment(here, there, DATA, DATA + 0x10));
        start(chip, here, BH_BRISC, &script);
        run(chip);
        hash[watched] = bh_state_hash(chip);
        bh_destroy(chip);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(packets, 8); /* there and back */
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_sends_to_all_kinds),
        cmocka_unit_test(long_requests),
        cmocka_unit_test(in_lockstep_and_short_epochs),
        cmocka_unit_test(on_a_harvested_board),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(memory_is_as_it_was_written),
        cmocka_unit_test(own_memory_is_read_before_it_is_written),
        cmocka_unit_test(what_can_be_done_is_done_at_once),
        cmocka_unit_test(bytes_that_overlap_move_as_if_they_did_not),
        cmocka_unit_test(one_tile_starts_anothers_request),
        cmocka_unit_test(a_request_that_starts_itself),
        cmocka_unit_test(floods_are_held_back),
        cmocka_unit_test(watching_changes_nothing),
    };
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
