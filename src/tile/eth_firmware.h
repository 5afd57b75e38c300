/* The visible effects of the board's firmware in an Ethernet tile: the results of its boot in L1, its heartbeat, its
 * answers to messages, and what it reports about the link. The firmware itself is not emulated.
 *
 * Sources: tt-umd (blackhole_eth.hpp) and tt-metal (eth_fw_api.h) for the words at 0x7CC00, the mailboxes at 0x7D000
 * and the table of functions at 0x7CF00; ttsim for the values. Inexact: a link is trained as soon as its cable is
 * connected. The counts of frames are up to date whenever the host or the NoC reads them. Of the functions in the table
 * only the one that serves messages does anything: it answers each message. Until user code runs on E0, messages of the
 * host are answered at once; messages of cores are not.
 */
#ifndef TILE_ETH_FIRMWARE_H
#define TILE_ETH_FIRMWARE_H

#include "tile/eth_port.h"
#include "tile/tile.h"

/* Writes the results of the boot to L1, including those about the link. */
void eth_firmware_init(struct tile *tile, const struct eth_identity *identity);
/* Writes what firmware reports about the link. Called after a change of the link. */
void eth_firmware_link(struct tile *tile);
/* Updates the heartbeat and the counts of frames before a read of [address, address + size). The heart beats only while
 * firmware has E0. */
void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time);
/* Answers a message, if the host has just written one to [address, address + size) and firmware has E0. */
void eth_firmware_message(struct tile *tile, uint64_t address, size_t size, uint64_t time);

#endif
