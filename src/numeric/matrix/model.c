/* The arithmetic of the Matrix Unit in integers.
 *
 * Products and sums have an exponent with the bias of Dst's format, and a value in units of 2^-10 at that exponent. The
 * significand of a datum of Dst has 24 bits, 13 more. Nothing is infinite or NaN: the greatest exponent is one like any
 * other. Sources: MVMUL.md, ELWADD.md, ELWMUL.md, GMPOOL.md, MatrixUnit.md, FloatBitPatterns.md (WH). They do not
 * define the order of additions and the rounding, which here are those of ttsim v1.10.0 for Blackhole.
 *
 * Assumed, because no source says it: MVMUL keeps denormals of SrcB in the same way as ELWMUL; a fidelity phase lowers
 * the exponent of ELWADD's sum by 5 or 7 before the sum is added to Dst; what random.h says of rounding at random. */
#include "numeric/matrix/model.h"

enum { HIDDEN = 0x400, EXTRA = 13 };

static uint32_t sign_of(uint32_t datum) {
    return datum >> 18 & 1;
}

static uint32_t mantissa_of(uint32_t datum) {
    return datum >> 8 & 0x3FF;
}

static uint32_t exponent_of(uint32_t datum) {
    return datum & 0xFF;
}

static int32_t most(int32_t x, int32_t y) {
    return x > y ? x : y;
}

/* Clears the bits that the style does not have. */
static uint32_t read(enum matrix_style style, uint32_t datum) {
    static const uint32_t bits[] = {
        [MATRIX_BF16] = 0x7F8FF, [MATRIX_TF32] = 0x7FFFF, [MATRIX_FP16] = 0x7FF1F, [MATRIX_INT8] = 0x7FFFF
    };
    return datum & bits[style];
}

/* Shifts right and rounds, ties upward. A magnitude has at most 32 bits. */
static int64_t align(int64_t x, int32_t count) {
    if (count == 0 || count > 30)
        return count ? 0 : x;
    int64_t rounded = x + (1 << (count - 1));
    return (x < 0 ? rounded : (uint32_t)rounded) >> count;
}

/* ---- Dst ------------------------------------------------------------------------------------------------------- */

struct number {
    bool negative;
    int32_t exponent;
    int32_t significand; /* 24 bits; 0 if the exponent is 0 */
};

static struct number read_dst(const struct matrix_mode *mode, uint32_t dst) {
    struct number n;
    uint32_t fraction;
    if (mode->wide) {
        n.negative = dst >> 31;
        n.exponent = dst >> 16 & 0xFF;
        fraction = (dst >> 24 & 0x7F) << 16 | (dst & 0xFFFF);
    } else if (mode->a == MATRIX_FP16) {
        n.negative = dst >> 15;
        n.exponent = dst & 0x1F;
        fraction = (dst >> 5 & 0x3FF) << 13;
    } else {
        n.negative = dst >> 15;
        n.exponent = dst & 0xFF;
        fraction = (dst >> 8 & 0x7F) << 16;
    }
    n.significand = n.exponent ? (int32_t)(fraction | 0x800000) : 0;
    return n;
}

static uint32_t write_dst(const struct matrix_mode *mode, struct number n) {
    uint32_t sign = n.negative, fraction = (uint32_t)n.significand & 0x7FFFFF, exponent = (uint32_t)n.exponent;
    if (mode->wide)
        return sign << 31 | fraction >> 16 << 24 | exponent << 16 | (fraction & 0xFFFF);
    if (mode->a == MATRIX_FP16)
        return sign << 15 | fraction >> 13 << 5 | exponent;
    return sign << 15 | fraction >> 16 << 8 | exponent;
}

/* Encodes a number for Dst. Exponents below 1 give +0; exponents beyond the greatest one give infinity, in FP16 the
 * greatest number. */
static uint32_t write_bounded(const struct matrix_mode *mode, struct number n) {
    bool half = mode->a == MATRIX_FP16 && !mode->wide;
    if (n.exponent <= 0)
        return 0;
    if (half && n.exponent > 31)
        n = (struct number){ n.negative, 31, 0x7FE000 };
    else if (!half && n.exponent >= 255)
        n = (struct number){ n.negative, 255, 0 };
    return write_dst(mode, n);
}

/* ---- Accumulation ---------------------------------------------------------------------------------------------- */

struct sum {
    int32_t value;
    int32_t exponent;
};

/* Shifts a magnitude right and rounds: ties away from zero, or at random. */
static int32_t shorten(const struct matrix_mode *mode, int32_t magnitude, int32_t lost) {
    if (!mode->random)
        return (int32_t)align(magnitude, lost);
    uint32_t below = (UINT32_C(1) << lost) - 1;
    return (magnitude >> lost) + (((uint32_t)magnitude & below) > (mode->noise & below));
}

/* Rounds a total to the significant bits and encodes it for Dst. 2^23 stands for 1 at the
 * exponent. Precondition: total is not zero. */
static uint32_t round_and_write(const struct matrix_mode *mode, int32_t total, int32_t exponent) {
    struct number n = { .negative = total < 0 };
    int32_t magnitude = total < 0 ? -total : total;
    int32_t keep = mode->wide ? 24 : mode->a == MATRIX_FP16 ? 11 : 8;
    int32_t bits = 32 - __builtin_clz((uint32_t)magnitude);
    int32_t rounded = bits > keep ? shorten(mode, magnitude, bits - keep) : magnitude << (keep - bits);
    n.exponent = exponent + bits - 24 + (rounded >> keep);
    n.significand = rounded << (24 - keep);
    return write_bounded(mode, n);
}

/* Adds two sums to Dst. Everything is aligned to the greatest of the exponents, including those of zeros; for 16 bits
 * each addend then loses its extra bits, unless the total is rounded at random. Ties of sums go upward, those of Dst
 * away from zero. The total has 32 bits. */
static uint32_t accumulate(const struct matrix_mode *mode, const struct sum sums[2], uint32_t dst) {
    struct number old = read_dst(mode, dst);
    int32_t exponent = most(old.exponent, most(sums[0].exponent, sums[1].exponent));
    if (exponent <= 0)
        return 0;
    int32_t extra = mode->wide || mode->random ? 0 : EXTRA;
    int64_t total = align(align(old.significand, exponent - old.exponent), extra);
    total = old.negative ? -total : total;
    for (unsigned i = 0; i < 2; i++)
        total += align(align((int64_t)sums[i].value * (1 << EXTRA), exponent - sums[i].exponent), extra);
    int32_t narrow = (int32_t)(total * (1 << extra));
    return narrow ? round_and_write(mode, narrow, exponent) : 0;
}

/* ---- Products -------------------------------------------------------------------------------------------------- */

/* Returns the number to add to the sum of two exponents: it accounts for Dst's bias and for the weight of the phase's
 * bits. */
static int32_t adjustment(const struct matrix_mode *mode) {
    int32_t bias = mode->a != MATRIX_FP16 ? -127 : mode->wide ? 127 - 2 * 15 : -15;
    return bias - (mode->phase & 1 ? 5 : 0) - (mode->phase & 2 ? 7 : 0);
}

static int32_t select_a(uint32_t datum, unsigned phase) {
    uint32_t significand = mantissa_of(datum) | HIDDEN;
    return (int32_t)(phase & 1 ? significand >> 1 & 0x1F : significand >> 6);
}

static int32_t select_b(uint32_t datum, unsigned phase) {
    uint32_t significand = mantissa_of(datum) | HIDDEN;
    return (int32_t)(phase & 2 ? (significand & 0xF) << 3 : significand >> 4);
}

/* Returns the product of two data. A zero has an exponent as well: the least that a product can have, but not below
 * 0. */
static struct sum product(const struct matrix_mode *mode, uint32_t a, uint32_t b) {
    a = read(mode->a, a);
    b = read(mode->b, b);
    int32_t adjust = adjustment(mode);
    if (exponent_of(a) == 0 || (exponent_of(b) == 0 && !mode->keep_b))
        return (struct sum){ .exponent = most(adjust, 0) };
    int32_t magnitude = select_a(a, mode->phase) * select_b(b, mode->phase);
    return (struct sum){ .value = sign_of(a) != sign_of(b) ? -magnitude : magnitude,
                         .exponent = (int32_t)(exponent_of(a) + exponent_of(b)) + adjust };
}

/* Adds eight products, aligned to the greatest exponent, ties away from zero. */
static struct sum add_products(const struct sum products[8]) {
    struct sum group = { .exponent = products[0].exponent };
    for (unsigned i = 1; i < 8; i++)
        group.exponent = most(group.exponent, products[i].exponent);
    if (group.exponent <= 0)
        return (struct sum){ 0 };
    for (unsigned i = 0; i < 8; i++) {
        int32_t value = products[i].value, distance = group.exponent - products[i].exponent;
        group.value += (int32_t)(value < 0 ? -align(-value, distance) : align(value, distance));
    }
    return group;
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

static int32_t read_integer(uint32_t datum, uint32_t bits, bool keep_zero) {
    int32_t magnitude = (int32_t)(mantissa_of(datum) & bits);
    if (exponent_of(datum) == 0 && !keep_zero)
        return 0;
    return sign_of(datum) ? -magnitude : magnitude;
}

static int32_t integer_product(const struct matrix_mode *mode, uint32_t a, uint32_t b) {
    return read_integer(a, mode->phase & 1 ? 0x1F : 0xE0, false) *
           read_integer(b, mode->phase & 2 ? 0x00F : 0x3F0, mode->keep_b);
}

/* Adds an integer to Dst, which holds the sign, bits 22:16 of the magnitude, 30:23, 15:0. */
static uint32_t add_integer(int32_t x, uint32_t dst) {
    int64_t old = (dst >> 16 & 0xFF) << 23 | (dst >> 24 & 0x7F) << 16 | (dst & 0xFFFF);
    int64_t sum = (dst >> 31 ? -old : old) + x;
    uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum);
    if (magnitude > INT32_MAX)
        magnitude = INT32_MAX;
    return (sum < 0 ? UINT32_C(1) << 31 : 0) | (magnitude >> 16 & 0x7F) << 24 | magnitude >> 23 << 16 |
           (magnitude & 0xFFFF);
}

/* ---- Instructions ---------------------------------------------------------------------------------------------- */

uint32_t matrix_model_dot(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], uint32_t dst) {
    struct sum products[16], sums[2];
    int32_t integer = 0;
    for (unsigned i = 0; i < 16; i++) {
        products[i] = product(mode, a[i], b[i]);
        integer += integer_product(mode, a[i], b[i]);
    }
    if (mode->a == MATRIX_INT8)
        return add_integer(integer, dst);
    for (unsigned i = 0; i < 2; i++)
        sums[i] = add_products(products + 8 * i);
    return accumulate(mode, sums, dst);
}

uint32_t matrix_model_multiply(const struct matrix_mode *mode, uint32_t a, uint32_t b, uint32_t dst) {
    if (mode->a == MATRIX_INT8)
        return add_integer(integer_product(mode, a, b), dst);
    struct sum sums[2] = { product(mode, a, b) };
    if (sums[0].exponent <= 0)
        sums[0] = (struct sum){ 0 };
    return accumulate(mode, sums, dst);
}

/* Returns an operand of ELWADD. A zero that counts as a number has its hidden bit, unless it is +0. */
static struct sum addend(uint32_t datum, bool keep_zero) {
    if (datum == 0 || (exponent_of(datum) == 0 && !keep_zero))
        return (struct sum){ 0 };
    int32_t magnitude = (int32_t)(mantissa_of(datum) | HIDDEN);
    return (struct sum){ sign_of(datum) ? -magnitude : magnitude, (int32_t)exponent_of(datum) };
}

static int32_t magnitude_of(int32_t x) {
    return x < 0 ? -x : x;
}

/* Adds two numbers; the smaller is aligned to the greater, ties away from zero. The hidden bit does not take part in
 * the decision which one is smaller, so the magnitude of zero minus a -0 that counts as a number wraps around. */
static struct sum add(struct sum x, struct sum y) {
    if (x.value == 0 && y.exponent == 0 && y.value == -HIDDEN)
        return (struct sum){ .value = (1 << (32 - EXTRA)) - HIDDEN };
    bool swap = x.exponent != y.exponent ? x.exponent < y.exponent : magnitude_of(x.value) < magnitude_of(y.value);
    struct sum great = swap ? y : x, small = swap ? x : y;
    int32_t aligned = (int32_t)align(magnitude_of(small.value), great.exponent - small.exponent);
    great.value += small.value < 0 ? -aligned : aligned;
    return great;
}

/* Converts an exponent from FP16's bias to FP32's, and applies the phase. The exponent of a zero becomes that of a
 * product of zeros. */
static int32_t sum_exponent(const struct matrix_mode *mode, int32_t exponent) {
    if (mode->a == MATRIX_FP16 && mode->wide)
        exponent = exponent ? exponent + 127 - 15 : 127 - 2 * 15;
    return exponent - (mode->phase & 1 ? 5 : 0) - (mode->phase & 2 ? 7 : 0);
}

uint32_t matrix_model_add(const struct matrix_mode *mode, uint32_t a, uint32_t b, bool subtract, uint32_t dst) {
    b ^= (uint32_t)subtract << 18;
    if (mode->a == MATRIX_INT8)
        return add_integer(read_integer(a, 0x3FF, false) + read_integer(b, 0x3FF, mode->keep_b), dst);
    struct sum sums[2] = { add(addend(read(mode->a, a), false), addend(read(mode->b, b), mode->keep_b)) };
    sums[0].exponent = sum_exponent(mode, sums[0].exponent);
    return accumulate(mode, sums, dst);
}

/* ---- Maximum --------------------------------------------------------------------------------------------------- */

/* Ten bits of mantissa or magnitude, and above them nine bits of exponent or of further magnitude. */
struct datum {
    uint32_t sign, exponent, mantissa;
};

enum pool_style { POOL_INT32, POOL_FP16, POOL_BF16, POOL_TF32 };

static enum pool_style pool_style(const struct matrix_mode *mode, bool index) {
    switch (mode->a) {
    case MATRIX_INT8: return POOL_INT32;
    case MATRIX_TF32: return index ? POOL_INT32 : mode->wide ? POOL_TF32 : POOL_BF16;
    case MATRIX_FP16: return mode->wide && !index ? POOL_TF32 : POOL_FP16;
    default: return mode->wide && !index ? POOL_TF32 : POOL_BF16;
    }
}

static struct datum pool_read(enum pool_style style, uint32_t dst) {
    uint32_t sign = dst >> 31, low = style == POOL_TF32 ? dst >> 13 & 7 : 0;
    switch (style) {
    case POOL_INT32: return (struct datum){ sign, (dst >> 24 & 7) << 6 | (dst >> 10 & 0x3F), dst & 0x3FF };
    case POOL_FP16: return (struct datum){ sign, (dst >> 16 & 0x1F) + 15, dst >> 21 & 0x3FF };
    default: return (struct datum){ sign, (dst >> 16 & 0xFF) + 127, (dst >> 24 & 0x7F) << 3 | low };
    }
}

/* Encodes a maximum for Dst. Scaled exponents may wrap around. */
static uint32_t pool_write(enum pool_style style, struct datum d) {
    uint32_t sign = d.sign << 31, low = style == POOL_TF32 ? (d.mantissa & 7) << 13 : 0;
    switch (style) {
    case POOL_INT32: return sign | (d.exponent & 7) << 10 | d.mantissa;
    case POOL_FP16: return d.exponent % 64 == 0 ? 0 : sign | d.mantissa << 21 | ((d.exponent - 15) & 0x1F) << 16;
    default: return d.exponent == 0 ? 0 : sign | d.mantissa >> 3 << 24 | ((d.exponent - 127) & 0xFF) << 16 | low;
    }
}

/* Scales a datum of SrcA. A zero of SrcB makes it less than any other. */
static struct datum pool_scale(const struct matrix_mode *mode, uint32_t a, uint32_t b) {
    if (exponent_of(b) == 0)
        return (struct datum){ 1, 0x1FF, 0x3FF };
    if (exponent_of(a) == 0)
        return (struct datum){ 0 };
    if (mode->a == MATRIX_INT8)
        return (struct datum){ sign_of(a), 0, mantissa_of(a) };
    a = read(mode->a, a);
    b = read(mode->a, b);
    return (struct datum){ sign_of(a), exponent_of(a) + exponent_of(b), mantissa_of(a) };
}

static int32_t pool_order(struct datum d) {
    int32_t magnitude = (int32_t)(d.exponent << 10 | d.mantissa);
    return d.sign ? -magnitude : magnitude;
}

/* The index is that of the last greatest datum among the first eight rows, in the order 4 5 6 7 0 1 2 3. Its three bits
 * hold 3 * row modulo 8; above them is the number of the instruction, which Dst counts. */
uint32_t matrix_model_maximum(const struct matrix_mode *mode, const uint32_t a[16], const uint32_t b[16], bool index,
                              uint32_t dst) {
    enum pool_style style = pool_style(mode, index);
    struct datum greatest = pool_read(style, dst);
    uint32_t count = (dst + 0x100) & 0xF00, where = dst & 0xFF;
    for (unsigned i = 0; i < 16; i++) {
        unsigned row = i < 8 ? i ^ 4 : i;
        struct datum d = pool_scale(mode, a[row], b[row]);
        if (pool_order(d) < pool_order(greatest))
            continue;
        greatest = d;
        where = row < 8 ? count >> 4 | 3 * row % 8 : where;
    }
    if (!index)
        return pool_write(style, greatest);
    return (style == POOL_INT32 ? 0 : pool_write(style, greatest)) | count | where;
}
