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
    bool retried;   /* by an instruction that is tried again */
    bool stale;     /* a load from the core's own cache */
    bool in_time;   /* of the first of two: the other knows that the store was made, not that it has landed */
    bool has_value; /* of a write */
    uint32_t value;
};

struct hazard_cell {
    struct hazard_access write, read[SHADOW_READS];
};

struct shadow_line {
    struct hazard_cell *cell; /* NULL: no access yet */
    bool split;               /* there are SHADOW_WORDS cells */
};

struct shadow {
    uint32_t size;
    struct shadow_line *line;
};

/* Makes the shadow of a memory of this size. Returns false if there is no memory. */
bool shadow_make(struct shadow *shadow, uint32_t size);
void shadow_free(struct shadow *shadow);
/* Forgets every access. */
void shadow_clear(struct shadow *shadow);

/* Calls visit for each cell of a range. Bytes beyond the memory are left out. Returns false if there is no memory. */
bool shadow_visit(struct shadow *shadow, uint32_t address, uint32_t size,
                  void (*visit)(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size), void *user);

#endif
