/* A stream of Matrix Unit instructions as one core pushes it: the counters of rows, and the banks of SrcA and SrcB that
 * the Matrix Unit works on, as they follow from the stream. */
#ifndef CONFORMANCE_MATRIX_STREAM_H
#define CONFORMANCE_MATRIX_STREAM_H

#include "vector_stream.h"

enum { SRC_ROWS = 64, STORED_ROWS = 1024 };
enum matrix_family { FAMILY_WIDE_EXPONENT, FAMILY_FP16, FAMILY_INT8 };
enum { FORMAT_FP32 = 0, FORMAT_FP16 = 1, FORMAT_TF32 = 4, FORMAT_BF16 = 5, FORMAT_FP8 = 10, FORMAT_INT8 = 14 };
enum { ONES_ROW = 8 }; /* of SrcB: four rows of 1.0 for GMPOOL */

/* An address mode. Of each counter: how far, and in what way. */
enum rwc_way { RWC_ADD, RWC_CLEAR, RWC_FROM_COPY, RWC_AND_COPY };
struct rwc_step {
    unsigned a, b, dst, fidelity;
    enum rwc_way a_way, b_way, dst_way;
    bool clear_fidelity;
};

struct matrix_stream {
    struct vector_stream v;
    /* The subject of the segment. */
    enum matrix_family family;
    bool wide;                   /* Dst has 32 bits */
    bool keep_b;                 /* ALU_ACC_CTRL_Zero_Flag_disabled_src */
    bool own_a, own_b;           /* DISABLE_IMPLIED: formats are those of Config */
    unsigned config_a, config_b; /* formats of Config */
    unsigned implied[2][2];      /* formats of banks: [file][bank as counted from the segment's start] */
    bool ones[2];                /* SrcB's bank still has its rows of ones */
    unsigned bank[2];            /* in use, [file] */
    unsigned unpacker[2];        /* the bank that the unpackers fill next */
    bool absolute;               /* DEST_ACCESS_CFG_zeroacc_absolute_tile_mode */
    /* Counters. */
    unsigned a, a_copy, b, b_copy, dst, dst_copy, fidelity, offset;
    struct rwc_step step[ADDRESS_MODES];
    /* Counting (matrix_tally.c). */
    bool counting;
    unsigned times; /* that the instruction is run */
    bool once;      /* within the segment */
};

/* An instruction that changes no counter. */
void matrix_push(struct matrix_stream *s, uint32_t word);
/* The counters after an instruction with an address mode, and after SETRWC and INCRWC. */
void matrix_step(struct matrix_stream *s, unsigned mode);
void matrix_set_rwc(struct matrix_stream *s, struct tensix_SETRWC op);
void matrix_inc_rwc(struct matrix_stream *s, struct tensix_INCRWC op);
void matrix_address_mode(struct matrix_stream *s, unsigned mode, struct rwc_step step);
void matrix_offset(struct matrix_stream *s, unsigned offset);
/* The Matrix Unit goes on with the other bank; files: 1 SrcA, 2 SrcB, 3 both. */
void matrix_flip(struct matrix_stream *s, unsigned files);
/* UNPACR_NOP: the unpackers clear the bank that they are at and hand it over, with its format. */
void matrix_hand_over(struct matrix_stream *s, unsigned files);
/* CLEARDVALID of files in which the unpackers are at the same bank, which they hand over again. */
void matrix_return(struct matrix_stream *s, unsigned files);

/* A word of Config, by a store that everything after it sees. */
void matrix_config(struct matrix_stream *s, unsigned word, uint32_t value);
/* Word 1 of the ALU's part of Config, and word 2. */
void matrix_alu(struct matrix_stream *s, unsigned a, unsigned b, bool wide, bool int8, bool keep_b);
void matrix_own_formats(struct matrix_stream *s, bool a, bool b);

/* Loops of the core, with a counter of their own each. */
unsigned matrix_loop(struct matrix_stream *s, unsigned counter, unsigned times);
void matrix_end_loop(struct matrix_stream *s, unsigned counter, unsigned top);

/* The formats that instructions see. */
unsigned matrix_format_of_a(const struct matrix_stream *s);
unsigned matrix_format_of_b(const struct matrix_stream *s);
unsigned matrix_format_of_moved_b(const struct matrix_stream *s);

#endif
