/* A chip on the PCI bus of the host: the struct that a bh_chip handle points to, with the configuration space and the
 * windows of the device. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "chip/chip.h"
#include "host/pci.h"
#include "host/tlb.h"

struct host {
    struct bh_chip chip; /* first member, so that a pointer to it, the bh_chip of users, is a pointer to the host */
    struct pci pci;
    struct tlb tlb;
};

/* Returns the host that the handle belongs to. */
static inline struct host *host_of(bh_chip *chip) {
    return (struct host *)(void *)chip;
}

/* Resets the chip, its configuration space and its windows. */
void host_reset(bh_chip *chip);

#endif
