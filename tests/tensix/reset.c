/* SOFT_RESET_0 and the coprocessor, src/tensix/reset.c (SoftReset.md), and registers of the tile that the Scalar Unit
 * reaches. */
#include "support/tensix_scene.h"

#define CONTROL      0xFFB12000u
#define SOFT_RESET_0 (CONTROL + 0x1B0)
#define TDMA         0xFFB11000u
#define NIU0         0xFFB20000u

enum { CORES = 0x47800 };

/* Everything in reset that the mask names, and all cores. */
static void hold(struct tensix_box *tb, uint32_t bits) {
    box_poke32(tb->box, SOFT_RESET_0, CORES | bits);
}

static void push(struct tensix_box *tb, unsigned thread, uint32_t word) {
    scene_push(tb, tb_core(thread), thread, &word, 1, tb->now);
    tb_step(tb, tb->now + 1);
}

/* ---- Scalar Unit --------------------------------------------------------------------------------------------- */

/* Bit 9 zeroes the THCON words of both banks and drops what is written to them; the other words stay. */
static void thcon_words(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = 0; i < CONFIG_WORDS; i++)
            tb->x->config.bank[bank][i] = 0x1000 + i;
    hold(tb, 1 << 9);
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = 0; i < CONFIG_WORDS; i++)
            assert_int_equal(tb->x->config.bank[bank][i],
                             i >= CONFIG_BASE_THCON && i < CONFIG_BASE_GLOBAL ? 0 : 0x1000 + i);
    push(tb, 0, TT(RMWCIB0, 0xFF, 7, CONFIG_BASE_THCON));
    push(tb, 0, TT(RMWCIB0, 0xFF, 7, CONFIG_BASE_THCON - 1));
    tensix_config_write(tb->x, BH_BRISC, 4 * CONFIG_BASE_THCON, tb->now, 8);
    tb_step(tb, tb->now + 20);
    assert_int_equal(tb->x->config.bank[0][CONFIG_BASE_THCON], 0);
    assert_int_equal(tb->x->config.bank[0][CONFIG_BASE_THCON - 1] & 0xFF, 7);
    hold(tb, 0);
    push(tb, 0, TT(RMWCIB0, 0xFF, 7, CONFIG_BASE_THCON));
    tb_step(tb, tb->now + 20);
    assert_int_equal(tb->x->config.bank[0][CONFIG_BASE_THCON], 7);
    tb_destroy(tb);
}

/* Bit 9 lets DMANOP and SETDMAREG through, bit 8 nothing of the Scalar Unit. Both hold, they do not discard. */
static void scalar_unit_held(void **state) {
    (void)state;
    for (unsigned bit = 8; bit <= 9; bit++) {
        struct tensix_box *tb = tb_create();
        hold(tb, 1u << bit);
        push(tb, 0, TT(DMANOP, 0));
        push(tb, 0, TT(SETDMAREG, 0, 5, 0, 10));
        push(tb, 0, TT(ADDDMAREG, 1, 6, 1, 5));
        push(tb, 0, TT(SETC16, 3, 1));
        push(tb, 1, TT(SETC16, 3, 1)); /* another thread goes on */
        tb_step(tb, 100);
        assert_int_equal(tb->passes[0], bit == 9 ? 2 : 0);
        assert_non_null(strstr(wait_text(tb->x->thread[0].waits_on), "soft reset"));
        assert_int_equal(tb->x->config.thread[1][3], 1);
        hold(tb, 0);
        tb_step(tb, 200);
        assert_int_equal(tb->passes[0], 4);
        assert_int_equal(tb->x->gpr[0][6], 6);
        tb_destroy(tb);
    }
}

/* Bit 8: what is stored to the TDMA-RISC registers is discarded. */
static void tdma_held(void **state) {
    struct tensix_box *tb = tb_create();
    struct tile *tile = &tb->box->tile;
    uint32_t value;
    (void)state;
    assert_int_equal(tile_register_write(tile, TDMA + 0x24, 0, 0x15).result, ACCESS_DONE);
    hold(tb, 1 << 8);
    assert_int_equal(tile_register_write(tile, TDMA + 0x24, 10, 0x3F).result, ACCESS_DONE);
    assert_int_equal(tile_register_write(tile, TDMA + 0x00, 10, 0x3F).result, ACCESS_DONE); /* not even a fault */
    hold(tb, 0);
    assert_int_equal(tile_register_read(tile, TDMA + 0x24, 20, &value).result, ACCESS_DONE);
    assert_int_equal(value, 0x15);
    assert_int_equal(tile_register_write(tile, TDMA + 0x24, 30, 0x3F).result, ACCESS_DONE);
    assert_int_equal(tile_register_read(tile, TDMA + 0x24, 40, &value).result, ACCESS_DONE);
    assert_int_equal(value, 0x3F);
    tb_destroy(tb);
}

/* ---- Frontends ------------------------------------------------------------------------------------------------- */

/* Bits 12 to 14 discard the first FIFO and the MOP that is being expanded. What is behind goes on, and the thread is
 * free for what comes later. */
static void frontend_discarded(void **state) {
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        struct tensix_box *tb = tb_create();
        uint32_t nop = TT(NOP, 0), word = TT(SEMPOST, 1 << 1);
        const uint32_t mop[9] = { 1, 14, nop, nop, nop, word, nop, word, nop };
        hold(tb, 0);
        box_poke32(tb->box, SOFT_RESET_0, CORES & ~(1u << (12 + thread)));
        for (unsigned i = 0; i < 9; i++)
            tensix_mop_write(tb->x, tb_core(thread), 4 * i, tb->now, mop[i]);
        push(tb, thread, HELD(0));
        push(tb, thread, TT(MOP, 1, 0, 0));
        push(tb, thread, TT(SEMPOST, 1 << 2));
        tb_step(tb, 100);
        assert_int_equal(tb->x->thread[thread].frontend.in_flight, 2);
        hold(tb, 0);
        assert_int_equal(tb->x->thread[thread].frontend.in_flight, 0);
        tensix_semaphore_write(tb->x, BH_TRISC0, 0, tb->now, 0);
        tb_step(tb, 200);
        assert_int_equal(tb->x->sync.semaphore[1].value, 10); /* eight and two behind the expander */
        assert_int_equal(tb->x->sync.semaphore[2].value, 0);
        assert_true(tensix_idle(tb->x, thread, tb->now));
        box_poke32(tb->box, SOFT_RESET_0, CORES & ~(1u << (12 + thread)));
        push(tb, thread, TT(SEMPOST, 1 << 2));
        tb_step(tb, 300);
        assert_int_equal(tb->x->sync.semaphore[2].value, 1);
        tb_destroy(tb);
    }
}

/* A core that stood before its full FIFO starts anew. */
static void blocked_core_reset(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_push(tb, 0, HELD(0));
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 0, TT(SETC16, 3, i));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    hold(tb, 0);
    tb_step(tb, 150);
    assert_true(tb->x->thread[0].frontend.in_flight <= 10);
    tensix_semaphore_write(tb->x, BH_TRISC1, 0, tb->now, 0);
    tb_step(tb, 200);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    box_release(tb->box, 1u << BH_TRISC0);
    tb_step(tb, 400);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_PAUSED);
    assert_int_equal(tb->x->config.thread[0][3], 59);
    tb_destroy(tb);
}

/* ---- Src --------------------------------------------------------------------------------------------------------- */

static void assert_columns(const struct tensix *x, unsigned file, unsigned cleared) {
    for (unsigned bank = 0; bank < SRC_BANKS; bank++)
        for (unsigned row = 0; row < SRC_ROWS; row++)
            for (unsigned column = 0; column < SRC_COLUMNS; column++)
                assert_int_equal(src_get(&x->src.bank[file][bank], row, column), cleared >> column & 1 ? 0 : 5);
}

static void src_data(void **state) {
    static const struct {
        uint32_t bits;
        unsigned a, b;
    } rows[] = {
        { 1u << 10, 0xFFFF, 0 }, { 1u << 15, 0, 0 },      { 1u << 16, 0, 0xFFFF },
        { 1u << 19, 0x000F, 0 }, { 1u << 20, 0x00F0, 0 }, { 1u << 21 | 1u << 22, 0xFF00, 0 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tensix_box *tb = tb_create();
        for (unsigned n = 0; n < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; n++)
            src_set(&tb->x->src.bank[n >> 11][n >> 10 & 1], n >> 4 & 63, n & 15, 5);
        hold(tb, rows[i].bits);
        assert_columns(tb->x, SRC_A, rows[i].a);
        assert_columns(tb->x, SRC_B, rows[i].b);
        tb_destroy(tb);
    }
}

/* Bits 15 and 16 hand the banks back, which releases a thread that waits for one. */
static void src_ownership(void **state) {
    (void)state;
    for (unsigned file = SRC_A; file <= SRC_B; file++) {
        struct tensix_box *tb = tb_create();
        struct src *src = &tb->x->src;
        src->allowed[SRC_A][1] = src->allowed[SRC_B][1] = SRC_MATRIX;
        src->unpacker_bank[SRC_A] = src->unpacker_bank[SRC_B] = 1;
        src->matrix_bank[SRC_A] = src->matrix_bank[SRC_B] = 1;
        push(tb, 0, TT(STALLWAIT, 0x1FF, file == SRC_A ? GATE_C_SRCA_FREE : GATE_C_SRCB_FREE));
        push(tb, 0, TT(SETC16, 3, 1));
        tb_step(tb, 100);
        assert_int_equal(tb->passes[0], 1);
        hold(tb, 1u << (15 + (file == SRC_B)));
        tb_step(tb, 120);
        assert_int_equal(tb->passes[0], 2);
        assert_int_equal(src->allowed[file][1], SRC_UNPACKERS);
        assert_int_equal(src->unpacker_bank[file] | src->matrix_bank[file], 0);
        assert_int_equal(src->allowed[1 - file][1], SRC_MATRIX);
        assert_int_equal(src->unpacker_bank[1 - file] & src->matrix_bank[1 - file], 1);
        tb_destroy(tb);
    }
}

/* ---- Registers of the tile --------------------------------------------------------------------------------------- */

#define REG(address) (((address)-0xFFB00000u) / 4)

/* LOADREG of a scratch register of tile control, the clock, the tile's identity, and of what STOREREG wrote. */
static void real_registers_scene(struct tensix_box *tb) {
    tb_gpr(tb, 0, 4, 0xABCD1234);
    TB_PUSH_ALL(tb, 0, TT(STOREREG, 4, REG(0xFFB12234)), TT(LOADREG, 8, REG(0xFFB12234)),
                TT(LOADREG, 9, REG(NIU0 + 0x44)), TT(LOADREG, 10, REG(CONTROL + 0x1F0)));
    tb_finish(tb, 0);
    tb_load(tb, BH_TRISC0, 10, 0xFFB12234);
    tb_load(tb, BH_TRISC0, 11, NIU0 + 0x44);
}

static void real_registers(void **state) {
    struct tensix_box *tb = scene_play(real_registers_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(tb->x->gpr[0][8], 0xABCD1234);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 0xABCD1234);
    assert_true(tb->x->gpr[0][9] != 0);
    assert_int_equal(tb->x->gpr[0][9], core_of(tb, BH_TRISC0)->x[11]);
    assert_int_equal(tb->x->gpr[0][10], tb->at[0][5]);
    tb_destroy(tb);
}

/* STOREIND to a register: address in a GPR, offset in half of one with four bits below the byte. */
static void storeind_scene(struct tensix_box *tb) {
    tb_gpr(tb, 0, 4, 0x12345678);
    tb_gpr(tb, 0, 5, 0x12200);
    tb_gpr(tb, 0, 6, 0x34 << 4);
    tb_push(tb, 0, TT(STOREIND, 0, 1, 0, 12, 1, 4, 5));
    tb_finish(tb, 0);
    tb_load(tb, BH_TRISC0, 10, 0xFFB12234);
}

static void storeind_registers(void **state) {
    struct tensix_box *tb = scene_play(storeind_scene);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 0x12345678);
    assert_int_equal(tb->x->gpr[0][6], (0x34 << 4) + 2); /* one of the steps of AutoIncSpec */
    tb_destroy(tb);
}

/* By STOREREG the coprocessor resets itself: bit 9 holds what follows until another agent clears it. */
static void self_reset(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[0][4] = CORES | 1 << 9;
    tb->x->config.bank[0][CONFIG_BASE_THCON] = 5;
    push(tb, 0, TT(STOREREG, 4, REG(SOFT_RESET_0)));
    push(tb, 0, TT(ADDDMAREG, 1, 6, 1, 5));
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 1);
    assert_int_equal(tb->x->config.bank[0][CONFIG_BASE_THCON], 0);
    hold(tb, 0);
    tb_step(tb, 200);
    assert_int_equal(tb->passes[0], 2);
    tb_destroy(tb);
}

/* Below the registers, and where the map has none. */
static void unreachable_registers(void **state) {
    static const uint32_t addresses[] = { 0xFFB00000, 0xFFB13FFC, 0xFFB1E000, 0xFFB80000, 0xFFBFFFFC };
    (void)state;
    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct tensix_box *tb = tb_create();
        push(tb, 1, TT(LOADREG, 4, REG(addresses[i])));
        tb_step(tb, 50);
        assert_int_equal(tb->box->faults, 1);
        assert_int_equal(tb->box->fault.thread, 1);
        assert_int_equal(tb->box->fault.address, addresses[i]);
        tb_destroy(tb);
    }
}

/* With loose timing the coprocessor may have run past the time of the core that writes the register. A thread that
 * waits tries again in a cycle that has not been run. */
static void reset_behind_the_coprocessor(void **state) {
    enum { BITS = 24, WRITTEN = 50, RUN = 100 };
    (void)state;
    for (unsigned bit = 0; bit < BITS; bit++) {
        struct tensix_box *tb = tb_create();
        push(tb, 0, TT(ELWADD, 0, 0, 0, 0, 0)); /* no bank of SrcA has been handed over */
        tb_step(tb, RUN);
        assert_int_equal(tb->x->time, RUN);
        for (unsigned value = 2; value-- > 0;) {
            tensix_soft_reset(tb->x, value << bit, WRITTEN);
            assert_true(tensix_due(tb->x) >= RUN);
            assert_int_equal(tb->x->held, value << bit);
        }
        tb_step(tb, RUN + 20);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset_behind_the_coprocessor),
        cmocka_unit_test(thcon_words),
        cmocka_unit_test(scalar_unit_held),
        cmocka_unit_test(tdma_held),
        cmocka_unit_test(frontend_discarded),
        cmocka_unit_test(blocked_core_reset),
        cmocka_unit_test(src_data),
        cmocka_unit_test(src_ownership),
        cmocka_unit_test(real_registers),
        cmocka_unit_test(storeind_registers),
        cmocka_unit_test(self_reset),
        cmocka_unit_test(unreachable_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
