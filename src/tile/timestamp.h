/* The debug timestamper: stores to TIMESTAMP_DUMP_CMD append events, a token and the wall clock, to a stream in L1.
 *
 * The low three bits of the token give the size of its event. Events smaller than 16 bytes gather until 16 bytes go to
 * L1 at once: to the first of two buffers that is valid and has room. TIMESTAMP_DUMP_STATUS shows which buffers are
 * full and how many bytes have gathered.
 *
 * Source: WormholeB0/TensixTile/DebugTimestamper.md, which holds for Blackhole too. Refused, because the page calls
 * them undefined: tokens 5 and 6, events of another size while some have gathered; and a buffer beyond L1. */
#ifndef TILE_TIMESTAMP_H
#define TILE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

enum { TIMESTAMP_BUFFERS = 2, TIMESTAMP_WORDS = 4 /* that go to L1 at once */ };

/* Besides the control registers, which have the buffers' ends and TIMESTAMP_DUMP_CNTL. */
struct timestamp {
    uint32_t gathered[TIMESTAMP_WORDS];
    uint32_t position[TIMESTAMP_BUFFERS]; /* the next 16 bytes of a buffer, from its start on */
    uint8_t count;                        /* words that have gathered */
    uint8_t size;                         /* words of an event that has gathered; 0: none has */
    uint8_t full, overflown;              /* masks of buffers */
};

/* Returns whether accesses to the register go here. */
bool timestamp_has(uint32_t address);
/* A write at this time. */
struct access timestamp_write(struct tile *tile, uint32_t address, uint32_t value, uint64_t time);
struct access timestamp_read(const struct tile *tile, uint32_t address, uint32_t *value);

#endif
