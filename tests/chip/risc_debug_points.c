/* The debug interface of the cores (src/tile/risc_debug.h): ebreak, breakpoints and watchpoints, in both timings. */
#include "risc_debug.h"

IN_BOTH(a_core_continues_behind_an_ebreak) {
    const uint32_t program[] = { EBREAK, rv_lui(6, DATA), rv_sw(6, 0, 6), 0x73 /* ecall */, rv_sw(0, 0, 6), SPIN };
    start(program, sizeof program);
    run(A_WHILE);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(pc(), 4);
    assert_int_equal(read_memory(DATA), 0);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(pc(), 16);
    assert_int_equal(peek_word(at.chip, tile, DATA), DATA);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), 0);
    assert_int_equal(peek_word(at.chip, tile, DATA), 0);
    command(PAUSE);
    assert_int_equal(read_dr(STATUS), PAUSED);
}

/* The instruction is executed first. */
IN_BOTH(a_breakpoint_pauses_behind_its_instruction) {
    const uint32_t program[] = { EBREAK, NOP, rv_addi(5, 5, 1), NOP, rv_addi(5, 5, 1), rv_jal(0, -12) };
    start(program, sizeof program);
    run(A_WHILE);
    set_point(0, 8, 8);
    set_point(7, 8, 20);
    assert_int_equal(read_dr(MODES), 0x80000008);
    assert_int_equal(read_dr(ADDRESS + 7), 20);
    for (unsigned i = 0; i < 3; i++) {
        command(CONTINUE);
        assert_int_equal(read_dr(STATUS), PAUSED | BREAKPOINT | POINT_0);
        assert_int_equal(pc(), 12);
        assert_int_equal(get(5), 2 * i + 1);
        command(CONTINUE);
        assert_int_equal(read_dr(STATUS), PAUSED | BREAKPOINT | POINT_0 << 7);
        assert_int_equal(pc(), 8);
    }
    for (unsigned mode = 0; mode < 16; mode++) { /* 8 to 11 are points */
        set_point(0, 0, 8);
        set_point(7, mode, 20);
        command(CONTINUE);
        assert_int_equal(read_dr(STATUS), mode == 8 ? PAUSED | BREAKPOINT | POINT_0 << 7 : 0);
        command(PAUSE);
    }
}

IN_BOTH(watchpoints_pause_behind_the_access) {
    const uint32_t program[] = {
        EBREAK,           rv_lui(10, DATA),  rv_lui(11, LDM), rv_sw(10, 0, 10),  rv_lw(5, 4, 10),
        rv_sw(10, 8, 11), rv_lbu(5, 14, 10), rv_lw(5, 8, 11), rv_sh(10, 16, 10), SPIN
    };
    static const struct {
        unsigned mode;
        uint32_t address, pc;
    } rows[] = {
        { 10, DATA, 0x10 },     { 9, DATA + 4, 0x14 }, { 11, LDM + 8, 0x18 },
        { 9, DATA + 14, 0x1C }, { 9, LDM + 8, 0x20 },  { 11, DATA + 17, 0x24 },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(bh_hold(at.chip, tile, 1u << BH_BRISC), BH_OK);
        start(program, sizeof program);
        run(A_WHILE);
        set_point(i, rows[i].mode, rows[i].address);
        command(CONTINUE);
        assert_int_equal(read_dr(STATUS), PAUSED | WATCHPOINT | POINT_0 << i);
        assert_int_equal(pc(), rows[i].pc);
        if (i == 0)
            assert_int_equal(peek_word(at.chip, tile, DATA), DATA);
        command(STEP);
        assert_int_equal(read_dr(STATUS), PAUSED);
        assert_int_equal(pc(), rows[i].pc == 0x24 ? 0x24 : rows[i].pc + 4);
    }
    /* neighbours, and the other direction */
    static const struct {
        unsigned mode;
        uint32_t address;
    } misses[] = { { 9, DATA }, { 10, DATA + 4 }, { 11, DATA + 15 }, { 9, DATA + 16 }, { 11, DATA + 18 }, { 8, DATA } };
    assert_int_equal(bh_hold(at.chip, tile, 1u << BH_BRISC), BH_OK);
    start(program, sizeof program);
    run(A_WHILE);
    for (unsigned i = 0; i < sizeof misses / sizeof *misses; i++)
        set_point(i, misses[i].mode, misses[i].address);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), 0);
}

IN_BOTH(a_point_and_an_ebreak_at_once) {
    const uint32_t program[] = { NOP, NOP, EBREAK, EBREAK, SPIN };
    start(program, sizeof program);
    run(A_WHILE);
    set_point(2, 8, 12);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), PAUSED | BREAKPOINT | AT_EBREAK | POINT_0 << 2);
    assert_int_equal(pc(), 16);
    command(STEP);
    assert_int_equal(read_dr(STATUS), PAUSED);
}

/* A core that sleeps in a loop sees a point that is set meanwhile. */
IN_BOTH(a_point_in_a_loop_that_polls) {
    const uint32_t program[] = { rv_lui(5, DATA), rv_lw(6, 0, 5), rv_b(0, 6, 0, -4), EBREAK };
    start(program, sizeof program);
    run(10000);
    set_point(1, 9, DATA);
    run(A_WHILE);
    assert_int_equal(read_dr(STATUS), PAUSED | WATCHPOINT | POINT_0 << 1);
    assert_int_equal(pc(), 8);
}

/* TRISCs push several words in one go. */
IN_BOTH(rows_of_pushes_are_stepped_through) {
    enum { TTNOP = 0x02000000 };
    const uint32_t word = (uint32_t)TTNOP << 2 | (uint32_t)TTNOP >> 30;
    const uint32_t program[] = { EBREAK, word, word, word, word, word, word, rv_lui(6, DATA), rv_sw(6, 0, 6), SPIN };
    at.core = BH_TRISC1;
    at.which = 2;
    uint32_t base = core_entry[BH_TRISC1];
    start(program, sizeof program);
    run(A_WHILE);
    for (unsigned i = 2; i < 6; i++) {
        command(STEP);
        assert_int_equal(pc(), base + 4 * i);
    }
    set_point(0, 8, base + 0x18);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), PAUSED | BREAKPOINT | POINT_0);
    assert_int_equal(pc(), base + 0x1C);
    command(CONTINUE);
    assert_int_equal(peek_word(at.chip, tile, DATA), DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_continues_behind_an_ebreak),
        cmocka_unit_test(a_breakpoint_pauses_behind_its_instruction),
        cmocka_unit_test(watchpoints_pause_behind_the_access),
        cmocka_unit_test(a_point_and_an_ebreak_at_once),
        cmocka_unit_test(a_point_in_a_loop_that_polls),
        cmocka_unit_test(rows_of_pushes_are_stepped_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
