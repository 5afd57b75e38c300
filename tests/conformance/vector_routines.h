/* Routines of the sort that compute kernels consist of, as sequences of Vector Unit instructions, and what they should
 * give. */
#ifndef CONFORMANCE_VECTOR_ROUTINES_H
#define CONFORMANCE_VECTOR_ROUTINES_H

#include "vector_asm.h"

/* Inputs: numbers first, first + step, ... as bits. */
enum domain {
    ANY_BITS,     /* all over the place */
    ANY_FLOAT,    /* both signs, all exponents in order */
    NEAR_ONE,     /* 2^-12 to 2^6 in magnitude */
    POSITIVE,     /* 2^-60 to 2^60 */
    SMALL_NUMBERS /* integers from about -500 on */
};

struct routine {
    const char *name;
    enum domain domain;
    unsigned inputs;  /* in L0, L1, L2; the result is in L0 */
    unsigned vectors; /* rows at once: in L0 to L3 if 4, with four rows of another tile in L4 to L7 */
    void (*set_up)(struct vector_stream *s);
    void (*run)(struct vector_stream *s);
    /* One of these may say what is right. */
    double (*of)(double a, double b);
    uint32_t (*bits_of)(uint32_t a, uint32_t b, uint32_t c);
    double absolute, relative; /* the error that is allowed */
};

extern const struct routine vector_functions[], vector_integers[];
extern const unsigned vector_functions_count, vector_integers_count;

#endif
