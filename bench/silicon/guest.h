/* Guest programs of the measurements, as words, and the tile that runs them.
 *
 * A measured kernel times one piece of code several times with different lengths, on up to three TRISCs at once that
 * meet at a barrier before each. guest_probe() writes such a program around a piece of code; what the piece may use of
 * the registers is in enum guest_register. */
#ifndef SILICON_GUEST_H
#define SILICON_GUEST_H

#include <stdint.h>

#include "bhemu.h"
#include "silicon.h"
#include "support/rv.h"

enum { GUEST_WORDS = 16384, GUEST_POINTS = 8 };

struct guest_code {
    uint32_t word[GUEST_WORDS];
    unsigned count;
};

/* Registers. The piece that is timed may use A0..A5 and T3..T6, and nothing else. */
enum guest_register {
    REG_T0 = 5, /* counts the blocks */
    REG_T1 = 6,
    REG_T2 = 7,
    REG_S0 = 8,  /* tile control, for the clock */
    REG_S1 = 9,  /* where the next result goes */
    REG_A0 = 10, /* small numbers, different ones */
    REG_A1,      /* ... */
    REG_A2,
    REG_A3,
    REG_A4,      /* L1 that nobody else uses: a chain of pointers */
    REG_A5,      /* local memory: a word that points to itself */
    REG_S2 = 18, /* blocks of this point */
    REG_S3,      /* points left */
    REG_S4,      /* the barrier */
    REG_S5,      /* its number */
    REG_S6,      /* the table of blocks */
    REG_T3 = 28,
    REG_T4,
    REG_T5,
    REG_T6,
};

void guest_emit(struct guest_code *code, uint32_t word);
void guest_repeat(struct guest_code *code, uint32_t word, unsigned count);
void guest_constant(struct guest_code *code, unsigned reg, uint32_t value);
uint32_t guest_ttinsn(uint32_t tensix_word);
uint32_t guest_csrrs(unsigned rd, unsigned csr, unsigned rs1);

/* One tile of a chip with cycle timing. */
struct guest {
    bh_chip *chip;
    struct bh_xy tile;
    unsigned cores; /* that have a program */
};
bool guest_open(struct guest *guest);
void guest_close(struct guest *guest);
bool guest_load(struct guest *guest, enum bh_core core, uint32_t address, const struct guest_code *code);
/* Releases the loaded cores and waits until all of them have paused at an ebreak. */
bool guest_go(struct guest *guest, const struct silicon_point *point, struct silicon_error *error);
uint32_t guest_word(struct guest *guest, uint32_t address);

/* Emits a part of a program for one thread. */
typedef void guest_part(struct guest_code *code, const struct silicon_point *point, unsigned thread);

/* What is timed, on some TRISCs, at several lengths. */
struct guest_probe {
    unsigned threads;              /* mask of the TRISCs that run it */
    unsigned points;               /* lengths, at most GUEST_POINTS */
    unsigned blocks[GUEST_POINTS]; /* times that the block is executed */
    unsigned first;                /* instructions between the first clock and the loop, besides one */
    bool as_reset;                 /* L0 data cache and fusion of .ttinsn are on, as after reset */
    guest_part *block;
    /* May be NULL: */
    guest_part *setup;  /* once, at the beginning */
    guest_part *before; /* before the first clock of each length */
    guest_part *behind; /* between the last block and the second clock */
};
/* Runs it with the L0 data cache and the fusion of .ttinsn off, as the vendor's firmware leaves them, unless as_reset
 * is set. cycles[thread][i] is the time between the two clocks. */
bool guest_probe(const struct guest_probe *probe, const struct silicon_point *point,
                 uint32_t cycles[BH_THREADS][GUEST_POINTS], struct silicon_error *error);

/* Reads the parameters threads and thread: sets the mask of threads, and returns the one to look at. One thread alone
 * is T1; two are T0 and T1. */
bool guest_threads(struct guest_probe *probe, const struct silicon_point *point, unsigned *thread,
                   struct silicon_error *error);
/* Predicts the slope of cycles over what the blocks count for, at one to four times as many blocks as the parameter
 * says. */
bool guest_slope(struct guest_probe *probe, struct silicon_point *point, unsigned counted, struct silicon_error *error);

/* The words of L1 below GUEST_DATA are code. */
#define GUEST_CODE(core)    (0x10000u + (core)*0x10000u)
#define GUEST_DATA          0x80000u
#define GUEST_SCRATCH(core) (GUEST_DATA + 0x1000u * (core))
#define GUEST_RESULTS(core) (GUEST_DATA + 0x8000u + 0x1000u * (core))
#define GUEST_BARRIER       (GUEST_DATA + 0x10000u)

#endif
