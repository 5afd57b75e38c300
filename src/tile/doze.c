/* Cores that sleep until a NIU shows them something else: see doze.h. */
#include "tile/doze.h"
#include "base/order.h"

#include "isa/memmap.h"
#include "isa/riscv.h"

/* ---- Who sleeps, and what they see -------------------------------------------------------------------------- */

/* From the first NIU on; the other one follows it. */
static uint32_t niu_offset(uint32_t address) {
    return address - memmap[MEMMAP_ROW_NIU0].base;
}

static bool is_niu(uint32_t address) {
    return niu_offset(address) < 2 * NIU_SPAN;
}

/* Does the core sleep until a NIU shows something else? */
static inline bool watches_niu(const struct core *core) {
    for (unsigned i = 0; core->state == BH_CORE_POLLING && i < core->watch_count; i++)
        if (is_niu(core->watch[i].address))
            return true;
    return false;
}

void tile_niu_watched(struct tile *tile, const struct core *core) {
    if (watches_niu(core)) {
        tile->niu_watchers |= (uint8_t)(1u << core->id);
        tile_noc_touched(tile, core_time(core));
    }
}

unsigned doze_watchers(struct tile *tile) {
    for (unsigned left = tile->niu_watchers; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (!watches_niu(&tile->core[i]))
            tile->niu_watchers &= (uint8_t) ~(1u << i);
    }
    return tile->niu_watchers;
}

bool doze_watches(const struct tile *tile, unsigned noc, uint32_t offset) {
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
    if (!niu_glance(niu, offset % NIU_SPAN, &value))
        (void)niu_peek(niu, offset % NIU_SPAN, &value);
    return value;
}

/* One to one in each value. */
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

/* Who looks at one word only looks at a NIU. */
static inline uint64_t view_of(const struct tile *tile, const struct core *core) {
    return core->watch_count == 1 ? value_at(tile, niu_offset(core->watch[0].address)) : view_of_several(tile, core);
}

void doze_see(struct tile *tile, struct doze_views *views) {
    views->cores = doze_watchers(tile);
    for (unsigned left = views->cores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        views->of[i] = view_of(tile, &tile->core[i]);
    }
}

/* Those who see something else than before. */
static inline unsigned changed(const struct tile *tile, const struct doze_views *before) {
    unsigned cores = 0;
    for (unsigned left = before->cores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        cores |= (unsigned)(view_of(tile, &tile->core[i]) != before->of[i]) << i;
    }
    return cores;
}

void doze_wake_changed(struct tile *tile, const struct doze_views *before, uint64_t time) {
    unsigned cores = changed(tile, before);
    if (cores)
        tile_event_at(tile, time, cores);
}

/* ---- Sleeping on ---------------------------------------------------------------------------------------------- */

/* Until when nothing else happens to the NIUs, and the tile runs. */
static uint64_t quiet_until(const struct tile *tile) {
    uint64_t end = smaller(tile->until, inbox_due(&tile->mail.inbox));
    if (tile->lone && tile->mail.outbox.count)
        end = smaller(end, smaller(tile->seen_from, tile->time + NOC_LATENCY_MIN));
    return smaller(end, smaller(niu_due(&tile->niu[0]), niu_due(&tile->niu[1])));
}

/* An instruction of the loop: one of those that the core has fallen asleep with. */
static const struct rv_insn *step_at(const struct core *core, uint32_t pc) {
    return &core->step[pc / 4 % CORE_LOOP_MAX].insn;
}

/* A loop of a load, maybe a fence, and the branch back, which is taken with this value too: the register that the value
 * goes to. 0: another loop, or the last round of it. */
static unsigned goes_round(const struct core *core, uint32_t value) {
    const struct rv_insn *load = step_at(core, core->pc), *back = step_at(core, core->poll_pc);
    if (core->poll_instructions > 2 && load->id == RV_FENCE)
        load = step_at(core, core->pc + 4);
    else if (core->poll_instructions > 2 && step_at(core, core->pc + 4)->id != RV_FENCE)
        return 0;
    if (core->poll_instructions > 3 || load->id != RV_LW || !load->rd)
        return 0;
    uint32_t a = back->rs1 == load->rd ? value : core->x[back->rs1];
    uint32_t b = back->rs2 == load->rd ? value : core->x[back->rs2];
    return core_branches(back->id, a, b) ? load->rd : 0;
}

/* One round with what the core sees now, of which nobody will know but by its time. False: it has to wake up. */
static inline bool sleeps_on(struct tile *tile, struct core *core) {
    const struct core_watch *watch = &core->watch[0];
    if (core->watch_count != 1 || core->observer || core->profile || tile->pic_armed || !doze_all_sleep(tile))
        return false;
    uint64_t now = core_time(core), last = tile->time + core->poll_cycles - 1 - watch->offset;
    uint64_t rounds = 1 + (last > now ? (last - now) / core->poll_cycles : 0);
    if (now + rounds * core->poll_cycles >= quiet_until(tile))
        return false;
    uint32_t value = value_at(tile, niu_offset(watch->address));
    unsigned rd = goes_round(core, value);
    if (!rd)
        return false;
    core->x[rd] = value;
    core->retired += rounds * core->poll_instructions;
    core->stalled += (int64_t)(rounds * (core->poll_cycles - core->poll_instructions));
    core->poll_time = core_time(core);
    core->poll_retired = core->retired;
    return true;
}

void doze_wake_arrived(struct tile *tile, const struct doze_views *before) {
    unsigned cores = changed(tile, before);
    bool one = !(cores & (cores - 1));
    if (!cores || (one && sleeps_on(tile, &tile->core[__builtin_ctz(cores)])))
        return;
    tile_event_at(tile, tile->time, cores);
}
