/* Kernels that move data between LRegs and Dst.
 *
 * Four rows of Dst are 32 pairs of columns: lane 8 * row + column / 2 has one datum of its pair, the even column (the
 * first in memory) or the odd one. The lower halves of 32-bit data are eight rows further on. */
#ifndef NUMERIC_LANES_MOVE_KERNELS_H
#define NUMERIC_LANES_MOVE_KERNELS_H

#include <stdint.h>

/* Mod0 of SFPLOAD and SFPSTORE. SRCB stands for FP16, BF16 or FP32, and has no kernel. */
enum move_format {
    MOVE_SRCB,
    MOVE_FP16,
    MOVE_BF16,
    MOVE_FP32,
    MOVE_INT32,
    MOVE_INT8,
    MOVE_UINT16,
    MOVE_HI16,
    MOVE_INT16,
    MOVE_LO16,
    MOVE_INT32_ALL,
    MOVE_ZERO,
    MOVE_INT32_SM,
    MOVE_INT8_COMP,
    MOVE_LO16_ONLY,
    MOVE_HI16_ONLY,
    MOVE_FORMATS
};

enum { MOVE_LOW = 128 /* distance from the upper halves of four rows to the lower ones, in 16-bit data */ };

/* Loads and stores return 0, so that a handler can end with a call of one.
 *
 * d: the LReg. dst: the four rows. old: the previous value of the LReg, for formats that keep half of it. odd: mask of
 * lanes with odd columns. infinity: mask of lanes in which FP16 has infinities. */
typedef uint64_t move_load(uint32_t *d, const uint16_t *dst, const uint32_t *old, uint32_t odd, uint32_t infinity,
                           uint32_t mask);
/* Stores leave all other data unchanged. */
typedef uint64_t move_store(uint16_t *dst, const uint32_t *s, uint32_t odd, uint32_t mask);
/* The same for all lanes, with all columns even or all odd. */
typedef uint64_t move_load_all(uint32_t *d, const uint16_t *dst, uint32_t infinity);
typedef uint64_t move_store_all(uint16_t *dst, const uint32_t *s);

struct move_kernels {
    void (*fill)(uint32_t *d, uint32_t value, uint32_t mask);
    /* Computes row and column of each lane: row << 4 | column. row: the first of the four rows. */
    void (*index)(uint32_t *d, unsigned row, uint32_t odd, uint32_t mask);
    move_load *load[MOVE_FORMATS];
    move_store *store[MOVE_FORMATS];
    move_load_all *load_all[2][MOVE_FORMATS]; /* for even columns, for odd columns */
    move_store_all *store_all[2][MOVE_FORMATS];
};

#endif
