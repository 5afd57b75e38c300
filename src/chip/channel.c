/* The time of memory behind served tiles: see channel.h. */
#include "chip/channel.h"

#include "base/order.h"

static uint64_t in_cycles(uint64_t parts) {
    return (parts + CHANNEL_FRACTION - 1) / CHANNEL_FRACTION;
}

static uint64_t gap_of(const struct channel_gap *gap, uint32_t flits) {
    return gap->constant + (uint64_t)gap->flit * smaller(flits, gap->flits);
}

/* Returns the time for which a write occupies the channel, in 1/256 cycles. */
static uint64_t time_of_write(const struct channel_times *times, uint32_t flits) {
    return later((uint64_t)flits * times->flit, gap_of(&times->write_gap, flits));
}

uint64_t channel_read(struct channel *channel, const struct channel_times *times, unsigned noc, uint64_t time,
                      uint32_t flits) {
    uint64_t begin = later(time * CHANNEL_FRACTION, channel->read[noc]);
    channel->read[noc] = begin + gap_of(&times->read_gap, flits);
    channel->free = later(begin, channel->free) + (uint64_t)flits * times->flit;
    return in_cycles(channel->free) + times->read;
}

uint64_t channel_accepts(const struct channel *channel, const struct channel_times *times, uint32_t flits) {
    uint64_t done = in_cycles(channel->free + time_of_write(times, flits));
    uint64_t room = (uint64_t)times->room * times->flit / CHANNEL_FRACTION;
    return done > room ? done - room : 0;
}

/* The channel takes data as it arrives, one flit in each cycle. */
void channel_write(struct channel *channel, const struct channel_times *times, uint64_t time, uint32_t flits) {
    uint64_t first = time > flits ? time - flits : 0;
    channel->free = later(first * CHANNEL_FRACTION, channel->free) + time_of_write(times, flits);
}
