/* The instruction cache: see fetch.h. */
#include "riscv/fetch.h"

#include <string.h>

enum { LINES = FETCH_BLOCK / FETCH_LINE, ALL_LINES = FETCH_ALL_LINES, WAY_SHIFT = 8, KEY_SHIFT = FETCH_KEY_SHIFT };

void fetch_reset(struct core_fetch *fetch) {
    memset(fetch, 0, sizeof *fetch);
    fetch->block = FETCH_NO_BLOCK;
}

void fetch_invalidate(struct core_fetch *fetch) {
    memset(fetch->set, 0, sizeof fetch->set);
    fetch->block = FETCH_NO_BLOCK;
    fetch->lacking = fetch->old = fetch->shared = 0;
    fetch->fills = false;
}

static unsigned way_of(uint32_t entry) {
    return entry >> WAY_SHIFT & 1;
}

/* Moves the entry with this key to the front of its set. Returns whether the entry is new, and so replaces the last
 * one. */
static bool find(uint32_t *set, uint32_t key) {
    uint32_t first = set[0], second = set[1];
    if (first >> KEY_SHIFT == key)
        return false;
    set[1] = first;
    set[0] = second;
    if (second >> KEY_SHIFT == key)
        return false;
    uint32_t way = first ? !way_of(first) : 0;
    set[0] = key << KEY_SHIFT | way << WAY_SHIFT | (second ? 0 : ALL_LINES);
    return true;
}

uint32_t fetch_enter_other(struct core_fetch *fetch, uint32_t block) {
    uint32_t *set = fetch->set[block % FETCH_SETS];
    uint32_t last = set[1];
    fetch->block = block;
    fetch->fills = find(set, fetch->block + 1);
    fetch->replaced = last ? (last >> KEY_SHIFT) - 1 : FETCH_NO_BLOCK;
    return fetch->lacking = ~set[0] & ALL_LINES;
}

/* Returns the index of the present block's entry, which is the first of its set. */
static unsigned present(const struct core_fetch *fetch) {
    unsigned set = fetch->block % FETCH_SETS;
    return FETCH_WAYS * set + way_of(fetch->set[set][0]);
}

bool fetch_fill(struct core_fetch *fetch, struct fetch_code *code, const uint8_t *l1) {
    const uint32_t bit = 1u << present(fetch);
    bool was_old = fetch->old & bit;
    fetch->fills = false;
    fetch->old &= ~bit;
    fetch->shared &= ~bit;
    memcpy(code->block[present(fetch)], l1 + (size_t)fetch->block * FETCH_BLOCK, FETCH_BLOCK);
    return was_old;
}

uint32_t fetch_line(struct core_fetch *fetch, struct fetch_code *code, uint32_t line, const uint8_t *l1) {
    size_t at = (size_t)__builtin_ctz(line) * FETCH_LINE;
    fetch->set[fetch->block % FETCH_SETS][0] |= line;
    memcpy(code->block[present(fetch)] + at, l1 + (size_t)fetch->block * FETCH_BLOCK + at, FETCH_LINE);
    return fetch->lacking &= ~line;
}

/* Returns the word in its set that describes this entry, or 0. */
static uint32_t tag_of(const struct core_fetch *fetch, unsigned entry) {
    const uint32_t *set = fetch->set[entry / FETCH_WAYS];
    for (unsigned i = 0; i < FETCH_WAYS; i++)
        if (set[i] && way_of(set[i]) == entry % FETCH_WAYS)
            return set[i];
    return 0;
}

uint32_t fetch_block_of(const struct core_fetch *fetch, unsigned entry) {
    uint32_t tag = tag_of(fetch, entry);
    return tag ? (tag >> KEY_SHIFT) - 1 : FETCH_NO_BLOCK;
}

unsigned fetch_entry_of(const struct core_fetch *fetch, uint32_t block) {
    const unsigned first = block % FETCH_SETS * FETCH_WAYS;
    for (unsigned entry = first; entry < first + FETCH_WAYS; entry++)
        if (tag_of(fetch, entry) >> KEY_SHIFT == block + 1)
            return entry;
    return FETCH_ENTRIES;
}

/* Returns a mask of the lines of a block that contain bytes from first to last. */
static uint32_t lines_among(uint32_t block, uint32_t first, uint32_t last) {
    uint32_t lines = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        uint32_t line = block * FETCH_BLOCK + i * FETCH_LINE;
        lines |= (uint32_t)(line <= last && line + FETCH_LINE > first) << i;
    }
    return lines;
}

void fetch_written(struct core_fetch *fetch, uint32_t address, uint32_t size) {
    uint32_t last = address + size - 1, first_block = address / FETCH_BLOCK, more = last / FETCH_BLOCK - first_block;
    for (unsigned i = 0; i < FETCH_ENTRIES; i++) {
        uint32_t tag = fetch->set[i / FETCH_WAYS][i % FETCH_WAYS], block = (tag >> KEY_SHIFT) - 1;
        if (block - first_block <= more && tag & lines_among(block, address, last)) /* an empty entry has no block */
            fetch->old |= 1u << (i / FETCH_WAYS * FETCH_WAYS + way_of(tag));
    }
}

const uint8_t *fetch_old(const struct core_fetch *fetch, const struct fetch_code *code, uint32_t pc) {
    unsigned entry = fetch_entry_of(fetch, pc / FETCH_BLOCK);
    if (entry == FETCH_ENTRIES || !(fetch->old >> entry & 1) || !(tag_of(fetch, entry) & FETCH_LINE_OF(pc)))
        return NULL;
    return code->block[entry] + pc % FETCH_BLOCK;
}
