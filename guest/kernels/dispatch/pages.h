/* The receiving end of a ring of pages in own L1: the sender counts pages up, the receiver gives them back. */
#ifndef PAGES_H
#define PAGES_H

#include "kit/noc.h"
#include "queue.h"

struct pages {
    uint32_t base, page_bytes, count;
    const volatile uint32_t *came; /* number of pages that have come so far */
    uint32_t freed;                /* address of the sender's word that counts pages given back */
    uint32_t at, left;             /* address and number of the bytes that can be read now */
    uint32_t taken, held;          /* numbers of pages: taken so far, and not given back yet */
};

/* Gives pages back on NoC 1: while multicasts are linked, NoC 0 accepts nothing else. On NoC 1 BRISC has a command
 * buffer that NCRISC does not use. */
static inline void pages_give_back(uint32_t freed, uint32_t count) {
    uint32_t at = MAP_NIU1 + 0x800u * (GUEST_CORE == GUEST_BRISC ? NOC_BUFFER_REGISTER : NOC_BUFFER_ATOMIC);
    while (reg_read(at + NOC_GO))
        ;
    noc_place(at + NOC_TARGET, noc_tile(PREFETCH_X, PREFETCH_Y), freed);
    noc_place(at + NOC_RETURN, noc_self(), (uint32_t)(uintptr_t)&noc_old_value);
    reg_write(at + NOC_DATA, count);
    reg_write(at + NOC_LENGTH, 0x1000 | 31 << 2);
    reg_write(at + NOC_CTRL, NOC_ATOMIC | NOC_RESPOND | NOC_STATIC_CHANNEL | NOC_CHANNEL);
    reg_write(at + NOC_GO, 1);
}

/* Returns the number of bytes that are at `at`, and waits for the first. All of them lie before the end of the ring. */
static inline uint32_t pages_bytes(struct pages *pages) {
    if (pages->left)
        return pages->left;
    if (pages->held) {
        noc_writes_sent();
        pages_give_back(pages->freed, pages->held);
    }
    uint32_t first = pages->taken % pages->count, new;
    while ((new = *pages->came - pages->taken) == 0)
        fence();
    if (new > pages->count - first)
        new = pages->count - first;
    fence();
    pages->at = pages->base + first * pages->page_bytes;
    pages->left = new * pages->page_bytes;
    pages->taken += new;
    pages->held = new;
    return pages->left;
}

static inline void pages_pass(struct pages *pages, uint32_t bytes) {
    pages->at += bytes;
    pages->left -= bytes;
}

/* Returns the next command, which is at the beginning of a page. */
static inline const void *pages_command(struct pages *pages) {
    pages_pass(pages, pages->left % pages->page_bytes);
    pages_bytes(pages);
    return (const void *)(uintptr_t)pages->at;
}

/* Copies words, some of which may still have to come. */
static inline void pages_take(struct pages *pages, uint32_t *to, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        pages_bytes(pages);
        to[i] = *(const volatile uint32_t *)(uintptr_t)pages->at;
        pages_pass(pages, 4);
    }
}

static inline void pages_align(struct pages *pages, uint32_t alignment) {
    uint32_t bytes = -pages->at & (alignment - 1);
    pages_pass(pages, bytes < pages->left ? bytes : pages->left);
}

#endif
