/* src/tensix/regs/dst.h: where rows are, what is in them, what resets and DBG_FEATURE_DISABLE do to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tensix/dst_model.h"

/* The formulas of Dst.md for every row, in every configuration. */
static void rows(void **state) {
    struct tensix_box *tb = *state;
    struct tensix *x = tb->x;
    for (unsigned mode = 0; mode < 8; mode++) {
        bool seen[DST_ROWS] = { false };
        dm_access(x, mode & 1, mode & 2);
        x->dst.halves = mode & 4;
        for (unsigned row = 0; row < DST_ROWS; row++) {
            unsigned r = row;
            if (mode & 1)
                r = (r & 0x3C7) ^ ((r & 0x030) >> 1) ^ ((r & 0x008) << 2);
            unsigned adj16 = r;
            if (mode & 2)
                r = (r & 0x3F3) ^ ((r & 0x018) >> 1) ^ ((r & 0x004) << 1);
            unsigned adj32 = ((r & 0x1F8) << 1) | (r & 0x207);
            assert_int_equal(dst_row32(x->config.bank[0], row), adj32);
            assert_int_equal(dst_row16(&x->dst, x->config.bank[1], row), mode & 4 ? adj32 : adj16);
            assert_int_equal(dm_adj16(x, row), adj16);
            assert_int_equal(dm_adj32(x, row), adj32);
            assert_int_equal(adj32 & 8, 0);
            assert_int_equal(dst_row32(x->config.bank[0], row & ~3u) + row % 4, adj32); /* four are neighbours */
            assert_int_equal(dst_row16(&x->dst, x->config.bank[0], row & ~3u) + row % 4, mode & 4 ? adj32 : adj16);
            seen[adj16] = true;
        }
        for (unsigned row = 0; row < DST_ROWS; row++)
            assert_true(seen[row]);
    }
}

static void data(void **state) {
    struct tensix_box *tb = *state;
    struct dst *dst = &tb->x->dst;
    dst_put32(dst, 96, 3, 0x12345678);
    dst_put16(dst, 1023, 15, 0xABCD);
    assert_int_equal(dst->bits[96][3], 0x1234);
    assert_int_equal(dst->bits[104][3], 0x5678);
    assert_int_equal(dst_get32(dst, 96, 3), 0x12345678);
    assert_int_equal(dst_get16(dst, 1023, 15), 0xABCD);
    assert_int_equal(dst->touched, 1u << 3 | 1u << 31);
    dst->invalid[3] = 0x101; /* the lower half's row does not count */
    dst->invalid[31] = 0x80000000;
    assert_int_equal(dst_get32(dst, 96, 3), 0);
    assert_int_equal(dst_get16(dst, 1023, 15), 0);
    dst_put32(dst, 96, 4, 1);
    dst_put16(dst, 1023, 0, 1);
    assert_int_equal(dst->invalid[3], 0x100);
    assert_int_equal(dst->invalid[31], 0);
    assert_int_equal(dst_get32(dst, 96, 3), 0x12345678); /* it has been there all the time */
}

static void layouts(void **state) {
    (void)state;
    for (uint32_t x = 0; x < 0x10000; x++) {
        unsigned sign = x >> 15, bf16 = dst_encode_bf16((uint16_t)x), fp16 = dst_encode_fp16((uint16_t)x);
        assert_int_equal(bf16, sign * 32768 + x % 128 * 256 + x / 128 % 256);
        assert_int_equal(fp16, sign * 32768 + x % 1024 * 32 + x / 1024 % 32);
        assert_int_equal(dst_decode_bf16((uint16_t)bf16), x);
        assert_int_equal(dst_decode_fp16((uint16_t)fp16), x);
        assert_int_equal(dst_encode32(x << 16 | (x ^ 0x5555)), bf16 << 16 | (x ^ 0x5555));
        assert_int_equal(dst_decode32(bf16 << 16 | (x ^ 0x5555)), x << 16 | (x ^ 0x5555));
    }
}

/* Entering the reset of bit 17 makes every row valid; what is in them stays. */
static void the_reset_of_zeroacc(void **state) {
    struct tensix_box *tb = *state;
    struct dst *dst = &tb->x->dst;
    memset(dst->invalid, 0xFF, sizeof dst->invalid);
    dst->bits[5][5] = 0x55;
    tensix_soft_reset(tb->x, 0x10000, 10);
    assert_int_equal(dst->invalid[0], UINT32_MAX);
    tensix_soft_reset(tb->x, 0x20000, 20);
    for (unsigned i = 0; i < DST_ROWS / 32; i++)
        assert_int_equal(dst->invalid[i], 0);
    assert_int_equal(dst->bits[5][5], 0x55);
    dst->invalid[0] = 1;
    tensix_soft_reset(tb->x, 0x20001, 30); /* it is in reset already */
    assert_int_equal(dst->invalid[0], 1);
}

/* Only bit 11 changes, by a store of a core between two equal instructions. */
static void a_debug_bit_turns_rows_into_upper_halves(void **state) {
    struct tensix_box *tb = *state;
    enum { UINT16 = 6, FEATURE_DISABLE = 0xFFB12068 - 0x100000000 };
    for (unsigned i = 0; i < 2; i++) {
        tb_store(tb, BH_TRISC1, (uint32_t)FEATURE_DISABLE, i ? 0xFFFFF7FF : 0x800);
        tb_push(tb, 1, TT(SFPSTORE, 8, UINT16, 0, 16 + 4 * i));
        tb_load(tb, BH_TRISC1, TB_T2, TB_PC_BUF + 4);
        tb_rv(tb, BH_TRISC1, asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
    }
    tb_start(tb);
    tb_step(tb, 500);
    assert_int_equal(tb->x->dst.bits[32][0], 0x594B);
    assert_int_equal(tb->x->dst.bits[40][0], 0);
    assert_int_equal(tb->x->dst.bits[16][0], 0);
    assert_int_equal(tb->x->dst.bits[20][0], 0x594B);
    assert_false(tb->x->dst.halves);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(rows),
        BOXED(data),
        cmocka_unit_test(layouts),
        BOXED(the_reset_of_zeroacc),
        BOXED(a_debug_bit_turns_rows_into_upper_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
