/* What the board's firmware does in an Ethernet tile that others see: what it has left in L1, and its heartbeat. The
 * firmware itself is not emulated. There is no cable, so every link is down.
 *
 * Sources: tt-umd (blackhole_eth.hpp: results of the boot at 0x7CC00) and ttsim for the values. Inexact: the functions
 * that the table at 0x7CF00 offers return at once; the mailboxes at 0x7D000 are memory that nobody looks at.
 */
#ifndef TILE_ETH_FIRMWARE_H
#define TILE_ETH_FIRMWARE_H

#include "tile/tile.h"

/* info: the tile's place in the topology. */
void eth_firmware_init(struct tile *tile, uint64_t board_id, const struct bh_tile_info *info);
/* Somebody is about to read [address, address + size): a heartbeat goes on as long as E0 is left to firmware. */
void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time);

#endif
