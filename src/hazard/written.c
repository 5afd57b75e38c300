/* Reads of memory that nobody has written: see hazard.h.
 *
 * A read of a word that nobody has written since the chip was made is kept aside, and forgotten if the word is written
 * later, because programs poll flags and counters that begin as zero. Reads that are still kept at the end are
 * reported. If the chip was used before the check began, its L1, GPRs, Dst and LRegs count as written. The constants of
 * the Vector Unit and its lane flags always do, because a reset sets them. When firmware has noted the ends of the
 * kernels of all three TRISCs, Dst and the LRegs count as unwritten again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "hazard/search.h"

enum { BITS = 64, MOST = 256 /* hazards that are kept aside */ };

bool hazard_watch_unwritten(struct hazard_tile *t) {
    static const uint8_t memories[] = { HAZARD_L1, HAZARD_GPR, HAZARD_DST, HAZARD_LREG };
    for (unsigned i = 0; i < sizeof memories; i++) {
        size_t words = (size_t)(t->shadow[memories[i]].size / SHADOW_WORD);
        if (!t->written[memories[i]])
            t->written[memories[i]] = calloc((words + BITS - 1) / BITS, sizeof(uint64_t));
        if (!t->written[memories[i]])
            return false;
    }
    *t->written[HAZARD_LREG] |= ~UINT64_C(0) << HAZARD_GENERAL_LREGS;
    return true;
}

void hazard_forget_written(struct hazard_tile *t) {
    if (!t->written[HAZARD_DST])
        return;
    memset(t->written[HAZARD_DST], 0, HAZARD_DST_ROWS / BITS * sizeof(uint64_t));
    *t->written[HAZARD_LREG] = ~UINT64_C(0) << HAZARD_GENERAL_LREGS;
}

/* Returns the bits of the words from `first` to `end` that are in the same group of 64 as `first`. */
static uint64_t mask_of(uint64_t first, uint64_t end) {
    uint64_t low = ~UINT64_C(0) << first % BITS, last = first - first % BITS + BITS;
    return end < last ? low & ((UINT64_C(1) << end % BITS) - 1) : low;
}

static uint64_t end_of(const struct hazard_tile *t, enum hazard_memory memory, uint64_t address, uint64_t size) {
    return (smaller(address + size, t->shadow[memory].size) + SHADOW_WORD - 1) / SHADOW_WORD;
}

void hazard_forget_aside(struct hazard_tile *t, enum hazard_memory memory, uint64_t address, uint64_t size) {
    struct hazard_search *search = t->search;
    for (uint32_t i = search->aside_count; i-- > 0;) {
        const struct hazard_aside *read = &search->aside[i];
        if (read->tile == t->number && read->memory == memory && read->address + SHADOW_WORD > address &&
            read->address < address + size)
            search->aside[i] = search->aside[--search->aside_count];
    }
}

void hazard_all_written(struct hazard_tile *t) {
    for (unsigned memory = 0; memory < HAZARD_MEMORIES; memory++) {
        free(t->written[memory]);
        t->written[memory] = NULL;
    }
    hazard_forget(t, 0, (uint32_t)t->shadow[HAZARD_L1].size); /* but not the reads that are kept aside */
}

void hazard_note_write(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size) {
    uint64_t *written = t->written[memory], added = 0;
    uint64_t end = end_of(t, memory, address, size);
    for (uint64_t word = address / SHADOW_WORD; written && word < end; word = word - word % BITS + BITS) {
        added |= mask_of(word, end) & ~written[word / BITS];
        written[word / BITS] |= mask_of(word, end);
    }
    if (added && t->search->aside_count)
        hazard_forget_aside(t, memory, address, size);
}

void hazard_keep_aside(struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                       const struct hazard_access *first, const struct hazard_access *second) {
    struct hazard_search *search = t->search;
    struct bh_hazard hazard = hazard_of(t, memory, address, first, second);
    for (uint32_t i = 0; i < search->aside_count; i++)
        if (hazard_is_same(&search->aside[i].hazard, &hazard)) {
            search->aside[i].hazard.count++;
            return;
        }
    struct hazard_aside *list = search->aside_count < MOST
                                    ? list_room(search->aside, search->aside_count, &search->aside_room, sizeof *list)
                                    : NULL;
    if (!list) {
        hazard_no_memory(search);
        return;
    }
    search->aside = list;
    list[search->aside_count++] = (struct hazard_aside){ hazard, t->number, (uint8_t)memory, address };
}

void hazard_note_read(struct hazard_tile *t, enum hazard_memory memory, uint32_t address, uint32_t size,
                      const struct hazard_access *access) {
    static const struct hazard_access nobody = { .source = HAZARD_NOBODY };
    const uint64_t *written = t->written[memory];
    uint64_t end = end_of(t, memory, address, size);
    for (uint64_t word = address / SHADOW_WORD; written && word < end; word = word - word % BITS + BITS) {
        uint64_t missing = mask_of(word, end) & ~written[word / BITS];
        if (!missing)
            continue;
        uint64_t at = word - word % BITS + (unsigned)__builtin_ctzll(missing);
        hazard_keep_aside(t, memory, (uint32_t)(SHADOW_WORD * at), &nobody, access);
        return;
    }
}
