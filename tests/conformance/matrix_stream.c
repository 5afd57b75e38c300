/* Pushing instructions of the Matrix Unit. */
#include "matrix_stream.h"

#include <stdlib.h>

#include "support/rv.h"

enum { FRAME_WORDS = 200 /* what may come after the last push */ };

void matrix_push(struct matrix_stream *s, uint32_t word) {
    if (vector_core(&s->v)->count >= GENERATED_WORDS - FRAME_WORDS)
        abort(); /* a program that is too long is a mistake of the generator */
    emit(&s->v.g, vector_core(&s->v), tensix_to_stream(word));
}

/* ---- Counters --------------------------------------------------------------------------------------- */

static void advance(unsigned *counter, unsigned *copy, unsigned increment, enum rwc_way way, unsigned rows) {
    switch (way) {
    case RWC_ADD: *counter = (*counter + increment) % rows; break;
    case RWC_CLEAR: *counter = *copy = 0; break;
    case RWC_FROM_COPY: *counter = *copy = (*copy + increment) % rows; break;
    case RWC_AND_COPY: *counter = *copy = (*counter + increment) % rows; break;
    }
}

void matrix_step(struct matrix_stream *s, unsigned mode) {
    const struct rwc_step *step = &s->step[mode];
    advance(&s->a, &s->a_copy, step->a, step->a_way, SRC_ROWS);
    advance(&s->b, &s->b_copy, step->b, step->b_way, SRC_ROWS);
    advance(&s->dst, &s->dst_copy, step->dst, step->dst_way, STORED_ROWS);
    s->fidelity = step->clear_fidelity ? 0 : (s->fidelity + step->fidelity) % 4;
}

void matrix_set_rwc(struct matrix_stream *s, struct tensix_SETRWC op) {
    matrix_push(s, tensix_encode_SETRWC(op));
    if (op.BitMask & 1)
        s->a = s->a_copy = (op.rwc_a + (op.rwc_cr & 1 ? s->a_copy : 0)) % SRC_ROWS;
    if (op.BitMask & 2)
        s->b = s->b_copy = (op.rwc_b + (op.rwc_cr & 2 ? s->b_copy : 0)) % SRC_ROWS;
    if (op.BitMask & 4)
        s->dst = s->dst_copy = (op.rwc_d + (op.rwc_cr & 4 ? s->dst_copy : 0)) % STORED_ROWS;
    if (op.BitMask & 8)
        s->fidelity = 0;
    s->bank[0] ^= op.clear_ab_vld & 1;
    s->bank[1] ^= op.clear_ab_vld >> 1 & 1;
}

void matrix_inc_rwc(struct matrix_stream *s, struct tensix_INCRWC op) {
    matrix_push(s, tensix_encode_INCRWC(op));
    advance(&s->a, &s->a_copy, op.rwc_a, RWC_ADD, SRC_ROWS);
    advance(&s->b, &s->b_copy, op.rwc_b, RWC_ADD, SRC_ROWS);
    advance(&s->dst, &s->dst_copy, op.rwc_d, op.rwc_cr & 4 ? RWC_FROM_COPY : RWC_ADD, STORED_ROWS);
}

void matrix_address_mode(struct matrix_stream *s, unsigned mode, struct rwc_step step) {
    uint32_t ab = step.a | (uint32_t)(step.a_way == RWC_FROM_COPY) << 6 | (uint32_t)(step.a_way == RWC_CLEAR) << 7 |
                  step.b << 8 | (uint32_t)(step.b_way == RWC_FROM_COPY) << 14 |
                  (uint32_t)(step.b_way == RWC_CLEAR) << 15;
    uint32_t dst = step.dst | (uint32_t)(step.dst_way == RWC_FROM_COPY) << 10 |
                   (uint32_t)(step.dst_way == RWC_CLEAR) << 11 | (uint32_t)(step.dst_way == RWC_AND_COPY) << 12 |
                   step.fidelity << 13 | (uint32_t)step.clear_fidelity << 15;
    s->step[mode] = step;
    matrix_push(s, VT(SETC16, CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + mode, ab));
    matrix_push(s, VT(SETC16, CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + mode, dst));
}

void matrix_offset(struct matrix_stream *s, unsigned offset) {
    s->offset = offset;
    matrix_push(s, VT(SETC16, CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset, offset));
}

void matrix_flip(struct matrix_stream *s, unsigned files) {
    matrix_set_rwc(s, (struct tensix_SETRWC){ .clear_ab_vld = files });
}

static unsigned out_format_word(unsigned file) {
    return file ? CONFIG_WORD_THCON_SEC1_REG2_Out_data_format : CONFIG_WORD_THCON_SEC0_REG2_Out_data_format;
}

void matrix_hand_over(struct matrix_stream *s, unsigned files) {
    sync(&s->v.g, s->v.thread);
    for (unsigned file = 0; file < 2; file++)
        if (files >> file & 1)
            matrix_config(s, out_format_word(file), s->implied[file][s->unpacker[file]]);
    for (unsigned file = 0; file < 2; file++) {
        if (!(files >> file & 1))
            continue;
        matrix_push(s, VT(UNPACR_NOP, .Unpacker_Select = file, .Set_Dvalid = 1, .Stall_Clr_Cntrl = 1, .Unpack_Pop = 1));
        if (file)
            s->ones[s->unpacker[file]] = false;
        s->unpacker[file] ^= 1;
    }
}

void matrix_return(struct matrix_stream *s, unsigned files) {
    matrix_push(s, VT(CLEARDVALID, .cleardvalid = files));
    s->bank[0] ^= files & 1;
    s->bank[1] ^= files >> 1;
    matrix_hand_over(s, files);
}

/* ---- Configuration ---------------------------------------------------------------------------------- */

void matrix_config(struct matrix_stream *s, unsigned word, uint32_t value) {
    struct generated_part *core = vector_core(&s->v);
    emit_constant(&s->v.g, core, TEMP + 1, value);
    store_and_read_back(&s->v.g, core, TEMP + 1, (int32_t)word * 4, CONFIG_BASE);
}

void matrix_alu(struct matrix_stream *s, unsigned a, unsigned b, bool wide, bool int8, bool keep_b) {
    sync(&s->v.g, s->v.thread);
    matrix_config(s, CONFIG_WORD_ALU_FORMAT_SPEC_REG0_SrcA,
                  a << CONFIG_SHIFT_ALU_FORMAT_SPEC_REG0_SrcA | b << CONFIG_SHIFT_ALU_FORMAT_SPEC_REG1_SrcB |
                      (uint32_t)wide << CONFIG_SHIFT_ALU_ACC_CTRL_Fp32_enabled |
                      (uint32_t)int8 << CONFIG_SHIFT_ALU_ACC_CTRL_INT8_math_enabled);
    matrix_config(s, CONFIG_WORD_ALU_ACC_CTRL_Zero_Flag_disabled_src,
                  (uint32_t)keep_b << CONFIG_SHIFT_ALU_ACC_CTRL_Zero_Flag_disabled_src);
}

void matrix_own_formats(struct matrix_stream *s, bool a, bool b) {
    s->own_a = a, s->own_b = b;
    matrix_push(s, VT(SETC16, CONFIG_WORD_DISABLE_IMPLIED_SRCA_FMT_Base, a));
    matrix_push(s, VT(SETC16, CONFIG_WORD_DISABLE_IMPLIED_SRCB_FMT_Base, b));
}

unsigned matrix_format_of_a(const struct matrix_stream *s) {
    return s->own_a ? s->config_a : s->implied[0][s->bank[0]];
}
unsigned matrix_format_of_b(const struct matrix_stream *s) {
    return s->own_b ? s->config_b : s->implied[1][s->bank[1]];
}
unsigned matrix_format_of_moved_b(const struct matrix_stream *s) {
    return s->own_a ? s->config_a : s->implied[1][s->bank[1]];
}

/* ---- Loops ------------------------------------------------------------------------------------------ */

unsigned matrix_loop(struct matrix_stream *s, unsigned counter, unsigned times) {
    emit(&s->v.g, vector_core(&s->v), rv_addi(counter, 0, (int32_t)times));
    return vector_core(&s->v)->count;
}

/* The jump reaches further than a branch. */
void matrix_end_loop(struct matrix_stream *s, unsigned counter, unsigned top) {
    struct generated_part *core = vector_core(&s->v);
    emit(&s->v.g, core, rv_addi(counter, counter, -1));
    emit(&s->v.g, core, rv_b(0, counter, 0, 8)); /* beq */
    emit(&s->v.g, core, rv_jal(0, ((int32_t)top - (int32_t)core->count) * 4));
}
