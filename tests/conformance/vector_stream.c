/* Pushing instructions of the Vector Unit. */
#include "vector_stream.h"

#include <stdlib.h>

#include "support/rv.h"

enum { DST_ROWS = 1024, FRAME_WORDS = 200 /* what may come after the last push */ };

static unsigned nibble(uint32_t word, unsigned low) {
    return word >> low & 15;
}

/* LRegs that an instruction reads without the automatic stall. The halves that SFPLOADI and SFPLOAD keep count as read:
 * the documents do not say. */
static uint32_t missed_reads(uint32_t word) {
    uint32_t vb = 1u << nibble(word, 12), vc = 1u << nibble(word, 8), vd = 1u << nibble(word, 4);
    switch (word >> 24) {
    case TENSIX_SFPAND:
    case TENSIX_SFPOR: return word & 1 ? vb : 0;
    case TENSIX_SFPIADD:
    case TENSIX_SFPSHFT: return vd;
    case TENSIX_SFPCONFIG: return 1;
    case TENSIX_SFPSWAP: return vc | vd;
    case TENSIX_SFPSHFT2: return vb | vc;
    case TENSIX_SFPLOAD: return nibble(word, 16) >= 14 ? 1u << nibble(word, 20) : 0;
    case TENSIX_SFPLOADI: return nibble(word, 16) >= 8 ? 1u << nibble(word, 20) : 0;
    default: return 0;
    }
}

static uint32_t written_late(uint32_t word) {
    switch (word >> 24) {
    case TENSIX_SFPMULI:
    case TENSIX_SFPADDI:
    case TENSIX_SFPMAD:
    case TENSIX_SFPADD:
    case TENSIX_SFPMUL:
    case TENSIX_SFPMUL24:
    case TENSIX_SFPLUTFP32: return 1u << nibble(word, 4);
    case TENSIX_SFPLUT: return 1u << nibble(word, 20);
    default: return 0;
    }
}

static void push_word(struct vector_stream *s, uint32_t word) {
    if (vector_core(s)->count >= GENERATED_WORDS - FRAME_WORDS)
        abort(); /* a program that is too long is a mistake of the generator */
    emit(&s->g, s->g.stream[s->thread].core, tensix_to_stream(word));
}

void vector_push(struct vector_stream *s, uint32_t word) {
    if (s->late & missed_reads(word)) {
        unsigned item = s->g.item;
        s->g.item = 0; /* never left out */
        push_word(s, VT(SFPNOP, 0));
        s->g.item = item;
    }
    push_word(s, word);
    s->late = written_late(word);
}

unsigned vector_item(struct vector_stream *s) {
    return s->g.item = ++s->g.program->items;
}

void vector_sum(struct vector_stream *s, unsigned lreg) {
    if (draw(&s->g, 2))
        vector_push(s, VT(SFPIADD, .lreg_c = lreg, .lreg_dest = SUM, .instr_mod1 = 4));
    else
        vector_push(s, VT(SFPXOR, .lreg_c = lreg, .lreg_dest = SUM));
}

void vector_constant(struct vector_stream *s, unsigned lreg, uint32_t value) {
    enum { BF16 = 0, HIGH = 8, LOW = 10 };
    if (!(value & 0xFFFF)) {
        vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = BF16, .imm16 = value >> 16));
        return;
    }
    vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = HIGH, .imm16 = value >> 16));
    vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = LOW, .imm16 = value & 0xFFFF));
}

/* The immediate that leads to a row. */
static uint32_t dst_address(const struct vector_stream *s, unsigned row) {
    return (row - s->row - s->row_offset) % DST_ROWS;
}

static void step_rows(struct vector_stream *s, unsigned mode) {
    const struct dst_step *step = &s->step[mode];
    if (step->save) {
        s->row = s->saved_row = (s->row + step->increment) % DST_ROWS;
    } else if (step->clear) {
        s->row = s->saved_row = 0;
    } else if (step->from_saved) {
        s->row = s->saved_row = (s->saved_row + step->increment) % DST_ROWS;
    } else {
        s->row = (s->row + step->increment) % DST_ROWS;
    }
}

void vector_load(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row) {
    vector_push(s, VT(SFPLOAD, .lreg_ind = lreg, .instr_mod0 = format, .sfpu_addr_mode = mode,
                      .dest_reg_addr = dst_address(s, row)));
    step_rows(s, mode);
}

void vector_store(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row) {
    vector_push(s, VT(SFPSTORE, .lreg_ind = lreg, .instr_mod0 = format, .sfpu_addr_mode = mode,
                      .dest_reg_addr = dst_address(s, row)));
    step_rows(s, mode);
}

enum { RWC_DST = 4 };

void vector_set_row(struct vector_stream *s, unsigned row, bool from_saved) {
    push_word(s, VT(SETRWC, .rwc_cr = from_saved ? RWC_DST : 0, .rwc_d = row, .BitMask = RWC_DST));
    s->row = s->saved_row = (row + (from_saved ? s->saved_row : 0)) % DST_ROWS;
}

void vector_step_row(struct vector_stream *s, unsigned increment, bool from_saved) {
    push_word(s, VT(INCRWC, .rwc_cr = from_saved ? RWC_DST : 0, .rwc_d = increment));
    s->row = ((from_saved ? s->saved_row : s->row) + increment) % DST_ROWS;
    if (from_saved)
        s->saved_row = s->row;
}

void vector_flags(struct vector_stream *s, unsigned value) {
    vector_push(s, VT(SFPENCC, value, 0, 0, 10));
    s->flags_used = value & 1;
}

/* ---- The frame ---------------------------------------------------------------------------------------- */

void vector_address_mode(struct vector_stream *s, unsigned mode, struct dst_step step) {
    s->step[mode] = step;
    push_word(s, VT(SETC16, CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + mode,
                    step.increment | (uint32_t)step.from_saved << 10 | (uint32_t)step.clear << 11 |
                        (uint32_t)step.save << 12));
}

void vector_row_offset(struct vector_stream *s, unsigned offset) {
    s->row_offset = offset;
    push_word(s, VT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, offset));
}

void vector_clear_rows(struct vector_stream *s) {
    enum { NO_LREG = 8 };
    vector_load(s, NO_LREG, INT32, CLEAR_STEP, 0);
}

void vector_start(struct vector_stream *s) {
    emit_constant(&s->g, vector_core(s), CONFIG_BASE, 0xFFEF0000);
    emit_constant(&s->g, vector_core(s), SYNC_BASE, 0xFFE80000);
    emit_constant(&s->g, vector_core(s), DEBUG_BASE, 0xFFB12000);
}

unsigned vector_loop(struct vector_stream *s, unsigned times) {
    emit(&s->g, vector_core(s), rv_addi(ROUNDS, 0, (int32_t)times));
    return vector_core(s)->count;
}

static int32_t distance(const struct vector_stream *s, unsigned to) {
    return ((int32_t)to - (int32_t)vector_core(s)->count) * 4;
}

/* The jump reaches further than a branch. */
void vector_end_loop(struct vector_stream *s, unsigned top) {
    emit(&s->g, vector_core(s), rv_addi(ROUNDS, ROUNDS, -1));
    emit(&s->g, vector_core(s), rv_b(0, ROUNDS, 0, 8)); /* beq */
    emit(&s->g, vector_core(s), rv_jal(0, distance(s, top)));
}

static void copy_row(struct vector_stream *s) {
    enum { COMMAND_REGISTER = 0x64, DATA = 0x6C };
    struct generated_part *core = vector_core(s);
    for (unsigned i = 0; i < ROW_WORDS; i++) {
        emit(&s->g, core, rv_sw(COMMAND, COMMAND_REGISTER, DEBUG_BASE));
        emit(&s->g, core, rv_lw(TEMP + 1, DATA, DEBUG_BASE));
        emit(&s->g, core, rv_sw(TEMP + 1, (int32_t)i * 4, OUT));
        emit(&s->g, core, rv_add(COMMAND, COMMAND, COMMAND_STEP));
    }
    emit_constant(&s->g, core, TEMP + 1, ROW_WORDS << 12);
    emit(&s->g, core, rv_sub(COMMAND, COMMAND, TEMP + 1));
    emit(&s->g, core, rv_addi(COMMAND, COMMAND, 1));
    emit(&s->g, core, rv_addi(OUT, OUT, ROW_WORDS * 4));
}

void vector_copy_rows(struct vector_stream *s, unsigned row, unsigned count, unsigned to) {
    enum { ENABLE = 0x60, OF_DST = 2 << 16 };
    struct generated_part *core = vector_core(s);
    emit_constant(&s->g, core, OUT, s->g.program->address + to * 4);
    emit_constant(&s->g, core, COMMAND, OF_DST | row);
    emit_constant(&s->g, core, COMMAND_STEP, 1 << 12);
    emit(&s->g, core, rv_addi(TEMP, 0, 1));
    emit(&s->g, core, rv_sw(TEMP, ENABLE, DEBUG_BASE));
    emit(&s->g, core, rv_addi(TEMP, 0, (int32_t)count));
    unsigned top = core->count;
    copy_row(s);
    emit(&s->g, core, rv_addi(TEMP, TEMP, -1));
    emit(&s->g, core, rv_bne(TEMP, 0, distance(s, top)));
}

void vector_end(struct vector_stream *s, unsigned done_word) {
    emit_constant(&s->g, vector_core(s), TEMP, GENERATED_DONE);
    emit_constant(&s->g, vector_core(s), OUT, s->g.program->address + done_word * 4);
    emit(&s->g, vector_core(s), rv_sw(TEMP, 0, OUT));
    emit(&s->g, vector_core(s), rv_jal(0, 0));
}
