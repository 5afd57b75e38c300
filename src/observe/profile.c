/* The time that cores spend at each word of L1. An instruction is counted when the next one begins. After a row of
 * words that were pushed together, the next one is several words further on. */
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"

static unsigned kind_of(uint32_t word) {
    struct rv_insn insn;
    return tensix_in_stream(word) ? RV_COUNT : (unsigned)rv_decode(word, &insn);
}

/* Returns the entry of a word. Returns NULL, and nothing is recorded, if the word is outside L1 or there is no
 * memory. */
static struct observe_word *word_at(struct profile *p, uint32_t pc) {
    uint32_t page = pc / 4 / OBSERVE_PAGE;
    if (page >= OBSERVE_PAGES)
        return NULL;
    if (!p->page[page] && !(p->page[page] = calloc(OBSERVE_PAGE, sizeof *p->page[page])))
        return NULL;
    return &p->page[page][pc / 4 % OBSERVE_PAGE];
}

/* Counts an execution. If the word at this address has changed since the last one, the old word's count moves to the
 * mix. */
static void count_one(struct profile *p, const uint8_t *l1, uint32_t pc) {
    struct observe_word *at = word_at(p, pc);
    uint32_t word;
    if (!at)
        return;
    memcpy(&word, l1 + (pc & ~3u), sizeof word);
    if (at->count && at->word != word) {
        p->mix[kind_of(at->word)] += at->count;
        *at = (struct observe_word){ .count = 0 };
    }
    at->word = word;
    at->count++;
}

void profile_step(struct profile *p, const uint8_t *l1, uint32_t pc, uint64_t time, uint64_t retired) {
    uint64_t done = retired - p->retired;
    for (uint64_t i = 0; i < done; i++)
        count_one(p, l1, p->pc + 4 * (uint32_t)i);
    struct observe_word *at = time > p->time ? word_at(p, p->pc) : NULL;
    if (at)
        at->cycles += time - p->time;
    p->pc = pc;
    p->time = time;
    p->retired = retired;
}

void profile_slept(struct profile *p, uint32_t pc, uint64_t start, uint64_t end, uint64_t instructions) {
    struct observe_word *at = word_at(p, pc);
    p->retired += instructions;
    if (start < p->slept_until)
        start = p->slept_until;
    if (start >= end)
        return;
    if (at)
        at->waited += end - start;
    p->time += end - start;
    p->slept_until = end;
}

void profile_mix(const struct profile *p, uint64_t mix[RV_COUNT + 1]) {
    memcpy(mix, p->mix, sizeof p->mix);
    for (unsigned page = 0; page < OBSERVE_PAGES; page++)
        for (unsigned i = 0; p->page[page] && i < OBSERVE_PAGE; i++)
            if (p->page[page][i].count)
                mix[kind_of(p->page[page][i].word)] += p->page[page][i].count;
}
