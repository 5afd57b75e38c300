/* Registers of an Ethernet tile that differ from a Tensix tile: reset and first pcs of its two cores, a clock, and
 * the Ethernet queues. eth_port.h has what they do once a cable is connected.
 *
 * Sources: EthernetTile/BabyRISCV/README.md (address map), EthernetTile/EthernetTxRx.md (queues), tt-metal and ttsim
 * for the addresses of reset pcs and interrupt modes. In struct tile, E0 has the index of BRISC and E1 that of NCRISC.
 * Inexact: without a cable, a write that would send a packet is refused. Most registers of MAC and PCS are refused.
 * Interrupts cannot be enabled. A core whose first pc is zero belongs to the board's firmware, which is not emulated:
 * it stays in reset.
 *
 *   0xFFB12048  the debug bus (debug_bus.h), up to 0xFFB1205F
 *   0xFFB12080  the cores' debug interface (risc_debug.h)
 *   0xFFB121B0  SOFT_RESET_0: bit 11 holds E0, bit 12 E1; other bits are not kept
 *   0xFFB121E0  watchdog (watchdog.h), without an interrupt      0xFFB121F0  clock: as in a Tensix tile
 *   0xFFB14000  first pc of E0            0xFFB14008  first pc of E1; the next word: its last pc, which is only kept
 *   0xFFB14020  interrupt modes and the rest of the interrupt controller, up to 0xFFB14063: only zero can be written
 *   0xFFB90000  three TX queues, 0x1000 apart               0xFFB94000  three RX queues, likewise
 *   0xFFB98000  control and status                          0xFFB98200  TX header table: ten entries of 0x80 bytes
 *   0xFFB9C000  RX classifier (eth_classifier.h)
 */
#ifndef TILE_ETH_H
#define TILE_ETH_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "tile/eth_classifier.h"

struct tile;

enum {
    ETH_L1_SIZE = 512 * 1024,
    ETH_STREAMS = 32,
    ETH_CORES = 2,
    ETH_QUEUES = 3,
    ETH_TXQ_WORDS = 0x8C / 4,
    ETH_RXQ_WORDS = 0x54 / 4,
    ETH_HEADER_WORDS = 0x4F4 / 4,
    ETH_EOP_GOOD = 0x1F, /* EOP_STATUS_GOOD_LO at start: data, flow control, 802.3br */
};

struct eth {
    uint32_t soft_reset;
    uint32_t first_pc[ETH_CORES];
    uint32_t clock_high; /* latched by the last access to the low half */
    uint32_t txq[ETH_QUEUES][ETH_TXQ_WORDS];
    uint32_t rxq[ETH_QUEUES][ETH_RXQ_WORDS];
    uint32_t header[ETH_HEADER_WORDS];
    uint32_t mac_rx_routing, mac_rx_address_routing;
    uint32_t last_pc[ETH_CORES]; /* stored only: where instruction fetches end */
    uint32_t eop_good;           /* EOP_STATUS_GOOD_LO */
    bool classifies;             /* a register of the classifier has been written: a frame may not pass as it is */
    uint8_t unused[3];
    struct eth_classifier classifier;
};

/* Initialises the state that the board's firmware leaves: both cores in reset, two queues set up. */
void eth_init(struct eth *eth);

/* Read and write registers by address. Soft reset acts on the tile's cores. */
struct access eth_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
struct access eth_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);
/* Peek and poke. Poke does not write soft reset, whose writes have effects. */
struct access eth_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
struct access eth_poke(struct tile *tile, uint32_t address, uint32_t value);
/* Returns whether only writes, frames and the link change the register, once a queue has done what it was told: these
 * wake a core that polls it. */
bool eth_steady(uint32_t address);
/* Returns whether a queue is going to change the register by itself. */
bool eth_soon(const struct tile *tile, uint32_t address, uint64_t time);

/* Starts a core as firmware calls a program: with firmware's stack and global pointer; it returns to `back`. */
void eth_start(struct tile *tile, unsigned i, uint32_t pc, uint32_t back, uint64_t time);

/* Returns the index of E0 or E1 in tile.core. */
unsigned eth_core(unsigned i);
const char *eth_core_name(unsigned core);
/* Returns the address of the register with the first pc of a core. */
uint32_t eth_first_pc(unsigned core);
/* Returns the bits of SOFT_RESET_0 for a mask of cores. */
uint32_t eth_reset_bits(unsigned cores);

#endif
