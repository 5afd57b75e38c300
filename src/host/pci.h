/* The PCI configuration space of the device: a type 0 header with three 64-bit BARs and no capabilities.
 *
 * Sources: PCI Local Bus Specification (header layout, BAR sizing); the libttsim ABI (ids, power-on bases). Inexact:
 * the command register is stored, but memory decoding is always on, as clients of the simulators expect. */
#ifndef HOST_PCI_H
#define HOST_PCI_H

#include <stdbool.h>
#include <stdint.h>

enum { PCI_CONFIG_SIZE = 4096, PCI_BARS = 3 };

/* Sizes of BAR 0, 2, 4. */
static const uint64_t pci_size[PCI_BARS] = { UINT64_C(512) << 20, UINT64_C(1) << 20, UINT64_C(32) << 30 };

struct pci {
    uint64_t base[PCI_BARS]; /* BAR 0, 2, 4 */
    uint16_t command;
    uint8_t interrupt_line;
};

/* Sets the power-on state. */
void pci_init(struct pci *pci);
/* Returns the size of BAR 0, 2 or 4; 0 for any other number. */
uint64_t pci_bar_size(unsigned bar);

/* Read and write a register. Precondition: the offset is a multiple of four below PCI_CONFIG_SIZE. */
uint32_t pci_config_read(const struct pci *pci, uint32_t offset);
void pci_config_write(struct pci *pci, uint32_t offset, uint32_t value);

/* Finds the BAR that contains [address, address + size). Returns false if there is none. Inline, because every access
 * of the host calls it. BAR 0 comes first because nearly all accesses go there. */
static inline bool pci_decode(const struct pci *pci, uint64_t address, uint64_t size, unsigned *bar, uint64_t *offset) {
    for (unsigned i = 0; i < PCI_BARS; i++) {
        uint64_t at = address - pci->base[i]; /* wraps to a huge number for addresses below the base */
        if (at >= pci_size[i] || size > pci_size[i] - at)
            continue;
        *bar = 2 * i;
        *offset = at;
        return true;
    }
    return false;
}

#endif
