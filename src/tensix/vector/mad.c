/* The MAD sub-unit: SFPMAD and its like, the two table look-ups, SFPMUL24. Results take two cycles.
 *
 * With Mod bit 3 the destination comes from LReg7 and may differ from lane to lane; only LReg0..7 are destinations
 * then. SFPLUTFP32's table of mode 10 shares that bit, so that it always writes where LReg7 says.
 *
 * Sources: SFPMAD.md, SFPADD.md, SFPMUL.md, SFPMULI.md, SFPADDI.md, SFPLUT.md, SFPLUTFP32.md, SFPMUL24.md (BH). */
#include "tensix/vector/issue.h"

enum mad_mod {
    MOD_HIGH = 1,        /* SFPMUL24 */
    MOD_INDIRECT_VA = 4, /* SFPMAD, SFPMUL24 */
    MOD_KEEP_SIGN = 4,   /* SFPLUT, SFPLUTFP32 */
    MOD_INDIRECT_VD = 8,
};

enum { LREG_ZERO = 9, LREG_ONE = 10 }; /* read-only */

/* Puts an instruction's result to d. */
typedef void compute_function(const struct vector_turn *turn, uint32_t *d, uint32_t lanes);

static inline const struct mad_kernels *kernels(const struct vector_turn *turn) {
    return &turn->v->lanes->mad;
}

static inline const uint32_t (*lregs(const struct vector_turn *turn))[LANES] {
    return (const uint32_t(*)[LANES])turn->in;
}

/* To the LRegs that LReg7 says. */
static void scatter(struct vector_turn *turn, compute_function *compute, uint32_t lanes) {
    uint32_t value[LANES] __attribute__((aligned(64)));
    compute(turn, value, lanes);
    for (unsigned vd = 0; vd < 8; vd++) {
        uint32_t there = kernels(turn)->which(turn->in[7], vd, lanes);
        if (there)
            turn->v->lanes->simple.copy(vector_out_late(turn, vd, there), value, there);
    }
}

static inline __attribute__((always_inline)) bool act_usually(struct vector_turn *turn, compute_function *compute) {
    if (turn->mod & (MOD_INDIRECT_VA | MOD_INDIRECT_VD))
        return false;
    compute(turn, vector_result_early(turn), turn->v->enabled);
    return true;
}

static void act(struct vector_turn *turn, compute_function *compute) {
    uint32_t lanes = turn->lanes & turn->v->enabled;
    if (turn->mod & MOD_INDIRECT_VD && turn->vd != 16)
        scatter(turn, compute, lanes);
    else
        compute(turn, vector_out_late(turn, turn->vd, lanes), lanes);
}

/* ---- SFPMAD ---------------------------------------------------------------------------------- */

/* Factors of one and addends of zero have forms of their own. */
static inline __attribute__((always_inline)) void multiply_add(const struct vector_turn *turn, uint32_t *d,
                                                               const uint32_t *a, uint32_t lanes) {
    const uint32_t *b = turn->in[turn->vb], *c = turn->in[turn->vc], *one = turn->in[LREG_ONE];
    if (a == one)
        kernels(turn)->add(d, b, c, turn->mod, lanes);
    else if (b == one)
        kernels(turn)->add(d, a, c, turn->mod, lanes);
    else if (turn->vc == LREG_ZERO)
        kernels(turn)->mul(d, a, b, turn->mod, lanes);
    else
        kernels(turn)->mad(d, a, b, c, turn->mod, lanes);
}

static void compute_picked_mad(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    uint32_t a[LANES] __attribute__((aligned(64)));
    kernels(turn)->pick(a, lregs(turn), turn->in[7], lanes);
    multiply_add(turn, d, a, lanes);
}

static inline __attribute__((always_inline)) void compute_mad(const struct vector_turn *turn, uint32_t *d,
                                                              uint32_t lanes) {
    multiply_add(turn, d, turn->in[turn->va], lanes);
}

void vector_SFPMAD(struct vector_turn *turn) {
    act(turn, turn->mod & MOD_INDIRECT_VA ? compute_picked_mad : compute_mad);
}

void vector_SFPADD(struct vector_turn *turn) {
    vector_SFPMAD(turn);
}

void vector_SFPMUL(struct vector_turn *turn) {
    vector_SFPMAD(turn);
}

/* ---- SFPMULI, SFPADDI ------------------------------------------------------------------------- */

/* The immediate is bfloat16. */
static inline uint32_t immediate(const struct vector_turn *turn) {
    return (turn->word >> 8 & 0xFFFF) << 16;
}

/* To negate one factor is to negate the other. */
static inline __attribute__((always_inline)) void compute_muli(const struct vector_turn *turn, uint32_t *d,
                                                               uint32_t lanes) {
    uint32_t signs = turn->mod & MAD_NEGATE_C ? MAD_NEGATE_A : 0;
    kernels(turn)->mul_all(d, immediate(turn), turn->in[turn->vc], signs, lanes);
}

static inline __attribute__((always_inline)) void compute_addi(const struct vector_turn *turn, uint32_t *d,
                                                               uint32_t lanes) {
    kernels(turn)->add_all(d, immediate(turn), turn->in[turn->vc], turn->mod & MAD_NEGATE_C, lanes);
}

void vector_SFPMULI(struct vector_turn *turn) {
    act(turn, compute_muli);
}

void vector_SFPADDI(struct vector_turn *turn) {
    act(turn, compute_addi);
}

/* ---- Look-ups ---------------------------------------------------------------------------------- */

static void compute_lut(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    kernels(turn)->lut(d, lregs(turn), turn->mod & MOD_KEEP_SIGN, lanes);
}

/* Bits 3, 1 and 0 of Mod1; bit 3 has its other meaning as well. */
static enum mad_table table_of(unsigned mod) {
    if (!(mod & 2))
        return MAD_TABLE_FP32;
    if (mod & 8)
        return MAD_TABLE_FP16;
    return mod & 1 ? MAD_TABLE_FP16_4 : MAD_TABLE_FP16_3;
}

static void compute_lut_wide(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    kernels(turn)->lut_wide(d, lregs(turn), table_of(turn->mod), turn->mod & MOD_KEEP_SIGN, lanes);
}

void vector_SFPLUT(struct vector_turn *turn) {
    act(turn, compute_lut);
}

void vector_SFPLUTFP32(struct vector_turn *turn) {
    act(turn, compute_lut_wide);
}

/* ---- SFPMUL24 ---------------------------------------------------------------------------------- */

static inline void multiply24(const struct vector_turn *turn, uint32_t *d, const uint32_t *a, uint32_t lanes) {
    kernels(turn)->mul24(d, a, turn->in[turn->vb], turn->in[turn->vc], turn->mod & MOD_HIGH, lanes);
}

static void compute_picked_mul24(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    uint32_t a[LANES] __attribute__((aligned(64)));
    kernels(turn)->pick(a, lregs(turn), turn->in[7], lanes);
    multiply24(turn, d, a, lanes);
}

static void compute_mul24(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    multiply24(turn, d, turn->in[turn->va], lanes);
}

void vector_SFPMUL24(struct vector_turn *turn) {
    act(turn, turn->mod & MOD_INDIRECT_VA ? compute_picked_mul24 : compute_mul24);
}

/* ---- Issue ------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool mad_usually(struct vector_turn *turn) {
    return act_usually(turn, compute_mad);
}

static inline __attribute__((always_inline)) bool muli_usually(struct vector_turn *turn) {
    return act_usually(turn, compute_muli);
}

static inline __attribute__((always_inline)) bool addi_usually(struct vector_turn *turn) {
    return act_usually(turn, compute_addi);
}

#define EXECUTE_SFPMAD(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, mad_usually)
#define EXECUTE_SFPADD(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, mad_usually)
#define EXECUTE_SFPMUL(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, mad_usually)
#define EXECUTE_SFPMULI(...)    VECTOR_EXECUTE_AS(__VA_ARGS__, muli_usually)
#define EXECUTE_SFPADDI(...)    VECTOR_EXECUTE_AS(__VA_ARGS__, addi_usually)
#define EXECUTE_SFPLUT(...)     VECTOR_EXECUTE(__VA_ARGS__)
#define EXECUTE_SFPLUTFP32(...) VECTOR_EXECUTE(__VA_ARGS__)
#define EXECUTE_SFPMUL24(...)   VECTOR_EXECUTE(__VA_ARGS__)
#define EXECUTE_LOAD(...)
#define EXECUTE_STORE(...)
#define EXECUTE_MAD(name, ...) EXECUTE_##name(name, __VA_ARGS__)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_ROUND(...)
#define VECTOR_OP(name, unit, ...) EXECUTE_##unit(name, unit, __VA_ARGS__)
#include "tensix/vector/vector.def"
