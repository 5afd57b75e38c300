/* Prints soc_descriptor.yaml, which tt-umd and tt-metal expect next to libttsim.so: the die before harvesting, in
 * physical NoC 0 coordinates. The keys are those of tt-umd's and tt-metal's descriptors. The facts come from the
 * topology table, except for the views of DRAM, which software chooses (blackhole_140_arch.yaml of tt-metal). */
#include <stdio.h>

#include "bhemu.h"

enum { WIDTH = 17, HEIGHT = 12, PORTS = 3, BANKS = 8 };

/* The part of a bank's 4 GiB that tt-metal allocates. */
#define BANK_SIZE 4278190080ull

static bh_chip *chip;

static bool find(enum bh_tile_kind kind, unsigned index, unsigned port, struct bh_tile_info *info) {
    for (unsigned i = 0; bh_tile_at(chip, i, info) == BH_OK; i++)
        if (info->kind == kind && info->index == index && info->port == port)
            return true;
    return false;
}

static void print_all(const char *name, enum bh_tile_kind kind) {
    struct bh_tile_info info;
    printf("%s:\n  [", name);
    const char *separator = " ";
    for (unsigned i = 0; find(kind, i, 0, &info); i++, separator = ", ")
        printf("%s%u-%u", separator, info.noc0.x, info.noc0.y);
    printf(" ]\n\n");
}

static void print_routers(void) {
    struct bh_tile_info info;
    const char *separator = " ";
    printf("router_only:\n  [");
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++) {
        if (info.kind != BH_TILE_ROUTER)
            continue;
        printf("%s%u-%u", separator, info.noc0.x, info.noc0.y);
        separator = ", ";
    }
    printf(" ]\n\n");
}

static void print_dram(void) {
    printf("dram:\n  [\n");
    for (unsigned bank = 0; bank < BANKS; bank++) {
        printf("   [");
        for (unsigned port = 0; port < PORTS; port++) {
            struct bh_tile_info info;
            if (find(BH_TILE_DRAM, bank, port, &info))
                printf("%s%u-%u", port ? ", " : "", info.noc0.x, info.noc0.y);
        }
        printf("],\n");
    }
    printf("  ]\n\n");
}

/* Prints a view for each bank, with the ports by which tiles on NoC 0 and NoC 1 access it. */
static void print_dram_views(void) {
    static const unsigned port[BANKS][2] = { { 2, 1 }, { 0, 1 }, { 0, 1 }, { 0, 1 },
                                             { 2, 1 }, { 2, 1 }, { 2, 1 }, { 2, 1 } };
    printf("dram_views:\n  [\n");
    for (unsigned bank = 0; bank < BANKS; bank++)
        printf("   { channel: %u, eth_endpoint: [%u, %u], worker_endpoint: [%u, %u], address_offset: 0 },\n", bank,
               port[bank][0], port[bank][1], port[bank][0], port[bank][1]);
    printf("  ]\n\ndram_view_size:\n  %llu\n\n", BANK_SIZE);
}

static void print_reversed(const char *name, unsigned count) {
    printf("%s:\n  [", name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%u", i ? ", " : " ", count - 1 - i);
    printf(" ]\n\n");
}

int main(void) {
    struct bh_config config;
    char message[200];
    bh_config_init(&config);
    if (bh_create(&config, &chip, message, sizeof message) != BH_OK) {
        fprintf(stderr, "soc_descriptor: %s\n", message);
        return 1;
    }
    printf("# Generated from bhemu's topology table.\ngrid:\n  x_size: %d\n  y_size: %d\n\n", WIDTH, HEIGHT);
    print_all("arc", BH_TILE_ARC);
    print_all("pcie", BH_TILE_PCIE);
    print_dram();
    print_dram_views();
    print_all("eth", BH_TILE_ETH);
    print_all("functional_workers", BH_TILE_TENSIX);
    print_routers();
    print_all("security", BH_TILE_SECURITY);
    print_all("l2cpu", BH_TILE_L2CPU);
    print_reversed("noc0_x_to_noc1_x", WIDTH);
    print_reversed("noc0_y_to_noc1_y", HEIGHT);
    printf("worker_l1_size:\n  1572864\n\ndram_bank_size:\n  %llu\n\neth_l1_size:\n  524288\n\n", BANK_SIZE);
    printf("arch_name: BLACKHOLE\n\n"
           "features:\n  noc:\n    translation_id_enabled: True\n  unpacker:\n    version: 2\n    "
           "inline_srca_trans_without_srca_trans_instr: True\n"
           "  math:\n    dst_size_alignment: 32768\n  packer:\n    version: 2\n  overlay:\n    version: 2\n");
    bh_destroy(chip);
    return 0;
}
