/* Logs of libttsim sessions: see session_log.h. */
#include "session_log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "ttsim\r\n\x1a";
enum { MAGIC = sizeof magic - 1, SAME_LEAST = 8 };

static const struct {
    const char *name;
    uint8_t numbers;
    bool data;
} kinds[] = {
#define SESSION_ROW(value, name, numbers, data) [value] = { #name, numbers, data },
    SESSION_KINDS(SESSION_ROW)
#undef SESSION_ROW
};

const char *session_kind_name(enum session_kind kind) {
    return kinds[kind].name;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static void put(struct session_bytes *bytes, const void *data, size_t size) {
    if (bytes->count + size > bytes->room) {
        size_t room = 2 * (bytes->count + size) + 64;
        uint8_t *grown = realloc(bytes->at, room);
        if (!grown) {
            bytes->failed = true;
            return;
        }
        bytes->at = grown;
        bytes->room = room;
    }
    memcpy(bytes->at + bytes->count, data, size);
    bytes->count += size;
}

static void put_number(struct session_bytes *bytes, uint64_t number) {
    uint8_t digits[10];
    unsigned count = 0;
    for (; number > 0x7F; number >>= 7)
        digits[count++] = (uint8_t)(number | 0x80);
    digits[count++] = (uint8_t)number;
    put(bytes, digits, count);
}

/* How many bytes from here on are the same. */
static uint32_t same_from(const uint8_t *data, uint32_t size) {
    uint32_t count = 1;
    while (count < size && data[count] == data[0])
        count++;
    return count;
}

/* How many bytes from here on are better written one by one. */
static uint32_t different_from(const uint8_t *data, uint32_t size) {
    uint32_t count = 0;
    while (count < size) {
        uint32_t same = same_from(data + count, size - count);
        if (same >= SAME_LEAST)
            break;
        count += same;
    }
    return count;
}

static void put_data(struct session_bytes *bytes, const uint8_t *data, uint32_t size) {
    put_number(bytes, size);
    while (size) {
        uint32_t length = different_from(data, size);
        bool same = length == 0;
        if (same)
            length = same_from(data, size);
        put_number(bytes, (uint64_t)length << 1 | same);
        put(bytes, data, same ? 1 : length);
        data += length;
        size -= length;
    }
}

void session_put_header(struct session_bytes *bytes) {
    put(bytes, magic, MAGIC);
    put(bytes, &(uint8_t){ SESSION_VERSION }, 1);
}

void session_put(struct session_bytes *bytes, const struct session_record *record) {
    put(bytes, &(uint8_t){ (uint8_t)record->kind }, 1);
    for (unsigned i = 0; i < kinds[record->kind].numbers; i++)
        put_number(bytes, record->number[i]);
    if (kinds[record->kind].data)
        put_data(bytes, record->data, record->size);
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

__attribute__((format(printf, 3, 4))) static enum session_state
end_with(struct session_reader *reader, enum session_state state, const char *format, ...) {
    va_list args;
    int at = snprintf(reader->error, sizeof reader->error, "byte %zu, record %" PRIu64 ": ",
                      (size_t)(reader->at - reader->start), reader->records + 1);
    va_start(args, format);
    vsnprintf(reader->error + at, sizeof reader->error - (size_t)at, format, args);
    va_end(args);
    return state;
}

static enum session_state cut_short(struct session_reader *reader) {
    return end_with(reader, SESSION_CUT, "the log ends here, without an end mark");
}

bool session_is_log(const void *log, size_t size) {
    return size >= MAGIC && memcmp(log, magic, MAGIC) == 0;
}

enum session_state session_open(struct session_reader *reader, const void *log, size_t size, uint32_t limit) {
    *reader = (struct session_reader){ .start = log, .at = log, .end = (const uint8_t *)log + size, .limit = limit };
    if (!session_is_log(log, size))
        return end_with(reader, SESSION_BAD, "this is no log of a libttsim session");
    if (size < SESSION_HEADER)
        return end_with(reader, SESSION_BAD, "the version is missing");
    reader->at += SESSION_HEADER;
    if (reader->at[-1] != SESSION_VERSION)
        return end_with(reader, SESSION_BAD, "version %u of the format; this program reads version %d", reader->at[-1],
                        SESSION_VERSION);
    return SESSION_MORE;
}

static enum session_state take_number(struct session_reader *reader, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        uint8_t digit = *reader->at++;
        if (shift == 63 && digit > 1)
            return end_with(reader, SESSION_BAD, "a number has more than 64 bits");
        *number |= (uint64_t)(digit & 0x7F) << shift;
        if (!(digit & 0x80))
            return SESSION_MORE;
    }
    return cut_short(reader);
}

static bool make_room(struct session_reader *reader, size_t size) {
    if (size <= reader->room)
        return true;
    uint8_t *grown = realloc(reader->data, size);
    if (!grown)
        return false;
    reader->data = grown;
    reader->room = size;
    return true;
}

/* A piece of data to its place. */
static enum session_state take_piece(struct session_reader *reader, uint64_t size, uint64_t *done) {
    uint64_t piece;
    enum session_state state = take_number(reader, &piece);
    if (state != SESSION_MORE)
        return state;
    uint64_t length = piece >> 1, stored = piece & 1 ? 1 : length;
    if (length == 0 || length > size - *done)
        return end_with(reader, SESSION_BAD, "a piece of %" PRIu64 " bytes where %" PRIu64 " are left", length,
                        size - *done);
    if (stored > (uint64_t)(reader->end - reader->at))
        return cut_short(reader);
    if (!make_room(reader, (size_t)(*done + length)))
        return end_with(reader, SESSION_BAD, "no memory for %" PRIu64 " bytes", *done + length);
    if (piece & 1)
        memset(reader->data + *done, *reader->at, (size_t)length);
    else
        memcpy(reader->data + *done, reader->at, (size_t)length);
    reader->at += stored;
    *done += length;
    return SESSION_MORE;
}

static enum session_state take_data(struct session_reader *reader, struct session_record *record) {
    uint64_t size, done = 0;
    enum session_state state = take_number(reader, &size);
    if (state == SESSION_MORE && size > reader->limit)
        return end_with(reader, SESSION_BAD, "%" PRIu64 " bytes of data; at most %" PRIu32 " are read", size,
                        reader->limit);
    while (state == SESSION_MORE && done < size)
        state = take_piece(reader, size, &done);
    record->data = reader->data;
    record->size = (uint32_t)size;
    return state;
}

static enum session_state check_end(struct session_reader *reader, uint64_t records) {
    if (records != reader->records)
        return end_with(reader, SESSION_BAD, "the end mark counts %" PRIu64 " records, there are %" PRIu64, records,
                        reader->records);
    if (reader->at != reader->end)
        return end_with(reader, SESSION_BAD, "%zu bytes behind the end mark", (size_t)(reader->end - reader->at));
    return SESSION_DONE;
}

/* Arguments of calls that have 32 bits. */
static bool fits(const struct session_record *record) {
    switch (record->kind) {
    case SESSION_CLOCK: return record->number[0] <= UINT32_MAX;
    case SESSION_CONFIG_READ:
    case SESSION_CONFIG_WRITE: return (record->number[0] | record->number[1] | record->number[2]) <= UINT32_MAX;
    case SESSION_TILE_READ:
    case SESSION_TILE_WRITE: return (record->number[0] | record->number[1]) <= UINT32_MAX;
    case SESSION_CALLBACKS: return record->number[0] <= 3;
    default: return true;
    }
}

enum session_state session_next(struct session_reader *reader, struct session_record *record) {
    enum session_state state = SESSION_MORE;
    *record = (struct session_record){ 0 };
    if (reader->at == reader->end)
        return cut_short(reader);
    if (*reader->at >= SESSION_KIND_COUNT)
        return end_with(reader, SESSION_BAD, "there is no record of kind %u", *reader->at);
    record->kind = (enum session_kind) * reader->at++;
    for (unsigned i = 0; i < kinds[record->kind].numbers && state == SESSION_MORE; i++)
        state = take_number(reader, &record->number[i]);
    if (state == SESSION_MORE && !fits(record))
        return end_with(reader, SESSION_BAD, "%s: an argument is too large", kinds[record->kind].name);
    if (state == SESSION_MORE && kinds[record->kind].data)
        state = take_data(reader, record);
    if (state != SESSION_MORE)
        return state;
    if (record->kind == SESSION_END)
        return check_end(reader, record->number[0]);
    reader->records++;
    return SESSION_MORE;
}

void session_close(struct session_reader *reader) {
    free(reader->data);
    reader->data = NULL;
}
