/* The PCI configuration space: see pci.h. */
#include "host/pci.h"

enum {
    CONFIG_ID = 0x00,      /* device B140, vendor 1E52 */
    CONFIG_COMMAND = 0x04, /* command, status */
    CONFIG_CLASS = 0x08,   /* class 12h (processing accelerator), revision 0 */
    CONFIG_BAR0 = 0x10,    /* .. 0x24: three pairs */
    CONFIG_BAR_END = 0x28,
    CONFIG_INTERRUPT = 0x3C,

    COMMAND_WRITABLE = 0x0546, /* memory space, bus master, parity, SERR#, interrupt disable */
    BAR_64_BIT = 0x4,
};

static const uint64_t bar_base[PCI_BARS] = { UINT64_C(0x100000000), UINT64_C(0x120000000), UINT64_C(0x800000000) };

void pci_init(struct pci *pci) {
    *pci = (struct pci){ .interrupt_line = 0xFF };
    for (unsigned i = 0; i < PCI_BARS; i++)
        pci->base[i] = bar_base[i];
}

uint64_t pci_bar_size(unsigned bar) {
    return bar % 2 == 0 && bar / 2 < PCI_BARS ? pci_size[bar / 2] : 0;
}

static uint32_t read_bar(const struct pci *pci, unsigned word) {
    uint64_t base = pci->base[word / 2];
    return word % 2 ? (uint32_t)(base >> 32) : (uint32_t)base | BAR_64_BIT;
}

/* Bits below the size of the BAR read as zero, from which software learns the size. */
static void write_bar(struct pci *pci, unsigned word, uint32_t value) {
    uint64_t *base = &pci->base[word / 2];
    if (word % 2)
        *base = (*base & UINT32_MAX) | (uint64_t)value << 32;
    else
        *base = (*base & ~(uint64_t)UINT32_MAX) | value;
    *base &= ~(pci_size[word / 2] - 1);
}

uint32_t pci_config_read(const struct pci *pci, uint32_t offset) {
    if (offset >= CONFIG_BAR0 && offset < CONFIG_BAR_END)
        return read_bar(pci, (offset - CONFIG_BAR0) / 4);
    switch (offset) {
    case CONFIG_ID: return 0xB1401E52;
    case CONFIG_COMMAND: return pci->command;
    case CONFIG_CLASS: return 0x12000000;
    case CONFIG_INTERRUPT: return pci->interrupt_line;
    default: return 0;
    }
}

void pci_config_write(struct pci *pci, uint32_t offset, uint32_t value) {
    if (offset >= CONFIG_BAR0 && offset < CONFIG_BAR_END)
        write_bar(pci, (offset - CONFIG_BAR0) / 4, value);
    else if (offset == CONFIG_COMMAND)
        pci->command = value & COMMAND_WRITABLE;
    else if (offset == CONFIG_INTERRUPT)
        pci->interrupt_line = (uint8_t)value;
}
