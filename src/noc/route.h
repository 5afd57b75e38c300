/* Ways through a NoC: coordinates, their translation, routes, how long they take, and who gets a multicast.
 *
 * Sources: BlackholeA0/NoC/Coordinates.md, RoutingPaths.md, README.md ("Performance"), MemoryMap.md. Inexact: links are
 * never contended.
 */
#ifndef NOC_ROUTE_H
#define NOC_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "noc/packet.h"

/* Cycles: NIU to its router, router to router, router to its NIU. */
enum { ROUTE_INJECT = 5, ROUTE_HOP = 9, ROUTE_EJECT = 5 };
/* Nothing that a tile sends reaches another tile in less; to itself it takes NOC_LATENCY_SELF. */
enum { NOC_LATENCY_SELF = ROUTE_INJECT + ROUTE_EJECT, NOC_LATENCY_MIN = NOC_LATENCY_SELF + ROUTE_HOP };

enum { ROUTE_CFG_WORDS = 22 }; /* of a NIU's configuration, from NIU_CFG_0 on: those that firmware programs */
enum { ROUTE_COORDINATES = 1 << 12 };

/* What is where: configuration of the chip, the same for all NIUs. */
struct noc_grid {
    uint8_t kind[NOC_SITES];               /* enum bh_tile_kind */
    bool dead[NOC_SITES];                  /* harvested */
    struct bh_xy translated[NOC_SITES];    /* where the translated space has it; rows 0 and 1: not there */
    uint32_t firmware[2][ROUTE_CFG_WORDS]; /* by NoC (route_firmware) */
    uint8_t site[2][ROUTE_COORDINATES];    /* by NoC and coordinates, x[5:0] y[11:6], with that; NOC_NOWHERE: ask it */
    uint32_t memory[NOC_SITES];            /* bytes from address 0 on that any length of can be read and written, */
    uint8_t unit[NOC_SITES];               /* to and from addresses that are equal modulo this (request.c) */
};

/* A site from coordinates of a NoC, and back. The coordinates must be on the grid. */
static inline unsigned route_site(unsigned noc, unsigned x, unsigned y) {
    return noc ? (NOC_HEIGHT - 1 - y) * NOC_WIDTH + NOC_WIDTH - 1 - x : y * NOC_WIDTH + x;
}

static inline unsigned route_x(unsigned noc, unsigned site) {
    return noc ? NOC_WIDTH - 1 - site % NOC_WIDTH : site % NOC_WIDTH;
}

static inline unsigned route_y(unsigned noc, unsigned site) {
    return noc ? NOC_HEIGHT - 1 - site / NOC_WIDTH : site / NOC_WIDTH;
}

/* From one position of an axis to another: both NoCs move towards larger coordinates of their own, and wrap. */
static inline unsigned route_ahead(unsigned from, unsigned to, unsigned size) {
    return to >= from ? to - from : to + size - from;
}

/* Links between routers on the way; on the tree of a multicast it is as far. */
static inline unsigned route_hops(unsigned noc, unsigned from, unsigned to) {
    unsigned first = noc ? to : from, last = noc ? from : to; /* what is ahead on NoC 1 is behind on NoC 0 */
    return route_ahead(first % NOC_WIDTH, last % NOC_WIDTH, NOC_WIDTH) +
           route_ahead(first / NOC_WIDTH, last / NOC_WIDTH, NOC_HEIGHT);
}
/* Cycles from when a flit leaves the NIU until it has reached the other one. */
static inline unsigned route_latency(unsigned hops) {
    return NOC_LATENCY_SELF + hops * ROUTE_HOP;
}

/* When the last flit of a request has reached the NIU of a receiver, and that of a response its target. */
static inline uint64_t route_request_arrives(const struct noc_request *request, unsigned receiver) {
    unsigned hops = route_hops(request->noc, request->source, receiver);
    return request->time + route_latency(hops) + noc_request_words(request);
}
static inline uint64_t route_response_arrives(const struct noc_request *request, unsigned receiver, uint64_t time) {
    unsigned hops = route_hops(request->noc, receiver, request->reply);
    return time + route_latency(hops) + noc_response_words(request);
}

/* BRCST_EXCLUDE, in coordinates of the NoC:  keep_x[1:0] skip_x[3:2] keep_y[5:4] skip_y[7:6]: from the start on, so
 * many columns (rows) take part and so many do not, and so on, if neither is 0.  x[13:8] y[19:14] right[20] down[21]
 * apply[22]: the quadrant from (x,y) on to the side of larger or (0) smaller coordinates does not take part.  route[23]
 */
enum { ROUTE_EXCLUDE_BITS = 0xFFFFFF };
/* NULL, or what is wrong with the strides. */
const char *route_area_check(const struct noc_area *area);
/* Those in the area, before NIUs opt out (niu_takes_multicast). */
struct noc_sites route_area(unsigned noc, unsigned from, const struct noc_area *area);

/* ---- Translation ---------------------------------------------------------------------------------------- */

/* NIU configuration words from NIU_CFG_0 (register 0x100) on. */
enum {
    ROUTE_CFG_NIU_0 = 0,
    ROUTE_CFG_ROUTER_1 = 2, /* columns that opt out of multicasts, by x on this NoC */
    ROUTE_CFG_ROUTER_3 = 4, /* rows */
    ROUTE_CFG_X_TABLE = 6,  /* six words of six entries of five bits, the last of two */
    ROUTE_CFG_Y_TABLE = 12,
    ROUTE_CFG_COL_MASK = 20,
    ROUTE_CFG_ROW_MASK = 21,
    ROUTE_CFG_DDR_TABLE = 22,
    ROUTE_CFG_DDR_SWAP = 28,
    ROUTE_TRANSLATE = 1 << 14, /* in NIU_CFG_0 */
};

/* Does translation depend on this word, and on which of its bits? */
static inline uint32_t route_translates_by(unsigned word) {
    return word == ROUTE_CFG_NIU_0 ? ROUTE_TRANSLATE : word >= ROUTE_CFG_X_TABLE ? UINT32_MAX : 0;
}
/* Coordinates of a request to those of the NoC; these may be beyond the grid. */
void route_translate(const uint32_t *config, unsigned *x, unsigned *y);
/* Makes the tables and opt-outs that firmware programs, once the rest of the grid is there: everything translated has a
 * place, and only live Tensix tiles take multicasts. Entries that no tile uses point beyond the grid. Then where the
 * coordinates that programs use are with them. */
void route_firmware(struct noc_grid *grid);
/* Part of it: memory and unit. */
void request_measure(struct noc_grid *grid);

#endif
