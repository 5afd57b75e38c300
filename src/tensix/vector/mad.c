/* The MAD sub-unit: SFPMAD and similar instructions, the two table look-ups (SFPLUT, SFPLUTFP32), SFPMUL24. Results
 * take two cycles.
 *
 * With bit 3 of Mod, LReg7 selects the destination, which may differ from lane to lane and is always one of LReg0..7.
 * Mode 10 of SFPLUTFP32 has that bit set, so LReg7 always selects its destination.
 *
 * Sources: SFPMAD.md, SFPADD.md, SFPMUL.md, SFPMULI.md, SFPADDI.md, SFPLUT.md, SFPLUTFP32.md, SFPMUL24.md (BH). */
#include "tensix/vector/issue.h"

enum mad_mod {
    MOD_HIGH = 1,        /* SFPMUL24 */
    MOD_INDIRECT_VA = 4, /* SFPMAD, SFPMUL24 */
    MOD_KEEP_SIGN = 4,   /* SFPLUT, SFPLUTFP32 */
    MOD_INDIRECT_VD = 8,
};

enum { LREG_ZERO = 9, LREG_ONE = 10 }; /* read-only constants */

/* Computes an instruction's result into d. Returns TENSIX_PASSED (0), as kernels do. */
typedef uint64_t compute_function(const struct vector_turn *turn, uint32_t *d, uint32_t lanes);

static inline const struct mad_kernels *kernels(const struct vector_turn *turn) {
    return &turn->v->lanes->mad;
}

static inline const uint32_t (*lregs(const struct vector_turn *turn))[LANES] {
    return (const uint32_t(*)[LANES])turn->in;
}

/* Writes the result to the LRegs that LReg7 selects. */
static void scatter(struct vector_turn *turn, compute_function *compute, uint32_t lanes) {
    uint32_t value[LANES] __attribute__((aligned(64)));
    compute(turn, value, lanes);
    for (unsigned vd = 0; vd < 8; vd++) {
        uint32_t there = kernels(turn)->which(turn->in[7], vd, lanes);
        if (there)
            turn->v->lanes->simple.copy(vector_out_late(turn, vd, there), value, there);
    }
}

static void act(struct vector_turn *turn, compute_function *compute) {
    uint32_t lanes = turn->lanes & turn->v->enabled;
    if (turn->mod & MOD_INDIRECT_VD && turn->vd != 16)
        scatter(turn, compute, lanes);
    else
        compute(turn, vector_out_late(turn, turn->vd, lanes), lanes);
}

/* ---- SFPMAD ---------------------------------------------------------------------------------- */

/* A factor of one and an addend of zero select faster kernels. */
static inline __attribute__((always_inline)) uint64_t multiply_add(const struct vector_turn *turn, uint32_t *d,
                                                                   const uint32_t *a, const uint32_t *b,
                                                                   const uint32_t *c, uint32_t lanes) {
    const uint32_t *one = turn->in[LREG_ONE];
    if (a == one)
        return kernels(turn)->add(d, b, c, turn->mod, lanes);
    if (b == one)
        return kernels(turn)->add(d, a, c, turn->mod, lanes);
    if (c == turn->in[LREG_ZERO])
        return kernels(turn)->mul(d, a, b, turn->mod, lanes);
    return kernels(turn)->mad(d, a, b, c, mad_how(turn->mod, lanes), turn->v->habits);
}

static uint64_t compute_picked_mad(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    uint32_t a[LANES] __attribute__((aligned(64)));
    kernels(turn)->pick(a, lregs(turn), turn->in[7], lanes);
    return multiply_add(turn, d, a, turn->in[turn->vb], turn->in[turn->vc], lanes);
}

static uint64_t compute_mad(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    return multiply_add(turn, d, turn->in[turn->va], turn->in[turn->vb], turn->in[turn->vc], lanes);
}

static inline __attribute__((always_inline)) uint64_t compute_mad_of_word(const struct vector_turn *turn, uint32_t *d,
                                                                          uint32_t lanes) {
    const uint32_t *a = vector_lreg_at(turn->v, turn->word, 16), *b = vector_lreg_at(turn->v, turn->word, 12);
    return multiply_add(turn, d, a, b, vector_lreg_at(turn->v, turn->word, 8), lanes);
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

/* Returns the immediate, a bfloat16, as FP32. */
static inline uint32_t immediate(const struct vector_turn *turn) {
    return (turn->word >> 8 & 0xFFFF) << 16;
}

/* It does not matter which factor is negated: the product is the same. */
static inline __attribute__((always_inline)) uint64_t compute_muli(const struct vector_turn *turn, uint32_t *d,
                                                                   uint32_t lanes) {
    uint32_t signs = turn->mod & MAD_NEGATE_C ? MAD_NEGATE_A : 0;
    return kernels(turn)->mul_all(d, immediate(turn), turn->in[turn->vc], signs, lanes);
}

static inline __attribute__((always_inline)) uint64_t compute_addi(const struct vector_turn *turn, uint32_t *d,
                                                                   uint32_t lanes) {
    return kernels(turn)->add_all(d, immediate(turn), turn->in[turn->vc], turn->mod & MAD_NEGATE_C, lanes);
}

void vector_SFPMULI(struct vector_turn *turn) {
    act(turn, compute_muli);
}

void vector_SFPADDI(struct vector_turn *turn) {
    act(turn, compute_addi);
}

/* ---- Look-ups ---------------------------------------------------------------------------------- */

static uint64_t compute_lut(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    kernels(turn)->lut(d, lregs(turn), turn->mod & MOD_KEEP_SIGN, lanes, turn->v->habits);
    return 0;
}

/* Returns the table that bits 3, 1 and 0 of Mod1 select. Bit 3 also keeps its other meaning. */
static enum mad_table table_of(unsigned mod) {
    if (!(mod & 2))
        return MAD_TABLE_FP32;
    if (mod & 8)
        return MAD_TABLE_FP16;
    return mod & 1 ? MAD_TABLE_FP16_4 : MAD_TABLE_FP16_3;
}

static uint64_t compute_lut_wide(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    kernels(turn)->lut_wide(d, lregs(turn), table_of(turn->mod), turn->mod & MOD_KEEP_SIGN, lanes, turn->v->habits);
    return 0;
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

static uint64_t compute_picked_mul24(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    uint32_t a[LANES] __attribute__((aligned(64)));
    kernels(turn)->pick(a, lregs(turn), turn->in[7], lanes);
    multiply24(turn, d, a, lanes);
    return 0;
}

static uint64_t compute_mul24(const struct vector_turn *turn, uint32_t *d, uint32_t lanes) {
    multiply24(turn, d, turn->in[turn->va], lanes);
    return 0;
}

void vector_SFPMUL24(struct vector_turn *turn) {
    act(turn, turn->mod & MOD_INDIRECT_VA ? compute_picked_mul24 : compute_mul24);
}

/* ---- Issue ------------------------------------------------------------------------------------- */

/* Defines `run` of a row: it forwards the result to VD. */
#define RUN(name, compute) \
    static inline __attribute__((always_inline)) \
    uint64_t run_##name(struct vector_turn *turn, const struct vector_traits *traits) { \
        (void)traits; \
        return compute(turn, vector_forward_result(turn), turn->v->enabled); \
    }
RUN(mad, compute_mad_of_word)
RUN(mul24, compute_mul24)
RUN(muli, compute_muli)
RUN(addi, compute_addi)
RUN(lut, compute_lut)
RUN(lut_wide, compute_lut_wide)

/* Bits of a word that let LReg7 select an operand. For SFPLUTFP32, such a bit in 19:16 makes readers of every LReg
 * wait. */
enum { INDIRECT = MOD_INDIRECT_VA | MOD_INDIRECT_VD, LUT_INDIRECT = MOD_INDIRECT_VD << 16 };
enum { LUT32_RARE = MOD_INDIRECT_VD | 8 << 16 };
#define EXECUTE_SFPMAD(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, INDIRECT, run_mad)
#define EXECUTE_SFPADD(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, INDIRECT, run_mad)
#define EXECUTE_SFPMUL(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, INDIRECT, run_mad)
#define EXECUTE_SFPMULI(...)    VECTOR_EXECUTE_AS(__VA_ARGS__, MOD_INDIRECT_VD, run_muli)
#define EXECUTE_SFPADDI(...)    VECTOR_EXECUTE_AS(__VA_ARGS__, MOD_INDIRECT_VD, run_addi)
#define EXECUTE_SFPLUT(...)     VECTOR_EXECUTE_AS(__VA_ARGS__, LUT_INDIRECT, run_lut)
#define EXECUTE_SFPLUTFP32(...) VECTOR_EXECUTE_AS(__VA_ARGS__, LUT32_RARE, run_lut_wide)
#define EXECUTE_SFPMUL24(...)   VECTOR_EXECUTE_AS(__VA_ARGS__, INDIRECT, run_mul24)
#define EXECUTE_MOVE(...)
#define EXECUTE_MAD(name, ...) EXECUTE_##name(name, __VA_ARGS__)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_FLAGS(...)
#define EXECUTE_OTHER(...)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
