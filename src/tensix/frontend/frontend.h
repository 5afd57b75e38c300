/* A thread's frontend up to its Wait Gate: three FIFOs with the MOP and the Replay expander between them.
 *
 *     push -> first (32) -> MOP expander -> middle (8) -> Replay expander -> last (2) -> gate
 *                                     ^ pushes of BRISC and of the debug bus
 *
 * Each stage takes one word a cycle; a word that is taken in cycle c can be taken by the next stage in c + 1. Words
 * carry their times, so that nothing here runs cycle by cycle: stages are brought forward when somebody looks.
 *
 * Depths: PushTensixInstruction.md (BH) for the first, the frontend diagram (WH) for the others. A word counts against
 * the first FIFO until it, or the last word of its expansion, has passed the gate (Auto TTSync's tracking).
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
    FRONTEND_ACCEPTS = 28, /* a push, of up to four words, is taken while no more than this many are in flight */
    FRONTEND_GROUP = 4,    /* words that are pushed at once at most */
    FRONTEND_MIDDLE = 8,
    FRONTEND_LAST = 2,
    FRONTEND_LEAVE = 3,     /* words that can leave in one cycle: by the gate and by both expanders */
    FRONTEND_RESYNCS = 255, /* of frontend.resyncs: an expander can emit such a word at any time */
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
    uint64_t time; /* the first cycle in which the next stage can take it */
    union {
        struct {
            uint32_t word;
            uint32_t pc; /* of the core's instruction that pushed it (its parent, in an expansion) */
        };
        uint64_t word_and_pc; /* word in the low half */
    };
    union {
        struct {
            uint16_t resources; /* that Auto TTSync has it wait for at the gate (ttsync.h); 0 inside an expansion */
            uint16_t holds;     /* the same of its pushed word, which cores wait for until all of it has passed */
            uint16_t request;   /* the number of the core's last request before the push, for the same */
            bool tracked;       /* pushed by the thread's own TRISC, or of its expansion */
            bool ends;          /* with it, its pushed word (a tracked one) has passed the gate */
        };
        uint64_t tag; /* all of these, the first in the low half-word; the last are bits 48 and 56 */
    };
};

/* Words of a FIFO by columns, so that a group is put there at once: a ring. */
struct frontend_ring {
    uint64_t time[FRONTEND_FIRST], tag[FRONTEND_FIRST];
    uint32_t word[FRONTEND_FIRST], pc[FRONTEND_FIRST];
};

struct frontend {
    struct frontend_ring first;
    struct frontend_word middle[FRONTEND_MIDDLE], last[FRONTEND_LAST]; /* rings */
    uint64_t after_second;                       /* the cycle after the word before the last has passed */
    uint64_t middle_free[FRONTEND_MIDDLE];       /* first cycle in which a free slot can be filled */
    uint64_t after_pass;                         /* the cycle after the last word has passed */
    uint8_t first_at, first_end;                 /* run on; the ring wraps where it is used (frontend_place) */
    uint8_t middle_at, middle_count, last_count; /* the last one begins at frontend_last_at */
    uint8_t in_flight;     /* words of the own TRISC that have not passed the gate with all that became of them */
    uint8_t mops;          /* MOPs in the first FIFO or being expanded */
    uint8_t special;       /* words in the first FIFO that an expander does not simply pass on */
    uint8_t silent;        /* those of them of which nothing gets to the gate, MOPs apart */
    uint8_t recorders;     /* words in the middle FIFO of which nothing gets there */
    uint8_t loops;         /* those that are MOPs of template 1, whose expansion may be empty */
    bool only_plain_words; /* nothing but plain words in the first FIFO and in the last: the way to the gate is free */
    bool after_mop;        /* the last word that the MOP expander took was a MOP */
    bool declares;         /* a RESOURCEDECL has come behind the MOP expander: declarations change without a push */
    bool untimed;      /* the coprocessor is loosely timed: stages are brought forward behind a word that is held at the
                        * gate,      and else as words pass */
    bool held;         /* untimed: the word at the gate waits for another agent */
    uint64_t mop_free; /* first cycle in which the MOP expander can take or emit the next word */
    uint64_t replay_free; /* and the Replay expander */
    uint64_t mux_taken;   /* the cycle of the last push by BRISC: what the MOP expander emits then is lost; 0: none */
    uint32_t lost;        /* words lost that way */
    /* The lane: what is in the first FIFO goes straight to the gate, so it stays where it is until it passes or
     * somebody looks at the stages between, which are empty then. While there is one, `open` holds and every word is
     * counted in in_flight. */
    bool lane;
    bool ended;             /* the last word that passed was the last of its pushed word; in a lane all are */
    uint8_t retired;        /* words in flight that went no further than a stage in cycle retired_at */
    bool none_tagged;       /* Auto TTSync has no word of the first FIFO wait; false: not known */
    uint64_t retired_at;    /* the last cycle with such a word */
    uint64_t passes;        /* words through the gate, since the chip was made */
    uint16_t silent_config; /* a mask of the words of mop.config of which nothing gets to the gate */
    uint8_t resyncs;        /* words in flight that change what Auto TTSync follows; or FRONTEND_RESYNCS */
    struct mop mop;
    struct replay replay;
    struct frontend_word expanded, played; /* the words that are being expanded by MOP and Replay */
    struct frontend_word shown;            /* the first of the lane, for those who look at it */
    struct ttsync ttsync;
};

void frontend_init(struct frontend *f);

/* Is there room for a push, of up to four words at once, by the own TRISC? A no counts only with the stages brought
 * forward: a word that is consumed (MOP_CFG, what is recorded) makes room as well. */
static inline bool frontend_has_room(const struct frontend *f) {
    return f->in_flight <= FRONTEND_ACCEPTS;
}

/* Words that were in flight when this cycle began and no longer are after it. Precondition: the frontend has not been
 * brought further than the end of this cycle. */
static inline unsigned frontend_left_in(const struct frontend *f, uint64_t cycle) {
    BH_ASSERT(f->after_pass <= cycle + 1 && f->retired_at <= cycle);
    return (f->ended && f->after_pass == cycle + 1) + (f->retired_at == cycle ? f->retired : 0u);
}

/* Can anything but a pass make room, as long as the own TRISC does nothing? */
bool frontend_stages_may_consume(const struct frontend *f);
/* If so: for how many cycles it cannot, with the stages brought forward, whatever passes. */
unsigned frontend_consumes_after(const struct frontend *f);

static inline bool frontend_may_consume(const struct frontend *f) {
    return !f->only_plain_words && frontend_stages_may_consume(f);
}

/* Can the words in flight change what Auto TTSync does with a word that is pushed later? */
static inline bool frontend_resyncs(const struct frontend *f) {
    return f->resyncs;
}

/* One of these words has been executed. */
static inline void frontend_resynced(struct frontend *f) {
    if (f->resyncs && f->resyncs < FRONTEND_RESYNCS)
        f->resyncs--;
}

/* Those that were lost or reset on their way do not count once nothing is in flight. */
void frontend_forget_resyncs(struct frontend *f);

/* Writes a word of the MOP expander's configuration; the stages must have been brought forward. */
void frontend_configure_mop(struct frontend *f, unsigned index, uint32_t value);

/* Pushes 1..4 words by the own TRISC: they are in the first FIFO from cycle `time` on. False, and nothing is
 * pushed, if there is no room. config: the thread's ThreadConfig. */
bool frontend_push(struct frontend *f, const uint32_t *words, unsigned count, uint32_t pc, uint64_t time,
                   const uint16_t *config);
/* Pushes behind the MOP expander. Stages must have been brought forward to `time`. False: no room. */
bool frontend_push_behind_mop(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time);

/* Is a word lost that comes out of the MOP expander in this cycle? The multiplexer behind the expander lets through
 * what BRISC or the debug bus pushes in the same cycle, and nothing else (TensixCoprocessor/README.md, WH). taken: the
 * cycle of the last such push, or 0. */
static inline bool frontend_loses(uint64_t taken, uint64_t cycle) {
    return taken && taken == cycle;
}

/* The first FIFO: where its first word is, and how many there are. */
static inline unsigned frontend_place(const struct frontend *f) {
    return f->first_at % FRONTEND_FIRST;
}

static inline unsigned frontend_first_count(const struct frontend *f) {
    return (uint8_t)(f->first_end - f->first_at);
}

/* Of its words, counted from 0. */
static inline struct frontend_word frontend_nth(const struct frontend *f, unsigned i) {
    unsigned at = (f->first_at + i) % FRONTEND_FIRST;
    return (struct frontend_word){
        .time = f->first.time[at], .word = f->first.word[at], .pc = f->first.pc[at], .tag = f->first.tag[at]
    };
}

/* Of a word that Auto TTSync does not follow. */
static inline uint64_t frontend_tag(const struct frontend *f) {
    return UINT64_C(1) << 56 | UINT64_C(1) << 48 | (uint64_t)f->ttsync.requests << 32;
}

/* What Auto TTSync has a word with this tag wait for at the gate. */
static inline uint16_t frontend_tag_resources(uint64_t tag) {
    return (uint16_t)tag;
}

static inline void frontend_put(struct frontend_ring *ring, unsigned at, uint32_t word, uint32_t pc, uint64_t time,
                                uint64_t tag) {
    ring->time[at % FRONTEND_FIRST] = time;
    ring->tag[at % FRONTEND_FIRST] = tag;
    ring->word[at % FRONTEND_FIRST] = word;
    ring->pc[at % FRONTEND_FIRST] = pc;
}

/* A full group that does not go around the end. */
static inline void frontend_put_four(struct frontend_ring *ring, unsigned at, const uint32_t *words, uint32_t pc,
                                     uint64_t time, uint64_t tag) {
    typedef uint32_t four __attribute__((vector_size(16)));
    typedef uint64_t two __attribute__((vector_size(16)));
    four pcs = pc + (four){ 0, 4, 8, 12 };
    two times = { time, time }, tags = { tag, tag };
    memcpy(&ring->word[at], words, sizeof pcs);
    memcpy(&ring->pc[at], &pcs, sizeof pcs);
    memcpy(&ring->time[at], &times, sizeof times);
    memcpy(&ring->time[at] + 2, &times, sizeof times);
    memcpy(&ring->tag[at], &tags, sizeof tags);
    memcpy(&ring->tag[at] + 2, &tags, sizeof tags);
}

/* Words that are ordinary (tensix_is_ordinary) and that Auto TTSync does not follow, on their way into the first FIFO:
 * frontend_put_words, for whatever there is room for, and frontend_pushed in the end. */
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

/* The place of the word at the gate in the last FIFO, or where the next one comes. */
static inline unsigned frontend_last_at(const struct frontend *f) {
    return f->passes % FRONTEND_LAST;
}

/* The first cycle in which the next free slot of the last FIFO, which has two, can be filled. */
static inline uint64_t frontend_last_free(const struct frontend *f) {
    return f->last_count ? f->after_pass : f->after_second;
}

/* A word passes in cycle `now`. */
static inline void frontend_passes(struct frontend *f, uint64_t now) {
    BH_ASSERT(now >= f->after_pass || f->untimed);
    f->after_second = f->after_pass;
    f->after_pass = now + 1;
    f->passes++;
}

/* The cycle in which the last word passed. */
static inline uint64_t frontend_passed_at(const struct frontend *f) {
    return f->after_pass - 1;
}

/* ---- The lane -------------------------------------------------------------------------------------
 *
 * Say that the MOP expander takes a word in cycle m, that the Replay expander does in cycle r, and that it passes in
 * cycle p; m', r', p' are of the word before, p" of the one before that. Then r = max(m, p") + 1, and it can pass from
 * r + 1 on. Nothing else matters:
 * - The Replay expander's pace: r' + 1 = max(m', p"') + 2 is no later, as m > m' and p" > p"'.
 * - The room in the middle FIFO, which the eighth word before has left before it passed: r is after the second last
 *   pass.
 * So the times of those two stages need not be kept. If somebody looks, words that still are in the first FIFO go
 * through them without being held up by what has passed, and they do so in time: the look comes after the last pass. */

/* When the MOP expander takes the next word, which is here. */
static inline uint64_t frontend_lane_mop(const struct frontend *f, unsigned place) {
    uint64_t time = f->first.time[place];
    return time > f->mop_free ? time : f->mop_free;
}

/* From when on the word that it takes in this cycle can pass, if the one before has. */
static inline uint64_t frontend_lane_ready(uint64_t mop) {
    return mop + 2;
}

/* The next word, which the MOP expander has taken in cycle `mop`, passes in cycle `now`. */
static inline void frontend_lane_pop(struct frontend *f, uint64_t mop, uint64_t now) {
    BH_ASSERT(f->in_flight && frontend_first_count(f) == f->in_flight);
    BH_ASSERT(mop >= f->mop_free && (frontend_lane_ready(mop) <= now || f->untimed));
    frontend_passes(f, now);
    f->mop_free = mop + 1;
    f->first_at++;
    f->in_flight--;
}

/* Can this many words pass one a cycle from `now` on? They are in order of time and the MOP expander takes one a cycle,
 * so that it is enough if it can begin and the last one is there. */
static inline bool frontend_lane_flows(const struct frontend *f, unsigned count, uint64_t now) {
    uint64_t last = f->first.time[(f->first_at + count - 1) % FRONTEND_FIRST];
    return frontend_lane_ready(f->mop_free) <= now && frontend_lane_ready(last) <= now;
}

/* When it is free after it has taken words of these times, which are in order: groups that are all there at once. */
static inline uint64_t frontend_lane_takes(uint64_t mop_free, const uint64_t *time, unsigned count) {
    for (const uint64_t *end = time + count; time < end;) {
        uint64_t first = *time > mop_free ? *time : mop_free;
        bool group = end - time >= FRONTEND_GROUP && time[FRONTEND_GROUP - 1] <= first;
        mop_free = first + (group ? FRONTEND_GROUP : 1);
        time += group ? FRONTEND_GROUP : 1;
    }
    return mop_free;
}

/* The same of words that begin at this place. */
static inline uint64_t frontend_lane_takes_from(const struct frontend *f, uint64_t mop_free, unsigned at,
                                                unsigned count) {
    unsigned straight = FRONTEND_FIRST - at;
    straight = count < straight ? count : straight;
    mop_free = frontend_lane_takes(mop_free, f->first.time + at, straight);
    return frontend_lane_takes(mop_free, f->first.time, count - straight);
}

/* They have passed, the last two in the cycles before these; mop_free: as that says. */
static inline void frontend_lane_pop_many(struct frontend *f, unsigned count, uint64_t mop_free, uint64_t after_second,
                                          uint64_t after_last) {
    BH_ASSERT(f->lane && count <= f->in_flight && mop_free >= f->mop_free);
    BH_ASSERT(after_second <= after_last && after_second >= f->after_second);
    f->mop_free = mop_free;
    f->after_second = after_second;
    f->after_pass = after_last;
    f->passes += count;
    f->first_at = (uint8_t)(f->first_at + count);
    f->in_flight = (uint8_t)(f->in_flight - count);
}

/* Returns how many of so many words of the lane precede the first one that Auto TTSync has wait. */
unsigned frontend_count_untagged(struct frontend *f, unsigned count);

/* From when on the next word can pass. */
uint64_t frontend_lane_at_gate(const struct frontend *f);

/* ---- The gate ---------------------------------------------------------------------------------------
 *
 * Behind a MOP or a REPLAY stages are brought forward one word at a time, when the gate wants it. Say that the MOP
 * expander emits it in cycle m and that the Replay expander does in cycle r: then m is the latest of when the word is
 * there, of when the expander is free (mop_free) and of when the eighth word before has left the middle FIFO
 * (middle_free); r of m + 1, of when the Replay expander is free (replay_free) and of when the second word before has
 * passed (after_second). All of these are known, as they are about words before, and none depends on what comes behind.
 * So a word that finds the FIFOs between empty goes through both stages at once, with the times that it would have had
 * one after the other, and what is behind it can stay where it is: when somebody looks, it goes forward from there by
 * the same rules. Unlike in the lane the room in the middle FIFO counts: if it was full while a REPLAY played, the MOP
 * expander has fallen behind, and may stay so because of the cycle that it rests after a MOP. */

/* The word at the gate, NULL if none gets there before cycle `until`. */
const struct frontend_word *frontend_head(struct frontend *f, uint64_t until);
/* From when on the word at the gate can pass. */
static inline uint64_t frontend_ready(const struct frontend *f) {
    return f->lane ? frontend_lane_at_gate(f) : f->last[frontend_last_at(f)].time;
}

/* The word at the gate passes in cycle `now`. */
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

/* The word that the MOP expander emits next is lost (frontend_loses). False: the next word goes no further than the
 * expander anyway, and nothing is done. For untimed frontends. */
bool frontend_lose_next(struct frontend *f);
/* The first word stands at the gate, whatever time that takes. */
void frontend_hold(struct frontend *f);

/* Brings every stage to where it is when cycle `until` begins, for those who look at more than the gate. */
void frontend_advance(struct frontend *f, uint64_t until);

/* Does a stage still act while nothing passes the gate? Then what cores wait for may come without a pass. */
bool frontend_moves(const struct frontend *f);

/* These want the stages brought forward. */
bool frontend_empty(const struct frontend *f);
bool frontend_mop_busy(const struct frontend *f);     /* a MOP is queued or being expanded */
unsigned frontend_mop_left(const struct frontend *f); /* for so many cycles, at least */
bool frontend_middle_full(const struct frontend *f);
bool frontend_middle_empty(const struct frontend *f);
/* Types of the queued words of the own TRISC, bits as in tt_cfg_qstatus (CSRs.md). */
unsigned frontend_types(const struct frontend *f, uint64_t now);
/* What the words in flight read and write (ttsync.h), the words of an expansion by their parent's declaration. */
uint16_t frontend_resources(const struct frontend *f);
/* A soft reset of the own TRISC: words in the first FIFO and in the MOP expander are lost. */
void frontend_reset_core(struct frontend *f);

#endif
