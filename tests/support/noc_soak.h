/* Traffic without an end: every core of every Tensix tile sends, asks and counts, round after round, until a word says
 * that it is enough. Everything that a round does can be added up afterwards.
 *
 * Each core has a command buffer and a transaction id of its own, and waits for what carries its id. In a round it
 *   writes LENGTH bytes to its place in a Tensix tile, and counts up a word there when they are behind it;
 *   reads as many from DRAM, writes others to another place there;
 *   posts a write to its right neighbour;
 *   and BRISC of a few tiles posts 64 bytes to all others (soak_casts).
 */
#ifndef SUPPORT_NOC_SOAK_H
#define SUPPORT_NOC_SOAK_H

#include <stdbool.h>
#include <string.h>

#include "bhemu.h"
#include "noc/niu.h"
#include "support/noc_script.h"
#include "support/random.h"

enum {
    SOAK_TILES = 140,
    SOAK_LIST = 0x10000, /* 0x1000 a core */
    SOAK_ENOUGH = 0x8000,
    SOAK_ROUNDS = 0x8010, /* a word a core: rounds done */
    SOAK_FROM = 0x20000,
    SOAK_INTO = 0x30000,
    SOAK_PLACES = 0x40000,  /* where the others write to: 1 KiB for each core of each tile */
    SOAK_POSTED = 0x100000, /* likewise */
    SOAK_COUNTED = 0x8100,  /* a line a core: counted up by one other core */
    SOAK_CAST = 0x8800,
};

struct soak {
    uint64_t random;
    uint32_t length;                            /* bytes of a request, a multiple of 16 up to 1024 */
    uint16_t target[SOAK_TILES][BH_CORE_COUNT]; /* the tile to which a core writes */
};

static inline uint32_t soak_next(struct soak *soak) {
    return (uint32_t)(random_next(&soak->random) >> 32);
}

static inline struct bh_xy soak_tile(unsigned index) {
    unsigned column = index % 14;
    return (struct bh_xy){ (uint8_t)(column < 7 ? column + 1 : column + 3), (uint8_t)(2 + index / 14) };
}

static inline uint32_t soak_xy(unsigned index) {
    return script_xy(soak_tile(index).x, soak_tile(index).y);
}

/* The place of a core in another tile. */
static inline uint32_t soak_place(unsigned tile, unsigned core) {
    return (tile * BH_CORE_COUNT + core) * 1024;
}

struct soak_core {
    struct soak *soak;
    struct script *script;
    unsigned tile, core, noc, buffer;
};

static inline void soak_wait(const struct soak_core *c) {
    script_put(c->script, SCRIPT_WAIT, script_counter(c->noc, NIU_OUTSTANDING + c->core), 0);
}

static inline void soak_request(const struct soak_core *c, struct script_request request) {
    request.tag = c->core << 10;
    request.ctrl |= SCRIPT_STATIC_VC | (request.ctrl & SCRIPT_MULTICAST ? 4u : 1u) << 13;
    script_request(c->script, c->noc, c->buffer, &request);
}

static inline void soak_write(const struct soak_core *c, uint32_t to, uint32_t hi, bool posted) {
    soak_request(c, (struct script_request){
                        .targ_lo = SOAK_FROM + c->core * 1024,
                        .targ_hi = soak_xy(c->tile),
                        .ret_lo = to,
                        .ret_hi = hi,
                        .ctrl = SCRIPT_WRITE | (posted ? 0 : SCRIPT_MARKED),
                        .len = c->soak->length,
                    });
}

static inline void soak_count(const struct soak_core *c, unsigned target) {
    soak_request(c, (struct script_request){
                        .targ_lo = SOAK_COUNTED + c->core * 16,
                        .targ_hi = soak_xy(target),
                        .ret_lo = 0x8200 + c->core * 4,
                        .ret_hi = soak_xy(c->tile),
                        .ctrl = SCRIPT_ATOMIC | SCRIPT_MARKED,
                        .len = 0x1000 | 31 << 2,
                        .data = 1,
                    });
}

static inline void soak_dram(const struct soak_core *c, bool write) {
    uint32_t bank = soak_next(c->soak) % 8;
    soak_request(c, (struct script_request){
                        .targ_lo = write ? SOAK_FROM + c->core * 1024 : soak_place(c->tile, c->core),
                        .targ_hi = write ? soak_xy(c->tile) : script_xy(17 + bank / 4, 12 + bank % 4 * 3),
                        .ret_lo = write ? soak_place(c->tile, c->core) : SOAK_INTO + c->core * 1024,
                        .ret_hi = write ? script_xy(17 + bank / 4, 13 + bank % 4 * 3) : soak_xy(c->tile),
                        .ctrl = write ? SCRIPT_WRITE | SCRIPT_MARKED : SCRIPT_READ,
                        .len = c->soak->length,
                    });
}

static inline bool soak_casts(unsigned tile, unsigned core) {
    return core == BH_BRISC && tile % 20 == 0;
}

/* Each sender has a place of its own. */
static inline void soak_cast(const struct soak_core *c) {
    soak_request(c, (struct script_request){
                        .targ_lo = SOAK_FROM + c->core * 1024,
                        .targ_hi = soak_xy(c->tile),
                        .ret_lo = SOAK_CAST + c->tile / 20 * 64,
                        .ret_hi = soak_xy(SOAK_TILES - 1) | soak_xy(0) << 12,
                        .ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE,
                        .len = 64,
                    });
}

static inline void soak_round(const struct soak_core *c) {
    unsigned target = c->soak->target[c->tile][c->core];
    soak_write(c, SOAK_PLACES + soak_place(c->tile, c->core), soak_xy(target), false);
    soak_count(c, target); /* behind the bytes, on the same way */
    soak_dram(c, false);
    soak_wait(c);
    soak_dram(c, true);
    soak_write(c, SOAK_POSTED + soak_place(c->tile, c->core) % 0x80000, soak_xy((c->tile + 1) % SOAK_TILES), true);
    if (soak_casts(c->tile, c->core))
        soak_cast(c);
    soak_wait(c);
}

static inline void soak_script(struct soak *soak, struct script *script, unsigned tile, unsigned core) {
    uint32_t list = SOAK_LIST + core * 0x1000;
    struct soak_core c = { soak, script, tile, core, core == BH_NCRISC, core % 4 };
    soak_round(&c);
    script_put(script, SCRIPT_ADD, SOAK_ROUNDS + 4 * core, 1);
    script_put(script, SCRIPT_STOP_IF, SOAK_ENOUGH, 1);
    script_put(script, SCRIPT_JUMP, list, 0);
    assert(script->count * 4 <= 0x1000);
}

/* Every core writes to another tile, and every tile is written to by one core of each number. */
static inline void soak_targets(struct soak *soak) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        unsigned step = 1 + soak_next(soak) % (SOAK_TILES - 1);
        for (unsigned tile = 0; tile < SOAK_TILES; tile++)
            soak->target[tile][core] = (uint16_t)((tile + step) % SOAK_TILES);
    }
}

static inline void soak_start(struct soak *soak, bh_chip *chip, unsigned tiles, unsigned cores) {
    soak_targets(soak);
    for (unsigned tile = 0; tile < tiles; tile++) {
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            struct script script = { 0 };
            uint32_t program[SCRIPT_PROGRAM], list = SOAK_LIST + core * 0x1000, from[256];
            for (unsigned i = 0; i < 256; i++)
                from[i] = soak_next(soak);
            soak_script(soak, &script, tile, core);
            script_program(program, list);
            bh_load_raw(chip, soak_tile(tile), (enum bh_core)core, 0x1000 + core * 0x400, program, sizeof program);
            bh_write(chip, soak_tile(tile), list, script.word, script.count * 4);
            bh_write(chip, soak_tile(tile), SOAK_FROM + core * 1024, from, sizeof from);
            script_free(&script);
        }
        bh_release(chip, soak_tile(tile), cores);
    }
}

/* Ends the round of every core. */
static inline void soak_end(bh_chip *chip, unsigned tiles) {
    uint32_t enough = 1;
    for (unsigned tile = 0; tile < tiles; tile++)
        bh_write(chip, soak_tile(tile), SOAK_ENOUGH, &enough, sizeof enough);
}

static inline uint32_t soak_peek(const bh_chip *chip, unsigned tile, uint32_t address) {
    uint32_t value = 0;
    bh_peek(chip, soak_tile(tile), address, &value, sizeof value);
    return value;
}

#endif
