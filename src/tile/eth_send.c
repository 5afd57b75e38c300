/* TX queues and the wire: see eth_port.h. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "tile/eth_port.h"
#include "tile/l1.h"
#include "tile/watch.h"

#define NEVER UINT64_MAX

/* Values of ETH_TXQ_CMD, and offsets of the words of a queue. */
enum { COMMAND_RAW = 1, COMMAND_DATA = 2, COMMAND_REGISTER = 4 };
enum { MAX_PACKET = 0x0C, START_ADDRESS = 0x14, SIZE = 0x18, DESTINATION = 0x1C };
enum { TRANSFERS = 0x30, PACKETS_STARTED = 0x34, PACKETS_ENDED = 0x3C, WORDS = 0x40, REGISTER_DATA = 0x44 };
enum { RESENDS = 0x68, ACCEPT_AHEAD = 0x6C, HEADERS_SW = 0x80, STATUS = 0x08, REMOTE_SEQUENCE = 0x44 };
enum { ONGOING = 1 << 16, QUEUE_WITHOUT_REGISTERS = 2, HEADERS = 10, ALIGN = 16 };

/* ---- Lists of frames ---------------------------------------------------------------------------------------- */

void eth_frames_put(struct eth_frames *list, struct eth_frame *frame) {
    frame->next = NULL;
    if (list->last)
        list->last->next = frame;
    else
        list->first = frame;
    list->last = frame;
    list->count++;
}

struct eth_frame *eth_frames_take(struct eth_frames *list) {
    struct eth_frame *frame = list->first;
    if (!frame)
        return NULL;
    list->first = frame->next;
    if (!list->first)
        list->last = NULL;
    list->count--;
    return frame;
}

void eth_frames_append(struct eth_frames *list, struct eth_frames *more) {
    if (!more->first)
        return;
    if (list->last)
        list->last->next = more->first;
    else
        list->first = more->first;
    list->last = more->last;
    list->count += more->count;
    *more = (struct eth_frames){ 0 };
}

void eth_frames_free(struct eth_frames *list) {
    for (struct eth_frame *frame; (frame = eth_frames_take(list));)
        free(frame);
}

void eth_port_init(struct eth_port *port, uint32_t latency, uint32_t rate) {
    *port = (struct eth_port){ .latency = latency, .rate = rate };
}

void eth_port_clear(struct eth_port *port) {
    eth_frames_free(&port->out);
    eth_frames_free(&port->held);
    eth_frames_free(&port->in);
    free(port->record);
    port->record = NULL;
    port->record_count = port->record_room = 0;
    memset(port->queue, 0, sizeof port->queue);
}

/* ---- The wire ------------------------------------------------------------------------------------------------ */

/* Returns the time that a frame takes on the wire, in 1/ETH_PARTS of a cycle, rounded up. */
static uint64_t wire_time(const struct eth_port *port, uint32_t length) {
    uint64_t bytes = length + ETH_CRC < ETH_FRAME_MIN ? ETH_FRAME_MIN : length + ETH_CRC;
    uint64_t per_byte = (uint64_t)8 * ETH_PARTS * ETH_CLOCK_MHZ, gbps = (uint64_t)1000 * port->rate;
    return ((bytes + ETH_GAP) * per_byte + gbps - 1) / gbps;
}

/* Returns the time that it takes to read the bytes of a frame from L1, likewise. A register write has none there. */
static uint64_t read_time(const struct eth_frame *frame) {
    uint64_t bytes = frame->kind == ETH_FRAME_REGISTER ? 0 : frame->size;
    return (bytes * ETH_PARTS + ETH_READ_BYTES - 1) / ETH_READ_BYTES;
}

static uint64_t in_cycles(uint64_t parts) {
    return (parts + ETH_PARTS - 1) / ETH_PARTS;
}

/* Keeps a record of the frame. Precondition: there is room for a record. */
static void record(struct eth_port *port, const struct eth_frame *frame) {
    port->record[port->record_count++] = (struct eth_record){
        .start = frame->start,
        .end = frame->end,
        .arrives = frame->arrives,
        .acknowledged = frame->kind == ETH_FRAME_RAW ? frame->end : frame->arrives + port->latency,
        .words = (frame->length + ETH_CRC + ETH_WORD - 1) / ETH_WORD,
        .queue = frame->queue,
        .sequence = frame->sequence,
    };
}

/* Puts a frame on the wire, as soon as its bytes have been read, from `time` on, and the wire is free. Returns the
 * cycle of its last bit. */
static uint64_t send(struct tile *tile, struct eth_frame *frame, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    port->read_free = later(time * ETH_PARTS, port->read_free) + read_time(frame);
    uint64_t start = later(port->read_free, port->wire_free);
    port->wire_free = start + wire_time(port, frame->length);
    frame->start = start / ETH_PARTS;
    frame->end = in_cycles(port->wire_free);
    frame->arrives = frame->end + port->latency;
    record(port, frame);
    port->sent.frames++;
    port->sent.bytes += frame->length + ETH_CRC;
    if (tile->mail.observer)
        watch_frame_sent(&tile->mail, frame);
    eth_frames_put(&port->out, frame);
    return frame->end;
}

static bool has_records(struct eth_port *port, uint64_t more) {
    while (port->record_room - port->record_count < more) {
        struct eth_record *list = list_room(port->record, port->record_room, &port->record_room, sizeof *list);
        if (!list)
            return false;
        port->record = list;
    }
    return true;
}

/* ---- Commands ------------------------------------------------------------------------------------------------- */

/* A command, as the registers of its queue describe it. */
struct command {
    uint32_t kind; /* enum eth_frame_kind */
    uint32_t from, size, to, value, limit;
    unsigned queue, header;
};

static struct access undefined(const char *why) {
    return access_refused(BH_FAULT_UNDEFINED, why);
}

static struct access check_data(const struct tile *tile, const struct command *command) {
    if (command->from % ALIGN || command->size % ALIGN || command->to % ALIGN)
        return undefined("addresses and size of a TT-link write are multiples of 16");
    if (!command->size || !l1_holds(tile, command->from, command->size))
        return undefined("L1 of the Ethernet tile does not hold the bytes to send");
    return access_done();
}

static struct access check(const struct tile *tile, const struct command *command) {
    if (command->header >= HEADERS)
        return undefined("the TX header table has ten entries");
    switch (command->kind) {
    case ETH_FRAME_DATA: return check_data(tile, command);
    case ETH_FRAME_REGISTER:
        if (command->queue == QUEUE_WITHOUT_REGISTERS)
            return undefined("TX queue 2 cannot send register writes");
        return command->to % 4 ? undefined("the address of a register write is a multiple of 4") : access_done();
    default: break;
    }
    if (!command->size || !l1_holds(tile, command->from, command->size))
        return undefined("L1 of the Ethernet tile does not hold the bytes to send");
    return access_done();
}

static bool read_command(const struct tile *tile, unsigned queue, uint32_t value, struct command *command) {
    const uint32_t *word = tile->eth.txq[queue];
    static const uint8_t header_shift[] = { [ETH_FRAME_RAW] = 0, [ETH_FRAME_REGISTER] = 4, [ETH_FRAME_DATA] = 8 };
    *command = (struct command){
        .kind = value == COMMAND_RAW    ? ETH_FRAME_RAW
                : value == COMMAND_DATA ? ETH_FRAME_DATA
                                        : ETH_FRAME_REGISTER,
        .from = word[START_ADDRESS / 4],
        .size = word[SIZE / 4],
        .to = word[DESTINATION / 4],
        .value = word[REGISTER_DATA / 4],
        .limit = word[MAX_PACKET / 4],
        .queue = queue,
    };
    command->header = word[HEADERS_SW / 4] >> header_shift[command->kind] & 15;
    if (command->kind == ETH_FRAME_DATA)
        command->limit = command->limit / ALIGN * ALIGN;
    if (!command->limit)
        command->limit = command->size; /* no limit is set: send one packet */
    return value == COMMAND_RAW || value == COMMAND_DATA || value == COMMAND_REGISTER;
}

/* Makes a frame with these bytes of the transfer. Returns NULL if there is no memory, or if the header is refused: then
 * *refused is the reason. */
static struct eth_frame *make_frame(const struct tile *tile, const struct command *command, uint32_t at, uint32_t size,
                                    const char **refused) {
    uint8_t header[ETH_HEADER_MAX];
    bool raw = command->kind == ETH_FRAME_RAW;
    const uint8_t *bytes = tile->l1 + command->from + at;
    uint32_t link = raw ? 0 : ETH_LINK_HEADER;
    uint32_t head = eth_header_write(&tile->eth, command->header, raw ? bytes : NULL, link + size, header, refused);
    struct eth_frame *frame = *refused ? NULL : malloc(sizeof *frame + head + size);
    if (!frame)
        return NULL;
    *frame = (struct eth_frame){
        .address = command->to + at,
        .size = raw ? head + size : size,
        .length = head + link + size,
        .head = raw ? 0 : (uint16_t)head,
        .kind = (uint8_t)command->kind,
        .mac_class = (uint8_t)eth_address_class(header),
        .queue = (uint8_t)command->queue,
        .last = at + size == command->size,
    };
    memcpy(raw ? frame->data : frame->data + size, header, head);
    memcpy(raw ? frame->data + head : frame->data,
           command->kind == ETH_FRAME_REGISTER ? (const void *)&command->value : bytes, size);
    return frame;
}

static struct access make_frames(const struct tile *tile, struct command *command, struct eth_frames *frames) {
    if (command->kind == ETH_FRAME_REGISTER)
        command->size = command->limit = sizeof command->value;
    for (uint32_t at = 0; at < command->size; at += command->limit) {
        const char *refused = NULL;
        uint32_t left = command->size - at, size = left < command->limit ? left : command->limit;
        struct eth_frame *frame = make_frame(tile, command, at, size, &refused);
        if (!frame) {
            eth_frames_free(frames);
            return access_refused(BH_FAULT_UNMODELLED, refused ? refused : "the host has no memory left for a packet");
        }
        eth_frames_put(frames, frame);
    }
    return access_done();
}

static uint64_t *ring_at(struct eth_queue *queue, unsigned i) {
    return &queue->ends[(queue->first + i) % ETH_RING];
}

/* Forgets commands whose frames have been sent. */
static void forget_sent(struct eth_queue *queue, uint64_t time) {
    while (queue->count && *ring_at(queue, 0) <= time) {
        queue->first = (uint8_t)((queue->first + 1) % ETH_RING);
        queue->count--;
    }
}

static unsigned accept_ahead(const struct tile *tile, unsigned queue) {
    uint32_t ahead = tile->eth.txq[queue][ACCEPT_AHEAD / 4];
    return ahead < ETH_AHEAD_MAX ? (unsigned)ahead : ETH_AHEAD_MAX;
}

/* Returns the cycle from which on the last command of the queue is no longer ongoing. A raw command is ongoing until
 * its bytes have been sent, a command of TT-link until the queue has room for it. */
static uint64_t latched(struct eth_queue *queue, unsigned ahead, bool raw, uint64_t time) {
    unsigned before = queue->count - 1u;
    if (raw)
        return *ring_at(queue, before);
    if (before <= ahead)
        return time + ETH_LATCH_CYCLES;
    return later(time + ETH_LATCH_CYCLES, *ring_at(queue, before - ahead - 1)); /* UINT64_MAX stays UINT64_MAX */
}

static void dispatch(struct tile *tile, struct eth_queue *queue, struct eth_frames *frames, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    uint64_t end = NEVER;
    for (struct eth_frame *frame; (frame = eth_frames_take(frames));) {
        if (frame->kind != ETH_FRAME_RAW)
            frame->sequence = queue->sequence++;
        if (port->up)
            end = send(tile, frame, time + ETH_LATCH_CYCLES);
        else
            eth_frames_put(&port->held, frame);
    }
    *ring_at(queue, queue->count++) = end;
}

struct access eth_command(struct tile *tile, unsigned number, uint32_t value, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    struct eth_queue *queue = &port->queue[number];
    struct eth_frames frames = { 0 };
    struct command command;
    if (time < queue->latched)
        return undefined("the last command of the TX queue is still under way (ETH_TXQ_STATUS)");
    if (!read_command(tile, number, value, &command))
        return undefined("a TX queue has the commands 1 (raw), 2 (write L1) and 4 (write a register)");
    struct access access = check(tile, &command);
    if (access.result == ACCESS_DONE)
        access = make_frames(tile, &command, &frames);
    if (access.result != ACCESS_DONE)
        return access;
    if (!has_records(port, frames.count + port->held.count)) {
        eth_frames_free(&frames);
        return access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet");
    }
    if (tile->mail.hazards)
        hazard_frame_leaves(tile->mail.hazards, time);
    forget_sent(queue, time);
    dispatch(tile, queue, &frames, time);
    queue->raw = command.kind == ETH_FRAME_RAW;
    queue->latched = latched(queue, accept_ahead(tile, number), queue->raw, time);
    tile->eth.txq[number][TRANSFERS / 4]++;
    return access_done();
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

/* Counts what the records add to a kept word by this cycle. */
static uint32_t count_since(const struct eth_port *port, unsigned queue, unsigned offset, uint64_t time) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < port->record_count; i++) {
        const struct eth_record *record = &port->record[i];
        if (record->queue != queue)
            continue;
        switch (offset) {
        case PACKETS_STARTED: count += record->start <= time; break;
        case PACKETS_ENDED: count += record->end <= time; break;
        case WORDS: count += record->end <= time ? record->words : 0; break;
        default: break;
        }
    }
    return count;
}

/* A command is counted when it is no longer ongoing. */
uint32_t eth_txq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time) {
    bool ongoing = time < port->queue[queue].latched;
    switch (offset) {
    case STATUS: return ongoing ? ONGOING : 0;
    case TRANSFERS: return kept - ongoing;
    case PACKETS_STARTED:
    case PACKETS_ENDED:
    case WORDS: return kept + count_since(port, queue, offset, time);
    default: return kept;
    }
}

uint32_t eth_rxq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time) {
    if (offset != REMOTE_SEQUENCE)
        return kept;
    for (uint32_t i = 0; i < port->record_count; i++) {
        const struct eth_record *record = &port->record[i];
        if (record->queue == queue && record->acknowledged != record->end && record->acknowledged <= time)
            kept = (uint8_t)(record->sequence + 1);
    }
    return kept;
}

bool eth_txq_steady(const struct eth_port *port, unsigned queue, unsigned offset, uint64_t time) {
    uint64_t until = port->queue[queue].latched;
    if (offset == STATUS || offset == TRANSFERS)
        return time >= until || until == NEVER;
    for (uint32_t i = 0; i < port->record_count; i++)
        if (port->record[i].acknowledged > time || port->record[i].end > time)
            return false;
    return true;
}

/* Adds what has happened to a recorded frame by this time to the kept words. */
static void keep(struct eth *eth, const struct eth_record *record, uint64_t time) {
    uint32_t *word = eth->txq[record->queue];
    word[PACKETS_STARTED / 4] += record->start <= time;
    word[PACKETS_ENDED / 4] += record->end <= time;
    word[WORDS / 4] += record->end <= time ? record->words : 0;
    if (record->acknowledged <= time && record->acknowledged != record->end)
        eth->rxq[record->queue][REMOTE_SEQUENCE / 4] = (uint8_t)(record->sequence + 1);
}

void eth_settle(struct tile *tile, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    uint32_t left = 0;
    for (uint32_t i = 0; i < port->record_count; i++) {
        if (port->record[i].acknowledged <= time)
            keep(&tile->eth, &port->record[i], time);
        else
            port->record[left++] = port->record[i];
    }
    port->record_count = left;
}

/* ---- The cable --------------------------------------------------------------------------------------------------- */

/* Removes the records of frames that have not arrived, because these frames will be sent again. Adds what has happened
 * to them so far to the kept words. */
static void forget_records(struct tile *tile, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    uint32_t left = 0;
    for (uint32_t i = 0; i < port->record_count; i++) {
        if (port->record[i].arrives >= time)
            keep(&tile->eth, &port->record[i], time);
        else
            port->record[left++] = port->record[i];
    }
    port->record_count = left;
}

static void hold_queue(struct eth_queue *queue, uint64_t time) {
    forget_sent(queue, time);
    bool waits = queue->count && queue->latched > time + ETH_LATCH_CYCLES;
    for (unsigned i = 0; i < queue->count; i++)
        *ring_at(queue, i) = NEVER;
    if (waits)
        queue->latched = NEVER;
}

uint64_t eth_cut(struct tile *tile, struct eth_port *peer, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    struct eth_frames wire = { 0 };
    uint64_t lost = 0;
    bool resends[ETH_QUEUES] = { false };
    eth_frames_append(&wire, &peer->in);
    eth_frames_append(&wire, &port->out);
    for (struct eth_frame *frame; (frame = eth_frames_take(&wire));) {
        bool left = frame->start < time, over = frame->end <= time;
        if (over && frame->kind == ETH_FRAME_RAW) {
            lost++;
            free(frame);
            continue;
        }
        resends[frame->queue] |= left;
        port->resent += left;
        if (!left) { /* it was counted, but its first bit had not been sent */
            port->sent.frames--;
            port->sent.bytes -= frame->length + ETH_CRC;
        }
        frame->again = over;
        eth_frames_put(&port->held, frame);
    }
    for (unsigned i = 0; i < ETH_QUEUES; i++) {
        tile->eth.txq[i][RESENDS / 4] += resends[i];
        hold_queue(&port->queue[i], time);
    }
    forget_records(tile, time);
    port->lost += lost;
    port->wire_free = port->read_free = time * ETH_PARTS;
    port->up = false;
    return lost;
}

static void end_queue(struct eth_queue *queue, unsigned ahead, uint64_t time, const uint64_t *ends) {
    for (unsigned i = 0; i < queue->count; i++)
        *ring_at(queue, i) = ends[i];
    if (queue->latched == NEVER)
        queue->latched = latched(queue, ahead, queue->raw, time);
}

/* Frames and commands of a queue are in the same order, so the last frame of each command gives the end of the
 * command. */
void eth_join(struct tile *tile, uint64_t time) {
    struct eth_port *port = tile->eth_port;
    uint64_t ends[ETH_QUEUES][ETH_RING] = { { 0 } };
    unsigned count[ETH_QUEUES] = { 0 };
    struct eth_frames held = port->held;
    port->held = (struct eth_frames){ 0 };
    port->up = true;
    port->wire_free = later(port->wire_free, time * ETH_PARTS);
    for (struct eth_frame *frame; (frame = eth_frames_take(&held));) {
        uint64_t end = send(tile, frame, time);
        if (frame->last && !frame->again)
            ends[frame->queue][count[frame->queue]++ % ETH_RING] = end;
        frame->again = false;
    }
    for (unsigned i = 0; i < ETH_QUEUES; i++)
        end_queue(&port->queue[i], accept_ahead(tile, i), time, ends[i]);
}

uint64_t eth_restart(struct tile *tile) {
    enum { LOCAL_SEQUENCE = 0x40 };
    struct eth_port *port = tile->eth_port;
    uint64_t lost = port->held.count + port->out.count;
    port->lost += lost;
    eth_port_clear(port);
    for (unsigned i = 0; i < ETH_QUEUES; i++)
        tile->eth.rxq[i][LOCAL_SEQUENCE / 4] = tile->eth.rxq[i][REMOTE_SEQUENCE / 4] = 0;
    return lost;
}
