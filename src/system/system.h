/* A system: chips, the cables between their Ethernet tiles, and the time that they share.
 *
 *   system.c      chips and cables: adding them, cutting cables, resets, statistics
 *   run.c         time: chips run alone for a quantum, then frames change hands
 *   crew.c        host threads that run chips
 *   ranks.c       several processes that run chips
 *   ports.c       ports of cables as bytes
 *   save.c        a system as bytes, and files of them
 *   hash.c        everything that software can observe, as one number
 *   machines.c    boards and machines that are sold
 *   yaml.c        the subset of YAML that descriptors use
 *   descriptor.c  chips and cables from a text
 *   mesh.h        the same from mesh graph descriptors of tt-metal
 *
 * A frame takes at least the latency of its cable. So chips can run a quantum of that length without each other, on any
 * host thread, and then exchange frames that arrive later: the result does not depend on host threads. Exchanges happen
 * at multiples of the quantum, however a run is divided. A cable has one sender and one receiver in each direction, so
 * the order of cables in an exchange does not matter either. */
#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "tile/eth_port.h"

enum { SYSTEM_MESSAGE_SIZE = 320 };

struct crew;
struct crew_task;
struct ranks;

/* A cable. Ends by the index of struct bh_link. */
struct cable {
    struct bh_link link;
    struct eth_port end[2];
    bool up;
};

/* The time of a system ends here: the sums that ports make with times do not overflow, and a saved system can be
 * loaded. */
#define SYSTEM_TIME_END (UINT64_C(1) << 51)

struct bh_system {
    /* Configuration */
    unsigned chip_count, link_count;
    bh_chip *chip[BH_SYSTEM_CHIPS];
    struct cable *cable[BH_SYSTEM_LINKS];
    unsigned quantum;          /* a power of two, at most the shortest latency */
    unsigned threads;          /* that may run chips, including the caller's */
    struct bh_config defaults; /* of chips that machines and descriptors add */
    void (*on_link)(void *user, bh_system *system, const struct bh_link_event *event);
    void *user;

    /* State, besides that of chips and cables */
    uint64_t time; /* of all chips */

    /* Wiring */
    struct crew_task *task; /* of the quantum, for each chip */
    uint32_t task_room;
    struct crew *crew;   /* NULL: only the caller's thread */
    struct ranks *ranks; /* NULL: only this process */
    struct bh_transport transport;
    bool in_run;
    char message[SYSTEM_MESSAGE_SIZE];
};

/* Sets the message and returns the status. The system may be const: messages are not state. */
bh_status system_fail(const bh_system *system, bh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns BH_ERR_ARGUMENT for a NULL system, or for a NULL pointer of this name. */
bh_status system_null(const bh_system *system, const char *what);
/* Sets the configuration of a board, with the system's defaults. */
void system_config(const bh_system *system, struct bh_config *config, enum bh_board board);
/* Takes back chips and cables that were added last. Precondition: nothing has run since. */
void system_shrink(bh_system *system, unsigned chip_count, unsigned link_count);

#endif
