/* The NoC overlay of a tile: 64 streams (32 in an Ethernet tile) and their registers, which circular buffers, dispatch,
 * STREAMWAIT and STREAMWRCFG use, whether or not a stream has been started.
 *
 * Sources: WormholeB0/NoC/Overlay/AsGeneralUse.md and README.md; Blackhole's numbers and fields (isa/overlay.h). The
 * work of streams that have been started is in messages.h, transfer.c (packets), gather.c and blob.c (configuration in
 * L1).
 *
 * Every change makes a stream `dirty`; run() in overlay.c continues the dirty streams until none can do anything but
 * send. A stream that has something to send waits for room in its NIU; the streams that wait take turns to send a
 * packet.
 *
 * Inexact: streams of Ethernet tiles cannot be started. Reset values are assumed to be zero. Registers on Wormhole's
 * pages are assumed to do the same here. Write-only registers read as zero, as the page says of
 * STREAM_PHASE_ADVANCE. */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdint.h>

#include "isa/access.h"
#include "isa/overlay.h"
#include "noc/messages.h"
#include "noc/niu.h"

/* Consecutive numbers of the registers that store a value: OVERLAY_SLOT_REMOTE_SRC ... */
enum overlay_slot {
#define OVERLAY_SLOT(name, ...) OVERLAY_SLOT_##name,
    OVERLAY_STORED(OVERLAY_SLOT) OVERLAY_SLOTS
#undef OVERLAY_SLOT
};

enum { OVERLAY_MCAST_STREAMS = 4 };

/* Handshake responses for which no stream was waiting: DEST_READY_COMMON_CACHE_NUM_ENTRIES, and those of multicasts.
 * Assumed: the oldest one is forgotten first. */
enum { OVERLAY_READY = 24, OVERLAY_READY_MCAST = 8 };
struct overlay_ready {
    uint32_t phase;
    uint32_t destinations; /* mask; 0: the entry is free */
    uint32_t stream;
};

/* All zero after reset. */
struct overlay {
    uint32_t value[OVERLAY_STREAMS][OVERLAY_SLOTS];
    /* REMOTE_DEST_BUF_SPACE_AVAILABLE + 1 .. 31; only the first streams have these registers */
    uint32_t more_space[OVERLAY_MCAST_STREAMS][OVERLAY_DESTINATIONS - 1];
    struct messages messages[OVERLAY_STREAMS];
    struct messages_headers headers[MESSAGES_WITH_HEADER];
    struct overlay_ready ready[OVERLAY_READY + OVERLAY_READY_MCAST];
    uint64_t dirty;      /* mask of streams that run() in overlay.c has to continue */
    uint64_t waiting[2]; /* masks of streams that have something to send, by NoC */
    uint64_t done;       /* BLOB_AUTO_CFG_DONE */
    uint64_t moved;      /* mask of streams that have changed by themselves since the last overlay_moved */
    uint8_t next[2];     /* for each NoC, the stream at which the search for one that waits begins */
    uint8_t next_ready[2];
    uint8_t next_done; /* the stream at which the search of BLOB_NEXT_AUTO_CFG_DONE begins */
    uint8_t running;   /* run() in overlay.c is running */
    uint8_t loading;   /* a stream is loading its configuration */
    uint8_t raised;    /* level of the interrupt that `done` raises, as last reported to the PIC */
};

/* The wiring of an overlay to its tile. */
struct overlay_wire {
    const uint8_t *l1;           /* for headers and configurations; NULL: streams cannot be started */
    struct niu *niu;             /* array of two */
    const struct niu_wire *wire; /* NULL: the tile has no NoC */
    uint64_t time;
    /* Reports that a stream could not continue, long after the write that caused this. */
    void (*fail)(void *owner, unsigned stream, struct access why);
    void *owner;
};

/* Read and write registers. offset: bytes from 0xFFB40000. */
struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value);
struct access overlay_write(struct overlay *overlay, struct overlay_wire *wire, uint32_t offset, uint32_t value);
/* Access a register without side effects. */
struct access overlay_peek(const struct overlay *overlay, uint32_t offset, uint32_t *value);
/* Returns whether a read would have no side effects. */
bool overlay_steady(uint32_t offset);
/* Peeks at a register by its number. */
struct access overlay_stream(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value);
/* Writes a register by its number, without continuing the stream. */
struct access overlay_set(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                          uint32_t value);

/* Handles a packet that has arrived for a stream; its bytes are in L1 already. tag: NOC_TAG_*. */
struct access overlay_arrive(struct overlay *overlay, struct overlay_wire *wire, unsigned tag, uint32_t bytes);
/* Continues streams after packets have left, or a linked transaction has ended. */
void overlay_go_on(struct overlay *overlay, struct overlay_wire *wire);
/* Returns whether overlay_go_on has something to do. */
static inline bool overlay_is_due(const struct overlay *overlay, const struct niu niu[2]) {
    return niu[0].overlay_left || niu[1].overlay_left || (overlay->waiting[0] && niu_overlay_has_room(&niu[0])) ||
           (overlay->waiting[1] && niu_overlay_has_room(&niu[1]));
}
/* Returns a mask of the streams that have changed by themselves since the last call. */
static inline uint64_t overlay_moved(struct overlay *overlay) {
    uint64_t moved = overlay->moved;
    overlay->moved = 0;
    return moved;
}

/* Returns the space at a destination of a stream: REMOTE_DEST_BUF_SPACE_AVAILABLE + i. */
static inline uint32_t *overlay_space(struct overlay *overlay, unsigned stream, unsigned i) {
    return i ? &overlay->more_space[stream][i - 1]
             : &overlay->value[stream][OVERLAY_SLOT_REMOTE_DEST_BUF_SPACE_AVAILABLE];
}
static inline uint32_t overlay_space_at(const struct overlay *overlay, unsigned stream, unsigned i) {
    return i ? overlay->more_space[stream][i - 1]
             : overlay->value[stream][OVERLAY_SLOT_REMOTE_DEST_BUF_SPACE_AVAILABLE];
}

#endif
