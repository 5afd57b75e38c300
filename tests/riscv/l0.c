/* The L0 data cache of a core (riscv/l0.h): time of hits, old values, what drops lines. */
#include "riscv/l0.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, B = 11, C = 12, D = 13, E = 14, DATA = 0x20000, HIT = 2, MISS = 8, CFG0 = 0x7C0, PMACFG0 = 0x7C1 };

/* BRISC with the cache on, and x10 = DATA. The words of DATA count from 1. */
static struct box *open_box(const uint32_t *words, size_t count, bool loose) {
    struct box *box = box_create_timed(32, loose);
    struct core *core = &box->tile.core[BH_BRISC];
    box_code(box, BH_BRISC, words, count);
    for (unsigned i = 0; i < 64; i++)
        box_poke32(box, DATA + 4 * i, i + 1);
    box_release(box, 1u << BH_BRISC);
    core->cfg0 &= ~CFG0_DIS_L0;
    core_configured(core);
    core->x[A] = DATA;
    return box;
}
#define OPEN(...) open_box((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, false)

static struct core *core_of(struct box *box) {
    return &box->tile.core[BH_BRISC];
}

static void finish(struct box *box) {
    tile_run(&box->tile, 100000);
    if (core_of(box)->state == BH_CORE_FAULTED)
        fail_msg("%s", box->fault.text);
    assert_int_equal(core_of(box)->state, BH_CORE_PAUSED);
}

/* Cycles of the words, ebreak not counted. */
static uint64_t cycles_of(const uint32_t *words, size_t count) {
    struct box *box = open_box(words, count, false);
    finish(box);
    uint64_t cycles = core_time(core_of(box)) - 1;
    box_destroy(box);
    return cycles;
}
#define CYCLES(...) \
    cycles_of((const uint32_t[]){ __VA_ARGS__, EBREAK }, sizeof((const uint32_t[]){ __VA_ARGS__, EBREAK }) / 4)
#define LOAD(reg, offset) asm_i(RV_LW, reg, A, offset)
#define USE(reg)          asm_r(RV_ADD, B, reg, reg)

static void test_time(void **state) {
    (void)state;
    assert_int_equal(CYCLES(LOAD(D, 0), USE(D)), MISS + 1);
    assert_int_equal(CYCLES(LOAD(D, 0), USE(D), LOAD(D, 12), USE(D)), MISS + 1 + HIT + 1);
    assert_int_equal(CYCLES(LOAD(D, 0), USE(D), LOAD(D, 16), USE(D)), MISS + 1 + MISS + 1);
    /* Four lines; the first one makes room for the fifth. */
    assert_int_equal(CYCLES(LOAD(C, 0), LOAD(C, 16), LOAD(C, 32), LOAD(C, 48), NOP, NOP, NOP, NOP, LOAD(D, 0), USE(D)),
                     8 + HIT + 1);
    assert_int_equal(
        CYCLES(LOAD(C, 0), LOAD(C, 16), LOAD(C, 32), LOAD(C, 48), NOP, NOP, NOP, LOAD(C, 64), NOP, LOAD(D, 0), USE(D)),
        9 + MISS + 1);
    assert_int_equal(
        CYCLES(LOAD(C, 0), LOAD(C, 16), LOAD(C, 32), LOAD(C, 48), NOP, NOP, NOP, LOAD(C, 64), NOP, LOAD(D, 16), USE(D)),
        9 + HIT + 1);
    /* Hits do not wait for the queue of loads. */
    assert_int_equal(CYCLES(LOAD(C, 0), NOP, NOP, NOP, NOP, NOP, NOP, NOP, LOAD(C, 0), LOAD(C, 4), LOAD(C, 8),
                            LOAD(C, 12), LOAD(C, 0), LOAD(C, 4)),
                     14);
    assert_int_equal(CYCLES(LOAD(B, 0), LOAD(C, 16), LOAD(D, 32), LOAD(E, 48), LOAD(B, 64)), 8); /* misses do */
}

static void test_values(void **state) {
    static const struct {
        enum rv_id id;
        int32_t offset;
        uint32_t value;
    } cases[] = {
        { RV_LB, 3, 0xFFFFFF84 }, { RV_LBU, 3, 0x84 },      { RV_LH, 2, 0xFFFF8483 },
        { RV_LHU, 2, 0x8483 },    { RV_LW, 0, 0x84838281 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t load = asm_i(cases[i].id, D, A, cases[i].offset);
        struct box *box = OPEN(LOAD(C, 4), load, LOAD(B, 8), LOAD(B, 8), LOAD(B, 8), LOAD(B, 8),
                               asm_i(cases[i].id, E, A, cases[i].offset), EBREAK); /* the second is one of a row */
        box_poke32(box, DATA, 0x84838281);
        finish(box);
        assert_int_equal(core_of(box)->x[D], cases[i].value);
        assert_int_equal(core_of(box)->x[E], cases[i].value);
        box_destroy(box);
    }
}

static void test_misaligned(void **state) {
    (void)state;
    struct box *box = OPEN(LOAD(D, 2), EBREAK);
    tile_run(&box->tile, 100);
    assert_int_equal(box->fault.kind, BH_FAULT_MISALIGNED);
    box_destroy(box);
}

/* ---- Old values ---------------------------------------------------------------------------------------------- */

/* Loads the first word; then another agent writes 77 there; then come these words and the load of x13. Returns it. */
static uint32_t seen_after(const uint32_t *words, size_t count) {
    uint32_t code[40] = { LOAD(C, 0), USE(C), ECALL };
    memcpy(code + 3, words, count * sizeof *words);
    code[count + 3] = LOAD(D, 0);
    code[count + 4] = EBREAK;
    struct box *box = open_box(code, count + 5, false);
    finish(box);
    box_poke32(box, DATA, 77);
    core_of(box)->state = BH_CORE_RUNNING;
    tile_reschedule(&box->tile);
    tile_run(&box->tile, 200000);
    assert_int_equal(core_of(box)->state, BH_CORE_PAUSED);
    assert_int_equal(core_of(box)->x[C], 1);
    uint32_t seen = core_of(box)->x[D];
    box_destroy(box);
    return seen;
}
#define SEEN_AFTER(...) seen_after((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void test_old_values(void **state) {
    (void)state;
    assert_int_equal(SEEN_AFTER(NOP), 1);
    assert_int_equal(SEEN_AFTER(LOAD(B, 16), LOAD(B, 32), LOAD(B, 48)), 1);               /* there is room */
    assert_int_equal(SEEN_AFTER(LOAD(B, 16), LOAD(B, 32), LOAD(B, 48), LOAD(B, 64)), 77); /* there is none */
    assert_int_equal(SEEN_AFTER(FENCE), 77);
    assert_int_equal(SEEN_AFTER(asm_i(RV_ADDI, E, A, 64), asm_r(RV_AMOADD_W, 0, E, 0)), 77);
    assert_int_equal(SEEN_AFTER(asm_s(RV_SW, 0, 12, A)), 77); /* a store drops its line */
    assert_int_equal(SEEN_AFTER(asm_s(RV_SB, 0, 9, A)), 77);
    assert_int_equal(SEEN_AFTER(asm_s(RV_SW, 0, 16, A)), 1);          /* and no other */
    assert_int_equal(SEEN_AFTER(asm_s(RV_FSW, 0, 8, A)), 77);         /* that of an f register does, too */
    assert_int_equal(SEEN_AFTER(asm_i(RV_FLW, 1, A, 0)), 1);          /* such a load goes through the cache */
    assert_int_equal(SEEN_AFTER(asm_csr(RV_CSRRSI, 0, CFG0, 8)), 77); /* off */
    assert_int_equal(SEEN_AFTER(asm_csr(RV_CSRRSI, 0, CFG0, 8), asm_csr(RV_CSRRCI, 0, CFG0, 8)), 77); /* and on again */
    assert_int_equal(SEEN_AFTER(asm_csr(RV_CSRRSI, 0, PMACFG0, 1)), 77); /* a fence before each load */
    assert_int_equal(SEEN_AFTER(asm_csr(RV_CSRRSI, 0, PMACFG0, 2)), 1);
}

/* Every 128th request drops all lines: the load before the last, its predecessors, and 126 in a loop. */
static void test_flush(void **state) {
    uint32_t often[] = { asm_i(RV_ADDI, E, 0, 126), LOAD(B, 4), asm_i(RV_ADDI, E, E, -1), asm_b(RV_BNE, E, 0, -8) };
    (void)state;
    assert_int_equal(seen_after(often, 4), 1);
    often[0] = asm_i(RV_ADDI, E, 0, 127);
    assert_int_equal(seen_after(often, 4), 77);
    /* cfg0.DisLowCachePeriodicFlush. */
    const uint32_t kept[] = {
        asm_u(RV_LUI, E, 1 << 24), asm_csr(RV_CSRRS, 0, CFG0, E), often[0], often[1], often[2], often[3]
    };
    assert_int_equal(seen_after(kept, 6), 1);
}

/* A core that waits for a word without a fence sees it once the cache drops the line; it sleeps meanwhile, and until
 * the word is written. With a fence it sees the word at once. */
static uint64_t wait_for_word(uint32_t fence, bool sleepless) {
    struct box *box = OPEN(LOAD(C, 0), fence, asm_b(RV_BEQ, C, B, -8), EBREAK);
    core_of(box)->sleepless = sleepless;
    core_of(box)->x[B] = 1;
    tile_run(&box->tile, 3000);
    assert_int_equal(core_of(box)->state, sleepless ? BH_CORE_RUNNING : BH_CORE_POLLING);
    if (!sleepless)
        assert_int_equal(core_of(box)->waits_at, DATA);
    box_poke32(box, DATA + 32, 5); /* another line: it sleeps on */
    box_poke32(box, DATA, 77);
    finish(box);
    assert_int_equal(core_of(box)->x[C], 77);
    uint64_t time = core_time(core_of(box));
    box_destroy(box);
    return time;
}

static void test_polling(void **state) {
    (void)state;
    assert_int_equal(wait_for_word(FENCE, true), wait_for_word(FENCE, false));
    assert_int_equal(wait_for_word(NOP, true), wait_for_word(NOP, false));
    assert_in_range(wait_for_word(FENCE, false), 3000, 3030);
    assert_in_range(wait_for_word(NOP, false), 3030, 3000 + L0_FLUSH_EVERY * 3 + 10); /* a round takes three cycles */
}

/* Loose timing has no cache; neither has a core whose cfg0 says so. */
static void test_none(void **state) {
    const uint32_t words[] = { LOAD(C, 0), USE(C), ECALL, LOAD(D, 0), EBREAK };
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct box *box = open_box(words, 5, loose);
        core_of(box)->cfg0 |= loose ? 0 : CFG0_DIS_L0;
        core_configured(core_of(box));
        finish(box);
        box_poke32(box, DATA, 77);
        core_of(box)->state = BH_CORE_RUNNING;
        tile_reschedule(&box->tile);
        tile_run(&box->tile, 200000);
        assert_int_equal(core_of(box)->x[D], 77);
        box_destroy(box);
    }
}

/* A reset drops all lines. */
static void test_reset(void **state) {
    (void)state;
    struct box *box = OPEN(LOAD(D, 0), EBREAK);
    finish(box);
    assert_non_null(l0_find(&core_of(box)->l0, DATA + 12));
    core_hold(core_of(box));
    core_release(core_of(box), 0, 1000, true);
    assert_null(l0_find(&core_of(box)->l0, DATA + 12));
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),       cmocka_unit_test(test_values), cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_old_values), cmocka_unit_test(test_flush),  cmocka_unit_test(test_polling),
        cmocka_unit_test(test_none),       cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
