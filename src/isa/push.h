/* How a core pushes Tensix instructions: which words are plain, and the shape of a row. */
#ifndef ISA_PUSH_H
#define ISA_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

enum { TENSIX_SYNC_REGISTER = 56 }; /* register of ThreadConfig that selects the resources of Auto TTSync */

/* Returns whether the word, once executed, changes what Auto TTSync does with words that are pushed later. */
static inline bool tensix_is_resync(uint32_t word) {
    return word >> 16 == (TENSIX_SETC16 << 8 | TENSIX_SYNC_REGISTER);
}

/* Returns whether a word is plain: it concerns only its gate and its unit. Not plain are the first opcodes, on
 * which the frontend itself acts, and writes of CFG_STATE_ID (register 0 of ThreadConfig) and of the register of Auto
 * TTSync, which Auto TTSync follows. A core determines this when it decodes the word. */
static inline bool tensix_is_plain(uint32_t word) {
    return word >> 24 > TENSIX_RESOURCEDECL && word >> 16 != TENSIX_SETC16 << 8 && !tensix_is_resync(word);
}

/* The shape of a row, of which a core pushes one group in each cycle: the number of words, the distance between them in
 * an array (step), and the number of words in a group. */
enum {
    PUSH_ROW_MAX = 16, /* words in a row */
    PUSH_FUSED = 4,    /* words in a group of adjacent .ttinsn; others are pushed one by one */
    PUSH_COUNT_MASK = 0xFF,
    PUSH_STEP_SHIFT = 8,
    PUSH_GROUP_SHIFT = 16,
    PUSH_PLAIN = 1 << 24, /* all words of the row are plain */
    PUSH_WAITS = 1 << 25, /* the core's pc and time are up to date, so that it can wait */
    PUSH_ONE = 1 | 1 << PUSH_STEP_SHIFT | 1 << PUSH_GROUP_SHIFT | PUSH_PLAIN, /* one plain word by itself */
};

/* Packs a shape, and takes it apart. */
static inline unsigned push_shape(unsigned count, unsigned step, unsigned group, bool plain) {
    return count | step << PUSH_STEP_SHIFT | group << PUSH_GROUP_SHIFT | (plain ? PUSH_PLAIN : 0);
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

/* Returns the cycles that the first `count` words of a row take. Only the last group of a row can be smaller. */
static inline unsigned push_cycles(unsigned shape, unsigned count) {
    return push_group(shape) == 1 ? count : (count + PUSH_FUSED - 1) / PUSH_FUSED;
}

#endif
