/* Stores, outboxes and inboxes: see parcel.h. */
#include "tile/parcel.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- Stores ----------------------------------------------------------------------------------------------- */

static const uint16_t class_size[STORE_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint8_t chunk_shift[STORE_CLASSES] = { 8, 7, 6, 4, 3 }; /* log2 of the blocks in a chunk */

static uint32_t stride_of(unsigned class) {
    return (uint32_t)(sizeof(struct store_block) + sizeof(struct parcel)) + class_size[class];
}

bool store_grow(struct store *store, unsigned class) {
    uint32_t number = store->fresh[class], chunk = number >> chunk_shift[class];
    uint32_t place = (number & ((1u << chunk_shift[class]) - 1)) * stride_of(class) + sizeof(struct store_block);
    uint8_t **at = &store->chunk[class * STORE_CHUNKS + chunk];
    if (chunk == STORE_CHUNKS || (!*at && !(*at = malloc((size_t)stride_of(class) << chunk_shift[class]))))
        return false;
    uint32_t name = (uint32_t) class << STORE_CLASS_SHIFT | chunk << STORE_CHUNK_SHIFT | place / STORE_UNIT;
    store_block_at(store, name)->next = store->free[class];
    store->free[class] = name;
    store->fresh[class]++;
    return true;
}

void store_free(struct store *store) {
    for (unsigned class = 0; class < STORE_CLASSES; class ++)
        for (unsigned i = 0; i < STORE_CHUNKS && store->chunk[class * STORE_CHUNKS + i]; i++)
            free(store->chunk[class * STORE_CHUNKS + i]);
    memset(store, 0, sizeof *store);
}

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

void outbox_free(struct outbox *box) {
    free(box->list);
    *box = (struct outbox){ 0 };
}

static bool earlier(const struct arrival *a, const struct arrival *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

bool inbox_put(struct inbox *box, const struct arrival *arrival) {
    struct arrival *heap = list_room(box->heap, box->count, &box->room, sizeof *heap);
    if (!heap)
        return false;
    box->heap = heap;
    uint32_t at = box->count++;
    for (; at && earlier(arrival, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *arrival;
    return true;
}

/* Puts it where the first one was. */
static void sift_down(struct arrival *heap, uint32_t count, struct arrival arrival) {
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!earlier(&heap[child], &arrival))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = arrival;
}

void inbox_changed(struct inbox *box) {
    sift_down(box->heap, box->count, box->heap[0]);
}

void inbox_drop(struct inbox *box) {
    BH_CHECK(box->count);
    if (--box->count)
        sift_down(box->heap, box->count, box->heap[box->count]);
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    *box = (struct inbox){ 0 };
}
