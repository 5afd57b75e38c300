/* Functions of floats: polynomials, tables, Newton's method. */
#include "vector_routines.h"

#include <math.h>

#define HALF_ONE     0x3F80u /* upper halves of floats */
#define HALF_TWO     0x4000u
#define HALF_HALF    0x3F00u
#define INFINITE     0x7F800000u
#define NOT_A_NUMBER 0x7FC00000u

/* 1.5 * 2^23: the sum with it has an integer in its low bits. */
#define ROUNDER 0x4B400000u

/* d = ((c[n-1] * x + c[n-2]) * x + ...) + c[0], with t for the coefficients. */
static void polynomial(struct vector_stream *s, unsigned d, unsigned x, unsigned t, const uint32_t *c, unsigned count) {
    v_set(s, d, c[--count]);
    while (count) {
        v_set(s, t, c[--count]);
        v_mad(s, d, d, x, t, 0);
    }
}

/* d = x between -limit and limit; d is not x. */
static void clamp_to(struct vector_stream *s, unsigned x, unsigned t, uint32_t limit) {
    v_set(s, t, limit);
    v_sort(s, t, x); /* x = the smaller */
    v_set(s, t, limit | 0x80000000u);
    v_sort(s, x, t);
}

/* ---- Exponential ------------------------------------------------------------------------------------- */

static void set_up_exp(struct vector_stream *s) {
    v_program(s, L11, 0x3FB8AA3B); /* 1 / ln 2 */
    v_program(s, L12, ROUNDER);
}

/* L0 = e^L0 with L1 to L5. 2^n by adding n to the exponent, 2^fraction by a polynomial. */
static void exp_l0(struct vector_stream *s) {
    static const uint32_t power[] = { 0x3F800001, 0x3F317218, 0x3E75FC83, 0x3D6357B6, 0x3C1E8838, 0x3AAF8448 };
    clamp_to(s, L0, L1, 0x42AE0000); /* 87 */
    v_mad(s, L1, L0, L11, L12, 0);
    v_sub(s, L2, L1, L12);
    v_mad(s, L3, L0, L11, L2, NEGATE_SUM);
    polynomial(s, L4, L3, L5, power, 6);
    v_shift(s, L1, L1, 23);
    v_iadd(s, L4, L1);
    v_mov(s, L0, L4);
}
static double exp_of(double a, double b) {
    (void)b;
    return exp(fmin(fmax(a, -87), 87));
}

/* The bits of x / ln 2 + 127, rounded to 1/256, are those of a float near 2^(x / ln 2). */
static void exp_by_bits(struct vector_stream *s) {
    clamp_to(s, L0, L1, 0x42AE0000);
    v_set(s, L1, 0x43B8AA3B); /* 256 / ln 2 */
    v_set(s, L2, 0x46FE0000); /* 127 * 256 */
    v_mad(s, L0, L0, L1, L2, 0);
    v_round_to(s, L0, L0, 6);
    v_shift(s, L0, L0, 15);
}

/* ---- Reciprocal and roots ------------------------------------------------------------------------------ */

/* L0 = 1 / L0 with L1 to L3. */
static void reciprocal_l0(struct vector_stream *s) {
    v_arecip(s, L1, L0);
    v_set(s, L3, HALF_TWO << 16);
    for (unsigned i = 0; i < 2; i++) {
        v_mad(s, L2, L0, L1, L3, NEGATE_PRODUCT);
        v_mul(s, L1, L1, L2);
    }
    v_mov(s, L0, L1);
}
static double reciprocal_of(double a, double b) {
    (void)b;
    return 1 / a;
}

static void divide(struct vector_stream *s) {
    v_swap(s, L0, L1, 0);
    v_mov(s, L6, L1);
    reciprocal_l0(s);
    v_mul(s, L0, L0, L6);
}
static double quotient_of(double a, double b) {
    return a / b;
}

/* L1 = 1 / sqrt(L0) with L2 to L4. */
static void root_l0(struct vector_stream *s) {
    v_shift(s, L1, L0, -1);
    v_set(s, L2, 0x5F3759DF);
    v_isub_from(s, L1, L2);
    v_mov(s, L2, L0);
    v_muli(s, L2, HALF_HALF);
    v_set(s, L4, 0x3FC00000); /* 1.5 */
    for (unsigned i = 0; i < 3; i++) {
        v_mul(s, L3, L1, L1);
        v_mad(s, L3, L2, L3, L4, NEGATE_PRODUCT);
        v_mul(s, L1, L1, L3);
    }
}
static void square_root(struct vector_stream *s) {
    root_l0(s);
    v_mul(s, L1, L0, L1);
    v_if(s, L0, IF_NEGATIVE);
    v_set(s, L1, NOT_A_NUMBER);
    v_end(s);
    v_mov(s, L0, L1);
}
static void inverse_root(struct vector_stream *s) {
    root_l0(s);
    v_if(s, L0, IF_ZERO);
    v_set(s, L1, INFINITE);
    v_end(s);
    v_mov(s, L0, L1);
}
static double root_of(double a, double b) {
    (void)b;
    return sqrt(a);
}
static double inverse_root_of(double a, double b) {
    (void)b;
    return 1 / sqrt(a);
}

/* ---- Logarithm ------------------------------------------------------------------------------------------ */

/* L0 = ln L0 with L1 to L3. */
static void log_l0(struct vector_stream *s) {
    static const uint32_t from_1_to_2[] = { 0xC00F8C10, 0x409D2CEF, 0xC0A40068, 0x407B58DF,
                                            0xC000E900, 0x3F27D8EC, 0xBDFAE2A0, 0x3C23FE01 };
    v_set_exponent(s, L1, L0, 127);
    polynomial(s, L2, L1, L3, from_1_to_2, 8);
    v_exponent(s, L1, L0);
    v_to_sign_magnitude(s, L1, L1);
    v_to_float(s, L1, L1);
    v_set(s, L3, 0x3F317218); /* ln 2 */
    v_mad(s, L2, L1, L3, L2, 0);
    v_if(s, L0, IF_ZERO);
    v_set(s, L2, INFINITE | 0x80000000u);
    v_end(s);
    v_if(s, L0, IF_NEGATIVE);
    v_set(s, L2, NOT_A_NUMBER);
    v_end(s);
    v_mov(s, L0, L2);
}
static double log_of(double a, double b) {
    (void)b;
    return log(a);
}

/* L0 to the power of 0.7. */
static void power(struct vector_stream *s) {
    log_l0(s);
    v_set(s, L1, 0x3F333333);
    v_mul(s, L0, L0, L1);
    exp_l0(s);
}
static double power_of(double a, double b) {
    (void)b;
    return pow(a, 0.7);
}

/* ---- Sigmoid and its family ------------------------------------------------------------------------------- */

/* L0 = 1 / (1 + e^-L0) with L1 to L5. */
static void sigmoid_l0(struct vector_stream *s) {
    clamp_to(s, L0, L1, 0x42200000); /* 40 */
    v_neg(s, L0, L0);
    exp_l0(s);
    v_addi(s, L0, HALF_ONE);
    reciprocal_l0(s);
}
static double sigmoid_of(double a, double b) {
    (void)b;
    return 1 / (1 + exp(-a));
}

static void silu(struct vector_stream *s) {
    v_mov(s, L6, L0);
    sigmoid_l0(s);
    v_mul(s, L0, L0, L6);
}
static double silu_of(double a, double b) {
    return a * sigmoid_of(a, b);
}

/* 2 sigmoid(2x) - 1 */
static void tanh_l0(struct vector_stream *s) {
    v_add(s, L0, L0, L0);
    sigmoid_l0(s);
    v_set(s, L1, HALF_TWO << 16);
    v_mad(s, L0, L0, L1, ONE, NEGATE_SUM);
}
static double tanh_of(double a, double b) {
    (void)b;
    return tanh(a);
}

/* x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) */
static void gelu(struct vector_stream *s) {
    v_mov(s, L6, L0);
    v_mul(s, L1, L0, L0);
    v_set(s, L2, 0x3D372713);
    v_mad(s, L1, L1, L2, ONE, 0);
    v_mul(s, L0, L0, L1);
    v_set(s, L1, 0x3F4C422A);
    v_mul(s, L0, L0, L1);
    tanh_l0(s);
    v_addi(s, L0, HALF_ONE);
    v_mul(s, L0, L0, L6);
    v_muli(s, L0, HALF_HALF);
}
static double gelu_of(double a, double b) {
    (void)b;
    return a / 2 * (1 + erf(a / sqrt(2)));
}

/* By a table of six straight lines for x * (Phi(x) - 1/2), and x / 2. */
static void gelu_by_table(struct vector_stream *s) {
    v_mov(s, L3, L0);
    v_set(s, L0, 0x37E9322D);
    v_set(s, L1, 0x38E138F4);
    v_set(s, L2, 0x38013852);
    v_set(s, L4, 0xB129A40B);
    v_set(s, L5, 0xB438B47C);
    v_set(s, L6, 0x9717AF96);
    vector_push(s, VT(SFPLUTFP32, L7, 2));
    v_set(s, L0, HALF_HALF << 16);
    v_mad(s, L0, L3, L0, L7, 0);
}

/* By three straight lines with the sign of x. */
static void look_up(struct vector_stream *s, uint32_t below_1, uint32_t below_2, uint32_t above) {
    v_mov(s, L3, L0);
    v_set(s, L0, below_1);
    v_set(s, L1, below_2);
    v_set(s, L2, above);
    vector_push(s, VT(SFPLUT, L0, 4, 0));
}
static void sigmoid_by_table(struct vector_stream *s) {
    look_up(s, 0x3FFF, 0x3347, 0xFF2C);
    v_addi(s, L0, HALF_HALF);
}
static void tanh_by_table(struct vector_stream *s) {
    look_up(s, 0x1DFF, 0x3913, 0xFF1F);
}

static void elu(struct vector_stream *s) {
    v_mov(s, L6, L0);
    exp_l0(s);
    v_addi(s, L0, HALF_ONE | 0x8000);
    v_if(s, L6, IF_NOT_NEGATIVE);
    v_mov(s, L0, L6);
    v_end(s);
}
static double elu_of(double a, double b) {
    (void)b;
    return a < 0 ? expm1(a) : a;
}

/* ---- Sine ------------------------------------------------------------------------------------------------- */

/* x = k * pi + r; the sign changes with k. */
static void sine(struct vector_stream *s) {
    static const uint32_t over_x[] = { 0x3F800000, 0xBE2AAAA5, 0x3C088758, 0xB94FB66D, 0x362ED369 };
    v_set(s, L1, 0x3EA2F983); /* 1 / pi */
    v_set(s, L2, ROUNDER);
    v_mad(s, L1, L0, L1, L2, 0);
    v_sub(s, L2, L1, L2);
    v_shift(s, L6, L1, 31);
    v_set(s, L3, 0x40490000); /* pi in two parts */
    v_mad(s, L0, L2, L3, L0, NEGATE_PRODUCT);
    v_set(s, L3, 0x3A7DAA22);
    v_mad(s, L0, L2, L3, L0, NEGATE_PRODUCT);
    v_mul(s, L1, L0, L0);
    polynomial(s, L2, L1, L3, over_x, 5);
    v_mul(s, L0, L0, L2);
    v_xor(s, L0, L6);
}
static double sine_of(double a, double b) {
    (void)b;
    return sin(a);
}

/* ---- Choosing and rounding -------------------------------------------------------------------------------- */

static void floor_l0(struct vector_stream *s) {
    v_set(s, L1, ROUNDER);
    v_add(s, L2, L0, L1);
    v_sub(s, L2, L2, L1);
    v_if_greater(s, L2, L0);
    v_addi(s, L2, HALF_ONE | 0x8000);
    v_end(s);
    v_mov(s, L0, L2);
}
static double floor_of(double a, double b) {
    (void)b;
    return floor(a);
}

static void relu(struct vector_stream *s) {
    v_if(s, L0, IF_NEGATIVE);
    v_set(s, L0, 0);
    v_end(s);
}
static double relu_of(double a, double b) {
    (void)b;
    return a > 0 ? a : 0;
}

static void leaky_relu(struct vector_stream *s) {
    v_if(s, L0, IF_NEGATIVE);
    v_muli(s, L0, 0x3DCD); /* about 0.1 */
    v_end(s);
}
static double leaky_relu_of(double a, double b) {
    (void)b;
    return a < 0 ? a * 0.10009765625 : a;
}

static void clamp(struct vector_stream *s) {
    clamp_to(s, L0, L1, HALF_TWO << 16);
}
static double clamp_of(double a, double b) {
    (void)b;
    return fmin(fmax(a, -2), 2);
}

static void square_sum(struct vector_stream *s) {
    v_mul(s, L0, L0, L0);
    v_mad(s, L0, L1, L1, L0, 0);
}
static double square_sum_of(double a, double b) {
    return a * a + b * b;
}

/* 1, -1, or x where it is zero. */
static void sign_l0(struct vector_stream *s) {
    v_if(s, L0, IF_NOT_ZERO);
    v_if(s, L0, IF_NEGATIVE);
    v_set(s, L0, (HALF_ONE | 0x8000) << 16);
    v_else(s);
    v_set(s, L0, HALF_ONE << 16);
    v_end(s);
    v_end(s);
}
static double sign_of(double a, double b) {
    (void)b;
    return a < 0 ? -1 : 1;
}

static void absolute(struct vector_stream *s) {
    v_abs(s, L0, L0);
}
static double absolute_of(double a, double b) {
    (void)b;
    return fabs(a);
}

const struct routine vector_functions[] = {
    { "exp", NEAR_ONE, 1, 1, set_up_exp, exp_l0, exp_of, NULL, 0, 1e-5 },
    { "exp, all floats", ANY_FLOAT, 1, 1, set_up_exp, exp_l0, NULL, NULL, 0, 0 },
    { "exp by bits", NEAR_ONE, 1, 1, NULL, exp_by_bits, exp_of, NULL, 0, 0.07 },
    { "reciprocal", POSITIVE, 1, 1, NULL, reciprocal_l0, reciprocal_of, NULL, 0, 1e-4 },
    { "reciprocal, all floats", ANY_FLOAT, 1, 1, NULL, reciprocal_l0, NULL, NULL, 0, 0 },
    { "divide", NEAR_ONE, 2, 1, NULL, divide, quotient_of, NULL, 0, 1e-4 },
    { "sqrt", POSITIVE, 1, 1, NULL, square_root, root_of, NULL, 0, 1e-5 },
    { "sqrt, all floats", ANY_FLOAT, 1, 1, NULL, square_root, NULL, NULL, 0, 0 },
    { "rsqrt", POSITIVE, 1, 1, NULL, inverse_root, inverse_root_of, NULL, 0, 1e-5 },
    { "log", POSITIVE, 1, 1, NULL, log_l0, log_of, NULL, 3e-6, 1e-6 },
    { "log, all floats", ANY_FLOAT, 1, 1, NULL, log_l0, NULL, NULL, 0, 0 },
    { "power", POSITIVE, 1, 1, set_up_exp, power, power_of, NULL, 0, 1e-4 },
    { "sigmoid", NEAR_ONE, 1, 1, set_up_exp, sigmoid_l0, sigmoid_of, NULL, 1e-4, 1e-4 },
    { "sigmoid by table", NEAR_ONE, 1, 1, NULL, sigmoid_by_table, sigmoid_of, NULL, 0.07, 0 },
    { "silu", NEAR_ONE, 1, 1, set_up_exp, silu, silu_of, NULL, 1e-4, 1e-3 },
    { "tanh", NEAR_ONE, 1, 1, set_up_exp, tanh_l0, tanh_of, NULL, 1e-4, 0 },
    { "tanh by table", NEAR_ONE, 1, 1, NULL, tanh_by_table, tanh_of, NULL, 0.15, 0 },
    { "gelu", NEAR_ONE, 1, 1, set_up_exp, gelu, gelu_of, NULL, 1e-3, 1e-3 },
    { "gelu by table", NEAR_ONE, 1, 1, NULL, gelu_by_table, gelu_of, NULL, 0.05, 0.01 },
    { "elu", NEAR_ONE, 1, 1, set_up_exp, elu, elu_of, NULL, 1e-5, 1e-5 },
    { "sin", NEAR_ONE, 1, 1, NULL, sine, sine_of, NULL, 1e-4, 0 },
    { "floor", NEAR_ONE, 1, 1, NULL, floor_l0, floor_of, NULL, 0, 0 },
    { "relu", ANY_FLOAT, 1, 1, NULL, relu, relu_of, NULL, 0, 0 },
    { "leaky relu", NEAR_ONE, 1, 1, NULL, leaky_relu, leaky_relu_of, NULL, 0, 1e-6 },
    { "clamp", ANY_FLOAT, 1, 1, NULL, clamp, clamp_of, NULL, 0, 0 },
    { "square sum", NEAR_ONE, 2, 1, NULL, square_sum, square_sum_of, NULL, 0, 1e-6 },
    { "sign", ANY_FLOAT, 1, 1, NULL, sign_l0, sign_of, NULL, 0, 0 },
    { "abs", ANY_FLOAT, 1, 1, NULL, absolute, absolute_of, NULL, 0, 0 },
};
const unsigned vector_functions_count = sizeof vector_functions / sizeof *vector_functions;
