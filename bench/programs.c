/* Guest programs as words. Register use: x5 inner count, x6 rounds, x10..x15 work, x30 local memory, x31 data. */
#include "programs.h"

#include <string.h>

#include "support/rv.h"

enum { INNER = 64 }; /* inner loops a round */

static void emit(struct program *program, uint32_t word) {
    program->word[program->count++] = word;
}

static void emit_body(struct program *program, enum program_kind kind) {
    const uint32_t alu[] = {
        rv_add(10, 10, 11),  rv_xor(12, 12, 10),  rv_slli(13, 12, 5), rv_sltu(14, 13, 10),  rv_sub(15, 13, 14),
        rv_addi(11, 11, 77), rv_or(12, 12, 15),   rv_srli(13, 13, 7), rv_andi(14, 11, 255), rv_add(15, 15, 14),
        rv_xor(10, 10, 15),  rv_addi(13, 13, -3), rv_sub(12, 12, 13), rv_or(14, 14, 10),
    };
    /* A quarter loads and an eighth stores, as compiled integer code has them; to L1 and to local memory. */
    const uint32_t mixed[] = {
        rv_lw(10, 16, 31), rv_addi(11, 11, 77), rv_lw(12, 4, 30),   rv_add(10, 10, 11),  rv_xor(12, 12, 10),
        rv_sw(10, 16, 31), rv_slli(14, 12, 3),  rv_lbu(13, 33, 31), rv_add(15, 15, 14),  rv_sub(11, 11, 15),
        rv_sw(12, 4, 30),  rv_or(14, 14, 13),   rv_lw(15, 64, 31),  rv_addi(14, 14, -3),
    };
    const uint32_t *body = kind == PROGRAM_ALU ? alu : mixed;
    for (unsigned i = 0; i < sizeof alu / sizeof *alu; i++)
        emit(program, body[i]);
}

static void make_loop(struct program *program, enum program_kind kind) {
    unsigned outer = program->count;
    emit(program, rv_addi(5, 0, INNER));
    unsigned inner = program->count;
    emit_body(program, kind);
    emit(program, rv_addi(5, 5, -1));
    emit(program, rv_bne(5, 0, -4 * (int32_t)(program->count - inner)));
    unsigned inner_length = program->count - inner;
    emit(program, rv_addi(6, 6, 1));
    emit(program, rv_sw(6, 0, 31));
    emit(program, rv_jal(0, -4 * (int32_t)(program->count - outer)));
    program->round = program->count - outer - inner_length + INNER * inner_length;
}

static void make_poll(struct program *program) {
    emit(program, rv_lw(10, 0x400, 31));
    emit(program, rv_lw(10, 0x400, 31));
    emit(program, rv_b(0, 10, 0, -4)); /* beq x10, x0, back to the second load */
    emit(program, rv_addi(6, 6, 1));
    emit(program, rv_sw(6, 0, 31));
    emit(program, rv_jal(0, 0));
}

struct program program_make(enum program_kind kind, unsigned core) {
    struct program program = { .count = 0 };
    emit(&program, rv_lui(31, PROGRAM_DATA(core)));
    emit(&program, rv_lui(30, 0xFFB00000));
    emit(&program, rv_addi(6, 0, 0));
    for (unsigned reg = 10; reg <= 15; reg++)
        emit(&program, rv_addi(reg, 0, (int32_t)(reg * 97)));
    for (unsigned word = 0; word < 4; word++)
        emit(&program, rv_sw(0, (int32_t)word * 4, 30));
    if (kind == PROGRAM_ALU || kind == PROGRAM_MIXED)
        make_loop(&program, kind);
    else if (kind == PROGRAM_POLL)
        make_poll(&program);
    else
        emit(&program, rv_jal(0, 0));
    return program;
}
