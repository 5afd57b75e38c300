/* Random operands, instructions, small groups of instructions. Only modes that the oracle has:
 *
 *   SFPLUT 4; SFPLUTFP32 2; SFPMULI, SFPADDI, SFPARECIP 0; SFPEXEXP 0 to 2, 10; SFPSHFT 0 to 3, 5, 7; SFPLZ 0, 2, 4
 *   SFPMOV 0 to 2, the PRNG; SFPSETMAN without an immediate; SFPMAD 0 to 3; SFPADD 0 to 3 with a factor of L10
 *   SFPMUL and SFPMUL24 0, 1 with L9 added; SFPSWAP 0 to 3, 9; SFPSHFT2 3 to 5; SFPLE, SFPGT 1, 8; SFPCAST 0, 3
 *   SFP_STOCH_RND 1 to 3, 6, 7, to nearest; SFPCONFIG of constants and of bits 2 and 8 of LaneConfig, in all lanes
 *   SFPLOAD 0, 2 to 4, 6, 12, 14, 15; SFPSTORE also 7, 9; SFPENCC 0, 10; SFPPUSHC, SFPPOPC 0
 *   SFPSETCC 0, 2, 4, 6 and SFPCOMPC with flags in use */
#include "vector_items.h"

#include "draw.h"

enum { ZERO = 9, ONE = 10, LANE_NUMBERS = 15 };

static unsigned pick(struct vector_stream *s, const uint8_t *list, unsigned count) {
    return list[draw(&s->g, count)];
}
#define PICK(s, ...) pick(s, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* ---- Operands ------------------------------------------------------------------------------------ */

static uint32_t float_pattern(struct vector_stream *s) {
    static const uint8_t exponent[] = { 0,   1,   2,   22,  24,  63,  64,  102, 103, 104, 125, 126, 127, 128, 129,
                                        142, 143, 149, 150, 151, 157, 158, 159, 190, 191, 192, 252, 253, 254, 255 };
    static const uint32_t mantissa[] = { 0,        1,        2,        0x7FFFFF, 0x7FFFFE, 0x400000, 0x3FFFFF,
                                         0x400001, 0x00FFFF, 0x007FFF, 0x008000, 0x008001, 0x010000, 0x018000 };
    uint64_t *state = &s->g.state;
    uint32_t e = draw_below(state, 3) ? exponent[draw_below(state, sizeof exponent)] : draw_below(state, 256);
    uint32_t m = draw_below(state, 3) ? mantissa[draw_below(state, sizeof mantissa / 4)] : draw_next(state) >> 9;
    return draw_below(state, 2) << 31 | e << 23 | m;
}

uint32_t vector_pattern(struct vector_stream *s) {
    switch (draw(&s->g, 4)) {
    case 0: return draw_next(&s->g.state);
    case 1: return draw_integer(&s->g.state);
    default: return float_pattern(s);
    }
}

unsigned vector_free_lreg(struct vector_stream *s) {
    unsigned lreg;
    do
        lreg = draw(&s->g, WORK_LREGS);
    while (s->held >> lreg & 1);
    return lreg;
}

/* Mostly a work LReg. */
static unsigned source(struct vector_stream *s) {
    unsigned chosen = draw(&s->g, 20);
    return chosen < 15 ? draw(&s->g, WORK_LREGS) : chosen < 16 ? SUM : 8 + draw(&s->g, 8);
}

/* ---- New values ----------------------------------------------------------------------------------- */

static void take_random(struct vector_stream *s, unsigned lreg) {
    vector_push(s, VT(SFPMOV, .lreg_c = ZERO, .lreg_dest = lreg, .instr_mod1 = 8));
}

/* The generator shifts by one bit, so neighbours look alike; with a product mixed in they do not. */
static void mix(struct vector_stream *s, unsigned lreg) {
    unsigned other = vector_free_lreg(s);
    take_random(s, lreg);
    if (other == lreg)
        return;
    unsigned factor = draw(&s->g, 2) ? SUM : lreg, high = draw(&s->g, 2);
    vector_push(s, VT(SFPMUL24, lreg, factor, ZERO, other, high));
    vector_push(s, VT(SFPSHFT, .imm12_math = 9 - draw(&s->g, 8), .lreg_c = other, .lreg_dest = other, .instr_mod1 = 5));
    vector_push(s, VT(SFPXOR, .lreg_c = other, .lreg_dest = lreg));
}

/* Floats whose exponents lie near each other. */
static void shape(struct vector_stream *s, unsigned lreg) {
    vector_push(s, VT(SFPAND, .lreg_c = KEEP, .lreg_dest = lreg));
    vector_push(s, VT(SFPOR, .lreg_c = FILL + draw(&s->g, FILLS), .lreg_dest = lreg));
}

static void load_immediate(struct vector_stream *s, unsigned lreg) {
    uint32_t value = vector_pattern(s);
    unsigned half = 16 * draw(&s->g, 2);
    vector_push(s, VT(SFPLOADI, lreg, PICK(s, 0, 1, 2, 4, 8, 10), value >> half & 0xFFFF));
}

/* One pattern in some of the lanes. */
static void sprinkle(struct vector_stream *s, unsigned lreg) {
    bool conditional = s->flags_used && s->depth < VECTOR_NESTED;
    unsigned chance = vector_free_lreg(s);
    if (!conditional || chance == lreg) {
        vector_constant(s, lreg, vector_pattern(s));
        return;
    }
    take_random(s, chance);
    vector_push(s, VT(SFPPUSHC, 0));
    for (unsigned i = 1 + draw(&s->g, 2); i; i--) {
        vector_push(s, VT(SFPSETCC, .lreg_c = chance, .instr_mod1 = PICK(s, 0, 4)));
        vector_push(s, VT(SFPSHFT, .imm12_math = 7, .lreg_c = chance, .lreg_dest = chance, .instr_mod1 = 5));
    }
    vector_constant(s, lreg, vector_pattern(s));
    vector_push(s, VT(SFPPOPC, 0));
}

/* Something near another LReg. */
static void follow(struct vector_stream *s, unsigned lreg) {
    unsigned other = source(s);
    if (draw(&s->g, 2)) {
        vector_push(s, VT(SFPIADD, .imm12_math = (draw(&s->g, 9) - 4) & 0xFFF, .lreg_c = other, .lreg_dest = lreg,
                          .instr_mod1 = 5));
    } else {
        mix(s, lreg);
        vector_push(
            s, VT(SFPSETEXP, .lreg_c = lreg, .lreg_dest = lreg, .instr_mod1 = 1, .imm12_math = 120 + draw(&s->g, 16)));
    }
}

static void small_integers(struct vector_stream *s, unsigned lreg) {
    mix(s, lreg);
    unsigned amount = 8 + draw(&s->g, 23);
    vector_push(s, VT(SFPSHFT, -amount & 0xFFF, lreg, lreg, PICK(s, 5, 7)));
}

void vector_refresh(struct vector_stream *s, unsigned lreg) {
    switch (draw(&s->g, 12)) {
    case 0: vector_constant(s, lreg, vector_pattern(s)); break;
    case 1: load_immediate(s, lreg); break;
    case 2: follow(s, lreg); break;
    case 3: small_integers(s, lreg); break;
    case 4: mix(s, lreg); break;
    case 5:
    case 6:
        mix(s, lreg);
        sprinkle(s, lreg);
        break;
    default:
        mix(s, lreg);
        shape(s, lreg);
        if (!draw(&s->g, 4))
            sprinkle(s, lreg);
    }
}

/* ---- Instructions --------------------------------------------------------------------------------- */

/* The field of VB or an immediate, above VC. */
enum upper {
    UPPER_NOTHING,
    UPPER_VA_VB,   /* two factors */
    UPPER_ONE,     /* two factors, one of which is L10 */
    UPPER_ZERO,    /* two factors, and L9 in place of VC */
    UPPER_VB,      /* an LReg */
    UPPER_VB_IF,   /* an LReg in the highest mode, else nothing */
    UPPER_16,      /* 16 bits of a float from VC on */
    UPPER_12_IF,   /* 12 bits in odd modes */
    UPPER_8_IF,    /* 8 bits in mode 1 */
    UPPER_1_IF,    /* one bit in mode 1 */
    UPPER_SIGNED_8 /* 8 bits with a sign */
};

static const struct operation {
    uint8_t opcode, weight;
    enum upper upper;
    uint8_t count, modes[6];
} operations[] = {
    { TENSIX_SFPMAD, 10, UPPER_VA_VB, 4, { 0, 1, 2, 3 } },
    { TENSIX_SFPADD, 3, UPPER_ONE, 4, { 0, 1, 2, 3 } },
    { TENSIX_SFPMUL, 3, UPPER_ZERO, 2, { 0, 1 } },
    { TENSIX_SFPMUL24, 2, UPPER_ZERO, 2, { 0, 1 } },
    { TENSIX_SFPMULI, 2, UPPER_16, 1, { 0 } },
    { TENSIX_SFPADDI, 2, UPPER_16, 1, { 0 } },
    { TENSIX_SFPDIVP2, 1, UPPER_SIGNED_8, 2, { 0, 1 } },
    { TENSIX_SFPEXEXP, 1, UPPER_NOTHING, 2, { 0, 1 } },
    { TENSIX_SFPEXMAN, 1, UPPER_NOTHING, 2, { 0, 1 } },
    { TENSIX_SFPIADD, 2, UPPER_12_IF, 3, { 4, 5, 6 } },
    { TENSIX_SFPSHFT, 3, UPPER_12_IF, 6, { 0, 1, 2, 3, 5, 7 } },
    { TENSIX_SFPMOV, 1, UPPER_NOTHING, 3, { 0, 1, 2 } },
    { TENSIX_SFPABS, 1, UPPER_NOTHING, 2, { 0, 1 } },
    { TENSIX_SFPAND, 1, UPPER_VB_IF, 2, { 0, 1 } },
    { TENSIX_SFPOR, 1, UPPER_VB_IF, 2, { 0, 1 } },
    { TENSIX_SFPNOT, 1, UPPER_NOTHING, 1, { 0 } },
    { TENSIX_SFPXOR, 1, UPPER_NOTHING, 1, { 0 } },
    { TENSIX_SFPLZ, 1, UPPER_NOTHING, 2, { 0, 4 } },
    { TENSIX_SFPSETEXP, 2, UPPER_8_IF, 3, { 0, 1, 2 } },
    { TENSIX_SFPSETMAN, 1, UPPER_NOTHING, 2, { 0, 1 } },
    { TENSIX_SFPSETSGN, 1, UPPER_1_IF, 2, { 0, 1 } },
    { TENSIX_SFP_STOCH_RND, 4, UPPER_VB, 5, { 1, 2, 3, 6, 7 } },
    { TENSIX_SFPCAST, 2, UPPER_NOTHING, 2, { 0, 3 } },
    { TENSIX_SFPSHFT2, 3, UPPER_VB_IF, 3, { 3, 4, 5 } },
    { TENSIX_SFPLE, 1, UPPER_NOTHING, 1, { 8 } },
    { TENSIX_SFPGT, 1, UPPER_NOTHING, 1, { 8 } },
    { TENSIX_SFPARECIP, 1, UPPER_NOTHING, 1, { 0 } },
};
enum { OPERATIONS = sizeof operations / sizeof *operations, MAD_OPERATIONS = 6 /* those that come first */ };

static const struct operation *draw_operation(struct vector_stream *s) {
    unsigned all = 0, count = s->arithmetic && draw(&s->g, 8) ? MAD_OPERATIONS : OPERATIONS;
    for (unsigned i = 0; i < count; i++)
        all += operations[i].weight;
    unsigned at = draw(&s->g, all);
    const struct operation *operation = operations;
    while (at >= operation->weight)
        at -= operation++->weight;
    return operation;
}

static uint32_t upper_bits(struct vector_stream *s, const struct operation *operation, unsigned mode) {
    unsigned a = source(s), b = source(s), first = draw(&s->g, 2);
    uint32_t bits = draw_next(&s->g.state);
    switch (operation->upper) {
    case UPPER_NOTHING: return 0;
    case UPPER_VA_VB:
    case UPPER_ZERO: return a << 16 | b << 12;
    case UPPER_ONE: return first ? ONE << 16 | b << 12 : a << 16 | ONE << 12;
    case UPPER_VB: return b << 12;
    case UPPER_VB_IF: return mode == operation->modes[operation->count - 1] ? b << 12 : 0;
    case UPPER_16: return (first ? float_pattern(s) >> 16 : bits & 0xFFFF) << 8;
    case UPPER_12_IF: return mode & 1 ? (bits & 0xFFF) << 12 : 0;
    case UPPER_8_IF: return mode == 1 ? (bits & 0xFF) << 12 : 0;
    case UPPER_1_IF: return mode == 1 ? first << 12 : 0;
    case UPPER_SIGNED_8: return ((bits & 0xFF) - 128) << 20 >> 8;
    }
    return 0;
}

static uint32_t draw_word(struct vector_stream *s, unsigned vd) {
    const struct operation *operation = draw_operation(s);
    unsigned mode = pick(s, operation->modes, operation->count), vc = source(s);
    uint32_t upper = upper_bits(s, operation, mode);
    if (operation->upper == UPPER_ZERO)
        vc = ZERO;
    if (operation->upper == UPPER_16)
        vc = 0;
    return (uint32_t)operation->opcode << 24 | upper | vc << 8 | vd << 4 | mode;
}

static void compute_swap(struct vector_stream *s, unsigned vd) {
    bool fixed_c = !draw(&s->g, 8), fixed_d = !draw(&s->g, 16);
    unsigned vc = fixed_c ? 8 + draw(&s->g, 8) : vector_free_lreg(s);
    if (fixed_d)
        vd = 8 + draw(&s->g, 4);
    vector_push(s, VT(SFPSWAP, 0, vc, vd, PICK(s, 0, 1, 2, 3, 9)));
    if (!fixed_c)
        vector_sum(s, vc);
    if (!fixed_d && vd != vc)
        vector_sum(s, vd);
}

/* Whether another LReg can be held and enough are left. */
static bool can_hold(const struct vector_stream *s) {
    return !(s->held & (s->held - 1));
}

void vector_compute(struct vector_stream *s) {
    unsigned vd = vector_free_lreg(s), chosen = draw(&s->g, 16);
    if (chosen == 0) {
        compute_swap(s, vd);
        return;
    }
    if (chosen == 1) {
        take_random(s, vd);
        vector_sum(s, vd);
        return;
    }
    uint32_t word = draw_word(s, vd);
    bool in_all_lanes = word >> 24 == TENSIX_SFPMOV && (word & 15) == 2;
    vector_push(s, word);
    vector_sum(s, vd);
    if (in_all_lanes && s->depth && can_hold(s))
        s->held |= 1u << vd;
}

static void flags_only(struct vector_stream *s) {
    unsigned chosen = draw(&s->g, 4), vc = source(s), vd = draw(&s->g, WORK_LREGS);
    if (chosen == 0)
        vector_push(s, VT(SFPLE, 0, vc, vd, 1));
    else if (chosen == 1 || !s->flags_used)
        vector_push(s, VT(SFPGT, 0, vc, vd, 1));
    else
        vector_push(s, VT(SFPSETCC, .lreg_c = vc, .instr_mod1 = PICK(s, 0, 2, 4, 6)));
}

/* Those that write an LReg too do so in lanes that are off afterwards: the LReg is held until they are on again. */
void vector_condition(struct vector_stream *s) {
    bool writes = draw(&s->g, 2);
    if (!writes || !can_hold(s)) {
        flags_only(s);
        return;
    }
    unsigned vc = source(s), vd = vector_free_lreg(s), chosen = draw(&s->g, 3);
    uint32_t immediate = draw_next(&s->g.state) & 0xFFF;
    if (chosen == 0)
        vector_push(s, VT(SFPIADD, immediate, vc, vd, PICK(s, 0, 1, 2, 8, 9, 10)));
    else if (chosen == 1)
        vector_push(s, VT(SFPLZ, 0, vc, vd, 2));
    else
        vector_push(s, VT(SFPEXEXP, 0, vc, vd, PICK(s, 2, 10)));
    s->held |= 1u << vd;
}

/* ---- Groups ------------------------------------------------------------------------------------------ */

/* The error of a product: a * b - (a * b rounded and perhaps a little changed). */
static void residue(struct vector_stream *s) {
    unsigned a = source(s), b = source(s), t = vector_free_lreg(s);
    if (t == a || t == b)
        return;
    vector_push(s, VT(SFPMUL, a, b, ZERO, t, draw(&s->g, 2)));
    if (draw(&s->g, 2))
        vector_push(s, VT(SFPIADD, (draw(&s->g, 65) - 32) & 0xFFF, t, t, 5));
    if (!draw(&s->g, 3))
        vector_push(s, VT(SFPDIVP2, (draw(&s->g, 61) - 30) & 0xFFF, t, t, 1));
    vector_sum(s, t);
    vector_push(s, VT(SFPMAD, a, b, t, t, draw(&s->g, 4)));
    vector_sum(s, t);
}

/* LReg 3 between the bounds of the tables in most lanes. */
static void look_up(struct vector_stream *s) {
    unsigned vd = vector_free_lreg(s);
    if (!(s->held & 1u << 3) && draw(&s->g, 2)) {
        mix(s, 3);
        vector_push(s, VT(SFPSETEXP, 123 + draw(&s->g, 7), 3, 3, 1));
        if (!(s->held & 1u << 2) && draw(&s->g, 2)) {
            vector_constant(s, 2, 0x40800000);
            vector_push(s, VT(SFPMUL, 3, 2, ZERO, 3, 0));
        }
    }
    vector_push(s, draw(&s->g, 2) ? VT(SFPLUT, vd, 4, 0) : VT(SFPLUTFP32, vd, 2));
    vector_sum(s, vd);
}

/* Sums everything up and keeps the sum in Dst meanwhile, for it takes part. */
static void transpose(struct vector_stream *s) {
    enum { ROW = 64 /* behind those of DST_TEST_ROWS */ };
    if (s->depth)
        return;
    for (unsigned i = 0; i < WORK_LREGS; i++)
        vector_sum(s, i);
    vector_store(s, SUM, INT32, 0, ROW);
    bool some = s->flags_used && draw(&s->g, 2);
    if (some) {
        vector_push(s, VT(SFPPUSHC, 0));
        vector_push(s, VT(SFPSETCC, .lreg_c = draw(&s->g, WORK_LREGS), .instr_mod1 = PICK(s, 0, 2, 4, 6)));
    }
    vector_push(s, VT(SFPTRANSP, 0));
    if (some)
        vector_push(s, VT(SFPPOPC, 0));
    for (unsigned i = 0; i < WORK_LREGS; i++)
        vector_sum(s, i);
    vector_load(s, 6, INT32, 0, ROW);
    vector_push(s, VT(SFPIADD, 0, 6, SUM, 4));
}

/* With the index in the upper LRegs and the other way round; LReg 7 stays out of it. */
static void sort(struct vector_stream *s) {
    unsigned config = PICK(s, 4, 4, 0);
    if (s->depth || s->held)
        return;
    if (draw(&s->g, 2))
        config |= 0x100;
    vector_push(s, VT(SFPCONFIG, config, 15, 1));
    vector_push(s, VT(SFPNOP, 0));
    for (unsigned i = 1 + draw(&s->g, 6); i; i--) {
        unsigned a = draw(&s->g, 3), b = draw(&s->g, 3);
        vector_push(s, VT(SFPSWAP, 0, a, b, PICK(s, 0, 1, 1, 2, 3, 9)));
        if (!draw(&s->g, 4)) /* what writes to the upper LRegs is undefined here */
            vector_push(s, draw_word(s, a));
    }
    vector_push(s, VT(SFPCONFIG, 0, 15, 1));
    vector_push(s, VT(SFPNOP, 0));
    for (unsigned i = 0; i < WORK_LREGS; i++)
        vector_sum(s, i);
}

/* VD above 11: the instruction is kept for SFPLOADMACRO and does nothing else. All lanes have to be on. */
static void load_template(struct vector_stream *s) {
    unsigned vd = 12 + draw(&s->g, 4), vc = source(s);
    if (s->depth)
        return;
    switch (draw(&s->g, 8)) {
    case 0: vector_push(s, VT(SFPIADD, 0, vc, vd, PICK(s, 0, 1, 2, 8, 9, 10))); break;
    case 1: vector_push(s, VT(SFPSETCC, 0, vc, vd, PICK(s, 0, 2, 4, 6))); break;
    case 2: vector_push(s, VT(SFPENCC, 1, 0, vd, 10)); break;
    case 3: vector_push(s, draw(&s->g, 2) ? VT(SFPPUSHC, 0, 0, vd, 0) : VT(SFPPOPC, 0, 0, vd, 0)); break;
    case 4: vector_push(s, draw(&s->g, 2) ? VT(SFPCOMPC, 0, 0, vd, 0) : VT(SFPTRANSP, 0, 0, vd, 0)); break;
    case 5: vector_push(s, VT(SFPSWAP, 0, vc, vd, PICK(s, 0, 1, 2, 3, 9))); break;
    default: vector_push(s, draw_word(s, vd));
    }
}

static bool is_wide(unsigned format) {
    return format == 3 || format == 4 || format == 7 || format == 9 || format == 12;
}

/* The format of mode 0 follows from Config: as rows for either. */
static unsigned draw_row(struct vector_stream *s, unsigned format) {
    bool narrow = format && !is_wide(format);
    return 2 * draw(&s->g, (narrow ? (unsigned)DST_TEST_ROWS : (unsigned)DST_TEST_ROWS / 2) / 2);
}

/* By even numbers: the oracle has no odd rows. */
static void move_rows(struct vector_stream *s) {
    unsigned number = 2 * draw(&s->g, 8), from_saved = draw(&s->g, 2);
    if (draw(&s->g, 2))
        vector_set_row(s, number, from_saved);
    else
        vector_step_row(s, number, from_saved);
}

static void use_dst(struct vector_stream *s) {
    if (!draw(&s->g, 4))
        move_rows(s);
    for (unsigned i = 1 + draw(&s->g, 4); i; i--) {
        unsigned mode = draw(&s->g, ADDRESS_MODES);
        if (draw(&s->g, 2)) {
            unsigned format = PICK(s, 0, 2, 3, 4, 6, 7, 9, 12, 14, 15), row = draw_row(s, format);
            vector_store(s, draw(&s->g, 12), format, mode, row);
        } else {
            unsigned format = PICK(s, 0, 2, 3, 4, 6, 12, 14, 15), row = draw_row(s, format);
            unsigned vd = draw(&s->g, 8) ? vector_free_lreg(s) : 8 + draw(&s->g, 4);
            vector_load(s, vd, format, mode, row);
            if (vd < 8)
                vector_sum(s, vd);
        }
    }
}

void vector_special(struct vector_stream *s) {
    switch (s->arithmetic && draw(&s->g, 4) ? 9 : draw(&s->g, 10)) {
    case 0: transpose(s); break;
    case 1: sort(s); break;
    case 2: load_template(s); break;
    case 3:
    case 4:
    case 5: use_dst(s); break;
    case 6:
    case 7: look_up(s); break;
    default: residue(s);
    }
}
