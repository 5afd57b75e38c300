/* RX queues, and the part of the RX classifier that chooses one of them: see eth_port.h.
 *
 * Sources: EthernetTxRx.md ("RX Queue Memory Map"), EthernetRxClassifier.md (stage 7, MAC_RX_ADDR_ROUTING).
 * Inexact: the flow table, and all that the classifier does with VLAN, IP and UDP, are not modelled: no frame is
 * dropped or changed before it reaches its queue. A TT-link packet with a wrong sequence number is dropped for good,
 * where hardware would send it again. */
#include <stdlib.h>
#include <string.h>

#include "tile/eth_port.h"
#include "tile/l1.h"
#include "tile/noc.h"
#include "tile/watch.h"

/* Words of an RX queue by their offset. */
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

/* Bit 216 of a frame distinguishes register writes from other TT-link packets; of a raw frame it is what it is. */
static bool is_register_style(const struct eth_frame *frame) {
    enum { BYTE = 216 / 8 };
    if (frame->kind != ETH_FRAME_RAW)
        return frame->kind == ETH_FRAME_REGISTER;
    return frame->size > BYTE && frame->data[BYTE] & 1;
}

static unsigned queue_of(const struct tile *tile, const struct eth_frame *frame) {
    return tile->eth.mac_rx_address_routing >> (4 * frame->mac_class + 2 * is_register_style(frame)) & 3;
}

static void write_l1(struct tile *tile, uint32_t address, const void *data, uint32_t size) {
    l1_write(tile, address, data, size, tile->time);
    if (tile->mail.hazards)
        hazard_forget(tile->mail.hazards, address, size);
}

/* ---- Raw mode ---------------------------------------------------------------------------------------------------- */

/* Appends bytes to the buffer, up to its end. Returns how many. */
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

static void take_raw(struct tile *tile, uint32_t *word, const struct eth_frame *frame) {
    uint64_t start = (uint64_t)word[BUFFER / 4] << 4, room = (uint64_t)word[BUFFER_SIZE / 4] << 4;
    uint32_t strip = word[STRIP / 4] < frame->size ? word[STRIP / 4] : frame->size, size = frame->size - strip;
    if (frame->kind != ETH_FRAME_RAW) {
        drop(tile, word);
        fault(tile, BH_FAULT_UNMODELLED, frame, "a TT-link packet has come to an RX queue in raw mode");
        return;
    }
    if (!room || word[POINTER / 4] >= room || !l1_holds(tile, start, room)) {
        drop(tile, word);
        return;
    }
    const uint8_t *data = frame->data + strip;
    for (uint32_t done = 1; size && done; data += done, size -= done)
        done = append(tile, word, data, size);
}

/* ---- TT-link mode --------------------------------------------------------------------------------------------------
 */

static void take_register(struct tile *tile, const struct eth_frame *frame) {
    const char *why = "";
    bh_status status = tile_write(tile, frame->address, frame->data, sizeof(uint32_t), &why);
    if (status != BH_OK)
        fault(tile, status == BH_ERR_UNMODELLED ? BH_FAULT_UNMODELLED : BH_FAULT_UNMAPPED, frame, why);
}

static void take_packet(struct tile *tile, uint32_t *word, unsigned queue, const struct eth_frame *frame) {
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

/* ---- Arrivals
 * -------------------------------------------------------------------------------------------------------- */

static void take_frame(struct tile *tile, const struct eth_frame *frame) {
    struct eth_port *port = tile->eth_port;
    unsigned queue = queue_of(tile, frame);
    if (tile->mail.hazards)
        hazard_frame_came(tile->mail.hazards);
    if (tile->mail.observer)
        watch_frame_came(&tile->mail, frame);
    port->received.frames++;
    port->received.bytes += frame->length + ETH_CRC;
    if (queue >= ETH_QUEUES) {
        port->dropped++;
        fault(tile, BH_FAULT_UNDEFINED, frame,
              "MAC_RX_ADDR_ROUTING sends the frame to RX queue 3, which does not exist");
        return;
    }
    uint32_t *word = tile->eth.rxq[queue];
    word[PACKETS_STARTED / 4]++;
    word[PACKETS_ENDED / 4]++;
    word[WORDS / 4] += (frame->length + ETH_CRC + ETH_WORD - 1) / ETH_WORD;
    if (word[CONTROL / 4] & TT_LINK)
        take_packet(tile, word, queue, frame);
    else
        take_raw(tile, word, frame);
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
    tile_event(tile, tile->time); /* cores that poll a register of the queues */
}

void eth_touched(struct tile *tile) {
    late_find_due(tile);
    tile_noc_touched(tile, tile->time);
}
