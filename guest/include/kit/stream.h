/* Streams of the NoC overlay: messages from tile to tile without a core in between. WH pages NoC/Overlay.
 *
 * A stream has a receive buffer and an array of message headers in L1. The length of a message is a multiple of 16
 * bytes; the second word of its header, which is its first 16 bytes, has the length in units of 16 bytes. A core pushes
 * messages into a stream, another stream receives them, and so on, up to the stream from which a core takes them. A
 * phase is a number of messages. Both ends name each other, and the phase of the transmitter.
 */
#ifndef KIT_STREAM_H
#define KIT_STREAM_H

#include "kit/noc.h"

/* Registers by number. */
enum {
    STREAM_NUM_MSGS_RECEIVED_INC = 1,
    STREAM_MISC_CFG = 3,
    STREAM_REMOTE_SRC = 4,
    STREAM_REMOTE_SRC_PHASE = 5,
    STREAM_REMOTE_DEST = 7,
    STREAM_REMOTE_DEST_BUF_START = 8,
    STREAM_REMOTE_DEST_BUF_SIZE = 10,
    STREAM_REMOTE_DEST_MSG_INFO_WR_PTR = 13,
    STREAM_BUF_START = 17,
    STREAM_BUF_SIZE = 18,
    STREAM_WR_PTR = 20,
    STREAM_MSG_INFO_PTR = 22,
    STREAM_MSG_INFO_WR_PTR = 23,
    STREAM_CURR_PHASE = 29,
    STREAM_MSG_HEADER_FORMAT = 33, /* in stream 0, for all streams */
    STREAM_PHASE_AUTO_CFG_HEADER = 34,
    STREAM_WAIT_STATUS = 257,
    STREAM_NUM_MSGS_RECEIVED = 259,
    STREAM_BUF_SPACE_AVAILABLE = 260,
    STREAM_NEXT_RECEIVED_MSG_ADDR = 262,
    STREAM_NEXT_RECEIVED_MSG_SIZE = 263,
    STREAM_MSG_INFO_CLEAR = 265,
    STREAM_MSG_DATA_CLEAR = 266,
    STREAM_PHASE_ADVANCE = 267,
};

/* Bits of STREAM_MISC_CFG: where messages come from and go to. */
enum {
    STREAM_FROM_SOFTWARE = 1 << 4,
    STREAM_FROM_NOC = 1 << 5,
    STREAM_TO_SOFTWARE = 1 << 6,
    STREAM_TO_NOC = 1 << 8,
    STREAM_ENDS_CHANGE = 3 << 11, /* the next phase may have other ends */
};
enum { STREAM_IS_IDLE = 1 << 0, STREAM_IS_FORWARDING = 1 << 2 }; /* of STREAM_WAIT_STATUS */

/* Memory of a stream, in bytes. Both ends have to know the memory of the receiver. */
struct stream_memory {
    uint32_t buffer, size, headers;
};

static inline uint32_t stream_address(unsigned stream, unsigned index) {
    return MAP_OVERLAY + 0x1000u * stream + 4u * index;
}

static inline void stream_set(unsigned stream, unsigned index, uint32_t value) {
    reg_write(stream_address(stream, index), value);
}

static inline uint32_t stream_get(unsigned stream, unsigned index) {
    return reg_read(stream_address(stream, index));
}

/* Call this once for each tile. The length is in bits 32 to 47 of a header. */
static inline void stream_init(void) {
    stream_set(0, STREAM_MSG_HEADER_FORMAT, 16 << 7 | 32);
}

static inline void stream_memory(unsigned stream, const struct stream_memory *memory) {
    stream_set(stream, STREAM_BUF_START, memory->buffer / 16);
    stream_set(stream, STREAM_BUF_SIZE, memory->size / 16);
    stream_set(stream, STREAM_MSG_INFO_PTR, memory->headers / 16);
    stream_set(stream, STREAM_MSG_INFO_WR_PTR, memory->headers / 16);
}

/* Lets a stream receive from a stream of another tile, in that stream's phase. */
static inline void stream_from(unsigned stream, uint32_t tile, unsigned sender, uint32_t phase) {
    stream_set(stream, STREAM_REMOTE_SRC, tile | sender << 12);
    stream_set(stream, STREAM_REMOTE_SRC_PHASE, phase);
}

/* Lets a stream transmit to a stream of another tile. */
static inline void stream_to(unsigned stream, uint32_t tile, unsigned receiver, const struct stream_memory *memory) {
    stream_set(stream, STREAM_REMOTE_DEST, tile | receiver << 12);
    stream_set(stream, STREAM_REMOTE_DEST_BUF_START, memory->buffer / 16);
    stream_set(stream, STREAM_REMOTE_DEST_BUF_SIZE, memory->size / 16);
    stream_set(stream, STREAM_REMOTE_DEST_MSG_INFO_WR_PTR, memory->headers / 16);
}

/* Starts the next phase, which has up to 4095 messages. */
static inline void stream_start(unsigned stream, uint32_t mode, uint32_t messages) {
    stream_set(stream, STREAM_MISC_CFG, mode);
    stream_set(stream, STREAM_PHASE_AUTO_CFG_HEADER, messages << 12 | 1);
    stream_set(stream, STREAM_PHASE_ADVANCE, 1);
}

static inline void stream_wait_idle(unsigned stream) {
    while (!(stream_get(stream, STREAM_WAIT_STATUS) & STREAM_IS_IDLE))
        ;
}

/* Pushes a message of `words` times 16 bytes; put(i, word) fills in each 16 bytes. */
static inline void stream_push(unsigned stream, const struct stream_memory *memory, uint32_t words,
                               void (*put)(uint32_t i, volatile uint32_t *word)) {
    while (!(stream_get(stream, STREAM_WAIT_STATUS) & STREAM_IS_FORWARDING) ||
           stream_get(stream, STREAM_BUF_SPACE_AVAILABLE) < words)
        ;
    uint32_t at = (stream_get(stream, STREAM_WR_PTR) & 0x1FFFF) * 16;
    for (uint32_t i = 0; i < words; i++, at += 16)
        put(i, (volatile uint32_t *)(uintptr_t)(memory->buffer + at % memory->size));
    uint32_t header = stream_get(stream, STREAM_MSG_INFO_WR_PTR) * 16;
    put(0, (volatile uint32_t *)(uintptr_t)header);
    noc_stores_done(header); /* the stream reads the message from L1 */
    stream_set(stream, STREAM_NUM_MSGS_RECEIVED_INC, words << 12 | 1);
}

/* Waits for a message. Sets *at to its address, and returns its length in units of 16 bytes. A message that reaches the
 * end of the buffer continues at the beginning. */
static inline uint32_t stream_wait(unsigned stream, uint32_t *at) {
    while (!stream_get(stream, STREAM_NUM_MSGS_RECEIVED))
        ;
    *at = stream_get(stream, STREAM_NEXT_RECEIVED_MSG_ADDR) * 16;
    return stream_get(stream, STREAM_NEXT_RECEIVED_MSG_SIZE);
}

/* Frees the message of stream_wait. Precondition: the core has read all of it. */
static inline void stream_free(unsigned stream) {
    fence();
    stream_set(stream, STREAM_MSG_INFO_CLEAR, 1);
    stream_set(stream, STREAM_MSG_DATA_CLEAR, 1);
}

#endif
