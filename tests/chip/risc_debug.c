/* The debug interface of the cores (src/tile/risc_debug.h): halting, stepping, and what a debugger reads and writes,
 * in both timings. */
#include "risc_debug.h"

/* ---- Halt, continue, step -------------------------------------------------------------------------------- */

IN_BOTH(a_halted_core_does_not_advance) {
    start_counting();
    assert_int_equal(read_dr(STATUS), 0);
    command(PAUSE);
    assert_int_equal(read_dr(STATUS), PAUSED);
    uint32_t count = peek_word(at.chip, tile, DATA), where = pc();
    assert_true(count > 10);
    run(1000);
    assert_int_equal(peek_word(at.chip, tile, DATA), count);
    assert_int_equal(pc(), where);
    command(PAUSE); /* nothing */
    assert_int_equal(read_dr(STATUS), PAUSED);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), 0);
    assert_true(peek_word(at.chip, tile, DATA) > count);
    assert_int_equal(read_dr(COMMAND), SLOW | CONTINUE);
}

/* A packet that arrives in cycle t halts the core before the first instruction at t or later; so does the host. */
static void halting_is_exact(void **state) {
    const uint32_t program[] = { rv_addi(11, 11, 1), rv_addi(11, 11, 1), rv_addi(11, 11, 1), rv_jal(0, -12) };
    struct bh_core_info before, after;
    (void)state;
    for (unsigned cycles = 300; cycles < 320; cycles++) {
        open_chip(BH_TIMING_CYCLES, false, BH_BRISC);
        start(program, sizeof program);
        run(cycles);
        assert_int_equal(bh_core_query(at.chip, tile, BH_BRISC, &before), BH_OK);
        write_dr(COMMAND, SLOW | PAUSE);
        run(A_WHILE);
        assert_int_equal(bh_core_query(at.chip, tile, BH_BRISC, &after), BH_OK);
        assert_int_equal(after.state, BH_CORE_PAUSED);
        assert_int_equal(after.retired, before.retired);
        assert_int_equal(after.pc, before.pc);
        bh_destroy(at.chip);
    }
}

IN_BOTH(a_step_executes_one_instruction) {
    const uint32_t program[] = { EBREAK, rv_addi(5, 5, 1), rv_lui(6, DATA), rv_sw(5, 0, 6), SPIN };
    start(program, sizeof program);
    run(A_WHILE);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(pc(), 4);
    for (unsigned i = 2; i <= 4; i++) {
        command(STEP);
        assert_int_equal(read_dr(STATUS), PAUSED);
        assert_int_equal(pc(), 4 * i);
        assert_int_equal(get(5), 1);
        assert_int_equal(peek_word(at.chip, tile, DATA), i == 4);
    }
    for (unsigned i = 0; i < 3; i++) {
        command(STEP);
        assert_int_equal(pc(), 16);
    }
}

IN_BOTH(a_core_that_polls_can_be_halted) {
    const uint32_t program[] = { rv_lui(5, DATA), rv_lw(6, 0, 5), rv_b(0, 6, 0, -4), rv_addi(7, 0, 1), EBREAK };
    start(program, sizeof program);
    run(10000);
    assert_int_equal(state_of(BH_BRISC), BH_CORE_POLLING);
    command(PAUSE);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_in_range(pc(), 4, 8);
    put_word(at.chip, tile, DATA, 1);
    run(1000);
    assert_int_equal(get(7), 0);
    command(CONTINUE);
    run(1000);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(get(7), 1);
}

/* A sleeping core is halted where one that does not sleep would be: in the cycle of the command. */
static void a_sleeping_core_is_halted_in_its_cycle(void **state) {
    const uint32_t program[] = { rv_lui(5, DATA), rv_lw(6, 0, 5), NOP, NOP, NOP, NOP, rv_b(0, 6, 0, -20), EBREAK };
    (void)state;
    unsigned seen = 0;
    for (unsigned cycles = 5000; cycles < 5030; cycles++) {
        struct bh_core_info info;
        open_chip(BH_TIMING_CYCLES, false, BH_BRISC);
        start(program, sizeof program);
        run(cycles);
        assert_int_equal(state_of(BH_BRISC), BH_CORE_POLLING);
        command(PAUSE);
        assert_int_equal(bh_core_query(at.chip, tile, BH_BRISC, &info), BH_OK);
        assert_int_equal(info.state, BH_CORE_PAUSED);
        assert_in_range(info.cycle, cycles, cycles + 12);
        seen |= 1u << info.pc / 4;
        bh_destroy(at.chip);
    }
    assert_true(seen & (seen - 1)); /* at different places of the loop */
}

/* On hardware such a core is not halted before the mailbox has a word. */
IN_BOTH(a_blocked_core_can_be_halted) {
    const uint32_t program[] = { rv_lui(5, MAILBOX_B), rv_lw(6, 0, 5), rv_addi(7, 6, 1), EBREAK };
    start(program, sizeof program);
    run(1000);
    assert_int_equal(state_of(BH_BRISC), BH_CORE_BLOCKED);
    command(PAUSE);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(pc(), 4);
    command(STEP); /* it has to wait again */
    assert_int_equal(read_dr(STATUS), 0);
    run(A_WHILE);
    assert_int_equal(state_of(BH_BRISC), BH_CORE_BLOCKED);
    command(PAUSE);
    assert_int_equal(pc(), 4);
    write_memory(MAILBOX_B, 41); /* as the core that it waits for */
    command(STEP);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(pc(), 8);
    assert_int_equal(get(6), 41);
    command(CONTINUE);
    assert_int_equal(read_dr(STATUS), PAUSED | AT_EBREAK);
    assert_int_equal(get(7), 42);
}

IN_BOTH(a_halted_core_is_reported) {
    char text[400];
    struct bh_stop stop;
    start_counting();
    command(PAUSE);
    assert_int_equal(bh_run(at.chip, 1000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
    assert_false(bh_deadlocked(at.chip));
    assert_true(bh_report(at.chip, text, sizeof text) > 0);
    assert_says(text, "brisc at pc 0x");
    assert_says(text, "halted: a debugger, which has halted it (RISC_DBG)");
}

/* The host's own interface ends what the debug interface had begun. */
IN_BOTH(a_halted_core_can_be_resumed) {
    start_counting();
    command(PAUSE);
    uint32_t count = peek_word(at.chip, tile, DATA);
    assert_int_equal(bh_core_resume(at.chip, tile, BH_BRISC), BH_OK);
    run(A_WHILE);
    assert_true(peek_word(at.chip, tile, DATA) > count);
    assert_int_equal(read_dr(STATUS), 0);
}

/* ---- Registers and memory ----------------------------------------------------------------------------------- */

IN_BOTH(registers_are_read_and_written) {
    const uint32_t program[] = { NOP, EBREAK, NOP, rv_lui(6, DATA), rv_sw(31, 0, 6), SPIN };
    start(program, sizeof program);
    run(A_WHILE);
    assert_int_equal(pc(), 8);
    for (unsigned i = 0; i < 32; i++) {
        write_dr(ARGUMENT_0, i);
        write_dr(ARGUMENT_1, 0x12345600 + i);
        command(SET);
    }
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(get(i), i ? 0x12345600 + i : 0);
    assert_int_equal(read_dr(ARGUMENT_0), 31);
    assert_int_equal(read_dr(ARGUMENT_1), 0x1234561F);
    write_dr(RESULT, 5); /* read-only */
    write_dr(STATUS, 0);
    assert_int_equal(read_dr(RESULT), 0x1234561F);
    command(CONTINUE);
    assert_int_equal(peek_word(at.chip, tile, DATA), 0x1234561F);
    command(PAUSE);
    command(CLEAR);
    for (unsigned i = 1; i < 32; i++)
        assert_int_equal(get(i), 0);
}

IN_BOTH(a_core_reads_and_writes_what_it_sees) {
    static const uint32_t gpr_0 = 0xFFE00000, slow_ldm_b = 0xFFB14000;
    start_counting();
    command(PAUSE);
    uint32_t where = pc();
    put_word(at.chip, tile, DATA + 16, 0xCAFE0001);
    assert_int_equal(read_memory(DATA + 16), 0xCAFE0001);
    write_memory(DATA + 16, 0xCAFE0002);
    assert_int_equal(peek_word(at.chip, tile, DATA + 16), 0xCAFE0002);
    write_memory(LDM + 12, 0xCAFE0003);
    assert_int_equal(read_memory(LDM + 12), 0xCAFE0003);
    assert_int_equal(peek_word(at.chip, tile, slow_ldm_b + 12), 0xCAFE0003);
    write_memory(gpr_0 + 8, 77);
    assert_int_equal(read_memory(gpr_0 + 8), 77);
    write_memory(DISABLE_RESET, 3);
    assert_int_equal(peek_word(at.chip, tile, DISABLE_RESET), 3);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(pc(), where);
    uint32_t count = peek_word(at.chip, tile, DATA);
    command(CONTINUE);
    assert_true(peek_word(at.chip, tile, DATA) > count);
}

/* A debugger does not wait until a new core's local memory has been cleared. */
static void local_memory_is_there_at_once(void **state) {
    const uint32_t program[] = { SPIN };
    (void)state;
    open_chip(BH_TIMING_CYCLES, false, BH_BRISC);
    start(program, sizeof program);
    run(50);
    write_dr(COMMAND, SLOW | PAUSE);
    run(20);
    write_dr(ARGUMENT_0, LDM + 4);
    write_dr(ARGUMENT_1, 12345);
    write_dr(COMMAND, SLOW | WRITE);
    run(20);
    write_dr(COMMAND, SLOW | READ);
    run(20);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(read_dr(RESULT), 12345);
    run(5000);
    assert_int_equal(peek_word(at.chip, tile, 0xFFB14004), 12345);
    bh_destroy(at.chip);
}

/* While it waits for a mailbox, the core is busy: it is not paused. */
IN_BOTH(an_access_may_wait) {
    start_counting();
    command(PAUSE);
    write_dr(ARGUMENT_0, MAILBOX_T0);
    command(READ);
    assert_int_equal(read_dr(STATUS), 0);
    at.core = BH_TRISC0; /* which sends a word to B */
    const uint32_t program[] = { rv_lui(5, MAILBOX_B), rv_addi(6, 0, 9), rv_sw(6, 0, 5), EBREAK };
    start(program, sizeof program);
    run(1000);
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(read_dr(RESULT), 9);
}

IN_BOTH(an_access_to_nothing_is_a_fault) {
    start_counting();
    command(PAUSE);
    write_dr(ARGUMENT_0, 0x10000000);
    write_dr(COMMAND, SLOW | READ);
    struct bh_fault fault = run_into_fault(at.chip);
    assert_says(fault.text, "load from 0x10000000, which is not mapped for brisc");
    /* It can still be looked at. */
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(get(10), DATA);
    assert_true(read_memory(DATA) > 10);
    command(CONTINUE);
    assert_int_equal(state_of(BH_BRISC), BH_CORE_FAULTED);
}

IN_BOTH(pc_is_written) {
    const uint32_t program[] = { rv_addi(5, 0, 1), SPIN, rv_addi(5, 0, 2), SPIN };
    start(program, sizeof program);
    run(A_WHILE);
    command(PAUSE);
    assert_int_equal(pc(), 4);
    write_dr(ARGUMENT_1, 8);
    command(JUMP | STEP); /* STEP does not step here */
    assert_int_equal(read_dr(STATUS), PAUSED);
    assert_int_equal(pc(), 8);
    assert_int_equal(get(5), 1);
    command(CONTINUE);
    command(PAUSE);
    assert_int_equal(pc(), 12);
    assert_int_equal(get(5), 2);
    write_dr(COMMAND, JUMP | CONTINUE); /* not in slow mode: where a reset leads */
    run(A_WHILE);
    command(PAUSE);
    assert_int_equal(pc(), 4);
    assert_int_equal(get(5), 1);
}

IN_BOTH(commands_to_a_running_core_do_nothing) {
    start_counting();
    write_dr(ARGUMENT_0, 10);
    write_dr(ARGUMENT_1, 0x50000);
    command(SET | GET | CLEAR | JUMP | STEP | CONTINUE | READ | WRITE);
    uint32_t count = peek_word(at.chip, tile, DATA);
    run(A_WHILE);
    assert_true(peek_word(at.chip, tile, DATA) > count);
    assert_int_equal(read_dr(RESULT), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_halted_core_does_not_advance),
        cmocka_unit_test(halting_is_exact),
        cmocka_unit_test(a_step_executes_one_instruction),
        cmocka_unit_test(a_core_that_polls_can_be_halted),
        cmocka_unit_test(a_sleeping_core_is_halted_in_its_cycle),
        cmocka_unit_test(a_blocked_core_can_be_halted),
        cmocka_unit_test(a_halted_core_is_reported),
        cmocka_unit_test(a_halted_core_can_be_resumed),
        cmocka_unit_test(registers_are_read_and_written),
        cmocka_unit_test(a_core_reads_and_writes_what_it_sees),
        cmocka_unit_test(local_memory_is_there_at_once),
        cmocka_unit_test(an_access_may_wait),
        cmocka_unit_test(an_access_to_nothing_is_a_fault),
        cmocka_unit_test(pc_is_written),
        cmocka_unit_test(commands_to_a_running_core_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
