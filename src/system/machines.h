/* Boards and machines that are sold, as lists of chips and cables. */
#ifndef SYSTEM_MACHINES_H
#define SYSTEM_MACHINES_H

#include "system/system.h"

enum { MACHINE_CHIPS = 32, MACHINE_LINKS = 140 };

struct machine_chip {
    enum bh_board board;
    unsigned serial; /* chips with the same one share a board */
    uint8_t location;
};

struct machine_plan {
    unsigned chip_count, link_count;
    struct machine_chip chip[MACHINE_CHIPS];
    struct bh_link link[MACHINE_LINKS];
};

/* Makes the plan of a machine. Returns false if there is no such machine. */
bool machine_plan(enum bh_system_kind kind, struct machine_plan *plan);

/* Adds a chip, or a cable, of a plan whose first chip has this number in the system. */
bh_status machine_add_chip(bh_system *system, unsigned first, const struct machine_chip *chip);
bh_status machine_add_link(bh_system *system, unsigned first, const struct bh_link *link);

#endif
