/* Kernels of the Matrix Unit: arithmetic on blocks of SrcA, SrcB and Dst.
 *
 * Src: rows of 16 data in two planes, as in a bank of Src: sign in bit 15 and mantissa in 9:0; exponent. Dst: rows of
 * 16 in the hardware's layout; the lower halves of 32-bit data are MATRIX_LOW elements after the upper ones.
 *
 * A product of matrices takes prepared operands: the bits that a fidelity phase selects, as numbers of the host. Eight
 * rows can be prepared once and used again as long as neither the rows nor the mode change. */
#ifndef NUMERIC_MATRIX_KERNELS_H
#define NUMERIC_MATRIX_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum { MATRIX_COLUMNS = 16, MATRIX_ROWS = 8, MATRIX_LOW = 8 * MATRIX_COLUMNS };

/* Styles of data in Src. SrcA's style determines that of Dst.
 *
 *     style   SrcA, SrcB                       Dst, 16 bits   Dst, 32 bits
 *     BF16    exponent 8, mantissa 7           BF16           FP32
 *     TF32    exponent 8, mantissa 10          BF16           FP32
 *     FP16    exponent 5, mantissa 10          FP16           FP32
 *     INT8    magnitude 10, exponent not 0     -              sign and magnitude of 31 bits */
enum matrix_style { MATRIX_BF16, MATRIX_TF32, MATRIX_FP16, MATRIX_INT8 };

struct matrix_mode {
    enum matrix_style a, b;
    unsigned phase; /* fidelity phase, 0..3: bit 0 selects bits of SrcA, bit 1 bits of SrcB */
    bool wide;      /* 32-bit Dst; always with INT8 */
    bool keep_b;    /* Zero_Flag_disabled_src: a datum of SrcB with exponent 0 is not taken as zero */
    bool random;    /* rounds at random (random.h); the kernels do not */
    uint32_t noise; /* a random number for the next rounding, for the model */
};

/* Eight rows of Dst, in two groups of four consecutive rows. An invalid row counts as zero, in a maximum as the least
 * number. Rows that are not in the mask stay unchanged. */
struct matrix_dst {
    uint16_t *rows[2];
    unsigned invalid; /* mask of invalid rows */
    unsigned mask;
};

struct matrix_src {
    const uint16_t *mantissa, *exponent;
};

/* Eight rows as floats, on levels where that is fastest. below: how far an exponent is below the greatest, 255 for a
 * zero. Not used (most is 0) if an exponent is too small for floats. */
struct matrix_narrow {
    _Alignas(64) float value[MATRIX_ROWS][MATRIX_COLUMNS];
    uint8_t below[MATRIX_ROWS][MATRIX_COLUMNS];
};

/* Eight prepared rows of SrcA. */
struct matrix_a {
    union {
        struct {
            _Alignas(64) double value[MATRIX_ROWS][MATRIX_COLUMNS];
            int16_t exponent[MATRIX_ROWS][MATRIX_COLUMNS];
        };
        struct matrix_narrow narrow;
    };
    int32_t most;
};

/* Eight prepared rows of SrcB; each exponent is stored twice. */
struct matrix_b {
    union {
        struct {
            _Alignas(64) double value[MATRIX_ROWS][MATRIX_COLUMNS];
            uint32_t exponent[MATRIX_ROWS][MATRIX_COLUMNS];
        };
        struct matrix_narrow narrow;
    };
    int32_t most;
};

/* How ELWMUL, ELWADD and ELWSUB use SrcB: its first row replaces all rows, its first column all columns. */
enum { MATRIX_ONE_ROW = 2, MATRIX_ONE_COLUMN = 1 };

struct matrix_kernels {
    /* Prepare eight rows for the mode's style and phase. */
    void (*prepare_a)(struct matrix_a *a, struct matrix_src src, const struct matrix_mode *mode);
    void (*prepare_b)(struct matrix_b *b, struct matrix_src src, const struct matrix_mode *mode);
    /* MVMUL, DOTPV and (only rows 0..3) GAPOOL: Dst += B * A. a: rows 0..7 and rows 8..15. */
    void (*multiply)(const struct matrix_dst *dst, const struct matrix_a *const a[2], const struct matrix_b *b,
                     const struct matrix_mode *mode);
    /* ELWMUL: Dst += A * B. */
    void (*scale)(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                  const struct matrix_mode *mode);
    /* ELWADD and ELWSUB: Dst = A +- B or Dst += A +- B. */
    void (*add)(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, unsigned broadcast,
                bool subtract, bool accumulate, const struct matrix_mode *mode);
    /* GMPOOL: the maxima of 16 rows of A and of Dst's first row. The other three rows become zero, whatever the mask
     * is. b: one row, whose exponents scale the rows of A. index: ArgMax. */
    void (*maximum)(const struct matrix_dst *dst, struct matrix_src a, struct matrix_src b, bool index,
                    const struct matrix_mode *mode);
};

#endif
