/* bh_check of a whole chip, and what the host does in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/chip.h"
#include "support/rv.h"

#define READER 0xFFB20800u
enum { BUFFER = 0x40000, FROM = 0x50000, COMMAND = 0x40, CYCLES = 3000 };

static const struct bh_xy tile = { 1, 2 };

static unsigned piece = CYCLES; /* of a run */

static void run(bh_chip *chip) {
    for (unsigned done = 0; done < CYCLES; done += piece)
        assert_int_equal(bh_run(chip, piece < CYCLES - done ? piece : CYCLES - done, 0, NULL), BH_OK);
}

static unsigned set(uint32_t *word, uint32_t offset, uint32_t value) {
    word[0] = rv_lui(6, rv_high(value));
    word[1] = rv_addi(6, 6, rv_low(value));
    word[2] = rv_sw(6, (int32_t)offset, 5);
    return 3;
}

/* BRISC fetches 64 bytes by the NoC and pauses without a wait for them. */
static void fetch(bh_chip *chip) {
    enum { READ = 0x10, EBREAK = 0x00100073 };
    uint32_t word[40];
    unsigned n = 0;
    word[n++] = rv_lui(5, rv_high(READER));
    word[n++] = rv_addi(5, 5, rv_low(READER));
    n += set(word + n, 0x00, FROM);
    n += set(word + n, 0x08, 2 | 2 << 6);
    n += set(word + n, 0x0C, BUFFER);
    n += set(word + n, 0x14, 1 | 2 << 6);
    n += set(word + n, 0x1C, READ);
    n += set(word + n, 0x20, 64);
    n += set(word + n, COMMAND, 1);
    word[n++] = EBREAK;
    start_at(chip, tile, BH_BRISC, 0, word, 4 * n);
    run(chip);
}

/* A core loads a word of them. */
static void load_by(bh_chip *chip, enum bh_core core) {
    const uint32_t word[] = { rv_lui(5, BUFFER), rv_i(MAJOR_LOAD, 2, 6, 5, 0), rv_jal(0, 0) };
    assert_int_equal(bh_hold(chip, tile, 1u << core), BH_OK);
    start_at(chip, tile, core, 0x12000, word, sizeof word);
    run(chip);
}

static void load(bh_chip *chip) {
    load_by(chip, BH_NCRISC);
}

static size_t hazards_of_kind(const bh_chip *chip, enum bh_hazard_kind kind) {
    struct bh_hazard hazard;
    size_t found = 0;
    for (size_t i = 0; bh_hazard_at(chip, i, &hazard) == BH_OK; i++)
        found += hazard.kind == kind;
    return found;
}

static void what_the_host_writes_is_new(void **state) {
    (void)state;
    for (unsigned writes = 0; writes < 2; writes++) {
        bh_chip *chip = make_chip(1);
        const uint32_t zero[16] = { 0 };
        assert_int_equal(bh_check(chip, true), BH_OK);
        fetch(chip);
        assert_int_equal(hazards_of_kind(chip, BH_HAZARD_AT_END), 1);
        if (writes)
            assert_int_equal(bh_write(chip, tile, BUFFER, zero, sizeof zero), BH_OK);
        load(chip);
        assert_int_equal(hazards_of_kind(chip, BH_HAZARD_READ_IN_FLIGHT), writes ? 0 : 1);
        assert_false(bh_check_incomplete(chip));
        bh_destroy(chip);
    }
}

/* BRISC writes from its L1 to that of its neighbour, whose NCRISC then loads a word without anything that orders both.
 */
static size_t written_and_loaded(uint32_t ctrl, uint32_t tag, uint32_t length, uint32_t loaded) {
    enum { WRITE = 2, EBREAK = 0x00100073 };
    const struct bh_xy neighbour = { 2, 2 };
    const uint32_t load[] = { rv_lui(5, loaded & ~0xFFFu), rv_i(MAJOR_LOAD, 2, 6, 5, loaded & 0xFFF), rv_jal(0, 0) };
    bh_chip *chip = make_chip(1);
    uint32_t word[40];
    unsigned n = 0;
    word[n++] = rv_lui(5, rv_high(READER));
    word[n++] = rv_addi(5, 5, rv_low(READER));
    n += set(word + n, 0x00, FROM);
    n += set(word + n, 0x08, 1 | 2 << 6);
    n += set(word + n, 0x0C, BUFFER);
    n += set(word + n, 0x14, 2 | 2 << 6);
    n += set(word + n, 0x18, tag);
    n += set(word + n, 0x1C, WRITE | ctrl);
    n += set(word + n, 0x20, length);
    n += set(word + n, 0x28, (BUFFER + 0x400) >> 4);
    n += set(word + n, COMMAND, 1);
    word[n++] = EBREAK;
    assert_int_equal(bh_check(chip, true), BH_OK);
    start_at(chip, tile, BH_BRISC, 0, word, 4 * n);
    run(chip);
    start_at(chip, neighbour, BH_NCRISC, 0x12000, load, sizeof load);
    run(chip);
    size_t found = hazards_of_kind(chip, BH_HAZARD_REMOTE_WRITE);
    bh_destroy(chip);
    return found;
}

static void writes_reach_what_they_select(void **state) {
    enum { BYTE_ENABLE = 1 << 2, MARKED = 1 << 4, HEADER_STORE = 1 << 9 };
    (void)state;
    assert_int_equal(written_and_loaded(MARKED, 0, 48, BUFFER + 44), 1);
    assert_int_equal(written_and_loaded(MARKED, 0, 48, BUFFER + 48), 0);
    assert_int_equal(written_and_loaded(MARKED | BYTE_ENABLE, 0, 0x1FF0FF0, BUFFER), 0);
    assert_int_equal(written_and_loaded(MARKED | BYTE_ENABLE, 0, 0x1FF0FF0, BUFFER + 4), 1);
    assert_int_equal(written_and_loaded(MARKED | BYTE_ENABLE, 0, 0x1FF0FF0, BUFFER + 12), 0);
    assert_int_equal(written_and_loaded(MARKED | BYTE_ENABLE, 0, 0x1FF0FF0, BUFFER + 24), 1);
    assert_int_equal(written_and_loaded(MARKED | BYTE_ENABLE, 0, 0x1FF0FF0, BUFFER + 32), 0);
    assert_int_equal(written_and_loaded(0, 0, 48, BUFFER + 0x400), 0);
    assert_int_equal(written_and_loaded(0, HEADER_STORE, 48, BUFFER + 0x400), 1);
}

static void it_begins_and_ends(void **state) {
    (void)state;
    struct bh_hazard hazard;
    bh_chip *chip = make_chip(1);
    fetch(chip);
    assert_int_equal(bh_hazard_count(chip), 0);
    assert_int_equal(bh_check(chip, true), BH_OK);
    load(chip); /* what was before is not known */
    assert_int_equal(bh_hazard_count(chip), 0);
    assert_int_equal(bh_hazard_at(chip, 0, &hazard), BH_ERR_ARGUMENT);
    assert_int_equal(bh_check(chip, false), BH_OK);
    bh_destroy(chip);
}

static void loose_timing_is_refused(void **state) {
    (void)state;
    struct bh_config config;
    bh_config_init(&config);
    config.timing = BH_TIMING_LOOSE;
    bh_chip *chip = make_configured(&config);
    assert_refusal(chip, bh_check(chip, true), BH_ERR_STATE, "cycle timing");
    assert_int_equal(bh_check(chip, false), BH_OK);
    bh_destroy(chip);
}

static void checks_are_told_of_buffers(void **state) {
    (void)state;
    struct bh_check_firmware firmware = { .launch_count = 8, .cb_count = 64, .cb_mask_size = 8 };
    const struct bh_xy nowhere = { 40, 40 };
    bh_chip *chip = make_chip(1);
    assert_refusal(chip, bh_check_firmware(chip, &firmware), BH_ERR_STATE, "not checked");
    assert_refusal(chip, bh_check_buffer(chip, tile, "in", 0x1000), BH_ERR_STATE, "not checked");
    assert_refusal(chip, bh_check_finish(chip), BH_ERR_STATE, "not checked");
    assert_int_equal(bh_check(chip, true), BH_OK);
    assert_int_equal(bh_check_buffer(chip, tile, NULL, 0x1000), BH_ERR_ARGUMENT);
    assert_refusal(chip, bh_check_buffer(chip, nowhere, "in", 0x1000), BH_ERR_COORDINATE, "no tile");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(bh_check_buffer(chip, tile, "in", 0x1000 + 20 * i), BH_OK);
    assert_refusal(chip, bh_check_buffer(chip, tile, "in", 0), BH_ERR_ARGUMENT, "too many");
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(bh_check_firmware(chip, &firmware), BH_OK);
    assert_refusal(chip, bh_check_firmware(chip, &firmware), BH_ERR_ARGUMENT, "too many");
    firmware.cb_count = 65;
    assert_refusal(chip, bh_check_firmware(chip, &firmware), BH_ERR_ARGUMENT, "64 circular buffers");
    assert_int_equal(bh_check_firmware(chip, NULL), BH_ERR_ARGUMENT);
    bh_destroy(chip);
}

/* Firmware that runs when the check is told of it: its cores have started. */
static void running_firmware_is_found(void **state) {
    (void)state;
    enum { LAUNCH = 0x200, CONFIG = 0x400 };
    const uint32_t loop = rv_jal(0, 0), buffer[] = { BUFFER, 64, 1, 64 };
    const uint32_t message[] = { CONFIG, 0, 1, 0 };
    struct bh_check_firmware firmware = { .launch = LAUNCH,
                                          .launch_size = sizeof message,
                                          .launch_count = 1,
                                          .launch_index = 0x1F0,
                                          .cb_offset = 4,
                                          .cb_mask = 8,
                                          .cb_mask_size = 4,
                                          .cb_count = 32 };
    struct bh_hazard hazard;
    bh_chip *chip = make_chip(1);
    assert_int_equal(bh_write(chip, tile, LAUNCH, message, sizeof message), BH_OK);
    assert_int_equal(bh_write(chip, tile, CONFIG, buffer, sizeof buffer), BH_OK);
    for (unsigned core = BH_BRISC + 1; core < BH_CORE_COUNT; core++) {
        firmware.start[core] = 0x10000 + 0x100 * core;
        start_at(chip, tile, (enum bh_core)core, firmware.start[core], &loop, sizeof loop);
    }
    run(chip);
    assert_int_equal(bh_check(chip, true), BH_OK);
    assert_int_equal(bh_check_firmware(chip, &firmware), BH_OK);
    fetch(chip);
    load_by(chip, BH_BRISC);
    assert_int_equal(hazards_of_kind(chip, BH_HAZARD_READ_IN_FLIGHT), 1);
    for (size_t i = 0; bh_hazard_at(chip, i, &hazard) == BH_OK; i++)
        assert_string_equal(hazard.buffer,
                            hazard.kind == BH_HAZARD_READ_IN_FLIGHT ? "circular buffer 0, page 0 of 1" : "");
    bh_destroy(chip);
}

static void assert_same_side(const struct bh_hazard_side *a, const struct bh_hazard_side *b) {
    assert_int_equal(a->tile.x, b->tile.x);
    assert_int_equal(a->tile.y, b->tile.y);
    assert_string_equal(a->agent, b->agent);
    assert_int_equal(a->core, b->core);
    assert_int_equal(a->writes, b->writes);
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->word, b->word);
    assert_int_equal(a->tensix, b->tensix);
    assert_int_equal(a->cycle, b->cycle);
}

static void assert_same_hazard(const struct bh_hazard *a, const struct bh_hazard *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->verdict, b->verdict);
    assert_same_side(&a->first, &b->first);
    assert_same_side(&a->second, &b->second);
    assert_int_equal(a->tile.x, b->tile.x);
    assert_int_equal(a->tile.y, b->tile.y);
    assert_string_equal(a->place, b->place);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->memory, b->memory);
    assert_int_equal(a->address, b->address);
    assert_string_equal(a->buffer, b->buffer);
}

/* Reports and states are the same with any number of threads, and wherever a run is cut. */
static void reports_do_not_depend_on_the_run(void **state) {
    (void)state;
    enum { MOST = 8 };
    struct bh_hazard first[MOST], other;
    uint64_t hash = 0;
    size_t count = 0;
    static const struct {
        unsigned threads, piece;
        bool checks;
    } ways[] = { { 1, CYCLES, true }, { 1, 1, true },      { 1, 7, true },
                 { 2, 100, true },    { 4, CYCLES, true }, { 1, 13, false } };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        bh_chip *chip = make_chip(ways[i].threads);
        piece = ways[i].piece;
        if (ways[i].checks)
            assert_int_equal(bh_check(chip, true), BH_OK);
        fetch(chip);
        load(chip);
        if (ways[i].checks)
            assert_int_equal(bh_check_finish(chip), BH_OK);
        hash = i ? hash : bh_state_hash(chip);
        count = i ? count : bh_hazard_count(chip);
        assert_int_equal(bh_state_hash(chip), hash);
        assert_int_equal(bh_hazard_count(chip), ways[i].checks ? count : 0);
        assert_in_range(count, 0, MOST);
        for (size_t at = 0; at < bh_hazard_count(chip); at++) {
            assert_int_equal(bh_hazard_at(chip, at, i ? &other : &first[at]), BH_OK);
            if (i)
                assert_same_hazard(&first[at], &other);
        }
        bh_destroy(chip);
    }
    assert_int_equal(count, 2);
    piece = CYCLES;
}

/* A check that has begun before a load goes on as one that begins after it. */
static void what_was_loaded_is_written(void **state) {
    const struct bh_xy at = { 1, 2 };
    const uint32_t program[] = { rv_lui(5, 0x30000), rv_lw(6, 0, 5), rv_sw(6, 4, 5), 0x00100073 };
    bh_chip *chip = *state, *other = make_board(BH_BOARD_P150);
    bh_snapshot *snapshot;
    put_word(chip, at, 0x30000, 5);
    start_at(chip, at, BH_TRISC0, 0x6000, program, sizeof program);
    assert_int_equal(bh_snapshot_take(chip, &snapshot), BH_OK);
    assert_int_equal(bh_check(other, true), BH_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bh_snapshot_restore(other, snapshot), BH_OK);
        run_until_idle(other);
        assert_int_equal(bh_check_finish(other), BH_OK);
        assert_int_equal(bh_hazard_count(other), 0);
    }
    bh_reset(other);
    assert_int_equal(bh_check(other, true), BH_OK);
    start_at(other, at, BH_TRISC0, 0x6000, program, sizeof program);
    run_until_idle(other);
    assert_int_equal(bh_check_finish(other), BH_OK);
    assert_int_equal(bh_hazard_count(other), 1); /* and what was found before the load stays */
    assert_int_equal(bh_snapshot_restore(other, snapshot), BH_OK);
    assert_int_equal(bh_hazard_count(other), 1);
    bh_snapshot_free(snapshot);
    bh_destroy(other);
}

static void ends_are_noted_in_l1(void **state) {
    bh_chip *chip = *state;
    assert_refusal(chip, bh_check_end(chip, 0, 4, 0), BH_ERR_STATE, "not checked");
    assert_int_equal(bh_check(chip, true), BH_OK);
    assert_refusal(chip, bh_check_end(chip, 0x180000, 1, 0), BH_ERR_ARGUMENT, "0x1 bytes at 0x180000 are not in L1");
    assert_refusal(chip, bh_check_end(chip, 0x17FFFC, 5, 0), BH_ERR_ARGUMENT, "not in L1");
    assert_refusal(chip, bh_check_end(chip, 4, UINT32_MAX, 0), BH_ERR_ARGUMENT, "not in L1");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(bh_check_end(chip, 0x17FFFC, 4, 0), BH_OK);
    assert_refusal(chip, bh_check_end(chip, 0, 4, 0), BH_ERR_ARGUMENT, "too many ranges");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_host_writes_is_new),
        cmocka_unit_test(writes_reach_what_they_select),
        cmocka_unit_test(it_begins_and_ends),
        cmocka_unit_test(loose_timing_is_refused),
        cmocka_unit_test(checks_are_told_of_buffers),
        cmocka_unit_test_setup_teardown(what_was_loaded_is_written, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(ends_are_noted_in_l1, setup_chip, teardown_chip),
        cmocka_unit_test(running_firmware_is_found),
        cmocka_unit_test(reports_do_not_depend_on_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
