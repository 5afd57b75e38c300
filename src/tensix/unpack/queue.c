/* The queues of the unpackers: jobs run one after the other and wait for banks of Src.
 *
 * Two unpackers that fetch at the same time do not slow each other. UNPACR_Regular.md says that they do, but of
 * Wormhole: Blackhole cards take as long for two tiles at once as for one (docs/formats.md). */
#include "base/order.h"
#include "tensix/clock.h"

void unpack_init(struct unpack *unpack) {
    unpack->due = TENSIX_NEVER;
    for (unsigned i = 0; i < UNPACKERS; i++)
        unpack->unit[i].end = TENSIX_NEVER;
}

static const enum tensix_busy busy_of[UNPACKERS] = { TENSIX_BUSY_UNPACK0, TENSIX_BUSY_UNPACK1 };

/* ---- Busy threads ----------------------------------------------------------------------------------- */

static inline void set_busy(struct tensix *x, unsigned unpacker, unsigned thread, uint64_t until) {
    if (x->thread[thread].busy[busy_of[unpacker]] != until)
        tensix_set_busy(&x->thread[thread], busy_of[unpacker], until);
}

/* Updates the end of the busy time of the first job's thread. The end is known only if the thread has no other job
 * here. Other threads need no update: the end of a later job is unknown, and unpack_queue has recorded that. */
static inline void set_first_busy(struct tensix *x, unsigned unpacker) {
    struct unpacker *u = &x->unpack.unit[unpacker];
    unsigned thread = u->job[u->first].thread;
    if (!u->count)
        return;
    for (unsigned i = 1; i < u->count; i++)
        if (unpack_job_at(u, i)->thread == thread)
            return;
    set_busy(x, unpacker, thread, u->phase == UNPACK_RUNS ? u->end : TENSIX_NEVER);
}

/* ---- Running ------------------------------------------------------------------------------------------- */

/* Returns the first cycle in which the job has its bank, as far as that is known. */
static inline uint64_t bank_from(const struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    const struct src *src = &x->src;
    const uint8_t *banks = job->waits_for == UNPACK_MATRIX_BANK ? src->matrix_bank : src->unpacker_bank;
    return job->waits_for == UNPACK_NO_BANKS ? 0 : src_free_from(src, unpacker, banks[unpacker]);
}

/* The cycles of a job that fetches nothing. */
enum { LEAST_CYCLES = TENSIX_LATENCY_UNPACR - TENSIX_OCCUPANCY_UNPACR };

/* Returns the cycles for which a job fetches. Rates are powers of two. */
static inline uint64_t cycles_of(const struct unpack_job *job) {
    unsigned shift = (unsigned)__builtin_ctz(job->rate);
    uint64_t cycles = (job->units + (UINT64_C(1) << shift) - 1) >> shift;
    return cycles ? cycles : LEAST_CYCLES;
}

/* Starts the first job. Precondition: the job is ready and the unpackers own its bank. */
static inline void start(struct unpacker *u, uint64_t now) {
    BH_ASSERT(u->count && u->job[u->first].ready <= now);
    u->phase = UNPACK_RUNS;
    u->since = now;
    u->end = now + cycles_of(&u->job[u->first]);
}

/* Brings the first job to the furthest phase that it can reach. */
static inline void begin(struct tensix *x, unsigned unpacker, uint64_t now) {
    struct unpacker *u = &x->unpack.unit[unpacker];
    const struct unpack_job *job = &u->job[u->first];
    u->end = TENSIX_NEVER;
    if (!u->count) {
        u->phase = UNPACK_EMPTY;
    } else if (job->ready > now) {
        u->phase = UNPACK_NOT_READY;
        u->end = job->ready;
    } else if (bank_from(x, unpacker, job) > now) {
        u->phase = UNPACK_NO_BANK;
    } else {
        start(u, now);
    }
}

/* ---- The end of a job -------------------------------------------------------------------------------------- */

/* With loose timing, other threads see the hand-over at the clock at which the job could have ended at the earliest,
 * given the clock at which its thread queued it. */
static inline void note_hand_over(struct tensix *x, unsigned unpacker, uint64_t now) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    if (BH_UNLIKELY(x->loose))
        tensix_note_hand_over(x, u->job[u->first].thread,
                              later(tensix_clock(x, now), u->clock[u->first] + (now - u->since)));
}

static inline void hand_over(struct tensix *x, unsigned unpacker, const struct unpack_job *job, uint64_t now) {
    uint8_t *row = &x->src.unpacker_row[unpacker][job->thread];
    struct src_change change = { .take = 1 << SRC_A | 1 << SRC_B, .format = { job->format, job->format } };
    if (BH_UNLIKELY(x->hazards != NULL))
        tensix_hazards_unpacked(x, unpacker, job, now);
    if (job->flip && BH_LIKELY(!(src_stuck(x->held) >> unpacker & 1))) {
        src_apply_to(&x->src, unpacker, &change, 0);
        note_hand_over(x, unpacker, now);
    }
    if (job->flip)
        *row = job->row;
    else if (job->advance)
        *row = (uint8_t)((*row + 16 + job->row) % SRC_ROWS);
}

static void perform(struct tensix *x, unsigned unpacker, const struct unpack_job *job, uint64_t now) {
    const char *bad = NULL;
    switch (job->kind) {
    case UNPACK_MOVE: bad = unpack_move(x, unpacker, job); break;
    case UNPACK_CLEAR: unpack_clear(x, unpacker, job); break;
    case UNPACK_POP: unpack_pop(x, job, now); break;
    default: break;
    }
    if (BH_UNLIKELY(bad))
        tensix_fault(x, job->thread, BH_FAULT_UNDEFINED, job->word, 0, now, "%s", bad);
    else
        hand_over(x, unpacker, job, now);
}

/* Ends a job. If SETDVALID has given its bank to the Matrix Unit meanwhile, the job waits for the bank again. */
static inline void finish(struct tensix *x, unsigned unpacker, uint64_t now) {
    struct unpacker *u = &x->unpack.unit[unpacker];
    const struct unpack_job *job = &u->job[u->first];
    BH_ASSERT(u->count && u->phase == UNPACK_RUNS && u->end == now);
    if (BH_UNLIKELY(bank_from(x, unpacker, job) > now)) {
        u->phase = UNPACK_NO_BANK;
        u->end = TENSIX_NEVER;
        return;
    }
    perform(x, unpacker, job, now);
    u->first = (uint8_t)((u->first + 1) % UNPACK_JOBS);
    u->count--;
    begin(x, unpacker, now);
}

/* Returns whether to wake other agents. They wait for the end of a job, so its start wakes none. */
static inline bool step_one(struct tensix *x, unsigned unpacker, uint64_t now) {
    struct unpacker *u = &x->unpack.unit[unpacker];
    if (u->phase != UNPACK_NO_BANK && u->end > now)
        return false;
    if (u->phase == UNPACK_RUNS) {
        finish(x, unpacker, now);
        return true;
    }
    begin(x, unpacker, now);
    return false;
}

/* ---- Time ------------------------------------------------------------------------------------------------ */

/* Returns when a job that waits for its bank has it, or UINT64_MAX if it does not wait or nobody knows. */
static inline uint64_t begins_at(const struct tensix *x, unsigned unpacker) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    return u->phase == UNPACK_NO_BANK ? bank_from(x, unpacker, &u->job[u->first]) : UINT64_MAX;
}

static inline void schedule(struct tensix *x, uint64_t now) {
    struct unpack *unpack = &x->unpack;
    const struct unpacker *a = &unpack->unit[0], *b = &unpack->unit[1];
    unpack->due = smaller(a->end, b->end);
    unpack->waits = a->phase == UNPACK_NO_BANK || b->phase == UNPACK_NO_BANK;
    if (unpack->waits) {
        uint64_t begins = smaller(begins_at(x, 0), begins_at(x, 1));
        unpack->due = smaller(unpack->due, smaller(later(begins, now + 1), matrix_banks_again(&x->matrix, now)));
    }
    tensix_data_due(x);
}

/* The order of the two unpackers does not matter: each has its own banks, and a job that begins in this cycle ends in a
 * later one. */
void unpack_step(struct tensix *x, uint64_t now) {
    BH_ASSERT(x->unpack.due == now);
    bool changed = step_one(x, 0, now);
    changed |= step_one(x, 1, now);
    set_first_busy(x, 0);
    set_first_busy(x, 1);
    schedule(x, now);
    if (BH_UNLIKELY(x->observer))
        tensix_observe_unpackers(x, now);
    if (changed)
        tensix_wake(x, now);
}

void unpack_event(struct tensix *x, uint64_t time) {
    uint64_t begins = later(smaller(begins_at(x, 0), begins_at(x, 1)), time);
    if (x->matrix.banks_at >= time) /* a change of owners may still land */
        begins = time;
    if (begins >= x->unpack.due)
        return;
    x->unpack.due = begins;
    tensix_data_due(x);
}

/* Fast path: if the other unpacker has no job, a job that has its bank starts as soon as it is ready. */
void unpack_queue(struct tensix *x, unsigned unpacker, uint64_t now) {
    struct unpack *unpack = &x->unpack;
    struct unpacker *u = &unpack->unit[unpacker];
    const struct unpack_job *job = unpack_job_at(u, u->count++);
    BH_ASSERT(u->count <= UNPACK_JOBS && job->ready >= now);
    BH_ASSERT((u->count == 1) == (u->phase == UNPACK_EMPTY));
    if (BH_UNLIKELY(x->loose))
        u->clock[job - u->job] = tensix_clock(x, now);
    if (u->count > 1) {
        set_busy(x, unpacker, job->thread, TENSIX_NEVER);
    } else if (!unpack->unit[!unpacker].count && bank_from(x, unpacker, job) <= job->ready) {
        start(u, job->ready);
        set_busy(x, unpacker, job->thread, u->end);
    } else {
        begin(x, unpacker, now);
        set_first_busy(x, unpacker);
    }
    schedule(x, now);
    if (BH_UNLIKELY(x->observer))
        tensix_observe_unpackers(x, now);
}

void unpack_abort(struct tensix *x, uint64_t now) {
    for (unsigned i = 0; i < UNPACKERS; i++) {
        x->unpack.unit[i].count = 0;
        x->unpack.unit[i].phase = UNPACK_EMPTY;
        x->unpack.unit[i].end = TENSIX_NEVER;
        tensix_forget_busy(x, busy_of[i], now);
    }
    schedule(x, now);
    if (x->observer)
        tensix_observe_unpackers(x, now);
}

enum wait unpack_waits_for(const struct unpack *unpack, unsigned unpacker) {
    if (unpack->unit[unpacker].phase != UNPACK_NO_BANK)
        return WAIT_NONE;
    return unpacker ? WAIT_SRCB_RETURN : WAIT_SRCA_RETURN;
}
