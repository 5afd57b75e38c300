/* Selects the packer's kernels for a configuration, and has the rare steps that need no vectors. */
#ifndef NUMERIC_LANES_PACK_PATHS_H
#define NUMERIC_LANES_PACK_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "numeric/lanes/pack_kernels.h"

/* The fields of PCK_DEST_RD_CTRL, and the numbers of the intermediate and the output format. */
struct pack_read {
    bool wide;        /* Read_32b_data */
    bool raw;         /* Read_int8 */
    bool is_unsigned; /* Read_unsigned */
    bool ten_bits;    /* Round_10b_mant */
    unsigned format, out;
};

/* Returns an enum pack_early, or -1 if the pages define no conversion. For FP16 from 32-bit Dst it returns
 * PACK_32_TF32, and the kernel to_fp16 has to follow ReLU. */
int pack_early_path(const struct pack_read *read);
enum pack_kind pack_early_kind(enum pack_early path, unsigned format);

/* Returns an enum pack_load for data from L1, or -1. in, out: numbers of formats. */
int pack_load_path(unsigned in, unsigned out);
enum pack_kind pack_load_kind(enum pack_load path, unsigned in);

bool pack_is_words(enum pack_kind kind);
bool pack_shares_exponents(enum pack_out out);
unsigned pack_bits(enum pack_out out); /* bits of a datum in L1 */
/* Returns the datum that stands for minus infinity; 0 for integers, which have none. */
uint32_t pack_minus_infinity(enum pack_kind kind);

/* Counts the exponents of the first `count` data, modulo 32; each count stops at 255. */
void pack_histogram(uint8_t counts[32], const union pack_data *data, enum pack_kind kind, unsigned count);

/* Keeps the data whose bit is set in *pattern, which is used from bit 0 on and repeats. Rotates *pattern by count.
 * Returns the number of data kept. */
unsigned pack_select(union pack_data *data, enum pack_kind kind, unsigned count, uint16_t *pattern);

/* Zero compression. Zeros that follow a datum are counted, up to 15, instead of written; but the first and the last
 * datum of a row are always written. The struct is the state between calls. */
struct pack_run {
    bool open;     /* a row has begun */
    uint8_t zeros; /* zeros counted since the last datum was written */
    bool some;     /* the row has a datum that is not zero */
};

/* Compresses the next `count` data of a row. last: the row ends with them. Returns the number n of data that stay in
 * `data`, and sets zeros[0 .. n] to the numbers of zeros that follow: zeros[0] is added to the last datum of the
 * previous call (it is 0 if the row has none yet), zeros[n] belongs to the n-th datum that stays. At the end of a row
 * run->some stays until the next row. */
unsigned pack_compress(struct pack_run *run, union pack_data *data, enum pack_kind kind, unsigned count, bool last,
                       uint8_t zeros[PACK_DATA + 1]);

#endif
