/* The model's memories: where sources have their parts of them (noc_world.h). */
#include "support/noc_world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

#define WORLD_HANDLERS UINT32_C(0xFFB130A8) /* registers that only keep what is written to them */

/* ---- Chance ------------------------------------------------------------------------------------------------------ */

uint32_t world_next(struct world *world) {
    return (uint32_t)(random_next(&world->random) >> 32);
}

uint32_t world_below(struct world *world, uint32_t limit) {
    return world_next(world) % limit;
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

uint32_t world_part(const struct world *world, unsigned site, unsigned source, uint32_t *size) {
    switch (world->info[site].kind) {
    case BH_TILE_TENSIX: *size = world->part; return WORLD_PARTS + source * world->part;
    case BH_TILE_ETH:
        *size = world->part / 4;
        *size = *size > 0x4000 ? 0x4000 : *size;
        return WORLD_ETH_PARTS + source * *size;
    default: *size = world->part; return source * world->part;
    }
}

static bool world_has_memory(const struct bh_tile_info *info) {
    switch (info->kind) {
    case BH_TILE_TENSIX:
    case BH_TILE_DRAM:
    case BH_TILE_ETH:
    case BH_TILE_PCIE: return !info->harvested;
    default: return false;
    }
}

unsigned world_site(struct world *world, unsigned kinds) {
    for (;;) {
        unsigned site = world_below(world, WORLD_SITES);
        if (world->memory[site].byte && kinds & ~world->without & 1u << world->info[site].kind)
            return site;
    }
}

uint32_t world_xy(const struct world *world, unsigned site) {
    return script_xy(world->info[site].translated.x, world->info[site].translated.y);
}

uint32_t world_register(const struct world *world, unsigned index) {
    return world->common ? UINT32_C(0xFFB40028) + 0x1000 * index : WORLD_HANDLERS + 4 * index;
}

uint32_t world_word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

void world_set_word(uint8_t *at, uint32_t value) {
    memcpy(at, &value, sizeof value);
}

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static void world_make_memory(struct world *world, unsigned site) {
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

static void world_fill(struct world *world, struct world_source *source) {
    uint8_t *l1 = world->memory[source->site].byte;
    for (uint32_t at = WORLD_FROM; at < WORLD_FROM + WORLD_AREA; at += 4)
        world_set_word(l1 + at, world_next(world));
}

struct world *world_create(const bh_chip *chip, uint64_t seed, unsigned sources, uint32_t part) {
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

void world_destroy(struct world *world) {
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

/* ---- The chip's side of host memory --------------------------------------------------------------------------------
 */

static uint8_t *shadow_at(void *user, uint64_t address, size_t size) {
    struct world **world = user;
    if (address + size > WORLD_HOST)
        abort();
    return (*world)->shadow + address;
}

void world_host_read(void *user, uint64_t address, void *data, size_t size) {
    memcpy(data, shadow_at(user, address, size), size);
}

void world_host_write(void *user, uint64_t address, const void *data, size_t size) {
    memcpy(shadow_at(user, address, size), data, size);
}
