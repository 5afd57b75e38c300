/* Messages of overlay streams: see messages.h. */
#include "noc/messages.h"

#include <string.h>

#include "isa/memmap.h"
#include "noc/overlay.h"

/* Fields of MISC_CFG. */
enum {
    FROM_STREAMS = 1 << 3,
    FROM_SOFTWARE = 1 << 4,
    FROM_NOC = 1 << 5,
    TO_SOFTWARE = 1 << 6,
    TO_STREAM = 1 << 7,
    TO_NOC = 1 << 8,
    NO_FLUSH = 1 << 18,
    /* TOKEN_MODE, COPY_MODE, MSG_INFO_BUF_FLOW_CTRL, INFINITE_PHASE_EN, OOO_PHASE_EXECUTION_EN */
    OTHER_MODES = 1 << 9 | 1 << 10 | 1 << 15 | 1 << 21 | 1 << 22,
};

#define BITS_17     UINT32_C(0x1FFFF)
#define POINTER_END (BITS_17 + 1) /* the bit of RD_PTR and WR_PTR that changes when they wrap */

/* Operands of a step. */
struct step {
    struct overlay *overlay;
    const uint8_t *l1;
    unsigned stream;
    struct messages *m;
    uint32_t *own; /* registers */
};

static struct access undefined(const char *why) {
    return access_refused(BH_FAULT_UNDEFINED, why);
}

/* ---- Properties of streams ----------------------------------------------------------------------------- */

static bool has_headers(unsigned stream) {
    return stream - MESSAGES_FIRST_WITH_HEADER < MESSAGES_WITH_HEADER;
}

static bool is_large(unsigned stream) {
    return (OVERLAY_IN_ENDPOINT >> stream & 1) != 0;
}

static unsigned capacity(unsigned stream) {
    return has_headers(stream) ? MESSAGES_MAX : is_large(stream) ? 8 : 2;
}

static unsigned reads_capacity(unsigned stream) {
    return is_large(stream) ? MESSAGES_READS : 2;
}

static unsigned group(unsigned stream) {
    return has_headers(stream) ? 4 : 2;
}

/* ---- The receive buffer ---------------------------------------------------------------------------------- */

static uint32_t advance(uint32_t pointer, uint32_t size, uint32_t buffer) {
    uint32_t offset = (pointer & BITS_17) + size, wrapped = pointer & POINTER_END;
    if (buffer && offset >= buffer)
        return ((offset - buffer) & BITS_17) | (wrapped ^ POINTER_END);
    return (offset & BITS_17) | wrapped;
}

static uint32_t room(const uint32_t *own) {
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

static void end_phase(struct messages *m) {
    if (m->state == MESSAGES_FORWARD && !m->to_receive && !m->to_transmit)
        m->state = MESSAGES_IDLE;
}

static struct messages_headers *headers(const struct step *s) {
    return &s->overlay->headers[s->stream - MESSAGES_FIRST_WITH_HEADER];
}

/* Takes messages out and returns their size. Precondition: the metadata FIFO holds `count` messages. */
static uint32_t take_messages(const struct step *s, unsigned count) {
    struct messages *m = s->m;
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += m->size[i];
    m->count = (uint8_t)(m->count - count);
    m->to_transmit = (uint16_t)(m->to_transmit - count);
    memmove(m->address, m->address + count, m->count * sizeof m->address[0]);
    memmove(m->size, m->size + count, m->count * sizeof m->size[0]);
    if (has_headers(s->stream))
        memmove(headers(s)->header, headers(s)->header + count, m->count * sizeof headers(s)->header[0]);
    return sum;
}

static struct access free_info(const struct step *s, uint32_t count) {
    struct messages *m = s->m;
    if (count > 2 && count != group(s->stream))
        return undefined("STREAM_MSG_INFO_CLEAR (overlay register 265) takes 0, 1, 2 or the size of a group");
    if (count > m->count)
        return undefined("STREAM_MSG_INFO_CLEAR (overlay register 265): the stream has fewer messages");
    if (m->reads == reads_capacity(s->stream))
        return undefined("STREAM_MSG_INFO_CLEAR (overlay register 265): the L1 read complete FIFO is full");
    m->read_size[m->reads++] = take_messages(s, count);
    return access_done();
}

static struct access free_data(const struct step *s) {
    struct messages *m = s->m;
    if (!m->reads)
        return undefined("STREAM_MSG_DATA_CLEAR (overlay register 266): the L1 read complete FIFO is empty");
    s->own[OVERLAY_SLOT_RD_PTR] = advance(s->own[OVERLAY_SLOT_RD_PTR], m->read_size[0], s->own[OVERLAY_SLOT_BUF_SIZE]);
    m->reads--;
    memmove(m->read_size, m->read_size + 1, m->reads * sizeof m->read_size[0]);
    if (m->state == MESSAGES_FLUSH && !m->reads)
        m->state = MESSAGES_FORWARD;
    return access_done();
}

static struct access free_both(const struct step *s, uint32_t count) {
    if (count > s->m->count)
        return undefined("STREAM_MULTI_MSG_CLEAR (overlay register 264): the stream has fewer messages");
    s->own[OVERLAY_SLOT_RD_PTR] =
        advance(s->own[OVERLAY_SLOT_RD_PTR], take_messages(s, count), s->own[OVERLAY_SLOT_BUF_SIZE]);
    return access_done();
}

/* Minus twice a number of messages in REMOTE_DEST_MSG_INFO_WR_PTR frees that many messages, one by one. */
static bool free_by_pointer(const struct step *s) {
    uint32_t *pointer = &s->own[OVERLAY_SLOT_REMOTE_DEST_MSG_INFO_WR_PTR];
    bool odd = *pointer & 1, taken = s->own[OVERLAY_SLOT_MISC_CFG] & TO_SOFTWARE;
    if (!taken || !*pointer || (odd ? !s->m->reads : !s->m->count || s->m->reads == reads_capacity(s->stream)))
        return false;
    *pointer = (*pointer + 1) & BITS_17;
    return (odd ? free_data(s) : free_info(s, 1)).result == ACCESS_DONE;
}

/* ---- Into the FIFO ---------------------------------------------------------------------------------------- */

static void put_message(const struct step *s, uint32_t address, uint32_t size, const uint32_t *header) {
    struct messages *m = s->m;
    if (has_headers(s->stream))
        memcpy(headers(s)->header[m->count], header, sizeof headers(s)->header[0]);
    m->address[m->count] = address & BITS_17;
    m->size[m->count++] = size;
}

/* MSG_HEADER_FORMAT has the byte at which the length begins, and the width of the length. */
static uint32_t length_in(const struct step *s, const uint32_t *header) {
    uint32_t format = s->overlay->value[0][OVERLAY_SLOT_MSG_HEADER_FORMAT];
    unsigned byte = (format & 0x7F) / 8, bits = format >> 7 & 0x7F;
    uint64_t field = 0;
    memcpy(&field, (const uint8_t *)header + byte, 16 - byte < sizeof field ? 16 - byte : sizeof field);
    return bits < 17 ? (uint32_t)field & ((UINT32_C(1) << bits) - 1) : (uint32_t)field & BITS_17;
}

static struct access load_header(const struct step *s) {
    uint32_t header[MESSAGES_HEADER], *pointer = &s->own[OVERLAY_SLOT_MSG_INFO_PTR];
    if (*pointer * 16 + 16 > memmap[MEMMAP_ROW_L1].size)
        return undefined("STREAM_MSG_INFO_PTR (overlay register 22): the header array goes on beyond the end of L1");
    memcpy(header, s->l1 + *pointer * 16, sizeof header);
    uint32_t length = length_in(s, header), offset = s->m->load_offset;
    if (!length)
        return undefined("the length in the message header that STREAM_MSG_INFO_PTR points to is 0; "
                         "STREAM_MSG_HEADER_FORMAT (overlay register 33, stream 0) says where it is");
    put_message(s, s->own[OVERLAY_SLOT_BUF_START] + offset, length, header);
    s->m->load_offset = advance(offset, length, s->own[OVERLAY_SLOT_BUF_SIZE]) & BITS_17;
    *pointer = (*pointer + 1) & BITS_17;
    return access_done();
}

static bool headers_wait(const struct step *s) {
    return s->m->state == MESSAGES_FORWARD && s->m->count < capacity(s->stream) &&
           s->own[OVERLAY_SLOT_MSG_INFO_PTR] != s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
}

/* Messages without a taker leave at once. */
static bool drop(const struct step *s) {
    if (s->own[OVERLAY_SLOT_MISC_CFG] & TO_SOFTWARE || !s->m->count)
        return false;
    return free_both(s, 1).result == ACCESS_DONE;
}

/* Repeats the steps until none can go on. */
static struct access run_steps(const struct step *s) {
    struct access access = access_done();
    do
        while (access.result == ACCESS_DONE && headers_wait(s))
            access = load_header(s);
    while (access.result == ACCESS_DONE && s->m->state == MESSAGES_FORWARD && (drop(s) || free_by_pointer(s)));
    show_first(s);
    end_phase(s->m);
    return access;
}

/* ---- Software pushes ---------------------------------------------------------------------------------------- */

/* Checks what a push needs; the texts list it. */
static struct access check_push(const struct step *s, uint32_t count, uint32_t size) {
    if (s->m->state != MESSAGES_FORWARD)
        return undefined("a message is pushed to a stream that has not been started: first "
                         "STREAM_PHASE_AUTO_CFG_HEADER (34), STREAM_MISC_CFG (3) with SOURCE_ENDPOINT, "
                         "STREAM_BUF_SIZE (18), then STREAM_PHASE_ADVANCE (267)");
    if (count > s->m->to_receive)
        return undefined("the stream's phase does not expect as many messages");
    if (size > room(s->own))
        return undefined("the message does not fit into the stream's receive buffer");
    return access_done();
}

static void move_write_pointer(const struct step *s, uint32_t count, uint32_t size) {
    uint32_t *info = &s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR], *data = &s->own[OVERLAY_SLOT_WR_PTR];
    *info = (*info + count) & BITS_17;
    *data = advance(*data, size, s->own[OVERLAY_SLOT_BUF_SIZE]);
    s->m->to_receive = (uint16_t)(s->m->to_receive - count);
}

/* value: messages[11:0], size of all messages[28:12]. */
static struct access push_by_headers(const struct step *s, uint32_t value) {
    uint32_t count = value & 0xFFF, size = value >> 12 & BITS_17;
    struct access access = check_push(s, count, size);
    if (access.result != ACCESS_DONE)
        return access;
    move_write_pointer(s, count, size);
    return run_steps(s);
}

static bool can_push(const struct messages *m, unsigned stream, const uint32_t *own) {
    return m->count < capacity(stream) && own[OVERLAY_SLOT_MSG_INFO_PTR] == own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
}

/* value: address[16:0], size[30:17]. */
static struct access push_one(const struct step *s, uint32_t value) {
    static const uint32_t no_header[MESSAGES_HEADER];
    uint32_t size = value >> 17 & 0x3FFF;
    struct access access = check_push(s, 1, size);
    if (access.result != ACCESS_DONE)
        return access;
    if (!size || !can_push(s->m, s->stream, s->own))
        return undefined("STREAM_SOURCE_ENDPOINT_NEW_MSG_INFO (overlay register 0): a size of 0, or "
                         "STREAM_MSG_INFO_CAN_PUSH_NEW_MSG (275) is 0");
    put_message(s, value, size, has_headers(s->stream) ? headers(s)->next : no_header);
    move_write_pointer(s, 1, size);
    s->m->load_offset = s->own[OVERLAY_SLOT_WR_PTR] & BITS_17;
    s->own[OVERLAY_SLOT_MSG_INFO_PTR] = s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
    return run_steps(s);
}

/* ---- Phases -------------------------------------------------------------------------------------------------- */

static struct access check_start(const struct step *s) {
    uint32_t config = s->own[OVERLAY_SLOT_MISC_CFG];
    if (!s->l1)
        return access_refused(BH_FAULT_UNMODELLED, "STREAM_PHASE_ADVANCE (overlay register 267): streams of an "
                                                   "Ethernet tile cannot be started");
    if (config & (FROM_STREAMS | FROM_NOC | TO_STREAM | TO_NOC | OTHER_MODES))
        return access_refused(BH_FAULT_UNMODELLED,
                              "STREAM_PHASE_ADVANCE (overlay register 267): of streams those are modelled that "
                              "receive from software (SOURCE_ENDPOINT) and transmit to software (RECEIVER_ENDPOINT) "
                              "or nowhere");
    if (!(config & FROM_SOFTWARE))
        return undefined("STREAM_PHASE_ADVANCE (overlay register 267): STREAM_MISC_CFG names no source");
    if (s->own[OVERLAY_SLOT_MSG_INFO_PTR] != s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR])
        return undefined("STREAM_PHASE_ADVANCE (overlay register 267): STREAM_MSG_INFO_PTR and "
                         "STREAM_MSG_INFO_WR_PTR differ");
    return access_done();
}

static struct access start(const struct step *s) {
    struct messages *m = s->m;
    if (m->state != MESSAGES_IDLE)
        return access_done();
    struct access access = check_start(s);
    if (access.result != ACCESS_DONE)
        return access;
    m->to_receive = m->to_transmit = s->own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER] >> 12 & 0xFFF;
    m->load_offset = s->own[OVERLAY_SLOT_WR_PTR] & BITS_17;
    m->state = m->reads && !(s->own[OVERLAY_SLOT_MISC_CFG] & NO_FLUSH) ? MESSAGES_FLUSH : MESSAGES_FORWARD;
    return run_steps(s);
}

/* ---- The registers --------------------------------------------------------------------------------------------- */

static struct step step_of(struct overlay *overlay, const uint8_t *l1, unsigned stream) {
    return (struct step){ overlay, l1, stream, &overlay->messages[stream], overlay->value[stream] };
}

static struct access and_run_steps(const struct step *s, struct access access) {
    return access.result == ACCESS_DONE ? run_steps(s) : access;
}

struct access messages_command(struct overlay *overlay, const uint8_t *l1, unsigned stream, unsigned index,
                               uint32_t value) {
    struct step s = step_of(overlay, l1, stream);
    switch (index) {
    case OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO: return push_one(&s, value);
    case OVERLAY_NUM_MSGS_RECEIVED_INC: return push_by_headers(&s, value);
    case OVERLAY_MULTI_MSG_CLEAR: return and_run_steps(&s, free_both(&s, value));
    case OVERLAY_MSG_INFO_CLEAR: return and_run_steps(&s, free_info(&s, value));
    case OVERLAY_MSG_DATA_CLEAR: return and_run_steps(&s, free_data(&s));
    case OVERLAY_PHASE_ADVANCE: return start(&s);
    case OVERLAY_RESET: *s.m = (struct messages){ 0 }; return access_done();
    default: break;
    }
    if (has_headers(stream)) /* RECEIVER_ENDPOINT_SET_MSG_HEADER */
        headers(&s)->next[index - OVERLAY_RECEIVER_ENDPOINT_SET_MSG_HEADER] = value;
    return access_done();
}

struct access messages_pointer(struct overlay *overlay, const uint8_t *l1, unsigned stream) {
    struct step s = step_of(overlay, l1, stream);
    return s.m->state == MESSAGES_FORWARD ? run_steps(&s) : access_done();
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
    uint32_t why = m->state == MESSAGES_IDLE ? 1u << 0 : m->state == MESSAGES_FLUSH ? 1u << 1 : 1u << 2;
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
    case OVERLAY_BUF_SPACE_AVAILABLE: return room(own);
    case OVERLAY_MSG_GROUP_ZERO_MASK_AND: return zero_masks(overlay, stream);
    case OVERLAY_MSG_INFO_FULL:
    case OVERLAY_MSG_INFO_FULLY_LOADED: return m->count == capacity(stream);
    case OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG: return can_push(m, stream, own);
    case OVERLAY_MSG_GROUP_COMPRESS: return compress_flags(overlay, stream);
    case OVERLAY_PHASE_ALL_MSGS_PUSHED: return m->to_receive == 0;
    case OVERLAY_READY_FOR_MSG_PUSH: return m->state == MESSAGES_FORWARD;
    case OVERLAY_DEBUG_STATUS + 2: return m->reads < reads_capacity(stream);
    default: break;
    }
    if (index - OVERLAY_RECEIVER_MSG_INFO < MESSAGES_MAX * (2 + MESSAGES_HEADER))
        return info_word(overlay, stream, index - OVERLAY_RECEIVER_MSG_INFO);
    return 0; /* flow control of header arrays, the table of offsets, blobs, the other bits of DEBUG_STATUS */
}
