/* Hazards as text. The command line and libttsim.so (abi/) share this file, so it knows nothing about program files. */
#ifndef TOOLS_HAZARD_TEXT_H
#define TOOLS_HAZARD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bhemu.h"

/* The hazards of a chip, ordered by verdict (RACE first), then by the cycle of the first access. */
struct hazard_list {
    struct bh_hazard *item;
    size_t count;
};

/* Lists the hazards of a chip. Returns false if there is no memory. The caller frees list->item. */
bool hazard_list_make(const bh_chip *chip, struct hazard_list *list);

/* Names that the caller can add to the text; "" where it has none. Names begin with a blank unless a comment says
 * otherwise. */
struct hazard_names {
    char chip[20]; /* as in "chip 1, ", without a blank in front */
    /* Of the variable or buffer at the address. */
    char place[120];
    char first[200], second[200]; /* of the instructions */
    char suppression[600]; /* the line for a suppressions file that would silence the hazard; no blank in front */
};

/* Returns whether a side stands for a write that is missing. */
bool hazard_is_nobody(const struct bh_hazard_side *side);
/* Disassembles the instruction of a side. */
void hazard_instruction(const struct bh_hazard_side *side, char *text, size_t size);
/* Prints one hazard in several lines. */
void hazard_text(FILE *out, const bh_chip *chip, const struct bh_hazard *hazard, const struct hazard_names *names);
/* Prints the last line, which begins with `name` (as in "chip 1: "): how many hazards there are of each verdict, and
 * how many were suppressed. Prints a line before it if the check of the chip is incomplete. */
void hazard_totals(FILE *out, const bh_chip *chip, const char *name, const size_t count[BH_VERDICT_COUNT],
                   size_t suppressed);

#endif
