/* Messages of overlay streams: see messages.h. */
#include "noc/messages.h"

#include <string.h>

#include "isa/memmap.h"
#include "noc/stream.h"

#define BITS_17     STREAM_BITS_17
#define POINTER_END (BITS_17 + 1) /* the bit of RD_PTR and WR_PTR that changes when they wrap */

/* ---- Properties of streams ----------------------------------------------------------------------------- */

static bool has_headers(unsigned stream) {
    return stream - MESSAGES_FIRST_WITH_HEADER < MESSAGES_WITH_HEADER;
}

static bool is_large(unsigned stream) {
    return (OVERLAY_IN_ENDPOINT >> stream & 1) != 0;
}

unsigned stream_capacity(unsigned stream) {
    return has_headers(stream) ? MESSAGES_MAX : is_large(stream) ? 8 : 2;
}

unsigned stream_reads_capacity(unsigned stream) {
    return is_large(stream) ? MESSAGES_READS : 2;
}

static unsigned group(unsigned stream) {
    return has_headers(stream) ? 4 : 2;
}

/* ---- The receive buffer ---------------------------------------------------------------------------------- */

uint32_t stream_advance(uint32_t pointer, uint32_t size, uint32_t buffer) {
    uint32_t offset = (pointer & BITS_17) + size, wrapped = pointer & POINTER_END;
    if (buffer && offset >= buffer)
        return ((offset - buffer) & BITS_17) | (wrapped ^ POINTER_END);
    return (offset & BITS_17) | wrapped;
}

uint32_t stream_room(const uint32_t *own) {
    uint32_t size = own[OVERLAY_SLOT_BUF_SIZE], read = own[OVERLAY_SLOT_RD_PTR], write = own[OVERLAY_SLOT_WR_PTR];
    if (read == write || !size)
        return size;
    return ((read & BITS_17) + size - (write & BITS_17) % size) % size;
}

/* ---- Out of the FIFOs ------------------------------------------------------------------------------------- */

/* Updates the registers that show the first message. */
static void show_first(const struct step *s) {
    if (!s->m->count)
        return;
    s->own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_ADDR] = s->m->address[0];
    s->own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_SIZE] = s->m->size[0];
}

static struct messages_headers *headers(const struct step *s) {
    return &s->overlay->headers[s->stream - MESSAGES_FIRST_WITH_HEADER];
}

void stream_header_of(const struct step *s, uint32_t header[MESSAGES_HEADER]) {
    uint32_t pointer = (s->own[OVERLAY_SLOT_MSG_INFO_PTR] - s->m->count) & BITS_17;
    memset(header, 0, MESSAGES_HEADER * sizeof header[0]);
    if (pointer * 16 + 16 <= memmap[MEMMAP_ROW_L1].size)
        memcpy(header, s->wire->l1 + pointer * 16, MESSAGES_HEADER * sizeof header[0]);
}

/* PHASE_AUTO_CFG_HEADER shows the number of messages that are left, in two fields. */
static void count_down(const struct step *s, unsigned count) {
    uint32_t *header = &s->own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER];
    s->m->to_transmit = (uint16_t)(s->m->to_transmit - count);
    *header = (*header & 0xFF000000) | (uint32_t)(s->m->to_transmit & 0xFFF) << 12 | (s->m->to_transmit & 0xFFF);
}

uint32_t stream_take(const struct step *s, unsigned count) {
    struct messages *m = s->m;
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += m->size[i];
    m->count = (uint8_t)(m->count - count);
    count_down(s, count);
    memmove(m->address, m->address + count, m->count * sizeof m->address[0]);
    memmove(m->size, m->size + count, m->count * sizeof m->size[0]);
    memmove(m->from, m->from + count, m->count * sizeof m->from[0]);
    if (has_headers(s->stream))
        memmove(headers(s)->header, headers(s)->header + count, m->count * sizeof headers(s)->header[0]);
    if (stream_mode(s) & STREAM_FROM_STREAMS) /* there may be room for messages of the inputs */
        stream_touch(s, s->stream);
    return sum;
}

void stream_free(const struct step *s, unsigned from, uint32_t words) {
    struct messages *m = &s->overlay->messages[from];
    uint32_t *own = s->overlay->value[from];
    own[OVERLAY_SLOT_RD_PTR] = stream_advance(own[OVERLAY_SLOT_RD_PTR], words, own[OVERLAY_SLOT_BUF_SIZE]);
    if (m->source_how & STREAM_HOW_FLOW)
        m->freed += words;
    stream_touch(s, from);
}

/* Returns whether the first `count` messages are in different buffers. */
static bool differ(const struct messages *m, unsigned count) {
    for (unsigned i = 1; i < count; i++)
        if (m->from[i] != m->from[0])
            return true;
    return false;
}

/* Refuses a message for software if a packet or another stream takes it. */
static struct access check_taker(const struct step *s) {
    if (stream_mode(s) & (STREAM_TO_NOC | STREAM_TO_STREAM))
        return stream_undefined("a message is taken from a stream that transmits it to another one: STREAM_MISC_CFG "
                                "(overlay register 3) has no RECEIVER_ENDPOINT");
    return access_done();
}

static struct access free_info(const struct step *s, uint32_t count) {
    struct messages *m = s->m;
    if (count > 2 && count != group(s->stream))
        return stream_undefined("STREAM_MSG_INFO_CLEAR (overlay register 265) takes 0, 1, 2 or the size of a group");
    if (count > m->count)
        return stream_undefined("STREAM_MSG_INFO_CLEAR (overlay register 265): the stream has fewer messages");
    if (m->reads == stream_reads_capacity(s->stream))
        return stream_undefined("STREAM_MSG_INFO_CLEAR (overlay register 265): the L1 read complete FIFO is full");
    if (differ(m, count))
        return stream_unmodelled(
            "STREAM_MSG_INFO_CLEAR (overlay register 265): messages of several gathered streams at "
            "once are not modelled");
    m->read_from[m->reads] = count ? m->from[0] : (uint8_t)s->stream;
    m->read_size[m->reads++] = stream_take(s, count);
    return access_done();
}

void stream_read_complete(const struct step *s) {
    struct messages *m = s->m;
    stream_free(s, m->read_from[0], m->read_size[0]);
    m->reads--;
    memmove(m->read_size, m->read_size + 1, m->reads * sizeof m->read_size[0]);
    memmove(m->read_from, m->read_from + 1, m->reads * sizeof m->read_from[0]);
    stream_touch(s, s->stream);
}

static struct access free_data(const struct step *s) {
    if (!s->m->reads)
        return stream_undefined("STREAM_MSG_DATA_CLEAR (overlay register 266): the L1 read complete FIFO is empty");
    stream_read_complete(s);
    return access_done();
}

static struct access free_both(const struct step *s, uint32_t count) {
    if (count > s->m->count)
        return stream_undefined("STREAM_MULTI_MSG_CLEAR (overlay register 264): the stream has fewer messages");
    for (; count; count--) {
        unsigned from = s->m->from[0];
        stream_free(s, from, stream_take(s, 1));
    }
    return access_done();
}

/* Writing minus twice a number of messages to REMOTE_DEST_MSG_INFO_WR_PTR frees that many messages, one by one. */
static bool free_by_pointer(const struct step *s) {
    uint32_t *pointer = &s->own[OVERLAY_SLOT_REMOTE_DEST_MSG_INFO_WR_PTR];
    bool odd = *pointer & 1, taken = stream_mode(s) & STREAM_TO_SOFTWARE;
    if (!taken || !*pointer || (odd ? !s->m->reads : !s->m->count || s->m->reads == stream_reads_capacity(s->stream)))
        return false;
    *pointer = (*pointer + 1) & BITS_17;
    return (odd ? free_data(s) : free_info(s, 1)).result == ACCESS_DONE;
}

/* ---- Into the FIFO ---------------------------------------------------------------------------------------- */

void stream_put(const struct step *s, uint32_t address, uint32_t size, const uint32_t *header, unsigned from) {
    static const uint32_t no_header[MESSAGES_HEADER];
    struct messages *m = s->m;
    if (has_headers(s->stream))
        memcpy(headers(s)->header[m->count], header ? header : no_header, sizeof headers(s)->header[0]);
    m->address[m->count] = address & BITS_17;
    m->from[m->count] = (uint8_t)from;
    m->size[m->count++] = size;
}

/* MSG_HEADER_FORMAT has the byte at which the length begins and the width of the length. */
static uint32_t length_in(const struct step *s, const uint32_t *header) {
    uint32_t format = s->overlay->value[0][OVERLAY_SLOT_MSG_HEADER_FORMAT];
    unsigned byte = (format & 0x7F) / 8, bits = format >> 7 & 0x7F;
    uint64_t field = 0;
    memcpy(&field, (const uint8_t *)header + byte, 16 - byte < sizeof field ? 16 - byte : sizeof field);
    return bits < 17 ? (uint32_t)field & ((UINT32_C(1) << bits) - 1) : (uint32_t)field & BITS_17;
}

uint32_t stream_length_at(const struct step *s, uint32_t pointer) {
    uint32_t header[MESSAGES_HEADER];
    memcpy(header, s->wire->l1 + pointer * 16, sizeof header);
    return length_in(s, header);
}

static struct access load_header(const struct step *s) {
    uint32_t header[MESSAGES_HEADER], *pointer = &s->own[OVERLAY_SLOT_MSG_INFO_PTR];
    if (*pointer * 16 + 16 > memmap[MEMMAP_ROW_L1].size)
        return stream_undefined("STREAM_MSG_INFO_PTR (overlay register 22): the header array goes on beyond the end of "
                                "L1");
    memcpy(header, s->wire->l1 + *pointer * 16, sizeof header);
    uint32_t length = length_in(s, header), offset = s->m->load_offset;
    if (!length)
        return stream_undefined("the length in the message header that STREAM_MSG_INFO_PTR points to is 0; "
                                "STREAM_MSG_HEADER_FORMAT (overlay register 33, stream 0) says where it is");
    stream_put(s, s->own[OVERLAY_SLOT_BUF_START] + offset, length, header, s->stream);
    uint32_t size = s->own[OVERLAY_SLOT_BUF_SIZE]; /* a message that is being passed on may be longer than the buffer */
    s->m->load_offset = size ? (offset + length) % size : (offset + length) & BITS_17;
    *pointer = (*pointer + 1) & BITS_17;
    return access_done();
}

static bool headers_wait(const struct step *s) {
    return s->m->state == MESSAGES_FORWARD && s->m->count < stream_capacity(s->stream) &&
           !(stream_mode(s) & STREAM_FROM_STREAMS) &&
           s->own[OVERLAY_SLOT_MSG_INFO_PTR] != s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
}

/* Messages without a taker leave at once. */
static bool drop(const struct step *s) {
    if (stream_mode(s) & (STREAM_TO_SOFTWARE | STREAM_TO_NOC | STREAM_TO_STREAM) || !s->m->count)
        return false;
    return free_both(s, 1).result == ACCESS_DONE;
}

/* ---- Software pushes ---------------------------------------------------------------------------------------- */

/* Checks the conditions of a push; the texts list them. */
static struct access check_push(const struct step *s, uint32_t count, uint32_t size) {
    if (s->m->state != MESSAGES_FORWARD || !(stream_mode(s) & STREAM_FROM_SOFTWARE))
        return stream_undefined("a message is pushed to a stream that has not been started: first "
                                "STREAM_PHASE_AUTO_CFG_HEADER (34), STREAM_MISC_CFG (3) with SOURCE_ENDPOINT, "
                                "STREAM_BUF_SIZE (18), then STREAM_PHASE_ADVANCE (267)");
    if (count > s->m->to_receive)
        return stream_undefined("the stream's phase does not expect as many messages");
    if (size > stream_room(s->own))
        return stream_undefined("the message does not fit into the stream's receive buffer");
    return access_done();
}

static void move_write_pointer(const struct step *s, uint32_t count, uint32_t size) {
    uint32_t *info = &s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR], *data = &s->own[OVERLAY_SLOT_WR_PTR];
    *info = (*info + count) & BITS_17;
    *data = stream_advance(*data, size, s->own[OVERLAY_SLOT_BUF_SIZE]);
    s->m->to_receive = (uint16_t)(s->m->to_receive - count);
}

/* value: number of messages[11:0], size of all messages[28:12]. */
static struct access push_by_headers(const struct step *s, uint32_t value) {
    uint32_t count = value & 0xFFF, size = value >> 12 & BITS_17;
    struct access access = check_push(s, count, size);
    if (access.result == ACCESS_DONE)
        move_write_pointer(s, count, size);
    return access;
}

static bool can_push(const struct messages *m, unsigned stream, const uint32_t *own) {
    return m->count < stream_capacity(stream) && own[OVERLAY_SLOT_MSG_INFO_PTR] == own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
}

/* value: address[16:0], size[30:17]. */
static struct access push_one(const struct step *s, uint32_t value) {
    uint32_t size = value >> 17 & 0x3FFF;
    struct access access = check_push(s, 1, size);
    if (access.result != ACCESS_DONE)
        return access;
    if (!size || !can_push(s->m, s->stream, s->own))
        return stream_undefined("STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO (overlay register 0): a size of 0, or "
                                "STREAM_MSG_INFO_CAN_PUSH_NEW_MSG (275) is 0");
    stream_put(s, value, size, has_headers(s->stream) ? headers(s)->next : NULL, s->stream);
    move_write_pointer(s, 1, size);
    s->m->load_offset = s->own[OVERLAY_SLOT_WR_PTR] & BITS_17;
    s->own[OVERLAY_SLOT_MSG_INFO_PTR] = s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
    return access;
}

/* ---- Phases -------------------------------------------------------------------------------------------------- */

static struct access check_start(const struct step *s) {
    uint32_t mode = stream_mode(s);
    uint32_t from = mode & (STREAM_FROM_STREAMS | STREAM_FROM_SOFTWARE | STREAM_FROM_NOC);
    uint32_t to = mode & (STREAM_TO_SOFTWARE | STREAM_TO_STREAM | STREAM_TO_NOC);
    if (!s->wire->l1)
        return stream_unmodelled("STREAM_PHASE_ADVANCE (overlay register 267): streams of an Ethernet tile cannot be "
                                 "started");
    if (mode & STREAM_OTHER_MODES || (to == STREAM_TO_NOC && mode & STREAM_DEST_INFO_FLOW))
        return stream_unmodelled("STREAM_PHASE_ADVANCE (overlay register 267): of STREAM_MISC_CFG, TOKEN_MODE, "
                                 "COPY_MODE, flow control of header arrays, INFINITE_PHASE_EN and "
                                 "OOO_PHASE_EXECUTION_EN are not modelled");
    if (!from || from & (from - 1))
        return stream_undefined("STREAM_PHASE_ADVANCE (overlay register 267): STREAM_MISC_CFG names no source, or more "
                                "than one");
    if (to & (to - 1))
        return stream_undefined("STREAM_PHASE_ADVANCE (overlay register 267): STREAM_MISC_CFG names more than one "
                                "receiver");
    bool goes_on = from == STREAM_FROM_NOC && s->m->flags & STREAM_SAME_SOURCE;
    if (from != STREAM_FROM_STREAMS && !goes_on &&
        s->own[OVERLAY_SLOT_MSG_INFO_PTR] != s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR])
        return stream_undefined("STREAM_PHASE_ADVANCE (overlay register 267): STREAM_MSG_INFO_PTR and "
                                "STREAM_MSG_INFO_WR_PTR differ");
    struct access access = transfer_check(s);
    return access.result == ACCESS_DONE ? gather_check(s) : access;
}

static uint32_t expected(const struct step *s) {
    return s->own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER] >> 12 & 0xFFF;
}

/* Starts to receive and transmit. */
static void enter(const struct step *s) {
    struct messages *m = s->m;
    m->state = MESSAGES_FORWARD;
    m->to_receive = m->to_transmit = (uint16_t)expected(s);
    m->sent = 0;
    if (stream_mode(s) & STREAM_FROM_SOFTWARE)
        m->load_offset = s->own[OVERLAY_SLOT_WR_PTR] & BITS_17;
    transfer_begin(s);
    gather_begin(s);
}

/* Returns whether a stream that gathers has messages of this one. */
static bool is_read_by_another(const struct step *s) {
    for (unsigned i = 0; OVERLAY_IN_GATHER >> i; i++) {
        const struct messages *m = &s->overlay->messages[i];
        for (unsigned j = 0; i != s->stream && j < m->count; j++)
            if (m->from[j] == s->stream)
                return true;
        for (unsigned j = 0; i != s->stream && j < m->reads; j++)
            if (m->read_from[j] == s->stream)
                return true;
    }
    return false;
}

/* Returns whether everything of the previous phase is over: reads of L1, and what its sender has to be told. */
static bool is_flushed(const struct step *s) {
    const struct messages *m = s->m;
    bool reads = (m->reads || is_read_by_another(s)) && !(stream_mode(s) & STREAM_NO_FLUSH);
    return !reads && !(m->freed && !(m->flags & STREAM_SAME_SOURCE));
}

struct access stream_start(const struct step *s) {
    struct access access = check_start(s);
    if (access.result == ACCESS_DONE) {
        s->m->state = MESSAGES_FLUSH;
        stream_touch(s, s->stream);
    }
    return access;
}

static bool is_over(const struct step *s) {
    return s->m->state == MESSAGES_FORWARD && !s->m->to_receive && !s->m->to_transmit && transfer_is_over(s);
}

static struct access end_phase(const struct step *s) {
    struct messages *m = s->m;
    uint32_t mode = stream_mode(s);
    m->flags = (uint8_t)((mode & STREAM_SRC_CHANGE ? 0 : STREAM_SAME_SOURCE) |
                         (mode & STREAM_DEST_CHANGE ? 0 : STREAM_SAME_DEST) | (m->flags & STREAM_RESPONDS));
    m->state = MESSAGES_IDLE;
    if (s->own[OVERLAY_SLOT_ONETIME_MISC_CFG] & STREAM_AUTO_CONFIG)
        return blob_load(s);
    blob_done(s);
    return access_done();
}

/* Moves every message that can be moved. */
static struct access forward(const struct step *s) {
    struct access access = access_done();
    bool moved = true;
    while (moved && access.result == ACCESS_DONE && s->m->state == MESSAGES_FORWARD) {
        while (access.result == ACCESS_DONE && headers_wait(s))
            access = load_header(s);
        moved = access.result == ACCESS_DONE && (gather_take(s) || drop(s) || free_by_pointer(s));
    }
    show_first(s);
    return access;
}

struct access stream_go_on(const struct step *s) {
    enum { PHASES_MAX = 4096 }; /* the most phases without a message in a row, which take no time */
    struct access access = access_done();
    for (unsigned phases = 0; access.result == ACCESS_DONE; phases++) {
        if (phases == PHASES_MAX)
            return stream_undefined("the stream's configurations in L1 form a loop of phases without messages");
        bool flushed = s->m->state == MESSAGES_FLUSH && is_flushed(s), empty = flushed && !expected(s);
        if (flushed && !empty)
            enter(s);
        if (!empty)
            access = forward(s);
        if (access.result != ACCESS_DONE || (!empty && !is_over(s)))
            break;
        access = end_phase(s);
    }
    return access;
}

/* ---- The registers --------------------------------------------------------------------------------------------- */

/* Starts the stream if it waits to be started. */
static struct access advance_phase(const struct step *s) {
    return s->m->state == MESSAGES_IDLE || s->m->state == MESSAGES_LOADED ? stream_start(s) : access_done();
}

static void reset(const struct step *s) {
    uint64_t bit = UINT64_C(1) << s->stream;
    *s->m = (struct messages){ 0 };
    s->overlay->waiting[0] &= ~bit;
    s->overlay->waiting[1] &= ~bit;
}

static struct access take_by_software(const struct step *s, unsigned index, uint32_t value) {
    struct access access = check_taker(s);
    if (access.result != ACCESS_DONE)
        return access;
    switch (index) {
    case OVERLAY_MULTI_MSG_CLEAR: return free_both(s, value);
    case OVERLAY_MSG_INFO_CLEAR: return free_info(s, value);
    default: return free_data(s);
    }
}

struct access messages_command(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                               uint32_t value) {
    const struct step s = stream_step(overlay, wire, stream);
    switch (index) {
    case OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO: return push_one(&s, value);
    case OVERLAY_NUM_MSGS_RECEIVED_INC: return push_by_headers(&s, value);
    case OVERLAY_MULTI_MSG_CLEAR:
    case OVERLAY_MSG_INFO_CLEAR:
    case OVERLAY_MSG_DATA_CLEAR: return take_by_software(&s, index, value);
    case OVERLAY_PHASE_ADVANCE: return advance_phase(&s);
    case OVERLAY_DEST_PHASE_READY_UPDATE: return transfer_ready(&s, value);
    case OVERLAY_SRC_READY_UPDATE: return transfer_requested(&s, value);
    case OVERLAY_RESET: reset(&s); return access_done();
    case OVERLAY_BLOB_AUTO_CFG_DONE:
    case OVERLAY_BLOB_AUTO_CFG_DONE + 1:
        if (stream == 0)
            overlay->done &= ~((uint64_t)value << 32 * (index - OVERLAY_BLOB_AUTO_CFG_DONE));
        return access_done();
    default: break;
    }
    if (has_headers(stream)) /* RECEIVER_ENDPOINT_SET_MSG_HEADER */
        headers(&s)->next[index - OVERLAY_RECEIVER_ENDPOINT_SET_MSG_HEADER] = value;
    return access_done();
}

/* Returns a word of the metadata FIFO for RECEIVER_MSG_INFO: address, size, and in some streams the header. */
static uint32_t info_word(const struct overlay *overlay, unsigned stream, unsigned word) {
    const struct messages *m = &overlay->messages[stream];
    unsigned words = has_headers(stream) ? 2 + MESSAGES_HEADER : 2, i = word / words, j = word % words;
    if (i == 0 && j < 2)
        return overlay->value[stream][j ? OVERLAY_SLOT_NEXT_RECEIVED_MSG_SIZE : OVERLAY_SLOT_NEXT_RECEIVED_MSG_ADDR];
    if (i >= m->count)
        return 0;
    if (j < 2)
        return j ? m->size[i] : m->address[i];
    return overlay->headers[stream - MESSAGES_FIRST_WITH_HEADER].header[i][j - 2];
}

static uint32_t header_word(const struct overlay *overlay, unsigned stream, unsigned message, unsigned word) {
    return has_headers(stream) ? info_word(overlay, stream, message * (2 + MESSAGES_HEADER) + 2 + word) : 0;
}

static uint32_t zero_masks(const struct overlay *overlay, unsigned stream) {
    uint32_t all = UINT32_MAX;
    for (unsigned i = 0; i < 4; i++)
        all &= header_word(overlay, stream, i, 2);
    return all;
}

static uint32_t compress_flags(const struct overlay *overlay, unsigned stream) {
    uint32_t all = 0;
    for (unsigned i = 0; i < 4; i++)
        all |= (header_word(overlay, stream, i, 1) >> 20 & 1) << i;
    return all;
}

static uint32_t wait_status(const struct messages *m) {
    bool waits = m->state == MESSAGES_IDLE || m->state == MESSAGES_LOADED;
    uint32_t why = waits ? 1u << 0 : m->state == MESSAGES_FLUSH ? 1u << 1 : 1u << 2;
    return why | (uint32_t)m->state << 3;
}

static uint32_t arrived(const struct messages *m, unsigned stream, const uint32_t *own) {
    if (!has_headers(stream) || m->state == MESSAGES_IDLE)
        return 0;
    return m->count + ((own[OVERLAY_SLOT_MSG_INFO_WR_PTR] - own[OVERLAY_SLOT_MSG_INFO_PTR]) & BITS_17);
}

uint32_t messages_show(const struct overlay *overlay, unsigned stream, unsigned index) {
    const struct messages *m = &overlay->messages[stream];
    const uint32_t *own = overlay->value[stream];
    switch (index) {
    case OVERLAY_NUM_MSGS_RECEIVED: return m->count;
    case OVERLAY_WAIT_STATUS: return wait_status(m);
    case OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM: return arrived(m, stream, own);
    case OVERLAY_BUF_SPACE_AVAILABLE: return stream_room(own);
    case OVERLAY_MSG_GROUP_ZERO_MASK_AND: return zero_masks(overlay, stream);
    case OVERLAY_MSG_INFO_FULL:
    case OVERLAY_MSG_INFO_FULLY_LOADED: return m->count == stream_capacity(stream);
    case OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG: return can_push(m, stream, own);
    case OVERLAY_MSG_GROUP_COMPRESS: return compress_flags(overlay, stream);
    case OVERLAY_PHASE_ALL_MSGS_PUSHED: return m->to_receive == 0;
    case OVERLAY_READY_FOR_MSG_PUSH: return m->state == MESSAGES_FORWARD;
    case OVERLAY_BLOB_NEXT_AUTO_CFG_DONE: return stream == 0 ? blob_next(overlay) : 0;
    case OVERLAY_DEBUG_STATUS + 2: return m->reads < stream_reads_capacity(stream);
    default: break;
    }
    if (index - OVERLAY_RECEIVER_MSG_INFO < MESSAGES_MAX * (2 + MESSAGES_HEADER))
        return info_word(overlay, stream, index - OVERLAY_RECEIVER_MSG_INFO);
    return 0; /* flow control of header arrays, the table of offsets, the other bits of DEBUG_STATUS */
}
