/* The chip's side of a loosely timed NoC: executes the transactions that tiles have deferred (tile/loose.h).
 *
 * The chip finishes each transaction with its response before it looks at the next, so distances and contention do not
 * matter. The transactions of a tile are executed in the order in which it has sent them. Tiles take turns from the
 * lowest number up, and in every other epoch from the highest down, so that tiles which compete for the same thing all
 * get it in turn.
 */
#ifndef CHIP_LOOSE_H
#define CHIP_LOOSE_H

#include <stdint.h>

struct bh_chip;

/* Bytes that multicasts move in one exchange, at all receivers together: a few milliseconds of the host. A tile whose
 * next multicast exceeds that waits for the next exchange, and does not run until then. */
enum { LOOSE_MULTICAST_BYTES = 16 << 20 };

/* The exchange with loose timing. */
void loose_exchange(struct bh_chip *chip);

/* Returns memory of DRAM: tile_port.memory. */
const uint8_t *loose_memory(void *owner, unsigned site, uint64_t address, uint32_t size);

#endif
