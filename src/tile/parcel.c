/* Stores, outboxes and inboxes: see parcel.h. */
#include "tile/parcel.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- Stores ----------------------------------------------------------------------------------------------- */

static const uint16_t class_size[STORE_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint8_t chunk_shift[STORE_CLASSES] = { 8, 7, 6, 4, 3 }; /* log2 of the blocks in a chunk */

static uint32_t stride_of(unsigned class) {
    return (uint32_t)(sizeof(struct store_block) + sizeof(struct parcel)) + class_size[class];
}

bool store_grow(struct store *store, unsigned class) {
    uint32_t number = store->fresh[class], chunk = number >> chunk_shift[class];
    uint32_t place = (number & ((1u << chunk_shift[class]) - 1)) * stride_of(class) + sizeof(struct store_block);
    uint8_t **at = &store->chunk[chunk * STORE_CLASS_SPAN + class];
    if (chunk == STORE_CHUNKS || (!*at && !(*at = malloc((size_t)stride_of(class) << chunk_shift[class]))))
        return false;
    uint32_t name = (uint32_t) class << STORE_CLASS_SHIFT | chunk << STORE_CHUNK_SHIFT | place / STORE_UNIT;
    store_block_at(store, name)->next = store->free[class];
    store->free[class] = name;
    store->fresh[class]++;
    return true;
}

void store_free(struct store *store) {
    for (unsigned class = 0; class < STORE_CLASSES; class ++) {
        uint8_t **chunk = &store->chunk[class];
        for (unsigned i = 0; i < STORE_CHUNKS && *chunk; i++, chunk += STORE_CLASS_SPAN) {
            free(*chunk);
            *chunk = NULL;
        }
        store->free[class] = store->fresh[class] = 0;
    }
    store->used = 0;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

void outbox_free(struct outbox *box) {
    free(box->list);
    *box = (struct outbox){ 0 };
}

void inbox_replace(struct inbox *box, struct arrival arrival) {
    struct arrival *heap = box->heap;
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < box->count) {
        if (child + 1 < box->count && arrival_earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!arrival_earlier(&heap[child], &arrival))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = arrival;
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    *box = (struct inbox){ 0 };
}
