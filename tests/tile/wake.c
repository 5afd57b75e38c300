/* Which event wakes which core: a sleeping core wakes for everything that may concern it, and for as little else as
 * possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "isa/tensix.h"
#include "support/box.h"
#include "tensix/frontend/gate.h"

enum { A = 10, C = 12, START = 1000, L1_WORD = 0x20000 };
#define STREAM       0xFFB45028u /* a register of stream 5 */
#define SAME_STREAM  0xFFB45020u
#define OTHER_STREAM 0xFFB46028u
#define SEMAPHORE    0xFFE80020u
#define NIU_COUNTER  0xFFB20204u
#define LOCAL        0xFFB00010u
#define LOCAL_SLOW   0xFFB1A010u /* trisc1's local memory as others see it */
#define RESET_PC     0xFFB12228u

/* trisc1 sleeps until the word is not 0. */
static struct box *sleeper(uint32_t address) {
    struct box *box = box_create(32);
    uint32_t base = address & ~UINT32_C(0xFFF);
    BOX_CODE(box, BH_TRISC1, asm_u(RV_LUI, A, base), asm_i(RV_LW, C, A, (int32_t)(address - base)),
             asm_b(RV_BEQ, C, 0, -4), EBREAK);
    box_release(box, 1u << BH_TRISC1);
    tile_run(&box->tile, START);
    assert_int_equal(box->tile.core[BH_TRISC1].state, BH_CORE_POLLING);
    return box;
}

enum cause { WRITTEN, COPROCESSOR };

static bool is_woken(uint32_t sleeps_on, enum cause cause, uint32_t address) {
    struct box *box = sleeper(sleeps_on);
    if (cause == COPROCESSOR)
        tensix_wake(&box->tile.tensix, START);
    else
        box_poke32(box, address, 1);
    bool woken = box->tile.core[BH_TRISC1].state == BH_CORE_RUNNING;
    tile_run(&box->tile, 2 * START);
    const struct core *core = &box->tile.core[BH_TRISC1];
    assert_int_equal(core->state, core->x[C] ? BH_CORE_PAUSED : BH_CORE_POLLING);
    box_destroy(box);
    return woken;
}

static void test_causes(void **state) {
    static const struct {
        uint32_t sleeps_on;
        enum cause cause;
        uint32_t address;
        bool woken;
    } rows[] = {
        { STREAM, WRITTEN, STREAM, true },        { STREAM, WRITTEN, SAME_STREAM, true },
        { STREAM, WRITTEN, OTHER_STREAM, false }, { STREAM, COPROCESSOR, 0, false },
        { STREAM, WRITTEN, L1_WORD, false },      { STREAM, WRITTEN, RESET_PC, true },
        { SEMAPHORE, COPROCESSOR, 0, true },      { NIU_COUNTER, WRITTEN, STREAM, false },
        { NIU_COUNTER, COPROCESSOR, 0, false },   { NIU_COUNTER, WRITTEN, RESET_PC, true },
        { LOCAL, WRITTEN, LOCAL_SLOW, true },     { LOCAL, COPROCESSOR, 0, false },
        { LOCAL, WRITTEN, STREAM, false },        { L1_WORD, WRITTEN, L1_WORD, true },
        { L1_WORD, COPROCESSOR, 0, false },       { L1_WORD, WRITTEN, STREAM, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_woken(rows[i].sleeps_on, rows[i].cause, rows[i].address) != rows[i].woken)
            fail_msg("row %zu", i);
}

/* The loop takes a load's latency and a cycle: whenever the word is written, the first load in a later cycle sees it.
 */
static void test_stream_in_time(void **state) {
    (void)state;
    for (unsigned later = 0; later < 24; later++) {
        struct box *box = sleeper(STREAM);
        struct core *core = &box->tile.core[BH_TRISC1];
        uint64_t top = core_time(core), round = core->poll_cycles, written = START + later;
        tile_run(&box->tile, written);
        box_poke32(box, STREAM, 7);
        uint64_t first = top + (written + 1 - top + round - 1) / round * round; /* the load is the loop's first */
        tile_run(&box->tile, 2 * START);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->x[C], 7);
        assert_int_equal(core_time(core), first + round + CORE_COST_MISPREDICT + 1);
        box_destroy(box);
    }
}

static uint32_t ttinsn(uint32_t word) {
    return word << 2 | word >> 30;
}

/* trisc0 fills its FIFO behind an instruction that waits for a semaphore. */
static void test_room(void **state) {
    enum { WORDS = 100, B_CFG = 0x80 };
    uint32_t code[WORDS + 2] = { ttinsn(tensix_encode_SEMWAIT((struct tensix_SEMWAIT){ B_CFG, 1, GATE_SEM_ZERO })) };
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    for (unsigned i = 1; i <= WORDS; i++)
        code[i] = ttinsn(tensix_encode_SETC16((struct tensix_SETC16){ 1, 5 }));
    code[WORDS + 1] = EBREAK;
    box_code(box, BH_TRISC0, code, WORDS + 2);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, START);
    assert_int_equal(core->state, BH_CORE_BLOCKED);
    tensix_wake(&box->tile.tensix, START);
    tile_tensix_touched(&box->tile);
    assert_int_equal(core->state, BH_CORE_BLOCKED); /* there is still no room */
    tile_run(&box->tile, START + 100);
    assert_int_equal(core->state, BH_CORE_BLOCKED);
    box_poke32(box, RESET_PC, 1); /* whatever that may mean to it */
    assert_int_equal(core->state, BH_CORE_RUNNING);
    tile_run(&box->tile, START + 200);
    assert_int_equal(core->state, BH_CORE_BLOCKED);
    assert_int_equal(tensix_semaphore_write(&box->tile.tensix, BH_TRISC1, 0, START + 200, 0).result, ACCESS_DONE);
    tile_tensix_touched(&box->tile);
    tile_run(&box->tile, 2 * START);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_stream_in_time),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
