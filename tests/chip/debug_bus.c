/* The debug bus (src/tile/debug_bus.h): the signals that tools read, by their places in a group, groups that are
 * refused, and samples in L1. */
#include <stdio.h>

#include "chip/chip.h"
#include "support/chip.h"
#include "support/rv.h"

#define CONTROL    0xFFB12054u
#define DATA_REG   0xFFB1205Cu
#define MEM_REG_0  0xFFB12048u
#define MEM_REG_1  0xFFB1204Cu
#define MEM_REG_2  0xFFB12050u
#define FPU_MODE   0xFFB1201Cu
#define FPU_OUT_H  0xFFB12124u
#define MAILBOX_B  0xFFEC0000u
#define MAILBOX_T0 0xFFEC1000u
#define PCBUF_T0   0xFFE80000u

enum { EBREAK = 0x00100073, SPIN = 0x6F, NOP = 0x13, SAMPLES = 0x20000, GO = 1 << 12 };

static const struct bh_xy tile = { 1, 2 };
static const uint8_t pc_signal[BH_CORE_COUNT] = { 11, 13, 15, 17, 25 };

static bh_chip *make(enum bh_timing timing, bool flaws) {
    struct bh_config config;
    bh_config_init(&config);
    config.timing = timing;
    config.threads = 1;
    config.debug_flaws = flaws;
    return make_configured(&config);
}

static uint32_t selection(unsigned daisy, unsigned signal, unsigned word) {
    return 1u << 29 | word << 25 | daisy << 16 | signal;
}

static uint32_t show(bh_chip *chip, struct bh_xy at, unsigned daisy, unsigned signal, unsigned word) {
    put_word(chip, at, CONTROL, selection(daisy, signal, word));
    assert_int_equal(bh_run(chip, 20, 0, NULL), BH_OK); /* cores that wait have looked again at what was written */
    return read_word(chip, at, DATA_REG);
}

/* The bits of a group, as tt-exalens counts them. */
static uint32_t bits(bh_chip *chip, unsigned daisy, unsigned signal, unsigned at, unsigned count) {
    uint64_t pair = show(chip, tile, daisy, signal, at / 32);
    if (at % 32 + count > 32)
        pair |= (uint64_t)show(chip, tile, daisy, signal, at / 32 + 1) << 32;
    return (uint32_t)(pair >> at % 32 & ((UINT64_C(1) << count) - 1));
}

static struct tile *inside(bh_chip *chip) {
    struct tile *found;
    assert_int_equal(chip_tile(chip, tile, &found), BH_OK);
    return found;
}

static void run(bh_chip *chip, uint64_t cycles) {
    assert_int_equal(bh_run(chip, cycles, 0, NULL), BH_OK);
}

static void pcs_of_all_cores(void **state) {
    const uint32_t program[] = { NOP, NOP, EBREAK };
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++) {
        bh_chip *chip = make((enum bh_timing)timing, false);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++)
            start_at(chip, tile, (enum bh_core)i, core_entry[i], program, 4 * (1 + i % 3));
        for (unsigned i = 0; i < BH_CORE_COUNT; i++)
            put_word(chip, tile, core_entry[i] + 4 * (1 + i % 3), EBREAK);
        run(chip, 500);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
            uint32_t pc = core_entry[i] + 4 * (i % 3 == 2 ? 3 : 2 + i % 3);
            assert_int_equal(show(chip, tile, 7, pc_signal[i], 1), pc);
            assert_int_equal(show(chip, tile, 7, pc_signal[i] - 1, 0), 0x80000000 | pc); /* group A: it may retire */
            assert_int_equal(show(chip, tile, 7, pc_signal[i] - 1, 2), pc);
        }
        bh_destroy(chip);
    }
}

static void a_running_core(void **state) {
    const uint32_t program[] = { rv_addi(5, 5, 1), rv_jal(0, -4) };
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    start_at(chip, tile, BH_NCRISC, core_entry[BH_NCRISC], program, sizeof program);
    run(chip, 500);
    assert_in_range(show(chip, tile, 7, 25, 1) & 0x3FFFFFFF, 0x12000, 0x12004);
    assert_int_equal(bits(chip, 7, 25, 63, 1), 1);
    assert_int_equal(bits(chip, 7, 25, 103, 1), 1);
    uint32_t word = show(chip, tile, 7, 24, 3), pc = peek_word(chip, tile, 0xFFB1313C);
    assert_int_equal(word, program[pc / 4 % 2] | 0x80000000);
    bh_destroy(chip);
}

/* A load and a store that wait, with their addresses; who waits for which mailbox. */
static void accesses_that_wait(void **state) {
    const uint32_t loads[] = { rv_lui(5, MAILBOX_T0), rv_lw(6, 0, 5), EBREAK };
    const uint32_t stores[] = { rv_lui(5, MAILBOX_T0), rv_sw(5, 0, 5), rv_jal(0, -4) };
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    assert_int_equal(bits(chip, 7, 18, 106, 4), 15);
    start_at(chip, tile, BH_BRISC, 0, loads, sizeof loads);
    start_at(chip, tile, BH_TRISC1, core_entry[BH_TRISC1], stores, sizeof stores); /* until T0's mailbox is full */
    run(chip, 500);
    assert_int_equal(bits(chip, 7, 18, 106, 4), 14); /* B waits for T0's word */
    assert_int_equal(show(chip, tile, 7, 10, 0), 4);
    assert_int_equal(show(chip, tile, 7, 10, 1), 1u << 30 | (MAILBOX_T0 & 0x3FFFFFFF));
    assert_int_equal(show(chip, tile, 7, 14, 1), 1u << 31 | (MAILBOX_T0 & 0x3FFFFFFF));
    assert_int_equal(bits(chip, 7, 1, 115, 4), 15);
    bh_destroy(chip);
}

static void pcbufs(void **state) {
    const uint32_t program[] = { rv_lui(5, PCBUF_T0), rv_lui(6, 0x12345000), rv_addi(6, 6, 0x678), rv_sw(6, 0, 5),
                                 EBREAK };
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    assert_int_equal(bits(chip, 7, 19, 23, 2), 1); /* empty */
    start_at(chip, tile, BH_BRISC, 0, program, sizeof program);
    run(chip, 500);
    assert_int_equal(bits(chip, 7, 19, 23, 2), 0);
    assert_int_equal(bits(chip, 7, 18, 119, 9) | bits(chip, 7, 19, 0, 23) << 9, 0x12345678);
    const uint32_t fill[] = { rv_lui(5, PCBUF_T0), rv_sw(6, 0, 5), rv_jal(0, -4) };
    assert_int_equal(bh_hold(chip, tile, 1u << BH_BRISC), BH_OK);
    start_at(chip, tile, BH_BRISC, 0, fill, sizeof fill);
    run(chip, 500);
    assert_int_equal(bits(chip, 7, 19, 23, 2), 2); /* full */
    bh_destroy(chip);
}

static uint32_t ttinsn(uint32_t word) {
    return word << 2 | word >> 30;
}

/* T2 waits for a semaphore that nobody posts: the next instruction stays at its gate. */
static void the_instruction_at_the_gate(void **state) {
    const uint32_t semwait = 0xA6u << 24 | 0x1FFu << 15 | 1u << 2 | 1, held = 0x45001234;
    const uint32_t program[] = { ttinsn(semwait), ttinsn(held), EBREAK };
    static const uint8_t signal[3] = { 12, 8, 4 };
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++) {
        bh_chip *chip = make((enum bh_timing)timing, false);
        start_at(chip, tile, BH_TRISC2, core_entry[BH_TRISC2], program, sizeof program);
        run(chip, 500);
        for (unsigned thread = 0; thread < 3; thread++) {
            assert_int_equal(bits(chip, 1, signal[thread], 40, 32), thread == 2 ? held : 0);
            assert_int_equal(bits(chip, 1, signal[thread], 73, 1), thread != 2);
            assert_int_equal(bits(chip, 1, signal[thread], 75, 2), 2); /* the FIFO before is empty */
        }
        bh_destroy(chip);
    }
}

static void counters(void **state) {
    static const uint8_t at[4] = { 0, 64, 96, 112 }, cr_at[4] = { 18, 80, 104, 120 }, width[4] = { 18, 13, 8, 8 };
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    struct tensix *x = &inside(chip)->tensix;
    for (unsigned n = 0; n < 6; n++)
        for (unsigned axis = 0; axis < 4; axis++) {
            struct adc_channel *channel = &x->adc[n < 4 ? 0 : 2][n / 2].channel[n % 2];
            channel->value[axis] = 0xA5 - 16 * n - axis;
            channel->cr[axis] = 0x5A + 16 * n + axis;
        }
    for (unsigned n = 0; n < 6; n++)
        for (unsigned axis = 0; axis < 4; axis++) {
            assert_int_equal(bits(chip, 6, n, at[axis], width[axis]), 0xA5 - 16 * n - axis);
            assert_int_equal(bits(chip, 6, n, cr_at[axis], width[axis]), 0x5A + 16 * n + axis);
        }
    for (unsigned i = 0; i < 3; i++)
        x->rwc[i] = (struct rwc){ .dst = (uint16_t)(0x2A1 + 0x51 * i),
                                  .dst_cr = (uint16_t)(0x15E - 0x51 * i),
                                  .src_a = (uint8_t)(0x15 + i),
                                  .src_a_cr = (uint8_t)(0x2A - i),
                                  .src_b = (uint8_t)(0x31 + i),
                                  .src_b_cr = (uint8_t)(0x0E - i),
                                  .fidelity = (uint8_t)(i + 1) };
    static const uint8_t a[3] = { 0, 24, 40 }, a_cr[3] = { 10, 30, 50 }, b[3] = { 60, 84, 100 };
    static const uint8_t b_cr[3] = { 70, 90, 110 }, dst[3] = { 0, 12, 32 }, dst_cr[3] = { 2, 22, 42 };
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bits(chip, 3, 2, a_cr[i], 6), 0x2A - i);
        assert_int_equal(bits(chip, 3, 2, b_cr[i], 6), 0x0E - i);
        assert_int_equal(bits(chip, 3, 2, a[i], 6), 0x15 + i);
        assert_int_equal(bits(chip, 3, 2, b[i], 6), 0x31 + i);
        assert_int_equal(bits(chip, 3, 3, dst_cr[i], 10), 0x15E - 0x51 * i);
        assert_int_equal(bits(chip, 3, 4, 60 + 2 * i, 2), i + 1);
        if (i)
            assert_int_equal(bits(chip, 3, 3, dst[i], 10), 0x2A1 + 0x51 * i);
    }
    assert_int_equal(bits(chip, 3, 2, 120, 8) | bits(chip, 3, 3, 0, 2) << 8, 0x2A1);
    assert_int_equal(bits(chip, 3, 4, 1, 2), 1);
    x->vector.flags = 0x0000FF01;
    x->vector.use_flags = UINT32_MAX;
    vector_flags_changed(&x->vector);
    assert_int_equal(bits(chip, 7, 28, 0, 32), 0x22222223);
    bh_destroy(chip);
}

/* Every state of the banks. What a bank's owner and number show is what ttsim shows for the same state. */
static void owners_of_src(void **state) {
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    struct src *src = &inside(chip)->tensix.src;
    for (unsigned n = 0; n < 256; n++) {
        unsigned valid_a = n & 3, valid_b = n >> 2 & 3, matrix_a = n >> 4 & 1, matrix_b = n >> 5 & 1;
        unsigned unpacker_a = n >> 6 & 1, unpacker_b = n >> 7;
        for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
            src->allowed[SRC_A][bank] = valid_a >> bank & 1 ? SRC_MATRIX : SRC_UNPACKERS;
            src->allowed[SRC_B][bank] = valid_b >> bank & 1 ? SRC_MATRIX : SRC_UNPACKERS;
        }
        src->matrix_bank[SRC_A] = (uint8_t)matrix_a, src->matrix_bank[SRC_B] = (uint8_t)matrix_b;
        src->unpacker_bank[SRC_A] = (uint8_t)unpacker_a, src->unpacker_bank[SRC_B] = (uint8_t)unpacker_b;
        uint32_t a = (valid_a >> unpacker_a & 1 ? 0 : 1u << 20) | (valid_a >> matrix_a & 1) << 21 | valid_a >> 1 << 26 |
                     (valid_a & 1) << 27 | matrix_a * 3 << 28 | unpacker_a << 30;
        uint32_t b = matrix_b * 3 << 4 | unpacker_b << 6 | valid_b << 9;
        assert_int_equal(show(chip, tile, 6, 9, 2), a);
        assert_int_equal(show(chip, tile, 6, 9, 3), b);
        assert_int_equal(show(chip, tile, 6, 9, 0) | show(chip, tile, 6, 9, 1), 0);
    }
    bh_destroy(chip);
}

static void groups_that_are_refused(void **state) {
    uint32_t value;
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    assert_refusal(chip, bh_read(chip, tile, DATA_REG, &value, 4), BH_ERR_ADDRESS, "the debug bus is off");
    put_word(chip, tile, CONTROL, selection(12, 1, 0));
    assert_refusal(
        chip, bh_read(chip, tile, DATA_REG, &value, 4), BH_ERR_UNMODELLED,
        "the group unp0_unpack0_demux_fifo_status of the debug bus (DaisySel 12, SignalSel 1) is not modelled");
    put_word(chip, tile, CONTROL, selection(7, 400, 0));
    assert_refusal(chip, bh_read(chip, tile, DATA_REG, &value, 4), BH_ERR_UNMODELLED, "no document says");
    value = GO;
    assert_refusal(chip, bh_write(chip, tile, MEM_REG_2, &value, 4), BH_ERR_UNMODELLED, "no document says");
    put_word(chip, tile, MEM_REG_2, 0);
    put_word(chip, tile, CONTROL, selection(7, 11, 0));
    value = GO | 2;
    assert_refusal(chip, bh_write(chip, tile, MEM_REG_2, &value, 4), BH_ERR_ADDRESS, "only modes 0, 1, 4 and 15");
    assert_refusal(chip, bh_poke(chip, tile, MEM_REG_2, &value, 4), BH_ERR_UNMODELLED, "acts on L1: write it");
    put_word(chip, tile, DATA_REG, 5); /* read-only: only for order */
    /* A core faults. */
    const uint32_t program[] = { rv_lui(5, 0xFFB12000), rv_lui(6, selection(12, 0, 0) & ~0xFFFu), rv_sw(6, 0x54, 5),
                                 rv_lw(7, 0x5C, 5), EBREAK };
    start_at(chip, tile, BH_BRISC, 0, program, sizeof program);
    assert_says(run_into_fault(chip).text, "unp0_unpack0_fifo_status");
    bh_destroy(chip);
}

/* For tools that dump everything. */
static void with_flaws_other_groups_read_zero(void **state) {
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, true);
    assert_int_equal(show(chip, tile, 12, 1, 0), 0);
    assert_int_equal(show(chip, tile, 7, 400, 3), 0);
    assert_int_equal(show(chip, tile, 7, 255, 0), 7);
    bh_destroy(chip);
}

/* Counter 200 of the bank FPU has no name. */
static void with_flaws_unnamed_counters_read_zero(void **state) {
    (void)state;
    for (unsigned flaws = 0; flaws < 2; flaws++) {
        bh_chip *chip = make(BH_TIMING_CYCLES, flaws);
        uint32_t value = 1;
        put_word(chip, tile, FPU_MODE, 200 << 8);
        assert_int_equal(bh_read(chip, tile, FPU_OUT_H, &value, sizeof value), flaws ? BH_OK : BH_ERR_ADDRESS);
        assert_int_equal(value, 0);
        bh_destroy(chip);
    }
}

static void the_self_test(void **state) {
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    assert_int_equal(show(chip, tile, 7, 255, 0), 7);
    assert_int_equal(show(chip, tile, 7, 255, 1), 0xA5A5A5A5);
    assert_int_equal(show(chip, tile, 14, 255, 2), 0x5A5A5A5A);
    assert_int_equal(show(chip, tile, 14, 255, 3), 0xA5A5A5A5);
    bh_destroy(chip);
}

/* A core reads the pc of another one. */
static void a_core_looks_at_another(void **state) {
    const uint32_t spin[] = { NOP, SPIN };
    const uint32_t program[] = { rv_lui(5, 0xFFB12000),
                                 rv_lui(6, rv_high(selection(7, 25, 1))),
                                 rv_addi(6, 6, rv_low(selection(7, 25, 1))),
                                 rv_sw(6, 0x54, 5),
                                 rv_lw(7, 0x5C, 5),
                                 EBREAK };
    uint32_t pc;
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    start_at(chip, tile, BH_NCRISC, core_entry[BH_NCRISC], spin, sizeof spin);
    run(chip, 500);
    start_at(chip, tile, BH_BRISC, 0, program, sizeof program);
    run(chip, 500);
    assert_int_equal(bh_core_get(chip, tile, BH_BRISC, 7, &pc), BH_OK);
    assert_int_equal(pc & 0x3FFFFFFF, core_entry[BH_NCRISC] + 4);
    bh_destroy(chip);
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

static uint32_t sample_pc(bh_chip *chip, struct bh_xy at, unsigned i) {
    return peek_word(chip, at, SAMPLES + 16 * i + 4) & 0x3FFFFFFF;
}

static void prepare(bh_chip *chip, struct bh_xy at, unsigned signal) {
    put_word(chip, at, CONTROL, selection(7, signal, 0));
    put_word(chip, at, MEM_REG_2, 15);
    put_word(chip, at, MEM_REG_0, SAMPLES >> 4);
}

static void single_samples(void **state) {
    const uint32_t program[] = { NOP, EBREAK };
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    start_at(chip, tile, BH_TRISC0, core_entry[BH_TRISC0], program, sizeof program);
    run(chip, 500);
    prepare(chip, tile, 13);
    put_word(chip, tile, MEM_REG_2, 1);
    for (unsigned i = 0; i < 3; i++) {
        put_word(chip, tile, MEM_REG_2, GO | 1);
        put_word(chip, tile, MEM_REG_2, GO | 1); /* no edge */
        put_word(chip, tile, MEM_REG_2, 1);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(sample_pc(chip, tile, i), i < 3 ? 0x6008 : 0);
    prepare(chip, tile, 255);
    put_word(chip, tile, MEM_REG_2, 0);
    for (unsigned i = 0; i < 3; i++) {
        put_word(chip, tile, MEM_REG_2, GO);
        put_word(chip, tile, MEM_REG_2, 0);
    }
    assert_int_equal(peek_word(chip, tile, SAMPLES), 7); /* the same place each time */
    assert_int_equal(peek_word(chip, tile, SAMPLES + 12), 0xA5A5A5A5);
    assert_int_equal(sample_pc(chip, tile, 1), 0x6008);
    bh_destroy(chip);
}

/* Twelve samples in intervals of 7 cycles of a core that executes straight code, in lockstep: otherwise it may be up to
 * 32 instructions ahead. */
static void samples_in_a_row(void **state) {
    enum { WORDS = 1000, COUNT = 12, INTERVAL = 7 };
    static uint32_t program[WORDS];
    (void)state;
    for (unsigned i = 0; i < WORDS; i++)
        program[i] = i + 1 < WORDS ? NOP : EBREAK;
    for (unsigned timing = 0; timing < 2; timing++) {
        struct bh_config config;
        bh_config_init(&config);
        config.timing = (enum bh_timing)timing;
        config.threads = config.skew = 1;
        bh_chip *chip = make_configured(&config);
        start_at(chip, tile, BH_BRISC, 0, program, sizeof program);
        run(chip, 100);
        prepare(chip, tile, 11);
        put_word(chip, tile, MEM_REG_1, (SAMPLES >> 4) + COUNT);
        put_word(chip, tile, MEM_REG_2, 4 | (INTERVAL - 1) << 4);
        put_word(chip, tile, MEM_REG_2, 4 | (INTERVAL - 1) << 4 | GO);
        put_word(chip, tile, MEM_REG_2, 4 | (INTERVAL - 1) << 4);
        assert_int_equal(bh_save(chip, "debug_bus.saved"), BH_OK);
        run(chip, 40);
        uint64_t hash = 0;
        for (unsigned twice = 0; twice < 2; twice++) {
            run(chip, 600);
            for (unsigned i = 0; i + 1 < COUNT; i++) {
                uint32_t step = sample_pc(chip, tile, i + 1) - sample_pc(chip, tile, i);
                assert_in_range(step, 4 * (INTERVAL - 1), 4 * (INTERVAL + 1)); /* a line of code costs a cycle */
            }
            assert_true(sample_pc(chip, tile, 0) > 0 && sample_pc(chip, tile, COUNT - 1) > sample_pc(chip, tile, 0));
            assert_int_equal(sample_pc(chip, tile, COUNT), 0);
            if (twice)
                assert_int_equal(bh_state_hash(chip), hash);
            hash = bh_state_hash(chip);
            if (!twice) {
                assert_int_equal(bh_load(chip, "debug_bus.saved"), BH_OK);
                run(chip, 40);
            }
        }
        remove("debug_bus.saved");
        bh_destroy(chip);
    }
}

/* Samples are taken while every core sleeps, too, and of every cycle one too many with the flaws of silicon. */
static void samples_of_a_sleeping_tile(void **state) {
    const uint32_t program[] = { NOP, EBREAK };
    (void)state;
    for (unsigned flaws = 0; flaws < 2; flaws++) {
        bh_chip *chip = make(BH_TIMING_CYCLES, flaws);
        start_at(chip, tile, BH_BRISC, 0, program, sizeof program);
        run(chip, 5000);
        prepare(chip, tile, 11);
        put_word(chip, tile, MEM_REG_1, (SAMPLES >> 4) + 5);
        put_word(chip, tile, MEM_REG_2, 4 | GO);
        run(chip, 3);
        assert_int_equal(sample_pc(chip, tile, 0), 8);
        assert_int_equal(sample_pc(chip, tile, 4), 0);
        run(chip, 100);
        assert_int_equal(sample_pc(chip, tile, 4), 8);
        assert_int_equal(sample_pc(chip, tile, 5), flaws ? 8 : 0);
        assert_int_equal(sample_pc(chip, tile, 6), 0);
        bh_destroy(chip);
    }
}

static void ethernet_tiles(void **state) {
    const uint32_t program[] = { NOP, SPIN };
    struct bh_tile_info info = { 0 };
    uint32_t value;
    (void)state;
    bh_chip *chip = make(BH_TIMING_CYCLES, false);
    for (unsigned i = 0; info.kind != BH_TILE_ETH || info.harvested; i++)
        assert_int_equal(bh_tile_at(chip, i, &info), BH_OK);
    struct bh_xy at = info.translated;
    start_at(chip, at, BH_ERISC0, 0x8000, program, sizeof program);
    start_at(chip, at, BH_ERISC1, 0x9000, program, sizeof program);
    run(chip, 1000);
    assert_int_equal(show(chip, at, 7, 19, 1) & 0x3FFFFFFF, 0x8004);
    assert_int_equal(show(chip, at, 7, 21, 1) & 0x3FFFFFFF, 0x9004);
    assert_int_equal(show(chip, at, 7, 20, 0) & 0x7FFFFFFF, 0x9004);
    prepare(chip, at, 21);
    put_word(chip, at, MEM_REG_2, 1);
    put_word(chip, at, MEM_REG_2, 1 | GO);
    assert_int_equal(sample_pc(chip, at, 0), 0x9004);
    put_word(chip, at, CONTROL, selection(7, 11, 1));
    assert_refusal(chip, bh_read(chip, at, DATA_REG, &value, 4), BH_ERR_UNMODELLED, "no document says");
    put_word(chip, at, MEM_REG_2, 15);
    put_word(chip, at, MEM_REG_0, 0xFFFF);
    put_word(chip, at, CONTROL, selection(7, 21, 1));
    put_word(chip, at, MEM_REG_2, 1);
    value = 1 | GO;
    assert_refusal(chip, bh_write(chip, at, MEM_REG_2, &value, 4), BH_ERR_ADDRESS, "does not lie in L1");
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcs_of_all_cores),
        cmocka_unit_test(a_running_core),
        cmocka_unit_test(accesses_that_wait),
        cmocka_unit_test(pcbufs),
        cmocka_unit_test(the_instruction_at_the_gate),
        cmocka_unit_test(counters),
        cmocka_unit_test(owners_of_src),
        cmocka_unit_test(groups_that_are_refused),
        cmocka_unit_test(with_flaws_other_groups_read_zero),
        cmocka_unit_test(with_flaws_unnamed_counters_read_zero),
        cmocka_unit_test(the_self_test),
        cmocka_unit_test(a_core_looks_at_another),
        cmocka_unit_test(single_samples),
        cmocka_unit_test(samples_in_a_row),
        cmocka_unit_test(samples_of_a_sleeping_tile),
        cmocka_unit_test(ethernet_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
