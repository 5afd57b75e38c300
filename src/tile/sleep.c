/* Sleeping cores: see sleep.h. */
#include "tile/sleep.h"
#include "base/order.h"

#include "isa/memmap.h"
#include "isa/riscv.h"

#define NEVER UINT64_MAX

/* ---- Sleeping cores and their views ------------------------------------------------------------------------- */

/* Returns the offset of an address from the first NIU. The second NIU follows the first. */
static uint32_t niu_offset(uint32_t address) {
    return address - memmap[MEMMAP_ROW_NIU0].base;
}

static bool is_niu(uint32_t address) {
    return niu_offset(address) < 2 * NIU_SPAN;
}

/* Returns whether the core sleeps until a NIU changes. */
static inline bool watches_niu(const struct core *core) {
    for (unsigned i = 0; core->state == BH_CORE_POLLING && i < core->watch_count; i++)
        if (is_niu(core->watch[i].address))
            return true;
    return false;
}

/* Returns the counter that the only sleeping core watches; NULL if several cores sleep, or the core watches anything
 * else. */
static const uint32_t *only_counter(struct tile *tile) {
    unsigned cores = sleep_watchers(tile);
    const struct core *core = &tile->core[cores ? __builtin_ctz(cores) : 0];
    if (!cores || cores & (cores - 1) || core->watch_count != 1)
        return NULL;
    uint32_t offset = niu_offset(core->watch[0].address), word = (offset % NIU_BLOCK - NIU_COUNTERS_AT) / 4;
    bool counts = offset % NIU_SPAN < NIU_INITIATORS * NIU_BLOCK && word < NIU_COUNTERS_USED;
    return counts ? &tile->niu[offset / NIU_SPAN].count[word] : NULL;
}

void tile_niu_watched(struct tile *tile, const struct core *core) {
    unsigned bit = 1u << core->id;
    bool watches = watches_niu(core);
    if (!watches && !(tile->niu_watchers & bit))
        return;
    tile->niu_watchers = (uint8_t)(watches ? tile->niu_watchers | bit : tile->niu_watchers & ~bit);
    tile->watched = only_counter(tile);
    if (watches)
        tile_noc_touched(tile, core_time(core));
}

unsigned sleep_watchers(struct tile *tile) {
    for (unsigned left = tile->niu_watchers; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (!watches_niu(&tile->core[i]))
            tile->niu_watchers &= (uint8_t) ~(1u << i);
    }
    return tile->niu_watchers;
}

bool sleep_watches(const struct tile *tile, unsigned noc, uint32_t offset) {
    for (unsigned left = tile->niu_watchers; left; left &= left - 1) {
        const struct core *core = &tile->core[__builtin_ctz(left)];
        for (unsigned i = 0; i < core->watch_count; i++)
            if (niu_offset(core->watch[i].address) == noc * NIU_SPAN + offset)
                return true;
    }
    return false;
}

static inline uint32_t value_at(const struct tile *tile, uint32_t offset) {
    const struct niu *niu = &tile->niu[offset / NIU_SPAN];
    uint32_t value = 0;
    if (!niu_read_hot(niu, offset % NIU_SPAN, &value))
        (void)niu_peek(niu, offset % NIU_SPAN, &value);
    return value;
}

/* Returns a number that changes whenever a single one of the values changes. */
static __attribute__((noinline)) uint64_t view_of_several(const struct tile *tile, const struct core *core) {
    uint64_t view = 0;
    for (unsigned i = 0; i < core->watch_count; i++) {
        uint32_t offset = niu_offset(core->watch[i].address);
        view *= UINT64_C(0x9E3779B97F4A7C15);
        if (offset < 2 * NIU_SPAN)
            view ^= value_at(tile, offset);
    }
    return view;
}

/* If a core of niu_watchers watches only one word, it is in a NIU. */
static inline uint64_t view_of(const struct tile *tile, const struct core *core) {
    return core->watch_count == 1 ? value_at(tile, niu_offset(core->watch[0].address)) : view_of_several(tile, core);
}

void sleep_see(struct tile *tile, struct sleep_views *views) {
    views->cores = sleep_watchers(tile);
    for (unsigned left = views->cores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        views->of[i] = view_of(tile, &tile->core[i]);
    }
}

/* Returns the cores that watch a NIU and whose views have changed. */
static inline unsigned changed(const struct tile *tile, const struct sleep_views *before) {
    unsigned cores = 0;
    for (unsigned left = before->cores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        cores |= (unsigned)(watches_niu(&tile->core[i]) && view_of(tile, &tile->core[i]) != before->of[i]) << i;
    }
    return cores;
}

void sleep_wake_changed(struct tile *tile, const struct sleep_views *before, uint64_t time) {
    unsigned cores = changed(tile, before);
    if (cores)
        tile_niu_event(tile, time, cores);
}

/* ---- Sleeping on ---------------------------------------------------------------------------------------------- */

/* Returns an instruction of the loop in which the core fell asleep. */
static const struct rv_insn *step_at(const struct core *core, uint32_t pc) {
    return &core->step[pc / 4 % CORE_LOOP_MAX].insn;
}

/* Returns the load of the loop, which may have a fence before or after it. */
static const struct rv_insn *load_of(const struct core *core) {
    const struct rv_insn *first = step_at(core, core->pc);
    return first->id == RV_FENCE ? step_at(core, core->pc + 4) : first;
}

/* Returns the destination register of the load if the loop consists of a load, perhaps a fence, and a backward branch
 * that is taken with this value too. Returns 0 for another loop, or if the loop would end. */
static inline unsigned goes_round(const struct core *core, uint32_t value) {
    const struct rv_insn *load = step_at(core, core->pc), *back = step_at(core, core->poll_pc);
    if (BH_UNLIKELY(core->poll_instructions != 2)) {
        bool fence = load->id == RV_FENCE || step_at(core, core->pc + 4)->id == RV_FENCE;
        load = load_of(core);
        if (core->poll_instructions != 3 || !fence)
            return 0;
    }
    if (load->id != RV_LW || !load->rd)
        return 0;
    uint32_t a = back->rs1 == load->rd ? value : core->x[back->rs1];
    uint32_t b = back->rs2 == load->rd ? value : core->x[back->rs2];
    return core_branches(back->id, a, b) ? load->rd : 0;
}

/* Lets the core make one more round asleep, with the value that it sees now. Returns false if the core has to wake, for
 * example because the host or another agent may look at it during the round. */
static __attribute__((noinline)) bool sleeps_on(struct tile *tile, struct core *core) {
    const struct core_watch *watch = &core->watch[0];
    if (!tile->may_sleep_on || core->watch_count != 1 || core->observer || core->profile || tile->pic_armed)
        return false;
    if (tile->look_from != NEVER && tile->looker != core->id)
        return false; /* one look at a time */
    uint64_t now = core_time(core), last = tile->time + core->poll_cycles - 1 - watch->offset;
    uint64_t top = now + (last > now ? (last - now) / core->poll_cycles * core->poll_cycles : 0);
    uint64_t changes = smaller(niu_due(&tile->niu[0]), niu_due(&tile->niu[1]));
    if (top + core->poll_cycles >= smaller(*tile->run_end, changes))
        return false;
    uint32_t value = tile->watched ? *tile->watched : value_at(tile, niu_offset(watch->address));
    unsigned rd = goes_round(core, value);
    if (!rd)
        return false;
    BH_ASSERT(top >= now && rd < 32 && core->state == BH_CORE_POLLING);
    if (tile->look_from == NEVER)
        tile->look_before = core->x[rd];
    tile->looker = core->id;
    tile->look_from = top;
    core->x[rd] = value;
    return true;
}

/* If tile->watched is set, the only sleeping core watches that counter alone, so it sees the change for certain. */
void sleep_wake_arrived(struct tile *tile, const struct sleep_views *before) {
    unsigned cores = tile->watched ? before->cores : changed(tile, before);
    struct core *core = &tile->core[cores ? __builtin_ctz(cores) : 0];
    bool one = !(cores & (cores - 1));
    if (!cores || (tile->watched && core->state != BH_CORE_POLLING) || (one && sleeps_on(tile, core)))
        return;
    tile_niu_event(tile, tile->time, cores);
}

bool sleep_is_undisturbed(struct tile *tile, uint64_t time) {
    if (time <= tile->look_from)
        return true;
    if (time <= sleep_look_until(tile))
        return false;
    tile->look_from = NEVER;
    return true;
}

void sleep_wake_looker(struct tile *tile) {
    struct core *core = &tile->core[tile->looker];
    BH_ASSERT(tile->looker < BH_CORE_COUNT && tile->look_from != NEVER);
    bool begun = tile->look_from < tile->time, over = sleep_look_until(tile) < tile->time;
    bool there = core->state == BH_CORE_POLLING || core->state == BH_CORE_RUNNING;
    uint64_t look = tile->look_from + core->watch[0].offset;
    tile->look_from = NEVER;
    if (over || !(there || (core->state == BH_CORE_FAULTED && !begun)))
        return;
    core->x[load_of(core)->rd] = tile->look_before;
    if (core->state == BH_CORE_POLLING)
        tile_niu_event(tile, look, 1u << core->id);
}
