/* A program file: an ELF with its symbols, source lines and code sections (elfutils), or raw bytes at an address. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct program;

struct code {
    const char *name; /* of the section; "" for raw code and for segments */
    uint32_t address;
    const uint8_t *data;
    size_t size;
};

/* FILE, or FILE@ADDR for raw bytes. On failure NULL and a message that names the file. */
struct program *program_open(struct span spec, char *message, size_t size);
void program_close(struct program *program); /* NULL is fine */

const char *program_path(const struct program *program);
bool program_is_raw(const struct program *program, uint32_t *address);
const uint8_t *program_bytes(const struct program *program, size_t *size);

/* Executable sections (segments in a file without sections), in order of address; false past the last. */
bool program_code(const struct program *program, size_t index, struct code *code);
/* The symbol at or before the address, in the same section; NULL if there is none. */
const char *program_symbol(const struct program *program, uint32_t address, uint32_t *offset);
bool program_find(const struct program *program, struct span name, uint32_t *address, uint32_t *size);
/* Source file and line of the address; NULL if the file does not say. */
const char *program_line(const struct program *program, uint32_t address, unsigned *line);

/* " <main+0x8> sum.c:12", as far as known, or "". program may be NULL. */
const char *program_where(const struct program *program, uint32_t address, char *text, size_t size);

/* Reads a whole file; NULL and a message that names it on failure. The caller frees. */
uint8_t *file_read(struct span path, size_t *size, char *message, size_t message_size);

#endif
