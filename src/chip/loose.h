/* The chip's side of a loosely timed NoC: executes the transactions that tiles have deferred (tile/loose.h).
 *
 * The chip finishes each transaction, including its response, before it begins the next, so distances and contention do
 * not matter. The transactions of a tile are executed in the order in which the tile has sent them. Tiles take turns
 * from the lowest number up, and in every other stretch of CHIP_EPOCH cycles from the highest down, so that tiles which
 * compete for the same thing all get it in turn. */
#ifndef CHIP_LOOSE_H
#define CHIP_LOOSE_H

#include <stdint.h>

struct bh_chip;

/* Bytes that multicasts may move in one exchange, at all receivers together: a few milliseconds of the host. A tile
 * whose next multicast exceeds that waits for the next exchange, and does not run until then. */
enum { LOOSE_MULTICAST_BYTES = 16 << 20 };

/* Does the work of exchange() with loose timing. */
void loose_exchange(struct bh_chip *chip);

/* Returns a pointer to memory of DRAM; serves as tile_port.memory. */
const uint8_t *loose_memory(void *owner, unsigned site, uint64_t address, uint32_t size);

#endif
