/* A stream of the overlay: its messages, its phase, and the other ends that it exchanges messages with.
 *
 *     software writes NUM_MSGS_RECEIVED_INC,   --> headers in L1, from MSG_INFO_PTR up to MSG_INFO_WR_PTR
 *     or packets arrive (transfer.c)                    | as long as there is room
 *                                                       v
 *     SOURCE_ENDPOINT_NEW_MSG_INFO,            --> metadata FIFO: NUM_MSGS_RECEIVED, NEXT_RECEIVED_MSG_*
 *     or another stream has one (gather.c)              | MSG_INFO_CLEAR, or a packet has all of it,
 *                                                       v or at once without a taker
 *                                                  L1 read complete FIFO
 *                                                       | MSG_DATA_CLEAR, or the packet has left, or at once
 *                                                       v
 *                                                  RD_PTR: room in the receive buffer; a sender gets to know of it
 *
 * Sources: WormholeB0/NoC/Overlay/README.md, ReceiveFromSoftware.md, TransmitToSoftware.md, TransmitToNowhere.md;
 * Blackhole's noc_overlay_parameters.h for numbers, fields, MULTI_MSG_CLEAR and the 16 messages of streams 4 and 5.
 *
 * Inexact: no step takes any time; only packets do. A phase ends when all of its messages have left the metadata FIFO.
 * RESET empties the FIFOs and leaves registers as they are. Cases that the pages call undefined are refused. */
#ifndef NOC_MESSAGES_H
#define NOC_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum {
    MESSAGES_MAX = 16,       /* most messages in a metadata FIFO */
    MESSAGES_READS = 8,      /* most entries in an L1 read complete FIFO */
    MESSAGES_HEADER = 4,     /* words of a header */
    MESSAGES_WITH_HEADER = 2 /* number of streams whose metadata FIFO holds headers too */
};
enum { MESSAGES_FIRST_WITH_HEADER = 4 }; /* the first of these streams */

/* Values of WAIT_STATUS. MESSAGES_LOADED: the configuration is loaded, and software has to start the phase. */
enum messages_state { MESSAGES_IDLE = 0, MESSAGES_LOADED = 3, MESSAGES_FLUSH = 4, MESSAGES_FORWARD = 5 };

/* Bits of messages.flags. */
enum {
    STREAM_SAME_SOURCE = 1 << 0, /* the previous phase had no NEXT_PHASE_SRC_CHANGE */
    STREAM_SAME_DEST = 1 << 1,   /* the previous phase had no NEXT_PHASE_DEST_CHANGE */
    STREAM_ANSWERS = 1 << 2,     /* a receiver that will respond to a handshake request */
    STREAM_RESPONDS = 1 << 3,    /* a handshake response has to be sent */
    STREAM_REQUESTS = 1 << 4,    /* a handshake request has to be sent */
    STREAM_AWAITS = 1 << 5,      /* a transmitter that waits for handshake responses */
    STREAM_CONNECTED = 1 << 6,   /* gather: all inputs have started */
    STREAM_IN_GROUP = 1 << 7,    /* gather: the stream receives from a group */
};

/* The state of one stream. All zero after reset; no padding, because the struct is hashed. Addresses and sizes are in
 * units of 16 bytes. */
struct messages {
    uint8_t state;        /* enum messages_state */
    uint8_t count, reads; /* number of messages in the two FIFOs */
    uint8_t flags;
    uint16_t to_receive;  /* number of messages that the phase still expects */
    uint16_t to_transmit; /* number of messages of the phase that have not left the metadata FIFO */
    uint32_t load_offset; /* offset in the receive buffer of the next message whose header is still in L1 */
    uint32_t address[MESSAGES_MAX], size[MESSAGES_MAX];
    uint32_t read_size[MESSAGES_READS];
    uint8_t from[MESSAGES_MAX];        /* for each message, the stream whose receive buffer it is in */
    uint8_t read_from[MESSAGES_READS]; /* the same for the entries of the L1 read complete FIFO */
    uint32_t sent;                     /* words of the first message that have been sent */
    uint32_t arrived;                  /* if messages are passed on: words that have arrived and have not been sent */
    uint32_t freed;                    /* words of room that the sender has not been told of */
    uint32_t ready;                    /* mask of destinations that are ready for the phase */
    uint32_t source;                   /* REMOTE_SRC of the phase */
    uint16_t early;                    /* number of messages that have arrived for the next phase */
    uint16_t repeat;                   /* gather: messages received from the current member, or rounds of the group */
    uint8_t source_how;                /* enum stream_how: as the phase says */
    uint8_t group, member;             /* gather: first stream of the group, and position in it */
    uint8_t unused;
    uint32_t in_order; /* gather: number of messages since the first group */
};

/* Bits of messages.source_how: the route of flow control packets to the sender. */
enum stream_how { STREAM_HOW_NOC = 1, STREAM_HOW_VC_SHIFT = 1, STREAM_HOW_FLOW = 1 << 4, STREAM_HOW_MCAST = 1 << 5 };

/* The headers of streams 4 and 5: those of the messages in the FIFO, and the one set for the next message. */
struct messages_headers {
    uint32_t header[MESSAGES_MAX][MESSAGES_HEADER];
    uint32_t next[MESSAGES_HEADER];
};

struct overlay;
struct overlay_wire;

/* Executes a write to one of OVERLAY_COMMANDS. */
struct access messages_command(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                               uint32_t value);
/* Returns the value of one of OVERLAY_SHOWN. */
uint32_t messages_show(const struct overlay *overlay, unsigned stream, unsigned index);

#endif
