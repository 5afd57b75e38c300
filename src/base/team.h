/* A team of host threads that works in rounds. The caller, member 0, begins a round, does its own part, and waits until
 * the others have done theirs. Whoever waits spins for a short while first, because rounds often follow each other
 * within microseconds, and then sleeps. What a member writes before the beginning or the end of its part is visible to
 * those who wait for it.
 *
 * Each thread of the team stays on one of the host's processors. A fork leaves the threads behind in the parent: the
 * child has only the caller's. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdbool.h>

enum { TEAM_LINE = 64 /* bytes that processors share at once; aligned so, what members write does not meet */ };

struct team;

/* What member 1 and the following do in a round. */
typedef void team_part(void *context, unsigned member);

/* Starts the threads, one fewer than members. They live until team_destroy. Returns NULL if they cannot be had. */
struct team *team_create(unsigned members, team_part *part, void *context);
void team_destroy(struct team *team); /* team may be NULL */

/* Returns whether all members are there. False in the child of a fork, where no round can begin. */
bool team_is_whole(const struct team *team);

/* Begins a round. Precondition: the team is whole, and the last round has finished. */
void team_begin(struct team *team);
/* Waits until all members have done their parts. */
void team_finish(struct team *team);

#endif
