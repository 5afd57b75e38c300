/* Shadow memory: see shadow.h. */
#include "hazard/shadow.h"

#include <stdlib.h>

#include "base/order.h"

enum { PAGE_LINES = 64, PAGE = PAGE_LINES * SHADOW_LINE };

struct shadow_page {
    struct shadow_line line[PAGE_LINES];
};

static uint64_t pages_of(const struct shadow *shadow) {
    return (shadow->size + PAGE - 1) / PAGE;
}

bool shadow_make(struct shadow *shadow, uint64_t size, uint64_t *room) {
    *shadow = (struct shadow){ .size = size, .room = room };
    shadow->page = calloc((size_t)pages_of(shadow), sizeof(struct shadow_page *));
    return shadow->page;
}

void shadow_free(struct shadow *shadow) {
    for (uint64_t i = 0; shadow->page && i < pages_of(shadow); i++) {
        for (unsigned line = 0; shadow->page[i] && line < PAGE_LINES; line++)
            free(shadow->page[i]->line[line].cell);
        free(shadow->page[i]);
    }
    free(shadow->page);
    shadow->page = NULL;
}

/* Takes this many bytes of the room that is left. Returns false if less is left. */
static bool take_room(const struct shadow *shadow, size_t bytes) {
    if (*shadow->room < bytes)
        return false;
    *shadow->room -= bytes;
    return true;
}

static struct shadow_line *line_at(struct shadow *shadow, uint64_t address) {
    struct shadow_page **page = &shadow->page[address / PAGE];
    if (!*page && (!take_room(shadow, sizeof **page) || !(*page = calloc(1, sizeof **page))))
        return NULL;
    return &(*page)->line[address % PAGE / SHADOW_LINE];
}

/* Gives every word of a line a cell of its own. */
static bool split(const struct shadow *shadow, struct shadow_line *line) {
    struct hazard_cell all = line->cell ? *line->cell : (struct hazard_cell){ 0 };
    if (!take_room(shadow, SHADOW_WORDS * sizeof *line->cell))
        return false;
    struct hazard_cell *cells = realloc(line->cell, SHADOW_WORDS * sizeof *cells);
    if (!cells)
        return false;
    for (unsigned i = 0; i < SHADOW_WORDS; i++)
        cells[i] = all;
    line->cell = cells;
    line->split = true;
    return true;
}

/* Returns the end of a range, cut off at the end of the memory. */
static uint64_t end_of(const struct shadow *shadow, uint64_t address, uint32_t size) {
    return address < shadow->size ? address + smaller(size, shadow->size - address) : address;
}

bool shadow_visit(struct shadow *shadow, uint32_t address, uint32_t size,
                  void (*visit)(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size), void *user) {
    for (uint64_t at = address, end = end_of(shadow, address, size), next; at < end; at = next) {
        struct shadow_line *line = line_at(shadow, at);
        bool whole = at % SHADOW_LINE == 0 && end - at >= SHADOW_LINE;
        if (!line || (!whole && !line->split && !split(shadow, line)))
            return false;
        if (!line->cell && (!take_room(shadow, sizeof *line->cell) || !(line->cell = calloc(1, sizeof *line->cell))))
            return false;
        next = line->split ? at - at % SHADOW_WORD + SHADOW_WORD : at + SHADOW_LINE;
        visit(user, &line->cell[line->split ? at % SHADOW_LINE / SHADOW_WORD : 0], (uint32_t)at, (uint32_t)(next - at));
    }
    return true;
}

bool shadow_forget(struct shadow *shadow, uint32_t address, uint32_t size) {
    for (uint64_t at = address, end = end_of(shadow, address, size), next; at < end; at = next) {
        struct shadow_page *page = shadow->page[at / PAGE];
        struct shadow_line *line = page ? &page->line[at % PAGE / SHADOW_LINE] : NULL;
        bool whole = at % SHADOW_LINE == 0 && end - at >= SHADOW_LINE;
        next = at - at % SHADOW_LINE + SHADOW_LINE;
        if (!line || !line->cell)
            continue;
        if (!line->split && !whole && !split(shadow, line))
            return false;
        if (!line->split) {
            *line->cell = (struct hazard_cell){ 0 };
            continue;
        }
        for (uint64_t word = at - at % SHADOW_WORD; word < smaller(next, end); word += SHADOW_WORD)
            line->cell[word % SHADOW_LINE / SHADOW_WORD] = (struct hazard_cell){ 0 };
    }
    return true;
}
