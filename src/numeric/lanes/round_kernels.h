/* Kernels of the round sub-unit: conversions and approximations.
 *
 * d is the result, b and c are the operands as the ISA pages name them; only the lanes of the mask are written. random
 * is the state of each lane's generator: where it is not const, the generators of the mask advance. */
#ifndef NUMERIC_LANES_ROUND_KERNELS_H
#define NUMERIC_LANES_ROUND_KERNELS_H

#include <stdint.h>

/* The next state of a lane's random numbers, for words and for vectors of words: a shift register whose new top bit is
 * the complement of the parity of four taps. */
#define RANDOM_NEXT(s) (~((s) ^ (s) >> 1 ^ (s) >> 21 ^ (s) >> 31) << 31 | (s) >> 1)

/* How a number is rounded: away from zero if the lost part, as a fraction of 23 bits, is not less than a threshold. The
 * threshold is (state & random) | fixed. */
struct rounding {
    uint32_t random, fixed;
    uint32_t most; /* the greatest magnitude of an integer */
    uint32_t sign; /* mask of the sign bit, or 0 if the result has no sign */
};

struct round_kernels {
    /* d = state; then the generators advance. */
    void (*random)(uint32_t *d, uint32_t *state, uint32_t mask);

    /* Shortens FP32 by the lowest `lost` bits of its fraction. Denormals become zero, NaNs infinite. */
    void (*shorten)(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, unsigned lost,
                    uint32_t mask);
    /* Converts FP32 to an integer (sign and magnitude) of at most 16 bits. Below 1/2 the result is zero without
     * rounding. */
    void (*to_integer)(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, uint32_t mask);
    /* Divides an integer (sign and magnitude) by 2 to the power of b modulo 32. */
    void (*descale)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t *random, const struct rounding *how,
                    uint32_t mask);

    /* Convert an integer (sign and magnitude) to FP32, rounding to nearest even or at random. */
    void (*to_float)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*to_float_random)(uint32_t *d, const uint32_t *c, uint32_t *random, uint32_t mask);
    /* Converts sign and magnitude to two's complement, or back. */
    void (*complement)(uint32_t *d, const uint32_t *c, uint32_t mask);

    /* About 1 / c; about 1 / |c| where b is negative, else c; about exp(|c|) with the sign of c. */
    void (*reciprocal)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*reciprocal_if_negative)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*exponential)(uint32_t *d, const uint32_t *c, uint32_t mask);

    /* Copy from the previous lane in each row of eight; the first lane of a row gets the last one (rotate) or zero. */
    void (*rotate)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*move_right)(uint32_t *d, const uint32_t *c, uint32_t mask);
    /* Copies from the same lane of the next row; the last row gets zeros. */
    void (*move_up)(uint32_t *d, const uint32_t *c, uint32_t mask);
};

#endif
