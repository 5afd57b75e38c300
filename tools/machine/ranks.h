/* A system of the command line that is divided among several processes, the ranks, which mpirun has started
 * (docs/system.md). All ranks go through the same actions in the same order; the rank that has the chip of an action
 * carries it out, and rank 0 prints the output of all ranks. After each action the ranks agree on its outcome, so that
 * a mistake anywhere ends all of them with the same message. */
#ifndef TOOLS_RANKS_H
#define TOOLS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct action;

/* Returns whether this process is one of several ranks. */
bool ranks_are_several(void);
/* Connects to the other ranks. Returns false and sets a message on failure. */
bool ranks_open(struct machine *machine);
/* Ends the connection. If a rank cannot be reached, ends all ranks. */
void ranks_close(struct machine *machine);
/* Divides the chips of the system among the ranks. made: whether this rank has created the system. Returns false and
 * sets a message in all ranks if one of them has failed, or has other arguments. */
bool ranks_divide(struct machine *machine, bool made);
/* Carries out an action on the rank that has the chip, and waits for the agreement of all ranks. `chip` is the machine
 * of that chip; NULL: there is no such chip. */
bool ranks_do(struct machine *machine, struct machine *chip, const struct action *action);

/* Withholds what this rank prints from now on, until ranks_show lets rank 0 print the texts of all ranks, in the order
 * of ranks. */
void ranks_keep(struct machine *machine);
/* Has rank 0 print what the ranks have withheld. *status becomes the first status of a rank that is not 0. */
bool ranks_show(struct machine *machine, int *status);

/* Returns a digest that covers `digest` and the bytes. All ranks must have the same machine->digest at ranks_divide. */
uint64_t ranks_digest(uint64_t digest, const void *data, size_t size);

#endif
