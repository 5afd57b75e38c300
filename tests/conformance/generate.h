/* Seeded random programs that always end, touch nothing but memory of their own, and leave what they have computed
 * where the host can read it. A program has a part for each core that it runs on and an area of L1, in which it finds
 * what it starts with and leaves its results. */
#ifndef CONFORMANCE_GENERATE_H
#define CONFORMANCE_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

enum { GENERATED_WORDS = 4000, GENERATED_PARTS = 4, GENERATED_AREA = 8400 };
#define GENERATED_DONE   0x600DD00Eu
#define GENERATED_SFPNOP (0x8F000000u << 2 | 0x8F000000u >> 30) /* as it stands in the stream */

struct generated_part {
    unsigned core; /* enum bh_core */
    uint32_t word[GENERATED_WORDS];
    uint16_t item[GENERATED_WORDS]; /* words of an item make sense together only; 0: the frame, needed in any case */
    unsigned count;
};

struct generated {
    uint64_t seed;
    unsigned parts;
    uint32_t address;              /* of the area */
    uint32_t data[GENERATED_AREA]; /* what is there at the start */
    unsigned data_words;
    unsigned items;   /* numbered from 1 */
    unsigned repeats; /* how often they are run, where the kind has such a thing */
    struct generated_part part[GENERATED_PARTS];
};

/* One sort of programs. */
struct generated_kind {
    void (*generate)(struct generated *program, uint64_t seed);
    unsigned per_tile; /* programs of consecutive seeds that share a tile */
    unsigned area_words;
    unsigned done_word; /* of the area: GENERATED_DONE when everything else is written */
    uint32_t nop;       /* takes the place of an instruction that is left out; 0: that of RISC-V */
    bool (*is_compared)(unsigned index);
    bool (*is_clue)(unsigned index); /* of several words that differ, the one to show */
    /* Describes a word of the area. */
    void (*name)(const struct generated *program, unsigned index, char *text, unsigned size);
    void (*print_start)(const struct generated *program);
    /* May be NULL: whether results are what the program is for, and if not, why. */
    bool (*is_plausible)(const struct generated *program, const uint32_t *area, char *text, unsigned size);
    /* May be NULL: counts a program on which the libraries agree; says what was counted. */
    void (*tally)(const struct generated *program);
    void (*report)(void);
};

/* A few hundred instructions for one baby core, which is seed % 5; and programs for the three threads of the
 * coprocessor, pushed by all cores that can; programs for the Vector Unit, of one thread, and routines for it; programs
 * for the Matrix Unit. */
extern const struct generated_kind generated_riscv, generated_tensix, generated_vector, generated_kernels,
    generated_matrix;

#endif
