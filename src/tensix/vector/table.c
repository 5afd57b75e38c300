/* The Vector Unit's tables of state, for saving and hashing. */
#include "base/mix.h"
#include "base/state_rows.h"
#include "tensix/state.h"
#include "tensix/vector/vector.h"

/* ---- Results on their way --------------------------------------------------------------------------------- */

#define T struct vector_late
static const struct state_member late_members[] = {
    SAVED(at),
    SAVED(lanes),
    MOST(lreg, uint8_t, VECTOR_NOWHERE),
    SAVED(value),
};
static const struct state_table late_state = STATE_TABLE("vector_late", T, late_members);
#undef T

/* Adds the LRegs to the hash as an instruction of cycle `now` would read them: with late results that can be read. */
static uint64_t see_lregs(uint64_t hash, const void *block, uint64_t now) {
    const struct vector *v = block;
    if (!v->lates && !v->open && !vector_is_forwarded(v, now))
        return mix_bytes(hash, v->lreg, VECTOR_LREGS * sizeof v->lreg[0]);
    uint32_t value[VECTOR_LREGS][LANES];
    for (unsigned i = 0; i < VECTOR_LREGS; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            value[i][lane] = vector_peek(v, i, lane, now);
    return mix_bytes(hash, value, sizeof value);
}

static uint64_t mix_late(uint64_t hash, uint64_t at, unsigned lreg, uint32_t lanes, const uint32_t *value) {
    hash = mix(mix(hash, at), lanes | (uint64_t)lreg << 32);
    for (unsigned lane = 0; lane < LANES; lane++)
        hash = mix(hash, lanes >> lane & 1 ? value[lane] : 0);
    return hash;
}

/* Adds the late results that cannot be read yet to the hash. */
static uint64_t see_lates(uint64_t hash, const void *block, uint64_t now) {
    const struct vector *v = block;
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->at > now)
            hash = mix_late(hash, late->at, late->lreg, late->lanes, late->value);
    }
    if (vector_is_forwarded(v, now))
        hash = mix_late(hash, v->forwarded_until, v->forwarded, v->enabled, v->lreg[v->forwarded]);
    return hash;
}

/* ---- Scheduled instructions ------------------------------------------------------------------------------- */

#define T struct vector_scheduled
static const struct state_member scheduled_members[] = {
    SEEN(word),
    SEEN(address),
    SEEN_MOST(vb, uint8_t, VECTOR_NOWHERE),
    SEEN_MOST(vc, uint8_t, VECTOR_NOWHERE),
    SEEN_MOST(vd, uint8_t, VECTOR_NOWHERE),
    SEEN_MOST(mod, uint8_t, 15),
    SEEN_MOST(thread, uint8_t, 2),
};
static const struct state_table scheduled_state = STATE_TABLE("vector_scheduled", T, scheduled_members);
#undef T

static uint64_t see_ring(uint64_t hash, const void *block, uint64_t now) {
    const struct vector_schedule *s = block;
    for (unsigned i = 0; i < VECTOR_SCHEDULED * VECTOR_DELAYS; i++)
        if (s->waiting >> i & 1)
            hash = state_hash(hash, &scheduled_state, &s->ring[i / VECTOR_DELAYS][(s->first + i) % VECTOR_DELAYS], now);
    return hash;
}

#define T struct vector_schedule
static const struct state_member schedule_members[] = {
    SEEN(waiting),
    SEEN(by_instruction),
    SAVED(executing),
    SAVED(left),
    SAVED(first),
    VIEW_INNER(ring, scheduled_state, see_ring),
    INNER(now, scheduled_state),
};
static const struct state_table schedule_state = STATE_TABLE("vector_schedule", T, schedule_members);
#undef T

static uint64_t see_schedules(uint64_t hash, const void *block, uint64_t now) {
    const struct vector *v = block;
    for (unsigned i = 0; v->macros && i < v->schedules; i++)
        hash = state_hash(hash, &schedule_state, &v->schedule[i], now);
    return hash;
}

/* ---- The unit --------------------------------------------------------------------------------------------- */

#define T struct vector_flags
static const struct state_member flags_members[] = { SEEN(occupied), SEEN(flags), SEEN(use_flags) };
static const struct state_table flags_state = STATE_TABLE("vector_flags", T, flags_members);
#undef T

#define T struct vector_macro_config
static const struct state_member macro_members[] = { SEEN(template), SEEN(sequence), SEEN(misc) };
static const struct state_table macro_state = STATE_TABLE("vector_macro_config", T, macro_members);
#undef T

#define T struct vector
static const struct state_member vector_members[] = {
    SAVED(free_at),
    SAVED(plain_from),
    SAVED(nop_at),
    SAVED(written_at),
    SAVED(written),
    SAVED(second),
    SAVED(second_at),
    SAVED(unsure_at),
    SAVED(forwarded_until),
    MOST(forwarded, uint8_t, VECTOR_NOWHERE),
    FLAG(macros),
    FLAG(open),
    SAVED(ticks),
    MOST(schedules, unsigned, VECTOR_COLUMNS),
    SAVED(clock),
    SAVED(open_at),
    MOST(late_at, unsigned, VECTOR_LATE - 1),
    MOST(lates, unsigned, VECTOR_LATE),
    SEEN(flags),
    SEEN(use_flags),
    SAVED(enabled),
    SAVED(rows_on),
    SAVED(no_backdoor),
    SAVED(dest_index),
    SAVED(exchange),
    SAVED(fp16_inf),
    SAVED(block_write),
    SAVED(block_read),
    SAVED(read_exchange),
    SAVED(write_exchange),
    SAVED(capture_index),
    SAVED(block_mov),
    SAVED(special_vd),
    SAVED(rare_vd),
    FLAG(columns_differ),
    FLAG(moves_differ),
    WIRING(lanes),
    VIEW_GRID(lreg, see_lregs),
    SAVED(old_value),
    SEEN(random),
    INNER(stack, flags_state),
    SEEN(lane_config),
    INNER(macro, macro_state),
    VIEW_INNER_ZERO(late, late_state, see_lates),
    VIEW_INNER_ZERO(schedule, schedule_state, see_schedules),
    ZERO(before),
    DERIVED(habits),
};

static bool is_possible(const void *block) {
    const struct vector *v = block;
    return v->schedules == 1 || v->schedules == VECTOR_COLUMNS || (v->schedules == 0 && !v->macros);
}

const struct state_table vector_state = STATE_CHECKED_TABLE("vector", T, vector_members, is_possible);
#undef T
