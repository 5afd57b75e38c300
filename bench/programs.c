/* Guest programs as words. Use of registers: x5 inner count, x6 rounds, x7 push window, x10..x25 work, x30 local
 * memory, x31 data. */
#include "programs.h"

#include <stdbool.h>
#include <string.h>

#include "isa/tensix.h"
#include "support/rv.h"

enum { INNER = 64 }; /* number of inner loops in a round */

static void emit(struct program *program, uint32_t word) {
    program->word[program->count++] = word;
}

static void emit_body(struct program *program, enum program_kind kind) {
    const uint32_t alu[] = {
        rv_add(10, 10, 11),  rv_xor(12, 12, 10),  rv_slli(13, 12, 5), rv_sltu(14, 13, 10),  rv_sub(15, 13, 14),
        rv_addi(11, 11, 77), rv_or(12, 12, 15),   rv_srli(13, 13, 7), rv_andi(14, 11, 255), rv_add(15, 15, 14),
        rv_xor(10, 10, 15),  rv_addi(13, 13, -3), rv_sub(12, 12, 13), rv_or(14, 14, 10),
    };
    /* A quarter of loads and an eighth of stores, as in compiled integer code, to L1 and to local memory. */
    const uint32_t mixed[] = {
        rv_lw(10, 16, 31), rv_addi(11, 11, 77), rv_lw(12, 4, 30),   rv_add(10, 10, 11),  rv_xor(12, 12, 10),
        rv_sw(10, 16, 31), rv_slli(14, 12, 3),  rv_lbu(13, 33, 31), rv_add(15, 15, 14),  rv_sub(11, 11, 15),
        rv_sw(12, 4, 30),  rv_or(14, 14, 13),   rv_lw(15, 64, 31),  rv_addi(14, 14, -3),
    };
    const uint32_t *body = kind == PROGRAM_ALU ? alu : mixed;
    for (unsigned i = 0; i < sizeof alu / sizeof *alu; i++)
        emit(program, body[i]);
}

static uint32_t set_half(unsigned half, uint32_t value) {
    return tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ .RegIndex16b = half, .Payload_SigSel = value });
}
static uint32_t set_thread_config(unsigned reg, uint32_t value) {
    return tensix_encode_SETC16((struct tensix_SETC16){ .setc16_reg = reg, .setc16_value = value });
}
static uint32_t write_config(unsigned word, unsigned gpr) {
    return tensix_encode_WRCFG((struct tensix_WRCFG){ .CfgReg = word, .GprAddress = gpr });
}

/* Words like those by which the LLK sets up a packer: constants to GPRs, a wait, GPRs to Config, address modes, a field
 * or two. */
enum { PUSHED = 16, PUSHED_BASE = 10 };
static uint32_t config_word(unsigned index) {
    const uint32_t words[PUSHED] = {
        set_half(56, 0x800),
        set_half(57, 0x2),
        set_half(58, 0x20),
        set_half(59, 0x80),
        set_half(60, 0x123),
        set_half(61, 0x456),
        tensix_encode_STALLWAIT((struct tensix_STALLWAIT){ .stall_res = 1 << 7, .wait_res = 1 << 0 }),
        write_config(12, 28),
        write_config(13, 29),
        write_config(14, 30),
        set_thread_config(12, 0x0101),
        set_thread_config(28, 0x0008),
        set_thread_config(13, 0x0202),
        set_thread_config(29, 0x0010),
        tensix_encode_RMWCIB0((struct tensix_RMWCIB0){ .CfgRegAddr = 17, .Mask = 0x0F, .Data = 0x05 }),
        tensix_encode_RMWCIB1((struct tensix_RMWCIB1){ .CfgRegAddr = 69, .Mask = 0xF0, .Data = 0xA0 }),
    };
    return words[index];
}

static uint32_t mad(unsigned a, unsigned b, unsigned c, unsigned d) {
    return tensix_encode_SFPMAD(
        (struct tensix_SFPMAD){ .lreg_src_a = a, .lreg_src_b = b, .lreg_src_c = c, .lreg_dest = d });
}

/* SFPLOAD, two SFPMAD and SFPSTORE on 32-bit words, at one position of Dst after the other. */
static uint32_t stream_word(unsigned index) {
    enum { WHOLE = 3 };
    switch (index % 4) {
    case 0:
        return tensix_encode_SFPLOAD(
            (struct tensix_SFPLOAD){ .lreg_ind = 4, .instr_mod0 = WHOLE, .dest_reg_addr = index & ~3u });
    case 1: return mad(4, 0, 1, 5);
    case 2: return mad(5, 2, 3, 6);
    default:
        return tensix_encode_SFPSTORE(
            (struct tensix_SFPSTORE){ .lreg_ind = 6, .instr_mod0 = WHOLE, .dest_reg_addr = 64 + (index & ~3u) });
    }
}

/* SFPMAD words that keep LReg0..3 unchanged. */
static uint32_t mad_word(unsigned index) {
    return mad(index & 3, (index >> 1 & 3) ^ 1, (index >> 2) ^ 2, 4 + (index & 3));
}

/* Words for the Matrix Unit on consecutive blocks of Dst. The address mode advances through SrcA and SrcB if the
 * instruction reads both. */
enum { STAY, NEXT_ROWS, NEXT_BLOCKS };
static uint32_t matrix_word(enum program_kind kind, unsigned index) {
    enum { EIGHT_ROWS = 2, FOUR_ROWS = 2, FACE = 1 };
    switch (kind) {
    case PROGRAM_ELWADD:
        return tensix_encode_ELWADD((struct tensix_ELWADD){ .addr_mode = NEXT_BLOCKS, .dst = 8 * index });
    case PROGRAM_ELWMUL:
        return tensix_encode_ELWMUL((struct tensix_ELWMUL){ .addr_mode = NEXT_BLOCKS, .dst = 8 * index });
    case PROGRAM_MOVA2D:
        return tensix_encode_MOVA2D((struct tensix_MOVA2D){
            .src = index * 8 % 64, .addr_mode = STAY, .instr_mod = EIGHT_ROWS, .dst = 8 * index });
    case PROGRAM_MOVD2A:
        return tensix_encode_MOVD2A(
            (struct tensix_MOVD2A){ .src = index * 4, .addr_mode = STAY, .instr_mod = FOUR_ROWS, .dst = 4 * index });
    case PROGRAM_MOVB2A:
        return tensix_encode_MOVB2A(
            (struct tensix_MOVB2A){ .srca = index * 4, .addr_mode = STAY, .instr_mod = FOUR_ROWS, .srcb = index * 4 });
    case PROGRAM_ZEROACC:
        return tensix_encode_ZEROACC((struct tensix_ZEROACC){ .clear_mode = FACE, .addr_mode = STAY, .where = index });
    default: return tensix_encode_MVMUL((struct tensix_MVMUL){ .addr_mode = NEXT_BLOCKS, .dst = 8 * index });
    }
}

static bool is_matrix(enum program_kind kind) {
    return kind >= PROGRAM_MVMUL && kind <= PROGRAM_ZEROACC;
}

/* Moves tiles from and to L1. */
enum { DATA_FORMAT = 5 /* BF16 */, DATA_TILE = 0x40000, TILE_DATA = 1024, ROW_DATA = 16 };
enum { NEXT_FOUR_ROWS, FIRST_ROW }; /* address modes of the packer */

static uint32_t data_word(enum program_kind kind, unsigned index) {
    bool last = index == PUSHED - 1;
    if (kind == PROGRAM_UNPACR)
        return tensix_encode_UNPACR((struct tensix_UNPACR){ .OvrdThreadId = 1, .Last = 1 });
    return tensix_encode_PACR((struct tensix_PACR){ .AddrMode = last ? FIRST_ROW : NEXT_FOUR_ROWS, .Last = last });
}

static bool is_data(enum program_kind kind) {
    return kind == PROGRAM_UNPACR || kind == PROGRAM_PACR;
}

static uint32_t pushed_word(enum program_kind kind, unsigned index) {
    if (is_matrix(kind))
        return matrix_word(kind, index);
    if (is_data(kind))
        return data_word(kind, index);
    switch (kind) {
    case PROGRAM_SFPU: return stream_word(index);
    case PROGRAM_MAD:
    case PROGRAM_MAD_ANY: return mad_word(index);
    default: return config_word(index);
    }
}

static bool is_vector(enum program_kind kind) {
    return kind == PROGRAM_SFPU || kind == PROGRAM_MAD || kind == PROGRAM_MAD_ANY;
}

static void emit_constant(struct program *program, unsigned reg, uint32_t value) {
    emit(program, rv_lui(reg, rv_high(value)));
    emit(program, rv_addi(reg, reg, rv_low(value)));
}

static void emit_pushes(struct program *program, enum program_kind kind) {
    for (unsigned i = 0; i < PUSHED; i++)
        emit(program, kind == PROGRAM_STORE ? rv_sw(PUSHED_BASE + i, 0, 7) : tensix_to_stream(pushed_word(kind, i)));
}

static void make_loop(struct program *program, enum program_kind kind) {
    unsigned outer = program->count;
    emit(program, rv_addi(5, 0, INNER));
    unsigned inner = program->count;
    bool pushes =
        kind == PROGRAM_INLINE || kind == PROGRAM_STORE || is_vector(kind) || is_matrix(kind) || is_data(kind);
    if (pushes)
        emit_pushes(program, kind);
    else
        emit_body(program, kind);
    emit(program, rv_addi(5, 5, -1));
    emit(program, rv_bne(5, 0, -4 * (int32_t)(program->count - inner)));
    unsigned inner_length = program->count - inner;
    emit(program, rv_addi(6, 6, 1));
    emit(program, rv_sw(6, 0, 31));
    emit(program, rv_jal(0, -4 * (int32_t)(program->count - outer)));
    program->round = pushes ? INNER * PUSHED : program->count - outer - inner_length + INNER * inner_length;
}

static void make_poll(struct program *program) {
    emit(program, rv_lw(10, 0x400, 31));
    emit(program, rv_lw(10, 0x400, 31));
    emit(program, rv_b(0, 10, 0, -4)); /* beq x10, x0, back to the second load */
    emit(program, rv_addi(6, 6, 1));
    emit(program, rv_sw(6, 0, 31));
    emit(program, rv_jal(0, 0));
}

static void make_pushing(struct program *program, enum program_kind kind) {
    emit_constant(program, 7, 0xFFE40000);
    for (unsigned i = 0; i < PUSHED; i++)
        emit_constant(program, PUSHED_BASE + i, config_word(i));
    emit(program, tensix_to_stream(set_thread_config(0, 0)));
    make_loop(program, kind);
}

/* Seeds the random numbers of each lane, and waits until they differ. The address of Config is in x16. */
static void seed_lanes(struct program *program) {
    enum { SEED_WORD = 186 };
    emit_constant(program, 17, 0x2545F491);
    emit(program, rv_sw(17, SEED_WORD * 4, 16));
    emit(program, rv_addi(17, 0, 700));
    emit(program, rv_addi(17, 17, -1));
    emit(program, rv_bne(17, 0, -4));
}

/* Puts random bits into LReg0..3. For normal numbers, makes their exponents lie close together. */
static void make_vector(struct program *program, enum program_kind kind) {
    emit(program, rv_lui(16, 0xFFEF0000));
    seed_lanes(program);
    for (unsigned i = 0; i < 4; i++) {
        struct tensix_SFPMOV random = { .lreg_c = 9, .lreg_dest = i, .instr_mod1 = 8 };
        struct tensix_SFPSETEXP near = { .imm12_math = 125 + i, .lreg_c = i, .lreg_dest = i, .instr_mod1 = 1 };
        emit(program, tensix_to_stream(tensix_encode_SFPMOV(random)));
        if (kind != PROGRAM_MAD_ANY)
            emit(program, tensix_to_stream(tensix_encode_SFPSETEXP(near)));
    }
    make_loop(program, kind);
}

static void push(struct program *program, uint32_t word) {
    emit(program, tensix_to_stream(word));
}

/* Writes a word of Config and reads it back. The address of Config is in x16. */
static void write_word(struct program *program, unsigned word, uint32_t value) {
    emit_constant(program, 17, value);
    emit(program, rv_sw(17, (int32_t)word * 4, 16));
    emit(program, rv_lw(17, (int32_t)word * 4, 16));
    emit(program, rv_addi(17, 17, 0));
}

/* Puts random numbers with eight different exponents into the first four rows of Dst. */
static void make_rows(struct program *program) {
    enum { BF16 = 2, NOPS = 3 };
    for (unsigned i = 0; i < 2; i++) {
        push(program, tensix_encode_SFPMOV((struct tensix_SFPMOV){ .lreg_c = 9, .lreg_dest = 0, .instr_mod1 = 8 }));
        push(program, tensix_encode_SFPAND((struct tensix_SFPAND){ .lreg_c = 1, .lreg_dest = 0 }));
        push(program, tensix_encode_SFPOR((struct tensix_SFPOR){ .lreg_c = 2, .lreg_dest = 0 }));
        push(program, tensix_encode_SFPSTORE((struct tensix_SFPSTORE){ .instr_mod0 = BF16, .dest_reg_addr = 2 * i }));
    }
    for (unsigned i = 0; i < NOPS; i++)
        push(program, tensix_encode_SFPNOP((struct tensix_SFPNOP){ 0 }));
}

static void fill_src(struct program *program) {
    enum { FOUR_ROWS = 2, UPPER = 0 };
    push(program, tensix_encode_SFPLOADI((struct tensix_SFPLOADI){ 1, UPPER, 0x83FF }));
    push(program, tensix_encode_SFPLOADI((struct tensix_SFPLOADI){ 2, UPPER, 0x3C00 }));
    emit(program, rv_addi(5, 0, 16));
    unsigned top = program->count;
    make_rows(program);
    push(program, tensix_encode_MOVD2A((struct tensix_MOVD2A){ .addr_mode = STAY, .instr_mod = FOUR_ROWS }));
    make_rows(program);
    push(program, tensix_encode_MOVD2B((struct tensix_MOVD2B){ .addr_mode = NEXT_ROWS, .instr_mod = FOUR_ROWS }));
    emit(program, rv_addi(5, 5, -1));
    emit(program, rv_bne(5, 0, -4 * (int32_t)(program->count - top)));
}

/* Lets the core wait for its thread. */
static void wait_for_thread(struct program *program) {
    emit(program, rv_lui(18, 0xFFE80000));
    emit(program, rv_sw(0, 4, 18));
    emit(program, rv_lw(17, 4, 18));
    emit(program, rv_addi(17, 17, 0));
}

/* Fills SrcA and SrcB with BF16, and leaves them to the Matrix Unit. */
static void make_matrix(struct program *program, enum program_kind kind) {
    enum { BF16 = 5, FORMATS = BF16 << 17 | BF16 << 21, CLEAR = 1, MODE_AB = 12 };
    emit(program, rv_lui(16, 0xFFEF0000));
    seed_lanes(program);
    write_word(program, 1, FORMATS);
    write_word(program, 72, BF16);
    write_word(program, 120, BF16);
    push(program, set_thread_config(MODE_AB + NEXT_ROWS, 4 | 4 << 8));
    push(program, set_thread_config(MODE_AB + NEXT_BLOCKS, 16 | 8 << 8));
    for (unsigned file = 0; file < 2; file++)
        push(program, tensix_encode_UNPACR_NOP(
                          (struct tensix_UNPACR_NOP){ .Unpacker_Select = file, .Set_Dvalid = 1, .Unpack_Pop = CLEAR }));
    fill_src(program);
    wait_for_thread(program);
    if (kind == PROGRAM_MVMUL_FP32)
        write_word(program, 1, FORMATS | 1u << 29);
    make_loop(program, kind);
}

static void make_unpacr(struct program *program) {
    enum { ABSOLUTE_ROWS = 4, FIRST_DATUM = 64, UNPACKER0 = 1 };
    write_word(program, 64, DATA_FORMAT | 0x10 | (uint32_t)TILE_DATA << 16);
    write_word(program, 65, 1 | 1 << 16);
    write_word(program, 72, DATA_FORMAT);
    write_word(program, 73, 3); /* uncompressed */
    write_word(program, 76, DATA_TILE / 16 - 1);
    write_word(program, 84, FIRST_DATUM);
    write_word(program, 86, TILE_DATA);
    push(program, set_thread_config(5, ABSOLUTE_ROWS));
    push(program, tensix_encode_SETADCXX(
                      (struct tensix_SETADCXX){ .CntSetMask = UNPACKER0, .x_end2 = TILE_DATA - 1, .x_start = 0 }));
}

static void make_pacr(struct program *program) {
    enum { ROW_BYTES = 2 * ROW_DATA, FACE_ROWS = 16, PACKER = 4, MODE_PACK = 37, CLEAR_Y = 1 << 5 };
    write_word(program, 1, (uint32_t)DATA_FORMAT << 25);
    write_word(program, 12, (uint32_t)ROW_BYTES << 16);
    write_word(program, 24, 0xFFFF); /* no edges */
    write_word(program, 28, FACE_ROWS << 8);
    write_word(program, 69, DATA_TILE / 16 - 1);
    write_word(program, 70, 1 | DATA_FORMAT << 4 | DATA_FORMAT << 8);
    push(program, set_thread_config(MODE_PACK + NEXT_FOUR_ROWS, 4));
    push(program, set_thread_config(MODE_PACK + FIRST_ROW, CLEAR_Y));
    push(program, tensix_encode_SETADCXX(
                      (struct tensix_SETADCXX){ .CntSetMask = PACKER, .x_end2 = ROW_DATA - 1, .x_start = 0 }));
}

static void make_data(struct program *program, enum program_kind kind) {
    emit(program, rv_lui(16, 0xFFEF0000));
    if (kind == PROGRAM_UNPACR)
        make_unpacr(program);
    else
        make_pacr(program);
    wait_for_thread(program);
    make_loop(program, kind);
}

/* Writes the registers of a command buffer, whose address is in x16. */
static void set_request(struct program *program, const uint32_t word[9]) {
    for (unsigned i = 0; i < 9; i++) {
        emit_constant(program, 17, word[i]);
        emit(program, rv_sw(17, (int32_t)i * 4, 16));
    }
}

/* Makes eight requests in a round. The coordinates of the core's own tile are in x20, those of the tile below in x21;
 * the tiles of a column share a port of a DRAM bank. */
static void make_noc(struct program *program) {
    enum { SOURCE = 0x20000, PLACE = 0x30000, INTO = 0x28000, LENGTH = 1024, GROUP = 4, WRITE = 0x2092, READ = 0x2090 };
    const uint32_t write[9] = { SOURCE, 0, 0, PLACE, 0, 0, 0, WRITE, LENGTH };
    const uint32_t read[9] = { 0x4000, 0, 17 | 12 << 6, INTO, 0, 0, 0, READ, LENGTH };
    emit_constant(program, 16, 0xFFB20800);
    set_request(program, read);
    emit(program, rv_lw(20, 0x148 - 0x800, 16));
    emit(program, rv_sw(20, 0x14, 16));
    emit(program, rv_andi(22, 20, 7));
    emit(program, rv_slli(22, 22, 6));
    emit(program, rv_srli(23, 20, 3));
    emit(program, rv_andi(23, 23, 1));
    emit(program, rv_add(22, 22, 23));
    emit_constant(program, 23, 17 | 12 << 6);
    emit(program, rv_add(22, 22, 23));
    emit(program, rv_sw(22, 0x08, 16));
    emit_constant(program, 16, 0xFFB20000);
    set_request(program, write);
    emit(program, rv_sw(20, 0x08, 16));
    emit(program, rv_addi(21, 20, 64));
    emit(program, rv_srli(22, 21, 6));
    emit(program, rv_addi(23, 0, 12));
    emit(program, rv_bne(22, 23, 8));
    emit(program, rv_addi(21, 21, -10 * 64)); /* from the last row to the first */
    emit(program, rv_sw(21, 0x14, 16));
    emit_constant(program, 18, 0xFFB20800);
    emit(program, rv_addi(24, 0, 1));
    emit(program, rv_addi(25, 0, 0));
    unsigned top = program->count;
    for (unsigned i = 0; i < 2 * GROUP; i++) {
        unsigned niu = i % 2 ? 18 : 16;
        emit(program, rv_sw(24, 0x40, niu));
        emit(program, rv_lw(10, 0x40, niu));
        emit(program, rv_bne(10, 0, -4));
    }
    emit(program, rv_addi(25, 25, GROUP));
    for (int32_t counter = 0x204; counter <= 0x208; counter += 4) { /* acknowledgements, then data */
        emit(program, rv_lw(10, counter, 16));
        emit(program, rv_bne(10, 25, -4));
    }
    emit(program, rv_addi(6, 6, 1));
    emit(program, rv_sw(6, 0, 31));
    emit(program, rv_jal(0, -4 * (int32_t)(program->count - top)));
    program->round = 2 * GROUP;
}

static void make_blocked(struct program *program) {
    emit(program, tensix_to_stream(tensix_encode_SEMWAIT(
                      (struct tensix_SEMWAIT){ .stall_res = 0x1FF, .sem_sel = 1 << 3, .wait_sem_cond = 1 })));
    emit(program, tensix_to_stream(set_half(0, 0)));
    emit(program, rv_jal(0, 0));
}

struct program program_make(enum program_kind kind, unsigned core) {
    struct program program = { .count = 0 };
    emit(&program, rv_addi(5, 0, 8)); /* csrrs x0, cfg0, x5 turns the L0 data cache off; the peer lacks csrrsi */
    emit(&program, rv_i(0x73, 2, 0, 5, 0x7C0));
    emit(&program, rv_lui(31, PROGRAM_DATA(core)));
    emit(&program, rv_lui(30, 0xFFB00000));
    emit(&program, rv_addi(6, 0, 0));
    for (unsigned reg = 10; reg <= 15; reg++)
        emit(&program, rv_addi(reg, 0, (int32_t)(reg * 97)));
    for (unsigned word = 0; word < 4; word++)
        emit(&program, rv_sw(0, (int32_t)word * 4, 30));
    if (kind == PROGRAM_ALU || kind == PROGRAM_MIXED)
        make_loop(&program, kind);
    else if (kind == PROGRAM_INLINE || kind == PROGRAM_STORE)
        make_pushing(&program, kind);
    else if (is_vector(kind))
        make_vector(&program, kind);
    else if (is_matrix(kind))
        make_matrix(&program, kind);
    else if (is_data(kind))
        make_data(&program, kind);
    else if (kind == PROGRAM_NOC)
        make_noc(&program);
    else if (kind == PROGRAM_BLOCKED)
        make_blocked(&program);
    else if (kind == PROGRAM_POLL)
        make_poll(&program);
    else
        emit(&program, rv_jal(0, 0));
    return program;
}
