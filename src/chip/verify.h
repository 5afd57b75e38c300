/* The invariants of the chip after an exchange, for check builds. */
#ifndef CHIP_VERIFY_H
#define CHIP_VERIFY_H

#include "chip/chip.h"

void chip_verify_all(const struct bh_chip *chip);

/* Recomputes what the chip knows about its tiles, their packets and loans, and compares. It does nothing unless the
 * build has checks. Precondition: packets have been exchanged. */
static inline void chip_verify(const struct bh_chip *chip) {
    if (BH_CHECKS)
        chip_verify_all(chip);
}

#endif
