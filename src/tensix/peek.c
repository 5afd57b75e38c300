/* Readers of the coprocessor for the library: latched waits, address counters, owners of Src, MOP and Replay.
 *
 * Readers change no state. They show the expanders at x->time, which are ahead of the gate by the words in the FIFOs
 * between. With loose timing, stages before a word that is held at the gate are shown as if the word had been held for
 * a long time (frontend_advance). */
#include <string.h>

#include "tensix/tensix.h"

void tensix_peek_frontend(const struct tensix *x, unsigned thread, struct frontend *copy) {
    *copy = x->thread[thread].frontend;
    frontend_advance(copy, x->time);
}

/* ---- The latched wait ------------------------------------------------------------------------------- */

static unsigned unmet_conditions(const struct tensix *x, unsigned thread) {
    unsigned unmet = 0;
    for (unsigned left = x->thread[thread].gate.condition & GATE_C_ALL; left; left &= left - 1) {
        unsigned one = left & (0u - left);
        if (gate_condition(x, thread, one, x->time) > x->time)
            unmet |= one;
    }
    return unmet;
}

static unsigned unmet_semaphores(const struct tensix *x, const struct gate *gate) {
    unsigned unmet = 0;
    for (unsigned left = gate->semaphores; left; left &= left - 1)
        if (gate_semaphore_waits(&x->sync.semaphore[__builtin_ctz(left)], gate->condition))
            unmet |= left & (0u - left);
    return unmet;
}

static unsigned unmet_of(const struct tensix *x, unsigned thread, const struct bh_wait *wait) {
    switch (wait->opcode) {
    case TENSIX_STALLWAIT: return unmet_conditions(x, thread);
    case TENSIX_SEMWAIT: return unmet_semaphores(x, &x->thread[thread].gate);
    default: return wait->until == TENSIX_NEVER ? wait->condition : 0;
    }
}

void tensix_peek_wait(const struct tensix *x, unsigned thread, struct bh_wait *wait) {
    const struct gate *gate = &x->thread[thread].gate;
    uint64_t ends = gate_ends_at(x, thread, x->time);
    *wait = (struct bh_wait){ 0 };
    if (!gate->opcode || ends <= x->time)
        return;
    wait->opcode = gate->opcode;
    wait->semaphores = gate->semaphores;
    wait->block = gate->block;
    wait->condition = gate->condition;
    wait->target = gate->target;
    wait->since = gate->since;
    wait->until = ends;
    if (gate->opcode == TENSIX_STREAMWAIT)
        wait->stream = (uint8_t)tensix_stream(x, thread, gate->stream_select);
    wait->unmet = (uint16_t)unmet_of(x, thread, wait);
    tensix_explain_latch(x, thread, wait->text, sizeof wait->text);
}

/* ---- Counters and registers ------------------------------------------------------------------------- */

void tensix_peek_adc(const struct tensix *x, unsigned thread, enum adc_user user, struct bh_adc *adc) {
    for (unsigned i = 0; i < 2; i++) {
        const struct adc_channel *channel = &x->adc[thread][user].channel[i];
        _Static_assert(sizeof channel->value == sizeof adc->channel->value, "as many counters");
        memcpy(adc->channel[i].value, channel->value, sizeof channel->value);
        memcpy(adc->channel[i].cr, channel->cr, sizeof channel->cr);
    }
}

void tensix_peek_rwc(const struct tensix *x, unsigned thread, struct bh_rwc *rwc) {
    const struct rwc *from = &x->rwc[thread];
    *rwc = (struct bh_rwc){
        .dst = from->dst,
        .dst_cr = from->dst_cr,
        .sp = from->sp,
        .src_a = from->src_a,
        .src_a_cr = from->src_a_cr,
        .src_b = from->src_b,
        .src_b_cr = from->src_b_cr,
        .fidelity = from->fidelity,
    };
}

_Static_assert((int)BH_SRC_A == SRC_A && (int)BH_SRC_B == SRC_B && (int)BH_SRC_FILES == SRC_FILES, "in this order");
_Static_assert((int)BH_SRC_UNPACKERS == SRC_UNPACKERS && (int)BH_SRC_MATRIX == SRC_MATRIX, "in this order");

void tensix_peek_src(const struct tensix *x, unsigned file, struct bh_src_info *info) {
    const struct src *src = &x->src;
    *info = (struct bh_src_info){ .unpacker_bank = src->unpacker_bank[file], .matrix_bank = src->matrix_bank[file] };
    for (unsigned bank = 0; bank < SRC_BANKS; bank++) {
        info->owner[bank] = (enum bh_src_owner)src->allowed[file][bank];
        info->format[bank] = src->format[file][bank];
    }
    info->valid = info->owner[info->matrix_bank] == BH_SRC_MATRIX;
    info->free = src_free_from(src, file, info->unpacker_bank) <= x->time;
    memcpy(info->unpacker_row, src->unpacker_row[file], sizeof info->unpacker_row);
}

/* ---- Expanders ---------------------------------------------------------------------------------------- */

/* Describes the expansion in progress. f: a copy, since reading the next word takes it. */
static void peek_expansion(struct frontend *f, struct bh_mop_info *info) {
    struct mop_position place;
    bool loops = mop_is_loops(f->mop.word);
    if (!mop_seek(&f->mop, &place))
        return;
    info->expanding = true;
    info->word = f->mop.word;
    info->pc = f->expanded.pc;
    info->mask = loops ? 0 : f->mop.mask;
    info->outer = place.outer;
    info->outer_count = f->mop.outer_count;
    info->inner = place.inner;
    info->inner_count = loops ? f->mop.inner_count : 0;
    info->step = place.step;
    info->next = mop_take_any(&f->mop, &place);
}

void tensix_peek_mop(const struct tensix *x, unsigned thread, struct bh_mop_info *info) {
    struct frontend f;
    tensix_peek_frontend(x, thread, &f);
    *info = (struct bh_mop_info){ .zmask_high = f.mop.mask_high };
    _Static_assert(sizeof info->config == sizeof f.mop.config, "as many words");
    memcpy(info->config, f.mop.config, sizeof info->config);
    info->queued = (uint8_t)(f.mops - f.mop.active);
    if (f.mop.active)
        peek_expansion(&f, info);
}

void tensix_peek_replay(const struct tensix *x, unsigned thread, struct bh_replay_info *info) {
    struct frontend f;
    tensix_peek_frontend(x, thread, &f);
    const struct replay *replay = &f.replay;
    *info = (struct bh_replay_info){ .at = replay->at, .left = replay->left };
    _Static_assert(sizeof info->word == sizeof replay->word, "as many words");
    memcpy(info->word, replay->word, sizeof info->word);
    if (!replay->left)
        return;
    info->state = replay->recording ? BH_REPLAY_RECORDING : BH_REPLAY_PLAYING;
    info->executing = replay->recording && replay->executing;
    info->pc = replay->recording ? 0 : f.played.pc;
}
