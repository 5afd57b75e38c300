/* Constants that fused.h loads from memory. */
#include "numeric/lanes/constants.h"

#define FOUR(x) x, x, x, x
#define ALL(x) \
    { FOUR(x), FOUR(x), FOUR(x), FOUR(x) }

const struct fused_constants fused_constant = {
    .infinity = ALL(0x7F800000),
    .sign = ALL(0x80000000),
    .nan = ALL(0x7FC00000),
    .quiet = ALL(0x400000),
    .one = ALL(1u << 23),
    .two = ALL(2u << 23),
    .three = ALL(3u << 23),
    .twenty_seven = ALL(27u << 23),
    .thirty_five = ALL(35u << 23),
    .sixty_four = ALL(64u << 23),
    .bias = ALL(127u << 23),
    .half_bias = ALL(127u << 22),
    .half_over = ALL(382u << 22),
    .sum_zero = ALL((128u - 32) << 24),
    .high = ALL(251u << 23),
    .fraction = ALL(0x7FFFFF),
    .magic = ALL(((127u + 3) << 23) - 0x400000),
    .factor_end = ALL((127u + 32) << 23),
    .low_end = ALL((127u + 64) << 23),
    .half = ALL(128u << 23),
    .unit = ALL(0u - ((127u + 26) << 23)),
    .dst_sign = ALL(0x80008000),
    .dst_exponent = ALL(0xFF00FF),
    .dst_mantissa = ALL(0x7F007F00),
    .bf16_mantissa = ALL(0x7F007F),
    .upper_exponent = ALL(0xFF0000),
    .upper_mantissa = ALL(0x7F000000),
};
