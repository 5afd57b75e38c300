/* Costs of the instructions of programs, over all tiles and runs: for profiles. */
#ifndef TOOLS_COSTS_H
#define TOOLS_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

struct cost {
    uint64_t count, cycles, waited;
};

/* An instruction. */
struct cost_row {
    const struct program *program; /* NULL: code that the command line did not load */
    uint32_t pc;                   /* address in the file */
    struct cost cost;
};

struct costs {
    const struct machine *machine;
    struct cost_row *row; /* a table that is found by hash; used: count or waited is not 0 */
    size_t count, room;
    struct costs_core *core; /* of each core: image of its last instruction, and its last wait */
};

bool costs_init(struct costs *costs, const struct machine *machine); /* false without memory */
void costs_free(struct costs *costs);

/* Returns the row of the event's instruction, made if need be; NULL without memory. */
struct cost_row *costs_row(struct costs *costs, const struct bh_event *event);
/* Adds an executed instruction and notes a wait. Returns false without memory. */
bool costs_event(struct costs *costs, const struct bh_event *event);
/* Adds the waits that have not ended. */
bool costs_end(struct costs *costs);
/* Sorts the rows by program and pc, those of one program in the order in which it was loaded; costs->row is an array of
 * costs->count then. Returns false without memory. */
bool costs_sort(struct costs *costs);
/* Returns the place of a program among all: the order in which they were loaded. */
size_t costs_order(const struct machine *machine, const struct program *program);
/* Returns the number of a core of a tile, for tables. */
size_t costs_core_number(const struct bh_event *event);
enum { COSTS_CORES = 32 * 32 * BH_CORE_COUNT };

#endif
