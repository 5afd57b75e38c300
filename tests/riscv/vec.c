/* The vector unit's front: vset, what is refused, cycles, completeness; and one known case of each family. */
#include "vec_test.h"

/* ---- vset ---- */

struct vset_case {
    enum rv_id id;
    uint32_t length, vtype; /* in x5 and x6 */
    unsigned rd, rs1;
    enum vec_result result;
    uint32_t vl;
};

static void vset(void **state) {
    (void)state;
    static const struct vset_case cases[] = {
        { RV_VSETVL, 100, 0x00, 7, 5, VEC_DONE, 16 },         /* e8, m1 */
        { RV_VSETVL, 5, 0x00, 7, 5, VEC_DONE, 5 },            /* below VLMAX */
        { RV_VSETVL, 17, 0x00, 7, 5, VEC_DONE, 16 },          /* less than twice VLMAX: VLMAX */
        { RV_VSETVL, UINT32_MAX, 0x03, 7, 5, VEC_DONE, 128 }, /* e8, m8 */
        { RV_VSETVL, 100, 0x13, 7, 5, VEC_DONE, 32 },         /* e32, m8 */
        { RV_VSETVL, 100, 0x0F, 7, 5, VEC_DONE, 4 },          /* e16, mf2 */
        { RV_VSETVL, 100, 0x05, 7, 5, VEC_DONE, 2 },          /* e8, mf8 */
        { RV_VSETVL, 100, 0xD1, 7, 5, VEC_DONE, 8 },          /* e32, m2, ta, ma */
        { RV_VSETVL, 0, 0x08, 7, 5, VEC_DONE, 0 },
        { RV_VSETVL, 100, 0x08, 7, 0, VEC_DONE, 8 },          /* rs1 = x0: VLMAX */
        { RV_VSETVL, 100, 0x08, 0, 5, VEC_DONE, 8 },          /* rd = x0 */
        { RV_VSETVL, 100, 0x10, 0, 0, VEC_DONE, 3 },          /* both: vl stays (was 3 of e32, m1) */
        { RV_VSETVL, 100, 0x09, 0, 0, VEC_ILLEGAL, 3 },       /* both, but VLMAX changes */
        { RV_VSETVL, 100, 0x0F, 0, 0, VEC_DONE, 3 },          /* both, the same ratio */
        { RV_VSETVL, 100, 0x18, 7, 5, VEC_ILLEGAL, 3 },       /* e64 */
        { RV_VSETVL, 100, 0x20, 7, 5, VEC_ILLEGAL, 3 },       /* reserved SEW */
        { RV_VSETVL, 100, 0x04, 7, 5, VEC_ILLEGAL, 3 },       /* reserved LMUL */
        { RV_VSETVL, 100, 0x15, 7, 5, VEC_ILLEGAL, 3 },       /* e32, mf8: not one element */
        { RV_VSETVL, 100, 0x100, 7, 5, VEC_ILLEGAL, 3 },      /* reserved bit */
        { RV_VSETVL, 100, 0x80000000, 7, 5, VEC_ILLEGAL, 3 }, /* vill */
        { RV_VSETVLI, 20, 0x09, 7, 5, VEC_DONE, 16 },         /* e16, m2 */
        { RV_VSETIVLI, 0, 0x12, 7, 11, VEC_DONE, 11 },        /* 11 elements of e32, m4 */
        { RV_VSETIVLI, 0, 0x10, 7, 11, VEC_DONE, 4 },
        { RV_VSETIVLI, 0, 0x10, 0, 0, VEC_DONE, 0 }, /* 0 elements, not "keep" */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct vset_case *c = &cases[i];
        struct machine m = { .v = { .vl = 3, .vtype = 0x50 }, .x = { [5] = c->length, [6] = c->vtype, [7] = 77 } };
        uint32_t word = test_word(c->id, c->rd, c->id == RV_VSETVL ? 6 : 0, c->rs1, 0);
        if (c->id != RV_VSETVL)
            word |= c->vtype << 20;
        if (test_run(&m, word) != c->result || m.v.vl != c->vl)
            fail_msg("case %u: vl %u", i, m.v.vl);
        bool done = c->result == VEC_DONE;
        assert_int_equal(m.v.vtype, done ? c->vtype : 0x50);
        assert_int_equal(m.x[7], done && c->rd == 7 ? c->vl : 77);
        assert_int_equal(m.x[0], 0);
    }
}

/* ---- what is refused ---- */

struct shape_case {
    enum rv_id id;
    unsigned sew;
    int lmul;
    unsigned vd, vs2, vs1, vm;
    enum vec_result result;
    uint32_t high; /* bits of the word besides: nf */
};

static void shapes(void **state) {
    (void)state;
    static const struct shape_case cases[] = {
        /* alignment of groups */
        { RV_VADD_VV, 8, 1, 2, 4, 6, 1, VEC_DONE, 0 },
        { RV_VADD_VV, 8, 1, 3, 4, 6, 1, VEC_ILLEGAL, 0 },
        { RV_VADD_VV, 8, 1, 2, 5, 6, 1, VEC_ILLEGAL, 0 },
        { RV_VADD_VV, 8, 1, 2, 4, 7, 1, VEC_ILLEGAL, 0 },
        { RV_VADD_VX, 8, 1, 2, 4, 7, 1, VEC_DONE, 0 },
        { RV_VADD_VV, 8, -1, 3, 5, 7, 1, VEC_DONE, 0 },
        { RV_VADD_VV, 8, 3, 4, 8, 16, 1, VEC_ILLEGAL, 0 },
        { RV_VMSEQ_VV, 8, 3, 5, 8, 16, 1, VEC_DONE, 0 }, /* a mask is one register */
        { RV_VREDSUM_VS, 8, 3, 5, 8, 3, 1, VEC_DONE, 0 },
        { RV_VREDSUM_VS, 8, 3, 5, 9, 3, 1, VEC_ILLEGAL, 0 },
        { RV_VMV_X_S, 8, 3, 5, 9, 0, 1, VEC_DONE, 0 },
        { RV_VMV_S_X, 8, 3, 9, 0, 5, 1, VEC_DONE, 0 },
        /* widening and narrowing */
        { RV_VWADD_VV, 8, 0, 2, 4, 5, 1, VEC_DONE, 0 },
        { RV_VWADD_VV, 8, 0, 3, 4, 5, 1, VEC_ILLEGAL, 0 },
        { RV_VWADD_VV, 32, 0, 2, 4, 5, 1, VEC_ILLEGAL, 0 },
        { RV_VWADD_VV, 8, 3, 8, 16, 24, 1, VEC_ILLEGAL, 0 },
        { RV_VWADD_VV, 8, 0, 4, 4, 7, 1, VEC_ILLEGAL, 0 },  /* the low half of vd */
        { RV_VWADD_VV, 8, 0, 4, 5, 7, 1, VEC_DONE, 0 },     /* the high half */
        { RV_VWADD_VV, 8, -1, 4, 4, 7, 1, VEC_ILLEGAL, 0 }, /* a source of less than a register */
        { RV_VWADD_WV, 8, 0, 4, 4, 7, 1, VEC_DONE, 0 },
        { RV_VWADD_WV, 8, 0, 4, 6, 7, 1, VEC_ILLEGAL, 0 },  /* v7 read with two widths */
        { RV_VWMACC_VV, 8, 0, 4, 5, 7, 1, VEC_ILLEGAL, 0 }, /* v5 read as vd too */
        { RV_VNSRL_WI, 8, 0, 4, 4, 1, 1, VEC_DONE, 0 },
        { RV_VNSRL_WI, 8, 0, 5, 4, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VNSRL_WI, 8, 0, 4, 5, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VNSRL_WI, 32, 0, 4, 8, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VZEXT_VF2, 8, 0, 4, 8, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VZEXT_VF4, 16, 0, 4, 8, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VZEXT_VF4, 32, 0, 4, 8, 0, 1, VEC_DONE, 0 },
        { RV_VZEXT_VF4, 32, 2, 4, 7, 0, 1, VEC_DONE, 0 },
        { RV_VZEXT_VF4, 32, 2, 4, 6, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VZEXT_VF2, 16, -3, 4, 8, 0, 1, VEC_ILLEGAL, 0 }, /* a sixteenth */
        /* the mask */
        { RV_VADD_VV, 8, 0, 0, 4, 5, 1, VEC_DONE, 0 },
        { RV_VADD_VV, 8, 0, 0, 4, 5, 0, VEC_ILLEGAL, 0 },
        { RV_VADD_VV, 8, 0, 1, 0, 5, 0, VEC_ILLEGAL, 0 }, /* v0 read with two widths */
        { RV_VMSEQ_VV, 8, 0, 0, 4, 5, 0, VEC_DONE, 0 },
        { RV_VREDSUM_VS, 8, 0, 0, 4, 5, 0, VEC_DONE, 0 },
        { RV_VADC_VVM, 8, 0, 0, 4, 5, 0, VEC_ILLEGAL, 0 },
        { RV_VMADC_VVM, 8, 0, 0, 4, 5, 0, VEC_DONE, 0 },
        { RV_VMERGE_VVM, 8, 0, 0, 4, 5, 0, VEC_ILLEGAL, 0 },
        { RV_VID_V, 8, 0, 0, 0, 0, 0, VEC_ILLEGAL, 0 },
        { RV_VMSBF_M, 8, 0, 0, 3, 0, 0, VEC_ILLEGAL, 0 },
        { RV_VMSBF_M, 8, 0, 3, 3, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VMSBF_M, 8, 0, 3, 0, 0, 0, VEC_DONE, 0 },
        { RV_VCPOP_M, 8, 0, 3, 0, 0, 0, VEC_DONE, 0 },
        /* compares over their sources */
        { RV_VMSEQ_VV, 8, 1, 4, 4, 6, 1, VEC_DONE, 0 },
        { RV_VMSEQ_VV, 8, 1, 5, 4, 6, 1, VEC_ILLEGAL, 0 },
        /* permutations over their sources */
        { RV_VSLIDEUP_VI, 8, 0, 4, 4, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VSLIDEDOWN_VI, 8, 0, 4, 4, 1, 1, VEC_DONE, 0 },
        { RV_VSLIDE1UP_VX, 8, 0, 4, 4, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VSLIDE1DOWN_VX, 8, 0, 4, 4, 1, 1, VEC_DONE, 0 },
        { RV_VRGATHER_VV, 8, 0, 4, 4, 5, 1, VEC_ILLEGAL, 0 },
        { RV_VRGATHER_VV, 8, 0, 4, 5, 4, 1, VEC_ILLEGAL, 0 },
        { RV_VRGATHER_VX, 8, 0, 4, 5, 4, 1, VEC_DONE, 0 },
        { RV_VRGATHEREI16_VV, 8, 0, 4, 5, 6, 1, VEC_DONE, 0 },
        { RV_VRGATHEREI16_VV, 8, 0, 4, 5, 7, 1, VEC_ILLEGAL, 0 },
        { RV_VRGATHEREI16_VV, 8, 3, 8, 16, 24, 1, VEC_ILLEGAL, 0 },
        { RV_VCOMPRESS_VM, 8, 0, 4, 4, 5, 1, VEC_ILLEGAL, 0 },
        { RV_VCOMPRESS_VM, 8, 0, 4, 5, 4, 1, VEC_ILLEGAL, 0 },
        { RV_VIOTA_M, 8, 1, 4, 5, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VMV2R_V, 8, 0, 4, 6, 0, 1, VEC_DONE, 0 },
        { RV_VMV2R_V, 8, 0, 4, 7, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VMV8R_V, 8, 0, 4, 8, 0, 1, VEC_ILLEGAL, 0 },
        /* memory; x1 is in range */
        { RV_VLE32_V, 8, 1, 8, 0, 1, 1, VEC_DONE, 0 },
        { RV_VLE32_V, 8, 1, 4, 0, 1, 1, VEC_ILLEGAL, 0 },        /* EMUL 8 */
        { RV_VLE32_V, 8, 2, 8, 0, 1, 1, VEC_ILLEGAL, 0 },        /* EMUL 16 */
        { RV_VLE8_V, 32, -1, 8, 0, 1, 1, VEC_DONE, 0 },          /* EMUL 1/8 */
        { RV_VLE8_V, 32, -2, 8, 0, 1, 1, VEC_ILLEGAL, 0 },       /* EMUL 1/16 */
        { RV_VLE8_V, 8, 0, 0, 0, 1, 0, VEC_ILLEGAL, 0 },         /* over the mask */
        { RV_VSE8_V, 8, 0, 0, 0, 1, 0, VEC_ILLEGAL, 0 },         /* v0 read with two widths */
        { RV_VLE8_V, 8, 0, 24, 0, 1, 1, VEC_DONE, 7u << 29 },    /* eight fields */
        { RV_VLE8_V, 8, 0, 25, 0, 1, 1, VEC_ILLEGAL, 7u << 29 }, /* beyond v31 */
        { RV_VLE8_V, 8, 1, 24, 0, 1, 1, VEC_DONE, 3u << 29 },
        { RV_VLE8_V, 8, 1, 16, 0, 1, 1, VEC_ILLEGAL, 4u << 29 }, /* ten registers */
        { RV_VLUXEI8_V, 8, 0, 4, 4, 1, 1, VEC_DONE, 0 },
        { RV_VLUXEI8_V, 8, 0, 4, 5, 1, 1, VEC_ILLEGAL, 1u << 29 }, /* segments over their indexes */
        { RV_VLUXEI8_V, 16, 1, 4, 5, 1, 1, VEC_DONE, 0 },
        { RV_VLUXEI8_V, 16, 1, 4, 4, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VL2RE8_V, 8, 0, 5, 0, 1, 1, VEC_ILLEGAL, 0 },
        { RV_VL2RE8_V, 8, 0, 6, 0, 1, 1, VEC_DONE, 0 },
        { RV_VS4R_V, 8, 0, 6, 0, 1, 1, VEC_ILLEGAL, 0 },
        /* floating point has no 8 bits */
        { RV_VFADD_VV, 8, 0, 4, 5, 6, 1, VEC_ILLEGAL, 0 },
        { RV_VFADD_VV, 16, 0, 4, 5, 6, 1, VEC_DONE, 0 },
        { RV_VFADD_VV, 32, 0, 4, 5, 6, 1, VEC_DONE, 0 },
        { RV_VFWADD_VV, 32, 0, 4, 6, 7, 1, VEC_ILLEGAL, 0 },
        { RV_VFWADD_WV, 8, 0, 4, 6, 8, 1, VEC_ILLEGAL, 0 },
        { RV_VFWCVT_F_X_V, 8, 0, 4, 6, 0, 1, VEC_DONE, 0 },
        { RV_VFWCVT_X_F_V, 8, 0, 4, 6, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VFNCVT_X_F_W, 8, 0, 4, 6, 0, 1, VEC_DONE, 0 },
        { RV_VFNCVT_F_X_W, 8, 0, 4, 6, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VFMV_F_S, 8, 0, 4, 6, 0, 1, VEC_ILLEGAL, 0 },
        { RV_VFMV_V_F, 8, 0, 4, 0, 1, 1, VEC_ILLEGAL, 0 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shape_case *c = &cases[i];
        struct machine m = { .v = { .vl = 1, .vtype = test_vtype(c->sew, c->lmul) }, .x = { [1] = TEST_MEMORY } };
        struct machine before = m;
        uint32_t word = test_word(c->id, c->vd, c->vs2, c->vs1, c->vm) | c->high;
        enum vec_result result = test_run(&m, word);
        if (result != c->result)
            fail_msg("case %u, %s %08x: %d", i, rv_row(c->id)->name, word, (int)result);
        if (result == VEC_ILLEGAL)
            assert_memory_equal(&m, &before, sizeof m);
    }
}

/* vtype and vl can be written as CSRs: what they then hold must be possible, unless nothing depends on them. */
static void csr_nonsense(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 1, .vtype = 0x18 } };
    assert_int_equal(test_run(&m, test_word(RV_VADD_VV, 1, 2, 3, 1)), VEC_ILLEGAL);
    assert_int_equal(test_run(&m, test_word(RV_VMV1R_V, 1, 2, 0, 1)), VEC_DONE);
    m.v.vtype = 0x10;
    m.v.vl = 5; /* VLMAX is 4 */
    assert_int_equal(test_run(&m, test_word(RV_VADD_VV, 1, 2, 3, 1)), VEC_ILLEGAL);
    m.v.vl = 4;
    assert_int_equal(test_run(&m, test_word(RV_VADD_VV, 1, 2, 3, 1)), VEC_DONE);
}

static void not_vector(void **state) {
    (void)state;
    static const uint32_t words[] = {
        0x00000013, /* nop */
        0x82002057, /* vdivu.vv */
        0x86002057, /* vdiv.vv */
        0x8A002057, /* vremu.vv */
        0x8E002057, /* vrem.vv */
        0x82001057, /* vfdiv.vv */
        0x86005057, /* vfrdiv.vf */
        0x4E001057, /* vfsqrt.v */
        0x4E021057, /* vfrsqrt7.v */
        0x4E029057, /* vfrec7.v */
        0x02007007, /* vle64.v */
        0x02807007, /* vl1re64.v */
        0xFFFFFFFF, 0,
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        struct machine m = { .v = { .vl = 1, .vtype = test_vtype(32, 0) }, .x = { TEST_MEMORY } };
        unsigned cycles;
        assert_int_equal(test_run_cycles(&m, words[i], &cycles), VEC_ILLEGAL);
        assert_int_equal(cycles, 1);
    }
}

/* Every vector row of riscv.def can be executed with some operands. */
static void complete(void **state) {
    (void)state;
    uint64_t random = 1234567;
    for (unsigned id = RV_FIRST_V; id < RV_COUNT; id++) {
        bool done = false;
        for (unsigned i = 0; i < 1000 && !done; i++) {
            struct machine m = { .v = { .vl = 1, .vtype = test_vtype(8u << test_random(&random) % 3, 0) } };
            for (unsigned r = 1; r < 32; r++)
                m.x[r] = TEST_MEMORY + 2048;
            m.x[2] = 0x10; /* a vtype */
            uint32_t word = test_word((enum rv_id)id, 8, id == RV_VSETVL ? 2 : 16, 24, 1);
            done = test_run(&m, word) == VEC_DONE;
        }
        if (!done && id != RV_VSETVLI && id != RV_VSETIVLI) /* their vtype is in the word: tested above */
            fail_msg("%s is never executed", rv_row((enum rv_id)id)->name);
    }
}

/* ---- cycles ---- */

/* Loads go to x1, with strides of x2 = 0. */
static unsigned cycles_of(const struct vec_state *v, uint32_t word) {
    struct machine m = { .v = *v, .x = { [1] = TEST_MEMORY } };
    unsigned cycles;
    test_run_cycles(&m, word, &cycles);
    return cycles;
}

static void cycles(void **state) {
    (void)state;
    struct vec_state v = { .vl = 9, .vtype = test_vtype(8, 2) };
    assert_int_equal(cycles_of(&v, test_word(RV_VADD_VV, 4, 8, 12, 1)), 4);
    assert_int_equal(cycles_of(&v, test_word(RV_VWADD_VV, 8, 16, 20, 1)), 8);
    assert_int_equal(cycles_of(&v, test_word(RV_VMSEQ_VV, 3, 8, 12, 1)), 1);
    assert_int_equal(cycles_of(&v, test_word(RV_VREDSUM_VS, 3, 8, 12, 1)), 1);
    assert_int_equal(cycles_of(&v, test_word(RV_VMV_X_S, 3, 8, 0, 1)), 1);
    assert_int_equal(cycles_of(&v, test_word(RV_VMV8R_V, 8, 16, 0, 1)), 8);
    assert_int_equal(cycles_of(&v, test_word(RV_VLE8_V, 4, 0, 1, 1)), 4);
    assert_int_equal(cycles_of(&v, test_word(RV_VLSE8_V, 4, 2, 1, 1)), 9);
    assert_int_equal(cycles_of(&v, test_word(RV_VLE8_V, 8, 0, 1, 1) | 1u << 29), 18);
    assert_int_equal(cycles_of(&v, rv_row(RV_VSETVL)->match), RV_OCCUPANCY_CSR);
    assert_int_equal(cycles_of(&v, rv_row(RV_VSETVLI)->match | 1u << 7), RV_OCCUPANCY_CSR);
    assert_int_equal(cycles_of(&v, rv_row(RV_VSETIVLI)->match), RV_OCCUPANCY_CSR);
    v.vl = 0;
    assert_int_equal(cycles_of(&v, test_word(RV_VLSE8_V, 4, 2, 1, 1)), 1);
    assert_int_equal(cycles_of(&v, test_word(RV_VADD_VV, 5, 8, 12, 1)), 1); /* illegal */
}

/* ---- one known case of each family: e16, m1, vl 7 of 8, vs2 = v2, vs1 = v3, vd = v1 ---- */

struct known_case {
    enum rv_id id;
    unsigned vm, vxrm, vxsat;
    uint16_t want[8];
};

static void known(void **state) {
    (void)state;
    static const uint16_t a[8] = { 1, 0x8000, 0x7FFF, 0xFFFF, 100, 0, 0xFFF6, 55 };
    static const uint16_t b[8] = { 2, 0x8000, 1, 3, 7, 0x10, 4, 66 };
    static const uint16_t d[8] = { 11, 12, 13, 14, 15, 16, 17, 18 };
    enum { MASK = 0x55 }; /* elements 0, 2, 4, 6 */
    static const struct known_case cases[] = {
        { RV_VADD_VV, 1, 0, 0, { 3, 0, 0x8000, 2, 107, 16, 0xFFFA, 18 } },
        { RV_VADD_VV, 0, 0, 0, { 3, 12, 0x8000, 14, 107, 16, 0xFFFA, 18 } },
        { RV_VSUB_VV, 1, 0, 0, { 0xFFFF, 0, 0x7FFE, 0xFFFC, 93, 0xFFF0, 0xFFF2, 18 } },
        { RV_VMAX_VV, 1, 0, 0, { 2, 0x8000, 0x7FFF, 3, 100, 16, 4, 18 } },
        { RV_VMAXU_VV, 1, 0, 0, { 2, 0x8000, 0x7FFF, 0xFFFF, 100, 16, 0xFFF6, 18 } },
        { RV_VSRA_VV, 1, 0, 0, { 0, 0x8000, 0x3FFF, 0xFFFF, 0, 0, 0xFFFF, 18 } },
        { RV_VMULH_VV, 1, 0, 0, { 0, 0x4000, 0, 0xFFFF, 0, 0, 0xFFFF, 18 } },
        { RV_VMULHU_VV, 1, 0, 0, { 0, 0x4000, 0, 2, 0, 0, 3, 18 } },
        { RV_VMACC_VV, 1, 0, 0, { 13, 12, 0x800C, 11, 715, 16, 0xFFE9, 18 } },
        { RV_VMERGE_VVM, 0, 0, 0, { 2, 0x8000, 1, 0xFFFF, 7, 0, 4, 18 } },
        { RV_VADC_VVM, 0, 0, 0, { 4, 0, 0x8001, 2, 108, 16, 0xFFFB, 18 } },
        { RV_VSADD_VV, 1, 0, 1, { 3, 0x8000, 0x7FFF, 2, 107, 16, 0xFFFA, 18 } },
        { RV_VSADDU_VV, 1, 0, 1, { 3, 0xFFFF, 0x8000, 0xFFFF, 107, 16, 0xFFFA, 18 } },
        { RV_VSSUBU_VV, 1, 0, 1, { 0, 0, 0x7FFE, 0xFFFC, 93, 0, 0xFFF2, 18 } },
        { RV_VAADD_VV, 1, 0, 0, { 2, 0x8000, 0x4000, 1, 54, 8, 0xFFFD, 18 } },
        { RV_VAADD_VV, 1, 1, 0, { 2, 0x8000, 0x4000, 1, 54, 8, 0xFFFD, 18 } },
        { RV_VAADD_VV, 1, 2, 0, { 1, 0x8000, 0x4000, 1, 53, 8, 0xFFFD, 18 } },
        { RV_VAADD_VV, 1, 3, 0, { 1, 0x8000, 0x4000, 1, 53, 8, 0xFFFD, 18 } },
        { RV_VSMUL_VV, 1, 2, 1, { 0, 0x7FFF, 0, 0xFFFF, 0, 0, 0xFFFF, 18 } },
        { RV_VSSRA_VV, 1, 0, 0, { 0, 0x8000, 0x4000, 0, 1, 0, 0xFFFF, 18 } },
        { RV_VRGATHER_VV, 1, 0, 0, { 0x7FFF, 0, 0x8000, 0xFFFF, 55, 0, 100, 18 } },
        { RV_VCOMPRESS_VM, 1, 0, 0, { 0x8000, 12, 13, 14, 15, 16, 17, 18 } }, /* v3 as a mask: only bit 1 */
        { RV_VREDSUM_VS, 1, 0, 0, { 91, 12, 13, 14, 15, 16, 17, 18 } },
        { RV_VREDMAX_VS, 0, 0, 0, { 0x7FFF, 12, 13, 14, 15, 16, 17, 18 } },
        { RV_VMSLT_VV, 1, 0, 0, { 0x69, 12, 13, 14, 15, 16, 17, 18 } },
        { RV_VMSLTU_VV, 0, 0, 0, { 0x0B, 12, 13, 14, 15, 16, 17, 18 } },
        { RV_VMADC_VV, 1, 0, 0, { 0x0A, 12, 13, 14, 15, 16, 17, 18 } },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct known_case *c = &cases[i];
        struct machine m = { .v = { .vl = 7, .vtype = test_vtype(16, 0), .vxrm = c->vxrm } };
        uint16_t got[8];
        m.v.v[0][0] = MASK;
        memcpy(m.v.v[1], d, 16);
        memcpy(m.v.v[2], a, 16);
        memcpy(m.v.v[3], b, 16);
        assert_int_equal(test_run(&m, test_word(c->id, 1, 2, 3, c->vm)), VEC_DONE);
        memcpy(got, m.v.v[1], 16);
        for (unsigned k = 0; k < 8; k++)
            if (got[k] != c->want[k])
                fail_msg("case %u, %s: element %u is %04x, not %04x", i, rv_row(c->id)->name, k, got[k], c->want[k]);
        assert_int_equal(m.v.vxsat, c->vxsat);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vset),       cmocka_unit_test(shapes),   cmocka_unit_test(csr_nonsense),
        cmocka_unit_test(not_vector), cmocka_unit_test(complete), cmocka_unit_test(cycles),
        cmocka_unit_test(known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
