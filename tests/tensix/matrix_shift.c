/* TRNSPSRCB, SHIFTXA with the rows that the hardware's bug makes it read, and SHIFTXB. */
#include "tensix/matrix_rows.h"

enum { ROUNDS = 500 };

static bool mean_TRNSPSRCB(struct tensix_box *tb, struct rows *w, uint32_t word) {
    (void)tb, (void)word;
    static struct rows old;
    old = *w;
    unsigned bank = w->matrix_bank[SRC_B];
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < 16; j++)
            w->src[SRC_B][bank][16 + i][j] = old.src[SRC_B][bank][16 + j][i];
    return true;
}

static bool mean_SHIFTXA(struct tensix_box *tb, struct rows *w, uint32_t word) {
    (void)tb;
    static struct rows old;
    old = *w;
    unsigned bank = w->matrix_bank[SRC_A], from = w->last_a_row & 0x30;
    if ((word & 3) < 2)
        return false;
    for (unsigned i = 0; i < 16 * 16; i++) {
        unsigned column = i % 16, source = word & 1 ? column + 1 : column - 1;
        w->src[SRC_A][bank][i / 16][column] = source < 16 ? old.src[SRC_A][bank][from + i / 16][source] : 0;
    }
    return true;
}

static bool mean_SHIFTXB(struct tensix_box *tb, struct rows *w, uint32_t word) {
    uint32_t *row = w->src[SRC_B][w->matrix_bank[SRC_B]][(word + w->rwc.src_b) % 64], first = row[0];
    for (unsigned i = 0; i < 15; i++)
        row[i] = row[i + 1];
    row[15] = word >> 10 & 1 ? 0 : first;
    mr_advance(w, tb, word >> 14 & 7);
    return true;
}

static void check_all(tensix_handler *handler, rows_meaning *meaning, unsigned opcode, uint64_t seed) {
    struct tensix_box *tb = mr_create(&seed);
    for (unsigned n = 0; n < ROUNDS; n++) {
        mr_level(tb, n);
        mr_draw(tb, &seed);
        mr_draw_data(tb->x, &seed);
        tb->x->matrix.last_a_row = (uint8_t)random_below(&seed, 64);
        mr_check(tb, handler, meaning, (uint32_t)opcode << 24 | (uint32_t)random_next(&seed) >> 8);
    }
    tb_destroy(tb);
}

static void test_transpose(void **state) {
    (void)state;
    check_all(execute_TRNSPSRCB, mean_TRNSPSRCB, TENSIX_TRNSPSRCB, 1);
}

static void test_shift_a(void **state) {
    (void)state;
    check_all(execute_SHIFTXA, mean_SHIFTXA, TENSIX_SHIFTXA, 2);
}

static void test_shift_b(void **state) {
    (void)state;
    check_all(execute_SHIFTXB, mean_SHIFTXB, TENSIX_SHIFTXB, 3);
}

/* Arithmetic leaves the row of SrcA that SHIFTXA reads from. */
static void test_shift_after_math(void **state) {
    (void)state;
    tensix_handler *const handlers[] = { execute_MVMUL, execute_ELWADD, execute_ELWMUL, execute_ELWSUB };
    for (unsigned i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        struct tensix_box *tb = tb_create();
        static const unsigned opcodes[] = { TENSIX_MVMUL, TENSIX_ELWADD, TENSIX_ELWMUL, TENSIX_ELWSUB };
        memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
        tb->x->rwc[MR_THREAD].src_a = 32;
        src_set(&tb->x->src.bank[SRC_A][0], 32 + 3, 4, 0x3F9);
        assert_int_not_equal(mr_taken_at(tb, handlers[i], (uint32_t)opcodes[i] << 24, 100), TENSIX_NEVER);
        assert_int_equal(tb->x->matrix.last_a_row, 32);
        assert_int_not_equal(mr_taken_at(tb, execute_SHIFTXA, TT(SHIFTXA, 0, 2), 120), TENSIX_NEVER);
        assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 3, 5), 0x3F9);
        tb_destroy(tb);
    }
}

/* They wait for the bank that they change. After SHIFTXB no instruction enters in the next cycle. */
static void test_time(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    uint64_t now = 100;
    assert_int_equal(mr_taken_at(tb, execute_TRNSPSRCB, MR_TRNSPSRCB, now), TENSIX_NEVER);
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXB, TT(SHIFTXB, .addr_mode = 0), now), TENSIX_NEVER);
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXA, TT(SHIFTXA, 0, 2), now), TENSIX_NEVER);
    tb->x->src.allowed[SRC_B][0] = SRC_MATRIX;
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXA, TT(SHIFTXA, 0, 2), now), TENSIX_NEVER);
    assert_int_equal(mr_taken_at(tb, execute_TRNSPSRCB, MR_TRNSPSRCB, now), 100);
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXB, TT(SHIFTXB, .addr_mode = 0), now), 101);
    assert_int_equal(tb->x->thread[MR_THREAD].busy[TENSIX_BUSY_MATRIX], 103);
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXB, TT(SHIFTXB, .addr_mode = 0), now), 103);
    assert_int_equal(mr_taken_at(tb, execute_ZEROACC, TT(ZEROACC, .clear_mode = 3), now), 105);
    tb->x->src.allowed[SRC_A][0] = SRC_MATRIX;
    assert_int_equal(mr_taken_at(tb, execute_SHIFTXA, TT(SHIFTXA, 0, 2), now), 106);
    assert_int_equal(mr_taken_at(tb, execute_TRNSPSRCB, MR_TRNSPSRCB, now), 107);
    tb_destroy(tb);
}

/* Those of which nothing is known but a line say so. */
static void test_unknown(void **state) {
    (void)state;
    static const unsigned opcodes[] = { TENSIX_TRNSPSRCA, TENSIX_RAREB,     TENSIX_SETASHRMH0, TENSIX_SETASHRMH1,
                                        TENSIX_SETASHRMV, TENSIX_SETASHRMH, TENSIX_SETPKEDGOF, TENSIX_SETIBRWC };
    for (unsigned i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        struct tensix_box *tb = tb_create();
        uint32_t word = (uint32_t)opcodes[i] << 24;
        tb_push(tb, MR_THREAD, word);
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNMODELLED);
        assert_non_null(strstr(tb->box->fault.text, tensix_decode(word)->name));
        assert_non_null(strstr(tb->box->fault.text, "no document says more of it"));
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),        cmocka_unit_test(test_shift_a), cmocka_unit_test(test_shift_b),
        cmocka_unit_test(test_shift_after_math), cmocka_unit_test(test_time),    cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
