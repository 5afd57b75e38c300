/* RX queues, and the choice of one of them for a frame: see eth_port.h. The RX classifier comes before
 * (eth_classify.c).
 *
 * Sources: EthernetTxRx.md ("RX Queue Memory Map"), EthernetRxClassifier.md (stage 7).
 * Inexact: a TT-link packet with a wrong sequence number is dropped and not sent again, unlike on hardware.
 */
#include <stdlib.h>
#include <string.h>

#include "tile/eth_port.h"
#include "tile/l1.h"
#include "tile/noc.h"
#include "tile/watch.h"

/* Offsets of the words of an RX queue. */
enum { CONTROL = 0x00, BYTES = 0x04, POINTER = 0x08, BUFFER = 0x0C, BUFFER_SIZE = 0x10, WORDS = 0x14, STRIP = 0x18 };
enum { PACKETS_STARTED = 0x24, PACKETS_ENDED = 0x28, SEQUENCE = 0x40, DROPPED = 0x4C };
enum { TT_LINK = 1 << 1, WRAPS = 1 << 2, QUEUE_WITHOUT_REGISTERS = 2 };

static void fault(struct tile *tile, enum bh_fault_kind kind, const struct eth_frame *frame, const char *why) {
    mail_fault_frame(&tile->endpoint, frame->kind == ETH_FRAME_RAW ? 0 : frame->address, tile->time,
                     access_refused(kind, why));
}

static void drop(struct tile *tile, uint32_t *word) {
    word[DROPPED / 4]++;
    tile->eth_port->dropped++;
}

/* A frame as the classifier hands it over. */
struct delivery {
    const struct eth_frame *frame;
    struct eth_verdict verdict;
};

/* Returns the known bytes of the frame as it arrived, and sets *size to their number. */
static const uint8_t *known_bytes(const struct eth_frame *frame, uint32_t *size) {
    bool raw = frame->kind == ETH_FRAME_RAW;
    *size = raw ? frame->size : frame->head;
    return raw ? frame->data : frame->data + frame->size;
}

/* The parts of a delivered frame, in order: metadata, the addresses, the EtherType, and everything after the removed
 * headers. */
enum { PIECES = 4 };
struct piece {
    const uint8_t *data;
    uint32_t size;
};

static void cut(const struct delivery *d, struct piece piece[PIECES]) {
    enum { ADDRESSES = 12, TYPE = 2 };
    const struct eth_verdict *v = &d->verdict;
    uint32_t size, type = ADDRESSES + v->tags, rest = type + TYPE + v->headers;
    const uint8_t *data = known_bytes(d->frame, &size);
    piece[0] = (struct piece){ v->metadata, v->added };
    piece[1] = (struct piece){ data, ADDRESSES };
    piece[2] = (struct piece){ data + type, TYPE };
    piece[3] = (struct piece){ data + rest, size - rest };
}

/* Copies up to `size` bytes from the beginning of the delivered frame. Returns how many it copied. */
static uint32_t first_bytes(const struct delivery *d, uint8_t *to, uint32_t size) {
    struct piece piece[PIECES];
    uint32_t done = 0;
    cut(d, piece);
    for (unsigned i = 0; i < PIECES; i++) {
        uint32_t part = piece[i].size < size - done ? piece[i].size : size - done;
        memcpy(to + done, piece[i].data, part);
        done += part;
    }
    return done;
}

/* Chooses the queue by the class of the first six bytes and by bit 216, which distinguishes register writes from other
 * TT-link packets. In a raw frame, bit 216 is any bit of the data. */
static unsigned queue_by_address(const struct tile *tile, const struct delivery *d) {
    enum { BYTE = 216 / 8 };
    uint8_t bytes[BYTE + 1];
    bool raw = d->frame->kind == ETH_FRAME_RAW;
    uint32_t size = first_bytes(d, bytes, sizeof bytes);
    bool register_style = raw ? size > BYTE && bytes[BYTE] & 1 : d->frame->kind == ETH_FRAME_REGISTER;
    return tile->eth.mac_rx_address_routing >> (4 * eth_address_class(bytes) + 2 * register_style) & 3;
}

/* Returns whether the frame is a packet of TT-link for which the classifier and the routing need not be consulted. */
static bool passes_at_once(const struct eth *eth, const struct eth_frame *frame) {
    return !eth->classifies && !eth->mac_rx_routing && eth->eop_good & 1 && frame->kind != ETH_FRAME_RAW &&
           frame->head == ETH_MAC_HEADER;
}

static unsigned queue_of(const struct tile *tile, const struct delivery *d) {
    const struct eth_frame *frame = d->frame;
    if (tile->eth.mac_rx_routing & 2)
        return d->verdict.queue;
    if (passes_at_once(&tile->eth, frame))
        return tile->eth.mac_rx_address_routing >> (4 * frame->mac_class + 2 * (frame->kind == ETH_FRAME_REGISTER)) & 3;
    return queue_by_address(tile, d);
}

static void write_l1(struct tile *tile, uint32_t address, const void *data, uint32_t size) {
    l1_write(tile, address, data, size, tile->time);
    if (tile->mail.hazards)
        hazard_forget(tile->mail.hazards, address, size);
}

/* ---- Raw mode ---------------------------------------------------------------------------------------------------- */

/* Appends bytes to the buffer, up to its end. Returns how many it appended. */
static uint32_t append(struct tile *tile, uint32_t *word, const uint8_t *data, uint32_t size) {
    uint32_t end = word[BUFFER_SIZE / 4] << 4, room = end - word[POINTER / 4], done = size < room ? size : room;
    if (done)
        write_l1(tile, (word[BUFFER / 4] << 4) + word[POINTER / 4], data, done);
    word[POINTER / 4] += done;
    word[BYTES / 4] += done;
    if (word[POINTER / 4] == end && word[CONTROL / 4] & WRAPS)
        word[POINTER / 4] = 0;
    return done;
}

static void append_all(struct tile *tile, uint32_t *word, const uint8_t *data, uint32_t size) {
    for (uint32_t done = 1; size && done; data += done, size -= done)
        done = append(tile, word, data, size);
}

static void take_raw(struct tile *tile, uint32_t *word, const struct delivery *d) {
    const struct eth_frame *frame = d->frame;
    uint64_t start = (uint64_t)word[BUFFER / 4] << 4, room = (uint64_t)word[BUFFER_SIZE / 4] << 4;
    uint32_t strip = word[STRIP / 4];
    struct piece piece[PIECES];
    if (frame->kind != ETH_FRAME_RAW) {
        drop(tile, word);
        fault(tile, BH_FAULT_UNMODELLED, frame, "a TT-link packet has come to an RX queue in raw mode");
        return;
    }
    if (!room || word[POINTER / 4] >= room || !l1_holds(tile, start, room)) {
        drop(tile, word);
        return;
    }
    cut(d, piece);
    for (unsigned i = 0; i < PIECES; i++) {
        uint32_t less = strip < piece[i].size ? strip : piece[i].size;
        append_all(tile, word, piece[i].data + less, piece[i].size - less);
        strip -= less;
    }
}

/* ---- TT-link mode ------------------------------------------------------------------------------------------------ */

static void take_register(struct tile *tile, const struct eth_frame *frame) {
    const char *why = "";
    bh_status status = tile_write(tile, frame->address, frame->data, sizeof(uint32_t), &why);
    if (status != BH_OK)
        fault(tile, status == BH_ERR_UNMODELLED ? BH_FAULT_UNMODELLED : BH_FAULT_UNMAPPED, frame, why);
}

/* Returns whether the header of TT-link follows the EtherType. */
static bool is_plain(const struct delivery *d) {
    const struct eth_verdict *v = &d->verdict;
    return d->frame->kind == ETH_FRAME_RAW || (!v->added && d->frame->head - v->tags - v->headers == ETH_MAC_HEADER);
}

static void take_packet(struct tile *tile, uint32_t *word, unsigned queue, const struct delivery *d) {
    const struct eth_frame *frame = d->frame;
    if (!is_plain(d)) {
        drop(tile, word);
        fault(tile, BH_FAULT_UNDEFINED, frame,
              "a TT-link packet has come to an RX queue with metadata, or with VLAN, IP or UDP headers that the RX "
              "classifier has not removed");
        return;
    }
    bool fits = frame->kind != ETH_FRAME_REGISTER || queue != QUEUE_WITHOUT_REGISTERS;
    if (frame->kind == ETH_FRAME_RAW || frame->sequence != word[SEQUENCE / 4] || !fits) {
        drop(tile, word);
        return;
    }
    word[SEQUENCE / 4] = (uint8_t)(word[SEQUENCE / 4] + 1);
    if (frame->kind == ETH_FRAME_REGISTER) {
        take_register(tile, frame);
    } else if (l1_holds(tile, frame->address, frame->size)) {
        word[BYTES / 4] += frame->size;
        write_l1(tile, frame->address, frame->data, frame->size);
    } else {
        fault(tile, BH_FAULT_UNMAPPED, frame, "L1 of the Ethernet tile does not hold the bytes that were sent");
    }
}

/* ---- Arrivals ---------------------------------------------------------------------------------------------------- */

static void deliver(struct tile *tile, const struct delivery *d) {
    struct eth_port *port = tile->eth_port;
    const struct eth_verdict *v = &d->verdict;
    uint32_t length = d->frame->length + v->added - v->tags - v->headers;
    unsigned queue = queue_of(tile, d);
    if (queue >= ETH_QUEUES) {
        port->dropped++;
        fault(tile, BH_FAULT_UNDEFINED, d->frame,
              tile->eth.mac_rx_routing & 2
                  ? "ACTIONS of the RX classifier send the frame to RX queue 3, which does not exist"
                  : "MAC_RX_ADDR_ROUTING sends the frame to RX queue 3, which does not exist");
        return;
    }
    uint32_t *word = tile->eth.rxq[queue];
    word[PACKETS_STARTED / 4]++;
    word[PACKETS_ENDED / 4]++;
    word[WORDS / 4] += (length + ETH_CRC + ETH_WORD - 1) / ETH_WORD;
    if (word[CONTROL / 4] & TT_LINK)
        take_packet(tile, word, queue, d);
    else
        take_raw(tile, word, d);
}

static void take_frame(struct tile *tile, const struct eth_frame *frame) {
    struct eth_port *port = tile->eth_port;
    struct delivery d = { .frame = frame };
    if (tile->mail.hazards)
        hazard_frame_arrived(tile->mail.hazards);
    if (tile->mail.observer)
        watch_frame_came(&tile->mail, frame);
    port->received.frames++;
    port->received.bytes += frame->length + ETH_CRC;
    if (!passes_at_once(&tile->eth, frame))
        d.verdict = eth_classify(&tile->eth, frame);
    if (d.verdict.refused) {
        port->dropped++;
        fault(tile, BH_FAULT_UNMODELLED, frame, d.verdict.refused);
    } else if (d.verdict.dropped) {
        port->dropped++;
    } else {
        deliver(tile, &d);
    }
}

void eth_receive(struct tile *tile) {
    struct eth_port *port = tile->eth_port;
    if (!port || eth_due(port) > tile->time)
        return;
    while (eth_due(port) <= tile->time) {
        struct eth_frame *frame = eth_frames_take(&port->in);
        take_frame(tile, frame);
        free(frame);
    }
    tile_event(tile, tile->time); /* wakes cores that poll a register of the queues */
}

void eth_touched(struct tile *tile) {
    late_find_due(tile);
    tile_noc_touched(tile, tile->time);
}
