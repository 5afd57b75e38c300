/* A program file: an ELF with its symbols, source lines and code sections (elfutils), or raw bytes at an address. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/json.h"
#include "text/text.h"

struct program;

struct code {
    const char *name; /* of the section; "" for raw code and for segments */
    uint32_t address;
    const uint8_t *data;
    size_t size;
};

/* These return NULL and a message that names the file on failure. */
typedef struct program *program_opener(struct span name, char *message, size_t size);
/* FILE, or FILE@ADDR for raw bytes. */
program_opener program_open;
/* An ELF file, whatever its name. */
program_opener program_open_elf;
/* Raw bytes without an address; addresses count from 0. */
program_opener program_open_raw;
void program_close(struct program *program); /* program may be NULL */

const char *program_path(const struct program *program);
bool program_is_raw(const struct program *program, uint32_t *address);
const uint8_t *program_bytes(const struct program *program, size_t *size);

/* Returns the executable sections (segments in a file without sections), in order of address; false past the last. */
bool program_code(const struct program *program, size_t index, struct code *code);
/* Returns the symbol at or before the address, in the same section; NULL if there is none. */
const char *program_symbol(const struct program *program, uint32_t address, uint32_t *offset);
bool program_find(const struct program *program, struct span name, uint32_t *address, uint32_t *size);
/* Returns the symbols whose names begin so, by *index from 0 on, which moves behind the one that was found; NULL past
 * the last. */
const char *program_symbol_with(const struct program *program, const char *prefix, size_t *index, uint32_t *address);
/* Returns source file and line of the address; NULL if the file does not record them. */
const char *program_line(const struct program *program, uint32_t address, unsigned *line);
/* Returns the rows of the line table by index from 0, in order of address; false past the last. *line is 0 where code
 * without lines begins. */
bool program_line_at(const struct program *program, size_t index, uint32_t *address, const char **file, unsigned *line);
/* Returns the functions by index from 0, in order of address; false past the last. Code without a size ends where the
 * next symbol begins. */
struct function {
    const char *name;
    uint32_t address, size;
};
bool program_function(const struct program *program, size_t index, struct function *function);
/* Returns source file and line where the function around the address is declared, whatever has been inlined into it;
 * the line of the address itself if the file does not record that; NULL if it records neither. */
const char *program_declared(const struct program *program, uint32_t address, unsigned *line);
/* Returns source file and line of the call to an inlined function that the address belongs to; of several calls inside
 * each other, that of the outermost. NULL if there is none. */
const char *program_call(const struct program *program, uint32_t address, unsigned *line);

/* A part of the file that a loader puts into memory; false past the last. */
struct segment {
    uint32_t address, load_address; /* where it runs, where it is stored */
    const uint8_t *data;
    size_t size, memory_size; /* bytes in the file, bytes in memory */
    bool code;
};
bool program_segment(const struct program *program, size_t index, struct segment *segment);
uint32_t program_entry(const struct program *program);
/* Returns the addresses of the sections that are in memory, in the order of the file; false past the last. */
bool program_section(const struct program *program, size_t index, uint32_t *address);

/* A location that depends on the link address (linked with --emit-relocs); false past the last. */
struct relocation {
    uint32_t address;
    unsigned type;          /* R_RISCV_... */
    uint32_t target;        /* symbol plus addend */
    bool target_in_section; /* else it is an absolute number */
};
bool program_relocation(const struct program *program, size_t index, struct relocation *relocation);

/* Writes " <main+0x8> sum.c:12", as far as known, or "". program may be NULL. */
const char *program_where(const struct program *program, uint32_t address, char *text, size_t size);

/* Writes the same as members "symbol", "offset", "file" and "line", the last two if source is true. */
void program_json(struct json *json, const struct program *program, uint32_t address, bool source);

#endif
