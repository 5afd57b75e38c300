/* The report of BHEMU_CHECK (hazards.c). */
#ifndef ABI_HAZARDS_H
#define ABI_HAZARDS_H

#include <stdio.h>

#include "bhemu.h"

/* Opens the file that a value of BHEMU_CHECK names, for appending, or stderr for "1". Returns NULL and sets errno on
 * failure. */
FILE *hazards_open(const char *value);
/* Tells the check of a chip about the known layouts of tt-metal firmware, and about the layout in a file; path "":
 * there is no file. Returns false and writes a message if the file is wrong. */
bool hazards_know_firmware(bh_chip *chip, const char *path, char *message, size_t size);
/* Ends the check, writes the hazards of chips by their number (NULL: none has it; named: with this number, else there
 * is only one), and closes the file, unless it is stderr. Returns false if that failed. */
bool hazards_close(FILE *out, bh_chip *const *chip, unsigned chips, bool named, unsigned long long clocks);

#endif
