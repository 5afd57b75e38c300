/* The debug interface of the cores (src/tile/risc_debug.h): every command and kind of point, in both timings; resets,
 * saved chips, other cores as debuggers, Ethernet tiles, and the flaws of silicon. */
#include <stdio.h>
#include <stdlib.h>

#include "isa/riscv.h"
#include "support/chip.h"
#include "support/rv.h"

#define CNTL_0        0xFFB12080u
#define CNTL_1        0xFFB12084u
#define STATUS_0      0xFFB12088u
#define STATUS_1      0xFFB1208Cu
#define DISABLE_RESET 0xFFB12224u
#define LDM           0xFFB00000u
#define MAILBOX_B     0xFFEC0000u
#define MAILBOX_T0    0xFFEC1000u
#define SLOW          0x80000000u

enum {
    DATA = 0x40000,
    EBREAK = 0x00100073,
    NOP = 0x13,
    SPIN = 0x6F,
    A_WHILE = 2500 /* local memory is being cleared for 2048 cycles */
};
enum { STATUS, COMMAND, ARGUMENT_0, ARGUMENT_1, RESULT, MODES, ADDRESS = 10 };
enum { PAUSE = 1, STEP = 2, CONTINUE = 4, GET = 8, SET = 16, READ = 32, WRITE = 64, CLEAR = 128, JUMP = 256 };
enum { PAUSED = 1, BREAKPOINT = 2, WATCHPOINT = 4, AT_EBREAK = 8, POINT_0 = 0x100 };

static const struct bh_xy tile = { 1, 2 };

/* The chip and the core that a test debugs. */
static struct {
    bh_chip *chip;
    struct bh_xy tile;
    enum bh_core core;
    unsigned which; /* number of the core in CNTL_0 */
} at;

static void open_chip(enum bh_timing timing, bool flaws, enum bh_core core) {
    struct bh_config config;
    bh_config_init(&config);
    config.timing = timing;
    config.threads = 1;
    config.debug_flaws = flaws;
    at.chip = make_configured(&config);
    at.tile = tile;
    at.core = core;
    at.which = core;
}

static void run(uint64_t cycles) {
    assert_int_equal(bh_run(at.chip, cycles, 0, NULL), BH_OK);
}

static void write_dr(unsigned i, uint32_t value) {
    put_word(at.chip, at.tile, CNTL_1, value);
    put_word(at.chip, at.tile, CNTL_0, 0);
    put_word(at.chip, at.tile, CNTL_0, 0x80010000 | at.which << 17 | i);
}

static uint32_t read_dr(unsigned i) {
    put_word(at.chip, at.tile, CNTL_0, 0);
    put_word(at.chip, at.tile, CNTL_0, 0x80000000 | at.which << 17 | i);
    assert_int_equal(read_word(at.chip, at.tile, STATUS_0), 0xC0000000 | i);
    return read_word(at.chip, at.tile, STATUS_1);
}

static void command(uint32_t bits) {
    write_dr(COMMAND, SLOW | bits);
    run(A_WHILE);
}

static uint32_t get(uint32_t index) {
    write_dr(ARGUMENT_0, index);
    command(GET);
    return read_dr(RESULT);
}

static uint32_t pc(void) {
    return get(32);
}

static uint32_t read_memory(uint32_t address) {
    write_dr(ARGUMENT_0, address);
    command(READ);
    assert_int_equal(read_dr(STATUS) & PAUSED, PAUSED);
    return read_dr(RESULT);
}

static void write_memory(uint32_t address, uint32_t value) {
    write_dr(ARGUMENT_0, address);
    write_dr(ARGUMENT_1, value);
    command(WRITE);
}

static void set_point(unsigned i, unsigned mode, uint32_t address) {
    write_dr(ADDRESS + i, address);
    write_dr(MODES, (read_dr(MODES) & ~(15u << 4 * i)) | mode << 4 * i);
}

static void start(const uint32_t *program, size_t size) {
    start_at(at.chip, at.tile, at.core, core_entry[at.core], program, size);
}

static void in_both_timings(void (*body)(void)) {
    static const enum bh_timing timing[] = { BH_TIMING_CYCLES, BH_TIMING_LOOSE };
    for (unsigned i = 0; i < 2; i++) {
        open_chip(timing[i], false, BH_BRISC);
        body();
        bh_destroy(at.chip);
    }
}

#define IN_BOTH(name) \
    static void body_of_##name(void); \
    static void name(void **state) { \
        (void)state; \
        in_both_timings(body_of_##name); \
    } \
    static void body_of_##name(void)

static enum bh_core_state state_of(enum bh_core core) {
    struct bh_core_info info;
    assert_int_equal(bh_core_query(at.chip, at.tile, core, &info), BH_OK);
    return info.state;
}

/* Counts in x11, and stores the count to DATA. */
static void start_counting(void) {
    const uint32_t program[] = { rv_lui(10, DATA), rv_addi(11, 11, 1), rv_sw(11, 0, 10), rv_jal(0, -8) };
    start(program, sizeof program);
    run(A_WHILE);
}

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

/* ---- ebreak and points -------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(a_core_continues_behind_an_ebreak),
        cmocka_unit_test(a_breakpoint_pauses_behind_its_instruction),
        cmocka_unit_test(watchpoints_pause_behind_the_access),
        cmocka_unit_test(a_point_and_an_ebreak_at_once),
        cmocka_unit_test(a_point_in_a_loop_that_polls),
        cmocka_unit_test(rows_of_pushes_are_stepped_through),
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
