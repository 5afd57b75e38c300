/* A chip as bytes: all state that decides how it continues (save.c). */
#ifndef CHIP_SAVE_H
#define CHIP_SAVE_H

#include "base/state.h"
#include "bhemu.h"

/* Precondition: the chip is between two runs. After a failure the chip has a message. */
bh_status save_chip(bh_chip *chip, struct state_out *out);
/* Checks the bytes before the chip changes. Bytes with a forged checksum may fail later; then the chip is in its
 * power-on state. */
bh_status save_restore(bh_chip *chip, const uint8_t *bytes, size_t size);

#endif
