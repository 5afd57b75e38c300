/* Logs of libttsim sessions: every call of a client, with what it got back, and every access to host memory that the
 * library made meanwhile. recorder.c writes them, replay plays them (docs/libttsim.md).
 *
 *     log      "ttsim\r\n\x1a", version (1 byte), record ...
 *     record   kind (1 byte), numbers as the table below says, data if the kind has data
 *     number   LEB128: seven bits a byte, the lowest first; bit 7 of a byte: another one follows
 *     data     number: size; then pieces until there are so many bytes: number: length << 1 | same, then `length`
 * bytes, or with `same` one byte that stands for all of them
 *
 * Accesses to host memory (HOST_...) come before the call in which they were made. The last record is END, with the
 * number of records before it; a log without END was cut short, as by a client that ended in the middle.
 */
#ifndef SESSION_LOG_H
#define SESSION_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SESSION_VERSION = 1, SESSION_HEADER = 9, SESSION_NUMBERS = 3 };

/*      value  name          numbers  data  what the numbers are */
#define SESSION_KINDS(KIND) \
    KIND(0, END, 1, false) /* records before it */ \
    KIND(1, INIT, 0, false) \
    KIND(2, EXIT, 0, false) \
    KIND(3, CLOCK, 1, false)        /* clocks */ \
    KIND(4, CONFIG_READ, 3, false)  /* bus, device and function; offset; value */ \
    KIND(5, CONFIG_WRITE, 3, false) /* likewise */ \
    KIND(6, READ, 1, true)          /* bus address */ \
    KIND(7, WRITE, 1, true) \
    KIND(8, TILE_READ, 3, true) /* x, y, address */ \
    KIND(9, TILE_WRITE, 3, true) \
    KIND(10, CALLBACKS, 1, false) /* bit 0: there is one for reads; bit 1: for writes */ \
    KIND(11, HOST_READ, 1, true)  /* address in host memory */ \
    KIND(12, HOST_WRITE, 1, true)

enum session_kind {
#define SESSION_ENUM(value, name, numbers, data) SESSION_##name = value,
    SESSION_KINDS(SESSION_ENUM)
#undef SESSION_ENUM
        SESSION_KIND_COUNT
};

struct session_record {
    enum session_kind kind;
    uint64_t number[SESSION_NUMBERS];
    const uint8_t *data; /* in the reader: until the next record is read */
    uint32_t size;
};

const char *session_kind_name(enum session_kind kind);

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* Bytes that grow. */
struct session_bytes {
    uint8_t *at;
    size_t count, room;
    bool failed; /* there was no memory */
};

void session_put_header(struct session_bytes *bytes);
void session_put(struct session_bytes *bytes, const struct session_record *record);

/* ---- Reading ------------------------------------------------------------------------------------------------ */

enum session_state { SESSION_MORE, SESSION_DONE, SESSION_CUT, SESSION_BAD };

struct session_reader {
    const uint8_t *start, *at, *end;
    uint32_t limit;   /* the most data that a record may have */
    uint64_t records; /* read so far */
    uint8_t *data;    /* of the last record */
    size_t room;
    char error[160]; /* of SESSION_CUT and SESSION_BAD, with the place */
};

/* The most data that replay takes in one record. */
#define SESSION_LIMIT (UINT32_C(1) << 28)

/* Returns whether this is the beginning of a log, of any version. */
bool session_is_log(const void *log, size_t size);
/* Precondition: log stays as it is while it is read. Returns SESSION_MORE or SESSION_BAD. */
enum session_state session_open(struct session_reader *reader, const void *log, size_t size, uint32_t limit);
/* SESSION_MORE: *record is the next one. SESSION_DONE: that was END. */
enum session_state session_next(struct session_reader *reader, struct session_record *record);
void session_close(struct session_reader *reader);

#endif
