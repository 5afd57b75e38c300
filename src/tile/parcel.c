/* Stores, outboxes and inboxes: see parcel.h.
 *
 * The name of a block is its class in bits 31:28 and its number, counted from 1, in bits 27:0. Chunks never move, so a
 * reader may look at a block while the owner takes others.
 */
#include "tile/parcel.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"

/* ---- Stores ----------------------------------------------------------------------------------------------- */

/* What stands before a parcel. */
struct block {
    _Alignas(16) uint32_t readers;
    uint32_t next; /* while it is free */
};

enum { CLASS_SHIFT = 28, NUMBER_MASK = (1 << CLASS_SHIFT) - 1 };

static const uint16_t class_size[STORE_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint8_t chunk_shift[STORE_CLASSES] = { 8, 7, 6, 4, 3 }; /* log2 of the blocks in a chunk */

static size_t stride_of(unsigned class) {
    return sizeof(struct block) + sizeof(struct parcel) + class_size[class];
}

static unsigned class_for(uint32_t size) {
    unsigned class = 0;
    BH_CHECK(size <= NOC_PACKET_MAX);
    while (class_size[class] < size)
        class ++;
    return class;
}

static struct block *block_at(const struct store *store, uint32_t name) {
    unsigned class = name >> CLASS_SHIFT, number = (name & NUMBER_MASK) - 1;
    uint8_t *chunk = store->chunk[class][number >> chunk_shift[class]];
    return (struct block *)(void *)(chunk + (number & ((1u << chunk_shift[class]) - 1)) * stride_of(class));
}

/* The name of a block that has never been used; STORE_NOTHING: no memory. */
static uint32_t fresh_block(struct store *store, unsigned class) {
    uint32_t number = store->fresh[class], chunk = number >> chunk_shift[class];
    if (chunk == STORE_CHUNKS)
        return STORE_NOTHING;
    if (!store->chunk[class][chunk] && !(store->chunk[class][chunk] = malloc(stride_of(class) << chunk_shift[class])))
        return STORE_NOTHING;
    store->fresh[class]++;
    return (uint32_t) class << CLASS_SHIFT | (number + 1);
}

struct parcel *store_take(struct store *store, uint32_t size, uint32_t *block) {
    unsigned class = class_for(size);
    uint32_t name = store->free[class];
    if (name == STORE_NOTHING && (name = fresh_block(store, class)) == STORE_NOTHING)
        return NULL;
    struct block *at = block_at(store, name);
    if (name == store->free[class])
        store->free[class] = at->next;
    at->readers = 1;
    store->used++;
    *block = name;
    return (struct parcel *)(at + 1);
}

struct parcel *store_at(const struct store *store, uint32_t block) {
    return (struct parcel *)(block_at(store, block) + 1);
}

void store_share(struct store *store, uint32_t block) {
    block_at(store, block)->readers++;
}

void store_release(struct store *store, uint32_t block) {
    struct block *at = block_at(store, block);
    unsigned class = block >> CLASS_SHIFT;
    BH_CHECK(at->readers > 0);
    if (--at->readers)
        return;
    at->next = store->free[class];
    store->free[class] = block;
    store->used--;
}

void store_free(struct store *store) {
    for (unsigned class = 0; class < STORE_CLASSES; class ++)
        for (unsigned i = 0; i < STORE_CHUNKS && store->chunk[class][i]; i++)
            free(store->chunk[class][i]);
    memset(store, 0, sizeof *store);
}

/* ---- Boxes ------------------------------------------------------------------------------------------------ */

bool outbox_put(struct outbox *box, uint32_t block) {
    uint32_t *list = list_room(box->block, box->count, &box->room, sizeof *list);
    if (!list)
        return false;
    box->block = list;
    list[box->count++] = block;
    return true;
}

void outbox_free(struct outbox *box) {
    free(box->block);
    *box = (struct outbox){ 0 };
}

static bool earlier(const struct arrival *a, const struct arrival *b) {
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

bool inbox_put(struct inbox *box, struct arrival arrival) {
    struct arrival *heap = list_room(box->heap, box->count, &box->room, sizeof *heap);
    if (!heap)
        return false;
    box->heap = heap;
    uint32_t at = box->count++;
    for (; at && earlier(&arrival, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = arrival;
    return true;
}

/* Puts it where the first one was. */
static void sift_down(struct inbox *box, struct arrival arrival) {
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < box->count) {
        if (child + 1 < box->count && earlier(&box->heap[child + 1], &box->heap[child]))
            child++;
        if (!earlier(&box->heap[child], &arrival))
            break;
        box->heap[at] = box->heap[child];
        at = child;
    }
    box->heap[at] = arrival;
}

struct arrival inbox_take(struct inbox *box) {
    BH_CHECK(box->count);
    struct arrival first = box->heap[0], last = box->heap[--box->count];
    if (box->count)
        sift_down(box, last);
    return first;
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    *box = (struct inbox){ 0 };
}
