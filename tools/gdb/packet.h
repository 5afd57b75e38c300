/* Packets of gdb's remote protocol, byte by byte: $DATA#SUM with escapes, acknowledgements, and the byte 0x03 that
 * interrupts. Knows nothing of their meaning. */
#ifndef TOOLS_GDB_PACKET_H
#define TOOLS_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_MAX = 0x4000 }; /* bytes of data, at most */

enum packet_result {
    PACKET_MORE,      /* nothing is complete yet */
    PACKET_READY,     /* reader->data has a packet */
    PACKET_BAD,       /* a packet with a wrong checksum, a wrong escape, or too much data: the sender repeats it */
    PACKET_INTERRUPT, /* Ctrl-C */
    PACKET_REPEAT,    /* the other side has not understood the last packet */
};

struct packet_reader {
    uint8_t state; /* enum in packet.c */
    uint8_t sum, given;
    bool bad;
    size_t size;
    char data[PACKET_MAX + 1]; /* ends with a zero */
};

/* Takes the next byte. */
enum packet_result packet_take(struct packet_reader *reader, uint8_t byte);
/* Writes a packet with this data. Returns its length; precondition: room for 2 * size + 4 bytes. */
size_t packet_make(const char *data, size_t size, char *packet);

/* Reads a number in hexadecimal and moves on. Returns false if there is none, or more than 16 digits. */
bool packet_number(const char **at, uint64_t *value);
/* Moves on over a character if it is the next one. */
bool packet_skip(const char **at, char c);
/* Reads pairs of digits. Returns false unless there are `size` pairs. */
bool packet_bytes(const char **at, uint8_t *bytes, size_t size);
/* Writes pairs of digits and a zero. Returns the end. */
char *packet_hex(char *text, const void *bytes, size_t size);

#endif
