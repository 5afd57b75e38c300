/* The chip's side of a loosely timed NoC: what tiles have put off (tile/loose.h) is carried out when they meet.
 *
 * Everything is done before the next thing is looked at, with its answer, so that it does not matter how far anything
 * has to go and who else is on the way. The requests of a tile come in the order in which it has sent them; of the
 * tiles the one with the lowest number is first, and in every other epoch the one with the highest, so that of those
 * who ask again and again for the same thing not always the same one gets it.
 */
#ifndef CHIP_LOOSE_H
#define CHIP_LOOSE_H

#include <stdint.h>

struct bh_chip;

/* What multicasts move in one meeting, all receivers together: the host has that done in a few milliseconds. A tile
 * whose next one comes after that waits, and goes on with it when tiles meet again: until then it does not run. */
enum { LOOSE_MULTICAST_BYTES = 16 << 20 };

/* In place of packets that move (exchange). */
void loose_exchange(struct bh_chip *chip);

/* tile_port.memory: DRAM. */
const uint8_t *loose_memory(void *owner, unsigned site, uint64_t address, uint32_t size);

#endif
