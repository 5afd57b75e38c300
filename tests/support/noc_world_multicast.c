/* Requests to many tiles: their receivers and their effects (noc_world.h). */
#include "support/noc_world_draw.h"

#include <string.h>

/* ---- Receivers --------------------------------------------------------------------------------------------------- */

static bool world_is_live(const struct world *world, unsigned site) {
    return world->info[site].kind == BH_TILE_TENSIX && !world->info[site].harvested;
}

static struct bh_xy world_raw(const struct world *world, unsigned site, unsigned noc) {
    return noc ? world->info[site].noc1 : world->info[site].noc0;
}

/* Receivers of a multicast: live tiles, from one corner to another as the NoC counts, and what is left out. */
struct world_area {
    unsigned noc, start, end; /* sites */
    uint32_t exclude;
    bool include; /* the sender */
};

static bool world_wraps(const struct world *world, const struct world_area *area) {
    struct bh_xy start = world_raw(world, area->start, area->noc), end = world_raw(world, area->end, area->noc);
    return start.x > end.x || start.y > end.y;
}

/* The live tiles that are first and last on this NoC. */
static void world_whole(const struct world *world, struct world_area *area) {
    unsigned least = ~0u, most = 0;
    for (unsigned site = 0; site < WORLD_SITES; site++) {
        struct bh_xy at = world_raw(world, site, area->noc);
        unsigned sum = (unsigned)at.x + at.y;
        if (!world_is_live(world, site))
            continue;
        area->start = sum < least ? site : area->start;
        area->end = sum > most ? site : area->end;
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
}

/* A quadrant that is left out, or steps on either axis. */
static uint32_t world_exclude(struct world *world, unsigned noc) {
    struct bh_xy at = world_raw(world, world_site(world, 1u << BH_TILE_TENSIX), noc);
    switch (world_below(world, 3)) {
    case 0: return 0;
    case 1: return 1u << 22 | world_below(world, 4) << 20 | (uint32_t)at.y << 14 | (uint32_t)at.x << 8;
    default: return world_below(world, 256);
    }
}

/* Often all live tiles. Whether rectangles wrap, and what they leave out, is not the same everywhere. */
static bool world_draw_area(struct world_draw *d, struct world_area *area) {
    struct world *world = d->world;
    *area = (struct world_area){ .noc = d->noc, .include = world_below(world, 2) };
    area->start = world_site(world, 1u << BH_TILE_TENSIX);
    area->end = world_site(world, 1u << BH_TILE_TENSIX);
    if (world_below(world, 4) == 0)
        world_whole(world, area);
    if (world_wraps(world, area))
        return !world->common;
    area->exclude = world->common ? 0 : world_exclude(world, d->noc);
    return true;
}

static bool world_between(unsigned start, unsigned end, unsigned at) {
    return start <= end ? start <= at && at <= end : at <= end || start <= at;
}

static bool world_kept(uint32_t stride, unsigned place) {
    uint32_t keep = stride & 3, skip = stride >> 2 & 3;
    return !keep || !skip || place % (keep + skip) < keep;
}

static bool world_beyond(bool upward, unsigned corner, unsigned at) {
    return upward ? at >= corner : at <= corner;
}

static bool world_left_out(uint32_t exclude, struct bh_xy start, struct bh_xy at) {
    bool quadrant = exclude >> 22 & 1 && world_beyond(exclude >> 20 & 1, exclude >> 8 & 63, at.x) &&
                    world_beyond(exclude >> 21 & 1, exclude >> 14 & 63, at.y);
    return exclude && (quadrant || !world_kept(exclude & 15, at.x - (unsigned)start.x) ||
                       !world_kept(exclude >> 4 & 15, at.y - (unsigned)start.y));
}

static bool world_is_in(const struct world_draw *d, const struct world_area *area, unsigned site) {
    const struct world *world = d->world;
    struct bh_xy start = world_raw(world, area->start, area->noc), end = world_raw(world, area->end, area->noc);
    struct bh_xy at = world_raw(world, site, area->noc);
    if (!world_is_live(world, site) || (site == d->source->site && !area->include))
        return false;
    return world_between(start.x, end.x, at.x) && world_between(start.y, end.y, at.y) &&
           !world_left_out(area->exclude, start, at);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static uint32_t world_corners(const struct world *world, const struct world_area *area) {
    return world_xy(world, area->end) | world_xy(world, area->start) << 12;
}

static uint32_t world_cast_ctrl(struct world_draw *d, const struct world_area *area, bool posted) {
    uint32_t ctrl =
        SCRIPT_MULTICAST | (area->include ? (uint32_t)SCRIPT_INCLUDE_SELF : 0) | (posted ? 0 : SCRIPT_MARKED);
    if (d->world->common)
        return ctrl | SCRIPT_RESERVE;
    if (world_below(d->world, 2))
        ctrl |= SCRIPT_STATIC_VC | (4 + world_below(d->world, 2)) << 13;
    return ctrl | world_below(d->world, 2) << 16 | (world_below(d->world, 4) ? SCRIPT_RESERVE : 0);
}

/* Sometimes twice, as one transaction. */
static void world_cast(struct world_draw *d, unsigned response, bool posted, unsigned receivers) {
    bool linked = !d->world->common && world_below(d->world, 4) == 0;
    uint32_t tag = d->request.tag;
    for (unsigned i = 0; i < 1u + linked; i++) {
        d->request.tag = tag;
        d->request.ctrl &= ~(uint32_t)SCRIPT_LINKED;
        d->request.ctrl |= i < linked ? SCRIPT_LINKED : 0;
        d->world->receivers += receivers;
        world_go(d, response, posted ? 0 : receivers);
    }
}

bool world_multicast(struct world_draw *d, uint32_t limit) {
    struct world *world = d->world;
    struct world_area area;
    bool posted = world_below(world, 2);
    unsigned receivers = 0;
    uint32_t length = world_length(world, limit), to = world_spot(d, d->source->site, &length, posted);
    uint32_t from = world_take(WORLD_FROM, &d->source->from, length > 16384 ? 0 : to, length);
    if (!from || !to || !world_draw_area(d, &area))
        return false;
    for (unsigned site = 0; site < WORLD_SITES; site++)
        if (world_is_in(d, &area, site)) {
            memmove(world->memory[site].byte + to, world_own(d) + from, length);
            receivers++;
        }
    d->request = (struct script_request){
        .targ_lo = from,
        .targ_hi = world_xy(world, d->source->site),
        .ret_lo = to,
        .ret_hi = world_corners(world, &area),
        .ctrl = SCRIPT_WRITE | world_cast_ctrl(d, &area, posted),
        .len = length,
        .exclude = area.exclude,
    };
    world_cast(d, WORLD_ACK, posted, receivers * world_packets(length));
    return true;
}

/* All receivers count. */
bool world_count_area(struct world_draw *d) {
    struct world *world = d->world;
    struct world_area area;
    bool posted = world_below(world, 2);
    unsigned receivers = 0;
    uint32_t data = 1 + world_below(world, 9), before = world->requests;
    if (!world_draw_area(d, &area))
        return false;
    d->request = (struct script_request){
        .targ_lo = WORLD_COUNTED,
        .targ_hi = world_corners(world, &area),
        .ret_lo = WORLD_NOWHERE,
        .ret_hi = world_xy(world, d->source->site),
        .ctrl = SCRIPT_ATOMIC | world_cast_ctrl(d, &area, posted),
        .len = 0x1000 | 31 << 2,
        .data = data,
        .exclude = area.exclude,
    };
    for (unsigned site = 0; site < WORLD_SITES; site++)
        receivers += world_is_in(d, &area, site);
    world_cast(d, WORLD_RESULT, posted, receivers);
    for (unsigned site = 0; site < WORLD_SITES; site++)
        world->counted[site] += world_is_in(d, &area, site) ? data * (world->requests - before) : 0;
    return true;
}
