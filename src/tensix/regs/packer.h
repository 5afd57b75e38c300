/* What the packer tells others about the tiles that it has written. SETDMAREG and the TDMA-RISC registers read it.
 * Sources: SETDMAREG_Special.md, TDMA-RISC.md, Packers/ExponentHistogram.md (WH, there for four packers). */
#ifndef TENSIX_REGS_PACKER_H
#define TENSIX_REGS_PACKER_H

#include <stdint.h>

struct packer {
    uint16_t acc_tile_size[3]; /* of each thread's tiles since the last clear, 16-byte units */
    uint16_t last_tile_size;
    uint8_t last_thread; /* whose tile that was */
    uint32_t all_zero_flags;
    uint8_t exponent_histogram[32];
    uint8_t max_exponent; /* in the histogram */
};

#endif
