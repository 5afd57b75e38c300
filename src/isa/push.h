/* Which Tensix instructions are nothing special when they are pushed: the core that pushes a row of them finds that out
 * when it decodes them, and the frontend need not look again. */
#ifndef ISA_PUSH_H
#define ISA_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

/* Nothing but its gate and its unit has to do with the word: it is none for the frontend (the first opcodes) and does
 * not change CFG_STATE_ID (register 0 of ThreadConfig), which Auto TTSync follows. */
static inline bool tensix_is_ordinary(uint32_t word) {
    return word >> 24 > TENSIX_RESOURCEDECL && word >> 16 != TENSIX_SETC16 << 8;
}

#endif
