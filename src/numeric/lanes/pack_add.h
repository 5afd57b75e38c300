/* How L1 adds the data that the packer sends. L1.md (WH) names the formats; the bits of floats are those of the
 * official simulator.
 *
 *     FP32   as IEEE 754, to nearest even; denormals are zeros of the same sign, before and after; there is one NaN
 *     BF16   the same; but a NaN in L1 is greater than anything finite, and a NaN from the packer is a large number
 *     FP16   all exponents are numbers; overflow gives all ones. A defect: a result below 2^-15 is all ones as well,
 * and so is the difference of equal numbers with exponent 30 or 31 INT32  sign and magnitude, saturating; a sum of zero
 * is +0
 *
 * Inexact: how INT32 treats -0 is not documented. */
#include "numeric/l1_add.h"
#include "numeric/lanes/pack_halves.h"

/* Adds data to L1, one vector at a time; a shorter last piece goes through a buffer. */
typedef void pack_add_step(uint8_t *l1, const uint8_t *data);

VEC_INLINE void pack_add_each(uint8_t *l1, const uint8_t *data, unsigned bytes, unsigned size, pack_add_step *step) {
    uint8_t sum[sizeof(vec)] = { 0 }, other[sizeof(vec)] = { 0 };
    for (; bytes >= size; bytes -= size, l1 += size, data += size)
        step(l1, data);
    if (!bytes)
        return;
    memcpy(sum, l1, bytes);
    memcpy(other, data, bytes);
    step(sum, other);
    memcpy(l1, sum, bytes);
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

VEC_INLINE vec pack_no_denormals(vec x) {
    return x & ((vec)((x & 0x7F800000) != 0) | 0x80000000);
}

VEC_INLINE vec pack_sum(vec a, vec b) {
    return (vec)((vec_float)a + (vec_float)b);
}

VEC_INLINE void pack_add_step_fp32(uint8_t *l1, const uint8_t *data) {
    vec a = pack_no_denormals((vec)vec_int_load(l1)), b = pack_no_denormals((vec)vec_int_load(data));
    vec sum = pack_no_denormals(pack_sum(a, b));
    vec nan = (vec)((vec_int)(sum & 0x7FFFFFFF) > 0x7F800000);
    vec_int_store(l1, (vec_int)vec_select(nan, vec_all(0x7FC00000), sum));
}

VEC_INLINE void pack_add_step_int32(uint8_t *l1, const uint8_t *data) {
    vec a = (vec)vec_int_load(l1), b = (vec)vec_int_load(data);
    vec sum = (a & 0x7FFFFFFF) + (b & 0x7FFFFFFF), rest = (a & 0x7FFFFFFF) - (b & 0x7FFFFFFF);
    vec less = (vec)((vec_int)rest < 0), alike = (vec)((vec_int)(a ^ b) >= 0);
    sum = vec_select((vec)((vec_int)sum < 0), vec_all(0x7FFFFFFF), sum);
    vec magnitude = vec_select(alike, sum, vec_select(less, -rest, rest));
    vec sign = vec_select(less, b, a) & 0x80000000 & (vec)(magnitude != 0);
    vec_int_store(l1, (vec_int)(sign | magnitude));
}

static void pack_add_fp32(uint8_t *l1, const uint8_t *data, unsigned pieces) {
    pack_add_each(l1, data, pieces * 16, sizeof(vec), pack_add_step_fp32);
}

static void pack_add_int32(uint8_t *l1, const uint8_t *data, unsigned pieces) {
    pack_add_each(l1, data, pieces * 16, sizeof(vec), pack_add_step_int32);
}

/* ---- Halves ------------------------------------------------------------------------------------------------------ */

VEC_INLINE vec pack_halves_at(const uint8_t *p) {
    uint16_t half[VEC_LANES];
    memcpy(half, p, sizeof half);
    return (vec)vec_from_u16(half);
}

VEC_INLINE void pack_halves_to(uint8_t *p, vec v) {
    uint16_t half[VEC_LANES];
    vec_to_u16(half, (vec_int)v);
    memcpy(p, half, sizeof half);
}

VEC_INLINE vec pack_nearest_even(vec x, unsigned lost) {
    return (x + ((1u << lost >> 1) - 1) + (x >> lost & 1)) >> lost;
}

/* Adds again the lanes in which an addend is infinite or a NaN. */
VEC_INLINE void pack_add_bf16_fix(uint8_t *l1, vec a, vec b, vec bad) {
    for (unsigned i = 0; i < VEC_LANES; i++) {
        if (bad[i]) {
            uint16_t sum = l1_add_bf16((uint16_t)a[i], (uint16_t)b[i]);
            memcpy(l1 + i * 2, &sum, sizeof sum);
        }
    }
}

VEC_INLINE void pack_add_step_bf16(uint8_t *l1, const uint8_t *data) {
    vec a = pack_halves_at(l1), b = pack_halves_at(data);
    vec bad = (vec)((a & 0x7F80) == 0x7F80) | (vec)((b & 0x7F80) == 0x7F80);
    vec sum = pack_sum(pack_no_denormals(a << 16), pack_no_denormals(b << 16));
    pack_halves_to(l1, pack_nearest_even(pack_no_denormals(sum), 16));
    if (vec_bits(bad))
        pack_add_bf16_fix(l1, a, b, bad);
}

/* Converts a number, whatever its exponent: FP16 has no infinities here. */
VEC_INLINE vec pack_float_of_fp16(vec x) {
    vec magnitude = ((x & 0x7FFF) << 13) + (112u << 23);
    return (x & 0x8000) << 16 | (magnitude & (vec)((x & 0x7C00) != 0));
}

VEC_INLINE void pack_add_step_fp16(uint8_t *l1, const uint8_t *data) {
    vec a = pack_halves_at(l1), sum = pack_sum(pack_float_of_fp16(a), pack_float_of_fp16(pack_halves_at(data)));
    vec magnitude = sum & 0x7FFFFFFF, least = vec_all(113u << 23);
    vec value = (vec)vec_int_min((vec_int)pack_nearest_even(magnitude - (112u << 23), 13), vec_int_all(0x7FFF));
    vec none = (vec)(magnitude == 0), small = (vec)((vec_int)magnitude < (vec_int)least);
    vec broken = vec_select(none, (vec)((a & 0x7800) == 0x7800), (vec)((vec_int)magnitude < (int32_t)(112u << 23)));
    value = vec_select(small, broken & 0x7FFF, value);
    pack_halves_to(l1, (sum >> 16 & 0x8000) | value);
}

static void pack_add_bf16(uint8_t *l1, const uint8_t *data, unsigned pieces) {
    pack_add_each(l1, data, pieces * 16, sizeof(vec) / 2, pack_add_step_bf16);
}

static void pack_add_fp16(uint8_t *l1, const uint8_t *data, unsigned pieces) {
    pack_add_each(l1, data, pieces * 16, sizeof(vec) / 2, pack_add_step_fp16);
}
