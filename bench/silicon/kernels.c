/* Whole kernels: the Vector Unit, the packer and the unpackers in tt-llk's performance tests, and matrix products of
 * tt-metal.
 *
 * The measured ones are eltwise_unary_sfpu_perf (MATH_ISOLATE), pack_dest_bank_perf (PACK_ISOLATE), unpack_tilize_perf
 * (UNPACK_ISOLATE) and tensixbench of mesham/tt-sim, cycles a 32x32 tile or a call in a long loop. Ours push the words
 * that those push, in their order. Of the instructions of the cores between them, which are the vendor's compiler's,
 * the loops of T0 are as the compiler makes them; the others are guessed, and matter only where the coprocessor is
 * faster than a core. Fusion is on, as tt-llk's tests leave the cores; for products it is off, as by tt-metal. */
#include <string.h>

#include "guest.h"
#include "isa/config.h"
#include "isa/tensix.h"

#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })
#define PUSH          0xFFE40000u
#define MOP_CONFIG    0xFFB80000u
#define CONFIG        0xFFEF0000u
#define SEMAPHORES    0xFFE80020u
#define TTSYNC        0xFFE80004u
#define RUN_MOP       TT(MOP, 1, 0, 0)
enum { B_TDMA = 1 << 0, B_UNPACK = 1 << 3, B_MATH = 1 << 6, B_CFG = 1 << 7, B_SFPU = 1 << 8 };
enum { C_THCON = 1 << 0, C_MATH = 1 << 4, C_SRCA_FREE = 1 << 5, C_SRCA_VALID = 1 << 7, C_SRCB_VALID = 1 << 8 };
enum { C_CORE = 1 << 10 };
enum { CLEAR_D = 4, CLEAR_AB = 3, SET_A_B = 3 }; /* fields of SETRWC */
enum { ROWS = 32 };                              /* pairs of rows of a tile: one instruction of the Vector Unit each */

/* ---- Parts of programs --------------------------------------------------------------------------------------------
 */

static void push(struct guest_code *code, uint32_t word) {
    guest_emit(code, guest_ttinsn(word));
}

/* A word that the kernel makes at run time, and stores. Precondition: T3 is the address of the push window. */
static void push_by_store(struct guest_code *code, uint32_t word) {
    guest_constant(code, REG_T4, word);
    guest_emit(code, rv_sw(REG_T4, 0, REG_T3));
}

static void store(struct guest_code *code, uint32_t address, uint32_t value) {
    guest_constant(code, REG_T5, address);
    guest_constant(code, REG_T4, value);
    guest_emit(code, rv_sw(REG_T4, 0, REG_T5));
}

/* A template of two nested loops. */
struct template {
    uint32_t outer, inner;
    uint32_t start, end, loop, last_inner, last_outer; /* words; 0: a NOP, or the word of the loop */
};

static void set_mop(struct guest_code *code, const struct template *t) {
    const uint32_t nop = TT(NOP, 0), words[] = {
        t->outer,
        t->inner,
        t->start ? t->start : nop,
        t->end ? t->end : nop,
        nop,
        t->loop,
        nop,
        t->last_outer ? t->last_outer : t->loop,
        t->last_inner ? t->last_inner : t->loop,
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        store(code, MOP_CONFIG + 4 * i, words[i]);
}

static void set_thread_config(struct guest_code *code, unsigned index, unsigned value) {
    push(code, TT(SETC16, index, value));
}

/* Waits until everything that this thread has pushed is done. */
static void emit_end(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    (void)thread;
    guest_constant(code, REG_T4, TTSYNC);
    guest_emit(code, rv_sw(0, 0, REG_T4));
    guest_emit(code, rv_lw(REG_T5, 0, REG_T4));
    guest_emit(code, rv_sw(REG_T5, 4, REG_A5));
}

/* ---- The Vector Unit ----------------------------------------------------------------------------------------------
 */

enum { ADDR_MOD_2 = 2, ADDR_MOD_3 = 3, ADDR_MOD_7 = 7 };
#define LOAD(lreg, row)  TT(SFPLOAD, lreg, 0, ADDR_MOD_3, row)
#define STORE(lreg, row) TT(SFPSTORE, lreg, 0, ADDR_MOD_3, row)
#define NEXT_ROWS        TT(INCRWC, 0, 2, 0, 0)

/* What a kernel does with two rows, and then with the next two. */
struct vector_kernel {
    const char *name;
    bool copies;          /* the tile comes from SrcA, face by face */
    unsigned unrolled;    /* rounds of the core's loop that are one */
    unsigned count;       /* words of a round */
    const uint32_t *word; /* of a round; NULL: emit */
    void (*emit)(struct guest_code *code);
};

/* The table's look-up writes LReg 3 or 7; rows by immediate offsets. */
static void emit_three(struct guest_code *code) {
    for (unsigned i = 0; i < ROWS; i++) {
        push(code, LOAD(3, 2 * i));
        push(code, TT(SFPLUTFP32, 3, 0));
        push(code, STORE(3, 2 * i));
    }
}

static void emit_rotated(struct guest_code *code) {
    push(code, LOAD(3, 0));
    for (unsigned i = 0; i < ROWS; i++) {
        push(code, TT(SFPLUTFP32, 7, 0));
        if (i + 1 < ROWS)
            push(code, LOAD(3, 2 * i + 2));
        push(code, STORE(7, 2 * i));
    }
}

/* 32 SFPLOADMACRO with a shift behind each, from the replay buffer; the rest of the pipeline follows. Here the macro
 * schedules nothing. */
static void emit_macros(struct guest_code *code) {
    for (unsigned i = 0; i < 3; i++)
        set_thread_config(code, CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + ADDR_MOD_7, 2);
    push(code, TT(REPLAY, 0, 32, 0, 0));
    push(code, TT(REPLAY, 0, 32, 0, 0));
    for (unsigned i = 0; i < 2; i++) {
        push(code, TT(SFPNOP, 0));
        push(code, TT(SFPSHFT2, 2, 14, 4, 5));
    }
    push(code, TT(SFPNOP, 0));
    push(code, TT(SFPNOP, 0));
}

static void record_macros(struct guest_code *code) {
    push(code, TT(REPLAY, 0, 32, 0, 1));
    for (unsigned i = 0; i < 16; i++) {
        push(code, TT(SFPLOADMACRO, i % 4, 0, ADDR_MOD_7, 0));
        push(code, TT(SFPSHFT2, (i + 2) % 4, 14, 4, 5));
    }
}

static bool find_vector(const char *name, struct vector_kernel *found) {
    static uint32_t identity[3], tanh_lut[4], inverts[4], absolute[4];
    const struct vector_kernel kernels[] = {
        { "identity", true, 1, 3, identity, NULL },           { "tanh_four_slots", true, 8, 4, tanh_lut, NULL },
        { "tanh_three_slots", true, 0, 0, NULL, emit_three }, { "tanh_rotated", true, 0, 0, NULL, emit_rotated },
        { "exp_macro", true, 0, 0, NULL, emit_macros },       { "bitwise_not", false, 1, 4, inverts, NULL },
        { "abs_int32", false, 1, 4, absolute, NULL },
    };
    memcpy(identity, (const uint32_t[]){ LOAD(0, 0), STORE(0, 0), NEXT_ROWS }, sizeof identity);
    memcpy(tanh_lut, (const uint32_t[]){ LOAD(3, 0), TT(SFPLUT, 3, 0, 0), NEXT_ROWS, STORE(3, 0) }, sizeof tanh_lut);
    memcpy(inverts, (const uint32_t[]){ LOAD(0, 0), TT(SFPNOT, 0, 0, 0, 0), STORE(0, 0), NEXT_ROWS }, sizeof inverts);
    memcpy(absolute, (const uint32_t[]){ LOAD(0, 0), TT(SFPABS, 0, 0, 0, 0), STORE(0, 0), NEXT_ROWS }, sizeof absolute);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(kernels[i].name, name)) {
            *found = kernels[i];
            return true;
        }
    return false;
}

/* T1: the template that copies a tile from SrcA. */
static void set_up_vector(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    if (thread != 1)
        return;
    set_mop(code, &(struct template){ .outer = 4,
                                      .inner = 2,
                                      .loop = TT(MOVA2D, 0, 0, ADDR_MOD_2, 2, 0),
                                      .end = TT(SETRWC, CLEAR_AB, 0, 0, 0, 0, SET_A_B) });
    set_thread_config(code, CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + ADDR_MOD_2, 8);
    set_thread_config(code, CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + ADDR_MOD_2, 8);
    if (!strcmp(point->name, "exp_macro"))
        record_macros(code);
    guest_constant(code, REG_T3, PUSH);
}

static void emit_rounds(struct guest_code *code, const struct vector_kernel *kernel) {
    guest_emit(code, rv_addi(REG_T5, 0, (int32_t)(ROWS / kernel->unrolled)));
    unsigned loop = code->count;
    for (unsigned i = 0; i < kernel->unrolled * kernel->count; i++)
        push(code, kernel->word[i % kernel->count]);
    guest_emit(code, rv_addi(REG_T5, REG_T5, -1));
    guest_emit(code, rv_bne(REG_T5, 0, ((int32_t)loop - (int32_t)code->count) * 4));
}

/* A tile. T0 hands over four banks of SrcA without data. */
static void emit_vector(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    const uint32_t offset = TT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, 0);
    const uint32_t clear_d = TT(SETRWC, 0, 0, 0, 0, 0, CLEAR_D);
    struct vector_kernel kernel = { 0 };
    find_vector(point->name, &kernel);
    for (unsigned i = 0; i < 4 && thread == 0; i++) {
        push(code, TT(STALLWAIT, B_TDMA, C_SRCA_FREE));
        push(code, TT(SETDVALID, 1));
        guest_repeat(code, RV_NOP, 2);
    }
    if (thread != 1)
        return;
    if (kernel.copies) {
        push_by_store(code, offset);
        push(code, RUN_MOP);
        push(code, clear_d);
    }
    push_by_store(code, offset);
    push(code, TT(STALLWAIT, B_SFPU, C_MATH));
    if (kernel.emit)
        kernel.emit(code);
    else
        emit_rounds(code, &kernel);
    push(code, clear_d);
}

static bool predict_vector(struct silicon_point *point, struct silicon_error *error) {
    struct vector_kernel kernel;
    struct guest_probe probe = { .block = emit_vector, .setup = set_up_vector, .behind = emit_end, .as_reset = true };
    if (!find_vector(point->name, &kernel))
        return silicon_fail(point, error, "there is no such kernel");
    return guest_slope(&probe, point, 1, error);
}

/* ---- Configuration ------------------------------------------------------------------------------------------------
 */

/* Words of Config that a program sets; those that are zero stay as they are. */
struct words {
    uint32_t word[CONFIG_WORDS];
};

#define SET(words, name, value) ((words)->word[CONFIG_WORD_##name] |= (uint32_t)(value) << CONFIG_SHIFT_##name)

static void set_config(struct guest_code *code, const struct words *words) {
    for (unsigned i = 0; i < CONFIG_WORDS; i++)
        if (words->word[i])
            store(code, CONFIG + 4 * i, words->word[i]);
}

static long number(const struct silicon_point *point, const char *key) {
    struct silicon_error ignored;
    long value = 0;
    (void)silicon_number(point, key, &value, &ignored);
    return value;
}

/* ---- The packer ---------------------------------------------------------------------------------------------------
 */

enum { OUTPUT = 0x20000, BF16 = 5, OUTPUT_GPR = 8, ALL_INTERFACES = 15, ROW_BYTES = 32, FACE_ROWS = 16 };
#define PACK(mode, last) TT(PACR, 0, 0, 0, mode, 0, 0, ALL_INTERFACES, 0, 0, 0, 0, last)

/* BF16 from Dst to L1: four rows an instruction, four instructions a face. */
static void set_up_packer(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    enum { Y_4 = 4 | 4 << 6, Y_0_NEXT_Z = 1 << 5 | 4 << 6 | 1 << 12, ALL_0 = 1 << 5 | 1 << 11 | 1 << 13 };
    struct words words = { { 0 } };
    (void)thread;
    SET(&words, ALU_FORMAT_SPEC_REG2_Dstacc, BF16);
    SET(&words, PCK0_ADDR_CTRL_XY_REG_0_Ystride, ROW_BYTES);
    SET(&words, PCK0_ADDR_CTRL_ZW_REG_0_Zstride, ROW_BYTES * FACE_ROWS);
    SET(&words, THCON_SEC0_REG1_In_data_format, BF16);
    SET(&words, THCON_SEC0_REG1_Out_data_format, BF16);
    SET(&words, THCON_SEC0_REG1_Disable_zero_compress, 1);
    SET(&words, THCON_SEC0_REG1_Pack_L1_Acc, number(point, "l1_acc"));
    SET(&words, THCON_SEC0_REG1_L1_Dest_addr, OUTPUT / 16 - 1);
    SET(&words, PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF);
    SET(&words, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    set_config(code, &words);
    set_mop(code, &(struct template){ .outer = 4 * (uint32_t)number(point, "tiles"),
                                      .inner = 4,
                                      .loop = PACK(0, 0),
                                      .last_inner = PACK(2, 0),
                                      .last_outer = PACK(1, 1) });
    push(code, TT(SETADCXX, 4, 15, 0));
    set_thread_config(code, CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr, Y_4);
    set_thread_config(code, CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + 1, ALL_0);
    set_thread_config(code, CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + 2, Y_0_NEXT_Z);
    guest_constant(code, REG_T3, PUSH);
}

static uint32_t set_half(unsigned half, unsigned value) {
    return TT(SETDMAREG, value >> 14 & 3, value & 0x3FFF, 0, half);
}

/* A call: the address in L1, some tiles, and the counters again. */
static void emit_packer(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    (void)thread;
    push_by_store(code, TT(SETADC, 4, 0, 3, 0));
    push_by_store(code, set_half(2 * OUTPUT_GPR, OUTPUT / 16 - 1));
    push_by_store(code, set_half(2 * OUTPUT_GPR + 1, 0));
    push(code, TT(STALLWAIT, B_CFG, C_THCON));
    push(code, TT(WRCFG, OUTPUT_GPR, 0, CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr));
    push_by_store(code, set_half(2 * OUTPUT_GPR + 1, 0));
    push(code, TT(DMANOP, 0));
    push(code, RUN_MOP);
    push(code, TT(SETADCZW, 4, 0, 0, 0, 0, 5));
}

/* `calls`: the time of so many, with the wait for their end; else of one in a long loop. */
static bool predict_packer(struct silicon_point *point, struct silicon_error *error) {
    struct guest_probe probe = { .block = emit_packer, .setup = set_up_packer, .behind = emit_end, .as_reset = true };
    uint32_t cycles[BH_THREADS][GUEST_POINTS] = { 0 };
    if (!silicon_has(point, "calls"))
        return guest_slope(&probe, point, 1, error);
    probe.threads = 1 << 1;
    probe.points = 1;
    probe.blocks[0] = (unsigned)number(point, "calls");
    if (!guest_probe(&probe, point, cycles, error))
        return false;
    point->predicted = cycles[1][0];
    return true;
}

/* ---- Unpacker 0, from rows to tiles -------------------------------------------------------------------------------
 */

enum { INPUT = 0x40000, FP16 = 1, DATA = 1024, SYNC = 5 };

static void set_up_tilize(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    struct words words = { { 0 } };
    long format = number(point, "format");
    if (thread != 0)
        return;
    SET(&words, THCON_SEC0_REG0_TileDescriptor, format | 0x10 | DATA << 16);
    words.word[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 1] = 1 | 1 << 16;
    SET(&words, THCON_SEC0_REG2_Out_data_format, format);
    SET(&words, THCON_SEC0_REG2_Throttle_mode, 2);
    SET(&words, THCON_SEC0_REG2_Tileize_mode, 1);
    SET(&words, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 15);
    SET(&words, THCON_SEC0_REG2_Shift_amount_cntx0, 2 * 32 * 2 / 16); /* rows of two tiles, in units of 16 bytes */
    SET(&words, THCON_SEC0_REG5_Tile_x_dim_cntx0, DATA | DATA << 16);
    words.word[CONFIG_WORD_THCON_SEC0_REG3_Base_address] = INPUT / 16;
    words.word[CONFIG_WORD_THCON_SEC0_REG3_Base_address + 1] = INPUT / 16;
    set_config(code, &words);
    set_mop(code, &(struct template){ .outer = 1,
                                      .inner = 1,
                                      .start = TT(UNPACR, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1),
                                      .loop = TT(UNPACR_NOP, 1, 0, 0, 1, 0, 0, 0, 0, 1) });
    push(code, TT(SETADCXX, 1, DATA - 1, 0));
    push(code, TT(SEMINIT, 2, 0, 1 << SYNC));
    set_thread_config(code, CONFIG_WORD_SRCA_SET_Base, 1 << CONFIG_SHIFT_SRCA_SET_SetOvrdWithAddr);
    guest_constant(code, REG_T3, SEMAPHORES + 4 * SYNC);
    guest_constant(code, REG_T4, 14);
    guest_constant(code, REG_A2, 0);
    guest_emit(code, rv_sw(0, 8, REG_A5));
}

/* Words of T0's loop that branch to code behind the loop, and those to which that code returns. */
static struct {
    unsigned to_second_address, to_first_context, to_next_tile;
    unsigned tile, post, join;
} tilize;

enum { BEQ = 0, BNE = 1, BLTU = 6, BGEU = 7 };

static int32_t from_here(const struct guest_code *code, unsigned target) {
    return ((int32_t)target - (int32_t)code->count) * 4;
}

static void emit_address(struct guest_code *code, unsigned context) {
    guest_emit(code, rv_sw(REG_A3, (int32_t)(4 * (CONFIG_WORD_THCON_SEC0_REG3_Base_address + context)), REG_T6));
    guest_emit(code, rv_lw(REG_T5, 0, REG_T3));
    guest_emit(code, rv_andi(REG_T5, REG_T5, 0xFF));
}

/* T0: a row of two tiles, each after a context is free. The core limits the rate: its loop has a branch by the context,
 * one by the next context and one at the end of a row, which all go elsewhere each time, and reads the semaphore twice,
 * since the post checks for an overflow. T1 hands both banks back. */
static void emit_tilize(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    if (thread == 1)
        for (unsigned i = 0; i < 2; i++) {
            push(code, TT(STALLWAIT, B_MATH, C_SRCA_VALID | C_SRCB_VALID));
            push(code, TT(CLEARDVALID, 3, 0));
        }
    if (thread != 0)
        return;
    guest_constant(code, REG_A3, INPUT / 16);
    guest_emit(code, rv_addi(REG_A1, REG_A2, 0));
    guest_emit(code, rv_addi(REG_A4, REG_A3, 8));
    tilize.tile = code->count;
    guest_emit(code, rv_lw(REG_T5, 8, REG_A5)); /* which of the two copies of Config */
    guest_emit(code, rv_lui(REG_T6, rv_high(CONFIG)));
    guest_emit(code, rv_b(BEQ, REG_T5, 0, 8));
    guest_emit(code, rv_addi(REG_T6, REG_T6, 0x380));
    push(code, TT(SETADCZW, 1, 0, 0, 0, 0, 15));
    guest_emit(code, rv_lw(REG_T5, 0, REG_T3));
    guest_emit(code, rv_andi(REG_T5, REG_T5, 0xFE));
    guest_emit(code, rv_b(BNE, REG_T5, 0, -8));
    tilize.to_second_address = code->count;
    guest_emit(code, RV_NOP);
    emit_address(code, 0);
    guest_emit(code, rv_b(BLTU, REG_T4, REG_T5, -4)); /* never taken */
    tilize.post = code->count;
    guest_emit(code, rv_sw(0, 0, REG_T3));
    push(code, TT(STALLWAIT, B_UNPACK, C_CORE));
    push(code, RUN_MOP);
    push(code, TT(SEMGET, 1 << SYNC));
    guest_emit(code, rv_sub(REG_A2, REG_A0, REG_A1));
    guest_emit(code, rv_sw(REG_A2, 12, REG_A5));
    tilize.to_first_context = code->count;
    guest_emit(code, RV_NOP);
    set_thread_config(code, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0x101);
    tilize.join = code->count;
    guest_emit(code, rv_addi(REG_A3, REG_A3, 4));
    tilize.to_next_tile = code->count;
    guest_emit(code, RV_NOP);
}

/* The code behind T0's loop, and the wait for the end. */
static void emit_tilize_end(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    if (thread == 0) {
        unsigned skip = code->count;
        guest_emit(code, RV_NOP);
        code->word[tilize.to_next_tile] = rv_bne(REG_A3, REG_A4, -from_here(code, tilize.to_next_tile));
        guest_emit(code, rv_addi(REG_A1, REG_A2, 0));
        guest_emit(code, rv_jal(0, from_here(code, tilize.tile)));
        code->word[tilize.to_second_address] = rv_bne(REG_A2, 0, -from_here(code, tilize.to_second_address));
        emit_address(code, 1);
        guest_emit(code, rv_b(BGEU, REG_T4, REG_T5, from_here(code, tilize.post)));
        code->word[tilize.to_first_context] = rv_b(BEQ, REG_A1, REG_A0, -from_here(code, tilize.to_first_context));
        set_thread_config(code, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0);
        guest_emit(code, rv_jal(0, from_here(code, tilize.join)));
        code->word[skip] = rv_jal(0, -from_here(code, skip));
    }
    emit_end(code, point, thread);
}

static bool predict_unpacker(struct silicon_point *point, struct silicon_error *error) {
    struct guest_probe probe = {
        .block = emit_tilize, .setup = set_up_tilize, .behind = emit_tilize_end, .as_reset = true
    };
    return guest_slope(&probe, point, 2, error);
}

/* ---- Matrix products ------------------------------------------------------------------------------------------------
 */

enum { TILE = 1024, TMP_GPR = 12, SIZE_GPR = 36, CALLS = 8, RECORDED = 16, SECTION1 = 48 /* words from section 0 */ };
#define STREAM 0xFFB40000u

/* The words behind a tile for SrcA: the address of the next one. */
static void record_tile(struct guest_code *code, unsigned base) {
    push(code, TT(UNPACR, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
    push(code, TT(RDCFG, TMP_GPR, base));
    push(code, TT(ADDDMAREG, 0, TMP_GPR, TMP_GPR, SIZE_GPR));
    push(code, TT(STALLWAIT, B_CFG, C_THCON));
    push(code, TT(WRCFG, TMP_GPR, 0, base));
    push(code, TT(NOP, 0));
}

static void set_up_unpackers(struct guest_code *code) {
    enum { WORDS = 6, BASE = CONFIG_WORD_THCON_SEC0_REG3_Base_address };
    struct words words = { { 0 } };
    SET(&words, THCON_SEC0_REG0_TileDescriptor, BF16 | 0x10 | TILE << 16);
    words.word[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 1] = 1 | 1 << 16;
    SET(&words, THCON_SEC0_REG2_Out_data_format, BF16);
    SET(&words, THCON_SEC0_REG2_Disable_zero_compress_cntx0, 15);
    SET(&words, THCON_SEC0_REG5_Tile_x_dim_cntx0, TILE | TILE << 16);
    words.word[BASE] = words.word[BASE + 1] = INPUT / 16;
    for (unsigned i = CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor; i < CONFIG_WORDS - SECTION1; i++)
        if (words.word[i] && i < BASE + SECTION1)
            words.word[i + SECTION1] = words.word[i];
    set_config(code, &words);
    push(code, TT(SETADCXX, 3, TILE - 1, 0));
    set_thread_config(code, CONFIG_WORD_SRCA_SET_Base, 1 << CONFIG_SHIFT_SRCA_SET_SetOvrdWithAddr);
    push(code, TT(SEMINIT, 2, 0, 1 << SYNC));
    push(code, TT(REPLAY, 0, 2 * WORDS, 0, 1));
    record_tile(code, BASE);
    record_tile(code, BASE + 1);
    guest_constant(code, REG_T3, SEMAPHORES + 4 * SYNC);
    guest_constant(code, REG_T4, PUSH);
    guest_constant(code, REG_T6, CONFIG);
    guest_constant(code, REG_A1, 0);
    guest_constant(code, REG_A2, TT(REPLAY, WORDS, WORDS, 0, 0));
    guest_constant(code, REG_A3, TT(REPLAY, 0, WORDS, 0, 0));
}

/* The address modes step through SrcA, SrcB and Dst, and to the next phase; 16 MVMULs are recorded. Then banks are
 * handed to the Matrix Unit, as the probes did that ran before. */
static void set_up_product(struct guest_code *code, const struct silicon_point *point) {
    static const uint16_t modes[][2] = {
        { 12, 0x0800 }, { 28, 8 }, { 47, 0 },      { 13, 0x4010 }, { 29, 8 }, { 48, 0 },      { 14, 0x6040 },
        { 30, 8 },      { 49, 0 }, { 16, 0x7060 }, { 32, 0x400 },  { 51, 0 }, { 17, 0xC0C0 }, { 52, 0 },
    };
    static const uint8_t mode_of[RECORDED] = { 0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5 };
    const unsigned phases = (unsigned)number(point, "phases");
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        set_thread_config(code, modes[i][0], modes[i][1]);
    set_thread_config(code, 33, phases > 1 ? 0x2C00 : 0x0C00);
    push(code, TT(REPLAY, RECORDED, RECORDED, 0, 1));
    for (unsigned i = 0; i < RECORDED; i++)
        push(code, TT(MVMUL, phases == 1 && i == RECORDED - 1, 0, mode_of[i], 0));
    set_mop(code, &(struct template){ .outer = 1,
                                      .inner = phases,
                                      .end = phases > 1 ? TT(SETRWC, 1, 0, 0, 0, 0, 15) : 0,
                                      .loop = TT(REPLAY, RECORDED, RECORDED, 0, 0) });
    for (long i = 0; i < number(point, "setdvalid"); i++)
        push(code, TT(SETDVALID, 3));
    guest_constant(code, REG_T3, PUSH);
    guest_constant(code, REG_T4, TT(SETC16, 1, 0));
}

static void set_up_matmul(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    if (thread == 0)
        set_up_unpackers(code);
    else if (thread == 1)
        set_up_product(code, point);
}

static struct { unsigned call, next, to_first_context, to_next_context; } matmul;

/* The addresses of two tiles for a context, and the words that fetch them. */
static void emit_pair(struct guest_code *code, unsigned context) {
    const int32_t base = 4 * (int32_t)(CONFIG_WORD_THCON_SEC0_REG3_Base_address + context);
    guest_emit(code, rv_sw(REG_A4, base, REG_T6));
    guest_emit(code, rv_sw(REG_A4, base + 4 * SECTION1, REG_T6));
    guest_emit(code, rv_sw(0, 0, REG_T3));
    push(code, TT(STALLWAIT, B_UNPACK, C_CORE));
    push(code, TT(UNPACR, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
    guest_emit(code, rv_sw(context ? REG_A2 : REG_A3, 0, REG_T4));
    push(code, TT(SEMGET, 1 << SYNC));
}

/* A wait for a circular buffer: a stream's register, which has what is wanted. */
static void emit_wait(struct guest_code *code) {
    guest_emit(code, rv_lw(REG_T5, 40, REG_A5));
    guest_emit(code, rv_sub(REG_T5, REG_T5, REG_T5));
    guest_emit(code, rv_andi(REG_T5, REG_T5, 0xFF));
    guest_emit(code, rv_b(BNE, REG_T5, 0, -12));
}

/* A pop: the new count to a GPR, and when the unpackers are done, from there to a register of the tile; here to another
 * GPR. */
static void emit_pop(struct guest_code *code) {
    enum { GPR = 4 };
    guest_repeat(code, RV_NOP, 3);
    guest_constant(code, REG_T5, TT(SETDMAREG, 0, 0, 0, 2 * GPR));
    guest_emit(code, rv_sw(REG_T5, 0, REG_T4));
    push(code, TT(STALLWAIT, 1 << 5, 1 << 1 | 1 << 2));
    guest_repeat(code, RV_NOP, 5);
    guest_constant(code, REG_T5, TT(ADDDMAREG, 0, GPR, GPR, GPR));
    guest_emit(code, rv_sw(REG_T5, 0, REG_T4));
    guest_repeat(code, RV_NOP, 3);
}

/* Eight calls, and a wait and a pop of both buffers. T0's loop has one body for each context, and a branch to each. */
static void emit_matmul(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    if (thread == 1) {
        for (unsigned i = 0; i < CALLS; i++) {
            guest_emit(code, rv_sw(REG_T4, 0, REG_T3));
            push(code, RUN_MOP);
            push(code, TT(SETRWC, 2, 0, 0, 0, 0, 15));
            guest_emit(code, rv_b(BEQ, REG_T3, 0, 8)); /* never taken */
        }
        guest_repeat(code, RV_NOP, 3);
    }
    if (thread != 0)
        return;
    guest_constant(code, REG_A5, STREAM);
    guest_repeat(code, RV_NOP, 4);
    emit_wait(code);
    emit_wait(code);
    guest_constant(code, REG_A4, INPUT / 16);
    guest_emit(code, rv_addi(REG_A5, 0, 0));
    matmul.call = code->count;
    guest_emit(code, rv_lw(REG_T5, 0, REG_T3));
    guest_emit(code, rv_andi(REG_T5, REG_T5, 0xFE));
    guest_emit(code, rv_b(BNE, REG_T5, 0, -8));
    matmul.to_first_context = code->count;
    guest_emit(code, RV_NOP);
    emit_pair(code, 1);
    guest_emit(code, rv_b(BNE, REG_A1, REG_A0, 8)); /* never taken */
    set_thread_config(code, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0);
    guest_emit(code, rv_addi(REG_A1, 0, 0));
    matmul.next = code->count;
    guest_emit(code, rv_addi(REG_A5, REG_A5, 1));
    guest_repeat(code, rv_addi(REG_A4, REG_A4, 0), 2);
    guest_emit(code, rv_addi(REG_T5, 0, CALLS)); /* the vendor's has it in a register */
    guest_emit(code, rv_bne(REG_A5, REG_T5, from_here(code, matmul.call)));
    emit_pop(code);
    emit_pop(code);
}

static void emit_matmul_end(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    if (thread == 0) {
        unsigned skip = code->count;
        guest_emit(code, RV_NOP);
        code->word[matmul.to_first_context] = rv_b(BEQ, REG_A1, 0, -from_here(code, matmul.to_first_context));
        emit_pair(code, 0);
        guest_emit(code, rv_addi(REG_A1, 0, 1));
        set_thread_config(code, CONFIG_WORD_UNPACK_MISC_CFG_CfgContextOffset_0, 0x101);
        guest_emit(code, rv_jal(0, from_here(code, matmul.next)));
        code->word[skip] = rv_jal(0, -from_here(code, skip));
    }
}

static bool predict_matmul(struct silicon_point *point, struct silicon_error *error) {
    struct guest_probe probe = { .block = emit_matmul, .setup = set_up_matmul, .behind = emit_matmul_end };
    return guest_slope(&probe, point, CALLS, error);
}

const struct silicon_class silicon_kernels[] = {
    { "sfpu",
      "Kernels of the Vector Unit on 32x32 tiles in Dst, in cycles a tile; with the copy from SrcA if they have BF16.",
      0.04, 0.10, predict_vector },
    { "packer",
      "Calls of tt-llk's pack that move some 32x32 tiles of BF16 to L1, in cycles a call; or many of them with the "
      "wait "
      "for their end, in cycles.",
      0.04, 0.10, predict_packer },
    { "unpacker", "A 32x32 tile of BF16 from rows in L1 to SrcA, by tt-llk's tilize, in cycles a tile.", 0.04, 0.10,
      predict_unpacker },
    { "matmul",
      "`matmul_tiles` of tt-metal on BF16, with a wait and a pop of both circular buffers for each 8 calls, in cycles "
      "a "
      "call; `setdvalid`: banks of Src handed over before.",
      0.04, 0.10, predict_matmul },
    { 0 },
};
