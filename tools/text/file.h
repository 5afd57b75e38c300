/* Reads and writes whole files of the user, and 32-bit words among their bytes. */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text.h"

/* On failure, file_read returns NULL and file_write false, and both write a message that names the file. The caller
 * frees the result of file_read. */
uint8_t *file_read(struct span path, size_t *size, char *message, size_t message_size);
bool file_write(struct span path, const uint8_t *bytes, size_t size, char *message, size_t message_size);

/* Returns whether both names mean one regular file, which need not exist yet. */
bool file_same(const char *a, const char *b);

/* Returns the 32-bit little-endian word at p: the guest's memory and files store words in this order. */
static inline uint32_t word_at(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void put_word(uint8_t *p, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(word >> 8 * i);
}

#endif
