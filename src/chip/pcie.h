/* The PCI Express tile as the NoC and the host's BAR 2 see it: the way to host memory, and the DMA read channel.
 *
 * Source: Blackhole PCIExpressTile pages; register offsets of the address translation unit (iATU) as drivers use them.
 * Local addresses of the tile have 64 bits: [63:58] select a window, [57:0] are passed on.
 *   windows 0..3   host memory, as the host numbers it
 *   windows 4..7   host memory behind the outbound iATU; addresses that no region matches pass unchanged
 *   the rest       unmodelled, but for the NIU at the very top
 * Inexact: inbound regions cannot be enabled; the DMA channel moves everything when its doorbell rings and writes no
 * completion messages (nobody but the size register tells that it is done).
 */
#ifndef CHIP_PCIE_H
#define CHIP_PCIE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PCIE_IATU_BASE = 0x1000, /* in BAR 2: region r at + 0x200 * r, inbound half at + 0x100 */
    PCIE_IATU_SIZE = 0x2000,
    PCIE_IATU_REGIONS = 16,
    PCIE_DMA_BASE = 0x100, /* in BAR 2: the read channel, host to device */
    PCIE_DMA_SIZE = 0xB0,
};

/* Registers of the DMA read channel, as offsets in BAR 2. */
enum {
    PCIE_DMA_ENABLE = 0x100,
    PCIE_DMA_DOORBELL = 0x104,
    PCIE_DMA_BYTES = 0x11C, /* 0 when done */
    PCIE_DMA_SOURCE = 0x120,
    PCIE_DMA_DESTINATION = 0x128,
};

struct pcie {
    uint32_t iatu[PCIE_IATU_SIZE / 4];
    uint32_t dma[PCIE_DMA_SIZE / 4];
};

/* A stretch of host memory: [address, address + size). */
struct pcie_span {
    uint64_t address, size;
};

/* What the local addresses [address, address + size) begin with in host memory; the span may be shorter than asked.
 * False if these addresses do not lead to host memory. */
bool pcie_outbound(const struct pcie *pcie, uint64_t address, uint64_t size, struct pcie_span *span);

/* Stores a word of the iATU; NULL, or why not. The offset is from PCIE_IATU_BASE. */
const char *pcie_iatu_write(struct pcie *pcie, uint32_t offset, uint32_t value);

#endif
