/* Stores, outboxes and inboxes: see parcel.h.
 *
 * The name of a block is its class in bits 31:28 and its number, counted from 1, in bits 27:0. Chunks never move, so a
 * reader may look at a block while the owner takes others.
 */
#include "tile/parcel.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* ---- Stores ----------------------------------------------------------------------------------------------- */

/* What stands before the bytes. */
struct block {
    _Alignas(16) uint32_t readers;
    uint32_t next; /* while it is free */
};

enum { CLASS_SHIFT = 28, NUMBER_MASK = (1 << CLASS_SHIFT) - 1 };

static const uint16_t class_size[STORE_CLASSES] = { 64, 256, 1024, 4096, 16384 };
static const uint16_t class_blocks[STORE_CLASSES] = { 512, 128, 64, 16, 8 }; /* in a chunk */

static unsigned class_for(uint32_t size) {
    unsigned class = 0;
    BH_CHECK(size > 0 && size <= NOC_PACKET_MAX);
    while (class_size[class] < size)
        class ++;
    return class;
}

static struct block *block_at(const struct store *store, uint32_t name) {
    unsigned class = name >> CLASS_SHIFT, number = (name & NUMBER_MASK) - 1;
    size_t stride = sizeof(struct block) + class_size[class];
    uint8_t *chunk = store->chunk[class][number / class_blocks[class]];
    return (struct block *)(void *)(chunk + number % class_blocks[class] * stride);
}

/* The name of a block that has never been used; STORE_NOTHING: no memory. */
static uint32_t fresh_block(struct store *store, unsigned class) {
    uint32_t number = store->fresh[class], chunk = number / class_blocks[class];
    size_t stride = sizeof(struct block) + class_size[class];
    if (chunk == STORE_CHUNKS)
        return STORE_NOTHING;
    if (!store->chunk[class][chunk] && !(store->chunk[class][chunk] = malloc(stride * class_blocks[class])))
        return STORE_NOTHING;
    store->fresh[class]++;
    return (uint32_t) class << CLASS_SHIFT | (number + 1);
}

uint8_t *store_take(struct store *store, uint32_t size, uint32_t *block) {
    unsigned class = class_for(size);
    uint32_t name = store->free[class];
    if (name != STORE_NOTHING)
        store->free[class] = block_at(store, name)->next;
    else if ((name = fresh_block(store, class)) == STORE_NOTHING)
        return NULL;
    block_at(store, name)->readers = 1;
    store->used++;
    *block = name;
    return store_at(store, name);
}

uint8_t *store_at(const struct store *store, uint32_t block) {
    return (uint8_t *)(block_at(store, block) + 1);
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

enum { FIRST_ROOM = 16 };

bool outbox_put(struct outbox *box, const struct parcel *parcel) {
    if (box->count == box->room) {
        uint32_t room = box->room ? 2 * box->room : FIRST_ROOM;
        struct parcel *item = realloc(box->item, room * sizeof *item);
        if (!item)
            return false;
        box->item = item;
        box->room = room;
    }
    box->item[box->count++] = *parcel;
    return true;
}

void outbox_free(struct outbox *box) {
    free(box->item);
    *box = (struct outbox){ 0 };
}

static bool grow(struct inbox *box) {
    uint32_t room = box->room ? 2 * box->room : FIRST_ROOM;
    struct parcel *slot = realloc(box->slot, room * sizeof *slot);
    if (!slot)
        return false;
    box->slot = slot;
    struct inbox_key *heap = realloc(box->heap, room * sizeof *heap);
    if (!heap)
        return false;
    box->heap = heap;
    uint32_t *vacant = realloc(box->vacant, room * sizeof *vacant);
    if (!vacant)
        return false;
    box->vacant = vacant;
    for (uint32_t i = box->room; i < room; i++)
        box->vacant[i] = i; /* those before are all taken: see inbox_put */
    box->room = room;
    return true;
}

static bool earlier(const struct inbox_key *a, const struct inbox_key *b) {
    return a->arrives != b->arrives ? a->arrives < b->arrives : a->order < b->order;
}

/* vacant[count .. room) are the free slots. */
bool inbox_put(struct inbox *box, const struct parcel *parcel) {
    if (box->count == box->room && !grow(box))
        return false;
    struct inbox_key key = { parcel->arrives, parcel->order, box->vacant[box->count] };
    uint32_t at = box->count++;
    box->slot[key.slot] = *parcel;
    for (; at && earlier(&key, &box->heap[(at - 1) / 2]); at = (at - 1) / 2)
        box->heap[at] = box->heap[(at - 1) / 2];
    box->heap[at] = key;
    return true;
}

/* Puts the key where the first one was. */
static void sift_down(struct inbox *box, struct inbox_key key) {
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < box->count) {
        if (child + 1 < box->count && earlier(&box->heap[child + 1], &box->heap[child]))
            child++;
        if (!earlier(&box->heap[child], &key))
            break;
        box->heap[at] = box->heap[child];
        at = child;
    }
    box->heap[at] = key;
}

void inbox_take(struct inbox *box, struct parcel *parcel) {
    BH_CHECK(box->count);
    uint32_t slot = box->heap[0].slot;
    struct inbox_key last = box->heap[--box->count];
    *parcel = box->slot[slot];
    box->vacant[box->count] = slot;
    if (box->count)
        sift_down(box, last);
}

void inbox_free(struct inbox *box) {
    free(box->heap);
    free(box->slot);
    free(box->vacant);
    *box = (struct inbox){ 0 };
}
