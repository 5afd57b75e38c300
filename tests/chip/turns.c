/* Cores that use the coprocessor of their tile at once: what a core sees of it, and when a core goes on that waits for
 * it, does not depend on how far the other cores may run ahead of each other (bh_config.skew). */
#include "isa/tensix.h"
#include "support/chip.h"
#include "support/rv.h"

enum { EBREAK = 0x00100073, CODE_WORDS = 4096, RESULT = 0x30000 };
enum { NOP = TENSIX_NOP << 24 };
enum { DBG_CREG = (int)0xFFB12058, DBG_CREG_DATA = (int)0xFFB12078, DBG_STATUS = (int)0xFFB120A8 };
enum { PUSH_T0 = (int)0xFFE40000 };
enum { SEMAPHORES = (int)0xFFE80020, GPRS = (int)0xFFE00000, CONFIG = (int)0xFFEF0000 };
#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

static const struct bh_xy TILE = { 1, 2 };
static const unsigned skews[] = { 1, 2, 7, 32, 128, 0 }; /* 0 is the default */
enum { SKEWS = sizeof skews / sizeof *skews };

struct code {
    uint32_t word[CODE_WORDS];
    unsigned count;
};

static void emit(struct code *code, uint32_t word) {
    assert_true(code->count < CODE_WORDS);
    code->word[code->count++] = word;
}

static void push(struct code *code, uint32_t word, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        emit(code, tensix_to_stream(word));
}

static void set(struct code *code, unsigned rd, uint32_t value) {
    emit(code, rv_lui(rd, rv_high(value)));
    emit(code, rv_addi(rd, rd, rv_low(value)));
}

/* A load whose value is waited for. */
static void look(struct code *code, uint32_t address, unsigned times) {
    set(code, 5, address);
    for (unsigned i = 0; i < times; i++) {
        emit(code, rv_lw(6, 0, 5));
        emit(code, rv_add(7, 7, 6));
    }
}

static void start(bh_chip *chip, enum bh_core core, struct code *code) {
    emit(code, EBREAK);
    start_at(chip, TILE, core, core_entry[core], code->word, 4 * code->count);
}

/* Runs to the end of all programs. Returns the time of the core. */
static uint64_t end_of(bh_chip *chip, enum bh_core core) {
    struct bh_core_info info;
    run_until_idle(chip);
    assert_int_equal(bh_core_query(chip, TILE, core, &info), BH_OK);
    return info.cycle;
}

/* One word passes in a cycle, so that the last of them is pushed when all but those that the FIFO holds have passed.
 * Another core looks at the coprocessor meanwhile. */
static uint64_t full_fifo(unsigned skew, uint32_t address, enum bh_core watcher) {
    enum { NOPS = 1500, LOOKS = 400 };
    struct code words = { .count = 0 }, looks = { .count = 0 };
    bh_chip *chip = make_with(1, skew, 0);
    push(&words, NOP, NOPS);
    if (address)
        look(&looks, address, LOOKS);
    start(chip, BH_TRISC0, &words);
    start(chip, watcher, &looks);
    uint64_t end = end_of(chip, BH_TRISC0);
    bh_destroy(chip);
    return end;
}

static void a_look_does_not_delay_a_core_that_waits_for_room(void **state) {
    static const uint32_t places[] = { (uint32_t)SEMAPHORES, (uint32_t)GPRS, (uint32_t)CONFIG };
    static const enum bh_core watchers[] = { BH_BRISC, BH_TRISC1, BH_TRISC2 };
    (void)state;
    for (unsigned i = 0; i < SKEWS; i++) {
        uint64_t alone = full_fifo(skews[i], 0, BH_TRISC1);
        assert_in_range(alone, 1450, 1550);
        for (unsigned place = 0; place < 3; place++)
            for (unsigned watcher = places[place] == (uint32_t)SEMAPHORES; watcher < 3; watcher++) /* BRISC has none */
                assert_int_equal(full_fifo(skews[i], places[place], watchers[watcher]), alone);
    }
}

/* As a kernel does it: T0 looks at semaphores now and then while T1 pushes. */
static uint64_t looks_while_another_pushes(unsigned skew) {
    struct code looks = { .count = 0 }, words = { .count = 0 };
    bh_chip *chip = make_with(1, skew, 0);
    for (unsigned i = 0; i < 30; i++) {
        look(&looks, (uint32_t)SEMAPHORES + 4, 1);
        push(&looks, NOP, 8);
    }
    push(&words, NOP, 1600);
    start(chip, BH_TRISC0, &looks);
    start(chip, BH_TRISC1, &words);
    uint64_t end = end_of(chip, BH_TRISC1);
    bh_destroy(chip);
    return end;
}

static void a_kernel_that_looks_ends_in_time(void **state) {
    (void)state;
    for (unsigned i = 0; i < SKEWS; i++)
        assert_in_range(looks_while_another_pushes(skews[i]), 1560, 1650);
}

/* T0 issues a WRCFG in every cycle (ConfigurationUnit.md): the access of another core has no place in the unit's
 * pipeline before these end. Returns the cycle in which the core goes on. */
static uint64_t starve(unsigned skew, enum bh_core core, bool store) {
    enum { WORDS = 1000 };
    struct code words = { .count = 0 }, access = { .count = 0 };
    bh_chip *chip = make_with(1, skew, 0);
    push(&words, TT(WRCFG, 1, 0, 9), WORDS);
    for (unsigned i = 0; i < 100; i++)
        emit(&access, RV_NOP);
    set(&access, 5, (uint32_t)CONFIG + 40);
    if (store)
        emit(&access, rv_sw(5, 0, 5));
    emit(&access, rv_lw(6, 0, 5)); /* waits for the store too */
    emit(&access, rv_add(7, 6, 6));
    start(chip, BH_TRISC0, &words);
    start(chip, core, &access);
    uint64_t end = end_of(chip, core);
    bh_destroy(chip);
    return end;
}

static void wrcfg_in_every_cycle_starves_a_core(void **state) {
    static const enum bh_core cores[] = { BH_BRISC, BH_TRISC1, BH_TRISC2 };
    (void)state;
    for (unsigned core = 0; core < 3; core++)
        for (unsigned store = 0; store < 2; store++) {
            uint64_t lockstep = starve(1, cores[core], store);
            assert_in_range(lockstep, 1000, 1100);
            for (unsigned i = 0; i < SKEWS; i++)
                assert_int_equal(starve(skews[i], cores[core], store), lockstep);
        }
}

/* TRISC0 fills and empties its middle FIFO and writes Config while another core looks at one of the debug registers
 * that show them. Returns the sum of the values that the core has loaded. */
static uint32_t debug_sum(unsigned skew, uint32_t address, enum bh_core watcher) {
    struct code words = { .count = 0 }, looks = { .count = 0 };
    bh_chip *chip = make_with(1, skew, 0);
    for (unsigned i = 0; i < 20; i++) {
        push(&words, TT(SETDMAREG, 0, 3 + i, 0, 2), 1);
        push(&words, TT(WRCFG, 1, 0, 9), 1);
        push(&words, NOP, 3 * i);
        for (unsigned n = 0; n < 10; n++)
            emit(&words, RV_NOP);
    }
    put_word(chip, TILE, (uint32_t)DBG_CREG, 9);
    look(&looks, address, 150);
    start(chip, BH_TRISC0, &words);
    start(chip, watcher, &looks);
    end_of(chip, watcher);
    uint32_t sum;
    assert_int_equal(bh_core_get(chip, TILE, watcher, BH_REG_X0 + 7, &sum), BH_OK);
    bh_destroy(chip);
    return sum;
}

static void debug_registers_show_the_cycle_of_the_load(void **state) {
    static const uint32_t places[] = { (uint32_t)DBG_STATUS, (uint32_t)DBG_CREG_DATA };
    static const enum bh_core watchers[] = { BH_BRISC, BH_TRISC1, BH_NCRISC };
    (void)state;
    for (unsigned place = 0; place < 2; place++)
        for (unsigned watcher = 0; watcher < 3; watcher++) {
            uint32_t lockstep = debug_sum(1, places[place], watchers[watcher]);
            for (unsigned i = 0; i < SKEWS; i++)
                assert_int_equal(debug_sum(skews[i], places[place], watchers[watcher]), lockstep);
        }
}

/* BRISC pushes a word to T0 and looks at the GPR that the word writes. TRISC0 may be ahead: it has pushed a word for a
 * later cycle already, for which T0 is due. Returns the sum of the values that BRISC has loaded. */
static uint32_t push_below(unsigned skew, unsigned delay) {
    struct code pushes = { .count = 0 }, words = { .count = 0 };
    uint32_t sum;
    bh_chip *chip = make_with(1, skew, 0);
    set(&pushes, 5, (uint32_t)PUSH_T0);
    set(&pushes, 6, TT(SETDMAREG, 0, 1, 0, 2 * 9));
    for (unsigned i = 0; i < 20; i++)
        emit(&pushes, RV_NOP);
    emit(&pushes, rv_sw(6, 0, 5));
    look(&pushes, (uint32_t)GPRS + 4 * 9, 20);
    for (unsigned i = 0; i < delay; i++)
        emit(&words, RV_NOP);
    push(&words, NOP, 1);
    start(chip, BH_BRISC, &pushes);
    start(chip, BH_TRISC0, &words);
    end_of(chip, BH_BRISC);
    assert_int_equal(bh_core_get(chip, TILE, BH_BRISC, BH_REG_X0 + 7, &sum), BH_OK);
    bh_destroy(chip);
    return sum;
}

static void a_word_of_brisc_passes_before_a_later_one_of_trisc0(void **state) {
    (void)state;
    for (unsigned delay = 20; delay < 80; delay += 3) {
        uint32_t lockstep = push_below(1, delay);
        assert_in_range(lockstep, 18, 20);
        for (unsigned i = 0; i < SKEWS; i++)
            assert_int_equal(push_below(skews[i], delay), lockstep);
    }
}

/* ---- Soft resets beside it --------------------------------------------------------------------------------------- */

/* Stores a value to an address so many times, and another one in between. */
static void toggle(struct code *code, uint32_t address, uint32_t one, uint32_t other, unsigned times) {
    set(code, 5, address);
    set(code, 6, one);
    set(code, 7, other);
    set(code, 8, times);
    emit(code, rv_sw(6, 0, 5));
    emit(code, rv_sw(7, 0, 5));
    emit(code, rv_addi(8, 8, -1));
    emit(code, rv_bne(8, 0, -12));
}

enum { SOFT_RESET_0 = (int)0xFFB121B0, HELD = 0x44000, WORD = 0x20000 };

static void run_scene(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 40000, 0, &stop), BH_OK);
}

/* Auto TTSync enters and leaves reset while T0 has an instruction at its gate and TRISC1 looks at GPRs. Returns the
 * state at the end. */
static uint64_t reset_ttsync_beside_looks(unsigned skew) {
    struct code resets = { .count = 0 }, words = { .count = 0 }, looks = { .count = 0 };
    bh_chip *chip = make_with(1, skew, 0);
    toggle(&resets, (uint32_t)SOFT_RESET_0, HELD | 1u << 23, HELD, 1000);
    push(&words, TT(ELWADD, 0, 0, 0, 0, 0), 1);
    look(&looks, (uint32_t)GPRS, 2000);
    start(chip, BH_BRISC, &resets);
    start(chip, BH_TRISC0, &words);
    start(chip, BH_TRISC1, &looks);
    run_scene(chip);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

/* Two rules keep a thread from being due in a cycle that has been run, which would end the process: a look of TRISC1
 * does not run the coprocessor past a reset that BRISC still has to make (tile_in_turn), and a late reset counts from
 * the coprocessor's time (tests/tensix/reset.c). */
static void a_reset_of_ttsync_beside_looks(void **state) {
    uint64_t lockstep = reset_ttsync_beside_looks(1);
    (void)state;
    for (unsigned i = 0; i < SKEWS; i++)
        assert_true(reset_ttsync_beside_looks(skews[i]) == lockstep);
}

/* ATCAS waits for a word of L1; the glue of the Scalar Unit is held while the word changes, so that its attempt is
 * refused. When it is released, the next attempt is made, and succeeds if the word is what it compares with. */
static void a_held_unit_refuses_an_attempt(void **state) {
    (void)state;
    for (unsigned i = 0; i < SKEWS; i++)
        for (unsigned last = 3; last < 5; last++) {
            struct code resets = { .count = 0 }, words = { .count = 0 };
            struct bh_thread_info thread;
            bh_chip *chip = make_with(1, skews[i], 0);
            push(&words, TT(SETDMAREG, 0, WORD / 16, 0, 2 * 11), 1);
            push(&words, TT(ATCAS, 0, 7, 3, 0, 0, 11), 1);
            for (unsigned n = 0; n < 60; n++)
                emit(&resets, RV_NOP);
            toggle(&resets, (uint32_t)SOFT_RESET_0, HELD | 1u << 8, HELD | 1u << 8, 1);
            toggle(&resets, WORD, 1, 2, 40);
            toggle(&resets, WORD, last, last, 1);
            toggle(&resets, (uint32_t)SOFT_RESET_0, HELD, HELD, 1);
            start(chip, BH_BRISC, &resets);
            start(chip, BH_TRISC0, &words);
            run_scene(chip);
            assert_int_equal(bh_thread_query(chip, TILE, 0, &thread), BH_OK);
            assert_int_equal(thread.state, last == 3 ? BH_THREAD_IDLE : BH_THREAD_WAITING);
            assert_int_equal(peek_word(chip, TILE, WORD), last == 3 ? 7 : last);
            bh_destroy(chip);
        }
}

/* No core is awake when the host releases the unit that a word waits for: the coprocessor goes on all the same, and a
 * core that sleeps until a word behind it writes to L1 wakes. */
static void a_released_unit_lets_its_words_pass(void **state) {
    enum { RESET = (int)0xFFB121B0, HOLD_FPU = 1 << 10, ADDRESS = 4, DATA = 8 };
    (void)state;
    for (unsigned timing = BH_TIMING_CYCLES; timing <= BH_TIMING_LOOSE; timing++) {
        bh_chip *chip = make_timed((enum bh_timing)timing, 1);
        struct code code = { .count = 0 }, sleeper = { .count = 0 };
        struct bh_core_info info;
        push(&code, TT(SETDMAREG, 0, RESULT / 16, 0, 2 * ADDRESS), 1);
        push(&code, TT(SETDMAREG, 0, 7, 0, 2 * DATA), 1);
        push(&code, TT(SFPLOADI, 0, 2, 1), 1);
        push(&code, TT(ATSWAP, .SwapMask = 3, .DataRegIndex = DATA, .AddrRegIndex = ADDRESS), 1);
        set(&sleeper, 5, RESULT);
        set(&sleeper, 7, 7);
        emit(&sleeper, rv_lw(6, 0, 5));
        emit(&sleeper, rv_bne(6, 7, -4));
        start(chip, BH_TRISC0, &code);
        start(chip, BH_BRISC, &sleeper);
        uint32_t held = read_word(chip, TILE, (uint32_t)RESET);
        put_word(chip, TILE, (uint32_t)RESET, held | HOLD_FPU);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
        assert_int_equal(bh_core_query(chip, TILE, BH_BRISC, &info), BH_OK);
        assert_int_equal(info.state, BH_CORE_POLLING);
        put_word(chip, TILE, (uint32_t)RESET, held);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
        assert_int_equal(bh_core_query(chip, TILE, BH_BRISC, &info), BH_OK);
        assert_int_equal(info.state, BH_CORE_PAUSED);
        bh_destroy(chip);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_does_not_delay_a_core_that_waits_for_room),
        cmocka_unit_test(a_kernel_that_looks_ends_in_time),
        cmocka_unit_test(wrcfg_in_every_cycle_starves_a_core),
        cmocka_unit_test(debug_registers_show_the_cycle_of_the_load),
        cmocka_unit_test(a_word_of_brisc_passes_before_a_later_one_of_trisc0),
        cmocka_unit_test(a_reset_of_ttsync_beside_looks),
        cmocka_unit_test(a_held_unit_refuses_an_attempt),
        cmocka_unit_test(a_released_unit_lets_its_words_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
