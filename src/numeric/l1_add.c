/* The adder next to L1 on bit patterns, with integer arithmetic only: see l1_add.h. */
#include "numeric/l1_add.h"

#include <stdbool.h>

#include "numeric/fp32.h"

enum { SIGN = 0x8000, MAGNITUDE = 0x7FFF };

/* ---- FP32 ----------------------------------------------------------------------------------------------- */

/* The multiply-add datapath is exact enough for an addition: an operand that it shifts out completely is less than
 * half of the last place. */
uint32_t l1_add_fp32(uint32_t memory, uint32_t addend) {
    return fp32_add(memory, addend);
}

/* ---- BF16 ----------------------------------------------------------------------------------------------- */

enum { BF16_INF = 0x7F80, BF16_NAN = 0x7FC0, BF16_TOP = 255, BF16_FRACTION = 7 };
enum { SUM_POINT = 40 }; /* places below the last one of a significand; lower bits become sticky */

static bool bf16_is_inf(uint16_t x) {
    return (x & MAGNITUDE) == BF16_INF;
}

static unsigned bf16_exponent(uint16_t x) {
    return x >> BF16_FRACTION & 255;
}

static int64_t bf16_significand(uint16_t x) {
    return bf16_exponent(x) ? (int64_t)(0x80 | (x & 0x7F)) << SUM_POINT : 0;
}

static int64_t shift_sticky(int64_t value, unsigned count) {
    if (count > 62)
        return value != 0;
    int64_t kept = value >> count;
    return kept | (kept << count != value);
}

/* Rounds a positive sum, in units of 2^-SUM_POINT at this exponent, to nearest even. */
static uint16_t bf16_round(int64_t sum, int exponent) {
    int top = 63 - __builtin_clzll((uint64_t)sum);
    unsigned drop = (unsigned)(top - BF16_FRACTION); /* the sticky bit of a sum is far below its last place */
    exponent += top - (BF16_FRACTION + SUM_POINT);
    if (exponent >= BF16_TOP)
        return BF16_INF;
    if (exponent <= 0)
        return 0;
    int64_t half = INT64_C(1) << (drop - 1);
    int64_t kept = (sum + half - 1 + (sum >> drop & 1)) >> drop;
    return (uint16_t)(((exponent - 1) << BF16_FRACTION) + (int)kept);
}

static uint16_t bf16_sum(uint16_t a, uint16_t b) {
    unsigned ea = bf16_exponent(a), eb = bf16_exponent(b), e = ea > eb ? ea : eb;
    int64_t ma = shift_sticky(bf16_significand(a), e - ea), mb = shift_sticky(bf16_significand(b), e - eb);
    int64_t sum = (a & SIGN ? -ma : ma) + (b & SIGN ? -mb : mb);
    if (ma == 0 && mb == 0)
        return a & b & SIGN;
    if (sum == 0)
        return 0;
    return sum < 0 ? (uint16_t)(SIGN | bf16_round(-sum, (int)e)) : bf16_round(sum, (int)e);
}

uint16_t l1_add_bf16(uint16_t memory, uint16_t addend) {
    if (bf16_is_inf(memory) && bf16_is_inf(addend) && memory != addend)
        return BF16_NAN;
    if (bf16_is_inf(addend))
        return addend;
    if (bf16_exponent(memory) == BF16_TOP)
        return (memory & SIGN) | BF16_INF;
    return bf16_sum(memory, addend);
}

/* ---- FP16 ----------------------------------------------------------------------------------------------- */

enum { FP16_FRACTION = 10, FP16_BIAS_BELOW = 112, FP16_DROP = 13, FP16_CANCELS_BADLY = 30 };

static unsigned fp16_exponent(uint16_t x) {
    return x >> FP16_FRACTION & 31;
}

static uint32_t fp16_widen(uint16_t x) {
    uint32_t sign = (uint32_t)(x & SIGN) << 16, magnitude = x & MAGNITUDE;
    return sign | (fp16_exponent(x) ? (magnitude << FP16_DROP) + ((uint32_t)FP16_BIAS_BELOW << 23) : 0);
}

/* Converts the magnitude of an FP32 number that is not zero. */
static uint16_t fp16_narrow(uint32_t x) {
    int exponent = (int)fp32_exponent(x) - FP16_BIAS_BELOW;
    if (exponent == 0)
        return 0;
    if (exponent < 0 || exponent > 31)
        return MAGNITUDE;
    uint32_t fraction = x & FP32_FRACTION, half = UINT32_C(1) << (FP16_DROP - 1);
    uint32_t rounded = (fraction + half - 1 + (fraction >> FP16_DROP & 1)) >> FP16_DROP;
    uint32_t packed = ((uint32_t)exponent << FP16_FRACTION) + rounded;
    return (uint16_t)(packed > MAGNITUDE ? MAGNITUDE : packed);
}

uint16_t l1_add_fp16(uint16_t memory, uint16_t addend) {
    uint32_t sum = fp32_add(fp16_widen(memory), fp16_widen(addend));
    uint16_t sign = (uint16_t)(sum >> 16 & SIGN);
    if (!(sum & ~FP32_SIGN))
        return sign | (fp16_exponent(memory) >= FP16_CANCELS_BADLY ? MAGNITUDE : 0);
    return sign | fp16_narrow(sum);
}
