/* Constants of the multiply-add, for as many lanes as any level has; exponents in place.
 *
 * They are in a file of their own so that compilers load them. Where they see the values and vector registers are
 * short, they make each of them anew in every round, by way of a general register. */
#ifndef NUMERIC_LANES_CONSTANTS_H
#define NUMERIC_LANES_CONSTANTS_H

#include <stdint.h>

struct fused_constants {
    uint32_t infinity[16], sign[16], nan[16], quiet[16]; /* quiet: 0x400000 */
    uint32_t one[16], two[16], three[16], twenty_seven[16], thirty_five[16], sixty_four[16], bias[16];
    uint32_t half_bias[16], half_over[16]; /* of a product's exponent at which it vanishes, at which it is infinite */
    uint32_t sum_zero[16];                 /* less twice 2^-95, as signed numbers: fused_look_at_sum */
    uint32_t high[16];                     /* where a product may not be a float any more */
    uint32_t fraction[16], magic[16], half[16], unit[16], factor_end[16], low_end[16]; /* those of fused_neon.h */
    uint32_t dst_sign[16], dst_exponent[16], dst_mantissa[16]; /* of BF16 in Dst, in both halves */
    uint32_t bf16_mantissa[16];                                /* of BF16 as others have it */
    uint32_t upper_exponent[16], upper_mantissa[16];           /* of BF16 in Dst, in the upper half */
} __attribute__((aligned(64)));

extern const struct fused_constants fused_constant;

#endif
