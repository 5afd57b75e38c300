/* Registers of overlay streams. The pages: see overlay.h.
 *
 * Inexact: of REMOTE_DEST_BUF_SPACE_AVAILABLE only the words of the data buffer are stored, not those of the message
 * info buffer that Blackhole has above them. Of DEBUG_STATUS only the two documented bits of word 2 are shown, without
 * their delay; the rest reads as zero. */
#include "noc/stream.h"

#include <stdbool.h>

enum {
    ALL_HAVE_SPACE = 1 << 3, /* in DEBUG_STATUS + 2 */
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

/* 1 + the slot of a register that stores a value; 0 if the register stores none. */
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
    const char *refusal; /* text of the refusal if the register is written */
};

/* Returns the row of a register. The registers that programs use most come first. */
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

static struct access add_space(struct overlay *overlay, unsigned stream, uint32_t value) {
    unsigned i = value & 63;
    if (i >= destinations(stream))
        return access_refused(BH_FAULT_UNDEFINED, "this stream has no such destination (overlay register 270)");
    uint32_t *words = overlay_space(overlay, stream, i);
    *words = (*words + (value >> 6)) & BITS_17;
    return access_done();
}

static bool all_have_space(const struct overlay *overlay, unsigned stream) {
    for (unsigned i = 0; i < destinations(stream); i++)
        if (!overlay_space_at(overlay, stream, i))
            return false;
    return true;
}

/* ---- Reads --------------------------------------------------------------------------------------------- */

/* Returns the offset that a write adds and a read subtracts. */
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
        *value = overlay_space_at(overlay, stream, index - SPACE);
        return access_done();
    }
    const struct row *row = row_of(index);
    if (row->kind == UNNAMED)
        return access_refused(BH_FAULT_UNMODELLED, row->refusal);
    if (row->kind == SHOWN)
        *value = messages_show(overlay, stream, index);
    if (index - OVERLAY_BLOB_AUTO_CFG_DONE < 2 && stream == 0)
        *value = (uint32_t)(overlay->done >> 32 * (index - OVERLAY_BLOB_AUTO_CFG_DONE));
    if (index == OVERLAY_DEBUG_STATUS + 2 && all_have_space(overlay, stream))
        *value |= ALL_HAVE_SPACE;
    return access_done();
}

/* Returns the stream whose buffer has the first message: for a stream that gathers, it is another one
 * (TransmitToSoftware.md). */
static unsigned buffer_of(const struct overlay *overlay, unsigned stream) {
    const struct messages *m = &overlay->messages[stream];
    return m->count && m->state == MESSAGES_FORWARD ? m->from[0] : stream;
}

struct access overlay_stream(const struct overlay *overlay, unsigned stream, unsigned index, uint32_t *value) {
    if (stream >= OVERLAY_STREAMS || index >= OVERLAY_REGISTERS)
        return access_refused(BH_FAULT_UNMAPPED, "the overlay has no such stream or register");
    if (!slot_of[index])
        return read_other(overlay, stream, index, value);
    unsigned slot = slot_of[index] - 1u;
    if (index == OVERLAY_BUF_START || index == OVERLAY_BUF_SIZE)
        stream = buffer_of(overlay, stream);
    *value = (overlay->value[stream][slot] - base_of(overlay->value[stream], index)) & stored[slot].mask;
    return access_done();
}

struct access overlay_peek(const struct overlay *overlay, uint32_t offset, uint32_t *value) {
    if (offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "registers of the overlay are words");
    return overlay_stream(overlay, offset / OVERLAY_STREAM_SIZE, offset % OVERLAY_STREAM_SIZE / 4, value);
}

enum { NEXT_DONE = 4 * OVERLAY_BLOB_NEXT_AUTO_CFG_DONE }; /* offset of the register whose read has an effect */

bool overlay_steady(uint32_t offset) {
    return offset != NEXT_DONE;
}

struct access overlay_read(struct overlay *overlay, uint32_t offset, uint32_t *value) {
    struct access access = overlay_peek(overlay, offset, value);
    if (offset == NEXT_DONE)
        blob_next_read(overlay);
    return access;
}

/* ---- Writes -------------------------------------------------------------------------------------------- */

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
            *overlay_space(overlay, stream, i) = kept;
        break;
    case OVERLAY_BUF_START: own[OVERLAY_SLOT_RD_PTR] = own[OVERLAY_SLOT_WR_PTR] = 0; break;
    case OVERLAY_RD_PTR: move_read_pointer(own); break;
    default: break;
    }
}

/* An idle stream loads its configuration when this register tells it to. */
static struct access write_onetime(struct overlay *overlay, struct overlay_wire *wire, unsigned stream,
                                   uint32_t value) {
    const struct step s = stream_step(overlay, wire, stream);
    s.own[OVERLAY_SLOT_ONETIME_MISC_CFG] = value & stored[OVERLAY_SLOT_ONETIME_MISC_CFG].mask;
    if (!(value & STREAM_AUTO_CONFIG) || s.m->state != MESSAGES_IDLE || overlay->loading)
        return access_done();
    overlay->done &= ~(UINT64_C(1) << stream);
    return blob_load(&s);
}

static struct access write_register(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                                    uint32_t value) {
    uint32_t *own = overlay->value[stream];
    unsigned slot = slot_of[index] - 1u;
    if (!(stored[slot].streams >> stream & 1))
        return access_done();
    if (index == OVERLAY_ONETIME_MISC_CFG)
        return write_onetime(overlay, wire, stream, value);
    if (index == OVERLAY_PHASE_AUTO_CFG_HEADER) {
        blob_header(own, value);
        return access_done();
    }
    own[slot] = (value + base_of(own, index)) & stored[slot].mask;
    follow(overlay, stream, index, own[slot]);
    return access_done();
}

static struct access write_other(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                                 uint32_t value) {
    const struct row *row = row_of(index);
    switch (row->kind) {
    case COMMAND: return messages_command(overlay, wire, stream, index, value);
    case IDLE: return access_done();
    default: return refuse_write(index, row);
    }
}

static bool keeps(unsigned index) {
    return slot_of[index] && index != SPACE && index != OVERLAY_NEXT_RECEIVED_MSG_ADDR &&
           index != OVERLAY_NEXT_RECEIVED_MSG_SIZE;
}

struct access overlay_set(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, unsigned index,
                          uint32_t value) {
    if (index == OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE)
        return add_space(overlay, stream, value);
    return keeps(index) ? write_register(overlay, wire, stream, index, value)
                        : write_other(overlay, wire, stream, index, value);
}

/* ---- Going on ------------------------------------------------------------------------------------------ */

/* Stops a stream that cannot continue, and reports the reason. */
static void give_up(struct overlay *overlay, struct overlay_wire *wire, unsigned stream, struct access why) {
    (void)overlay_set(overlay, wire, stream, OVERLAY_RESET, 1);
    if (wire->fail)
        wire->fail(wire->owner, stream, why);
}

/* Continues one stream, and records on which NoCs it has something to send. */
static struct access go_on_with(struct overlay *overlay, struct overlay_wire *wire, unsigned stream) {
    const struct step s = stream_step(overlay, wire, stream);
    const uint64_t bit = UINT64_C(1) << stream;
    overlay->dirty &= ~bit;
    overlay->moved |= bit;
    struct access access = stream_go_on(&s);
    unsigned wants = access.result == ACCESS_DONE && wire->wire ? transfer_wants(&s) : 0;
    for (unsigned noc = 0; noc < 2; noc++)
        overlay->waiting[noc] = wants >> noc & 1 ? overlay->waiting[noc] | bit : overlay->waiting[noc] & ~bit;
    return access;
}

/* Lets the next of the streams that wait send a packet. */
static struct access send_next(struct overlay *overlay, struct overlay_wire *wire, unsigned noc, unsigned *stream) {
    uint64_t waiting = overlay->waiting[noc], from = waiting >> overlay->next[noc] << overlay->next[noc];
    *stream = (unsigned)__builtin_ctzll(from ? from : waiting);
    overlay->next[noc] = (uint8_t)((*stream + 1) % OVERLAY_STREAMS);
    const struct step s = stream_step(overlay, wire, *stream);
    stream_touch(&s, *stream);
    return transfer_send(&s, noc);
}

/* Continues all streams until none can. Returns the refusal of stream `asked`, and reports those of others. A write
 * that a packet makes meanwhile, with loose timing, only marks its stream. */
static struct access run(struct overlay *overlay, struct overlay_wire *wire, unsigned asked) {
    enum { STEPS_MAX = 1 << 18 }; /* the most steps in one call, which all take no time */
    struct access first = access_done();
    if (overlay->running)
        return first;
    overlay->running = 1;
    for (unsigned steps = 0;; steps++) {
        struct access access;
        unsigned stream;
        if (overlay->dirty) {
            stream = (unsigned)__builtin_ctzll(overlay->dirty);
            access = go_on_with(overlay, wire, stream);
        } else if (overlay->waiting[0] && niu_overlay_has_room(&wire->niu[0])) {
            access = send_next(overlay, wire, 0, &stream);
        } else if (overlay->waiting[1] && niu_overlay_has_room(&wire->niu[1])) {
            access = send_next(overlay, wire, 1, &stream);
        } else {
            break;
        }
        if (access.result == ACCESS_DONE && steps >= STEPS_MAX)
            access = stream_undefined("streams send messages to each other without end");
        if (access.result == ACCESS_DONE)
            continue;
        if (stream == asked)
            first = access;
        struct overlay_wire quiet = *wire;
        quiet.fail = stream == asked ? NULL : wire->fail;
        give_up(overlay, &quiet, stream, access);
    }
    overlay->running = 0;
    return first;
}

/* Handles packets that have left. */
static void take_left(struct overlay *overlay, struct overlay_wire *wire) {
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned left; (left = niu_overlay_next(&wire->niu[noc])) != NIU_NO_STREAM;) {
            const struct step s = stream_step(overlay, wire, left % NIU_STREAM_DATA);
            if (left & NIU_STREAM_DATA && s.m->reads)
                stream_read_complete(&s);
        }
}

void overlay_go_on(struct overlay *overlay, struct overlay_wire *wire) {
    take_left(overlay, wire);
    (void)run(overlay, wire, OVERLAY_STREAMS);
}

struct access overlay_write(struct overlay *overlay, struct overlay_wire *wire, uint32_t offset, uint32_t value) {
    unsigned stream = offset / OVERLAY_STREAM_SIZE, index = offset % OVERLAY_STREAM_SIZE / 4;
    if (offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "registers of the overlay are words");
    if (stream >= OVERLAY_STREAMS || index >= OVERLAY_REGISTERS)
        return access_refused(BH_FAULT_UNMAPPED, "the overlay has no such stream or register");
    struct access access = overlay_set(overlay, wire, stream, index, value);
    if (access.result != ACCESS_DONE)
        return access;
    bool acts = !slot_of[index] || index == OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR;
    if (acts && overlay->messages[stream].state != MESSAGES_IDLE)
        overlay->dirty |= UINT64_C(1) << stream;
    return overlay->dirty ? run(overlay, wire, stream) : access;
}

struct access overlay_arrive(struct overlay *overlay, struct overlay_wire *wire, unsigned tag, uint32_t bytes) {
    unsigned stream = tag & NOC_TAG_STREAM;
    const struct step s = stream_step(overlay, wire, stream);
    struct access access = transfer_arrived(&s, tag, bytes / 16);
    stream_touch(&s, stream);
    return access.result == ACCESS_DONE ? run(overlay, wire, stream) : access;
}
