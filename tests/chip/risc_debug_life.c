/* The debug interface of the cores (src/tile/risc_debug.h): resets, saved chips, other cores as debuggers, Ethernet
 * tiles, and the flaws of silicon. */
#include <stdio.h>

#include "risc_debug.h"

/* ---- Reset, save, other debuggers ------------------------------------------------------------------------------ */

IN_BOTH(a_reset_ends_it_all) {
    start_counting();
    set_point(3, 8, 0x1234);
    command(PAUSE);
    assert_int_equal(bh_hold(at.chip, tile, 1u << BH_BRISC), BH_OK);
    assert_int_equal(read_dr(STATUS), 0);
    assert_int_equal(read_dr(MODES), 0);
    assert_int_equal(read_dr(ADDRESS + 3), 0);
    write_dr(ARGUMENT_0, 5); /* discarded */
    assert_int_equal(read_dr(ARGUMENT_0), 0);
    put_word(at.chip, tile, DATA, 0);
    start_counting();
    assert_int_equal(read_dr(STATUS), 0);
    assert_true(peek_word(at.chip, tile, DATA) > 10);
    /* DISABLE_RESET keeps the registers, and a point takes effect from the first instruction on. */
    put_word(at.chip, tile, DISABLE_RESET, 1 << 7);
    set_point(3, 8, 8);
    command(PAUSE);
    assert_int_equal(bh_hold(at.chip, tile, 1u << BH_BRISC), BH_OK);
    write_dr(ARGUMENT_0, 5);
    assert_int_equal(read_dr(ARGUMENT_0), 5);
    assert_int_equal(read_dr(MODES), 0x8000);
    start_counting();
    assert_int_equal(read_dr(STATUS), PAUSED | BREAKPOINT | POINT_0 << 3);
    assert_int_equal(get(11), 1);
}

/* A chip that is saved and loaded goes on as the one that was saved: with a point, in a step, in an access. */
IN_BOTH(it_is_saved) {
    const char *path = "risc_debug.saved";
    start_counting();
    command(PAUSE);
    set_point(0, 10, DATA);
    write_dr(COMMAND, SLOW | CONTINUE);
    assert_int_equal(bh_save(at.chip, path), BH_OK);
    run(A_WHILE);
    uint64_t hash = bh_state_hash(at.chip);
    assert_int_equal(read_dr(STATUS), PAUSED | WATCHPOINT | POINT_0);
    uint32_t count = get(11);
    assert_int_equal(bh_load(at.chip, path), BH_OK);
    assert_int_equal(read_dr(STATUS), 0);
    assert_int_equal(bh_load(at.chip, path), BH_OK);
    run(A_WHILE);
    assert_int_equal(bh_state_hash(at.chip), hash);
    assert_int_equal(get(11), count);
    bh_reset(at.chip); /* nothing is left of it */
    start_counting();
    assert_int_equal(read_dr(STATUS), 0);
    assert_int_equal(read_dr(MODES), 0);
    remove(path);
}

/* NC halts B, reads x11 of B to DATA + 16, and lets B continue. */
IN_BOTH(another_core_of_the_tile_is_the_debugger) {
    uint32_t program[64];
    unsigned n = 0;
    start_counting();
    program[n++] = rv_lui(5, CNTL_0);
    program[n++] = rv_addi(5, 5, CNTL_0 & 0xFFF);
#define DR_WRITE(i, value) \
    do { \
        program[n++] = rv_lui(6, rv_high(value)); \
        program[n++] = rv_addi(6, 6, rv_low(value)); \
        program[n++] = rv_sw(6, 4, 5); \
        program[n++] = rv_sw(0, 0, 5); \
        program[n++] = rv_lui(6, 0x80010000); \
        program[n++] = rv_addi(6, 6, i); \
        program[n++] = rv_sw(6, 0, 5); \
    } while (0)
    DR_WRITE(COMMAND, SLOW | PAUSE);
    program[n++] = rv_addi(7, 0, 100); /* a pause takes a handful of cycles */
    program[n++] = rv_addi(7, 7, -1);
    program[n++] = rv_bne(7, 0, -4);
    DR_WRITE(ARGUMENT_0, 11);
    DR_WRITE(COMMAND, SLOW | GET);
    program[n++] = rv_sw(0, 0, 5);
    program[n++] = rv_lui(6, 0x80000000);
    program[n++] = rv_addi(6, 6, RESULT);
    program[n++] = rv_sw(6, 0, 5);
    program[n++] = rv_lw(6, 12, 5);
    program[n++] = rv_lui(7, DATA);
    program[n++] = rv_sw(6, 16, 7);
    program[n++] = rv_lw(8, 0, 7);
    program[n++] = rv_sw(8, 20, 7);
    program[n++] = EBREAK;
    at.core = BH_NCRISC;
    start(program, 4 * n);
    run(3000);
    assert_int_equal(state_of(BH_NCRISC), BH_CORE_PAUSED);
    assert_int_equal(read_dr(STATUS), PAUSED);
    uint32_t count = peek_word(at.chip, tile, DATA + 16);
    assert_in_range(peek_word(at.chip, tile, DATA + 20), count - 1, count);
    assert_int_equal(peek_word(at.chip, tile, DATA), peek_word(at.chip, tile, DATA + 20));
    command(CONTINUE);
    assert_true(peek_word(at.chip, tile, DATA) > count);
}

/* A core can halt itself, and ebreak is not needed for that. */
IN_BOTH(a_core_halts_itself) {
    const uint32_t program[] = {
        rv_lui(5, CNTL_0),     rv_addi(5, 5, CNTL_0 & 0xFFF), rv_lui(6, SLOW), rv_addi(6, 6, PAUSE), rv_sw(6, 4, 5),
        rv_lui(6, 0x80010000), rv_addi(6, 6, COMMAND),        rv_sw(6, 0, 5),  rv_addi(7, 7, 1),     rv_jal(0, -4)
    };
    start(program, sizeof program);
    run(A_WHILE);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(pc(), 32);
    assert_int_equal(get(7), 0);
}

static void ethernet_cores_have_it(void **state) {
    const uint32_t program[] = { rv_addi(11, 11, 1), rv_jal(0, -4) };
    static const enum bh_core cores[] = { BH_ERISC0, BH_ERISC1 };
    struct bh_tile_info info = { 0 };
    (void)state;
    open_chip(BH_TIMING_CYCLES, false, BH_BRISC);
    for (unsigned i = 0; info.kind != BH_TILE_ETH || info.harvested; i++)
        assert_int_equal(bh_tile_at(at.chip, i, &info), BH_OK);
    at.tile = info.translated;
    for (unsigned i = 0; i < 2; i++) {
        at.which = i;
        at.core = cores[i];
        start_at(at.chip, at.tile, at.core, 0x8000 + 0x1000 * i, program, sizeof program);
        run(1000);
        command(PAUSE);
        assert_int_equal(read_dr(STATUS), PAUSED);
        assert_in_range(pc(), 0x8000 + 0x1000 * i, 0x8004 + 0x1000 * i);
        uint32_t count = get(11);
        assert_true(count > 100);
        write_memory(LDM + 8, 55);
        assert_int_equal(read_memory(LDM + 8), 55);
        command(STEP);
        command(STEP);
        assert_int_equal(get(11), count + 1);
        command(CONTINUE);
        assert_int_equal(read_dr(STATUS), 0);
    }
    at.which = 3; /* no such core */
    write_dr(ARGUMENT_0, 1);
    assert_int_equal(read_dr(ARGUMENT_0), 0);
    bh_destroy(at.chip);
}

static void the_echo_of_cntl_0(void **state) {
    (void)state;
    open_chip(BH_TIMING_CYCLES, false, BH_BRISC);
    put_word(at.chip, tile, CNTL_0, 0x80010000 | 2 << 17 | 0x405);
    assert_int_equal(read_word(at.chip, tile, STATUS_0), 0x80000000 | 1 << 15 | 0x405);
    put_word(at.chip, tile, STATUS_0, 0);
    put_word(at.chip, tile, STATUS_1, 7);
    assert_int_equal(read_word(at.chip, tile, STATUS_0), 0x80000000 | 1 << 15 | 0x405);
    assert_int_equal(read_word(at.chip, tile, STATUS_1), 0);
    put_word(at.chip, tile, CNTL_0, 0);
    assert_int_equal(read_word(at.chip, tile, STATUS_0), 0);
    put_word(at.chip, tile, CNTL_0, 0x80000000);
    put_word(at.chip, tile, CNTL_0, 0);
    assert_int_equal(read_word(at.chip, tile, STATUS_0), 0x40000000); /* the answer stays valid */
    uint32_t value = 1;
    assert_refusal(at.chip, bh_poke(at.chip, tile, CNTL_0, &value, 4), BH_ERR_UNMODELLED, "acts on cores: write it");
    bh_destroy(at.chip);
}

/* ---- The flaws of silicon ---------------------------------------------------------------------------------------- */

static void flaws_of_silicon(void **state) {
    uint32_t program[16] = { EBREAK };
    (void)state;
    for (unsigned i = 1; i <= 8; i++)
        program[i] = NOP;
    program[9] = rv_addi(5, 0, 7);
    program[10] = SPIN;
    open_chip(BH_TIMING_CYCLES, true, BH_TRISC2);
    uint32_t base = core_entry[BH_TRISC2];
    start(program, sizeof program);
    run(A_WHILE);
    assert_int_equal(pc(), 0);
    struct bh_core_info info;
#define WHERE() (assert_int_equal(bh_core_query(at.chip, tile, BH_TRISC2, &info), BH_OK), info.pc - base)
    assert_int_equal(WHERE(), 4);
    command(STEP);
    assert_int_equal(WHERE(), 4);
    command(STEP);
    assert_int_equal(WHERE(), 8);
    command(JUMP | STEP); /* the way back */
    write_dr(ARGUMENT_1, base);
    command(JUMP);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(WHERE(), 4);
    write_dr(ARGUMENT_1, base + 36);
    command(JUMP);
    assert_int_equal(read_dr(STATUS), PAUSED);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), 0);
    command(PAUSE);
    assert_int_equal(get(5), 7);
    for (unsigned i = 0; i < 8; i++) {
        write_memory(LDM + 4 * i, 0x100 + i);
        assert_int_equal(peek_word(at.chip, tile, 0xFFB1C000 + 4 * i), 0x100 + i);
        assert_int_equal(read_memory(LDM + 4 * i), i % 4 < 2 ? 0x100 + i : 0);
    }
    put_word(at.chip, tile, DATA + 8, 3);
    assert_int_equal(read_memory(DATA + 8), 3);
    bh_destroy(at.chip);
}

static void with_flaws_a_blocked_core_is_not_halted(void **state) {
    const uint32_t program[] = { rv_lui(5, MAILBOX_T0), rv_lw(6, 0, 5), SPIN };
    const uint32_t sender[] = { rv_lui(5, MAILBOX_B), rv_addi(6, 0, 9), rv_sw(6, 0, 5), EBREAK };
    (void)state;
    open_chip(BH_TIMING_CYCLES, true, BH_BRISC);
    start(program, sizeof program);
    run(1000);
    command(PAUSE);
    assert_int_equal(read_dr(STATUS), 0);
    run(A_WHILE);
    assert_int_equal(state_of(BH_BRISC), BH_CORE_BLOCKED);
    at.core = BH_TRISC0;
    start(sender, sizeof sender);
    run(1000);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(get(6), 9);
    bh_destroy(at.chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_ends_it_all),
        cmocka_unit_test(it_is_saved),
        cmocka_unit_test(another_core_of_the_tile_is_the_debugger),
        cmocka_unit_test(a_core_halts_itself),
        cmocka_unit_test(ethernet_cores_have_it),
        cmocka_unit_test(the_echo_of_cntl_0),
        cmocka_unit_test(flaws_of_silicon),
        cmocka_unit_test(with_flaws_a_blocked_core_is_not_halted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
