/* Costs of the instructions of programs, summed over all tiles and runs, for profiles. */
#ifndef TOOLS_COSTS_H
#define TOOLS_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

struct cost {
    uint64_t count, cycles, waited;
};

/* The cost of one instruction. */
struct cost_row {
    const struct program *program; /* NULL: code that the command line did not load */
    uint32_t pc;                   /* address in the file */
    struct cost cost;
};

struct costs {
    const struct machine *machine;
    struct cost_row *row; /* a hash table, in which unused rows are all zero; an array after costs_sort */
    size_t count, room;
    struct costs_core *core; /* state of each core: its last instruction and its last wait */
};

bool costs_init(struct costs *costs, const struct machine *machine); /* returns false without memory */
void costs_free(struct costs *costs);

/* Returns the row of an event's instruction, and creates it if necessary. Returns NULL without memory. */
struct cost_row *costs_row(struct costs *costs, const struct bh_event *event);
/* Adds an executed instruction, and remembers a wait. Returns false without memory. */
bool costs_event(struct costs *costs, const struct bh_event *event);
/* Adds the waits that have not ended. Call it once, after the last event. Returns false without memory. */
bool costs_end(struct costs *costs);
/* Sorts the rows by program, in the order of costs_order, and by pc. costs->row is an array of costs->count rows then.
 * Returns false without memory. */
bool costs_sort(struct costs *costs);
/* Returns the position of a program among all programs, in the order in which they were loaded. */
size_t costs_order(const struct machine *machine, const struct program *program);
/* Returns an index for the core of an event, below COSTS_CORES, for tables of all cores. */
size_t costs_core_number(const struct bh_event *event);
enum { COSTS_CORES = 32 * 32 * BH_CORE_COUNT };

#endif
