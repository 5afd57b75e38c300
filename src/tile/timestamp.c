/* The debug timestamper: see timestamp.h. */
#include "tile/timestamp.h"

#include "hazard/hazard.h"
#include "tile/l1.h"

/* The meaning of the low three bits of a token. */
enum token { EVENT_128, EVENT_64, EVENT_32, FLUSH_64, EVENT_96, FLUSH_96 = 7 };

/* Bits of TIMESTAMP_DUMP_STATUS; those of the two buffers are side by side. */
enum { FULL_SHIFT = 0, OVERFLOW_SHIFT = 4, PAIRS_SHIFT = 8, WORDS_SHIFT = 9, TRIPLES_SHIFT = 11, POSITION_SHIFT = 14 };
enum { BUFFER_MASK = (1 << TIMESTAMP_BUFFERS) - 1, POSITION_MASK = 0x3FFFF };

static const uint32_t STREAM_RESET = UINT32_C(1) << 31; /* bit of TIMESTAMP_DUMP_CNTL; its low bits make buffers
                                                         * valid */

bool timestamp_has(uint32_t address) {
    return (int)address == REG_AT_CONTROL_TIMESTAMP_DUMP_CMD || (int)address == REG_AT_CONTROL_TIMESTAMP_DUMP_CNTL ||
           (int)address == REG_AT_CONTROL_TIMESTAMP_DUMP_STATUS;
}

/* ---- Buffers --------------------------------------------------------------------------------------------- */

/* Returns the position in L1 of the next 16 bytes of a buffer, in units of 16 bytes. */
static uint32_t place(const struct tile *tile, unsigned buffer) {
    enum { STRIDE = REG_CONTROL_TIMESTAMP_DUMP_BUF1_START_ADDR - REG_CONTROL_TIMESTAMP_DUMP_BUF0_START_ADDR };
    return tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_BUF0_START_ADDR + STRIDE * buffer] +
           tile->timestamp.position[buffer];
}

/* The register has the last position of a buffer, not its end. */
static bool has_room(const struct tile *tile, unsigned buffer) {
    enum { STRIDE = REG_CONTROL_TIMESTAMP_DUMP_BUF1_END_ADDR - REG_CONTROL_TIMESTAMP_DUMP_BUF0_END_ADDR };
    return place(tile, buffer) <= tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_BUF0_END_ADDR + STRIDE * buffer];
}

static struct access put_to(struct tile *tile, unsigned buffer, uint64_t time) {
    struct timestamp *t = &tile->timestamp;
    uint64_t address = (uint64_t)place(tile, buffer) * sizeof t->gathered;
    if (!l1_holds(tile, address, sizeof t->gathered))
        return access_refused(BH_FAULT_UNMAPPED, "TIMESTAMP_DUMP_BUF: the event does not lie in L1");
    l1_write(tile, (uint32_t)address, t->gathered, sizeof t->gathered, time);
    if (tile->mail.hazards)
        hazard_forget(tile->mail.hazards, (uint32_t)address, sizeof t->gathered);
    t->position[buffer]++;
    if (!has_room(tile, buffer))
        t->full |= (uint8_t)(1u << buffer);
    return access_done();
}

/* Writes the collected words, filled up with zeros. If no buffer has room, they are lost. */
static struct access flush(struct tile *tile, uint64_t time) {
    struct timestamp *t = &tile->timestamp;
    unsigned valid = tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_CNTL] & BUFFER_MASK;
    while (t->count < TIMESTAMP_WORDS)
        t->gathered[t->count++] = 0;
    t->count = t->size = 0;
    for (unsigned i = 0; i < TIMESTAMP_BUFFERS; i++)
        if ((valid >> i & 1) && has_room(tile, i))
            return put_to(tile, i, time);
    t->overflown |= (uint8_t)valid;
    return access_done();
}

/* ---- Events ---------------------------------------------------------------------------------------------- */

/* A three-word event may not fit into the 16 bytes: its last words then begin the next 16 bytes. */
static struct access append(struct tile *tile, const uint32_t *event, unsigned size, uint64_t time) {
    struct timestamp *t = &tile->timestamp;
    struct access access = access_done();
    for (unsigned i = 0; i < size && access.result == ACCESS_DONE; i++) {
        t->gathered[t->count++] = event[i];
        if (t->count == TIMESTAMP_WORDS)
            access = flush(tile, time);
    }
    t->size = t->count ? (uint8_t)size : 0;
    return access;
}

static struct access command(struct tile *tile, uint32_t token, uint64_t time) {
    static const uint8_t words[8] = {
        [EVENT_128] = 4, [EVENT_64] = 2, [EVENT_32] = 1, [FLUSH_64] = 2, [EVENT_96] = 3, [FLUSH_96] = 3
    };
    struct timestamp *t = &tile->timestamp;
    unsigned size = words[token & 7];
    uint32_t event[TIMESTAMP_WORDS] = { token, (uint32_t)time, (uint32_t)(time >> 32) };
    if (!size)
        return access_refused(BH_FAULT_UNDEFINED, "TIMESTAMP_DUMP_CMD: no event has 5 or 6 in its low three bits");
    if (t->size && t->size != size)
        return access_refused(BH_FAULT_UNDEFINED, "TIMESTAMP_DUMP_CMD: events of another size have gathered: flush "
                                                  "these first");
    t->size = (uint8_t)size;
    if ((token & 7) == FLUSH_64 || (token & 7) == FLUSH_96)
        return flush(tile, time);
    if ((token & 7) == EVENT_32)
        event[0] = (token & 0xFFFF) | (uint32_t)(time & 0x1FFFE0) << 11;
    return append(tile, event, size, time);
}

/* ---- Registers ------------------------------------------------------------------------------------------- */

/* Resets the stream, as happens in every cycle while the bit is set. */
static void reset_stream(struct tile *tile) {
    struct timestamp *t = &tile->timestamp;
    if (tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_CNTL] & STREAM_RESET)
        t->count = t->size = t->full = t->overflown = 0;
}

struct access timestamp_write(struct tile *tile, uint32_t address, uint32_t value, uint64_t time) {
    struct timestamp *t = &tile->timestamp;
    reset_stream(tile);
    switch ((int)address) {
    case REG_AT_CONTROL_TIMESTAMP_DUMP_CMD: return command(tile, value, time);
    case REG_AT_CONTROL_TIMESTAMP_DUMP_CNTL:
        tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_CNTL] = value;
        reset_stream(tile);
        break;
    default: /* TIMESTAMP_DUMP_STATUS */
        for (unsigned i = 0; i < TIMESTAMP_BUFFERS; i++)
            if (value >> (FULL_SHIFT + i) & 1)
                t->position[i] = 0;
        t->full &= (uint8_t) ~(value >> FULL_SHIFT);
        t->overflown &= (uint8_t) ~(value >> OVERFLOW_SHIFT);
        break;
    }
    return access_done();
}

static uint32_t status(const struct tile *tile) {
    const struct timestamp *t = &tile->timestamp;
    uint32_t position = (t->position[0] & POSITION_MASK) << POSITION_SHIFT;
    if (tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_CNTL] & STREAM_RESET)
        return position;
    uint32_t pairs = t->size == 2 ? t->count / 2u : 0, words = t->size == 1 ? t->count : 0;
    uint32_t triples = t->size == 3 ? (4u - t->count) & 3 : 0;
    return position | pairs << PAIRS_SHIFT | words << WORDS_SHIFT | triples << TRIPLES_SHIFT |
           (uint32_t)t->full << FULL_SHIFT | (uint32_t)t->overflown << OVERFLOW_SHIFT;
}

struct access timestamp_read(const struct tile *tile, uint32_t address, uint32_t *value) {
    switch ((int)address) {
    case REG_AT_CONTROL_TIMESTAMP_DUMP_CMD: *value = 0; break;
    case REG_AT_CONTROL_TIMESTAMP_DUMP_CNTL: *value = tile->control.value[REG_CONTROL_TIMESTAMP_DUMP_CNTL]; break;
    default: *value = status(tile); break;
    }
    return access_done();
}
