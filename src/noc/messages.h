/* Messages of an overlay stream that software feeds and software, or nobody, takes from.
 *
 *     a core writes NUM_MSGS_RECEIVED_INC ----> headers in L1, from MSG_INFO_PTR up to MSG_INFO_WR_PTR
 *                                                    | as long as there is room
 *                                                    v
 *     ... or SOURCE_ENDPOINT_NEW_MSG_INFO ----> metadata FIFO: NUM_MSGS_RECEIVED, NEXT_RECEIVED_MSG_*
 *                                                    | MSG_INFO_CLEAR, or at once if nobody takes them
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
 * the FIFOs and leaves registers as they are. What the pages call undefined is refused.
 */
#ifndef NOC_MESSAGES_H
#define NOC_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

enum {
    MESSAGES_MAX = 16,       /* of a metadata FIFO */
    MESSAGES_READS = 8,      /* of an L1 read complete FIFO */
    MESSAGES_HEADER = 4,     /* words */
    MESSAGES_WITH_HEADER = 2 /* streams whose metadata FIFO has headers too ... */
};
enum { MESSAGES_FIRST_WITH_HEADER = 4 }; /* ... from this one on */

enum messages_state { MESSAGES_IDLE = 0, MESSAGES_FLUSH = 4, MESSAGES_FORWARD = 5 }; /* as WAIT_STATUS has it */

/* Of one stream. All zero after reset. Addresses and sizes are in units of 16 bytes. */
struct messages {
    uint8_t state;
    uint8_t count, reads; /* in the two FIFOs */
    uint8_t unused;       /* no padding: the struct is hashed */
    uint16_t to_receive;  /* messages that the phase still expects */
    uint16_t to_transmit; /* and that have not left the metadata FIFO */
    uint32_t load_offset; /* in the receive buffer, of the next message whose header is still in L1 */
    uint32_t address[MESSAGES_MAX], size[MESSAGES_MAX];
    uint32_t read_size[MESSAGES_READS];
};

/* The headers of streams 4 and 5: in the FIFO, and set for the next message. */
struct messages_headers {
    uint32_t header[MESSAGES_MAX][MESSAGES_HEADER];
    uint32_t next[MESSAGES_HEADER];
};

struct overlay;

/* A write to one of OVERLAY_COMMANDS. l1: of the tile; NULL: one in which streams cannot be started. */
struct access messages_command(struct overlay *overlay, const uint8_t *l1, unsigned stream, unsigned index,
                               uint32_t value);
/* REMOTE_DEST_MSG_INFO_WR_PTR has been written. */
struct access messages_pointer(struct overlay *overlay, const uint8_t *l1, unsigned stream);
/* One of OVERLAY_SHOWN. */
uint32_t messages_show(const struct overlay *overlay, unsigned stream, unsigned index);

#endif
