/* Values of all sorts, without unpackers: by SFPSTORE to Dst and from there to SrcA and SrcB. */
#include "matrix_values.h"

#include "draw.h"
#include "support/rv.h"

enum { VALUE = 0, OTHER = 1, SPECIAL = 2, FILL1 = 3, KEEP = 4, FILL0 = 5, ZERO = 9 };
enum { STORE_INT32 = 4, STORE_16 = 6 };

static unsigned draw_v(struct matrix_stream *s, unsigned limit) {
    return draw(&s->v.g, limit);
}

/* ---- Shapes ----------------------------------------------------------------------------------------- */

/* As the words that SFPSTORE takes: a float of 32 bits, and the two 16-bit formats as Dst has them. */
enum layout { LAYOUT_FP32, LAYOUT_BF16, LAYOUT_FP16 };

static uint32_t encode(enum layout layout, uint32_t sign, uint32_t exponent, uint32_t mantissa) {
    switch (layout) {
    case LAYOUT_FP32: return sign << 31 | exponent << 23 | mantissa;
    case LAYOUT_BF16: return sign << 15 | mantissa >> 16 << 8 | exponent;
    default: return sign << 15 | mantissa >> 13 << 5 | exponent;
    }
}

static uint32_t largest(enum layout layout) {
    return layout == LAYOUT_FP16 ? 31 : 255;
}

static uint32_t any_special(struct matrix_stream *s, enum layout layout) {
    uint32_t sign = draw_v(s, 2), exponent = draw_v(s, 3) == 0 ? largest(layout) : 0;
    return draw_v(s, 2) ? 0 : encode(layout, sign, exponent, draw_next(&s->v.g.state) >> 9);
}

/* Exponents of 2^bits values from about `exponent` on. */
static struct matrix_shape make_shape(struct matrix_stream *s, enum layout layout, int exponent, unsigned bits) {
    static const uint32_t mantissas[] = {
        0x7FFFFF, 0x7FFFFF, 0x7FFFFF, 0x7FFFFF, 0x7FE000, 0x7F0000, 0x780000, 0x400000
    };
    static const uint32_t ones[] = { 0, 0, 0, 0, 0, 0x7F0000, 0x00E000, 0x001FFF, 0x3FFFFF };
    int most = (int)largest(layout);
    uint32_t varying = (1u << bits) - 1, start = (uint32_t)(exponent < 0 ? 0 : exponent > most ? most : exponent);
    uint32_t mantissa = mantissas[draw_v(s, sizeof mantissas / 4)], set = ones[draw_v(s, sizeof ones / 4)];
    varying &= largest(layout);
    struct matrix_shape shape = { .keep = encode(layout, draw_v(s, 8) > 0, varying, mantissa),
                                  .store = layout == LAYOUT_FP32 ? STORE_INT32 : STORE_16 };
    shape.fill[0] = encode(layout, 0, start & ~varying, set);
    shape.fill[1] = encode(layout, 0, (start ^ draw_v(s, 4)) & ~varying, 0);
    shape.special = any_special(s, layout);
    shape.sprinkle = !draw_v(s, 3);
    return shape;
}

static struct matrix_shapes shapes_of_floats(struct matrix_stream *s) {
    bool fp16 = s->family == FAMILY_FP16;
    enum layout src = fp16 ? LAYOUT_FP16 : LAYOUT_FP32, dst = s->wide ? LAYOUT_FP32 : fp16 ? LAYOUT_FP16 : LAYOUT_BF16;
    int bias = fp16 ? 15 : 127, bias_of_dst = dst == LAYOUT_FP16 ? 15 : 127, most = (int)largest(src);
    int a = bias - 7 + (int)draw_v(s, 15), b = bias - 7 + (int)draw_v(s, 15), more = (int)draw_v(s, 16) - 8;
    unsigned bits_a = draw_v(s, 5), bits_b = draw_v(s, 5), bits_dst = draw_v(s, 6);
    switch (draw_v(s, 8)) {
    case 0: bits_a = bits_b = bits_dst = 8; break;
    case 1: /* too much */
        a = bias + (int)draw_v(s, (unsigned)(most - bias));
        b = most + bias - a - (int)draw_v(s, 6);
        break;
    case 2: /* too little */
        a = (int)draw_v(s, (unsigned)bias);
        b = bias - a + (int)draw_v(s, 20);
        break;
    default: break;
    }
    int product = a - bias + b - bias + bias_of_dst;
    struct matrix_shapes shapes;
    shapes.a = make_shape(s, src, a, bits_a);
    shapes.b = make_shape(s, src, b, bits_b);
    shapes.dst = make_shape(s, dst, product + more, bits_dst);
    return shapes;
}

/* Sign and magnitude; an exponent that is not zero makes Src's number one. */
static struct matrix_shape shape_of_int8(struct matrix_stream *s) {
    static const uint16_t keep[] = { 0xFFE0, 0xFFE0, 0xFFE0, 0xFFFF, 0x9FE0, 0x80E0, 0x7FE0 };
    struct matrix_shape shape = { .keep = keep[draw_v(s, sizeof keep / 2)], .fill = { 16, 16 }, .store = STORE_16 };
    shape.special = draw_next(&s->v.g.state) & 0xFFFF;
    shape.sprinkle = !draw_v(s, 3);
    return shape;
}

static struct matrix_shapes shapes_of_integers(struct matrix_stream *s) {
    static const uint32_t keep[] = { 0xFFFFFFFF, 0x80FFFFFF, 0x8000FFFF, 0x800000FF };
    struct matrix_shapes shapes;
    shapes.a = shape_of_int8(s);
    shapes.b = shape_of_int8(s);
    shapes.dst = (struct matrix_shape){ .keep = keep[draw_v(s, 4)], .store = STORE_INT32, .special = 0x80000000 };
    shapes.dst.fill[1] = draw_v(s, 2) ? 0x7FF00000 : 0;
    shapes.dst.sprinkle = !draw_v(s, 3);
    return shapes;
}

struct matrix_shapes matrix_draw_shapes(struct matrix_stream *s) {
    return s->family == FAMILY_INT8 ? shapes_of_integers(s) : shapes_of_floats(s);
}

/* ---- Instructions ----------------------------------------------------------------------------------- */

static void load_shape(struct matrix_stream *s, const struct matrix_shape *shape) {
    vector_constant(&s->v, KEEP, shape->keep);
    vector_constant(&s->v, FILL0, shape->fill[0]);
    vector_constant(&s->v, FILL1, shape->fill[1]);
    vector_constant(&s->v, SPECIAL, shape->special);
}

static void take_random(struct matrix_stream *s, unsigned lreg) {
    vector_push(&s->v, VT(SFPMOV, .lreg_c = ZERO, .lreg_dest = lreg, .instr_mod1 = 8));
}

/* In one lane of eight. */
static void sprinkle(struct matrix_stream *s) {
    take_random(s, OTHER);
    vector_push(&s->v, VT(SFPPUSHC, 0));
    for (unsigned i = 0; i < 3; i++) {
        vector_push(&s->v, VT(SFPSETCC, .lreg_c = OTHER, .instr_mod1 = 0));
        vector_push(&s->v, VT(SFPSHFT, .imm12_math = 7, .lreg_c = OTHER, .lreg_dest = OTHER, .instr_mod1 = 5));
    }
    vector_push(&s->v, VT(SFPMOV, .lreg_c = SPECIAL, .lreg_dest = VALUE));
    vector_push(&s->v, VT(SFPPOPC, 0));
}

/* The generator shifts by one bit, so neighbours look alike; with a product mixed in they do not. */
static void make_value(struct matrix_stream *s, const struct matrix_shape *shape, unsigned fill) {
    take_random(s, VALUE);
    vector_push(&s->v, VT(SFPMUL24, VALUE, VALUE, ZERO, OTHER, 0));
    vector_push(&s->v, VT(SFPSHFT, .imm12_math = 8, .lreg_c = OTHER, .lreg_dest = OTHER, .instr_mod1 = 5));
    vector_push(&s->v, VT(SFPXOR, .lreg_c = OTHER, .lreg_dest = VALUE));
    vector_push(&s->v, VT(SFPAND, .lreg_c = KEEP, .lreg_dest = VALUE));
    vector_push(&s->v, VT(SFPOR, .lreg_c = fill, .lreg_dest = VALUE));
    if (shape->sprinkle)
        sprinkle(s);
}

static void store(struct matrix_stream *s, unsigned format, unsigned row, unsigned mode) {
    vector_push(&s->v,
                VT(SFPSTORE, .lreg_ind = VALUE, .instr_mod0 = format, .sfpu_addr_mode = mode, .dest_reg_addr = row));
}

/* Four rows, and on to the next if the mode says so. */
static void make_rows(struct matrix_stream *s, const struct matrix_shape *shape, unsigned mode) {
    make_value(s, shape, FILL0);
    store(s, shape->store, 0, FILL_STAY);
    make_value(s, shape, FILL1);
    store(s, shape->store, 2, mode);
}

/* Until what the Vector Unit has stored can be read. */
static void wait(struct matrix_stream *s) {
    for (unsigned i = 0; i < 4; i++)
        vector_push(&s->v, VT(SFPNOP, 0));
}

static void fill_file(struct matrix_stream *s, const struct matrix_shape *shape, bool b) {
    load_shape(s, shape);
    unsigned top = matrix_loop(s, FILL_COUNTER, SRC_ROWS / 4);
    make_rows(s, shape, FILL_STAY);
    wait(s);
    matrix_push(s,
                b ? VT(MOVD2B, .addr_mode = FILL_B, .instr_mod = 2) : VT(MOVD2A, .addr_mode = FILL_A, .instr_mod = 2));
    matrix_end_loop(s, FILL_COUNTER, top);
}

static void fill_ones(struct matrix_stream *s) {
    vector_constant(&s->v, VALUE, 0x3F800000);
    store(s, STORE_INT32, 0, FILL_STAY);
    store(s, STORE_INT32, 2, FILL_STAY);
    wait(s);
    matrix_push(s, VT(MOVD2B, .src = ONES_ROW, .addr_mode = FILL_STAY, .instr_mod = 2));
}

void matrix_fill_src(struct matrix_stream *s, const struct matrix_shapes *shapes) {
    unsigned top = matrix_loop(s, PASS_COUNTER, 2);
    fill_file(s, &shapes->a, false);
    fill_file(s, &shapes->b, true);
    if (s->family == FAMILY_WIDE_EXPONENT)
        fill_ones(s);
    matrix_push(s, VT(SETRWC, .clear_ab_vld = 3));
    matrix_end_loop(s, PASS_COUNTER, top);
    s->ones[0] = s->ones[1] = s->family == FAMILY_WIDE_EXPONENT;
}

void matrix_fill_dst(struct matrix_stream *s, const struct matrix_shape *shape) {
    load_shape(s, shape);
    unsigned top = matrix_loop(s, FILL_COUNTER, (unsigned)(s->wide ? STORED_ROWS / 2 : STORED_ROWS) / 4);
    make_rows(s, shape, FILL_DST);
    matrix_end_loop(s, FILL_COUNTER, top);
    wait(s);
}
