/* The guest programs of the benchmark. Only the cores of those that are meant to wait can be put to sleep. */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <stdint.h>

/* Addresses of the word in which a core counts its rounds, and of the word that it polls. Each core has its own page of
 * L1. */
#define PROGRAM_DATA(core) (0x20000u + (core)*0x1000u)
#define PROGRAM_FLAG(core) (PROGRAM_DATA(core) + 0x400u)

struct program {
    uint32_t word[160];
    unsigned count;
    unsigned round; /* instructions between two increments of the counter; those of the coprocessor, if the program
                       pushes any */
};

enum program_kind {
    PROGRAM_ALU,   /* registers only, with one branch in 16 instructions */
    PROGRAM_MIXED, /* five loads and three stores in 16 instructions, half of them to L1, half to local memory */
    PROGRAM_POLL,  /* reads the flag until it is not zero, then counts once and jumps to itself */
    PROGRAM_NOC,   /* writes to a neighbour and reads from DRAM, 1 KiB each, and waits after each group of requests */
    PROGRAM_SPIN,  /* jumps to itself */
    /* For a TRISC: */
    PROGRAM_INLINE,  /* sets GPRs and writes configuration by .ttinsn; two of 18 instructions do something else */
    PROGRAM_STORE,   /* does the same by stores of words that are in registers */
    PROGRAM_SFPU,    /* SFPLOAD, SFPMAD, SFPMAD, SFPSTORE by .ttinsn, on normal numbers */
    PROGRAM_MAD,     /* SFPMAD on normal numbers */
    PROGRAM_MAD_ANY, /* SFPMAD on random bits */
    /* For the Matrix Unit, on random BF16: */
    PROGRAM_MVMUL,      /* Dst of 16 bits */
    PROGRAM_MVMUL_FP32, /* Dst of 32 bits */
    PROGRAM_ELWADD,
    PROGRAM_ELWMUL,
    PROGRAM_MOVA2D,  /* eight rows */
    PROGRAM_MOVD2A,  /* four rows */
    PROGRAM_MOVB2A,  /* four rows */
    PROGRAM_ZEROACC, /* sixteen rows */
    /* For the unpackers and the packer, BF16: */
    PROGRAM_UNPACR,  /* 1024 data to SrcA, whose bank stays with the unpacker */
    PROGRAM_PACR,    /* 64 data each; sixteen of them make a tile */
    PROGRAM_BLOCKED, /* the thread waits at a semaphore forever, and the core jumps to itself */
};

struct program program_make(enum program_kind kind, unsigned core);

#endif
