/* Programs for the threads of one tile, and what the public calls say of the inside of its coprocessor. */
#ifndef TESTS_CHIP_INSIDE_H
#define TESTS_CHIP_INSIDE_H

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/rv.h"

#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })
#define BASE_MOP      0xFFB80000u

static const struct bh_xy TILE = { 1, 2 };
enum { EBREAK = 0x00100073, WORDS = 256, MOP_BASE = 10, VALUE = 11 };
enum { CLEAR = 1 }; /* of UNPACR_NOP */

struct code {
    uint32_t word[WORDS];
    unsigned count;
};

static inline void emit(struct code *code, uint32_t word) {
    assert_true(code->count < WORDS);
    code->word[code->count++] = word;
}

static inline void push(struct code *code, uint32_t word) {
    emit(code, tensix_to_stream(word));
}

/* A word of the MOP expander's configuration. */
static inline void configure(struct code *code, unsigned index, uint32_t value) {
    emit(code, rv_lui(MOP_BASE, BASE_MOP));
    emit(code, rv_lui(VALUE, rv_high(value)));
    emit(code, rv_addi(VALUE, VALUE, rv_low(value)));
    emit(code, rv_sw(VALUE, (int32_t)(4 * index), MOP_BASE));
}

static inline void start(bh_chip *chip, unsigned thread, struct code *code) {
    enum bh_core core = (enum bh_core)(BH_TRISC0 + thread);
    emit(code, EBREAK);
    start_at(chip, TILE, core, core_entry[core], code->word, code->count * sizeof code->word[0]);
}

static inline void run(bh_chip *chip, uint64_t cycles) {
    assert_int_equal(bh_run(chip, cycles, 0, NULL), BH_OK);
}

static inline struct bh_wait wait_of(const bh_chip *chip, unsigned thread) {
    struct bh_wait wait;
    memset(&wait, 0xA5, sizeof wait);
    assert_int_equal(bh_wait_get(chip, TILE, thread, &wait), BH_OK);
    return wait;
}

static inline struct bh_mop_info mop_of(const bh_chip *chip, unsigned thread) {
    struct bh_mop_info mop;
    memset(&mop, 0xA5, sizeof mop);
    assert_int_equal(bh_mop_get(chip, TILE, thread, &mop), BH_OK);
    return mop;
}

static inline struct bh_replay_info replay_of(const bh_chip *chip, unsigned thread) {
    struct bh_replay_info replay;
    memset(&replay, 0xA5, sizeof replay);
    assert_int_equal(bh_replay_get(chip, TILE, thread, &replay), BH_OK);
    return replay;
}

static inline struct bh_src_info src_of(const bh_chip *chip, enum bh_src_file file) {
    struct bh_src_info info;
    memset(&info, 0xA5, sizeof info);
    assert_int_equal(bh_src_query(chip, TILE, file, &info), BH_OK);
    return info;
}

static inline uint32_t datum(const bh_chip *chip, enum bh_src_file file, unsigned bank, unsigned row, unsigned column) {
    uint32_t value = 0xBAD;
    assert_int_equal(bh_src_get(chip, TILE, file, bank, row, column, &value), BH_OK);
    return value;
}

static inline int setup_loose(void **state) {
    *state = make_timed(BH_TIMING_LOOSE, 1);
    return 0;
}

/* A test with both timings. */
#define BOTH(test) \
    cmocka_unit_test_setup_teardown(test, setup_chip, teardown_chip), { \
#test " loose", test, setup_loose, teardown_chip, NULL \
    }

#endif
