/* tests/tensix/gate.c tests src/tensix/frontend/gate.c through the whole machine: what a latched wait holds, and until
 * when. Units that hold conditions true are played by hand (busy times, owners of Src banks). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/tensix_box.h"

enum {
    B_TDMA = 0x01,
    B_SYNC = 0x02,
    B_PACK = 0x04,
    B_UNPACK = 0x08,
    B_XMOV = 0x10,
    B_THCON = 0x20,
    B_MATH = 0x40,
    B_CFG = 0x80,
    B_SFPU = 0x100,
    B_THREAD = 0x1FF
};

/* ---- The table ---------------------------------------------------------------------------------- */

/* STALLWAIT.md, its exact table, in another form than ours: names by the set of bits that hold them. */
static const struct {
    unsigned bits;
    const char *names;
} page[] = {
    { B_TDMA, " ADDRCRXY ADDRCRZW INCADCXY INCADCZW RSTDMA SETADC SETADCXX SETADCXY SETADCZW SETDVALID " },
    { B_TDMA | B_THCON,
      " ADDDMAREG ATCAS ATINCGET ATINCGETPTR ATSWAP BITWOPDMAREG CMPDMAREG DMANOP FLUSHDMA LOADIND LOADREG MULDMAREG "
      "REG2FLOP SETDMAREG SHIFTDMAREG STOREIND STOREREG SUBDMAREG " },
    { B_TDMA | B_XMOV, " XMOV " },
    { B_TDMA | B_PACK, " PACR PACR_SETREG " },
    { B_TDMA | B_UNPACK, " UNPACR UNPACR_NOP " },
    { B_SYNC, " ATGETM ATRELM SEMGET SEMINIT SEMPOST " },
    { B_MATH,
      " APOOL3S1 APOOL3S2 CLEARDVALID CLREXPHIST CONV3S1 CONV3S2 DOTPV ELWADD ELWMUL ELWSUB GAPOOL GATESRCRST GMPOOL "
      "INCRWC MFCONV3S1 MOVA2D MOVB2A MOVB2D MOVD2A MOVD2B MOVDBGA2D MPOOL3S1 MPOOL3S2 MVMUL SETRWC SHIFTXA SHIFTXB "
      "TRNSPSRCB ZEROACC ZEROSRC " },
    { B_CFG, " CFGSHIFTMASK RDCFG RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3 SETC16 STREAMWRCFG WRCFG " },
    { B_SFPU,
      " SFPABS SFPADD SFPADDI SFPAND SFPARECIP SFPCAST SFPCOMPC SFPCONFIG SFPDIVP2 SFPENCC SFPEXEXP SFPEXMAN SFPGT "
      "SFPIADD SFPLE SFPLOAD SFPLOADI SFPLOADMACRO SFPLUT SFPLUTFP32 SFPLZ SFPMAD SFPMOV SFPMUL SFPMUL24 SFPMULI "
      "SFPNOP SFPNOT SFPOR SFPPOPC SFPPUSHC SFPSETCC SFPSETEXP SFPSETMAN SFPSETSGN SFPSHFT SFPSHFT2 SFP_STOCH_RND "
      "SFPSTORE SFPSWAP SFPTRANSP SFPXOR " },
    { B_THREAD, " SEMWAIT STALLWAIT STREAMWAIT " },
    /* No page has these: held like the rest of the unit that we take them to be in. */
    { B_TDMA | B_PACK, " TBUFCMD " },
    { B_MATH, " MOVDBGB2D TRNSPSRCA RAREB SETASHRMH0 SETASHRMH1 SETASHRMV SETPKEDGOF SETASHRMH SETIBRWC " },
    /* Never at the gate. */
    { 0, " MOP MOP_CFG REPLAY RESOURCEDECL " },
};

/* The bits of the page for a name; NOP has none of its own. */
static unsigned page_bits(const char *name) {
    char padded[32];
    snprintf(padded, sizeof padded, " %s ", name);
    for (unsigned i = 0; i < sizeof page / sizeof page[0]; i++)
        if (strstr(page[i].names, padded))
            return page[i].bits;
    assert_string_equal(name, "NOP");
    return 0;
}

static bool page_holds(const char *name, unsigned block) {
    if (strcmp(name, "NOP") == 0)
        return block == B_THREAD;
    return (page_bits(name) & block) != 0;
}

static void gate_table_is_the_page(void **state) {
    (void)state;
    assert_int_equal(TENSIX_ROW_COUNT, 137);
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++)
        for (unsigned block = 0; block <= B_THREAD; block++)
            assert_int_equal(tensix_gate_holds(tensix_rows[i].gate, block), page_holds(tensix_rows[i].name, block));
}

/* Returns whether an instruction behind a STALLWAIT on a unit that is busy until cycle 200 is held in cycle 60. Its
 * later fate, with a missing unit or undefined operands, does not matter. The unit is another one than its own, which
 * would know better. */
static bool machine_holds(uint32_t word, unsigned block) {
    struct tensix_box *tb = tb_create();
    const struct tensix_row *row = tensix_decode(word);
    bool unpacks = row && row->unit == TENSIX_UNIT_UNPACKER;
    tensix_busy_until(tb->x, 1, unpacks ? TENSIX_BUSY_PACK : TENSIX_BUSY_UNPACK0, 200);
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, block, unpacks ? GATE_C_PACK : GATE_C_UNPACK0), word);
    tb_start(tb);
    for (unsigned i = 0; i < 60; i++) {
        tb->now++;
        tile_run(&tb->box->tile, tb->now);
        tensix_run(tb->x, tb->now);
    }
    assert_true(tb->x->thread[1].frontend.passes >= 1);
    bool is_held = tb_held(tb, 1);
    if (is_held)
        assert_int_equal(tb->x->thread[1].frontend.passes, 1);
    tb_destroy(tb);
    return is_held;
}

static void every_opcode_under_every_block_bit(void **state) {
    (void)state;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        for (unsigned bit = 0; bit < 9; bit++)
            if (machine_holds((uint32_t)row->opcode << 24, 1u << bit) != page_holds(row->name, 1u << bit))
                fail_msg("%s under B%u", row->name, bit);
    }
}

static void nop_is_held_by_all_nine_bits_only(void **state) {
    (void)state;
    assert_true(machine_holds(TT(NOP, 0), B_THREAD));
    for (unsigned bit = 0; bit < 9; bit++)
        assert_false(machine_holds(TT(NOP, 0), B_THREAD & ~(1u << bit)));
}

/* ---- Conditions of STALLWAIT --------------------------------------------------------------------- */

/* STALLWAIT(CFG, conditions) and a SETC16 behind it. Returns how many cycles after the wait the SETC16 passed, with
 * the machine as `prepare` left it. */
static struct tensix_box *waiting(unsigned thread, unsigned conditions) {
    struct tensix_box *tb = tb_create();
    TB_PUSH_ALL(tb, thread, TT(STALLWAIT, B_CFG, conditions), TT(SETC16, 1, 5));
    return tb;
}

/* The pipeline is empty from cycle 100 on: met in 100, so that the block is gone in 101. */
static void pipeline_condition(unsigned condition, enum tensix_busy pipeline, unsigned busy_thread, bool waits) {
    struct tensix_box *tb = waiting(1, condition);
    tensix_busy_until(tb->x, busy_thread, pipeline, 100);
    tb_start(tb);
    tb_step(tb, 110);
    assert_int_equal(tb->passes[1], 2);
    if (waits)
        assert_int_equal(tb->at[1][1], 101);
    else
        assert_int_equal(tb->at[1][1], tb->at[1][0] + 2);
    tb_destroy(tb);
}

static void conditions_of_pipelines(void **state) {
    static const struct {
        unsigned condition;
        enum tensix_busy pipeline;
    } cases[] = {
        { GATE_C_MEMORY, TENSIX_BUSY_MEMORY },   { GATE_C_UNPACK0, TENSIX_BUSY_UNPACK0 },
        { GATE_C_UNPACK1, TENSIX_BUSY_UNPACK1 }, { GATE_C_PACK, TENSIX_BUSY_PACK },
        { GATE_C_MATRIX, TENSIX_BUSY_MATRIX },   { GATE_C_VECTOR, TENSIX_BUSY_VECTOR },
    };
    (void)state;
    enum { CASES = sizeof cases / sizeof cases[0] };
    for (unsigned c = 0; c < CASES; c++)
        for (unsigned p = 0; p < CASES; p++) {
            pipeline_condition(cases[c].condition, cases[p].pipeline, 1, c == p);
            pipeline_condition(cases[c].condition, cases[p].pipeline, 0, false); /* another thread's work */
        }
}

/* C9 waits for the mover whatever started it, C12 likewise for the Configuration Unit. */
static void conditions_of_anybody(void **state) {
    (void)state;
    for (unsigned mover = 0; mover < 2; mover++) {
        struct tensix_box *tb = waiting(1, mover ? GATE_C_MOVER : GATE_C_CONFIG);
        *(mover ? &tb->x->mover.busy_until : &tb->x->config.busy_until) = 100;
        tb_start(tb);
        tb_step(tb, 110);
        assert_int_equal(tb->at[1][1], 101);
        tb_destroy(tb);
    }
}

/* C5..C8: the bank that counts, and the owner that does. */
static void src_condition(unsigned condition, unsigned file, bool of_unpacker, unsigned bank, enum src_client wanted) {
    struct tensix_box *tb = waiting(0, condition);
    struct src *src = &tb->x->src;
    enum src_client other = wanted == SRC_MATRIX ? SRC_UNPACKERS : SRC_MATRIX;
    for (unsigned f = 0; f < SRC_FILES; f++)
        for (unsigned b = 0; b < SRC_BANKS; b++)
            src->allowed[f][b] = (uint8_t)wanted;
    (of_unpacker ? src->unpacker_bank : src->matrix_bank)[file] = (uint8_t)bank;
    src->allowed[file][bank] = (uint8_t)other;
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 1);
    assert_true(tb_held(tb, 0));
    src->allowed[file][bank] = (uint8_t)wanted;
    tensix_wake(tb->x, 100);
    tb_step(tb, 110);
    assert_int_equal(tb->passes[0], 2);
    assert_int_equal(tb->at[0][1], 101);
    tb_destroy(tb);
}

static void conditions_of_src_banks(void **state) {
    (void)state;
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        src_condition(GATE_C_SRCA_FREE, SRC_A, true, bank, SRC_UNPACKERS);
        src_condition(GATE_C_SRCB_FREE, SRC_B, true, bank, SRC_UNPACKERS);
        src_condition(GATE_C_SRCA_VALID, SRC_A, false, bank, SRC_MATRIX);
        src_condition(GATE_C_SRCB_VALID, SRC_B, false, bank, SRC_MATRIX);
    }
}

/* All conditions have to be clear at once: the latest decides. */
static void several_conditions(void **state) {
    struct tensix_box *tb = waiting(2, GATE_C_UNPACK0 | GATE_C_PACK | GATE_C_VECTOR);
    (void)state;
    tensix_busy_until(tb->x, 2, TENSIX_BUSY_UNPACK0, 50);
    tensix_busy_until(tb->x, 2, TENSIX_BUSY_PACK, 100);
    tensix_busy_until(tb->x, 2, TENSIX_BUSY_VECTOR, 70);
    tb_start(tb);
    tb_step(tb, 110);
    assert_int_equal(tb->at[2][1], 101);
    tb_destroy(tb);
}

/* ---- The latch ----------------------------------------------------------------------------------- */

/* A condition that is met at once still costs the blocked instruction one cycle; others go on. */
static void release_lags_one_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_CFG, GATE_C_PACK), TT(SETC16, 1, 5), TT(STALLWAIT, B_CFG, GATE_C_PACK),
                TT(NOP, 0), TT(SETC16, 1, 6));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[0], 5);
    assert_int_equal(tb->at[0][1] - tb->at[0][0], 2);
    assert_int_equal(tb->at[0][2] - tb->at[0][1], 1);
    assert_int_equal(tb->at[0][3] - tb->at[0][2], 1); /* not in the block mask */
    assert_int_equal(tb->at[0][4] - tb->at[0][3], 1); /* the lag is over */
    tb_destroy(tb);
}

/* The NOPs are not blocked themselves, but the one behind the blocked SETC16 waits with it. */
static void blocked_head_blocks_what_is_behind(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 100);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_CFG, GATE_C_PACK), TT(NOP, 0), TT(SETC16, 1, 5), TT(NOP, 0));
    tb_start(tb);
    tb_step(tb, 110);
    assert_int_equal(tb->passes[0], 4);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->at[0][2], 101);
    assert_int_equal(tb->at[0][3], 102);
    tb_destroy(tb);
}

/* A second wait of any kind does not replace the first: it waits for it, and what is behind it for both. */
static void second_wait_waits(void **state) {
    const uint32_t second[] = { TT(STALLWAIT, B_SFPU, GATE_C_UNPACK0), TT(SEMWAIT, B_SFPU, 1, GATE_SEM_MAX),
                                TT(STREAMWAIT, B_SFPU, 0, 0, 0) };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct tensix_box *tb = tb_create();
        tb->x->sync.semaphore[0].max = 1;
        tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 100);
        TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_CFG, GATE_C_PACK), second[i], TT(NOP, 0), TT(SETC16, 1, 5));
        tb_start(tb);
        tb_step(tb, 100);
        assert_int_equal(tb->passes[0], 1);
        tb_step(tb, 110);
        assert_int_equal(tb->passes[0], 4);
        assert_int_equal(tb->at[0][1], 101);
        assert_int_equal(tb->at[0][2], 102);
        assert_int_equal(tb->at[0][3], 103);
        tb_destroy(tb);
    }
}

static void threads_are_independent(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 100);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_THREAD, GATE_C_PACK), TT(SETC16, 1, 5));
    TB_PUSH_ALL(tb, 1, TT(NOP, 0), TT(SETC16, 1, 6));
    TB_PUSH_ALL(tb, 2, TT(NOP, 0), TT(SETC16, 1, 7));
    tb_start(tb);
    tb_step(tb, 99);
    assert_int_equal(tb->passes[0], 1);
    assert_int_equal(tb->passes[1], 2);
    assert_int_equal(tb->passes[2], 2);
    assert_int_equal(tb->x->config.thread[1][1], 6);
    assert_int_equal(tb->x->config.thread[2][1], 7);
    tb_step(tb, 110);
    assert_int_equal(tb->x->config.thread[0][1], 5);
    tb_destroy(tb);
}

/* Condition mask 0 is C0..C3 (and no more), block mask 0 is B6. */
static void zero_masks_have_defaults(void **state) {
    static const enum tensix_busy of[4] = { TENSIX_BUSY_MEMORY, TENSIX_BUSY_UNPACK0, TENSIX_BUSY_UNPACK1,
                                            TENSIX_BUSY_PACK };
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        pipeline_condition(0, of[i], 1, true);
    pipeline_condition(0, TENSIX_BUSY_MATRIX, 1, false);
    pipeline_condition(0, TENSIX_BUSY_VECTOR, 1, false);
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *row = &tensix_rows[i];
        if (row->unit == TENSIX_UNIT_MATRIX || row->unit == TENSIX_UNIT_VECTOR_MAD || row->unit == TENSIX_UNIT_CONFIG)
            assert_int_equal(machine_holds((uint32_t)row->opcode << 24, 0), page_holds(row->name, B_MATH));
    }
    /* SEMWAIT and STREAMWAIT: the same default of the block mask. */
    struct tensix_box *tb = tb_create();
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, 0, 1, GATE_SEM_ZERO), TT(NOP, 0));
    TB_PUSH_ALL(tb, 1, TT(STREAMWAIT, 0, 1, 0, 0), TT(NOP, 0));
    tb_start(tb);
    tb_step(tb, 60);
    assert_int_equal(tb->x->thread[0].gate.block, B_MATH);
    assert_int_equal(tb->x->thread[1].gate.block, B_MATH);
    tb_destroy(tb);
}

/* ---- SEMWAIT ------------------------------------------------------------------------------------- */

/* Returns whether T0 waits with these operands, with these values and maxima of semaphores 0 and 1. */
static bool semaphores_hold(unsigned select, unsigned condition, unsigned v0, unsigned m0, unsigned v1, unsigned m1) {
    struct tensix_box *tb = tb_create();
    tb->x->sync.semaphore[0].value = (uint8_t)v0, tb->x->sync.semaphore[0].max = (uint8_t)m0;
    tb->x->sync.semaphore[1].value = (uint8_t)v1, tb->x->sync.semaphore[1].max = (uint8_t)m1;
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, B_CFG, select, condition), TT(SETC16, 1, 5));
    tb_start(tb);
    tb_step(tb, 60);
    bool waits = tb->passes[0] == 1;
    assert_int_equal(waits, tb_held(tb, 0));
    tb_destroy(tb);
    return waits;
}

static void semwait_conditions_and_multi_select(void **state) {
    (void)state;
    for (unsigned select = 1; select < 4; select++)
        for (unsigned condition = 1; condition < 4; condition++)
            for (unsigned v0 = 0; v0 < 3; v0++)
                for (unsigned v1 = 0; v1 < 3; v1++) {
                    unsigned value[2] = { v0, v1 };
                    bool expected = false;
                    for (unsigned i = 0; i < 2; i++)
                        if (select >> i & 1)
                            expected |= (condition & 1 && value[i] == 0) || (condition & 2 && value[i] >= 2);
                    assert_int_equal(semaphores_hold(select, condition, v0, 2, v1, 2), expected);
                }
    assert_true(semaphores_hold(1, GATE_SEM_MAX, 5, 3, 0, 0)); /* above the maximum */
    assert_false(semaphores_hold(0, 3, 0, 0, 0, 0));           /* none selected */
    assert_false(semaphores_hold(0x100, 3, 0, 0, 0, 0));       /* bits above the eight are not looked at */
}

static void semwait_without_condition_faults(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, B_CFG, 1, 0));
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.thread, 0);
    tb_destroy(tb);
}

/* T1 posts in cycle p and takes it back in p + 1. The wait saw it in p + 1, and that is enough. */
static void momentary_satisfaction_forgets_the_latch(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, B_CFG, 1 << 3, GATE_SEM_ZERO), TT(SETC16, 1, 5));
    for (unsigned i = 0; i < 20; i++)
        tb_push(tb, 1, TT(NOP, 0));
    TB_PUSH_ALL(tb, 1, TT(SEMPOST, 1 << 3), TT(SEMGET, 1 << 3));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[1][21], tb->at[1][20] + 1);
    assert_int_equal(tb->at[0][1], tb->at[1][20] + 2);
    assert_int_equal(tb->x->sync.semaphore[3].value, 0);
    tb_destroy(tb);
}

/* ---- STREAMWAIT ---------------------------------------------------------------------------------- */

/* T0 waits on stream 9 through STREAM_ID_SYNC_SEC2; BRISC raises the register to `last - 1`, then to `last`. */
static void streamwait(unsigned select, unsigned index, unsigned high_word, uint32_t target) {
    struct tensix_box *tb = tb_create();
    TB_PUSH_ALL(tb, 0, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC2_BankSel, 9), TT(SETC16, high_word, target >> 10),
                TT(STREAMWAIT, B_CFG, target & 0x3FF, select, 2), TT(SETC16, 1, 5));
    tb_start(tb);
    tb_stream(tb, 9, index, target - 1);
    tb_stream(tb, 8, index, target); /* another stream */
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 3);
    assert_true(tb_held(tb, 0));
    assert_int_equal(tb->x->thread[0].gate.target, target);
    tb_stream(tb, 9, index, target);
    tb_step(tb, 120);
    assert_int_equal(tb->passes[0], 4);
    tb_destroy(tb);
}

static void streamwait_phase_with_high_part(void **state) {
    (void)state;
    streamwait(0, OVERLAY_CURR_PHASE, CONFIG_WORD_STREAMWAIT_PHASE_HI_Val, 7);
    streamwait(0, OVERLAY_CURR_PHASE, CONFIG_WORD_STREAMWAIT_PHASE_HI_Val, 0x2A5 << 10 | 0x3FF);
}

static void streamwait_messages_with_high_part(void **state) {
    (void)state;
    streamwait(1, OVERLAY_NUM_MSGS_RECEIVED, CONFIG_WORD_STREAMWAIT_NUM_MSGS_HI_Val, 7);
    streamwait(1, OVERLAY_NUM_MSGS_RECEIVED, CONFIG_WORD_STREAMWAIT_NUM_MSGS_HI_Val, 0x55 << 10 | 0x200);
}

/* SETC16 names another stream, which has the messages already: the wait looks at it one cycle later, and one more cycle
 * passes before the blocked word does. */
static void streamwait_looks_at_the_stream_that_setc16_names(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC2_BankSel, 9), TT(STREAMWAIT, B_SYNC, 5, 1, 2),
                TT(SETC16, 1, 5), TT(SETC16, 1, 6), TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC2_BankSel, 8),
                TT(SEMPOST, 1));
    tb_start(tb);
    tb_stream(tb, 9, OVERLAY_NUM_MSGS_RECEIVED, 4);
    tb_stream(tb, 8, OVERLAY_NUM_MSGS_RECEIVED, 5);
    tb_run(tb);
    assert_int_equal(tb->passes[0], 6);
    assert_int_equal(tb->at[0][4], tb->at[0][1] + 3);
    assert_int_equal(tb->at[0][5], tb->at[0][4] + 2);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gate_table_is_the_page),
        cmocka_unit_test(every_opcode_under_every_block_bit),
        cmocka_unit_test(nop_is_held_by_all_nine_bits_only),
        cmocka_unit_test(conditions_of_pipelines),
        cmocka_unit_test(conditions_of_anybody),
        cmocka_unit_test(conditions_of_src_banks),
        cmocka_unit_test(several_conditions),
        cmocka_unit_test(release_lags_one_cycle),
        cmocka_unit_test(blocked_head_blocks_what_is_behind),
        cmocka_unit_test(second_wait_waits),
        cmocka_unit_test(threads_are_independent),
        cmocka_unit_test(zero_masks_have_defaults),
        cmocka_unit_test(semwait_conditions_and_multi_select),
        cmocka_unit_test(semwait_without_condition_faults),
        cmocka_unit_test(momentary_satisfaction_forgets_the_latch),
        cmocka_unit_test(streamwait_phase_with_high_part),
        cmocka_unit_test(streamwait_messages_with_high_part),
        cmocka_unit_test(streamwait_looks_at_the_stream_that_setc16_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
