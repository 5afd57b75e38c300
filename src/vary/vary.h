/* Delays that a run draws (bh_vary). According to the documentation certain events may be late; a delay says by how
 * many cycles.
 *
 * A delay is a pure function of the seed and of the event's name: its kind, its tile, its agent, and its number among
 * the events of that agent. So a delay does not depend on host threads, on the pieces in which a chip is run, or on
 * delays of other events. A list of delays can replace the seed; then events that are not in the list are on time.
 *
 * A block with such events has a pointer to the `vary_tile` of its tile; NULL if nothing varies. The block asks
 * vary_next for the delay of its next event, and adds the cycles to a time from which all later times of the event
 * follow. So interlocks hold: a delay never shows a result that hardware would still hide.
 *
 * Delays that are not zero are logged, so that a run can report the delays that it has drawn.
 */
#ifndef VARY_VARY_H
#define VARY_VARY_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"

enum { VARY_COUNTED = BH_DELAY_SEND + 1, VARY_AGENTS = BH_CORE_COUNT };

/* Names an event. agent: the core, thread, unpacker or NoC; for packets the receiver's site. number: counts from 0; for
 * EVICT it is the core's count of instructions, for packets the sender's count of packets. */
struct vary_event {
    uint8_t kind; /* enum bh_delay_kind */
    uint8_t site, agent;
    uint64_t number;
};

/* A delay, the time at which it was drawn, and the instruction that caused its event. core: -1 if no instruction
 * did. */
struct vary_delay {
    struct vary_event event;
    uint32_t cycles;
    int8_t core;
    uint32_t pc;
    uint64_t time;
};

/* The delays of a chip. They do not change while tiles run. */
struct vary {
    uint64_t seed;
    bool listed;             /* delays come from the list, not from the seed */
    struct vary_delay *list; /* in the order of vary_compare */
    uint32_t count;
};

/* What a tile needs to draw delays, and the log of those that it has drawn. */
struct vary_tile {
    const struct vary *vary;
    uint8_t site;
    uint32_t (*number)[VARY_AGENTS];    /* [kind][agent]: number of the next event; the tile saves it */
    uint64_t last_evicted[VARY_AGENTS]; /* number of the last EVICT of each core */
    struct vary_delay *log;
    uint32_t count, room;
    bool incomplete; /* part of the log is missing because there was no memory */
};

int vary_compare(const void *left, const void *right); /* compares two delays by event; for qsort and bsearch */

/* Returns the delay of an event. */
uint32_t vary_cycles(const struct vary *vary, const struct vary_event *event);
/* Returns the delay of an event, and logs it if it is not zero. */
uint32_t vary_draw(struct vary_tile *tile, struct vary_event event);
/* Returns the delay of the next event of this kind and agent, and counts the event. Precondition: kind is BH_DELAY_SEND
 * or one that precedes it. */
uint32_t vary_next(struct vary_tile *tile, enum bh_delay_kind kind, unsigned agent);
/* Adds the time and the instruction that caused the event to the last delay in the log. Precondition: vary_draw or
 * vary_next has just logged that delay. */
void vary_note(struct vary_tile *tile, uint64_t time, int core, uint32_t pc);

/* Frees the log of a tile, which is empty then. */
void vary_free_log(struct vary_tile *tile);

#endif
