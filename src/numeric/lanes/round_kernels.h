/* Kernels of the round sub-unit, of conversions and of approximations.
 *
 * d is the result, b and c are the operands as the ISA pages name them; only the lanes of mask are written. random is
 * the state of each lane's generator: where it is not const, those of the mask make a step. */
#ifndef NUMERIC_LANES_ROUND_KERNELS_H
#define NUMERIC_LANES_ROUND_KERNELS_H

#include <stdint.h>

/* A step of a lane's random numbers, for words and for vectors of them: a shift register, whose new top bit is the
 * complement of the parity of four taps. */
#define RANDOM_NEXT(s) (~((s) ^ (s) >> 1 ^ (s) >> 21 ^ (s) >> 31) << 31 | (s) >> 1)

/* How a number is rounded: away from zero where what is lost, as a fraction of 23 bits, is no less than a threshold.
 * That is (state & random) | fixed. */
struct rounding {
    uint32_t random, fixed;
    uint32_t most; /* the greatest magnitude of an integer */
    uint32_t sign; /* the bits of its sign that are kept */
};

struct round_kernels {
    /* d = state; then a step. */
    void (*random)(uint32_t *d, uint32_t *state, uint32_t mask);

    /* FP32 without the lowest `lost` bits of its fraction. Denormals are zero, NaNs infinity. */
    void (*shorten)(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, unsigned lost,
                    uint32_t mask);
    /* FP32 to an integer (sign and magnitude) of 16 bits at most. Below 1/2 it is zero without rounding. */
    void (*to_integer)(uint32_t *d, const uint32_t *c, uint32_t *random, const struct rounding *how, uint32_t mask);
    /* An integer (sign and magnitude) divided by 2 to the power of b, modulo 32. */
    void (*descale)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t *random, const struct rounding *how,
                    uint32_t mask);

    /* An integer (sign and magnitude) to FP32, to nearest even or at random. */
    void (*to_float)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*to_float_random)(uint32_t *d, const uint32_t *c, uint32_t *random, uint32_t mask);
    /* Sign and magnitude to two's complement, or back. */
    void (*complement)(uint32_t *d, const uint32_t *c, uint32_t mask);

    /* About 1 / c, the same without a sign where b is negative (else c), and exp(abs(c)) with the sign of c. */
    void (*reciprocal)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*reciprocal_if_negative)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*exponential)(uint32_t *d, const uint32_t *c, uint32_t mask);

    /* The lane before in each row of eight; the first of a row gets the last one, or zero. */
    void (*rotate)(uint32_t *d, const uint32_t *c, uint32_t mask);
    void (*move_right)(uint32_t *d, const uint32_t *c, uint32_t mask);
    /* The lane of the next row; the last row gets zeros. */
    void (*move_up)(uint32_t *d, const uint32_t *c, uint32_t mask);
};

#endif
