/* Which of the packer's kernels a configuration asks for, and what is seldom done and needs no vectors. */
#ifndef NUMERIC_LANES_PACK_PATHS_H
#define NUMERIC_LANES_PACK_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/lanes/pack_kernels.h"

/* PCK_DEST_RD_CTRL, and the numbers of the intermediate and the output format. */
struct pack_read {
    bool wide;        /* Read_32b_data */
    bool raw;         /* Read_int8 */
    bool is_unsigned; /* Read_unsigned */
    bool ten_bits;    /* Round_10b_mant */
    unsigned format, out;
};

/* An enum pack_early, or -1 where the pages have none. With format FP16 of 32-bit Dst it is PACK_32_TF32, and the
 * kernel to_fp16 follows ReLU. */
int pack_early_path(const struct pack_read *read);
enum pack_kind pack_early_kind(enum pack_early path, unsigned format);

/* Data from L1: an enum pack_load, or -1. in, out: numbers of formats. */
int pack_load_path(unsigned in, unsigned out);
enum pack_kind pack_load_kind(enum pack_load path, unsigned in);

bool pack_is_words(enum pack_kind kind);
bool pack_shares_exponents(enum pack_out out);
unsigned pack_bits(enum pack_out out); /* of a datum in L1 */
/* Returns the datum that stands for minus infinity; 0 for integers, which have none. */
uint32_t pack_minus_infinity(enum pack_kind kind);

/* Counts the exponents of the first `count` data, modulo 32, up to 255 each. */
void pack_histogram(uint8_t counts[32], const union pack_data *data, enum pack_kind kind, unsigned count);

/* Keeps the data whose bit is set in *pattern, from bit 0 on and around; the pattern turns along. Returns how many. */
unsigned pack_select(union pack_data *data, enum pack_kind kind, unsigned count, uint16_t *pattern);

/* Zero compression. Zeros that follow a datum are counted, up to 15, instead of written; but the first and the last of
 * a row are written always. What has been read but not written yet stays in the struct. */
struct pack_run {
    bool open;     /* the row has begun */
    uint8_t zeros; /* counted since the last datum was written */
    bool some;     /* not all of the row has been zero */
};

/* The next `count` data of a row, which ends with them if `last` says so. Returns how many of them are left in data,
 * and puts to zeros[0 .. that many] how many zeros follow: zeros[0] adds to the last datum of the call before (0 if
 * there is none in this row), zeros[n] is of the n-th datum left. At the end of a row run->some stays until the next.
 */
unsigned pack_compress(struct pack_run *run, union pack_data *data, enum pack_kind kind, unsigned count, bool last,
                       uint8_t zeros[PACK_DATA + 1]);

#endif
