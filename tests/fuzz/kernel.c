/* Fuzzes what reads the ELF files of kernels: any bytes must give a kernel or a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { L1_SIZE = 0x180000 };

/* Kernels are moved up and down. */
static void check_kernel(const struct program *program, uint32_t run) {
    char message[300] = "";
    struct kernel kernel = { 0 };
    bool ok = kernel_make(program, run, &kernel, message, sizeof message);
    if (ok ? kernel.size > 2 * L1_SIZE || (kernel.size && !kernel.bytes) : message[0] == 0)
        abort();
    free(kernel.bytes);
}

static void check_program(const struct program *program) {
    struct segment segment;
    struct relocation relocation;
    struct code code;
    char text[200];
    size_t count = 0;
    for (size_t i = 0; program_segment(program, i, &segment); i++)
        for (size_t j = 0; j < segment.size; j++)
            count += segment.data[j];
    for (size_t i = 0; program_code(program, i, &code); i++) {
        for (size_t j = 0; j < code.size; j++)
            count += code.data[j];
        program_where(program, code.address, text, sizeof text);
    }
    for (size_t i = 0; program_relocation(program, i, &relocation); i++)
        count += relocation.type;
    if (count == SIZE_MAX) /* so that the bytes are read */
        abort();
    program_where(program, program_entry(program), text, sizeof text);
    check_kernel(program, 0x8000);
    check_kernel(program, 0x100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40], message[400] = "";
    int file = memfd_create("kernel", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        exit(3);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct program *program = program_open(span_of(path), message, sizeof message);
    if (program)
        check_program(program);
    else if (message[0] == 0)
        abort();
    program_close(program);
    close(file);
    return 0;
}
