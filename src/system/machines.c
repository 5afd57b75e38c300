/* Boards and machines that are sold, with their cables.
 *
 * Source: tt-umd's tests/cluster_descriptor_examples (blackhole_P300_both_mmio.yaml, blackhole_4xP150.yaml,
 * blackhole_galaxy.yaml), as single machines have reported themselves. QuietBox 2: the chips and links that ttsim's
 * library of four chips reports. */
#include "system/machines.h"

const char *bh_system_kind_name(enum bh_system_kind kind) {
    static const char *const name[BH_SYSTEM_KIND_COUNT] = { "p150", "p300", "quietbox", "galaxy", "quietbox2" };
    return (unsigned)kind < BH_SYSTEM_KIND_COUNT ? name[kind] : "unknown machine";
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

/* Chips of a board. on_a_board: how many chips share a board. */
static void put_chips(struct machine_plan *plan, enum bh_board board, unsigned count, unsigned on_a_board,
                      unsigned first_location) {
    plan->chip_count = count;
    for (unsigned i = 0; i < count; i++) {
        plan->chip[i].board = board;
        plan->chip[i].serial = i / on_a_board;
        plan->chip[i].location = (uint8_t)(first_location + i % on_a_board);
    }
}

/* Cables between two chips: one from each of `count` ports on. */
static void put_cables(struct machine_plan *plan, unsigned from, unsigned from_port, unsigned to, unsigned to_port,
                       unsigned count) {
    for (unsigned i = 0; i < count; i++)
        plan->link[plan->link_count++] =
            (struct bh_link){ .chip = { from, to }, .port = { from_port + i, to_port + i } };
}

static void plan_p300(struct machine_plan *plan) {
    put_chips(plan, BH_BOARD_P300, 2, 2, 0);
    put_cables(plan, 0, 2, 1, 9, 1);
    put_cables(plan, 0, 3, 1, 8, 1);
}

/* Four cables between neighbours of the ring 0, 2, 1, 3. */
static void plan_quietbox(struct machine_plan *plan) {
    static const uint8_t pair[4][3] = { { 0, 2, 4 }, { 0, 3, 8 }, { 1, 3, 4 }, { 1, 2, 8 } };
    put_chips(plan, BH_BOARD_P150, 4, 1, 0);
    for (unsigned i = 0; i < 4; i++)
        put_cables(plan, pair[i][0], pair[i][2], pair[i][1], pair[i][2], 4);
}

/* Two boards, each with the chip at location 1 first. */
static void plan_quietbox_2(struct machine_plan *plan) {
    static const uint8_t cable[8][4] = { { 0, 8, 1, 3 }, { 0, 9, 1, 2 }, { 2, 8, 3, 3 }, { 2, 9, 3, 2 },
                                         { 0, 2, 3, 5 }, { 0, 4, 3, 4 }, { 1, 4, 2, 4 }, { 1, 5, 2, 2 } };
    put_chips(plan, BH_BOARD_P300, 4, 2, 0);
    for (unsigned i = 0; i < 4; i++)
        plan->chip[i].location = i % 2 == 0;
    for (unsigned i = 0; i < 8; i++)
        put_cables(plan, cable[i][0], cable[i][1], cable[i][2], cable[i][3], 1);
}

enum { BOARDS = 4, ROWS = 2, COLUMNS = 4, ON_BOARD = ROWS * COLUMNS };

static void plan_galaxy_board(struct machine_plan *plan, unsigned first) {
    for (unsigned i = 0; i < ON_BOARD; i++) {
        if (i % COLUMNS + 1 < COLUMNS)
            put_cables(plan, first + i, 4, first + i + 1, 2, 2);
        if (i < COLUMNS)
            put_cables(plan, first + i, 6, first + i + COLUMNS, 0, 2);
    }
}

/* Two boards have cables between chips of the same position, from pairs of ports of the same number on. */
static void plan_galaxy_side(struct machine_plan *plan, unsigned from, unsigned to, const uint16_t pairs[ON_BOARD]) {
    for (unsigned i = 0; i < ON_BOARD; i++)
        for (unsigned port = 0; pairs[i] >> port; port++)
            if (pairs[i] >> port & 1)
                put_cables(plan, from + i, port, to + i, port, 2);
}

static void plan_galaxy(struct machine_plan *plan) {
    /* Masks of first ports, by position on the board. */
    static const uint16_t one[ON_BOARD] = { 1, 1, 1 << 8, 1 << 8, 1 << 6, 1 << 6, 1 << 6, 1 << 6 };
    static const uint16_t other[ON_BOARD] = { 1 << 2, 0, 1, 1 << 4, 1 << 2, 0, 1 << 8, 1 << 4 | 1 << 8 };
    put_chips(plan, BH_BOARD_GALAXY, BOARDS * ON_BOARD, ON_BOARD, 1);
    for (unsigned i = 0; i < BOARDS; i++)
        plan_galaxy_board(plan, i * ON_BOARD);
    for (unsigned i = 0; i < BOARDS; i++)
        plan_galaxy_side(plan, i * ON_BOARD, (i + 1) % BOARDS * ON_BOARD, i % 2 ? other : one);
}

bool machine_plan(enum bh_system_kind kind, struct machine_plan *plan) {
    plan->chip_count = plan->link_count = 0;
    switch (kind) {
    case BH_SYSTEM_P150: put_chips(plan, BH_BOARD_P150, 1, 1, 0); return true;
    case BH_SYSTEM_P300: plan_p300(plan); return true;
    case BH_SYSTEM_QUIETBOX: plan_quietbox(plan); return true;
    case BH_SYSTEM_GALAXY: plan_galaxy(plan); return true;
    case BH_SYSTEM_QUIETBOX_2: plan_quietbox_2(plan); return true;
    default: return false;
    }
}

/* ---- Machines ---------------------------------------------------------------------------------------------------- */

bh_status machine_add_chip(bh_system *system, unsigned first, const struct machine_chip *chip) {
    struct bh_config config;
    system_config(system, &config, chip->board);
    config.number = system->chip_count;
    config.serial = first + chip->serial;
    config.location = chip->location;
    return bh_system_add_chip(system, &config, NULL);
}

bh_status machine_add_link(bh_system *system, unsigned first, const struct bh_link *link) {
    struct bh_link moved = *link;
    moved.chip[0] += first;
    moved.chip[1] += first;
    return bh_system_add_link(system, &moved, NULL);
}

bh_status bh_system_add(bh_system *system, enum bh_system_kind kind) {
    struct machine_plan plan;
    if (!system)
        return BH_ERR_ARGUMENT;
    unsigned chips = system->chip_count, links = system->link_count;
    bh_status status = BH_OK;
    if (!machine_plan(kind, &plan))
        return system_fail(system, BH_ERR_ARGUMENT, "there is no machine of kind %d", (int)kind);
    for (unsigned i = 0; i < plan.chip_count && status == BH_OK; i++)
        status = machine_add_chip(system, chips, &plan.chip[i]);
    for (unsigned i = 0; i < plan.link_count && status == BH_OK; i++)
        status = machine_add_link(system, chips, &plan.link[i]);
    if (status != BH_OK)
        system_shrink(system, chips, links);
    return status;
}
