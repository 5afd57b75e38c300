/* Tensix instructions for assembler files (.S), from the emulator's own table. For every row of tensix.def:
 *
 *     ttsetc16 2, 31          the operands in the order of tt-llk, as the vendor's disassemblers print them
 *     TT_SETC16 0x2001F       the 24 bits below the opcode as one number; 0 if it is missing
 *
 * Macro names of the assembler ignore case. An operand is a constant expression; it is not cut to its field, but
 * nothing reaches the opcode. Needs the directive .ttinsn, which bhemu-cc provides. */
#ifndef BHEMU_GUEST_TENSIX_ASM_H
#define BHEMU_GUEST_TENSIX_ASM_H

#include "isa/each.h"

/* clang-format off */
#define TT_ASM_OPERAND(op, i, name, low, width, used) TENSIX_COMMA(i) name
#define TT_ASM_PLACE(op, i, name, low, width, used)   + (((\name) << low) & 0x00FFFFFF)
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    .macro tt##name TENSIX_EACH(TT_ASM_OPERAND, name, __VA_ARGS__); \
    .ttinsn (opcode << 24) TENSIX_EACH(TT_ASM_PLACE, name, __VA_ARGS__); \
    .endm; \
    .macro TT_##name below=0; \
    .ttinsn (opcode << 24) + ((\below) & 0x00FFFFFF); \
    .endm;
#include "isa/tensix.def"
/* clang-format on */

#endif
