/* .ttinsn (PushTensixInstruction.md): which adjacent words become one push, and what that costs. The tile's end of a
 * push is played by this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/bits.h"
#include "support/box.h"

enum { A = 10, D = 13, PUSHES_MAX = 2048 };

static struct {
    unsigned pushes, refusals; /* refusals: how many pushes have to wait before one is taken */
    bool holds;                /* the core is held while a push waits */
    bool tile_puts;            /* pushes that the core does not wait for go to the tile */
    unsigned count[PUSHES_MAX];
    uint64_t time[PUSHES_MAX];
    uint32_t pc[PUSHES_MAX];
    uint32_t words[PUSHES_MAX * CORE_FUSED_MAX];
    unsigned word_count;
} seen;

static unsigned takes; /* words that a push takes which the core does not wait for, at most */

/* Words of the thread stay in its FIFO. */
static void stop_thread(struct box *box, unsigned thread) {
    box->tile.tensix.thread[thread].faulted = true;
    box->tile.tensix.thread[thread].waits_on = WAIT_FAULT;
}

static void note(const uint32_t *words, unsigned shape, unsigned count, uint32_t pc, uint64_t time) {
    seen.count[seen.pushes] = count;
    seen.time[seen.pushes] = time;
    seen.pc[seen.pushes++] = pc;
    for (unsigned i = 0; i < count; i++)
        seen.words[seen.word_count++] = words[push_step(shape) * i];
}

static struct core_push push(void *owner, struct core *core, const uint32_t *words, unsigned shape, uint32_t pc,
                             uint64_t time) {
    if (seen.tile_puts && !(shape & PUSH_WAITS))
        return tile_core_port.push(owner, core, words, shape, pc, time);
    unsigned most = shape & PUSH_WAITS ? push_group(shape) : takes;
    unsigned count = push_count(shape) < most ? push_count(shape) : most;
    if (seen.refusals && (shape & PUSH_WAITS)) {
        seen.refusals--;
        core->waits_on = WAIT_FIFO_ROOM;
        if (seen.holds)
            core_hold(core);
        return (struct core_push){ 0, BUS_WAIT };
    }
    if (count)
        note(words, shape, count, pc, time);
    return (struct core_push){ count, BUS_OK };
}

static struct core_port port;

static struct box *make(unsigned skew) {
    struct box *box = box_create(skew);
    port = tile_core_port;
    port.push = push;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        box->tile.core[i].port = &port;
    memset(&seen, 0, sizeof seen);
    takes = 0;
    return box;
}

/* The n-th of a row of different instructions, as a word in memory. */
static uint32_t ttinsn(unsigned n) {
    return bits_rotate_left(0x02000001 + n, 2);
}

static void assert_pushed(const unsigned *counts, unsigned pushes) {
    assert_int_equal(seen.pushes, pushes);
    for (unsigned i = 0; i < pushes; i++)
        assert_int_equal(seen.count[i], counts[i]);
}
#define ASSERT_PUSHED(...) \
    assert_pushed((const unsigned[]){ __VA_ARGS__ }, sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

#define ASSERT_SEEN(n, words, at, cycle) \
    do { \
        assert_int_equal(seen.count[n], words); \
        assert_int_equal(seen.pc[n], at); \
        assert_int_equal(seen.time[n] - seen.time[0], cycle); \
    } while (0)

static void assert_words(unsigned count) {
    assert_int_equal(seen.word_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(seen.words[i], 0x02000001 + i);
}

/* Cycles that n of them take, in slices of both kinds; words must arrive whole and in order, and all count. */
static uint64_t cycles_of(enum bh_core id, unsigned n, uint32_t cfg0) {
    uint64_t cycles[2];
    for (unsigned skew = 0; skew < 2; skew++) {
        struct box *box = make(skew ? 1 : 32);
        struct core *core = &box->tile.core[id];
        for (unsigned i = 0; i < n; i++)
            box_poke32(box, core->default_pc + 4 * i, ttinsn(i));
        box_poke32(box, core->default_pc + 4 * n, EBREAK);
        box_release(box, 1u << id);
        assert_true(csr_write(core, 0x7C0, core->cfg0 | cfg0));
        tile_run(&box->tile, 2000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->retired, n + 1);
        assert_words(n);
        assert_int_equal(box->tile.coverage.tensix[tensix_row_index(0x02)], n);
        assert_int_equal(box->tile.coverage.riscv[RV_EBREAK], 1);
        cycles[skew] = core_time(core) - 1;
        box_destroy(box);
    }
    assert_int_equal(cycles[0], cycles[1]);
    return cycles[0];
}

static void test_four_a_cycle(void **state) {
    (void)state;
    for (enum bh_core core = BH_TRISC0; core <= BH_TRISC2; core++) {
        assert_int_equal(cycles_of(core, 1, 0), 1);
        assert_int_equal(cycles_of(core, 2, 0), 1);
        assert_int_equal(cycles_of(core, 3, 0), 1);
        assert_int_equal(cycles_of(core, 4, 0), 1);
        assert_int_equal(cycles_of(core, 5, 0), 2);
        assert_int_equal(cycles_of(core, 8, 0), 2);
        assert_int_equal(cycles_of(core, 9, 0), 3);
    }
}

static void test_one_a_cycle(void **state) {
    (void)state;
    for (unsigned n = 1; n <= 9; n++) {
        assert_int_equal(cycles_of(BH_BRISC, n, 0), n);
        assert_int_equal(cycles_of(BH_TRISC1, n, CFG0_DIS_TTINSN_FUSION), n);
    }
}

/* The bit is looked at each time: set in the middle, it ends the fusion. */
static void test_switched_by_csr(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    BOX_CODE(box, BH_TRISC0, ttinsn(0), ttinsn(1), asm_u(RV_LUI, A, 1u << 18), asm_csr(RV_CSRRS, 0, 0x7C0, A),
             ttinsn(2), ttinsn(3), asm_csr(RV_CSRRC, 0, 0x7C0, A), ttinsn(4), ttinsn(5), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    ASSERT_PUSHED(2, 1, 1, 2);
    assert_words(6);
    box_destroy(box);
}

/* A group ends at any other word, and begins where the core comes in. */
static void test_ends_and_begins(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    BOX_CODE(box, BH_TRISC0, asm_j(0, 12), ttinsn(100), ttinsn(101), ttinsn(0), ttinsn(1), NOP, ttinsn(2), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    ASSERT_PUSHED(2, 1);
    assert_words(3);
    assert_int_equal(seen.pc[0], 0x600C);
    assert_int_equal(core->retired, 6);
    assert_int_equal(core_time(core), 5 + RV_PART_MISPREDICT);
    box_destroy(box);
}

/* A loop whose branch goes into the middle of what was one group the first time. */
static void test_into_the_middle(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    BOX_CODE(box, BH_TRISC0, asm_i(RV_ADDI, A, 0, 2), ttinsn(0), ttinsn(1), ttinsn(2), ttinsn(3), ttinsn(4),
             asm_i(RV_ADDI, A, A, -1), asm_b(RV_BNE, A, 0, -16), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    ASSERT_PUSHED(4, 1, 3);
    assert_int_equal(seen.words[5], 0x02000003);
    assert_int_equal(seen.pc[2], 0x600C);
    box_destroy(box);
}

/* A group that is not taken blocks the core on its first word, and is tried again whole. */
static void test_blocked_group(void **state) {
    (void)state;
    for (unsigned skew = 1; skew <= 32; skew += 31) {
        struct box *box = make(skew);
        struct core *core = &box->tile.core[BH_TRISC2];
        BOX_CODE(box, BH_TRISC2, NOP, ttinsn(0), ttinsn(1), ttinsn(2), EBREAK);
        box_release(box, 1u << BH_TRISC2);
        seen.refusals = 2;
        tile_run(&box->tile, 100);
        assert_int_equal(core->state, BH_CORE_BLOCKED);
        assert_int_equal(core->pc, 0xE004);
        assert_int_equal(core->waits_at, 0xFFE40000);
        assert_int_equal(core->retired, 1);
        assert_int_equal(core_time(core), 1);
        tile_event(&box->tile, 50);
        tile_run(&box->tile, 100);
        assert_int_equal(core->state, BH_CORE_BLOCKED);
        tile_event(&box->tile, 70);
        tile_run(&box->tile, 100);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        ASSERT_PUSHED(3);
        assert_words(3);
        assert_int_equal(seen.time[0], 70);
        assert_int_equal(core->retired, 5);
        assert_int_equal(core_time(core), 72);
        box_destroy(box);
    }
}

/* A core that is put into reset by what happens while its push waits stays there. */
static void test_held_while_it_waits(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    BOX_CODE(box, BH_TRISC0, NOP, ttinsn(0), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    seen.refusals = 1;
    seen.holds = true;
    tile_run(&box->tile, 100);
    assert_int_equal(core->state, BH_CORE_IN_RESET);
    box_destroy(box);
}

#define SFPNOP UINT32_C(0x8F000000) /* plain (isa/push.h) */
#define MOP    UINT32_C(0x01000000) /* not so */

static struct frontend *frontend_of(struct box *box, unsigned thread) {
    return &box->tile.tensix.thread[thread].frontend;
}

static void assert_word(struct frontend_word word, uint32_t expected, uint32_t pc, uint64_t time) {
    assert_int_equal(word.word, expected);
    assert_int_equal(word.pc, pc);
    assert_int_equal(word.time, time);
}

/* Single words, plain and other ones, with the tile's end of a push: time and address of each, by .ttinsn and by stores
 * from x and f registers. The thread is stopped. */
static void test_words_by_themselves(void **state) {
    (void)state;
    for (unsigned skew = 1; skew <= 32; skew += 31) {
        struct box *box = box_create(skew);
        struct core *core = &box->tile.core[BH_TRISC1];
        BOX_CODE(box, BH_TRISC1, asm_u(RV_LUI, A, 0xFFE40000), asm_u(RV_LUI, D, SFPNOP + 0x1000),
                 bits_rotate_left(SFPNOP, 2), NOP, asm_s(RV_SW, D, 0, A), asm_u(RV_LUI, D, MOP),
                 asm_r(RV_FMV_W_X, 1, D, 0), NOP, NOP, asm_s(RV_FSW, 1, 0, A), asm_s(RV_SW, D, 0, A), EBREAK);
        stop_thread(box, 1);
        box_release(box, 1u << BH_TRISC1);
        core->x[1] = SFPNOP; /* not what the store of f1 takes */
        tile_run(&box->tile, 100);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->retired, 12);
        const struct frontend *f = frontend_of(box, 1);
        assert_int_equal(f->in_flight, 4);
        assert_int_equal(f->mops, 2);
        assert_word(frontend_nth(f, 0), SFPNOP, 0xA008, 3);
        assert_word(frontend_nth(f, 1), SFPNOP + 0x1000, 0xA010, 5);
        assert_word(frontend_nth(f, 2), MOP, 0xA024, 10);
        assert_word(frontend_nth(f, 3), MOP, 0xA028, 11);
        box_destroy(box);
    }
}

/* A core that nothing but its pushes gives a chance to stop does so in time. */
static void test_limit_between_words(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    box_poke32(box, 0x6000, NOP);
    for (unsigned i = 0; i < 20; i++) {
        box_poke32(box, 0x6004 + 8 * i, bits_rotate_left(SFPNOP, 2));
        box_poke32(box, 0x6008 + 8 * i, NOP);
    }
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 12);
    assert_int_equal(core_time(core), 12);
    assert_int_equal(core->pc, 0x6030);
    box_destroy(box);
}

/* Straight code whose groups step over every word at which the interpreter looks at its limit: it ends all the same. */
static void test_limit_inside_groups(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    box_poke32(box, 0x6000, NOP);
    for (unsigned i = 0; i < 400; i++)
        box_poke32(box, 0x6004 + 4 * i, ttinsn(i));
    box_poke32(box, 0x6004 + 4 * 400, EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 11);
    assert_int_equal(core_time(core), 11);
    assert_int_equal(core->retired, 41);
    assert_int_equal(core->pc, 0x60A4);
    tile_run(&box->tile, 50);
    assert_int_equal(core_time(core), 50);
    tile_run(&box->tile, 500);
    assert_int_equal(core_time(core), 102);
    assert_words(400);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(seen.time[i], 1 + i);
    box_destroy(box);
}

/* A group behind a decoded one is made of what is in memory now, if the instruction cache does not have what was. */
static void test_patched(void **state) {
    struct box *box = make(32);
    uint32_t base = 0x6000;
    (void)state;
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, 0x6000), asm_i(RV_LW, D, A, 40), ttinsn(0), ttinsn(1), ttinsn(2), NOP,
             asm_s(RV_SW, D, 12, A), asm_i(RV_ADDI, D, 0, NOP), asm_j(0, -24), EBREAK, EBREAK);
    box_poke32(box, base + 40, ttinsn(7));
    box_release(box, 1u << BH_TRISC0);
    for (uint64_t until = 1; until <= 40; until++) {
        tile_run(&box->tile, until);
        core_invalidate(&box->tile.core[BH_TRISC0]);
    }
    assert_true(seen.pushes >= 3);
    assert_int_equal(seen.count[0], 3);
    assert_int_equal(seen.count[1], 3);
    assert_int_equal(seen.words[4], 0x02000008);
    /* The third time there is no .ttinsn in the middle any more: two groups. */
    assert_int_equal(seen.count[2], 1);
    assert_int_equal(seen.count[3], 1);
    box_destroy(box);
}

/* Nothing behind the end of L1 belongs to a group. */
static void test_end_of_l1(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    box_poke32(box, CORE_L1_SIZE - 8, ttinsn(0));
    box_poke32(box, CORE_L1_SIZE - 4, ttinsn(1));
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, CORE_L1_SIZE), asm_i(RV_JALR, 0, A, -8));
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 200);
    ASSERT_PUSHED(2);
    assert_int_equal(core->state, BH_CORE_FAULTED);
    assert_int_equal(core->fault.address, CORE_L1_SIZE);
    box_destroy(box);
}

/* More words than cycles: counters and sleep are right. */
static void test_more_words_than_cycles(void **state) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        box_poke32(box, 0x6000 + 4 * i, ttinsn(i));
    BOX_CODE(box, BH_TRISC1, EBREAK);
    box_poke32(box, 0x6100, asm_csr(RV_CSRRS, A, 0xB00, 0));
    box_poke32(box, 0x6104, asm_csr(RV_CSRRS, D, 0xB02, 0));
    box_poke32(box, 0x6108, asm_j(0, 0));
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 1000);
    assert_int_equal(core->x[A], 16);
    assert_int_equal(core->x[D], 65);
    assert_int_equal(core->state, BH_CORE_POLLING);
    assert_true(core->stalled < 0);
    box_destroy(box);
}

/* ---- Rows of plain words, which have a way of their own ------------------------------------------ */

/* Six of them, of which so many are taken at once, and then two instructions. */
static void run_row(unsigned most, uint32_t cfg0) {
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC1];
    takes = most;
    for (unsigned i = 0; i < 6; i++)
        box_poke32(box, core->default_pc + 4 * i, bits_rotate_left(0x45000001 + i, 2));
    box_poke32(box, core->default_pc + 24, NOP);
    box_poke32(box, core->default_pc + 28, asm_j(0, -28));
    box_release(box, 1u << BH_TRISC1);
    assert_true(csr_write(core, 0x7C0, core->cfg0 | cfg0));
    tile_run(&box->tile, 40); /* the second time their number is known */
    assert_true(seen.pushes > 2);
    for (unsigned i = 0; i < seen.word_count; i++)
        assert_int_equal(seen.words[i], 0x45000001 + i % 6);
    box_destroy(box);
}

static void test_plain_rows(void **state) {
    (void)state;
    run_row(16, 0);
    ASSERT_SEEN(2, 6, 0xA000, 8); /* after two groups, a nop and a jump, which is mispredicted the first time */
    ASSERT_SEEN(3, 6, 0xA000, 12);
    run_row(16, CFG0_DIS_TTINSN_FUSION);
    ASSERT_SEEN(6, 6, 0xA000, 12);
    ASSERT_SEEN(7, 6, 0xA000, 20);
    run_row(4, 0); /* the rest of a row is one too */
    ASSERT_SEEN(2, 4, 0xA000, 8);
    ASSERT_SEEN(3, 2, 0xA010, 9);
    ASSERT_SEEN(4, 4, 0xA000, 12);
    run_row(0, 0); /* and if none is taken, there is the other way */
    ASSERT_SEEN(2, 4, 0xA000, 8);
    ASSERT_SEEN(3, 2, 0xA010, 9);
}

/* The tile's own end of them, with a thread that is stopped: a group gets in while no more than 28 words are there, in
 * one cycle; if words are not fused, each gets in by itself, while no more than 31 are there; with others that run
 * beside it too. */
static void test_rows_until_it_is_full(void **state) {
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        bool fused = i & 1, others = i & 4;
        struct box *box = box_create(i & 2 ? 32 : 1);
        struct core *core = &box->tile.core[BH_TRISC0];
        uint32_t word = bits_rotate_left(SFPNOP, 2);
        BOX_CODE(box, BH_TRISC0, NOP, word, word, word, asm_j(0, -12));
        BOX_CODE(box, BH_TRISC1, NOP, asm_j(0, -4));
        stop_thread(box, 0);
        box_release(box, others ? 1u << BH_TRISC0 | 1u << BH_TRISC1 : 1u << BH_TRISC0);
        assert_true(csr_write(core, 0x7C0, core->cfg0 | (fused ? 0 : CFG0_DIS_TTINSN_FUSION)));
        for (uint64_t until = 2; until < 30; until++) {
            tile_run(&box->tile, until);
            assert_true(core_time(core) <= until + RV_PART_MISPREDICT);
        }
        tile_run(&box->tile, 200);
        const struct frontend *f = frontend_of(box, 0);
        assert_int_equal(core->state, BH_CORE_BLOCKED);
        assert_int_equal(f->in_flight, fused ? 30 : 32);
        for (unsigned n = 0; n < f->in_flight; n++)
            assert_word(frontend_nth(f, n), SFPNOP, 0x6004 + 4 * (n % 3),
                        (n < 3 ? 2 : 2 + RV_PART_MISPREDICT) + (fused ? n / 3 * 2 : n / 3 * 4 + n % 3));
        box->tile.tensix.thread[0].frontend.accepts = 0; /* which follows from the core when a state is loaded */
        tile_loaded(&box->tile);
        assert_int_equal(f->accepts, fused ? 28 : 31);
        assert_true(csr_write(core, 0x7C0, core->cfg0 & ~CFG0_DIS_TTINSN_FUSION));
        assert_int_equal(f->accepts, 28);
        box_destroy(box);
    }
}

/* A store that has been a push, and is something else the next time: of another word, or to elsewhere. */
static void test_stores_that_were_pushes(void **state) {
    static const uint32_t at[8] = { 0xFFE40000, 0xFFE40000, 0xFFE40000, CORE_LDM_BASE + 64,
                                    0xFFE40000, 0x20040,    0xFFE40000, 0xFFE40000 };
    static const uint32_t word[8] = { 0x45000001, 0x45000002, 0x45000003, 0x45000007,
                                      0x02000004, 0x45000008, 0x45000005, 0xB2000001 };
    struct box *box = make(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        box_poke32(box, 0x20000 + 4 * i, at[i]);
        box_poke32(box, 0x20100 + 4 * i, word[i]);
    }
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, 5, 0x20000), asm_i(RV_ADDI, 6, 0, 8), asm_i(RV_LW, A, 5, 0),
             asm_i(RV_LW, D, 5, 0x100), asm_s(RV_SW, D, 0, A), asm_i(RV_ADDI, 5, 5, 4), asm_i(RV_ADDI, 6, 6, -1),
             asm_b(RV_BNE, 6, 0, -20), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    core->ldm_ready = 0;
    seen.tile_puts = true;
    tile_run(&box->tile, 4000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    tensix_run(&box->tile.tensix, 4000);
    uint32_t value;
    memcpy(&value, core->ldm + 64, sizeof value);
    assert_int_equal(value, 0x45000007);
    assert_int_equal(box_peek32(box, 0x20040), 0x45000008);
    assert_int_equal(core_time(core), 111 + RV_PART_MISPREDICT); /* it waits for what it stores */
    assert_int_equal(seen.pushes, 2);                            /* those that are not plain go the other way */
    assert_int_equal(seen.words[0], 0x02000004);
    assert_int_equal(seen.words[1], 0xB2000001);
    assert_int_equal(box->tile.tensix.thread[0].frontend.passes, 4);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_a_cycle),
        cmocka_unit_test(test_one_a_cycle),
        cmocka_unit_test(test_switched_by_csr),
        cmocka_unit_test(test_ends_and_begins),
        cmocka_unit_test(test_into_the_middle),
        cmocka_unit_test(test_blocked_group),
        cmocka_unit_test(test_patched),
        cmocka_unit_test(test_limit_inside_groups),
        cmocka_unit_test(test_end_of_l1),
        cmocka_unit_test(test_more_words_than_cycles),
        cmocka_unit_test(test_held_while_it_waits),
        cmocka_unit_test(test_words_by_themselves),
        cmocka_unit_test(test_limit_between_words),
        cmocka_unit_test(test_plain_rows),
        cmocka_unit_test(test_stores_that_were_pushes),
        cmocka_unit_test(test_rows_until_it_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
