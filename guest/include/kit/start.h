/* BRISC: prepares a tile for the TRISCs, starts them, and waits for them. */
#ifndef KIT_START_H
#define KIT_START_H

#include "kit/config.h"

/* Makes the rows of Dst that the packer reads together in strided mode 16 apart instead of 8: for pack_untilize(). */
static inline void tensix_remap_dst(void) {
    config_write(DEST_ACCESS_CFG_remap_addrs_ADDR32,
                 DEST_ACCESS_CFG_remap_addrs_MASK | DEST_ACCESS_CFG_swizzle_32b_MASK);
}

/* Releases the three TRISCs, and waits until each has stored a word that is not 0 at its entry of `done`. */
static inline void run_triscs(volatile uint32_t done[3]) {
    for (unsigned i = 0; i < 3; i++)
        done[i] = 0;
    release_cores(RESET_TRISC0 | RESET_TRISC1 | RESET_TRISC2);
    for (unsigned i = 0; i < 3; i++)
        while (!done[i])
            fence();
}

#endif
