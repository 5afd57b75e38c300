/* The state table of a core. Decoded code is derived and outside the struct. */
#include "base/fault.h"
#include "base/mix.h"
#include "base/state_rows.h"
#include "riscv/core.h"

/* Hashes the state. A core in a polling loop counts as running, whether it sleeps or not, because where in the loop it
 * is depends on when it fell asleep. */
static uint64_t see_state(uint64_t hash, const void *block, uint64_t now) {
    const struct core *core = block;
    (void)now;
    return mix(hash, core->state == BH_CORE_POLLING ? BH_CORE_RUNNING : core->state);
}

static uint64_t see_pc(uint64_t hash, const void *block, uint64_t now) {
    const struct core *core = block;
    (void)now;
    return core->state == BH_CORE_POLLING ? hash : mix(hash, core->pc);
}

static uint64_t see_x(uint64_t hash, const void *block, uint64_t now) {
    const struct core *core = block;
    (void)now;
    return mix_bytes(hash, core->x, 32 * sizeof core->x[0]);
}

static uint64_t see_ldm(uint64_t hash, const void *block, uint64_t now) {
    const struct core *core = block;
    (void)now;
    return mix_bytes(hash, core->ldm, core->ldm_size);
}

static uint64_t see_fault(uint64_t hash, const void *block, uint64_t now) {
    const struct core *core = block;
    (void)now;
    return core->state == BH_CORE_FAULTED ? mix(mix(hash, core->fault.kind), core->fault.address) : hash;
}

#define T struct core_watch
static const struct state_member watch_members[] = { SAVED(address), SAVED(size), SAVED(offset) };
static const struct state_table watch_state = STATE_TABLE("core_watch", T, watch_members);
#undef T

/* Only TRISC2 has these registers; in other cores they keep their power-on values. */
#define T struct vec_state
static const struct state_member vec_members[] = {
    SEEN(v),
    SEEN_MOST(vl, uint32_t, 128),
    SEEN(vtype),
    MOST(vlenb, uint32_t, 16),
    SEEN_MOST(vxsat, uint32_t, 1),
    SEEN_MOST(vxrm, uint32_t, 3),
    SAVED(wait_word),
    SAVED(wait_done),
};
static const struct state_table vec_table = STATE_TABLE("vec_state", T, vec_members);
#undef T

#define T struct core_fetch
static const struct state_member fetch_members[] = {
    MOST(block, uint32_t, FETCH_NO_BLOCK),
    MOST(lacking, uint32_t, 0xFF),
    FLAG(fills),
    MOST(replaced, uint32_t, FETCH_NO_BLOCK),
    SAVED(set),
    SAVED(taken),
    SAVED(old),
    SAVED(shared),
};
static const struct state_table fetch_state = STATE_TABLE("core_fetch", T, fetch_members);
#undef T

#define T struct burst_window
static const struct state_member window_members[] = { SAVED(number), SAVED(count) };
static const struct state_table window_state = STATE_TABLE("burst_window", T, window_members);
#undef T

#define T struct core_burst
static const struct state_member burst_members[] = {
    INNER(window, window_state),
    SAVED(present),
    MOST(hold8, uint32_t, BURST_MOST8),
    MOST(carry8, uint32_t, 7),
    MOST(extra, uint32_t, BURST_MOST8 / 8 + 1),
    MOST(loads, uint32_t, RV_PART_LOAD_QUEUE - 1),
    MOST(store8, uint32_t, BURST_MOST8),
};
static const struct state_table burst_state = STATE_TABLE("core_burst", T, burst_members);
#undef T

#define T struct fetch_code
static const struct state_member code_members[] = { ZERO(block) };
static const struct state_table code_state = STATE_TABLE("fetch_code", T, code_members);
#undef T

#define T struct core_l0
static const struct state_member l0_members[] = {
    MOST(tag, uint32_t, CORE_L1_SIZE / L0_LINE),
    SAVED(data),
    MOST(next, uint8_t, L0_LINES - 1),
    MOST(requests, uint8_t, L0_FLUSH_EVERY - 1),
};
static const struct state_table l0_state = STATE_TABLE("core_l0", T, l0_members);
#undef T

#define T struct core
static const struct state_member core_members[] = {
    VIEW(pc, see_pc),
    VIEW_MOST(state, uint8_t, BH_CORE_FAULTED, see_state),
    WIRING(id),
    FLAG(preempted),
    FLAG(moved),
    SAVED(retired),
    SAVED(stalled),
    SAVED(store_free8),
    SAVED(store_last),
    MOST(ldm_limit, uint32_t, CORE_LDM_MAX),
    WIRING(l1),
    WIRING(slots),
    SAVED(limit8),
    MOST(waits_on, uint8_t, WAIT_COUNT - 1),
    SAVED(poll_time),
    SAVED(poll_retired),
    SAVED(poll_pc),
    SAVED(waits_at),
    SAVED(poll_cycles),
    SAVED(poll_instructions),
    SAVED(poll_last),
    FLAG(watches_registers),
    MOST(poll_l0, uint8_t, POLL_HITS),
    SAVED(poll_miss),
    SAVED(poll_at),
    MOST(watch_count, uint32_t, CORE_WATCH_MAX),
    INNER(watch, watch_state),
    WIRING(marks),
    VIEW(x, see_x),
    WIRING(l1_limit),
    SAVED(ready8),
    INNER(fetch, fetch_state),
    SAVED(float_ready),
    WIRING(name),
    WIRING(l1_size),
    WIRING(ldm_size),
    WIRING(default_pc),
    WIRING(loose),
    WIRING(sleepless),
    WIRING(coverage),
    WIRING(memo),
    WIRING(observer),
    WIRING(profile),
    WIRING(steps),
    WIRING(reports),
    WIRING(debugged),
    DERIVED(caches),
    WIRING(port),
    WIRING(owner),
    SEEN(f),
    SEEN(cfg0),
    SEEN(fcsr),
    SEEN(pmacfg),
    SEEN(scratch),
    SEEN(sstatus),
    SEEN(frozen_status),
    SEEN(mcountinhibit),
    SEEN(hpm_event),
    SAVED(hpm_counter),
    SAVED(cycle_base),
    SAVED(retired_base),
    SAVED(waited),
    SEEN(intp_restore_pc),
    SEEN(return_pc),
    SEEN_FLAG(in_interrupt),
    SAVED(ldm_ready),
    INNER(burst, burst_state),
    INNER(l0, l0_state),
    INNER_ZERO(code, code_state),
    VIEW_ZERO(ldm, see_ldm),
    INNER(vec, vec_table),
    DERIVED(step),
    VIEW_INNER(fault, fault_state, see_fault),
};

const struct state_table core_state = STATE_TABLE("core", T, core_members);
#undef T
