/* A system of the command line over several processes, which mpirun has started (docs/system.md). All of them do the
 * same actions in the same order; the rank of a chip carries out those about it, and rank 0 prints what it prints.
 * After each action all ranks agree on its outcome, so that a mistake anywhere ends all of them with the same message.
 */
#ifndef TOOLS_RANKS_H
#define TOOLS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct action;

/* Returns whether several processes were started to work together. */
bool ranks_are_several(void);
/* Connects with the other ranks. Returns false and a message. */
bool ranks_open(struct machine *machine);
/* Ends the connection, or all ranks if one cannot be reached. */
void ranks_close(struct machine *machine);
/* Divides the chips of the system among the ranks, if all of them have made it. */
bool ranks_divide(struct machine *machine, bool made);
/* Does an action about this chip on the rank that has it. */
bool ranks_do(struct machine *machine, struct machine *chip, const struct action *action);

/* Keeps what this rank prints from here on; ranks_show has rank 0 print it, in the order of ranks. */
void ranks_keep(struct machine *machine);
/* *status becomes the first status of a rank that is not 0. */
bool ranks_show(struct machine *machine, int *status);

/* Adds bytes to a digest. All ranks must have the same one at ranks_divide: that of their arguments and files. */
uint64_t ranks_digest(uint64_t digest, const void *data, size_t size);

#endif
