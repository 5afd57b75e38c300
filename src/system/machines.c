/* Boards and machines that are sold, with their cables.
 *
 * Source: tt-umd's tests/cluster_descriptor_examples (blackhole_P300_both_mmio.yaml, blackhole_4xP150.yaml,
 * blackhole_galaxy.yaml), as single machines have reported themselves. QuietBox 2: the chips and links that ttsim's
 * library of four chips reports. */
#include "system/system.h"

const char *bh_system_kind_name(enum bh_system_kind kind) {
    static const char *const name[BH_SYSTEM_KIND_COUNT] = { "p150", "p300", "quietbox", "galaxy", "quietbox2" };
    return (unsigned)kind < BH_SYSTEM_KIND_COUNT ? name[kind] : "unknown machine";
}

/* Adds chips of a board. boards: how many chips share a board. */
static bh_status add_chips(bh_system *system, enum bh_board board, unsigned count, unsigned on_a_board,
                           unsigned first_location) {
    unsigned first = system->chip_count;
    for (unsigned i = 0; i < count; i++) {
        struct bh_config config;
        system_config(system, &config, board);
        config.number = first + i;
        config.serial = first + i / on_a_board;
        config.location = (uint8_t)(first_location + i % on_a_board);
        bh_status status = bh_system_add_chip(system, &config, NULL);
        if (status != BH_OK)
            return status;
    }
    return BH_OK;
}

/* Adds cables between two chips: one from each of `count` ports on. */
static bh_status add_cables(bh_system *system, unsigned from, unsigned from_port, unsigned to, unsigned to_port,
                            unsigned count) {
    bh_status status = BH_OK;
    for (unsigned i = 0; i < count && status == BH_OK; i++) {
        struct bh_link link = { .chip = { from, to }, .port = { from_port + i, to_port + i } };
        status = bh_system_add_link(system, &link, NULL);
    }
    return status;
}

static bh_status add_p300(bh_system *system) {
    unsigned first = system->chip_count;
    bh_status status = add_chips(system, BH_BOARD_P300, 2, 2, 0);
    if (status == BH_OK)
        status = add_cables(system, first, 2, first + 1, 9, 1);
    return status == BH_OK ? add_cables(system, first, 3, first + 1, 8, 1) : status;
}

/* Four cables between neighbours of the ring 0, 2, 1, 3. */
static bh_status add_quietbox(bh_system *system) {
    static const uint8_t pair[4][3] = { { 0, 2, 4 }, { 0, 3, 8 }, { 1, 3, 4 }, { 1, 2, 8 } };
    unsigned first = system->chip_count;
    bh_status status = add_chips(system, BH_BOARD_P150, 4, 1, 0);
    for (unsigned i = 0; i < 4 && status == BH_OK; i++)
        status = add_cables(system, first + pair[i][0], pair[i][2], first + pair[i][1], pair[i][2], 4);
    return status;
}

/* Two boards, each with the chip at location 1 first. */
static bh_status add_quietbox_2(bh_system *system) {
    static const uint8_t cable[8][4] = { { 0, 8, 1, 3 }, { 0, 9, 1, 2 }, { 2, 8, 3, 3 }, { 2, 9, 3, 2 },
                                         { 0, 2, 3, 5 }, { 0, 4, 3, 4 }, { 1, 4, 2, 4 }, { 1, 5, 2, 2 } };
    unsigned first = system->chip_count;
    bh_status status = BH_OK;
    for (unsigned i = 0; i < 4 && status == BH_OK; i++) {
        struct bh_config config;
        system_config(system, &config, BH_BOARD_P300);
        config.number = first + i;
        config.serial = first + i / 2;
        config.location = i % 2 == 0;
        status = bh_system_add_chip(system, &config, NULL);
    }
    for (unsigned i = 0; i < 8 && status == BH_OK; i++)
        status = add_cables(system, first + cable[i][0], cable[i][1], first + cable[i][2], cable[i][3], 1);
    return status;
}

enum { BOARDS = 4, ROWS = 2, COLUMNS = 4, ON_BOARD = ROWS * COLUMNS };

static bh_status add_galaxy_board(bh_system *system, unsigned first) {
    bh_status status = BH_OK;
    for (unsigned i = 0; i < ON_BOARD && status == BH_OK; i++) {
        if (i % COLUMNS + 1 < COLUMNS)
            status = add_cables(system, first + i, 4, first + i + 1, 2, 2);
        if (i < COLUMNS && status == BH_OK)
            status = add_cables(system, first + i, 6, first + i + COLUMNS, 0, 2);
    }
    return status;
}

/* Two boards have cables between chips of the same position, from pairs of ports of the same number on. */
static bh_status add_galaxy_side(bh_system *system, unsigned from, unsigned to, const uint16_t pairs[ON_BOARD]) {
    bh_status status = BH_OK;
    for (unsigned i = 0; i < ON_BOARD; i++)
        for (unsigned port = 0; pairs[i] >> port && status == BH_OK; port++)
            if (pairs[i] >> port & 1)
                status = add_cables(system, from + i, port, to + i, port, 2);
    return status;
}

static bh_status add_galaxy(bh_system *system) {
    /* Masks of first ports, by position on the board. */
    static const uint16_t one[ON_BOARD] = { 1, 1, 1 << 8, 1 << 8, 1 << 6, 1 << 6, 1 << 6, 1 << 6 };
    static const uint16_t other[ON_BOARD] = { 1 << 2, 0, 1, 1 << 4, 1 << 2, 0, 1 << 8, 1 << 4 | 1 << 8 };
    unsigned first = system->chip_count;
    bh_status status = add_chips(system, BH_BOARD_GALAXY, BOARDS * ON_BOARD, ON_BOARD, 1);
    for (unsigned i = 0; i < BOARDS && status == BH_OK; i++)
        status = add_galaxy_board(system, first + i * ON_BOARD);
    for (unsigned i = 0; i < BOARDS && status == BH_OK; i++)
        status =
            add_galaxy_side(system, first + i * ON_BOARD, first + (i + 1) % BOARDS * ON_BOARD, i % 2 ? other : one);
    return status;
}

bh_status bh_system_add(bh_system *system, enum bh_system_kind kind) {
    if (!system)
        return BH_ERR_ARGUMENT;
    unsigned chips = system->chip_count, links = system->link_count;
    bh_status status = BH_OK;
    switch (kind) {
    case BH_SYSTEM_P150: status = add_chips(system, BH_BOARD_P150, 1, 1, 0); break;
    case BH_SYSTEM_P300: status = add_p300(system); break;
    case BH_SYSTEM_QUIETBOX: status = add_quietbox(system); break;
    case BH_SYSTEM_GALAXY: status = add_galaxy(system); break;
    case BH_SYSTEM_QUIETBOX_2: status = add_quietbox_2(system); break;
    default: return system_fail(system, BH_ERR_ARGUMENT, "there is no machine of kind %d", (int)kind);
    }
    if (status != BH_OK)
        system_shrink(system, chips, links);
    return status;
}
