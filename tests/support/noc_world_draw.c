/* Requests of a source one after another: to one tile, and the lists of all sources (noc_world.h). */
#include "support/noc_world_draw.h"

#include <assert.h>
#include <string.h>

#include "noc/niu.h"

/* ---- Parts of a request ------------------------------------------------------------------------------------------ */

uint8_t *world_own(const struct world_draw *d) {
    return d->world->memory[d->source->site].byte;
}

static uint32_t world_ctrl(struct world_draw *d, uint32_t type) {
    uint32_t vc = world_below(d->world, 4);
    return type | (world_below(d->world, 2) ? (uint32_t)SCRIPT_STATIC_VC | vc << 13 : 0);
}

uint32_t world_length(struct world *world, uint32_t limit) {
    uint32_t small = 1 + world_below(world, 80), any = 1 + world_below(world, limit);
    uint32_t length = world_below(world, 2) ? small : any;
    return length < limit ? length : limit;
}

uint32_t world_take(uint32_t area, uint32_t *used, uint32_t address, uint32_t length) {
    uint32_t at = area + (*used + 63) / 64 * 64 + address % 64;
    if (at + length > area + WORLD_AREA)
        return 0;
    *used = at + length - area;
    return at;
}

uint32_t world_spot(struct world_draw *d, unsigned site, uint32_t *length, bool posted) {
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

void world_go(struct world_draw *d, unsigned response, unsigned packets) {
    if (!d->world->common)
        d->request.tag |= world_below(d->world, 16) << 10; /* the transaction's id */
    script_request(&d->source->script, d->noc, d->buffer, &d->request);
    if ((d->request.ctrl & 3) != SCRIPT_ATOMIC && d->request.len > 16384) /* no other may start before it is split */
        script_put(&d->source->script, SCRIPT_WAIT, script_niu(d->noc, d->buffer) + 0x40, 0);
    d->world->requests++;
    if (packets)
        d->source->responses[d->noc][response] += packets;
}

unsigned world_packets(uint32_t length) {
    return (length + 16383) / 16384;
}

/* ---- Reads and writes -------------------------------------------------------------------------------------------- */

static bool world_read(struct world_draw *d, uint32_t limit) {
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
static void world_store_header(struct world_draw *d, unsigned site, uint32_t from) {
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

static bool world_write(struct world_draw *d, uint32_t limit, bool posted) {
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

static bool world_masked(struct world_draw *d) {
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

/* Inline data in L1: a line in which a mask, of any of four times sixteen bits, selects bytes. */
static bool world_inline_l1(struct world_draw *d) {
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
static bool world_inline(struct world_draw *d) {
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
static bool world_who(struct world_draw *d) {
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

/* ---- Atomics ----------------------------------------------------------------------------------------------------- */

static uint32_t world_zaamo(unsigned op, uint32_t a, uint32_t b) {
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
static uint32_t world_atomic(struct world *world, uint8_t *line, unsigned ofs, uint32_t data) {
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

static bool world_some_atomic(struct world_draw *d) {
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

/* All sources count the same words; the result of a count is not known. */
static bool world_count(struct world_draw *d) {
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

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* Waits until everything that is answered has been. */
static void world_wait(struct world_source *source, unsigned noc) {
    static const uint8_t counter[] = { NIU_ATOMIC_RESP_RECEIVED, NIU_WR_ACK_RECEIVED, NIU_RD_RESP_RECEIVED };
    for (unsigned i = 0; i < 3; i++)
        script_put(&source->script, SCRIPT_WAIT, script_counter(noc, counter[i]), source->responses[noc][i]);
}

static bool world_draw_one(struct world_draw *d, uint32_t limit) {
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

static void world_draw_source(struct world *world, unsigned number, unsigned requests, uint32_t limit) {
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

void world_draw_all(struct world *world, unsigned requests, uint32_t limit) {
    for (unsigned i = 0; i < world->sources; i++)
        world_draw_source(world, i, requests, limit);
}
