/* A reader of 32-bit little-endian RISC-V executables in memory. It trusts nothing in the file.
 *
 * Source: the System V ABI's ELF chapter and the RISC-V ELF psABI. Only program headers are used. */
#ifndef HOST_ELF_H
#define HOST_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_SEGMENTS_MAX = 64 };

struct elf_segment {
    uint32_t address;         /* where the segment is loaded: its physical address, see elf_read */
    uint32_t virtual_address; /* address for which the segment was linked */
    uint32_t offset;          /* position of the segment in the file */
    uint32_t file_size;
    uint32_t memory_size; /* zeros fill the rest; file_size <= memory_size */
};

struct elf_image {
    uint32_t entry;
    uint32_t count;
    struct elf_segment segment[ELF_SEGMENTS_MAX]; /* segments of type PT_LOAD; empty ones are left out */
};

/* Reads an executable. Returns false, with a message that names the field, if the file is malformed or not an
 * executable for these cores. Every segment of an accepted file lies inside the file and does not wrap around the end
 * of the address space. Segment addresses are p_paddr, as for bare-metal loaders, or p_vaddr if every p_paddr is
 * zero. */
bool elf_read(struct elf_image *image, const void *file, size_t size, char *message, size_t message_size);

#endif
