/* Hazards for people. The command line and libttsim.so (abi/) share this file; it knows nothing of program files. */
#ifndef TOOLS_HAZARD_TEXT_H
#define TOOLS_HAZARD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bhemu.h"

/* The hazards of a chip, by verdict (RACE first), then by the cycle of the first access. */
struct hazard_list {
    struct bh_hazard *item;
    size_t count;
};

/* Returns false if there is no memory. The caller frees item. */
bool hazard_list_make(const bh_chip *chip, struct hazard_list *list);

/* Names that the caller knows; "" where it knows none. They begin with a blank. */
struct hazard_names {
    char chip[20]; /* "chip 1, " */
    char place[120];
    char first[200], second[200]; /* of the instructions */
    char suppression[600];        /* the line that would silence the hazard; without a blank */
};

/* Returns whether a side stands for the write that is missing. */
bool hazard_is_nobody(const struct bh_hazard_side *side);
/* Disassembles the instruction of a side. */
void hazard_instruction(const struct bh_hazard_side *side, char *text, size_t size);
/* Prints one hazard, in several lines. */
void hazard_text(FILE *out, const struct bh_hazard *hazard, const struct hazard_names *names);
/* Prints the last line, chip ("chip 1: ") first: how many hazards there are of each verdict, and how many were
 * suppressed. Before it, a line says if the check of the chip is incomplete. */
void hazard_totals(FILE *out, const bh_chip *chip, const char *name, const size_t count[BH_VERDICT_COUNT],
                   size_t suppressed);

#endif
