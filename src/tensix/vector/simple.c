/* The simple sub-unit: moves, and operations on bits, integers and the fields of FP32.
 *
 * Sources: SFPMOV.md, SFPABS.md, SFPAND.md ... (BH). Reserved modes do what the pages say that silicon does; where the
 * pages say nothing, each bit of the mode has its usual meaning. */
#include "tensix/vector/issue.h"

#define SIGN     0x80000000u
#define EXPONENT 0x7F800000u
#define MANTISSA 0x007FFFFFu

static inline uint32_t acts_in(const struct vector_turn *turn) {
    return turn->lanes & turn->v->enabled;
}

static inline uint32_t imm12(const struct vector_turn *turn) {
    return turn->word >> 12 & 0xFFF;
}

static inline int32_t signed_imm12(const struct vector_turn *turn) {
    return (int32_t)(imm12(turn) ^ 0x800) - 0x800;
}

static inline const struct simple_kernels *kernels(const struct vector_turn *turn) {
    return &turn->v->lanes->simple;
}

/* Returns the destination of a result in the lanes in which the instruction acts. */
static inline uint32_t *out(struct vector_turn *turn) {
    return vector_out(turn, turn->vd, acts_in(turn));
}

static inline const uint32_t *in_b(const struct vector_turn *turn) {
    return turn->in[turn->vb];
}

static inline const uint32_t *in_c(const struct vector_turn *turn) {
    return turn->in[turn->vc];
}

static inline void set_flags(struct vector *v, uint32_t flags, uint32_t lanes) {
    v->flags = (v->flags & ~lanes) | (flags & lanes);
    vector_flags_changed(v);
}

/* Updates the flags that come with a result: sets them (set), complements them (complement), or both in this order. */
static inline void flag_result(struct vector_turn *turn, bool set, uint32_t flags, bool complement, uint32_t lanes) {
    if (turn->vd >= 8 || !(set || complement))
        return;
    if (!set)
        flags = turn->v->flags;
    set_flags(turn->v, complement ? ~flags : flags, lanes);
}

/* ---- Moves ----------------------------------------------------------------------------------------- */

enum { MOV_NEGATE = 1, MOV_SPECIAL = 8 };

static uint32_t special(const struct vector *v, unsigned index, unsigned column) {
    const struct vector_macro_config *macro = &v->macro[column];
    if (index < 4)
        return macro->template[index];
    if (index < 8)
        return macro->sequence[index - 4];
    if (index == 8)
        return macro->misc;
    return index == 15 ? v->lane_config[column] : 0;
}

static void mov_special(struct vector *v, uint32_t *d, unsigned index, uint32_t lanes) {
    uint32_t all[LANES];
    if (index == 9) {
        v->lanes->round.random(d, v->random, lanes);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        all[i] = special(v, index, i % VECTOR_COLUMNS);
    v->lanes->simple.copy(d, all, lanes);
}

VECTOR_ACTION(SFPMOV) {
    uint32_t lanes = vector_mov_ignores_flags(turn->mod) ? turn->lanes : acts_in(turn);
    uint32_t *d = vector_out(turn, turn->vd, lanes);
    if (turn->mod & MOV_SPECIAL)
        mov_special(turn->v, d, turn->vc, lanes);
    else
        kernels(turn)->flip(d, in_c(turn), turn->mod & MOV_NEGATE ? SIGN : 0, lanes);
}

VECTOR_ACTION(SFPTRANSP) {
    uint32_t lanes = acts_in(turn);
    for (unsigned i = 0; i < 8; i++)
        vector_out(turn, i, lanes);
    kernels(turn)->transpose(turn->v->lreg, turn->in, lanes);
    kernels(turn)->transpose(turn->v->lreg + 4, turn->in + 4, lanes);
}

/* ---- Bits ------------------------------------------------------------------------------------------ */

VECTOR_ACTION(SFPAND) {
    kernels(turn)->bit_and(out(turn), in_b(turn), in_c(turn), acts_in(turn));
}

VECTOR_ACTION(SFPOR) {
    kernels(turn)->bit_or(out(turn), in_b(turn), in_c(turn), acts_in(turn));
}

VECTOR_ACTION(SFPXOR) {
    kernels(turn)->bit_xor(out(turn), in_b(turn), in_c(turn), acts_in(turn));
}

VECTOR_ACTION(SFPNOT) {
    kernels(turn)->flip(out(turn), in_c(turn), UINT32_MAX, acts_in(turn));
}

enum { SHFT_IMMEDIATE = 1, SHFT_ARITHMETIC = 2, SHFT_IMMEDIATE_OF_C = 4 };

VECTOR_ACTION(SFPSHFT) {
    const struct simple_kernels *k = kernels(turn);
    bool arithmetic = turn->mod & SHFT_ARITHMETIC;
    if (turn->mod & SHFT_IMMEDIATE) {
        const uint32_t *x = turn->mod & SHFT_IMMEDIATE_OF_C ? in_c(turn) : in_b(turn);
        (arithmetic ? k->shift_all_signed : k->shift_all)(out(turn), x, signed_imm12(turn), acts_in(turn));
    } else {
        (arithmetic ? k->shift_signed : k->shift)(out(turn), in_b(turn), in_c(turn), acts_in(turn));
    }
}

enum { LZ_FLAG_NON_ZERO = 2, LZ_NO_SIGN = 4, LZ_FLAG_COMPLEMENT = 8 };

VECTOR_ACTION(SFPLZ) {
    uint32_t lanes = acts_in(turn), keep = turn->mod & LZ_NO_SIGN ? ~SIGN : UINT32_MAX;
    uint32_t non_zero = turn->mod & LZ_FLAG_NON_ZERO ? kernels(turn)->non_zero(in_c(turn), keep) : 0;
    kernels(turn)->leading_zeros(out(turn), in_c(turn), keep, lanes);
    flag_result(turn, turn->mod & LZ_FLAG_NON_ZERO, non_zero, turn->mod & LZ_FLAG_COMPLEMENT, lanes);
}

/* ---- Integers -------------------------------------------------------------------------------------- */

enum { IADD_IMMEDIATE = 1, IADD_SUBTRACT = 2, IADD_NO_FLAG = 4, IADD_FLAG_COMPLEMENT = 8 };

VECTOR_ACTION(SFPIADD) {
    const struct simple_kernels *k = kernels(turn);
    uint32_t lanes = acts_in(turn), *d = out(turn);
    if (turn->mod & IADD_IMMEDIATE)
        k->add_all(d, in_c(turn), (uint32_t)signed_imm12(turn), lanes);
    else
        (turn->mod & IADD_SUBTRACT ? k->subtract : k->add)(d, in_b(turn), in_c(turn), lanes);
    bool set = !(turn->mod & IADD_NO_FLAG);
    flag_result(turn, set, set ? k->negative(d) : 0, turn->mod & IADD_FLAG_COMPLEMENT, lanes);
}

enum { ABS_FLOAT = 1 };

VECTOR_ACTION(SFPABS) {
    const struct simple_kernels *k = kernels(turn);
    (turn->mod & ABS_FLOAT ? k->absolute_float : k->absolute)(out(turn), in_c(turn), acts_in(turn));
}

/* ---- Fields of FP32 ----------------------------------------------------------------------------------- */

enum { FIELD_IMMEDIATE = 1 };

VECTOR_ACTION(SFPEXMAN) {
    uint32_t hidden = turn->mod & 1 ? 0 : MANTISSA + 1;
    kernels(turn)->keep_and_set(out(turn), in_c(turn), MANTISSA, hidden, acts_in(turn));
}

enum { EXEXP_WITH_BIAS = 1, EXEXP_FLAG_NEGATIVE = 2, EXEXP_FLAG_COMPLEMENT = 8 };

VECTOR_ACTION(SFPEXEXP) {
    uint32_t lanes = acts_in(turn), *d = out(turn);
    kernels(turn)->exponent(d, in_c(turn), turn->mod & EXEXP_WITH_BIAS ? 0 : 127, lanes);
    bool set = turn->mod & EXEXP_FLAG_NEGATIVE;
    flag_result(turn, set, set ? kernels(turn)->negative(d) : 0, turn->mod & EXEXP_FLAG_COMPLEMENT, lanes);
}

enum { DIVP2_ADD = 1 };

VECTOR_ACTION(SFPDIVP2) {
    uint32_t imm8 = imm12(turn) & 0xFF;
    if (turn->mod & DIVP2_ADD)
        kernels(turn)->add_exponent(out(turn), in_c(turn), imm8, acts_in(turn));
    else
        kernels(turn)->keep_and_set(out(turn), in_c(turn), ~EXPONENT, imm8 << 23, acts_in(turn));
}

/* Copies VC to VD with one field replaced by that of VB or of an immediate. */
static inline __attribute__((always_inline)) void set_field(struct vector_turn *turn, uint32_t field,
                                                            uint32_t immediate) {
    if (turn->mod & FIELD_IMMEDIATE)
        kernels(turn)->keep_and_set(out(turn), in_c(turn), ~field, immediate, acts_in(turn));
    else
        kernels(turn)->merge(out(turn), in_b(turn), in_c(turn), ~field, acts_in(turn));
}

VECTOR_ACTION(SFPSETMAN) {
    set_field(turn, MANTISSA, imm12(turn) << 11);
}

VECTOR_ACTION(SFPSETSGN) {
    set_field(turn, SIGN, imm12(turn) << 31);
}

enum { SETEXP_OF_EXPONENT = 2 };

VECTOR_ACTION(SFPSETEXP) {
    if (turn->mod & (FIELD_IMMEDIATE | SETEXP_OF_EXPONENT))
        set_field(turn, EXPONENT, imm12(turn) << 23 & EXPONENT);
    else
        kernels(turn)->set_exponent(out(turn), in_b(turn), in_c(turn), acts_in(turn));
}

/* ---- Comparisons ------------------------------------------------------------------------------------- */

enum { SETCC_IMMEDIATE = 1, SETCC_CLEAR = 8 };

/* Returns the lanes that meet the condition of mod 0, 2, 4 or 6. */
static inline uint32_t compare_with_zero(struct vector_turn *turn) {
    bool zeroness = turn->mod & 2, complement = turn->mod & 4;
    uint32_t flags = zeroness ? kernels(turn)->non_zero(in_c(turn), UINT32_MAX) : kernels(turn)->negative(in_c(turn));
    return complement ? ~flags : flags;
}

VECTOR_ACTION(SFPSETCC) {
    uint32_t flags;
    if (turn->mod & SETCC_CLEAR)
        flags = 0;
    else if (turn->mod & SETCC_IMMEDIATE)
        flags = imm12(turn) & 1 ? UINT32_MAX : 0;
    else
        flags = compare_with_zero(turn);
    set_flags(turn->v, flags & turn->v->use_flags, acts_in(turn));
}

enum { COMPARE_FLAG = 1, COMPARE_STACK = 2, COMPARE_OR = 4, COMPARE_MASK = 8 };

/* Replaces the top of each lane's stack by its OR or AND with the flags. */
static void change_stack(struct vector *v, uint32_t flags, bool or, uint32_t lanes) {
    for (unsigned i = 0; i < VECTOR_STACK; i++) {
        uint32_t top = vector_top_lanes(v, i) & lanes;
        if (or)
            v->stack[i].flags |= flags & top;
        else
            v->stack[i].flags &= flags | ~top;
    }
}

static inline void compare(struct vector_turn *turn, uint32_t flags) {
    uint32_t lanes = acts_in(turn);
    if (turn->mod & COMPARE_MASK)
        kernels(turn)->spread(out(turn), flags, lanes);
    if (turn->mod & COMPARE_FLAG)
        set_flags(turn->v, flags, lanes);
    if (turn->mod & COMPARE_STACK)
        change_stack(turn->v, flags, turn->mod & COMPARE_OR, turn->lanes);
}

VECTOR_ACTION(SFPGT) {
    compare(turn, kernels(turn)->smaller(in_c(turn), in_b(turn)));
}

VECTOR_ACTION(SFPLE) {
    compare(turn, ~kernels(turn)->smaller(in_c(turn), in_b(turn)));
}

/* ---- Issue ------------------------------------------------------------------------------------------- */

#define EXECUTE_MOVE(...)
#define EXECUTE_MAD(...)
#define EXECUTE_SIMPLE(name, ...) VECTOR_EXECUTE(act_##name, name, __VA_ARGS__)
#define EXECUTE_FLAGS(...)
#define EXECUTE_OTHER(...)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
