/* Costs of instructions: see costs.h. */
#include "formats/costs.h"

#include <stdlib.h>

struct costs_core {
    struct image_cache image; /* cache for machine_image_again */
    uint64_t end;             /* of the last executed instruction */
    uint32_t pc;              /* of the last wait */
    uint64_t from, until;
    struct bh_xy tile;
    uint8_t core;
};

enum { FIRST_ROOM = 1 << 12 };

size_t costs_core_number(const struct bh_event *e) {
    return ((e->tile.y % 32u) * 32u + e->tile.x % 32u) * BH_CORE_COUNT + (unsigned)e->track;
}

bool costs_init(struct costs *c, const struct machine *m) {
    *c = (struct costs){ .machine = m, .room = FIRST_ROOM };
    c->row = calloc(c->room, sizeof *c->row);
    c->core = calloc(COSTS_CORES, sizeof *c->core);
    return c->row && c->core;
}

void costs_free(struct costs *c) {
    free(c->row);
    free(c->core);
}

static bool is_used(const struct cost_row *r) {
    return r->cost.count || r->cost.waited || r->program;
}

static struct cost_row *slot_of(struct cost_row *row, size_t room, const struct program *program, uint32_t pc) {
    uint64_t h = ((uint64_t)(uintptr_t)program ^ (uint64_t)pc << 28) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(h >> 32) & (room - 1);
    while (is_used(&row[i]) && (row[i].program != program || row[i].pc != pc))
        i = (i + 1) & (room - 1);
    return &row[i];
}

static bool grow(struct costs *c) {
    size_t room = 2 * c->room;
    struct cost_row *row = calloc(room, sizeof *row);
    if (!row)
        return false;
    for (size_t i = 0; i < c->room; i++)
        if (is_used(&c->row[i]))
            *slot_of(row, room, c->row[i].program, c->row[i].pc) = c->row[i];
    free(c->row);
    c->row = row;
    c->room = room;
    return true;
}

struct cost_row *costs_row(struct costs *c, const struct bh_event *e) {
    const struct image *image =
        machine_image_again(c->machine, &c->core[costs_core_number(e)].image, e->tile, (enum bh_core)e->track, e->pc);
    const struct program *program = image ? image->program : NULL;
    uint32_t pc = image ? e->pc - image->shift : e->pc;
    if (2 * (c->count + 1) > c->room && !grow(c))
        return NULL;
    struct cost_row *row = slot_of(c->row, c->room, program, pc);
    if (!is_used(row)) {
        *row = (struct cost_row){ .program = program, .pc = pc };
        c->count++;
    }
    return row;
}

bool costs_event(struct costs *c, const struct bh_event *e) {
    if ((unsigned)e->track >= BH_CORE_COUNT)
        return true;
    struct costs_core *core = &c->core[costs_core_number(e)];
    if (e->kind == BH_EVENT_WAIT) {
        core->pc = e->pc;
        core->from = e->start;
        core->until = e->end;
        core->tile = e->tile;
        core->core = (uint8_t)e->track;
    }
    if (!e->instruction)
        return true;
    struct cost_row *row = costs_row(c, e);
    if (!row)
        return false;
    row->cost.count++;
    row->cost.cycles += e->end - e->start - e->instruction->waited;
    row->cost.waited += e->instruction->waited;
    core->end = e->end;
    return true;
}

/* Adds the waits at which cores stand at the end of the run. A wait that has ended was counted with the instruction
 * that waited. */
bool costs_end(struct costs *c) {
    for (size_t i = 0; i < COSTS_CORES; i++) {
        struct costs_core *core = &c->core[i];
        uint64_t from = core->from > core->end ? core->from : core->end;
        if (core->until <= from)
            continue;
        const struct bh_event e = { .tile = core->tile, .track = (enum bh_track)core->core, .pc = core->pc };
        struct cost_row *row = costs_row(c, &e);
        if (!row)
            return false;
        row->cost.waited += core->until - from;
    }
    return true;
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* A row with the position of its program. Positions order the rows: they do not differ from run to run, as addresses in
 * host memory do. */
struct ordered {
    struct cost_row row;
    size_t program;
};

size_t costs_order(const struct machine *m, const struct program *program) {
    for (size_t i = 0; i < m->opened_count; i++)
        if (m->opened[i].program == program)
            return i;
    for (size_t i = 0; i < m->image_count; i++) /* programs of firmware */
        if (m->images[i].program == program)
            return m->opened_count + i;
    return SIZE_MAX;
}

static int by_place(const void *left, const void *right) {
    const struct ordered *a = left, *b = right;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    return a->row.pc < b->row.pc ? -1 : a->row.pc > b->row.pc;
}

bool costs_sort(struct costs *c) {
    struct ordered *list = malloc((c->count + 1) * sizeof *list);
    size_t count = 0;
    if (!list)
        return false;
    for (size_t i = 0; i < c->room; i++)
        if (is_used(&c->row[i]))
            list[count++] = (struct ordered){ c->row[i], costs_order(c->machine, c->row[i].program) };
    qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0; i < count; i++)
        c->row[i] = list[i].row;
    c->count = count;
    free(list);
    return true;
}
