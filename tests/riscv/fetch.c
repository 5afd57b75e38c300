/* The frontend of a core: what it has learned of branches, and what the instruction cache has (riscv/fetch.h). */
#include "riscv/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/bits.h"
#include "support/box.h"

enum { C = 12, D = 13, ALL = 0xFF, PERIOD = FETCH_SETS * FETCH_BLOCK };

/* A branch that goes this way: was the prediction another one? */
static bool goes(struct core_fetch *fetch, uint64_t word, bool taken) {
    bool differs = fetch_predicts(fetch, word) != taken;
    if (differs)
        fetch_learn(fetch, word);
    return differs;
}

static void test_learns(void **state) {
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    assert_false(fetch_predicts(&fetch, 7));
    assert_false(goes(&fetch, 7, false));
    assert_true(goes(&fetch, 7, true));
    assert_true(fetch_predicts(&fetch, 7));
    assert_false(goes(&fetch, 7, true));
    assert_true(goes(&fetch, 7, false));
    assert_false(fetch_predicts(&fetch, 7));
    /* Sites are told apart, but for those that lie 512 words from each other. */
    goes(&fetch, 70, true);
    for (unsigned word = 0; word < FETCH_SITES; word++)
        assert_int_equal(fetch_predicts(&fetch, word), word == 70);
    assert_true(fetch_predicts(&fetch, 70 + FETCH_SITES));
}

/* Two blocks a set; the one that was used last stays. */
static void test_sets(void **state) {
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    assert_int_equal(fetch.lacking, 0);
    assert_int_equal(fetch_enter(&fetch, 0), 0); /* never used entries are free */
    assert_int_equal(fetch_enter(&fetch, PERIOD), 0);
    assert_int_equal(fetch_enter(&fetch, FETCH_BLOCK), 0);
    assert_int_equal(fetch_enter(&fetch, PERIOD), 0); /* it is still the first of its set */
    assert_int_equal(fetch_enter(&fetch, 0), 0);
    assert_int_equal(fetch_enter(&fetch, 2 * PERIOD), ALL); /* evicts the second */
    assert_int_equal(fetch.lacking, ALL);
    assert_int_equal(fetch_enter(&fetch, 0), 0);
    assert_int_equal(fetch_enter(&fetch, PERIOD), ALL);
}

static void test_lines(void **state) {
    static const uint8_t memory[4 * PERIOD];
    static struct fetch_code code;
    struct core_fetch fetch;
    (void)state;
    fetch_reset(&fetch);
    for (unsigned i = 0; i < 3; i++)
        fetch_enter(&fetch, i * PERIOD);
    assert_int_equal(FETCH_LINE_OF(2 * PERIOD + 20), 2);
    assert_int_equal(fetch_line(&fetch, &code, FETCH_LINE_OF(20), memory), ALL & ~2u);
    assert_int_equal(fetch_line(&fetch, &code, FETCH_LINE_OF(124), memory), ALL & ~0x82u);
    fetch_enter(&fetch, PERIOD); /* another block */
    assert_int_equal(fetch_enter(&fetch, 2 * PERIOD + 64), ALL & ~0x82u);
}

/* What the cache has of code that was written to since. */
static void test_old(void **state) {
    static uint8_t memory[4 * PERIOD];
    static struct fetch_code code;
    struct core_fetch fetch;
    (void)state;
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(i / 4);
    fetch_reset(&fetch);
    fetch_enter(&fetch, FETCH_BLOCK + 4);
    assert_true(fetch.fills);
    assert_false(fetch_fill(&fetch, &code, memory));
    fetch_enter(&fetch, FETCH_BLOCK + 64);
    assert_false(fetch.fills);
    assert_null(fetch_old(&fetch, &code, FETCH_BLOCK));
    fetch_written(&fetch, 0, FETCH_BLOCK); /* next to it */
    fetch_written(&fetch, 2 * FETCH_BLOCK, 4 * FETCH_BLOCK);
    assert_int_equal(fetch.old, 0);
    memory[FETCH_BLOCK + 20] = 99;
    fetch_written(&fetch, FETCH_BLOCK + 20, 1);
    assert_non_null(fetch_old(&fetch, &code, FETCH_BLOCK + 20));
    assert_int_equal(*fetch_old(&fetch, &code, FETCH_BLOCK + 20), (FETCH_BLOCK + 20) / 4);
    assert_null(fetch_old(&fetch, &code, 20));
    assert_int_equal(fetch_block_of(&fetch, fetch_entry_of(&fetch, 1)), 1);
    assert_int_equal(fetch_entry_of(&fetch, 1 + FETCH_SETS), FETCH_ENTRIES);
    /* The second of the set fits; the third replaces the first, which was an old one. */
    fetch_enter(&fetch, FETCH_BLOCK + PERIOD);
    assert_false(fetch_fill(&fetch, &code, memory));
    fetch_enter(&fetch, FETCH_BLOCK + 2 * PERIOD);
    assert_int_equal(fetch.replaced, 1);
    assert_true(fetch_fill(&fetch, &code, memory));
    assert_int_equal(fetch.old, 0);
    /* Lines that it lacks are not old; once fetched they can be. */
    fetch_written(&fetch, FETCH_BLOCK + 2 * PERIOD, 16);
    assert_int_equal(fetch.old, 0);
    fetch_line(&fetch, &code, 1, memory);
    fetch_written(&fetch, FETCH_BLOCK + 2 * PERIOD + 16, 16);
    assert_int_equal(fetch.old, 0);
    fetch_written(&fetch, FETCH_BLOCK + 2 * PERIOD + 15, 1);
    assert_int_not_equal(fetch.old, 0);
    assert_null(fetch_old(&fetch, &code, FETCH_BLOCK + 2 * PERIOD + 16));
    fetch_invalidate(&fetch);
    assert_int_equal(fetch.old, 0);
    assert_int_equal(fetch.block, FETCH_NO_BLOCK);
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
        core_configured(core);
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

/* ---- Old code ------------------------------------------------------------------------------------------------ */

enum { SHARED = 0x8000 + FETCH_BLOCK }; /* of another set than the programs */

/* Cores call a function at SHARED, which sets x13, and pause; x13 is returned after each call. */
static void load_callers(struct box *box, unsigned cores) {
    const uint32_t function[] = { asm_i(RV_ADDI, D, 0, 1), asm_i(RV_JALR, 0, 1, 0) };
    const uint32_t evict[] = { asm_i(RV_JALR, 0, 1, 0) };
    box_poke(box, SHARED, function, sizeof function);
    for (unsigned i = 1; i <= 2; i++)
        box_poke(box, SHARED + i * PERIOD, evict, sizeof evict);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (cores >> i & 1)
            BOX_CODE(box, i, asm_i(RV_ADDI, D, 0, 0), asm_i(RV_JALR, 1, C, 0), EBREAK, asm_j(0, -12));
    box_release(box, cores);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        box->tile.core[i].x[C] = SHARED;
}

static uint32_t call(struct box *box, unsigned core, uint32_t address) {
    struct core *called = &box->tile.core[core];
    called->x[C] = address;
    if (called->state == BH_CORE_PAUSED) {
        called->state = BH_CORE_RUNNING;
        tile_reschedule(&box->tile);
    }
    tile_run(&box->tile, box->tile.time + 500);
    assert_int_equal(called->state, BH_CORE_PAUSED);
    return called->x[D];
}

static void rewrite(struct box *box, int32_t value) {
    box_poke32(box, SHARED, asm_i(RV_ADDI, D, 0, value));
}

static void test_core_runs_old_code(void **state) {
    (void)state;
    struct box *box = box_create(32);
    load_callers(box, 1u << BH_BRISC);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    rewrite(box, 2);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    rewrite(box, 3);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1); /* the oldest */
    core_invalidate(&box->tile.core[BH_BRISC]);
    assert_int_equal(call(box, BH_BRISC, SHARED), 3);
    rewrite(box, 4);
    assert_int_equal(call(box, BH_BRISC, SHARED), 3);
    /* Two other blocks of the set make it go. */
    call(box, BH_BRISC, SHARED + PERIOD);
    assert_int_equal(call(box, BH_BRISC, SHARED), 3); /* used again */
    call(box, BH_BRISC, SHARED + PERIOD);
    call(box, BH_BRISC, SHARED + 2 * PERIOD);
    assert_int_equal(call(box, BH_BRISC, SHARED), 4);
    box_destroy(box);
}

/* Cores that share code have their own copies of it. */
static void test_cores_have_their_own_code(void **state) {
    static const unsigned skews[] = { 32, 1 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct box *box = box_create(skews[i]);
        load_callers(box, 1u << BH_BRISC | 1u << BH_TRISC0 | 1u << BH_NCRISC);
        assert_int_equal(call(box, BH_BRISC, SHARED), 1);
        assert_int_equal(call(box, BH_NCRISC, SHARED), 1);
        rewrite(box, 2);
        tile_invalidate(&box->tile, 1u << BH_NCRISC); /* TRISC0 has it, too: it paused after its first call */
        for (unsigned again = 0; again < 3; again++) {
            assert_int_equal(call(box, BH_BRISC, SHARED), 1);
            assert_int_equal(call(box, BH_NCRISC, SHARED), 2);
            assert_int_equal(call(box, BH_TRISC0, SHARED), 1);
        }
        rewrite(box, 3);
        for (unsigned again = 0; again < 2; again++) {
            assert_int_equal(call(box, BH_BRISC, SHARED), 1);
            assert_int_equal(call(box, BH_NCRISC, SHARED), 2);
        }
        tile_invalidate(&box->tile, BH_ALL_CORES);
        assert_int_equal(call(box, BH_BRISC, SHARED), 3);
        assert_int_equal(call(box, BH_TRISC0, SHARED), 3);
        box_destroy(box);
    }
}

/* A core that comes later to code of which another core has an old copy. */
static void test_newcomer(void **state) {
    (void)state;
    struct box *box = box_create(32);
    load_callers(box, 1u << BH_BRISC | 1u << BH_TRISC0);
    box->tile.core[BH_TRISC0].x[C] = SHARED + PERIOD;
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    rewrite(box, 2);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    assert_int_equal(call(box, BH_TRISC0, SHARED), 2);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    assert_int_equal(call(box, BH_TRISC0, SHARED), 2);
    box_destroy(box);
}

/* A reset drops old code. */
static void test_reset_drops_old_code(void **state) {
    (void)state;
    struct box *box = box_create(32);
    load_callers(box, 1u << BH_BRISC);
    assert_int_equal(call(box, BH_BRISC, SHARED), 1);
    rewrite(box, 2);
    box_release(box, 0);
    box_release(box, 1u << BH_BRISC);
    assert_int_equal(call(box, BH_BRISC, SHARED), 2);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_old),
        cmocka_unit_test(test_core_runs_old_code),
        cmocka_unit_test(test_cores_have_their_own_code),
        cmocka_unit_test(test_newcomer),
        cmocka_unit_test(test_reset_drops_old_code),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_branch_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
