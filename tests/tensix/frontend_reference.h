/* The frontend cycle by cycle, as plainly as can be: each cycle, every stage looks at how full the FIFOs were when the
 * cycle began. For the comparison with src/tensix/frontend/frontend.c, which knows no cycles. */
#ifndef TENSIX_FRONTEND_REFERENCE_H
#define TENSIX_FRONTEND_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/tensix.h"
#include "tensix/frontend/mop.h"
#include "tensix/frontend/ttsync.h"

enum { REF_PARENTS = 1 << 16, REF_NO_PARENT = 0 };

struct ref_word {
    uint32_t word;
    unsigned parent;    /* number of the pushed word, REF_NO_PARENT of BRISC's */
    bool ends;          /* the last one of it */
    uint16_t resources; /* at the gate */
    uint16_t request;
    uint64_t arrived; /* in this FIFO: the first cycle in which it is there */
};

struct ref_fifo {
    struct ref_word word[64];
    unsigned count;
};

struct ref {
    struct ref_fifo first, middle, last;
    struct mop mop;
    struct ref_word expanded;
    bool rests, after_mop; /* the cycle after an expansion */
    uint32_t buffer[32];
    unsigned at, left;
    bool recording, executing;
    struct ref_word played;
    struct ttsync ttsync;
    bool alive[REF_PARENTS];
    uint16_t holds[REF_PARENTS];
    unsigned parents, in_flight, lost;
    bool brisc; /* BRISC pushes in this cycle */
    struct ref_word brisc_word;
};

static inline void ref_put(struct ref_fifo *fifo, struct ref_word word, uint64_t arrived) {
    word.arrived = arrived;
    fifo->word[fifo->count++] = word;
}

static inline struct ref_word ref_get(struct ref_fifo *fifo) {
    struct ref_word word = fifo->word[0];
    memmove(&fifo->word[0], &fifo->word[1], --fifo->count * sizeof word);
    return word;
}

static inline void ref_retire(struct ref *r, const struct ref_word *word) {
    if (!word->ends || word->parent == REF_NO_PARENT)
        return;
    r->alive[word->parent] = false;
    r->in_flight--;
}

static inline void ref_push(struct ref *r, const uint32_t *words, unsigned count, const uint16_t *config,
                            uint64_t now) {
    unsigned bank = r->ttsync.bank;
    for (unsigned i = 0; i < count; i++) {
        struct ref_word word = { .word = words[i], .parent = ++r->parents, .ends = true };
        word.resources = ttsync_of_word(&r->ttsync, words[i], config);
        word.request = r->ttsync.requests & TTSYNC_NUMBER;
        if (CONFIG_GET(config, TENSIX_TRISC_SYNC_TrackTensixInstructions))
            word.request |= (uint16_t)(ttsync_linger_of_word(&r->ttsync, words[i]) << TTSYNC_LINGER_SHIFT);
        r->alive[word.parent] = true;
        r->holds[word.parent] = word.resources;
        r->in_flight++;
        ref_put(&r->first, word, now);
        if (words[i] >> 24 == TENSIX_RESOURCEDECL)
            ttsync_declare(&r->ttsync, words[i]);
        if (words[i] >> 16 == (TENSIX_SETC16 << 8 | CONFIG_WORD_CFG_STATE_ID_StateID))
            bank = words[i] & 1;
    }
    r->ttsync.bank = (uint8_t)bank;
}

/* ---- Stages: `room` is whether the FIFO behind had room when the cycle began ------------------------------ */

static inline void ref_leave_replay(struct ref *r, struct ref_word word, uint64_t now) {
    if (word.word >> 24 == TENSIX_RESOURCEDECL) {
        ttsync_declare(&r->ttsync, word.word);
        ref_retire(r, &word);
    } else {
        ref_put(&r->last, word, now + 1);
    }
}

static inline bool ref_needs_room(uint32_t word) {
    return word >> 24 != TENSIX_RESOURCEDECL;
}

static inline void ref_play(struct ref *r, uint64_t now) {
    struct ref_word word = r->played;
    word.word = r->buffer[r->at];
    r->at = (r->at + 1) % 32;
    r->left--;
    word.ends = r->played.ends && r->left == 0;
    r->played.resources = 0;
    ref_leave_replay(r, word, now);
}

static inline void ref_replay(struct ref *r, bool waiting, bool room, uint64_t now) {
    if (r->left && !r->recording) {
        if (room || !ref_needs_room(r->buffer[r->at]))
            ref_play(r, now);
        return;
    }
    if (!waiting)
        return;
    uint32_t word = r->middle.word[0].word;
    if (r->left) {
        if (r->executing && !room && ref_needs_room(word))
            return;
        struct ref_word taken = ref_get(&r->middle);
        r->buffer[r->at] = word;
        r->at = (r->at + 1) % 32;
        r->left--;
        if (r->executing)
            ref_leave_replay(r, taken, now);
        else
            ref_retire(r, &taken);
    } else if (word >> 24 != TENSIX_REPLAY) {
        if (room || !ref_needs_room(word))
            ref_leave_replay(r, ref_get(&r->middle), now);
    } else if (word & 1 || room || !ref_needs_room(r->buffer[word >> 14 & 31])) {
        struct ref_word taken = ref_get(&r->middle);
        r->at = word >> 14 & 31;
        r->left = (word >> 4 & 31) ? word >> 4 & 31 : 32;
        r->recording = word & 1;
        r->executing = word >> 1 & 1;
        r->played = taken;
        if (r->recording)
            ref_retire(r, &taken);
        else
            ref_play(r, now);
    }
}

static inline void ref_leave_mop(struct ref *r, struct ref_word word, uint64_t now) {
    if (r->brisc) {
        r->lost++;
        ref_retire(r, &word);
    } else {
        ref_put(&r->middle, word, now + 1);
    }
}

static inline void ref_expand(struct ref *r, uint64_t now) {
    struct ref_word word = r->expanded;
    bool any = mop_next(&r->mop, &word.word);
    word.ends = !r->mop.active;
    r->expanded.resources = 0;
    if (any)
        ref_leave_mop(r, word, now);
    else
        ref_retire(r, &word);
    r->rests = !r->mop.active;
}

static inline void ref_mop(struct ref *r, bool room, uint64_t now) {
    bool rests = r->rests;
    r->rests = false;
    if (r->mop.active) {
        if (room)
            ref_expand(r, now);
        return;
    }
    if (!r->first.count)
        return;
    unsigned opcode = r->first.word[0].word >> 24;
    if (opcode == TENSIX_MOP) {
        if (!room)
            return;
        r->expanded = ref_get(&r->first);
        mop_start(&r->mop, r->expanded.word);
        ref_expand(r, now);
        return;
    }
    bool consumed = opcode == TENSIX_MOP_CFG || opcode == TENSIX_RESOURCEDECL;
    if (rests || (!consumed && !room))
        return;
    struct ref_word word = ref_get(&r->first);
    if (opcode == TENSIX_MOP_CFG)
        r->mop.mask_high = (uint16_t)word.word;
    if (consumed)
        ref_retire(r, &word);
    else
        ref_leave_mop(r, word, now);
}

/* One cycle. Pushes and writes of it have been made. Returns whether a word passes the gate, and which. */
static inline bool ref_cycle(struct ref *r, bool gate_open, uint64_t now, struct ref_word *passed) {
    bool middle_room = r->middle.count < 8, last_room = r->last.count<2, waiting = r->middle.count> 0;
    bool passes = gate_open && r->last.count;
    if (passes) {
        *passed = ref_get(&r->last);
        ref_retire(r, passed);
    }
    ref_replay(r, waiting, last_room, now);
    ref_mop(r, middle_room, now);
    if (r->brisc)
        ref_put(&r->middle, r->brisc_word, now + 1);
    r->brisc = false;
    return passes;
}

static inline bool ref_mop_busy(const struct ref *r) {
    bool busy = r->mop.active;
    for (unsigned i = 0; i < r->first.count; i++)
        busy |= r->first.word[i].word >> 24 == TENSIX_MOP;
    return busy;
}

static inline bool ref_empty(const struct ref *r) {
    return !r->first.count && !r->middle.count && !r->last.count && !r->mop.active && !(r->left && !r->recording);
}

/* Of pushed words that have not passed, and of what is left of those of which the end was lost. */
static inline uint16_t ref_resources(const struct ref *r) {
    const struct ref_fifo *fifos[] = { &r->middle, &r->last };
    unsigned all = 0;
    for (unsigned i = r->parents > 64 ? r->parents - 64 : 1; i <= r->parents; i++)
        all |= r->alive[i] ? r->holds[i] : 0u;
    for (unsigned i = 0; r->in_flight && i < 2; i++)
        for (unsigned k = 0; k < fifos[i]->count; k++)
            all |= r->holds[fifos[i]->word[k].parent];
    if (r->in_flight && r->left && !r->recording) /* a REPLAY that such a word is being played for */
        all |= r->holds[r->played.parent];
    return (uint16_t)all;
}

#endif
