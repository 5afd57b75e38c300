/* Instructions of the Vector Unit as a routine writes them: destination first. */
#ifndef CONFORMANCE_VECTOR_ASM_H
#define CONFORMANCE_VECTOR_ASM_H

#include "vector_stream.h"

enum { L0, L1, L2, L3, L4, L5, L6, L7, ZERO = 9, ONE = 10, L11, L12, L13, L14, LANES_TWICE };
enum { IF_NEGATIVE = 0, IF_NOT_ZERO = 2, IF_NOT_NEGATIVE = 4, IF_ZERO = 6 };
enum { NEGATE_PRODUCT = 1, NEGATE_SUM = 2 };

/* a * b + c, with signs changed by mode. */
static inline void v_mad(struct vector_stream *s, unsigned d, unsigned a, unsigned b, unsigned c, unsigned mode) {
    vector_push(s, VT(SFPMAD, a, b, c, d, mode));
}
static inline void v_mul(struct vector_stream *s, unsigned d, unsigned a, unsigned b) {
    vector_push(s, VT(SFPMUL, a, b, ZERO, d, 0));
}
static inline void v_add(struct vector_stream *s, unsigned d, unsigned a, unsigned b) {
    vector_push(s, VT(SFPADD, ONE, a, b, d, 0));
}
static inline void v_sub(struct vector_stream *s, unsigned d, unsigned a, unsigned b) {
    vector_push(s, VT(SFPADD, ONE, a, b, d, NEGATE_SUM));
}
/* The upper half of a float. */
static inline void v_muli(struct vector_stream *s, unsigned d, uint32_t half) {
    vector_push(s, VT(SFPMULI, half, d, 0));
}
static inline void v_addi(struct vector_stream *s, unsigned d, uint32_t half) {
    vector_push(s, VT(SFPADDI, half, d, 0));
}
static inline void v_arecip(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPARECIP, 0, c, d, 0));
}

static inline void v_mov(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPMOV, 0, c, d, 0));
}
static inline void v_neg(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPMOV, 0, c, d, 1));
}
static inline void v_set(struct vector_stream *s, unsigned d, uint32_t bits) {
    vector_constant(s, d, bits);
}
static inline void v_abs(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPABS, 0, c, d, 1));
}
static inline void v_set_sign(struct vector_stream *s, unsigned d, unsigned c, unsigned sign) {
    vector_push(s, VT(SFPSETSGN, sign, c, d, 1));
}
static inline void v_set_exponent(struct vector_stream *s, unsigned d, unsigned c, unsigned exponent) {
    vector_push(s, VT(SFPSETEXP, exponent, c, d, 1));
}
/* Without bias. */
static inline void v_exponent(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPEXEXP, 0, c, d, 0));
}
/* hidden: with the bit that is always one. */
static inline void v_mantissa(struct vector_stream *s, unsigned d, unsigned c, bool hidden) {
    vector_push(s, VT(SFPEXMAN, 0, c, d, hidden ? 0 : 1));
}

static inline void v_and(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPAND, 0, c, d, 0));
}
static inline void v_or(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPOR, 0, c, d, 0));
}
static inline void v_and3(struct vector_stream *s, unsigned d, unsigned b, unsigned c) {
    vector_push(s, VT(SFPAND, b, c, d, 1));
}
static inline void v_xor(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPXOR, 0, c, d, 0));
}
static inline void v_not(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPNOT, 0, c, d, 0));
}
/* d = c + d, c - d, c + number. */
static inline void v_iadd(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPIADD, 0, c, d, 4));
}
static inline void v_isub_from(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPIADD, 0, c, d, 6));
}
static inline void v_iaddi(struct vector_stream *s, unsigned d, unsigned c, int number) {
    vector_push(s, VT(SFPIADD, (uint32_t)number & 0xFFF, c, d, 5));
}
/* To the left, or to the right if the amount is negative. */
static inline void v_shift(struct vector_stream *s, unsigned d, unsigned c, int amount) {
    vector_push(s, VT(SFPSHFT, (uint32_t)amount & 0xFFF, c, d, 5));
}
static inline void v_shift_by(struct vector_stream *s, unsigned d, unsigned amount, bool arithmetic) {
    vector_push(s, VT(SFPSHFT, 0, amount, d, arithmetic ? 2 : 0));
}
static inline void v_mul24(struct vector_stream *s, unsigned d, unsigned a, unsigned b, bool high) {
    vector_push(s, VT(SFPMUL24, a, b, ZERO, d, high));
}
/* Two's complement to sign and magnitude; that to float. */
static inline void v_to_sign_magnitude(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPCAST, c, d, 3));
}
static inline void v_to_float(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPCAST, c, d, 0));
}
static inline void v_round_to(struct vector_stream *s, unsigned d, unsigned c, unsigned mode) {
    vector_push(s, VT(SFP_STOCH_RND, 0, 0, 0, c, d, mode));
}

/* d = the smaller, c = the greater. */
static inline void v_sort(struct vector_stream *s, unsigned c, unsigned d) {
    vector_push(s, VT(SFPSWAP, 0, c, d, 1));
}
static inline void v_swap(struct vector_stream *s, unsigned c, unsigned d, unsigned mode) {
    vector_push(s, VT(SFPSWAP, 0, c, d, mode));
}
static inline void v_rotate(struct vector_stream *s, unsigned d, unsigned c) {
    vector_push(s, VT(SFPSHFT2, 0, c, d, 3));
}
static inline void v_transpose(struct vector_stream *s) {
    vector_push(s, VT(SFPTRANSP, 0));
}
static inline void v_random(struct vector_stream *s, unsigned d) {
    vector_push(s, VT(SFPMOV, 0, ZERO, d, 8));
}

/* if / else / end by the flag stack. */
static inline void v_push_flags(struct vector_stream *s) {
    vector_push(s, VT(SFPPUSHC, 0));
}
static inline void v_if(struct vector_stream *s, unsigned c, unsigned condition) {
    v_push_flags(s);
    vector_push(s, VT(SFPSETCC, 0, c, 0, condition));
}
static inline void v_if_greater(struct vector_stream *s, unsigned d, unsigned c) {
    v_push_flags(s);
    vector_push(s, VT(SFPGT, 0, c, d, 1));
}
static inline void v_and_if(struct vector_stream *s, unsigned c, unsigned condition) {
    vector_push(s, VT(SFPSETCC, 0, c, 0, condition));
}
static inline void v_else(struct vector_stream *s) {
    vector_push(s, VT(SFPCOMPC, 0));
}
static inline void v_end(struct vector_stream *s) {
    vector_push(s, VT(SFPPOPC, 0));
}

/* A programmable constant, by way of L0. */
static inline void v_program(struct vector_stream *s, unsigned constant, uint32_t bits) {
    vector_constant(s, L0, bits);
    vector_push(s, VT(SFPCONFIG, 0, constant, 0));
}

#endif
