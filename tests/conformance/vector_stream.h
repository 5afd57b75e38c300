/* A stream of Vector Unit instructions as one core pushes it: what has to stand between them on hardware, the lane
 * flags as far as they follow from the stream itself, and the address counters of Dst.
 *
 * The oracle has every result at once. On hardware results of the MAD sub-unit take two cycles and the automatic stall
 * misses some reads (SFPMAD.md); there the stream gets an SFPNOP. */
#ifndef CONFORMANCE_VECTOR_STREAM_H
#define CONFORMANCE_VECTOR_STREAM_H

#include "isa/tensix.h"
#include "tensix_stream.h"

#define VT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

enum {
    LREGS = 8,
    WORK_LREGS = 7, /* the last one is the sum that all results go to */
    SUM = 7,
    VECTOR_LANES = 32,
    VECTOR_NESTED = 8,
    ADDRESS_MODES = 8,
    DST_TEST_ROWS = 64, /* rows of 16 bits that programs load from and store to */
    DST_LREGS = 512,    /* the row from which on the LRegs are at the end */
    ROW_WORDS = 8,      /* of L1, for a row of 16 bits */
};
enum { ALL_LANES = 3 };                                       /* for vector_flags */
enum { FP32 = 3, INT32 = 4 };                                 /* formats in Dst */
enum { NO_STEP = 0, CLEAR_STEP = ADDRESS_MODES - 1 };         /* address modes that every program has */
enum { ROUNDS = 20, OUT, COMMAND, COMMAND_STEP, DEBUG_BASE }; /* registers of the core, with those of tensix_stream.h */

struct dst_step { /* an address mode, as far as Dst goes */
    unsigned increment;
    bool from_saved, clear, save;
};

struct vector_stream {
    struct generator g;
    unsigned thread;
    bool arithmetic;                                  /* mostly instructions of the MAD sub-unit */
    uint32_t late;                                    /* LRegs that the instruction before writes in its second cycle */
    bool flags_used, flags_used_above[VECTOR_NESTED]; /* UseLaneFlagsForLaneEnable */
    unsigned depth;                                   /* of the flag stack */
    unsigned held;                       /* LRegs with results that have not gone to the sum in all lanes */
    unsigned row, saved_row, row_offset; /* RWC.Dst and its copy; DEST_TARGET_REG_CFG_MATH_Offset */
    struct dst_step step[ADDRESS_MODES];
};

static inline struct generated_part *vector_core(const struct vector_stream *s) {
    return s->g.stream[s->thread].core;
}

/* Pushes an instruction of the Vector Unit, after an SFPNOP if it would miss a result. */
void vector_push(struct vector_stream *s, uint32_t word);
/* A new item from here on. */
unsigned vector_item(struct vector_stream *s);
/* Adds an LReg to the sum, in one of two ways, so that nothing cancels out for long. */
void vector_sum(struct vector_stream *s, unsigned lreg);

/* All bits of an LReg, in the enabled lanes. */
void vector_constant(struct vector_stream *s, unsigned lreg, uint32_t value);

/* SFPENCC: bit 0 says whether flags are used, bit 1 what they are. */
void vector_flags(struct vector_stream *s, unsigned value);

/* SFPLOAD and SFPSTORE of a row as the format counts them. */
void vector_load(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row);
void vector_store(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row);

/* SETRWC and INCRWC of Dst: to a number, or so much further; from_saved: further than the copy. */
void vector_set_row(struct vector_stream *s, unsigned row, bool from_saved);
void vector_step_row(struct vector_stream *s, unsigned increment, bool from_saved);

/* By SETC16. */
void vector_address_mode(struct vector_stream *s, unsigned mode, struct dst_step step);
void vector_row_offset(struct vector_stream *s, unsigned offset);
/* RWC.Dst is 0. */
void vector_clear_rows(struct vector_stream *s);

/* Registers of the core that the others need. */
void vector_start(struct vector_stream *s);
/* A loop of the core: up to 2,047 times. vector_loop gives what vector_end_loop takes. */
unsigned vector_loop(struct vector_stream *s, unsigned times);
void vector_end_loop(struct vector_stream *s, unsigned top);
/* Copies rows of 16 bits from Dst to the area, by way of the debug registers. */
void vector_copy_rows(struct vector_stream *s, unsigned row, unsigned count, unsigned to);
/* Everything is written. */
void vector_end(struct vector_stream *s, unsigned done_word);

#endif
