/* Constants of the multiply-add, for as many lanes as any level has. Exponents are in place, in bits 30:23.
 *
 * They are in a file of their own so that compilers load them. A compiler that sees the values and is short of vector
 * registers builds each constant again in every iteration, by way of a general register. */
#ifndef NUMERIC_LANES_CONSTANTS_H
#define NUMERIC_LANES_CONSTANTS_H

#include <stdint.h>

struct fused_constants {
    uint32_t infinity[16], sign[16], nan[16], quiet[16]; /* quiet: 0x400000 */
    uint32_t one[16], two[16], three[16], twenty_seven[16], thirty_five[16], sixty_four[16], bias[16];
    uint32_t half_bias[16], half_over[16]; /* halves of exponents of products: the limits to zero and to infinity */
    uint32_t sum_zero[16];                 /* zero in the order of fused_look_at: -2 * 2^-95 as a bit pattern, signed */
    uint32_t high[16];                     /* exponent from which a product may not be a float */
    uint32_t fraction[16], magic[16], half[16], unit[16], factor_end[16], low_end[16]; /* used by fused_neon.h */
    uint32_t dst_sign[16], dst_exponent[16], dst_mantissa[16]; /* fields of BF16 in Dst, in both halves */
    uint32_t bf16_mantissa[16];                                /* field of BF16 as elsewhere */
    uint32_t upper_exponent[16], upper_mantissa[16];           /* fields of BF16 in Dst, in the upper half */
} __attribute__((aligned(64)));

extern const struct fused_constants fused_constant;

#endif
