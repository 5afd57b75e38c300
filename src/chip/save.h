/* A chip as bytes: everything that decides how it goes on (save.c). */
#ifndef CHIP_SAVE_H
#define CHIP_SAVE_H

#include "base/state.h"
#include "bhemu.h"

/* Between two runs only. On failure the chip has a message. */
bh_status save_chip(bh_chip *chip, struct state_out *out);
/* What is wrong with the bytes is found before the chip changes, unless somebody has forged their checksum; then the
 * chip is as after power-on. */
bh_status save_restore(bh_chip *chip, const uint8_t *bytes, size_t size);

#endif
