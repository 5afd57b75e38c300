/* When vector instructions pass and what they see: src/tensix/vector/issue.c, state.c. */
#include "tensix/vector_drive.h"

enum { START = 100 };

#define TWO   0x40000000u
#define THREE 0x40400000u
#define SIX   0x40C00000u

/* LReg1 = LReg2 * LReg3, with 2 * 3. */
#define MAD_TO_1    TT(SFPMAD, 2, 3, 9, 1, 0)
#define MOV(vc, vd) TT(SFPMOV, 0, vc, vd, 0)

static struct tensix_box *create(void) {
    struct tensix_box *tb = tb_create();
    for (unsigned i = 0; i < 8; i++)
        vd_fill(tb, i, 0x11111111u * i);
    vd_fill(tb, 2, TWO);
    vd_fill(tb, 3, THREE);
    return tb;
}

/* ---- One a cycle ------------------------------------------------------------------------------------------- */

static void test_one_a_cycle(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_pass(tb, 0, MOV(2, 4), START);
    assert_int_equal(vd_try(tb, 1, MOV(2, 5), START), START + 1);
    assert_int_equal(vd_try(tb, 2, SFPNOP_WORD, START), START + 1);
    assert_non_null(strstr(wait_text(tb->x->thread[1].waits_on), "one instruction a cycle"));
    vd_pass(tb, 1, MOV(2, 5), START + 1);
    assert_int_equal(vd_try(tb, 2, SFPNOP_WORD, START + 1), START + 2);
    vd_pass(tb, 2, SFPNOP_WORD, START + 2);
    vd_assert_lreg(tb, 4, TWO);
    vd_assert_lreg(tb, 5, TWO);
    tb_destroy(tb);
}

/* Three threads with a word in each cycle share the unit evenly. */
static void test_three_threads(void **state) {
    struct tensix_box *tb = create();
    uint32_t words[24];
    (void)state;
    for (unsigned i = 0; i < 24; i++)
        words[i] = MOV(2, 4);
    for (unsigned k = 0; k < 24; k += 4)
        for (unsigned i = 0; i < 3; i++)
            scene_push(tb, tb_core(i), i, words + k, 4, 10 + k / 4);
    tb_step(tb, 150);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(tb->passes[i], 24);
        first = tb->at[i][0] < first ? tb->at[i][0] : first;
        last = tb->at[i][23] > last ? tb->at[i][23] : last;
        for (unsigned k = 1; k < 24; k++)
            assert_int_equal(tb->at[i][k] - tb->at[i][k - 1], 3);
    }
    assert_int_equal(last - first + 1, 72);
    tb_destroy(tb);
}

/* ---- The automatic stall ------------------------------------------------------------------------------------- */

struct reader {
    uint32_t word;
    bool stalls;
    const char *what;
};

/* All read LReg1, or not; with what SFPMAD.md, SFPLUTFP32.md and SFPSTOCHRND_*.md say of them. */
static const struct reader readers[] = {
    { 0x71400005 | 2 << 16, false, "SFPLOADI USHORT" },
    { 0x71100005 | 2 << 16, false, "SFPLOADI USHORT over it" },
    { 0x71100005 | 8 << 16, true, "SFPLOADI UPPER" },
    { 0x71100005 | 10 << 16, true, "SFPLOADI LOWER" },
    { 0x70100000 | 4 << 16, false, "SFPLOAD" },
    { 0x70100000 | 14 << 16, true, "SFPLOAD LO16_ONLY" },
    { 0x70100000 | 15 << 16, true, "SFPLOAD HI16_ONLY" },
    { 0x70400000 | 14 << 16, false, "SFPLOAD LO16_ONLY elsewhere" },
    { 0x93100000 | 14 << 16, true, "SFPLOADMACRO LO16_ONLY" },
    { 0x93100001 | 14 << 16, false, "SFPLOADMACRO LO16_ONLY of LReg5" },
    { 0x72100000 | 4 << 16, true, "SFPSTORE" },
    { 0x72400000 | 4 << 16, false, "SFPSTORE of another" },
    { 0x73400000, true, "SFPLUT" },
    { 0x74400010, true, "SFPMULI" },
    { 0x74400020, false, "SFPMULI of another" },
    { 0x75400010, true, "SFPADDI" },
    { 0x76000140, true, "SFPDIVP2" },
    { 0x76000410, false, "SFPDIVP2 into it" },
    { 0x77000140, true, "SFPEXEXP" },
    { 0x78000140, true, "SFPEXMAN" },
    { 0x79000144, true, "SFPIADD VC" },
    { 0x79000414, false, "SFPIADD VD" },
    { 0x79001415, false, "SFPIADD with an immediate, into it" },
    { 0x79001145, true, "SFPIADD with an immediate" },
    { 0x7A000140, true, "SFPSHFT VC" },
    { 0x7A000410, false, "SFPSHFT VD" },
    { 0x7A001411, false, "SFPSHFT VD by an immediate" },
    { 0x7B000100, true, "SFPSETCC" },
    { 0x7B001101, false, "SFPSETCC with an immediate" },
    { 0x7B000108, false, "SFPSETCC that clears" },
    { 0x7C000140, true, "SFPMOV" },
    { 0x7C000142, true, "SFPMOV in all lanes" },
    { 0x7C000148, false, "SFPMOV of a template" },
    { 0x7D000140, true, "SFPABS" },
    { 0x7E000140, true, "SFPAND VC" },
    { 0x7E000410, true, "SFPAND VD" },
    { 0x7E001451, false, "SFPAND VB" },
    { 0x7E002411, true, "SFPAND VD, which it does not read with VB" },
    { 0x7F000140, true, "SFPOR VC" },
    { 0x7F000410, true, "SFPOR VD" },
    { 0x7F001451, false, "SFPOR VB" },
    { 0x80000140, true, "SFPNOT" },
    { 0x81000140, true, "SFPLZ" },
    { 0x82000140, true, "SFPSETEXP VC" },
    { 0x82000410, true, "SFPSETEXP VD" },
    { 0x82001411, false, "SFPSETEXP with an immediate, into it" },
    { 0x83000410, true, "SFPSETMAN VD" },
    { 0x83001411, false, "SFPSETMAN with an immediate, into it" },
    { 0x84012340, true, "SFPMAD VA" },
    { 0x84021340, true, "SFPMAD VB" },
    { 0x84023140, true, "SFPMAD VC" },
    { 0x84023410, false, "SFPMAD into it" },
    { 0x85012340, true, "SFPADD VA" },
    { 0x86023140, true, "SFPMUL VC" },
    { 0x87000000, false, "SFPPUSHC" },
    { 0x89000410, true, "SFPSETSGN VD" },
    { 0x89001411, false, "SFPSETSGN with an immediate, into it" },
    { 0x8A000000, false, "SFPENCC" },
    { 0x8B000000, false, "SFPCOMPC" },
    { 0x8C000000, true, "SFPTRANSP" },
    { 0x8D000410, true, "SFPXOR VD" },
    { 0x8E002140, true, "SFP_STOCH_RND VC" },
    { 0x8E001244, true, "SFP_STOCH_RND VB" },
    { 0x8E00124C, true, "SFP_STOCH_RND VB, where an immediate is used" },
    { 0x8F000000, false, "SFPNOP" },
    { 0x90000140, true, "SFPCAST" },
    { 0x91000040, false, "SFPCONFIG" },
    { 0x92000140, false, "SFPSWAP VC" },
    { 0x92000411, false, "SFPSWAP VD, minimum and maximum" },
    { 0x94000000, true, "SFPSHFT2 COPY4" },
    { 0x94000001, true, "SFPSHFT2 CHAINED_COPY4" },
    { 0x94000102, false, "SFPSHFT2 SHFLROR1_AND_COPY4" },
    { 0x94000143, false, "SFPSHFT2 SHFLROR1" },
    { 0x94000144, false, "SFPSHFT2 SHFLSHR1" },
    { 0x94001245, false, "SFPSHFT2 SHFT_LREG VB" },
    { 0x94002145, true, "SFPSHFT2 SHFT_LREG VC" },
    { 0x94002415, true, "SFPSHFT2 SHFT_LREG VD" },
    { 0x94001046, false, "SFPSHFT2 SHFT_IMM VB" },
    { 0x94002016, true, "SFPSHFT2 SHFT_IMM VD" },
    { 0x95000040, true, "SFPLUTFP32" },
    { 0x96000140, true, "SFPLE VC" },
    { 0x96000410, true, "SFPLE VD" },
    { 0x97000410, true, "SFPGT VD" },
    { 0x98012940, true, "SFPMUL24 VA" },
    { 0x98021940, true, "SFPMUL24 VB" },
    { 0x99002140, true, "SFPARECIP VC" },
    { 0x99001240, false, "SFPARECIP VB, not used" },
    { 0x99001241, true, "SFPARECIP VB" },
};

static void test_who_stalls(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const struct reader *r = &readers[i];
        struct tensix_box *tb = create();
        vd_pass(tb, 0, MAD_TO_1, START);
        uint64_t again = vd_try(tb, 1, r->word, START + 1); /* of another thread: it is all the same */
        if (again != (r->stalls ? START + 2 : 0))
            fail_msg("%s: may pass in %u", r->what, (unsigned)again);
        if (again) {
            assert_non_null(strstr(wait_text(tb->x->thread[1].waits_on), "a result"));
            vd_pass(tb, 1, r->word, START + 2);
        }
        tb_destroy(tb);
    }
}

/* A reader that the scoreboard does not see gets the old value; the others get the result, whatever they do with it. */
static void test_what_they_see(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const struct reader *r = &readers[i];
        struct tensix_box *after = create(), *alone = create();
        uint64_t at = VD_ALL(after, START, MAD_TO_1, r->word);
        VD_ALL(alone, START, r->word);
        if (r->stalls) {
            vd_fill(alone, 1, SIX);
            tb_destroy(alone);
            alone = create();
            vd_fill(alone, 1, SIX);
            VD_ALL(alone, START, r->word);
        }
        (void)at;
        const struct vector *v = vd_settled(after), *w = vd_settled(alone);
        for (unsigned n = 0; n < 8; n++) {
            uint32_t old = alone->x->vector.lreg[n][0];
            if (n == 1 && old == 0x11111111) /* not written by the reader */
                old = SIX;
            if (v->lreg[n][0] != old && r->word >> 24 != TENSIX_SFPSWAP)
                fail_msg("%s: LReg%u is %08x, not %08x", r->what, n, v->lreg[n][0], old);
        }
        assert_int_equal(v->flags, w->flags);
        tb_destroy(after);
        tb_destroy(alone);
    }
}

/* SFPSWAP compares what its first cycle sees and exchanges what its second one does. */
static void test_swap_reads_twice(void **state) {
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct tensix_box *tb = create();
        vd_fill(tb, 1, old ? 0x40A00000 : 0x3F800000); /* 5 or 1; becomes 6 */
        vd_fill(tb, 4, 0x40800000);                    /* 4 */
        VD_ALL(tb, START, MAD_TO_1, TT(SFPSWAP, 0, 1, 4, 1));
        vd_assert_lreg(tb, 4, old ? 0x40800000 : SIX); /* 4 is the minimum, or 1 was thought to be */
        vd_assert_lreg(tb, 1, old ? SIX : 0x40800000);
        tb_destroy(tb);
    }
}

/* SFPCONFIG is not seen to read LReg0. */
static void test_config_reads_old(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_fill(tb, 0, THREE);
    VD_ALL(tb, START, TT(SFPMAD, 2, 3, 9, 0, 0), TT(SFPCONFIG, 0, 11, 0), TT(SFPCONFIG, 0, 12, 0));
    assert_int_equal(tb->now, START + 2);
    vd_assert_lreg(tb, 11, THREE);
    vd_assert_lreg(tb, 12, SIX);
    vd_assert_lreg(tb, 0, SIX);
    tb_destroy(tb);
}

/* Two cycles, not more. */
static void test_cycle_after(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    VD_ALL(tb, START, MAD_TO_1, SFPNOP_WORD, TT(SFPIADD, 0, 2, 1, 4));
    assert_int_equal(tb->now, START + 2);
    vd_assert_lreg(tb, 1, SIX + TWO);
    tb_destroy(tb);
}

/* A look from outside sees the result when an instruction would. */
static void test_from_outside(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_pass(tb, 0, MAD_TO_1, START);
    vd_pass(tb, 0, TT(SFPMAD, 2, 2, 9, 4, 0), START + 1);
    for (unsigned i = 0; i < LANES; i++) {
        assert_int_equal(vector_peek(&tb->x->vector, 1, i, START + 2), SIX);
        assert_int_equal(vector_peek(&tb->x->vector, 4, i, START + 2), 0x44444444);
        assert_int_equal(vector_peek(&tb->x->vector, 4, i, START + 3), 0x40800000);
    }
    tb_destroy(tb);
}

/* A reset ends what cannot be read yet; what can is there. */
static void test_reset_in_flight(void **state) {
    (void)state;
    for (unsigned late = 0; late < 4; late++) { /* with an indirect VD, too */
        struct tensix_box *tb = create();
        vd_fill(tb, 7, 1);
        vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, 1, late & 2 ? 8 : 0), START);
        tensix_soft_reset(tb->x, REG_HOLD_FPU, START + (late & 1));
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(vector_peek(&tb->x->vector, 1, i, START + 10), late & 1 ? SIX : 0x11111111);
        assert_true(vd_try(tb, 0, SFPNOP_WORD, START + 10) == TENSIX_NEVER);
        tensix_soft_reset(tb->x, 0, START + 20);
        assert_int_equal(vector_peek(&tb->x->vector, 1, 0, START + 20), 0);
        vd_pass(tb, 0, SFPNOP_WORD, START + 21);
        tb_destroy(tb);
    }
}

/* With an indirect VD every LReg may be written, and LReg7 is read; with an indirect VA every one is read. */
static void test_indirect(void **state) {
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        struct tensix_box *tb = create();
        vd_fill(tb, 7, 5);
        vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, 9, 8), START);
        assert_int_equal(vd_try(tb, 0, MOV(n, 6), START + 1), n < 8 ? START + 2 : 0);
        vd_assert_lreg(tb, 5, SIX);
        uint64_t later = tb->now + 10;
        vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, n % 8, 0), later);
        assert_int_equal(vd_try(tb, 0, TT(SFPMAD, 9, 9, 9, 9, 4), later + 1), later + 2);
        assert_int_equal(vd_try(tb, 0, TT(SFPMAD, 9, 9, 9, 9, 8), later + 1), n % 8 == 7 ? later + 2 : 0);
        tb_destroy(tb);
    }
}

/* SFPLUT reads three words of its table and the operand: LReg0 to LReg3. */
static void test_lut_reads_four(void **state) {
    (void)state;
    for (unsigned n = 0; n < 7; n++) {
        struct tensix_box *tb = create();
        vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, n, 0), START);
        assert_int_equal(vd_try(tb, 0, 0x73400000 /* SFPLUT to LReg4 */, START + 1), n < 4 ? START + 2 : 0);
        tb_destroy(tb);
    }
}

/* SFPLUTFP32's stall looks at bit 19, whatever bit 3 of Mod1 is. */
static void test_mirror(void **state) {
    (void)state;
    for (unsigned mod = 0; mod < 4; mod++) {
        uint32_t lut = TT(SFPLUTFP32, 6, mod & 1 ? 8 : 0) | (mod & 2 ? 8u << 16 : 0);
        for (unsigned n = 0; n < 8; n++) {
            struct tensix_box *tb = create();
            vd_fill(tb, 7, 6);
            vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, n, 0), START);
            assert_int_equal(vd_try(tb, 0, lut, START + 1), n == 7 && !(mod & 2) ? 0 : START + 2);
            vd_until(tb, START + 20);
            vd_pass(tb, 0, lut, START + 20);
            assert_int_equal(vd_try(tb, 0, MOV(n, 0), START + 21), n == 6 || mod & 2 ? START + 22 : 0);
            tb_destroy(tb);
        }
    }
}

/* A lane that cannot be written is not waited for; a disabled lane is. */
static void test_what_is_written(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    VD_ALL(tb, START, TT(SFPENCC, 1, 0, 0, 10), TT(SFPMAD, 2, 3, 9, 1, 0));
    assert_int_equal(vd_try(tb, 0, MOV(1, 4), START + 2), START + 3);
    vd_assert_lreg(tb, 1, 0x11111111);
    vd_pass(tb, 0, TT(SFPMAD, 2, 3, 9, 10, 0), START + 50);
    vd_pass(tb, 0, MOV(10, 4), START + 51);
    tb_destroy(tb);
}

static void test_chicken_bit(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    tb->x->config.bank[0][CONFIG_WORD_CHICKEN_BITS_sfpu_scbd_disable] = 1;
    VD_ALL(tb, START, MAD_TO_1, MOV(1, 4), MOV(1, 5));
    assert_int_equal(tb->now, START + 2);
    vd_assert_lreg(tb, 4, 0x11111111);
    vd_assert_lreg(tb, 5, SIX);
    tb_destroy(tb);
}

/* The younger of two results that arrive together stays. */
static void test_write_after_write(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    VD_ALL(tb, START, MAD_TO_1, TT(SFPLOADI, 1, 2, 7), SFPNOP_WORD);
    vd_assert_lreg(tb, 1, 7);
    VD_ALL(tb, START + 50, MAD_TO_1, TT(SFPMAD, 2, 2, 9, 1, 0));
    vd_assert_lreg(tb, 1, 0x40800000);
    tb_destroy(tb);
}

/* No other instruction for two cycles */

static void test_only_nop(void **state) {
    static const struct {
        uint32_t word;
        bool alone;
    } first[] = {
        { 0x92000450, true }, { 0x92000451, true }, { 0x94000400, false }, { 0x94000401, false }, { 0x94000402, true },
        { 0x94000453, true }, { 0x94000454, true }, { 0x94004455, false }, { 0x94004456, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        struct tensix_box *tb = create();
        vd_pass(tb, 0, first[i].word, START);
        assert_int_equal(vd_try(tb, 1, TT(SFPLOADI, 6, 2, 1), START + 1), first[i].alone ? START + 2 : 0);
        if (first[i].alone) {
            assert_non_null(strstr(wait_text(tb->x->thread[1].waits_on), "second cycle"));
            vd_pass(tb, 0, SFPNOP_WORD, START + 1);
            assert_int_equal(vd_try(tb, 1, SFPNOP_WORD, START + 1), START + 2);
            vd_pass(tb, 0, MOV(4, 6), START + 2);
        }
        tb_destroy(tb);
    }
}

/* One SFPNOP, be it a template. */
static void test_only_one_nop(void **state) {
    (void)state;
    for (unsigned template = 0; template <2; template ++) {
        struct tensix_box *tb = create();
        vd_pass(tb, 0, TT(SFPSWAP, 0, 2, 3, 0), START);
        vd_pass(tb, 1, SFPNOP_WORD | (template ? 0xD0 : 0), START + 1);
        assert_int_equal(vd_try(tb, 2, SFPNOP_WORD, START + 1), START + 2);
        vd_pass(tb, 2, SFPNOP_WORD, START + 2);
        assert_int_equal(vd_try(tb, 0, SFPNOP_WORD, START + 2), START + 3);
        tb_destroy(tb);
    }
}

/* SFPSWAP, SFPNOP, SFPMOV: three cycles; without SFPNOP three as well. */
static void test_swap_in_a_stream(void **state) {
    (void)state;
    for (unsigned nop = 0; nop < 2; nop++) {
        struct tensix_box *tb = create();
        const uint32_t words[] = { TT(SFPSWAP, 0, 2, 3, 0), nop ? SFPNOP_WORD : MOV(2, 4), MOV(2, 4), NOP_WORD };
        scene_push(tb, tb_core(0), 0, words, 4, 10);
        tb_step(tb, 60);
        assert_int_equal(tb->passes[0], 4);
        assert_int_equal(tb->at[0][1] - tb->at[0][0], nop ? 1 : 2);
        assert_int_equal(tb->at[0][2] - tb->at[0][0], nop ? 2 : 3);
        vd_assert_lreg(tb, 4, THREE);
        tb_destroy(tb);
    }
}

/* ---- Backdoor loads ------------------------------------------------------------------------------------------ */

static void test_templates(void **state) {
    struct tensix_box *tb = create();
    const struct vector *v = &tb->x->vector;
    static const uint32_t words[] = { 0x79000144, 0x72000000, 0x73000000, 0x8F000000, 0x88000000, 0x84012300 };
    (void)state;
    vd_pass(tb, 0, TT(SFPENCC, 1, 0, 0, 10), START); /* no lane enabled: it does not matter */
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        unsigned vd = 12 + i % 4;
        bool high = words[i] >> 24 < 0x74;
        uint32_t word = (words[i] & ~(high ? 0xF00000u : 0xF0u)) | vd << (high ? 20 : 4);
        vd_pass(tb, 0, word, START + 10 + i);
        for (unsigned column = 0; column < VECTOR_COLUMNS; column++)
            assert_int_equal(v->macro[column].template[vd - 12], word);
    }
    uint32_t kept = v->macro[0].template[3];
    vd_pass(tb, 0, TT(SFPLOADI, 15, 2, 5), START + 50);
    vd_pass(tb, 0, TT(SFPLOAD, 15, 4, 0, 0), START + 51);
    vd_pass(tb, 0, TT(SFPCONFIG, 0, 15, 1), START + 52);
    assert_int_equal(v->macro[0].template[3], kept);
    tb_destroy(tb);
}

/* A column of its own: there the instruction executes. */
static void test_templates_by_column(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    for (unsigned i = 0; i < LANES; i++)
        tb->x->vector.lreg[0][i] = i % 8 == 3 ? LANE_NO_BACKDOOR : 0;
    VD_ALL(tb, START, TT(SFPCONFIG, 0, 15, 0), SFPNOP_WORD, TT(SFPPUSHC, 0, 0, 13, 0), TT(SFPENCC, 2, 0, 14, 8));
    const struct vector *v = vd_settled(tb);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        assert_int_equal(v->macro[i].template[1], i == 3 ? 0 : TT(SFPPUSHC, 0, 0, 13, 0));
        assert_int_equal(v->macro[i].template[2], i == 3 ? 0 : TT(SFPENCC, 2, 0, 14, 8));
    }
    assert_int_equal(v->stack[0].occupied, 0x08080808);
    assert_int_equal(v->flags, 0x08080808);
    assert_true(v->columns_differ);
    tb_destroy(tb);
}

/* A store that goes to a template still advances the counters. */
static void test_store_to_template(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    tb->x->config.thread[0][CONFIG_WORD_ADDR_MOD_DST_SEC3_DestIncr] = 4;
    VD_ALL(tb, START, TT(SFPSTORE, 13, 4, 3, 0));
    assert_int_equal(tb->x->rwc[0].dst, 4);
    assert_int_equal(tb->x->vector.macro[5].template[1], TT(SFPSTORE, 13, 4, 3, 0));
    tb_destroy(tb);
}

/* In the cycle after SFPCONFIG it is undefined which DISABLE_BACKDOOR_LOAD holds. */
static void test_unsure_backdoor(void **state) {
    (void)state;
    for (unsigned gap = 0; gap < 2; gap++) {
        struct tensix_box *tb = create();
        vd_pass(tb, 0, TT(SFPCONFIG, LANE_NO_BACKDOOR, 15, 1), START);
        if (gap == 0) {
            vd_assert_refused(tb, 0, MOV(1, 12), START + 1, "DISABLE_BACKDOOR_LOAD");
        } else {
            vd_pass(tb, 0, SFPNOP_WORD, START + 1);
            vd_pass(tb, 0, MOV(1, 12), START + 2);
            vd_pass(tb, 0, TT(SFPCONFIG, LANE_NO_BACKDOOR, 15, 1), START + 3); /* no change */
            vd_pass(tb, 0, MOV(1, 12), START + 4);
        }
        assert_int_equal(tb->x->vector.macro[0].template[0], 0);
        tb_destroy(tb);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------------------ */

/* The thread stops before the instruction; others go on. */
static void test_refusal(void **state) {
    struct tensix_box *tb = create();
    const uint32_t words[] = { MOV(2, 4), TT(SFPPOPC, 0, 0, 0, 0), MOV(2, 5), NOP_WORD }, other = MOV(2, 6);
    (void)state;
    scene_push(tb, tb_core(1), 1, words, 4, 10);
    tb_step(tb, 60);
    assert_int_equal(tb->passes[1], 1);
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(tb->box->fault.insn, words[1]);
    assert_int_equal(tb->box->fault.thread, 1);
    assert_non_null(strstr(tb->box->fault.text, "empty"));
    scene_push(tb, tb_core(0), 0, &other, 1, 60);
    tb_step(tb, 100);
    assert_int_equal(tb->passes[0], 1);
    assert_int_equal(tb->passes[1], 1);
    tb_destroy(tb);
}

/* ---- Busy and lanes ------------------------------------------------------------------------------------------- */

/* STALLWAIT with C11 waits for the second cycle, and for nothing after an instruction of one. */
static void test_stallwait(void **state) {
    const struct {
        uint32_t word;
        unsigned cycles;
    } cases[] = { { MOV(2, 4), 3 }, { MAD_TO_1, 3 }, { TT(SFPSWAP, 0, 2, 4, 0), 3 }, { 0x94000453, 3 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensix_box *tb = create();
        const uint32_t words[] = { cases[i].word, TT(STALLWAIT, 0x1FF, GATE_C_VECTOR), TT(SETC16, 3, 1), NOP_WORD };
        scene_push(tb, tb_core(0), 0, words, 4, 10);
        tb_step(tb, 60);
        assert_int_equal(tb->passes[0], 4);
        assert_int_equal(tb->at[0][1] - tb->at[0][0], 1);
        assert_int_equal(tb->at[0][2] - tb->at[0][0], cases[i].cycles);
        tb_destroy(tb);
    }
}

/* bstatus has the type of the unit in the second cycle of the own thread. */
static void test_bstatus(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    vd_pass(tb, 1, MAD_TO_1, START);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, START + 1), FRONTEND_TYPE_VECTOR | FRONTEND_TYPE_VECTOR << 11);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC0, START + 1), FRONTEND_TYPE_VECTOR << 11);
    assert_int_equal(tensix_bstatus(tb->x, BH_TRISC1, START + 2), 0);
    tb_destroy(tb);
}

static void test_qstatus(void **state) {
    enum { LANES_ON = 1 << 11 | 1 << 24 };
    struct tensix_box *tb = create();
    (void)state;
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC0, START), LANES_ON);
    vd_pass(tb, 0, TT(SFPENCC, 1, 0, 0, 10), START + 1); /* use flags, and clear them */
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC0, START + 2), 0);
    vd_pass(tb, 0, TT(SFPENCC, 0, 0, 0, 0), START + 2);
    assert_int_equal(tensix_qstatus(tb->x, BH_BRISC, START + 3), LANES_ON);
    vd_pass(tb, 0, TT(SFPCONFIG, LANE_ROW_MASK, 15, 1), START + 3);
    assert_int_equal(tensix_qstatus(tb->x, BH_TRISC2, START + 4), 0);
    tb_destroy(tb);
}

/* ---- Soft reset ------------------------------------------------------------------------------------------------- */

#define SOFT_RESET_0 0xFFB121B0u
enum { CORES = 0x47800, FPU = 1 << 10 };

static void set_up_everything(struct tensix_box *tb) {
    vd_fill(tb, 0, 0x1234);
    VD_ALL(tb, START, TT(SFPCONFIG, 0, 4, 0), TT(SFPCONFIG, 0, 12, 0), TT(SFPCONFIG, 0x777, 8, 1),
           TT(SFPCONFIG, LANE_EXCHANGE_B_C, 15, 1), TT(SFPPUSHC, 0, 0, 0, 0), TT(SFPENCC, 1, 0, 0, 10), MOV(1, 13));
    vd_fill(tb, 16, 5);
    tb->x->vector.random[3] = 5;
}

static void test_reset_state(void **state) {
    struct tensix_box *tb = create(), *fresh = tb_create();
    (void)state;
    set_up_everything(tb);
    box_poke32(tb->box, SOFT_RESET_0, CORES | FPU);
    vd_until(tb, START + 60);
    box_poke32(tb->box, SOFT_RESET_0, CORES);
    const struct vector *v = &tb->x->vector, *w = &fresh->x->vector;
    assert_memory_equal(v->lreg, w->lreg, sizeof v->lreg);
    assert_memory_equal(v->random, w->random, sizeof v->random);
    assert_memory_equal(v->stack, w->stack, sizeof v->stack);
    assert_memory_equal(v->macro, w->macro, sizeof v->macro);
    assert_memory_equal(v->lane_config, w->lane_config, sizeof v->lane_config);
    assert_int_equal(v->use_flags, 0);
    assert_int_equal(v->enabled, UINT32_MAX);
    assert_int_equal(v->exchange, 0);
    assert_false(v->columns_differ);
    assert_int_equal(v->lreg[12][31], 0x3B000000);
    vd_pass(tb, 0, MOV(1, 4), tb->now + 5);
    tb_destroy(tb);
    tb_destroy(fresh);
}

/* Held, instructions wait; what was in flight is gone. */
static void test_reset_holds(void **state) {
    struct tensix_box *tb = create();
    const uint32_t word = TT(SFPLOADI, 5, 2, 77);
    (void)state;
    vd_pass(tb, 0, MAD_TO_1, START);
    vd_until(tb, START + 1);
    box_poke32(tb->box, SOFT_RESET_0, CORES | FPU);
    scene_push(tb, tb_core(0), 0, &word, 1, tb->x->time);
    tb->now = tb->x->time;
    tb_step(tb, START + 50);
    assert_int_equal(tb->passes[0], 0);
    assert_non_null(strstr(wait_text(tb->x->thread[0].waits_on), "soft reset"));
    assert_int_equal(tb->x->vector.lreg[1][0], 0x11111111);
    box_poke32(tb->box, SOFT_RESET_0, CORES);
    tb_step(tb, START + 60);
    assert_int_equal(tb->passes[0], 1);
    vd_assert_lreg(tb, 5, 77);
    vd_assert_lreg(tb, 1, 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_a_cycle),       cmocka_unit_test(test_three_threads),
        cmocka_unit_test(test_who_stalls),        cmocka_unit_test(test_what_they_see),
        cmocka_unit_test(test_swap_reads_twice),  cmocka_unit_test(test_config_reads_old),
        cmocka_unit_test(test_cycle_after),       cmocka_unit_test(test_from_outside),
        cmocka_unit_test(test_reset_in_flight),   cmocka_unit_test(test_indirect),
        cmocka_unit_test(test_lut_reads_four),    cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_what_is_written),   cmocka_unit_test(test_chicken_bit),
        cmocka_unit_test(test_write_after_write), cmocka_unit_test(test_only_nop),
        cmocka_unit_test(test_only_one_nop),      cmocka_unit_test(test_swap_in_a_stream),
        cmocka_unit_test(test_templates),         cmocka_unit_test(test_templates_by_column),
        cmocka_unit_test(test_store_to_template), cmocka_unit_test(test_unsure_backdoor),
        cmocka_unit_test(test_refusal),           cmocka_unit_test(test_stallwait),
        cmocka_unit_test(test_bstatus),           cmocka_unit_test(test_qstatus),
        cmocka_unit_test(test_reset_state),       cmocka_unit_test(test_reset_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
