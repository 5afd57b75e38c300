/* Classification of Tensix instructions when they are pushed. The core that pushes a row of words classifies them
 * once, when it decodes the row; the frontend need not check again. */
#ifndef ISA_PUSH_H
#define ISA_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

/* Returns whether the word concerns only its gate and its unit: it is not an instruction of the frontend (the first
 * opcodes) and does not change CFG_STATE_ID (register 0 of ThreadConfig), which Auto TTSync tracks. */
static inline bool tensix_is_ordinary(uint32_t word) {
    return word >> 24 > TENSIX_RESOURCEDECL && word >> 16 != TENSIX_SETC16 << 8;
}

#endif
