/* Dst: 1024 rows of 16 columns of 16 bits, or 512 of 32 bits of which the halves lie eight rows apart.
 * Sources: Dst.md (BH and WH), ZEROACC.md (WH). */
#ifndef TENSIX_REGS_DST_H
#define TENSIX_REGS_DST_H

#include <stdbool.h>
#include <stdint.h>

enum { DST_ROWS = 1024, DST_COLUMNS = 16 };

struct dst {
    /* As the hardware lays them out: BF16 is sign, mantissa 14:8, exponent 7:0; FP16 sign, mantissa 14:5, exponent 4:0;
     * of 32 bits the upper half is like BF16 and the lower as it is. */
    uint16_t bits[DST_ROWS][DST_COLUMNS] __attribute__((aligned(64)));
    uint32_t invalid[DST_ROWS / 32]; /* a bit for each row: what it holds is the identity of whatever reads it */
};

#endif
