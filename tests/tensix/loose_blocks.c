/* A product of matrices in blocks of the inner dimension, whose partial sums go through L1, with both timings.
 *
 * The order of tt-metal's bmm_large_block_zm: for every block but the first the partial sums come back by copies of
 * tiles, for which T1 waits for SrcA only and hands both files back, and then the product of the block is added: one
 * bank of SrcB serves several of SrcA. T2 packs the sums and posts semaphores for T0 and T1. All numbers are small
 * integers, so that sums of any order are exact. */
#include "loose_banks.h"
#include "support/float_bits.h"
#include "tensix/pack_setup.h"

enum {
    PROGRAMS = 40,
    ROWS = 4, /* of faces, of 16 x 16 data, in the product */
    COLUMNS = 2,
    BLOCKS = 3,
    DEPTH = 2, /* faces of the inner dimension in a block */
    INNER = BLOCKS * DEPTH,
    SIDE = 16,
    FACE = SIDE * SIDE,
    FACES = ROWS * COLUMNS,
    FACES_A_TILE = 4,
    AT_B = 0, /* number of the first face; those of SrcA, of SrcB, and the sums */
    AT_A = ROWS * INNER,
    AT_SUMS = 128,
    L1_SUMS = US_TILE + 2 * FACE * AT_SUMS,
    READY = 5, /* semaphore: sums are in L1 */
};

static uint64_t seed_of_program;
static int factor_a[INNER][COLUMNS][SIDE][SIDE], factor_b[INNER][ROWS][SIDE][SIDE];

/* ---- Numbers --------------------------------------------------------------------------------------------- */

static void write_face(struct tensix *x, unsigned face, int data[SIDE][SIDE], uint64_t *seed) {
    static const uint16_t bits[] = { 0xBF80, 0, 0x3F80 }; /* of -1, 0 and 1 */
    for (unsigned i = 0; i < FACE; i++) {
        data[i / SIDE][i % SIDE] = (int)random_below(seed, 3) - 1;
        memcpy(x->l1 + US_TILE + 2 * (FACE * face + i), &bits[data[i / SIDE][i % SIDE] + 1], 2);
    }
}

static void write_factors(struct tensix *x, uint64_t *seed) {
    for (unsigned k = 0; k < INNER; k++) {
        for (unsigned row = 0; row < ROWS; row++)
            write_face(x, AT_B + ROWS * k + row, factor_b[k][row], seed);
        for (unsigned column = 0; column < COLUMNS; column++)
            write_face(x, AT_A + COLUMNS * k + column, factor_a[k][column], seed);
    }
}

static int expected(unsigned face, unsigned i, unsigned j) {
    int sum = 0;
    for (unsigned k = 0; k < INNER; k++)
        for (unsigned l = 0; l < SIDE; l++)
            sum += factor_b[k][face / COLUMNS][i][l] * factor_a[k][face % COLUMNS][l][j];
    return sum;
}

static int sum_in_l1(const struct tensix *x, unsigned face, unsigned i, unsigned j) {
    uint16_t bits;
    memcpy(&bits, x->l1 + L1_SUMS + 2 * (FACE * face + SIDE * i + j), sizeof bits);
    return (int)as_float((uint32_t)bits << 16);
}

static void assert_product(const struct tensix *x) {
    for (unsigned face = 0; face < FACES; face++)
        for (unsigned i = 0; i < SIDE; i++)
            for (unsigned j = 0; j < SIDE; j++)
                if (sum_in_l1(x, face, i, j) != expected(face, i, j))
                    fail_msg("program %u: face %u, row %u, column %u: %d instead of %d", (unsigned)seed_of_program,
                             face, i, j, sum_in_l1(x, face, i, j), expected(face, i, j));
}

/* ---- Programs -------------------------------------------------------------------------------------------- */

static void setup(struct tensix_box *tb) {
    uint32_t *c = tb->x->config.bank[0];
    for (unsigned unpacker = 0; unpacker < 2; unpacker++) {
        us_setup(tb, unpacker, BF16, BF16, FACE);
        c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 48 * unpacker] = BF16 | 0x10 | FACE << 16;
    }
    pt_setup(tb);
    c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] = L1_SUMS / 16 - 1;
    config_changed(&tb->x->config);
}

static void put_pause(struct maker *m, unsigned thread) {
    tb_nops(m->tb, tb_core(thread), below(m, 3) ? 0 : below(m, 60));
}

/* The unpacker goes on with this face. */
static uint32_t seek(unsigned unpacker, unsigned face) {
    return TT(SETADC, .CntSetMask = 1u << unpacker, .DimensionIndex = ADC_Z, .Value = face);
}

/* A tile of the sums comes back to Dst. */
static void put_copy_of_tile(struct maker *m) {
    PUT(m, 0, FACES_A_TILE, UNPACK_A, DUMMY(SRC_B));
    PUT(m, 1, FACES_A_TILE, COPY_A, TT(INCRWC, .rwc_a = MOVED, .rwc_d = MOVED), COPY_A, NEXT_ROWS,
        TT(SETRWC, CLEAR_AB, 0, 0, 0, 0, COUNT_A));
}

static void put_reload(struct maker *m) {
    TB_PUSH_ALL(m->tb, 0, HELD(READY), TT(SEMGET, 1u << READY), seek(0, AT_SUMS));
    TB_PUSH_ALL(m->tb, 1, TT(SETRWC, 0, 0, 0, 0, 0, COUNT_A | COUNT_B | COUNT_D));
    for (unsigned tile = 0; tile < FACES / FACES_A_TILE; tile++)
        put_copy_of_tile(m);
}

/* T1's MOP: the products of a face of SrcB with faces of SrcA, whose banks go back one by one. */
static void put_product_mop(struct maker *m) {
    const uint32_t words[] = {
        TT(MVMUL, 0, 0, 0, 0),
        TT(INCRWC, .rwc_b = MOVED, .rwc_d = MOVED),
        TT(MVMUL, CLEAR_A, 0, 0, 0),
        NEXT_ROWS,
        TT(SETRWC, 0, 0, 0, 0, 0, COUNT_B),
    };
    enum { AT = 16, COUNT = sizeof words / 4 };
    const uint32_t play = TT(REPLAY, AT, COUNT, 0, 0);
    tb_push(m->tb, 1, TT(REPLAY, AT, COUNT, 0, 1));
    tb_push_all(m->tb, 1, words, COUNT);
    configure_mop(m->tb, 1, (const uint32_t[]){ COLUMNS, 1, NO_WORD, NO_WORD, NO_WORD, play, NO_WORD, play, play });
}

/* Products of a column of faces of the left factor with a row of faces of the right one, added to Dst. */
static void put_products(struct maker *m, unsigned k) {
    TB_PUSH_ALL(m->tb, 0, seek(1, AT_B + ROWS * k));
    TB_PUSH_ALL(m->tb, 1, TT(SETRWC, 0, 0, 0, 0, 0, COUNT_A | COUNT_B | COUNT_D));
    for (unsigned row = 0; row < ROWS; row++) {
        TB_PUSH_ALL(m->tb, 0, seek(0, AT_A + COLUMNS * k), UNPACK_B);
        for (unsigned column = 0; column < COLUMNS; column++)
            tb_push(m->tb, 0, UNPACK_A);
        TB_PUSH_ALL(m->tb, 1, TT(MOP, 1, 0, 0), CLEAR(CLEAR_B));
    }
}

/* T2 packs Dst. T1 may have Dst again when it has, and T0 may fetch the sums unless they are the product. */
static void put_pack(struct maker *m, bool last) {
    TB_PUSH_ALL(m->tb, 1, TT(STALLWAIT, ALL, GATE_C_MATRIX), TT(SEMPOST, 1u << DONE));
    TB_PUSH_ALL(m->tb, 2, HELD(DONE), TT(SETADCXY, 4, 0, 0, 0, 0, 0xA));
    for (unsigned rows = 0; rows < FACES * SIDE; rows += 4)
        tb_push(m->tb, 2, PT_PACR(1 << 15 | (rows + 4 == FACES * SIDE ? PT_LAST : 0)));
    TB_PUSH_ALL(m->tb, 2, TT(STALLWAIT, ALL, GATE_C_PACK), TT(SEMGET, 1u << DONE), TT(SEMPOST, 1u << FREE));
    if (!last)
        TB_PUSH_ALL(m->tb, 2, TT(SEMPOST, 1u << READY));
    TB_PUSH_ALL(m->tb, 1, HELD(FREE), TT(SEMGET, 1u << FREE));
}

static void block_program(struct tensix_box *tb) {
    struct maker m = { .tb = tb, .seed = seed_of_program * 6271 + 3 };
    setup(tb);
    write_factors(tb->x, &m.seed);
    TB_PUSH_ALL(tb, 1, TT(ZEROACC, .clear_mode = 3));
    for (unsigned block = 0; block < BLOCKS; block++) {
        put_pause(&m, below(&m, 3));
        if (block)
            put_reload(&m);
        put_pause(&m, below(&m, 2));
        put_product_mop(&m);
        for (unsigned k = block * DEPTH; k < (block + 1) * DEPTH; k++)
            put_products(&m, k);
        put_pack(&m, block == BLOCKS - 1);
    }
}

static void sums_through_l1(void **state) {
    (void)state;
    for (seed_of_program = 0; seed_of_program < PROGRAMS; seed_of_program++) {
        struct tensix_box *tb = loose_play_both(block_program);
        assert_product(tb->x);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_through_l1) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
