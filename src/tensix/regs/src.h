/* SrcA and SrcB: two banks each, handed to and fro between the unpackers and the Matrix Unit.
 * Sources: SrcASrcB.md (WH), SoftReset.md (BH). */
#ifndef TENSIX_REGS_SRC_H
#define TENSIX_REGS_SRC_H

#include <stdint.h>

enum { SRC_A, SRC_B, SRC_FILES, SRC_BANKS = 2, SRC_ROWS = 64, SRC_COLUMNS = 16 };
enum src_client { SRC_UNPACKERS, SRC_MATRIX };

struct src {
    uint32_t datum[SRC_FILES][SRC_BANKS][SRC_ROWS][SRC_COLUMNS]; /* 19 bits: sign, ten of mantissa, eight of exponent */
    uint8_t allowed[SRC_FILES][SRC_BANKS];                       /* enum src_client */
    uint8_t unpacker_bank[SRC_FILES], matrix_bank[SRC_FILES];
    uint8_t unpacker_row[SRC_FILES][3]; /* base row of a thread's unpacks: 0, 16, 32 or 48 */
};

#endif
