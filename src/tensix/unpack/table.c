/* The unpackers' tables of state, for saving and hashing. */
#include "base/mix.h"
#include "base/state_rows.h"
#include "tensix/state.h"
#include "tensix/unpack/unpack.h"

#define T struct unpack_input
static const struct state_member input_members[] = {
    SEEN(data),
    SEEN(exponents),
    SEEN(deltas),
    SAVED(limit),
    SAVED(fifo),
    SEEN(count),
    SEEN(drop),
    SEEN(emit),
    SEEN(stride),
    MOST(piece, uint8_t, 32),
    MOST(bits, uint8_t, 32),
    SAVED(exponent),
    FLAG(forced),
    FLAG(shared),
    FLAG(compressed),
};

static bool is_possible_input(const void *block) {
    const struct unpack_input *in = block;
    return !in->piece || in->piece == 16 || in->piece == 32;
}

static const struct state_table input_state = STATE_CHECKED_TABLE("unpack_input", T, input_members, is_possible_input);
#undef T

#define T struct unpack_output
static const struct state_member output_members[] = {
    SEEN(address),   SEEN(zeros),    FLAG(skip), SEEN(shift),  SEEN_FLAG(dst),
    FLAG(transpose), FLAG(absolute), FLAG(zero), FLAG(spread),
};
static const struct state_table output_state = STATE_TABLE("unpack_output", T, output_members);
#undef T

static uint64_t see_ready(uint64_t hash, const void *block, uint64_t now) {
    const struct unpack_job *job = block;
    return mix(hash, state_cycles_left(job->ready, now));
}

#define T struct unpack_job
static const struct state_member job_members[] = {
    VIEW_TIME(ready, see_ready),
    SEEN(word),
    MOST(kind, uint8_t, UNPACK_PAUSE),
    SEEN_MOST(thread, uint8_t, 2),
    MOST(waits_for, uint8_t, UNPACK_MATRIX_BANK),
    SEEN_MOST(bank, uint8_t, 1),
    SEEN_MOST(path, uint8_t, UNPACK_PATHS - 1),
    SEEN_MOST(format, uint8_t, 31),
    FLAG(flip),
    FLAG(whole_rows),
    FLAG(advance),
    SEEN(row),
    SEEN_MOST(rate, uint8_t, 8),
    SEEN(units),
    SAVED(datum),
    INNER(in, input_state),
    INNER(out, output_state),
};
static const struct state_table job_state = STATE_TABLE("unpack_job", T, job_members);
#undef T

/* Adds the jobs in the queue to the hash, and the end of the one that runs. */
static uint64_t see_jobs(uint64_t hash, const void *block, uint64_t now) {
    const struct unpacker *u = block;
    for (unsigned i = 0; i < u->count; i++)
        hash = state_hash(hash, &job_state, &u->job[(u->first + i) % UNPACK_JOBS], now);
    return mix(hash, u->phase == UNPACK_RUNS ? u->end - now : u->count);
}

#define T struct unpacker
static const struct state_member unpacker_members[] = {
    MOST(first, uint8_t, UNPACK_JOBS - 1),
    MOST(count, uint8_t, UNPACK_JOBS),
    MOST(phase, uint8_t, UNPACK_RUNS),
    SAVED(since),
    SAVED(end),
    SAVED(clock),
    VIEW_INNER(job, job_state, see_jobs),
};

/* Checks loaded state: an unpacker is in UNPACK_EMPTY if and only if it has no job, and every job has a rate and a
 * size. */
static bool is_possible(const void *block) {
    const struct unpacker *u = block;
    if (!u->count != (u->phase == UNPACK_EMPTY))
        return false;
    for (unsigned i = 0; i < u->count; i++) {
        const struct unpack_job *job = &u->job[(u->first + i) % UNPACK_JOBS];
        if (!job->rate || (job->kind == UNPACK_MOVE && (!job->in.piece || !job->in.bits)))
            return false;
    }
    return true;
}

static const struct state_table unpacker_state = STATE_CHECKED_TABLE("unpacker", T, unpacker_members, is_possible);
#undef T

#define T struct unpack
static const struct state_member unpack_members[] = {
    SAVED(due),
    SAVED(address_free),
    FLAG(waits),
    INNER(unit, unpacker_state),
};
const struct state_table unpack_state = STATE_TABLE("unpack", T, unpack_members);
#undef T
