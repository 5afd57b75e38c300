/* The delays of a chip that vary (vary/vary.h): those of its tiles, and those of packets. */
#ifndef CHIP_VARY_H
#define CHIP_VARY_H

#include "tile/transit.h"

struct bh_chip;

/* Lets a tile that has just been initialised draw its delays. Precondition: chip->vary is set. */
void chip_vary_tile(struct bh_chip *chip, unsigned index);
/* Delays a packet that is about to be put into the inbox of its receiver. Packets on one channel to one tile stay in
 * order. Precondition: chip->vary is set, and arrival->to is the receiver. */
void chip_delay_packet(struct bh_chip *chip, struct arrival *arrival);
void chip_free_vary(struct bh_chip *chip);

#endif
