/* Atomic operations on a line of L1. The page and the formats: see atomic.h.
 *
 * Assumed: the result of a parallel addition, which is undefined, is the word at the address, as with all other
 * operations. */
#include "noc/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "numeric/l1_add.h"

enum opcode {
    INCREMENT = 1,
    SWAP_MASK = 3,
    COMPARE_AND_SWAP = 4,
    SWAP_INDEX_6 = 6,
    SWAP_INDEX_7 = 7,
    ADD_LANES = 9,
    ZAAMO = 10, /* with bit 11; otherwise bits 8 to 10 are 3 and the operation is a swap */
};

enum { LINE = 16, ZAAMO_BIT = 11, ZAAMO_SWAP = 3 };

enum format {
    FP32 = 0,
    FP16 = 1,
    BF16 = 2,
    U32 = 4,
    U8_SATURATING = 7,
    U32_13 = 13,
    U8 = 15,
    PLAIN = 8, /* added to a format: another code for the same format */
};

static unsigned opcode_of(uint32_t at) {
    return bits_get(at, 12, 4);
}

/* ---- Lanes ---------------------------------------------------------------------------------------------- */

static uint32_t add_halves(uint32_t a, uint32_t b, uint16_t (*add)(uint16_t, uint16_t)) {
    uint32_t low = add((uint16_t)a, (uint16_t)b);
    return low | (uint32_t)add((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
}

static uint32_t add_bytes(uint32_t a, uint32_t b, bool saturate) {
    uint32_t sum = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t lane = bits_get(a, shift, 8) + bits_get(b, shift, 8);
        sum |= (saturate && lane > 255 ? 255 : lane & 255) << shift;
    }
    return sum;
}

static uint32_t add_word(unsigned format, uint32_t a, uint32_t b) {
    switch (format) {
    case FP32:
    case FP32 + PLAIN: return l1_add_fp32(a, b);
    case FP16:
    case FP16 + PLAIN: return add_halves(a, b, l1_add_fp16);
    case BF16:
    case BF16 + PLAIN: return add_halves(a, b, l1_add_bf16);
    case U8_SATURATING: return add_bytes(a, b, true);
    case U8: return add_bytes(a, b, false);
    default: return a + b;
    }
}

static bool format_exists(unsigned format) {
    return 0xB797u >> format & 1;
}

/* ---- Words ---------------------------------------------------------------------------------------------- */

static uint32_t increment(uint32_t at, uint32_t value, uint32_t data) {
    uint32_t mask = UINT32_MAX >> (31 - bits_get(at, 2, 5));
    return ((value + data) & mask) | (value & ~mask);
}

static uint32_t zaamo(uint32_t at, uint32_t value, uint32_t data) {
    switch (bits_get(at, 8, 3)) {
    case 0: return value + data;
    case 1: return value ^ data;
    case 2: return value | data;
    case 3: return value & data;
    case 4: return (int32_t)value < (int32_t)data ? value : data;
    case 5: return (int32_t)value > (int32_t)data ? value : data;
    case 6: return value < data ? value : data;
    default: return value > data ? value : data;
    }
}

static uint32_t new_word(uint32_t at, uint32_t value, uint32_t data) {
    switch (opcode_of(at)) {
    case INCREMENT: return increment(at, value, data);
    case COMPARE_AND_SWAP: return value == bits_get(at, 2, 4) ? bits_get(at, 6, 4) : value;
    case ZAAMO: return at >> ZAAMO_BIT & 1 ? zaamo(at, value, data) : data;
    default: return data; /* swaps */
    }
}

static unsigned word_index(uint32_t at) {
    return opcode_of(at) == SWAP_INDEX_7 ? bits_get(at, 2, 2) : bits_get(at, 0, 2);
}

/* ---- Entry points --------------------------------------------------------------------------------------- */

const char *atomic_check(uint32_t at) {
    switch (opcode_of(at)) {
    case INCREMENT:
    case SWAP_MASK:
    case COMPARE_AND_SWAP:
    case SWAP_INDEX_7: return NULL;
    case SWAP_INDEX_6: return at & 4 ? NULL : "AT_LEN_BE: atomic operation 6 is defined with bit 2 set only";
    case ADD_LANES: return format_exists(at & 15) ? NULL : "AT_LEN_BE: there is no such format to add in";
    case ZAAMO:
        if (at >> ZAAMO_BIT & 1 || bits_get(at, 8, 3) == ZAAMO_SWAP)
            return NULL;
        return "AT_LEN_BE: atomic operation 10 without bit 11 is defined with 3 in bits 8 to 10 only";
    default: return "AT_LEN_BE: there is no such atomic operation";
    }
}

static void swap_masked(uint32_t at, uint32_t data, uint8_t line[LINE]) {
    for (unsigned i = 0; i < LINE / 2; i++)
        if (at >> (2 + i) & 1)
            memcpy(line + 2 * i, (const uint8_t *)&data + 2 * (i & 1), 2);
}

static void change(uint32_t at, uint32_t data, uint8_t line[LINE]) {
    uint32_t word[LINE / 4];
    memcpy(word, line, LINE);
    if (opcode_of(at) == ADD_LANES) {
        for (unsigned i = 0; i < LINE / 4; i++)
            word[i] = add_word(at & 15, word[i], data);
    } else {
        unsigned i = word_index(at);
        word[i] = new_word(at, word[i], data);
    }
    memcpy(line, word, LINE);
}

uint32_t atomic_do(uint32_t at, uint32_t data, uint32_t address, uint8_t line[LINE]) {
    uint32_t result;
    memcpy(&result, line + (address & 12), sizeof result);
    if (opcode_of(at) == SWAP_MASK)
        swap_masked(at, data, line);
    else
        change(at, data, line);
    return result;
}
