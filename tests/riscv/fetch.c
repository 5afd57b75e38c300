/* The frontend of a core: what it has learned of branches, and what the instruction cache has (riscv/fetch.h). */
#include "riscv/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/bits.h"
#include "support/box.h"

enum { C = 12, D = 13, ALL = 0xFF, PERIOD = FETCH_SETS * FETCH_BLOCK };

static void test_learns(void **state) {
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    assert_false(fetch_predicts(&fetch, 7));
    assert_false(fetch_differs(&fetch, 7, false));
    assert_true(fetch_differs(&fetch, 7, true));
    assert_true(fetch_predicts(&fetch, 7));
    assert_false(fetch_differs(&fetch, 7, true));
    assert_true(fetch_differs(&fetch, 7, false));
    assert_false(fetch_predicts(&fetch, 7));
    /* Sites are told apart, but for those that lie 512 words from each other. */
    fetch_differs(&fetch, 70, true);
    for (unsigned word = 0; word < FETCH_SITES; word++)
        assert_int_equal(fetch_predicts(&fetch, word), word == 70);
    assert_true(fetch_predicts(&fetch, 70 + FETCH_SITES));
}

/* Two blocks a set; the one that was used last stays. */
static void test_sets(void **state) {
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    assert_int_equal(fetch_lacking(&fetch), 0);
    assert_int_equal(fetch_enter(&fetch, 0), 0); /* never used entries are free */
    assert_int_equal(fetch_enter(&fetch, PERIOD), 0);
    assert_int_equal(fetch_enter(&fetch, FETCH_BLOCK), 0);
    assert_int_equal(fetch_enter(&fetch, 0), 0);
    assert_int_equal(fetch_enter(&fetch, 2 * PERIOD), ALL); /* evicts the second */
    assert_int_equal(fetch_lacking(&fetch), ALL);
    assert_int_equal(fetch_enter(&fetch, 0), 0);
    assert_int_equal(fetch_enter(&fetch, PERIOD), ALL);
}

static void test_lines(void **state) {
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    for (unsigned i = 0; i < 3; i++)
        fetch_enter(&fetch, i * PERIOD);
    assert_int_equal(FETCH_LINE_OF(2 * PERIOD + 20), 2);
    assert_int_equal(fetch_line(&fetch, FETCH_LINE_OF(20)), ALL & ~2u);
    assert_int_equal(fetch_line(&fetch, FETCH_LINE_OF(124)), ALL & ~0x82u);
    fetch_enter(&fetch, PERIOD); /* another block */
    assert_int_equal(fetch_enter(&fetch, 2 * PERIOD + 64), ALL & ~0x82u);
}

/* ---- On a core --------------------------------------------------------------------------------------------- */

/* Cycles of a round of a loop with a body of so many words and three more, after some rounds. */
static uint64_t round_cycles(uint32_t word, unsigned words, unsigned skew, bool loose) {
    enum { ROUNDS = 4 };
    uint64_t time[2];
    for (unsigned i = 0; i < 2; i++) {
        struct box *box = box_create_timed(skew, loose);
        struct core *core = &box->tile.core[BH_TRISC1];
        uint32_t *code = malloc((words + 4) * sizeof *code);
        for (unsigned n = 0; n < words; n++)
            code[n] = word;
        code[words] = asm_i(RV_ADDI, C, C, -1);
        code[words + 1] = asm_b(RV_BEQ, C, 0, 8);
        code[words + 2] = asm_j(0, -(int32_t)(4 * words + 8));
        code[words + 3] = EBREAK;
        box_code(box, BH_TRISC1, code, words + 4);
        box_release(box, 1u << BH_TRISC1);
        core->x[C] = 2 + i * ROUNDS;
        core->cfg0 |= CFG0_DIS_TTINSN_FUSION;
        tile_run(&box->tile, 200000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        time[i] = core_time(core);
        free(code);
        box_destroy(box);
    }
    return (time[1] - time[0]) / ROUNDS;
}

/* A loop of 4 KiB runs at a word a cycle. One of 6 KiB and more costs five cycles for four words; between them, those
 * sets miss that three blocks share. */
static void test_loops(void **state) {
    (void)state;
    assert_int_equal(round_cycles(NOP, 1000, 32, false), 1003);
    assert_int_equal(round_cycles(NOP, 1021, 32, false), 1024);
    assert_int_equal(round_cycles(NOP, 1533, 32, false), 1536 + 1536 / 4);
    assert_int_equal(round_cycles(NOP, 2045, 32, false), 2048 + 2048 / 4);
    assert_int_equal(round_cycles(NOP, 1149, 32, false), 1152 + 4 * 3 * 8);
    assert_int_equal(round_cycles(NOP, 1277, 32, false), 1280 + 8 * 3 * 8);
    /* Only lines that are executed count: 1024 words and one line. */
    assert_int_equal(round_cycles(NOP, 1022, 32, false), 1025 + 2 * 8 + 1);
    /* Time does not depend on how the tile slices it, nor do rows of pushes. */
    assert_int_equal(round_cycles(NOP, 1533, 1, false), 1536 + 1536 / 4);
    uint32_t push = bits_rotate_left(0x02000000, 2); /* NOP of the coprocessor */
    assert_int_equal(round_cycles(push, 1600, 32, false), round_cycles(push, 1600, 1, false));
    /* With loose timing there is no cache. */
    assert_int_equal(round_cycles(NOP, 2045, 32, true), 2048);
}

/* A branch in a loop: the first time it is taken it costs four cycles more, and whenever it changes. */
static void test_branch_in_a_loop(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    /* Nine rounds; the branch over the nop is taken unless C is 4. */
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, C, 0, 9), asm_i(RV_ADDI, D, 0, 4), asm_b(RV_BNE, C, D, 8), NOP,
             asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -12), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 1000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    /* Mispredicted: the forward one in rounds 1, 6 and 7, the backward one in the first round and the last. */
    assert_int_equal(core_time(core), 2 + 9 * 3 + 1 + 5 * RV_PART_MISPREDICT + 1);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_branch_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
