/* A chip with memory of the host, by the C interface or behind the libttsim ABI. */
#ifndef DISPATCH_MACHINE_H
#define DISPATCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine {
    void (*write)(struct machine *machine, unsigned x, unsigned y, uint64_t address, const void *data, size_t size);
    void (*read)(struct machine *machine, unsigned x, unsigned y, uint64_t address, void *data, size_t size);
    void (*bar2_write)(struct machine *machine, uint32_t offset, uint32_t value);
    void (*run)(struct machine *machine);           /* for a while */
    const char *(*report)(struct machine *machine); /* the report of waits */
    void *inside;
    uint8_t *host; /* HOST_SIZE bytes */
};

/* Ends the process, or the test, with a message. */
_Noreturn void machine_fail(struct machine *machine, const char *what);

uint32_t machine_read32(struct machine *machine, unsigned x, unsigned y, uint64_t address);
void machine_write32(struct machine *machine, unsigned x, unsigned y, uint64_t address, uint32_t value);

/* Loads an ELF file to a tile, where its segments are kept. False if there is none. */
bool machine_load(struct machine *machine, unsigned x, unsigned y, const char *file);

#endif
