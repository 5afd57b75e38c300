/* Records events of the coprocessor for an observer: instructions at the gates, and busy units.
 *
 * A unit is busy while an instruction keeps others from entering it. Inexact: instructions that SFPLOADMACRO has
 * scheduled do not count for the Vector Unit, and a cycle by which a register write delays the packer is recorded only
 * with the packer's next instruction. */
#include "tensix/tensix.h"

enum { NO_TRACK = BH_TRACK_COUNT };

/* Instructions of the Wait Gate and of the frontend enter no unit. */
static const uint8_t track_of_unit[TENSIX_UNIT_COUNT] = {
    [TENSIX_UNIT_FRONTEND] = NO_TRACK,
    [TENSIX_UNIT_GATE] = NO_TRACK,
    [TENSIX_UNIT_MATRIX] = BH_TRACK_MATRIX,
    [TENSIX_UNIT_MOVER] = BH_TRACK_MOVER,
    [TENSIX_UNIT_PACKER] = BH_TRACK_PACK,
    [TENSIX_UNIT_UNPACKER] = BH_TRACK_UNPACK0,
    [TENSIX_UNIT_MISC] = BH_TRACK_MISC,
    [TENSIX_UNIT_SCALAR] = BH_TRACK_SCALAR,
    [TENSIX_UNIT_VECTOR] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_VECTOR_LOAD] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_VECTOR_STORE] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_VECTOR_SIMPLE] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_VECTOR_MAD] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_VECTOR_ROUND] = BH_TRACK_VECTOR,
    [TENSIX_UNIT_SYNC] = BH_TRACK_SYNC,
    [TENSIX_UNIT_CONFIG] = BH_TRACK_CONFIG,
};

unsigned tensix_track_of(const struct tensix_row *row) {
    return track_of_unit[row->unit];
}

/* Returns whether the unit itself records when it is busy. */
static bool records_itself(unsigned track) {
    return track == NO_TRACK || track == BH_TRACK_UNPACK0 || track == BH_TRACK_MOVER;
}

static uint64_t busy_until(const struct tensix *x, unsigned track, uint64_t now) {
    uint64_t until = now + 1;
    switch (track) {
    case BH_TRACK_MATRIX: until = x->matrix.free_at; break;
    case BH_TRACK_VECTOR: until = x->vector.free_at; break;
    case BH_TRACK_PACK: until = x->pack.free_at; break;
    case BH_TRACK_SCALAR: until = x->scalar.busy_until; break;
    default: break;
    }
    return until > now && until != TENSIX_NEVER ? until : now + 1;
}

static void held(struct tensix *x, unsigned thread, const char *why, uint64_t start, uint64_t end) {
    struct observer *o = x->observer;
    const struct observe_held *h = &o->held[thread];
    const struct tensix_row *row = tensix_decode(h->word);
    if (start >= end)
        return;
    observe_wait(o, (enum bh_track)(BH_TRACK_T0 + thread),
                 (struct bh_event){ .start = start, .end = end, .name = why, .word = h->word, .pc = h->pc });
    if (row && !records_itself(tensix_track_of(row)))
        observe_stall(&o->track[tensix_track_of(row)], why, 0, end - start);
}

/* The packer starts one cycle after the pass. */
static void passed(struct tensix *x, unsigned thread, const struct tensix_row *row, struct bh_event event) {
    struct observer *o = x->observer;
    unsigned track = tensix_track_of(row);
    uint64_t now = event.start;
    o->mix[thread][row - tensix_rows]++;
    observe_work(o, (enum bh_track)(BH_TRACK_T0 + thread), event);
    if (records_itself(track))
        return;
    event.start = now + (track == BH_TRACK_PACK);
    event.end = busy_until(x, track, now);
    observe_work(o, (enum bh_track)track, event);
}

void tensix_observe(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, uint64_t now, uint64_t again) {
    struct observe_held *h = &x->observer->held[thread];
    const struct tensix_row *row = tensix_decode(word);
    if (h->why)
        held(x, thread, h->why, h->since, now);
    *h = (struct observe_held){ .since = now, .word = word, .pc = pc };
    if (again > TENSIX_PASSED_NEXT) {
        if (!x->thread[thread].faulted)
            h->why = tensix_held_by(x, thread, word, now);
        return;
    }
    if (again == TENSIX_PASSED_NEXT)
        held(x, thread, "a result or the second cycle of an instruction of the Vector Unit", now, now + 1);
    now += again;
    if (row)
        passed(
            x, thread, row,
            (struct bh_event){ .start = now, .end = now + 1, .name = row->name, .count = 1, .word = word, .pc = pc });
}

/* ---- Units that begin and end by themselves ------------------------------------------------------------- */

static void unpacker_ended(struct observer *o, unsigned unpacker, const struct observe_job *job, uint64_t now) {
    enum bh_track track = (enum bh_track)(BH_TRACK_UNPACK0 + unpacker);
    const struct tensix_row *row = tensix_decode(job->word);
    struct bh_event event = { .start = job->since, .end = now, .word = job->word };
    if (job->phase == UNPACK_NO_BANK) {
        event.name = wait_text(unpacker ? WAIT_SRCB_RETURN : WAIT_SRCA_RETURN);
        observe_wait(o, track, event);
    } else if (job->phase == UNPACK_RUNS && row) {
        event.name = row->name;
        event.count = 1;
        o->unit_mix[unpacker][row - tensix_rows]++;
        observe_work(o, track, event);
    }
}

void tensix_observe_unpackers(struct tensix *x, uint64_t now) {
    for (unsigned i = 0; i < UNPACKERS; i++) {
        const struct unpacker *u = &x->unpack.unit[i];
        struct observe_job *job = &x->observer->job[i];
        if (u->phase == job->phase && u->first == job->first)
            continue;
        unpacker_ended(x->observer, i, job, now);
        *job = (struct observe_job){
            .since = u->phase == UNPACK_RUNS ? u->since : now,
            .word = u->job[u->first].word,
            .first = u->first,
            .phase = u->phase,
            .thread = u->job[u->first].thread,
        };
    }
}

void tensix_observe_mover(struct tensix *x, uint64_t from, uint32_t tasks) {
    observe_work(x->observer, BH_TRACK_MOVER,
                 (struct bh_event){ .start = from, .end = x->mover.busy_until, .name = "XMOV", .count = tasks });
}
