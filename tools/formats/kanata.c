/* Pipelines for Konata: the Kanata log, version 4 (docs/kanata-log-format.md of shioyadan/Konata). Each instruction of
 * a core and each word of the coprocessor is a line of its display:
 *
 *     core    Wt  waits for operands     X  executes, or is blocked     M  its result is on the way
 *     thread  Q   is in the queues       Wt is held at its gate         G  passes       X  its unit is busy
 *
 * A thread of the log is a track: 20 * index of the tile + track. Unpackers and the mover work later than the gate, and
 * have lines of their own. Instructions that still wait at the end of the run are flushed. Records are sorted by their
 * beginning; while they are written, later changes of a line wait in a heap for their cycle.
 *
 * Inexact: the time in Q ends at the gate's first attempt; a word of an expansion counts as pushed when its MOP or
 * REPLAY was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/sorted.h"
#include "machine/event.h"
#include "machine/machine.h"

enum { STAGES = 4, SIDE = 32, PUSHES = 64, TEXT = 200 };

struct stage {
    uint64_t time;
    char name[3];
};

/* A line of the display. */
struct record {
    uint64_t start, end;
    struct stage stage[STAGES]; /* unused ones have no name */
    uint32_t pc, word;
    const char *name, *reason; /* reason: why it waited; NULL: it did not wait */
    struct bh_xy tile;
    uint8_t track;
    bool flushed; /* it was not executed */
};

/* Words that a core has pushed and that have not been seen at the gate yet. If there are too many, the oldest are
 * dropped. */
struct pushes {
    uint64_t time[PUSHES];
    uint32_t pc[PUSHES];
    unsigned first, count;
};

struct thread {
    struct pushes pushes;
    uint64_t held_since;
    const char *held_by;  /* why the first word at the gate is held; NULL: it is not held */
    struct bh_event held; /* the last event of that wait */
};

struct tile_state {
    struct thread thread[BH_THREADS];
    struct record last; /* the word that passed last; work of its unit may follow */
    bool has_last;
    struct bh_event
        wait[BH_CORE_COUNT]; /* the last wait of each core; end 0: none, or an instruction was executed since */
};

/* A change of a line in a later cycle. */
struct later {
    uint64_t time, id;
    char stage[3]; /* the stage that begins; "": the instruction retires, or is flushed */
    bool flushed;
};

struct kanata {
    struct output *output;
    struct sorted *sorted;
    struct tile_state *tile[SIDE][SIDE];
    struct later *heap;
    size_t waiting, room;
    uint64_t now, ids;
};

/* ---- Collecting -------------------------------------------------------------------------------------------------- */

static int by_start(const void *left, const void *right) {
    const struct record *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void add_stage(struct record *r, const char *name, uint64_t time) {
    unsigned i = 0;
    while (i < STAGES - 1 && *r->stage[i].name)
        i++;
    r->stage[i].time = time;
    memcpy(r->stage[i].name, name, strlen(name) + 1);
}

static void put(struct kanata *k, const struct record *r) {
    if (!sorted_put(k->sorted, r))
        output_fail(k->output, "no room for a temporary file: %s", strerror(errno));
}

static struct tile_state *state_of(struct kanata *k, struct bh_xy tile) {
    struct tile_state **state = &k->tile[tile.y % SIDE][tile.x % SIDE];
    if (!*state && !(*state = calloc(1, sizeof **state)))
        output_fail(k->output, "out of memory");
    return *state;
}

static void pushed(struct thread *t, uint32_t pc, uint64_t time) {
    struct pushes *p = &t->pushes;
    if (p->count == PUSHES) {
        p->first = (p->first + 1) % PUSHES;
        p->count--;
    }
    unsigned at = (p->first + p->count++) % PUSHES;
    p->pc[at] = pc;
    p->time[at] = time;
}

/* Returns the time at which the word that passes now was pushed, and drops older words. The word itself is kept: it may
 * be a MOP that expands into more words. Returns `now` if the push is not known. */
static uint64_t push_time(struct thread *t, uint32_t pc, uint64_t now) {
    struct pushes *p = &t->pushes;
    for (unsigned i = 0; i < p->count; i++) {
        unsigned at = (p->first + i) % PUSHES;
        if (p->pc[at] != pc || p->time[at] > now)
            continue;
        bool again = i == 0 && p->count > 1 && p->pc[(at + 1) % PUSHES] == pc; /* a loop of one word */
        p->first = (at + again) % PUSHES;
        p->count -= i + again;
        return p->time[at];
    }
    return now;
}

/* Returns the thread to which an instruction of a core pushes a word, or -1. */
static int thread_of(const struct bh_event *e) {
    const uint32_t push_base = 0xFFE40000u, push_step = 0x10000;
    const struct bh_instruction *i = e->instruction;
    bool trisc = e->track >= BH_TRACK_TRISC0 && e->track <= BH_TRACK_TRISC2;
    if ((e->word & 3) != 3)
        return trisc ? (int)(e->track - BH_TRACK_TRISC0) : -1;
    if (!(i->access & BH_ACCESS_WRITE) || i->address < push_base || i->address >= push_base + BH_THREADS * push_step)
        return -1;
    return trisc ? (int)(e->track - BH_TRACK_TRISC0) : (int)((i->address - push_base) / push_step);
}

static struct record record_of(const struct bh_event *e, uint64_t start, uint64_t end) {
    return (struct record){ .start = start,
                            .end = end > start ? end : start + 1,
                            .pc = e->pc,
                            .word = e->word,
                            .name = e->name,
                            .tile = e->tile,
                            .track = (uint8_t)e->track };
}

static void add_instruction(struct kanata *k, struct tile_state *tile, const struct bh_event *e) {
    const struct bh_instruction *i = e->instruction;
    uint64_t start = i->issued < e->start ? i->issued : e->start; /* the words of a row begin with its first word */
    struct record r = record_of(e, start, i->done);
    if (i->issued > start)
        add_stage(&r, "Wt", start);
    add_stage(&r, "X", i->issued < r.end ? i->issued : r.end - 1);
    if (i->done > e->end && e->end > i->issued)
        add_stage(&r, "M", e->end);
    put(k, &r);
    if (tile->wait[e->track].end <= e->end)
        tile->wait[e->track].end = 0;
    int thread = thread_of(e);
    if (thread >= 0)
        pushed(&tile->thread[thread], e->pc, start);
}

/* Writes the instructions that still wait at the end of the run. */
static void put_waiting(struct kanata *k, struct tile_state *tile) {
    for (unsigned i = 0; i < BH_THREADS; i++) {
        struct thread *t = &tile->thread[i];
        if (!t->held_by)
            continue;
        uint64_t start = push_time(t, t->held.pc, t->held_since);
        struct record r = record_of(&t->held, start, t->held.end);
        if (start < t->held_since)
            add_stage(&r, "Q", start);
        add_stage(&r, "Wt", t->held_since);
        r.reason = t->held_by;
        r.flushed = true;
        put(k, &r);
    }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct bh_event *e = &tile->wait[i];
        if (!e->end)
            continue;
        bh_peek(k->output->machine->chip, e->tile, e->pc, &e->word, sizeof e->word);
        struct record r = record_of(e, e->start, e->end);
        add_stage(&r, "Wt", e->start);
        r.reason = e->name;
        r.flushed = true;
        put(k, &r);
    }
}

static void put_last(struct kanata *k, struct tile_state *tile) {
    if (tile->has_last)
        put(k, &tile->last);
    tile->has_last = false;
}

static void add_word(struct tile_state *tile, const struct bh_event *e) {
    struct thread *t = &tile->thread[e->track - BH_TRACK_T0];
    uint64_t first = t->held_by ? t->held_since : e->start, start = push_time(t, e->pc, e->start);
    if (start > first)
        start = first;
    struct record *r = &tile->last;
    *r = record_of(e, start, e->end);
    if (start < first)
        add_stage(r, "Q", start);
    if (t->held_by)
        add_stage(r, "Wt", first);
    r->reason = t->held_by;
    add_stage(r, "G", e->start);
    t->held_by = NULL;
    tile->has_last = true;
}

/* Adds the work of a unit to the line of the word that has just passed the gate, if it belongs to that word; the packer
 * begins a cycle later. Other work gets a line of its own. */
static void add_unit(struct kanata *k, struct tile_state *tile, const struct bh_event *e) {
    struct record *r = &tile->last;
    if (tile->has_last && r->word == e->word && e->start + 1 >= r->end && e->start <= r->end &&
        e->track > BH_TRACK_UNPACK1) {
        if (e->end > r->end) {
            add_stage(r, "X", r->end);
            r->end = e->end;
        }
        return;
    }
    struct record own = record_of(e, e->start, e->end);
    add_stage(&own, "X", e->start);
    put(k, &own);
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct kanata *k = o->state;
    struct tile_state *tile = e->track < BH_TRACK_NOC0 ? state_of(k, e->tile) : NULL;
    if (!tile)
        return;
    bool of_thread = e->track >= BH_TRACK_T0 && e->track <= BH_TRACK_T2;
    if (e->instruction) {
        add_instruction(k, tile, e);
    } else if (of_thread && e->kind == BH_EVENT_WAIT) {
        struct thread *t = &tile->thread[e->track - BH_TRACK_T0];
        t->held_since = t->held_by ? t->held_since : e->start;
        t->held_by = e->name;
        t->held = *e;
    } else if (of_thread) {
        put_last(k, tile);
        add_word(tile, e);
    } else if ((unsigned)e->track < BH_CORE_COUNT && e->kind == BH_EVENT_WAIT) {
        tile->wait[e->track] = *e;
    } else if (e->track > BH_TRACK_T2 && e->kind == BH_EVENT_WORK) {
        add_unit(k, tile, e);
    }
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static bool is_before(const struct later *a, const struct later *b) {
    return a->time != b->time ? a->time < b->time : a->id != b->id ? a->id < b->id : *a->stage && !*b->stage;
}

static void swap(struct later *a, struct later *b) {
    struct later other = *a;
    *a = *b;
    *b = other;
}

static bool heap_push(struct kanata *k, const struct later *later) {
    if (k->waiting == k->room) {
        size_t room = k->room ? 2 * k->room : 256;
        struct later *larger = realloc(k->heap, room * sizeof *larger);
        if (!larger)
            return output_fail(k->output, "out of memory");
        k->heap = larger;
        k->room = room;
    }
    size_t i = k->waiting++;
    k->heap[i] = *later;
    for (; i && is_before(&k->heap[i], &k->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&k->heap[i], &k->heap[(i - 1) / 2]);
    return true;
}

static struct later heap_pop(struct kanata *k) {
    struct later first = k->heap[0];
    k->heap[0] = k->heap[--k->waiting];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < k->waiting; child++)
            if (is_before(&k->heap[child], &k->heap[least]))
                least = child;
        if (least == i)
            return first;
        swap(&k->heap[i], &k->heap[least]);
        i = least;
    }
}

static void advance(struct kanata *k, uint64_t time) {
    if (time > k->now)
        fprintf(k->output->file, "C\t%llu\n", (unsigned long long)(time - k->now));
    k->now = time > k->now ? time : k->now;
}

static void happen(struct kanata *k, const struct later *l) {
    advance(k, l->time);
    if (*l->stage)
        fprintf(k->output->file, "S\t%llu\t0\t%s\n", (unsigned long long)l->id, l->stage);
    else
        fprintf(k->output->file, "R\t%llu\t%llu\t%d\n", (unsigned long long)l->id, (unsigned long long)l->id,
                l->flushed);
}

/* Writes a label, which must be one line without tabs. */
static void put_text(FILE *out, const char *text) {
    for (; *text; text++)
        fputc(*text == '\t' || *text == '\n' ? ' ' : *text, out);
}

static void put_labels(const struct kanata *k, const struct record *r, unsigned long long id) {
    FILE *out = k->output->file;
    char text[TEXT], where[TEXT];
    bool core = r->track < BH_CORE_COUNT;
    const struct bh_event e = {
        .kind = BH_EVENT_WORK, .track = (enum bh_track)r->track, .tile = r->tile, .name = r->name, .pc = r->pc
    };
    if (core || (r->word && r->word >> 30 != 3))
        bh_disassemble(r->pc, core ? r->word : r->word << 2 | r->word >> 30, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", r->name);
    fprintf(out, "L\t%llu\t0\t%u,%u %s %08x: ", id, r->tile.x, r->tile.y,
            event_track_name(k->output->machine, r->tile, (enum bh_track)r->track), r->pc);
    put_text(out, text);
    fputc('\n', out);
    if (*event_place(k->output->machine, &e, where, sizeof where)) {
        fprintf(out, "L\t%llu\t1\t", id);
        put_text(out, where);
        fputc('\n', out);
    }
    if (r->reason) {
        fprintf(out, "L\t%llu\t1\t%swaits for ", id, *where ? "\\n" : "");
        put_text(out, r->reason);
        fputc('\n', out);
    }
}

static unsigned thread_number(const struct kanata *k, const struct record *r) {
    struct bh_tile_info info = { 0 };
    bh_tile_find(k->output->machine->chip, r->tile, &info);
    unsigned tile = info.kind == BH_TILE_TENSIX ? info.index : TENSIX_MAX + info.index;
    return BH_TRACK_ETH * tile + r->track;
}

static bool put_record(struct kanata *k, const struct record *r) {
    while (k->waiting && k->heap[0].time <= r->start) {
        struct later l = heap_pop(k);
        happen(k, &l);
    }
    uint64_t id = k->ids++;
    if (id == 0) {
        fprintf(k->output->file, "C=\t%llu\n", (unsigned long long)r->start);
        k->now = r->start;
    }
    advance(k, r->start);
    fprintf(k->output->file, "I\t%llu\t%llu\t%u\n", (unsigned long long)id, (unsigned long long)id,
            thread_number(k, r));
    put_labels(k, r, id);
    for (unsigned i = 0; i < STAGES; i++) {
        struct later l = { .time = r->stage[i].time, .id = id };
        memcpy(l.stage, r->stage[i].name, sizeof l.stage);
        if (!*l.stage)
            continue;
        if (l.time <= r->start)
            happen(k, &l);
        else if (!heap_push(k, &l))
            return false;
    }
    return heap_push(k, &(struct later){ .time = r->end, .id = id, .flushed = r->flushed });
}

static bool put_all(struct kanata *k) {
    bool ok = true;
    for (const struct record *r; ok && !ferror(k->output->file) && (r = sorted_next(k->sorted));)
        ok = put_record(k, r);
    while (ok && k->waiting) {
        struct later l = heap_pop(k);
        happen(k, &l);
    }
    if (sorted_failed(k->sorted))
        return output_fail(k->output, "a temporary file cannot be read: %s", strerror(errno));
    return ok;
}

static bool begin(struct output *o) {
    struct kanata *k = output_state(o, sizeof *k);
    if (!k)
        return false;
    k->output = o;
    k->sorted = sorted_new(sizeof(struct record), by_start);
    fputs("Kanata\t0004\n", o->file);
    return k->sorted || output_fail(o, "out of memory");
}

static bool end(struct output *o) {
    struct kanata *k = o->state;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        if (k->sorted && k->tile[i / SIDE][i % SIDE]) {
            put_last(k, k->tile[i / SIDE][i % SIDE]);
            put_waiting(k, k->tile[i / SIDE][i % SIDE]);
        }
    bool ok = k->sorted && !*o->problem && put_all(k);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        free(k->tile[i / SIDE][i % SIDE]);
    sorted_free(k->sorted);
    free(k->heap);
    return ok;
}

const struct format format_kanata = {
    .name = "kanata",
    .kind = OUTPUT_TRACE,
    .begins = "",
    .ends = ".kanata",
    .reader = "Konata: pipelines of cores and of the coprocessor",
    .watch = BH_WATCH_INSTRUCTIONS,
    .cycles = true,
    .open = begin,
    .event = put_event,
    .close = end,
};
