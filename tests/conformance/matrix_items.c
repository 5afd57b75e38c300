/* Random instructions of the Matrix Unit. Only forms that the oracle has:
 *
 *   MVMUL without broadcast, GAPOOL and GMPOOL of 4 rows without indices, the latter with a row of ones in SrcB
 *   ELWMUL without the accumulation bit, ELWADD and ELWSUB in phase 0; all with whatever broadcast
 *   MOVA2D 8 rows; MOVB2D 2 to 5; MOVD2A, MOVB2A 4 rows; MOVD2B 1 and 4 rows
 *   ZEROSRC of the bank in use or of both files; ZEROACC of all sizes; TRNSPSRCB; SETRWC, INCRWC; GATESRCRST
 *   CLEARDVALID of banks that the unpackers use next: they clear them and hand them over again
 *   rows that are multiples of the block of an instruction, up to the end of the file
 *
 * Formats: MVMUL, GAPOOL: alike in exponents; GMPOOL: eight bits of exponent; moves: no int8, from Dst no fp16 of
 * 32 bits and no tf32 of 16. Arithmetic but ELW* flushes denormals of SrcB. */
#include "matrix_items.h"

#include "draw.h"
#include "matrix_tally.h"

static unsigned draw_m(struct matrix_stream *s, unsigned limit) {
    return draw(&s->v.g, limit);
}

/* The oracle's lists of formats for products of matrices and maxima. */
static bool can_multiply(const struct matrix_stream *s) {
    unsigned a = matrix_format_of_a(s), b = matrix_format_of_b(s);
    return !s->keep_b && (s->family != FAMILY_WIDE_EXPONENT || (a <= 7 && (b <= 7 || b == 9)));
}

static unsigned any_mode(struct matrix_stream *s) {
    return draw_m(s, MATRIX_MODES);
}

/* An instruction with an address mode. */
static void push_counted(struct matrix_stream *s, uint32_t word, unsigned elements, unsigned mode) {
    if (s->counting)
        matrix_count(s, word, elements);
    matrix_push(s, word);
    matrix_step(s, mode);
}

static void leave_banks(struct matrix_stream *s, unsigned files) {
    s->bank[0] ^= files & 1;
    s->bank[1] ^= files >> 1 & 1;
}

static unsigned any_files(struct matrix_stream *s) {
    return draw_m(s, 12) ? 0 : 1 + draw_m(s, 3);
}

/* ---- Rows ------------------------------------------------------------------------------------------- */

/* A row of Dst, and the field that names it. Such that nothing wraps. */
static unsigned dst_field(struct matrix_stream *s, unsigned rows, bool wide) {
    unsigned end = wide ? STORED_ROWS / 2 : STORED_ROWS;
    if (s->dst + s->offset + 8 > end)
        matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 4 });
    unsigned first = s->dst + s->offset;
    return draw_m(s, (end - first) / rows) * rows;
}

/* A row of Src from the counter on. */
static unsigned src_field(struct matrix_stream *s, unsigned counter, unsigned rows) {
    return draw_m(s, (SRC_ROWS - counter) / rows) * rows;
}

static void align_a(struct matrix_stream *s) {
    if (s->a % 16)
        matrix_inc_rwc(s, (struct tensix_INCRWC){ .rwc_a = 8 });
}

/* ---- Arithmetic ------------------------------------------------------------------------------------- */

static bool multiply(struct matrix_stream *s) {
    if (!can_multiply(s))
        return false;
    unsigned mode = any_mode(s), files = any_files(s), dst = dst_field(s, 8, s->wide);
    align_a(s);
    push_counted(s, VT(MVMUL, .clear_dvalid = files, .addr_mode = mode, .dst = dst), 128, mode);
    leave_banks(s, files);
    return true;
}

static bool average(struct matrix_stream *s) {
    if (!can_multiply(s))
        return false;
    unsigned mode = any_mode(s), files = any_files(s), dst = dst_field(s, 4, s->wide);
    align_a(s);
    push_counted(s, VT(GAPOOL, .clear_dvalid = files, .instr_mod19 = 1, .pool_addr_mode = mode, .dst = dst), 64, mode);
    leave_banks(s, files);
    return true;
}

static bool maximum(struct matrix_stream *s) {
    if (s->family != FAMILY_WIDE_EXPONENT || !s->ones[s->bank[1]] || matrix_format_of_a(s) > 7 ||
        matrix_format_of_b(s) > 7)
        return false;
    unsigned mode = any_mode(s), files = any_files(s), dst = dst_field(s, 4, s->wide);
    align_a(s);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .rwc_b = ONES_ROW, .BitMask = 2 });
    push_counted(s, VT(GMPOOL, .clear_dvalid = files, .instr_mod19 = 1, .pool_addr_mode = mode, .dst = dst), 16, mode);
    leave_banks(s, files);
    return true;
}

static bool multiply_elements(struct matrix_stream *s) {
    unsigned mode = any_mode(s), files = any_files(s), broadcast = draw_m(s, 2) ? 0 : draw_m(s, 4);
    unsigned dst = dst_field(s, 8, s->wide);
    push_counted(s, VT(ELWMUL, .clear_dvalid = files, .instr_mod19 = broadcast, .addr_mode = mode, .dst = dst), 128,
                 mode);
    leave_banks(s, files);
    return true;
}

static bool add_elements(struct matrix_stream *s) {
    unsigned mode = any_mode(s), files = any_files(s), broadcast = draw_m(s, 2) ? 0 : draw_m(s, 4);
    unsigned adds = draw_m(s, 2), dst = dst_field(s, 8, s->wide);
    if (s->fidelity)
        matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 8 });
    uint32_t word =
        draw_m(s, 2) ? VT(ELWADD, files, adds, broadcast, mode, dst) : VT(ELWSUB, files, adds, broadcast, mode, dst);
    push_counted(s, word, 128, mode);
    leave_banks(s, files);
    return true;
}

/* ---- Moves ------------------------------------------------------------------------------------------ */

/* The lower halves of 32 bits, where that is defined. */
static bool any_low(struct matrix_stream *s, unsigned format) {
    return s->family == FAMILY_WIDE_EXPONENT && format != FORMAT_TF32 && s->wide && !draw_m(s, 4);
}

/* Other formats than tf32 to a Dst of 32 bits: the oracle writes rows of 16 bits, the hardware rows of 32
 * (docs/matrix.md). */
static bool can_move_to_dst(const struct matrix_stream *s, unsigned format, bool low) {
    return s->family != FAMILY_INT8 && (!s->wide || format == FORMAT_TF32 || low);
}

static bool move_a_to_dst(struct matrix_stream *s) {
    unsigned mode = any_mode(s), format = matrix_format_of_a(s);
    bool low = any_low(s, format);
    if (!can_move_to_dst(s, format, low))
        return false;
    unsigned src = src_field(s, s->a, 8), dst = dst_field(s, 8, s->wide || format == FORMAT_TF32);
    push_counted(s, VT(MOVA2D, .dest_32b_lo = low, .src = src, .addr_mode = mode, .instr_mod = 2, .dst = dst), 128,
                 mode);
    return true;
}

static bool move_b_to_dst(struct matrix_stream *s) {
    unsigned mode = any_mode(s), format = matrix_format_of_moved_b(s), way = 2 + draw_m(s, 4), rows = way & 2 ? 8 : 4;
    bool low = any_low(s, format);
    if (!can_move_to_dst(s, format, low) || format == FORMAT_FP8 || format == 15)
        return false;
    if (format == FORMAT_TF32 && matrix_format_of_b(s) != FORMAT_TF32) /* the oracle cuts it, as Wormhole does */
        return false;
    unsigned src = src_field(s, s->b, rows), dst = dst_field(s, rows, s->wide || format == FORMAT_TF32);
    push_counted(s, VT(MOVB2D, .dest_32b_lo = low, .src = src, .addr_mode = mode, .movb2d_instr_mod = way, .dst = dst),
                 rows * 16, mode);
    return true;
}

static bool can_move_from_dst(const struct matrix_stream *s, unsigned format, unsigned most) {
    if (s->family == FAMILY_WIDE_EXPONENT)
        return format <= most && (s->wide || format != FORMAT_TF32);
    return format == FORMAT_FP16 && !s->wide;
}

static bool move_dst_to_a(struct matrix_stream *s) {
    unsigned mode = any_mode(s);
    if (!can_move_from_dst(s, matrix_format_of_a(s), 7))
        return false;
    unsigned src = src_field(s, s->a, 4), dst = dst_field(s, 4, s->wide);
    push_counted(s, VT(MOVD2A, .src = src, .addr_mode = mode, .instr_mod = 2, .dst = dst), 64, mode);
    return true;
}

static bool move_dst_to_b(struct matrix_stream *s) {
    unsigned mode = any_mode(s), format = matrix_format_of_moved_b(s), way = 2 * draw_m(s, 2);
    unsigned row = src_field(s, s->b, 4);
    if (!can_move_from_dst(s, format, 8) || s->b + row == ONES_ROW)
        return false;
    bool low = any_low(s, format);
    unsigned dst = dst_field(s, 4, s->wide);
    push_counted(s, VT(MOVD2B, .dest_32b_lo = low, .src = row, .addr_mode = mode, .instr_mod = way, .dst = dst),
                 way ? 64 : 16, mode);
    return true;
}

static bool move_b_to_a(struct matrix_stream *s) {
    unsigned mode = any_mode(s), to = src_field(s, s->a, 4), from = src_field(s, s->b, 4);
    push_counted(s, VT(MOVB2A, .srca = to, .addr_mode = mode, .instr_mod = 2, .srcb = from), 64, mode);
    return true;
}

static bool transpose(struct matrix_stream *s) {
    if (s->counting)
        matrix_count(s, VT(TRNSPSRCB, 0), 256);
    matrix_push(s, VT(TRNSPSRCB, 0));
    return true;
}

/* ---- Zero ------------------------------------------------------------------------------------------- */

static bool clear_rows(struct matrix_stream *s) {
    enum { ROW, FACE, HALF, ALL };
    unsigned size = draw_m(s, 40), mode = any_mode(s), wide = draw_m(s, 2);
    if (size < 2) {
        size = size ? HALF : ALL;
        unsigned where = size == HALF ? draw_m(s, 2) : 0;
        matrix_push(s, VT(ZEROACC, .clear_mode = size, .use_32_bit_mode = wide, .addr_mode = mode, .where = where));
    } else if (size < 20 && s->family != FAMILY_INT8) {
        unsigned row = dst_field(s, 1, s->wide);
        push_counted(s, VT(ZEROACC, .clear_mode = ROW, .addr_mode = mode, .where = row), 16, mode);
    } else { /* half of Dst: where the counters are */
        unsigned face = draw_m(s, (wide ? 16u : 32u) << s->absolute), back = wide && !draw_m(s, 4);
        push_counted(s,
                     VT(ZEROACC, .clear_mode = FACE, .use_32_bit_mode = wide, .clear_zero_flags = back,
                        .addr_mode = mode, .where = face),
                     256, mode);
    }
    return true;
}

static bool clear_src(struct matrix_stream *s) {
    if (!s->once || draw_m(s, 3)) /* what comes after it is dull */
        return false;
    bool all = !draw_m(s, 4);
    unsigned files = all ? 3 : 1 + draw_m(s, 3);
    matrix_push(s, VT(ZEROSRC, .write_mode = !all, .bank_mask = all, .src_mask = files));
    if (all)
        s->ones[0] = s->ones[1] = false;
    else if (files & 2)
        s->ones[s->bank[1]] = false;
    return true;
}

/* ---- Banks ------------------------------------------------------------------------------------------ */

static bool return_banks(struct matrix_stream *s) {
    unsigned same = (unsigned)(s->bank[0] == s->unpacker[0]) | (unsigned)(s->bank[1] == s->unpacker[1]) << 1;
    unsigned files = same & (1 + draw_m(s, 3));
    if (!s->once || !files || draw_m(s, 3)) /* it clears them */
        return false;
    matrix_return(s, files);
    return true;
}

static bool reset_gates(struct matrix_stream *s) {
    matrix_push(s, VT(GATESRCRST, .reset_srcb_gate_control = draw_m(s, 2), .reset_srca_gate_control = draw_m(s, 2)));
    return true;
}

/* ---- Counters --------------------------------------------------------------------------------------- */

static bool set_counters(struct matrix_stream *s) {
    unsigned which = draw_m(s, 16), copies = draw_m(s, 8) & which, files = any_files(s), rows = draw_m(s, 8);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .clear_ab_vld = files,
                                              .rwc_cr = copies,
                                              .rwc_d = 8 * (rows & 1),
                                              .rwc_b = 8 * (rows >> 1 & 1),
                                              .rwc_a = 8 * (rows >> 2),
                                              .BitMask = which });
    return true;
}

static bool increase_counters(struct matrix_stream *s) {
    unsigned copy = draw_m(s, 2), rows = draw_m(s, 8);
    matrix_inc_rwc(
        s, (struct tensix_INCRWC){
               .rwc_cr = 4 * copy, .rwc_d = 8 * (rows & 1), .rwc_b = 8 * (rows >> 1 & 1), .rwc_a = 8 * (rows >> 2) });
    return true;
}

/* ---- Drawing ---------------------------------------------------------------------------------------- */

static const struct {
    unsigned weight;
    bool (*make)(struct matrix_stream *s);
} items[] = {
    { 16, multiply },     { 13, multiply_elements }, { 8, add_elements },      { 32, average },
    { 40, maximum },      { 6, move_a_to_dst },      { 8, move_b_to_dst },     { 6, move_dst_to_a },
    { 8, move_dst_to_b }, { 2, move_b_to_a },        { 1, transpose },         { 3, clear_rows },
    { 1, clear_src },     { 3, set_counters },       { 2, increase_counters }, { 1, return_banks },
    { 1, reset_gates },
};

static bool make_one(struct matrix_stream *s) {
    unsigned total = 0, i = 0;
    for (unsigned k = 0; k < sizeof items / sizeof *items; k++)
        total += items[k].weight;
    unsigned chosen = draw_m(s, total);
    while (chosen >= items[i].weight)
        chosen -= items[i++].weight;
    return items[i].make(s);
}

void matrix_draw_item(struct matrix_stream *s) {
    vector_item(&s->v);
    while (!make_one(s))
        continue;
}
