/* The NoC overlay of a Tensix tile: 64 streams that nobody has started. What is left of a stream then are registers,
 * and these are what circular buffers, dispatch, STREAMWAIT and STREAMWRCFG use.
 *
 * Sources: WormholeB0/NoC/Overlay/AsGeneralUse.md and README.md; Blackhole's numbers and fields (isa/overlay.h).
 * Inexact: what would start a stream, or move a message, is refused. Reset values are taken to be zero. Registers of
 * Wormhole's pages are taken to do the same here.
 */
#ifndef NOC_OVERLAY_H
#define NOC_OVERLAY_H

#include <stdint.h>

#include "isa/access.h"
#include "isa/overlay.h"

/* Dense numbers of the registers that keep something: OVERLAY_SLOT_REMOTE_SRC ... */
enum overlay_slot {
#define OVERLAY_SLOT(name, ...) OVERLAY_SLOT_##name,
    OVERLAY_STORED(OVERLAY_SLOT) OVERLAY_SLOTS
#undef OVERLAY_SLOT
};

enum { OVERLAY_MCAST_STREAMS = 4 };

/* All zero after reset. */
struct overlay {
    uint32_t value[OVERLAY_STREAMS][OVERLAY_SLOTS];
    /* REMOTE_DEST_BUF_SPACE_AVAILABLE + 1 .. 31, in the streams that have them */
    uint32_t more_space[OVERLAY_MCAST_STREAMS][OVERLAY_DESTINATIONS - 1];
};

/* offset: bytes from 0xFFB40000. */
struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value);
struct access overlay_write(struct overlay *overlay, uint32_t offset, uint32_t value);
/* Without effects. */
struct access overlay_peek(const struct overlay *overlay, uint32_t offset, uint32_t *value);
/* The same by number. */
struct access overlay_stream(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value);

#endif
