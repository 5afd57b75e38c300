/* The topology table, and the coordinates that result from harvesting.
 *
 * Sources: Blackhole NoC/README.md, NoC/MemoryMap.md; tt-umd's coordinate manager for the translated coordinates of
 * harvested and mirrored units. Assumed: the endpoint indices of Tensix and Ethernet tiles count as the tables here do;
 * the endpoint id of a router-only position has tile type 0. */
#include <string.h>

#include "base/check.h"
#include "chip/topology.h"
#include "noc/niu.h"

/* ---- The die -------------------------------------------------------------------------- */

struct position {
    uint8_t kind, index, port;
};

/* clang-format off */
#define T { BH_TILE_TENSIX, 0, 0 }
#define A { BH_TILE_ARC, 0, 0 }
#define S { BH_TILE_SECURITY, 0, 0 }
#define r { BH_TILE_ROUTER, 0, 0 }
#define D(group, noc_port) { BH_TILE_DRAM, group, noc_port }
#define E(channel) { BH_TILE_ETH, channel, 0 }
#define P(instance) { BH_TILE_PCIE, instance, 0 }
#define L(instance) { BH_TILE_L2CPU, instance, 0 }
static const struct position positions[TOPOLOGY_HEIGHT][TOPOLOGY_WIDTH] = {
#define TOPOLOGY_ROW(y, ...) [y] = { __VA_ARGS__ },
#include "chip/topology.def"
#undef TOPOLOGY_ROW
};
#undef T
#undef A
#undef S
#undef r
#undef D
#undef E
#undef P
#undef L
/* clang-format on */

/* Telemetry counts Tensix columns (and Ethernet channels) from the outside in. */
static const uint8_t column_x[TOPOLOGY_TENSIX_COLUMNS] = { 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10 };
/* The same columns from left to right: the positions that translated Tensix coordinates use. */
static const uint8_t sorted_x[TOPOLOGY_TENSIX_COLUMNS] = { 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16 };

enum {
    FIRST_TENSIX_Y = 2,
    L2CPU_X = 8,
    /* Coordinates of the translated space outside the raw one */
    DRAM_X = 17,
    DRAM_Y = 12,
    PCIE_X = 19,
    PCIE_Y = 24,
    ETH_X = 20,
    ETH_Y = 25,
    L2CPU_Y = 26,
    SECURITY_Y = 30,
    ALL_ETH = (1 << TOPOLOGY_ETH) - 1,
    ALL_COLUMNS = (1 << TOPOLOGY_TENSIX_COLUMNS) - 1,
};

void topology_defaults(struct bh_config *config) {
    bool p100a = config->board == BH_BOARD_P100A, p300 = config->board == BH_BOARD_P300;
    /* P150 and Galaxy have everything except two Ethernet channels, because no product has all of them; here the last
     * two are missing, as in ttsim and tt-umd. P100A: the harvesting that one board reports (columns x = 4 and 13, bank
     * 3); on other boards other columns are dead. A P300 has as many live columns. */
    config->tensix_harvest = p100a || p300 ? 0x00C0 : 0;
    config->eth_harvest = p100a ? ALL_ETH : 0x3000;
    config->dram_harvest = p100a ? 0x08 : 0;
}

/* Bits 55:36 are the kind of board (tt-umd: cluster_descriptor_types.hpp), the other bits its serial number. */
uint64_t topology_board_id(const struct bh_config *config) {
    static const uint8_t kind[] = {
        [BH_BOARD_P150] = 0x40, [BH_BOARD_P100A] = 0x43, [BH_BOARD_P300] = 0x44, [BH_BOARD_GALAXY] = 0x47
    };
    return (uint64_t)kind[config->board] << 36 | (config->serial + UINT64_C(1));
}

uint64_t topology_asic_id(const struct bh_config *config) {
    return config->number + UINT64_C(1);
}

/* Source: tt-umd's cluster descriptors of machines (blackhole_P300_both_mmio.yaml, blackhole_galaxy.yaml). */
unsigned topology_host_pcie(const struct bh_config *config) {
    switch (config->board) {
    case BH_BOARD_P100A:
    case BH_BOARD_GALAXY: return 1;
    case BH_BOARD_P300: return config->location == 1;
    default: return 0;
    }
}

static unsigned count_bits(unsigned mask) {
    return (unsigned)__builtin_popcount(mask);
}

static const char *check(const struct bh_config *config) {
    if ((unsigned)config->board > BH_BOARD_GALAXY)
        return "board: neither P150, P100A, P300 nor Galaxy";
    if (config->tensix_harvest & ~ALL_COLUMNS)
        return "tensix_harvest: only bits 0..13 name a column";
    if (config->tensix_harvest == ALL_COLUMNS)
        return "tensix_harvest: no column is left";
    if (config->eth_harvest & ~ALL_ETH)
        return "eth_harvest: only bits 0..13 name a channel";
    if (count_bits(config->eth_harvest) < TOPOLOGY_ETH - TOPOLOGY_ETH_LIVE_MAX)
        return "eth_harvest: at least two channels are off on every board";
    if (count_bits(config->dram_harvest) > 1)
        return "dram_harvest: at most one bank may be off";
    return NULL;
}

/* ---- Coordinates ------------------------------------------------------------------------ */

static unsigned site_at(unsigned x, unsigned y) {
    return y * TOPOLOGY_WIDTH + x;
}

static struct bh_xy xy(unsigned x, unsigned y) {
    return (struct bh_xy){ (uint8_t)x, (uint8_t)y };
}

static void set_positions(struct topology *t) {
    unsigned tensix = 0;
    for (unsigned y = 0; y < TOPOLOGY_HEIGHT; y++) {
        for (unsigned x = 0; x < TOPOLOGY_WIDTH; x++) {
            struct bh_tile_info *info = &t->site[site_at(x, y)];
            const struct position *position = &positions[y][x];
            info->kind = position->kind;
            info->index = position->index;
            info->port = position->port;
            info->noc0 = info->translated = xy(x, y);
            info->noc1 = xy(TOPOLOGY_WIDTH - 1 - x, TOPOLOGY_HEIGHT - 1 - y);
            info->logical = xy(TOPOLOGY_NONE, TOPOLOGY_NONE);
            if (position->kind == BH_TILE_TENSIX) {
                t->tensix_site[tensix] = (uint8_t)site_at(x, y);
                info->index = (uint8_t)tensix++;
            }
            if (position->kind == BH_TILE_ETH)
                t->eth_site[position->index] = (uint8_t)site_at(x, y);
        }
    }
    BH_ASSERT(tensix == TOPOLOGY_TENSIX);
}

static void set_column(struct topology *t, unsigned x, unsigned translated_x, unsigned logical_x, bool harvested) {
    for (unsigned y = FIRST_TENSIX_Y; y < TOPOLOGY_HEIGHT; y++) {
        struct bh_tile_info *info = &t->site[site_at(x, y)];
        info->translated = xy(translated_x, y);
        info->harvested = harvested;
        if (!harvested)
            info->logical = xy(logical_x, y - FIRST_TENSIX_Y);
    }
}

/* Live columns move together to the left; dead columns get the right end, the first in telemetry order outermost. */
static void translate_tensix(struct topology *t, unsigned harvest) {
    unsigned dead_x = 0;
    for (unsigned bit = 0, last = TOPOLOGY_TENSIX_COLUMNS; bit < TOPOLOGY_TENSIX_COLUMNS; bit++) {
        if (!(harvest >> bit & 1))
            continue;
        dead_x |= 1u << column_x[bit];
        set_column(t, column_x[bit], sorted_x[--last], 0, true);
    }
    for (unsigned i = 0, live = 0; i < TOPOLOGY_TENSIX_COLUMNS; i++) {
        if (dead_x >> sorted_x[i] & 1)
            continue;
        set_column(t, sorted_x[i], sorted_x[live], live, false);
        live++;
    }
}

static void set_bank(struct topology *t, unsigned bank, unsigned x, unsigned slot, unsigned logical, bool harvested) {
    for (unsigned i = 0; i < TOPOLOGY_SITES; i++) {
        struct bh_tile_info *info = &t->site[i];
        if (info->kind != BH_TILE_DRAM || info->index != bank)
            continue;
        info->translated = xy(x, DRAM_Y + slot * TOPOLOGY_DRAM_PORTS + info->port);
        info->harvested = harvested;
        if (!harvested)
            info->logical = xy(logical, info->port);
    }
}

/* Column 17 always has four live banks: those of the west side, unless that side has lost one. The live bank opposite a
 * dead one comes last there; the dead bank itself comes last in column 18. */
static void translate_dram(struct topology *t, unsigned harvest) {
    enum { SIDE = TOPOLOGY_DRAM_BANKS / 2 };
    unsigned dead = harvest ? (unsigned)__builtin_ctz(harvest) : TOPOLOGY_NONE;
    unsigned full = dead < SIDE ? SIDE : 0; /* first bank of the side that is complete */
    unsigned slot[2] = { 0, 0 };            /* next free position in columns 17 and 18 */
    for (unsigned bank = 0, logical = 0; bank < TOPOLOGY_DRAM_BANKS; bank++) {
        if (bank == dead) {
            set_bank(t, bank, DRAM_X + 1, SIDE - 1, 0, true);
            continue;
        }
        unsigned column = (bank >= SIDE) != (full != 0);
        bool mirror = harvest && bank == (dead + SIDE) % TOPOLOGY_DRAM_BANKS;
        set_bank(t, bank, DRAM_X + column, mirror ? SIDE - 1 : slot[column]++, logical++, false);
    }
}

static void translate_rest(struct topology *t, const struct bh_config *config) {
    unsigned host_pcie = topology_host_pcie(config);
    for (unsigned i = 0; i < TOPOLOGY_SITES; i++) {
        struct bh_tile_info *info = &t->site[i];
        switch (info->kind) {
        case BH_TILE_PCIE:
            info->harvested = info->index != host_pcie;
            if (!info->harvested) {
                info->translated = xy(PCIE_X, PCIE_Y);
                info->logical = xy(0, 0);
            }
            break;
        case BH_TILE_ARC: info->logical = xy(0, 0); break;
        case BH_TILE_L2CPU:
            info->translated = xy(L2CPU_X, L2CPU_Y + info->index);
            info->logical = xy(0, info->index);
            break;
        case BH_TILE_SECURITY: info->translated = xy(L2CPU_X, SECURITY_Y); break;
        default: break;
        }
    }
    for (unsigned channel = 0, live = 0; channel < TOPOLOGY_ETH; channel++) {
        struct bh_tile_info *info = &t->site[t->eth_site[channel]];
        info->harvested = config->eth_harvest >> channel & 1;
        if (info->harvested)
            continue;
        info->translated = xy(ETH_X + live, ETH_Y);
        info->logical = xy(0, live++);
    }
}

/* ---- Lookup ----------------------------------------------------------------------------- */

static void add(struct topology *t, unsigned noc, unsigned x, unsigned y, unsigned site) {
    uint8_t *entry = &t->lookup[noc][y * TOPOLOGY_SPACE + x];
    BH_ASSERT(*entry == TOPOLOGY_NONE || *entry == site);
    *entry = (uint8_t)site;
}

/* Adds the raw coordinates that stay valid although translation is on: rows 0 and 1, and the columns without Tensix
 * tiles. On NoC 1, rows 0 and 1 count x from the other end; elsewhere both NoCs use the same numbers. */
static void build_lookup(struct topology *t) {
    memset(t->lookup, TOPOLOGY_NONE, sizeof t->lookup);
    for (unsigned site = 0; site < TOPOLOGY_SITES; site++) {
        const struct bh_tile_info *info = &t->site[site];
        unsigned x = info->noc0.x, y = info->noc0.y;
        if (y < FIRST_TENSIX_Y) {
            add(t, 0, x, y, site);
            add(t, 1, info->noc1.x, y, site);
        } else if (info->kind != BH_TILE_TENSIX) {
            add(t, 0, x, y, site);
            add(t, 1, x, y, site);
        }
        if (info->translated.y >= FIRST_TENSIX_Y) {
            add(t, 0, info->translated.x, info->translated.y, site);
            add(t, 1, info->translated.x, info->translated.y, site);
        }
    }
}

const char *topology_init(struct topology *topology, const struct bh_config *config) {
    const char *wrong = check(config);
    if (wrong)
        return wrong;
    memset(topology, 0, sizeof *topology);
    set_positions(topology);
    translate_tensix(topology, config->tensix_harvest);
    translate_dram(topology, config->dram_harvest);
    translate_rest(topology, config);
    build_lookup(topology);
    return NULL;
}

/* ---- Identity ------------------------------------------------------------------------------ */

unsigned topology_endpoint_class(const struct bh_tile_info *info) {
    static const uint16_t class[BH_TILE_KIND_COUNT] = {
        [BH_TILE_TENSIX] = NIU_CLASS_TENSIX,     [BH_TILE_DRAM] = NIU_CLASS_DRAM,
        [BH_TILE_ETH] = NIU_CLASS_ETH,           [BH_TILE_PCIE] = NIU_CLASS_PCIE,
        [BH_TILE_ARC] = NIU_CLASS_ARC,           [BH_TILE_L2CPU] = NIU_CLASS_L2CPU,
        [BH_TILE_SECURITY] = NIU_CLASS_SECURITY, [BH_TILE_ROUTER] = 0,
    };
    return class[info->kind];
}

/* Both PCIe tiles have index 2, and the three ports of a DRAM bank have the same index. */
unsigned topology_endpoint_index(const struct bh_tile_info *info) {
    return info->kind == BH_TILE_PCIE ? 2 : info->index;
}
