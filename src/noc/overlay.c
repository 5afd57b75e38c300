/* Registers of overlay streams. Pages: see overlay.h.
 *
 * Inexact: of REMOTE_DEST_BUF_SPACE_AVAILABLE only the words of the data buffer are kept, not those of the message info
 * buffer that Blackhole has above them. Of DEBUG_STATUS the two documented bits
 * are shown, of word 2 and without their delay; the rest reads as zero. */
#include "noc/overlay.h"

#include <stdbool.h>

enum {
    PHASE_AUTO_CONFIG = 1 << 0, /* in ONETIME_MISC_CFG */
    ALL_HAVE_SPACE = 1 << 3,    /* in DEBUG_STATUS + 2 */
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

/* 1 + the slot of a register that keeps a value; 0: it keeps none. */
static const uint8_t slot_of[OVERLAY_REGISTERS] = {
#define ROW(name, number, bits, streams) [number] = OVERLAY_SLOT_##name + 1,
    OVERLAY_STORED(ROW)
#undef ROW
};

/* ---- Registers that keep nothing ----------------------------------------------------------------------- */

enum kind { SHOWN, COMMAND, IDLE, UNMODELLED, UNNAMED };

struct row {
    uint16_t first, count;
    uint8_t kind;
    const char *refusal; /* text of the refusal of a write */
};

/* The registers that programs use most come first. */
static const struct row *row_of(unsigned index) {
#define TEXT(name, number, why)             "STREAM_" #name " (overlay register " #number ") " why
#define SHOWN_ROW(name, number, count)      { number, count, SHOWN, TEXT(name, number, "is read-only") },
#define COMMAND_ROW(name, number, count)    { number, count, COMMAND, NULL },
#define IDLE_ROW(name, number, count)       { number, count, IDLE, NULL },
#define UNMODELLED_ROW(name, number, count) { number, count, UNMODELLED, TEXT(name, number, "is not modelled") },
    static const struct row rows[] = { OVERLAY_COMMANDS(COMMAND_ROW) OVERLAY_SHOWN(SHOWN_ROW) OVERLAY_IDLE(IDLE_ROW)
                                           OVERLAY_UNMODELLED(UNMODELLED_ROW) };
    static const struct row unnamed = { 0, 0, UNNAMED, "this register of an overlay stream is not modelled" };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (index - rows[i].first < rows[i].count)
            return &rows[i];
    return &unnamed;
#undef TEXT
#undef SHOWN_ROW
#undef COMMAND_ROW
#undef IDLE_ROW
#undef UNMODELLED_ROW
}

static struct access refuse_write(unsigned index, const struct row *row) {
    switch (index) {
    case OVERLAY_NEXT_RECEIVED_MSG_ADDR:
        return access_refused(BH_FAULT_UNDEFINED, "STREAM_NEXT_RECEIVED_MSG_ADDR (overlay register 262) is read-only");
    case OVERLAY_NEXT_RECEIVED_MSG_SIZE:
        return access_refused(BH_FAULT_UNDEFINED, "STREAM_NEXT_RECEIVED_MSG_SIZE (overlay register 263) is read-only");
    default: break;
    }
    if (index >= SPACE && index < SPACE + OVERLAY_DESTINATIONS)
        return access_refused(BH_FAULT_UNDEFINED,
                              "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE (overlay register 297 and up) is read-only");
    return access_refused(row->kind == SHOWN ? BH_FAULT_UNDEFINED : BH_FAULT_UNMODELLED, row->refusal);
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

/* Returns the bias that a write adds and a read subtracts. */
static uint32_t base_of(const uint32_t *value, unsigned index) {
    switch (index) {
    case OVERLAY_CURR_PHASE:
    case OVERLAY_REMOTE_SRC_PHASE: return value[OVERLAY_SLOT_CURR_PHASE_BASE];
    case OVERLAY_PHASE_AUTO_CFG_PTR: return value[OVERLAY_SLOT_PHASE_AUTO_CFG_PTR_BASE];
    default: return 0;
    }
}

static struct access read_other(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value) {
    *value = 0;
    if (index > SPACE && index < SPACE + destinations(stream)) {
        *value = peek_space(overlay, stream, index - SPACE);
        return access_done();
    }
    const struct row *row = row_of(index);
    if (row->kind == UNNAMED)
        return access_refused(BH_FAULT_UNMODELLED, row->refusal);
    if (row->kind == SHOWN)
        *value = messages_show(overlay, stream, index);
    if (index == OVERLAY_DEBUG_STATUS + 2 && all_have_space(overlay, stream))
        *value |= ALL_HAVE_SPACE;
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

/* No read has an effect. */
struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value) {
    return overlay_peek(overlay, offset, value);
}

/* ---- Writes -------------------------------------------------------------------------------------------- */

/* value[11:0] is added to the phase; value[23:12], the messages left in the phase, can also be read below. */
static void write_header(uint32_t *own, uint32_t value) {
    uint32_t phase = own[OVERLAY_SLOT_CURR_PHASE] + (value & 0xFFF);
    own[OVERLAY_SLOT_CURR_PHASE] = phase & stored[OVERLAY_SLOT_CURR_PHASE].mask;
    own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER] = (value & 0xFFFFF000) | (value >> 12 & 0xFFF);
}

static void move_read_pointer(uint32_t *own) {
    own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_SIZE] = 0;
    own[OVERLAY_SLOT_NEXT_RECEIVED_MSG_ADDR] = (own[OVERLAY_SLOT_BUF_START] + own[OVERLAY_SLOT_RD_PTR]) & BITS_17;
}

/* Applies the side effects of a write. */
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

static struct access write_register(struct overlay *overlay, const uint8_t *l1, unsigned stream, unsigned index,
                                    uint32_t value) {
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
    return index == OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR ? messages_pointer(overlay, l1, stream) : access_done();
}

static struct access write_other(struct overlay *overlay, const uint8_t *l1, unsigned stream, unsigned index,
                                 uint32_t value) {
    const struct row *row = row_of(index);
    switch (row->kind) {
    case COMMAND: return messages_command(overlay, l1, stream, index, value);
    case IDLE: return access_done();
    default: return refuse_write(index, row);
    }
}

static bool keeps(unsigned index) {
    return slot_of[index] && index != SPACE && index != OVERLAY_NEXT_RECEIVED_MSG_ADDR &&
           index != OVERLAY_NEXT_RECEIVED_MSG_SIZE;
}

struct access overlay_write(struct overlay *overlay, const uint8_t *l1, uint32_t offset, uint32_t value) {
    unsigned stream = offset / OVERLAY_STREAM_SIZE, index = offset % OVERLAY_STREAM_SIZE / 4;
    if (offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "registers of the overlay are words");
    if (stream >= OVERLAY_STREAMS || index >= OVERLAY_REGISTERS)
        return access_refused(BH_FAULT_UNMAPPED, "the overlay has no such stream or register");
    if (index == OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE)
        return add_space(overlay, stream, value);
    return keeps(index) ? write_register(overlay, l1, stream, index, value)
                        : write_other(overlay, l1, stream, index, value);
}
