/* The wire format of protocol buffers: a field is its number and type, then a varint or a length and bytes. A nested
 * message is assembled in a buffer of its own first. */
#ifndef TOOLS_PROTO_H
#define TOOLS_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PROTO_ROOM = 2048, PROTO_TEXT = 300 };

/* A message. A field that does not fit is left out as a whole. */
struct proto {
    size_t size;
    uint8_t byte[PROTO_ROOM];
};

/* Declares an empty message. The bytes after its size are not initialised. */
#define PROTO(name) \
    struct proto name; \
    (name).size = 0

static inline void proto_varint(struct proto *p, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        p->byte[p->size++] = (uint8_t)(value | 0x80);
    p->byte[p->size++] = (uint8_t)value;
}

static inline void proto_number(struct proto *p, unsigned field, uint64_t value) {
    enum { LONGEST = 20 };
    if (p->size + LONGEST > PROTO_ROOM)
        return;
    proto_varint(p, (uint64_t)field << 3);
    proto_varint(p, value);
}

static inline void proto_bytes(struct proto *p, unsigned field, const void *data, size_t size) {
    enum { LONGEST = 20 };
    if (p->size + size + LONGEST > PROTO_ROOM)
        return;
    proto_varint(p, (uint64_t)field << 3 | 2);
    proto_varint(p, size);
    memcpy(p->byte + p->size, data, size);
    p->size += size;
}

static inline void proto_text(struct proto *p, unsigned field, const char *text) {
    size_t size = strlen(text);
    proto_bytes(p, field, text, size < PROTO_TEXT ? size : PROTO_TEXT);
}

static inline void proto_message(struct proto *p, unsigned field, const struct proto *message) {
    proto_bytes(p, field, message->byte, message->size);
}

#endif
