/* The tables of a port: which members are saved, sent to other processes and hashed. The lists of a port are handled
 * separately (system/ports.c). */
#include "base/mix.h"
#include "base/state_rows.h"
#include "tile/eth_port.h"

/* Times are bounded so that sums with them do not overflow. */
#define TIME_MOST (UINT64_C(1) << 52)
/* A frame is no longer than what a TX queue can send: L1, and a header. */
enum { DATA_MOST = ETH_L1_SIZE + ETH_HEADER_MAX };

/* The data of the frame follows the table. */
#define T struct eth_frame
static const struct state_member frame_members[] = {
    WIRING(next),
    SEEN_MOST(start, uint64_t, TIME_MOST),
    SEEN_MOST(end, uint64_t, TIME_MOST),
    SEEN_MOST(arrives, uint64_t, TIME_MOST),
    SEEN(address),
    SEEN_MOST(size, uint32_t, DATA_MOST),
    SEEN_MOST(length, uint32_t, DATA_MOST + ETH_MAC_HEADER + ETH_LINK_HEADER),
    SEEN_MOST(head, uint16_t, ETH_HEADER_MAX),
    SEEN_MOST(kind, uint8_t, ETH_FRAME_REGISTER),
    SEEN_MOST(mac_class, uint8_t, ETH_UNICAST),
    SEEN_MOST(queue, uint8_t, ETH_QUEUES - 1),
    SEEN(sequence),
    SEEN_FLAG(last),
    SEEN_FLAG(again),
};

static bool is_possible_frame(const void *block) {
    const struct eth_frame *frame = block;
    return frame->kind != ETH_FRAME_REGISTER || frame->size == sizeof(uint32_t);
}
const struct state_table eth_frame_state = STATE_CHECKED_TABLE("eth_frame", T, frame_members, is_possible_frame);
#undef T

#define T struct eth_record
static const struct state_member record_members[] = {
    SEEN_MOST(start, uint64_t, TIME_MOST),
    SEEN_MOST(end, uint64_t, TIME_MOST),
    SEEN_MOST(arrives, uint64_t, TIME_MOST),
    SEEN_MOST(acknowledged, uint64_t, TIME_MOST),
    SEEN(words),
    SEEN_MOST(queue, uint8_t, ETH_QUEUES - 1),
    SEEN(sequence),
};
const struct state_table eth_record_state = STATE_TABLE("eth_record", T, record_members);
#undef T

static bool is_time_or_never(uint64_t time) {
    return time <= TIME_MOST || time == UINT64_MAX;
}

static bool is_possible_queue(const void *block) {
    const struct eth_queue *queue = block;
    bool possible = is_time_or_never(queue->latched);
    for (unsigned i = 0; i < ETH_RING; i++)
        possible = possible && is_time_or_never(queue->ends[i]);
    return possible;
}

/* Hashes the entries in order, because the position at which the ring begins makes no difference. */
static uint64_t view_ends(uint64_t hash, const void *block, uint64_t now) {
    const struct eth_queue *queue = block;
    (void)now;
    for (unsigned i = 0; i < queue->count; i++)
        hash = mix(hash, queue->ends[(queue->first + i) % ETH_RING]);
    return hash;
}

#define T struct eth_queue
static const struct state_member queue_members[] = {
    SEEN(latched),  VIEW(ends, view_ends), MOST(first, uint8_t, ETH_RING - 1), SEEN_MOST(count, uint8_t, ETH_RING),
    SEEN(sequence), SEEN_FLAG(raw),
};
static const struct state_table queue_state = STATE_CHECKED_TABLE("eth_queue", T, queue_members, is_possible_queue);
#undef T

/* The lists are not members of the table: ports_put writes them after it. */
#define T struct eth_port
static const struct state_member port_members[] = {
    WIRING(latency),
    WIRING(rate),
    WIRING(peer),
    SEEN_FLAG(up),
    SEEN_MOST(wire_free, uint64_t, TIME_MOST *ETH_PARTS),
    SEEN_MOST(read_free, uint64_t, TIME_MOST *ETH_PARTS),
    INNER(queue, queue_state),
    WIRING(out),
    WIRING(held),
    WIRING(in),
    WIRING(record),
    WIRING(record_count),
    WIRING(record_room),
    SEEN(sent),
    SEEN(received),
    SEEN(resent),
    SEEN(lost),
    SEEN(dropped),
    SEEN(trainings),
    SEEN(cuts),
};
const struct state_table eth_port_state = STATE_TABLE("eth_port", T, port_members);
#undef T
