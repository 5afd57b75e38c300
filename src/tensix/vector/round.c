/* Conversions, the round sub-unit, approximations, and the seed of the random numbers.
 *
 * Sources: SFPSTOCHRND_*.md, SFPCAST_*.md, SFPARECIP.md, VectorUnit.md (BH). The pages show no bit 3 of Mod1 for the
 * conversions of floats; it has no effect here. No page says how a seed becomes the states of the lanes; the rule here
 * is that of the official simulator. Seeding takes no time here; LLK waits 600 cycles after it. */
#include "tensix/tensix.h"

/* ---- SFP_STOCH_RND ----------------------------------------------------------------------------- */

enum {
    FLOAT_TO_FP16A,
    FLOAT_TO_BF16,
    FLOAT_TO_U8,
    FLOAT_TO_I8,
    INTEGER_TO_U8,
    INTEGER_TO_I8,
    FLOAT_TO_U16,
    FLOAT_TO_I16
};

/* The modes: to nearest; stochastic; to zero, except for a fraction of all ones; stochastic again. */
static const struct rounding thresholds[4] = {
    { .fixed = 0x400000 },
    { .random = 0x7FFFFF },
    { .fixed = 0x7FFFFF },
    { .random = 0x7FFFFF },
};

static struct rounding rounding_of(uint32_t word) {
    static const uint16_t most[8] = { 0, 0, 255, 127, 255, 127, 65535, 32767 };
    struct rounding how = thresholds[word >> 21 & 3];
    how.most = most[word & 7];
    how.sign = word & 1 ? 0x80000000 : 0;
    return how;
}

static void descale(struct vector_turn *turn, uint32_t *d, const struct rounding *how, uint32_t lanes) {
    struct vector *v = turn->v;
    uint32_t count[LANES];
    if (turn->mod & 8)
        v->lanes->move.fill(count, turn->word >> 16 & 31, LANES_ALL);
    v->lanes->round.descale(d, turn->mod & 8 ? count : turn->in[turn->vb], turn->in[turn->vc], v->random, how, lanes);
}

void vector_SFP_STOCH_RND(struct vector_turn *turn) {
    struct vector *v = turn->v;
    const struct round_kernels *round = &v->lanes->round;
    struct rounding how = rounding_of(turn->word);
    uint32_t lanes = turn->lanes & v->enabled, *d = vector_out(turn, turn->vd, lanes);
    const uint32_t *c = turn->in[turn->vc];
    switch (turn->mod & 7) {
    case FLOAT_TO_FP16A: round->shorten(d, c, v->random, &how, 13, lanes); break;
    case FLOAT_TO_BF16: round->shorten(d, c, v->random, &how, 16, lanes); break;
    case INTEGER_TO_U8:
    case INTEGER_TO_I8: descale(turn, d, &how, lanes); break;
    default: round->to_integer(d, c, v->random, &how, lanes); break;
    }
}

/* ---- Others ------------------------------------------------------------------------------------ */

/* Bits 3:2 of Mod1 have no effect, as on silicon. */
void vector_SFPCAST(struct vector_turn *turn) {
    struct vector *v = turn->v;
    const struct round_kernels *round = &v->lanes->round;
    uint32_t lanes = turn->lanes & v->enabled, *d = vector_out(turn, turn->vd, lanes);
    const uint32_t *c = turn->in[turn->vc];
    switch (turn->mod & 3) {
    case 0: round->to_float(d, c, lanes); break;
    case 1: round->to_float_random(d, c, v->random, lanes); break;
    case 2: v->lanes->simple.absolute(d, c, lanes); break;
    case 3: round->complement(d, c, lanes); break;
    }
}

void vector_SFPARECIP(struct vector_turn *turn) {
    struct vector *v = turn->v;
    const struct round_kernels *round = &v->lanes->round;
    uint32_t lanes = turn->lanes & v->enabled, *d = vector_out(turn, turn->vd, lanes);
    const uint32_t *c = turn->in[turn->vc];
    switch (turn->mod) {
    case 0: round->reciprocal(d, c, lanes); break;
    case 1: round->reciprocal_if_negative(d, turn->in[turn->vb], c, lanes); break;
    default: round->exponential(d, c, lanes); break;
    }
}

/* ---- Random numbers ---------------------------------------------------------------------------- */

void vector_seed(struct vector *v, uint32_t seed) {
    for (unsigned i = 0; i < 32; i++)
        seed = RANDOM_NEXT(seed);
    for (unsigned lane = LANES; lane-- > 0;) {
        seed = RANDOM_NEXT(seed);
        seed = RANDOM_NEXT(seed);
        v->random[lane] = seed;
    }
}
