/* Streams that receive from other streams of the same overlay (WormholeB0/NoC/Overlay/Gather.md).
 *
 * A message stays in the receive buffer of the input; only its metadata moves. When the message has been transmitted,
 * its room in the input's buffer is freed.
 *
 *     GATHER, Blackhole's fields: messages of each stream[11:0] stream by stream[12] streams of a group[15:13]
 *     in order[16] arbitrary[17]
 *
 * Assumed: the handshake takes no time. If MSG_SRC_IN_ORDER_FWD_NUM_MSGS is not 0, groups start again after that many
 * messages. */
#include "noc/stream.h"

enum { FIFO = 2 }; /* capacity of the metadata FIFO of a stream that gathers */
enum { BY_STREAM = 1 << 12, IN_ORDER = 1 << 16, ARBITRARY = 1 << 17, NO_GROUP = 64 };

static uint64_t inputs(const struct step *s) {
    return s->own[OVERLAY_SLOT_LOCAL_SRC_MASK_0] | (uint64_t)s->own[OVERLAY_SLOT_LOCAL_SRC_MASK_1] << 24 |
           (uint64_t)s->own[OVERLAY_SLOT_LOCAL_SRC_MASK_2] << 48;
}

static unsigned named_size(const struct step *s) {
    return s->own[OVERLAY_SLOT_GATHER] >> 13 & 7;
}

/* Returns the size of a group. The result is in the allowed range even if software has changed the register in the
 * middle of a phase. */
static unsigned group_size(const struct step *s) {
    unsigned size = named_size(s);
    return size == 2 || size == 4 ? size : 1;
}

static unsigned each(const struct step *s) {
    return s->own[OVERLAY_SLOT_GATHER] & 0xFFF;
}

/* Returns a mask of the members of the group that begins with this stream. */
static uint64_t members(const struct step *s, unsigned first) {
    return ((UINT64_C(1) << group_size(s)) - 1) << first;
}

static bool are_groups(const struct step *s) {
    for (unsigned first = 0; first < OVERLAY_STREAMS; first += group_size(s))
        if (inputs(s) & members(s, first) && (inputs(s) & members(s, first)) != members(s, first))
            return false;
    return true;
}

struct access gather_check(const struct step *s) {
    unsigned size = named_size(s);
    if (stream_mode(s) & STREAM_TO_STREAM && !(OVERLAY_IN_GATHER >> (s->own[OVERLAY_SLOT_REMOTE_DEST] >> 12 & 63) & 1))
        return stream_undefined("STREAM_LOCAL_DEST (overlay register 7) names a stream that cannot gather");
    if (!(stream_mode(s) & STREAM_FROM_STREAMS))
        return access_done();
    if (!(OVERLAY_IN_GATHER >> s->stream & 1))
        return stream_undefined("STREAM_MISC_CFG (overlay register 3): LOCAL_SOURCES_CONNECTED is for streams 0 to 5");
    if (stream_mode(s) & STREAM_TO_STREAM)
        return stream_undefined("STREAM_MISC_CFG (overlay register 3): a stream that gathers cannot be gathered from");
    if (s->own[OVERLAY_SLOT_GATHER] & ARBITRARY)
        return stream_unmodelled("STREAM_GATHER (overlay register 26): MSG_SRC_ARBITRARY_CLEAR_NUM_EN is not modelled");
    if ((size != 1 && size != 2 && size != 4) || !each(s))
        return stream_undefined("STREAM_GATHER (overlay register 26): MSG_ARB_GROUP_SIZE takes 1, 2 or 4, and "
                                "MSG_LOCAL_STREAM_CLEAR_NUM at least 1");
    if (!inputs(s) || !are_groups(s))
        return stream_undefined("STREAM_LOCAL_SRC_MASK (overlay registers 224 to 226) names no streams, or not all of "
                                "a group");
    return access_done();
}

void gather_begin(const struct step *s) {
    s->m->flags &= (uint8_t) ~(STREAM_CONNECTED | STREAM_IN_GROUP);
    s->m->group = s->m->member = 0;
    s->m->repeat = 0;
    s->m->in_order = 0;
    for (unsigned i = 0; stream_mode(s) & STREAM_FROM_STREAMS && i < OVERLAY_STREAMS; i++)
        if (inputs(s) >> i & 1)
            stream_touch(s, i);
}

/* Returns whether a stream transmits to this one. */
static bool offers(const struct step *s, unsigned input) {
    const uint32_t *own = s->overlay->value[input];
    return s->overlay->messages[input].state == MESSAGES_FORWARD && own[OVERLAY_SLOT_MISC_CFG] & STREAM_TO_STREAM &&
           (own[OVERLAY_SLOT_REMOTE_DEST] >> 12 & 63) == s->stream;
}

static bool is_connected(const struct step *s) {
    if (s->m->flags & STREAM_CONNECTED)
        return true;
    for (unsigned i = 0; i < OVERLAY_STREAMS; i++)
        if (inputs(s) >> i & 1 && !offers(s, i))
            return false;
    s->m->flags |= STREAM_CONNECTED;
    return true;
}

static bool is_group_ready(const struct step *s, unsigned first) {
    for (unsigned i = first; i < first + group_size(s); i++) {
        const uint32_t *own = s->overlay->value[i];
        uint32_t in_l1 = (own[OVERLAY_SLOT_MSG_INFO_WR_PTR] - own[OVERLAY_SLOT_MSG_INFO_PTR]) & STREAM_BITS_17;
        if (!offers(s, i) || s->overlay->messages[i].count + in_l1 < (own[OVERLAY_SLOT_REMOTE_DEST] & 0xFFF))
            return false;
    }
    return true;
}

/* Returns the group to receive from next, starting the search at m->group; NO_GROUP if that group is not ready, or none
 * is. */
static unsigned choose_group(const struct step *s) {
    unsigned size = group_size(s), groups = OVERLAY_STREAMS / size;
    for (unsigned i = 0; i < groups; i++) {
        unsigned first = (s->m->group / size * size + i * size) % OVERLAY_STREAMS;
        if (!(inputs(s) >> first & 1))
            continue;
        if (is_group_ready(s, first))
            return first;
        if (s->own[OVERLAY_SLOT_GATHER] & IN_ORDER)
            return NO_GROUP;
    }
    return NO_GROUP;
}

/* Advances to the next message of the group, or to the next group. */
static void move_on(const struct step *s) {
    struct messages *m = s->m;
    uint32_t again = s->own[OVERLAY_SLOT_MSG_SRC_IN_ORDER_FWD_NUM_MSGS];
    bool by_stream = s->own[OVERLAY_SLOT_GATHER] & BY_STREAM;
    if (by_stream && ++m->repeat == each(s)) {
        m->repeat = 0;
        m->member++;
    } else if (!by_stream && ++m->member == group_size(s) && ++m->repeat < each(s)) {
        m->member = 0;
    }
    if (m->member >= group_size(s)) {
        m->group = (uint8_t)((m->group + group_size(s)) % OVERLAY_STREAMS);
        m->member = 0;
        m->repeat = 0;
        m->flags &= (uint8_t)~STREAM_IN_GROUP;
    }
    if (s->own[OVERLAY_SLOT_GATHER] & IN_ORDER && again && ++m->in_order == again) {
        m->group = m->member = 0;
        m->repeat = 0;
        m->in_order = 0;
        m->flags &= (uint8_t)~STREAM_IN_GROUP;
    }
}

/* Moves one message. Returns false if none can be moved. */
static bool take_one(const struct step *s) {
    const struct step input = stream_step(s->overlay, s->wire, (s->m->group + s->m->member) % OVERLAY_STREAMS);
    struct messages *m = input.m;
    if (!m->count || !offers(s, input.stream))
        return false;
    uint32_t header[MESSAGES_HEADER];
    stream_header_of(&input, header);
    stream_put(s, m->address[0], m->size[0], header, input.stream);
    (void)stream_take(&input, 1);
    stream_touch(s, input.stream);
    s->m->to_receive--;
    move_on(s);
    return true;
}

bool gather_take(const struct step *s) {
    if (stream_mode(s) & STREAM_TO_STREAM && s->m->count) /* the stream that gathers will take the messages */
        stream_touch(s, s->own[OVERLAY_SLOT_REMOTE_DEST] >> 12 & 63);
    if (!(stream_mode(s) & STREAM_FROM_STREAMS) || s->m->count >= FIFO || !s->m->to_receive || !is_connected(s))
        return false;
    if (!(s->m->flags & STREAM_IN_GROUP)) {
        unsigned group = choose_group(s);
        if (group == NO_GROUP)
            return false;
        s->m->group = (uint8_t)group;
        s->m->flags |= STREAM_IN_GROUP;
    }
    return take_one(s);
}
