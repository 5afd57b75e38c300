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
    FRONTEND_BEHIND = FRONTEND_MIDDLE + FRONTEND_LAST, /* words between the MOP expander and the gate */
    FRONTEND_CROWD = FRONTEND_BEHIND + 2,              /* so many passes are needed to know the stages by them */
    FRONTEND_PASSES = 16,
    FRONTEND_FOLLOWS = 0x0001,
    FRONTEND_STANDS = 0x0101,
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
    uint8_t unused[8]; /* a power of two is found faster */
};
_Static_assert(sizeof(struct frontend_word) == 32, "a ring of words is indexed by a shift");

struct frontend {
    struct frontend_word first[FRONTEND_FIRST], middle[FRONTEND_MIDDLE], last[FRONTEND_LAST]; /* rings */
    uint64_t middle_free[FRONTEND_MIDDLE],
        last_free[FRONTEND_LAST]; /* first cycle in which a free slot can be filled */
    uint8_t first_at, first_end;  /* run on; the ring wraps where it is used (frontend_first) */
    uint8_t middle_at, middle_count, last_at, last_count;
    uint8_t in_flight;    /* words of the own TRISC that have not passed the gate with all that became of them */
    uint8_t mops;         /* MOPs in the first FIFO or being expanded */
    uint8_t special;      /* words in the first FIFO that an expander does not simply pass on */
    bool open;            /* nothing but plain words in the first FIFO and in the last: the way to the gate is free */
    bool after_mop;       /* the last word that the MOP expander took was a MOP */
    bool declares;        /* a RESOURCEDECL has come behind the MOP expander: declarations change without a push */
    uint64_t mop_free;    /* first cycle in which the MOP expander can take or emit the next word */
    uint64_t replay_free; /* and the Replay expander */
    uint64_t mux_taken;   /* the cycle of the last push by BRISC: what the MOP expander emits then is lost; 0: none */
    uint32_t lost;        /* words lost that way */
    union {
        struct {
            /* A crowd: word after word has come to the gate as soon as there was a place, so that the stages' times
             * follow from the cycles in which the last words passed, and only these are kept. While there is one,
             * `open` holds. */
            bool crowd;
            /* The first word of the first FIFO has gone straight through the expanders and is at the gate. It stays
             * where it is until it passes or somebody looks at the stages, which saves carrying it along. */
            bool straight;
        };
        uint16_t way; /* both; FRONTEND_FOLLOWS: a crowd of which no word is at the gate yet, FRONTEND_STANDS: one is */
    };
    uint64_t early;    /* a word of the crowd that came no later than this follows the one before */
    uint8_t queued;    /* words in a row that had to wait for a place at the gate, up to FRONTEND_CROWD */
    uint8_t passed_at; /* place of the next pass in the ring */
    uint64_t passed[FRONTEND_PASSES];
    struct mop mop;
    struct replay replay;
    struct frontend_word expanded, played; /* the words that are being expanded by MOP and Replay */
    struct ttsync ttsync;
};

void frontend_init(struct frontend *f);

/* Is there room for a push, of up to four words at once, by the own TRISC? A no counts only with the stages brought
 * forward: a word that is consumed (MOP_CFG, what is recorded) makes room as well. */
static inline bool frontend_has_room(const struct frontend *f) {
    return f->in_flight <= FRONTEND_ACCEPTS;
}

/* Can anything but a pass make room? */
static inline bool frontend_may_consume(const struct frontend *f) {
    return !f->open;
}

/* Pushes 1..4 words by the own TRISC: they are in the first FIFO from cycle `time` on. There must be room.
 * config: the thread's ThreadConfig. */
void frontend_push(struct frontend *f, const uint32_t *words, unsigned count, uint32_t pc, uint64_t time,
                   const uint16_t *config);
/* The same for a word of which nobody asks anything: false, and nothing is done, if there is more to it. */
bool frontend_push_one(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time);
/* Pushes behind the MOP expander. Stages must have been brought forward to `time`. False: no room. */
bool frontend_push_behind_mop(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time);

/* The first word of the first FIFO, and how many there are. */
static inline struct frontend_word *frontend_first(const struct frontend *f) {
    return (struct frontend_word *)(uintptr_t)&f->first[f->first_at % FRONTEND_FIRST];
}

static inline unsigned frontend_first_count(const struct frontend *f) {
    return (uint8_t)(f->first_end - f->first_at);
}

/* Of a word that Auto TTSync does not follow. */
static inline uint64_t frontend_tag(const struct frontend *f) {
    return UINT64_C(1) << 56 | UINT64_C(1) << 48 | (uint64_t)f->ttsync.requests << 32;
}

static inline void frontend_put(struct frontend_word *slot, uint64_t word_and_pc, uint64_t time, uint64_t tag) {
    slot->time = time;
    slot->word_and_pc = word_and_pc;
    slot->tag = tag;
}

/* The same for a full group, if it does not wrap around the ring. */
static inline bool frontend_push_four(struct frontend *f, const uint32_t words[4], uint32_t pc, uint64_t time) {
    unsigned at = f->first_end % FRONTEND_FIRST;
    struct frontend_word *slot = &f->first[at];
    if (!f->open || at > FRONTEND_FIRST - FRONTEND_GROUP)
        return false;
    BH_CHECK_HOT(frontend_first_count(f) + FRONTEND_GROUP <= FRONTEND_FIRST);
    uint64_t tag = frontend_tag(f), place = (uint64_t)pc << 32, step = UINT64_C(4) << 32;
    for (unsigned i = 0; i < FRONTEND_GROUP; i++, place += step)
        frontend_put(slot + i, place | words[i], time, tag);
    f->first_end = (uint8_t)(f->first_end + FRONTEND_GROUP);
    f->in_flight = (uint8_t)(f->in_flight + FRONTEND_GROUP);
    return true;
}

/* The cycle in which the n-th last word passed, n from 1. */
static inline uint64_t frontend_passed(const struct frontend *f, unsigned n) {
    return f->passed[(f->passed_at - n) % FRONTEND_PASSES];
}

/* The next word of a crowd, NULL if there is none: it was there when the MOP expander had a place for it, two cycles
 * after the tenth last word passed, and so has been at the gate since the second cycle after the second last one did.
 */
static inline struct frontend_word *frontend_next_of_crowd(struct frontend *f) {
    struct frontend_word *word = frontend_first(f);
    if (f->way != FRONTEND_FOLLOWS || f->first_at == f->first_end)
        return NULL;
    if (word->time > f->early && word->time > frontend_passed(f, FRONTEND_BEHIND) + 2)
        return NULL;
    f->early = word->time; /* what comes as early follows too: the tenth last pass only gets later */
    return word;
}

/* It does not pass yet. */
static inline void frontend_keep(struct frontend *f, struct frontend_word *word) {
    word->time = frontend_passed(f, FRONTEND_LAST) + 2;
    f->way = FRONTEND_STANDS; /* as a whole, as it is looked at next */
}

/* A word whose way is free. The room in the middle FIFO does not matter: a word that has to wait for it would have to
 * wait longer for the word before it to leave. */
const struct frontend_word *frontend_go_straight(struct frontend *f, uint64_t until);

/* The word at the gate, NULL if none gets there before cycle `until`. Its time says from when on it can pass. */
const struct frontend_word *frontend_find_head(struct frontend *f, uint64_t until);
static inline const struct frontend_word *frontend_head(struct frontend *f, uint64_t until) {
    if (f->straight)
        return frontend_first(f);
    if (f->last_count)
        return &f->last[f->last_at];
    if (f->first_at == f->first_end || !f->open)
        return frontend_find_head(f, until);
    struct frontend_word *word = frontend_next_of_crowd(f);
    if (!word || frontend_passed(f, FRONTEND_LAST) + 1 >= until)
        return frontend_go_straight(f, until);
    frontend_keep(f, word);
    return word;
}

/* It passes in cycle `now`. */
static inline void frontend_pop_first(struct frontend *f, uint64_t now) {
    f->in_flight--;
    f->first_at++;
    f->passed[f->passed_at++ % FRONTEND_PASSES] = now;
}

/* The word at the gate passes in cycle `now`. */
void frontend_pop_last(struct frontend *f, uint64_t now);
static inline void frontend_pop(struct frontend *f, uint64_t now) {
    if (!f->straight) {
        frontend_pop_last(f, now);
        return;
    }
    f->way = f->crowd; /* as a whole */
    frontend_pop_first(f, now);
    if (!f->crowd) {
        f->last_free[f->last_at] = now + 1;
        f->last_at = (uint8_t)((f->last_at + 1) % FRONTEND_LAST);
    }
}

/* Brings every stage to where it is when cycle `until` begins, for those who look at more than the gate. */
void frontend_advance(struct frontend *f, uint64_t until);

/* Does a stage still act while nothing passes the gate? Then what cores wait for may come without a pass. */
bool frontend_moves(const struct frontend *f);

/* These want the stages brought forward. */
bool frontend_empty(const struct frontend *f);
bool frontend_mop_busy(const struct frontend *f); /* a MOP is queued or being expanded */
bool frontend_middle_full(const struct frontend *f);
bool frontend_middle_empty(const struct frontend *f);
/* Types of the queued words of the own TRISC, bits as in tt_cfg_qstatus (CSRs.md). */
unsigned frontend_types(const struct frontend *f);
/* What the words in flight read and write (ttsync.h), the words of an expansion by their parent's declaration. */
uint16_t frontend_resources(const struct frontend *f);
/* A soft reset of the own TRISC: words in the first FIFO and in the MOP expander are lost. */
void frontend_reset_core(struct frontend *f);

#endif
