/* The frontend of a core with cycle timing: branch prediction and the instruction cache.
 *
 * Measured (docs/timing.md): a branch or jump is predicted to go where it went last time, and not to be taken before
 * its first execution. Loops of up to 4 KiB run at one word a cycle. In larger loops, words that a two-way cache of 4
 * KiB cannot keep cost one cycle for each line of 16 bytes.
 *
 * A core executes the words that its cache has, even if L1 has changed, until the words are evicted or the cache is
 * invalidated: by a reset, or a write of RISCV_IC_INVALIDATE (InstructionCache.md). The cache keeps a copy of each
 * block; `old` marks the blocks that have been written to since they were copied.
 *
 * Inexact: the prediction is one bit for each of 512 words, without tags. The cache evicts blocks of 128 bytes, and
 * fetches the lines of a block that are executed. An entry that has not been used since reset or invalidation is filled
 * as a whole and at no cost. Rows of pushes are not cached. */
#ifndef RISCV_FETCH_H
#define RISCV_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FETCH_SITES = 512, /* entries of the branch prediction */
    FETCH_BLOCK = 128, /* bytes that are evicted together */
    FETCH_LINE = 16,   /* bytes that L1 returns at once */
    FETCH_SETS = 16,   /* sets of two blocks: 4 KiB together */
    FETCH_WAYS = 2,
    FETCH_ENTRIES = FETCH_SETS * FETCH_WAYS,
    FETCH_NO_BLOCK = 0x3000, /* number of the block that follows L1: no block */
    FETCH_ALL_LINES = (1 << FETCH_BLOCK / FETCH_LINE) - 1,
    FETCH_KEY_SHIFT = 9, /* position of the block's number in an entry of a set */
};

struct core_fetch {
    uint32_t block;                       /* number of the block that the core executes from */
    uint32_t lacking;                     /* mask of the lines of this block that the cache does not have */
    bool fills;                           /* the block has just entered the cache, and fetch_fill has to copy it */
    uint32_t replaced;                    /* number of the block that it replaced; FETCH_NO_BLOCK: none */
    uint32_t set[FETCH_SETS][FETCH_WAYS]; /* (number + 1) << 9 | way << 8 | lines, last used first; 0: never used */
    uint64_t taken[FETCH_SITES / 64];     /* a bit for each entry of the prediction: taken last time */
    uint32_t old;                         /* mask of entries (2 * set + way) from which L1 may differ */
    uint32_t shared;                      /* mask of the old entries whose block another core of the tile has, too */
};

/* The code in the cache, by entry. It is separate because a core needs core_fetch more often. */
struct fetch_code {
    uint8_t block[FETCH_ENTRIES][FETCH_BLOCK];
};

/* Returns whether the branch at this word is predicted to be taken. word: the address divided by 4. */
static inline bool fetch_predicts(const struct core_fetch *fetch, uint64_t word) {
    return fetch->taken[word / 64 % (FETCH_SITES / 64)] >> (word % 64) & 1;
}

/* Inverts the prediction of the branch at this word, which went the other way. */
static inline void fetch_learn(struct core_fetch *fetch, uint64_t word) {
    fetch->taken[word / 64 % (FETCH_SITES / 64)] ^= UINT64_C(1) << (word % 64);
}

/* Sets the state after reset. */
void fetch_reset(struct core_fetch *fetch);
/* Does the same as fetch_enter if the block is not the first of its set. */
uint32_t fetch_enter_other(struct core_fetch *fetch, uint32_t block);
/* Makes the block of pc the present block, from which the core executes. Returns a mask of the lines that the cache
 * lacks. */
static inline uint32_t fetch_enter(struct core_fetch *fetch, uint32_t pc) {
    uint32_t block = pc / FETCH_BLOCK, first = fetch->set[block % FETCH_SETS][0];
    if (__builtin_expect(first >> FETCH_KEY_SHIFT != block + 1, 0))
        return fetch_enter_other(fetch, block);
    fetch->block = block;
    fetch->fills = false;
    return fetch->lacking = ~first & FETCH_ALL_LINES;
}
/* Fetches a line of the present block. line: the bit of the line. Returns a mask of the lines that are still
 * lacking. */
uint32_t fetch_line(struct core_fetch *fetch, struct fetch_code *code, uint32_t line, const uint8_t *l1);
/* Copies the present block from L1. Returns whether the block that it replaced was old. Precondition: fetch->fills. */
bool fetch_fill(struct core_fetch *fetch, struct fetch_code *code, const uint8_t *l1);
/* Empties the cache. The predictions stay. */
void fetch_invalidate(struct core_fetch *fetch);
/* Marks the entries that hold these bytes of L1 as old: the bytes have been written. */
void fetch_written(struct core_fetch *fetch, uint32_t address, uint32_t size);
/* Returns the number of the block in an entry; FETCH_NO_BLOCK if the entry is empty. */
uint32_t fetch_block_of(const struct core_fetch *fetch, unsigned entry);
/* Returns the entry that holds a block; FETCH_ENTRIES if the cache does not have the block. */
unsigned fetch_entry_of(const struct core_fetch *fetch, uint32_t block);
/* Returns the bytes that the cache has for pc if they may differ from L1; else NULL. */
const uint8_t *fetch_old(const struct core_fetch *fetch, const struct fetch_code *code, uint32_t pc);
/* The bit of the line that contains pc. */
#define FETCH_LINE_OF(pc) (1u << (pc) % FETCH_BLOCK / FETCH_LINE)

#endif
