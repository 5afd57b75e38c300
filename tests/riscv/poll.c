/* Sleeping in polling loops must change nothing but the host's work: the same scene is played with and without sleep,
 * in lockstep, and everything that software can see must be the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, B = 11, C = 12, D = 13, E = 14, FLAG = 0x20000 };
#define MAILBOX1 0xFFEC1000u

/* ---- Which loops are slept in -------------------------------------------------------------- */

/* State of BRISC after 2000 cycles in the loop. x10 = FLAG. */
static enum bh_core_state state_in(const uint32_t *words, size_t count) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    enum bh_core_state state;
    box_code(box, BH_BRISC, words, count);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = FLAG;
    core->x[B] = FLAG + 0x1000;
    tile_run(&box->tile, 2000);
    state = core->state;
    if (state == BH_CORE_FAULTED)
        fail_msg("%s", box->fault.text);
    box_destroy(box);
    return state;
}
#define STATE_IN(...) state_in((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static enum bh_core_state state_in_long_loop(unsigned length) {
    uint32_t words[64] = { asm_i(RV_LW, C, A, 0) };
    for (unsigned i = 1; i < length - 1; i++)
        words[i] = NOP;
    words[length - 1] = asm_b(RV_BEQ, C, 0, -4 * (int32_t)(length - 1));
    return state_in(words, length);
}

static void test_sleeps(void **state) {
    (void)state;
    assert_int_equal(STATE_IN(asm_j(0, 0)), BH_CORE_POLLING);
    assert_int_equal(STATE_IN(asm_b(RV_BEQ, 0, 0, 0)), BH_CORE_POLLING);
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_b(RV_BEQ, C, 0, -4)), BH_CORE_POLLING);
    assert_int_equal(STATE_IN(FENCE, asm_i(RV_LBU, C, A, 3), asm_b(RV_BEQ, C, 0, -8)), BH_CORE_POLLING);
    /* The address is made anew in each round; a register of the tile. */
    assert_int_equal(STATE_IN(asm_u(RV_LUI, C, 0xFFB12000), asm_i(RV_LW, C, C, 0x1B0), asm_b(RV_BNE, C, 0, -8)),
                     BH_CORE_POLLING);
    /* Two words, with a way round inside the loop, and an exit in the middle. */
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_b(RV_BNE, C, 0, 16), asm_i(RV_LH, D, B, 2),
                              asm_b(RV_BEQ, D, 0, -12), EBREAK, EBREAK),
                     BH_CORE_POLLING);
    /* Local memory. */
    assert_int_equal(STATE_IN(asm_u(RV_LUI, A, CORE_LDM_BASE), asm_i(RV_LW, C, A, 8), asm_b(RV_BEQ, C, 0, -4)),
                     BH_CORE_POLLING);
    assert_int_equal(state_in_long_loop(CORE_LOOP_MAX), BH_CORE_POLLING);
    /* An index that is multiplied and shifted on the way to the word. */
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_r(RV_MUL, D, C, A), asm_r(RV_SH2ADD, D, D, B),
                              asm_i(RV_LW, D, D, 0), asm_b(RV_BEQ, D, 0, -16)),
                     BH_CORE_POLLING);
}

/* A part of the loop lies behind other code, more than CORE_LOOP_MAX words away: there the words of the second part
 * follow, the last of which is the jump back. */
static enum bh_core_state state_in_two_parts(const uint32_t *first, unsigned n, const uint32_t *second, unsigned m) {
    uint32_t words[100];
    memcpy(words, first, n * sizeof *words);
    for (unsigned i = n; i < 80; i++)
        words[i] = EBREAK;
    memcpy(words + 80, second, m * sizeof *words);
    words[80 + m] = asm_j(0, -4 * (int32_t)(80 + m));
    return state_in(words, 81 + m);
}
#define STATE_IN_TWO_PARTS(first, ...) \
    state_in_two_parts(first, sizeof(first) / 4, (const uint32_t[]){ __VA_ARGS__ }, \
                       sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void test_sleeps_in_loops_of_two_parts(void **state) {
    (void)state;
    const uint32_t jumps[] = { asm_i(RV_LW, C, A, 0), asm_b(RV_BNE, C, 0, 8), asm_j(0, 4 * 78) };
    const uint32_t branches[] = { asm_i(RV_LW, C, A, 0), asm_b(RV_BEQ, C, 0, 4 * 79) };
    assert_int_equal(STATE_IN_TWO_PARTS(jumps, FENCE), BH_CORE_POLLING);
    assert_int_equal(STATE_IN_TWO_PARTS(branches, FENCE), BH_CORE_POLLING);
    assert_int_equal(STATE_IN_TWO_PARTS(branches, asm_i(RV_LW, D, B, 0), asm_b(RV_BNE, D, 0, -4 * 70), NOP),
                     BH_CORE_POLLING);
    assert_int_equal(STATE_IN_TWO_PARTS(branches, asm_s(RV_SW, 0, 0, B)), BH_CORE_RUNNING);
    assert_int_equal(STATE_IN_TWO_PARTS(branches, asm_i(RV_ADDI, D, D, 1)), BH_CORE_RUNNING);
}

/* A loop that fetches the address of the flag from local memory waits for the flag, not for its address. */
static void test_what_it_waits_for(void **state) {
    (void)state;
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    const uint32_t words[] = { asm_u(RV_LUI, B, CORE_LDM_BASE), asm_s(RV_SW, A, 8, B), asm_i(RV_LW, C, B, 8),
                               asm_i(RV_LW, D, C, 0), asm_b(RV_BEQ, D, 0, -8) };
    box_code(box, BH_BRISC, words, sizeof words / 4);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = FLAG;
    tile_run(&box->tile, 2000);
    assert_int_equal(core->state, BH_CORE_POLLING);
    assert_int_equal(core->waits_at, FLAG);
    box_destroy(box);
}

static void test_stays_awake(void **state) {
    (void)state;
    assert_int_equal(state_in_long_loop(CORE_LOOP_MAX + 1), BH_CORE_RUNNING);
    /* The loop counts. */
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_i(RV_ADDI, D, D, 1), asm_b(RV_BEQ, C, 0, -8)),
                     BH_CORE_RUNNING);
    /* The loop walks through memory. */
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_i(RV_ADDI, A, A, 4), asm_b(RV_BEQ, C, 0, -8)),
                     BH_CORE_RUNNING);
    /* The loop stores. */
    assert_int_equal(STATE_IN(asm_s(RV_SW, 0, 0, B), asm_i(RV_LW, C, A, 0), asm_b(RV_BEQ, C, 0, -8)), BH_CORE_RUNNING);
    /* The loop reads the clock. */
    assert_int_equal(STATE_IN(asm_u(RV_LUI, C, 0xFFB12000), asm_i(RV_LW, C, C, 0x1F0), asm_b(RV_BGE, C, 0, -8)),
                     BH_CORE_RUNNING);
    /* The loop reads a counter. */
    assert_int_equal(STATE_IN(asm_csr(RV_CSRRS, C, 0xB00, 0), asm_b(RV_BGE, C, 0, -4)), BH_CORE_RUNNING);
    /* The loop reads what the coprocessor shows in qstatus, or bstatus beside a word of memory. */
    assert_int_equal(STATE_IN(asm_csr(RV_CSRRS, C, 0xBC0, 0), asm_b(RV_BGE, C, 0, -4)), BH_CORE_RUNNING);
    assert_int_equal(STATE_IN(asm_i(RV_LW, C, A, 0), asm_csr(RV_CSRRS, D, 0xBC1, 0), asm_b(RV_BEQ, C, D, -8)),
                     BH_CORE_RUNNING);
}

/* ---- Sleep is invisible --------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Consumers wait for a flag in one of several kinds of loop, count rounds of the game and pass the flag on. */
static unsigned consumer(uint32_t *w, uint64_t *seed, uint32_t flag, uint32_t expected) {
    unsigned n = 0, loop, kind = next_random(seed) % 7, pad = next_random(seed) % 4;
    w[n++] = asm_u(RV_LUI, A, FLAG);
    w[n++] = asm_i(RV_ADDI, B, 0, (int32_t)expected);
    w[n++] = asm_i(RV_ADDI, E, 0, 1);
    loop = n;
    for (unsigned i = 0; i < pad; i++)
        w[n++] = i == 1 ? asm_i(RV_XORI, D, B, 5) : NOP;
    if (kind == 1)
        w[n++] = FENCE;
    if (kind == 2)
        w[n++] = asm_i(RV_LW, D, A, (int32_t)flag + 4);
    w[n++] = asm_i(kind == 3 ? RV_LBU : RV_LW, C, A, (int32_t)flag);
    if (kind == 4)
        w[n++] = asm_i(RV_ANDI, C, C, 0xFF);
    if (kind == 5)
        w[n++] = asm_r(RV_MUL, C, C, E);
    for (unsigned i = next_random(seed) % 3; i > 0; i--)
        w[n++] = NOP;
    if (kind == 6) { /* the way back leads through a part that lies behind other code */
        unsigned gap = 16 + next_random(seed) % 60;
        w[n++] = asm_b(RV_BEQ, C, B, 4 * (int32_t)(gap + 4));
        w[n++] = asm_j(0, 4 * (int32_t)(gap + 1));
        for (unsigned i = 0; i < gap; i++)
            w[n++] = EBREAK;
        w[n++] = next_random(seed) % 2 ? FENCE : NOP;
        w[n] = asm_j(0, (int32_t)(loop - n) * 4);
        return n + 1;
    }
    w[n] = asm_b(RV_BNE, C, B, (int32_t)(loop - n) * 4);
    n++;
    return n;
}

/* Core i waits for word i, works a while, writes word i + 1: a token goes round all five. */
static unsigned player(uint32_t *w, uint64_t *seed, unsigned i, unsigned rounds) {
    unsigned n = 0;
    for (unsigned round = 1; round <= rounds; round++) {
        n += consumer(w + n, seed, 16 * i, round);
        w[n++] = asm_i(RV_ADDI, D, 0, (int32_t)(next_random(seed) % 40));
        w[n++] = asm_i(RV_ADDI, D, D, -1);
        w[n++] = asm_b(RV_BGE, D, 0, -4);
        w[n++] = asm_csr(RV_CSRRS, D, 0xB00, 0); /* when it came by */
        w[n++] = asm_s(RV_SW, D, (int32_t)(0x100 + 64 * i + 4 * round), A);
        w[n++] = asm_i(RV_ADDI, C, 0, (int32_t)(i == BH_NCRISC ? round + 1 : round));
        w[n++] = asm_i(RV_ADDI, D, A, (int32_t)(16 * ((i + 1) % 5)));
        w[n++] = next_random(seed) % 2 ? asm_r(RV_AMOSWAP_W, 0, D, C) : asm_s(RV_SW, C, 0, D);
    }
    w[n++] = EBREAK;
    return n;
}

static struct box *play(uint64_t seed, bool sleepless, unsigned skew, bool caches) {
    struct box *box = box_create(skew);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint32_t words[900];
        box->tile.core[i].sleepless = sleepless;
        box_code(box, (enum bh_core)i, words, player(words, &seed, i, 6));
    }
    box_release(box, BH_ALL_CORES);
    for (unsigned i = 0; i < BH_CORE_COUNT && caches; i++) {
        box->tile.core[i].cfg0 &= ~CFG0_DIS_L0;
        core_configured(&box->tile.core[i]);
    }
    tile_run(&box->tile, 137);
    box_poke32(box, FLAG, 1); /* the host throws in */
    for (uint64_t until = 200; until <= (caches ? 80000 : 20000); until += 128)
        tile_run(&box->tile, until);
    return box;
}

static void compare_games(uint64_t seeds, bool caches) {
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct box *awake = play(seed, true, 1, caches), *asleep = play(seed, false, 1, caches);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
            const struct core *a = &awake->tile.core[i], *b = &asleep->tile.core[i];
            assert_int_equal(a->state, BH_CORE_PAUSED);
            assert_int_equal(b->state, BH_CORE_PAUSED);
            assert_int_equal(core_time(a), core_time(b));
            assert_int_equal(a->retired, b->retired);
            assert_memory_equal(a->x, b->x, 32 * sizeof a->x[0]);
        }
        assert_memory_equal(awake->tile.l1, asleep->tile.l1, CORE_L1_SIZE);
        box_destroy(awake);
        box_destroy(asleep);
    }
}

static void test_nobody_can_tell(void **state) {
    (void)state;
    compare_games(300, false);
}

/* With the L0 data cache, loads find old words until the cache drops them. */
static void test_nobody_can_tell_with_l0(void **state) {
    (void)state;
    compare_games(100, true);
}

/* Mailboxes: brisc sends after a while, the triscs ask whether it has. */
static struct box *mail(uint64_t seed, bool sleepless) {
    struct box *box = box_create(1);
    uint32_t w[64];
    for (unsigned i = BH_TRISC0; i <= BH_TRISC2; i++) {
        unsigned n = 0, pad = next_random(&seed) % 6;
        box->tile.core[i].sleepless = sleepless;
        w[n++] = asm_u(RV_LUI, A, 0xFFEC0000);
        for (unsigned k = 0; k < pad; k++)
            w[n++] = NOP;
        w[n++] = asm_i(RV_LW, C, A, 4);
        w[n++] = asm_b(RV_BEQ, C, 0, -4 * (int32_t)(pad + 1));
        w[n++] = asm_csr(RV_CSRRS, D, 0xB00, 0);
        w[n++] = EBREAK;
        box_code(box, (enum bh_core)i, w, n);
    }
    unsigned n = 0;
    for (unsigned i = 1; i <= 3; i++) {
        w[n++] = asm_i(RV_ADDI, D, 0, (int32_t)(30 + next_random(&seed) % 40));
        w[n++] = asm_i(RV_ADDI, D, D, -1);
        w[n++] = asm_b(RV_BNE, D, 0, -4);
        w[n++] = asm_u(RV_LUI, A, 0xFFEC0000 + 0x1000 * i);
        w[n++] = asm_s(RV_SW, A, 0, A);
    }
    w[n++] = EBREAK;
    box_code(box, BH_BRISC, w, n);
    box_release(box, 1u << BH_BRISC | 1u << BH_TRISC0 | 1u << BH_TRISC1 | 1u << BH_TRISC2);
    tile_run(&box->tile, 2000);
    return box;
}

static void test_mailbox_query(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct box *awake = mail(seed, true), *asleep = mail(seed, false);
        for (unsigned i = 0; i < BH_CORE_COUNT - 1; i++) {
            const struct core *a = &awake->tile.core[i], *b = &asleep->tile.core[i];
            assert_int_equal(a->state, BH_CORE_PAUSED);
            assert_int_equal(core_time(a), core_time(b));
            assert_int_equal(a->retired, b->retired);
            assert_memory_equal(a->x, b->x, 32 * sizeof a->x[0]);
        }
        box_destroy(awake);
        box_destroy(asleep);
    }
}

/* With the default skew the game ends the same way, apart from the moments it took. */
static void test_any_skew_finishes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct box *box = play(seed, false, 32, false);
        for (unsigned i = 0; i < BH_CORE_COUNT; i++)
            assert_int_equal(box->tile.core[i].state, BH_CORE_PAUSED);
        assert_int_equal(box_peek32(box, FLAG), 7);
        box_destroy(box);
    }
}

/* ---- Wake-ups --------------------------------------------------------------------------------- */

/* A sleeper on this word is woken by the host's write to it and not by one next to it. */
static void test_woken_by_its_own_word(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_i(RV_LW, C, A, 0), asm_b(RV_BEQ, C, 0, -4), EBREAK);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = FLAG;
    assert_false(tile_run(&box->tile, 1000));
    assert_int_equal(core->state, BH_CORE_POLLING);
    assert_int_equal(core->waits_at, FLAG);
    box_poke32(box, FLAG + 4, 1);
    box_poke32(box, FLAG - 4, 1);
    assert_int_equal(core->state, BH_CORE_POLLING);
    box->awakes = 0;
    box_poke32(box, FLAG, 0); /* the same value: it looks again and goes on sleeping */
    assert_int_equal(box->awakes, 1);
    assert_false(tile_run(&box->tile, 2000));
    assert_int_equal(core->state, BH_CORE_POLLING);
    box_poke(box, FLAG - 2, "\0\0\0\1", 4); /* a write that covers a part of it */
    tile_run(&box->tile, 3000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    /* The core saw the value in the round that was due at cycle 2000: a round takes nine cycles. */
    assert_true(core_time(core) >= 2000 && core_time(core) < 2000 + 9 + 9 + 6);
    box_destroy(box);
}

/* While it sleeps, the time and the instructions that are shown go on. */
static void test_observed_asleep(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    uint64_t time, retired;
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_i(RV_LW, C, A, 0), asm_b(RV_BEQ, C, 0, -4));
    box_release(box, 1u << BH_BRISC);
    core->x[A] = FLAG;
    tile_run(&box->tile, 900 + RV_PART_MISPREDICT); /* the branch is taken for the first time once */
    core_observe(core, 900 + RV_PART_MISPREDICT, &time, &retired);
    assert_int_equal(time, 900 + RV_PART_MISPREDICT);
    assert_int_equal(retired, 200);
    box_destroy(box);
}

/* Woken by a mailbox that fills. */
/* Whenever the word changes to another one that does not end the loop, the register has it. */
static void test_sleeps_on_the_last_value(void **state) {
    enum { DELAYS = 60 };
    (void)state;
    for (unsigned delay = 1; delay < DELAYS; delay++) {
        struct box *box = box_create(1);
        uint32_t writer[DELAYS + 3];
        for (unsigned i = 0; i < delay; i++)
            writer[i] = NOP;
        writer[delay] = asm_i(RV_ADDI, C, 0, 5);
        writer[delay + 1] = asm_s(RV_SW, C, 0, A);
        writer[delay + 2] = EBREAK;
        box_code(box, BH_BRISC, writer, delay + 3);
        BOX_CODE(box, BH_NCRISC, asm_i(RV_LW, C, A, 0), asm_b(RV_BNE, C, B, -4), EBREAK);
        box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC);
        box->tile.core[BH_BRISC].x[A] = box->tile.core[BH_NCRISC].x[A] = FLAG;
        box->tile.core[BH_NCRISC].x[B] = 9;
        tile_run(&box->tile, 1000);
        assert_int_equal(box->tile.core[BH_NCRISC].state, BH_CORE_POLLING);
        assert_int_equal(box->tile.core[BH_NCRISC].x[C], 5);
        box_destroy(box);
    }
}

static void test_woken_by_a_register(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    /* trisc0 asks whether brisc has sent something (bit 2 of the address); brisc waits 100 rounds and sends 5. */
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, 0xFFEC0000), asm_i(RV_LW, C, A, 4), asm_b(RV_BEQ, C, 0, -4),
             asm_i(RV_LW, D, A, 0), EBREAK);
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, C, 0, 100), asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4),
             asm_u(RV_LUI, A, MAILBOX1), asm_i(RV_ADDI, C, 0, 5), asm_s(RV_SW, C, 0, A), EBREAK);
    box_release(box, 1u << BH_BRISC | 1u << BH_TRISC0);
    tile_run(&box->tile, 150);
    assert_int_equal(core->state, BH_CORE_POLLING);
    tile_run(&box->tile, 1000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->x[D], 5);
    assert_true(core_time(core) > 200 && core_time(core) < 260);
    box_destroy(box);
}

/* A store into the loop itself ends the sleep; the core leaves the loop once its instruction cache drops the old code.
 */
static void test_woken_by_new_code(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    BOX_CODE(box, BH_BRISC, NOP, asm_j(0, 0), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 100);
    assert_int_equal(core->state, BH_CORE_POLLING);
    box_poke32(box, 4, NOP);
    assert_int_equal(core->state, BH_CORE_RUNNING);
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_POLLING);
    box_poke32(box, 4, NOP);
    core_invalidate(core);
    tile_run(&box->tile, 300);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleeps),
        cmocka_unit_test(test_sleeps_in_loops_of_two_parts),
        cmocka_unit_test(test_what_it_waits_for),
        cmocka_unit_test(test_stays_awake),
        cmocka_unit_test(test_nobody_can_tell),
        cmocka_unit_test(test_nobody_can_tell_with_l0),
        cmocka_unit_test(test_mailbox_query),
        cmocka_unit_test(test_any_skew_finishes),
        cmocka_unit_test(test_woken_by_its_own_word),
        cmocka_unit_test(test_observed_asleep),
        cmocka_unit_test(test_sleeps_on_the_last_value),
        cmocka_unit_test(test_woken_by_a_register),
        cmocka_unit_test(test_woken_by_new_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
