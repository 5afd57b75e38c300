/* What a debugger for silicon does through libttsim.so, with reads and writes of registers only: tt-exalens and
 * tt-triage reach a chip like this. No clock passes but those that tt-umd lets pass, one after each read.
 * exalens LIBTTSIM */
#include "chip.h"

#define DEBUG_REGS 0xFFB12000u
#define SOFT_RESET (DEBUG_REGS + 0x1B0)
#define LDM        0xFFB00000u
#define SLOW       0x80000000u

enum { DATA = 0x10000, EBREAK = 0x00100073, NOP = 0x13, SPIN = 0x6F };
enum { STATUS, COMMAND, ARGUMENT_0, ARGUMENT_1, RESULT, MODES, POINTS = 10 };
enum { HALT = 1, STEP = 2, CONTINUE = 4, GET = 8, SET = 16, READ = 32, WRITE = 64, FLUSH = 256 };
enum { HALTED = 1, AT_PC = 2, AT_ACCESS = 4, AT_EBREAK = 8, POINT_0 = 0x100 };

/* A core that is debugged: its tile, its number in the interface, its bit in SOFT_RESET_0, its pc on the debug bus, and
 * where it starts. */
struct target {
    unsigned x, y, number, reset_bit, pc_signal;
    uint32_t base;
};

static const struct target targets[] = {
    { 1, 2, 0, 11, 11, 0 },      { 1, 2, 1, 12, 13, 0x6000 },   { 1, 2, 2, 13, 15, 0xA000 },
    { 1, 2, 3, 14, 17, 0xE000 }, { 20, 25, 0, 11, 19, 0x7000 }, { 20, 25, 1, 12, 21, 0x7800 },
};
enum { TARGETS = sizeof targets / sizeof *targets };

/* ---- Accesses as tt-umd makes them ----------------------------------------------------------------------------- */

static void poke(const struct target *t, uint32_t address, uint32_t value) {
    write32(&abi, t->x, t->y, address, value);
}

static uint32_t look(const struct target *t, uint32_t address) {
    uint32_t value = read32(&abi, t->x, t->y, address);
    abi.clock(1);
    return value;
}

static void write_dr(const struct target *t, unsigned i, uint32_t value) {
    poke(t, DEBUG_REGS + 0x84, value);
    poke(t, DEBUG_REGS + 0x80, 0x80010000 | t->number << 17 | i);
    poke(t, DEBUG_REGS + 0x80, 0);
}

static uint32_t read_dr(const struct target *t, unsigned i) {
    poke(t, DEBUG_REGS + 0x80, 0x80000000 | t->number << 17 | i);
    poke(t, DEBUG_REGS + 0x80, 0);
    assert_int_equal(look(t, DEBUG_REGS + 0x88) >> 30, 1); /* valid */
    return look(t, DEBUG_REGS + 0x8C);
}

static void command(const struct target *t, uint32_t bits) {
    write_dr(t, COMMAND, SLOW | bits);
}

static void halt(const struct target *t) {
    if (read_dr(t, STATUS) & HALTED)
        return;
    command(t, HALT);
    assert_int_equal(read_dr(t, STATUS) & HALTED, HALTED);
}

static void go_on(const struct target *t) {
    assert_int_equal(read_dr(t, STATUS) & HALTED, HALTED);
    command(t, CONTINUE);
}

static uint32_t get(const struct target *t, unsigned i) {
    write_dr(t, ARGUMENT_0, i);
    command(t, GET);
    return read_dr(t, RESULT);
}

static void set(const struct target *t, unsigned i, uint32_t value) {
    write_dr(t, ARGUMENT_1, value);
    write_dr(t, ARGUMENT_0, i);
    command(t, SET);
}

static uint32_t read_memory(const struct target *t, uint32_t address) {
    write_dr(t, ARGUMENT_0, address);
    command(t, READ);
    return read_dr(t, RESULT);
}

static void write_memory(const struct target *t, uint32_t address, uint32_t value) {
    write_dr(t, ARGUMENT_1, value);
    write_dr(t, ARGUMENT_0, address);
    command(t, WRITE);
}

static uint32_t pc(const struct target *t) {
    poke(t, DEBUG_REGS + 0x54, 1u << 29 | 1u << 25 | 7 << 16 | t->pc_signal);
    return (look(t, DEBUG_REGS + 0x5C) & 0x3FFFFFFF) - t->base;
}

/* Sets a point as tt-exalens does: the core is halted meanwhile. */
static void set_point(const struct target *t, unsigned i, unsigned mode, uint32_t address) {
    bool halted = read_dr(t, STATUS) & HALTED;
    halt(t);
    write_dr(t, POINTS + i, address);
    write_dr(t, MODES, (read_dr(t, MODES) & ~(15u << 4 * i)) | mode << 4 * i);
    if (!halted)
        go_on(t);
}

static void set_reset(const struct target *t, bool on) {
    uint32_t value = look(t, SOFT_RESET), bit = 1u << t->reset_bit;
    poke(t, SOFT_RESET, on ? value | bit : value & ~bit);
    assert_int_equal(look(t, SOFT_RESET) & bit, on ? bit : 0);
}

static void start_code(const struct target *t, const uint32_t *word, unsigned count) {
    set_reset(t, true);
    for (unsigned i = 0; i < count; i++)
        poke(t, t->base + 4 * i, word[i]);
    if (t->base == 0x7000 || t->base == 0x7800)
        poke(t, 0xFFB14000 + 8 * t->number, t->base);
    poke(t, DATA, 0x12345678);
    set_reset(t, false);
}

static void each_target(void (*body)(const struct target *)) {
    for (unsigned i = 0; i < TARGETS; i++) {
        body(&targets[i]);
        set_reset(&targets[i], true);
    }
}

/* ---- Sessions ---------------------------------------------------------------------------------------------------- */

static void registers_of(const struct target *t) {
    const uint32_t program[] = { NOP, SPIN };
    start_code(t, program, 2);
    halt(t);
    assert_int_equal(get(t, 0), 0);
    assert_int_equal(pc(t), 4);
    assert_int_equal(get(t, 32), t->base + 4);
    for (unsigned i = 1; i < 32; i++) {
        set(t, i, 0x12345678 + i);
        assert_int_equal(get(t, i), 0x12345678 + i);
    }
}

static void registers(void **state) {
    (void)state;
    each_target(registers_of);
}

static void memory_of(const struct target *t) {
    const uint32_t program[] = { SPIN };
    start_code(t, program, 1);
    halt(t);
    assert_int_equal(read_memory(t, DATA), 0x12345678);
    write_memory(t, DATA, 0x87654321);
    assert_int_equal(read_memory(t, DATA), 0x87654321);
    assert_int_equal(look(t, DATA), 0x87654321);
    for (unsigned i = 0; i < 8; i++)
        write_memory(t, LDM + 4 * i, 0xAABBCC00 + i);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(read_memory(t, LDM + 4 * i), 0xAABBCC00 + i);
    assert_int_equal(read_dr(t, STATUS), HALTED);
}

static void memory(void **state) {
    (void)state;
    each_target(memory_of);
}

/* lui x10, DATA; lui x11, 0x87654000; then a loop that stores and counts */
static const uint32_t counting[] = { EBREAK, NOP, NOP,        NOP,        NOP,        NOP,        NOP,
                                     NOP,    NOP, 0x00010537, 0x876545B7, 0x00B52023, 0x00158593, 0xFF9FF06F };

static void ebreak_and_steps_of(const struct target *t) {
    start_code(t, counting, 14);
    assert_int_equal(look(t, DATA), 0x12345678);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_EBREAK);
    assert_int_equal(pc(t), 4);
    for (unsigned i = 2; i <= 12; i++) {
        command(t, STEP);
        assert_int_equal(pc(t), 4 * i);
        assert_int_equal(look(t, DATA), i < 12 ? 0x12345678 : 0x87654000);
    }
    command(t, STEP); /* two in a row */
    command(t, STEP);
    assert_int_equal(pc(t), 4 * 11);
}

static void ebreak_and_steps(void **state) {
    (void)state;
    each_target(ebreak_and_steps_of);
}

static void halt_and_continue_of(const struct target *t) {
    start_code(t, counting, 14);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_EBREAK);
    go_on(t);
    uint32_t before = look(t, DATA);
    for (unsigned i = 0; i < 10; i++) {
        halt(t);
        uint32_t now = look(t, DATA);
        assert_true(now >= 0x87654000 && now > before);
        assert_int_equal(look(t, DATA), now);
        assert_int_equal(read_dr(t, STATUS), HALTED);
        before = now;
        go_on(t);
    }
    set_reset(t, true); /* while it runs, and while it is halted */
    set_reset(t, false);
    halt(t);
    set_reset(t, true);
    assert_int_equal(read_dr(t, STATUS), 0);
}

static void halt_and_continue(void **state) {
    (void)state;
    each_target(halt_and_continue_of);
}

/* As `cont` of tt-exalens for Blackhole: behind an ebreak, pc is written first. */
static void flush_of(const struct target *t) {
    start_code(t, counting, 14);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_EBREAK);
    write_dr(t, ARGUMENT_1, t->base + pc(t));
    command(t, FLUSH);
    assert_int_equal(read_dr(t, STATUS), HALTED);
    go_on(t);
    assert_true(look(t, DATA) >= 0x87654000);
}

static void flush_behind_an_ebreak(void **state) {
    (void)state;
    each_target(flush_of);
}

static void points_of(const struct target *t) {
    start_code(t, counting, 14);
    set_point(t, 0, 8, t->base + 12);
    set_point(t, 1, 10, DATA);
    go_on(t);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_PC | POINT_0);
    assert_int_equal(pc(t), 16);
    assert_int_equal(look(t, DATA), 0x12345678);
    go_on(t);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_ACCESS | POINT_0 << 1);
    assert_int_equal(look(t, DATA), 0x87654000);
    set_point(t, 1, 0, DATA);
    go_on(t);
    assert_int_equal(read_dr(t, STATUS), 0);
    assert_int_equal(read_dr(t, MODES), 8);
    assert_int_equal(read_dr(t, POINTS), t->base + 12);
}

static void points(void **state) {
    (void)state;
    each_target(points_of);
}

/* tt-triage samples a group into L1, with a sentinel in its place, and reads pcs without halting anybody. */
static void samples(void **state) {
    (void)state;
    for (unsigned i = 0; i < TARGETS; i++) {
        const struct target *t = &targets[i];
        const uint32_t program[] = { NOP, SPIN };
        start_code(t, program, 2);
        abi.clock(10);
        assert_int_equal(pc(t), 4);
        for (unsigned count = 1; count < 12; count += 10) {
            uint32_t mode = count > 1 ? 4 | 9 << 4 : 1, last = 0x1000 + 16 * (count - 1);
            poke(t, DEBUG_REGS + 0x54, 1u << 29 | 7 << 16 | t->pc_signal);
            poke(t, DEBUG_REGS + 0x50, 15);
            poke(t, DEBUG_REGS + 0x48, 0x1000 >> 4);
            poke(t, DEBUG_REGS + 0x4C, (0x1000 >> 4) + count);
            poke(t, DEBUG_REGS + 0x50, mode);
            for (unsigned word = 0; word < 4; word++)
                poke(t, last + 4 * word, 0xACAFACA1);
            poke(t, DEBUG_REGS + 0x50, mode | 1 << 12);
            poke(t, DEBUG_REGS + 0x50, mode);
            for (unsigned tries = 0; look(t, last) == 0xACAFACA1; tries++)
                assert_true(tries < 100);
            for (unsigned n = 0; n < count; n++)
                assert_int_equal(look(t, 0x1004 + 16 * n) & 0x3FFFFFFF, t->base + 4);
        }
        assert_int_equal(read_dr(t, STATUS), 0);
    }
}

/* Reads 20 words of code and local memory while another core of the tile goes on: nothing disturbs the other one. */
static void others_go_on(void **state) {
    const struct target *b = &targets[0], *t0 = &targets[1];
    (void)state;
    start_code(b, counting + 9, 5);
    start_code(t0, (const uint32_t[]){ SPIN }, 1);
    halt(t0);
    uint32_t before = look(b, DATA);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(read_memory(t0, 4 * (i % 5)), counting[9 + i % 5]);
    assert_true(look(b, DATA) > before);
    assert_int_equal(read_dr(t0, STATUS), HALTED);
    assert_int_equal(read_dr(b, STATUS), 0);
}

/* ---- The flaws of silicon, which tt-exalens works around --------------------------------------------------------- */

static void step_as_for_silicon(const struct target *t) {
    command(t, STEP);
    command(t, STEP);
}

static void on_silicon(const struct ttsim *library_) {
    const struct target *t = &targets[1];
    abi = *library_;
    start_code(t, counting, 14);
    assert_int_equal(read_dr(t, STATUS), HALTED | AT_EBREAK);
    for (unsigned i = 2; i <= 12; i++) {
        step_as_for_silicon(t);
        assert_int_equal(pc(t), 4 * i);
    }
    start_code(t, counting, 14);
    assert_int_equal(get(t, 32), 0);
    write_dr(t, ARGUMENT_1, t->base + pc(t));
    command(t, FLUSH);
    go_on(t);
    assert_int_equal(read_dr(t, STATUS), 0);
    abi.exit();
}

static void with_the_flaws_of_silicon(void **state) {
    char text[400];
    (void)state;
    assert_int_equal(in_child(on_silicon, 2, "BHEMU_RISC_DEBUG=silicon", text, sizeof text), 0);
    assert_int_equal(in_child(on_silicon, 2, "BHEMU_RISC_DEBUG=other", text, sizeof text), 1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(registers, start, stop),
        cmocka_unit_test_setup_teardown(memory, start, stop),
        cmocka_unit_test_setup_teardown(ebreak_and_steps, start, stop),
        cmocka_unit_test_setup_teardown(halt_and_continue, start, stop),
        cmocka_unit_test_setup_teardown(flush_behind_an_ebreak, start, stop),
        cmocka_unit_test_setup_teardown(points, start, stop),
        cmocka_unit_test_setup_teardown(samples, start, stop),
        cmocka_unit_test_setup_teardown(others_go_on, start, stop),
        cmocka_unit_test(with_the_flaws_of_silicon),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    int failed = cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
    setenv("BHEMU_TIMING", "loose", 1);
    return failed + cmocka_run_group_tests_name("loose", tests, NULL, NULL);
}
