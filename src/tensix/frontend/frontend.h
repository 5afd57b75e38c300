/* A thread's frontend up to its Wait Gate: three FIFOs with the MOP and the Replay expander between them.
 *
 *     push -> first (32) -> MOP expander -> middle (8) -> Replay expander -> last (2) -> gate
 *                                     ^ pushes of BRISC and of the debug bus
 *
 * Each stage takes one word a cycle, and the next stage can take the word one cycle later. Words carry their times, so
 * nothing here runs cycle by cycle: frontend_advance computes the position of every word when a reader needs it.
 *
 * The depth of the first FIFO is from PushTensixInstruction.md (BH), the others are from the frontend diagram (BH). A
 * word counts against the first FIFO until it, or the last word of its expansion, has passed the gate (Auto TTSync's
 * tracking).
 *
 * Sources: PushTensixInstruction.md, AutoTTSync.md, ManualTTSync.md (BH); MOPExpander.md, REPLAY.md with BH branches.
 */
#ifndef TENSIX_FRONTEND_FRONTEND_H
#define TENSIX_FRONTEND_FRONTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "tensix/frontend/mop.h"
#include "tensix/frontend/replay.h"
#include "tensix/frontend/ttsync.h"

enum {
    FRONTEND_FIRST = 32,
    /* The FIFO accepts a push of up to four words while at most this many are in flight. Measured on silicon: three
     * more if the core does not fuse .ttinsn. */
    FRONTEND_ACCEPTS = 28,
    FRONTEND_ACCEPTS_ONE = 31,
    FRONTEND_GROUP = 4, /* most words in one push */
    FRONTEND_MIDDLE = 8,
    FRONTEND_LAST = 2,
    FRONTEND_LEAVE = 3,     /* most words that leave in one cycle: one at the gate and one in each expander */
    FRONTEND_RESYNCS = 255, /* value of frontend.resyncs: expanders may emit words that change tracking at any time */
};

/* Types of instructions in tt_cfg_qstatus and bstatus (CSRs.md). */
enum {
    FRONTEND_TYPE_REPLAY = 1u << 0,
    FRONTEND_TYPE_MOP = 1u << 1,
    FRONTEND_TYPE_SCALAR = 1u << 2,
    FRONTEND_TYPE_MOVER = 1u << 3,
    FRONTEND_TYPE_UNPACKER = 1u << 4,
    FRONTEND_TYPE_PACKER = 1u << 5,
    FRONTEND_TYPE_CONFIG = 1u << 6,
    FRONTEND_TYPE_SYNC = 1u << 7,
    FRONTEND_TYPE_ADDRESSED = 1u << 8, /* Misc, Mover, Scalar, Packer or Unpacker */
    FRONTEND_TYPE_VECTOR = 1u << 9,
    FRONTEND_TYPE_MATRIX = 1u << 10,
};

struct frontend_word {
    uint64_t time; /* first cycle in which the next stage can take the word */
    union {
        struct {
            uint32_t word;
            uint32_t pc; /* pc of the core's instruction that pushed the word, or the word from which it is expanded */
        };
        uint64_t word_and_pc; /* both, the word in the low half */
    };
    union {
        struct {
            uint16_t resources; /* resources for which Auto TTSync makes the word wait at the gate (ttsync.h); 0 in an
                                 * expansion, except for its first word */
            uint16_t holds;   /* resources of the pushed word: cores wait for them until all words of its expansion have
                               * passed */
            uint16_t request; /* number of the core's last request to a tracked resource before the push, and the linger
                               * time (TTSYNC_NUMBER ...) */
            bool tracked;     /* the thread's own TRISC pushed the word, or the word from which it is expanded */
            bool ends;        /* the last word of a tracked pushed word: with it, all of the pushed word has passed */
        };
        uint64_t tag; /* the members above, the first in the low half-word; the last two are bits 48 and 56 */
    };
};

/* A ring of words, stored member by member, so that a group can be stored at once. */
struct frontend_ring {
    uint64_t time[FRONTEND_FIRST], tag[FRONTEND_FIRST];
    uint32_t word[FRONTEND_FIRST], pc[FRONTEND_FIRST];
};

struct frontend {
    struct frontend_ring first;
    struct frontend_word middle[FRONTEND_MIDDLE], last[FRONTEND_LAST]; /* rings */
    uint64_t after_second, after_third;    /* cycles after the second and third last passes */
    uint64_t middle_free[FRONTEND_MIDDLE]; /* first cycle in which a free slot can be filled */
    uint64_t after_pass;                   /* the cycle after the last pass */
    uint8_t first_at, first_end;           /* counters that wrap around; frontend_place returns the index in the ring */
    uint8_t middle_at, middle_count, last_count; /* the last FIFO begins at frontend_last_at */
    uint8_t in_flight;     /* words pushed by the thread's own TRISC that have not passed the gate completely */
    uint8_t mops;          /* MOPs in the first FIFO or being expanded */
    uint8_t special;       /* words in the first FIFO that an expander does not pass on unchanged */
    uint8_t silent;        /* those of them, other than MOPs, of which nothing reaches the gate */
    uint8_t recorders;     /* words in the middle FIFO of which nothing reaches the gate */
    uint8_t loops;         /* MOPs of template 1 in the first FIFO, whose expansion may be empty */
    bool only_plain_words; /* the first and the last FIFO have only plain words, and nothing is between them */
    bool after_mop;        /* the last word that the MOP expander took was a MOP */
    bool declares;         /* a RESOURCEDECL has come out of the MOP expander: declarations change without a push */
    bool untimed;          /* loose timing: words move when they pass, or up to the word that is held at the gate */
    bool held;             /* untimed: the word at the gate waits for another agent */
    uint64_t mop_free;     /* first cycle in which the MOP expander can take or emit the next word */
    uint64_t replay_free;  /* the same for the Replay expander */
    uint64_t mux_taken;    /* cycle of BRISC's last push, in which a word of the MOP expander is lost; 0: none */
    uint32_t lost;         /* number of words lost that way */
    /* Whether the frontend is a lane: words of the first FIFO go straight to the gate. They stay in the first FIFO
     * until they pass, or until a reader needs the stages between, which are empty. While `lane` is set,
     * only_plain_words is set, too, and every word counts in in_flight. */
    bool lane;
    bool ended;             /* the last word that passed was the last part of its pushed word; always true in a lane */
    uint8_t retired;        /* words in flight that a stage consumed in cycle retired_at */
    bool none_tagged;       /* Auto TTSync makes no word of the first FIFO wait; false: unknown */
    uint64_t retired_at;    /* the last cycle in which a stage consumed a word in flight */
    uint64_t passes;        /* words through the gate, since the chip was made */
    uint16_t silent_config; /* bit mask of the words of mop.config of which nothing reaches the gate */
    uint8_t resyncs;        /* words in flight that change what Auto TTSync tracks; or FRONTEND_RESYNCS */
    uint8_t accepts;        /* FRONTEND_ACCEPTS or FRONTEND_ACCEPTS_ONE, according to cfg0 of the core */
    struct mop mop;
    struct replay replay;
    struct frontend_word expanded, played; /* the words that the MOP and the Replay expander are expanding */
    struct frontend_word shown;            /* copy of the lane's first word, for frontend_head */
    struct ttsync ttsync;
};

/* Initialises a frontend. Precondition: all bytes of it are zero. */
void frontend_init(struct frontend *f);

/* Returns whether the thread's own TRISC can push a group of up to four words. A result of false is reliable only after
 * frontend_advance, because a word that a stage consumes (MOP_CFG, a recorded word) makes room as well. */
static inline bool frontend_has_room(const struct frontend *f) {
    return f->in_flight <= f->accepts;
}

/* Returns how many words stopped being in flight in this cycle. Precondition: the frontend has not been advanced past
 * the end of this cycle. */
static inline unsigned frontend_left_in(const struct frontend *f, uint64_t cycle) {
    BH_ASSERT(f->after_pass <= cycle + 1 && f->retired_at <= cycle);
    return (f->ended && f->after_pass == cycle + 1) + (f->retired_at == cycle ? f->retired : 0u);
}

/* Returns whether anything but a pass can make room while the own TRISC pushes nothing. */
bool frontend_stages_may_consume(const struct frontend *f);
/* Returns the number of cycles for which nothing but a pass can make room, whatever passes. Precondition:
 * frontend_advance has been called. */
unsigned frontend_consumes_after(const struct frontend *f);

static inline bool frontend_may_consume(const struct frontend *f) {
    return !f->only_plain_words && frontend_stages_may_consume(f);
}

/* Returns whether words in flight can change what Auto TTSync does with a word that is pushed later
 * (tensix_is_resync). */
static inline bool frontend_resyncs(const struct frontend *f) {
    return f->resyncs;
}

/* Records that one of these words has been executed. */
static inline void frontend_resynced(struct frontend *f) {
    if (f->resyncs && f->resyncs < FRONTEND_RESYNCS)
        f->resyncs--;
}

/* Forgets these words if nothing is in flight: they have been lost, or a reset has dropped them. */
void frontend_forget_resyncs(struct frontend *f);

/* Writes a word of the MOP expander's configuration. Precondition: frontend_advance has been called. */
void frontend_configure_mop(struct frontend *f, unsigned index, uint32_t value);

/* Pushes 1..4 words of the own TRISC, which are in the first FIFO from cycle `time` on. Returns false, and pushes
 * nothing, if there is no room. config: the thread's ThreadConfig. */
bool frontend_push(struct frontend *f, const uint32_t *words, unsigned count, uint32_t pc, uint64_t time,
                   const uint16_t *config);
/* Pushes a word into the middle FIFO, after the MOP expander. Returns false if there is no room. Precondition:
 * frontend_advance has been called with `time`. */
bool frontend_push_after_mop(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time);

/* Returns whether a word that leaves the MOP expander in this cycle is lost: the multiplexer after the expander prefers
 * a word that BRISC or the debug bus pushes in the same cycle (TensixCoprocessor/README.md, WH). taken: cycle of the
 * last such push, or 0. */
static inline bool frontend_loses(uint64_t taken, uint64_t cycle) {
    return taken && taken == cycle;
}

/* Return the index in the ring of the first FIFO's first word, and the number of words in that FIFO. */
static inline unsigned frontend_place(const struct frontend *f) {
    return f->first_at % FRONTEND_FIRST;
}

static inline unsigned frontend_first_count(const struct frontend *f) {
    return (uint8_t)(f->first_end - f->first_at);
}

/* Returns word i of the first FIFO, counted from 0. */
static inline struct frontend_word frontend_nth(const struct frontend *f, unsigned i) {
    unsigned at = (f->first_at + i) % FRONTEND_FIRST;
    return (struct frontend_word){
        .time = f->first.time[at], .word = f->first.word[at], .pc = f->first.pc[at], .tag = f->first.tag[at]
    };
}

/* Returns the tag of a word of the own TRISC that Auto TTSync does not make wait. */
static inline uint64_t frontend_tag(const struct frontend *f) {
    return UINT64_C(1) << 56 | UINT64_C(1) << 48 | (uint64_t)(f->ttsync.requests & TTSYNC_NUMBER) << 32;
}

/* Returns the resources for which Auto TTSync makes a word with this tag wait at the gate. */
static inline uint16_t frontend_tag_resources(uint64_t tag) {
    return (uint16_t)tag;
}

/* Stores a word at this position of the ring, which wraps around. */
static inline void frontend_put(struct frontend_ring *ring, unsigned at, uint32_t word, uint32_t pc, uint64_t time,
                                uint64_t tag) {
    ring->time[at % FRONTEND_FIRST] = time;
    ring->tag[at % FRONTEND_FIRST] = tag;
    ring->word[at % FRONTEND_FIRST] = word;
    ring->pc[at % FRONTEND_FIRST] = pc;
}

/* Stores a full group. Precondition: it does not wrap around the end of the ring. */
static inline void frontend_put_four(struct frontend_ring *ring, unsigned at, const uint32_t *words, uint32_t pc,
                                     uint64_t time, uint64_t tag) {
    typedef uint32_t four __attribute__((vector_size(16)));
    typedef uint64_t two __attribute__((vector_size(16)));
    typedef uint32_t any_four __attribute__((vector_size(16), aligned(4), may_alias)); /* read as one vector, too */
    four pcs = pc + (four){ 0, 4, 8, 12 };
    two times = { time, time }, tags = { tag, tag };
    *(any_four *)&ring->word[at] = *(const any_four *)words;
    memcpy(&ring->pc[at], &pcs, sizeof pcs);
    memcpy(&ring->time[at], &times, sizeof times);
    memcpy(&ring->time[at] + 2, &times, sizeof times);
    memcpy(&ring->tag[at], &tags, sizeof tags);
    memcpy(&ring->tag[at] + 2, &tags, sizeof tags);
}

/* A push of plain words (tensix_is_plain) that Auto TTSync does not make wait: frontend_enter begins the push,
 * frontend_put_words stores each group for which there is room, and frontend_pushed ends the push. */
struct frontend_entry {
    uint64_t tag;
    unsigned end;
};

static inline struct frontend_entry frontend_enter(const struct frontend *f) {
    return (struct frontend_entry){ frontend_tag(f), f->first_end };
}

static inline void frontend_put_words(struct frontend *f, struct frontend_entry *entry, const uint32_t *words,
                                      unsigned count, uint32_t pc, uint64_t time) {
    unsigned at = entry->end % FRONTEND_FIRST;
    entry->end += count;
    BH_ASSERT(count <= FRONTEND_GROUP && (uint8_t)(entry->end - f->first_at) <= FRONTEND_FIRST);
    if (BH_LIKELY(count == FRONTEND_GROUP && at <= FRONTEND_FIRST - FRONTEND_GROUP))
        frontend_put_four(&f->first, at, words, pc, time, entry->tag);
    else
        for (unsigned i = 0; i < count; i++)
            frontend_put(&f->first, at + i, words[i], pc + 4 * i, time, entry->tag);
}

static inline void frontend_pushed(struct frontend *f, const struct frontend_entry *entry) {
    f->in_flight = (uint8_t)(f->in_flight + entry->end - f->first_end);
    f->first_end = (uint8_t)entry->end;
    BH_ASSERT(frontend_first_count(f) <= FRONTEND_FIRST);
}

/* Returns the index in the last FIFO of the word at the gate, or of the next one to get there. */
static inline unsigned frontend_last_at(const struct frontend *f) {
    return f->passes % FRONTEND_LAST;
}

/* Returns the first cycle in which the next free slot of the last FIFO, which has two, can be filled. */
static inline uint64_t frontend_last_free(const struct frontend *f) {
    return f->last_count ? f->after_pass : f->after_second;
}

/* Records that a word passes in cycle `now`. */
static inline void frontend_passes(struct frontend *f, uint64_t now) {
    BH_ASSERT(now >= f->after_pass || f->untimed);
    f->after_third = f->after_second;
    f->after_second = f->after_pass;
    f->after_pass = now + 1;
    f->passes++;
}

/* Returns the cycle of the last pass. */
static inline uint64_t frontend_passed_at(const struct frontend *f) {
    return f->after_pass - 1;
}

/* ---- The lane ------------------------------------------------------------------------------------
 *
 * Let m be the cycle in which the MOP expander takes a word, r the cycle in which the Replay expander does, and p that
 * of its pass; m', r', p' belong to its predecessor, p" to the word before that. Then r = max(m, p") + 1, and the word
 * can pass from r + 1 on. Nothing else matters:
 * - The Replay expander's pace: r' + 1 = max(m', p"') + 2 is no later, as m > m' and p" > p"'.
 * - The room in the middle FIFO: the word eight positions ahead has left it before its own pass, and r is after the
 *   second last pass.
 * So the lane keeps no times for those two stages. When a reader looks at them, the words still in the first FIFO move
 * through both stages without delay from words that have passed, because the look comes after the last pass. */

/* Returns the cycle in which the MOP expander takes the next word, which is at this index. */
static inline uint64_t frontend_lane_mop(const struct frontend *f, unsigned place) {
    uint64_t time = f->first.time[place];
    return time > f->mop_free ? time : f->mop_free;
}

/* Returns the first cycle in which a word can pass, given that its predecessor has passed. mop: the cycle in which the
 * MOP expander takes the word. */
static inline uint64_t frontend_lane_ready(uint64_t mop) {
    return mop + 2;
}

/* Lets the next word pass in cycle `now`. mop: the cycle in which the MOP expander took the word. */
static inline void frontend_lane_pop(struct frontend *f, uint64_t mop, uint64_t now) {
    BH_ASSERT(f->in_flight && frontend_first_count(f) == f->in_flight);
    BH_ASSERT(mop >= f->mop_free && (frontend_lane_ready(mop) <= now || f->untimed));
    frontend_passes(f, now);
    f->mop_free = mop + 1;
    f->first_at++;
    f->in_flight--;
}

/* Returns whether this many words can pass, one a cycle, from `now` on. Words are in order of time and the MOP expander
 * takes one a cycle, so it is enough that the expander can begin and that the last word has arrived. */
static inline bool frontend_lane_flows(const struct frontend *f, unsigned count, uint64_t now) {
    uint64_t last = f->first.time[(f->first_at + count - 1) % FRONTEND_FIRST];
    return frontend_lane_ready(f->mop_free) <= now && frontend_lane_ready(last) <= now;
}

/* Returns the first cycle in which the MOP expander is free after it has taken words with these times. Precondition:
 * the times are in order. */
static inline uint64_t frontend_lane_takes(uint64_t mop_free, const uint64_t *time, unsigned count) {
    for (const uint64_t *end = time + count; time < end;) {
        uint64_t first = *time > mop_free ? *time : mop_free;
        bool group = end - time >= FRONTEND_GROUP && time[FRONTEND_GROUP - 1] <= first;
        mop_free = first + (group ? FRONTEND_GROUP : 1);
        time += group ? FRONTEND_GROUP : 1;
    }
    return mop_free;
}

/* Does the same for `count` words of the first FIFO from this index on. */
static inline uint64_t frontend_lane_takes_from(const struct frontend *f, uint64_t mop_free, unsigned at,
                                                unsigned count) {
    unsigned straight = FRONTEND_FIRST - at;
    straight = count < straight ? count : straight;
    mop_free = frontend_lane_takes(mop_free, f->first.time + at, straight);
    return frontend_lane_takes(mop_free, f->first.time, count - straight);
}

/* Lets `count` words pass. after: the cycles after the passes, beginning with that of the last pass. mop_free: the
 * value that frontend_lane_takes_from returned. */
static inline void frontend_lane_pop_many(struct frontend *f, unsigned count, uint64_t mop_free,
                                          const uint64_t *after) {
    uint64_t before = f->after_pass;
    BH_ASSERT(f->lane && count && count <= f->in_flight && mop_free >= f->mop_free);
    BH_ASSERT(after[0] > before);
    f->mop_free = mop_free;
    f->after_third = count > 2 ? after[2] : count > 1 ? before : f->after_second;
    f->after_second = count > 1 ? after[1] : before;
    f->after_pass = after[0];
    f->passes += count;
    f->first_at = (uint8_t)(f->first_at + count);
    f->in_flight = (uint8_t)(f->in_flight - count);
}

/* Returns how many of the lane's first `count` words come before the first word that Auto TTSync makes wait. */
unsigned frontend_count_untagged(struct frontend *f, unsigned count);

/* Returns the first cycle in which the lane's next word can pass. */
uint64_t frontend_lane_at_gate(const struct frontend *f);

/* ---- The gate ------------------------------------------------------------------------------------
 *
 * After a MOP or a REPLAY, words move to the gate one at a time, when the gate asks for the next. Let m be the cycle in
 * which the MOP expander emits a word, and r the cycle in which the Replay expander does. m is the latest of: the word
 * is there; the expander is free (mop_free); the word eight positions ahead has left the middle FIFO (middle_free). r
 * is the latest of: m + 1; the Replay expander is free (replay_free); the second word ahead has passed (after_second).
 * All of these concern words ahead, so they are known, and none depends on the words after it. Therefore a word that
 * finds the FIFOs between empty goes through both stages at once, with the same times as one stage after the other, and
 * the words after it can stay where they are until a reader looks. Unlike in the lane, the room in the middle FIFO
 * matters: if that FIFO was full while a REPLAY played, the MOP expander has fallen back, and the cycle in which it
 * rests after a MOP can keep it back. */

/* Returns the word at the gate, or NULL if none gets there before cycle `until`. */
const struct frontend_word *frontend_head(struct frontend *f, uint64_t until);
/* Returns the first cycle in which the word at the gate can pass. */
static inline uint64_t frontend_ready(const struct frontend *f) {
    return f->lane ? frontend_lane_at_gate(f) : f->last[frontend_last_at(f)].time;
}

/* Lets the word at the gate pass in cycle `now`. */
static inline void frontend_pop(struct frontend *f, uint64_t now) {
    if (f->lane) {
        frontend_lane_pop(f, frontend_lane_mop(f, frontend_place(f)), now);
    } else {
        f->ended = f->last[frontend_last_at(f)].ends;
        BH_ASSERT(f->in_flight >= f->ended && (f->untimed || f->last[frontend_last_at(f)].time <= now));
        f->in_flight = (uint8_t)(f->in_flight - f->ended);
        f->last_count--;
        frontend_passes(f, now);
    }
}

/* For untimed frontends: loses the next word that the MOP expander emits (frontend_loses). Returns false, and does
 * nothing, if the expander consumes the next word anyway. */
bool frontend_lose_next(struct frontend *f);
/* For untimed frontends: moves the first word to the gate, however long that takes. */
void frontend_hold(struct frontend *f);

/* Advances every stage to its state at the beginning of cycle `until`. Only callers that look at more than the gate
 * need this. */
void frontend_advance(struct frontend *f, uint64_t until);

/* Returns whether a stage can act while nothing passes the gate. If so, the wait of a core may end without a pass. */
bool frontend_moves(const struct frontend *f);

/* Readers. Precondition: frontend_advance has been called. */
bool frontend_empty(const struct frontend *f);
bool frontend_mop_busy(const struct frontend *f);     /* a MOP is queued or being expanded */
unsigned frontend_mop_left(const struct frontend *f); /* the least number of cycles until no MOP is */
bool frontend_middle_full(const struct frontend *f);
/* Returns the number of words in the middle FIFO at the beginning of cycle `now`. The frontend may have been advanced
 * to the end of that cycle, but no further. */
unsigned frontend_middle_count(const struct frontend *f, uint64_t now);
/* Returns the types of the queued words of the own TRISC, as bits of tt_cfg_qstatus (CSRs.md). */
unsigned frontend_types(const struct frontend *f, uint64_t now);
/* Returns the resources that words in flight read and write (ttsync.h). Words of an expansion count with the resources
 * of the word that they are expanded from. */
uint16_t frontend_resources(const struct frontend *f);
/* Applies a soft reset of the own TRISC: words in the first FIFO and in the MOP expander are lost. */
void frontend_reset_core(struct frontend *f);

#endif
