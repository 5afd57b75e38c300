/* Prints a cluster descriptor: chips with their boards and their harvesting, and the cables between them, for versions
 * of tt-umd that do not discover simulators. Next to libttsim.so the file would have to be called
 * cluster_descriptor.yaml, which would tell tt-umd that one library contains all chips of a cluster; so the build gives
 * it other names (docs/libttsim.md).
 *
 *     cluster_descriptor p100a|MACHINE|FILE      the file as for BHEMU_SYSTEM, such as a mesh graph descriptor
 *
 * The format is tt-umd's. The identity of boards comes from the telemetry of the emulated firmware, as on a card. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"

#define TELEMETRY_POINTERS UINT64_C(0x80030430) /* addresses in ARC of the pointers to values and table */
enum { TAG_BOARD_HIGH = 1, TAG_BOARD_LOW = 2, TAG_LOCATION = 52, TAG_ASIC_HIGH = 61, TAG_ASIC_LOW = 62, WIDTH = 17 };

static bh_system *cluster;
static bh_chip *chip; /* the chip that the functions below print */
static const struct bh_xy arc = { 8, 0 };

static uint32_t arc_word(uint64_t address) {
    uint32_t value = 0;
    bh_read(chip, arc, address, &value, sizeof value);
    return value;
}

/* Returns the telemetry value with this tag. The table holds version, count, then entries with the tag in the lower
 * half and the index of the value in the upper half. */
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

/* Prints a title, then calls a function for each chip. */
static void for_chips(const char *title, void (*print)(unsigned number)) {
    printf("%s:\n", title);
    for (unsigned i = 0; (chip = bh_system_chip(cluster, i)); i++)
        print(i);
}

static uint64_t board_id(void) {
    return telemetry(TAG_BOARD_HIGH) << 32 | telemetry(TAG_BOARD_LOW);
}

/* Returns the type of a board: bits 55:36 of its id. */
static const char *board_type(uint64_t id) {
    switch (id >> 36 & 0xFFFFF) {
    case 0x43: return "p100";
    case 0x44: return "p300";
    case 0x47: return "ubb_blackhole";
    default: return "p150";
    }
}

static void print_arch(unsigned number) {
    printf("  %u: blackhole\n", number);
}

static void print_unique_id(unsigned number) {
    printf("  %u: %llu\n", number, (unsigned long long)(telemetry(TAG_ASIC_HIGH) << 32 | telemetry(TAG_ASIC_LOW)));
}

static void print_mmio(unsigned number) {
    printf("  - %u: %u\n", number, number);
}

/* Prints a board with all its chips, once: at the first of them. */
static void print_board(unsigned number) {
    uint64_t id = board_id();
    bh_chip *of = chip;
    bool known = false;
    for (unsigned i = 0; i < number && !known; i++) {
        chip = bh_system_chip(cluster, i);
        known = board_id() == id;
    }
    if (known)
        return;
    printf("  -\n    - board_id: %llu\n    - board_type: %s\n    - chips:\n", (unsigned long long)id, board_type(id));
    chip = of;
    for (unsigned i = number; chip; chip = bh_system_chip(cluster, ++i))
        if (board_id() == id)
            printf("        - %u\n", i);
}

static void print_harvesting(unsigned number) {
    printf("  %u:\n    noc_translation: true\n", number);
    printf("    harvest_mask: %u\n", harvested_columns());
    printf("    dram_harvesting_mask: %u\n", harvested(BH_TILE_DRAM));
    printf("    eth_harvesting_mask: %u\n", harvested(BH_TILE_ETH));
    printf("    pcie_harvesting_mask: %u\n", harvested(BH_TILE_PCIE));
    printf("    l2cpu_harvesting_mask: %u\n", harvested(BH_TILE_L2CPU));
}

/* Prints the bus of a chip. On a Galaxy the bus identifies the board of a chip and its position on it, and tt-metal
 * relies on that; in the libraries all chips are on bus 0. */
static void print_bus(unsigned number) {
    uint64_t id = board_id();
    bool galaxy = strcmp(board_type(id), "ubb_blackhole") == 0;
    unsigned bus = galaxy ? (unsigned)((id - 1) % 4 << 6 | telemetry(TAG_LOCATION)) : 0;
    printf("  %u: \"0x%02x\"\n", number, bus);
}

static void print_bdf(unsigned number) {
    printf("  %u: 0000:00:%02x.0\n", number, number);
}

static void print_location(unsigned number) {
    printf("  %u: %u\n", number, (unsigned)telemetry(TAG_LOCATION));
}

static void print_connections(void) {
    struct bh_link link;
    printf("ethernet_connections:\n");
    if (!bh_system_link_count(cluster))
        printf("  []\n");
    for (unsigned i = 0; bh_system_link_at(cluster, i, &link) == BH_OK; i++) {
        printf("  -\n");
        for (unsigned end = 0; end < 2; end++)
            printf("    - chip: %u\n      chan: %u\n", link.chip[end], link.port[end]);
    }
    printf("ethernet_connections_to_remote_devices:\n  []\n");
}

static bool describe(const char *text, size_t size) {
    if (bh_system_describe(cluster, text, size) == BH_OK)
        return true;
    fprintf(stderr, "cluster_descriptor: %s\n", bh_system_message(cluster));
    return false;
}

/* Adds the chips of a machine, or of a board that is no machine. */
static bool add_machine(const char *name) {
    char text[100];
    bool one = strcmp(name, "p100a") == 0; /* no kind of system has this name */
    int size = snprintf(text, sizeof text, "%s: %.40s\n%s", one ? "board" : "machine", name, one ? "chips: 1\n" : "");
    return describe(text, (size_t)size);
}

static bool add_file(FILE *file) {
    enum { LONGEST = 1 << 24 };
    char *text = malloc(LONGEST);
    size_t size = text ? fread(text, 1, LONGEST, file) : 0;
    bool ok = text && describe(text, size);
    free(text);
    fclose(file);
    return ok;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "p150";
    bool is_path = strpbrk(name, "./") != NULL; /* no machine has such a name */
    FILE *file = is_path ? fopen(name, "rb") : NULL;
    if (is_path && !file) {
        perror(name);
        return 1;
    }
    if (bh_system_create(&cluster) != BH_OK || !(file ? add_file(file) : add_machine(name)))
        return 1;
    printf("# Generated from what bhemu's firmware and topology table say of the boards.\n");
    for_chips("arch", print_arch);
    printf("chips:\n  {}\n");
    print_connections();
    for_chips("chips_with_mmio", print_mmio);
    printf("io_device_type: PCIe\n");
    for_chips("harvesting", print_harvesting);
    for_chips("chip_unique_ids", print_unique_id);
    for_chips("boards", print_board);
    for_chips("chip_to_bus_id", print_bus);
    for_chips("chip_pci_bdfs", print_bdf);
    for_chips("asic_locations", print_location);
    bh_system_destroy(cluster);
    return 0;
}
