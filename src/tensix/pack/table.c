/* The packer's tables of state, for saving and hashing. */
#include "base/mix.h"
#include "base/state_rows.h"
#include "tensix/pack/pack.h"
#include "tensix/state.h"

/* ---- Jobs ------------------------------------------------------------------------------------------------- */

static uint64_t see_input(uint64_t hash, const void *block, uint64_t now) {
    const struct pack_input *in = block;
    (void)now;
    if (in->source == PACK_FROM_DST)
        hash = mix_bytes(hash, in->row, in->rows * sizeof in->row[0]);
    if (in->masked)
        hash = mix_bytes(hash, in->keep, (in->rows < PACK_ROWS ? in->rows : PACK_ROWS) * sizeof in->keep[0]);
    if (in->source == PACK_FROM_L1)
        hash = mix(hash, in->address | (uint64_t)in->count << 32);
    return hash;
}

#define T struct pack_input
static const struct state_member input_members[] = {
    SEEN_MOST(source, uint8_t, PACK_FROM_NOTHING),
    SEEN_FLAG(wide),
    FLAG(masked),
    SEEN(rows),
    MOST(row, uint16_t, DST_ROWS - 1),
    SAVED(keep),
    SEEN(take),
    MOST(bytes, uint8_t, 4),
    SAVED(address),
    VIEW(count, see_input),
};

static bool is_possible_input(const void *block) {
    const struct pack_input *in = block;
    return in->source != PACK_FROM_DST || in->rows <= PACK_ROWS;
}

static const struct state_table input_state = STATE_CHECKED_TABLE("pack_input", T, input_members, is_possible_input);
#undef T

#define T struct pack_open
static const struct state_member open_members[] = {
    SEEN_MOST(kind, uint8_t, PACK_KINDS - 1),
    SEEN_MOST(out, uint8_t, PACK_OUTS - 1),
    MOST(bits, uint8_t, 32),
    FLAG(shared),
    SEEN_FLAG(random),
    SEEN_FLAG(add),
    SEEN_FLAG(compress),
};
static const struct state_table open_state = STATE_TABLE("pack_open", T, open_members);
#undef T

#define T struct pack_path
static const struct state_member path_members[] = {
    SEEN_MOST(early, uint8_t, PACK_EARLIES - 1),
    MOST(kind, uint8_t, PACK_KINDS - 1),
    SEEN_MOST(shift, uint8_t, 31),
    SEEN_MOST(relu, uint8_t, 3),
    SEEN(threshold),
    SEEN(below),
    FLAG(narrow),
    SEEN_FLAG(random),
    FLAG(as_it_is),
    FLAG(one_step),
    SEEN(edge),
    INNER(open, open_state),
};
static const struct state_table path_state = STATE_TABLE("pack_path", T, path_members);
#undef T

#define T struct pack_output
static const struct state_member output_members[] = {
    SEEN(address),     SEEN_FLAG(new),   FLAG(last),
    FLAG(flush),       FLAG(concat),     SEEN_FLAG(fifo),
    SEEN_FLAG(header), SEEN_FLAG(flags), MOST(pad, uint8_t, PACK_PAD_END),
};
static const struct state_table output_state = STATE_TABLE("pack_output", T, output_members);
#undef T

static uint64_t see_end(uint64_t hash, const void *block, uint64_t now) {
    const struct pack_job *job = block;
    return mix(hash, job->end - now);
}

#define T struct pack_job
static const struct state_member job_members[] = {
    VIEW_TIME(end, see_end),
    SEEN(word),
    SEEN_MOST(task, uint8_t, PACK_HALF),
    SEEN_MOST(thread, uint8_t, 2),
    FLAG(whole),
    FLAG(first),
    SAVED(cycles),
    INNER(in, input_state),
    INNER(path, path_state),
    INNER(out, output_state),
};

/* Checks a loaded job. For data from L1, `early` is an enum pack_load. */
static bool is_possible_job(const void *block) {
    const struct pack_job *job = block;
    return job->in.source != PACK_FROM_L1 || job->path.early < PACK_LOADS;
}

static const struct state_table job_state = STATE_CHECKED_TABLE("pack_job", T, job_members, is_possible_job);
#undef T

/* ---- The packer ------------------------------------------------------------------------------------------- */

static uint64_t see_bytes(uint64_t hash, const void *block, uint64_t now) {
    const struct pack_stream *stream = block;
    (void)now;
    return mix_bytes(hash, stream->byte, stream->filled);
}

#define T struct pack_stream
static const struct state_member stream_members[] = {
    SEEN(address),
    SEEN_MOST(filled, uint8_t, PACK_UNIT),
    VIEW(byte, see_bytes),
};
static const struct state_table stream_state = STATE_TABLE("pack_stream", T, stream_members);
#undef T

#define T struct pack_run
static const struct state_member run_members[] = { SEEN_FLAG(open), SEEN_MOST(zeros, uint8_t, 15), SEEN_FLAG(some) };
static const struct state_table run_state = STATE_TABLE("pack_run", T, run_members);
#undef T

#define T struct pack_compressed
static const struct state_member compressed_members[] = {
    INNER(run, run_state),        SEEN(data),  SEEN_MOST(in_group, uint8_t, PACK_GROUP),
    SEEN_MOST(rows, uint8_t, 32), SEEN(zeros),
};
static const struct state_table compressed_state = STATE_TABLE("pack_compressed", T, compressed_members);
#undef T

static uint64_t see_jobs(uint64_t hash, const void *block, uint64_t now) {
    const struct pack *pack = block;
    for (unsigned i = 0; i < pack->count; i++)
        hash = state_hash(hash, &job_state, &pack->job[(pack->first + i) % PACK_JOBS], now);
    return hash;
}

/* Adds the settings of the last tile to the hash, as far as they can still have an effect. */
static uint64_t see_open(uint64_t hash, const void *block, uint64_t now) {
    const struct pack *pack = block;
    (void)now;
    return mix(hash, pack->open.kind | (uint64_t)pack->open.out << 8 | (uint64_t)pack->open.add << 16);
}

static uint64_t see_rest(uint64_t hash, const void *block, uint64_t now) {
    const struct pack *pack = block;
    bool words = pack_is_words((enum pack_kind)pack->open.kind);
    (void)now;
    return mix_bytes(hash, &pack->rest, pack->rests * (words ? 4u : 2u));
}

#define T struct pack
static const struct state_member pack_members[] = {
    SAVED(due),
    SAVED(free_at),
    SAVED(gate_at),
    MOST(first, uint8_t, PACK_JOBS - 1),
    MOST(count, uint8_t, PACK_JOBS),
    VIEW_INNER(job, job_state, see_jobs),
    SEEN(position),
    SEEN(plane),
    SEEN_FLAG(placed),
    VIEW_INNER(open, open_state, see_open),
    INNER(stream, stream_state),
    VIEW(rest, see_rest),
    SEEN_MOST(rests, uint8_t, PACK_DATA),
    INNER(compressed, compressed_state),
    SEEN(packed),
    SEEN(units),
    SEEN(register_data),
    SEEN(random),
};
const struct state_table pack_state = STATE_TABLE("pack", T, pack_members);
#undef T
