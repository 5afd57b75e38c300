/* Shadow memory: for each word of a memory, the last write and the last reads, with their agents and instructions.
 *
 * A line of 64 bytes has one cell while all accesses cover the whole line, and one cell for each word after that.
 */
#ifndef HAZARD_SHADOW_H
#define HAZARD_SHADOW_H

#include "hazard/clock.h"

enum { SHADOW_LINE = 64, SHADOW_WORD = 4, SHADOW_WORDS = SHADOW_LINE / SHADOW_WORD, SHADOW_READS = 2 };

enum hazard_how {
    HAZARD_READS,
    HAZARD_WRITES,
    HAZARD_CHANGES, /* an atomic: reads and writes in one step */
};

struct hazard_access {
    struct hazard_epoch epoch; /* tick 0: there was no access */
    uint32_t pc, word;         /* of the instruction */
    uint64_t cycle;
    uint64_t begun; /* of a request: the cycle in which it began to leave */
    uint8_t how;    /* enum hazard_how */
    uint8_t source; /* the core (0 to 4) or thread (5 to 7) that caused the access; HAZARD_NOBODY: nothing did */
    bool small;     /* at most a word: the word may be a flag */
    bool uncertain; /* no document says when the access happens */
    bool open_end;  /* no document says when the access is over */
    bool retried;   /* the instruction is being retried */
    bool stale;     /* a load that the core's own cache served */
    bool in_time;   /* of the first of two: the second agent knows that the access was made, not that it is over */
    bool has_value; /* `value` is what the access writes */
    bool suspect;   /* of the first of two: the accesses are ordered, but probably not as intended to be */
    bool same;      /* of the first of two: whichever comes first, the bytes have the same value */
    uint8_t turns;  /* of a write: messages and answers that have alternated in the word so far */
    uint32_t value;
    uint32_t channel; /* of a request: hazard_request_made.channel */
};

struct hazard_cell {
    struct hazard_access write, read[SHADOW_READS];
};

struct shadow_line {
    struct hazard_cell *cell; /* NULL: no access yet */
    bool split;               /* the line has SHADOW_WORDS cells instead of one */
};

struct shadow_page;

struct shadow {
    uint64_t size;
    uint64_t *room; /* bytes of host memory that all shadows together may still take */
    struct shadow_page **page;
};

/* Makes the shadow of a memory of this size. It takes host memory when accesses come, and lowers *room by as much.
 * Returns false if there is no memory. */
bool shadow_make(struct shadow *shadow, uint64_t size, uint64_t *room);
/* Frees a shadow. Precondition: shadow_make has been called, or all bytes of the shadow are zero. */
void shadow_free(struct shadow *shadow);
/* Forgets the accesses to a range. Returns false if there is no memory. */
bool shadow_forget(struct shadow *shadow, uint32_t address, uint32_t size);

/* Calls `visit` for each cell of a range, and makes cells that do not exist yet. Leaves out bytes beyond the memory.
 * Returns false if there is no memory. */
bool shadow_visit(struct shadow *shadow, uint32_t address, uint32_t size,
                  void (*visit)(void *user, struct hazard_cell *cell, uint32_t address, uint32_t size), void *user);

#endif
