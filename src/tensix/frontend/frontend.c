/* The stages of the frontend.
 *
 * Every stage acts in the earliest cycle that its input, its own pace and the room after it allow. A free slot knows
 * since when it is free, so the cycles are the same in whatever order, and however late, the stages are advanced. Only
 * a stage without room after it has to wait until the next stage has been advanced.
 *
 * Assumed: an expander takes a MOP or REPLAY in the cycle in which it emits the first word; an empty expansion takes a
 * cycle; MOP_CFG and RESOURCEDECL need no room.
 */
#include "tensix/frontend/frontend.h"

#include <limits.h>
#include <stddef.h>

#include "base/check.h"
#include "base/order.h"
#include "isa/push.h"
#include "tensix/tensix.h"

static unsigned opcode_of(uint32_t word) {
    return word >> 24;
}

/* Returns whether both expanders pass on this instruction unchanged. */
static bool is_plain(unsigned opcode) {
    return opcode > TENSIX_RESOURCEDECL || opcode == TENSIX_NOP;
}

static bool is_consumed(unsigned opcode) {
    return opcode == TENSIX_MOP_CFG || opcode == TENSIX_RESOURCEDECL;
}

/* Returns whether no part of this word reaches the gate. */
static bool is_silent(uint32_t word) {
    return is_consumed(opcode_of(word)) || (opcode_of(word) == TENSIX_REPLAY && tensix_decode_REPLAY(word).load_mode);
}

/* Ends a word that goes no further than the stage that consumes it in cycle `at`. Stages are advanced one after the
 * other, so a call may concern an earlier cycle than the call before. */
static void retire(struct frontend *f, const struct frontend_word *word, uint64_t at) {
    if (!word->ends)
        return;
    BH_ASSERT(f->in_flight && word->tracked);
    f->in_flight--;
    if (at > f->retired_at) {
        f->retired_at = at;
        f->retired = 0;
    }
    f->retired = (uint8_t)(f->retired + (at == f->retired_at));
}

/* ---- The FIFOs ---------------------------------------------------------------------------------- */

/* Return the index of the next slot of a FIFO to fill. */
static unsigned next_middle(const struct frontend *f) {
    return (unsigned)(f->middle_at + f->middle_count) % FRONTEND_MIDDLE;
}

static unsigned next_last(const struct frontend *f) {
    return (frontend_last_at(f) + f->last_count) % FRONTEND_LAST;
}

static void fill(struct frontend_word *slot, const struct frontend_word *word, uint64_t at) {
    *slot = *word;
    slot->time = at + 1;
}

/* Puts a word of the expansion of `whole` into a slot; the next stage can take it from the cycle after `at` on. Auto
 * TTSync makes only the first word wait. */
static inline void put_part(struct frontend_word *slot, struct frontend_word *whole, uint32_t word, bool ends,
                            uint64_t at) {
    slot->time = at + 1;
    slot->word_and_pc = (uint64_t)whole->pc << 32 | word;
    slot->tag = whole->tag;
    slot->ends = ends;
    whole->resources = 0;
}

static uint32_t first_word(const struct frontend *f) {
    return f->first.word[frontend_place(f)];
}

static void drop_first(struct frontend *f) {
    BH_ASSERT(frontend_first_count(f) && !f->lane);
    uint32_t word = first_word(f);
    f->first_at++;
    if (is_plain(opcode_of(word)))
        return;
    f->special--;
    f->silent = (uint8_t)(f->silent - is_silent(word));
    f->loops = (uint8_t)(f->loops - mop_is_loops(word));
}

static void drop_middle(struct frontend *f, uint64_t at) {
    BH_ASSERT(f->middle_count && f->middle[f->middle_at].time <= at);
    f->recorders = (uint8_t)(f->recorders - is_silent(f->middle[f->middle_at].word));
    f->middle_free[f->middle_at] = at + 1;
    f->middle_at = (uint8_t)((f->middle_at + 1) % FRONTEND_MIDDLE);
    f->middle_count--;
}

/* ---- The MOP expander ---------------------------------------------------------------------------- */

/* Returns whether a word can enter the middle FIFO from cycle *at on, and sets *at to the cycle. In the cycle of
 * BRISC's push there was room at the beginning of the cycle, so a word that has not moved before moves then. */
static bool finds_middle(const struct frontend *f, uint64_t *at) {
    if (BH_UNLIKELY(f->mux_taken >= *at && f->mux_taken)) {
        *at = f->mux_taken;
        return true;
    }
    if (f->middle_count == FRONTEND_MIDDLE)
        return false;
    *at = later(*at, f->middle_free[next_middle(f)]);
    return true;
}

static void enter_middle(struct frontend *f, const struct frontend_word *word, uint64_t at) {
    if (BH_UNLIKELY(frontend_loses(f->mux_taken, at))) {
        f->lost++;
        retire(f, word, at);
    } else {
        f->declares |= opcode_of(word->word) == TENSIX_RESOURCEDECL;
        BH_ASSERT(f->middle_count < FRONTEND_MIDDLE && (f->untimed || f->middle_free[next_middle(f)] <= at));
        fill(&f->middle[next_middle(f)], word, at);
        f->middle_count++;
        f->recorders = (uint8_t)(f->recorders + is_silent(word->word));
    }
}

/* Makes the next word of the expansion in cycle `at`. Returns false if no word is left. */
static bool next_expanded(struct frontend *f, struct frontend_word *word, uint64_t at) {
    uint32_t bits = 0;
    bool any = mop_next(&f->mop, &bits), ends = !f->mop.active;
    BH_ASSERT(at >= f->mop_free && (!ends || f->mops));
    f->mop_free = at + 1;
    f->mops = (uint8_t)(f->mops - ends);
    put_part(word, &f->expanded, bits, ends, at);
    return any;
}

static void expand(struct frontend *f, uint64_t at) {
    struct frontend_word word;
    if (next_expanded(f, &word, at))
        enter_middle(f, &word, at);
    else
        retire(f, &word, at);
}

/* Consumes a word that is not a MOP and is not passed on. */
static void consume(struct frontend *f, const struct frontend_word *word, uint64_t at) {
    if (opcode_of(word->word) == TENSIX_MOP_CFG)
        f->mop.mask_high = (uint16_t)tensix_decode_MOP_CFG(word->word).zmask_hi16;
    retire(f, word, at);
}

static void start_expanding(struct frontend *f) {
    BH_ASSERT(!f->mop.active && opcode_of(first_word(f)) == TENSIX_MOP);
    f->after_mop = true;
    f->expanded = frontend_nth(f, 0);
    mop_start(&f->mop, f->expanded.word);
    drop_first(f);
}

/* Lets the MOP expander take the first word of the first FIFO in cycle `at`. */
static void take_first(struct frontend *f, uint64_t at) {
    struct frontend_word word = frontend_nth(f, 0);
    unsigned opcode = opcode_of(word.word);
    if (opcode == TENSIX_MOP) {
        start_expanding(f);
        expand(f, at);
        return;
    }
    f->after_mop = false;
    f->mop_free = at + 1;
    if (is_consumed(opcode))
        consume(f, &word, at);
    else
        enter_middle(f, &word, at);
    drop_first(f);
}

/* Returns the cycle in which the MOP expander can take the first word, if there is room. After an expansion the
 * expander rests for a cycle unless another MOP follows. */
static uint64_t first_at(const struct frontend *f) {
    bool rests = f->after_mop && opcode_of(first_word(f)) != TENSIX_MOP;
    return later(f->first.time[frontend_place(f)], f->mop_free + rests);
}

/* Lets the MOP expander act once, if it does so before `until`. Returns whether it has acted. */
static bool step_mop(struct frontend *f, uint64_t until) {
    uint64_t at = f->mop_free;
    if (f->mop.active) {
        if (!finds_middle(f, &at) || at >= until)
            return false;
        expand(f, at);
        return true;
    }
    if (!frontend_first_count(f))
        return false;
    at = first_at(f);
    if (!is_consumed(opcode_of(first_word(f))) && !finds_middle(f, &at))
        return false;
    if (at >= until)
        return false;
    take_first(f, at);
    return true;
}

/* ---- The Replay expander ------------------------------------------------------------------------- */

/* Returns whether a word can leave the Replay expander from cycle *at on, and sets *at to the cycle. A RESOURCEDECL
 * ends there and needs no room. */
static bool finds_last(const struct frontend *f, uint32_t word, uint64_t *at) {
    if (BH_UNLIKELY(opcode_of(word) == TENSIX_RESOURCEDECL))
        return true;
    if (f->last_count == FRONTEND_LAST)
        return false;
    *at = later(*at, frontend_last_free(f));
    return true;
}

static void enter_last(struct frontend *f, const struct frontend_word *word, uint64_t at) {
    if (BH_UNLIKELY(opcode_of(word->word) == TENSIX_RESOURCEDECL)) {
        ttsync_declare(&f->ttsync, word->word);
        retire(f, word, at);
        return;
    }
    BH_ASSERT(f->last_count < FRONTEND_LAST && frontend_last_free(f) <= at);
    fill(&f->last[next_last(f)], word, at);
    f->last_count++;
}

/* Plays the next word, in cycle `at` or later. Returns false if that would not be before `until`. */
static bool play(struct frontend *f, uint64_t at, uint64_t until) {
    uint32_t bits = f->replay.word[f->replay.at];
    struct frontend_word word;
    if (!finds_last(f, bits, &at) || at >= until)
        return false;
    replay_step(&f->replay);
    f->replay_free = at + 1;
    put_part(&word, &f->played, bits, f->played.ends && !f->replay.left, at);
    enter_last(f, &word, at);
    return true;
}

static bool start_playing(struct frontend *f, uint64_t at, uint64_t until) {
    f->played = f->middle[f->middle_at];
    replay_start(&f->replay, f->played.word);
    if (!play(f, at, until)) {
        f->replay.left = 0;
        return false;
    }
    drop_middle(f, f->replay_free - 1);
    return true;
}

static void start_recording(struct frontend *f, const struct frontend_word *word, uint64_t at) {
    BH_ASSERT(!f->replay.left && at >= f->replay_free);
    replay_start(&f->replay, word->word);
    f->replay_free = at + 1;
    retire(f, word, at);
    drop_middle(f, at);
}

/* Records the next word, passes it on, or both. */
static bool take_middle(struct frontend *f, uint64_t at, uint64_t until) {
    const struct frontend_word *word = &f->middle[f->middle_at];
    bool recorded = f->replay.left, passes = !recorded || f->replay.executing;
    if (passes && (!finds_last(f, word->word, &at) || at >= until))
        return false;
    if (recorded) {
        *replay_step(&f->replay) = word->word;
        if (tensix_is_resync(word->word))
            f->resyncs = FRONTEND_RESYNCS;
    }
    if (passes)
        enter_last(f, word, at);
    else
        retire(f, word, at);
    f->replay_free = at + 1;
    drop_middle(f, at);
    return true;
}

/* Lets the Replay expander act once, if it does so before `until`. Returns whether it has acted. */
static bool step_replay(struct frontend *f, uint64_t until) {
    if (replay_plays(&f->replay))
        return play(f, f->replay_free, until);
    if (!f->middle_count)
        return false;
    const struct frontend_word *word = &f->middle[f->middle_at];
    uint64_t at = later(word->time, f->replay_free);
    if (at >= until)
        return false;
    if (f->replay.left || opcode_of(word->word) != TENSIX_REPLAY)
        return take_middle(f, at, until);
    if (!tensix_decode_REPLAY(word->word).load_mode)
        return start_playing(f, at, until);
    start_recording(f, word, at);
    return true;
}

/* ---- Straight to the gate --------------------------------------------------------------------------------------- */

/* Returns whether the next word of the MOP expander is also the next word for the last FIFO: nothing is between the
 * expanders, and the Replay expander is idle. */
static inline bool is_straight(const struct frontend *f) {
    return !(f->middle_count | f->replay.left) && !f->mux_taken;
}

/* Updates the stages for a word that has gone straight to the last FIFO. at: the cycle in which the Replay expander
 * passed it on. */
static inline void went_straight(struct frontend *f, uint64_t at) {
    BH_ASSERT(!f->middle_count && !f->last_count && at >= f->replay_free);
    f->last_count = 1;
    f->middle_free[f->middle_at] = f->replay_free = at + 1;
    f->middle_at = (uint8_t)((f->middle_at + 1) % FRONTEND_MIDDLE);
}

/* Returns the cycle in which the Replay expander passes on a word that the MOP expander can emit from cycle *mop on.
 * Sets *mop to the cycle in which the MOP expander emits it. */
static inline uint64_t straight_at(const struct frontend *f, uint64_t *mop) {
    *mop = later(*mop, f->middle_free[f->middle_at]);
    return later(later(*mop + 1, f->replay_free), f->after_second);
}

static void draw_expanded(struct frontend *f, uint64_t mop, uint64_t replay) {
    struct frontend_word *slot = &f->last[frontend_last_at(f)];
    bool any = next_expanded(f, slot, replay);
    f->mop_free = mop + 1;
    if (BH_LIKELY(any && is_plain(opcode_of(slot->word))))
        went_straight(f, replay);
    else if (any)
        enter_middle(f, slot, mop);
    else
        retire(f, slot, mop);
}

/* Moves the MOP expander's next word straight to the last FIFO, if it gets there before `until`. Returns whether a
 * stage has acted. Precondition: the last FIFO is empty. */
static bool draw(struct frontend *f, uint64_t until) {
    bool active = f->mop.active;
    unsigned opcode = opcode_of(first_word(f));
    if (!active && (f->first_at == f->first_end || !(is_plain(opcode) || opcode == TENSIX_MOP)))
        return step_mop(f, until);
    uint64_t mop = active ? f->mop_free : first_at(f), replay = straight_at(f, &mop);
    if (replay >= until)
        return false;
    if (active || opcode == TENSIX_MOP) {
        if (!active)
            start_expanding(f);
        draw_expanded(f, mop, replay);
    } else {
        struct frontend_word word = frontend_nth(f, 0);
        fill(&f->last[frontend_last_at(f)], &word, replay);
        f->after_mop = false;
        f->mop_free = mop + 1;
        f->first_at++;
        went_straight(f, replay);
    }
    return true;
}

/* Moves the gate's next word one step closer. Returns false if no stage acts before `until`. */
static inline bool step(struct frontend *f, uint64_t until) {
    if (replay_plays(&f->replay))
        return play(f, f->replay_free, until);
    return is_straight(f) ? draw(f, until) : step_replay(f, until) || step_mop(f, until);
}

/* ---- The lane and the gate --------------------------------------------------------------------------------- */

/* Ends the lane. The last word that passed left its slot in the middle FIFO when the Replay expander took it, and the
 * slot can be filled from the next cycle on: in the cycle of the pass it may still be empty. */
static void end_lane(struct frontend *f) {
    uint64_t *slot = &f->middle_free[(f->middle_at + FRONTEND_MIDDLE - 1) % FRONTEND_MIDDLE];
    if (f->lane)
        *slot = later(*slot, later(f->mop_free, f->after_third) + 1);
    f->lane = false;
}

/* Returns the cycle in which the Replay expander takes the next word of the lane. */
static uint64_t lane_replay(const struct frontend *f) {
    return later(frontend_lane_mop(f, frontend_place(f)) + 1, f->after_second);
}

/* Begins a lane, if only plain words are queued and the first one need not wait for the Replay expander. Returns
 * whether it did. */
static bool enter_lane(struct frontend *f) {
    if (!f->only_plain_words || f->last_count || f->first_at == f->first_end || f->replay_free > lane_replay(f))
        return false;
    f->lane = f->ended = true;
    return true;
}

/* Recomputes only_plain_words. */
static void update_only_plain_words(struct frontend *f) {
    f->only_plain_words =
        !(f->special | f->middle_count | f->replay.left | f->mop.active | f->after_mop) && !f->mux_taken;
}

/* Advances the stages no further than necessary: words after the gate's next word stay where they are until a reader
 * needs them. */
__attribute__((noinline)) static const struct frontend_word *find_head(struct frontend *f, uint64_t until) {
    if (f->lane || enter_lane(f)) {
        f->shown = frontend_nth(f, 0);
        return f->in_flight && lane_replay(f) < until ? &f->shown : NULL;
    }
    while (!f->last_count && step(f, until))
        ;
    update_only_plain_words(f);
    return f->last_count ? &f->last[frontend_last_at(f)] : NULL;
}

/* The fast path of play. */
static inline const struct frontend_word *play_head(struct frontend *f, uint64_t until) {
    unsigned place = frontend_last_at(f);
    uint64_t at = later(f->replay_free, f->after_second);
    uint32_t word = f->replay.word[f->replay.at];
    if (BH_UNLIKELY(at >= until || opcode_of(word) == TENSIX_RESOURCEDECL))
        return find_head(f, until);
    replay_step(&f->replay);
    put_part(&f->last[place], &f->played, word, f->played.ends && !f->replay.left, at);
    f->replay_free = at + 1;
    f->last_count = 1;
    return &f->last[place];
}

/* The fast path of draw. */
static inline const struct frontend_word *expand_head(struct frontend *f, uint64_t until) {
    struct frontend_word *slot = &f->last[frontend_last_at(f)];
    uint64_t mop = f->mop_free, replay = straight_at(f, &mop);
    uint32_t word = mop_loop_word(&f->mop, &f->mop.next);
    if (BH_UNLIKELY(replay >= until || !is_plain(opcode_of(word))))
        return find_head(f, until);
    f->mop.next.inner++;
    f->mop_free = mop + 1;
    put_part(slot, &f->expanded, word, false, replay);
    went_straight(f, replay);
    return slot;
}

const struct frontend_word *frontend_head(struct frontend *f, uint64_t until) {
    if (f->last_count)
        return &f->last[frontend_last_at(f)];
    if (replay_plays(&f->replay))
        return play_head(f, until);
    if (f->mop.active && is_straight(f) && mop_is_inside(&f->mop))
        return expand_head(f, until);
    return find_head(f, until);
}

bool frontend_lose_next(struct frontend *f) {
    bool expands = f->mop.active;
    if (!expands && (!frontend_first_count(f) || is_consumed(opcode_of(first_word(f)))))
        return false;
    end_lane(f);
    f->mux_taken = expands ? f->mop_free : first_at(f);
    step_mop(f, f->mux_taken + 1);
    f->mux_taken = 0;
    update_only_plain_words(f);
    return true;
}

void frontend_hold(struct frontend *f) {
    end_lane(f);
    f->held = true;
    while (!f->last_count && step(f, TENSIX_NEVER))
        ;
    update_only_plain_words(f);
}

uint64_t frontend_lane_at_gate(const struct frontend *f) {
    return lane_replay(f) + 1;
}

/* The most steps that the stages make in one call while a word is held. Consumed words need no room, so there may be
 * many. */
enum { HELD_STEPS = 4096 };

void frontend_advance(struct frontend *f, uint64_t until) {
    unsigned steps = UINT_MAX;
    if (BH_UNLIKELY(f->held)) {
        until = TENSIX_NEVER; /* nothing says how long the held word has been at the gate */
        steps = HELD_STEPS;
    }
    end_lane(f);
    while (steps && (step_replay(f, until) || step_mop(f, until)))
        steps--;
    if (f->mux_taken < until)
        f->mux_taken = 0; /* no more words will be emitted in that cycle */
    update_only_plain_words(f);
}

/* Returns whether anything but silent words in FIFOs can make room without a pass. */
static bool may_consume_others(const struct frontend *f) {
    return f->mux_taken || f->declares || (f->replay.left && !replay_plays(&f->replay) && !f->replay.executing) ||
           (f->mops && f->silent_config) || (f->loops && mop_may_be_empty(&f->mop));
}

bool frontend_stages_may_consume(const struct frontend *f) {
    return f->silent || f->recorders || may_consume_others(f);
}

/* Each expander takes a word a cycle, so a silent word has to wait for the words ahead of it and for those that are
 * still to be played. */
unsigned frontend_consumes_after(const struct frontend *f) {
    unsigned played = replay_plays(&f->replay) ? f->replay.left : 0, after = played + f->middle_count;
    unsigned least = after + FRONTEND_FIRST;
    if (may_consume_others(f))
        return 0;
    for (unsigned i = 0; f->recorders && i < f->middle_count; i++)
        if (is_silent(f->middle[(f->middle_at + i) % FRONTEND_MIDDLE].word) && played + i < least)
            least = played + i;
    for (unsigned i = 0; f->silent && i < frontend_first_count(f); i++) {
        uint32_t word = f->first.word[(f->first_at + i) % FRONTEND_FIRST];
        unsigned at = is_consumed(opcode_of(word)) || after < i ? i : after;
        if (is_silent(word) && at < least)
            least = at;
    }
    return least;
}

static bool replay_moves(const struct frontend *f) {
    struct replay replay = f->replay;
    uint32_t word = f->middle[f->middle_at].word;
    if (!replay_plays(&replay)) {
        if (!f->middle_count)
            return false;
        if (replay.left ? !replay.executing : opcode_of(word) == TENSIX_REPLAY && is_silent(word))
            return true; /* the word is recorded, or begins a recording */
        if (replay.left || opcode_of(word) != TENSIX_REPLAY)
            return finds_last(f, word, &(uint64_t){ 0 });
        replay_start(&replay, word);
    }
    return finds_last(f, replay.word[replay.at], &(uint64_t){ 0 });
}

static bool mop_moves(const struct frontend *f) {
    if (!f->mop.active && !frontend_first_count(f))
        return false;
    uint64_t at = f->mop.active ? f->mop_free : first_at(f);
    return (!f->mop.active && is_consumed(opcode_of(first_word(f)))) || finds_middle(f, &at);
}

bool frontend_moves(const struct frontend *f) {
    return !f->untimed && (replay_moves(f) || mop_moves(f));
}

/* ---- Pushes ---------------------------------------------------------------------------------------- */

void frontend_init(struct frontend *f) {
    f->only_plain_words = f->none_tagged = true;
    f->accepts = FRONTEND_ACCEPTS;
    f->after_pass = f->after_second = f->after_third = 1; /* as if words had passed in cycle 0 */
    ttsync_init(&f->ttsync);
}

_Static_assert(CONFIG_WORD_CFG_STATE_ID_StateID == 0, "tensix_is_plain knows it by its number");
_Static_assert((int)CONFIG_WORD_TENSIX_TRISC_SYNC_TrackTensixInstructions == (int)TENSIX_SYNC_REGISTER,
               "isa/push.h knows it");

static void note_resync(struct frontend *f) {
    f->resyncs = (uint8_t)(f->resyncs + (f->resyncs < FRONTEND_RESYNCS));
}

/* Records the push of a word that acts on the frontend itself. */
static void note_pushed(struct frontend *f, uint32_t word, unsigned *bank) {
    if (tensix_is_resync(word)) {
        note_resync(f);
        return;
    }
    if (opcode_of(word) == TENSIX_SETC16) { /* it writes CFG_STATE_ID_StateID */
        *bank = word & 1;
        return;
    }
    if (opcode_of(word) == TENSIX_MOP)
        f->mops++;
    if (opcode_of(word) == TENSIX_RESOURCEDECL)
        ttsync_declare(&f->ttsync, word);
    f->special++;
    f->silent = (uint8_t)(f->silent + is_silent(word));
    f->loops = (uint8_t)(f->loops + mop_is_loops(word));
    f->only_plain_words = false;
    end_lane(f);
}

/* Records the push of a word that is tracked or is not plain. Returns its tag. */
static uint64_t push_special(struct frontend *f, uint32_t word, const uint16_t *config, unsigned *bank) {
    struct frontend_word slot = { .tag = frontend_tag(f) };
    if (CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions)) {
        slot.resources = slot.holds = ttsync_of_word(&f->ttsync, word, config);
        slot.request |= (uint16_t)(ttsync_linger_of_word(&f->ttsync, word) << TTSYNC_LINGER_SHIFT);
    }
    f->none_tagged &= !slot.resources;
    if (!tensix_is_plain(word) && opcode_of(word) != TENSIX_NOP)
        note_pushed(f, word, bank);
    return slot.tag;
}

unsigned frontend_count_untagged(struct frontend *f, unsigned count) {
    unsigned first = 0, all = frontend_first_count(f);
    while (first < all && !frontend_tag_resources(f->first.tag[(f->first_at + first) % FRONTEND_FIRST]))
        first++;
    f->none_tagged = first == all;
    return first < count ? first : count;
}

void frontend_configure_mop(struct frontend *f, unsigned index, uint32_t value) {
    BH_ASSERT(index < MOP_WORDS && !f->lane);
    f->mop.config[index] = value;
    if (tensix_is_resync(value))
        f->resyncs = FRONTEND_RESYNCS;
    f->silent_config = (uint16_t)(f->silent_config & ~(1u << index));
    if (index >= 2 && is_silent(value))
        f->silent_config = (uint16_t)(f->silent_config | 1u << index);
}

bool frontend_push(struct frontend *f, const uint32_t *words, unsigned count, uint32_t pc, uint64_t time,
                   const uint16_t *config) {
    bool tracks = CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions);
    unsigned bank = f->ttsync.bank;
    /* Declarations that leave an expansion before this push apply to it; consumed words make room. */
    if (BH_UNLIKELY(f->declares || (f->mops && f->silent_config)) || frontend_first_count(f) + count > FRONTEND_FIRST)
        frontend_advance(f, time);
    if (BH_UNLIKELY(frontend_first_count(f) + count > FRONTEND_FIRST))
        return false;
    unsigned at = f->first_end;
    uint64_t tag = frontend_tag(f);
    f->first_end = (uint8_t)(f->first_end + count);
    f->in_flight = (uint8_t)(f->in_flight + count);
    for (unsigned i = 0; i < count; i++) { /* fused words are adjacent in the core's code */
        bool special = tracks || !tensix_is_plain(words[i]);
        uint64_t its = BH_UNLIKELY(special) ? push_special(f, words[i], config, &bank) : tag;
        frontend_put(&f->first, at + i, words[i], pc + 4 * i, time, its);
    }
    /* Hardware tracks CFG_STATE_ID from one push to the next only: all words of one push use the old bank. */
    f->ttsync.bank = (uint8_t)bank;
    return true;
}

bool frontend_push_after_mop(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time) {
    BH_ASSERT(f->untimed || time > f->mux_taken);
    end_lane(f);
    if (f->middle_count == FRONTEND_MIDDLE)
        return false;
    f->mux_taken = 0; /* the stages have been advanced past the earlier push */
    enter_middle(f, &(struct frontend_word){ .word = word, .pc = pc }, time);
    if (tensix_is_resync(word))
        note_resync(f);
    f->mux_taken = f->untimed ? 0 : time; /* untimed frontends call frontend_lose_next instead */
    f->only_plain_words = false;
    return true;
}

void frontend_reset_core(struct frontend *f) {
    BH_ASSERT(f->in_flight >= frontend_first_count(f) + f->mop.active);
    end_lane(f);
    f->in_flight = (uint8_t)(f->in_flight - frontend_first_count(f) - f->mop.active);
    f->first_at = f->first_end;
    f->mops = f->special = f->silent = f->loops = 0;
    f->mop.active = false;
    update_only_plain_words(f);
}

void frontend_forget_resyncs(struct frontend *f) {
    if (f->resyncs < FRONTEND_RESYNCS && frontend_empty(f))
        f->resyncs = 0;
}
