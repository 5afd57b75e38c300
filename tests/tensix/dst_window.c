/* src/tensix/dst_window.c: what T0..T2 see of Dst, in every format of Dst.md, for all bits of an element; combinations
 * that are not defined; wide accesses of T2; the time of it. */
#include "support/random.h"
#include "support/tensix_scene.h"

#include "tensix/dst_model.h"

#define WINDOW 0xFFBD8000u
enum { FP32, INT32, FP16, BF16, INT16, INT8 };
enum { NO_SWIZZLE = 1, UNSIGNED = 2 };
static const uint8_t sizes[8] = { 4, 4, 2, 2, 2, 1 };

/* The other bank and the other threads have something else. */
static void set_format(struct tensix_box *tb, unsigned thread, unsigned format, unsigned bits) {
    uint32_t *config = tb->x->config.bank[1];
    tb->x->config.thread[thread][0] = 1;
    tb->x->config.bank[0][3] = config[3] = UINT32_MAX;
    dm_set(config, 3, 14 + 5 * thread, 5, format << 2 | bits);
}

/* ---- The page's functions, for one element ----------------------------------------------------------------------- */

static uint32_t page_load32(uint32_t value, unsigned format, unsigned bits) {
    if (bits & NO_SWIZZLE)
        return value;
    value = (value & 0x8000FFFF) | (value & 0x7F000000) >> 8 | (value & 0x00FF0000) << 7;
    return format == INT32 && value > 0x7FFFFFFF ? 0x80000000 - (value - 0x80000000) - 0x80000000 : value;
}

static uint32_t page_store32(uint32_t value, unsigned format, unsigned bits) {
    if (bits & NO_SWIZZLE)
        return value;
    if (format == INT32 && value > 0x7FFFFFFF)
        value = value == 0x80000000 ? 0xFFFFFFFF : 0x80000000 + (uint32_t) - (int64_t)(int32_t)value;
    return (value & 0x8000FFFF) | (value & 0x7F800000) >> 7 | (value & 0x007F0000) << 8;
}

static unsigned page_load16(unsigned value, unsigned format, unsigned bits) {
    if (format == INT16)
        return bits || value < 0x8000 ? value : (0x10000 - value % 0x8000) % 0x10000;
    if (bits & NO_SWIZZLE)
        return value;
    if (format == FP16)
        return (value & 0x8000) | (value & 0x7FE0) >> 5 | (value & 0x1F) << 10;
    return (value & 0x8000) | (value & 0x7F00) >> 8 | (value & 0xFF) << 7;
}

static unsigned page_store16(unsigned value, unsigned format, unsigned bits) {
    if (format == INT16)
        return bits || value < 0x8000 ? value : value == 0x8000 ? 0xFFFF : 0x8000 + (0x10000 - value);
    if (bits & NO_SWIZZLE)
        return value;
    if (format == FP16)
        return (value & 0x8000) | (value & 0x7C00) >> 10 | (value & 0x3FF) << 5;
    return (value & 0x8000) | (value & 0x7F80) >> 7 | (value & 0x7F) << 8;
}

static unsigned page_load8(unsigned value, unsigned bits) {
    unsigned magnitude = value >> 5 & 0x7F;
    if (bits)
        return value >> 5 & 0xFF;
    return value & 0x8000 ? (256 - magnitude) % 256 : magnitude;
}

static unsigned page_store8(unsigned value, unsigned bits) {
    if (bits || value < 0x80)
        return value << 5 | (value ? 16 : 0);
    return 0x8000 | ((0x180 - value - (value == 0x80)) & 0xFF) << 5 | 16;
}

/* ---- Every element ----------------------------------------------------------------------------------------------- */

static uint32_t read(struct tensix_box *tb, unsigned thread, unsigned offset, unsigned size) {
    uint32_t value = 0xBAD;
    assert_int_equal(tensix_dst_read(tb->x, tb_core(thread), offset, size, tb->now++, &value).result, ACCESS_DONE);
    return value;
}

static void write(struct tensix_box *tb, unsigned thread, unsigned offset, unsigned size, uint32_t value) {
    assert_int_equal(tensix_dst_write(tb->x, tb_core(thread), offset, size, tb->now++, value).result, ACCESS_DONE);
}

static void sixteen_bits(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned format = FP16; format <= INT16; format++)
        for (unsigned bits = 0; bits < 4; bits++) {
            set_format(tb, bits % 3, format, bits);
            for (uint32_t x = 0; x < 0x10000; x++) {
                uint16_t *datum = &tb->x->dst.bits[77][3];
                unsigned offset = (77 * 16 + 3) * 2;
                *datum = (uint16_t)x;
                assert_int_equal(read(tb, bits % 3, offset, 2), page_load16(x, format, bits));
                write(tb, bits % 3, offset, 2, x);
                assert_int_equal(*datum, page_store16(x, format, bits));
            }
        }
}

static void bytes(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned bits = 0; bits < 4; bits++) {
        set_format(tb, 1, INT8, bits);
        for (uint32_t x = 0; x < 0x10000; x++) {
            tb->x->dst.bits[1023][15] = (uint16_t)x;
            assert_int_equal(read(tb, 1, 1024 * 16 - 1, 1), page_load8(x, bits));
        }
        for (unsigned x = 0; x < 0x100; x++) {
            write(tb, 1, 1024 * 16 - 1, 1, x);
            assert_int_equal(tb->x->dst.bits[1023][15], page_store8(x, bits));
        }
    }
}

static void thirty_two_bits(void **state) {
    static const uint32_t edges[] = { 0, 0x80000000, 0x80000001, 0x7FFFFFFF, 0xFFFFFFFF, 0x8000FFFF, 1, 0x00800000 };
    struct tensix_box *tb = *state;
    uint64_t seed = 1;
    for (unsigned format = FP32; format <= INT32; format++)
        for (unsigned bits = 0; bits < 4; bits++) {
            set_format(tb, 2, format, bits);
            for (unsigned i = 0; i < 20000; i++) {
                uint32_t x = i < 8 ? edges[i] : (uint32_t)random_next(&seed);
                unsigned offset = (71 * 16 + 9) * 4; /* row 71 is stored in 135 and 143 */
                dst_put32(&tb->x->dst, 135, 9, x);
                assert_int_equal(read(tb, 2, offset, 4), page_load32(x, format, bits));
                write(tb, 2, offset, 4, x);
                assert_int_equal(dst_get32(&tb->x->dst, 135, 9), page_store32(x, format, bits));
            }
        }
}

/* Rows, columns, remapping, swizzling and the debug bit are those of instructions. */
static void places(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned format = random_below(&seed, 6), size = sizes[format], thread = random_below(&seed, 3);
        unsigned element = random_below(&seed, size == 4 ? 512 * 16 : 1024 * 16);
        if (round % 64 == 0)
            dm_draw_dst(&tb->x->dst, &seed);
        dm_access(tb->x, random_below(&seed, 2), random_below(&seed, 2));
        tb->x->dst.halves = random_below(&seed, 2);
        set_format(tb, thread, format, NO_SWIZZLE);
        struct dst *want = malloc(sizeof *want);
        *want = tb->x->dst;
        uint32_t datum = dm_get(tb->x, want, element / 16, element % 16, size == 4) >> (size == 4 ? 0 : 16);
        assert_int_equal(read(tb, thread, element * size, size), size == 1 ? datum >> 5 & 0xFF : datum);
        uint32_t value = (uint32_t)random_next(&seed) >> (32 - 8 * size);
        uint32_t stored = size == 4 ? value : size == 2 ? value << 16 : page_store8(value, NO_SWIZZLE) << 16;
        dm_put(tb->x, want, element / 16, element % 16, size == 4, stored);
        write(tb, thread, element * size, size, value);
        dm_assert_same(&tb->x->dst, want, element);
        free(want);
    }
}

/* T2 with more than one element in a word. */
static void wide_accesses(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned format = FP16 + random_below(&seed, 4), size = sizes[format], bits = random_below(&seed, 4);
        unsigned wide = size == 1 && random_below(&seed, 2) ? 2 : 4;
        unsigned offset = random_below(&seed, 1024 * 16 * size / wide) * wide;
        uint32_t value = (uint32_t)random_next(&seed) >> (32 - 8 * wide), together = 0;
        set_format(tb, 2, format, bits);
        write(tb, 2, offset, wide, value);
        for (unsigned done = 0; done < wide; done += size) {
            unsigned element = (offset + done) / size, part = value >> 8 * done & (size == 1 ? 0xFF : 0xFFFF);
            unsigned in_dst = size == 1 ? page_store8(part, bits) : page_store16(part, format, bits);
            assert_int_equal(tb->x->dst.bits[element / 16][element % 16], in_dst);
            together |= (size == 1 ? page_load8(in_dst, bits) : page_load16(in_dst, format, bits)) << 8 * done;
        }
        assert_int_equal(read(tb, 2, offset, wide), together);
    }
}

/* ---- Undefined accesses ------------------------------------------------------------------------------------------ */

static void undefined_combinations(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        for (unsigned format = 0; format < 8; format++)
            for (unsigned size = 1; size <= 4; size *= 2) {
                uint32_t value, element = sizes[format];
                bool defined = element && (size == element || (thread == 2 && size > element));
                set_format(tb, thread, format, 0);
                struct access load = tensix_dst_read(tb->x, tb_core(thread), 64, size, tb->now++, &value);
                struct access store = tensix_dst_write(tb->x, tb_core(thread), 64, size, tb->now++, 1);
                assert_int_equal(load.result, defined ? ACCESS_DONE : ACCESS_REFUSED);
                assert_int_equal(store.result, defined ? ACCESS_DONE : ACCESS_REFUSED);
                if (!defined) {
                    assert_int_equal(load.kind, BH_FAULT_UNDEFINED);
                    assert_int_equal(store.kind, BH_FAULT_UNDEFINED);
                }
            }
    set_format(tb, 0, INT8, 0); /* bytes fill half of the window */
    uint32_t value;
    assert_int_equal(tensix_dst_read(tb->x, BH_TRISC0, 0x3FFF, 1, tb->now++, &value).result, ACCESS_DONE);
    assert_int_equal(tensix_dst_read(tb->x, BH_TRISC0, 0x4000, 1, tb->now++, &value).result, ACCESS_REFUSED);
}

static void a_core_faults(void **state) {
    struct tensix_box *tb = *state;
    set_format(tb, 0, BF16, 0);
    tb->x->config.bank[0][3] = tb->x->config.bank[1][3];
    tb_load(tb, BH_TRISC0, 10, WINDOW + 4);
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.core, BH_TRISC0);
    assert_int_equal(tb->box->fault.address, WINDOW + 4);
    assert_non_null(strstr(tb->box->fault.text, "only trisc2 can make"));
}

static void misaligned(void **state) {
    struct tensix_box *tb = *state;
    tb_load(tb, BH_TRISC1, 10, WINDOW + 2);
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_MISALIGNED);
}

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

/* Bytes with and without sign, halves, words, by the instructions of a core. */
static void by_instructions(void **state) {
    struct tensix_box *tb = *state;
    enum bh_core core = BH_TRISC1;
    set_format(tb, 1, INT8, 0);
    tb->x->dst.bits[0][1] = 0x8000 | 5 << 5 | 16;
    tb_li(tb, core, TB_T0, WINDOW);
    tb_li(tb, core, TB_T1, 0x7E);
    tb_rv(tb, core, asm_i(RV_LB, 10, TB_T0, 1));
    tb_rv(tb, core, asm_i(RV_LBU, 11, TB_T0, 1));
    tb_rv(tb, core, asm_s(RV_SB, TB_T1, 2, TB_T0));
    tb_rv(tb, core, asm_i(RV_LBU, 12, TB_T0, 2));
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, core)->x[10], 0xFFFFFFFB);
    assert_int_equal(core_of(tb, core)->x[11], 0xFB);
    assert_int_equal(core_of(tb, core)->x[12], 0x7E);
    assert_int_equal(tb->x->dst.bits[0][2], 0x7E << 5 | 16);
}

/* vle16.v and vse16.v move eight BF16 at once. */
static void by_vector_instructions(void **state) {
    struct tensix_box *tb = *state;
    enum bh_core core = BH_TRISC2;
    const uint32_t eight_of_16 = 0xC0000057 | 7 << 12 | 8 << 15 | 1 << 23; /* vsetivli */
    set_format(tb, 2, BF16, 0);
    for (unsigned i = 0; i < 8; i++)
        tb->x->dst.bits[2][8 + i] = (uint16_t)(0x8000 | i << 8 | 0x7F);
    tb_li(tb, core, TB_T0, WINDOW + (2 * 16 + 8) * 2);
    tb_li(tb, core, TB_T1, WINDOW + 5 * 16 * 2);
    tb_rv(tb, core, eight_of_16);
    tb_rv(tb, core, rv_row(RV_VLE16_V)->match | 1u << 25 | TB_T0 << 15 | 4 << 7);
    tb_rv(tb, core, rv_row(RV_VSE16_V)->match | 1u << 25 | TB_T1 << 15 | 4 << 7);
    assert_true(tb_run(tb));
    const uint16_t *v4 = (const uint16_t *)(const void *)core_of(tb, core)->vec.v[4];
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(v4[i], 0xBF80 | i);
        assert_int_equal(tb->x->dst.bits[5][i], 0x8000 | i << 8 | 0x7F);
    }
}

/* A store is seen by what passes in a later cycle, and a load sees what has passed before: nothing waits by itself. */
static void nothing_waits(void **state) {
    struct tensix_box *tb = *state;
    enum { BF16_MOD = 2 };
    tb->x->config.bank[0][3] = BF16 << 21;
    tb_push(tb, 1, TT(SFPSTORE, 10, BF16_MOD, 0, 0));
    tb_li(tb, BH_TRISC1, TB_T0, WINDOW);
    tb_nops(tb, BH_TRISC1, 40);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LHU, 11, TB_T0, 0));
    tb_rv(tb, BH_TRISC1, asm_s(RV_SH, 0, 4, TB_T0));
    tb_push(tb, 1, TT(SFPLOAD, 0, BF16_MOD, 0, 0));
    struct core *core = core_of(tb, BH_TRISC1);
    assert_true(tb_run(tb));
    assert_int_equal(core->x[11], 0x3F80);
    assert_int_equal(tb->x->vector.lreg[0][0], 0x3F800000);
    assert_int_equal(tb->x->vector.lreg[0][1], 0);
    assert_int_equal(tb->x->vector.lreg[0][2], 0x3F800000);
}

/* A core's access sees every cycle before its own, however far the coprocessor has been run. */
static void everything_before_has_been_run(void **state) {
    struct tensix_box *tb = *state;
    enum { BF16_MOD = 2 };
    const uint32_t words[] = { TT(SFPSTORE, 10, BF16_MOD, 0, 0), TT(SFPLOAD, 1, BF16_MOD, 0, 0) };
    uint32_t value;
    tb->x->config.bank[0][3] = BF16 << 21;
    scene_push(tb, BH_TRISC1, 1, words, 1, 100);
    assert_int_equal(tensix_dst_read(tb->x, BH_TRISC1, 0, 2, 200, &value).result, ACCESS_DONE);
    assert_int_equal(value, 0x3F80);
    scene_push(tb, BH_TRISC1, 1, words + 1, 1, 200);
    assert_int_equal(tensix_dst_write(tb->x, BH_TRISC1, 0, 2, 300, 0).result, ACCESS_DONE);
    assert_int_equal(tb->x->vector.lreg[1][0], 0x3F800000); /* it was loaded before */
}

static uint32_t cycles_of_load(uint32_t address) {
    struct tensix_box *tb = tb_create();
    tb_li(tb, BH_TRISC0, TB_T0, address);
    tb_cycle(tb, BH_TRISC0, 10);
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, 11, TB_T0, 0));
    tb_rv(tb, BH_TRISC0, asm_r(RV_ADD, 11, 11, 11));
    tb_cycle(tb, BH_TRISC0, 12);
    assert_true(tb_run(tb));
    uint32_t cycles = core_of(tb, BH_TRISC0)->x[12] - core_of(tb, BH_TRISC0)->x[10];
    tb_destroy(tb);
    return cycles;
}

/* As from the GPRs, two cycles more than from local memory. */
static void latency(void **state) {
    (void)state;
    assert_int_equal(cycles_of_load(WINDOW), cycles_of_load(TB_GPRS));
    assert_int_equal(cycles_of_load(WINDOW), cycles_of_load(0xFFB00000) + 2);
}

/* ---- The debug read ----------------------------------------------------------------------------------- */

static uint32_t array_read(struct tensix_box *tb, uint32_t command) {
    uint32_t value = 0;
    assert_int_equal(tensix_array_read(tb->x, command, tb->now, &value).result, ACCESS_DONE);
    return value;
}

/* The stored data, whatever the views and swizzles, also of invalid rows. */
static void debug_read(void **state) {
    struct tensix_box *tb = *state;
    struct dst *dst = &tb->x->dst;
    uint64_t seed = 1;
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++)
        dst->bits[i / DST_COLUMNS][i % DST_COLUMNS] = (uint16_t)random_next(&seed);
    memset(dst->invalid, 0x5A, sizeof dst->invalid);
    tb->x->config.bank[0][CONFIG_WORD_DEST_ACCESS_CFG_swizzle_32b] = 3;
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned pair = 0; pair < DST_COLUMNS / 2; pair++)
            assert_int_equal(array_read(tb, 2u << 16 | pair << 12 | row),
                             dst->bits[row][2 * pair] | (uint32_t)dst->bits[row][2 * pair + 1] << 16);
}

static void assert_no_array(struct tensix_box *tb, uint32_t command, enum bh_fault_kind kind, const char *text) {
    uint32_t value;
    struct access access = tensix_array_read(tb->x, command, tb->now, &value);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, kind);
    assert_non_null(strstr(access.text, text));
}

static void debug_read_of_others(void **state) {
    struct tensix_box *tb = *state;
    assert_no_array(tb, 0, BH_FAULT_UNDEFINED, "MOVDBGA2D");
    assert_no_array(tb, 1u << 16, BH_FAULT_UNMODELLED, "SrcB");
    assert_no_array(tb, 9u << 16, BH_FAULT_UNMODELLED, "SrcB");
    assert_no_array(tb, 3u << 16, BH_FAULT_UNMODELLED, "exponents");
    assert_no_array(tb, 4u << 16, BH_FAULT_UNDEFINED, "nothing that is known");
    assert_no_array(tb, 2u << 16 | DST_ROWS, BH_FAULT_UNDEFINED, "nothing that is known");
    assert_no_array(tb, 2u << 16 | 8u << 12, BH_FAULT_UNDEFINED, "nothing that is known");
}

/* How tools read SrcA: back to the bank used last, a row of it to row 0 of Dst, which they save and restore. */
static void srca_by_way_of_dst(void **state) {
    struct tensix_box *tb = *state;
    struct tensix *x = tb->x;
    const uint32_t words[] = { TT(CLEARDVALID, 1, 0), TT(MOVDBGA2D, .src = 37) };
    x->src.allowed[SRC_A][1] = SRC_MATRIX;
    x->src.matrix_bank[SRC_A] = 1;
    x->config.thread[0][CONFIG_WORD_SFPU_DEST_FMT_Base] = 5 << CONFIG_SHIFT_SFPU_DEST_FMT_Base; /* of an empty bank */
    for (unsigned column = 0; column < SRC_COLUMNS; column++)
        src_set(&x->src.bank[SRC_A][0], 37, column, 0x2A801 + column * 0x101);
    for (unsigned i = 0; i < 2; i++, tb->now += 10) {
        assert_int_equal((i ? execute_MOVDBGA2D : execute_CLEARDVALID)(x, 0, words[i], tb->now), TENSIX_PASSED);
        tensix_run(x, tb->now + 2);
    }
    for (unsigned column = 0; column < SRC_COLUMNS; column++) { /* sign and seven bits of mantissa, exponent */
        uint32_t datum = 0x2A801 + column * 0x101, word = array_read(tb, 2u << 16 | column / 2 << 12);
        assert_int_equal(word >> 16 * (column % 2) & 0xFFFF, (datum >> 3 & 0xFF00) | (datum & 0xFF));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(sixteen_bits),       BOXED(bytes),
        BOXED(thirty_two_bits),    BOXED(places),
        BOXED(wide_accesses),      BOXED(undefined_combinations),
        BOXED(a_core_faults),      BOXED(misaligned),
        BOXED(by_instructions),    BOXED(by_vector_instructions),
        BOXED(nothing_waits),      BOXED(everything_before_has_been_run),
        BOXED(debug_read),         BOXED(debug_read_of_others),
        BOXED(srca_by_way_of_dst), cmocka_unit_test(latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
