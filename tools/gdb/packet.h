/* Packets of gdb's remote protocol, byte by byte: $DATA#SUM with escapes, acknowledgements, and the byte 0x03 that
 * interrupts. This file knows nothing about their meaning. */
#ifndef TOOLS_GDB_PACKET_H
#define TOOLS_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_MAX = 0x4000 }; /* largest number of bytes of data */

enum packet_result {
    PACKET_MORE,      /* nothing is complete yet */
    PACKET_READY,     /* reader->data holds a packet */
    PACKET_BAD,       /* the packet has a wrong checksum or escape, or too much data: the sender has to repeat it */
    PACKET_INTERRUPT, /* Ctrl-C */
    PACKET_REPEAT,    /* the other side asks for the last packet again */
};

struct packet_reader {
    uint8_t state; /* enum in packet.c */
    uint8_t sum, given;
    bool bad;
    size_t size;
    char data[PACKET_MAX + 1]; /* ends with a zero */
};

/* Takes the next byte from the connection. */
enum packet_result packet_take(struct packet_reader *reader, uint8_t byte);
/* Writes a packet with this data. Returns its length. Precondition: `packet` has room for 2 * size + 4 bytes. */
size_t packet_make(const char *data, size_t size, char *packet);

/* Reads a hexadecimal number at *at, and moves *at past it. Returns false if there is none, or one of more than 16
 * digits. */
bool packet_number(const char **at, uint64_t *value);
/* Moves *at past the character c, if that comes next. Returns whether it did. */
bool packet_skip(const char **at, char c);
/* Reads `size` bytes as pairs of hexadecimal digits, and moves *at past them. Returns false if there are fewer. */
bool packet_bytes(const char **at, uint8_t *bytes, size_t size);
/* Writes bytes as pairs of hexadecimal digits, and a zero. Returns the address of the zero. */
char *packet_hex(char *text, const void *bytes, size_t size);

#endif
