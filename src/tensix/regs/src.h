/* SrcA and SrcB ("files"): each has two banks, which the unpackers and the Matrix Unit hand to each other. Sources:
 * SrcASrcB.md (WH), SoftReset.md (BH). */
#ifndef TENSIX_REGS_SRC_H
#define TENSIX_REGS_SRC_H

#include <stdint.h>
#include <string.h>

#include "isa/regs.h"

enum { SRC_A, SRC_B, SRC_FILES, SRC_BANKS = 2, SRC_ROWS = 64, SRC_COLUMNS = 16, SRC_BLOCKS = SRC_ROWS / 8 };
enum src_client { SRC_UNPACKERS, SRC_MATRIX };

/* A datum has 19 bits: sign, ten bits of mantissa, eight of exponent. Mantissas and exponents are stored apart, as the
 * Matrix Unit's arithmetic needs them. */
struct src_bank {
    uint16_t mantissa[SRC_ROWS][SRC_COLUMNS]; /* sign in bit 15, mantissa in 9:0 */
    uint16_t exponent[SRC_ROWS][SRC_COLUMNS];
};

struct src {
    uint8_t allowed[SRC_FILES][SRC_BANKS]; /* the owner: enum src_client */
    uint8_t format[SRC_FILES][SRC_BANKS];  /* implied format: that of the unpacked data, as in ALU_FORMAT_SPEC
                                            * (Blackhole) */
    uint8_t last_format[SRC_FILES];        /* the implied format of the last bank that was handed over */
    uint8_t unpacker_bank[SRC_FILES], matrix_bank[SRC_FILES];
    uint8_t unpacker_row[SRC_FILES][3];       /* base row of a thread's unpacks: 0, 16, 32 or 48 */
    uint64_t free_from[SRC_FILES][SRC_BANKS]; /* first cycle in which the unpackers can use a bank that they own */

    /* Derived: the mode that each block of eight rows of the Matrix Unit's bank is prepared for (matrix/math.c); 0:
     * none. */
    uint8_t prepared[SRC_FILES][SRC_BLOCKS] __attribute__((aligned(8)));
    uint8_t touched[SRC_FILES]; /* a bank has been written or handed over since power-on */
    /* If all data of the bank are equal: their value plus one. 0: not known to be equal. Makes it free to clear a bank
     * again that has not changed. */
    uint32_t filled[SRC_FILES][SRC_BANKS];

    struct src_bank bank[SRC_FILES][SRC_BANKS] __attribute__((aligned(64)));
};

static inline struct src_bank *src_matrix_bank(const struct src *src, unsigned file) {
    return (struct src_bank *)(uintptr_t)&src->bank[file][src->matrix_bank[file]];
}

/* Invalidates what depends on which bank the Matrix Unit has. */
static inline void src_handed(struct src *src, unsigned file) {
    memset(src->prepared[file], 0, sizeof src->prepared[file]);
    src->touched[file] = 1;
}

/* Invalidates what depends on the data. Call it after every change of data. */
static inline void src_changed(struct src *src, unsigned file) {
    src_handed(src, file);
    memset(src->filled[file], 0, sizeof src->filled[file]);
}

/* Return and set a datum as one number: sign in bit 18, mantissa in 17:8, exponent in 7:0. */
static inline uint32_t src_get(const struct src_bank *bank, unsigned row, unsigned column) {
    uint32_t mantissa = bank->mantissa[row][column];
    return (mantissa & 0x8000) << 3 | (mantissa & 0x3FF) << 8 | bank->exponent[row][column];
}

static inline void src_set(struct src_bank *bank, unsigned row, unsigned column, uint32_t datum) {
    bank->mantissa[row][column] = (uint16_t)((datum >> 3 & 0x8000) | (datum >> 8 & 0x3FF));
    bank->exponent[row][column] = (uint16_t)(datum & 0xFF);
}

static inline void src_clear_columns(struct src *src, unsigned file, unsigned first, unsigned count) {
    for (unsigned bank = 0; bank < SRC_BANKS; bank++)
        for (unsigned row = 0; row < SRC_ROWS; row++)
            for (unsigned column = first; column < first + count; column++)
                src_set(&src->bank[file][bank], row, column, 0);
    src_changed(src, file);
}

/* Gives all banks to the unpackers; the unpackers and the Matrix Unit both start with bank 0. */
static inline void src_restart(struct src *src, unsigned file) {
    src->matrix_bank[file] = src->unpacker_bank[file] = 0;
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        src->allowed[file][bank] = SRC_UNPACKERS;
        src->free_from[file][bank] = 0;
    }
    src_handed(src, file);
}

/* Returns the first cycle in which the unpackers can use the bank; UINT64_MAX while the Matrix Unit owns it. */
static inline uint64_t src_free_from(const struct src *src, unsigned file, unsigned bank) {
    return src->allowed[file][bank] == SRC_UNPACKERS ? src->free_from[file][bank] : UINT64_MAX;
}

/* A change of owners: masks of files, bit 0 SrcA and bit 1 SrcB. */
struct src_change {
    uint8_t give;    /* give the Matrix Unit's bank to the unpackers */
    uint8_t flip;    /* switch the Matrix Unit to its other bank */
    uint8_t take;    /* give the unpackers' bank to the Matrix Unit, with this format, and switch the unpackers to the
                      * other bank */
    uint8_t restart; /* call src_restart, and set implied formats to 0 */
    uint8_t format[SRC_FILES];
};

/* free_from: when the unpackers can use a bank that they get. */
static inline void src_apply_to(struct src *src, unsigned file, const struct src_change *change, uint64_t free_from) {
    unsigned matrix = src->matrix_bank[file], unpackers = src->unpacker_bank[file];
    BH_ASSERT(matrix < SRC_BANKS && unpackers < SRC_BANKS && file < SRC_FILES);
    if (change->give >> file & 1) {
        src->allowed[file][matrix] = SRC_UNPACKERS;
        src->free_from[file][matrix] = free_from;
    }
    if (change->flip >> file & 1)
        src->matrix_bank[file] ^= 1;
    if (change->take >> file & 1) {
        src->allowed[file][unpackers] = SRC_MATRIX;
        src->format[file][unpackers] = src->last_format[file] = change->format[file];
        src->unpacker_bank[file] ^= 1;
    }
    if (change->restart >> file & 1) {
        src_restart(src, file);
        memset(src->format[file], 0, sizeof src->format[file]);
    }
    src_handed(src, file);
}

static inline void src_apply(struct src *src, const struct src_change *change, uint64_t free_from) {
    unsigned files = change->give | change->flip | change->take | change->restart;
    if (files & 1)
        src_apply_to(src, SRC_A, change, free_from);
    if (files & 2)
        src_apply_to(src, SRC_B, change, free_from);
}

/* ---- SOFT_RESET_0 -------------------------------------------------------------------------------- */

/* The soft resets that clear data. Data in reset are zero: whatever an instruction writes there is lost. */
enum { SRC_HELD = REG_HOLD_FPU | REG_HOLD_SRCB | 15 * REG_HOLD_SRCA_COLUMNS };

static inline void src_clear_held(struct src *src, uint32_t held) {
    for (unsigned i = 0; i < 4; i++)
        if (held & (REG_HOLD_FPU | (uint32_t)REG_HOLD_SRCA_COLUMNS << i))
            src_clear_columns(src, SRC_A, 4 * i, 4);
    if (held & REG_HOLD_SRCB)
        src_clear_columns(src, SRC_B, 0, SRC_COLUMNS);
}

/* Returns the files (bit 0: SrcA, 1: SrcB) whose banks cannot be handed over. */
static inline unsigned src_stuck(uint32_t held) {
    return (held & REG_HOLD_SRCA_CLIENT ? 1u << SRC_A : 0) | (held & REG_HOLD_SRCB ? 1u << SRC_B : 0);
}

#endif
