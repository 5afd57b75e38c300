/* Registers between the packer and TDMA-RISC: facts about the 32x32 tiles that the packer has written, and settings of
 * the packer. SETDMAREG and the TDMA-RISC registers read them. A caller that pushes a tile to the FIFO also has to call
 * tensix_wake, because a core may wait for the tile. Sources: SETDMAREG_Special.md, TDMA-RISC.md,
 * Packers/ExponentHistogram.md (WH, there for four packers). */
#ifndef TENSIX_REGS_PACKER_H
#define TENSIX_REGS_PACKER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PACKER_TILES = 4 /* capacity of the FIFO; the number is a guess */ };

struct packer {
    uint16_t acc_tile_size[3]; /* sum over each thread's tiles since the last clear, in 16-byte units */
    uint16_t last_tile_size;
    uint8_t last_thread; /* thread of the last tile */
    uint32_t all_zero_flags;
    uint8_t exponent_histogram[32];
    uint8_t max_exponent; /* largest exponent in the histogram */

    struct packer_tile {
        uint32_t zero_flags;
        uint16_t size; /* in 16-byte units */
    } tile[PACKER_TILES];
    uint8_t tiles; /* number of tiles in the FIFO; the oldest is first */

    uint16_t l1_dest_addr_offset;
    uint32_t set_reg_base[2]; /* bases of PACR_SETREG: bits of an address from 0xFFB00000 on */
    uint16_t set_reg_scaler[4];
};

/* Appends a tile to the FIFO. Returns false if the FIFO is full; the tile is lost then. */
static inline bool packer_push_tile(struct packer *packer, uint16_t size, uint32_t zero_flags) {
    if (packer->tiles == PACKER_TILES)
        return false;
    packer->tile[packer->tiles++] = (struct packer_tile){ zero_flags, size };
    return true;
}

/* Removes the oldest tile. Precondition: the FIFO is not empty. */
static inline void packer_pop_tile(struct packer *packer) {
    packer->tiles--;
    memmove(&packer->tile[0], &packer->tile[1], packer->tiles * sizeof packer->tile[0]);
}

static inline void packer_clear_histogram(struct packer *packer) {
    memset(packer->exponent_histogram, 0, sizeof packer->exponent_histogram);
    packer->max_exponent = 0;
}

/* Resets what a soft reset of the packer resets. */
static inline void packer_forget(struct packer *packer) {
    memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
    packer->last_tile_size = 0;
    packer->tiles = 0;
}

#endif
