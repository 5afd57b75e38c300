/* The packer set up for BF16 in rows of 16, and a tile at a known place in L1. */
#ifndef TESTS_TENSIX_PACK_SETUP_H
#define TESTS_TENSIX_PACK_SETUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"
#include "tensix/matrix_rows.h"

enum { PT_TILE = 0x40000, PT_BF16 = 5 };
enum { PT_LAST = 1, PT_FLUSH = 2, PT_CONCAT = 1 << 4, PT_ONE = 1 << 8, PT_TWO = 3 << 8, PT_ZERO = 1 << 12 };

/* PACR with these bits of the word. */
#define PT_PACR(bits) ((uint32_t)TENSIX_PACR << 24 | (uint32_t)(bits))

static inline uint32_t *pt_config(struct tensix_box *tb) {
    return tb->x->config.bank[0];
}

static inline void pt_formats(struct tensix_box *tb, bool wide, unsigned in, unsigned out) {
    uint32_t *c = pt_config(tb);
    unsigned bytes = in % 4 == 0 ? 4 : in % 4 == 1 ? 2 : 1;
    MR_SET(c, ALU_FORMAT_SPEC_REG2_Dstacc, in);
    MR_SET(c, PCK_DEST_RD_CTRL_Read_32b_data, wide);
    MR_SET(c, PCK0_ADDR_CTRL_XY_REG_0_Ystride, 16 * bytes);
    MR_SET(c, THCON_SEC0_REG1_In_data_format, in);
    MR_SET(c, THCON_SEC0_REG1_Out_data_format, out);
}

/* Address mode 0 stays, 1 goes on by four rows. All threads. */
static inline void pt_setup(struct tensix_box *tb) {
    uint32_t *c = pt_config(tb);
    pt_formats(tb, false, PT_BF16, PT_BF16);
    c[CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask] = 0xFFFF;
    MR_SET(c, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = PT_TILE / 16 - 1;
    MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 1);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tb->x->adc[thread][ADC_PACKERS].channel[1].value[ADC_X] = 15;
        tb->x->config.thread[thread][38] = 4;
    }
}

static inline struct tensix_box *pt_create(void) {
    struct tensix_box *tb = tb_create();
    pt_setup(tb);
    return tb;
}

/* Numbers from 1.0 on, each row with its own: BF16 that stays as it is. */
static inline uint16_t pt_number(unsigned row, unsigned column) {
    return (uint16_t)(0x3F80 + 16 * (row % 1024) + column);
}

static inline void pt_fill(struct tensix_box *tb) {
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            tb->x->dst.bits[row][column] = dst_encode_bf16(pt_number(row, column));
}

static inline uint16_t pt_half(const struct tensix_box *tb, unsigned index) {
    uint16_t half;
    memcpy(&half, tb->x->l1 + PT_TILE + 2 * index, sizeof half);
    return half;
}

/* Runs an instruction of thread 0 without its frontend, until everything is done. Returns the text of its fault. */
static inline const char *pt_run_next(struct tensix_box *tb, uint32_t word) {
    unsigned faults = tb->box->faults;
    tb->now += 200;
    tb->x->thread[0].faulted = false;
    if (word >> 24 == TENSIX_PACR)
        execute_PACR(tb->x, 0, word, tb->now);
    else
        execute_PACR_SETREG(tb->x, 0, word, tb->now);
    tensix_run(tb->x, tb->now += 2000);
    return tb->box->faults == faults ? NULL : tb->box->fault.text;
}

/* Precondition: as above, but the test may have changed the configuration directly. */
static inline const char *pt_run(struct tensix_box *tb, uint32_t word) {
    config_changed(&tb->x->config);
    return pt_run_next(tb, word);
}

static inline void pt_good(struct tensix_box *tb, uint32_t word) {
    const char *text = pt_run(tb, word);
    if (text)
        fail_msg("%s", text);
}

#endif
