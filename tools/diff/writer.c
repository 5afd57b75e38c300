/* The agents that have written the first difference: see seek.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/seek.h"

struct witness {
    struct result *result;
    struct bh_xy tile;
    uint64_t before; /* cycle after which events do not matter */
    unsigned side;
};

static void keep_worker(void *user, const struct bh_event *event) {
    struct witness *w = user;
    struct result *r = w->result;
    if (event->tile.x != w->tile.x || event->tile.y != w->tile.y || event->kind != BH_EVENT_WORK ||
        event->track < BH_TRACK_UNPACK0 || event->track > BH_TRACK_MOVER || event->start > w->before)
        return;
    unsigned i = 0;
    while (i < r->workers[w->side] && r->worker[w->side][i].event.track != event->track)
        i++;
    if (i == WORKERS)
        return;
    r->workers[w->side] += i == r->workers[w->side];
    r->worker[w->side][i].event = *event;
}

/* Returns the word of a core's instruction, which may be in its local memory. */
static uint32_t word_at(const bh_chip *chip, struct bh_xy tile, int core, uint32_t pc) {
    uint32_t word = 0;
    if (core < 0 || bh_core_peek(chip, tile, (enum bh_core)core, pc, &word, sizeof word) != BH_OK)
        return 0;
    return word;
}

static bool is_of_core(const struct bh_difference *d, int core) {
    char name[24];
    snprintf(name, sizeof name, "core[%d].", core);
    return d->part == BH_PART_TILE && strncmp(d->name, name, strlen(name)) == 0;
}

void writer_blame_core(const struct seeker *s, const struct moment *m, const struct bh_difference *d) {
    if (!m->has_before || m->after.kind == BH_DEBUG_TIME)
        return;
    for (unsigned i = 0; i < SIDES; i++) {
        struct writer *w = &s->result->writer[i];
        *w = (struct writer){ .known = true, .core = m->before.core, .pc = m->before.pc, .number = m->before.number };
        w->sure = is_of_core(d, m->before.core);
        snprintf(w->agent, sizeof w->agent, "%s",
                 bh_core_name_at(chip_of(s, i), m->tile, (enum bh_core)m->before.core));
        w->word = word_at(chip_of(s, i), m->tile, w->core, w->pc);
    }
}

/* Records the write that a watchpoint has reported on one side. The last write before the first difference counts. */
static void note_write(struct seeker *s, unsigned i, const struct moment *m) {
    const struct bh_debug_event *e = &side_of(s, i)->event;
    struct writer *w = &s->result->writer[i];
    if (e->kind != BH_DEBUG_WRITE)
        return;
    *w = (struct writer){ .known = true, .sure = true, .core = e->by };
    snprintf(w->agent, sizeof w->agent, "%s", e->agent);
    const char *pc = strstr(w->agent, " at pc 0x");
    if (pc && e->by >= 0) {
        w->pc = (uint32_t)strtoul(pc + strlen(" at pc "), NULL, 16);
        w->word = word_at(chip_of(s, i), m->tile, w->core, w->pc);
        w->agent[pc - w->agent] = '\0';
    }
}

bool writer_find(struct seeker *s, uint64_t end, const struct moment *m, const struct bh_difference *d) {
    struct witness witness[SIDES];
    if (!run_go_back(s) || !run_debug(s, true))
        return false;
    for (unsigned i = 0; i < SIDES; i++) {
        witness[i] = (struct witness){ s->result, m->tile, m->after.cycle, i };
        bh_observe(chip_of(s, i), BH_WATCH_EVENTS, keep_worker, &witness[i]);
        bh_debug_at(chip_of(s, i), UINT64_MAX);
        if (d->part == BH_PART_L1)
            bh_watchpoint(chip_of(s, i), m->tile, BH_BRISC, (uint32_t)d->address, d->size, BH_ACCESS_WRITE, true);
    }
    if (!run_to(s, end))
        return false;
    for (unsigned i = 0; i < SIDES; i++)
        while (side_of(s, i)->state == SIDE_EVENT) {
            if (side_of(s, i)->event.cycle <= m->after.cycle)
                note_write(s, i, m);
            meeting_go(s->meeting, side_of(s, i));
        }
    for (unsigned i = 0; i < SIDES; i++) {
        bh_observe_flush(chip_of(s, i));
        bh_observe(chip_of(s, i), 0, NULL, NULL);
    }
    return run_to_end(s);
}
