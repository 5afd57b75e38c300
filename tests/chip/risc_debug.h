/* A debugger of cores, for the tests of the debug interface: writes and reads its registers as tools for cards do. */
#ifndef TESTS_CHIP_RISC_DEBUG_H
#define TESTS_CHIP_RISC_DEBUG_H

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

static inline void open_chip(enum bh_timing timing, bool flaws, enum bh_core core) {
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

static inline void run(uint64_t cycles) {
    assert_int_equal(bh_run(at.chip, cycles, 0, NULL), BH_OK);
}

static inline void write_dr(unsigned i, uint32_t value) {
    put_word(at.chip, at.tile, CNTL_1, value);
    put_word(at.chip, at.tile, CNTL_0, 0);
    put_word(at.chip, at.tile, CNTL_0, 0x80010000 | at.which << 17 | i);
}

static inline uint32_t read_dr(unsigned i) {
    put_word(at.chip, at.tile, CNTL_0, 0);
    put_word(at.chip, at.tile, CNTL_0, 0x80000000 | at.which << 17 | i);
    assert_int_equal(read_word(at.chip, at.tile, STATUS_0), 0xC0000000 | i);
    return read_word(at.chip, at.tile, STATUS_1);
}

static inline void command(uint32_t bits) {
    write_dr(COMMAND, SLOW | bits);
    run(A_WHILE);
}

static inline uint32_t get(uint32_t index) {
    write_dr(ARGUMENT_0, index);
    command(GET);
    return read_dr(RESULT);
}

static inline uint32_t pc(void) {
    return get(32);
}

static inline uint32_t read_memory(uint32_t address) {
    write_dr(ARGUMENT_0, address);
    command(READ);
    assert_int_equal(read_dr(STATUS) & PAUSED, PAUSED);
    return read_dr(RESULT);
}

static inline void write_memory(uint32_t address, uint32_t value) {
    write_dr(ARGUMENT_0, address);
    write_dr(ARGUMENT_1, value);
    command(WRITE);
}

static inline void set_point(unsigned i, unsigned mode, uint32_t address) {
    write_dr(ADDRESS + i, address);
    write_dr(MODES, (read_dr(MODES) & ~(15u << 4 * i)) | mode << 4 * i);
}

static inline void start(const uint32_t *program, size_t size) {
    start_at(at.chip, at.tile, at.core, core_entry[at.core], program, size);
}

static inline void in_both_timings(void (*body)(void)) {
    static const enum bh_timing timing[] = { BH_TIMING_CYCLES, BH_TIMING_LOOSE };
    for (unsigned i = 0; i < 2; i++) {
        open_chip(timing[i], false, BH_BRISC);
        body();
        bh_destroy(at.chip);
    }
}

/* Defines a test with the body that follows, which runs with each timing. */
#define IN_BOTH(name) \
    static void body_of_##name(void); \
    static void name(void **state) { \
        (void)state; \
        in_both_timings(body_of_##name); \
    } \
    static void body_of_##name(void)

static inline enum bh_core_state state_of(enum bh_core core) {
    struct bh_core_info info;
    assert_int_equal(bh_core_query(at.chip, at.tile, core, &info), BH_OK);
    return info.state;
}

/* Counts in x11, and stores the count to DATA. */
static inline void start_counting(void) {
    const uint32_t program[] = { rv_lui(10, DATA), rv_addi(11, 11, 1), rv_sw(11, 0, 10), rv_jal(0, -8) };
    start(program, sizeof program);
    run(A_WHILE);
}

#endif
