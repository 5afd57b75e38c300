/* The DMA engine of the PCI Express controller: one write channel (device to host) and one read channel (host to
 * device), as registers. src/host/dma.c moves the bytes.
 *
 * Sources: register offsets and fields in tt-zephyr-platforms (bh_arc/pcie_dma.c) and tt-umd
 * (blackhole_dma_transfer.cpp); registers that these do not use are as in Linux' driver of the same engine
 * (dw-hdma-v0). Inexact: a transfer is over when the write to the doorbell returns, so a channel is never seen running.
 * Linked lists, and channels past the first of each direction, are not modelled.
 *
 *   write channel  0x000     + 0x00 enable     + 0x04 doorbell (bit 0 start, 1 stop)  + 0x1C bytes
 *   read channel   0x100     + 0x20 source, 64 bits           + 0x28 destination, 64 bits
 *                            + 0x80 status     + 0x84 interrupts   + 0x88 their set-up  + 0x8C clears them
 *                            + 0x90 address of the message when done   + 0xA0 when aborted   + 0xA8 its data */
#ifndef CHIP_HDMA_H
#define CHIP_HDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum hdma_direction { HDMA_TO_HOST, HDMA_TO_DEVICE, HDMA_CHANNELS };

enum { HDMA_CHANNEL_SIZE = 0x100, HDMA_SIZE = HDMA_CHANNELS * HDMA_CHANNEL_SIZE };

struct hdma {
    uint32_t word[HDMA_CHANNELS][HDMA_CHANNEL_SIZE / 4];
};

/* The transfer that a doorbell starts. */
struct hdma_transfer {
    enum hdma_direction direction;
    uint64_t source, destination;
    uint32_t size;
};

/* Sets the power-on state. */
void hdma_init(struct hdma *hdma);

/* Read and write a register. Precondition: the offset is a multiple of four below HDMA_SIZE. */
struct access hdma_read(const struct hdma *hdma, uint32_t offset, uint32_t *value);
/* Sets *rings if the write starts a transfer, which hdma_pending then describes. */
struct access hdma_write(struct hdma *hdma, uint32_t offset, uint32_t value, bool *rings);

/* Returns the transfer that the channel's registers describe. */
struct hdma_transfer hdma_pending(const struct hdma *hdma, enum hdma_direction direction);
/* Marks a transfer as done. Returns whether the caller has to write a message: *data to *address in host memory. */
bool hdma_finish(struct hdma *hdma, enum hdma_direction direction, uint64_t *address, uint32_t *data);

#endif
