/* The Tensix instruction set as C: tensix.def in the forms that the emulator uses.
 *
 *      31     24 23                     0
 *     +---------+------------------------+
 *     | opcode  | fields of the opcode   |
 *     +---------+------------------------+
 *
 * In the RISC-V instruction stream (.ttinsn) the word stands rotated left by two; see tensix_from_stream. */
#ifndef ISA_TENSIX_H
#define ISA_TENSIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "bhemu.h"
#include "isa/each.h"

/* TENSIX_UNIT_MATRIX ... */
enum tensix_unit {
#define TENSIX_UNIT(name, text) TENSIX_UNIT_##name,
#include "isa/tensix.def"
    TENSIX_UNIT_COUNT
};

/* TENSIX_GATE_B0_B4 ...: tensix.def explains the bits. */
enum tensix_gate {
#define TENSIX_GATE(name, value, text) TENSIX_GATE_##name = (value),
#include "isa/tensix.def"
};
#define TENSIX_GATE_MASK     0x01FFu /* the block bits */
#define TENSIX_GATE_NEED_ALL 0x8000u /* the wait holds the instruction only if all block bits are set */

/* Opcodes: TENSIX_SETC16 = 0xB2 ... */
enum tensix_opcode {
#define TENSIX_OP(opcode, name, ...) TENSIX_##name = (opcode),
#include "isa/tensix.def"
};

/* Timing facts as constants: TENSIX_OCCUPANCY_MVMUL, TENSIX_LATENCY_MVMUL, TENSIX_PART_PACR_ADD ... */
enum tensix_cycles {
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, ...) \
    TENSIX_OCCUPANCY_##name = (occupancy), TENSIX_LATENCY_##name = (latency),
#define TENSIX_PART(name, value, text) TENSIX_PART_##name = (value),
#include "isa/tensix.def"
};

/* Numbers of the rows, without gaps, for counters: TENSIX_ROW_SETC16 ... */
enum tensix_row_index {
#define TENSIX_OP(opcode, name, ...) TENSIX_ROW_##name,
#include "isa/tensix.def"
    TENSIX_ROW_COUNT
};

struct tensix_row {
    const char *name;
    const char *page;
    const char *meaning;
    uint16_t gate;     /* enum tensix_gate */
    uint8_t opcode;    /* enum tensix_opcode */
    uint8_t unit;      /* enum tensix_unit */
    uint8_t occupancy; /* cycles */
    uint8_t latency;   /* cycles */
    uint8_t field_count;
    bool implemented;
    struct bh_isa_field
        fields[TENSIX_FIELDS_MAX + 1]; /* in the order of the encoder; an entry without a name ends the list */
};

extern const struct tensix_row tensix_rows[TENSIX_ROW_COUNT];

/* Return the names for users, which are constants. */
const char *tensix_unit_text(enum tensix_unit unit);
const char *tensix_gate_text(enum tensix_gate gate);

/* Returns the row number of an opcode; TENSIX_ROW_COUNT if there is no such instruction. */
unsigned tensix_row_index(uint8_t opcode);
/* Returns the row of a word; NULL if there is no such instruction. */
const struct tensix_row *tensix_decode(uint32_t word);

/* Disassembles a word: "SETC16 setc16_reg=2, setc16_value=0x1f". Bits outside all fields appear as "bits=", an
 * unknown opcode as ".word 0x...". Returns the length of the whole text, like snprintf; the text is terminated if
 * size > 0. */
size_t tensix_disasm(uint32_t word, char *text, size_t size);
enum { TENSIX_DISASM_SIZE = 256 }; /* bytes that are enough for the text of any word */

/* Returns whether a latched wait with this block mask holds an instruction with this gate value. */
static inline bool tensix_gate_holds(unsigned gate, unsigned block_mask) {
    unsigned held = gate & block_mask & TENSIX_GATE_MASK;
    return gate & TENSIX_GATE_NEED_ALL ? held == TENSIX_GATE_MASK : held != 0;
}

/* Returns whether a word of the RISC-V stream is a Tensix instruction: its low two bits are not 11. */
static inline bool tensix_in_stream(uint32_t stream_word) {
    return (stream_word & 3) != 3;
}

/* Convert between a word of the RISC-V stream and an instruction. */
static inline uint32_t tensix_from_stream(uint32_t stream_word) {
    return bits_rotate_right(stream_word, 2);
}

static inline uint32_t tensix_to_stream(uint32_t word) {
    return bits_rotate_left(word, 2);
}

/* Operands of each instruction: struct tensix_SETC16 { uint32_t setc16_reg, setc16_value; }. */
#define TENSIX_MEMBER(op, i, name, low, width, used) uint32_t name;
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    struct tensix_##name { \
        TENSIX_EACH(TENSIX_MEMBER, name, __VA_ARGS__) \
        TENSIX_IF_NONE(uint8_t none;, __VA_ARGS__) \
    };
#include "isa/tensix.def"
#undef TENSIX_MEMBER

/* struct tensix_SETC16 tensix_decode_SETC16(uint32_t word): returns the bits that the hardware evaluates. The opcode is
 * not checked. */
#define TENSIX_TAKE(op, i, name, low, width, used) operands.name = word >> (low) & ((UINT32_C(1) << (used)) - 1);
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    static inline struct tensix_##name tensix_decode_##name(uint32_t word) { \
        struct tensix_##name operands = { 0 }; \
        (void)word; \
        TENSIX_EACH(TENSIX_TAKE, name, __VA_ARGS__) \
        return operands; \
    }
#include "isa/tensix.def"
#undef TENSIX_TAKE

/* uint32_t tensix_encode_SETC16(struct tensix_SETC16 operands): values are truncated to the width in tt-llk's
 * encoders. */
#define TENSIX_PUT(op, i, name, low, width, used) word |= (operands.name & ((UINT32_C(1) << (width)) - 1)) << (low);
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    static inline uint32_t tensix_encode_##name(struct tensix_##name operands) { \
        uint32_t word = UINT32_C(opcode) << 24; \
        (void)operands; \
        TENSIX_EACH(TENSIX_PUT, name, __VA_ARGS__) \
        return word; \
    }
#include "isa/tensix.def"
#undef TENSIX_PUT

#endif
