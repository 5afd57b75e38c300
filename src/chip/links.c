/* Reservations of links: see links.h. */
#include "chip/links.h"

#include "base/order.h"
#include "noc/route.h"

/* ---- Routes ------------------------------------------------------------------------------------------------------ */

/* The links of a route in their order, by number: site and kind as in `struct links`. */
struct path {
    unsigned count;
    uint16_t link[NOC_WIDTH + NOC_HEIGHT];
};

static inline unsigned link_number(unsigned x, unsigned y, enum links_kind kind) {
    return (y * NOC_WIDTH + x) * LINKS_A_ROUTER + kind;
}

static inline unsigned next_of(unsigned noc, unsigned at, unsigned size) {
    return noc ? (at ? at - 1 : size - 1) : (at + 1 < size ? at + 1 : 0);
}

/* NoC 0 goes along x first, NoC 1 along y; the last link is the one to the NIU. */
static inline struct path path_to(const struct links_route *route, unsigned to) {
    unsigned noc = route->noc, x = route->from % NOC_WIDTH, y = route->from / NOC_WIDTH;
    unsigned to_x = to % NOC_WIDTH, to_y = to / NOC_WIDTH;
    struct path path;
    path.count = 0;
    for (; noc && y != to_y; y = next_of(noc, y, NOC_HEIGHT))
        path.link[path.count++] = (uint16_t)link_number(x, y, LINKS_Y);
    for (; x != to_x; x = next_of(noc, x, NOC_WIDTH))
        path.link[path.count++] = (uint16_t)link_number(x, y, LINKS_X);
    for (; y != to_y; y = next_of(noc, y, NOC_HEIGHT))
        path.link[path.count++] = (uint16_t)link_number(x, y, LINKS_Y);
    path.link[path.count++] = (uint16_t)link_number(x, y, LINKS_EJECT);
    return path;
}

/* Returns when the first flit enters the i-th link of a path, from the time on at which it leaves the NIU. */
static inline uint64_t path_offset(unsigned i) {
    return NOC_INJECT + (uint64_t)NOC_HOP * i;
}

static inline struct links_load *load_of(struct links *links, unsigned noc, unsigned link) {
    return &links->load[noc][link / LINKS_A_ROUTER][link % LINKS_A_ROUTER];
}

/* ---- One link ---------------------------------------------------------------------------------------------------- */

static inline void pass_time(struct links_load *load, uint32_t period) {
    uint32_t passed = period - load->first, over = passed < load->used ? passed : load->used;
    if ((int32_t)passed <= 0)
        return;
    for (uint32_t i = 0; i < over; i++)
        load->flits[(load->first + i) % LINKS_RING] = 0;
    load->used = (uint8_t)(load->used - over);
    load->first = period;
}

/* Lets flits cross from `*head` on. Sets *head to the time of the first one, and returns the cycle after the last
 * one. */
static inline uint64_t cross(struct links_load *load, uint64_t *head, uint32_t flits, bool take) {
    uint64_t at = *head / LINKS_PERIOD - load->first, tail = *head + flits;
    uint32_t from = (uint32_t)(*head % LINKS_PERIOD);
    bool begun = false;
    if (!take && at >= load->used && tail <= (load->first + (uint64_t)LINKS_PERIODS) * LINKS_PERIOD)
        return tail; /* nothing crosses by then */
    for (; at < LINKS_PERIODS && flits; at++, from = 0) {
        uint8_t *crossing = &load->flits[(load->first + at) % LINKS_RING];
        uint32_t room = LINKS_PERIOD - *crossing, left = LINKS_PERIOD - from;
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
            tail = later(tail, start + (room < left ? *crossing + now : 0));
        if (take) {
            *crossing = (uint8_t)(*crossing + now);
            load->used = at < load->used ? load->used : (uint8_t)(at + 1);
        }
    }
    if (!begun) /* beyond what is known */
        *head = later(*head, (load->first + at) * LINKS_PERIOD);
    return flits ? later(tail, (load->first + at) * LINKS_PERIOD + flits) : tail;
}

/* What a packet meets on its way. */
struct outlook {
    uint64_t delay;  /* of the last flit at the receiver */
    unsigned narrow; /* index of the link that delays it most */
};

static inline struct outlook look_along(struct links *links, const struct links_route *route, const struct path *path,
                                        uint64_t time) {
    struct outlook outlook = { 0, 0 };
    uint64_t late = 0;
    for (unsigned i = 0; i < path->count; i++) {
        struct links_load *load = load_of(links, route->noc, path->link[i]);
        uint64_t enters = time + path_offset(i), head = enters + late;
        pass_time(load, (uint32_t)(time / LINKS_PERIOD));
        uint64_t delay = cross(load, &head, route->flits, false) - enters - route->flits;
        late = head - enters;
        if (delay > outlook.delay)
            outlook = (struct outlook){ delay, i };
    }
    return outlook;
}

/* A packet that waits for a link holds the links behind it, at most for the time of its own flits. fit */
static inline void take_along(struct links *links, const struct links_route *route, const struct path *path,
                              uint64_t time, const struct outlook *outlook) {
    uint64_t late = 0, most = route->holds && outlook->delay > LINKS_PERIOD ? route->flits : 0;
    for (unsigned i = 0; i < path->count; i++) {
        uint64_t enters = time + path_offset(i), head = enters + late;
        uint64_t hold = i < outlook->narrow ? smaller(outlook->delay - late, most) : 0;
        cross(load_of(links, route->noc, path->link[i]), &head, route->flits + (uint32_t)hold, true);
        late = head - enters;
    }
}

bool links_take(struct links *links, const struct links_route *route, uint64_t time, uint64_t *delay) {
    struct path path = path_to(route, route->to);
    struct outlook outlook = look_along(links, route, &path, time);
    if (outlook.delay > LINKS_SLACK)
        return false;
    take_along(links, route, &path, time, &outlook);
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

/* Marks a link. Returns whether it was not marked before. */
static bool mark(uint64_t seen[SEEN_WORDS], unsigned link) {
    bool fresh = !(seen[link / 64] >> link % 64 & 1);
    seen[link / 64] |= UINT64_C(1) << link % 64;
    return fresh;
}

/* Calls visit for every link of the tree, once. offset: when the first flit enters the link. */
static void each_link(struct tree *tree, const struct noc_sites *sites,
                      void (*visit)(struct tree *tree, unsigned link, uint64_t offset)) {
    uint64_t seen[SEEN_WORDS] = { 0 };
    struct noc_sites left = *sites;
    for (unsigned to; (to = noc_sites_next(&left)) != NOC_NOWHERE;) {
        struct path path = path_to(tree->route, to);
        for (unsigned i = 0; i < path.count; i++)
            if (mark(seen, path.link[i]))
                visit(tree, path.link[i], path_offset(i));
    }
}

static uint64_t *circuit_of(struct tree *tree, unsigned link) {
    return &tree->links->circuit[tree->route->noc][link / LINKS_A_ROUTER][link % LINKS_A_ROUTER];
}

/* A path can be reserved once the one before is given up. */
static void look(struct tree *tree, unsigned link, uint64_t offset) {
    uint64_t circuit = *circuit_of(tree, link);
    if (circuit != links_held(tree->route->from) && circuit > tree->time + offset - tree->request->reservation)
        tree->waits = true;
}

static void take(struct tree *tree, unsigned link, uint64_t offset) {
    struct links_load *load = load_of(tree->links, tree->route->noc, link);
    uint64_t head = tree->time + offset, planned = head + tree->route->flits;
    pass_time(load, (uint32_t)(tree->time / LINKS_PERIOD));
    tree->delay = later(tree->delay, cross(load, &head, tree->route->flits, true) - planned);
    if (tree->request->reserve && link % LINKS_A_ROUTER != LINKS_EJECT)
        *circuit_of(tree, link) = tree->request->linked ? links_held(tree->route->from) : planned;
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
