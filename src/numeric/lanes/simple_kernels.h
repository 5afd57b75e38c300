/* Kernels of the simple sub-unit.
 *
 * d is the result, b and c are the operands as the ISA pages name them; only the lanes of the mask are written. Kernels
 * that return a word return a bit for each of all lanes. */
#ifndef NUMERIC_LANES_SIMPLE_KERNELS_H
#define NUMERIC_LANES_SIMPLE_KERNELS_H

#include <stdint.h>

struct simple_kernels {
    void (*copy)(uint32_t *d, const uint32_t *c, uint32_t mask);

    /* Bits */
    void (*flip)(uint32_t *d, const uint32_t *c, uint32_t bits, uint32_t mask);
    void (*keep_and_set)(uint32_t *d, const uint32_t *c, uint32_t keep, uint32_t set, uint32_t mask);
    /* c in the bits of keep, b in the other bits. */
    void (*merge)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t keep, uint32_t mask);
    void (*bit_and)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*bit_or)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*bit_xor)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    /* b shifted left by c, or right by -c if c is negative, modulo 32. */
    void (*shift)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*shift_signed)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    /* The same with one amount for all lanes. */
    void (*shift_all)(uint32_t *d, const uint32_t *c, int32_t amount, uint32_t mask);
    void (*shift_all_signed)(uint32_t *d, const uint32_t *c, int32_t amount, uint32_t mask);
    /* Counts the leading zeros of c & keep. */
    void (*leading_zeros)(uint32_t *d, const uint32_t *c, uint32_t keep, uint32_t mask);

    /* Integers */
    void (*add)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    void (*subtract)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask); /* c - b */
    void (*add_all)(uint32_t *d, const uint32_t *c, uint32_t value, uint32_t mask);
    void (*absolute)(uint32_t *d, const uint32_t *c, uint32_t mask); /* two's complement */

    /* FP32 */
    void (*absolute_float)(uint32_t *d, const uint32_t *c, uint32_t mask); /* NaN unchanged */
    void (*exponent)(uint32_t *d, const uint32_t *c, uint32_t bias, uint32_t mask);
    /* c with the low bits of b as its exponent. */
    void (*set_exponent)(uint32_t *d, const uint32_t *b, const uint32_t *c, uint32_t mask);
    /* c with value added to its exponent, modulo 256; infinity and NaN unchanged. */
    void (*add_exponent)(uint32_t *d, const uint32_t *c, uint32_t value, uint32_t mask);

    /* Lanes */
    uint32_t (*negative)(const uint32_t *c);                    /* bit 31 */
    uint32_t (*non_zero)(const uint32_t *c, uint32_t keep);     /* any of the bits of keep */
    uint32_t (*smaller)(const uint32_t *c, const uint32_t *b);  /* c < b, sign and magnitude, -0 < +0 */
    void (*spread)(uint32_t *d, uint32_t lanes, uint32_t mask); /* ones in `lanes`, zeros in the others */
    /* Exchanges row i of register j with row j of register i, for four registers with rows of eight lanes. */
    void (*transpose)(uint32_t (*d)[32], uint32_t (*c)[32], uint32_t mask);
};

#endif
