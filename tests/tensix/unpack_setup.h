/* Unpackers set up for tiles of 1024 data that lie one behind the other, at a known place in L1. */
#ifndef TESTS_TENSIX_UNPACK_SETUP_H
#define TESTS_TENSIX_UNPACK_SETUP_H

#include "tensix/unpack_draw.h"

enum { US_TILE = 0x20000, US_DATA = 1024 };
enum { US_MULTI = 1 << 7, US_FLIP = 1 << 6, US_B = 1 << 23 };

/* UNPACR with these bits of the word. */
#define US_UNPACR(bits) ((uint32_t)TENSIX_UNPACR << 24 | (uint32_t)(bits))

/* SrcA from row 0 on, SrcB from row 0 on; all threads. */
static inline void us_setup(struct tensix_box *tb, unsigned unpacker, unsigned in, unsigned out, unsigned count) {
    uint32_t *c = tb->x->config.bank[0];
    c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 48 * unpacker] = in | 0x10 | US_DATA << 16;
    c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 48 * unpacker + 1] = 1 | 1 << 16;
    UD_SET(c, unpacker, REG2_Out_data_format, out);
    c[CONFIG_WORD_THCON_SEC0_REG3_Base_address + 48 * unpacker] = US_TILE / 16 - 1;
    if (!unpacker)
        MR_SET(c, UNP0_ADDR_BASE_REG_1_Base, ur_bits(out) == 32 ? 256 : ur_bits(out) == 16 ? 128 : 64);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tb->x->adc[thread][unpacker].channel[1].value[ADC_X] = count - 1;
        MR_SET(tb->x->config.thread[thread], SRCA_SET_SetOvrdWithAddr, 1);
    }
}

/* Speeds as programs choose them: x1 is 0, x8 is 3. */
static inline void us_throttle(struct tensix_box *tb, unsigned unpacker, unsigned mode) {
    uint32_t *c = tb->x->config.bank[0];
    UD_SET(c, unpacker, REG1_ovrd_default_throttle_mode, 1);
    UD_SET(c, unpacker, REG2_Throttle_mode, mode);
}

/* Runs until a bank is the Matrix Unit's; the first cycle that sees it. */
static inline uint64_t us_handed(struct tensix_box *tb, unsigned file, unsigned bank) {
    while (tb->x->src.allowed[file][bank] != SRC_MATRIX && tb->now < TB_LIMIT)
        tb_step(tb, tb->now + 1);
    return tb->now;
}

#endif
