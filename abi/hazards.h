/* The report of BHEMU_CHECK (hazards.c). */
#ifndef ABI_HAZARDS_H
#define ABI_HAZARDS_H

#include <stdio.h>

#include "bhemu.h"

/* Opens the file that a value of BHEMU_CHECK names, to append to it; stderr for "1". NULL: errno has the reason. */
FILE *hazards_open(const char *value);
/* Tells the check of a chip which firmware of tt-metal there is, and of that with the layout in a file; path "": none.
 * Returns false and a message if the file is wrong. */
bool hazards_know_firmware(bh_chip *chip, const char *path, char *message, size_t size);
/* Ends the check, writes the hazards of chips by their number (NULL: none has it; named: with this number, else there
 * is only one), and closes the file, unless it is stderr. Returns false if that failed. */
bool hazards_close(FILE *out, bh_chip *const *chip, unsigned chips, bool named, unsigned long long clocks);

#endif
