/* Random NoC traffic and its expected results: a chip's memories as plain arrays, on which each request is a few lines.
 *
 * Every source, a core of a Tensix tile, has a part of every memory that no other source writes to, so that the
 * order of sources does not matter; all sources count up one word of some tiles. The requests of one source are in
 * order: it waits, or relies on the order of packets with the same route and virtual channel.
 *
 *     L1 of a source:  LIST the script | FROM bytes that it sends | INTO where answers go
 *     L1 of any tile:  PARTS the parts of the sources | in the first words of PARTS - 4096, what all count up
 */
#ifndef SUPPORT_NOC_WORLD_H
#define SUPPORT_NOC_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "support/noc_script.h"

enum {
    WORLD_NOWHERE = 0x8010, /* a word that no test reads */
    WORLD_LIST = 0x10000,
    WORLD_FROM = 0x40000,
    WORLD_INTO = 0x60000,
    WORLD_AREA = 0x20000, /* bytes of FROM, and of INTO */
    WORLD_COUNTED = 0x80000,
    WORLD_PARTS = 0x81000,
    WORLD_L1 = 0x180000,
    WORLD_ETH_PARTS = 0x8000,
    WORLD_ETH_L1 = 0x70000, /* what of it is used */
    WORLD_DRAM = 0x140000,  /* bytes of a bank that are used */
    WORLD_HOST = 0x140000,
    WORLD_SITES = 204,
};

struct world_memory {
    uint8_t *byte; /* NULL: none of this kind */
    uint32_t size;
};

struct world_source {
    struct script script;
    uint32_t site;
    uint32_t from, into;      /* bytes of FROM and INTO that are used */
    uint32_t posted;          /* bytes that requests without an answer have used of the last quarter of each part */
    uint32_t responses[2][3]; /* [noc]: atomic results, acknowledgements, read data */
};

struct world {
    uint64_t random;
    bool common;      /* only what other libraries know too */
    unsigned without; /* a mask of kinds of tiles */
    unsigned sources;
    uint32_t part; /* bytes of a source's part of L1, DRAM and host memory */
    struct bh_tile_info info[WORLD_SITES];
    struct world_memory memory[WORLD_SITES]; /* the ports of a DRAM bank share it */
    uint32_t handler[WORLD_SITES][36];       /* registers of Tensix tiles */
    uint32_t counted[WORLD_SITES];           /* what the word that all count up comes to */
    unsigned requests, receivers;            /* how many there were, how often one arrived */
    struct world_source *source;             /* by number; it is Tensix tile 139 * number / (sources - 1) or so */
    uint8_t host[WORLD_HOST];                /* the model's; the chip's is the test's */
    uint8_t shadow[WORLD_HOST];
};

/* ---- Life and places --------------------------------------------------------------------------------------------- */

/* Sources are spread over the Tensix tiles of the chip; part: bytes of a source's part of a memory. */
struct world *world_create(const bh_chip *chip, uint64_t seed, unsigned sources, uint32_t part);
void world_destroy(struct world *world);

uint32_t world_next(struct world *world); /* random */
uint32_t world_below(struct world *world, uint32_t limit);

/* A source's part of the memory of a site. */
uint32_t world_part(const struct world *world, unsigned site, unsigned source, uint32_t *size);
/* A random one of a mask of kinds. */
unsigned world_site(struct world *world, unsigned kinds);
uint32_t world_xy(const struct world *world, unsigned site);
/* Registers that keep what is written to them: handlers of interrupts, or streams' buffer sizes of 17 bits. */
uint32_t world_register(const struct world *world, unsigned index);

uint32_t world_word(const uint8_t *at);
void world_set_word(uint8_t *at, uint32_t value);

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

/* Draws the requests of all sources, up to a number of bytes, and does to the model's memories what they will do. */
void world_draw_all(struct world *world, unsigned requests, uint32_t limit);

/* ---- The chip ---------------------------------------------------------------------------------------------------- */

/* Call it before drawing: the model is what memories will be. */
void world_load_memory(const struct world *world, bh_chip *chip);
void world_start(const struct world *world, bh_chip *chip, enum bh_core core);
/* True if all is as the model has it; else says what is not. */
bool world_check(struct world *world, bh_chip *chip);

/* bh_config.host_read and host_write of a chip whose user is a struct world **. */
void world_host_read(void *user, uint64_t address, void *data, size_t size);
void world_host_write(void *user, uint64_t address, const void *data, size_t size);

#endif
