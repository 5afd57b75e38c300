/* The time of a DRAM bank: see channel.h. */
#include "dram/channel.h"

#include "base/order.h"

static uint64_t in_cycles(uint64_t parts) {
    return (parts + DRAM_FRACTION - 1) / DRAM_FRACTION;
}

uint64_t dram_channel_read(struct dram_channel *channel, unsigned noc, uint64_t time, uint32_t flits) {
    uint64_t begin = later(time * DRAM_FRACTION, channel->read[noc]);
    channel->read[noc] = begin + DRAM_READ_GAP;
    channel->free = later(begin, channel->free) + (uint64_t)flits * DRAM_FLIT_TIME;
    return in_cycles(channel->free) + DRAM_READ_CYCLES;
}

uint64_t dram_channel_accepts(const struct dram_channel *channel, uint32_t flits) {
    uint64_t done = in_cycles(channel->free + (uint64_t)flits * DRAM_FLIT_TIME);
    uint64_t room = (uint64_t)DRAM_WRITE_ROOM * DRAM_FLIT_TIME / DRAM_FRACTION;
    return done > room ? done - room : 0;
}

/* The channel takes data as it arrives, one flit in each cycle. */
void dram_channel_write(struct dram_channel *channel, uint64_t time, uint32_t flits) {
    uint64_t first = time > flits ? time - flits : 0;
    channel->free = later(first * DRAM_FRACTION, channel->free) + (uint64_t)flits * DRAM_FLIT_TIME;
}
