/* Tables of the state of a thread's frontend and gate, for saving and hashing. */
#include "base/state_rows.h"
#include "isa/tensix.h"
#include "tensix/frontend/frontend.h"
#include "tensix/frontend/gate.h"
#include "tensix/state.h"

/* ---- Words ------------------------------------------------------------------------------------------------ */

#define T struct frontend_word
static const struct state_member word_members[] = {
    SAVED(time), SAVED(word), SAVED(pc), SAVED(resources), SAVED(holds), SAVED(request), FLAG(tracked), FLAG(ends),
};
static const struct state_table word_state = STATE_TABLE("frontend_word", T, word_members);
#undef T

#define T struct frontend_ring
static const struct state_member ring_members[] = {
    SAVED(time),
    BITS(tag, uint64_t, UINT64_C(0x0101FFFFFFFFFFFF)), /* as in struct frontend_word: the last two bits are flags */
    SAVED(word),
    SAVED(pc),
};
static const struct state_table ring_state = STATE_TABLE("frontend_ring", T, ring_members);
#undef T

/* ---- Expanders -------------------------------------------------------------------------------------------- */

#define T struct mop_position
static const struct state_member place_members[] = { SAVED(outer), SAVED(inner), MOST(step, uint8_t, 7) };
static const struct state_table place_state = STATE_TABLE("mop_position", T, place_members);
#undef T

#define T struct mop
static const struct state_member mop_members[] = {
    SEEN(config), SAVED(mask_high),   FLAG(active),       FLAG(alternates),         SAVED(word),
    SAVED(mask),  SAVED(outer_count), SAVED(inner_count), INNER(next, place_state),
};
static const struct state_table mop_state = STATE_TABLE("mop", T, mop_members);
#undef T

#define T struct replay
static const struct state_member replay_members[] = {
    SEEN(word),      MOST(at, uint8_t, REPLAY_WORDS - 1), MOST(left, uint8_t, REPLAY_WORDS), FLAG(recording),
    FLAG(executing),
};
static const struct state_table replay_state = STATE_TABLE("replay", T, replay_members);
#undef T

#define T struct ttsync
static const struct state_member ttsync_members[] = { SAVED(declared), MOST(bank, uint8_t, 1), SAVED(requests) };
static const struct state_table ttsync_state = STATE_TABLE("ttsync", T, ttsync_members);
#undef T

/* ---- The frontend ----------------------------------------------------------------------------------------- */

#define T struct frontend
static const struct state_member frontend_members[] = {
    INNER(first, ring_state),
    INNER(middle, word_state),
    INNER(last, word_state),
    SAVED(after_second),
    SAVED(after_third),
    SAVED(middle_free),
    SAVED(after_pass),
    SAVED(first_at),
    SAVED(first_end),
    MOST(middle_at, uint8_t, FRONTEND_MIDDLE - 1),
    MOST(middle_count, uint8_t, FRONTEND_MIDDLE),
    MOST(last_count, uint8_t, FRONTEND_LAST),
    SEEN_MOST(in_flight, uint8_t, FRONTEND_FIRST),
    MOST(mops, uint8_t, FRONTEND_FIRST),
    MOST(special, uint8_t, FRONTEND_FIRST),
    MOST(silent, uint8_t, FRONTEND_FIRST),
    MOST(recorders, uint8_t, FRONTEND_MIDDLE),
    MOST(loops, uint8_t, FRONTEND_FIRST),
    FLAG(only_plain_words),
    FLAG(after_mop),
    FLAG(declares),
    FLAG(untimed),
    FLAG(held),
    SAVED(mop_free),
    SAVED(replay_free),
    SAVED(mux_taken),
    SAVED(lost),
    FLAG(lane),
    FLAG(ended),
    MOST(retired, uint8_t, FRONTEND_LEAVE),
    FLAG(none_tagged),
    SAVED(retired_at),
    SEEN(passes),
    SAVED(silent_config),
    SAVED(resyncs),
    MOST(accepts, uint8_t, FRONTEND_ACCEPTS_ONE),
    INNER(mop, mop_state),
    INNER(replay, replay_state),
    INNER(expanded, word_state),
    INNER(played, word_state),
    INNER(shown, word_state),
    INNER(ttsync, ttsync_state),
};

static bool is_possible(const void *block) {
    const struct frontend *f = block;
    unsigned first = frontend_first_count(f);
    if (first > FRONTEND_FIRST)
        return false;
    for (unsigned i = 0; f->none_tagged && i < first; i++)
        if (frontend_tag_resources(f->first.tag[(f->first_at + i) % FRONTEND_FIRST]))
            return false;
    return !f->lane || (f->only_plain_words && !f->middle_count && !f->last_count);
}

const struct state_table frontend_state = STATE_CHECKED_TABLE("frontend", T, frontend_members, is_possible);
#undef T

/* ---- The gate --------------------------------------------------------------------------------------------- */

#define T struct gate
static const struct state_member gate_members[] = {
    SAVED(opcode),  SAVED(semaphores), MOST(stream_select, uint8_t, 3),
    SAVED(block),   SAVED(condition),  SAVED(target),
    SAVED(look_at), SAVED(free_at),    SAVED(since),
};

static bool is_possible_gate(const void *block) {
    const struct gate *gate = block;
    return !gate->opcode || gate->opcode == TENSIX_STALLWAIT || gate->opcode == TENSIX_SEMWAIT ||
           gate->opcode == TENSIX_STREAMWAIT;
}

const struct state_table gate_state = STATE_CHECKED_TABLE("gate", T, gate_members, is_possible_gate);
#undef T
