/* The report of BHEMU_CHECK (hazards.c). */
#ifndef ABI_HAZARDS_H
#define ABI_HAZARDS_H

#include <stdio.h>

#include "bhemu.h"

/* Opens the file that a value of BHEMU_CHECK names, to append to it; stderr for "1". NULL: errno has the reason. */
FILE *hazards_open(const char *value);
/* Writes the hazards of a chip and closes the file, unless it is stderr. Returns false if that failed. */
bool hazards_close(FILE *out, const bh_chip *chip, unsigned long long clocks);

#endif
