/* A chip that plays what was drawn, compared with the model (noc_world.h). */
#include "support/noc_world.h"

#include <stdio.h>
#include <string.h>

#include "noc/niu.h"

/* ---- Before it runs ---------------------------------------------------------------------------------------------- */

void world_load_memory(const struct world *world, bh_chip *chip) {
    for (unsigned i = 0; i < world->sources; i++) {
        unsigned site = world->source[i].site;
        bh_write(chip, world->info[site].translated, WORLD_FROM, world->memory[site].byte + WORLD_FROM, WORLD_AREA);
    }
}

void world_start(const struct world *world, bh_chip *chip, enum bh_core core) {
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

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static uint32_t world_peek(const bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t value = 0;
    bh_peek(chip, tile, address, &value, sizeof value);
    return value;
}

/* True if all is as the model has it; else says what is not. */
static bool world_check_site(struct world *world, const bh_chip *chip, unsigned site) {
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
static uint32_t world_counter(const struct world *world, bh_chip *chip, unsigned site, unsigned noc, unsigned counter) {
    enum { BAR0_NIU = 0x1FD04000, BAR0_NIU_STRIDE = 0x10000 };
    uint32_t value = 0;
    if (world->info[site].kind != BH_TILE_PCIE)
        return world_peek(chip, world->info[site].translated, script_counter(noc, counter));
    bh_bar_read(chip, 0, BAR0_NIU + noc * BAR0_NIU_STRIDE + 0x200 + 4 * counter, &value, sizeof value);
    return value;
}

/* Every request has been executed, and no core waits. */
static bool world_check_counters(const struct world *world, bh_chip *chip) {
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

bool world_check(struct world *world, bh_chip *chip) {
    bool same = true;
    for (unsigned site = 0; site < WORLD_SITES; site++)
        if (world->memory[site].byte && !world_check_site(world, chip, site))
            same = false;
    return same && world_check_counters(world, chip);
}
