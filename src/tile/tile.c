/* The tile's time: which core runs next and how far, who is woken by what.
 *
 * The core that is furthest behind runs, at most `skew` cycles past the next one; with several at the same time the lowest
 * number is first. A core that makes another one runnable gives way after that instruction, so that the bound holds for
 * the woken core too.
 */
#include "tile/tile.h"

#include <string.h>

enum { NOBODY = BH_CORE_COUNT };

static const struct {
    uint32_t ldm_size, default_pc;
} core_kinds[BH_CORE_COUNT] = {
    [BH_BRISC] = { 0x2000, 0x0 },      [BH_TRISC0] = { 0x1000, 0x6000 },  [BH_TRISC1] = { 0x1000, 0xA000 },
    [BH_TRISC2] = { 0x1000, 0xE000 },  [BH_NCRISC] = { 0x2000, 0x12000 },
};

void tile_init(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *core = &tile->core[i];
        core->id = (uint8_t)i;
        core->ldm_size = core_kinds[i].ldm_size;
        core->default_pc = core_kinds[i].default_pc;
        core->l1 = tile->l1;
        core->slots = tile->slots;
        core->marks = tile->marks;
        core->port = &tile_core_port;
        core->owner = tile;
        core_init(core);
    }
    tile->time = 0;
    tile->running = NOBODY;
    control_init(&tile->control);
    memset(&tile->mailboxes, 0, sizeof tile->mailboxes);
    memset(&tile->pcbufs, 0, sizeof tile->pcbufs);
    memset(&tile->pic, 0, sizeof tile->pic);
    for (unsigned noc = 0; noc < 2; noc++)
        niu_init(&tile->niu[noc], noc, tile->noc0, tile->xy, NIU_CLASS_TENSIX, tile->index);
}

bool tile_awake(const struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile->core[i].state == BH_CORE_RUNNING)
            return true;
    return false;
}

/* Who runs next and how far. */
struct turn {
    struct core *core; /* NULL: nobody before the end */
    uint64_t limit;
};

static struct turn next_turn(struct tile *tile, uint64_t until) {
    struct core *first = NULL, *second = NULL; /* in the order of time, then of number */
    struct turn turn = { NULL, until };
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *core = &tile->core[i];
        if (core->state != BH_CORE_RUNNING)
            continue;
        if (!first || core_time(core) < core_time(first)) {
            second = first;
            first = core;
        } else if (!second || core_time(core) < core_time(second)) {
            second = core;
        }
    }
    if (!first || core_time(first) >= until)
        return turn;
    turn.core = first;
    if (second) {
        uint64_t limit = core_time(second) + tile->skew;
        if (tile->skew == 1 && first->id > second->id) /* lockstep: in one cycle, the lower number is first */
            limit--;
        if (limit < until)
            turn.limit = limit;
    }
    return turn;
}

bool tile_run(struct tile *tile, uint64_t until) {
    for (;;) {
        struct turn turn = next_turn(tile, until);
        if (!turn.core)
            break;
        pic_deliver(&tile->pic, turn.core);
        tile->running = turn.core->id;
        core_run(turn.core, turn.limit, tile->skew == 1);
        tile->running = NOBODY;
    }
    tile->time = until;
    return tile_awake(tile);
}

void tile_reschedule(struct tile *tile) {
    if (tile->running != NOBODY)
        tile->core[tile->running].preempted = true;
    else
        tile->port->awake(tile->owner, tile);
}

void tile_event(struct tile *tile, uint64_t time) {
    bool woken = false;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *core = &tile->core[i];
        bool waits = core->state == BH_CORE_BLOCKED || (core->state == BH_CORE_POLLING && core->watches_registers);
        /* A core asleep in a loop takes interrupts as well. */
        if (waits || (core->state == BH_CORE_POLLING && !core->in_interrupt && pic_pending(&tile->pic, i))) {
            core_wake(core, time, 0);
            woken = true;
        }
        if (core->state == BH_CORE_RUNNING && !core->in_interrupt && pic_pending(&tile->pic, i))
            woken = true;
    }
    if (woken)
        tile_reschedule(tile);
}

/* The first word among these bytes that a sleeping core looks at; NULL: none. The loop that it sleeps in counts too. */
static const struct core_watch *watched(const struct core *core, uint32_t first, uint32_t last) {
    static const struct core_watch the_loop = { 0 };
    if (core->state != BH_CORE_POLLING)
        return NULL;
    if (core->pc <= last && core->poll_pc + 3 >= first)
        return &the_loop;
    for (unsigned i = 0; i < core->watch_count; i++)
        if (core->watch[i].address <= last && core->watch[i].address + core->watch[i].size > first)
            return &core->watch[i];
    return NULL;
}

/* In the cycle of the write, cores with a lower number than the writer have already run. */
static bool wake_watchers(struct tile *tile, uint32_t first, uint32_t last, uint64_t time) {
    bool woken = false;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        const struct core_watch *watch = watched(&tile->core[i], first, last);
        if (!watch)
            continue;
        core_wake(&tile->core[i], tile->running != NOBODY && i < tile->running ? time + 1 : time, watch->offset);
        woken = true;
    }
    return woken;
}

/* Takes the mark off a grain that no sleeping core looks at any more. */
static void refresh_mark(struct tile *tile, uint32_t grain) {
    uint32_t first = grain << CORE_CODE_GRAIN, last = first + (1u << CORE_CODE_GRAIN) - 1;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (watched(&tile->core[i], first, last))
            return;
    tile->marks[grain] &= (uint8_t)~MARK_WATCHED;
}

void tile_l1_written(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    uint32_t last = address + size - 1;
    bool woken = false;
    uint8_t marks = 0;
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= last >> CORE_CODE_GRAIN; grain++)
        marks |= tile->marks[grain];
    if (marks & MARK_CODE)
        core_forget(tile->slots, tile->marks, address, size);
    if (marks) {
        woken = wake_watchers(tile, address, last, time);
        for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= last >> CORE_CODE_GRAIN; grain++)
            if (tile->marks[grain] & MARK_WATCHED)
                refresh_mark(tile, grain);
    }
    if (woken)
        tile_reschedule(tile);
}
