/* Refusals of the packer and their texts, PACR_SETREG, soft reset, and the packer's status as cores see it. */
#include "support/tensix_scene.h"
#include "tensix/pack_setup.h"

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define REFUSED(kind, text, word, ...) \
    do { \
        struct tensix_box *tb = pt_create(); \
        uint32_t *c = pt_config(tb); \
        struct adc_channel *channel = tb->x->adc[0][ADC_PACKERS].channel; \
        (void)c, (void)channel; \
        { __VA_ARGS__; } \
        assert_refused(tb, kind, text, word); \
        tb_destroy(tb); \
    } while (0)

/* Nothing has changed then. */
static void assert_refused(struct tensix_box *tb, enum bh_fault_kind kind, const char *text, uint32_t word) {
    struct adc before = tb->x->adc[0][ADC_PACKERS];
    const char *said = pt_run(tb, word);
    if (!said || !strstr(said, text))
        fail_msg("%s: %s", text, said ? said : "not refused");
    assert_int_equal(tb->box->fault.kind, kind);
    assert_int_equal(tb->box->fault.insn, word);
    assert_memory_equal(&before, &tb->x->adc[0][ADC_PACKERS], sizeof before);
    assert_int_equal(tb->x->pack.count, 0);
    assert_false(tb->x->pack.placed[PACK_TO]);
}

static void refused_as_undefined(void **state) {
    const enum bh_fault_kind U = BH_FAULT_UNDEFINED;
    const uint32_t word = PT_PACR(1 << 15);
    (void)state;
    REFUSED(U, "X counters span", word, channel[1].value[ADC_X] = 16);
    REFUSED(U, "before the first", word, channel[0].value[ADC_X] = 16);
    REFUSED(U, "strides", word, MR_SET(c, PCK0_ADDR_BASE_REG_0_Base, 1));
    REFUSED(U, "remap_addrs", word | 1 << 17, c[220] = 1);
    REFUSED(U, "swizzle_32b", word | 1 << 17, c[220] = 2, pt_formats(tb, true, 0, 0));
    REFUSED(U, "ZeroWrite", word | PT_ZERO, channel[1].value[ADC_X] = 14);
    REFUSED(U, "X counters span", word | PT_ZERO | PT_ONE, channel[1].value[ADC_X] = 16);
    REFUSED(U, "PCK_DEST_RD_CTRL", word, MR_SET(c, ALU_FORMAT_SPEC_REG2_Dstacc, 0));
    REFUSED(U, "In_data_format is not", word, MR_SET(c, THCON_SEC0_REG1_In_data_format, 1));
    REFUSED(U, "In_data_format and Out", word, MR_SET(c, THCON_SEC0_REG1_Out_data_format, 14));
    REFUSED(U, "Pack_L1_Acc", word, MR_SET(c, THCON_SEC0_REG1_Out_data_format, 6),
            MR_SET(c, THCON_SEC0_REG1_Pack_L1_Acc, 1));
    REFUSED(U, "Pack_L1_Acc", word, MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 0),
            MR_SET(c, THCON_SEC0_REG1_Pack_L1_Acc, 1));
    REFUSED(U, "Disable_zero_compress", word, MR_SET(c, THCON_SEC0_REG1_Out_data_format, 15),
            MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 0));
    REFUSED(U, "ReluThreshold", word, MR_SET(c, STACC_RELU_ApplyRelu, 2), MR_SET(c, STACC_RELU_ReluThreshold, 0x8000));
    REFUSED(U, "ApplyRelu", word, pt_formats(tb, true, 8, 8), MR_SET(c, STACC_RELU_ApplyRelu, 3));
    REFUSED(U, "PCK_EDGE_MODE", word, pt_formats(tb, true, 8, 8), MR_SET(c, PCK_EDGE_MODE_mode, 1),
            MR_SET(c, PCK_EDGE_OFFSET_SEC0_mask, 7));
    REFUSED(U, "L1_Dest_addr", word, c[69] = 0x18000 - 1);
    REFUSED(U, "L1_source_addr", word, MR_SET(c, THCON_SEC0_REG1_Source_interface_selection, 1),
            MR_SET(c, THCON_SEC0_REG1_L1_source_addr, 6));
    REFUSED(U, "read from L1", word, MR_SET(c, THCON_SEC0_REG1_Source_interface_selection, 1),
            MR_SET(c, THCON_SEC0_REG1_In_data_format, 4));
    REFUSED(U, "soft reset", word, tb->x->held = REG_HOLD_ZEROACC);
}

static void refused_as_not_modelled(void **state) {
    const enum bh_fault_kind N = BH_FAULT_UNMODELLED;
    const uint32_t word = PT_PACR(1 << 15);
    (void)state;
    REFUSED(N, "CtxtCtrl", word | 1 << 2, );
    REFUSED(N, "CtxtCtrl", word | 3 << 2, );
    REFUSED(N, "CfgContext", word | 1 << 21, );
    REFUSED(N, "Downsample_rate", word, MR_SET(c, THCON_SEC0_REG1_Downsample_rate, 1));
    REFUSED(N, "pack_start_intf_pos", word, MR_SET(c, THCON_SEC0_REG1_pack_start_intf_pos, 1));
    REFUSED(N, "pack_dis_y_pos", word, MR_SET(c, THCON_SEC0_REG1_pack_dis_y_pos_start_offset, 1));
    REFUSED(N, "zero_compress_ovrd", word, MR_SET(c, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd, 1));
    REFUSED(N, "pack_per_xy_plane", word, MR_SET(c, PACK_COUNTERS_SEC0_pack_per_xy_plane, 4));
    REFUSED(N, "Dis_shared_exp", word, MR_SET(c, THCON_SEC0_REG1_Out_data_format, 6),
            MR_SET(c, THCON_SEC0_REG1_Dis_shared_exp_assembler, 1));
    REFUSED(N, "INT_DESCALE_Mode", word, pt_formats(tb, true, 14, 14), c[CONFIG_WORD_INT_DESCALE_Enable] = 3);
}

/* A tile that is too long for what is left of L1. */
static void beyond_the_end_of_l1(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_config(tb)[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = 0x18000 - 8 - 1; /* room for 64 data */
    pt_good(tb, PT_PACR(0));
    assert_non_null(strstr(pt_run(tb, PT_PACR(0)), "beyond the end of L1"));
    tb_destroy(tb);
}

static void resetting_contexts_does_nothing(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_good(tb, PT_PACR(2 << 2 | 1 << 15 | PT_LAST));
    assert_int_equal(tb->x->adc[0][ADC_PACKERS].channel[0].value[ADC_Y], 0);
    assert_int_equal(tb->x->packer.last_tile_size, 0);
    tb_destroy(tb);
}

/* ---- PACR_SETREG ------------------------------------------------------------------------------------------------- */

enum { SR_PUSH = 1 << 23, SR_MODE = 1 << 22, SR_FLUSH = 2, SR_SECOND = 1 << 8 };
#define SETREG(bits)      ((uint32_t)TENSIX_PACR_SETREG << 24 | (uint32_t)(bits))
#define HALF(high, value) SETREG(SR_MODE | (uint32_t)(value) << 3 | (high) << 2)

/* 0xFFB1102C: the base of T0's short commands. */
static void register_is_written(void **state) {
    struct tensix_box *tb = pt_create();
    const uint32_t *base = tb->x->mover.tdma.base;
    (void)state;
    tb->x->packer.set_reg_base[0] = 0x2C;
    tb->x->packer.set_reg_base[1] = 0x28;
    pt_good(tb, HALF(0, 0xBEEF));
    pt_good(tb, HALF(1, 0xDEAD));
    pt_good(tb, SETREG(SR_PUSH | 0x11 << 2)); /* without Flush */
    pt_good(tb, SETREG(SR_FLUSH | 0x11 << 2));
    assert_int_equal(base[BH_TRISC0], 0);
    pt_good(tb, SETREG(SR_PUSH | SR_FLUSH | 0x11 << 2));
    assert_int_equal(base[BH_TRISC0], 0xDEADBEEF);
    pt_good(tb, HALF(0, 0x55));
    pt_good(tb, HALF(1, 0x1AA));
    pt_good(tb, SETREG(SR_PUSH | SR_FLUSH | SR_SECOND | 0x11 << 2));
    assert_int_equal(tb->x->packer.set_reg_scaler[3], 0x1AA);
    tb->x->packer.set_reg_base[0] = 3 << 18; /* 0xFFBC....: nothing is there */
    pt_good(tb, SETREG(SR_PUSH | SR_FLUSH));
    tb->x->packer.set_reg_base[0] = 0;
    assert_non_null(strstr(pt_run(tb, SETREG(SR_PUSH | SR_FLUSH)), "0xffb00000 is below"));
    assert_non_null(strstr(pt_run(tb, SETREG(SR_PUSH | SR_FLUSH | 2 << 8)), "AddrSel"));
    assert_non_null(strstr(pt_run(tb, SETREG(SR_PUSH | SR_FLUSH | 1 << 10)), "DisableStall"));
    tb_destroy(tb);
}

/* Data in the buffers goes to L1, and the tile continues behind it. */
static void register_write_empties_buffers(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_fill(tb);
    tb->x->packer.set_reg_base[0] = 0x2C;
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 4;
    pt_good(tb, PT_PACR(PT_ONE));
    pt_good(tb, SETREG(SR_PUSH | SR_FLUSH | 0x11 << 2));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pt_half(tb, i), i < 5 ? pt_number(0, i) : 0);
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(pt_half(tb, 8), pt_number(0, 0));
    tb_destroy(tb);
}

/* ---- Soft reset -------------------------------------------------------------------------------------------------- */

static void soft_reset_forgets_everything(void **state) {
    struct tensix_box *tb = pt_create();
    struct tensix *x = tb->x;
    (void)state;
    pt_fill(tb);
    x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 4;
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    pt_good(tb, PT_PACR(PT_ONE)); /* in a buffer */
    memset(x->l1 + PT_TILE, 0xEE, 64);
    execute_PACR(x, 0, PT_PACR(PT_ONE | PT_LAST), tb->now); /* under way */
    assert_int_equal(x->pack.count, 1);
    tensix_soft_reset(x, REG_HOLD_PACKER, tb->now);
    assert_int_equal(x->pack.count, 0);
    assert_int_equal(x->packer.last_tile_size | x->packer.acc_tile_size[0], 0);
    assert_true(tensix_idle(x, 0, tb->now + 2));
    assert_int_equal(execute_PACR(x, 0, PT_PACR(PT_ONE | PT_LAST), tb->now + 5), TENSIX_NEVER);
    tensix_run(x, tb->now += 100);
    assert_int_equal(pt_half(tb, 0), 0xEEEE);
    tensix_soft_reset(x, 0, tb->now);
    x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 15;
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST)); /* a tile of its own */
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(pt_half(tb, i), pt_number(0, i));
    tb_destroy(tb);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

#define TDMA 0xFFB11000u

/* BRISC waits for a tile in the FIFO, and takes it out. */
static void waits_for_a_tile(struct tensix_box *tb) {
    pt_setup(tb);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Enable_out_fifo, 1);
    tb_load(tb, BH_BRISC, 10, TDMA + 0x30);
    tb_load(tb, BH_BRISC, 11, TDMA + 0x34);
    tb_load(tb, BH_BRISC, 12, TDMA + 0x38);
    tb_nops(tb, BH_TRISC2, 100);
    tb_push(tb, 2, PT_PACR(PT_LAST));
}

static void core_waits_for_a_tile(void **state) {
    struct tensix_box *tb = scene_play(waits_for_a_tile);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], 8);
    assert_int_equal(core_of(tb, BH_BRISC)->x[11], 0);
    assert_int_equal(core_of(tb, BH_BRISC)->x[12] & 3, 1);
    assert_true(core_time(core_of(tb, BH_BRISC)) > 100);
    tb_destroy(tb);
}

/* BRISC polls the sum of tile sizes (and may sleep meanwhile), TRISC0 a word of L1. */
static void polls_the_packer(struct tensix_box *tb) {
    pt_setup(tb);
    pt_fill(tb);
    tb_li(tb, BH_BRISC, TB_T0, TDMA + 0x9C);
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 10, TB_T0, 0));
    tb_rv(tb, BH_BRISC, asm_b(RV_BEQ, 10, 0, -4));
    tb_cycle(tb, BH_BRISC, 11);
    tb_li(tb, BH_TRISC0, TB_T0, PT_TILE);
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, 10, TB_T0, 0));
    tb_rv(tb, BH_TRISC0, asm_b(RV_BEQ, 10, 0, -4));
    tb_cycle(tb, BH_TRISC0, 11);
    tb_nops(tb, BH_TRISC2, 300);
    tb_push(tb, 2, PT_PACR(PT_LAST));
}

static void cores_poll_the_packer(void **state) {
    struct tensix_box *tb = scene_play(polls_the_packer);
    (void)state;
    assert_ended(tb);
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], 8);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], pt_number(0, 0) | (uint32_t)pt_number(0, 1) << 16);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_as_undefined),          cmocka_unit_test(refused_as_not_modelled),
        cmocka_unit_test(beyond_the_end_of_l1),          cmocka_unit_test(resetting_contexts_does_nothing),
        cmocka_unit_test(register_is_written),           cmocka_unit_test(register_write_empties_buffers),
        cmocka_unit_test(soft_reset_forgets_everything), cmocka_unit_test(core_waits_for_a_tile),
        cmocka_unit_test(cores_poll_the_packer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
