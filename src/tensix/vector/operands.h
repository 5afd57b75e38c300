/* The positions of the operands in the word of a vector instruction (vector.def). */
#ifndef TENSIX_VECTOR_OPERANDS_H
#define TENSIX_VECTOR_OPERANDS_H

#include <assert.h>

#include "tensix/vector/vector.h"

enum vector_form {
    VECTOR_FORM_MAD,
    VECTOR_FORM_SIMPLE,
    VECTOR_FORM_VB,
    VECTOR_FORM_MAY_VB,
    VECTOR_FORM_IMM16,
    VECTOR_FORM_LOAD,
    VECTOR_FORM_MACRO,
};

static inline unsigned vector_vd(uint32_t word, enum vector_form form) {
    switch (form) {
    case VECTOR_FORM_LOAD: return word >> 20 & 15;
    case VECTOR_FORM_MACRO: return (word << 2 & 4) | (word >> 20 & 3);
    default: return word >> 4 & 15;
    }
}

/* Return whether VD is LReg8 or higher; and whether VD may need special treatment (rare_vd). */
static inline bool vector_has_high_vd(uint32_t word, enum vector_form form) {
    return word & 8u << (form == VECTOR_FORM_LOAD ? 20 : 4);
}
static inline bool vector_has_rare_vd(const struct vector *v, uint32_t word, enum vector_form form) {
    return (form == VECTOR_FORM_LOAD ? word >> 16 : word) & v->rare_vd;
}

/* Returns the LReg whose number is in the word, starting at this bit. */
static inline uint32_t *vector_lreg_at(struct vector *v, uint32_t word, unsigned bit) {
    enum { SIZE = sizeof v->lreg[0], SIZE_BITS = 7 };
    static_assert(SIZE == 1 << SIZE_BITS, "so that the number needs no other place than it has");
    uint32_t offset = (bit > SIZE_BITS ? word >> (bit - SIZE_BITS) : word << (SIZE_BITS - bit)) & 15 * SIZE;
    return (uint32_t *)(void *)((char *)v->lreg + offset);
}

static inline void vector_find_operands(struct vector_turn *turn, enum vector_form form) {
    uint32_t word = turn->word;
    bool high = form == VECTOR_FORM_LOAD || form == VECTOR_FORM_MACRO;
    turn->vd = vector_vd(word, form);
    turn->mod = word >> (high ? 16 : 0) & 15;
    bool b_is_d = form == VECTOR_FORM_SIMPLE || (form == VECTOR_FORM_MAY_VB && !(turn->mod & 1));
    turn->vc = form == VECTOR_FORM_IMM16 ? turn->vd : word >> 8 & 15;
    turn->vb = b_is_d ? turn->vd : word >> 12 & 15;
    turn->va = word >> 16 & 15;
}

#endif
