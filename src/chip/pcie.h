/* The PCI Express tile as the NoC and the host's BAR 2 see it: access to host memory, and the DMA engine (hdma.h).
 *
 * Source: Blackhole PCIExpressTile pages; register offsets of the address translation unit (iATU) as drivers use them;
 * tt-zephyr-platforms (bh_arc/pcie.c, pcie_dma.c) for the windows as firmware sets them and the controller's registers.
 * Local addresses of the tile have 64 bits: [63:58] select a window, [57:0] are passed on.
 *   windows 0..3    host memory, as the host numbers it; 1 relaxed ordering, 2 no snoop, 3 both: all the same here
 *   windows 4..7    host memory behind the outbound iATU; addresses that no region matches pass unchanged
 *   windows 8..61   firmware has not configured them: refused
 *   window 62       registers of the PCI Express controller (DBI): device control, DMA engine
 *   window 63       fixed: serdes and controller configuration, refused; the NIU at the very top
 * Inexact: inbound regions cannot be enabled; outbound ones only translate memory requests (no other types of requests,
 * no inverted matches); the DBI has only the registers named above.
 */
#ifndef CHIP_PCIE_H
#define CHIP_PCIE_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/hdma.h"
#include "isa/access.h"

enum {
    PCIE_IATU_BASE = 0x1000, /* offset in BAR 2: region r at + 0x200 * r, its inbound half at + 0x100 */
    PCIE_IATU_SIZE = 0x2000,
    PCIE_IATU_REGIONS = 16,
    PCIE_HDMA_BASE = 0x0, /* offset in BAR 2 */
};

enum { PCIE_WINDOW_SHIFT = 58, PCIE_HOST_WINDOWS = 8, PCIE_WINDOW_DBI = 62 };

/* Returns whether a local address of the tile leads to host memory. */
static inline bool pcie_is_host(uint64_t address) {
    return address >> PCIE_WINDOW_SHIFT < PCIE_HOST_WINDOWS;
}

struct pcie {
    uint32_t iatu[PCIE_IATU_SIZE / 4];
    struct hdma hdma;
    uint32_t device_control; /* device control of the capability structure; stored, without effect */
};

/* Sets the power-on state. */
void pcie_init(struct pcie *pcie);

/* A range of host memory: [address, address + size). */
struct pcie_span {
    uint64_t address, size;
};

/* Translates the start of the local range [address, address + size) to host memory; *span may be shorter than the
 * range. Returns false if the address does not lead to host memory. */
bool pcie_outbound(const struct pcie *pcie, uint64_t address, uint64_t size, struct pcie_span *span);

/* Writes a word of the iATU, at an offset from PCIE_IATU_BASE. Returns NULL, or the reason for which the write is
 * refused. */
const char *pcie_iatu_write(struct pcie *pcie, uint32_t offset, uint32_t value);

/* Read and write a register of window 62. Precondition: the offset is a multiple of four. */
struct access pcie_dbi_read(const struct pcie *pcie, uint64_t offset, uint32_t *value);
struct access pcie_dbi_write(struct pcie *pcie, uint64_t offset, uint32_t value);

#endif
