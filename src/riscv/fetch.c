/* The instruction cache: see fetch.h. */
#include "riscv/fetch.h"

enum { LINES = FETCH_BLOCK / FETCH_LINE, ALL_LINES = (1 << LINES) - 1 };

void fetch_reset(struct core_fetch *fetch) {
    *fetch = (struct core_fetch){ .block = FETCH_NO_BLOCK };
}

/* Puts the entry with this key first in its set. */
static void find(uint32_t *set, uint32_t key) {
    uint32_t first = set[0], second = set[1];
    if (first >> 8 == key)
        return;
    set[1] = first;
    set[0] = second >> 8 == key ? second : key << 8 | (second ? 0 : ALL_LINES);
}

uint32_t fetch_lacking(const struct core_fetch *fetch) {
    uint32_t entry = fetch->set[fetch->block % FETCH_SETS][0];
    return entry >> 8 == fetch->block + 1 ? ~entry & ALL_LINES : 0;
}

uint32_t fetch_enter(struct core_fetch *fetch, uint32_t pc) {
    fetch->block = pc / FETCH_BLOCK;
    find(fetch->set[fetch->block % FETCH_SETS], fetch->block + 1);
    return fetch_lacking(fetch);
}

uint32_t fetch_line(struct core_fetch *fetch, uint32_t line) {
    fetch->set[fetch->block % FETCH_SETS][0] |= line;
    return fetch_lacking(fetch);
}
