/* The frontend of a core with cycle timing: branch prediction and the instruction cache.
 *
 * Measured (docs/timing.md): a branch or jump is predicted to go where it went last time, and not to be taken before it
 * has been executed. Loops of up to 4 KiB run at a word a cycle; of larger ones those words that two-way sets of 4 KiB
 * cannot keep cost a cycle for each line of 16 bytes.
 *
 * A core executes the words that its cache has, even if L1 has others meanwhile, until they are evicted or the cache is
 * invalidated: by a reset, or a write of RISCV_IC_INVALIDATE (InstructionCache.md). The cache keeps a copy of each
 * block; only blocks that have been written to since then differ from L1 (`old`).
 *
 * Inexact: the prediction is one bit for each of 512 words, without tags; the cache evicts blocks of 128 bytes, of
 * which it fetches the lines that are executed; an entry that has never been used since reset or invalidation is filled
 * as a whole and at no cost; rows of pushes are not cached. */
#ifndef RISCV_FETCH_H
#define RISCV_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FETCH_SITES = 512, /* branches that are told apart */
    FETCH_BLOCK = 128, /* bytes that are evicted together */
    FETCH_LINE = 16,   /* bytes that L1 returns at once */
    FETCH_SETS = 16,   /* of two blocks: 4 KiB */
    FETCH_WAYS = 2,
    FETCH_ENTRIES = FETCH_SETS * FETCH_WAYS,
    FETCH_NO_BLOCK = 0x3000, /* the number of the block behind L1 */
    FETCH_ALL_LINES = (1 << FETCH_BLOCK / FETCH_LINE) - 1,
    FETCH_KEY_SHIFT = 9, /* of the number of the block in an entry of a set */
};

struct core_fetch {
    uint32_t block;                       /* number of the block that instructions come from */
    uint32_t lacking;                     /* lines of this block that the cache does not have, a bit each */
    bool fills;                           /* the block is new in the cache: fetch_fill has to copy it */
    uint32_t replaced;                    /* likewise: number of the block that made room; FETCH_NO_BLOCK: none */
    uint32_t set[FETCH_SETS][FETCH_WAYS]; /* (number + 1) << 9 | way << 8 | lines, the one that was used last first; 0:
                                             never used */
    uint64_t taken[FETCH_SITES / 64];     /* a bit for each site: it was taken last time */
    uint32_t old;                         /* entries, a bit each (2 * set + way), that L1 may differ from */
    uint32_t shared;                      /* those of them whose block another core of the tile has, too */
};

/* The code in the cache, by entry. A struct of its own, because a core needs the rest more often. */
struct fetch_code {
    uint8_t block[FETCH_ENTRIES][FETCH_BLOCK];
};

/* Returns whether the branch at this word, counted from address 0, is predicted to be taken. */
static inline bool fetch_predicts(const struct core_fetch *fetch, uint64_t word) {
    return fetch->taken[word / 64 % (FETCH_SITES / 64)] >> (word % 64) & 1;
}

/* The branch at this word went the other way: from now on that is the prediction. */
static inline void fetch_learn(struct core_fetch *fetch, uint64_t word) {
    fetch->taken[word / 64 % (FETCH_SITES / 64)] ^= UINT64_C(1) << (word % 64);
}

/* Sets the state after reset. */
void fetch_reset(struct core_fetch *fetch);
/* As fetch_enter, if the block is not the one that was used last in its set. */
uint32_t fetch_enter_other(struct core_fetch *fetch, uint32_t block);
/* Makes the block of pc the one that instructions come from. Returns the lines that the cache lacks, a bit each. */
static inline uint32_t fetch_enter(struct core_fetch *fetch, uint32_t pc) {
    uint32_t block = pc / FETCH_BLOCK, first = fetch->set[block % FETCH_SETS][0];
    if (__builtin_expect(first >> FETCH_KEY_SHIFT != block + 1, 0))
        return fetch_enter_other(fetch, block);
    fetch->block = block;
    fetch->fills = false;
    return fetch->lacking = ~first & FETCH_ALL_LINES;
}
/* Fetches a line of the present block. Returns what is still lacking. */
uint32_t fetch_line(struct core_fetch *fetch, struct fetch_code *code, uint32_t line, const uint8_t *l1);
/* Copies the present block, which is new. Returns whether the block that it replaces was an old one. */
bool fetch_fill(struct core_fetch *fetch, struct fetch_code *code, const uint8_t *l1);
/* Empties the cache; what has been learned of branches stays. */
void fetch_invalidate(struct core_fetch *fetch);
/* Notes that these bytes of L1 have been written. */
void fetch_written(struct core_fetch *fetch, uint32_t address, uint32_t size);
/* Returns the number of the block of an entry; FETCH_NO_BLOCK if there is none. */
uint32_t fetch_block_of(const struct core_fetch *fetch, unsigned entry);
/* Returns the entry of a block; FETCH_ENTRIES if the cache does not have it. */
unsigned fetch_entry_of(const struct core_fetch *fetch, uint32_t block);
/* Returns the bytes that the cache has for this pc, given that they may differ from L1; else NULL. */
const uint8_t *fetch_old(const struct core_fetch *fetch, const struct fetch_code *code, uint32_t pc);
/* The bit of the line of pc. */
#define FETCH_LINE_OF(pc) (1u << (pc) % FETCH_BLOCK / FETCH_LINE)

#endif
