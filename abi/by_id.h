/* Functions that libttsim_by_id.so has in addition to those of libttsim.h: the client creates chips, connects their
 * Ethernet ports, and selects the chip that the calls of libttsim.h are about. tt-umd looks these functions up by name,
 * and uses chips this way if it finds the first two (docs/libttsim.md). libttsim_by_id.map lists the same names. */
#ifndef ABI_BY_ID_H
#define ABI_BY_ID_H

#include "libttsim.h"

/* Creates the chip with this number, or returns it if it exists. The coordinates are not used. */
LIBTTSIM_API void *libttsim_create_device_by_id(uint32_t id, int x, int y);
/* Selects the chip for the calls of libttsim.h. */
LIBTTSIM_API void libttsim_select_device_by_id(uint32_t id);
/* Does the same as libttsim_clock: all chips share their time. */
LIBTTSIM_API void libttsim_clock_all_devices(uint32_t clocks);

/* ---- Links. `tile` is an Ethernet channel as software counts it: live ones only, from 0 on */

/* Cuts all cables. */
LIBTTSIM_API void libttsim_switch_reset(void);
/* Connects two ports by a cable, whose link comes up at once. Does nothing if a cable connects them already. */
LIBTTSIM_API void libttsim_switch_register_peer(void *chip, uint32_t tile, void *peer, uint32_t peer_tile);
/* Runs until no frame is in flight, for at most DRAIN_CLOCKS. */
LIBTTSIM_API void libttsim_switch_drain(void);
/* Check their arguments and do nothing else: cables lead frames to their receivers, whatever MAC addresses and
 * positions in a network the client has given them. */
LIBTTSIM_API void libttsim_switch_register(void *chip, uint32_t tile, uint64_t mac);
LIBTTSIM_API void libttsim_configure_eth_link_virtual(void *chip, uint32_t tile, uint64_t mac);
LIBTTSIM_API void libttsim_switch_register_fabric_node_id(void *chip, uint32_t mesh, uint32_t number);
LIBTTSIM_API void libttsim_switch_register_fabric_endpoint_direction(void *chip, uint32_t tile, uint32_t direction);

/* ---- DRAM, by number of the live bank, or by the translated coordinates of a port. The selection stays as it is */

LIBTTSIM_API void libttsim_dram_rd_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, void *data, uint32_t size);
LIBTTSIM_API void libttsim_dram_wr_bytes_by_id(uint32_t id, uint32_t bank, uint64_t address, const void *data,
                                               uint32_t size);
LIBTTSIM_API void libttsim_dram_core_rd_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address, void *data,
                                                    uint32_t size);
LIBTTSIM_API void libttsim_dram_core_wr_bytes_by_id(uint32_t id, uint32_t x, uint32_t y, uint64_t address,
                                                    const void *data, uint32_t size);

#endif
