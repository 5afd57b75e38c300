/* Packet pools, outboxes and inboxes: see transit.h. */
#include "tile/transit.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- Packet pools ----------------------------------------------------------------------------------------- */

static const uint16_t class_size[PACKET_POOL_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint8_t chunk_shift[PACKET_POOL_CLASSES] = { 10, 10, 10, 9, 9 }; /* log2 of the number of blocks in a
                                                                               * chunk */

static uint32_t stride_of(unsigned class) {
    return (uint32_t)(sizeof(struct packet_block) + sizeof(struct transaction)) + class_size[class];
}

/* Allocates a chunk, and room for the names of all blocks so far. */
static bool make_chunk(struct packet_pool *pool, unsigned class, uint32_t number) {
    uint8_t **at = &pool->chunk[number * PACKET_POOL_CLASSES + class];
    size_t names = (size_t)(number + 1) << chunk_shift[class];
    uint32_t *room = realloc(pool->free[class], names * sizeof *room);
    if (!room)
        return false;
    pool->free[class] = room;
    *at = malloc((size_t)stride_of(class) << chunk_shift[class]);
    return *at;
}

bool packet_pool_grow(struct packet_pool *pool, unsigned class) {
    BH_ASSERT(pool->next[class] == PACKET_POOL_NOTHING);
    uint32_t chunk = pool->fresh[class] >> chunk_shift[class];
    uint32_t in_chunk = pool->fresh[class] & ((1u << chunk_shift[class]) - 1);
    uint32_t offset = in_chunk * stride_of(class) + (uint32_t)sizeof(struct packet_block);
    if (chunk == PACKET_POOL_CHUNKS || (in_chunk == 0 && !make_chunk(pool, class, chunk)))
        return false;
    pool->next[class] = (chunk * PACKET_POOL_CLASSES + class) << PACKET_POOL_CHUNK_SHIFT | offset / PACKET_POOL_UNIT;
    pool->fresh[class]++;
    return true;
}

void packet_pool_free(struct packet_pool *pool) {
    for (unsigned class = 0; class < PACKET_POOL_CLASSES; class ++) {
        uint8_t **chunk = &pool->chunk[class];
        for (unsigned i = 0; i < PACKET_POOL_CHUNKS && *chunk; i++, chunk += PACKET_POOL_CLASSES) {
            free(*chunk);
            *chunk = NULL;
        }
        free(pool->free[class]);
        pool->free[class] = NULL;
        pool->next[class] = pool->count[class] = pool->fresh[class] = 0;
    }
    pool->used = 0;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

void outbox_free(struct outbox *box) {
    free(box->list);
    *box = (struct outbox){ 0 };
}

/* Moves earlier arrivals up from the root, and returns the position for an arrival of this time and order. The arrival
 * was a leaf or is delayed, so it mostly belongs near the leaves: on the way down, only the children are compared. */
static uint32_t sift_down(struct arrival *heap, uint32_t count, uint64_t time, uint64_t order) {
    const struct arrival key = { .time = time, .order = order };
    uint32_t at = 0, child;
    while ((child = 2 * at + 2) < count) {
        child -= arrival_earlier(&heap[child - 1], &heap[child]);
        heap[at] = heap[child];
        at = child;
    }
    if (child == count) {
        heap[at] = heap[child - 1];
        at = child - 1;
    }
    for (; at && arrival_earlier(&key, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    return at;
}

void inbox_take_in(struct inbox *box, uint64_t time) {
    struct arrival first = box->heap[0], *to;
    BH_ASSERT(box->count && !first.taken_in && time > first.time);
    to = &box->heap[sift_down(box->heap, box->count, time, first.order)];
    *to = first;
    to->time = time;
    to->taken_in = true;
}

void inbox_close_gap(struct inbox *box) {
    struct arrival *heap = box->heap, last = heap[box->count];
    heap[sift_down(heap, box->count, last.time, last.order)] = last;
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    *box = (struct inbox){ 0 };
}
