/* Functions that the files of streams share: messages.c, transfer.c, gather.c, blob.c, and the registers in overlay.c.
 */
#ifndef NOC_STREAM_H
#define NOC_STREAM_H

#include "noc/overlay.h"

/* Fields of MISC_CFG. */
enum {
    STREAM_DATA_NOC = 1 << 1,
    STREAM_UPDATE_NOC = 1 << 2,
    STREAM_FROM_STREAMS = 1 << 3,
    STREAM_FROM_SOFTWARE = 1 << 4,
    STREAM_FROM_NOC = 1 << 5,
    STREAM_TO_SOFTWARE = 1 << 6,
    STREAM_TO_STREAM = 1 << 7,
    STREAM_TO_NOC = 1 << 8,
    STREAM_SRC_CHANGE = 1 << 11,
    STREAM_DEST_CHANGE = 1 << 12,
    STREAM_NO_FLOW = 1 << 13,
    STREAM_DEST_NO_FLOW = 1 << 14,
    STREAM_DEST_INFO_FLOW = 1 << 16,
    STREAM_IS_MCAST = 1 << 17,
    STREAM_NO_FLUSH = 1 << 18,
    /* TOKEN_MODE, COPY_MODE, MSG_INFO_BUF_FLOW_CTRL, INFINITE_PHASE_EN, OOO_PHASE_EXECUTION_EN */
    STREAM_OTHER_MODES = 1 << 9 | 1 << 10 | 1 << 15 | 1 << 21 | 1 << 22,
};

/* Fields of ONETIME_MISC_CFG. */
enum { STREAM_AUTO_CONFIG = 1 << 0, STREAM_AUTO_ADVANCE = 1 << 1, STREAM_UPDATE_VC_SHIFT = 2 };
/* Fields of MCAST_DEST. */
enum {
    STREAM_MCAST_EN = 1 << 12,
    STREAM_MCAST_LINKED = 1 << 13,
    STREAM_MCAST_VC_SHIFT = 14,
    STREAM_MCAST_NO_PATH_RES = 1 << 15,
    STREAM_MCAST_Y_MAJOR = 1 << 16,
};

#define STREAM_BITS_17 UINT32_C(0x1FFFF)

/* A stream while a step of it is executed. */
struct step {
    struct overlay *overlay;
    struct overlay_wire *wire;
    unsigned stream;
    struct messages *m;
    uint32_t *own; /* the stream's registers */
};

static inline struct step stream_step(struct overlay *overlay, struct overlay_wire *wire, unsigned stream) {
    return (struct step){ overlay, wire, stream, &overlay->messages[stream], overlay->value[stream] };
}

static inline uint32_t stream_mode(const struct step *s) {
    return s->own[OVERLAY_SLOT_MISC_CFG];
}

static inline struct access stream_undefined(const char *why) {
    return access_refused(BH_FAULT_UNDEFINED, why);
}
static inline struct access stream_unmodelled(const char *why) {
    return access_refused(BH_FAULT_UNMODELLED, why);
}

/* Marks a stream as dirty, so that run() in overlay.c continues it. */
static inline void stream_touch(const struct step *s, unsigned stream) {
    s->overlay->dirty |= UINT64_C(1) << stream;
}

/* ---- messages.c ------------------------------------------------------------------------------------------- */

/* Return the capacities of the metadata FIFO and of the L1 read complete FIFO of a stream. */
unsigned stream_capacity(unsigned stream);
unsigned stream_reads_capacity(unsigned stream);
/* Returns a pointer into a ring buffer, advanced by `size`. Bit 17 of the pointer changes when it wraps. */
uint32_t stream_advance(uint32_t pointer, uint32_t size, uint32_t buffer);
/* Returns the room in a receive buffer. own: registers of its stream. */
uint32_t stream_room(const uint32_t *own);
/* Returns the length in the message header at `pointer` in L1, in units of 16 bytes. Precondition: the header is in
 * L1. */
uint32_t stream_length_at(const struct step *s, uint32_t pointer);
/* Frees words of the receive buffer of stream `from`, which may be another one. */
void stream_free(const struct step *s, unsigned from, uint32_t words);
/* Removes messages from the metadata FIFO and returns their size. Precondition: there are `count` messages. */
uint32_t stream_take(const struct step *s, unsigned count);
/* Appends a message to the metadata FIFO. header: NULL if it has none. Precondition: there is room. */
void stream_put(const struct step *s, uint32_t address, uint32_t size, const uint32_t *header, unsigned from);
/* Reads the header of the first message from the header array; zeros if that is not in L1. */
void stream_header_of(const struct step *s, uint32_t header[MESSAGES_HEADER]);
/* Pops the first entry of the L1 read complete FIFO. Precondition: there is one. */
void stream_read_complete(const struct step *s);
/* Starts the phase that is configured. */
struct access stream_start(const struct step *s);
/* Continues a stream until it has nothing left to do but to send. */
struct access stream_go_on(const struct step *s);

/* ---- transfer.c ------------------------------------------------------------------------------------------- */

/* Checks the registers of both ends of a phase that sends or receives packets. */
struct access transfer_check(const struct step *s);
/* Begins the handshakes of a phase. */
void transfer_begin(const struct step *s);
/* Returns whether the destination is done with a phase of which everything has been sent. */
bool transfer_is_over(const struct step *s);
/* Returns a mask of the NoCs on which the stream has something to send. */
unsigned transfer_wants(const struct step *s);
/* Sends one packet. Precondition: transfer_wants has the NoC, which has room. */
struct access transfer_send(const struct step *s, unsigned noc);
/* Execute writes to DEST_PHASE_READY_UPDATE and SRC_READY_UPDATE. */
struct access transfer_ready(const struct step *s, uint32_t value);
struct access transfer_requested(const struct step *s, uint32_t value);
/* Handles an arrived packet of this many words of 16 bytes. tag: NOC_TAG_*. */
struct access transfer_arrived(const struct step *s, unsigned tag, uint32_t words);
/* Returns the number of destinations. */
unsigned transfer_destinations(const struct step *s);

/* ---- gather.c --------------------------------------------------------------------------------------------- */

/* gather_check checks the registers of a phase that moves messages between streams; gather_begin begins the phase. */
struct access gather_check(const struct step *s);
void gather_begin(const struct step *s);
/* Moves as many messages from the inputs as there is room for. Returns whether it has moved any. */
bool gather_take(const struct step *s);

/* ---- blob.c ----------------------------------------------------------------------------------------------- */

/* Loads the configuration of the next phase from L1. */
struct access blob_load(const struct step *s);
/* Records that a stream has become idle. */
void blob_done(const struct step *s);
/* Executes a write to PHASE_AUTO_CFG_HEADER. */
void blob_header(uint32_t *own, uint32_t value);
uint32_t blob_next(const struct overlay *overlay);
void blob_next_read(struct overlay *overlay);

#endif
