/* Kernels: ELF programs that run where the launch places them, not where they were linked. The firmware calls their
 * first byte; their start-up code copies the initial contents of local memory, which follow the code. */
#ifndef TOOLS_KERNEL_H
#define TOOLS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "machine/program.h"

struct kernel {
    uint8_t *bytes;
    size_t size;
    uint32_t link; /* address of the first byte in the file */
};

/* Makes the bytes of a kernel for the address `run`; a raw file is used unchanged. Returns false and writes a message
 * on failure. The caller frees kernel->bytes. */
bool kernel_make(const struct program *program, uint32_t run, struct kernel *kernel, char *message, size_t size);

#endif
