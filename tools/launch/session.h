/* A launch file that is being carried out. */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/firmware.h"
#include "launch/launch.h"
#include "machine/machine.h"

struct session {
    struct machine *machine;
    const struct launch *launch;
    struct firmware firmware;
    bool booted;
    uint64_t *address;    /* of the buffers, by step */
    uint64_t next_dram;   /* for those that do not care where they are: the same in every bank */
    uint32_t next_l1;     /* the same on every tile */
    size_t first_program; /* of those that the next run starts: its step */
    unsigned runs;
    struct ran *ran; /* boots and runs that came to an end, however */
    size_t ran_count;
    struct seen *seen;
    size_t seen_count;
    bool stopped;  /* tiles did not answer */
    unsigned line; /* of what machine->message is about; 0: of the step */
};

/* What a dump or an expectation gave, for the report. */
struct seen {
    size_t step;
    size_t size, wrong; /* bytes; 32-bit words that were not as expected */
};

/* What a run gave. */
struct ran {
    size_t step; /* a [firmware] or a [run] */
    uint64_t start, end;
    struct answers answers;
};

/* All that return bool: false, machine->message and line on a mistake of the user's. */

bool session_open(struct session *session, struct machine *machine, const struct launch *launch);
void session_close(struct session *session);
/* Does the steps in turn, until one cannot be done or its tiles do not answer; stopped says so. */
bool session_run(struct session *session);

/* Places a buffer and writes its contents. */
bool data_place(struct session *session, size_t step);
/* All bytes of a buffer; the caller frees. NULL on failure. */
uint8_t *data_read(struct session *session, size_t step, size_t *size);
/* Where a byte of a buffer is. */
bool data_where(struct session *session, size_t step, size_t offset, struct bh_xy *tile, uint64_t *address);
/* Does it lie in [low, high) of the L1 of a tile? */
bool data_touches(const struct session *session, size_t step, struct bh_xy tile, uint64_t low, uint64_t high);

/* Places the program of a step on its tiles: arguments, semaphores, circular buffers, kernels, launch message. */
bool dispatch_place(struct session *session, size_t step);
/* Tells its tiles to go. */
bool dispatch_go(struct session *session, const struct answers *answers);

#endif
