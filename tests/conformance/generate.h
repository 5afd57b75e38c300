/* Seeded random programs for one baby core: a few hundred instructions that always end, touch nothing but
 * memory of their own, and leave all registers and that memory where the host can read them.
 *
 * L1 of a core, from GENERATED_DATA(core):
 *     0x000  memory that the program loads from and stores to
 *     0x400  values of x0..x31 and f0..f31 at the start
 *     0x500  the same at the end
 *     0x600  copy of the core's local memory at the end
 *     0x700  GENERATED_DONE once everything above is written
 */
#ifndef CONFORMANCE_GENERATE_H
#define CONFORMANCE_GENERATE_H

#include <stdint.h>

#define GENERATED_WORDS      2048
#define GENERATED_DATA(core) (0x20000u + (core)*0x1000u)
#define GENERATED_DONE       0x600DD00Eu

enum {
    AREA_MEMORY = 0x000,
    AREA_MEMORY_SIZE = 0x400,
    AREA_START = 0x400,
    AREA_END = 0x500,
    AREA_LOCAL = 0x600,
    AREA_LOCAL_SIZE = 0x100,
    AREA_DONE = 0x700,
    AREA_SIZE = 0x704,
};

struct generated {
    uint64_t seed;
    unsigned core;                      /* enum bh_core */
    uint32_t data[AREA_START / 4 + 64]; /* from AREA_MEMORY: what memory and registers start with */
    uint32_t word[GENERATED_WORDS];
    unsigned count;
    unsigned body, body_end; /* the random part */
};

/* The core is seed % 5. */
void generate(struct generated *program, uint64_t seed);

#endif
