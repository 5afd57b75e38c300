/* The time of a DRAM bank: one channel, which all ports and both NoCs share.
 *
 * Measured on cards (docs/silicon.md): 47.1 bytes a cycle, reads and writes alike, from 1 to 120 tiles; one read
 * in 16.4 cycles for each NoC; reads take 110 cycles more than reads of L1, writes 22. Inexact: rows, banks and refresh
 * of the memory are not modelled; reads of the same few KiB again and again are 13 % slower on silicon.
 */
#ifndef DRAM_CHANNEL_H
#define DRAM_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    DRAM_FRACTION = 256,    /* times of a channel are in units of 1/256 cycle */
    DRAM_FLIT_TIME = 348,   /* for a flit of 64 bytes: 1.36 cycles. silicon */
    DRAM_READ_GAP = 4198,   /* between two reads of one NoC: 16.4 cycles. silicon */
    DRAM_READ_CYCLES = 112, /* from a read request to its first data, in cycles. fit */
    DRAM_WRITE_CYCLES = 20, /* from a write to its acknowledgement, in cycles. fit */
    DRAM_WRITE_ROOM = 192,  /* flits that are acknowledged while they still wait for the channel. fit */
};

/* Saved. */
struct dram_channel {
    uint64_t free;    /* end of everything accepted so far, in 1/256 cycles */
    uint64_t read[2]; /* earliest time of the next read, by NoC, in 1/256 cycles */
};

/* Returns the cycles for which this many data flits keep the channel busy. */
static inline uint32_t dram_channel_cycles(uint32_t flits) {
    return flits * DRAM_FLIT_TIME / DRAM_FRACTION;
}

/* Accepts a read that has arrived. Returns the cycle in which the last data flit can leave. */
uint64_t dram_channel_read(struct dram_channel *channel, unsigned noc, uint64_t time, uint32_t flits);
/* Returns whether the channel still has work after the last data flit of a read, which leaves at `time`. */
static inline bool dram_channel_reads_on(const struct dram_channel *channel, uint64_t time) {
    return channel->free > (time - DRAM_READ_CYCLES) * DRAM_FRACTION;
}
/* Returns the first cycle in which the channel can accept the last flit of a write: the first in which at most
 * DRAM_WRITE_ROOM flits wait. */
uint64_t dram_channel_accepts(const struct dram_channel *channel, uint32_t flits);
/* Accepts a write whose last flit arrives at `time`. */
void dram_channel_write(struct dram_channel *channel, uint64_t time, uint32_t flits);

#endif
