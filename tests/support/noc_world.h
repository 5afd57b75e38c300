/* Random NoC traffic and what must come of it: a chip's memories as plain arrays, on which each request is a few lines.
 *
 * Every source, a core of a Tensix tile, has a part of every memory that nobody else writes to, so that it does not
 * matter who comes first; one word of some tiles is counted up by all. What a source does by itself is in order: it
 * waits, or it relies on the order of packets with the same way and virtual channel.
 *
 *     L1 of a source:  LIST the script | FROM bytes that it sends | INTO where answers go
 *     L1 of any tile:  PARTS the parts of the sources | in the first words of PARTS - 4096, what all count up
 */
#ifndef SUPPORT_NOC_WORLD_H
#define SUPPORT_NOC_WORLD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "noc/niu.h"
#include "support/noc_script.h"

enum {
    WORLD_NOWHERE = 0x8010, /* a word that nobody looks at */
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

#define WORLD_HANDLERS UINT32_C(0xFFB130A8) /* registers that only keep what is written to them */

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

/* ---- Chance ----------------------------------------------------------------------------------------------- */

static inline uint32_t world_next(struct world *world) {
    uint64_t z = world->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static inline uint32_t world_below(struct world *world, uint32_t limit) {
    return world_next(world) % limit;
}

/* ---- Places ----------------------------------------------------------------------------------------------- */

/* A source's part of the memory of a site. */
static inline uint32_t world_part(const struct world *world, unsigned site, unsigned source, uint32_t *size) {
    switch (world->info[site].kind) {
    case BH_TILE_TENSIX: *size = world->part; return WORLD_PARTS + source * world->part;
    case BH_TILE_ETH:
        *size = world->part / 4;
        *size = *size > 0x4000 ? 0x4000 : *size;
        return WORLD_ETH_PARTS + source * *size;
    default: *size = world->part; return source * world->part;
    }
}

static inline bool world_has_memory(const struct bh_tile_info *info) {
    switch (info->kind) {
    case BH_TILE_TENSIX:
    case BH_TILE_DRAM:
    case BH_TILE_ETH:
    case BH_TILE_PCIE: return !info->harvested;
    default: return false;
    }
}

static inline unsigned world_site(struct world *world, unsigned kinds) {
    for (;;) {
        unsigned site = world_below(world, WORLD_SITES);
        if (world->memory[site].byte && kinds & ~world->without & 1u << world->info[site].kind)
            return site;
    }
}

static inline uint32_t world_xy(const struct world *world, unsigned site) {
    return script_xy(world->info[site].translated.x, world->info[site].translated.y);
}

static inline void world_make_memory(struct world *world, unsigned site) {
    struct world_memory *memory = &world->memory[site];
    const struct bh_tile_info *info = &world->info[site];
    if (!world_has_memory(info))
        return;
    memory->size = info->kind == BH_TILE_TENSIX ? WORLD_L1 : info->kind == BH_TILE_ETH ? WORLD_ETH_L1 : WORLD_DRAM;
    for (unsigned other = 0; other < site && info->kind == BH_TILE_DRAM; other++)
        if (world->info[other].kind == BH_TILE_DRAM && world->info[other].index == info->index)
            memory->byte = world->memory[other].byte;
    if (info->kind == BH_TILE_PCIE)
        memory->byte = world->host;
    if (!memory->byte)
        memory->byte = calloc(1, memory->size);
    assert(memory->byte);
}

/* ---- What requests do ---------------------------------------------------------------------------------------- */

static inline uint32_t world_word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline void world_set_word(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof value);
}

static inline uint32_t world_zaamo(unsigned op, uint32_t a, uint32_t b) {
    switch (op) {
    case 0: return a + b;
    case 1: return a ^ b;
    case 2: return a | b;
    case 3: return a & b;
    case 4: return (int32_t)a < (int32_t)b ? a : b;
    case 5: return (int32_t)a > (int32_t)b ? a : b;
    case 6: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

/* Draws an operation for the word at offset ofs * 4 of a line, and does it. */
static inline uint32_t world_atomic(struct world *world, uint8_t *line, unsigned ofs, uint32_t data) {
    uint8_t *word = line + 4 * ofs;
    uint32_t old = world_word(word);
    unsigned pick = world_below(world, 5), width = world_below(world, 32), op = world_below(world, 8);
    uint32_t mask = (2u << width) - 1, halves = world_below(world, 256);
    uint32_t compare = world_below(world, 2) ? old & 15 : world_below(world, 16), set = world_below(world, 16);
    switch (pick) {
    case 0: world_set_word(word, ((old + data) & mask) | (old & ~mask)); return 0x1000 | width << 2 | ofs;
    case 1:
        for (unsigned i = 0; i < 8; i++)
            if (halves >> i & 1)
                memcpy(line + 2 * i, (const uint8_t *)&data + 2 * (i & 1), 2);
        return 0x3000 | halves << 2;
    case 2:
        if (old == compare)
            world_set_word(word, set);
        return 0x4000 | set << 6 | compare << 2 | ofs;
    case 3: world_set_word(word, data); return 0x7000 | ofs << 2;
    default: world_set_word(word, world_zaamo(op, old, data)); return 0xA800 | op << 8 | ofs;
    }
}

/* ---- Drawing requests -------------------------------------------------------------------------------------------- */

enum { WORLD_RESULT, WORLD_ACK, WORLD_DATA }; /* of responses */

/* A request in the making. */
struct world_draw {
    struct world *world;
    struct world_source *source;
    unsigned number; /* of the source */
    unsigned noc, buffer;
    struct script_request request;
};

static inline uint8_t *world_own(const struct world_draw *d) {
    return d->world->memory[d->source->site].byte;
}

static inline uint32_t world_ctrl(struct world_draw *d, uint32_t type) {
    uint32_t vc = world_below(d->world, 4);
    return type | (world_below(d->world, 2) ? (uint32_t)SCRIPT_STATIC_VC | vc << 13 : 0);
}

/* A length up to a limit; often a small one. */
static inline uint32_t world_length(struct world *world, uint32_t limit) {
    uint32_t small = 1 + world_below(world, 80), any = 1 + world_below(world, limit);
    uint32_t length = world_below(world, 2) ? small : any;
    return length < limit ? length : limit;
}

/* Fresh bytes of FROM or INTO whose address is that of the other side in its low bits; 0: there are none left. */
static inline uint32_t world_take(uint32_t area, uint32_t *used, uint32_t address, uint32_t length) {
    uint32_t at = area + (*used + 63) / 64 * 64 + address % 64;
    if (at + length > area + WORLD_AREA)
        return 0;
    *used = at + length - area;
    return at;
}

/* Somewhere in a source's part at a site; the length may get shorter. Requests without an answer go to where no other
 * goes: nobody knows when they get there. 0: there is no such place left. */
static inline uint32_t world_spot(struct world_draw *d, unsigned site, uint32_t *length, bool posted) {
    uint32_t size, base = world_part(d->world, site, d->number, &size), *used = &d->source->posted;
    uint32_t quarter = size / 4 / 64 * 64;
    if (posted) {
        uint32_t at = *used + world_below(d->world, 64);
        *length = *length < quarter ? *length : quarter;
        if (at + *length > quarter)
            return 0;
        *used = (at + *length + 63) / 64 * 64;
        return base + size - quarter + at;
    }
    *length = *length < size - quarter ? *length : size - quarter;
    uint32_t at = world_below(d->world, size - quarter - *length + 1);
    return base + (*length > 16384 ? at / 64 * 64 : at);
}

static inline void world_go(struct world_draw *d, unsigned response, unsigned packets) {
    if (!d->world->common)
        d->request.tag |= world_below(d->world, 16) << 10; /* the transaction's id */
    script_request(&d->source->script, d->noc, d->buffer, &d->request);
    if ((d->request.ctrl & 3) != SCRIPT_ATOMIC && d->request.len > 16384) /* no other may start before it is split */
        script_put(&d->source->script, SCRIPT_WAIT, script_niu(d->noc, d->buffer) + 0x40, 0);
    d->world->requests++;
    if (packets)
        d->source->responses[d->noc][response] += packets;
}

static inline unsigned world_packets(uint32_t length) {
    return (length + 16383) / 16384;
}

static inline bool world_read(struct world_draw *d, uint32_t limit) {
    struct world *world = d->world;
    unsigned site = world_site(world, ~0u);
    uint32_t length = world_length(world, limit), from = world_spot(d, site, &length, false);
    uint32_t into = world_take(WORLD_INTO, &d->source->into, length > 16384 ? 0 : from, length);
    if (!into)
        return false;
    memcpy(world_own(d) + into, world->memory[site].byte + from, length);
    d->request = (struct script_request){
        .targ_lo = from,
        .targ_hi = world_xy(world, site),
        .ret_lo = into,
        .ret_hi = world_xy(world, d->source->site),
        .ctrl = world_ctrl(d, SCRIPT_READ | SCRIPT_MARKED),
        .len = length,
    };
    world->receivers += world_packets(length);
    world_go(d, WORLD_DATA, world_packets(length));
    return true;
}

/* Posted writes of aligned bytes may have the first line of them stored at a second address. */
static inline void world_store_header(struct world_draw *d, unsigned site, uint32_t from) {
    struct world *world = d->world;
    uint32_t length = 31, second = 0;
    if (d->request.ret_lo % 16 == 0 && d->request.len >= 16 && d->request.len <= 16384)
        second = world_spot(d, site, &length, true);
    if (!second || length < 31)
        return;
    second = (second + 15) / 16 * 16;
    memcpy(world->memory[site].byte + second, world_own(d) + from, 16);
    d->request.tag = 1 << 9;
    d->request.data = second / 16;
}

static inline bool world_write(struct world_draw *d, uint32_t limit, bool posted) {
    struct world *world = d->world;
    unsigned site = world_site(world, ~0u);
    uint32_t length = world_length(world, limit), to = world_spot(d, site, &length, posted);
    if (posted && to && !world->common && world_below(world, 2) && length > 16) {
        length -= (to + 15) / 16 * 16 - to;
        to = (to + 15) / 16 * 16;
    }
    uint32_t from = world_take(WORLD_FROM, &d->source->from, length > 16384 ? 0 : to, length);
    if (!from || (posted && !to))
        return false;
    memcpy(world->memory[site].byte + to, world_own(d) + from, length);
    d->request = (struct script_request){
        .targ_lo = from,
        .targ_hi = world_xy(world, d->source->site),
        .ret_lo = to,
        .ret_hi = world_xy(world, site),
        .ctrl = world_ctrl(d, SCRIPT_WRITE) | (posted ? 0 : SCRIPT_MARKED),
        .len = length,
    };
    if (posted && !world->common)
        world_store_header(d, site, from);
    world->receivers += world_packets(length);
    world_go(d, WORLD_ACK, posted ? 0 : world_packets(length));
    return true;
}

static inline bool world_masked(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = world_site(world, ~0u);
    uint32_t length = 80, to = (world_spot(d, site, &length, false) + 15) / 16 * 16;
    uint32_t from = world_take(WORLD_FROM, &d->source->from, 0, 64);
    uint32_t mask[2] = { world_next(world), world_next(world) };
    mask[0] &= world_next(world);
    if (!from)
        return false;
    for (unsigned i = 0; i < 64; i++)
        if (mask[i / 32] >> i % 32 & 1)
            world->memory[site].byte[to + i] = world_own(d)[from + i];
    d->request = (struct script_request){
        .targ_lo = from,
        .targ_hi = world_xy(world, d->source->site),
        .ret_lo = to + world_below(world, 16),
        .ret_hi = world_xy(world, site),
        .ctrl = world_ctrl(d, SCRIPT_WRITE | SCRIPT_BYTE_ENABLE | SCRIPT_MARKED),
        .len = mask[0],
        .len_1 = mask[1],
    };
    world->receivers++;
    world_go(d, WORLD_ACK, 1);
    return true;
}

/* Registers that keep what is written to them: handlers of interrupts, or streams' buffer sizes of 17 bits. */
static inline uint32_t world_register(const struct world *world, unsigned index) {
    return world->common ? UINT32_C(0xFFB40028) + 0x1000 * index : WORLD_HANDLERS + 4 * index;
}

/* Inline data in L1: a line in which a mask, of any of four times sixteen bits, selects bytes. */
static inline bool world_inline_l1(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = world_site(world, 1u << BH_TILE_TENSIX | 1u << BH_TILE_ETH), shift = 16 * world_below(world, 4);
    uint32_t length = 32, to = (world_spot(d, site, &length, false) + 15) / 16 * 16, value = world_next(world);
    uint64_t mask = world_next(world) & 0xFFFF;
    for (unsigned i = 0; i < 16; i++)
        if (mask >> i & 1)
            world->memory[site].byte[to + i] = (uint8_t)(value >> i % 4 * 8);
    d->request = (struct script_request){
        .targ_lo = to + world_below(world, 12),
        .targ_hi = world_xy(world, site),
        .ctrl = world_ctrl(d, SCRIPT_WRITE | SCRIPT_INLINE | SCRIPT_MARKED),
        .len = (uint32_t)(mask << shift),
        .len_1 = (uint32_t)(mask << shift >> 32),
        .data = value,
    };
    world->receivers++;
    world_go(d, WORLD_ACK, 1);
    return true;
}

/* A word in a register, which the source has to itself only if there are few of them: the tile is its own. */
static inline bool world_inline(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = d->source->site, index = world_below(world, 36);
    uint32_t value = world_next(world) & (world->common ? 0x1FFFF : UINT32_MAX);
    world->handler[site][index] = value;
    d->request = (struct script_request){
        .targ_lo = world_register(world, index),
        .targ_hi = world_xy(world, site),
        .ret_hi = world_xy(world, site),
        .ctrl = world_ctrl(d, SCRIPT_WRITE | SCRIPT_INLINE | SCRIPT_MARKED),
        .data = value,
    };
    world->receivers++;
    world_go(d, WORLD_ACK, 1);
    return true;
}

/* Reads where a tile is. */
static inline bool world_who(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = world_site(world, 1u << BH_TILE_TENSIX | 1u << BH_TILE_ETH);
    uint32_t into = world_take(WORLD_INTO, &d->source->into, 8, 4);
    if (!into)
        return false;
    world_set_word(world_own(d) + into, world_xy(world, site));
    d->request = (struct script_request){
        .targ_lo = 0xFFB20148,
        .targ_hi = world_xy(world, site),
        .ret_lo = into,
        .ret_hi = world_xy(world, d->source->site),
        .ctrl = world_ctrl(d, SCRIPT_READ | SCRIPT_MARKED),
        .len = 4,
    };
    world->receivers++;
    world_go(d, WORLD_DATA, 1);
    return true;
}

static inline bool world_some_atomic(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = world_site(world, 1u << BH_TILE_TENSIX | 1u << BH_TILE_ETH);
    bool posted = world_below(world, 4) == 0;
    uint32_t length = 32, spot = world_spot(d, site, &length, posted), at = (spot + 15) / 16 * 16;
    uint32_t data = world_next(world), into = world_take(WORLD_INTO, &d->source->into, 0, 4);
    unsigned ofs = world_below(world, 4);
    if (!into || !spot)
        return false;
    uint8_t *line = world->memory[site].byte + at;
    uint32_t old = world_word(line + 4 * ofs);
    d->request = (struct script_request){
        .targ_lo = at + 4 * ofs,
        .targ_hi = world_xy(world, site),
        .ret_lo = into,
        .ret_hi = world_xy(world, d->source->site),
        .ctrl = world_ctrl(d, SCRIPT_ATOMIC | (posted ? 0 : SCRIPT_MARKED)),
        .len = world_atomic(world, line, ofs, data),
        .data = data,
    };
    if (!posted)
        world_set_word(world_own(d) + into, old);
    world->receivers++;
    world_go(d, WORLD_RESULT, !posted);
    return true;
}

/* Everybody counts the same words; what the count was is not known. */
static inline bool world_count(struct world_draw *d) {
    struct world *world = d->world;
    unsigned site = world_site(world, 1u << BH_TILE_TENSIX);
    if (world_below(world, 2))
        site = world->source[0].site; /* one is more popular than the others */
    uint32_t data = 1 + world_below(world, 9);
    world->counted[site] += data;
    d->request = (struct script_request){
        .targ_lo = WORLD_COUNTED,
        .targ_hi = world_xy(world, site),
        .ret_lo = WORLD_NOWHERE,
        .ret_hi = world_xy(world, d->source->site),
        .ctrl = world_ctrl(d, SCRIPT_ATOMIC | (world->common ? SCRIPT_MARKED : 0)),
        .len = 0x1000 | 31 << 2,
        .data = data,
    };
    world->receivers++;
    world_go(d, WORLD_RESULT, world->common);
    return true;
}

static inline bool world_is_live(const struct world *world, unsigned site) {
    return world->info[site].kind == BH_TILE_TENSIX && !world->info[site].harvested;
}

static inline struct bh_xy world_raw(const struct world *world, unsigned site, unsigned noc) {
    return noc ? world->info[site].noc1 : world->info[site].noc0;
}

/* Receivers of a multicast: live tiles, from one corner to another as the NoC counts, and what is left out. */
struct world_area {
    unsigned noc, start, end; /* sites */
    uint32_t exclude;
    bool include; /* the sender */
};

static inline bool world_wraps(const struct world *world, const struct world_area *area) {
    struct bh_xy start = world_raw(world, area->start, area->noc), end = world_raw(world, area->end, area->noc);
    return start.x > end.x || start.y > end.y;
}

/* The live tiles that are first and last on this NoC. */
static inline void world_whole(const struct world *world, struct world_area *area) {
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
static inline uint32_t world_exclude(struct world *world, unsigned noc) {
    struct bh_xy at = world_raw(world, world_site(world, 1u << BH_TILE_TENSIX), noc);
    switch (world_below(world, 3)) {
    case 0: return 0;
    case 1: return 1u << 22 | world_below(world, 4) << 20 | (uint32_t)at.y << 14 | (uint32_t)at.x << 8;
    default: return world_below(world, 256);
    }
}

/* Often all live tiles. Whether rectangles wrap, and what they leave out, is not the same everywhere. */
static inline bool world_draw_area(struct world_draw *d, struct world_area *area) {
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

static inline bool world_between(unsigned start, unsigned end, unsigned at) {
    return start <= end ? start <= at && at <= end : at <= end || start <= at;
}

static inline bool world_kept(uint32_t stride, unsigned place) {
    uint32_t keep = stride & 3, skip = stride >> 2 & 3;
    return !keep || !skip || place % (keep + skip) < keep;
}

static inline bool world_beyond(bool upward, unsigned corner, unsigned at) {
    return upward ? at >= corner : at <= corner;
}

static inline bool world_left_out(uint32_t exclude, struct bh_xy start, struct bh_xy at) {
    bool quadrant = exclude >> 22 & 1 && world_beyond(exclude >> 20 & 1, exclude >> 8 & 63, at.x) &&
                    world_beyond(exclude >> 21 & 1, exclude >> 14 & 63, at.y);
    return exclude && (quadrant || !world_kept(exclude & 15, at.x - (unsigned)start.x) ||
                       !world_kept(exclude >> 4 & 15, at.y - (unsigned)start.y));
}

static inline bool world_is_in(const struct world_draw *d, const struct world_area *area, unsigned site) {
    const struct world *world = d->world;
    struct bh_xy start = world_raw(world, area->start, area->noc), end = world_raw(world, area->end, area->noc);
    struct bh_xy at = world_raw(world, site, area->noc);
    if (!world_is_live(world, site) || (site == d->source->site && !area->include))
        return false;
    return world_between(start.x, end.x, at.x) && world_between(start.y, end.y, at.y) &&
           !world_left_out(area->exclude, start, at);
}

static inline uint32_t world_corners(const struct world *world, const struct world_area *area) {
    return world_xy(world, area->end) | world_xy(world, area->start) << 12;
}

static inline uint32_t world_cast_ctrl(struct world_draw *d, const struct world_area *area, bool posted) {
    uint32_t ctrl =
        SCRIPT_MULTICAST | (area->include ? (uint32_t)SCRIPT_INCLUDE_SELF : 0) | (posted ? 0 : SCRIPT_MARKED);
    if (d->world->common)
        return ctrl | SCRIPT_RESERVE;
    if (world_below(d->world, 2))
        ctrl |= SCRIPT_STATIC_VC | (4 + world_below(d->world, 2)) << 13;
    return ctrl | world_below(d->world, 2) << 16 | (world_below(d->world, 4) ? SCRIPT_RESERVE : 0);
}

/* Sometimes twice, as one transaction. */
static inline void world_cast(struct world_draw *d, unsigned response, bool posted, unsigned receivers) {
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

static inline bool world_multicast(struct world_draw *d, uint32_t limit) {
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
static inline bool world_count_area(struct world_draw *d) {
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

/* ---- All of them ----------------------------------------------------------------------------------------------------
 */

/* Waits until everything that is answered has been. */
static inline void world_wait(struct world_source *source, unsigned noc) {
    static const uint8_t counter[] = { NIU_ATOMIC_RESP_RECEIVED, NIU_WR_ACK_RECEIVED, NIU_RD_RESP_RECEIVED };
    for (unsigned i = 0; i < 3; i++)
        script_put(&source->script, SCRIPT_WAIT, script_counter(noc, counter[i]), source->responses[noc][i]);
}

static inline bool world_draw_one(struct world_draw *d, uint32_t limit) {
    static const uint8_t common[12] = { 0, 0, 0, 4, 4, 5, 7, 7, 10, 10, 11, 11 };
    unsigned pick = world_below(d->world, 12);
    switch (d->world->common ? common[pick] : pick) {
    case 0:
    case 1:
    case 2: return world_read(d, limit);
    case 3:
    case 4: return world_write(d, limit, false);
    case 5: return world_write(d, limit, true);
    case 6: return world_masked(d);
    case 7: return d->world->common || world_below(d->world, 2) ? world_inline(d) : world_inline_l1(d);
    case 8: return world_who(d);
    case 9: return world_some_atomic(d);
    case 10: return d->world->common || world_below(d->world, 4) ? world_count(d) : world_count_area(d);
    default: return world_multicast(d, limit);
    }
}

static inline void world_draw_source(struct world *world, unsigned number, unsigned requests, uint32_t limit) {
    struct world_source *source = &world->source[number];
    for (unsigned i = 0; i < requests;) {
        struct world_draw d = {
            .world = world,
            .source = source,
            .number = number,
            .noc = world_below(world, 2),
            .buffer = world_below(world, 4),
        };
        i += world_draw_one(&d, limit) || world_below(world, 8) == 0;
        world_wait(source, 0); /* its next one may go to the same place, by another way */
        world_wait(source, 1);
    }
    script_put(&source->script, SCRIPT_STORE, 0x8000, 0xD05E);
    script_put(&source->script, SCRIPT_STOP, 0, 0);
    assert(WORLD_LIST + source->script.count * 4 <= WORLD_FROM);
}

static inline void world_fill(struct world *world, struct world_source *source) {
    uint8_t *l1 = world->memory[source->site].byte;
    for (uint32_t at = WORLD_FROM; at < WORLD_FROM + WORLD_AREA; at += 4)
        world_set_word(l1 + at, world_next(world));
}

static inline struct world *world_create(const bh_chip *chip, uint64_t seed, unsigned sources, uint32_t part) {
    struct world *world = calloc(1, sizeof *world);
    unsigned tensix[140], count = 0;
    assert(world && sources <= 140);
    world->random = seed;
    world->sources = sources;
    world->part = part;
    world->source = calloc(sources, sizeof *world->source);
    for (unsigned site = 0; site < WORLD_SITES; site++) {
        bh_tile_at(chip, site, &world->info[site]);
        world_make_memory(world, site);
        if (world->info[site].kind == BH_TILE_TENSIX && !world->info[site].harvested)
            tensix[count++] = site;
    }
    for (unsigned i = 0; i < sources; i++) {
        world->source[i].site = tensix[i * count / sources];
        world_fill(world, &world->source[i]);
    }
    return world;
}

static inline void world_draw_all(struct world *world, unsigned requests, uint32_t limit) {
    for (unsigned i = 0; i < world->sources; i++)
        world_draw_source(world, i, requests, limit);
}

/* ---- The chip
 * ---------------------------------------------------------------------------------------------------------- */

/* Call it before drawing: the model is what memories will be. */
static inline void world_load_memory(const struct world *world, bh_chip *chip) {
    for (unsigned i = 0; i < world->sources; i++) {
        unsigned site = world->source[i].site;
        bh_write(chip, world->info[site].translated, WORLD_FROM, world->memory[site].byte + WORLD_FROM, WORLD_AREA);
    }
}

static inline void world_start(const struct world *world, bh_chip *chip, enum bh_core core) {
    uint32_t program[SCRIPT_PROGRAM];
    script_program(program, WORLD_LIST);
    for (unsigned i = 0; i < world->sources; i++) {
        const struct world_source *source = &world->source[i];
        struct bh_xy at = world->info[source->site].translated;
        bh_load_raw(chip, at, core, 0x1000, program, sizeof program);
        bh_write(chip, at, WORLD_LIST, source->script.word, source->script.count * 4);
        bh_release(chip, at, 1u << core);
    }
}

static inline uint32_t world_peek(const bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t value = 0;
    bh_peek(chip, tile, address, &value, sizeof value);
    return value;
}

/* True if all is as the model has it; else says what is not. */
static inline bool world_check_site(struct world *world, const bh_chip *chip, unsigned site) {
    enum { PIECE = 4096 };
    const struct bh_tile_info *info = &world->info[site];
    bool tensix = info->kind == BH_TILE_TENSIX;
    uint8_t piece[PIECE];
    if (tensix)
        world_set_word(world->memory[site].byte + WORLD_COUNTED, world->counted[site]);
    for (uint32_t at = tensix ? WORLD_FROM : 0; at < world->memory[site].size; at += PIECE) {
        if (info->kind == BH_TILE_ETH && at < WORLD_ETH_PARTS)
            continue;
        if (info->kind == BH_TILE_PCIE)
            memcpy(piece, world->shadow + at, PIECE);
        else
            bh_peek(chip, info->translated, at, piece, PIECE);
        for (unsigned i = 0; i < PIECE && memcmp(piece, world->memory[site].byte + at, PIECE) != 0; i++)
            if (piece[i] != world->memory[site].byte[at + i]) {
                fprintf(stderr, "%s tile (%u,%u) at 0x%x: 0x%02x instead of 0x%02x\n", bh_tile_kind_name(info->kind),
                        info->translated.x, info->translated.y, at + i, piece[i], world->memory[site].byte[at + i]);
                return false;
            }
    }
    for (unsigned i = 0; tensix && i < 36; i++)
        if (world_peek(chip, info->translated, world_register(world, i)) != world->handler[site][i])
            return false;
    return true;
}

/* A counter of a NIU. That of the PCI Express tile on NoC 1 is nearer from the host's side. */
static inline uint32_t world_counter(const struct world *world, bh_chip *chip, unsigned site, unsigned noc,
                                     unsigned counter) {
    enum { BAR0_NIU = 0x1FD04000, BAR0_NIU_STRIDE = 0x10000 };
    uint32_t value = 0;
    if (world->info[site].kind != BH_TILE_PCIE)
        return world_peek(chip, world->info[site].translated, script_counter(noc, counter));
    bh_bar_read(chip, 0, BAR0_NIU + noc * BAR0_NIU_STRIDE + 0x200 + 4 * counter, &value, sizeof value);
    return value;
}

/* Everything that was asked for has arrived, and nobody waits for anything. */
static inline bool world_check_counters(const struct world *world, bh_chip *chip) {
    static const uint8_t counter[] = { NIU_SLV_WR_REQ_RECEIVED, NIU_SLV_WR_REQ_RECEIVED + 1, NIU_SLV_ATOMIC_RECEIVED,
                                       NIU_SLV_ATOMIC_RECEIVED + 1, NIU_SLV_RD_REQ_RECEIVED };
    uint64_t received = 0;
    for (unsigned i = 0; i < world->sources; i++) {
        unsigned site = world->source[i].site;
        if (world_peek(chip, world->info[site].translated, 0x8000) != 0xD05E)
            return false;
        for (unsigned id = 0; id < NIU_IDS; id++)
            if (world_counter(world, chip, site, 0, NIU_OUTGOING + id) ||
                world_counter(world, chip, site, 1, NIU_OUTGOING + id))
                return false;
    }
    for (unsigned site = 0; site < WORLD_SITES; site++)
        for (unsigned noc = 0; noc < 2 && world->memory[site].byte; noc++)
            for (unsigned i = 0; i < sizeof counter; i++)
                received += world_counter(world, chip, site, noc, counter[i]);
    if (received != world->receivers)
        fprintf(stderr, "%llu requests arrived instead of %u\n", (unsigned long long)received, world->receivers);
    return received == world->receivers;
}

static inline bool world_check(struct world *world, bh_chip *chip) {
    bool same = true;
    for (unsigned site = 0; site < WORLD_SITES; site++)
        if (world->memory[site].byte && !world_check_site(world, chip, site))
            same = false;
    return same && world_check_counters(world, chip);
}

static inline void world_destroy(struct world *world) {
    for (unsigned site = 0; site < WORLD_SITES; site++) {
        bool shared = world->memory[site].byte == world->host;
        for (unsigned other = 0; other < site; other++)
            shared |= world->memory[site].byte == world->memory[other].byte;
        if (!shared)
            free(world->memory[site].byte);
    }
    for (unsigned i = 0; i < world->sources; i++)
        script_free(&world->source[i].script);
    free(world->source);
    free(world);
}

#endif
