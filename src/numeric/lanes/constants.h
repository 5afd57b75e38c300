/* Constants of the multiply-add, for as many lanes as any level has; exponents in place.
 *
 * They are in a file of their own so that compilers load them. Where they see the values and vector registers are
 * short, they make each of them anew in every round, by way of a general register. */
#ifndef NUMERIC_LANES_CONSTANTS_H
#define NUMERIC_LANES_CONSTANTS_H

#include <stdint.h>

struct fused_constants {
    uint32_t infinity[16], bias[16], thirty_five[16], twenty_seven[16], three[16], two[16], one[16], half[16];
} __attribute__((aligned(64)));

extern const struct fused_constants fused_constant;

#endif
