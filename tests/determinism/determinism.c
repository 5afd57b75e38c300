/* A program gives the same state: run after run, on any number of host threads and, where cores do not race, for any
 * skew. The state hash covers time as well, so this tests cycles and not only values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bhemu.h"
#include "support/rv.h"

enum {
    TILES = 12,
    CYCLES = 60000,
    DATA = 0x40000,    /* a page for each core */
    SHARED = 0x50000,  /* a word that all cores add to */
    CHANNEL = 0x51000, /* flag, value, acknowledgement, sum */
    ROUNDS = 200,
};

struct code {
    uint32_t word[128];
    unsigned count;
};

static void emit(struct code *code, uint32_t word) {
    code->word[code->count++] = word;
}
static void emit_constant(struct code *code, unsigned rd, uint32_t value) {
    emit(code, rv_lui(rd, rv_high(value)));
    emit(code, rv_addi(rd, rd, rv_low(value)));
}
static void loop_back(struct code *code, unsigned counter, unsigned top) {
    emit(code, rv_addi(counter, counter, -1));
    emit(code, rv_bne(counter, 0, -4 * (int32_t)(code->count - top)));
}

static struct bh_xy tile_at(unsigned index) {
    return (struct bh_xy){ .x = (uint8_t)(1 + index % 4), .y = (uint8_t)(2 + index / 4) };
}

/* Every core works on a page of its own and adds to one shared word: the order of cores does not matter. */
static struct code private_work(unsigned tile, unsigned core) {
    struct code code = { .count = 0 };
    emit_constant(&code, 31, DATA + core * 0x1000);
    emit_constant(&code, 30, SHARED);
    emit_constant(&code, 5, ROUNDS + 37 * core + 11 * tile);
    emit_constant(&code, 10, 0x12345678 + tile);
    unsigned top = code.count;
    emit(&code, rv_slli(11, 10, 5));
    emit(&code, rv_xor(10, 10, 11));
    emit(&code, rv_srli(11, 10, 7));
    emit(&code, rv_xor(10, 10, 11));
    emit(&code, rv_r(MAJOR_OP, 0, 1, 12, 10, 11)); /* mul */
    emit(&code, rv_andi(13, 10, 0x7FC));
    emit(&code, rv_add(13, 13, 31));
    emit(&code, rv_lw(14, 0, 13));
    emit(&code, rv_add(14, 14, 12));
    emit(&code, rv_sw(14, 0, 13));
    emit(&code, rv_r(MAJOR_AMO, 2, 0, 0, 30, 10)); /* amoadd.w */
    loop_back(&code, 5, top);
    emit(&code, rv_jal(0, 0));
    return code;
}

/* Waits until the word at offset(x31) equals x5. */
static void emit_wait(struct code *code, int32_t offset) {
    emit(code, rv_lw(6, offset, 31));
    emit(code, rv_bne(6, 5, -4));
}

/* BRISC sends numbers, NCRISC adds them up: values are fixed, the time of each step is not. */
static struct code sender(void) {
    struct code code = { .count = 0 };
    emit_constant(&code, 31, CHANNEL);
    emit(&code, rv_addi(5, 0, ROUNDS));
    unsigned top = code.count;
    emit(&code, rv_slli(7, 5, 3));
    emit(&code, rv_sw(7, 4, 31));
    emit(&code, rv_sw(5, 0, 31));
    emit_wait(&code, 8);
    loop_back(&code, 5, top);
    emit(&code, rv_jal(0, 0));
    return code;
}
static struct code receiver(void) {
    struct code code = { .count = 0 };
    emit_constant(&code, 31, CHANNEL);
    emit(&code, rv_addi(5, 0, ROUNDS));
    unsigned top = code.count;
    emit_wait(&code, 0);
    emit(&code, rv_lw(7, 4, 31));
    emit(&code, rv_add(8, 8, 7));
    emit(&code, rv_sw(8, 12, 31));
    emit(&code, rv_sw(5, 8, 31));
    loop_back(&code, 5, top);
    emit(&code, rv_jal(0, 0));
    return code;
}

struct setting {
    unsigned threads, skew; /* skew 0: the default */
    bool talk;              /* BRISC and NCRISC communicate instead of working apart */
};

static void load(bh_chip *chip, unsigned tile, enum bh_core core, struct code code) {
    uint32_t address = 0x1000 + (uint32_t)core * 0x1000, l0_off = RV_L0_OFF;
    assert_int_equal(bh_load_raw(chip, tile_at(tile), core, address + 4, code.word, code.count * 4), BH_OK);
    assert_int_equal(bh_load_raw(chip, tile_at(tile), core, address, &l0_off, 4), BH_OK);
}

static bh_chip *start(struct setting setting) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = setting.threads;
    if (setting.skew)
        config.skew = setting.skew;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    for (unsigned tile = 0; tile < TILES; tile++) {
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            load(chip, tile, (enum bh_core)core, private_work(tile, core));
        if (setting.talk) {
            load(chip, tile, BH_BRISC, sender());
            load(chip, tile, BH_NCRISC, receiver());
        }
        assert_int_equal(bh_release(chip, tile_at(tile), BH_ALL_CORES), BH_OK);
    }
    return chip;
}

static void run(bh_chip *chip, uint64_t cycles) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, cycles, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("fault: %s", stop.fault.text);
}

static uint32_t word_at(const bh_chip *chip, unsigned tile, uint32_t address) {
    uint32_t value;
    assert_int_equal(bh_peek(chip, tile_at(tile), address, &value, sizeof value), BH_OK);
    return value;
}

/* Over the pages that programs write to, on all tiles. */
static uint64_t memory_hash(const bh_chip *chip) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned tile = 0; tile < TILES; tile++)
        for (uint32_t address = DATA; address < CHANNEL + 16; address += 4)
            hash = (hash ^ word_at(chip, tile, address)) * UINT64_C(0x100000001B3);
    return hash;
}

struct outcome {
    uint64_t state, memory;
};

static struct outcome outcome(struct setting setting) {
    bh_chip *chip = start(setting);
    run(chip, CYCLES);
    struct outcome result = { bh_state_hash(chip), memory_hash(chip) };
    if (setting.talk)
        assert_int_equal(word_at(chip, 0, CHANNEL + 12), 8 * ROUNDS * (ROUNDS + 1) / 2);
    else
        assert_int_not_equal(word_at(chip, TILES - 1, SHARED), 0);
    bh_destroy(chip);
    return result;
}

static void the_hash_sees_memory_registers_and_time(void **state) {
    bh_chip *chip = start((struct setting){ .threads = 1 });
    uint64_t before = bh_state_hash(chip), after;
    uint32_t value = 1;
    (void)state;
    assert_true(before == bh_state_hash(chip));
    assert_int_equal(bh_poke(chip, tile_at(3), 0x60000, &value, 4), BH_OK);
    after = bh_state_hash(chip);
    assert_true(after != before);
    assert_int_equal(bh_core_set(chip, tile_at(2), BH_TRISC1, BH_REG_X0 + 9, 77), BH_OK);
    before = after, after = bh_state_hash(chip);
    assert_true(after != before);
    run(chip, 1000);
    assert_true(bh_state_hash(chip) != after);
    bh_destroy(chip);
}

static void repeated_runs_are_equal(void **state) {
    (void)state;
    for (int talk = 0; talk < 2; talk++) {
        struct setting setting = { .threads = 1, .talk = talk };
        uint64_t first = outcome(setting).state;
        for (int i = 0; i < 3; i++)
            assert_true(outcome(setting).state == first);
    }
}

static void runs_in_pieces_are_equal(void **state) {
    (void)state;
    uint64_t whole = outcome((struct setting){ .threads = 1, .talk = true }).state;
    bh_chip *chip = start((struct setting){ .threads = 1, .talk = true });
    unsigned epoch = bh_epoch(chip);
    for (uint64_t done = 0; done < CYCLES;) {
        uint64_t piece = CYCLES - done < 7 * epoch ? CYCLES - done : 7 * epoch;
        run(chip, piece);
        done += piece;
    }
    assert_true(bh_state_hash(chip) == whole);
    bh_destroy(chip);
}

static void threads_make_no_difference(void **state) {
    (void)state;
    for (int talk = 0; talk < 2; talk++) {
        uint64_t alone = outcome((struct setting){ .threads = 1, .talk = talk }).state;
        for (unsigned threads = 2; threads <= 3; threads++)
            assert_true(outcome((struct setting){ .threads = threads, .talk = talk }).state == alone);
    }
}

static void skew_makes_no_difference_without_races(void **state) {
    (void)state;
    struct outcome lockstep = outcome((struct setting){ .threads = 1, .skew = 1 });
    struct outcome usual = outcome((struct setting){ .threads = 1 });
    assert_true(lockstep.memory == usual.memory);
    assert_true(lockstep.state == usual.state);
}

/* How often a receiver looks before it sees a flag depends on the skew; what it computes does not. */
static void skew_makes_no_difference_to_what_is_computed(void **state) {
    (void)state;
    uint64_t lockstep = outcome((struct setting){ .threads = 1, .skew = 1, .talk = true }).memory;
    assert_true(outcome((struct setting){ .threads = 1, .talk = true }).memory == lockstep);
    assert_true(outcome((struct setting){ .threads = 1, .skew = 7, .talk = true }).memory == lockstep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_sees_memory_registers_and_time),
        cmocka_unit_test(repeated_runs_are_equal),
        cmocka_unit_test(runs_in_pieces_are_equal),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(skew_makes_no_difference_without_races),
        cmocka_unit_test(skew_makes_no_difference_to_what_is_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
