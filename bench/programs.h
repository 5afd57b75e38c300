/* The guest programs of the benchmark. None of them can be parked but those that are meant to be. */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <stdint.h>

/* Where a core counts its rounds (a word), and what it polls. Each core has a page of L1 of its own. */
#define PROGRAM_DATA(core) (0x20000u + (core)*0x1000u)
#define PROGRAM_FLAG(core) (PROGRAM_DATA(core) + 0x400u)

struct program {
    uint32_t word[160];
    unsigned count;
    unsigned round; /* instructions between two increments of the counter; those of the coprocessor, if it pushes any */
};

enum program_kind {
    PROGRAM_ALU,   /* registers only, a branch in 16 instructions */
    PROGRAM_MIXED, /* five loads and three stores in 16 instructions, half of them to L1, half to local memory */
    PROGRAM_POLL,  /* reads the flag until it is not zero, then counts once and jumps to itself */
    PROGRAM_NOC,   /* writes to a neighbour and reads from DRAM, 1 KiB each, in groups that are waited for */
    PROGRAM_SPIN,  /* jumps to itself */
    /* For a TRISC: */
    PROGRAM_INLINE,  /* sets GPRs and writes configuration, by .ttinsn; two more instructions in 18 */
    PROGRAM_STORE,   /* the same, by stores of words that are in registers */
    PROGRAM_SFPU,    /* SFPLOAD, SFPMAD, SFPMAD, SFPSTORE, as .ttinsn; ordinary numbers */
    PROGRAM_MAD,     /* SFPMAD on ordinary numbers */
    PROGRAM_MAD_ANY, /* SFPMAD on random bits */
    /* Of the Matrix Unit, on random BF16: */
    PROGRAM_MVMUL,      /* Dst of 16 bits */
    PROGRAM_MVMUL_FP32, /* Dst of 32 bits */
    PROGRAM_ELWADD,
    PROGRAM_ELWMUL,
    PROGRAM_MOVA2D,  /* eight rows */
    PROGRAM_MOVD2A,  /* four rows */
    PROGRAM_MOVB2A,  /* four rows */
    PROGRAM_ZEROACC, /* sixteen rows */
    /* Of the movers of data, BF16: */
    PROGRAM_UNPACR,  /* 1024 data to SrcA, whose bank stays with the unpacker */
    PROGRAM_PACR,    /* 64 data, sixteen of them a tile */
    PROGRAM_BLOCKED, /* the thread waits at a semaphore for ever, the core jumps to itself */
};

struct program program_make(enum program_kind kind, unsigned core);

#endif
