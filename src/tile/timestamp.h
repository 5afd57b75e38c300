/* The debug timestamper: a store to TIMESTAMP_DUMP_CMD appends an event, which is a token and the wall clock, to a
 * stream in L1.
 *
 * The low three bits of the token give the size of its event. Events smaller than 16 bytes are collected until 16 bytes
 * can be written to L1 at once, to the first of two buffers that is valid and has room. TIMESTAMP_DUMP_STATUS shows
 * which buffers are full and how many bytes have been collected.
 *
 * Source: WormholeB0/TensixTile/DebugTimestamper.md, which applies to Blackhole too. Refused, because the page calls
 * them undefined: tokens 5 and 6, and events of another size while some have been collected. A buffer beyond L1 is
 * refused too. */
#ifndef TILE_TIMESTAMP_H
#define TILE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

enum { TIMESTAMP_BUFFERS = 2, TIMESTAMP_WORDS = 4 /* words that are written to L1 at once */ };

/* The state that is not in the control registers. These have the ends of the buffers and TIMESTAMP_DUMP_CNTL. */
struct timestamp {
    uint32_t gathered[TIMESTAMP_WORDS];
    uint32_t position[TIMESTAMP_BUFFERS]; /* index of the next 16 bytes in each buffer, from its start on */
    uint8_t count;                        /* number of words that have been collected */
    uint8_t size;                         /* size in words of the events that have been collected; 0: none */
    uint8_t full, overflown;              /* masks of buffers */
};

/* Returns whether the register belongs to the timestamper. */
bool timestamp_has(uint32_t address);
/* Writes a register at this time. */
struct access timestamp_write(struct tile *tile, uint32_t address, uint32_t value, uint64_t time);
struct access timestamp_read(const struct tile *tile, uint32_t address, uint32_t *value);

#endif
