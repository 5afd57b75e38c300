/* What fused.h takes from memory. */
#include "numeric/lanes/constants.h"

#define FOUR(x) x, x, x, x
#define ALL(x) \
    { FOUR(x), FOUR(x), FOUR(x), FOUR(x) }

const struct fused_constants fused_constant = {
    .infinity = ALL(0x7F800000),
    .bias = ALL(127u << 23),
    .thirty_five = ALL(35u << 23),
    .twenty_seven = ALL(27u << 23),
    .three = ALL(3u << 23),
    .two = ALL(2u << 23),
    .one = ALL(1u << 23),
    .half = ALL(0x400000),
};
