/* The visible effects of the board's firmware in an Ethernet tile: its results in L1, and its heartbeat. The firmware
 * itself is not emulated. There is no cable, so every link is down.
 *
 * Sources: tt-umd (blackhole_eth.hpp: results of the boot at 0x7CC00) and ttsim for the values. Inexact: the functions
 * in the table at 0x7CF00 return at once; the mailboxes at 0x7D000 are plain memory.
 */
#ifndef TILE_ETH_FIRMWARE_H
#define TILE_ETH_FIRMWARE_H

#include "tile/tile.h"

/* Writes the results of the boot. info: the tile in the topology. */
void eth_firmware_init(struct tile *tile, uint64_t board_id, const struct bh_tile_info *info);
/* Updates the heartbeat before a read of [address, address + size), as long as firmware has E0. */
void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time);

#endif
