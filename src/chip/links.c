/* Reservations of links: see links.h. */
#include "chip/links.h"

#include <string.h>

#include "base/order.h"
#include "noc/route.h"

enum { WALK_INJECT = LINKS_A_ROUTER }; /* before the first link between routers */

/* A walk along a route, link by link. `offset` is the time at which the first flit enters the link, from the time on at
 * which it leaves the NIU. */
struct walk {
    unsigned noc, x, y, to_x, to_y;
    unsigned site, kind; /* of the current link */
    uint64_t offset;
};

static unsigned next_x(unsigned noc, unsigned x) {
    return noc ? (x ? x - 1 : NOC_WIDTH - 1) : (x + 1 < NOC_WIDTH ? x + 1 : 0);
}

static unsigned next_y(unsigned noc, unsigned y) {
    return noc ? (y ? y - 1 : NOC_HEIGHT - 1) : (y + 1 < NOC_HEIGHT ? y + 1 : 0);
}

static inline struct walk walk_begin(const struct links_route *route, unsigned to) {
    return (struct walk){ .noc = route->noc,
                          .x = route->from % NOC_WIDTH,
                          .y = route->from / NOC_WIDTH,
                          .to_x = to % NOC_WIDTH,
                          .to_y = to / NOC_WIDTH,
                          .site = route->from,
                          .kind = WALK_INJECT };
}

/* Goes to the next link. Returns false behind the last one. NoC 0 goes along x first, NoC 1 along y. */
static inline bool walk_next(struct walk *walk) {
    if (walk->kind == LINKS_EJECT)
        return false;
    walk->offset += walk->kind == WALK_INJECT ? NOC_INJECT : NOC_HOP;
    if (walk->kind == LINKS_X)
        walk->x = next_x(walk->noc, walk->x);
    if (walk->kind == LINKS_Y)
        walk->y = next_y(walk->noc, walk->y);
    bool along_x = walk->x != walk->to_x, along_y = walk->y != walk->to_y;
    walk->site = walk->y * NOC_WIDTH + walk->x;
    if (along_x && (!walk->noc || !along_y))
        walk->kind = LINKS_X;
    else
        walk->kind = along_y ? LINKS_Y : LINKS_EJECT;
    return true;
}

/* ---- One link ---------------------------------------------------------------------------------------------------- */

static void pass_time(struct links_load *load, uint32_t period) {
    uint32_t passed = period - load->first;
    if ((int32_t)passed <= 0)
        return;
    if (passed >= LINKS_PERIODS)
        memset(load->flits, 0, sizeof load->flits);
    else {
        memmove(load->flits, load->flits + passed, LINKS_PERIODS - passed);
        memset(load->flits + LINKS_PERIODS - passed, 0, passed);
    }
    load->first = period;
}

/* Lets flits cross from `*head` on. Sets *head to the time of the first one, and returns the cycle after the last
 * one. */
static inline uint64_t cross(struct links_load *load, uint64_t *head, uint32_t flits, bool take) {
    uint64_t at = *head / LINKS_PERIOD - load->first, tail = *head + flits;
    uint32_t from = (uint32_t)(*head % LINKS_PERIOD);
    bool begun = false;
    for (; at < LINKS_PERIODS && flits; at++, from = 0) {
        uint32_t room = LINKS_PERIOD - load->flits[at], left = LINKS_PERIOD - from;
        uint32_t now = room < left ? room : left;
        if (!now)
            continue;
        uint64_t start = (load->first + at) * LINKS_PERIOD;
        if (!begun)
            *head = later(*head, start);
        begun = true;
        now = now < flits ? now : flits;
        flits -= now;
        if (!flits)
            tail = later(tail, start + (room < left ? load->flits[at] + now : 0));
        if (take)
            load->flits[at] = (uint8_t)(load->flits[at] + now);
    }
    if (!begun) /* beyond what is known */
        *head = later(*head, (load->first + at) * LINKS_PERIOD);
    return flits ? later(tail, (load->first + at) * LINKS_PERIOD + flits) : tail;
}

/* What a packet meets on its way. */
struct outlook {
    uint64_t delay;  /* of the last flit at the receiver */
    unsigned narrow; /* number of the link that delays it most */
};

static struct outlook look_along(struct links *links, const struct links_route *route, uint64_t time) {
    struct walk walk = walk_begin(route, route->to);
    struct outlook outlook = { 0, 0 };
    uint64_t late = 0;
    for (unsigned i = 1; walk_next(&walk); i++) {
        struct links_load *load = &links->load[walk.noc][walk.site][walk.kind];
        uint64_t head = time + walk.offset + late, planned = time + walk.offset + route->flits;
        pass_time(load, (uint32_t)(time / LINKS_PERIOD));
        uint64_t delay = cross(load, &head, route->flits, false) - planned;
        late = head - time - walk.offset;
        if (delay > outlook.delay)
            outlook = (struct outlook){ delay, i };
    }
    return outlook;
}

/* A packet that waits for a link holds the links behind it, at most for the time of its own flits. fit */
static void take_along(struct links *links, const struct links_route *route, uint64_t time,
                       const struct outlook *outlook) {
    struct walk walk = walk_begin(route, route->to);
    uint64_t late = 0, most = route->holds && outlook->delay > LINKS_PERIOD ? route->flits : 0;
    for (unsigned i = 1; walk_next(&walk); i++) {
        struct links_load *load = &links->load[walk.noc][walk.site][walk.kind];
        uint64_t head = time + walk.offset + late, hold = i < outlook->narrow ? outlook->delay - late : 0;
        cross(load, &head, route->flits + (uint32_t)(hold < most ? hold : most), true);
        late = head - time - walk.offset;
    }
}

bool links_take(struct links *links, const struct links_route *route, uint64_t time, uint64_t *delay) {
    struct outlook outlook = look_along(links, route, time);
    if (outlook.delay > LINKS_SLACK)
        return false;
    take_along(links, route, time, &outlook);
    *delay = outlook.delay;
    links->inject[route->noc][route->from] = time + route->cycles;
    return true;
}

/* ---- Multicasts ------------------------------------------------------------------------------------------------- */

enum { SEEN_WORDS = (NOC_SITES * LINKS_A_ROUTER + 63) / 64 };

struct tree {
    struct links *links;
    const struct links_route *route;
    const struct noc_request *request;
    uint64_t time, delay;
    bool waits;
};

/* Marks the current link. Returns whether it was not marked before. */
static bool mark(uint64_t seen[SEEN_WORDS], const struct walk *walk) {
    unsigned bit = walk->site * LINKS_A_ROUTER + walk->kind;
    bool fresh = !(seen[bit / 64] >> bit % 64 & 1);
    seen[bit / 64] |= UINT64_C(1) << bit % 64;
    return fresh;
}

/* Calls visit for every link of the tree, once. */
static void each_link(struct tree *tree, const struct noc_sites *sites,
                      void (*visit)(struct tree *tree, const struct walk *walk)) {
    uint64_t seen[SEEN_WORDS] = { 0 };
    struct noc_sites left = *sites;
    for (unsigned to; (to = noc_sites_next(&left)) != NOC_NOWHERE;) {
        struct walk walk = walk_begin(tree->route, to);
        while (walk_next(&walk))
            if (mark(seen, &walk))
                visit(tree, &walk);
    }
}

/* A path can be reserved once the one before is given up. */
static void look(struct tree *tree, const struct walk *walk) {
    uint64_t circuit = tree->links->circuit[walk->noc][walk->site][walk->kind];
    if (circuit != links_held(tree->route->from) && circuit > tree->time + walk->offset - tree->request->reservation)
        tree->waits = true;
}

static void take(struct tree *tree, const struct walk *walk) {
    struct links_load *load = &tree->links->load[walk->noc][walk->site][walk->kind];
    uint64_t head = tree->time + walk->offset, planned = head + tree->route->flits;
    pass_time(load, (uint32_t)(tree->time / LINKS_PERIOD));
    tree->delay = later(tree->delay, cross(load, &head, tree->route->flits, true) - planned);
    if (tree->request->reserve && walk->kind != LINKS_EJECT)
        tree->links->circuit[walk->noc][walk->site][walk->kind] =
            tree->request->linked ? links_held(tree->route->from) : planned;
}

/* The last packet of a linked transaction gives its path up. */
static void give_up(struct links *links, const struct links_route *route, uint64_t time) {
    for (unsigned site = 0; site < NOC_SITES; site++)
        for (unsigned kind = 0; kind < LINKS_A_ROUTER; kind++)
            if (links->circuit[route->noc][site][kind] == links_held(route->from))
                links->circuit[route->noc][site][kind] = time + route->cycles;
}

bool links_take_tree(struct links *links, const struct links_route *route, const struct noc_sites *sites,
                     const struct noc_request *request, uint64_t time, uint64_t *delay) {
    struct tree tree = { links, route, request, time, 0, false };
    if (request->reservation)
        each_link(&tree, sites, look);
    if (tree.waits)
        return false;
    each_link(&tree, sites, take);
    if (!request->linked && links->holds[route->noc][route->from])
        give_up(links, route, time);
    links->holds[route->noc][route->from] = request->linked && request->reserve;
    *delay = tree.delay;
    links->inject[route->noc][route->from] = time + route->cycles;
    return true;
}
