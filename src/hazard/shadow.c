/* Shadow memory: see shadow.h. */
#include "hazard/shadow.h"

#include <stdlib.h>

#include "base/order.h"

bool shadow_make(struct shadow *shadow, uint32_t size) {
    shadow->size = size;
    shadow->line = calloc((size + SHADOW_LINE - 1) / SHADOW_LINE, sizeof *shadow->line);
    return shadow->line;
}

void shadow_clear(struct shadow *shadow) {
    for (uint32_t i = 0; shadow->line && i < (shadow->size + SHADOW_LINE - 1) / SHADOW_LINE; i++) {
        free(shadow->line[i].cell);
        shadow->line[i] = (struct shadow_line){ 0 };
    }
}

void shadow_free(struct shadow *shadow) {
    shadow_clear(shadow);
    free(shadow->line);
    shadow->line = NULL;
}

/* Gives every word of a line a cell of its own. */
static bool split(struct shadow_line *line) {
    struct hazard_cell all = line->cell ? *line->cell : (struct hazard_cell){ 0 };
    struct hazard_cell *cells = realloc(line->cell, SHADOW_WORDS * sizeof *cells);
    if (!cells)
        return false;
    for (unsigned i = 0; i < SHADOW_WORDS; i++)
        cells[i] = all;
    line->cell = cells;
    line->split = true;
    return true;
}

bool shadow_visit(struct shadow *shadow, uint32_t address, uint32_t size,
                  void (*visit)(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size), void *user) {
    uint32_t end = address < shadow->size ? address + (uint32_t)smaller(size, shadow->size - address) : address;
    for (uint32_t next; address < end; address = next) {
        struct shadow_line *line = &shadow->line[address / SHADOW_LINE];
        uint32_t in_line = address % SHADOW_LINE;
        bool whole = !in_line && end - address >= SHADOW_LINE;
        if (!whole && !line->split && !split(line))
            return false;
        if (!line->cell && !(line->cell = calloc(1, sizeof *line->cell)))
            return false;
        next = address - address % SHADOW_WORD + SHADOW_WORD;
        if (!line->split)
            next = address + SHADOW_LINE;
        visit(user, &line->cell[line->split ? in_line / SHADOW_WORD : 0], address, next - address);
    }
    return true;
}
