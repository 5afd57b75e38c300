/* The invariants of the coprocessor's blocks: see verify.h. */
#include "tensix/verify.h"

#include "base/check.h"
#include "base/order.h"
#include "isa/overlay.h"
#include "tensix/clock.h"

/* ---- The frontend -------------------------------------------------------------------------------- */

static bool is_consumed(uint32_t word) {
    return word >> 24 == TENSIX_MOP_CFG || word >> 24 == TENSIX_RESOURCEDECL;
}

static bool is_silent(uint32_t word) {
    return is_consumed(word) || (word >> 24 == TENSIX_REPLAY && tensix_decode_REPLAY(word).load_mode);
}

/* Returns whether an expander does not simply pass the word on; true for opcodes below NOP's that do not exist. */
static bool is_special(uint32_t word) {
    return word >> 24 <= TENSIX_RESOURCEDECL && word >> 24 != TENSIX_NOP;
}

static void verify_first(const struct frontend *f) {
    unsigned special = 0, silent = 0, loops = 0, mops = f->mop.active;
    uint64_t before = 0;
    BH_ASSERT(frontend_first_count(f) <= FRONTEND_FIRST);
    for (unsigned i = 0; i < frontend_first_count(f); i++) {
        struct frontend_word word = frontend_nth(f, i);
        special += is_special(word.word);
        silent += is_silent(word.word);
        loops += mop_is_loops(word.word);
        mops += word.word >> 24 == TENSIX_MOP;
        BH_ASSERT(word.ends && word.tracked);
        BH_ASSERT(word.time >= before);
        before = word.time;
    }
    BH_ASSERT(f->special == special && f->silent == silent);
    BH_ASSERT(f->loops == loops && f->mops == mops);
}

static void verify_middle(const struct frontend *f) {
    unsigned recorders = 0;
    uint64_t before = 0;
    BH_ASSERT(f->middle_at < FRONTEND_MIDDLE && f->middle_count <= FRONTEND_MIDDLE);
    for (unsigned i = 0; i < f->middle_count; i++) {
        const struct frontend_word *word = &f->middle[(f->middle_at + i) % FRONTEND_MIDDLE];
        recorders += is_silent(word->word);
        BH_ASSERT(word->time > before || f->untimed); /* in untimed frontends, words of BRISC have the clock of BRISC */
        before = word->time;
    }
    BH_ASSERT(f->recorders == recorders);
}

/* Returns the number of words of the own TRISC that have not passed completely, with all of their expansions. */
static unsigned count_in_flight(const struct frontend *f) {
    unsigned count = frontend_first_count(f) + f->mop.active;
    for (unsigned i = 0; i < f->middle_count; i++)
        count += f->middle[(f->middle_at + i) % FRONTEND_MIDDLE].ends;
    for (unsigned i = 0; i < f->last_count; i++)
        count += f->last[(frontend_last_at(f) + i) % FRONTEND_LAST].ends;
    return count + (replay_plays(&f->replay) && f->played.ends);
}

void verify_frontend(const struct frontend *f) {
    unsigned in_flight = count_in_flight(f);
    verify_first(f);
    verify_middle(f);
    BH_ASSERT(f->last_count <= FRONTEND_LAST);
    BH_ASSERT(f->in_flight == in_flight && f->in_flight <= FRONTEND_FIRST);
    BH_ASSERT(f->replay.at < REPLAY_WORDS && f->replay.left <= REPLAY_WORDS);
    BH_ASSERT(f->after_second <= f->after_pass || f->untimed);
    BH_ASSERT(!f->only_plain_words || !(f->special | f->middle_count | f->replay.left | f->mop.active | f->after_mop));
    BH_ASSERT(!f->only_plain_words || !f->mux_taken);
    for (unsigned i = 0; f->none_tagged && i < frontend_first_count(f); i++)
        BH_ASSERT(!frontend_tag_resources(f->first.tag[(f->first_at + i) % FRONTEND_FIRST]));
    BH_ASSERT(!f->lane || (f->only_plain_words && !f->last_count && f->in_flight == frontend_first_count(f)));
    for (unsigned i = 0; i < MOP_WORDS; i++)
        BH_ASSERT((f->silent_config >> i & 1) == (i >= 2 && is_silent(f->mop.config[i])));
}

/* ---- Gates ---------------------------------------------------------------------------------------- */

/* Returns the end of a latched wait as things are now; at most `cycle` if it is met. */
static uint64_t lasts_until(const struct tensix *x, unsigned thread, uint64_t cycle) {
    const struct gate *gate = &x->thread[thread].gate;
    uint32_t value = 0;
    switch (gate->opcode) {
    case TENSIX_STALLWAIT: return gate_condition(x, thread, gate->condition, cycle);
    case TENSIX_SEMWAIT: return gate_semaphores_wait(&x->sync, gate) ? TENSIX_NEVER : 0;
    default:
        x->port->stream(x->owner, tensix_stream(x, thread, gate->stream_select),
                        gate->condition == 1 ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED, &value);
        return value >= gate->target ? 0 : TENSIX_NEVER;
    }
}

static void verify_latch(const struct tensix *x, unsigned thread, uint64_t cycle) {
    const struct gate *gate = &x->thread[thread].gate;
    cycle = later(cycle, gate->since + 1); /* the first cycle in which the wait is tested */
    uint64_t until = lasts_until(x, thread, cycle);
    BH_ASSERT(gate->opcode && gate->block);
    BH_ASSERT(x->loose || x->look_at <= gate->look_at);
    if (gate->look_at ==
        TENSIX_NEVER) /* then only an event can end the wait: if the end were known, a unit would announce it */
        BH_ASSERT(until == TENSIX_NEVER || clock_others_due(x) <= later(until, cycle));
    else
        BH_ASSERT(until <= cycle || gate->look_at <= until);
}

void verify_gates(const struct tensix *x, uint64_t cycle) {
    BH_ASSERT(x->undecided >> TENSIX_THREADS == 0);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        bool undecided = x->undecided >> i & 1;
        BH_ASSERT(undecided == (x->thread[i].gate.free_at == TENSIX_NEVER));
        if (undecided)
            verify_latch(x, i, cycle);
    }
}

/* ---- Units ---------------------------------------------------------------------------------------- */

static uint64_t bank_from(const struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    const uint8_t *banks = job->waits_for == UNPACK_MATRIX_BANK ? x->src.matrix_bank : x->src.unpacker_bank;
    return job->waits_for == UNPACK_NO_BANKS ? 0 : src_free_from(&x->src, unpacker, banks[unpacker]);
}

static void verify_unpacker(const struct tensix *x, unsigned unpacker) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    BH_ASSERT(u->first < UNPACK_JOBS && u->count <= UNPACK_JOBS && u->phase <= UNPACK_RUNS);
    BH_ASSERT((u->phase == UNPACK_EMPTY) == !u->count);
    BH_ASSERT((u->end != TENSIX_NEVER) == (u->phase == UNPACK_NOT_READY || u->phase == UNPACK_RUNS));
    BH_ASSERT(x->unpack.due <= u->end);
    uint64_t from = bank_from(x, unpacker, &u->job[u->first]);
    if (u->phase == UNPACK_NO_BANK && from != TENSIX_NEVER) /* else nobody tells the unpacker that it has its bank */
        BH_ASSERT(x->loose ? x->unpack.due != TENSIX_NEVER
                           : x->unpack.due <= later(from, later(x->time, x->matrix.banks_at)));
    for (unsigned i = 0; i < u->count; i++) {
        const struct unpack_job *job = &u->job[(u->first + i) % UNPACK_JOBS];
        BH_ASSERT(job->thread < TENSIX_THREADS && job->waits_for <= UNPACK_MATRIX_BANK);
        BH_ASSERT(job->rate == 1 || job->rate == 2 || job->rate == 4 || job->rate == 8);
        BH_ASSERT(x->thread[job->thread].busy[TENSIX_BUSY_UNPACK0 + unpacker] > u->since || u->phase != UNPACK_RUNS);
    }
}

static void verify_unpackers(const struct tensix *x) {
    const struct unpack *unpack = &x->unpack;
    uint64_t end = smaller(unpack->unit[0].end, unpack->unit[1].end);
    for (unsigned i = 0; i < UNPACKERS; i++)
        verify_unpacker(x, i);
    BH_ASSERT(unpack->waits == (unpack->unit[0].phase == UNPACK_NO_BANK || unpack->unit[1].phase == UNPACK_NO_BANK));
    BH_ASSERT(unpack->waits || unpack->due == end);
}

static void verify_packer(const struct pack *pack) {
    uint64_t before = 0;
    BH_ASSERT(pack->first < PACK_JOBS && pack->count <= PACK_JOBS);
    for (unsigned i = 0; i < pack->count; i++) {
        const struct pack_job *job = &pack->job[(pack->first + i) % PACK_JOBS];
        BH_ASSERT(job->thread < TENSIX_THREADS && job->task <= PACK_HALF);
        BH_ASSERT(job->end > before);
        before = job->end;
    }
    BH_ASSERT(pack->due == (pack->count ? pack->job[pack->first].end - 1 : TENSIX_NEVER));
    BH_ASSERT(pack->free_at >= before);
}

static void verify_mover(const struct tensix *x) {
    const struct mover *mover = &x->mover;
    const struct tdma *tdma = &mover->tdma;
    unsigned with_parameters = 0;
    BH_ASSERT((mover->write_at != TENSIX_NEVER) == (mover->task.units != 0));
    BH_ASSERT(mover->write_at == TENSIX_NEVER || mover->write_at < mover->busy_until);
    BH_ASSERT(mover->due == smaller(mover->write_at, tdma_due(x)));
    BH_ASSERT(mover->thread <= TENSIX_THREADS && tdma->commands <= TDMA_COMMANDS);
    for (unsigned i = 0; i < tdma->commands; i++)
        with_parameters += !(tdma->queue[i].word >> 31);
    BH_ASSERT(tdma->credits_taken == with_parameters && with_parameters <= TDMA_CREDITS);
}

static void verify_config(const struct config *config) {
    uint64_t before = 0;
    BH_ASSERT(config->requests <= CONFIG_REQUESTS);
    BH_ASSERT((config->request_due != TENSIX_NEVER) == (config->requests != 0));
    for (unsigned i = 0; i < config->requests; i++) {
        BH_ASSERT(config->request[i].offset < CONFIG_AT_THREAD && config->request[i].time >= before);
        before = config->request[i].time;
    }
    BH_ASSERT(config->pipe.stream_before <= config->pipe.stream_gone);
    BH_ASSERT(config->busy_until >= config->pipe.stream_gone && config->busy_until >= config->pipe.read_free);
    for (unsigned i = 0; i < 2; i++) {
        BH_ASSERT(config->pipe.zero_free[i] % 2 != i || !config->pipe.zero_free[i]);
        BH_ASSERT(config->busy_until >= config->pipe.zero_free[i]);
    }
}

static void verify_sync(const struct sync *sync) {
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        BH_ASSERT(sync->semaphore[i].value <= SYNC_SEMAPHORE_TOP && sync->semaphore[i].max <= SYNC_SEMAPHORE_TOP);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++) {
        const struct sync_mutex *mutex = &sync->mutex[i];
        BH_ASSERT(mutex->held_by <= SYNC_NOBODY && mutex->promised <= SYNC_NOBODY);
        BH_ASSERT(mutex->held_by == SYNC_NOBODY || mutex->promised == SYNC_NOBODY);
        BH_ASSERT(mutex->wanted >> TENSIX_THREADS == 0);
        BH_ASSERT(mutex->held_by == SYNC_NOBODY || !(mutex->wanted >> mutex->held_by & 1));
        BH_ASSERT(mutex->promised == SYNC_NOBODY || (mutex->wanted >> mutex->promised & 1));
    }
}

static void verify_scalar(const struct scalar *scalar) {
    BH_ASSERT(scalar->owner <= SCALAR_NOBODY);
    BH_ASSERT((scalar->busy_until == TENSIX_NEVER) == (scalar->owner != SCALAR_NOBODY));
}

static void verify_src(const struct src *src) {
    for (unsigned file = 0; file < SRC_FILES; file++) {
        BH_ASSERT(src->matrix_bank[file] < SRC_BANKS && src->unpacker_bank[file] < SRC_BANKS);
        for (unsigned bank = 0; bank < SRC_BANKS; bank++)
            BH_ASSERT(src->allowed[file][bank] <= SRC_MATRIX);
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
            BH_ASSERT(src->unpacker_row[file][thread] < SRC_ROWS);
    }
}

static void verify_vector(const struct vector *v) {
    uint64_t before = 0;
    BH_ASSERT(v->enabled == ((v->flags | ~v->use_flags) & v->rows_on));
    BH_ASSERT(v->late_at < VECTOR_LATE && v->lates <= VECTOR_LATE);
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        BH_ASSERT(late->at >= before && late->lreg <= VECTOR_NOWHERE);
        before = late->at;
    }
    BH_ASSERT(v->plain_from == TENSIX_NEVER || !(v->lates || v->macros));
    BH_ASSERT(!v->open || v->macros);
    BH_ASSERT(v->forwarded < VECTOR_LREGS);
    for (unsigned level = 1; level < VECTOR_STACK; level++)
        BH_ASSERT(!(v->stack[level].occupied & ~v->stack[level - 1].occupied));
}

static void verify_matrix(const struct matrix *m) {
    BH_ASSERT(m->only <= MATRIX_TO_B && m->last_a_row < SRC_ROWS);
    for (unsigned i = 0; i < MATRIX_WRITES; i++)
        BH_ASSERT(m->block[i] < DST_ROWS / MATRIX_BLOCK && m->written[i] + m->latency[i] <= m->dst_ready_at);
}

void verify_units(const struct tensix *x) {
    verify_unpackers(x);
    verify_packer(&x->pack);
    verify_mover(x);
    verify_config(&x->config);
    verify_sync(&x->sync);
    verify_scalar(&x->scalar);
    verify_src(&x->src);
    verify_matrix(&x->matrix);
    verify_vector(&x->vector);
}
