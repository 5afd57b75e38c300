/* The seed chapter on STALLWAIT and SEMWAIT, section by section (docs/seeds.md). The gate itself is in gate.c; here are
 * the chapter's patterns, played on the threads that they are for, and its annotated disassembly.
 *
 * Busy times of units and owners of Src banks are set by hand, so that the cycle of the release is known; the held
 * instruction is a real one. */
#include "support/tensix_scene.h"

/* Names of tt-llk. */
enum {
    STALL_TDMA = 0x01,
    STALL_SYNC = 0x02,
    STALL_UNPACK = 0x08,
    STALL_THCON = 0x20,
    STALL_MATH = 0x40,
    STALL_CFG = 0x80,
    STALL_SFPU = 0x100,
    THCON = 0x001,
    UNPACK0 = 0x002,
    UNPACK1 = 0x004,
    PACK = 0x008,
    MATH = 0x010,
    SRCA_VLD = 0x080,
    SRCB_VLD = 0x100,
    TRISC_CFG = 0x400,
    WAIT_SFPU = 0x800,
    MATH_PACK = 1,
    UNPACK_TO_DEST = 2,
    STALL_ON_ZERO = 1,
    STALL_ON_MAX = 2,
};

/* The thread has come to this word and the gate has let it go: its unit refuses it. */
static bool released(const struct tensix_box *tb, unsigned thread, uint32_t word) {
    const struct tensix_thread *t = &tb->x->thread[thread];
    return t->faulted && t->fault.insn == word;
}

/* UNPACR has something to do that is defined: one datum of BF16 to SrcA. */
static uint32_t unpack_word(struct tensix_box *tb) {
    uint32_t *config = tb->x->config.bank[0];
    config[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] = 5;
    config[CONFIG_WORD_THCON_SEC0_REG2_Out_data_format] = 5;
    config[CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0] = 1;
    config[CONFIG_WORD_THCON_SEC0_REG5_Dest_cntx0_address] = 64;
    return TT(UNPACR, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
}

/* PACR likewise: the first column of four rows to a place of L1 where nothing is. */
static void configure_packer(struct tensix_box *tb) {
    uint32_t *config = tb->x->config.bank[0];
    config[CONFIG_WORD_ALU_FORMAT_SPEC_REG2_Dstacc] = 5u << CONFIG_SHIFT_ALU_FORMAT_SPEC_REG2_Dstacc;
    config[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = 0x20000 / 16;
    config[CONFIG_WORD_THCON_SEC0_REG1_Out_data_format] = 1 | 5 << 4 | 5 << 8; /* not compressed, BF16 to BF16 */
}

/* The last word of a list stands at the gate until `until`, for which `pipeline` of the thread is busy. */
static void assert_waits_for(unsigned thread, const uint32_t *words, unsigned count, enum tensix_busy pipeline,
                             uint64_t until) {
    struct tensix_box *tb = tb_create();
    configure_packer(tb);
    tensix_busy_until(tb->x, thread, pipeline, until);
    tb_push_all(tb, thread, words, count);
    tb_start(tb);
    tb_step(tb, until);
    assert_int_equal(tb->passes[thread], count - 1);
    assert_true(tb_held(tb, thread));
    tb_step(tb, until + 2);
    assert_false(tb_held(tb, thread));
    if (!released(tb, thread, words[count - 1])) {
        assert_int_equal(tb->passes[thread], count);
        assert_int_equal(tb->at[thread][count - 1], until + 1);
    }
    tb_destroy(tb);
}

/* ---- Encodings and constants ------------------------------------------------------------------------------- */

static void instruction_encodings(void **state) {
    (void)state;
    assert_int_equal(TT(STALLWAIT, 0x155, 0x1AAA), 0xA2u << 24 | 0x155 << 15 | 0x1AAA);
    assert_int_equal(TT(SEMWAIT, 0x155, 0x5A, 2), 0xA6u << 24 | 0x155 << 15 | 0x5A << 2 | 2);
    assert_int_equal(tensix_decode_STALLWAIT(0xA2FFFFFFu).wait_res, 0x1FFF);
    assert_int_equal(tensix_decode_SEMWAIT(0xA6FFFFFFu).sem_sel, 0xFF); /* eight bits, the seed has thirteen */
    assert_int_equal(GATE_C_ALL, 0x1FFF);
}

/* The chapter's constants beside ours. */
static void condition_constants(void **state) {
    (void)state;
    assert_int_equal(GATE_C_MEMORY, THCON);
    assert_int_equal(GATE_C_UNPACK0 | GATE_C_UNPACK1, UNPACK0 | UNPACK1);
    assert_int_equal(GATE_C_PACK, PACK);
    assert_int_equal(GATE_C_MATRIX, MATH);
    assert_int_equal(GATE_C_SRCA_FREE, 0x20);
    assert_int_equal(GATE_C_SRCB_FREE, 0x40);
    assert_int_equal(GATE_C_SRCA_VALID, SRCA_VLD);
    assert_int_equal(GATE_C_SRCB_VALID, SRCB_VLD);
    assert_int_equal(GATE_C_MOVER, 0x200);
    assert_int_equal(GATE_C_RISCV, TRISC_CFG);
    assert_int_equal(GATE_C_VECTOR, WAIT_SFPU);
    assert_int_equal(GATE_C_CONFIG, 0x1000);
    assert_int_equal(GATE_C_MEMORY | GATE_C_UNPACK0 | GATE_C_UNPACK1 | GATE_C_PACK | GATE_C_MATRIX | GATE_C_MOVER,
                     0x21F);
    assert_int_equal(GATE_C_DEFAULT, 0x0F);
    assert_int_equal(GATE_B_DEFAULT, STALL_MATH);
    assert_int_equal(TENSIX_GATE_MASK, 0x1FF);
}

static void semaphore_names(void **state) {
    static const char *const names[8] = { "FPU_SFPU",  "MATH_PACK",   "UNPACK_TO_DEST",   "UNPACK_OPERAND_SYNC",
                                          "PACK_DONE", "UNPACK_SYNC", "UNPACK_MATH_DONE", "MATH_DONE" };
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        assert_string_equal(sync_semaphore_name(i), names[i]);
}

/* The chapter's pseudocode lets a held instruction go and holds the others, and knows no second wait. Ours: only what
 * the mask names is held, in order. */
static void wait_gate_pseudocode_corrected(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_MATRIX, 200);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, STALL_SYNC, MATH), TT(SETC16, 3, 1), TT(SEMPOST, 1), TT(SETC16, 3, 2));
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->x->config.thread[0][3], 1);
    assert_int_equal(tb->x->sync.semaphore[0].value, 0);
    tb_step(tb, 210);
    assert_int_equal(tb->at[0][2], 201);
    assert_int_equal(tb->x->config.thread[0][3], 2);
    tb_destroy(tb);
}

/* ---- Patterns ------------------------------------------------------------------------------------------------ */

/* A GPR that comes from memory reaches Config, since WRCFG waits for C0. */
static void pattern_1_before_wrcfg(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    box_poke32(tb->box, 0x20000, 0x5555);
    tb->x->gpr[2][1] = 0x2000;
    TB_PUSH_ALL(tb, 2, TT(LOADIND, 1, 4, 0, 28, 1), TT(STALLWAIT, STALL_CFG, THCON), TT(WRCFG, 28, 0, 70));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][70], 0x5555);
    tb_destroy(tb);
    assert_text(TT(STALLWAIT, STALL_CFG, THCON), "STALLWAIT stall_res=0x80, wait_res=1");
}

/* With the packer too: whichever ends last. */
static void pattern_1_before_wrcfg_with_packer(void **state) {
    const uint32_t words[] = { TT(STALLWAIT, STALL_CFG, THCON | PACK), TT(WRCFG, 28, 0, 70) };
    (void)state;
    assert_waits_for(2, words, 2, TENSIX_BUSY_PACK, 100);
    assert_waits_for(2, words, 2, TENSIX_BUSY_MEMORY, 100);
    assert_text(words[0], "STALLWAIT stall_res=0x80, wait_res=9");
}

/* MOVD2A stands at the gate until the Matrix Unit's bank of SrcA is its; MOVD2B likewise for SrcB. */
static void src_valid_pattern(unsigned thread, uint32_t wait, uint32_t move, unsigned files) {
    struct tensix_box *tb = tb_create();
    TB_PUSH_ALL(tb, thread, wait, move);
    tb_start(tb);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[thread], 1);
    assert_true(tb_held(tb, thread));
    for (unsigned file = 0; file < SRC_FILES; file++) {
        assert_true(tb_held(tb, thread));
        if (!(files >> file & 1))
            continue;
        tb->x->src.allowed[file][tb->x->src.matrix_bank[file]] = SRC_MATRIX;
        tensix_wake(tb->x, tb->now);
        tb_step(tb, tb->now + 10);
        files &= ~(1u << file);
        if (!files)
            break;
    }
    assert_false(tb_held(tb, thread));
    assert_true(released(tb, thread, move) || tb->passes[thread] == 2);
    tb_destroy(tb);
}

static void pattern_2_before_movd2a(void **state) {
    uint32_t wait = TT(STALLWAIT, STALL_MATH, SRCA_VLD), move = TT(MOVD2A, 0, 0, 3, 2, 0);
    (void)state;
    src_valid_pattern(1, wait, move, 1u << SRC_A);
    assert_text(wait, "STALLWAIT stall_res=0x40, wait_res=0x80");
    assert_true(tensix_gate_holds(tensix_rows[TENSIX_ROW_MOVD2A].gate, STALL_MATH));
}

static void pattern_2_before_movd2b(void **state) {
    (void)state;
    src_valid_pattern(1, TT(STALLWAIT, STALL_MATH, SRCB_VLD), TT(MOVD2B, 0, 0, 3, 2, 0), 1u << SRC_B);
    assert_true(tensix_gate_holds(tensix_rows[TENSIX_ROW_MOVD2B].gate, STALL_MATH));
}

static void pattern_2_transpose_both(void **state) {
    (void)state;
    src_valid_pattern(1, TT(STALLWAIT, STALL_MATH, WAIT_SFPU | SRCA_VLD | SRCB_VLD), TT(TRNSPSRCB, 0),
                      1u << SRC_A | 1u << SRC_B);
}

/* T0 posts when unpacker 0 has run empty; T1 waits for the post and takes it when FPU and SFPU have. */
static void pattern_3_unpack_to_dest_semaphore(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t semwait = TT(SEMWAIT, STALL_SYNC, 1 << UNPACK_TO_DEST, STALL_ON_ZERO);
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_UNPACK0, 100);
    tensix_busy_until(tb->x, 1, TENSIX_BUSY_VECTOR, 150);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, STALL_SYNC, UNPACK0), TT(SEMPOST, 1 << UNPACK_TO_DEST));
    TB_PUSH_ALL(tb, 1, semwait, TT(STALLWAIT, STALL_SYNC, MATH | WAIT_SFPU), TT(SEMGET, 1 << UNPACK_TO_DEST));
    tb_start(tb);
    tb_step(tb, 200);
    assert_int_equal(tb->at[0][1], 101); /* the post: seen from 102 on */
    assert_int_equal(tb->at[1][1], 103); /* the block is gone one cycle later */
    assert_int_equal(tb->at[1][2], 151); /* and FPU and SFPU are empty */
    assert_int_equal(tb->x->sync.semaphore[UNPACK_TO_DEST].value, 0);
    assert_int_equal(semwait, 0xA6010011);
    assert_text(semwait, "SEMWAIT stall_res=2, sem_sel=4, wait_sem_cond=1");
    tb_destroy(tb);
}

/* Two halves of Dst. T1 makes eight sections, T2 takes them; each is slower in turn. Never more than two ahead. */
static void play_math_pack(unsigned slow) {
    struct tensix_box *tb = tb_create();
    enum { SECTIONS = 8 };
    tb_push(tb, 1, TT(SEMINIT, 2, 0, 1 << MATH_PACK));
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 2, TT(NOP, 0)); /* T1 has set the semaphore up by then */
    for (unsigned section = 0; section < SECTIONS; section++) {
        TB_PUSH_ALL(tb, 1, TT(SEMWAIT, STALL_SYNC | STALL_MATH | STALL_SFPU, 1 << MATH_PACK, STALL_ON_MAX),
                    TT(STALLWAIT, STALL_SYNC, MATH | WAIT_SFPU), TT(SEMPOST, 1 << MATH_PACK));
        TB_PUSH_ALL(tb, 2, TT(SEMWAIT, STALL_TDMA, 1 << MATH_PACK, STALL_ON_ZERO), TT(SETDMAREG, 0, section, 0, 0),
                    TT(STALLWAIT, STALL_SYNC, PACK), TT(SEMGET, 1 << MATH_PACK));
        for (unsigned i = 0; i < 30; i++)
            tb_rv(tb, tb_core(slow), NOP);
    }
    assert_true(tb_run(tb));
    for (unsigned section = 0; section < SECTIONS; section++) {
        uint64_t post = tb->at[1][1 + 3 * section + 2], packs = tb->at[2][4 + 4 * section + 1];
        uint64_t get = tb->at[2][4 + 4 * section + 3];
        assert_true(packs > post);
        if (section + 2 < SECTIONS)
            assert_true(tb->at[1][1 + 3 * (section + 2) + 2] > get);
    }
    assert_int_equal(tb->x->sync.semaphore[MATH_PACK].value, 0);
    tb_destroy(tb);
}

static void pattern_4_math_pack_semaphore(void **state) {
    (void)state;
    play_math_pack(1);
    play_math_pack(2);
}

/* The listing's number, 322, has STALL_SYNC beside the two that the chapter's macro names. */
static void pattern_4_ttsemwait_322_2_2(void **state) {
    uint32_t word = TT(SEMWAIT, 322, 2, 2);
    (void)state;
    assert_int_equal(322, STALL_SYNC | STALL_MATH | STALL_SFPU);
    assert_int_equal(word, 0xA6A1000A);
    assert_text(word, "SEMWAIT stall_res=0x142, sem_sel=2, wait_sem_cond=2");
    assert_text(TT(SEMWAIT, 1, 2, 1), "SEMWAIT stall_res=1, sem_sel=2, wait_sem_cond=1");
}

static void pattern_5_packer_before_reconfiguring(void **state) {
    const uint32_t words[] = { TT(STALLWAIT, STALL_CFG, PACK),
                               TT(WRCFG, 28, 0, CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask) };
    const uint32_t both[] = { TT(STALLWAIT, STALL_CFG, PACK | THCON), words[1] };
    (void)state;
    assert_waits_for(2, words, 2, TENSIX_BUSY_PACK, 100);
    assert_waits_for(2, both, 2, TENSIX_BUSY_PACK, 100);
    assert_waits_for(2, both, 2, TENSIX_BUSY_MEMORY, 100);
}

static void pattern_6_sfpu_before_dest_bank_flip(void **state) {
    const uint32_t words[] = { TT(STALLWAIT, STALL_CFG, MATH | WAIT_SFPU),
                               TT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, 0x200) };
    (void)state;
    assert_waits_for(1, words, 2, TENSIX_BUSY_MATRIX, 100);
    assert_waits_for(1, words, 2, TENSIX_BUSY_VECTOR, 100);
    assert_text(words[0], "STALLWAIT stall_res=0x80, wait_res=0x810");
}

/* The core's store to Config is kept from the Configuration Unit by a stream of WRCFG of T1; the unpacker, for which
 * UNPACR stands, is held until it is in. */
static void pattern_7_unpacker_until_config_writes(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t unpack = unpack_word(tb);
    (void)state;
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 1, TT(WRCFG, 8, 0, 20));
    for (unsigned i = 0; i < 20; i++)
        tb_rv(tb, BH_TRISC0, NOP);
    tb_store(tb, BH_TRISC0, TB_CONFIG + 4 * 12, 0x77);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, STALL_UNPACK, TRISC_CFG), unpack);
    tb_start(tb);
    while (!tb->x->thread[0].faulted && tb->passes[0] < 2 && tb->now < 500) {
        tb_step(tb, tb->now + 1);
        if (tb->passes[0] == 1 && tb->x->config.bank[0][12] != 0x77)
            assert_false(tb->x->thread[0].faulted);
    }
    assert_int_equal(tb->x->config.bank[0][12], 0x77);
    assert_int_equal(tb->passes[0], 2);
    assert_true(tb->now > tb->at[1][59]); /* it had to wait for the stream to end */
    tb_destroy(tb);
    assert_text(TT(STALLWAIT, 8, 1024), "STALLWAIT stall_res=8, wait_res=0x400");
}

/* A store to a GPR is done in its cycle: C10 never finds it pending, and the held word passes after just the lag. */
static void c10_never_waits_for_gpr_stores(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_TRISC0, TB_T0, TB_GPRS);
    for (unsigned i = 0; i < 8; i++)
        tb_rv(tb, BH_TRISC0, asm_s(RV_SW, TB_T0, (int32_t)(4 * i), TB_T0));
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, STALL_CFG, TRISC_CFG), TT(SETC16, 3, 7));
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(tb->x->gpr[0][i], TB_GPRS);
    assert_int_equal(tb->at[0][1], tb->at[0][0] + 2);
    tb_destroy(tb);
}

static void pattern_8_sfpu_then_sempost(void **state) {
    const uint32_t post[] = { TT(STALLWAIT, STALL_SYNC, MATH | WAIT_SFPU), TT(SEMPOST, 1 << MATH_PACK) };
    const uint32_t flip[] = { TT(STALLWAIT, STALL_CFG, MATH | WAIT_SFPU), TT(SETC16, 1, 0x200) };
    (void)state;
    assert_waits_for(1, post, 2, TENSIX_BUSY_MATRIX, 100);
    assert_waits_for(1, post, 2, TENSIX_BUSY_VECTOR, 100);
    assert_waits_for(1, flip, 2, TENSIX_BUSY_VECTOR, 100);
    assert_text(post[0], "STALLWAIT stall_res=2, wait_res=0x810");
    assert_text(flip[0], "STALLWAIT stall_res=0x80, wait_res=0x810");
}

/* ---- Annotated disassembly --------------------------------------------------------------------------------------- */

/* A line of a listing: the operands as printed there, the word, our text, and what the wait holds. */
struct line {
    uint32_t address, word, expected;
    const char *text;
};

static void assert_lines(const struct line *lines, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(lines[i].word, lines[i].expected);
        assert_text(lines[i].word, lines[i].text);
        assert_int_equal(tensix_from_stream(tensix_to_stream(lines[i].word)), lines[i].word);
    }
}

static void disassembly_matmul_trisc0(void **state) {
    const struct line lines[] = {
        { 0x6130, TT(STALLWAIT, 128, 1), 0xA2400001, "STALLWAIT stall_res=0x80, wait_res=1" },
        { 0x6130, TT(WRCFG, 12, 0, 124), 0xB00C007C, "WRCFG GprAddress=0xc, wr128b=0, CfgReg=0x7c" },
        { 0x62AC, TT(STALLWAIT, 8, 1024), 0xA2040400, "STALLWAIT stall_res=8, wait_res=0x400" },
        { 0x6344, TT(STALLWAIT, 32, 6), 0xA2100006, "STALLWAIT stall_res=0x20, wait_res=6" },
    };
    (void)state;
    assert_lines(lines, 4);
}

static void disassembly_matmul_trisc1(void **state) {
    const struct line lines[] = {
        { 0x64E4, TT(STALLWAIT, 128, 16), 0xA2400010, "STALLWAIT stall_res=0x80, wait_res=0x10" },
        { 0x6794, TT(STALLWAIT, 2, 2064), 0xA2010810, "STALLWAIT stall_res=2, wait_res=0x810" },
        { 0x6798, TT(SEMPOST, 2), 0xA4000008, "SEMPOST sem_sel=2" },
        { 0x67A4, TT(STALLWAIT, 128, 2064), 0xA2400810, "STALLWAIT stall_res=0x80, wait_res=0x810" },
        { 0x654C, TT(SEMWAIT, 322, 2, 2), 0xA6A1000A, "SEMWAIT stall_res=0x142, sem_sel=2, wait_sem_cond=2" },
    };
    (void)state;
    assert_lines(lines, 5);
}

static void disassembly_matmul_trisc2(void **state) {
    const struct line lines[] = {
        { 0x6F80, TT(STALLWAIT, 128, 1), 0xA2400001, "STALLWAIT stall_res=0x80, wait_res=1" },
        { 0x6F84, TT(WRCFG, 28, 0, 12), 0xB01C000C, "WRCFG GprAddress=0x1c, wr128b=0, CfgReg=0xc" },
        { 0x70E8, TT(STALLWAIT, 33, 8), 0xA2108008, "STALLWAIT stall_res=0x21, wait_res=8" },
        { 0x7258, TT(STALLWAIT, 128, 9), 0xA2400009, "STALLWAIT stall_res=0x80, wait_res=9" },
        { 0x71FC, TT(SEMWAIT, 1, 2, 1), 0xA6008009, "SEMWAIT stall_res=1, sem_sel=2, wait_sem_cond=1" },
        { 0x7294, TT(STALLWAIT, 64, 8), 0xA2200008, "STALLWAIT stall_res=0x40, wait_res=8" },
        { 0x72FC, TT(STALLWAIT, 32, 8), 0xA2100008, "STALLWAIT stall_res=0x20, wait_res=8" },
    };
    (void)state;
    assert_lines(lines, 7);
}

/* The waits of the listings, one by one: the wait, the pipeline, an instruction that waits, one that does not. */
static void waits_of(uint32_t wait, enum tensix_busy pipeline, uint32_t waits, uint32_t goes_on) {
    const uint32_t words[] = { wait, goes_on, waits };
    assert_waits_for(1, words, 3, pipeline, 100);
}

static void ttstallwait_128_1(void **state) {
    (void)state;
    waits_of(0xA2400001, TENSIX_BUSY_MEMORY, TT(WRCFG, 12, 0, 124), TT(SETDMAREG, 0, 0, 0, 0));
}

static void ttstallwait_32_6(void **state) {
    (void)state;
    waits_of(0xA2100006, TENSIX_BUSY_UNPACK0, TT(SETDMAREG, 0, 0, 0, 0), TT(SETC16, 1, 0));
    waits_of(0xA2100006, TENSIX_BUSY_UNPACK1, TT(SETDMAREG, 0, 0, 0, 0), TT(SETC16, 1, 0));
}

static void ttstallwait_128_16(void **state) {
    (void)state;
    waits_of(0xA2400010, TENSIX_BUSY_MATRIX, TT(SETC16, 1, 0), TT(SEMPOST, 1));
}

static void ttstallwait_2_2064(void **state) {
    (void)state;
    waits_of(0xA2010810, TENSIX_BUSY_VECTOR, 0xA4000008, TT(SETC16, 1, 0));
}

static void ttstallwait_33_8(void **state) {
    (void)state;
    waits_of(0xA2108008, TENSIX_BUSY_PACK, TT(SETDMAREG, 0, 0, 0, 0), TT(SETC16, 1, 0));
    waits_of(0xA2108008, TENSIX_BUSY_PACK, TT(PACR, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), TT(SETC16, 1, 0));
}

static void ttstallwait_128_9(void **state) {
    (void)state;
    waits_of(0xA2400009, TENSIX_BUSY_PACK, TT(WRCFG, 28, 0, 12), TT(SETDMAREG, 0, 0, 0, 0));
}

static void ttstallwait_64_8(void **state) {
    (void)state;
    waits_of(0xA2200008, TENSIX_BUSY_PACK, TT(ZEROACC, 0, 0, 0, 0, 0), TT(SETC16, 1, 0));
}

static void ttstallwait_32_8(void **state) {
    (void)state;
    waits_of(0xA2100008, TENSIX_BUSY_PACK, TT(SETDMAREG, 0, 0, 0, 0), TT(SETC16, 1, 0));
}

static void ttstallwait_8_1024(void **state) {
    struct tensix_box *tb = tb_create();
    uint32_t unpack = unpack_word(tb);
    (void)state;
    TB_PUSH_ALL(tb, 0, 0xA2040400, TT(SETC16, 3, 1), unpack); /* no request under way: only the lag */
    tb_start(tb);
    tb_step(tb, 60);
    assert_int_equal(tb->x->config.thread[0][3], 1);
    assert_int_equal(tb->passes[0], 3);
    tb_destroy(tb);
}

/* T2 waits for the post that T1's listing makes. */
static void ttsemwait_1_2_1(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 2, 0xA6008009, TT(SETC16, 3, 1), TT(SETDMAREG, 0, 7, 0, 0));
    tensix_busy_until(tb->x, 1, TENSIX_BUSY_MATRIX, 100);
    TB_PUSH_ALL(tb, 1, 0xA2010810, 0xA4000008);
    tb_start(tb);
    tb_step(tb, 120);
    assert_int_equal(tb->at[2][1], tb->at[2][0] + 1);
    assert_int_equal(tb->at[1][1], 101);
    assert_int_equal(tb->at[2][2], 103);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_encodings),
        cmocka_unit_test(condition_constants),
        cmocka_unit_test(semaphore_names),
        cmocka_unit_test(wait_gate_pseudocode_corrected),
        cmocka_unit_test(pattern_1_before_wrcfg),
        cmocka_unit_test(pattern_1_before_wrcfg_with_packer),
        cmocka_unit_test(pattern_2_before_movd2a),
        cmocka_unit_test(pattern_2_before_movd2b),
        cmocka_unit_test(pattern_2_transpose_both),
        cmocka_unit_test(pattern_3_unpack_to_dest_semaphore),
        cmocka_unit_test(pattern_4_math_pack_semaphore),
        cmocka_unit_test(pattern_4_ttsemwait_322_2_2),
        cmocka_unit_test(pattern_5_packer_before_reconfiguring),
        cmocka_unit_test(pattern_6_sfpu_before_dest_bank_flip),
        cmocka_unit_test(pattern_7_unpacker_until_config_writes),
        cmocka_unit_test(c10_never_waits_for_gpr_stores),
        cmocka_unit_test(pattern_8_sfpu_then_sempost),
        cmocka_unit_test(disassembly_matmul_trisc0),
        cmocka_unit_test(disassembly_matmul_trisc1),
        cmocka_unit_test(disassembly_matmul_trisc2),
        cmocka_unit_test(ttstallwait_128_1),
        cmocka_unit_test(ttstallwait_32_6),
        cmocka_unit_test(ttstallwait_128_16),
        cmocka_unit_test(ttstallwait_2_2064),
        cmocka_unit_test(ttstallwait_33_8),
        cmocka_unit_test(ttstallwait_128_9),
        cmocka_unit_test(ttstallwait_64_8),
        cmocka_unit_test(ttstallwait_32_8),
        cmocka_unit_test(ttstallwait_8_1024),
        cmocka_unit_test(ttsemwait_1_2_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
