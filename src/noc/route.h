/* Routes through a NoC: coordinates and their translation, hops and latencies, receivers of a multicast.
 *
 * Sources: BlackholeA0/NoC/Coordinates.md, RoutingPaths.md, README.md ("Performance"), MemoryMap.md. Links are
 * reserved elsewhere (chip/links.h).
 */
#ifndef NOC_ROUTE_H
#define NOC_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "noc/packet.h"

/* The latency from a tile to itself, and the shortest latency to another tile. */
enum { NOC_LATENCY_SELF = NOC_INJECT + NOC_EJECT, NOC_LATENCY_MIN = NOC_LATENCY_SELF + NOC_HOP };

enum { ROUTE_CFG_WORDS = 22 }; /* number of words of a NIU's configuration, from NIU_CFG_0 on, that firmware programs */
enum { ROUTE_COORDINATES = 1 << 12 };

/* The map of the chip, the same for all NIUs. Configuration, not state. */
struct noc_grid {
    uint8_t kind[NOC_SITES];               /* enum bh_tile_kind */
    bool dead[NOC_SITES];                  /* harvested */
    struct bh_xy translated[NOC_SITES];    /* translated coordinates; tiles of rows 0 and 1 have none */
    uint32_t firmware[2][ROUTE_CFG_WORDS]; /* configuration by NoC (route_firmware) */
    uint8_t site[2][ROUTE_COORDINATES];    /* site by NoC and coordinates x[5:0] y[11:6], with the tables of firmware;
                                            * NOC_NOWHERE: use route_translate */
    uint32_t memory[NOC_SITES];            /* number of bytes from address 0 on that requests can read and write in any
                                            * length */
    uint8_t unit[NOC_SITES];               /* ... if both addresses are equal modulo `unit` (request.c) */
};

/* Convert coordinates of a NoC to a site and back. Precondition: the coordinates are on the grid. */
static inline unsigned route_site(unsigned noc, unsigned x, unsigned y) {
    return noc ? (NOC_HEIGHT - 1 - y) * NOC_WIDTH + NOC_WIDTH - 1 - x : y * NOC_WIDTH + x;
}

static inline unsigned route_x(unsigned noc, unsigned site) {
    return noc ? NOC_WIDTH - 1 - site % NOC_WIDTH : site % NOC_WIDTH;
}

static inline unsigned route_y(unsigned noc, unsigned site) {
    return noc ? NOC_HEIGHT - 1 - site / NOC_WIDTH : site / NOC_WIDTH;
}

/* Returns the number of hops between two positions of an axis. Each NoC moves towards its own larger coordinates, and
 * wraps around. */
static inline unsigned route_ahead(unsigned from, unsigned to, unsigned size) {
    return to >= from ? to - from : to + size - from;
}

/* Returns the number of links between routers on a route. Distances in the tree of a multicast are the same. */
static inline unsigned route_hops(unsigned noc, unsigned from, unsigned to) {
    unsigned first = noc ? to : from, last = noc ? from : to; /* forward on NoC 1 is backward on NoC 0 */
    return route_ahead(first % NOC_WIDTH, last % NOC_WIDTH, NOC_WIDTH) +
           route_ahead(first / NOC_WIDTH, last / NOC_WIDTH, NOC_HEIGHT);
}
/* Returns the number of cycles that a flit takes from NIU to NIU. */
static inline unsigned route_latency(unsigned hops) {
    return NOC_LATENCY_SELF + hops * NOC_HOP;
}

/* Return the cycle in which the last flit of a request reaches the NIU of a receiver, and that in which the last flit
 * of a response reaches its target. */
static inline uint64_t route_request_arrives(const struct noc_request *request, unsigned receiver) {
    unsigned hops = route_hops(request->noc, request->source, receiver);
    return request->time + route_latency(hops) + noc_fetch_cycles(noc_request_words(request));
}
static inline uint64_t route_response_arrives(const struct noc_request *request, unsigned receiver, uint64_t time) {
    unsigned hops = route_hops(request->noc, receiver, request->reply);
    return time + route_latency(hops) + noc_fetch_cycles(noc_response_words(request));
}

/* BRCST_EXCLUDE, in coordinates of the NoC:  keep_x[1:0] skip_x[3:2] keep_y[5:4] skip_y[7:6]: from the start on, `keep`
 * columns (rows) take part, the next `skip` do not, and so on, if neither is 0.  x[13:8] y[19:14] right[20] down[21]
 * apply[22]: the quadrant from (x,y) on towards larger coordinates, or smaller ones if the bit is 0, does not take
 * part.  route[23] */
enum { ROUTE_EXCLUDE_BITS = 0xFFFFFF };
/* Returns the reason why the strides are refused, or NULL if they are not. */
const char *route_area_check(const struct noc_area *area);
/* Returns whether BRCST_EXCLUDE may leave out tiles of the rectangle. */
bool route_leaves_out(const struct noc_area *area);
/* Returns the sites in the area, before NIUs opt out (niu_takes_multicast). */
struct noc_sites route_area(unsigned noc, unsigned from, const struct noc_area *area);

/* ---- Translation ---------------------------------------------------------------------------------------- */

/* NIU configuration words from NIU_CFG_0 (register 0x100) on. */
enum {
    ROUTE_CFG_NIU_0 = 0,
    ROUTE_CFG_ROUTER_1 = 2, /* columns that opt out of multicasts, by x on this NoC */
    ROUTE_CFG_ROUTER_3 = 4, /* the same for rows */
    ROUTE_CFG_X_TABLE = 6,  /* six words of six entries of five bits, the last of two */
    ROUTE_CFG_Y_TABLE = 12,
    ROUTE_CFG_COL_MASK = 20,
    ROUTE_CFG_ROW_MASK = 21,
    ROUTE_CFG_DDR_TABLE = 22,
    ROUTE_CFG_DDR_SWAP = 28,
    ROUTE_TRANSLATE = 1 << 14, /* in NIU_CFG_0 */
};

/* Returns the bits of a configuration word on which translation depends. */
static inline uint32_t route_translates_by(unsigned word) {
    return word == ROUTE_CFG_NIU_0 ? ROUTE_TRANSLATE : word >= ROUTE_CFG_X_TABLE ? UINT32_MAX : 0;
}
/* Translates coordinates of a request to those of the NoC. The result may lie beyond the grid. */
void route_translate(const uint32_t *config, unsigned *x, unsigned *y);
/* Makes the tables and opt-outs that firmware programs: every translated coordinate has an entry, only live Tensix
 * tiles accept multicasts, and unused entries point beyond the grid. Then fills grid->site. Precondition: the rest of
 * the grid is set. */
void route_firmware(struct noc_grid *grid);
/* Fills grid->memory and grid->unit, for route_firmware. */
void request_measure(struct noc_grid *grid);

#endif
