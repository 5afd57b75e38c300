/* A chip on the bus of the host: the struct behind bh_chip, with the configuration space and the windows of the
 * host. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "chip/chip.h"
#include "host/pci.h"
#include "host/tlb.h"

struct host {
    struct bh_chip chip; /* first member: the bh_chip that users hold points here */
    struct pci pci;
    struct tlb tlb;
};

static inline struct host *host_of(bh_chip *chip) {
    return (struct host *)(void *)chip;
}

/* Resets the chip and the host's side of it. */
void host_reset(bh_chip *chip);

#endif
