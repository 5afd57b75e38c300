/* The links of both NoCs: when each packet crosses each link.
 *
 * Each link carries one flit a cycle. When a packet leaves its NIU, it reserves its cycles on every link of its route,
 * from router to router and from the last router to the NIU; packets do this in the order in which they leave. Packets
 * that cross a link at the same time share it. While a packet waits, routers take in its flits for LINKS_SLACK cycles.
 * After that the wait reaches back to the sender: the sender's next request (or response) leaves that much later, and a
 * request keeps the links upstream busy. A packet that would have to wait for longer than LINKS_MOST stays in its NIU,
 * and so do the packets after it. All of this happens at exchanges, on one host thread.
 *
 * Sources: BlackholeA0/NoC/README.md ("Performance"), RoutingPaths.md; measurements of cards for the cost of packets
 * that share a link (docs/silicon.md). Inexact: links count cycles in periods of LINKS_PERIOD; the buffers of routers
 * are one number; the packet that leaves first gets the link, whereas real routers let their inputs take turns; beyond
 * the NIU the only virtual channels are one for requests, one for responses and one for multicasts with a reserved
 * path.
 *
 * The periods of a link begin NOC_HOP cycles after those of the previous link. So a packet that nothing delays crosses
 * all links of a row or column in the same periods, and the counts of these links are next to each other in memory.
 */
#ifndef CHIP_LINKS_H
#define CHIP_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "noc/packet.h"

/* A line is up to 16 links that packets cross one after the other: the links along a row except its last, or along a
 * column. Two more kinds of lines have links of which a packet crosses only one: the last links of all rows, and the
 * links to the NIUs of a row. Lines, and the links of a line, are numbered by coordinates of the NoC. */
enum {
    LINKS_ALONG_X = 0,                             /* first line of this kind; lines by y, links by x */
    LINKS_ALONG_Y = LINKS_ALONG_X + NOC_HEIGHT,    /* lines by x, links by y */
    LINKS_LAST_X = LINKS_ALONG_Y + NOC_WIDTH,      /* one line, links by y */
    LINKS_TO_NIU,                                  /* lines by y, links by x below 16 */
    LINKS_TO_LAST_NIU = LINKS_TO_NIU + NOC_HEIGHT, /* one line: the NIUs at x = 16, by y */
    LINKS_LINES,
    LINKS_A_LINE = 16,
};
enum {
    LINKS_PERIOD = 32,  /* cycles */
    LINKS_PERIODS = 32, /* periods kept for each line: more than a packet takes from end to end */
    LINKS_SLACK = 128,  /* cycles for which routers take in flits while the packet ahead waits (fitted) */
    LINKS_MOST = 384,   /* most cycles that a packet may wait on its route: longer waits cannot be foreseen */
    /* A sender that cannot reserve a path tries again at growing intervals. A sender that has waited for n cycles gets
     * the path n / LINKS_BACKOFF cycles after it is free, unless another sender, or the previous one once more, is
     * first. After LINKS_PATIENCE cycles it gets the path at once. The page describes a randomized exponential backoff;
     * its mean is fitted to a row or column of senders. The limit is a choice, so that nobody waits for ever. */
    LINKS_BACKOFF = 8,
    LINKS_PATIENCE = 32768,
};

/* The number of flits that cross each link of a line, by number of the period modulo LINKS_PERIODS. */
struct links_line {
    uint32_t period[LINKS_PERIODS];             /* number of the period to which the counts belong */
    uint8_t flits[LINKS_PERIODS][LINKS_A_LINE]; /* [period][link] */
};

/* Saved. The first index is the NoC. The last four members are by site. */
struct links {
    struct links_line line[2][LINKS_LINES];
    uint64_t circuit[2][LINKS_TO_NIU]
                    [LINKS_A_LINE];      /* by line and link: end of the last reserved path, or links_held */
    uint64_t inject[2][NOC_SITES];       /* first cycle in which the NIU can send the next packet */
    uint64_t next_from[2][NOC_SITES][2]; /* [2]: requests, responses. First cycle in which the next one can leave */
    uint64_t reserve[2][NOC_SITES];      /* first cycle in which the sender can begin to reserve its next path */
    uint8_t holds[2][NOC_SITES];         /* the sender holds links for a linked transaction */
};

/* Returns the mark of a link that this sender holds. It is later than any time. */
static inline uint64_t links_held(unsigned from) {
    return UINT64_MAX - from;
}

/* Links of one line that a packet crosses one after the other. */
struct links_run {
    uint8_t line, link; /* numbers of the line, and of the first link in it */
    uint8_t count;      /* number of links */
    uint8_t before;     /* links of the path before the run */
    uint16_t offset;    /* cycles from the departure until the first flit enters, in the line's own time (links.c) */
};

/* At most three runs along a row (to its end, its last link, from its beginning), two along a column, and one to the
 * NIU. */
enum { LINKS_RUNS = 6 };

/* The runs from one site to another. Derived from the key. */
struct links_path {
    uint32_t key; /* 0: the entry is empty */
    uint8_t runs, hops;
    struct links_run run[LINKS_RUNS];
};

/* The paths that packets have taken, by a hash of the key. Derived; all zero at first. */
enum { LINKS_PATHS_BITS = 11 };
struct links_paths {
    struct links_path path[1 << LINKS_PATHS_BITS];
};

/* Returns the key of a path; it is never 0. */
static inline uint32_t links_key(unsigned noc, unsigned from, unsigned to) {
    return 1 + (noc << 16 | from << 8 | to);
}
/* Returns the index of the entry for the path with this key. */
static inline unsigned links_place(uint32_t key) {
    return key * UINT32_C(0x9E3779B1) >> (32 - LINKS_PATHS_BITS);
}
/* Fills in the path between two sites. */
void links_make_path(struct links_path *path, unsigned noc, unsigned from, unsigned to);
/* Returns the path between two sites. It is valid until the next call. */
static inline const struct links_path *links_path(struct links_paths *paths, unsigned noc, unsigned from, unsigned to) {
    uint32_t key = links_key(noc, from, to);
    struct links_path *path = &paths->path[links_place(key)];
    if (BH_UNLIKELY(path->key != key))
        links_make_path(path, noc, from, to);
    return path;
}

/* What links_take needs to know of a packet. */
struct links_route {
    const struct links_path *path; /* to the receiver; unused by links_take_tree */
    uint8_t noc, from;
    bool response;
    uint32_t cycles;        /* cycles for which the NIU sends if nothing delays it */
    uint32_t busy;          /* cycles for which the packet occupies each link */
    uint64_t accepted_from; /* first cycle in which the receiver accepts the last flit */
};

/* Reserves the links of a route for a packet that leaves at `time`, and sets *delay to the cycles for which the packet
 * waits on its route. Returns false, and reserves nothing, if the packet has to stay in its NIU for now; then it may
 * leave *delay cycles later at the earliest. */
bool links_take(struct links *links, const struct links_route *route, uint64_t time, uint64_t *delay);
/* Does the same for a multicast to a set of sites, which stays in its NIU until its path can be reserved. A linked
 * multicast holds its path for the next one. */
bool links_take_tree(struct links *links, const struct links_route *route, const struct noc_sites *sites,
                     const struct noc_request *request, uint64_t time, uint64_t *delay);

#endif
