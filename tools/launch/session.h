/* The execution of a launch file. */
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
    uint64_t next_dram;   /* for buffers without a given address: the same in every bank */
    uint32_t next_l1;     /* the same on every tile */
    size_t first_program; /* step of the first program that the next run starts */
    unsigned runs;
    struct ran *ran; /* boots and runs that have ended, successfully or not */
    size_t ran_count;
    struct seen *seen;
    size_t seen_count;
    bool stopped;  /* tiles did not answer */
    unsigned line; /* of machine->message; 0: the line of the step */
};

/* The result of a dump or an expectation, for the report. */
struct seen {
    size_t step;
    size_t size, wrong; /* bytes; 32-bit words that differ from the expected ones */
};

/* The result of a run. */
struct ran {
    size_t step; /* a [firmware] or a [run] */
    uint64_t start, end;
    struct answers answers;
};

/* All that return bool return false, machine->message and line on a mistake of the user. */

bool session_open(struct session *session, struct machine *machine, const struct launch *launch);
void session_close(struct session *session);
/* Executes the steps until one fails or its tiles do not answer; then `stopped` is set. */
bool session_run(struct session *session);

/* Places a buffer and writes its contents. */
bool data_place(struct session *session, size_t step);
/* Returns all bytes of a buffer; the caller frees them. NULL on failure. */
uint8_t *data_read(struct session *session, size_t step, size_t *size);
/* Returns the tile and address of a byte of a buffer. */
bool data_where(struct session *session, size_t step, size_t offset, struct bh_xy *tile, uint64_t *address);
/* Returns whether the buffer overlaps [low, high) of the L1 of a tile. */
bool data_touches(const struct session *session, size_t step, struct bh_xy tile, uint64_t low, uint64_t high);

/* Places the program of a step on its tiles: arguments, semaphores, circular buffers, kernels, launch message. */
bool dispatch_place(struct session *session, size_t step);
/* Sends GO to the tiles. */
bool dispatch_go(struct session *session, const struct answers *answers);

#endif
