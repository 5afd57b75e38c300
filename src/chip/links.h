/* The links of both NoCs: which packet crosses which link when.
 *
 * Each link carries one flit a cycle. A packet takes its cycles on every link of its route when it leaves its NIU, in
 * the order in which packets leave: from router to router, and from router to NIU. Packets that cross a link at the
 * same time share it. A packet that would have to wait for longer than LINKS_SLACK on its way stays in its NIU, and so
 * do the packets behind it. All of this happens at exchanges, on one host thread.
 *
 * Sources: BlackholeA0/NoC/README.md ("Performance"), RoutingPaths.md; measurements of cards for what packets cost that
 * share a link (docs/silicon.md). Inexact: links count flits in periods of LINKS_PERIOD cycles; the buffers of routers
 * are one number; there are no virtual channels behind the NIU but one for requests, one for responses and one for
 * multicasts with a reserved path.
 */
#ifndef CHIP_LINKS_H
#define CHIP_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/packet.h"

enum links_kind { LINKS_X, LINKS_Y, LINKS_EJECT, LINKS_A_ROUTER };
enum {
    LINKS_PERIOD = 32,  /* cycles */
    LINKS_PERIODS = 28, /* periods of a link from the current one on */
    LINKS_RING = 32,    /* entries for them */
    LINKS_SLACK = 128,  /* cycles. fit */
};

/* Flits that cross a link in each period. */
struct links_load {
    uint32_t first;            /* the first period */
    uint8_t used;              /* periods from there on up to the last one in which anything crosses */
    uint8_t flits[LINKS_RING]; /* by the number of the period: a ring */
};

/* Saved, by NoC and site. */
struct links {
    struct links_load load[2][NOC_SITES][LINKS_A_ROUTER];
    uint64_t inject[2][NOC_SITES];                  /* first cycle in which the link from the NIU is free */
    uint64_t behind[2][NOC_SITES][2];               /* requests, responses: wait until then behind one that waits */
    uint64_t circuit[2][NOC_SITES][LINKS_A_ROUTER]; /* end of the last reserved path, or links_held */
    uint8_t holds[2][NOC_SITES];                    /* this sender holds links for a linked transaction */
};

/* Returns the mark of a link that a sender holds: later than any time. */
static inline uint64_t links_held(unsigned from) {
    return UINT64_MAX - from;
}

/* One packet to one receiver, or to many. */
struct links_route {
    uint8_t noc, from, to;
    bool holds;      /* has one virtual channel, and so holds the links behind it while it waits */
    uint32_t flits;  /* that a link carries */
    uint32_t cycles; /* for which the NIU sends */
};

/* Takes the links of a route for a packet that leaves at `time`, and sets *delay to the cycles that it waits on its
 * way. Returns false, and takes nothing, if the packet has to stay in its NIU for now. */
bool links_take(struct links *links, const struct links_route *route, uint64_t time, uint64_t *delay);
/* The same for a multicast to a set of sites. A linked multicast holds its path for the next one. */
bool links_take_tree(struct links *links, const struct links_route *route, const struct noc_sites *sites,
                     const struct noc_request *request, uint64_t time, uint64_t *delay);

#endif
