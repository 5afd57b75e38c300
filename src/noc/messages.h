/* Messages of an overlay stream that software fills and that software, if anything, empties.
 *
 *     a core writes NUM_MSGS_RECEIVED_INC ----> headers in L1, from MSG_INFO_PTR up to MSG_INFO_WR_PTR
 *                                                    | as long as there is room
 *                                                    v
 *     ... or SOURCE_ENDPOINT_NEW_MSG_INFO ----> metadata FIFO: NUM_MSGS_RECEIVED, NEXT_RECEIVED_MSG_*
 *                                                    | MSG_INFO_CLEAR, or at once without a taker
 *                                                    v
 *                                               L1 read complete FIFO
 *                                                    | MSG_DATA_CLEAR, or at once
 *                                                    v
 *                                               RD_PTR: room in the receive buffer
 *
 * Sources: WormholeB0/NoC/Overlay/README.md, ReceiveFromSoftware.md, TransmitToSoftware.md, TransmitToNowhere.md;
 * Blackhole's noc_overlay_parameters.h for numbers, fields, MULTI_MSG_CLEAR and the 16 messages of streams 4 and 5.
 *
 * Inexact: every step takes no time. A phase ends when all of its messages have left the metadata FIFO. RESET empties
 * the FIFOs and leaves registers as they are. Cases that the pages call undefined are refused.
 */
#ifndef NOC_MESSAGES_H
#define NOC_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum {
    MESSAGES_MAX = 16,       /* messages in a metadata FIFO */
    MESSAGES_READS = 8,      /* messages in an L1 read complete FIFO */
    MESSAGES_HEADER = 4,     /* words */
    MESSAGES_WITH_HEADER = 2 /* streams whose metadata FIFO holds headers too */
};
enum { MESSAGES_FIRST_WITH_HEADER = 4 }; /* the first of these streams */

enum messages_state { MESSAGES_IDLE = 0, MESSAGES_FLUSH = 4, MESSAGES_FORWARD = 5 }; /* values of WAIT_STATUS */

/* State of one stream. All zero after reset. Addresses and sizes are in units of 16 bytes. */
struct messages {
    uint8_t state;
    uint8_t count, reads; /* messages in the two FIFOs */
    uint8_t unused;       /* padding, explicit because the struct is hashed */
    uint16_t to_receive;  /* messages that the phase still expects */
    uint16_t to_transmit; /* messages of the phase that have not left the metadata FIFO */
    uint32_t load_offset; /* offset in the receive buffer of the next message whose header is still in L1 */
    uint32_t address[MESSAGES_MAX], size[MESSAGES_MAX];
    uint32_t read_size[MESSAGES_READS];
};

/* The headers of streams 4 and 5: those in the FIFO, and the one set for the next message. */
struct messages_headers {
    uint32_t header[MESSAGES_MAX][MESSAGES_HEADER];
    uint32_t next[MESSAGES_HEADER];
};

struct overlay;

/* Executes a write to one of OVERLAY_COMMANDS. l1: memory of the tile; NULL: the tile cannot start streams. */
struct access messages_command(struct overlay *overlay, const uint8_t *l1, unsigned stream, unsigned index,
                               uint32_t value);
/* Executes a write to REMOTE_DEST_MSG_INFO_WR_PTR. */
struct access messages_pointer(struct overlay *overlay, const uint8_t *l1, unsigned stream);
/* Returns the value of one of OVERLAY_SHOWN. */
uint32_t messages_show(const struct overlay *overlay, unsigned stream, unsigned index);

#endif
