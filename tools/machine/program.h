/* A program file: an ELF file with its symbols, source lines and code sections (read with elfutils), or raw bytes at an
 * address. */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/json.h"
#include "text/text.h"

struct program;

struct code {
    const char *name; /* name of the section; "" for raw code and for segments */
    uint32_t address;
    const uint8_t *data;
    size_t size;
};

/* Openers return NULL and write a message that names the file on failure. The caller closes the program. */
typedef struct program *program_opener(struct span name, char *message, size_t size);
/* Opens FILE, or FILE@ADDR for raw bytes at an address. */
program_opener program_open;
/* Opens an ELF file, even if its name has the form FILE@ADDR. */
program_opener program_open_elf;
/* Opens raw bytes without an address: addresses count from 0. */
program_opener program_open_raw;
void program_close(struct program *program); /* program may be NULL */

const char *program_path(const struct program *program);
/* Returns whether the file has raw bytes; *address becomes their address. */
bool program_is_raw(const struct program *program, uint32_t *address);
/* Returns all bytes of the file. */
const uint8_t *program_bytes(const struct program *program, size_t *size);

/* Finds the executable section with this index (segment in a file without sections), in the order of addresses. Returns
 * false past the last. */
bool program_code(const struct program *program, size_t index, struct code *code);
/* Returns the last symbol at or before the address, and sets *offset to the distance. Returns NULL if there is none, or
 * if the symbol has a size and ends before the address; labels of assembler code have no end. */
const char *program_symbol(const struct program *program, uint32_t address, uint32_t *offset);
/* Finds a symbol by name. Returns false if there is none. */
bool program_find(const struct program *program, struct span name, uint32_t *address, uint32_t *size);
/* Returns the next symbol, from *index on, whose name begins with the prefix, and moves *index past it. Start with
 * *index 0. Returns NULL past the last. */
const char *program_symbol_with(const struct program *program, const char *prefix, size_t *index, uint32_t *address);
/* Returns the source file of the address, and sets *line. Returns NULL if the program has no line for the address. */
const char *program_line(const struct program *program, uint32_t address, unsigned *line);
/* Finds the row of the line table with this index, in the order of addresses. Returns false past the last. *line is 0
 * where code without lines begins. */
bool program_line_at(const struct program *program, size_t index, uint32_t *address, const char **file, unsigned *line);
/* A function, or a label in code. size is 0 if the symbol table records none. */
struct function {
    const char *name;
    uint32_t address, size;
};
/* Finds the function with this index, in the order of addresses. Returns false past the last. */
bool program_function(const struct program *program, size_t index, struct function *function);
/* Returns the source file in which the function around the address is declared, and sets *line; functions that are
 * inlined into it do not count. Falls back on the line of the address itself. Returns NULL if the program records
 * neither. */
const char *program_declared(const struct program *program, uint32_t address, unsigned *line);
/* Returns the source file of the call to the inlined function that the address belongs to, and sets *line. Of nested
 * inlined calls, the outermost counts. Returns NULL if the address belongs to no inlined function. */
const char *program_call(const struct program *program, uint32_t address, unsigned *line);

/* A part of the file that a loader copies into memory. */
struct segment {
    uint32_t address, load_address; /* where the program expects it, and where the file stores it */
    const uint8_t *data;
    size_t size, memory_size; /* bytes in the file, and in memory, where the rest is zero */
    bool code;
};
/* Finds the segment with this index. Returns false past the last. */
bool program_segment(const struct program *program, size_t index, struct segment *segment);
uint32_t program_entry(const struct program *program);
/* Finds the address of the section with this index, among sections that occupy memory, in the order of the file.
 * Returns false past the last. */
bool program_section(const struct program *program, size_t index, uint32_t *address);

/* A location that depends on the link address; recorded in files linked with --emit-relocs. */
struct relocation {
    uint32_t address;
    unsigned type;          /* R_RISCV_... */
    uint32_t target;        /* value of the symbol plus the addend */
    bool target_in_section; /* the target lies in a section; otherwise it is an absolute number */
};
/* Finds the relocation with this index. Returns false past the last. */
bool program_relocation(const struct program *program, size_t index, struct relocation *relocation);

/* Writes " <main+0x8> sum.c:12", as far as the program records it, or "". program may be NULL. Returns text. */
const char *program_where(const struct program *program, uint32_t address, char *text, size_t size);

/* Writes the same as JSON members "symbol" and "offset", and, if source is true, "file" and "line". */
void program_json(struct json *json, const struct program *program, uint32_t address, bool source);

#endif
