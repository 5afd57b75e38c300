/* F and Zfh: which operation, which registers, boxing, flags. The arithmetic has its tests in tests/numeric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "riscv/fpu.h"

#define BF16_CHOP CFG0_EN_BFLOAT
#define BF16_NEAR (CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE)
#define H(x)      (FPU_BOX | (x))

enum { RD = 5, RS1 = 6, RS2 = 7, RS3 = 28 };

struct machine {
    uint32_t x[33], f[32], fcsr;
};

/* Registers with a pattern that no result has. */
static struct machine fresh(uint32_t xs, uint32_t a, uint32_t b, uint32_t c) {
    struct machine m = { .fcsr = 0xE0 };
    for (unsigned i = 0; i < 32; i++) {
        m.x[i] = i ? 0xA5A50000 + i : 0;
        m.f[i] = 0x5A5A0000 + i;
    }
    m.x[RS1] = xs;
    m.f[RS1] = a, m.f[RS2] = b, m.f[RS3] = c;
    return m;
}

struct fpu_case {
    enum rv_id id;
    uint32_t cfg0, a, b, c; /* a is in x too, for those that read it there */
    uint32_t result, flags;
};

static void check(const struct fpu_case *c) {
    struct machine m = fresh(c->a, c->a, c->b, c->c), before = m;
    fpu_execute(c->id, RD, RS1, RS2, RS3, m.x, m.f, c->cfg0, &m.fcsr);
    const struct rv_row *row = rv_row(c->id);
    bool to_x = rv_shape(row->format)->rd == RV_FIELD_X;
    uint32_t got = to_x ? m.x[RD] : m.f[RD];
    if (got != c->result || m.fcsr != (0xE0 | c->flags))
        fail_msg("%s cfg0 %08x, %08x %08x %08x: %08x flags %x, not %08x flags %x", row->name, c->cfg0, c->a, c->b, c->c,
                 got, m.fcsr & 0x1F, c->result, c->flags);
    /* Nothing else has changed. */
    *(to_x ? &before.x[RD] : &before.f[RD]) = got;
    assert_memory_equal(m.x, before.x, sizeof m.x);
    assert_memory_equal(m.f, before.f, sizeof m.f);
}

enum { NV = FP_INVALID, OF = FP_OVERFLOW, UF = FP_UNDERFLOW, NX = FP_INEXACT };

static void single_precision(void **state) {
    (void)state;
    static const struct fpu_case cases[] = {
        { RV_FADD_S, 0, 0x40200000, 0x3F800000, 0, 0x40600000, 0 },
        { RV_FSUB_S, 0, 0x40200000, 0x3F800000, 0, 0x3FC00000, 0 },
        { RV_FSUB_S, 0, FP32_INF, FP32_INF, 0, FP32_NAN, NV },
        { RV_FMUL_S, 0, 0x40200000, 0xC0000000, 0, 0xC0A00000, 0 },
        { RV_FMUL_S, 0, 0x7F7FFFFF, 0x40000000, 0, FP32_INF, OF | NX },
        { RV_FMUL_S, 0, 0x80800000, 0x3F000000, 0, FP32_SIGN, UF | NX },
        { RV_FMADD_S, 0, 0x40000000, 0x40400000, 0x3F800000, 0x40E00000, 0 },  /*  2 * 3 + 1 */
        { RV_FMSUB_S, 0, 0x40000000, 0x40400000, 0x3F800000, 0x40A00000, 0 },  /*  2 * 3 - 1 */
        { RV_FNMSUB_S, 0, 0x40000000, 0x40400000, 0x3F800000, 0xC0A00000, 0 }, /* -2 * 3 + 1 */
        { RV_FNMADD_S, 0, 0x40000000, 0x40400000, 0x3F800000, 0xC0E00000, 0 }, /* -2 * 3 - 1 */
        { RV_FMIN_S, 0, 0x80000000, 0x00000000, 0, 0x80000000, 0 },
        { RV_FMAX_S, 0, 0x80000000, 0x00000000, 0, 0x00000000, 0 },
        { RV_FMIN_S, 0, 0x7F800001, 0x00000001, 0, 0x00000001, NV },
        { RV_FMAX_S, 0, 0x7FC00001, 0xFF800000, 0, 0xFF800000, 0 },
        { RV_FSGNJ_S, 0, 0x3F800000, 0x80000000, 0, 0xBF800000, 0 },
        { RV_FSGNJN_S, 0, 0xBF800000, 0x80000000, 0, 0x3F800000, 0 },
        { RV_FSGNJX_S, 0, 0xFF800001, 0x80000000, 0, 0x7F800001, 0 },
        { RV_FEQ_S, 0, 0x80000000, 0x00000000, 0, 1, 0 },
        { RV_FEQ_S, 0, 0x00000001, 0x00000000, 0, 0, 0 },
        { RV_FEQ_S, 0, FP32_NAN, FP32_NAN, 0, 0, 0 },
        { RV_FEQ_S, 0, 0, 0x7F800001, 0, 0, NV },
        { RV_FLT_S, 0, 0xBF800000, 0x3F800000, 0, 1, 0 },
        { RV_FLT_S, 0, 0x3F800000, 0x3F800000, 0, 0, 0 },
        { RV_FLT_S, 0, FP32_NAN, 0x3F800000, 0, 0, NV },
        { RV_FLE_S, 0, 0x3F800000, 0x3F800000, 0, 1, 0 },
        { RV_FLE_S, 0, 0x3F800000, FP32_NAN, 0, 0, NV },
        { RV_FCLASS_S, 0, 0x7F800001, 0, 0, FP_CLASS_SIGNALING, 0 },
        { RV_FMV_X_W, 0, 0xFF800001, 0, 0, 0xFF800001, 0 },
        { RV_FMV_W_X, 0, 0xFF800001, 0, 0, 0xFF800001, 0 },
        { RV_FCVT_W_S, 0, 0xC0200000, 0, 0, 0xFFFFFFFE, NX }, /* -2.5, to even */
        { RV_FCVT_W_S, 0, 0x4F000000, 0, 0, 0x7FFFFFFF, NV },
        { RV_FCVT_WU_S, 0, 0x4F000000, 0, 0, 0x80000000, 0 },
        { RV_FCVT_WU_S, 0, 0xBF800000, 0, 0, 0, NV },
        { RV_FCVT_S_W, 0, 0xFFFFFFFF, 0, 0, 0xBF800000, 0 },
        { RV_FCVT_S_WU, 0, 0xFFFFFFFF, 0, 0, 0x4F800000, NX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fpu_case c = cases[i];
        check(&c);
        c.cfg0 = BF16_NEAR; /* F does not care */
        check(&c);
    }
}

static void half_precision(void **state) {
    (void)state;
    static const struct fpu_case cases[] = {
        { RV_FADD_H, 0, H(0x4100), H(0x3C00), 0, H(0x4300), 0 },
        { RV_FSUB_H, 0, H(0x4100), H(0x3C00), 0, H(0x3E00), 0 },
        { RV_FMUL_H, 0, H(0x4100), H(0xC000), 0, H(0xC500), 0 },
        { RV_FMUL_H, 0, H(0x7BFF), H(0x4000), 0, H(0x7C00), OF | NX },
        { RV_FMUL_H, 0, H(0x8400), H(0x3800), 0, H(0x8000), UF | NX },
        { RV_FADD_H, 0, H(0x03FF), H(0x03FF), 0, H(0x0000), 0 }, /* denormals are zeros */
        { RV_FMADD_H, 0, H(0x4000), H(0x4200), H(0x3C00), H(0x4700), 0 },
        { RV_FMSUB_H, 0, H(0x4000), H(0x4200), H(0x3C00), H(0x4500), 0 },
        { RV_FNMSUB_H, 0, H(0x4000), H(0x4200), H(0x3C00), H(0xC500), 0 },
        { RV_FNMADD_H, 0, H(0x4000), H(0x4200), H(0x3C00), H(0xC700), 0 },
        { RV_FMIN_H, 0, H(0x7C01), H(0x0001), 0, H(0x0001), NV },
        { RV_FEQ_H, 0, H(0x7E00), H(0x3C00), 0, 0, 0 }, /* of quiet NaNs only order is invalid */
        { RV_FLT_H, 0, H(0x7E00), H(0x3C00), 0, 0, NV },
        { RV_FLE_H, 0, H(0x3C00), H(0x7E00), 0, 0, NV },
        { RV_FEQ_H, 0, H(0x7C01), H(0x3C00), 0, 0, NV },
        { RV_FMAX_H, 0, H(0x8000), H(0x0000), 0, H(0x0000), 0 },
        { RV_FSGNJ_H, 0, H(0x3C00), H(0x8000), 0, H(0xBC00), 0 },
        { RV_FSGNJN_H, 0, H(0xBC00), H(0x8000), 0, H(0x3C00), 0 },
        { RV_FSGNJX_H, 0, H(0xBC00), H(0x8000), 0, H(0x3C00), 0 },
        { RV_FEQ_H, 0, H(0x8000), H(0x0000), 0, 1, 0 },
        { RV_FLT_H, 0, H(0x0000), H(0x0001), 0, 1, 0 }, /* denormals are seen */
        { RV_FLE_H, 0, H(0x7E00), H(0x3C00), 0, 0, NV },
        { RV_FCLASS_H, 0, H(0x8001), 0, 0, FP_CLASS_MINUS_DENORMAL, 0 },
        { RV_FMV_X_H, 0, 0x12348001, 0, 0, 0xFFFF8001, 0 }, /* boxed or not */
        { RV_FMV_H_X, 0, 0x12345678, 0, 0, H(0x5678), 0 },
        { RV_FCVT_W_H, 0, H(0xC100), 0, 0, 0xFFFFFFFE, NX },
        { RV_FCVT_WU_H, 0, H(0x7C00), 0, 0, 0xFFFFFFFF, NV },
        { RV_FCVT_H_W, 0, 0xFFFFFFFF, 0, 0, H(0xBC00), 0 },
        { RV_FCVT_H_WU, 0, 0xFFFFFFFF, 0, 0, H(0x7C00), OF | NX },
        { RV_FCVT_S_H, 0, H(0x0001), 0, 0, 0x33800000, 0 },
        { RV_FCVT_H_S, 0, 0x33800000, 0, 0, H(0x0001), 0 },
        { RV_FCVT_H_S, 0, 0x3F801000, 0, 0, H(0x3C00), NX }, /* a tie */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fpu_case c = cases[i];
        check(&c);
        c.cfg0 = CFG0_EN_BFLOAT_RTNE; /* has no meaning by itself */
        check(&c);
    }
}

static void bfloat(void **state) {
    (void)state;
    static const struct fpu_case cases[] = {
        { RV_FADD_H, BF16_CHOP, H(0x4020), H(0x3F80), 0, H(0x4060), 0 },
        { RV_FADD_H, BF16_CHOP, H(0x3F81), H(0x3B80), 0, H(0x3F81), NX },
        { RV_FADD_H, BF16_NEAR, H(0x3F81), H(0x3B80), 0, H(0x3F82), NX },
        { RV_FMUL_H, BF16_CHOP, H(0x7F00), H(0x4080), 0, H(0x7F7F), OF | NX },
        { RV_FMUL_H, BF16_NEAR, H(0x7F00), H(0x4080), 0, H(0x7F80), OF | NX },
        { RV_FSUB_H, BF16_NEAR, H(0x7F80), H(0x7F80), 0, H(0x7FC0), NV },
        { RV_FMIN_H, BF16_NEAR, H(0x7C01), H(0x7E00), 0, H(0x7C01), 0 }, /* no NaNs here */
        { RV_FMADD_H, BF16_NEAR, H(0x4000), H(0x4040), H(0x3F80), H(0x40E0), 0 },
        { RV_FNMADD_H, BF16_CHOP, H(0x4000), H(0x4040), H(0x3F80), H(0xC0E0), 0 },
        { RV_FCLASS_H, BF16_NEAR, H(0x7F80), 0, 0, FP_CLASS_PLUS_INF, 0 },
        { RV_FCVT_W_H, BF16_CHOP, H(0xC030), 0, 0, 0xFFFFFFFE, NX }, /* -2.75 */
        { RV_FCVT_W_H, BF16_NEAR, H(0xC030), 0, 0, 0xFFFFFFFD, NX },
        { RV_FCVT_H_W, BF16_CHOP, 0x000001FF, 0, 0, H(0x43FF), NX },
        { RV_FCVT_H_W, BF16_NEAR, 0x000001FF, 0, 0, H(0x4400), NX },
        { RV_FCVT_S_H, BF16_NEAR, H(0xC030), 0, 0, 0xC0300000, 0 },
        { RV_FCVT_H_S, BF16_CHOP, 0x3F80FFFF, 0, 0, H(0x3F80), NX },
        { RV_FCVT_H_S, BF16_NEAR, 0x3F80FFFF, 0, 0, H(0x3F81), NX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

static void a_half_that_is_not_boxed_is_nan(void **state) {
    (void)state;
    static const struct fpu_case cases[] = {
        { RV_FADD_H, 0, 0x00003C00, H(0x3C00), 0, H(0x7E00), 0 },
        { RV_FADD_H, BF16_NEAR, H(0x3F80), 0xFFFE3F80, 0, H(0x7FC0), 0 },
        { RV_FMADD_H, 0, H(0x3C00), H(0x3C00), 0x3F800000, H(0x7E00), 0 },
        { RV_FMAX_H, 0, 0x00003C00, H(0x0001), 0, H(0x0001), 0 },
        { RV_FSGNJ_H, 0, 0x00003C00, H(0x8000), 0, H(0xFE00), 0 },
        { RV_FCLASS_H, 0, 0x7FFF0000, 0, 0, FP_CLASS_QUIET, 0 },
        { RV_FCVT_W_H, 0, 0x00003C00, 0, 0, 0x7FFFFFFF, NV },
        { RV_FCVT_S_H, 0, 0x00003C00, 0, 0, FP32_NAN, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

/* No instruction of the class is forgotten, each writes the file that its format names, and x0 stays zero. */
static void every_instruction_writes_its_register_and_never_x0(void **state) {
    (void)state;
    unsigned count = 0;
    for (enum rv_id id = RV_NONE + 1; id < RV_COUNT; id++) {
        const struct rv_row *row = rv_row(id);
        if (row->class != RV_CLASS_FLOAT)
            continue;
        count++;
        bool to_x = rv_shape(row->format)->rd == RV_FIELD_X;
        struct machine m = fresh(0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000), before = m;
        fpu_execute(id, RD, RS1, RS2, RS3, m.x, m.f, 0, &m.fcsr);
        assert_int_equal(m.x[RD] != before.x[RD], to_x);
        assert_int_equal(m.f[RD] != before.f[RD], !to_x);

        m = before;
        m.x[32] = 0xDEADBEEF;
        fpu_execute(id, 0, RS1, RS2, RS3, m.x, m.f, 0, &m.fcsr);
        assert_int_equal(m.x[0], 0);
        assert_int_equal(m.f[0] != before.f[0], !to_x);
        assert_int_equal(m.x[32] != 0xDEADBEEF, to_x);
    }
    assert_int_equal(count, 46);
}

static void the_destination_may_be_a_source(void **state) {
    (void)state;
    struct machine m = fresh(0, 0x40000000, 0, 0);
    fpu_execute(RV_FNMADD_S, RS1, RS1, RS1, RS1, m.x, m.f, 0, &m.fcsr);
    assert_int_equal(m.f[RS1], 0xC0C00000); /* -(2 * 2) - 2 */
    fpu_execute(RV_FCVT_W_S, RS1, RS1, 0, 0, m.x, m.f, 0, &m.fcsr);
    assert_int_equal(m.x[RS1], (uint32_t)-6);
}

static void flags_stay_until_written(void **state) {
    (void)state;
    struct machine m = fresh(0, FP32_INF, FP32_INF, 0);
    fpu_execute(RV_FSUB_S, RD, RS1, RS2, 0, m.x, m.f, 0, &m.fcsr);
    assert_int_equal(m.fcsr, 0xE0 | FP_INVALID);
    m.f[RS1] = m.f[RS2] = 0x7F7FFFFF;
    fpu_execute(RV_FADD_S, RD, RS1, RS2, 0, m.x, m.f, 0, &m.fcsr);
    assert_int_equal(m.fcsr, 0xE0 | FP_INVALID | FP_OVERFLOW | FP_INEXACT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision),
        cmocka_unit_test(half_precision),
        cmocka_unit_test(bfloat),
        cmocka_unit_test(a_half_that_is_not_boxed_is_nan),
        cmocka_unit_test(every_instruction_writes_its_register_and_never_x0),
        cmocka_unit_test(the_destination_may_be_a_source),
        cmocka_unit_test(flags_stay_until_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
