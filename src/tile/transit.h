/* Packets in flight: the pools that hold them, and the boxes that queue them.
 *
 * A packet with its bytes is written once, into a block of a packet pool. The sender's outbox refers to the block;
 * between epochs the chip moves that reference to the inboxes of the receivers, where it waits for its time. Each
 * receiver gives the block back when it has read it; a multicast has many receivers. Each host thread has a pool for
 * the tiles that it runs: few packets are in flight at a time, and recently used blocks are still in the host's caches.
 * An outbox, an inbox and a pool belong to the host thread that runs the tile or, between epochs, to the chip, so
 * nothing here takes a lock. Memory that has been allocated is kept: in the steady state nothing is allocated. */
#ifndef TILE_TRANSIT_H
#define TILE_TRANSIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/list.h"
#include "noc/transaction.h"

/* Returns the room for the bytes of a transaction. Precondition: the transaction is in a block of a pool. */
static inline uint8_t *transaction_own(const struct transaction *transaction) {
    return (uint8_t *)(uintptr_t)(transaction + 1);
}

#define TRANSACTION_NO_LOAN UINT64_MAX

/* Returns the loan of a transaction: bytes read from DRAM stay there until they are delivered (dram/dram.h). */
static inline uint64_t transaction_loan(const struct transaction *transaction) {
    return transaction->bytes == TRANSACTION_IN_DRAM ? transaction->bytes_at : TRANSACTION_NO_LOAN;
}

/* ---- Packet pools ------------------------------------------------------------------------------------------ */

enum {
    PACKET_POOL_CLASSES = 5,  /* transactions of up to 64, 256, 1024, 4096 and 16384 bytes */
    PACKET_POOL_CHUNKS = 256, /* the most allocations of a class */
    PACKET_POOL_NOTHING = 0,  /* a name that no block has */
    PACKET_POOL_UNIT = 16,    /* bytes */
};

/* The name of a block is the position of its transaction: (chunk * PACKET_POOL_CLASSES + class) in bits 31:20, and the
 * offset in the chunk in PACKET_POOL_UNITs in bits 19:0. Chunks never move, so a reader may look at a block while the
 * owner takes others. */
enum { PACKET_POOL_CHUNK_SHIFT = 20, PACKET_POOL_OFFSET_MASK = (1 << PACKET_POOL_CHUNK_SHIFT) - 1 };

/* Header of a block, before its transaction. */
struct packet_block {
    _Alignas(PACKET_POOL_UNIT) uint32_t readers;
};

/* Taking a block reads nothing from it, because a free block has long left the host's caches. The members that are
 * needed to take a block, with the first chunk of each class, fill two cache lines. */
struct packet_pool {
    uint32_t next[PACKET_POOL_CLASSES];  /* next block to take, or PACKET_POOL_NOTHING */
    uint32_t count[PACKET_POOL_CLASSES]; /* number of other free blocks */
    uint32_t used;                       /* number of blocks in use */
    uint32_t *free[PACKET_POOL_CLASSES]; /* names of the other free blocks, last in, first out; there is room for all
                                          * blocks */
    uint8_t *chunk[PACKET_POOL_CHUNKS * PACKET_POOL_CLASSES];
    uint32_t fresh[PACKET_POOL_CLASSES]; /* number of blocks that have ever been used */
    struct internal_error *error;
};

static inline struct transaction *packet_pool_at(const struct packet_pool *pool, uint32_t block) {
    uint8_t *chunk = pool->chunk[block >> PACKET_POOL_CHUNK_SHIFT];
    return (struct transaction *)(void *)(chunk + (size_t)(block & PACKET_POOL_OFFSET_MASK) * PACKET_POOL_UNIT);
}
static inline struct packet_block *packet_pool_block_at(const struct packet_pool *pool, uint32_t block) {
    return (struct packet_block *)(void *)packet_pool_at(pool, block) - 1;
}
/* Adds a free block to a class that has none. Returns false without memory. */
bool packet_pool_grow(struct packet_pool *pool, unsigned class);
static inline unsigned packet_pool_class(uint32_t size) {
    enum { SMALLEST_BITS = 6, CLASS_BITS = 2 };
    BH_ASSERT(size <= NOC_PACKET_MAX);
    return size <= 1 << SMALLEST_BITS ? 0 : (33u - (unsigned)__builtin_clz(size - 1) - SMALLEST_BITS) / CLASS_BITS;
}
/* Takes a block for a transaction of `size` bytes (0 .. NOC_PACKET_MAX) with one reader. The caller sets all of its
 * contents. Returns NULL without memory. */
static inline struct transaction *packet_pool_take(struct packet_pool *pool, uint32_t size, uint32_t *block) {
    unsigned class = packet_pool_class(size);
    if (BH_UNLIKELY(pool->next[class] == PACKET_POOL_NOTHING) && !packet_pool_grow(pool, class))
        return NULL;
    *block = pool->next[class];
    pool->next[class] = pool->count[class] ? pool->free[class][--pool->count[class]] : PACKET_POOL_NOTHING;
    struct packet_block *at = packet_pool_block_at(pool, *block);
    at->readers = 1;
    pool->used++;
    return (struct transaction *)(void *)(at + 1);
}
/* Returns whether the block has only one reader, which may then write to it. */
static inline bool packet_pool_is_own(const struct transaction *transaction) {
    return ((const struct packet_block *)(const void *)transaction - 1)->readers == 1;
}
/* Add and remove a reader. The last reader frees the block. */
static inline void packet_pool_share(struct packet_pool *pool, uint32_t block) {
    BH_ASSERT(packet_pool_block_at(pool, block)->readers > 0);
    packet_pool_block_at(pool, block)->readers++;
}
static inline void packet_pool_release(struct packet_pool *pool, uint32_t block) {
    struct packet_block *at = packet_pool_block_at(pool, block);
    unsigned class = (block >> PACKET_POOL_CHUNK_SHIFT) % PACKET_POOL_CLASSES;
    if (!BH_CHECK(pool->error, at->readers > 0) || --at->readers)
        return;
    if (pool->next[class] != PACKET_POOL_NOTHING)
        pool->free[class][pool->count[class]++] = pool->next[class];
    BH_ASSERT(pool->used && pool->next[class] != block);
    pool->next[class] = block;
    pool->used--;
}
void packet_pool_free(struct packet_pool *pool); /* frees every block, in use or not */

/* ---- Boxes ----------------------------------------------------------------------------------------------------- */

/* The queue entry of a transaction: everything that is needed before the transaction is read. Code that makes an entry
 * writes it in its final position, because copying a struct that was just written member by member stalls the host's
 * processor. */
struct arrival {
    uint64_t time;  /* outbox: cycle in which the first flit can leave the NIU. inbox: cycle in which the last flit
                     * reaches the NIU, if nothing delays it there; final once `taken_in` */
    uint64_t order; /* order of the transaction */
    uint32_t block; /* name of its block */
    uint16_t flits; /* its length in flits */
    uint8_t to;     /* site of the receiver; for a multicast that has not been exchanged, the transaction's `to` */
    uint8_t owner;  /* the site that sent the packet, or that owns the block which a response has reused */
    uint8_t noc;    /* 0, 1 */
    bool taken_in;  /* the link has accepted it */
    uint8_t pool;   /* number of the pool that its block belongs to */
    bool response;  /* transaction_is_response */
};

enum { ORDER_SITE_SHIFT = 56 };

/* Transactions in the order in which they were sent. */
struct outbox {
    struct arrival *list;
    uint32_t count, room;
    uint64_t sent; /* number of transactions ever sent */
};

/* A heap by time, then order. */
struct inbox {
    struct arrival *heap;
    uint32_t count, room;
};

/* Writes an entry member by member, so that the compiler does not build a copy first. */
static inline void arrival_write(struct arrival *to, const struct arrival *from) {
    to->time = from->time;
    to->order = from->order;
    to->block = from->block;
    to->flits = from->flits;
    to->to = from->to;
    to->owner = from->owner;
    to->noc = from->noc;
    to->taken_in = from->taken_in;
    to->pool = from->pool;
    to->response = from->response;
}

/* Queues an arrival. Returns false without memory. */
static inline bool outbox_put(struct outbox *box, struct arrival arrival) {
    struct arrival *list = list_room(box->list, box->count, &box->room, sizeof *list);
    if (BH_UNLIKELY(!list))
        return false;
    box->list = list;
    arrival_write(&list[box->count++], &arrival);
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
/* Returns the time of the first arrival; UINT64_MAX if there is none. */
static inline uint64_t inbox_due(const struct inbox *box) {
    return box->count ? box->heap[0].time : UINT64_MAX;
}
/* Marks the first arrival as accepted by the link, complete at a later time. */
void inbox_take_in(struct inbox *box, uint64_t time);
/* Moves the arrival that is stored after the last one to its position in the heap. Precondition: the first one has
 * left. */
void inbox_close_gap(struct inbox *box);
/* Removes the first arrival. Precondition: there is one. */
static inline void inbox_drop(struct inbox *box) {
    enum { FEW = 3 }; /* the last one is not earlier than the children of the first */
    struct arrival *heap = box->heap;
    BH_ASSERT(box->count);
    uint32_t last = --box->count, next = last > 1 && arrival_earlier(&heap[2], &heap[1]) ? 2 : 1;
    if (last > FEW) {
        inbox_close_gap(box);
        return;
    }
    if (last)
        heap[0] = heap[next];
    if (last > next)
        heap[next] = heap[last];
}
void inbox_free(struct inbox *box);

#endif
