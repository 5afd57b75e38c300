/* Executes a launch file. */
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
    uint64_t *address;    /* address of the buffer of each step */
    uint64_t next_dram;   /* next address for DRAM buffers without one in the file: the same in every bank */
    uint32_t next_l1;     /* likewise for L1, the same on every tile */
    size_t first_program; /* first step whose program the next run starts */
    unsigned runs;
    struct ran *ran; /* results of boots and runs, successful or not */
    size_t ran_count;
    struct seen *seen;
    size_t seen_count;
    bool stopped;  /* a run has ended because tiles did not answer */
    unsigned line; /* line of the file to which machine->message refers; 0: that of the step */
};

/* The result of a dump or an expectation, for the report. */
struct seen {
    size_t step;
    size_t size, wrong; /* size in bytes; number of 32-bit words that differ from the expected ones */
};

/* The result of a boot or a run. */
struct ran {
    size_t step; /* index of a [firmware] or a [run] */
    uint64_t start, end;
    struct answers answers;
};

/* Unless a comment says otherwise, functions that return bool return false on a mistake of the user, and set
 * machine->message and `line`. */

bool session_open(struct session *session, struct machine *machine, const struct launch *launch);
void session_close(struct session *session);
/* Executes the steps until one fails, or until the tiles of one do not answer; then `stopped` is set. */
bool session_run(struct session *session);

/* Places a buffer and writes its contents. */
bool data_place(struct session *session, size_t step);
/* Returns all bytes of a buffer, and sets *size. The caller frees them. Returns NULL on failure. */
uint8_t *data_read(struct session *session, size_t step, size_t *size);
/* Finds the tile and the address of a byte of a buffer. */
bool data_where(struct session *session, size_t step, size_t offset, struct bh_xy *tile, uint64_t *address);
/* Returns whether a buffer overlaps [low, high) in the L1 of a tile. */
bool data_touches(const struct session *session, size_t step, struct bh_xy tile, uint64_t low, uint64_t high);

/* Places the program of a step on its tiles: arguments, semaphores, circular buffers, kernels, launch message. */
bool dispatch_place(struct session *session, size_t step);
/* Sends the signal GO to the tiles. */
bool dispatch_go(struct session *session, const struct answers *answers);

#endif
