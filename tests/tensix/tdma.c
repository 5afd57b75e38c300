/* src/tensix/mover/tdma.c: the commands, what is refused, and loops of cores that wait for it. */
#include "tensix/tdma_bench.h"

enum { L1_SIZE = 1536 * 1024 };

/* ---- Commands ---------------------------------------------------------------------------------------------------- */

static void with_parameters(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    fill_l1(tb->x, 0x10000, 0x1000, &seed);
    parameters(tb, 0x1000, 0x2000, 0xABC0010, 3);
    store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 0x428 | 1);
    tb_step(tb, tb->now + 21);
    assert_int_equal(load(tb, STATUS), 0x428 | 1);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS), 0x428);
    assert_memory_equal(&tb->x->l1[0x20000], &tb->x->l1[0x10000], 0x100);
    assert_int_equal(tb->x->l1[0x20100], 0);
    /* The parameters stay, and only two bits of the direction count. */
    store(tb, DIRECTION, 0xFFFFFFFC);
    store(tb, COMMAND, MOVE);
    tb_step(tb, tb->now + 16);
    for (unsigned i = 0; i < 0x100; i++)
        assert_int_equal(tb->x->l1[0x20000 + i], 0);
}

/* The base is the core's own; of accesses by the coprocessor, T0's. */
static void short_form(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    uint32_t moved[20];
    fill_l1(tb->x, 0x10000, 0x8000, &seed);
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
        assert_int_equal(store_by(tb, core, L1_BASE, 0x1000 + 0x100 * core).result, ACCESS_DONE);
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++) {
        assert_int_equal(load_by(tb, core, L1_BASE), 0x1000 + 0x100 * core);
        /* five units from base + 3 to word 64 of Config, 16 units on */
        assert_int_equal(store_by(tb, core, COMMAND, 0x80000000 | 5u << 24 | 16u << 16 | 3u << 8 | MOVE).result,
                         ACCESS_DONE);
        tb_step(tb, tb->now + 20);
        memcpy(moved, &tb->x->l1[(0x1003 + 0x100 * core) * 16], sizeof moved);
        for (unsigned i = 0; i < 20; i++)
            assert_int_equal(tb->x->config.bank[0][64 + i], moved[i] & ~config_missing[64 + i]);
        /* two units to L1 */
        assert_int_equal(store_by(tb, core, COMMAND, 0xC0000000 | 2u << 24 | 0xA0u << 16 | 7u << 8 | MOVE).result,
                         ACCESS_DONE);
        tb_step(tb, tb->now + 20);
        assert_memory_equal(&tb->x->l1[0xA00], &tb->x->l1[(0x1007 + 0x100 * core) * 16], 32);
    }
}

static void writes_to_l1(void **state) {
    struct tensix_box *tb = *state;
    uint64_t word;
    parameters(tb, L1_SIZE - 8, 0, 0x11223344, 0x55667788);
    store(tb, COMMAND, WRITE8);
    memcpy(&word, &tb->x->l1[L1_SIZE - 8], 8);
    assert_true(word == 0); /* from the next but one cycle on */
    tb_step(tb, tb->now + 1);
    memcpy(&word, &tb->x->l1[L1_SIZE - 8], 8);
    assert_true(word == UINT64_C(0x5566778811223344));
    parameters(tb, 0x9004, 0, 0xAABBCCDD, 0xFFFFFFFF);
    store(tb, COMMAND, WRITE4);
    tb_step(tb, tb->now + 1);
    memcpy(&word, &tb->x->l1[0x9004], 8);
    assert_true(word == 0xAABBCCDD);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* A core that finds the queue full wakes when there is room. */
static void full(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 100, 0);
    store(tb, COMMAND, MOVE);
    uint64_t done = tb->now + 100;
    store(tb, COMMAND, 0x80000000 | WAIT);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, SHORT_NOP);
    assert_int_equal(load(tb, STATUS), 1 | 4 | 32);
    struct access access = store_by(tb, BH_BRISC, COMMAND, SHORT_NOP);
    assert_int_equal(access.result, ACCESS_WAIT);
    assert_non_null(strstr(access.text, "queue"));
    tb_step(tb, done - 1);
    assert_int_equal(store_by(tb, BH_BRISC, COMMAND, SHORT_NOP).result, ACCESS_DONE);
    tb_step(tb, done + 10);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* Four cores store faster than commands are taken. */
static void crowded(struct tensix_box *tb) {
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++) {
        tb_li(tb, core, 10, TDMA + COMMAND);
        tb_li(tb, core, 11, SHORT_NOP);
        for (unsigned i = 0; i < 10; i++)
            tb_rv(tb, core, asm_s(RV_SW, 11, 0, 10));
        tb_cycle(tb, core, 12);
    }
}

static void cores_that_wait_for_room(void **state) {
    struct tensix_box *tb = scene_play(crowded);
    (void)state;
    assert_ended(tb);
    uint32_t last = 0;
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
        last = core_of(tb, core)->x[12] > last ? core_of(tb, core)->x[12] : last;
    assert_in_range(last, 40, 50); /* one of the forty a cycle */
    assert_int_equal(tensix_tdma_peek(tb->x, BH_BRISC, STATUS, tb->now, &last).result, ACCESS_DONE);
    assert_int_equal(last, 0x428);
    tb_destroy(tb);
}

static void refused(struct tensix_box *tb, uint32_t command, const char *text) {
    struct access access = tensix_tdma_write(tb->x, BH_BRISC, COMMAND, tb->now, command);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    if (!strstr(access.text, text))
        fail_msg("%s", access.text);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS), 0x428);
}

static void what_is_refused(void **state) {
    struct tensix_box *tb = *state;
    refused(tb, 0, "no such command");
    refused(tb, 0x80000041, "no such command");
    refused(tb, 0x466, "bits 9 and 10");
    refused(tb, 0x266, "bits 9 and 10");
    refused(tb, 0x80000666, "bit 31");
    parameters(tb, L1_SIZE, 0, 0, 0);
    refused(tb, WRITE4, "outside L1");
    parameters(tb, 2, 0, 0, 0);
    refused(tb, WRITE4, "multiple");
    parameters(tb, 4, 0, 0, 0);
    refused(tb, WRITE8, "multiple");
    parameters(tb, 0, 0x18000, 1, 3);
    refused(tb, MOVE, "target lies outside L1");
    parameters(tb, 0x18000, 0x4000, 1, 3);
    refused(tb, MOVE, "source lies outside L1");
    parameters(tb, 0x1000, 0x4000, 1, 1);
    refused(tb, MOVE, "instruction RAM");
    store(tb, L1_BASE, 0x17FFF);
    refused(tb, 0x82000040, "source lies outside L1");
    refused(tb, 0x80FF0040 | 63u << 24, "source lies outside L1");
    store(tb, L1_BASE, 0);
    refused(tb, 0x80FF0040 | 63u << 24, "ThreadConfig");
}

/* Two with parameters may wait behind one that is under way, a third is undefined. */
static void credits(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 200, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 1 | 16 | 0x200);
    struct access access = store_by(tb, BH_BRISC, COMMAND, MOVE);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_non_null(strstr(access.text, "0x80000089"));
    store(tb, COMMAND, SHORT_NOP);
    assert_int_equal(load(tb, STATUS), 1 | 16 | 0x100);
    tb_step(tb, tb->now + 700);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* C9 sees a command's task, and the next one's without a gap; XMOV comes behind them. */
static void threads_see_commands(void **state) {
    struct tensix_box *tb = *state;
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    words[1] = 0x3000;
    words[2] = 5; /* zeros to L1 */
    parameters(tb, 0x1000, 0x2000, 60, 0);
    store(tb, COMMAND, MOVE);
    uint64_t start = tb->now;
    store(tb, COMMAND, MOVE);
    scene_push(tb, BH_TRISC1, 1, (const uint32_t[]){ TT(STALLWAIT, 1 << 7, GATE_C_MOVER), TT(SETC16, 1, 5) }, 2,
               tb->now);
    scene_push(tb, BH_TRISC0, 0, (const uint32_t[]){ TT(XMOV, 0, 0) }, 1, tb->now);
    tb_step(tb, tb->now + 300);
    assert_int_equal(tb->at[0][0], start + 120);
    assert_int_equal(tb->at[1][1], start + 120 + 1); /* met in the only cycle without a task */
    assert_int_equal(tb->x->thread[0].busy[TENSIX_BUSY_MOVER], start + 126);
    assert_int_equal(tb->x->thread[1].busy[TENSIX_BUSY_MOVER], 0);
}

/* STOREREG of a thread; it waits in the Scalar Unit for room. */
static void by_the_coprocessor(void **state) {
    struct tensix_box *tb = *state;
    const unsigned reg = (TDMA - 0xFFB00000 + COMMAND) / 4;
    uint64_t seed = 4;
    fill_l1(tb->x, 0x10000, 0x4000, &seed);
    tb->x->mover.tdma.base[BH_BRISC] = 0x1300;
    tb->x->mover.tdma.base[BH_TRISC0] = 0x1000;
    tb->x->mover.tdma.base[BH_TRISC2] = 0x1200;
    for (unsigned i = 0; i < 6; i++) /* 32 units each to L1, as far as there is room for six */
        tb->x->gpr[2][i] = 0xC0000000 | 32u << 24 | (32 * i) << 16 | (i * 32) << 8 | MOVE;
    for (unsigned i = 0; i < 6; i++)
        tb_push(tb, 2, TT(STOREREG, i, reg));
    tb_start(tb);
    tb_step(tb, 400);
    assert_int_equal(tb->passes[2], 6);
    assert_int_equal(tb->at[2][1], tb->at[2][0] + 3);
    assert_int_equal(tb->at[2][5], tb->at[2][0] + 45); /* the first task has ended, the second left the queue */
    assert_memory_equal(&tb->x->l1[0], &tb->x->l1[0x10000], 6 * 32 * 16);
    assert_int_equal(tb->x->mover.busy_until, tb->at[2][0] + 1 + 6 * 44);
}

/* ---- As software waits ------------------------------------------------------------------------------------------- */

/* tt-llk: store the command, then load the status while its lowest bit is set. */
static void wait_for_bit_0(struct tensix_box *tb) {
    memset(&tb->x->l1[0x30000], 0x77, 16 * 50);
    tb_store(tb, BH_TRISC1, TDMA + SRC, 0x3000);
    tb_store(tb, BH_TRISC1, TDMA + DST, 0x3800);
    tb_store(tb, BH_TRISC1, TDMA + SIZE, 50);
    tb_store(tb, BH_TRISC1, TDMA + DIRECTION, 3);
    tb_li(tb, BH_TRISC1, 10, TDMA + STATUS);
    tb_store(tb, BH_TRISC1, TDMA + COMMAND, MOVE);
    tb_cycle(tb, BH_TRISC1, 14);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, 11, 10, 0));
    tb_rv(tb, BH_TRISC1, asm_i(RV_ANDI, 11, 11, 1));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BNE, 11, 0, -8));
    tb_cycle(tb, BH_TRISC1, 12);
    tb_load(tb, BH_TRISC1, 13, 0x38000 + 16 * 50 - 4);
}

/* tt-metal: until the status has the bit of the empty queue and not the mover's. */
static void wait_for_both(struct tensix_box *tb) {
    memset(&tb->x->l1[0x30000], 0x77, 16 * 50);
    tb_li(tb, BH_BRISC, 10, TDMA + STATUS);
    tb_li(tb, BH_BRISC, 9, 8);
    tb_store(tb, BH_BRISC, TDMA + L1_BASE, 0x3000);
    tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80000000 | 50u << 24 | 4u << 16 | MOVE);
    tb_store(tb, BH_BRISC, TDMA + COMMAND, 0xC0000000 | 50u << 24 | 0x10u << 16 | MOVE);
    tb_cycle(tb, BH_BRISC, 14);
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 11, 10, 0));
    tb_rv(tb, BH_BRISC, asm_i(RV_ANDI, 11, 11, 9));
    tb_rv(tb, BH_BRISC, asm_b(RV_BNE, 11, 9, -8));
    tb_cycle(tb, BH_BRISC, 12);
    tb_load(tb, BH_BRISC, 13, 0x100 + 16 * 50 - 4);
}

static void waiting(scene_program *program, enum bh_core core, unsigned least) {
    struct tensix_box *tb = scene_play(program);
    const uint32_t *x = core_of(tb, core)->x;
    assert_ended(tb);
    assert_int_equal(x[13], 0x77777777);
    assert_in_range(x[12] - x[14], least, least + 20);
    assert_in_range(x[12], tb->x->mover.busy_until, tb->x->mover.busy_until + 20);
    tb_destroy(tb);
}

static void as_tt_llk_waits(void **state) {
    (void)state;
    waiting(wait_for_bit_0, BH_TRISC1, 6 * 11 + 5 - 2);
}

static void as_tt_metal_waits(void **state) {
    (void)state;
    waiting(wait_for_both, BH_BRISC, 2 * (6 * 11 + 5) - 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(with_parameters),
        BOXED(short_form),
        BOXED(writes_to_l1),
        BOXED(full),
        cmocka_unit_test(cores_that_wait_for_room),
        BOXED(what_is_refused),
        BOXED(credits),
        BOXED(threads_see_commands),
        BOXED(by_the_coprocessor),
        cmocka_unit_test(as_tt_llk_waits),
        cmocka_unit_test(as_tt_metal_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
