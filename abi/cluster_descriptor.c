/* Prints a cluster descriptor of one chip, with its board and its harvesting, for versions of tt-umd that do not
 * discover simulators. Next to libttsim.so the file would have to be called cluster_descriptor.yaml, and would mean to
 * tt-umd that one library contains all chips of a cluster; so the build gives it other names (docs/libttsim.md).
 *
 *     cluster_descriptor p150|p100a
 *
 * The format is tt-umd's. The identity of the board comes from the telemetry of the emulated firmware, as on a card. */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"

#define TELEMETRY_POINTERS UINT64_C(0x80030430) /* addresses in ARC of pointers to the values and to the table */
enum { TAG_BOARD_HIGH = 1, TAG_BOARD_LOW = 2, TAG_ASIC_HIGH = 61, TAG_ASIC_LOW = 62, WIDTH = 17 };

static bh_chip *chip;
static const struct bh_xy arc = { 8, 0 };

static uint32_t arc_word(uint64_t address) {
    uint32_t value = 0;
    bh_read(chip, arc, address, &value, sizeof value);
    return value;
}

/* Reads telemetry by tag. The table holds version, count, then entries with the tag in the lower half and the index
 * of the value in the upper half. */
static uint64_t telemetry(unsigned tag) {
    uint32_t values = arc_word(TELEMETRY_POINTERS), table = arc_word(TELEMETRY_POINTERS + 4);
    for (uint32_t i = 0, count = arc_word(table + 4); i < count; i++) {
        uint32_t entry = arc_word(table + 8 + UINT64_C(4) * i);
        if ((entry & 0xFFFF) == tag)
            return arc_word(values + UINT64_C(4) * (entry >> 16));
    }
    return 0;
}

/* Returns a mask of the harvested tiles of a kind, by index. */
static unsigned harvested(enum bh_tile_kind kind) {
    struct bh_tile_info info;
    unsigned mask = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == kind)
            mask |= (unsigned)info.harvested << info.index;
    return mask;
}

/* Returns a mask of the harvested columns of Tensix tiles, from the left. */
static unsigned harvested_columns(void) {
    bool present[WIDTH] = { false }, gone[WIDTH] = { false };
    struct bh_tile_info info;
    unsigned mask = 0, column = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX) {
            present[info.noc0.x] = true;
            gone[info.noc0.x] = info.harvested;
        }
    for (unsigned x = 0; x < WIDTH; x++)
        if (present[x])
            mask |= (unsigned)gone[x] << column++;
    return mask;
}

static void print_board(const char *name) {
    printf("chip_unique_ids:\n  0: %llu\n",
           (unsigned long long)(telemetry(TAG_ASIC_HIGH) << 32 | telemetry(TAG_ASIC_LOW)));
    printf("boards:\n  -\n    - board_id: %llu\n    - board_type: %s\n    - chips:\n        - 0\n",
           (unsigned long long)(telemetry(TAG_BOARD_HIGH) << 32 | telemetry(TAG_BOARD_LOW)), name);
}

static void print_harvesting(void) {
    printf("harvesting:\n  0:\n    noc_translation: true\n");
    printf("    harvest_mask: %u\n", harvested_columns());
    printf("    dram_harvesting_mask: %u\n", harvested(BH_TILE_DRAM));
    printf("    eth_harvesting_mask: %u\n", harvested(BH_TILE_ETH));
    printf("    pcie_harvesting_mask: %u\n", harvested(BH_TILE_PCIE));
    printf("    l2cpu_harvesting_mask: %u\n", harvested(BH_TILE_L2CPU));
}

int main(int count, char **arguments) {
    bool p100a = count > 1 && strcmp(arguments[1], "p100a") == 0;
    struct bh_config config;
    char message[200];
    bh_config_board(&config, p100a ? BH_BOARD_P100A : BH_BOARD_P150);
    if (bh_create(&config, &chip, message, sizeof message) != BH_OK) {
        fprintf(stderr, "cluster_descriptor: %s\n", message);
        return 1;
    }
    printf("# Generated from what bhemu's firmware and topology table say of the board.\n"
           "arch:\n  0: blackhole\nchips:\n  {}\nethernet_connections:\n  []\n"
           "ethernet_connections_to_remote_devices:\n  []\nchips_with_mmio:\n  - 0: 0\nio_device_type: PCIe\n");
    print_harvesting();
    print_board(p100a ? "p100" : "p150");
    printf("chip_to_bus_id:\n  0: \"0x00\"\nchip_pci_bdfs:\n  0: 0000:00:00.0\nasic_locations:\n  0: 0\n");
    bh_destroy(chip);
    return 0;
}
