/* Dst and the registers of the Vector Unit from outside: bh_dst_get, bh_lreg_get (src/chip/tensix_api.c), the debug
 * read of arrays (src/tensix/dst_window.c), and what of them and of Src enters the hash. */

#include "chip/chip.h"
#include "isa/tensix.h"
#include "support/chip.h"
#include "support/rv.h"

#define TT(name, ...) tensix_to_stream(tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ }))

static const struct bh_xy TILE = { 1, 2 }, OTHER = { 2, 2 };
enum { EBREAK = 0x00100073, T1_START = 0xA000, INT32 = 4, UINT16 = 6 };
#define ARRAY_EN   0xFFB12060u
#define ARRAY_CMD  0xFFB12064u
#define ARRAY_DATA 0xFFB1206Cu

static void run(bh_chip *chip, const uint32_t *words, size_t size) {
    struct bh_stop stop;
    assert_int_equal(bh_write(chip, TILE, T1_START, words, size), BH_OK);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC1), BH_OK);
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
}
#define RUN(chip, ...) \
    run(chip, (const uint32_t[]){ __VA_ARGS__, EBREAK }, sizeof((const uint32_t[]){ __VA_ARGS__, EBREAK }))

static uint32_t dst(bh_chip *chip, unsigned row, unsigned column) {
    uint32_t value = 0xBAD;
    assert_int_equal(bh_dst_get(chip, TILE, row, column, &value), BH_OK);
    return value;
}

static uint32_t lreg(bh_chip *chip, unsigned index, unsigned lane) {
    uint32_t value = 0xBAD;
    assert_int_equal(bh_lreg_get(chip, TILE, index, lane, &value), BH_OK);
    return value;
}

static void values_go_through(void **state) {
    bh_chip *chip = *state;
    RUN(chip, TT(SFPLOADI, 3, 8, 0x1234), TT(SFPLOADI, 3, 10, 0x5678), TT(SFPSTORE, 8, UINT16, 0, 16),
        TT(SFPSTORE, 3, INT32, 0, 34), TT(SFPLOAD, 5, UINT16, 0, 16));
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(lreg(chip, 3, lane), 0x12345678);
        assert_int_equal(lreg(chip, 5, lane), 0x594B);
        assert_int_equal(lreg(chip, 15, lane), 2 * lane);
        assert_int_equal(dst(chip, 16 + lane / 8, lane % 8 * 2), 0x594B);
        assert_int_equal(dst(chip, 16 + lane / 8, lane % 8 * 2 + 1), 0);
        assert_int_equal(dst(chip, 64 + lane / 8, lane % 8 * 2 + 1), 0x3424); /* mantissa and exponent change places */
        assert_int_equal(dst(chip, 72 + lane / 8, lane % 8 * 2 + 1), 0x5678);
        assert_int_equal(dst(chip, 64 + lane / 8, lane % 8 * 2), 0);
    }
}

static uint32_t shown(bh_chip *chip, uint32_t command) {
    uint32_t value = 0xBAD;
    assert_int_equal(bh_write(chip, TILE, ARRAY_CMD, &command, 4), BH_OK);
    assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), BH_OK);
    return value;
}

static void the_debug_read_shows_pairs_of_columns(void **state) {
    bh_chip *chip = *state;
    uint32_t on = 1;
    RUN(chip, TT(SFPSTORE, 8, UINT16, 0, 1020), TT(SFPSTORE, 10, 15, 0, 1022), TT(SFPSTORE, 11, 15, 0, 8));
    assert_int_equal(bh_write(chip, TILE, ARRAY_EN, &on, 4), BH_OK);
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(shown(chip, 2u << 16 | lane % 8 << 12 | (1020 + lane / 8)), 0x3F80594B);
        assert_int_equal(shown(chip, 2u << 16 | lane % 8 << 12 | (8 + lane / 8)), 0xBF80);
    }
    assert_int_equal(shown(chip, 2u << 16 | 1019), 0);
    assert_int_equal(shown(chip, 2u << 16 | 12), 0);
}

static void what_the_debug_read_does_not_show(void **state) {
    bh_chip *chip = *state;
    static const uint32_t unknown[] = { 0x20400, 0x28000, 0xA0000, 0x120000 };
    uint32_t on = 1, value, command = 0x20000;
    assert_int_equal(bh_write(chip, TILE, ARRAY_CMD, &command, 4), BH_OK);
    assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), BH_ERR_ADDRESS); /* it is off */
    assert_int_equal(bh_write(chip, TILE, ARRAY_EN, &on, 4), BH_OK);
    assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), BH_OK);
    for (unsigned i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_int_equal(bh_write(chip, TILE, ARRAY_CMD, &unknown[i], 4), BH_OK);
        assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), BH_ERR_ADDRESS);
    }
    command = 0x30000; /* the largest exponents */
    assert_int_equal(bh_write(chip, TILE, ARRAY_CMD, &command, 4), BH_OK);
    assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), BH_ERR_UNMODELLED);
    for (command = 0; command < 0x20000; command += 0x10000) { /* SrcA, SrcB */
        assert_int_equal(bh_write(chip, TILE, ARRAY_CMD, &command, 4), BH_OK);
        assert_int_equal(bh_read(chip, TILE, ARRAY_DATA, &value, 4), command ? BH_ERR_UNMODELLED : BH_ERR_ADDRESS);
    }
}

/* The hash of a chip after a program, which itself is gone then. */
static uint64_t hash_of(const uint32_t *words, size_t size) {
    static const uint32_t nothing[16];
    void *chip = NULL;
    assert_true(size <= sizeof nothing);
    assert_int_equal(setup_chip(&chip), 0);
    run(chip, words, size);
    assert_int_equal(bh_write(chip, TILE, T1_START, nothing, sizeof nothing), BH_OK);
    uint64_t hash = bh_state_hash(chip);
    teardown_chip(&chip);
    return hash;
}

static uint64_t hash_after(uint32_t first, uint32_t second) {
    const uint32_t words[] = { first, second, EBREAK };
    return hash_of(words, sizeof words);
}

/* A store that SFPLOADMACRO schedules for after six instructions, which never come. */
static uint64_t hash_with_scheduled(unsigned address) {
    enum { STORE_AFTER_6 = 0x3300, MISC_BY_INSTRUCTION = 0x800, SEQUENCE0 = 4, MISC = 8 };
    const uint32_t words[] = { TT(SFPLOADI, 0, 0, STORE_AFTER_6),       TT(SFPCONFIG, 0, SEQUENCE0, 0),
                               TT(SFPLOADI, 0, 2, MISC_BY_INSTRUCTION), TT(SFPCONFIG, 0, MISC, 0),
                               TT(SFPLOADMACRO, 0, 2, 0, address),      EBREAK };
    return hash_of(words, sizeof words);
}

/* With flags in use. */
static uint64_t hash_with_flags(uint32_t first, uint32_t second) {
    const uint32_t words[] = { TT(SFPENCC, 3, 0, 0, 10), first, second, EBREAK };
    return hash_of(words, sizeof words);
}

/* What has been popped is gone. */
static void the_hash_sees_the_stack_of_flags(void **state) {
    const uint32_t nop = TT(SFPNOP, 0), push = TT(SFPPUSHC, 0, 0, 0, 0);
    (void)state;
    uint64_t none = hash_with_flags(nop, nop), pushed = hash_with_flags(push, nop);
    assert_true(pushed != none);
    assert_true(hash_with_flags(push, TT(SFPPUSHC, 0, 0, 0, 15)) != pushed);
    assert_true(hash_with_flags(push, push) != pushed);
    assert_true(hash_with_flags(push, TT(SFPPOPC, 0, 0, 0, 0)) == none);
}

static void what_the_hash_sees(void **state) {
    const uint32_t nop = TT(SFPNOP, 0);
    (void)state;
    uint64_t none = hash_after(nop, nop);
    assert_true(hash_after(nop, nop) == none);
    assert_true(hash_after(TT(SFPLOADI, 7, 2, 0), nop) == none); /* nothing changes */
    assert_true(hash_after(TT(SFPLOADI, 7, 2, 1), nop) != none);
    assert_true(hash_after(nop, TT(SETRWC, 0, 0, 1, 0, 0, 4)) != none);
    assert_true(hash_after(nop, TT(SETRWC, 0, 0, 0, 0, 1, 16)) != none); /* the stack pointer */
    assert_true(hash_after(nop, TT(SFPENCC, 1, 0, 0, 10)) != none);
    uint64_t stored = hash_after(TT(SFPSTORE, 10, 15, 0, 1020), nop);
    assert_true(stored != none);
    assert_true(hash_after(TT(SFPSTORE, 10, 15, 0, 1016), nop) != stored);
    assert_true(hash_after(TT(SFPSTORE, 10, 15, 0, 1022), nop) != stored);
    assert_true(hash_after(TT(SFPSTORE, 8, 15, 0, 1020), nop) != stored);
    assert_true(hash_after(TT(SFPSTORE, 10, 15, 0, 1020), nop) == stored);
    uint64_t handed = hash_after(TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 0, 1), nop); /* SrcA, to the Matrix Unit */
    assert_true(handed != none);
    assert_true(hash_after(TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 1, 1), nop) != handed); /* not zeros */
    assert_true(hash_after(TT(UNPACR_NOP, 1, 0, 0, 1, 0, 0, 0, 0, 1), nop) != handed); /* SrcB */
    assert_true(hash_after(TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 0, 1), TT(CLEARDVALID, 1, 0)) != handed);
    assert_true(hash_after(TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 0, 1), nop) == handed);
    assert_true(hash_with_scheduled(4) != hash_with_scheduled(8));
    assert_true(hash_with_scheduled(4) == hash_with_scheduled(4));
    uint64_t late = hash_after(nop, TT(SFPMUL, 10, 11, 9, 0, 0)); /* not taken in yet */
    assert_true(hash_after(nop, TT(SFPMUL, 10, 10, 9, 0, 0)) != late);
}

/* A forwarded result counts like any result that has not landed. */
static void a_result_that_is_early(void **state) {
    bh_chip *chip = *state;
    struct tile *tile;
    uint32_t word = tensix_encode_SFPMUL((struct tensix_SFPMUL){ 10, 11, 9, 0, 0 });
    assert_int_equal(chip_tensix(chip, TILE, &tile), BH_OK);
    struct tensix *x = &tile->tensix;
    x->vector.flags = 0x00FF1234;
    x->vector.use_flags = UINT32_MAX;
    vector_derive(&x->vector);
    x->time = 100;
    uint64_t before = bh_state_hash(chip);
    assert_int_equal(execute_SFPMUL(x, 0, word, 99), TENSIX_PASSED);
    assert_true(vector_is_forwarded(&x->vector, 100));
    uint64_t early = bh_state_hash(chip);
    x->time = 101;
    uint64_t arrived = bh_state_hash(chip);
    x->time = 100;
    assert_true(early != before && arrived != before && arrived != early);
    vector_undo_forward(&x->vector);
    assert_true(!vector_is_forwarded(&x->vector, 100));
    assert_true(bh_state_hash(chip) == early);
    x->time = 101;
    assert_true(bh_state_hash(chip) == arrived);
}

static void bad_arguments(void **state) {
    bh_chip *chip = *state;
    struct bh_xy dram = { 17, 12 };
    uint32_t value;
    assert_int_equal(bh_dst_get(chip, TILE, 1024, 0, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_dst_get(chip, TILE, 1023, 16, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_dst_get(chip, TILE, 1023, 15, &value), BH_OK);
    assert_int_equal(bh_dst_get(chip, dram, 0, 0, &value), BH_ERR_COORDINATE);
    assert_int_equal(bh_lreg_get(chip, TILE, 17, 0, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_lreg_get(chip, TILE, 16, 32, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_lreg_get(chip, OTHER, 16, 31, &value), BH_OK);
    assert_int_equal(bh_lreg_get(chip, dram, 0, 0, &value), BH_ERR_COORDINATE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_go_through, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(the_debug_read_shows_pairs_of_columns, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(what_the_debug_read_does_not_show, setup_chip, teardown_chip),
        cmocka_unit_test(what_the_hash_sees),
        cmocka_unit_test(the_hash_sees_the_stack_of_flags),
        cmocka_unit_test_setup_teardown(a_result_that_is_early, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(bad_arguments, setup_chip, teardown_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
