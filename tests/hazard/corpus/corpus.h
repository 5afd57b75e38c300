/* What the pairs of the corpus share. A pair has a function for each core that it runs, as guest/bhemu-cc wants of a
 * kernel.c, and ends with what its cores have seen: 0 if that was right. See corpus.py. */
#ifndef CORPUS_H
#define CORPUS_H

#include "bhemu_guest.h"

#if GUEST_CORE == GUEST_BRISC
#define CORPUS_CORE brisc
#elif GUEST_CORE == GUEST_NCRISC
#define CORPUS_CORE ncrisc
#elif GUEST_CORE == GUEST_TRISC0
#define CORPUS_CORE trisc0
#elif GUEST_CORE == GUEST_TRISC1
#define CORPUS_CORE trisc1
#else
#define CORPUS_CORE trisc2
#endif

int CORPUS_CORE(void);
int main(void);

int main(void) {
    return CORPUS_CORE();
}

/* A function whose name stands for its code in a report, with that of the kit's headers in it. */
#define STEP __attribute__((noipa)) static

/* Memory that the pairs use as they like; at the same addresses on all tiles. Tiles 3,2 and 4,2 run nothing. */
enum { IN = 0x20000, OUT = 0x30000, FLAG = 0x40000, FLAG2 = 0x40010, FLAG3 = 0x40020 };
enum { NEAR_X = 1, FAR_X = 2, IDLE_X = 3, IDLE2_X = 4, ROW_Y = 2 };

static inline volatile uint32_t *word_at(uint32_t address) {
    return (volatile uint32_t *)(uintptr_t)address;
}

/* Exploration makes the waits that hide a race shorter by this factor, so that delays within their bounds can show it.
 */
#ifndef HASTE
#define HASTE 1
#endif

/* Lets time pass, so that this run goes well. */
static inline void do_other_work(unsigned cycles) {
    for (uint64_t end = wall_clock() + cycles / HASTE; wall_clock() < end;)
        ;
}

/* Lets the other cores come to their ends, however late they are, before this one looks at what they have left. */
static inline void let_others_end(void) {
    for (uint64_t end = wall_clock() + 20000; wall_clock() < end;)
        ;
}

/* Turns the core's L0 data cache on, which start.S turns off. */
static inline void use_cache(void) {
    __asm__ volatile("csrci 0x7c0, 8" ::: "memory");
}

/* Waits until what the core has pushed is done. */
static inline void finish(void) {
    do_other_work(2000);
    reg_write(MAP_TTSYNC, 0);
    (void)reg_read(MAP_TTSYNC);
    fence();
}

/* Fills memory with a word, and waits until it is there. */
static inline void fill(uint32_t address, uint32_t bytes, uint32_t word) {
    for (uint32_t i = 0; i < bytes; i += 4)
        *word_at(address + i) = word;
    (void)*word_at(address + bytes - 4);
    fence();
}

/* Returns 0 if all of the memory is this word. */
static inline int differs(uint32_t address, uint32_t bytes, uint32_t word) {
    for (uint32_t i = 0; i < bytes; i += 4)
        if (*word_at(address + i) != word)
            return 1;
    return 0;
}

#endif
