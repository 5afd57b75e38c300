/* Tables of the state of the coprocessor, for saving and hashing: its threads, its small units, and the whole. The
 * operands that the Matrix Unit has prepared depend on the host and are computed again. */
#include "tensix/state.h"

#include "base/fault.h"
#include "base/state_rows.h"
#include "tensix/tensix.h"

/* ---- Small units ------------------------------------------------------------------------------------------ */

#define T struct matrix
static const struct state_member matrix_members[] = {
    SAVED(free_at),
    SAVED(only_until),
    SAVED(readers_from),
    SAVED(dst_ready_at),
    SAVED(vector_from),
    SAVED(banks_at),
    SEEN(roundings),
    SAVED(written),
    MOST(block, uint8_t, DST_ROWS / MATRIX_BLOCK - 1),
    SAVED(latency),
    MOST(only, uint8_t, MATRIX_TO_B),
    SEEN_MOST(last_a_row, uint8_t, SRC_ROWS - 1),
};
static const struct state_table matrix_state = STATE_TABLE("matrix", T, matrix_members);
#undef T

#define T struct sync_semaphore
static const struct state_member semaphore_members[] = {
    SEEN_MOST(value, uint8_t, SYNC_SEMAPHORE_TOP),
    SEEN_MOST(max, uint8_t, SYNC_SEMAPHORE_TOP),
    SAVED(posted_by),
    SAVED(got_by),
    SAVED(set_by),
};
static const struct state_table semaphore_state = STATE_TABLE("sync_semaphore", T, semaphore_members);
#undef T

#define T struct sync_mutex
static const struct state_member mutex_members[] = {
    SEEN_MOST(held_by, uint8_t, SYNC_NOBODY),
    MOST(promised, uint8_t, SYNC_NOBODY),
    MOST(wanted, uint8_t, (1 << TENSIX_THREADS) - 1),
    SAVED(usable_at),
};
static const struct state_table mutex_state = STATE_TABLE("sync_mutex", T, mutex_members);
#undef T

#define T struct sync
static const struct state_member sync_members[] = {
    INNER(semaphore, semaphore_state),
    INNER(mutex, mutex_state),
    SAVED(slot_free),
};
static const struct state_table sync_state = STATE_TABLE("sync", T, sync_members);
#undef T

#define T struct scalar
static const struct state_member scalar_members[] = {
    SAVED(busy_until),  MOST(owner, uint8_t, SCALAR_NOBODY), SAVED(first_try), SAVED(last_try), SAVED(next_try),
    SAVED(atomic_free),
};
static const struct state_table scalar_state = STATE_TABLE("scalar", T, scalar_members);
#undef T

#define T struct count_bank
static const struct state_member count_bank_members[] = {
    SEEN_TIME(since),
    SEEN_TIME(until),
    SEEN(period),
    SEEN_MOST(mode, uint8_t, COUNT_MODES - 1),
};
static const struct state_table count_bank_state = STATE_TABLE("count_bank", T, count_bank_members);
#undef T

#define T struct count
static const struct state_member count_members[] = {
    SAVED(units),
    SAVED(threads),
    SAVED(matrix_until),
    SAVED(vector_until),
    MOST(passed, uint8_t, 0), /* nothing runs while a chip is being saved */
    MOST(latched, uint8_t, 15),
    MOST(passed_kind, uint8_t, 8),
    INNER(bank, count_bank_state),
    SEEN_TIME(value),
};
static const struct state_table count_state = STATE_TABLE("count", T, count_members);
#undef T

/* ---- Threads ---------------------------------------------------------------------------------------------- */

/* Hashes the stages as if advanced to cycle `now`, as a reader would see them: the cycle up to which they have really
 * been advanced must not influence the hash. */
static uint64_t see_frontend(uint64_t hash, const void *block, uint64_t now) {
    const struct tensix_thread *t = block;
    struct frontend copy = t->frontend;
    frontend_advance(&copy, now);
    return state_hash(hash, &frontend_state, &copy, now);
}

#define T struct tensix_thread
static const struct state_member thread_members[] = {
    SAVED(due),
    SAVED(frozen_until),
    SAVED(idle_at),
    SAVED(busy),
    INNER(gate, gate_state),
    BITS(wanted, uint32_t, 0x010101),
    SEEN_FLAG(faulted),
    FLAG(by_brisc),
    SAVED(pc),
    SAVED(batch_backoff),
    SAVED(clock),
    SAVED(shared_at),
    SAVED(shared),
    SAVED(room_at),
    MOST(waits_on, uint8_t, WAIT_COUNT - 1),
    VIEW_INNER(frontend, frontend_state, see_frontend),
    INNER(fault, fault_state),
    DERIVED(row),
    WIRING(unused),
};
static const struct state_table thread_state = STATE_TABLE("tensix_thread", T, thread_members);
#undef T

#define T struct tensix_landing
static const struct state_member landing_members[] = {
    SAVED(time),
    BITS(key, uint64_t, UINT64_C(0x0101FFFFFFFF)), /* the last bytes are by_rmw and by_core */
    SAVED(value),
};

static bool is_possible_landing(const void *block) {
    const struct tensix_landing *landing = block;
    if (landing->where > TENSIX_LAND_VECTOR || landing->owner >= TENSIX_THREADS || landing->size > 16)
        return false;
    return landing->where != TENSIX_LAND_GPR || landing->index + (landing->size + 3u) / 4 <= TENSIX_GPRS;
}

static const struct state_table landing_state =
    STATE_CHECKED_TABLE("tensix_landing", T, landing_members, is_possible_landing);
#undef T

/* ---- The coprocessor -------------------------------------------------------------------------------------- */

/* The units are at the coprocessor's own time, not at `now`. */
static uint64_t see_mover(uint64_t hash, const void *block, uint64_t now) {
    const struct tensix *x = block;
    (void)now;
    return state_hash(hash, &mover_state, &x->mover, x->time);
}

static uint64_t see_pack(uint64_t hash, const void *block, uint64_t now) {
    const struct tensix *x = block;
    (void)now;
    return state_hash(hash, &pack_state, &x->pack, x->time);
}

static uint64_t see_unpack(uint64_t hash, const void *block, uint64_t now) {
    const struct tensix *x = block;
    (void)now;
    return state_hash(hash, &unpack_state, &x->unpack, x->time);
}

static uint64_t see_vector(uint64_t hash, const void *block, uint64_t now) {
    const struct tensix *x = block;
    (void)now;
    return state_hash(hash, &vector_state, &x->vector, x->time);
}

#define T struct tensix
static const struct state_member tensix_members[] = {
    SAVED(time),
    SAVED(look_at),
    SAVED(next_landing),
    SAVED(last_landing),
    SAVED(data_due),
    SAVED(alarm),
    SAVED(held),
    MOST(undecided, uint8_t, (1 << TENSIX_THREADS) - 1),
    MOST(debug_owns, uint8_t, (1 << TENSIX_THREADS) - 1),
    FLAG(running),
    MOST(direct_push_mask, uint8_t, (1 << TENSIX_THREADS) - 1),
    SAVED(until),
    SAVED(next_other_event),
    SAVED(handler_only_until),
    SAVED(lead),
    SAVED(yield_at),
    SAVED(limit),
    SAVED(core_clock),
    SAVED(event_at),
    SAVED(handed_at),
    MOST(handed_by, uint8_t, TENSIX_THREADS - 1),
    FLAG(src_bound),
    WIRING(batch),
    WIRING(observer),
    WIRING(hazards),
    WIRING(vary),
    WIRING(port),
    WIRING(owner),
    WIRING(l1),
    WIRING(error),
    WIRING(loose),
    SEEN_MOST(counting, uint8_t, (1 << PERF_BANKS) - 1),
    MOST(landing_at, unsigned, TENSIX_LANDINGS - 1),
    MOST(landings, unsigned, TENSIX_LANDINGS - 1),
    INNER(rwc, rwc_state),
    INNER(matrix, matrix_state),
    INNER(sync, sync_state),
    INNER(scalar, scalar_state),
    INNER(packer, packer_state),
    VIEW_INNER(mover, mover_state, see_mover),
    INNER(adc, adc_state),
    INNER(config, config_state),
    PARTS(thread, thread_state),
    VIEW_INNER(pack, pack_state, see_pack),
    VIEW_INNER(unpack, unpack_state, see_unpack),
    SEEN_GRID_ZERO(gpr),
    INNER_ZERO(landing, landing_state),
    VIEW_PARTS(vector, vector_state, see_vector),
    PARTS(src, src_state),
    PARTS(dst, dst_state),
    INNER(count, count_state),
    DERIVED(prepared),
    DERIVED(plans),
};

/* Without this, a run would take landings from an empty ring. */
static bool is_possible(const void *block) {
    const struct tensix *x = block;
    return x->landings || x->next_landing == TENSIX_NEVER;
}

const struct state_table tensix_state = STATE_CHECKED_TABLE("tensix", T, tensix_members, is_possible);
#undef T
