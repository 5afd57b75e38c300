/* The seed chapter on GPRs and DMA instructions, section by section (docs/seeds.md): its models, its worked examples
 * and its excerpts of disassembled firmware. */
#include "support/tensix_scene.h"

enum { B_CFG = 0x80, B_THCON = 0x20, S0 = 8, S2 = 18, A4 = 14, A5 = 15, DATA = 0x20000 };

#define LO_16(gpr) (2 * (gpr))
#define HI_16(gpr) (2 * (gpr) + 1)

/* ---- GPR file --------------------------------------------------------------------------------------------- */

/* BRISC sees all 192, thread after thread. */
static void gpr_file_layout(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 192; i += 21)
        tb_store(tb, BH_BRISC, TB_GPRS + 4 * i, 0xABC00000 + i);
    for (unsigned thread = 0; thread < 3; thread++)
        tb_load(tb, BH_BRISC, 10 + thread, TB_GPRS + 0x100 * thread);
    tb->x->gpr[0][0] = 7, tb->x->gpr[1][0] = 8, tb->x->gpr[2][0] = 9;
    assert_true(tb_run(tb));
    for (unsigned i = 21; i < 192; i += 21)
        assert_int_equal(tb->x->gpr[i / 64][i % 64], 0xABC00000 + i);
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], 0xABC00000);
    assert_int_equal(core_of(tb, BH_BRISC)->x[11], 8);
    assert_int_equal(core_of(tb, BH_BRISC)->x[12], 9);
    tb_destroy(tb);
}

/* Ti sees its own at the same address; a thread's instructions reach its own only; NCRISC sees none. */
static void access_rules(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        tb_store(tb, tb_core(thread), TB_GPRS + 4 * 5, 100 + thread);
        tb_load(tb, tb_core(thread), 10, TB_GPRS + 4 * 5);
        tb_push(tb, thread, TT(SETDMAREG, 0, 50 + thread, 0, LO_16(6)));
    }
    assert_true(tb_run(tb));
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(tb->x->gpr[thread][5], 100 + thread);
        assert_int_equal(core_of(tb, tb_core(thread))->x[10], 100 + thread);
        assert_int_equal(tb->x->gpr[thread][6], 50 + thread);
    }
    tb_destroy(tb);
    for (unsigned config = 0; config < 2; config++) { /* nor any configuration */
        tb = tb_create();
        tb_load(tb, BH_NCRISC, 10, config ? TB_CONFIG : TB_GPRS);
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNMAPPED);
        assert_int_equal(tb->box->fault.core, BH_NCRISC);
        tb_destroy(tb);
    }
}

static void sub_word_addressing(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned half = 0; half < 128; half++)
        tb_push(tb, 0, TT(SETDMAREG, 0, 0x1000 + half, 0, half));
    assert_true(tb_run(tb));
    for (unsigned gpr = 0; gpr < 64; gpr++)
        assert_int_equal(tb->x->gpr[0][gpr], (0x1000 + HI_16(gpr)) << 16 | (0x1000 + LO_16(gpr)));
    tb_destroy(tb);
}

/* ---- Scalar Unit ------------------------------------------------------------------------------------------- */

/* Sixteen bits of immediate in [23:8]; the other half stays. The seed's fourteen bits would lose the top two. */
static void setdmareg_immediate(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t word = 0x45000000u + (0xFEDCu << 8) + HI_16(3);
    (void)state;
    tb->x->gpr[1][3] = 0x11112222;
    tb_push(tb, 1, word);
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[1][3], 0xFEDC2222);
    assert_int_equal(TT(SETDMAREG, 3, 0x3EDC, 0, 7), word);
    tb_destroy(tb);
}

/* Source 2, all four words: the header of the packer's tile. Nothing has been packed: size 1, format from Config.
 * Size codes 0 and 1 take a half and a word of the same. */
static void setdmareg_signal_mode(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG1_Out_data_format] =
        5u << CONFIG_SHIFT_THCON_SEC0_REG1_Out_data_format | 1u << CONFIG_SHIFT_THCON_SEC0_REG1_Disable_zero_compress;
    for (unsigned i = 8; i < 20; i++)
        tb->x->gpr[0][i] = 0xFFFFFFFF;
    TB_PUSH_ALL(tb, 0, TT(SETDMAREG, 2, 2 << 3, 1, LO_16(8)), /* 128 bits */
                TT(SETDMAREG, 0, 2 << 3 | 3, 1, HI_16(12)),   /* the high half of the second word */
                TT(SETDMAREG, 1, 2 << 3 | 2, 1, LO_16(13)),   /* the second word */
                TT(SETDMAREG, 3, 2 << 3, 1, LO_16(16)));      /* only fields of the header */
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[0][8], 1);
    assert_int_equal(tb->x->gpr[0][9], 0x15u << 16);
    assert_int_equal(tb->x->gpr[0][10], 0);
    assert_int_equal(tb->x->gpr[0][11], 0);
    assert_int_equal(tb->x->gpr[0][12], 0x0015FFFF);
    assert_int_equal(tb->x->gpr[0][13], 0x00150000);
    assert_int_equal(tb->x->gpr[0][16], 0xFFFF0001);
    assert_int_equal(tb->x->gpr[0][17], 0xFF15FFFF);
    assert_int_equal(tb->x->gpr[0][18], 0);
    assert_int_equal(tb->x->gpr[0][19], 0xFFFFFFFF);
    tb_destroy(tb);
}

/* Sources 6 and 7, the two halves of the packer's histogram. WhichPackers is an index: there is no packer but 0. */
static void setdmareg_histogram(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 32; i++)
        tb->x->packer.exponent_histogram[i] = (uint8_t)(i + 1);
    TB_PUSH_ALL(tb, 0, TT(SETDMAREG, 2, 6 << 3, 1, LO_16(8)), TT(SETDMAREG, 2, 7 << 3, 1, LO_16(12)));
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(tb->x->gpr[0][8 + i / 4] >> i % 4 * 8 & 0xFF, i + 1);
    tb_destroy(tb);
    for (unsigned source = 6; source < 8; source++)
        for (unsigned packer = 1; packer < 4; packer++) {
            tb = tb_create();
            tb_push(tb, 0, TT(SETDMAREG, 2, packer << 7 | source << 3, 1, LO_16(8)));
            assert_false(tb_run(tb));
            assert_non_null(strstr(tb->box->fault.text, "selects a packer other than 0"));
            tb_destroy(tb);
        }
}

static void adddmareg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[2][1] = 0xFFFFFFF0;
    tb->x->gpr[2][2] = 0x20;
    TB_PUSH_ALL(tb, 2, TT(ADDDMAREG, 0, 10, 2, 1), TT(ADDDMAREG, 1, 11, 63, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[2][10], 0x10);
    assert_int_equal(tb->x->gpr[2][11], 0x2F);
    tb_destroy(tb);
}

static void subdmareg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[2][1] = 0x10;
    tb->x->gpr[2][2] = 0x20;
    TB_PUSH_ALL(tb, 2, TT(SUBDMAREG, 0, 10, 2, 1), TT(SUBDMAREG, 1, 11, 3, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[2][10], 0xFFFFFFF0);
    assert_int_equal(tb->x->gpr[2][11], 0xD);
    tb_destroy(tb);
}

/* Sixteen bits times sixteen bits. */
static void muldmareg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[2][1] = 0x7777FFFF;
    tb->x->gpr[2][2] = 0x8888FFFF;
    TB_PUSH_ALL(tb, 2, TT(MULDMAREG, 0, 10, 2, 1), TT(MULDMAREG, 1, 11, 5, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[2][10], 0xFFFE0001);
    assert_int_equal(tb->x->gpr[2][11], 0x4FFFB);
    tb_destroy(tb);
}

static void dmanop(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    assert_int_equal(TT(DMANOP, 0), 0x60000000);
    TB_PUSH_ALL(tb, 0, TT(DMANOP, 0), TT(SETC16, 1, 1));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 1);
    tb_destroy(tb);
}

/* Four sizes and the four steps of the offset. */
static void loadind(void **state) {
    static const unsigned step[4] = { 0, 2, 4, 16 };
    static const uint32_t expected[4] = { 0x13121110, 0x1B1A1918, 0xFFFF1918, 0xFFFFFF19 };
    uint8_t bytes[64];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (unsigned size = 0; size < 4; size++) {
        struct tensix_box *tb = tb_create();
        box_poke(tb->box, DATA, bytes, sizeof bytes);
        tb->x->gpr[0][1] = DATA / 16;
        tb->x->gpr[0][2] = 0x19u << 16; /* the offset, in a high half */
        for (unsigned i = 8; i < 16; i++)
            tb->x->gpr[0][i] = 0xFFFFFFFF;
        tb_push(tb, 0, TT(LOADIND, size, HI_16(2), size, size ? 9 : 10, 1));
        assert_true(tb_run(tb));
        assert_int_equal(tb->x->gpr[0][size ? 9 : 8], expected[size]);
        assert_int_equal(tb->x->gpr[0][11], size ? 0xFFFFFFFF : 0x1F1E1D1C);
        assert_int_equal(tb->x->gpr[0][2], (0x19u + step[size]) << 16);
        tb_destroy(tb);
    }
}

static void storeind_l1(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        tb->x->gpr[0][8 + i] = 0x01020304u * (i + 1);
    tb->x->gpr[0][1] = DATA / 16;
    tb->x->gpr[0][2] = 0x20;
    TB_PUSH_ALL(tb, 0, TT(STOREIND, 1, 0, 0, LO_16(2), 3, 9, 1), /* 16 bytes at 0x20 */
                TT(STOREIND, 1, 0, 1, LO_16(2), 2, 9, 1),        /* 32 bits at 0x30 */
                TT(STOREIND, 1, 1, 0, LO_16(2), 1, 9, 1),        /* 16 bits at 0x34 */
                TT(STOREIND, 1, 1, 1, LO_16(2), 0, 9, 1));       /* 8 bits at 0x36 */
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(box_peek32(tb->box, DATA + 0x20 + 4 * i), 0x01020304u * (i + 1));
    assert_int_equal(box_peek32(tb->box, DATA + 0x30), 0x02040608);
    assert_int_equal(box_peek32(tb->box, DATA + 0x34), 0x00080608);
    assert_int_equal(tb->x->gpr[0][2], 0x36);
    tb_destroy(tb);
}

/* The address is a GPR and a sixteenth of the offset; here TRISC1_RESET_PC. */
static void storeind_mmio(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[0][1] = 0x12228;
    tb->x->gpr[0][2] = 4 << 4;
    tb->x->gpr[0][9] = 0x12345678;
    tb_push(tb, 0, TT(STOREIND, 0, 1, 0, LO_16(2), 3, 9, 1));
    assert_true(tb_run(tb));
    assert_int_equal(box_peek32(tb->box, 0xFFB1222C), 0x12345678);
    assert_int_equal(tb->x->gpr[0][2], 5 << 4);
    tb_destroy(tb);
}

/* Bit 21 chooses sizes and Src files in the other modes; in this one nothing is defined for it. */
static void storeind_mmio_with_bit_21(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[0][1] = 0x1222C;
    tb->x->gpr[0][9] = 0x12345678;
    tb_push(tb, 0, TT(STOREIND, 0, 1, 1, LO_16(2), 0, 9, 1));
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_non_null(strstr(tb->box->fault.text, "bit 21"));
    assert_int_equal(box_peek32(tb->box, 0xFFB1222C), 0);
    tb_destroy(tb);
}

/* The Src form waits until the unpackers' bank is theirs. */
static void storeind_src(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->src.allowed[SRC_B][0] = SRC_MATRIX;
    TB_PUSH_ALL(tb, 0, TT(STOREIND, 0, 0, 1, LO_16(2), 0, 8, 1), TT(NOP, 0));
    tb->x->gpr[0][8] = tb->x->gpr[0][9] = 0x3F803F80;
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 0);
    tb->x->src.allowed[SRC_B][0] = SRC_UNPACKERS;
    tensix_wake(tb->x, 100);
    tb_step(tb, 150);
    assert_int_equal(tb->passes[0], 2);
    for (unsigned i = 0; i < 4; i++) /* sign, mantissa, exponent; the high half of a GPR is ordinary bf16: 1.0 */
        assert_int_equal(src_get(&tb->x->src.bank[SRC_B][0], 0, i), i % 2 ? 0x7F : 0x3F << 11 | 0x80);
    tb_destroy(tb);
}

/* The usage example: a tile header of four GPRs to the output address in 16-byte units. */
static void storeind_tile_header(void **state) {
    enum { TILE_HEADER = 16, OUTPUT_ADDR = 12 }; /* p_gpr_pack */
    struct tensix_box *tb = tb_create();
    uint32_t word = TT(STOREIND, 1, 0, 0, LO_16(0), 0, TILE_HEADER, OUTPUT_ADDR);
    (void)state;
    assert_int_equal(word, 0x6680040C);
    for (unsigned i = 0; i < 4; i++)
        tb->x->gpr[2][TILE_HEADER + i] = 0xA0 + i;
    tb->x->gpr[2][OUTPUT_ADDR] = DATA / 16;
    tb_push(tb, 2, word);
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(box_peek32(tb->box, DATA + 4 * i), 0xA0 + i);
    tb_destroy(tb);
}

/* ---- Backend configuration ---------------------------------------------------------------------------------- */

/* Two banks, the window that writes both, then ThreadConfig in words of 16 bits and 16 of padding. Bank by
 * CFG_STATE_ID; words from 180 on are in both banks. */
static void backend_configuration_model(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_store(tb, BH_TRISC0, TB_CONFIG + 4 * 12, 1);
    tb_store(tb, BH_TRISC0, TB_CONFIG + 0x380 + 4 * 13, 2);
    tb_store(tb, BH_TRISC0, TB_CONFIG + 0x700 + 4 * 14, 3);
    tb_store(tb, BH_TRISC0, TB_CONFIG + 4 * 209, 4);
    tb_push(tb, 1, TT(SETC16, 3, 0xBEEF));
    for (unsigned i = 0; i < 20; i++)
        tb_rv(tb, BH_TRISC1, NOP);
    tb_load(tb, BH_TRISC1, 10, TB_CONFIG + 0xA80 + 4 * (68 + 3));
    tb->x->gpr[2][8] = 5;
    TB_PUSH_ALL(tb, 2, TT(SETC16, CONFIG_WORD_CFG_STATE_ID_StateID, 1), TT(WRCFG, 8, 0, 15));
    assert_true(tb_run(tb));
    const struct config *config = &tb->x->config;
    assert_int_equal(config->bank[0][12], 1);
    assert_int_equal(config->bank[1][12], 0);
    assert_int_equal(config->bank[0][13], 0);
    assert_int_equal(config->bank[1][13], 2);
    assert_int_equal(config->bank[0][14], 3);
    assert_int_equal(config->bank[1][14], 3);
    assert_int_equal(config->bank[0][209], 4);
    assert_int_equal(config->bank[1][209], 4);
    assert_int_equal(config->bank[0][15], 0);
    assert_int_equal(config->bank[1][15], 5);
    assert_int_equal(core_of(tb, BH_TRISC1)->x[10] & 0xFFFF, 0xBEEF);
    tb_destroy(tb);
}

/* STATE_RESET_EN clears the bank up to the global words, unless RMWCIB writes it; PRNG_SEED is noticed. */
static void special_side_effects_on_write(void **state) {
    (void)state;
    for (unsigned by_rmw = 0; by_rmw < 2; by_rmw++) {
        struct tensix_box *tb = tb_create();
        for (unsigned i = 0; i < CONFIG_WORDS; i++)
            if (i != CONFIG_WORD_STATE_RESET_EN && i != CONFIG_WORD_PRNG_SEED_Seed_Val)
                tb->x->config.bank[0][i] = tb->x->config.bank[1][i] = 0x100 + i;
        uint64_t seeds = tb->x->config.prng_seeds;
        tb->x->gpr[0][8] = 1;
        tb_push(tb, 0,
                by_rmw ? TT(RMWCIB0, 1, 1, CONFIG_WORD_STATE_RESET_EN) : TT(WRCFG, 8, 0, CONFIG_WORD_STATE_RESET_EN));
        tb_push(tb, 0, TT(WRCFG, 8, 0, CONFIG_WORD_PRNG_SEED_Seed_Val));
        assert_true(tb_run(tb));
        assert_int_equal(tb->x->config.bank[0][12], by_rmw ? 0x100 + 12 : 0);
        assert_int_equal(tb->x->config.bank[0][179], by_rmw ? 0x100 + 179 : 0);
        assert_int_equal(tb->x->config.bank[1][12], 0x100 + 12);
        assert_int_equal(tb->x->config.bank[0][209], 0x100 + 209);
        assert_int_equal(tb->x->config.prng_seeds, seeds + 1);
        tb_destroy(tb);
    }
}

/* ---- Configuration Unit --------------------------------------------------------------------------------------- */

static void wrcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        tb->x->gpr[0][8 + i] = 0x80 + i;
    TB_PUSH_ALL(tb, 0, TT(WRCFG, 9, 0, 21), TT(WRCFG, 14, 1, 26)); /* 128 bits: both aligned down to four */
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][21], 0x81);
    assert_int_equal(tb->x->config.bank[0][20], 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(tb->x->config.bank[0][24 + i], 0x84 + i);
    tb_destroy(tb);
}

static void rdcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->config.bank[0][21] = 77;
    tb->x->config.bank[1][21] = 78;
    TB_PUSH_ALL(tb, 0, TT(RDCFG, 8, 21));
    TB_PUSH_ALL(tb, 1, TT(SETC16, 0, 1), TT(RDCFG, 9, 21));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[0][8], 77);
    assert_int_equal(tb->x->gpr[1][9], 78);
    tb_destroy(tb);
}

/* Wormhole lost all but one of several RDCFG in a cycle; here each thread gets its value. */
static void rdcfg_of_three_threads(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        tb->x->config.bank[0][20 + thread] = 70 + thread;
        tb_push(tb, thread, TT(RDCFG, 8, 20 + thread));
    }
    assert_true(tb_run(tb));
    for (unsigned thread = 0; thread < 3; thread++)
        assert_int_equal(tb->x->gpr[thread][8], 70 + thread);
    tb_destroy(tb);
}

/* The three uses of the seed: bank, Dst offset, unpack contexts. */
static void setc16_common_uses(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 1, TT(SETC16, CONFIG_WORD_CFG_STATE_ID_StateID, 1),
                TT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, 0x200),
                TT(SETC16, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0x0104));
    assert_true(tb_run(tb));
    assert_int_equal(tensix_bank(tb->x, 1), 1);
    assert_int_equal(tensix_bank(tb->x, 0), 0);
    assert_int_equal(CONFIG_GET(tb->x->config.thread[1], DEST_TARGET_REG_CFG_MATH_Offset), 0x200);
    assert_int_equal(CONFIG_GET(tb->x->config.thread[1], UNPACK_MISC_CFG_CfgContextOffset_0), 4);
    assert_int_equal(CONFIG_GET(tb->x->config.thread[1], UNPACK_MISC_CFG_CfgContextOffset_1), 1);
    tb_destroy(tb);
}

static void rmwcib(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->config.bank[0][12] = 0xAAAAAAAA;
    TB_PUSH_ALL(tb, 0, TT(RMWCIB0, 0x0F, 0x55, 12), TT(RMWCIB1, 0xF0, 0x55, 12), TT(RMWCIB2, 0xFF, 0x55, 12),
                TT(RMWCIB3, 0x00, 0x55, 12));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][12], 0xAA555AA5);
    tb_destroy(tb);
}

/* A field of 12 bits from bit 10 on, written byte by byte: bytes without a bit of the mask need no instruction. */
static void cfg_reg_rmw_tensix(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t mask = 0xFFFu << 10, value = 0x5A3u << 10, old = 0x81818181;
    unsigned words = 0;
    (void)state;
    tb->x->config.bank[0][12] = old;
    for (unsigned byte = 0; byte < 4; byte++) {
        uint32_t m = mask >> 8 * byte & 0xFF, v = value >> 8 * byte & 0xFF;
        if (m) {
            tb_push(tb, 0, (0xB3u + byte) << 24 | m << 16 | v << 8 | 12);
            words++;
        }
    }
    assert_true(tb_run(tb));
    assert_int_equal(words, 2);
    assert_int_equal(tb->x->config.bank[0][12], (old & ~mask) | value);
    tb_destroy(tb);
}

/* ---- Synchronization ------------------------------------------------------------------------------------------- */

/* The standard pattern, with a value whose halves are above 0x4000. */
static void setdmareg_to_wrcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_gpr(tb, 2, 28, 0xC0DE8001);
    TB_PUSH_ALL(tb, 2, TT(STALLWAIT, B_CFG, 1), TT(WRCFG, 28, 0, 70), TT(NOP, 0), TT(NOP, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][70], 0xC0DE8001);
    tb_destroy(tb);
}

/* The wait is not what gives the order: the thread stands still while its SETDMAREG is in the Scalar Unit. */
static void setdmareg_to_wrcfg_without_the_wait(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_gpr(tb, 2, 28, 0xC0DE8001);
    tb_push(tb, 2, TT(WRCFG, 28, 0, 70));
    assert_true(tb_run(tb));
    assert_int_equal(tb->at[2][2], tb->at[2][1] + 1);
    assert_int_equal(tb->x->config.bank[0][70], 0xC0DE8001);
    tb_destroy(tb);
}

/* sw to a GPR, then a push: with the wait on C10 (the seed's C13 is Wormhole's number) the push sees the value. */
static void risc_v_write_then_stallwait_c10(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_store(tb, BH_TRISC0, TB_GPRS + 4 * 8, 0x1234);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_CFG, GATE_C_RISCV), TT(WRCFG, 8, 0, 12));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][12], 0x1234);
    tb_destroy(tb);
}

static void load_back_fence(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_BRISC, 5, TB_GPRS + 0x100 + 4 * 8); /* BRISC, for T1 */
    tb_li(tb, BH_BRISC, 6, 0x1234);
    tb_li(tb, BH_BRISC, 7, TT(WRCFG, 8, 0, 12));
    tb_li(tb, BH_BRISC, 28, TB_PUSH + 0x10000);
    tb_rv(tb, BH_BRISC, asm_s(RV_SW, 6, 0, 5));
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 10, 5, 0));
    tb_rv(tb, BH_BRISC, asm_i(RV_ADDI, 0, 10, 0));
    tb_rv(tb, BH_BRISC, asm_s(RV_SW, 7, 0, 28));
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, BH_BRISC)->x[10], 0x1234);
    assert_int_equal(tb->x->config.bank[0][12], 0x1234);
    tb_destroy(tb);
}

/* ---- Disassembled firmware --------------------------------------------------------------------------------------- */

/* The loop runs on TRISC2 and so clears the GPRs of T2, not T0 as the seed has it. */
static void zero_gprs_loop_fw_trisc2(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    memset(tb->x->gpr, 0xEE, sizeof tb->x->gpr);
    tb_rv(tb, BH_TRISC2, asm_u(RV_LUI, A5, 0xFFE00000));
    tb_rv(tb, BH_TRISC2, asm_i(RV_ADDI, A4, A5, 256));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, 0, 0, A5));
    tb_rv(tb, BH_TRISC2, asm_i(RV_ADDI, A5, A5, 4));
    tb_rv(tb, BH_TRISC2, asm_b(RV_BNE, A5, A4, -8));
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(tb->x->gpr[2][i], 0);
        assert_int_equal(tb->x->gpr[0][i], 0xEEEEEEEE);
        assert_int_equal(tb->x->gpr[1][i], 0xEEEEEEEE);
    }
    tb_destroy(tb);
}

/* The excerpt's words. Its remarks read the payload from lui's operand; the field starts at bit 8, so that 0x45002 is
 * a payload of 0x0020. Pushed by TRISC2 through 0xFFE40000, or by BRISC through 0xFFE60000: a TRISC would hang there.
 */
static void setdmareg_to_wrcfg_sequence_add1_trisc2(void **state) {
    static const uint32_t lui[4] = { 0x45000000, 0x45002000, 0x45020000, 0x45080000 };
    static const uint32_t inline_words[5] = { 0xA2400001, 0xB01C000C, 0xB01D000D, 0x02000000, 0x02000000 };
    (void)state;
    for (unsigned by_brisc = 0; by_brisc < 2; by_brisc++) {
        struct tensix_box *tb = tb_create();
        enum bh_core core = by_brisc ? BH_BRISC : BH_TRISC2;
        tb_rv(tb, core, asm_u(RV_LUI, S0, by_brisc ? 0xFFE60000 : 0xFFE40000));
        for (unsigned i = 0; i < 4; i++) {
            tb_rv(tb, core, asm_u(RV_LUI, A4, lui[i]));
            tb_rv(tb, core, asm_i(RV_ADDI, A4, A4, (int32_t)(56 + i)));
            tb_rv(tb, core, asm_s(RV_SW, A4, 0, S0));
        }
        for (unsigned i = 0; i < 5; i++)
            if (by_brisc)
                tb_push_store(tb, BH_BRISC, 2, inline_words[i]);
            else
                tb_push(tb, 2, inline_words[i]);
        assert_true(tb_run(tb));
        assert_int_equal(tb->x->gpr[2][28], 0x00200000);
        assert_int_equal(tb->x->gpr[2][29], 0x08000200);
        assert_int_equal(tb->x->config.bank[0][12], 0x00200000);
        assert_int_equal(tb->x->config.bank[0][13], 0x08000200);
        tb_destroy(tb);
    }
    assert_text(lui[1] + 57, "SETDMAREG Payload_SigSelSize=0, Payload_SigSel=0x20, SetSignalsMode=0, RegIndex16b=0x39");
    assert_text(inline_words[0], "STALLWAIT stall_res=0x80, wait_res=1");
    assert_text(inline_words[1], "WRCFG GprAddress=0x1c, wr128b=0, CfgReg=0xc");
    assert_text(inline_words[2], "WRCFG GprAddress=0x1d, wr128b=0, CfgReg=0xd");
    assert_text(inline_words[3], "NOP");
}

static void risc_v_direct_gpr_write_add1_trisc2(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    memset(tb->x->gpr[2], 0xEE, sizeof tb->x->gpr[2]);
    tb_rv(tb, BH_TRISC2, asm_u(RV_LUI, S2, 0xFFE00000));
    tb_rv(tb, BH_TRISC2, asm_u(RV_LUI, A4, 0x1000));
    tb_rv(tb, BH_TRISC2, asm_i(RV_ADDI, A4, A4, -2048));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, A4, 64, S2));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, 0, 68, S2));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, 0, 72, S2));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, 0, 76, S2));
    tb_rv(tb, BH_TRISC2, asm_i(RV_LW, A4, S2, 76));
    tb_rv(tb, BH_TRISC2, asm_s(RV_SW, A4, 76, S2));
    tb_push(tb, 2, TT(WRCFG, 16, 1, 20));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[2][16], 0x800);
    for (unsigned i = 17; i < 20; i++)
        assert_int_equal(tb->x->gpr[2][i], 0);
    assert_int_equal(tb->x->gpr[2][20], 0xEEEEEEEE);
    assert_int_equal(tb->x->config.bank[0][20], 0x800);
    tb_destroy(tb);
}

/* ---- Encodings --------------------------------------------------------------------------------------------------- */

static void encoding_quick_reference(void **state) {
    (void)state;
    assert_int_equal(TT(SETDMAREG, 2, 0x155, 1, 0x7F), 0x45000000u | 2u << 22 | 0x155 << 8 | 1 << 7 | 0x7F);
    assert_int_equal(TT(LOADIND, 3, 0x55, 2, 33, 44), 0x49000000u | 3u << 22 | 0x55 << 14 | 2 << 12 | 33 << 6 | 44);
    assert_int_equal(TT(ADDDMAREG, 1, 33, 44, 55), 0x58000000u | 1u << 23 | 33 << 12 | 44 << 6 | 55);
    assert_int_equal(TT(SUBDMAREG, 1, 33, 44, 55), 0x59000000u | 1u << 23 | 33 << 12 | 44 << 6 | 55);
    assert_int_equal(TT(MULDMAREG, 1, 33, 44, 55), 0x5A000000u | 1u << 23 | 33 << 12 | 44 << 6 | 55);
    assert_int_equal(TT(DMANOP, 0), 0x60000000u);
    assert_int_equal(TT(STOREIND, 1, 0, 1, 0x55, 2, 33, 44),
                     0x66000000u | 1u << 23 | 1 << 21 | 0x55 << 14 | 2 << 12 | 33 << 6 | 44);
    assert_int_equal(TT(WRCFG, 33, 1, 0x123), 0xB0000000u | 33 << 16 | 1 << 15 | 0x123);
    assert_int_equal(TT(RDCFG, 33, 0x123), 0xB1000000u | 33 << 16 | 0x123);
    assert_int_equal(TT(SETC16, 33, 0x1234), 0xB2000000u | 33 << 16 | 0x1234);
    assert_int_equal(TT(RMWCIB0, 0x12, 0x34, 0x56), 0xB3123456u);
    assert_int_equal(TT(RMWCIB1, 0x12, 0x34, 0x56), 0xB4123456u);
    assert_int_equal(TT(RMWCIB2, 0x12, 0x34, 0x56), 0xB5123456u);
    assert_int_equal(TT(RMWCIB3, 0x12, 0x34, 0x56), 0xB6123456u);
    /* The hardware evaluates fewer bits than an encoder may fill. */
    assert_int_equal(tensix_decode_LOADIND(0x49000000u | 0xFFu << 14).OffsetIndex, 0x7F);
    assert_int_equal(tensix_decode_RDCFG(0xB1FFFFFFu).GprAddress, 0x3F);
    assert_int_equal(tensix_decode_RDCFG(0xB1FFFFFFu).CfgReg, 0x7FF);
    assert_int_equal(tensix_decode_ADDDMAREG(0x58FFFFFFu).ResultRegIndex, 0x3F);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpr_file_layout),
        cmocka_unit_test(access_rules),
        cmocka_unit_test(sub_word_addressing),
        cmocka_unit_test(setdmareg_immediate),
        cmocka_unit_test(setdmareg_signal_mode),
        cmocka_unit_test(setdmareg_histogram),
        cmocka_unit_test(adddmareg),
        cmocka_unit_test(subdmareg),
        cmocka_unit_test(muldmareg),
        cmocka_unit_test(dmanop),
        cmocka_unit_test(loadind),
        cmocka_unit_test(storeind_l1),
        cmocka_unit_test(storeind_mmio),
        cmocka_unit_test(storeind_mmio_with_bit_21),
        cmocka_unit_test(storeind_src),
        cmocka_unit_test(storeind_tile_header),
        cmocka_unit_test(backend_configuration_model),
        cmocka_unit_test(special_side_effects_on_write),
        cmocka_unit_test(wrcfg),
        cmocka_unit_test(rdcfg),
        cmocka_unit_test(rdcfg_of_three_threads),
        cmocka_unit_test(setc16_common_uses),
        cmocka_unit_test(rmwcib),
        cmocka_unit_test(cfg_reg_rmw_tensix),
        cmocka_unit_test(setdmareg_to_wrcfg),
        cmocka_unit_test(setdmareg_to_wrcfg_without_the_wait),
        cmocka_unit_test(risc_v_write_then_stallwait_c10),
        cmocka_unit_test(load_back_fence),
        cmocka_unit_test(zero_gprs_loop_fw_trisc2),
        cmocka_unit_test(setdmareg_to_wrcfg_sequence_add1_trisc2),
        cmocka_unit_test(risc_v_direct_gpr_write_add1_trisc2),
        cmocka_unit_test(encoding_quick_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
