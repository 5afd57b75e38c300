/* The frontend of a core with cycle timing: branch prediction and the instruction cache, as far as they take time.
 *
 * Measured (docs/timing.md): a branch or jump is predicted to go where it went last time, and not to be taken before it
 * has been executed. Loops of up to 4 KiB run at a word a cycle; of larger ones those words that two-way sets of 4 KiB
 * cannot keep cost a cycle for each line of 16 bytes.
 *
 * Inexact: the prediction is one bit for each of 512 words, without tags; the cache evicts blocks of 128 bytes, of
 * which it fetches the lines that are executed; an entry that has never been used since reset is filled at no cost, and
 * so are rows of pushes. Words are always those of L1: the cache is about time only. */
#ifndef RISCV_FETCH_H
#define RISCV_FETCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FETCH_SITES = 512,       /* branches that are told apart */
    FETCH_BLOCK = 128,       /* bytes that are fetched together */
    FETCH_LINE = 16,         /* bytes that L1 returns at once */
    FETCH_SETS = 16,         /* of two blocks: 4 KiB */
    FETCH_NO_BLOCK = 0x3000, /* the number of the block behind L1 */
};

struct core_fetch {
    uint32_t block;                   /* number of the block that instructions come from */
    uint32_t set[FETCH_SETS][2];      /* (number + 1) << 8 | lines, the one that was used last first; 0: never used */
    uint64_t taken[FETCH_SITES / 64]; /* a bit for each site: it was taken last time */
};

/* Returns whether the branch at this word, counted from address 0, is predicted to be taken. */
static inline bool fetch_predicts(const struct core_fetch *fetch, uint64_t word) {
    return fetch->taken[word / 64 % (FETCH_SITES / 64)] >> (word % 64) & 1;
}

/* Returns whether the prediction was another one, and learns. */
static inline bool fetch_differs(struct core_fetch *fetch, uint64_t word, bool taken) {
    uint64_t *bits = &fetch->taken[word / 64 % (FETCH_SITES / 64)];
    bool differs = (*bits >> (word % 64) & 1) != taken;
    if (__builtin_expect(differs, 0))
        *bits ^= UINT64_C(1) << (word % 64);
    return differs;
}

/* Sets the state after reset. */
void fetch_reset(struct core_fetch *fetch);
/* Makes the block of pc the one that instructions come from. Returns the lines that the cache lacks, a bit each. */
uint32_t fetch_enter(struct core_fetch *fetch, uint32_t pc);
/* Returns the lines of the present block that the cache lacks. */
uint32_t fetch_lacking(const struct core_fetch *fetch);
/* Fetches a line of the present block. Returns what is still lacking. */
uint32_t fetch_line(struct core_fetch *fetch, uint32_t line);
/* The bit of the line of pc. */
#define FETCH_LINE_OF(pc) (1u << (pc) % FETCH_BLOCK / FETCH_LINE)

#endif
