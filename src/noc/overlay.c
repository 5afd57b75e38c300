/* Registers of overlay streams. Pages: see overlay.h.
 *
 * Inexact: of REMOTE_DEST_BUF_SPACE_AVAILABLE only the words of the data buffer are kept, not those of the message info
 * buffer that Blackhole has above them. DEBUG_STATUS + 2 shows its two documented bits, without their delay. */
#include "noc/overlay.h"

#include <stdbool.h>

enum {
    PHASE_AUTO_CONFIG = 1 << 0,  /* in ONETIME_MISC_CFG */
    WAITS_FOR_SOFTWARE = 1 << 0, /* in WAIT_STATUS: to start it */
    L1_READS_NOT_FULL = 1 << 0,  /* in DEBUG_STATUS + 2 */
    ALL_HAVE_SPACE = 1 << 3,     /* likewise */
    SPACE = OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE,
};

#define BITS_17 UINT32_C(0x1FFFF)

static const struct {
    uint64_t streams;
    uint32_t mask;
} stored[OVERLAY_SLOTS] = {
#define ROW(name, number, bits, streams) [OVERLAY_SLOT_##name] = { streams, UINT32_MAX >> (32 - (bits)) },
    OVERLAY_STORED(ROW)
#undef ROW
};

/* 1 + slot of a register that keeps something, else 0. */
static const uint8_t slot_of[OVERLAY_REGISTERS] = {
#define ROW(name, number, bits, streams) [number] = OVERLAY_SLOT_##name + 1,
    OVERLAY_STORED(ROW)
#undef ROW
};

/* ---- What is refused ------------------------------------------------------------------------------- */

static struct access refuse(unsigned index) {
    switch (index) {
#define ROW(name, number) \
    case number: \
        return access_refused(BH_FAULT_UNMODELLED, "STREAM_" #name " (overlay register " #number ") is not modelled");
        OVERLAY_UNMODELLED(ROW)
#undef ROW
    default: return access_refused(BH_FAULT_UNMODELLED, "this register of an overlay stream is not modelled");
    }
}

static struct access refuse_write(unsigned index) {
    switch (index) {
#define ROW(name, number) \
    case number: \
        return access_refused(BH_FAULT_UNDEFINED, "STREAM_" #name " (overlay register " #number ") is read-only");
        OVERLAY_SHOWN(ROW)
        ROW(NEXT_RECEIVED_MSG_ADDR, 262)
        ROW(NEXT_RECEIVED_MSG_SIZE, 263)
#undef ROW
    default: break;
    }
    if (index >= SPACE && index < SPACE + OVERLAY_DESTINATIONS)
        return access_refused(BH_FAULT_UNDEFINED,
                              "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE (overlay register 297 and up) is read-only");
    return refuse(index);
}

/* ---- Space at destinations --------------------------------------------------------------------------- */

static unsigned destinations(unsigned stream) {
    return OVERLAY_IN_MCAST >> stream & 1 ? OVERLAY_DESTINATIONS : 1;
}

static uint32_t *space(struct overlay *overlay, unsigned stream, unsigned i) {
    if (i == 0)
        return &overlay->value[stream][OVERLAY_SLOT_REMOTE_DEST_BUF_SPACE_AVAILABLE];
    return &overlay->more_space[stream][i - 1];
}

static uint32_t peek_space(const struct overlay *overlay, unsigned stream, unsigned i) {
    return i ? overlay->more_space[stream][i - 1]
             : overlay->value[stream][OVERLAY_SLOT_REMOTE_DEST_BUF_SPACE_AVAILABLE];
}

static struct access add_space(struct overlay *overlay, unsigned stream, uint32_t value) {
    unsigned i = value & 63;
    if (i >= destinations(stream))
        return access_refused(BH_FAULT_UNDEFINED, "this stream has no such destination (overlay register 270)");
    uint32_t *words = space(overlay, stream, i);
    *words = (*words + (value >> 6)) & BITS_17;
    return access_done();
}

static bool all_have_space(const struct overlay *overlay, unsigned stream) {
    for (unsigned i = 0; i < destinations(stream); i++)
        if (!peek_space(overlay, stream, i))
            return false;
    return true;
}

/* ---- Reads --------------------------------------------------------------------------------------------- */

/* What is added to a written value, and taken off again when it is read. */
static uint32_t base_of(const uint32_t *value, unsigned index) {
    switch (index) {
    case OVERLAY_CURR_PHASE:
    case OVERLAY_REMOTE_SRC_PHASE: return value[OVERLAY_SLOT_CURR_PHASE_BASE];
    case OVERLAY_PHASE_AUTO_CFG_PTR: return value[OVERLAY_SLOT_PHASE_AUTO_CFG_PTR_BASE];
    default: return 0;
    }
}

static struct access read_other(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value) {
    const uint32_t *own = overlay->value[stream];
    switch (index) {
    case OVERLAY_WAIT_STATUS: *value = WAITS_FOR_SOFTWARE; break;
    case OVERLAY_NUM_MSGS_RECEIVED:
    case OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM: *value = 0; break;
    case OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG:
        *value = own[OVERLAY_SLOT_MSG_INFO_PTR] == own[OVERLAY_SLOT_MSG_INFO_WR_PTR];
        break;
    case OVERLAY_DEBUG_STATUS_2:
        *value = L1_READS_NOT_FULL | (all_have_space(overlay, stream) ? ALL_HAVE_SPACE : 0u);
        break;
    case OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE:
        return access_refused(BH_FAULT_UNDEFINED,
                              "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE (overlay register 270) is write-only");
    default:
        if (index <= SPACE || index >= SPACE + destinations(stream))
            return refuse(index);
        *value = peek_space(overlay, stream, index - SPACE);
    }
    return access_done();
}

struct access overlay_stream(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value) {
    if (stream >= OVERLAY_STREAMS || index >= OVERLAY_REGISTERS)
        return access_refused(BH_FAULT_UNMAPPED, "the overlay has no such stream or register");
    if (!slot_of[index])
        return read_other(overlay, stream, index, value);
    unsigned slot = slot_of[index] - 1u;
    *value = (overlay->value[stream][slot] - base_of(overlay->value[stream], index)) & stored[slot].mask;
    return access_done();
}

struct access overlay_peek(const struct overlay *overlay, uint32_t offset, uint32_t *value) {
    if (offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "registers of the overlay are words");
    return overlay_stream(overlay, offset / OVERLAY_STREAM_SIZE, offset % OVERLAY_STREAM_SIZE / 4, value);
}

/* No read has an effect on a stream that stands still. */
struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value) {
    return overlay_peek(overlay, offset, value);
}

/* ---- Writes -------------------------------------------------------------------------------------------- */

/* Low 12 bits: added to the phase. The next 12, messages left in the phase, also read back below. */
static void write_header(uint32_t *own, uint32_t value) {
    uint32_t phase = own[OVERLAY_SLOT_CURR_PHASE] + (value & 0xFFF);
    own[OVERLAY_SLOT_CURR_PHASE] = phase & stored[OVERLAY_SLOT_CURR_PHASE].mask;
    own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER] = (value & 0xFFFFF000) | (value >> 12 & 0xFFF);
}

static void move_read_pointer(uint32_t *own) {
    own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_SIZE] = 0;
    own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_ADDR] = (own[OVERLAY_SLOT_BUF_START] + own[OVERLAY_SLOT_RD_PTR]) & BITS_17;
}

/* What a write to a register does beside being kept. */
static void follow(struct overlay *overlay, unsigned stream, unsigned index, uint32_t kept) {
    uint32_t *own = overlay->value[stream];
    switch (index) {
    case OVERLAY_REMOTE_DEST_BUF_START: own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR] = 0; break;
    case OVERLAY_REMOTE_DEST_BUF_SIZE:
        for (unsigned i = 0; i < destinations(stream); i++)
            *space(overlay, stream, i) = kept;
        break;
    case OVERLAY_BUF_START: own[OVERLAY_SLOT_RD_PTR] = own[OVERLAY_SLOT_WR_PTR] = 0; break;
    case OVERLAY_RD_PTR: move_read_pointer(own); break;
    default: break;
    }
}

static struct access write_register(struct overlay *overlay, unsigned stream, unsigned index, uint32_t value) {
    uint32_t *own = overlay->value[stream];
    unsigned slot = slot_of[index] - 1u;
    if (!(stored[slot].streams >> stream & 1))
        return access_done();
    if (index == OVERLAY_ONETIME_MISC_CFG && (value & PHASE_AUTO_CONFIG))
        return access_refused(BH_FAULT_UNMODELLED,
                              "STREAM_ONETIME_MISC_CFG (overlay register 2): a stream that loads its configuration "
                              "from L1 is not modelled");
    if (index == OVERLAY_PHASE_AUTO_CFG_HEADER) {
        write_header(own, value);
        return access_done();
    }
    own[slot] = (value + base_of(own, index)) & stored[slot].mask;
    follow(overlay, stream, index, own[slot]);
    return access_done();
}

static bool read_only(unsigned index) {
    return !slot_of[index] || index == SPACE || index == OVERLAY_NEXT_RECEIVED_MSG_ADDR ||
           index == OVERLAY_NEXT_RECEIVED_MSG_SIZE;
}

struct access overlay_write(struct overlay *overlay, uint32_t offset, uint32_t value) {
    unsigned stream = offset / OVERLAY_STREAM_SIZE, index = offset % OVERLAY_STREAM_SIZE / 4;
    if (offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "registers of the overlay are words");
    if (stream >= OVERLAY_STREAMS || index >= OVERLAY_REGISTERS)
        return access_refused(BH_FAULT_UNMAPPED, "the overlay has no such stream or register");
    if (index == OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE)
        return add_space(overlay, stream, value);
    return read_only(index) ? refuse_write(index) : write_register(overlay, stream, index, value);
}
