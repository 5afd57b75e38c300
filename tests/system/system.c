/* Tests of systems (src/system/): chips and cables, machines, descriptors, links that go down, resets, time, memory. */
#include <stdio.h>
#include <unistd.h>

#include "base/check.h"
#include "support/sanitizers.h"
#include "system/talk.h"

static int make(void **state) {
    *state = make_pair(600, 400);
    return 0;
}

static bh_system *make_empty(void) {
    bh_system *system;
    assert_int_equal(bh_system_create(&system), BH_OK);
    return system;
}

static void assert_message(bh_system *system, bh_status status, bh_status expected, const char *text) {
    assert_int_equal(status, expected);
    assert_says(bh_system_message(system), text);
}

/* ---- Building --------------------------------------------------------------------------------------------------- */

static void machines_have_their_cables(void **state) {
    static const unsigned chips[] = { 1, 2, 4, 32, 4 }, links[] = { 0, 2, 16, 140, 8 };
    (void)state;
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT; kind++) {
        if (kind == BH_SYSTEM_GALAXY && !HAS_ROOM_FOR_32)
            continue;
        bh_system *system = make_empty();
        assert_int_equal(bh_system_add(system, (enum bh_system_kind)kind), BH_OK);
        assert_int_equal(bh_system_chip_count(system), chips[kind]);
        assert_int_equal(bh_system_link_count(system), links[kind]);
        bh_system_destroy(system);
    }
    assert_string_equal(bh_system_kind_name(BH_SYSTEM_GALAXY), "galaxy");
    bh_system *system = make_empty();
    assert_message(system, bh_system_add(system, BH_SYSTEM_KIND_COUNT), BH_ERR_ARGUMENT, "no machine");
    bh_system_destroy(system);
}

static unsigned long resident_kib(void) {
    unsigned long pages = 0, size;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &pages), 2);
    fclose(file);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static void a_galaxy_at_rest_is_small(void **state) {
    (void)state;
    if (!HAS_ROOM_FOR_32)
        skip();
    unsigned long before = resident_kib();
    bh_system *system = make_empty();
    assert_int_equal(bh_system_add(system, BH_SYSTEM_GALAXY), BH_OK);
    assert_int_equal(bh_system_run(system, 1000000, 0, NULL), BH_OK);
    unsigned long after = resident_kib();
    assert_in_range(after - before, 0, BH_CHECKS ? 200 * 1024 : 48 * 1024);
    bh_system_destroy(system);
}

static void wrong_links_are_refused(void **state) {
    bh_system *system = *state;
    static const struct {
        struct bh_link link;
        const char *text;
    } wrong[] = {
        { { .chip = { 0, 2 }, .port = { 0, 0 } }, "no chip 2" },
        { { .chip = { 0, 1 }, .port = { 12, 0 } }, "chip 0 has no Ethernet port 12" },
        { { .chip = { 0, 1 }, .port = { PORT, 0 } }, "port 3 of chip 0 already leads to port 5 of chip 1" },
        { { .chip = { 0, 1 }, .port = { 0, PORT + 2 } }, "already leads to port 3 of chip 0" },
        { { .chip = { 0, 0 }, .port = { 0, 0 } }, "both ends" },
        { { .chip = { 0, 1 }, .port = { 0, 0 }, .latency = 15 }, "latency of 15" },
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_message(system, bh_system_add_link(system, &wrong[i].link, NULL), BH_ERR_ARGUMENT, wrong[i].text);
    assert_int_equal(bh_system_link_count(system), 1);
    struct bh_config config;
    bh_config_init(&config);
    config.skew = 1000;
    assert_message(system, bh_system_add_chip(system, &config, NULL), BH_ERR_ARGUMENT, "chip 2: configuration: skew");
}

/* A cable between two ports of one chip. */
static void a_chip_may_talk_to_itself(void **state) {
    bh_system *system = *state;
    struct bh_link link = { .chip = { 0, 0 }, .port = { 0, 1 } };
    assert_int_equal(bh_system_add_link(system, &link, NULL), BH_OK);
    bh_chip *chip = bh_system_chip(system, 0);
    talk_start(chip, 0, 20, 5, 2);
    talk_start(chip, 1, 20, 6, 2);
    pair_run(system, 100000);
    assert_int_equal(peek_word(chip, eth_xy(0), TALK_SEEN), talk_sum(20, 6));
    assert_int_equal(peek_word(chip, eth_xy(1), TALK_SEEN), talk_sum(20, 5));
}

static uint32_t word_at(bh_chip *chip, struct bh_xy tile, uint32_t address) {
    uint32_t word;
    assert_int_equal(bh_read(chip, tile, address, &word, sizeof word), BH_OK);
    return word;
}

/* tt-umd looks for links on tiles whose E0 is not in reset: those on which the board's firmware has trained a link. A
 * write that leaves the bit as it reads starts nothing, until the core has a first pc. */
static void firmware_runs_where_a_cable_is(void **state) {
    enum { SOFT_RESET = (int)0xFFB121B0, FIRST_PC = (int)0xFFB14000, HOLD_E0 = 1 << 11, HOLD_E1 = 1 << 12 };
    static const struct bh_xy without = { 20, 25 }, with = { 24, 25 }; /* ports 0 and 4 */
    const uint32_t code = 0x0000006F, at = 0x3000, reset = HOLD_E1;
    struct bh_core_info info;
    (void)state;
    bh_system *system = make_empty();
    assert_int_equal(bh_system_add(system, BH_SYSTEM_QUIETBOX), BH_OK);
    bh_chip *chip = bh_system_chip(system, 2);
    assert_int_equal(word_at(chip, without, (uint32_t)SOFT_RESET), HOLD_E0 | HOLD_E1);
    assert_int_equal(word_at(chip, with, (uint32_t)SOFT_RESET), HOLD_E1);
    assert_int_equal(bh_write(chip, with, at, &code, sizeof code), BH_OK);
    for (unsigned started = 0; started < 2; started++) {
        assert_int_equal(bh_write(chip, with, (uint32_t)SOFT_RESET, &reset, sizeof reset), BH_OK);
        assert_int_equal(bh_core_query(chip, with, BH_ERISC0, &info), BH_OK);
        assert_int_equal(info.state == BH_CORE_IN_RESET, !started);
        assert_int_equal(bh_write(chip, with, (uint32_t)FIRST_PC, &at, sizeof at), BH_OK);
    }
    bh_system_destroy(system);
}

static void nulls_are_errors(void **state) {
    bh_system *system = *state;
    assert_int_equal(bh_system_create(NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_run(NULL, 1, 0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_add_chip(system, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_add_link(NULL, NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_describe(system, NULL, 0), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_link_at(system, 7, &(struct bh_link){ 0 }), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_link_stats(system, 0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_cut(system, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_reset_chip(system, 2), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_threads(system, 65), BH_ERR_ARGUMENT);
    assert_null(bh_system_chip(system, 2));
    assert_null(bh_system_chip(NULL, 0));
    assert_int_equal(bh_system_cycle(NULL) + bh_system_hash(NULL) + bh_system_chip_count(NULL), 0);
    assert_string_equal(bh_system_message(NULL), "");
    bh_system_destroy(NULL);
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

static void only_the_system_moves_time(void **state) {
    bh_system *system = *state;
    bh_chip *chip = bh_system_chip(system, 0);
    bh_snapshot *snapshot;
    assert_refusal(chip, bh_run(chip, 10, 0, NULL), BH_ERR_STATE, "bh_system_run");
    assert_refusal(chip, bh_load(chip, "/nowhere"), BH_ERR_STATE, "belongs to a system");
    assert_refusal(chip, bh_save(chip, "/nowhere"), BH_ERR_STATE, "belongs to a system");
    assert_int_equal(bh_snapshot_take(chip, &snapshot), BH_OK);
    assert_refusal(chip, bh_snapshot_restore(chip, snapshot), BH_ERR_STATE, "belongs to a system");
    bh_snapshot_free(snapshot);
    pair_run(system, 777);
    bh_reset(chip);
    assert_says(bh_message(chip), "bh_system_reset_chip");
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bh_cycle(bh_system_chip(system, i)), 777);
    assert_int_equal(bh_system_cycle(system), 777);
    assert_int_equal(bh_system_quantum(system), 512);
}

static void a_run_ends_when_nothing_is_left(void **state) {
    struct bh_system_stop stop;
    bh_system *system = *state;
    assert_int_equal(bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    assert_int_equal(stop.cycle, 0);
    for (unsigned end = 0; end < 2; end++)
        talk_start(bh_system_chip(system, end), end ? PORT + 2 : PORT, 10, 7 + end, 2);
    assert_int_equal(bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    assert_in_range(stop.cycle, 2000, 30000);
    assert_int_equal(stop.cycle % bh_system_quantum(system), 0);
    assert_int_equal(stop.waiting, 4); /* cores in their last loops */
    assert_int_equal(end_get(system, 1, TALK_SEEN), talk_sum(10, 7));
}

static void faults_name_their_chip(void **state) {
    static const uint32_t code[] = { 0 };
    struct bh_system_stop stop;
    bh_system *system = *state;
    start_at(bh_system_chip(system, 1), (struct bh_xy){ 1, 2 }, BH_BRISC, 0, code, sizeof code);
    assert_int_equal(bh_system_run(system, 5000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    assert_int_equal(stop.chip, 1);
    assert_int_equal(stop.fault.kind, BH_FAULT_RUNAWAY);
}

/* ---- Links that go down ------------------------------------------------------------------------------------------ */

struct events {
    unsigned count;
    struct bh_link_event last;
};

static void on_link(void *user, bh_system *system, const struct bh_link_event *event) {
    struct events *events = user;
    assert_non_null(system);
    events->count++;
    events->last = *event;
}

enum { PCS = 0xB9800C, PORT_STATUS = 0x7CC04, FLAPS = 0x7CE08, RETRAININGS = 0x7CE00, FROM = 0x8000, TO = 0x9000 };

static void a_cut_is_an_event_not_a_hang(void **state) {
    bh_system *system = *state;
    struct events events = { 0 };
    struct bh_system_stop stop;
    struct bh_link_stats stats;
    char report[2000];
    assert_int_equal(bh_system_on_link(system, on_link, &events), BH_OK);
    for (unsigned end = 0; end < 2; end++)
        talk_start(bh_system_chip(system, end), end ? PORT + 2 : PORT, 100, 7 + end, 2);
    pair_run(system, 3000);
    assert_int_equal(bh_system_cut(system, 0), BH_OK);
    assert_int_equal(events.count, 1);
    assert_false(events.last.up);
    assert_int_equal(events.last.cycle, 3000);
    assert_message(system, bh_system_cut(system, 0), BH_ERR_STATE, "down already");
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(end_get(system, end, PORT_STATUS), 2);
        assert_int_equal(end_get(system, end, UINT32_C(0xFF000000) + PCS), 0);
        assert_int_equal(end_get(system, end, FLAPS), 1);
    }
    assert_int_equal(bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE); /* everybody waits */
    assert_true(bh_system_report(system, report, sizeof report) > 0);
    assert_says(report, "link 0, port 3 of chip 0 to port 5 of chip 1: down, ");
    assert_says(report, "chip 1: ");
    assert_says(report, "; its cable leads to port 3 of chip 0: it is cut; ");
    assert_int_equal(bh_system_join(system, 0), BH_OK);
    assert_int_equal(events.count, 2);
    assert_true(events.last.up);
    assert_message(system, bh_system_join(system, 0), BH_ERR_STATE, "up already");
    assert_int_equal(end_get(system, 0, RETRAININGS), 1);
    assert_int_equal(bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(end_get(system, end, TALK_SEEN), talk_sum(100, 7 + !end));
        assert_int_equal(rx_get(system, end, 0, RX_DROPS), 0);
    }
    assert_int_equal(bh_system_link_stats(system, 0, &stats), BH_OK);
    assert_int_equal(stats.cuts, 1);
    assert_true(stats.resent[0] + stats.resent[1] > 0);
    assert_true(tx_get(system, 0, 0, TX_RESENDS) + tx_get(system, 1, 0, TX_RESENDS) > 0);
    assert_int_equal(bh_system_report(system, report, sizeof report) > 0 && strstr(report, "link 0") != NULL, 0);
}

/* Cores that poll registers of the link or of a queue sleep until the link changes or a frame arrives. */
static void sleeping_cores_see_the_link(void **state) {
    bh_system *system = *state;
    struct bh_system_stop stop;
    struct bh_core_info info;
    struct code code = { 0 };
    enum { A = 10, B = 11, RESULT = 0x200 };
    const struct {
        uint32_t address;
        unsigned branch; /* while this holds */
    } polled[2] = { { UINT32_C(0xFFB9800C), BNE }, { RXQ0 + RX_ENDED, BEQ } };
    for (unsigned i = 0; i < 2; i++) {
        code = (struct code){ 0 };
        emit_set(&code, A, polled[i].address);
        unsigned loop = emit(&code, rv_lw(B, 0, A));
        emit_branch(&code, polled[i].branch, B, 0, loop);
        emit(&code, rv_addi(B, B, 77));
        emit(&code, rv_sw(B, (int32_t)(RESULT + 4 * i), 0));
        emit(&code, rv_jal(0, 0));
        start_at(bh_system_chip(system, 0), end_xy(0), i ? BH_ERISC1 : BH_ERISC0, i ? TALK_CODE_1 : TALK_CODE_0,
                 code.word, sizeof code.word);
    }
    assert_int_equal(bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    assert_int_equal(bh_core_query(bh_system_chip(system, 0), end_xy(0), BH_ERISC1, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    send_data(system, 1, 0, FROM, TO, 16);
    pair_run(system, 2000);
    assert_int_equal(end_get(system, 0, RESULT + 4), 78);
    assert_int_equal(end_get(system, 0, RESULT), 0);
    assert_int_equal(bh_system_cut(system, 0), BH_OK);
    pair_run(system, 100);
    assert_int_equal(end_get(system, 0, RESULT), 77);
}

/* A queue takes commands until it is full, and shows the last one as under way; raw frames on the wire are lost. */
static void queues_fill_while_the_link_is_down(void **state) {
    bh_system *system = *state;
    struct events events = { 0 };
    bh_system_on_link(system, on_link, &events);
    tx_put(system, 0, 2, TX_FROM, FROM);
    tx_put(system, 0, 2, TX_SIZE, 64);
    tx_put(system, 0, 2, TX_CMD, SEND_RAW);
    fill_end(system, 0, FROM, 16, 3);
    pair_run(system, 100);
    assert_int_equal(bh_system_cut(system, 0), BH_OK);
    assert_int_equal(events.last.lost, 1);
    tx_put(system, 0, 0, TX_AHEAD, 1);
    for (unsigned i = 0; i < 3; i++) {
        send_data(system, 0, 0, FROM, TO + 16 * i, 16);
        pair_run(system, 50);
    }
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), ONGOING);
    pair_run(system, 5000);
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), ONGOING);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 2);
    assert_int_equal(tx_get(system, 0, 0, TX_STARTED), 0);
    assert_int_equal(bh_system_join(system, 0), BH_OK);
    pair_run(system, 5000);
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), 0);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 3);
    assert_int_equal(rx_get(system, 1, 0, RX_SEQUENCE), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(end_has(system, 1, TO + 16 * i, 16, 3));
}

static void a_chip_can_be_reset(void **state) {
    bh_system *system = *state;
    struct events events = { 0 };
    static const uint32_t code[] = { 0x00150513, 0x00a02023 | 0x200 << 7, 0xFF9FF06F }; /* counts at 0x200 */
    bh_system_on_link(system, on_link, &events);
    start_at(bh_system_chip(system, 0), (struct bh_xy){ 1, 2 }, BH_BRISC, 0, code, sizeof code);
    fill_end(system, 0, FROM, 16, 3);
    for (unsigned i = 0; i < 5; i++) {
        send_data(system, 0, 0, FROM, TO, 16);
        pair_run(system, 100);
    }
    uint32_t before = read_word(bh_system_chip(system, 0), (struct bh_xy){ 1, 2 }, 0);
    put_word(bh_system_chip(system, 1), (struct bh_xy){ 1, 2 }, 0x1000, 99);
    assert_int_equal(bh_system_reset_chip(system, 1), BH_OK);
    assert_int_equal(events.count, 2);
    assert_true(events.last.up);
    assert_int_equal(bh_cycle(bh_system_chip(system, 1)), bh_system_cycle(system));
    assert_int_equal(read_word(bh_system_chip(system, 1), (struct bh_xy){ 1, 2 }, 0x1000), 0);
    assert_int_equal(read_word(bh_system_chip(system, 0), (struct bh_xy){ 1, 2 }, 0), before);
    pair_run(system, 3000);
    assert_int_equal(end_get(system, 1, TO), 0); /* what was under way is lost */
    for (unsigned i = 0; i < 2; i++) {           /* but the link works */
        fill_end(system, i, FROM, 16, 4 + i);
        send_data(system, i, 0, FROM, TO, 16);
    }
    pair_run(system, 3000);
    for (unsigned i = 0; i < 2; i++)
        assert_true(end_has(system, !i, TO, 16, 4 + i));
}

static void meddle(void *user, bh_system *system, const struct bh_link_event *event) {
    unsigned *refused = user;
    const struct bh_config config = { .board = BH_BOARD_P150 };
    *refused += bh_system_run(system, 100, 0, NULL) == BH_ERR_STATE;
    *refused += bh_system_reset_chip(system, 0) == BH_ERR_STATE;
    *refused += (event->up ? bh_system_cut : bh_system_join)(system, event->link) == BH_ERR_STATE;
    *refused += bh_system_add_chip(system, &config, NULL) == BH_ERR_STATE;
}

/* A link goes down or comes up before anything else happens. */
static void nothing_moves_while_a_link_changes(void **state) {
    bh_system *system = *state;
    unsigned refused = 0;
    bh_system_on_link(system, meddle, &refused);
    assert_int_equal(bh_system_cut(system, 0), BH_OK);
    assert_int_equal(bh_system_join(system, 0), BH_OK);
    assert_int_equal(bh_system_reset_chip(system, 1), BH_OK);
    assert_int_equal(refused, 4 * 4);
    assert_int_equal(bh_system_cycle(system), 0);
    pair_run(system, 100);
}

/* A system at the end of its time can be saved, and goes on from there: that is, not at all. */
static void time_ends(void **state) {
    bh_system *system = *state;
    const uint64_t end = UINT64_C(1) << 51;
    struct bh_system_stop stop;
    bh_snapshot *snapshot;
    assert_message(system, bh_system_run(system, 100, 1u << 16, &stop), BH_ERR_ARGUMENT, "no such flag in 0x10000");
    assert_int_equal(bh_system_run(system, UINT64_MAX, 0, &stop), BH_OK);
    assert_true(stop.cycle == end && stop.reason == BH_STOP_CYCLES);
    assert_int_equal(bh_system_snapshot_take(system, &snapshot), BH_OK);
    assert_int_equal(bh_system_snapshot_restore(system, snapshot), BH_OK);
    bh_snapshot_free(snapshot);
    assert_int_equal(bh_system_run(system, 1000, 0, &stop), BH_OK);
    assert_true(stop.cycle == end);
}

/* E0 sends 16 bytes and stops; the run ends before the frames of that quantum change hands. No core has anything to do
 * then, but the frame has still to leave. */
static void a_frame_leaves_after_its_core_has_stopped(void **state) {
    static const uint64_t first[3] = { 4000, 100, 100 }; /* cycles of the first run */
    uint64_t hash[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        bh_system *system = make_pair(0, 0);
        struct code code = { 0 };
        emit_set(&code, R_TXQ, TXQ0);
        emit(&code, rv_addi(R_T, 0, SEND_DATA));
        emit(&code, rv_sw(R_T, TX_CMD, R_TXQ));
        emit(&code, 0x00100073); /* ebreak */
        end_put(system, 0, 0x10000, 1234);
        end_put(system, 0, TXQ0 + TX_FROM, 0x10000);
        end_put(system, 0, TXQ0 + TX_TO, 0x20000);
        end_put(system, 0, TXQ0 + TX_SIZE, 16);
        start_at(bh_system_chip(system, 0), end_xy(0), BH_ERISC0, TALK_CODE_0, code.word, sizeof code.word);
        assert_int_equal(bh_system_run(system, first[i], 0, NULL), BH_OK);
        if (i == 2)
            assert_int_equal(bh_system_run(system, 3000, BH_RUN_STOP_ON_IDLE, NULL), BH_OK);
        assert_int_equal(bh_system_run(system, 4000 - bh_system_cycle(system), 0, NULL), BH_OK);
        assert_int_equal(end_get(system, 1, 0x20000), 1234);
        hash[i] = bh_system_hash(system);
        bh_system_destroy(system);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, teardown_system)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_galaxy_at_rest_is_small),
        cmocka_unit_test(machines_have_their_cables),
        cmocka_unit_test(firmware_runs_where_a_cable_is),
        cmocka_unit_test(a_frame_leaves_after_its_core_has_stopped),
        TEST(wrong_links_are_refused),
        TEST(a_chip_may_talk_to_itself),
        TEST(nulls_are_errors),
        TEST(only_the_system_moves_time),
        TEST(a_run_ends_when_nothing_is_left),
        TEST(faults_name_their_chip),
        TEST(a_cut_is_an_event_not_a_hang),
        TEST(sleeping_cores_see_the_link),
        TEST(queues_fill_while_the_link_is_down),
        TEST(a_chip_can_be_reset),
        TEST(nothing_moves_while_a_link_changes),
        TEST(time_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
