/* Breakpoints, steps and watchpoints of a tile: see debug.h.
 *
 * A core pushes adjacent words for the coprocessor in one step (isa/push.h). Its registers are the same before each of
 * them, so each word can be reported as an instruction of its own; the words are pushed after all of them have been
 * reported. */
#include "tile/debug.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "isa/push.h"
#include "riscv/access.h"
#include "tile/risc_debug.h"
#include "tile/tile.h"

/* ---- Points ------------------------------------------------------------------------------------------------- */

static bool is_ldm(const struct debug_watch *watch) {
    return watch->core < BH_CORE_COUNT;
}

static bool is_l1(const struct tile *tile, const struct debug_watch *watch) {
    return !is_ldm(watch) && watch->address < tile_l1_size(tile);
}

static void mark(struct tile *tile, const struct debug_watch *watch) {
    uint32_t room = tile_l1_size(tile) - watch->address;
    if (watch->access & BH_ACCESS_WRITE)
        core_mark_l1(tile->marks, watch->address, watch->size < room ? watch->size : room, MARK_DEBUG);
}

static uint8_t *local(struct tile *tile, const struct debug_watch *watch) {
    return tile->core[watch->core].ldm + (watch->address - CORE_LDM_BASE);
}

static void set_cores(struct tile *tile, bool on) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        tile->core[i].debugged =
            (uint8_t)((tile->core[i].debugged & ~(unsigned)CORE_DEBUG_HOST) | (on ? CORE_DEBUG_HOST : 0));
}

void debug_refresh(struct tile *tile) {
    struct debug_tile *d = tile->mail.debug;
    for (uint32_t grain = 0; grain < TILE_MARKS; grain++)
        if (tile->marks[grain] & MARK_DEBUG) /* test first: most pages of the marks have never been touched */
            tile->marks[grain] &= (uint8_t)~MARK_DEBUG;
    for (uint32_t i = 0; i < d->watch_count; i++) {
        struct debug_watch *watch = &d->watches[i];
        if (is_l1(tile, watch))
            mark(tile, watch);
        else if (is_ldm(watch))
            memcpy(watch->old, local(tile, watch), watch->size);
    }
    set_cores(tile, d->break_count || d->watch_count || d->steps);
}

void debug_detach(struct tile *tile) {
    struct debug_tile none = { 0 };
    tile->mail.debug = &none;
    debug_refresh(tile);
    tile->mail.debug = NULL;
}

void debug_forget(struct debug_tile *d) {
    memset(d->row, 0, sizeof d->row);
    memset(d->ahead, 0, sizeof d->ahead);
    d->note_count = 0;
    d->faults = 0;
    d->packet = false;
}

void debug_free(struct debug_tile *d) {
    for (uint32_t i = 0; i < d->watch_count; i++)
        free(d->watches[i].old);
    free(d->breaks);
    free(d->watches);
}

/* Makes room for one more entry. Returns false without memory. */
static bool reserve(void *list_pointer, uint32_t count, size_t size) {
    void **list = list_pointer;
    void *larger = realloc(*list, ((size_t)count + 1) * size);
    if (larger)
        *list = larger;
    return larger;
}

bool debug_set_break(struct debug_tile *d, unsigned cores, uint32_t pc, bool on) {
    uint32_t i = 0;
    while (i < d->break_count && d->breaks[i].pc != pc)
        i++;
    if (i == d->break_count) {
        if (!on)
            return true;
        if (!reserve(&d->breaks, d->break_count, sizeof *d->breaks))
            return false;
        d->breaks[d->break_count++] = (struct debug_break){ pc, 0 };
    }
    d->breaks[i].cores = (uint8_t)(on ? d->breaks[i].cores | cores : d->breaks[i].cores & ~cores);
    if (!d->breaks[i].cores)
        d->breaks[i] = d->breaks[--d->break_count];
    return true;
}

static bool is_same(const struct debug_watch *a, const struct debug_watch *b) {
    return a->address == b->address && a->size == b->size && a->core == b->core && a->access == b->access;
}

bool debug_set_watch(struct debug_tile *d, const struct debug_watch *watch, bool on) {
    uint32_t i = 0;
    while (i < d->watch_count && !is_same(&d->watches[i], watch))
        i++;
    bool found = i < d->watch_count;
    if (found == on)
        return true;
    if (!on) {
        free(d->watches[i].old);
        d->watches[i] = d->watches[--d->watch_count];
        return true;
    }
    if (!reserve(&d->watches, d->watch_count, sizeof *d->watches))
        return false;
    d->watches[i] = *watch;
    d->watches[i].old = is_ldm(watch) ? malloc(watch->size) : NULL;
    if (is_ldm(watch) && !d->watches[i].old)
        return false;
    d->watch_count++;
    return true;
}

/* ---- Accesses ----------------------------------------------------------------------------------------------- */

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size) {
    return a < (uint64_t)b + b_size && b < (uint64_t)a + a_size;
}

static void add_note(struct debug_tile *d, const struct debug_note *note) {
    if (d->note_count < DEBUG_NOTES)
        d->note[d->note_count++] = *note;
}

static void name_core(struct debug_note *n, const struct core *core, uint32_t pc) {
    line_put(n->agent, sizeof n->agent, "%s at pc 0x%x", core_name(core), pc);
}

/* Names the agent of a write that happens now. */
static void name_writer(const struct tile *tile, struct debug_note *n) {
    const struct debug_tile *d = tile->mail.debug;
    if (n->by >= 0)
        name_core(n, &tile->core[n->by], tile->core[n->by].pc);
    else if (tile->tensix.running)
        line_put(n->agent, sizeof n->agent, "%s",
                 d->unit == BH_TRACK_PACK    ? "packer"
                 : d->unit == BH_TRACK_MOVER ? "mover"
                                             : "scalar unit");
    else if (d->packet)
        line_put(n->agent, sizeof n->agent, "NoC %u from tile %u,%u", d->noc, d->from.x, d->from.y);
    else
        line_put(n->agent, sizeof n->agent, "%s", *d->in_run ? "NoC" : "host");
}

void debug_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    struct debug_tile *d = tile->mail.debug;
    int by = tile->running < BH_CORE_COUNT && !tile->tensix.running ? (int)tile->running : -1;
    (void)time;
    for (uint32_t i = 0; d && i < d->watch_count; i++) {
        const struct debug_watch *w = &d->watches[i];
        if (is_ldm(w) || !(w->access & BH_ACCESS_WRITE) || !overlap(w->address, w->size, address, size))
            continue;
        struct debug_note note = { .kind = BH_DEBUG_WRITE, .by = by, .address = address, .size = size };
        name_writer(tile, &note);
        add_note(d, &note);
        return;
    }
}

void debug_came(struct debug_tile *d, const struct noc_grid *grid, const struct transaction *transaction) {
    d->packet = transaction != NULL;
    if (!transaction)
        return;
    d->noc = transaction->request.noc;
    d->from =
        grid->translated[transaction_is_response(transaction) ? transaction->receiver : transaction->request.source];
}

/* Notes the watched bytes of the core's local memory that have changed since its last instruction. */
static void compare_local(struct tile *tile, const struct core *core) {
    struct debug_tile *d = tile->mail.debug;
    for (uint32_t i = 0; i < d->watch_count; i++) {
        struct debug_watch *w = &d->watches[i];
        if (w->core != core->id || !(w->access & BH_ACCESS_WRITE) || !memcmp(w->old, local(tile, w), w->size))
            continue;
        memcpy(w->old, local(tile, w), w->size);
        struct debug_note note = { BH_DEBUG_WRITE, (int)core->id, w->address, w->size, "" };
        name_core(&note, core, d->last_pc[core->id]);
        add_note(d, &note);
    }
}

unsigned debug_access(const struct core *core, uint32_t *address, uint32_t *size) {
    struct core_access access = core_access_of(core, core_word(core, core->pc));
    *address = access.address;
    *size = access.size;
    return access.how;
}

/* Returns whether this access of the core has to be noted. Writes to L1 are noted when they happen, and writes to local
 * memory when it has changed. */
static bool is_wanted(const struct tile *tile, const struct debug_watch *w, const struct core *core, unsigned access,
                      uint32_t address, uint32_t size) {
    bool memory = is_l1(tile, w) || is_ldm(w);
    if (is_ldm(w) && w->core != core->id)
        return false;
    return w->access & access & (memory ? BH_ACCESS_READ : BH_ACCESS_READ | BH_ACCESS_WRITE) &&
           overlap(w->address, w->size, address, size);
}

/* Prepares the note of an access that the core is about to make. look_back adds it after the instruction. */
static void look_ahead(struct tile *tile, const struct core *core) {
    struct debug_tile *d = tile->mail.debug;
    uint32_t address = 0, size = 0;
    unsigned access = d->watch_count ? debug_access(core, &address, &size) : 0;
    for (uint32_t i = 0; access && i < d->watch_count; i++) {
        const struct debug_watch *w = &d->watches[i];
        if (!is_wanted(tile, w, core, access, address, size))
            continue;
        enum bh_debug_kind kind = w->access & access & BH_ACCESS_WRITE ? BH_DEBUG_WRITE : BH_DEBUG_READ;
        d->ahead[core->id] = (struct debug_note){ (uint8_t)kind, (int)core->id, address, size, "" };
        name_core(&d->ahead[core->id], core, core->pc);
        return;
    }
}

/* Adds the note of the core's last instruction, which is complete now. */
static void look_back(struct tile *tile, const struct core *core) {
    struct debug_tile *d = tile->mail.debug;
    if (d->ahead[core->id].size)
        add_note(d, &d->ahead[core->id]);
    d->ahead[core->id].size = 0;
    compare_local(tile, core);
}

/* ---- Reports ------------------------------------------------------------------------------------------------ */

static struct bh_debug_event event_at(const struct tile *tile, const struct core *core, enum bh_debug_kind kind) {
    struct bh_debug_event event = { .kind = kind, .tile = tile->xy, .core = -1, .by = -1 };
    if (core) {
        event.core = core->id;
        event.pc = core->pc;
        event.number = core->retired;
        event.cycle = core_time(core);
    }
    return event;
}

static const struct bh_fault *fault_of(const struct tile *tile, unsigned bit) {
    return bit < BH_CORE_COUNT ? &tile->core[bit].fault : &tile->tensix.thread[bit - BH_CORE_COUNT].fault;
}

/* Reports the accesses that have been noted. The callback may add notes (bh_poke), or end debugging. */
static void report_notes(struct tile *tile, const struct core *core, uint64_t time) {
    struct debug_tile *d = tile->mail.debug;
    for (uint32_t i = 0; i < d->note_count; i++) {
        struct bh_debug_event event = event_at(tile, core, (enum bh_debug_kind)d->note[i].kind);
        event.cycle = core ? event.cycle : time;
        event.address = d->note[i].address;
        event.size = d->note[i].size;
        event.by = d->note[i].by;
        memcpy(event.agent, d->note[i].agent, sizeof event.agent);
        d->report(d->owner, &event);
        if (tile->mail.debug != d)
            return;
    }
    d->note_count = 0;
    for (unsigned bit = 0; d->faults; bit++) {
        if (!(d->faults >> bit & 1))
            continue;
        d->faults &= (uint8_t) ~(1u << bit);
        struct bh_debug_event event = event_at(tile, core, BH_DEBUG_FAULT);
        event.cycle = core ? event.cycle : time;
        event.fault = fault_of(tile, bit);
        d->report(d->owner, &event);
        if (tile->mail.debug != d)
            return;
    }
}

void debug_end_epoch(struct tile *tile, uint64_t time) {
    struct debug_tile *d = tile->mail.debug;
    if (d && (d->note_count || d->faults))
        report_notes(tile, NULL, time);
}

unsigned debug_row(const struct core *core) {
    enum { DATUM = 31 << 20, SW = 0x2023, SW_MASK = 0x707F };
    uint32_t word = core_word(core, core->pc), address = 0, size = 0;
    unsigned count = 1;
    bool store = (word & SW_MASK) == SW && debug_access(core, &address, &size) && address == CORE_PUSH_BASE;
    if (!store && ((word & 3) == 3 || !word))
        return 1;
    for (; count < PUSH_ROW_MAX && core->pc + 4 * count < core->l1_limit[0]; count++) {
        uint32_t next = core_word(core, core->pc + 4 * count);
        if (store ? ((next ^ word) & ~(uint32_t)DATUM) != 0 : (next & 3) == 3 || !next)
            break;
    }
    return count;
}

static bool is_reported(const struct debug_row *row, uint32_t pc, uint64_t number) {
    uint64_t index = number - row->number;
    return index < row->count && pc - row->pc == 4 * index;
}

/* Records that the word has been reported. */
static void extend(struct debug_row *row, uint32_t pc, uint64_t number) {
    if (number - row->number != row->count || pc - row->pc != 4 * row->count || row->count >= PUSH_ROW_MAX)
        *row = (struct debug_row){ .pc = pc, .number = number };
    row->count++;
}

/* Returns whether to report the word at pc, and sets *kind to the kind of event. */
static bool stops_at(const struct debug_tile *d, unsigned core, uint32_t pc, enum bh_debug_kind *kind) {
    for (uint32_t i = 0; i < d->break_count; i++)
        if (d->breaks[i].pc == pc && d->breaks[i].cores >> core & 1) {
            *kind = BH_DEBUG_BREAK;
            return true;
        }
    *kind = BH_DEBUG_STEP;
    return d->steps >> core & 1;
}

/* Reports the word that is `index` words after the core's pc. Returns whether the host has changed pc. */
static bool report_word(struct tile *tile, struct core *core, unsigned index, enum bh_debug_kind kind) {
    struct debug_tile *d = tile->mail.debug;
    const uint32_t pc = core->pc + 4 * index;
    core->pc = pc;
    core->retired += index;
    core->stalled -= index;
    const struct bh_debug_event event = event_at(tile, core, kind);
    d->report(d->owner, &event);
    core->retired -= index;
    core->stalled += index;
    if (core->pc != pc)
        return true;
    core->pc = pc - 4 * index;
    return false;
}

static bool report_row(struct tile *tile, struct core *core) {
    struct debug_tile *d = tile->mail.debug;
    enum bh_debug_kind kind;
    unsigned count = debug_row(core);
    for (unsigned i = 0; i < count && tile->mail.debug == d; i++) {
        struct debug_row *row = &d->row[core->id];
        uint32_t pc = core->pc + 4 * i;
        if (is_reported(row, pc, core->retired + i))
            continue;
        extend(row, pc, core->retired + i);
        if (stops_at(d, core->id, pc, &kind) && report_word(tile, core, i, kind))
            return true;
    }
    return false;
}

/* Reports to the host. Returns whether the host has changed pc. */
static bool report_step(struct tile *tile, struct core *core) {
    struct debug_tile *d = tile->mail.debug;
    uint32_t pc = core->pc;
    if (!d)
        return false;
    bool again = is_reported(&d->row[core->id], pc, core->retired);
    if (d->watch_count && !again)
        look_back(tile, core);
    if (d->note_count || d->faults)
        report_notes(tile, core, 0);
    if (core->pc != pc)
        return true;
    bool moved = tile->mail.debug == d && report_row(tile, core);
    if (tile->mail.debug != d) /* debugging has ended, and d is gone */
        return moved;
    if (moved)
        d->row[core->id] = (struct debug_row){ 0 };
    else if (!again && d->watch_count)
        look_ahead(tile, core);
    d->last_pc[core->id] = pc;
    return moved;
}

/* The host sees an instruction only if the debug interface of the cores lets it pass. */
enum core_debug debug_step(void *owner, struct core *core) {
    const bool guest = core->debugged & CORE_DEBUG_GUEST;
    if (guest && risc_debug_step(owner, core) == CORE_DEBUG_LEAVE)
        return CORE_DEBUG_LEAVE;
    if (core->debugged & CORE_DEBUG_HOST && report_step(owner, core))
        return CORE_DEBUG_MOVED;
    return guest && risc_debug_push(core) ? CORE_DEBUG_LEAVE : CORE_DEBUG_GO;
}
