/* Guest programs that move data over a NoC and time that, on any number of tiles at once.
 *
 * The program of a tile is the loop of the measured kernels: for each receiver, for each transaction, for each piece of
 * 16 KiB: wait for the command buffer, write its registers, count; then wait until all responses are back. The clock is
 * read before and after, as the vendor's profiler does it. `work` stands for instructions of the compiled kernel that
 * do neither. */
#ifndef SILICON_TRANSFERS_H
#define SILICON_TRANSFERS_H

#include "bhemu.h"
#include "silicon.h"

enum { TRANSFERS_TILES = 140, TRANSFERS_PLACES = 140 };
/* `work` of tt-metal's kernels of data movement, which set all registers for each transaction. */
enum { TRANSFERS_METAL_READ = 15, TRANSFERS_METAL_WRITE = 0 };

struct transfers {
    unsigned noc;  /* 0, 1 */
    bool reads;    /* else writes */
    bool stateful; /* address registers are set once a receiver */
    bool multicast, linked, loopback;
    bool by_turns;         /* a transaction for each place, again and again; else all for a place at once */
    bool bare_clock;       /* reads the clock without storing it, as kernels with their own clocks do */
    unsigned meet;         /* so many tiles wait for each other before the first clock; 0: none */
    uint32_t meet_at;      /* coordinates of the tile that counts them */
    unsigned vc;           /* static virtual channel */
    unsigned count, bytes; /* transactions for each place, and their size */
    unsigned work;         /* instructions for each packet, */
    unsigned place_work;   /* for each place, */
    unsigned place_spares; /* of `work`, not for the first packet of a place, */
    unsigned start_work;   /* and once */
    unsigned responses;    /* of each packet: 1, or the receivers of a multicast */
    unsigned places;
    uint32_t place[TRANSFERS_PLACES]; /* coordinates of receivers, as in TARG_HI or RET_HI */
    uint32_t local, remote;           /* addresses */
};

struct transfers_chip {
    bh_chip *chip;
    unsigned tiles;
    struct bh_xy tile[TRANSFERS_TILES];
};

/* A card as the measured ones: 120 Tensix tiles, columns 7 and 10 are dead. */
bool transfers_open(struct transfers_chip *at);
void transfers_close(struct transfers_chip *at);
/* The tile at a logical position (0..11, 0..9), its coordinates in a request, and those of a DRAM bank. */
struct bh_xy transfers_tile(unsigned column, unsigned row);
uint32_t transfers_coordinates(struct bh_xy tile);
struct bh_xy transfers_bank(unsigned bank, unsigned noc);
uint32_t transfers_area(struct bh_xy first, struct bh_xy last);
/* Adds a tile that does this. */
bool transfers_add(struct transfers_chip *at, struct bh_xy tile, const struct transfers *what);
/* Lets all tiles go at once. cycles[i] is the time of the i-th. */
bool transfers_go(struct transfers_chip *at, const struct silicon_point *point, uint32_t cycles[TRANSFERS_TILES],
                  struct silicon_error *error);

/* The cycles from the first start to the last end, after transfers_go. Not with bare_clock. */
uint32_t transfers_wall(const struct transfers_chip *at);

#endif
