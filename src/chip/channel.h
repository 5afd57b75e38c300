/* The time of memory behind served tiles. All data of such a memory crosses one channel, which has a rate. A bank of
 * DRAM has a channel that all ports and both NoCs share, for reads and writes. Host memory has two, because PCI Express
 * carries data both ways at once.
 *
 * Measured on cards (docs/silicon.md). DRAM: 47.1 bytes a cycle, reads and writes alike, from 1 to 120 tiles; one read
 * in 16.4 cycles for each NoC; reads take 110 cycles more than reads of L1, writes 22. Host memory of a P150, whose PCI
 * Express has 16 lanes of generation 5: 42.9 bytes a cycle for reads and for writes; one request of one tile in 66 to
 * 82 cycles. Inexact: rows, banks and refresh of DRAM are not modelled; reads of the same few KiB again and again are
 * 13 % slower on silicon.
 */
#ifndef CHIP_CHANNEL_H
#define CHIP_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

enum { CHANNEL_FRACTION = 256 /* some times are in units of 1/256 cycle */ };

/* The least time between two requests, in 1/256 cycles: a constant, and a time for each of the first flits. */
struct channel_gap {
    uint32_t constant, flit, flits;
};

struct channel_times {
    uint32_t flit;                          /* for a flit of 64 bytes, in 1/256 cycles */
    struct channel_gap read_gap, write_gap; /* between reads of one NoC, and between writes */
    uint32_t read;                          /* from a read request to its first data, in cycles */
    uint32_t write;                         /* from a write to its acknowledgement, in cycles */
    uint32_t room;                          /* flits that are acknowledged while they still wait for the channel */
};

static const struct channel_times channel_dram = {
    .flit = 348,                      /* 1.36 cycles. silicon */
    .read_gap = { .constant = 4198 }, /* 16.4 cycles. silicon */
    .read = 112,                      /* fit */
    .write = 20,                      /* fit */
    .room = 192,                      /* fit */
};

static const struct channel_times channel_host = {
    .flit = 382,                                                   /* 1.49 cycles. silicon */
    .read_gap = { .constant = 16307, .flit = 586, .flits = 8 },    /* 66.0 to 82.0 cycles. silicon */
    .write_gap = { .constant = 17203, .flit = 102, .flits = 256 }, /* 67.6 cycles and more. silicon */
    .read = 590,                                                   /* fit: 256 reads of 16 KiB at 42.5 bytes a cycle */
    .write = 20, /* assumed, as for DRAM: the write is posted on PCI Express */
    .room = 192, /* assumed, as for DRAM */
};

/* Saved. */
struct channel {
    uint64_t free;    /* end of everything accepted so far, in 1/256 cycles */
    uint64_t read[2]; /* earliest time of the next read, by NoC, in 1/256 cycles */
};

/* Returns the cycles for which this many data flits keep the channel busy. */
static inline uint32_t channel_cycles(const struct channel_times *times, uint32_t flits) {
    return flits * times->flit / CHANNEL_FRACTION;
}

/* Accepts a read that has arrived. Returns the cycle in which the last data flit can leave. */
uint64_t channel_read(struct channel *channel, const struct channel_times *times, unsigned noc, uint64_t time,
                      uint32_t flits);
/* Returns whether the channel still has work after the last data flit of a read, which leaves at `time`. */
static inline bool channel_reads_on(const struct channel *channel, const struct channel_times *times, uint64_t time) {
    return channel->free > (time - times->read) * CHANNEL_FRACTION;
}
/* Returns the first cycle in which the channel can accept the last flit of a write: the first in which what waits keeps
 * the channel busy no longer than as many flits as there is room for. */
uint64_t channel_accepts(const struct channel *channel, const struct channel_times *times, uint32_t flits);
/* Accepts a write whose last flit arrives at `time`. */
void channel_write(struct channel *channel, const struct channel_times *times, uint64_t time, uint32_t flits);

#endif
