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

/* What is where: configuration of the chip, the same for both NoCs and all NIUs. */
struct noc_grid {
    uint8_t kind[NOC_SITES];            /* enum bh_tile_kind */
    bool dead[NOC_SITES];               /* harvested */
    struct bh_xy translated[NOC_SITES]; /* where the translated space has it */
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

/* Links between routers on the way. */
unsigned route_hops(unsigned noc, unsigned from, unsigned to);
/* The same on the tree of a multicast from this site. */
unsigned route_hops_in_area(unsigned noc, unsigned from, const struct noc_area *area, unsigned to);
/* Cycles from when a flit leaves the NIU until it has reached the other one. */
static inline unsigned route_latency(unsigned hops) {
    return NOC_LATENCY_SELF + hops * ROUTE_HOP;
}

/* When the last flit of a request has reached the NIU of a receiver, and that of a response its target. */
uint64_t route_request_arrives(const struct noc_request *request, unsigned receiver);
uint64_t route_response_arrives(const struct noc_response *response);

/* Those in the area, before NIUs opt out (niu_takes_multicast). */
struct noc_sites route_area(unsigned noc, unsigned from, const struct noc_area *area);

#endif
