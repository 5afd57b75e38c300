/* Positions on the die: the 204 sites, their kinds, and their coordinates in every space.
 *
 * Sources: Blackhole NoC/README.md and NoC/MemoryMap.md (identity registers); the translated layout is the one that
 * board firmware programs and tt-umd assumes. docs/coordinates.md describes the spaces and lists the assumptions. */
#ifndef CHIP_TOPOLOGY_H
#define CHIP_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "noc/niu.h"

enum {
    TOPOLOGY_WIDTH = NIU_GRID_WIDTH,
    TOPOLOGY_HEIGHT = NIU_GRID_HEIGHT,
    TOPOLOGY_SITES = TOPOLOGY_WIDTH * TOPOLOGY_HEIGHT,
    TOPOLOGY_TENSIX = 140,
    TOPOLOGY_TENSIX_COLUMNS = 14,
    TOPOLOGY_DRAM_BANKS = 8,
    TOPOLOGY_DRAM_PORTS = 3,
    TOPOLOGY_ETH = 14,
    TOPOLOGY_ETH_LIVE_MAX = 12, /* columns 20..31 of the translated space */
    TOPOLOGY_L2CPU = 4,
    TOPOLOGY_TILES = TOPOLOGY_TENSIX + TOPOLOGY_ETH, /* tiles with cores: first Tensix, then Ethernet */
    TOPOLOGY_SPACE = 64,                             /* bound of a coordinate, which has six bits */
    TOPOLOGY_NONE = 255, /* no site; both parts of a logical coordinate that does not exist */
};

/* The configuration and what follows from it. It is not state. */
struct topology {
    struct bh_tile_info site[TOPOLOGY_SITES];           /* by site: y * 17 + x of NoC 0 */
    uint8_t lookup[2][TOPOLOGY_SPACE * TOPOLOGY_SPACE]; /* [noc][y * 64 + x]: site or TOPOLOGY_NONE */
    uint8_t tensix_site[TOPOLOGY_TENSIX];               /* by index */
    uint8_t eth_site[TOPOLOGY_ETH];                     /* by channel */
};

/* Sets the harvesting that is common on boards of this kind. */
void topology_defaults(struct bh_config *config);
/* Returns the id that board firmware reports. */
uint64_t topology_board_id(const struct bh_config *config);
/* Returns an id that no other chip of the system has. */
uint64_t topology_asic_id(const struct bh_config *config);
/* Returns the index of the PCIe tile that is connected to the host. */
unsigned topology_host_pcie(const struct bh_config *config);
/* Fills in the topology. Returns NULL, or the reason for which the configuration is refused. */
const char *topology_init(struct topology *topology, const struct bh_config *config);

/* Returns the site that a request on this NoC names by a coordinate; TOPOLOGY_NONE if there is none. */
static inline unsigned topology_find(const struct topology *topology, unsigned noc, struct bh_xy xy) {
    if (xy.x >= TOPOLOGY_SPACE || xy.y >= TOPOLOGY_SPACE)
        return TOPOLOGY_NONE;
    return topology->lookup[noc][xy.y * TOPOLOGY_SPACE + xy.x];
}

/* Return the number, below TOPOLOGY_TILES, of a tile with cores (TOPOLOGY_NONE for other tiles), and the site of such a
 * number. */
static inline unsigned topology_tile(const struct bh_tile_info *info) {
    switch (info->kind) {
    case BH_TILE_TENSIX: return info->index;
    case BH_TILE_ETH: return TOPOLOGY_TENSIX + info->index;
    default: return TOPOLOGY_NONE;
    }
}

static inline unsigned topology_tile_site(const struct topology *topology, unsigned tile) {
    return tile < TOPOLOGY_TENSIX ? topology->tensix_site[tile] : topology->eth_site[tile - TOPOLOGY_TENSIX];
}

/* Return fields of ENDPOINT_ID (NoC/MemoryMap.md). NODE_ID and ID_LOGICAL follow from noc0 and translated. */
unsigned topology_endpoint_class(const struct bh_tile_info *info);
unsigned topology_endpoint_index(const struct bh_tile_info *info);

#endif
