/* Functions that libttsim_by_id.so has besides those of libttsim.h: the client creates chips, connects their Ethernet
 * ports, and selects the chip that the calls of libttsim.h are about. tt-umd looks them up by name, and takes chips
 * this way if it finds the first two (docs/libttsim.md). libttsim_by_id.map lists the same names. */
#ifndef ABI_BY_ID_H
#define ABI_BY_ID_H

#include "libttsim.h"

/* Creates the chip with this number, or returns it if there is one. The coordinates are not used. */
LIBTTSIM_API void *libttsim_create_device_by_id(uint32_t id, int x, int y);
LIBTTSIM_API void libttsim_select_device_by_id(uint32_t id);
/* Chips share their time: the same as libttsim_clock. */
LIBTTSIM_API void libttsim_clock_all_devices(uint32_t clocks);

/* ---- Links. tile: an Ethernet channel as software counts it, from 0 on, live ones only */

/* Cuts all cables. */
LIBTTSIM_API void libttsim_switch_reset(void);
/* Connects two ports by a cable, whose link comes up at once. Nothing happens if it connects them already. */
LIBTTSIM_API void libttsim_switch_register_peer(void *chip, uint32_t tile, void *peer, uint32_t peer_tile);
/* Runs until no frame is on its way, at most DRAIN_CLOCKS. */
LIBTTSIM_API void libttsim_switch_drain(void);
/* These check their arguments and do nothing else: cables lead frames to their receivers, whatever their MAC addresses
 * and their places in a network are. */
LIBTTSIM_API void libttsim_switch_register(void *chip, uint32_t tile, uint64_t mac);
LIBTTSIM_API void libttsim_configure_eth_link_virtual(void *chip, uint32_t tile, uint64_t mac);
LIBTTSIM_API void libttsim_switch_register_fabric_node_id(void *chip, uint32_t mesh, uint32_t number);
LIBTTSIM_API void libttsim_switch_register_fabric_endpoint_direction(void *chip, uint32_t tile, uint32_t direction);

/* ---- DRAM, by live bank from 0 on, or by the translated coordinate of a port. The selected chip stays selected */

LIBTTSIM_API void libttsim_dram_rd_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, void *data, uint32_t size);
LIBTTSIM_API void libttsim_dram_wr_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, const void *data,
                                               uint32_t size);
LIBTTSIM_API void libttsim_dram_core_rd_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address, void *data,
                                                    uint32_t size);
LIBTTSIM_API void libttsim_dram_core_wr_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address,
                                                    const void *data, uint32_t size);

#endif
