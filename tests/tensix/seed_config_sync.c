/* The seed chapter on CFGSHIFTMASK, REG2FLOP, STREAMWAIT and STREAMWRCFG, section by section (docs/seeds.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

enum { WORD = 12, SCRATCH = CONFIG_WORD_SCRATCH_SEC0_val };

static void set_config(struct tensix_box *tb, unsigned word, uint32_t value) {
    tb->x->config.bank[0][word] = tb->x->config.bank[1][word] = value;
}

static void assert_text(uint32_t word, const char *expected) {
    char text[160];
    tensix_disasm(word, text, sizeof text);
    assert_string_equal(text, expected);
}

/* ---- CFGSHIFTMASK ------------------------------------------------------------------------------------------------ */

static uint32_t rotate_right(uint32_t value, unsigned count) {
    return count ? value >> count | value << (32 - count) : value;
}

/* The page's rule, written from its text. */
static uint32_t model(uint32_t old, uint32_t scratch, bool keep, unsigned operation, unsigned width, unsigned rotate) {
    uint32_t mask = width == 31 ? 0xFFFFFFFF : (2u << width) - 1;
    uint32_t s = rotate_right(scratch & mask, rotate);
    uint32_t c = keep ? old : old & ~rotate_right(mask, rotate);
    switch (operation) {
    case 0: return c | s;
    case 1: return c & s;
    case 2: return c ^ s;
    case 3: return c + s;
    case 4: return c | ~s;
    case 5: return c & ~s;
    case 6: return c ^ ~s;
    default: return c - s;
    }
}

static void assert_cfgshiftmask(uint32_t old, uint32_t scratch, bool keep, unsigned operation, unsigned width,
                                unsigned rotate) {
    struct tensix_box *tb = tb_create();
    set_config(tb, WORD, old);
    set_config(tb, SCRATCH + 1, scratch);
    tb_push(tb, 0, TT(CFGSHIFTMASK, keep, operation, width, rotate, 1, WORD));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][WORD], model(old, scratch, keep, operation, width, rotate));
    assert_int_equal(tb->x->config.bank[1][WORD], old);
    tb_destroy(tb);
}

/* Every operation with either mask mode, over widths and rotations. */
static void cfgshiftmask_alu_modes(void **state) {
    (void)state;
    for (unsigned operation = 0; operation < 8; operation++)
        for (unsigned keep = 0; keep < 2; keep++)
            for (unsigned width = 0; width<32; width += 31 - width> 5 ? 5 : 1)
                for (unsigned rotate = 0; rotate < 32; rotate += 9)
                    assert_cfgshiftmask(0xC3A59617, 0x89ABCDEF, keep != 0, operation, width, rotate);
}

/* Scratch 0, 1, 2, or the own thread's; the bank is the thread's. */
static void cfgshiftmask_scratch_selection(void **state) {
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned select = 0; select < 4; select++) {
            struct tensix_box *tb = tb_create();
            for (unsigned i = 0; i < 3; i++)
                set_config(tb, SCRATCH + i, 100 + i);
            TB_PUSH_ALL(tb, thread, TT(SETC16, CONFIG_WORD_CFG_STATE_ID_StateID, 1), TT(NOP, 0),
                        TT(CFGSHIFTMASK, 0, 0, 31, 0, select, WORD));
            assert_true(tb_run(tb));
            assert_int_equal(tb->x->config.bank[1][WORD], 100 + (select == 3 ? thread : select));
            assert_int_equal(tb->x->config.bank[0][WORD], 0);
            tb_destroy(tb);
        }
}

/* ADD and SUB carry out of the field. */
static void cfgshiftmask_carries(void **state) {
    (void)state;
    assert_cfgshiftmask(0x000000FF, 1, true, 3, 7, 0);
    assert_cfgshiftmask(0x00000100, 1, true, 7, 7, 0);
    assert_int_equal(model(0xFF, 1, true, 3, 7, 0), 0x100);
}

/* llk_unpack_tilize: adds the thread's scratch to a tile's base address. */
static void cfgshiftmask_llk_usage_example(void **state) {
    enum { BASE = CONFIG_WORD_THCON_SEC0_REG3_Base_address };
    struct tensix_box *tb = tb_create();
    uint32_t word = TT(CFGSHIFTMASK, 1, 3, 32 - 1, 0, 3, BASE);
    (void)state;
    set_config(tb, BASE, 0x1000);
    set_config(tb, SCRATCH + 0, 0x40);
    set_config(tb, SCRATCH + 1, 0x999);
    tb_push(tb, 0, word);
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][BASE], 0x1040);
    assert_int_equal(word, 0xB8BF8300u | BASE);
    tb_destroy(tb);
}

static void cfgshiftmask_out_of_bounds(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_push(tb, 0, TT(CFGSHIFTMASK, 1, 3, 31, 0, 0, 224));
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    tb_destroy(tb);
}

/* ---- REG2FLOP ---------------------------------------------------------------------------------------------------- */

/* Not an array of nameless flops: target 0 is the THCON part of Config, which starts at word 64. */
static void reg2flop_thcon_config(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        tb->x->gpr[0][8 + i] = 0x80 + i;
    TB_PUSH_ALL(tb, 0, TT(REG2FLOP, 1, 0, 0, 0, 5, 9), TT(REG2FLOP, 0, 0, 0, 0, 8, 8), TT(NOP, 0), TT(NOP, 0));
    assert_true(tb_run(tb));
    assert_int_equal(CONFIG_BASE_THCON, 64);
    assert_int_equal(tb->x->config.bank[0][64 + 5], 0x81);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(tb->x->config.bank[0][64 + 8 + i], 0x80 + i);
    tb_destroy(tb);
}

/* Sizes 2 and 3 write the whole word as 1 does, whatever ByteOffset is; 16 bytes go to an aligned four. */
static void reg2flop_sizes_of_config(void **state) {
    (void)state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned offset = 0; offset < 4; offset++) {
            struct tensix_box *tb = tb_create();
            for (unsigned i = 0; i < 4; i++)
                tb->x->gpr[0][8 + i] = 0x01020304u * (i + 1);
            TB_PUSH_ALL(tb, 0, TT(REG2FLOP, size, 0, offset, 0, 13, 10), TT(NOP, 0), TT(NOP, 0));
            assert_true(tb_run(tb));
            for (unsigned i = 0; i < 4; i++)
                assert_int_equal(tb->x->config.bank[0][64 + 12 + i], size == 0 ? tb->x->gpr[0][8 + i]
                                                                     : i == 1  ? tb->x->gpr[0][10]
                                                                               : 0);
            tb_destroy(tb);
        }
}

/* No document says what "local registers" are. */
static void reg2flop_local_registers(void **state) {
    (void)state;
    for (unsigned size = 0; size < 4; size++) {
        struct tensix_box *tb = tb_create();
        tb_push(tb, 0, TT(REG2FLOP, size, 1, 0, 0, 9, 10));
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
        assert_non_null(strstr(tb->box->fault.text, "target 1"));
        tb_destroy(tb);
    }
}

static void reg2flop_encoding(void **state) {
    uint32_t word = TT(REG2FLOP, 2, 1, 3, 2, 0x3FF, 33);
    (void)state;
    assert_int_equal(word, 0x48000000u | 2u << 22 | 1 << 20 | 3 << 18 | 2 << 16 | 0x3FF << 6 | 33);
    assert_int_equal(tensix_decode_REG2FLOP(word).FlopIndex, 0x7F);
}

/* ---- STREAMWAIT -------------------------------------------------------------------------------------------------- */

/* Ten bits of target; the eleventh is not looked at. Two of stream select. */
static void streamwait_encoding(void **state) {
    uint32_t word = TT(STREAMWAIT, 0x155, 0x7FF, 1, 7);
    struct tensix_STREAMWAIT op = tensix_decode_STREAMWAIT(word);
    (void)state;
    assert_int_equal(word, 0xA7000000u | 0x155 << 15 | 0x7FF << 4 | 1 << 3 | 7);
    assert_int_equal(op.target_value, 0x3FF);
    assert_int_equal(op.wait_stream_sel, 3);
    assert_int_equal(op.stall_res, 0x155);
    assert_text(TT(STREAMWAIT, 8, 5, 1, 2), "STREAMWAIT stall_res=8, target_value=5, target_sel=1, wait_stream_sel=2");
}

/* The stream is the one that the thread's STREAM_ID_SYNC register names, each thread's own. */
static void streamwait_functional_model(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned thread = 0; thread < 2; thread++)
        TB_PUSH_ALL(tb, thread, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC1_BankSel, 4 + thread),
                    TT(SETC16, CONFIG_WORD_STREAMWAIT_PHASE_HI_Val, 3), TT(STREAMWAIT, 0x80, 5, 0, 1), TT(NOP, 0),
                    TT(SETC16, 3, 1));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 4); /* the NOP goes on */
    assert_int_equal(tb->passes[1], 4);
    tb_stream(tb, 5, OVERLAY_CURR_PHASE, 1 << 10 | 5); /* the low part by itself does not count */
    tb_step(tb, 110);
    assert_int_equal(tb->passes[1], 4);
    tb_stream(tb, 5, OVERLAY_CURR_PHASE, 3 << 10 | 5);
    tb_step(tb, 120);
    assert_int_equal(tb->passes[0], 4);
    assert_int_equal(tb->passes[1], 5);
    tb_stream(tb, 4, OVERLAY_CURR_PHASE, 3 << 10 | 6);
    tb_step(tb, 140);
    assert_int_equal(tb->passes[0], 5);
    tb_destroy(tb);
}

/* A stream that is there already costs one cycle, as with the other waits. */
static void streamwait_already_met(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(STREAMWAIT, 0x80, 0, 0, 0), TT(SETC16, 3, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 2);
    tb_destroy(tb);
}

/* ---- STREAMWRCFG ------------------------------------------------------------------------------------------------- */

static void streamwrcfg_encoding(void **state) {
    uint32_t word = TT(STREAMWRCFG, 3, 0x155, 0x2AA);
    (void)state;
    assert_int_equal(word, 0xB7000000u | 3u << 21 | 0x155 << 11 | 0x2AA);
    assert_int_equal(tensix_decode_STREAMWRCFG(0xB7FFFFFFu).stream_id_sel, 3);
}

static void streamwrcfg_functional_model(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_stream(tb, 11, OVERLAY_NUM_MSGS_RECEIVED, 0x77);
    TB_PUSH_ALL(tb, 1, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC3_BankSel, 11), TT(SETC16, 0, 1), TT(NOP, 0),
                TT(STREAMWRCFG, 3, OVERLAY_NUM_MSGS_RECEIVED, WORD));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[1][WORD], 0x77);
    assert_int_equal(tb->x->config.bank[0][WORD], 0);
    tb_destroy(tb);
}

/* Past the prepare stage, what comes behind in the unit waits: RMWCIB then works on the new word. */
static void streamwrcfg_then_rmwcib_in_order(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 0x1100);
    TB_PUSH_ALL(tb, 0, TT(STREAMWRCFG, 0, OVERLAY_NUM_MSGS_RECEIVED, WORD), TT(RMWCIB0, 0xFF, 0x22, WORD));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][WORD], 0x1122);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 5);
    tb_destroy(tb);
}

/* The hardware bug: while the overlay is busy STREAMWRCFG stays in its prepare stage, and another instruction of the
 * unit jumps ahead; its write is then overwritten. */
static void streamwrcfg_is_overtaken_while_it_prepares(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 0x1100);
    tb->x->config.overlay_busy_until = 100;
    TB_PUSH_ALL(tb, 0, TT(STREAMWRCFG, 0, OVERLAY_NUM_MSGS_RECEIVED, WORD), TT(RMWCIB0, 0xFF, 0x22, WORD));
    tb_start(tb);
    tb_step(tb, 60);
    assert_int_equal(tb->passes[0], 2);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    assert_int_equal(tb->x->config.bank[0][WORD], 0x22);
    tb_step(tb, 120);
    assert_int_equal(tb->x->config.bank[0][WORD], 0x1100);
    tb_destroy(tb);
}

/* ---- Quick reference --------------------------------------------------------------------------------------------- */

static void encoding_quick_reference_config_sync(void **state) {
    static const struct {
        unsigned row, opcode, unit, gate;
    } rows[] = {
        { TENSIX_ROW_CFGSHIFTMASK, 0xB8, TENSIX_UNIT_CONFIG, TENSIX_GATE_B7 },
        { TENSIX_ROW_REG2FLOP, 0x48, TENSIX_UNIT_SCALAR, TENSIX_GATE_B0_B5 },
        { TENSIX_ROW_STREAMWAIT, 0xA7, TENSIX_UNIT_SYNC, TENSIX_GATE_ANY }, /* the seed: B1 */
        { TENSIX_ROW_STREAMWRCFG, 0xB7, TENSIX_UNIT_CONFIG, TENSIX_GATE_B7 },
    };
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(tensix_rows[rows[i].row].opcode, rows[i].opcode);
        assert_int_equal(tensix_rows[rows[i].row].unit, rows[i].unit);
        assert_int_equal(tensix_rows[rows[i].row].gate, rows[i].gate);
    }
    assert_int_equal(TT(CFGSHIFTMASK, 1, 5, 17, 9, 2, 0xAB),
                     0xB8000000u | 1u << 23 | 5 << 20 | 17 << 15 | 9 << 10 | 2 << 8 | 0xAB);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cfgshiftmask_alu_modes),
        cmocka_unit_test(cfgshiftmask_scratch_selection),
        cmocka_unit_test(cfgshiftmask_carries),
        cmocka_unit_test(cfgshiftmask_llk_usage_example),
        cmocka_unit_test(cfgshiftmask_out_of_bounds),
        cmocka_unit_test(reg2flop_thcon_config),
        cmocka_unit_test(reg2flop_sizes_of_config),
        cmocka_unit_test(reg2flop_local_registers),
        cmocka_unit_test(reg2flop_encoding),
        cmocka_unit_test(streamwait_encoding),
        cmocka_unit_test(streamwait_functional_model),
        cmocka_unit_test(streamwait_already_met),
        cmocka_unit_test(streamwrcfg_encoding),
        cmocka_unit_test(streamwrcfg_functional_model),
        cmocka_unit_test(streamwrcfg_then_rmwcib_in_order),
        cmocka_unit_test(streamwrcfg_is_overtaken_while_it_prepares),
        cmocka_unit_test(encoding_quick_reference_config_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
