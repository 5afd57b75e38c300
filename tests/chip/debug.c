/* bh_debug: breakpoints, steps and watchpoints stop where they should, name who wrote, and change nothing; snapshots.
 */
#include <stdio.h>

#include "support/chip.h"
#include "support/rv.h"

#define LDM 0xFFB00000u
enum { DATA = 0x40000, EBREAK = 0x00100073, EVENTS = 400 };

static const struct bh_xy tile = { 1, 2 };

static struct {
    struct bh_debug_event event[EVENTS];
    uint32_t a0[EVENTS]; /* x10 of the core at the event */
    unsigned count;
    void (*act)(bh_chip *chip, const struct bh_debug_event *event);
} heard;

static void hear(void *user, bh_chip *chip, const struct bh_debug_event *event) {
    assert_ptr_equal(user, &heard);
    assert_true(heard.count < EVENTS);
    if (event->core >= 0) {
        uint32_t pc;
        assert_int_equal(bh_core_get(chip, event->tile, (enum bh_core)event->core, BH_REG_PC, &pc), BH_OK);
        assert_int_equal(pc, event->pc);
        assert_int_equal(bh_core_get(chip, event->tile, (enum bh_core)event->core, 10, &heard.a0[heard.count]), BH_OK);
    }
    heard.event[heard.count++] = *event;
    if (heard.act)
        heard.act(chip, event);
}

static bh_chip *debugged(void) {
    bh_chip *chip = make_chip(1);
    memset(&heard, 0, sizeof heard);
    assert_int_equal(bh_debug(chip, hear, &heard), BH_OK);
    return chip;
}

/* Adds 1 to a0 three times, stores it to DATA and to local memory, loads it, pauses. */
static const uint32_t *program(size_t *size) {
    static uint32_t word[16];
    unsigned n = 0;
    word[n++] = rv_lui(5, DATA);    /* 00 */
    word[n++] = rv_lui(6, LDM);     /* 04 */
    word[n++] = rv_addi(7, 0, 3);   /* 08 */
    word[n++] = rv_addi(10, 10, 1); /* 0c: loop */
    word[n++] = rv_sw(10, 16, 5);   /* 10 */
    word[n++] = rv_sw(10, 8, 6);    /* 14 */
    word[n++] = rv_lw(11, 16, 5);   /* 18 */
    word[n++] = rv_addi(7, 7, -1);  /* 1c */
    word[n++] = rv_bne(7, 0, -20);  /* 20 */
    word[n++] = EBREAK;             /* 24 */
    *size = 4 * n;
    return word;
}

static void start(bh_chip *chip) {
    size_t size;
    const uint32_t *word = program(&size);
    start_at(chip, tile, BH_BRISC, 0, word, size);
}

static void a_breakpoint_stops_before_its_instruction(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    assert_int_equal(bh_breakpoint(chip, tile, BH_ALL_CORES, 0x10, true), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(heard.event[i].kind, BH_DEBUG_BREAK);
        assert_int_equal(heard.event[i].core, BH_BRISC);
        assert_int_equal(heard.event[i].pc, 0x10);
        assert_int_equal(heard.event[i].number, 4 + 6 * i);
        assert_int_equal(heard.a0[i], i + 1);
    }
    bh_destroy(chip);
}

static void a_breakpoint_of_another_core_does_not_count(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    assert_int_equal(bh_breakpoint(chip, tile, 1u << BH_NCRISC, 0x10, true), BH_OK);
    assert_int_equal(bh_breakpoint(chip, tile, BH_ALL_CORES, 0x18, true), BH_OK);
    assert_int_equal(bh_breakpoint(chip, tile, BH_ALL_CORES, 0x18, false), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 0);
    bh_destroy(chip);
}

static void every_instruction_is_a_step(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    assert_int_equal(bh_step(chip, tile, 1u << BH_BRISC), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 3 + 3 * 6 + 1);
    for (unsigned i = 0; i < heard.count; i++)
        assert_int_equal(heard.event[i].number, i);
    assert_int_equal(heard.event[21].pc, 0x24);
    bh_destroy(chip);
}

static void watchpoints_name_the_core(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    assert_int_equal(bh_watchpoint(chip, tile, BH_BRISC, DATA + 12, 6, BH_ACCESS_WRITE, true), BH_OK);
    assert_int_equal(bh_watchpoint(chip, tile, BH_BRISC, LDM + 8, 1, BH_ACCESS_WRITE, true), BH_OK);
    assert_int_equal(bh_watchpoint(chip, tile, BH_BRISC, DATA + 16, 4, BH_ACCESS_READ, true), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 9);
    for (unsigned i = 0; i < 9; i++) {
        static const enum bh_debug_kind kinds[] = { BH_DEBUG_WRITE, BH_DEBUG_WRITE, BH_DEBUG_READ };
        static const char *const agents[] = { "brisc at pc 0x10", "brisc at pc 0x14", "brisc at pc 0x18" };
        assert_int_equal(heard.event[i].kind, kinds[i % 3]);
        assert_int_equal(heard.event[i].pc, 0x14 + 4 * (i % 3)); /* behind the access */
        assert_int_equal(heard.event[i].by, BH_BRISC);
        assert_string_equal(heard.event[i].agent, agents[i % 3]);
    }
    assert_int_equal(heard.event[0].address, DATA + 16);
    assert_int_equal(heard.event[0].size, 4);
    assert_int_equal(heard.event[1].address, LDM + 8);
    bh_destroy(chip);
}

static void the_host_is_named(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    assert_int_equal(bh_watchpoint(chip, tile, BH_BRISC, DATA, 4, BH_ACCESS_WRITE, true), BH_OK);
    start(chip);
    put_word(chip, tile, DATA, 7);
    assert_int_equal(heard.count, 0); /* reported when the chip runs */
    run_until_idle(chip);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.event[0].agent, "host");
    assert_int_equal(heard.event[0].by, -1);
    bh_destroy(chip);
}

/* BRISC of another tile writes an inline word over NoC 0. */
static void a_packet_is_named(void **state) {
    (void)state;
    enum { WRITE_INLINE = 0x8 | 0x2 };
    const struct bh_xy other = { 2, 2 };
    static const uint32_t value[][2] = { { 0x00, DATA }, { 0x08, 1 | 2 << 6 }, { 0x1C, WRITE_INLINE },
                                         { 0x28, 99 },   { 0x24, 0xF },        { 0x40, 1 } };
    uint32_t word[40];
    unsigned n = 0;
    word[n++] = rv_lui(5, 0xFFB20000);
    for (unsigned i = 0; i < sizeof value / sizeof *value; i++) {
        word[n++] = rv_lui(6, rv_high(value[i][1]));
        word[n++] = rv_addi(6, 6, rv_low(value[i][1]));
        word[n++] = rv_sw(6, (int32_t)value[i][0], 5);
    }
    word[n++] = EBREAK;
    bh_chip *chip = debugged();
    assert_int_equal(bh_watchpoint(chip, tile, BH_BRISC, DATA, 4, BH_ACCESS_WRITE, true), BH_OK);
    start_at(chip, other, BH_BRISC, 0, word, 4 * n);
    run_until_idle(chip);
    assert_int_equal(peek_word(chip, tile, DATA), 99);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.event[0].agent, "NoC 0 from tile 2,2");
    assert_int_equal(heard.event[0].core, -1); /* no core of the tile runs */
    bh_destroy(chip);
}

static void set_five(bh_chip *chip, const struct bh_debug_event *event) {
    uint32_t seven = 7;
    if (heard.count != 1)
        return;
    assert_int_equal(bh_core_set(chip, event->tile, BH_BRISC, 10, 50), BH_OK);
    assert_int_equal(bh_core_poke(chip, event->tile, BH_BRISC, LDM + 12, &seven, 4), BH_OK);
    assert_int_equal(bh_core_set(chip, event->tile, BH_BRISC, BH_REG_PC, 0x14), BH_OK);
    assert_refusal(chip, bh_run(chip, 1, 0, NULL), BH_ERR_STATE, "under way");
    assert_refusal(chip, bh_save(chip, "/dev/null"), BH_ERR_STATE, "runs");
}

static void the_callback_changes_registers(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    uint32_t value;
    heard.act = set_five;
    assert_int_equal(bh_breakpoint(chip, tile, BH_ALL_CORES, 0x10, true), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 3);
    assert_int_equal(heard.a0[1], 51);
    assert_int_equal(peek_word(chip, tile, DATA + 16), 52);
    assert_int_equal(bh_core_peek(chip, tile, BH_BRISC, LDM + 8, &value, 4), BH_OK);
    assert_int_equal(value, 52);
    assert_int_equal(bh_core_peek(chip, tile, BH_BRISC, LDM + 12, &value, 4), BH_OK);
    assert_int_equal(value, 7);
    bh_destroy(chip);
}

static void stop_debugging(bh_chip *chip, const struct bh_debug_event *event) {
    (void)event;
    assert_int_equal(bh_debug(chip, NULL, NULL), BH_OK);
}

static void the_callback_ends_it(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    heard.act = stop_debugging;
    assert_int_equal(bh_step(chip, tile, BH_ALL_CORES), BH_OK);
    start(chip);
    run_until_idle(chip);
    assert_int_equal(heard.count, 1);
    assert_refusal(chip, bh_step(chip, tile, 1), BH_ERR_STATE, "not debugged");
    bh_destroy(chip);
}

static void a_fault_is_an_event(void **state) {
    (void)state;
    const uint32_t word[] = { rv_lui(5, 0x10000000), rv_lw(6, 0, 5) };
    bh_chip *chip = debugged();
    start_at(chip, tile, BH_BRISC, 0, word, sizeof word);
    struct bh_fault fault = run_into_fault(chip);
    assert_int_equal(fault.pc, 4);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.event[0].kind, BH_DEBUG_FAULT);
    bh_destroy(chip);
}

static void time_is_an_event(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    const uint32_t word[] = { rv_addi(5, 5, 1), rv_jal(0, -4) };
    start_at(chip, tile, BH_BRISC, 0, word, sizeof word);
    assert_int_equal(bh_debug_at(chip, 5000), BH_OK);
    assert_int_equal(bh_run(chip, 20000, 0, NULL), BH_OK);
    assert_int_equal(heard.count, 1);
    assert_true(heard.event[0].cycle >= 5000 && heard.event[0].cycle < 5300);
    bh_destroy(chip);
}

/* Words of a row are events of their own, whatever number of them the core pushes at a time. */
static void words_of_a_row_are_steps(void **state) {
    (void)state;
    enum { NOP = 0x02000000u, ROTATED = NOP << 2 | NOP >> 30, WORDS = 11 };
    uint32_t word[WORDS + 2];
    for (unsigned i = 0; i < WORDS; i++)
        word[i] = ROTATED;
    word[WORDS] = rv_addi(10, 10, 1);
    word[WORDS + 1] = EBREAK;
    bh_chip *chip = debugged();
    assert_int_equal(bh_step(chip, tile, 1u << BH_TRISC1), BH_OK);
    assert_int_equal(bh_breakpoint(chip, tile, 1u << BH_TRISC1, core_entry[BH_TRISC1] + 5 * 4, true), BH_OK);
    start_at(chip, tile, BH_TRISC1, core_entry[BH_TRISC1], word, sizeof word);
    run_until_idle(chip);
    assert_int_equal(heard.count, WORDS + 2);
    for (unsigned i = 0; i < heard.count; i++) {
        assert_int_equal(heard.event[i].pc, core_entry[BH_TRISC1] + 4 * i);
        assert_int_equal(heard.event[i].number, i);
        assert_int_equal(heard.event[i].kind, i == 5 ? BH_DEBUG_BREAK : BH_DEBUG_STEP);
    }
    bh_destroy(chip);
}

static void a_snapshot_goes_back(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    bh_snapshot *snapshot;
    assert_int_equal(bh_breakpoint(chip, tile, BH_ALL_CORES, 0x10, true), BH_OK);
    start(chip);
    uint64_t changes = bh_host_changes(chip);
    assert_int_equal(bh_snapshot_take(chip, &snapshot), BH_OK);
    assert_true(bh_snapshot_size(snapshot) > 1000);
    uint64_t hash[3];
    for (unsigned i = 0; i < 3; i++) {
        run_until_idle(chip);
        hash[i] = bh_state_hash(chip);
        assert_int_equal(heard.count, 3 * (i + 1)); /* breakpoints stay */
        assert_int_equal(bh_snapshot_restore(chip, snapshot), BH_OK);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    assert_true(bh_host_changes(chip) > changes);
    bh_snapshot_free(snapshot);
    bh_destroy(chip);
}

static void only_the_host_counts_as_a_change(void **state) {
    const uint32_t word = 5;
    (void)state;
    bh_chip *chip = debugged();
    start(chip);
    uint64_t changes = bh_host_changes(chip);
    run_until_idle(chip);
    (void)peek_word(chip, tile, DATA);
    (void)bh_state_hash(chip);
    assert_int_equal(bh_host_changes(chip), changes);
    put_word(chip, tile, DATA, 1);
    assert_true(bh_host_changes(chip) > changes);
    changes = bh_host_changes(chip);
    assert_int_equal(bh_pci_config_write(chip, 0x10, UINT32_MAX), BH_OK);
    assert_int_equal(bh_host_changes(chip), changes + 1);
    assert_int_equal(bh_pci_config_write(chip, 0x10, 0), BH_OK);
    assert_int_equal(bh_pci_config_write(chip, 0x14, 1), BH_OK);
    changes = bh_host_changes(chip);
    assert_int_equal(bh_pci_write(chip, 0x11FC00000, &word, sizeof word), BH_OK); /* a descriptor */
    assert_int_equal(bh_host_changes(chip), changes + 1);
    bh_destroy(chip);
}

static void vector_registers(void **state) {
    bh_chip *chip = *state;
    uint32_t value;
    assert_int_equal(bh_core_set(chip, tile, BH_TRISC2, BH_REG_V0 + 4 * 31 + 3, 77), BH_OK);
    assert_int_equal(bh_core_get(chip, tile, BH_TRISC2, BH_REG_V0 + 4 * 31 + 3, &value), BH_OK);
    assert_int_equal(value, 77);
    assert_int_equal(bh_core_get(chip, tile, BH_TRISC2, BH_REG_V0 + 4 * 32, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_get(chip, tile, BH_TRISC1, BH_REG_V0, &value), BH_ERR_ARGUMENT);
}

static void bad_arguments(void **state) {
    (void)state;
    bh_chip *chip = debugged();
    uint32_t value;
    assert_refusal(chip, bh_breakpoint(chip, tile, 1, 2, true), BH_ERR_ARGUMENT, "aligned");
    assert_refusal(chip, bh_breakpoint(chip, tile, 1, 0x180000, true), BH_ERR_ARGUMENT, "aligned");
    assert_refusal(chip, bh_breakpoint(chip, tile, 32, 0, true), BH_ERR_ARGUMENT, "cores");
    assert_refusal(chip, bh_watchpoint(chip, tile, BH_BRISC, 0, 0, BH_ACCESS_READ, true), BH_ERR_ARGUMENT,
                   "watchpoint");
    assert_refusal(chip, bh_watchpoint(chip, tile, BH_BRISC, 0, 4, 4, true), BH_ERR_ARGUMENT, "watchpoint");
    assert_refusal(chip, bh_watchpoint(chip, tile, BH_BRISC, UINT32_MAX, 4, 1, true), BH_ERR_ARGUMENT, "watchpoint");
    assert_refusal(chip, bh_core_peek(chip, tile, BH_BRISC, 0x10000000, &value, 4), BH_ERR_ADDRESS, "brisc");
    assert_int_equal(bh_watchpoint(chip, tile, BH_CORE_COUNT, 0, 4, 1, true), BH_ERR_ARGUMENT);
    assert_int_equal(bh_debug(NULL, hear, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_debug_at(NULL, 0), BH_ERR_ARGUMENT);
    assert_int_equal(bh_snapshot_take(NULL, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_snapshot_restore(chip, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_snapshot_size(NULL), 0);
    assert_int_equal(bh_host_changes(NULL), 0);
    bh_snapshot_free(NULL);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breakpoint_stops_before_its_instruction),
        cmocka_unit_test(a_breakpoint_of_another_core_does_not_count),
        cmocka_unit_test(every_instruction_is_a_step),
        cmocka_unit_test(watchpoints_name_the_core),
        cmocka_unit_test(the_host_is_named),
        cmocka_unit_test(a_packet_is_named),
        cmocka_unit_test(the_callback_changes_registers),
        cmocka_unit_test(the_callback_ends_it),
        cmocka_unit_test(a_fault_is_an_event),
        cmocka_unit_test(time_is_an_event),
        cmocka_unit_test(words_of_a_row_are_steps),
        cmocka_unit_test(a_snapshot_goes_back),
        cmocka_unit_test(only_the_host_counts_as_a_change),
        cmocka_unit_test_setup_teardown(vector_registers, setup_chip, teardown_chip),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
