/* Circular buffers of pages (tiles) in L1, from one core to another core of the same tile.
 *
 *     producer: at = cb_reserve(cb); ... write a page at `at` ...; cb_push(cb);
 *     consumer: at = cb_wait(cb);    ... read the page at `at` ...; cb_pop(cb);
 *
 * The unpackers and the packer work later than their core: call tensix_sync() before cb_pop() or cb_push(). If the NoC
 * reads or writes the page, call noc_writes_done() or noc_reads_done() first. */
#ifndef KIT_CB_H
#define KIT_CB_H

#include "bhemu_guest.h"

/* Names a buffer whose struct is at this address of L1, for all cores. `name` points to the struct, and `bhemu check`
 * knows from it where the pages are and which words count them. */
#define CB_AT(name, at) \
    __asm__(".globl cb." #name "\n\t.set cb." #name ", " CB_TEXT(at)); \
    static struct cb *const name __attribute__((unused)) = (struct cb *)(at)
#define CB_TEXT(at)  CB_TEXT_(at)
#define CB_TEXT_(at) #at

/* In L1, where the host sets address, page_bytes and pages, and the counts to 0. Each of the counts has one writer. */
struct cb {
    uint32_t address, page_bytes, pages;
    volatile uint32_t pushed, popped;
};

static inline uint32_t cb_reserve(struct cb *cb) {
    uint32_t pushed = cb->pushed;
    while (pushed - cb->popped >= cb->pages)
        fence();
    return cb->address + pushed % cb->pages * cb->page_bytes;
}

static inline void cb_push(struct cb *cb) {
    fence(); /* the page must be written first */
    cb->pushed = cb->pushed + 1;
}

static inline uint32_t cb_wait(struct cb *cb) {
    uint32_t popped = cb->popped;
    while (cb->pushed == popped)
        fence();
    return cb->address + popped % cb->pages * cb->page_bytes;
}

static inline void cb_pop(struct cb *cb) {
    fence();
    cb->popped = cb->popped + 1;
}

#endif
