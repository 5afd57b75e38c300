/* Floating-point vector instructions. Their arithmetic is tested in tests/numeric; here it is operands, widths, masks,
 * signs of the multiply-adds, flags, conversions.
 */
#include "vec_test.h"

#include "numeric/fp16.h"
#include "numeric/fp32.h"

#define ONE   0x3F800000u
#define TWO   0x40000000u
#define THREE 0x40400000u
#define MINUS 0x80000000u
#define INF   0x7F800000u
#define SNAN  0x7F800001u
#define QNAN  0x7FC00000u

/* ---- e32, m1, vl 3 of 4: vd = v1, vs2 = v2, vs1 = v3 or f3 ---- */

struct single_case {
    enum rv_id id;
    unsigned vm; /* masked: elements 0 and 2 */
    uint32_t want[3];
    uint32_t flags;
};

static const uint32_t single_a[4] = { THREE, 0xC0A00000 /* -5 */, 0x3F000000 /* 0.5 */, 9 };
static const uint32_t single_b[4] = { TWO, ONE, 0x40800000 /* 4 */, 8 };
static const uint32_t single_d[4] = { ONE, 0x41200000 /* 10 */, TWO, 7 };

static const struct single_case single_cases[] = {
    { RV_VFADD_VV, 1, { 0x40A00000, 0xC0800000, 0x40900000 }, 0 },
    { RV_VFADD_VV, 0, { 0x40A00000, 0x41200000, 0x40900000 }, 0 },
    { RV_VFADD_VF, 1, { 0x40A00000, 0xC0400000, 0x40200000 }, 0 },
    { RV_VFSUB_VV, 1, { ONE, 0xC0C00000, 0xC0600000 }, 0 },
    { RV_VFRSUB_VF, 1, { 0xBF800000, 0x40E00000, 0x3FC00000 }, 0 },
    { RV_VFMUL_VV, 1, { 0x40C00000, 0xC0A00000, TWO }, 0 },
    { RV_VFMIN_VV, 1, { TWO, 0xC0A00000, 0x3F000000 }, 0 },
    { RV_VFMAX_VF, 1, { THREE, TWO, TWO }, 0 },
    { RV_VFSGNJ_VV, 1, { THREE, 0x40A00000, 0x3F000000 }, 0 },
    { RV_VFSGNJN_VV, 1, { MINUS | THREE, 0xC0A00000, 0xBF000000 }, 0 },
    { RV_VFSGNJX_VF, 1, { THREE, 0xC0A00000, 0x3F000000 }, 0 },
    { RV_VFCLASS_V, 1, { 0x40, 0x02, 0x40 }, 0 },
    /* d + ab = 7, 5, 4; a + db = 5, 5, 8.5 */
    { RV_VFMACC_VV, 1, { 0x40E00000, 0x40A00000, 0x40800000 }, 0 },
    { RV_VFNMACC_VV, 1, { 0xC0E00000, 0xC0A00000, 0xC0800000 }, 0 },
    { RV_VFMSAC_VV, 1, { 0x40A00000, 0xC1700000, 0x00000000 }, 0 },
    { RV_VFNMSAC_VV, 1, { 0xC0A00000, 0x41700000, 0x00000000 }, 0 },
    { RV_VFMADD_VV, 1, { 0x40A00000, 0x40A00000, 0x41080000 }, 0 },
    { RV_VFNMADD_VV, 1, { 0xC0A00000, 0xC0A00000, 0xC1080000 }, 0 },
    { RV_VFMSUB_VV, 1, { 0xBF800000, 0x41700000, 0x40F00000 }, 0 },
    { RV_VFNMSUB_VV, 1, { ONE, 0xC1700000, 0xC0F00000 }, 0 },
    { RV_VFMACC_VF, 0, { 0x40E00000, 0x41200000, THREE }, 0 },
    /* reductions: b[0] + sum; minimum, maximum */
    { RV_VFREDUSUM_VS, 1, { 0x3F000000, 0x41200000, TWO }, 0 },
    { RV_VFREDOSUM_VS, 0, { 0x40B00000, 0x41200000, TWO }, 0 },
    { RV_VFREDMIN_VS, 1, { 0xC0A00000, 0x41200000, TWO }, 0 },
    { RV_VFREDMAX_VS, 1, { THREE, 0x41200000, TWO }, 0 },
    /* compares: bits in the lowest byte of vd, whose other bits stay */
    { RV_VMFEQ_VF, 1, { 0x3F800000, 0x41200000, TWO }, 0 },
    { RV_VMFLT_VV, 1, { 0x3F800006, 0x41200000, TWO }, 0 },
    { RV_VMFGT_VF, 1, { 0x3F800001, 0x41200000, TWO }, 0 },
    { RV_VMFGE_VF, 0, { 0x3F800001, 0x41200000, TWO }, 0 },
    { RV_VMFNE_VV, 1, { 0x3F800007, 0x41200000, TWO }, 0 },
    { RV_VMFLE_VV, 1, { 0x3F800006, 0x41200000, TWO }, 0 },
    { RV_VFMERGE_VFM, 0, { TWO, 0xC0A00000, TWO }, 0 },
    { RV_VFMV_V_F, 1, { TWO, TWO, TWO }, 0 },
    { RV_VFMV_S_F, 1, { TWO, 0x41200000, TWO }, 0 },
    { RV_VFSLIDE1UP_VF, 1, { TWO, THREE, 0xC0A00000 }, 0 },
    { RV_VFSLIDE1DOWN_VF, 1, { 0xC0A00000, 0x3F000000, TWO }, 0 },
    { RV_VFCVT_X_F_V, 1, { 3, (uint32_t)-5, 0 }, FP_INEXACT },
    { RV_VFCVT_XU_F_V, 1, { 3, 0, 0 }, FP_INEXACT | FP_INVALID },
    { RV_VFCVT_RTZ_X_F_V, 1, { 3, (uint32_t)-5, 0 }, FP_INEXACT },
    { RV_VFCVT_F_XU_V, 1, { 0x4E808000, 0x4F40A000, 0x4E7C0000 }, 0 },
    { RV_VFCVT_F_X_V, 1, { 0x4E808000, 0xCE7D8000, 0x4E7C0000 }, 0 },
};

static void single(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof single_cases / sizeof *single_cases; i++) {
        const struct single_case *c = &single_cases[i];
        struct machine m = { .v = { .vl = 3, .vtype = test_vtype(32, 0) }, .f = { [3] = TWO } };
        uint32_t got[4];
        m.v.v[0][0] = 5;
        memcpy(m.v.v[1], single_d, 16);
        memcpy(m.v.v[2], single_a, 16);
        memcpy(m.v.v[3], single_b, 16);
        assert_int_equal(test_run(&m, test_word(c->id, 1, 2, 3, c->vm)), VEC_DONE);
        memcpy(got, m.v.v[1], 16);
        for (unsigned k = 0; k < 3; k++)
            if (got[k] != c->want[k])
                fail_msg("case %u, %s: element %u is %08x, not %08x", i, rv_row(c->id)->name, k, got[k], c->want[k]);
        assert_int_equal(got[3], 7);
        if (m.fcsr != c->flags)
            fail_msg("case %u, %s: flags %x", i, rv_row(c->id)->name, m.fcsr);
    }
}

/* ---- conversions, one element: v1 from v2 ---- */

struct convert_case {
    enum rv_id id;
    unsigned sew;
    uint32_t cfg0, from, want, flags;
};

static const struct convert_case convert_cases[] = {
    { RV_VFCVT_X_F_V, 32, 0, 0x40200000, 2, FP_INEXACT }, /* 2.5, to even */
    { RV_VFCVT_X_F_V, 32, 0, 0x40600000, 4, FP_INEXACT }, /* 3.5 */
    { RV_VFCVT_RTZ_X_F_V, 32, 0, 0x40600000, 3, FP_INEXACT },
    { RV_VFCVT_RTZ_XU_F_V, 32, 0, 0xBF400000, 0, FP_INEXACT }, /* -0.75 */
    { RV_VFCVT_XU_F_V, 32, 0, 0xBF400000, 0, FP_INVALID },     /* -0.75 rounds to -1 */
    { RV_VFCVT_X_F_V, 32, 0, QNAN, 0x7FFFFFFF, FP_INVALID },
    { RV_VFCVT_X_F_V, 32, 0, MINUS | INF, 0x80000000, FP_INVALID },
    /* integers of 16 and 8 bits saturate at their width */
    { RV_VFNCVT_X_F_W, 16, 0, 0x47000000, 0x7FFF, FP_INVALID }, /* 32768 */
    { RV_VFNCVT_X_F_W, 16, 0, 0xC7000000, 0x8000, 0 },          /* -32768 */
    { RV_VFNCVT_X_F_W, 16, 0, 0xC7000180, 0x8000, FP_INVALID }, /* -32769.5: invalid, not inexact */
    { RV_VFNCVT_XU_F_W, 16, 0, 0x477FFF00, 0xFFFF, 0 },         /* 65535 */
    { RV_VFNCVT_XU_F_W, 16, 0, 0x47800000, 0xFFFF, FP_INVALID },
    { RV_VFNCVT_RTZ_X_F_W, 16, 0, 0xC0700000, 0xFFFD, FP_INEXACT }, /* -3.75 */
    { RV_VFNCVT_RTZ_XU_F_W, 16, 0, 0x40700000, 3, FP_INEXACT },
    { RV_VFNCVT_X_F_W, 8, 0, 0x5800, 0x7F, FP_INVALID }, /* FP16 128 */
    { RV_VFNCVT_X_F_W, 8, 0, 0xD800, 0x80, 0 },
    { RV_VFNCVT_XU_F_W, 8, 0, 0x5BF8, 0xFF, 0 },               /* 255 */
    { RV_VFCVT_X_F_V, 16, 0, 0x7BFF, 0x7FFF, FP_INVALID },     /* 65504 */
    { RV_VFCVT_X_F_V, 16, 0, 0xC100, 0xFFFE, FP_INEXACT },     /* -2.5 */
    { RV_VFCVT_RTZ_X_F_V, 16, 0, 0xC300, 0xFFFD, FP_INEXACT }, /* -3.5 */
    { RV_VFCVT_RTZ_X_F_V, 16, CFG0_EN_BFLOAT, 0xC060, 0xFFFD, FP_INEXACT },
    /* wider integers */
    { RV_VFWCVT_X_F_V, 16, 0, 0x7BFF, 65504, 0 },
    { RV_VFWCVT_XU_F_V, 16, 0, 0x7BFF, 65504, 0 },
    { RV_VFWCVT_RTZ_X_F_V, 16, 0, 0xC300, (uint32_t)-3, FP_INEXACT },
    { RV_VFWCVT_RTZ_XU_F_V, 16, CFG0_EN_BFLOAT, 0x4F00, 0x80000000, 0 },
    /* from integers */
    { RV_VFCVT_F_X_V, 16, 0, 0xFFFE, 0xC000, 0 },
    { RV_VFCVT_F_XU_V, 16, 0, 0xFFFF, 0x7C00, FP_OVERFLOW | FP_INEXACT },
    { RV_VFWCVT_F_X_V, 8, 0, 0xFE, 0xC000, 0 },
    { RV_VFWCVT_F_XU_V, 8, 0, 0xFE, 0x5BF0, 0 },
    { RV_VFWCVT_F_X_V, 16, 0, 0xFFFE, 0xC0000000, 0 },
    { RV_VFWCVT_F_XU_V, 16, 0, 0xFFFE, 0x477FFE00, 0 },
    { RV_VFNCVT_F_X_W, 16, 0, (uint32_t)-2049, 0xE800, FP_INEXACT }, /* -2048, to even */
    { RV_VFNCVT_F_XU_W, 16, 0, 3, 0x4200, 0 },
    { RV_VFNCVT_F_XU_W, 16, CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE, 3, 0x4040, 0 },
    /* between the formats */
    { RV_VFWCVT_F_F_V, 16, 0, 0x3C01, 0x3F802000, 0 },
    { RV_VFWCVT_F_F_V, 16, 0, 0x7C01, QNAN, FP_INVALID },
    { RV_VFWCVT_F_F_V, 16, CFG0_EN_BFLOAT, 0x3F81, 0x3F810000, 0 },
    { RV_VFNCVT_F_F_W, 16, 0, 0x3F801000, 0x3C00, FP_INEXACT }, /* 1 + half a step, to even */
    { RV_VFNCVT_F_F_W, 16, 0, 0x3F803000, 0x3C02, FP_INEXACT },
    { RV_VFNCVT_F_F_W, 16, CFG0_EN_BFLOAT, 0x3F81FFFF, 0x3F81, FP_INEXACT },
    { RV_VFNCVT_F_F_W, 16, CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE, 0x3F81FFFF, 0x3F82, FP_INEXACT },
    /* toward odd: never up, and odd unless exact */
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x3F802000, 0x3C01, 0 },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x3F804000, 0x3C02, 0 },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x3F800001, 0x3C01, FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x3F803FFF, 0x3C01, FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0xBF803FFF, 0xBC01, FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x7F000000, 0x7BFF, FP_OVERFLOW | FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x477FF000, 0x7BFF, FP_INEXACT }, /* 65520: no overflow */
    { RV_VFNCVT_ROD_F_F_W, 16, 0, 0x47800000, 0x7BFF, FP_OVERFLOW | FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE, 0x7F7FFFFF, 0x7F7F, FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, MINUS | INF, 0xFC00, 0 },
    { RV_VFNCVT_ROD_F_F_W, 16, 0, QNAN, 0x7E00, 0 },
    { RV_VFNCVT_ROD_F_F_W, 16, CFG0_EN_BFLOAT, 0x3F80FFFF, 0x3F81, FP_INEXACT },
    { RV_VFNCVT_ROD_F_F_W, 16, CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE, 0x3F81FFFF, 0x3F81, FP_INEXACT },
};

static void conversions(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof convert_cases / sizeof *convert_cases; i++) {
        const struct convert_case *c = &convert_cases[i];
        struct machine m = { .v = { .vl = 1, .vtype = test_vtype(c->sew, 0) }, .cfg0 = c->cfg0 };
        uint32_t got;
        memcpy(m.v.v[4], &c->from, 4);
        assert_int_equal(test_run(&m, test_word(c->id, 2, 4, 0, 1)), VEC_DONE);
        memcpy(&got, m.v.v[2], 4);
        if (got != c->want || m.fcsr != c->flags)
            fail_msg("case %u, %s: %08x, not %08x; flags %x, not %x", i, rv_row(c->id)->name, got, c->want, m.fcsr,
                     c->flags);
    }
}

/* ---- 16 bits ---- */

/* Every operation on halves gives, element by element, what numeric/fp16.h gives, in all three modes. */
static void halves(void **state) {
    (void)state;
    static const uint32_t modes[3] = { 0, CFG0_EN_BFLOAT, CFG0_EN_BFLOAT | CFG0_EN_BFLOAT_RTNE };
    static const enum fp16_mode names[3] = { FP16_HALF, FP16_BRAIN_CHOP, FP16_BRAIN_NEAREST };
    uint64_t random = 4711;
    for (unsigned round = 0; round < 3000; round++) {
        static struct machine m;
        uint32_t flags = 0;
        enum fp16_mode mode = names[round % 3];
        test_fill(&m, &random);
        m.cfg0 = modes[round % 3];
        m.v.vl = 8;
        m.v.vtype = test_vtype(16, 0);
        uint16_t a[8], b[8], d[8], got[8];
        memcpy(d, m.v.v[1], 16);
        memcpy(a, m.v.v[2], 16);
        memcpy(b, m.v.v[3], 16);
        static const enum rv_id ids[] = { RV_VFADD_VV,  RV_VFSUB_VV,   RV_VFMUL_VV,
                                          RV_VFMACC_VV, RV_VFNMSUB_VV, RV_VFMAX_VV };
        enum rv_id id = ids[round / 3 % 6];
        assert_int_equal(test_run(&m, test_word(id, 1, 2, 3, 1)), VEC_DONE);
        memcpy(got, m.v.v[1], 16);
        for (unsigned i = 0; i < 8; i++) {
            uint16_t want = 0;
            switch (id) {
            case RV_VFADD_VV: want = fp16_add_flags(mode, a[i], b[i], &flags); break;
            case RV_VFSUB_VV: want = fp16_sub_flags(mode, a[i], b[i], &flags); break;
            case RV_VFMUL_VV: want = fp16_mul_flags(mode, a[i], b[i], &flags); break;
            case RV_VFMACC_VV: want = fp16_fma_flags(mode, a[i], b[i], d[i], &flags); break;
            case RV_VFNMSUB_VV: want = fp16_fma_flags(mode, d[i] ^ FP16_SIGN, b[i], a[i], &flags); break;
            default:
                want = fp16_max(mode, a[i], b[i]);
                flags |= fp16_quiet_flags(mode, a[i], b[i]);
                break;
            }
            assert_int_equal(got[i], want);
        }
        assert_int_equal(m.fcsr, flags);
    }
}

/* A half in a register counts only when it is boxed; one that leaves is boxed. */
static void boxes(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 1, .vtype = test_vtype(16, 0) }, .f = { [1] = 0xFFFF3C00, [2] = 0x00003C00 } };
    assert_int_equal(test_run(&m, test_word(RV_VFMV_V_F, 8, 0, 1, 1)), VEC_DONE);
    assert_int_equal(m.v.v[8][1] << 8 | m.v.v[8][0], 0x3C00);
    assert_int_equal(test_run(&m, test_word(RV_VFMV_F_S, 3, 8, 0, 1)), VEC_DONE);
    assert_int_equal(m.f[3], 0xFFFF3C00);
    assert_int_equal(test_run(&m, test_word(RV_VFMV_V_F, 8, 0, 2, 1)), VEC_DONE);
    assert_int_equal(m.v.v[8][1] << 8 | m.v.v[8][0], 0x7E00);
}

struct wide_case {
    enum rv_id id;
    uint32_t want;
};

/* e16: vs2 = v2 (1.5, or the wide 0.25), vs1 = v3 (3, or the wide scalar 100), vd = v8 (wide 10). */
static void widening(void **state) {
    (void)state;
    static const struct wide_case cases[] = {
        { RV_VFWADD_VV, 0x40900000 },                                       /* 4.5 */
        { RV_VFWSUB_VV, 0xBFC00000 },                                       /* -1.5 */
        { RV_VFWMUL_VV, 0x40900000 },     { RV_VFWMACC_VV, 0x41680000 },    /* 14.5 */
        { RV_VFWNMACC_VV, 0xC1680000 },   { RV_VFWMSAC_VV, 0xC0B00000 },    /* -5.5 */
        { RV_VFWNMSAC_VV, 0x40B00000 },   { RV_VFWADD_WV, 0x40500000 },     /* 3.25 */
        { RV_VFWSUB_WV, 0xC0300000 },                                       /* -2.75 */
        { RV_VFWREDOSUM_VS, 0x42CB0000 }, { RV_VFWREDUSUM_VS, 0x42CB0000 }, /* 101.5 */
        { RV_VFWADD_VF, 0x40600000 },                                       /* 1.5 + 2 */
        { RV_VFWADD_WF, 0x40100000 },                                       /* 0.25 + 2 */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = { .v = { .vl = 1, .vtype = test_vtype(16, 0) }, .f = { [3] = 0xFFFF4000 } };
        const char *name = rv_row(cases[i].id)->name;
        bool wide_a = strstr(name, ".w") != NULL, sum = strstr(name, "red") != NULL;
        uint32_t a = wide_a ? 0x3E800000 : 0x3E00, b = sum ? 0x42C80000 : 0x4200, d = 0x41200000, got;
        memcpy(m.v.v[2], &a, 4);
        memcpy(m.v.v[3 + 2 * wide_a], &b, 4);
        memcpy(m.v.v[8], &d, 4);
        unsigned vs1 = name[strlen(name) - 1] == 'f' ? 3 : 3 + 2 * (unsigned)wide_a;
        assert_int_equal(test_run(&m, test_word(cases[i].id, 8, 2, vs1, 1)), VEC_DONE);
        memcpy(&got, m.v.v[8], 4);
        if (got != cases[i].want)
            fail_msg("%s: %08x, not %08x", name, got, cases[i].want);
        assert_int_equal(m.fcsr, 0);
    }
}

/* NaNs: quiet in eq and min, signaling in lt; flags are added to what is there. */
static void nans(void **state) {
    (void)state;
    static const struct {
        enum rv_id id;
        uint32_t a, want, flags;
    } cases[] = {
        { RV_VMFEQ_VV, QNAN, 0, 0 },
        { RV_VMFEQ_VV, SNAN, 0, FP_INVALID },
        { RV_VMFNE_VV, QNAN, 1, 0 },
        { RV_VMFLT_VV, QNAN, 0, FP_INVALID },
        { RV_VFMIN_VV, QNAN, ONE, 0 },
        { RV_VFMAX_VV, SNAN, ONE, FP_INVALID },
        { RV_VFADD_VV, SNAN, QNAN, FP_INVALID },
        { RV_VFREDMIN_VS, QNAN, ONE, 0 },
        { RV_VFSGNJ_VV, SNAN, SNAN, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = { .v = { .vl = 1, .vtype = test_vtype(32, 0) }, .fcsr = FP_UNDERFLOW };
        uint32_t one = ONE, got;
        memcpy(m.v.v[2], &cases[i].a, 4);
        memcpy(m.v.v[3], &one, 4);
        assert_int_equal(test_run(&m, test_word(cases[i].id, 1, 2, 3, 1)), VEC_DONE);
        memcpy(&got, m.v.v[1], 4);
        if (got != cases[i].want || m.fcsr != (cases[i].flags | FP_UNDERFLOW))
            fail_msg("case %u: %08x flags %x", i, got, m.fcsr);
    }
}

/* A sum of nothing is the scalar as it is; with vl 0 nothing is written. */
static void empty_sums(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 2, .vtype = test_vtype(32, 0) } };
    uint32_t denormal = 5, got;
    memcpy(m.v.v[3], &denormal, 4);
    assert_int_equal(test_run(&m, test_word(RV_VFREDOSUM_VS, 1, 2, 3, 0)), VEC_DONE);
    memcpy(&got, m.v.v[1], 4);
    assert_int_equal(got, 5);
    m.v.vl = 0;
    memset(m.v.v[1], 0x77, 16);
    assert_int_equal(test_run(&m, test_word(RV_VFREDOSUM_VS, 1, 2, 3, 1)), VEC_DONE);
    assert_int_equal(test_run(&m, test_word(RV_VFMV_S_F, 1, 0, 3, 1)), VEC_DONE);
    assert_int_equal(m.v.v[1][0], 0x77);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single),     cmocka_unit_test(conversions), cmocka_unit_test(halves),
        cmocka_unit_test(boxes),      cmocka_unit_test(widening),    cmocka_unit_test(nans),
        cmocka_unit_test(empty_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
