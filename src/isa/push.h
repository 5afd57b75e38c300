/* How a core pushes Tensix instructions: which words are ordinary, and the shape of a row of them. */
#ifndef ISA_PUSH_H
#define ISA_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

enum { TENSIX_SYNC_REGISTER = 56 }; /* of ThreadConfig: which resources Auto TTSync follows */

/* A word that changes what Auto TTSync does with words that are pushed after it has been executed. */
static inline bool tensix_is_resync(uint32_t word) {
    return word >> 16 == (TENSIX_SETC16 << 8 | TENSIX_SYNC_REGISTER);
}

/* A word that concerns nothing but its gate and its unit. The frontend acts on the first opcodes itself, and Auto
 * TTSync follows writes of CFG_STATE_ID (register 0 of ThreadConfig) and of its own register; a core finds out when it
 * decodes the word. */
static inline bool tensix_is_ordinary(uint32_t word) {
    return word >> 24 > TENSIX_RESOURCEDECL && word >> 16 != TENSIX_SETC16 << 8 && !tensix_is_resync(word);
}

/* The shape of a row of words that a core pushes one group after the other, a group in a cycle: how many words, at
 * every how manieth word of an array they stand, and how many make a group. */
enum {
    PUSH_ROW_MAX = 16, /* words in a row */
    PUSH_FUSED = 4,    /* words in a group of adjacent .ttinsn; others are pushed one by one */
    PUSH_COUNT_MASK = 0xFF,
    PUSH_STEP_SHIFT = 8,
    PUSH_GROUP_SHIFT = 16,
    PUSH_ORDINARY = 1 << 24, /* all words are */
    PUSH_WAITS = 1 << 25,    /* the core's pc and time are in step, so that it can wait */
};

static inline unsigned push_shape(unsigned count, unsigned step, unsigned group, bool ordinary) {
    return count | step << PUSH_STEP_SHIFT | group << PUSH_GROUP_SHIFT | (ordinary ? PUSH_ORDINARY : 0);
}

static inline unsigned push_count(unsigned shape) {
    return shape & PUSH_COUNT_MASK;
}

static inline unsigned push_step(unsigned shape) {
    return shape >> PUSH_STEP_SHIFT & 0xFF;
}

static inline unsigned push_group(unsigned shape) {
    return shape >> PUSH_GROUP_SHIFT & 0xFF;
}

/* Cycles that so many words of a row take. Only the last group of a row can be a smaller one. */
static inline unsigned push_cycles(unsigned shape, unsigned count) {
    return push_group(shape) == 1 ? count : (count + PUSH_FUSED - 1) / PUSH_FUSED;
}

#endif
