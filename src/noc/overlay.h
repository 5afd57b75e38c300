/* The NoC overlay of a tile: 64 streams (32 in an Ethernet tile) and their registers, which circular buffers, dispatch,
 * STREAMWAIT and STREAMWRCFG use, whether or not a stream has been started.
 *
 * Sources: WormholeB0/NoC/Overlay/AsGeneralUse.md and README.md; Blackhole's numbers and fields (isa/overlay.h).
 * Streams between software and software are in messages.h.
 * Inexact: streams that send or receive packets, gather, or load their configuration from L1 are refused. Reset values
 * are taken to be zero. Registers of Wormhole's pages are taken to do the same here. Registers that are only written
 * read as zero, as the page says of STREAM_PHASE_ADVANCE.
 */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdint.h>

#include "isa/access.h"
#include "isa/overlay.h"
#include "noc/messages.h"

/* Dense numbers of the registers that keep a value: OVERLAY_SLOT_REMOTE_SRC ... */
enum overlay_slot {
#define OVERLAY_SLOT(name, ...) OVERLAY_SLOT_##name,
    OVERLAY_STORED(OVERLAY_SLOT) OVERLAY_SLOTS
#undef OVERLAY_SLOT
};

enum { OVERLAY_MCAST_STREAMS = 4 };

/* All zero after reset. */
struct overlay {
    uint32_t value[OVERLAY_STREAMS][OVERLAY_SLOTS];
    /* REMOTE_DEST_BUF_SPACE_AVAILABLE + 1 .. 31; only the first streams have these registers */
    uint32_t more_space[OVERLAY_MCAST_STREAMS][OVERLAY_DESTINATIONS - 1];
    struct messages messages[OVERLAY_STREAMS];
    struct messages_headers headers[MESSAGES_WITH_HEADER];
};

/* Read and write registers. offset: bytes from 0xFFB40000. l1: memory with the headers of messages; NULL: streams
 * cannot be started. */
struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value);
struct access overlay_write(struct overlay *overlay, const uint8_t *l1, uint32_t offset, uint32_t value);
/* Without effects. */
struct access overlay_peek(const struct overlay *overlay, uint32_t offset, uint32_t *value);
/* Peeks at a register by its number. */
struct access overlay_stream(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value);

#endif
