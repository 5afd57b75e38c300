/* Circular buffers: where they are, and which cores count their pages. See hazard.h.
 *
 * Firmware of tt-metal describes the buffers of a kernel in L1, at an address that a launch message contains. Its
 * kernels count pages in two registers of a stream: pages that were put in, and pages that were taken. A struct cb of
 * guest/include/kit holds the description and both counts in five words of L1. No other memory is treated as a buffer.
 *
 * The rules that are checked: A buffer has one producer and one consumer. The consumer takes pages that it knows to
 * have been put in, and the producer puts in pages for which it knows that there is room. A core that takes a page
 * knows that no other core still reads it. Two buffers that share bytes do not hold pages at the same time, unless they
 * begin at the same address: then they are two views of one buffer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "hazard/search.h"

enum { PUT_IN, TAKEN };

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Returns a little-endian number from L1; 0 if it is not in L1. */
static uint64_t number_at(const struct hazard_tile *t, uint64_t address, unsigned bytes) {
    uint64_t value = 0;
    if (!t->l1 || address + bytes > t->shadow[HAZARD_L1].size)
        return 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)t->l1[address + i] << 8 * i;
    return value;
}

static uint32_t word_at(const struct hazard_tile *t, uint64_t address) {
    return (uint32_t)number_at(t, address, 4);
}

static bool is_whole(const struct hazard_tile *t, const struct hazard_buffer *b) {
    return b->pages && b->page_bytes && b->address + (uint64_t)b->pages * b->page_bytes <= t->shadow[HAZARD_L1].size;
}

/* Reads the description of a buffer by firmware. It has four words: address, bytes, pages, bytes of a page. */
static bool describe_firmware(const struct hazard_tile *t, unsigned number, struct hazard_buffer *b) {
    const struct bh_check_firmware *f = t->firmware;
    if (!f || number >= f->cb_count)
        return false;
    uint64_t message = f->launch + (uint64_t)f->launch_size * (word_at(t, f->launch_index) % f->launch_count);
    uint64_t at = word_at(t, message + f->config_base) + number_at(t, message + f->cb_offset, 2) + 16 * number;
    if (!(number_at(t, message + f->cb_mask, f->cb_mask_size) >> number & 1))
        return false;
    b->address = word_at(t, at);
    b->pages = word_at(t, at + 8);
    b->page_bytes = word_at(t, at + 12);
    return is_whole(t, b);
}

static bool describe(const struct hazard_tile *t, unsigned number, struct hazard_buffer *b) {
    if (number < HAZARD_CBS)
        return describe_firmware(t, number, b);
    if (number - HAZARD_CBS >= t->kits)
        return false;
    uint32_t at = t->kit[number - HAZARD_CBS].at;
    b->address = word_at(t, at);
    b->page_bytes = word_at(t, at + 4);
    b->pages = word_at(t, at + 8);
    return is_whole(t, b);
}

static uint32_t end_of(const struct hazard_buffer *b) {
    return b->address + b->pages * b->page_bytes;
}

void hazard_name_buffer(const struct hazard_tile *t, unsigned number, char *text, size_t size) {
    if (number < HAZARD_CBS)
        line_put(text, size, "circular buffer %u", number);
    else
        line_put(text, size, "circular buffer %s", t->kit[(number - HAZARD_CBS) % HAZARD_KIT_CBS].name);
}

void hazard_name_buffers(const struct hazard_tile *t, uint32_t address, char *text, size_t size) {
    struct hazard_buffer b;
    bool more = false;
    char *end = text + size;
    *text = 0;
    for (unsigned i = 0; i < HAZARD_BUFFERS; i++) {
        if (!describe(t, i, &b) || address < b.address || address >= end_of(&b))
            continue;
        text += more ? snprintf(text, (size_t)(end - text), " and ") : 0;
        if (end - text < 64)
            return;
        hazard_name_buffer(t, i, text, (size_t)(end - text));
        text += strlen(text);
        text += snprintf(text, (size_t)(end - text), ", page %u of %u", (address - b.address) / b.page_bytes, b.pages);
        more = true;
    }
}

/* ---- Who runs what ----------------------------------------------------------------------------------------------- */

bool hazard_search_firmware(struct hazard_search *search, const struct bh_check_firmware *firmware) {
    if (search->firmwares == HAZARD_FIRMWARES)
        return false;
    search->firmware[search->firmwares++] = *firmware;
    return true;
}

static bool runs(const struct hazard_tile *t, const struct bh_check_firmware *f) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (core != BH_BRISC && (!t->started[core] || t->started[core] != f->start[core]))
            return false;
    return true;
}

void hazard_core_started(struct hazard_tile *t, unsigned core, uint32_t pc) {
    struct hazard_search *search = t->search;
    t->started[core] = core == BH_BRISC ? 0 : pc;
    t->firmware = NULL;
    for (unsigned i = 0; i < search->firmwares && !t->firmware; i++)
        if (runs(t, &search->firmware[i]))
            t->firmware = &search->firmware[i];
}

bool hazard_kit_buffer(struct hazard_tile *t, const char *name, uint32_t at) {
    for (unsigned i = 0; i < t->kits; i++)
        if (t->kit[i].at == at)
            return true;
    if (t->kits == HAZARD_KIT_CBS)
        return false;
    struct hazard_kit_buffer *kit = &t->kit[t->kits++];
    snprintf(kit->name, sizeof kit->name, "%s", name);
    kit->at = at;
    return true;
}

void hazard_free_buffers(struct hazard_tile *t) {
    for (unsigned i = 0; i < HAZARD_BUFFERS; i++) {
        free(t->pages[i]);
        t->pages[i] = NULL;
    }
}

void hazard_begin_counts(struct hazard_tile *t, bool is_new) {
    hazard_free_buffers(t);
    t->counts_begin = is_new;
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

/* A change of a count that is being reported. */
struct counting {
    struct hazard_tile *t;
    unsigned number, side;
    struct hazard_buffer buffer;
    struct hazard_pages *pages;
    int64_t from, to; /* the count before and after */
    const struct hazard_actor *actor;
    struct hazard_access access;
};

/* Returns the counts of a buffer, and makes them at the first call: they begin at 0 if the tile was new when the check
 * began, and are unknown otherwise. Returns NULL if there is no memory. */
static struct hazard_pages *pages_of(struct hazard_tile *t, unsigned number) {
    struct hazard_pages *pages = t->pages[number];
    if (pages)
        return pages;
    pages = t->pages[number] = calloc(1, sizeof *pages);
    if (pages)
        pages->side[PUT_IN].known = pages->side[TAKEN].known = t->counts_begin;
    else
        hazard_no_memory(t->search);
    return pages;
}

static unsigned core_of(const struct hazard_access *access) {
    return access->source < BH_CORE_COUNT ? access->source : access->source - HAZARD_SOURCE_THREAD + BH_TRISC0;
}

static const struct hazard_access *last_of(const struct hazard_credits *side) {
    return &side->change[(side->changes - 1) % HAZARD_CREDITS].access;
}

static uint32_t address_of(const struct counting *c) {
    return SHADOW_WORD * c->number;
}

/* Returns the change with which a side reached a count; NULL if the ring has dropped it, or the check did not see
 * it. */
static const struct hazard_access *reached(const struct hazard_credits *side, int64_t count) {
    const struct hazard_access *found = NULL;
    for (uint32_t i = 0; i < HAZARD_CREDITS && i < side->changes; i++) {
        const struct hazard_credit *credit = &side->change[(side->changes - 1 - i) % HAZARD_CREDITS];
        if (credit->count < count)
            return found;
        found = &credit->access;
    }
    return side->changes > HAZARD_CREDITS ? NULL : found;
}

/* Finds two producers, or two consumers: each of them reads the count, adds to it and stores it. */
static void compare_with_own_side(const struct counting *c) {
    const struct hazard_credits *own = &c->pages->side[c->side];
    if (own->changes && core_of(last_of(own)) != core_of(&c->access))
        hazard_compare_with(c->t, HAZARD_CB_SHARED, address_of(c), last_of(own), HAZARD_CHANGES, c->actor);
}

/* The other side must have counted as far as this change needs, and the agent of this change must know that it has. */
static void compare_with_other_side(const struct counting *c) {
    static const struct hazard_access nobody = { .source = HAZARD_NOBODY };
    const struct hazard_credits *other = &c->pages->side[!c->side];
    struct hazard_credits *own = &c->pages->side[c->side];
    int64_t needed = c->side == TAKEN ? c->to : c->to - c->buffer.pages;
    if (!own->known || !other->known || needed <= 0)
        return;
    if (other->count >= needed) {
        const struct hazard_access *change = reached(other, needed);
        if (change)
            hazard_compare_with(c->t, HAZARD_CB_COUNT, address_of(c), change, HAZARD_CHANGES, c->actor);
        return;
    }
    struct hazard_access first = other->changes ? *last_of(other) : nobody;
    first.suspect = true;
    hazard_keep_aside(c->t, HAZARD_CB_COUNT, address_of(c), &first, &c->access);
    own->early = (struct hazard_credit){ needed, c->access };
}

/* If an earlier change of the other side came too early, and this is the change that it needed, reports the two. */
static void compare_with_early(const struct counting *c) {
    struct hazard_credits *other = &c->pages->side[!c->side];
    if (!other->early.access.epoch.tick || c->to < other->early.count)
        return;
    hazard_forget_aside(c->t, HAZARD_CB_COUNT, address_of(c), SHADOW_WORD);
    hazard_found(c->t->search, c->t, HAZARD_CB_COUNT, address_of(c), &other->early.access, &c->access);
    other->early.access.epoch.tick = 0;
}

/* ---- Pages ------------------------------------------------------------------------------------------------------- */

/* Finds reads of a page by a core that is neither the producer nor the core that gives the page back. */
static void look_at_reads(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size) {
    const struct counting *c = user;
    const struct hazard_credits *put_in = &c->pages->side[PUT_IN];
    (void)address, (void)size;
    for (unsigned i = 0; i < SHADOW_READS; i++) {
        const struct hazard_access *read = &cell->read[i];
        bool is_here = read->epoch.tile == c->t->number;
        if (!read->epoch.tick || (is_here && core_of(read) == core_of(&c->access)) ||
            (is_here && put_in->changes && core_of(read) == core_of(last_of(put_in))))
            continue;
        hazard_compare_with(c->t, HAZARD_CB_PAGE, address_of(c), read, HAZARD_CHANGES, c->actor);
    }
}

static void compare_with_readers(struct counting *c) {
    const struct hazard_buffer *b = &c->buffer;
    if (!c->pages->side[TAKEN].known)
        return; /* then it is not known which pages are given back, either */
    for (int64_t i = c->from; i < c->to && i < c->from + b->pages; i++)
        hazard_need(c->t, shadow_visit(&c->t->shadow[HAZARD_L1], b->address + (uint32_t)(i % b->pages) * b->page_bytes,
                                       b->page_bytes, look_at_reads, c));
}

static bool holds_pages(const struct hazard_pages *pages) {
    return pages && pages->side[PUT_IN].known && pages->side[TAKEN].known && pages->side[PUT_IN].changes &&
           pages->side[PUT_IN].count > pages->side[TAKEN].count;
}

static void compare_with_other_buffers(const struct counting *c) {
    struct hazard_buffer other;
    for (unsigned i = 0; i < HAZARD_BUFFERS; i++) {
        if (i == c->number || !holds_pages(c->t->pages[i]) || !describe(c->t, i, &other) ||
            other.address == c->buffer.address || other.address >= end_of(&c->buffer) ||
            c->buffer.address >= end_of(&other))
            continue;
        struct hazard_access first = *last_of(&c->t->pages[i]->side[PUT_IN]);
        first.suspect = true;
        hazard_found(c->t->search, c->t, HAZARD_CB_OVERLAP, address_of(c), &first, &c->access);
    }
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

/* Begins a count again at 0, and forgets its earlier changes. */
static void begin_anew(struct hazard_tile *t, unsigned number, unsigned side) {
    struct hazard_pages *pages = pages_of(t, number);
    if (pages)
        pages->side[side] = (struct hazard_credits){ .known = true };
}

static void count(struct counting *c) {
    struct hazard_credits *own = &c->pages->side[c->side];
    compare_with_own_side(c);
    compare_with_other_side(c);
    compare_with_early(c);
    if (c->side == TAKEN)
        compare_with_readers(c);
    own->count = c->to;
    own->cores |= (uint8_t)(1u << core_of(&c->access));
    own->change[own->changes++ % HAZARD_CREDITS] = (struct hazard_credit){ c->to, c->access };
    if (c->side == PUT_IN)
        compare_with_other_buffers(c);
}

/* A thread keeps a count of 16 bits; the upper half of the word that it writes is undefined. */
void hazard_pages_counted(struct hazard_tile *t, unsigned number, unsigned side, uint32_t value,
                          const struct hazard_actor *actor) {
    struct counting c = { .t = t, .number = number, .side = side, .actor = actor };
    if (!value && actor->agent < HAZARD_THREAD) {
        begin_anew(t, number, side);
        return;
    }
    if (!describe(t, number, &c.buffer) || !(c.pages = pages_of(t, number)))
        return;
    c.from = c.pages->side[side].count;
    c.to = c.from + (int16_t)(uint16_t)(value - (uint64_t)c.from);
    c.access = hazard_access_of(t, HAZARD_CHANGES, actor);
    if (c.to != c.from)
        count(&c);
}

/* Takes counts that are not known yet from L1. */
static void look_at_counts(struct hazard_tile *t, unsigned number, uint32_t at) {
    struct hazard_pages *pages = pages_of(t, number);
    for (unsigned i = 0; pages && i < 2; i++)
        if (!pages->side[i].known || !pages->side[i].changes) {
            pages->side[i].known = true;
            pages->side[i].count = word_at(t, at + 4 * i);
        }
}

bool hazard_count_orders(const struct hazard_tile *t, unsigned number, unsigned side, unsigned core) {
    const struct hazard_credits *count = t->pages[number] ? &t->pages[number]->side[side] : NULL;
    return !count || !count->changes || !(count->cores >> core & 1) || core_of(last_of(count)) == core;
}

enum { COUNTS_AT = 12 }; /* offset of `pushed` and `popped` in struct cb */

bool hazard_kit_orders(const struct hazard_tile *t, unsigned core, uint32_t address) {
    for (unsigned i = 0; i < t->kits; i++) {
        uint32_t side = (address - t->kit[i].at - COUNTS_AT) / SHADOW_WORD;
        if (side < 2)
            return hazard_count_orders(t, HAZARD_CBS + i, side, core);
    }
    return true;
}

void hazard_kit_stored(struct hazard_tile *t, unsigned core, uint32_t address, uint32_t value) {
    for (unsigned i = 0; i < t->kits; i++) {
        uint32_t offset = address - t->kit[i].at - COUNTS_AT;
        if (offset != 0 && offset != SHADOW_WORD)
            continue;
        struct hazard_actor actor = hazard_core_as(t, core, HAZARD_CORE);
        actor.knows = hazard_core_clock(t, core);
        look_at_counts(t, HAZARD_CBS + i, t->kit[i].at + COUNTS_AT);
        hazard_pages_counted(t, HAZARD_CBS + i, offset / SHADOW_WORD, value, &actor);
    }
}
