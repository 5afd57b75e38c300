/* Stores, outboxes and inboxes: see transit.h. */
#include "tile/transit.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- Stores ----------------------------------------------------------------------------------------------- */

static const uint16_t class_size[STORE_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint8_t chunk_shift[STORE_CLASSES] = { 10, 10, 10, 9, 9 }; /* log2 of the blocks in a chunk */

static uint32_t stride_of(unsigned class) {
    return (uint32_t)(sizeof(struct store_block) + sizeof(struct transaction)) + class_size[class];
}

/* The chunk of this number, and room for the names of all blocks so far. */
static bool make_chunk(struct store *store, unsigned class, uint32_t number) {
    uint8_t **at = &store->chunk[number * STORE_CLASSES + class];
    size_t names = (size_t)(number + 1) << chunk_shift[class];
    uint32_t *room = realloc(store->free[class], names * sizeof *room);
    if (!room)
        return false;
    store->free[class] = room;
    *at = malloc((size_t)stride_of(class) << chunk_shift[class]);
    return *at;
}

bool store_grow(struct store *store, unsigned class) {
    BH_ASSERT(store->next[class] == STORE_NOTHING);
    uint32_t chunk = store->fresh[class] >> chunk_shift[class];
    uint32_t in_chunk = store->fresh[class] & ((1u << chunk_shift[class]) - 1);
    uint32_t place = in_chunk * stride_of(class) + (uint32_t)sizeof(struct store_block);
    if (chunk == STORE_CHUNKS || (in_chunk == 0 && !make_chunk(store, class, chunk)))
        return false;
    store->next[class] = (chunk * STORE_CLASSES + class) << STORE_CHUNK_SHIFT | place / STORE_UNIT;
    store->fresh[class]++;
    return true;
}

void store_free(struct store *store) {
    for (unsigned class = 0; class < STORE_CLASSES; class ++) {
        uint8_t **chunk = &store->chunk[class];
        for (unsigned i = 0; i < STORE_CHUNKS && *chunk; i++, chunk += STORE_CLASSES) {
            free(*chunk);
            *chunk = NULL;
        }
        free(store->free[class]);
        store->free[class] = NULL;
        store->next[class] = store->count[class] = store->fresh[class] = 0;
    }
    store->used = 0;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

void outbox_free(struct outbox *box) {
    free(box->list);
    *box = (struct outbox){ 0 };
}

/* Where, from the first place on, one of this time and order belongs; what is earlier moves up. */
static uint32_t sift_down(struct arrival *heap, uint32_t count, uint64_t time, uint64_t order) {
    const struct arrival key = { .time = time, .order = order };
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && arrival_earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!arrival_earlier(&heap[child], &key))
            break;
        heap[at] = heap[child];
        at = child;
    }
    return at;
}

void inbox_take_in(struct inbox *box, uint64_t time) {
    struct arrival first = box->heap[0], *to;
    to = &box->heap[sift_down(box->heap, box->count, time, first.order)];
    *to = first;
    to->time = time;
    to->taken_in = true;
}

void inbox_drop(struct inbox *box) {
    BH_ASSERT(box->count);
    struct arrival *heap = box->heap, last = heap[--box->count];
    if (box->count)
        heap[sift_down(heap, box->count, last.time, last.order)] = last;
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    *box = (struct inbox){ 0 };
}
