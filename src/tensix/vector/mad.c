/* The MAD sub-unit: SFPMAD and its like, the two table look-ups, SFPMUL24. Results take two cycles.
 *
 * With Mod bit 3 the destination comes from LReg7 and may differ from lane to lane; only LReg0..7 are destinations
 * then. SFPLUTFP32's table of mode 10 shares that bit, so that it always writes where LReg7 says.
 *
 * Sources: SFPMAD.md, SFPADD.md, SFPMUL.md, SFPMULI.md, SFPADDI.md, SFPLUT.md, SFPLUTFP32.md, SFPMUL24.md (BH). */
#include "tensix/tensix.h"

enum mad_mod {
    MOD_HIGH = 1,        /* SFPMUL24 */
    MOD_INDIRECT_VA = 4, /* SFPMAD, SFPMUL24 */
    MOD_KEEP_SIGN = 4,   /* SFPLUT, SFPLUTFP32 */
    MOD_INDIRECT_VD = 8,
};

enum { LREG_ZERO = 9, LREG_ONE = 10 }; /* read-only */

/* An instruction's result: the place to put it, the lanes that get it. */
struct result {
    uint32_t *value;
    uint32_t lanes;
    uint32_t scattered[LANES] __attribute__((aligned(64))); /* INDIRECT_VD */
};

static inline bool is_scattered(const struct vector_turn *turn) {
    return turn->mod & MOD_INDIRECT_VD && turn->vd != 16;
}

static inline const struct mad_kernels *result_begin(struct vector_turn *turn, struct result *r) {
    r->lanes = turn->lanes & turn->v->enabled;
    r->value = is_scattered(turn) ? r->scattered : vector_out_late(turn, turn->vd, r->lanes);
    return &turn->v->lanes->mad;
}

static void scatter(struct vector_turn *turn, const struct result *r) {
    const struct lanes *kernels = turn->v->lanes;
    for (unsigned vd = 0; vd < 8; vd++) {
        uint32_t lanes = kernels->mad.which(turn->in[7], vd, r->lanes);
        if (lanes)
            kernels->simple.copy(vector_out_late(turn, vd, lanes), r->scattered, lanes);
    }
}

static inline void result_end(struct vector_turn *turn, const struct result *r) {
    if (BH_UNLIKELY(is_scattered(turn)))
        scatter(turn, r);
}

static inline const uint32_t (*lregs(const struct vector_turn *turn))[LANES] {
    return (const uint32_t(*)[LANES])turn->in;
}

/* VA, which LReg7 may choose lane by lane. */
static inline const uint32_t *find_a(const struct vector_turn *turn, uint32_t *scratch, uint32_t lanes) {
    if (BH_LIKELY(!(turn->mod & MOD_INDIRECT_VA)))
        return turn->in[turn->va];
    turn->v->lanes->mad.pick(scratch, lregs(turn), turn->in[7], lanes);
    return scratch;
}

/* Factors of one and addends of zero have forms of their own. */
void vector_SFPMAD(struct vector_turn *turn) {
    struct result r;
    uint32_t scratch[LANES] __attribute__((aligned(64)));
    const struct mad_kernels *kernels = result_begin(turn, &r);
    const uint32_t *a = find_a(turn, scratch, r.lanes), *b = turn->in[turn->vb], *c = turn->in[turn->vc];
    const uint32_t *one = turn->in[LREG_ONE];
    if (a == one || b == one)
        kernels->add(r.value, a == one ? b : a, c, turn->mod, r.lanes);
    else if (turn->vc == LREG_ZERO)
        kernels->mul(r.value, a, b, turn->mod, r.lanes);
    else
        kernels->mad(r.value, a, b, c, turn->mod, r.lanes);
    result_end(turn, &r);
}

void vector_SFPADD(struct vector_turn *turn) {
    vector_SFPMAD(turn);
}

void vector_SFPMUL(struct vector_turn *turn) {
    vector_SFPMAD(turn);
}

/* The immediate is bfloat16. */
static inline uint32_t immediate(const struct vector_turn *turn) {
    return (turn->word >> 8 & 0xFFFF) << 16;
}

void vector_SFPMULI(struct vector_turn *turn) {
    struct result r;
    const struct mad_kernels *kernels = result_begin(turn, &r);
    uint32_t signs = turn->mod & MAD_NEGATE_C ? MAD_NEGATE_A : 0;
    kernels->mul_all(r.value, immediate(turn), turn->in[turn->vc], signs, r.lanes);
    result_end(turn, &r);
}

void vector_SFPADDI(struct vector_turn *turn) {
    struct result r;
    const struct mad_kernels *kernels = result_begin(turn, &r);
    kernels->add_all(r.value, immediate(turn), turn->in[turn->vc], turn->mod & MAD_NEGATE_C, r.lanes);
    result_end(turn, &r);
}

void vector_SFPLUT(struct vector_turn *turn) {
    struct result r;
    const struct mad_kernels *kernels = result_begin(turn, &r);
    kernels->lut(r.value, lregs(turn), turn->mod & MOD_KEEP_SIGN, r.lanes);
    result_end(turn, &r);
}

/* Bits 3, 1 and 0 of Mod1; bit 3 has its other meaning as well. */
static enum mad_table table_of(unsigned mod) {
    if (!(mod & 2))
        return MAD_TABLE_FP32;
    if (mod & 8)
        return MAD_TABLE_FP16;
    return mod & 1 ? MAD_TABLE_FP16_4 : MAD_TABLE_FP16_3;
}

void vector_SFPLUTFP32(struct vector_turn *turn) {
    struct result r;
    const struct mad_kernels *kernels = result_begin(turn, &r);
    kernels->lut_wide(r.value, lregs(turn), table_of(turn->mod), turn->mod & MOD_KEEP_SIGN, r.lanes);
    result_end(turn, &r);
}

void vector_SFPMUL24(struct vector_turn *turn) {
    struct result r;
    uint32_t scratch[LANES] __attribute__((aligned(64)));
    const struct mad_kernels *kernels = result_begin(turn, &r);
    const uint32_t *a = find_a(turn, scratch, r.lanes);
    kernels->mul24(r.value, a, turn->in[turn->vb], turn->in[turn->vc], turn->mod & MOD_HIGH, r.lanes);
    result_end(turn, &r);
}
