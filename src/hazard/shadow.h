/* Shadow memory: for each word of a memory, the last write and the last reads, with their agents and instructions.
 *
 * A line of 64 bytes has one cell as long as all accesses cover all of it, then one for each word.
 */
#ifndef HAZARD_SHADOW_H
#define HAZARD_SHADOW_H

#include "hazard/clock.h"

enum { SHADOW_LINE = 64, SHADOW_WORD = 4, SHADOW_WORDS = SHADOW_LINE / SHADOW_WORD, SHADOW_READS = 2 };

/* How an access is made. */
enum hazard_how {
    HAZARD_READS,
    HAZARD_WRITES,
    HAZARD_CHANGES, /* reads and writes at once: an atomic */
};

struct hazard_access {
    struct hazard_epoch epoch; /* tick 0: there was none */
    uint32_t pc, word;         /* of the instruction */
    uint64_t cycle;
    uint64_t begun; /* of a request: cycle in which it began to leave */
    uint8_t how;    /* enum hazard_how */
    uint8_t source; /* the core (0 to 4) or thread (5 to 7) that has caused it */
    bool small;     /* up to a word: it may be a flag */
    bool uncertain; /* no document says when it is made */
    bool open_end;  /* no document says when it is over */
    bool retried;   /* by an instruction that is tried again */
    bool stale;     /* a load from the core's own cache */
    bool in_time;   /* of the first of two: the other knows that the store was made, not that it has landed */
    bool has_value; /* of a write */
    bool suspect;   /* of the first of two: they are in order, but hardly as they were meant */
    bool same;      /* of the first of two: both write the same value */
    uint8_t turns;  /* of a write: messages and answers in the word so far, in turn */
    uint32_t value;
    uint32_t channel; /* of a request (hazard_request_made) */
};

struct hazard_cell {
    struct hazard_access write, read[SHADOW_READS];
};

struct shadow_line {
    struct hazard_cell *cell; /* NULL: no access yet */
    bool split;               /* there are SHADOW_WORDS cells */
};

struct shadow_page;

struct shadow {
    uint64_t size;
    uint64_t *room; /* bytes of host memory that all shadows together may still take */
    struct shadow_page **page;
};

/* Makes the shadow of a memory of this size; it takes host memory as accesses come. Returns false if there is none. */
bool shadow_make(struct shadow *shadow, uint64_t size, uint64_t *room);
void shadow_free(struct shadow *shadow);
/* Forgets the accesses to a range. Returns false if there is no memory. */
bool shadow_forget(struct shadow *shadow, uint32_t address, uint32_t size);

/* Calls visit for each cell of a range. Bytes beyond the memory are left out. Returns false if there is no memory. */
bool shadow_visit(struct shadow *shadow, uint32_t address, uint32_t size,
                  void (*visit)(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size), void *user);

#endif
