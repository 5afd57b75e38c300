/* Packets on their way: what tiles give to each other between two runs, and where it is meanwhile.
 *
 * A packet, its bytes included, is written once, into a block of a store. Its name goes to the sender's outbox; between
 * epochs the chip moves it to the inboxes of the receivers, where it waits for its time. Each receiver, and of a
 * multicast there are many, gives the block back when it has read it. Each host thread has a store, for whatever tiles
 * it runs: few packets are on their way at a time, and the blocks that the last ones were in are still in the host's
 * caches. An outbox, an inbox and a store belong to whoever runs the tile, or, between two epochs, to the chip: nothing
 * here takes a lock. Room that was once needed is kept, so that nothing is allocated in the steady state.
 */
#ifndef TILE_TRANSIT_H
#define TILE_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/list.h"
#include "noc/transaction.h"

/* Of a transaction in a block of a store: room for the bytes that it carries. */
static inline uint8_t *transaction_own(const struct transaction *transaction) {
    return (uint8_t *)(uintptr_t)(transaction + 1);
}

#define TRANSACTION_NO_LOAN UINT64_MAX

/* What has been read from DRAM stays there on loan until it is written at the end of its way (dram/dram.h). */
static inline uint64_t transaction_loan(const struct transaction *transaction) {
    return transaction->bytes == TRANSACTION_IN_DRAM ? transaction->place : TRANSACTION_NO_LOAN;
}

/* ---- Where packets are ------------------------------------------------------------------------------------- */

enum {
    STORE_CLASSES = 5,  /* transactions of up to 64, 256, 1024, 4096 and 16384 bytes */
    STORE_CHUNKS = 256, /* that many allocations a class at most */
    STORE_NOTHING = 0,  /* no block has this name */
    STORE_UNIT = 16,    /* bytes */
};

/* The name of a block is where its transaction is: a number of chunk and class, chunk * STORE_CLASSES + class[31:20],
 * and bytes into the chunk in STORE_UNITs[19:0]. Chunks never move, so a reader may look at a block while the owner
 * takes others. */
enum { STORE_CHUNK_SHIFT = 20, STORE_PLACE_MASK = (1 << STORE_CHUNK_SHIFT) - 1 };

/* What stands before a transaction. */
struct store_block {
    _Alignas(STORE_UNIT) uint32_t readers;
};

/* A block that is free has long left the host's caches: nothing in it has to be read for it to be taken. What has to
 * is in two lines, the first chunk of each class included. */
struct store {
    uint32_t next[STORE_CLASSES];  /* the block to be taken next, or STORE_NOTHING */
    uint32_t count[STORE_CLASSES]; /* of those after it, */
    uint32_t used;                 /* blocks that are in use */
    uint32_t *free[STORE_CLASSES]; /* of which the last one given back is the first; there is room for all there are */
    uint8_t *chunk[STORE_CHUNKS * STORE_CLASSES];
    uint32_t fresh[STORE_CLASSES]; /* blocks that have ever been used */
    struct internal_error *error;
};

static inline struct transaction *store_at(const struct store *store, uint32_t block) {
    uint8_t *chunk = store->chunk[block >> STORE_CHUNK_SHIFT];
    return (struct transaction *)(void *)(chunk + (size_t)(block & STORE_PLACE_MASK) * STORE_UNIT);
}
static inline struct store_block *store_block_at(const struct store *store, uint32_t block) {
    return (struct store_block *)(void *)store_at(store, block) - 1;
}
/* Makes a block for transactions of a class, of which none is free. False: no memory. */
bool store_grow(struct store *store, unsigned class);
static inline unsigned store_class(uint32_t size) {
    enum { SMALLEST_BITS = 6, CLASS_BITS = 2 };
    BH_ASSERT(size <= NOC_PACKET_MAX);
    return size <= 1 << SMALLEST_BITS ? 0 : (33u - (unsigned)__builtin_clz(size - 1) - SMALLEST_BITS) / CLASS_BITS;
}
/* A block for a transaction of so many bytes (0 .. NOC_PACKET_MAX) that one reader will give back. Nothing in it is
 * set. NULL: no memory. */
static inline struct transaction *store_take(struct store *store, uint32_t size, uint32_t *block) {
    unsigned class = store_class(size);
    if (BH_UNLIKELY(store->next[class] == STORE_NOTHING) && !store_grow(store, class))
        return NULL;
    *block = store->next[class];
    store->next[class] = store->count[class] ? store->free[class][--store->count[class]] : STORE_NOTHING;
    struct store_block *at = store_block_at(store, *block);
    at->readers = 1;
    store->used++;
    return (struct transaction *)(void *)(at + 1);
}
/* Is there one reader only, so that it may write to it? */
static inline bool store_is_own(const struct transaction *transaction) {
    return ((const struct store_block *)(const void *)transaction - 1)->readers == 1;
}
/* One more reader; one reader less. */
static inline void store_share(struct store *store, uint32_t block) {
    store_block_at(store, block)->readers++;
}
static inline void store_release(struct store *store, uint32_t block) {
    struct store_block *at = store_block_at(store, block);
    unsigned class = (block >> STORE_CHUNK_SHIFT) % STORE_CLASSES;
    if (!BH_CHECK(store->error, at->readers > 0) || --at->readers)
        return;
    if (store->next[class] != STORE_NOTHING)
        store->free[class][store->count[class]++] = store->next[class];
    store->next[class] = block;
    store->used--;
}
void store_free(struct store *store); /* every block, in use or not */

/* ---- Boxes ----------------------------------------------------------------------------------------------------- */

/* A transaction that comes in, or is about to: all that is to be known of it before it is read. Who makes one writes it
 * where it is to be: a copy of what has just been written in pieces makes the host's processor wait for every write
 * before it, and packets are written to memory that is in no cache. */
struct arrival {
    uint64_t time;  /* its last flit is at the NIU, if nothing is in its way; or, once it is taken in, in any case; not
                     * of a multicast that has not been given to its receivers */
    uint64_t order; /* the transaction's */
    uint32_t block; /* of a store */
    uint32_t since; /* the cycle in which it was asked for, or, a response, made: the low bits */
    uint16_t flits; /* on a link */
    uint8_t to;     /* site; the transaction's, until a multicast is given to its receivers */
    uint8_t owner;  /* site that has sent it, or, in the block of the request, what it is the response to */
    uint8_t noc;    /* 0, 1 */
    bool taken_in;  /* the link has been given to it */
    uint8_t store;  /* number of the store that its block is of */
};

enum { ORDER_SITE_SHIFT = 56 };

/* Transactions in the order in which they were sent. */
struct outbox {
    struct arrival *list;
    uint32_t count, room;
    uint64_t sent; /* ever */
};

/* By time, then order. */
struct inbox {
    struct arrival *heap;
    uint32_t count, room;
};

/* False: no memory. */
static inline bool outbox_put(struct outbox *box, struct arrival arrival) {
    struct arrival *list = list_room(box->list, box->count, &box->room, sizeof *list);
    if (BH_UNLIKELY(!list))
        return false;
    box->list = list;
    list[box->count++] = arrival;
    return true;
}
void outbox_free(struct outbox *box);

static inline bool arrival_earlier(const struct arrival *a, const struct arrival *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}
static inline bool inbox_put(struct inbox *box, const struct arrival *arrival) {
    struct arrival *heap = list_room(box->heap, box->count, &box->room, sizeof *heap);
    if (BH_UNLIKELY(!heap))
        return false;
    box->heap = heap;
    uint32_t at = box->count++;
    for (; at && arrival_earlier(arrival, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *arrival;
    return true;
}
/* When the first one is due; UINT64_MAX: there is none. */
static inline uint64_t inbox_due(const struct inbox *box) {
    return box->count ? box->heap[0].time : UINT64_MAX;
}
/* The first one is taken in, and complete at this time, which is later. */
void inbox_take_in(struct inbox *box, uint64_t time);
/* It is taken out. There is one. */
void inbox_drop(struct inbox *box);
void inbox_free(struct inbox *box);

#endif
