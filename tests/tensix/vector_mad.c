/* The instructions of the MAD sub-unit, every modifier, against the pages' models lane by lane; handlers are called one
 * by one, without a frontend. The arithmetic itself is tested in tests/numeric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "numeric/fp32.h"
#include "support/random.h"
#include "support/tensix_box.h"

enum { NEGATE_A = 1, NEGATE_C = 2, INDIRECT_VA = 4, INDIRECT_VD = 8, KEEP_SIGN = 4, HIGH = 1 };

static uint64_t now;

static struct tensix *create(void) {
    struct tensix *x = aligned_alloc(64, (sizeof *x + 63) / 64 * 64);
    memset(x, 0, sizeof *x);
    vector_init(&x->vector);
    now = 100;
    return x;
}

/* ---- The pages ---------------------------------------------------------------------------------- */

struct operands {
    unsigned va, vb, vc, vd, mod;
    uint32_t imm16;
};

typedef uint32_t (*lregs)[LANES];

static uint32_t sign_if(uint32_t bit) {
    return bit ? FP32_SIGN : 0;
}

static uint32_t model_mad(const struct operands *o, lregs l, unsigned lane) {
    unsigned va = o->mod & INDIRECT_VA ? l[7][lane] & 15 : o->va;
    return fp32_fma(l[va][lane] ^ sign_if(o->mod & NEGATE_A), l[o->vb][lane],
                    l[o->vc][lane] ^ sign_if(o->mod & NEGATE_C));
}

static uint32_t model_muli(const struct operands *o, lregs l, unsigned lane) {
    return fp32_fma(o->imm16 << 16, l[o->vc][lane] ^ sign_if(o->mod & NEGATE_C), 0);
}

static uint32_t model_addi(const struct operands *o, lregs l, unsigned lane) {
    return fp32_fma(o->imm16 << 16, FP32_ONE, l[o->vc][lane] ^ sign_if(o->mod & NEGATE_C));
}

static uint32_t model_lut(const struct operands *o, lregs l, unsigned lane) {
    uint32_t x = l[3][lane], b = x & ~FP32_SIGN, pair = l[b < 0x3F800000 ? 0 : b < 0x40000000 ? 1 : 2][lane], value[2];
    for (unsigned i = 0; i < 2; i++) {
        uint32_t c = pair >> 8 * i & 0xFF;
        value[i] = c == 0xFF ? 0 : (c & 0x80) << 24 | (127 - (c >> 4 & 7)) << 23 | (c & 15) << 19;
    }
    uint32_t d = fp32_fma(value[1], b, value[0]);
    return o->mod & KEEP_SIGN ? (d & ~FP32_SIGN) | (x & FP32_SIGN) : d;
}

static uint32_t lut16(uint32_t x) {
    uint32_t rest = (x & 0x8000) << 16 | (x & 0x3FF) << 13, exponent = x >> 10 & 31;
    return exponent == 31 ? rest : rest | (exponent + 112) << 23;
}

static uint32_t model_lutfp32(const struct operands *o, lregs l, unsigned lane) {
    uint32_t x = l[3][lane], b = x & ~FP32_SIGN;
    unsigned range = b < 0x3F800000 ? 0 : b < 0x40000000 ? 1 : 2;
    const uint32_t middle[] = { 0x3F000000, 0x3FC00000, (o->mod & 3) == 3 ? 0x40800000 : 0x40400000 };
    unsigned shift = b < middle[range] ? 0 : 16;
    uint32_t a = l[range][lane], c = l[4 + range][lane];
    if ((o->mod & 10) == 10)
        c = lut16(a), a = lut16(a >> 16);
    else if (o->mod & 2)
        a = lut16(a >> shift), c = lut16(c >> shift);
    uint32_t d = fp32_fma(a, b, c);
    return o->mod & KEEP_SIGN ? (d & ~FP32_SIGN) | (x & FP32_SIGN) : d;
}

static uint32_t model_mul24(const struct operands *o, lregs l, unsigned lane) {
    uint64_t a = l[o->mod & INDIRECT_VA ? l[7][lane] & 15 : o->va][lane] & 0x7FFFFF, b = l[o->vb][lane] & 0x7FFFFF;
    uint32_t d = (uint32_t)(o->mod & HIGH ? a * b >> 23 : a * b & 0x7FFFFF), c = l[o->vc][lane];
    int exponent = (int)fp32_exponent(c);
    if (exponent == 0)
        return d;
    if (exponent > 129)
        d >>= (exponent - 129) % 32;
    unsigned right = exponent < 129 ? (129 - (unsigned)exponent) % 32 : 0;
    uint32_t addend = ((c & FP32_FRACTION) | 0x800000) << 3, kept = addend >> right;
    uint32_t carry = addend - (kept << right) > 0xFFFF ? 0x10000 : 0;
    return kept ? (d + kept + carry) & 0x7FFFFF : d;
}

/* ---- One instruction ---------------------------------------------------------------------------- */

typedef uint32_t model_function(const struct operands *o, lregs l, unsigned lane);

struct instruction {
    const char *name;
    tensix_handler *execute;
    vector_action *action;
    model_function *model;
    uint32_t opcode;
    enum { FORM_MAD, FORM_IMM, FORM_LUT, FORM_LUT32 } form;
};

static const struct instruction instructions[] = {
    { "SFPMAD", execute_SFPMAD, vector_SFPMAD, model_mad, 0x84, FORM_MAD },
    { "SFPADD", execute_SFPADD, vector_SFPADD, model_mad, 0x85, FORM_MAD },
    { "SFPMUL", execute_SFPMUL, vector_SFPMUL, model_mad, 0x86, FORM_MAD },
    { "SFPMUL24", execute_SFPMUL24, vector_SFPMUL24, model_mul24, 0x98, FORM_MAD },
    { "SFPMULI", execute_SFPMULI, vector_SFPMULI, model_muli, 0x74, FORM_IMM },
    { "SFPADDI", execute_SFPADDI, vector_SFPADDI, model_addi, 0x75, FORM_IMM },
    { "SFPLUT", execute_SFPLUT, vector_SFPLUT, model_lut, 0x73, FORM_LUT },
    { "SFPLUTFP32", execute_SFPLUTFP32, vector_SFPLUTFP32, model_lutfp32, 0x95, FORM_LUT32 },
};
enum { INSTRUCTIONS = sizeof instructions / sizeof instructions[0] };

static uint32_t encode(const struct instruction *i, const struct operands *o) {
    uint32_t word = i->opcode << 24;
    switch (i->form) {
    case FORM_MAD: return word | o->va << 16 | o->vb << 12 | o->vc << 8 | o->vd << 4 | o->mod;
    case FORM_IMM: return word | o->imm16 << 8 | o->vd << 4 | o->mod;
    case FORM_LUT: return word | o->vd << 20 | o->mod << 16;
    default: return word | o->vd << 4 | o->mod;
    }
}

static void issue_at(struct tensix *x, tensix_handler *execute, uint32_t word, uint64_t at) {
    assert_int_equal(execute(x, 0, word, at), TENSIX_PASSED);
    now = at;
}

/* Everything has arrived. */
static void settle(struct tensix *x) {
    issue_at(x, execute_SFPNOP, TT(SFPNOP, 0), now + 2);
    assert_int_equal(x->vector.lates, 0);
}

/* The expected LRegs. */
static void expect(uint32_t want[VECTOR_LREGS][LANES], const struct instruction *i, const struct operands *o, lregs in,
                   uint32_t lanes) {
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned vd = o->mod & INDIRECT_VD && o->vd != 16 ? in[7][lane] & 15 : o->vd;
        if (lanes >> lane & 1 && (vd < 8 || vd == 16))
            want[vd][lane] = i->model(o, in, lane);
    }
}

static void assert_lregs(const struct tensix *x, uint32_t want[VECTOR_LREGS][LANES], const struct instruction *i,
                         uint32_t word) {
    for (unsigned r = 0; r < VECTOR_LREGS; r++)
        for (unsigned lane = 0; lane < LANES; lane++)
            if (x->vector.lreg[r][lane] != want[r][lane])
                fail_msg("%s %08X: LReg%u lane %u is %08X, not %08X", i->name, word, r, lane, x->vector.lreg[r][lane],
                         want[r][lane]);
}

static void fill_lregs(struct vector *v, uint64_t *seed) {
    for (unsigned r = 0; r < VECTOR_LREGS; r++)
        for (unsigned lane = 0; lane < LANES && (r < 8 || r == 16); lane++) {
            uint32_t x = (uint32_t)random_next(seed);
            v->lreg[r][lane] = x % 8 == 0 ? x : (x & ~FP32_INF) | (115 + random_below(seed, 20)) << 23;
        }
}

/* ... and lanes switched off by flags or rows. */
static void disable_lanes(struct vector *v, uint64_t *seed) {
    v->flags = (uint32_t)random_next(seed);
    v->use_flags = random_below(seed, 2) ? LANES_ALL : (uint32_t)random_next(seed);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        v->lane_config[i] = random_below(seed, 4) ? 0 : (uint32_t)random_next(seed) & LANE_ROW_MASK;
    vector_derive(v);
}

/* IsLaneEnabled of VectorUnit.md. */
static uint32_t enabled_lanes(const struct vector *v) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool masked = v->lane_config[i % 8] >> (12 + i / 8) & 1;
        lanes |= (uint32_t)(!masked && (!(v->use_flags >> i & 1) || v->flags >> i & 1)) << i;
    }
    return lanes;
}

static void draw_operands(struct operands *o, const struct instruction *i, uint64_t *seed) {
    *o = (struct operands){ random_below(seed, 16), random_below(seed, 16), random_below(seed, 16),
                            random_below(seed, 12), random_below(seed, 16), random_below(seed, 0x10000) };
    if (i->form == FORM_IMM)
        o->vc = o->vd;
    else if (random_below(seed, 2))
        *(random_below(seed, 2) ? &o->va : &o->vb) = 10, o->vc = random_below(seed, 2) ? 9 : o->vc;
}

static void test_random(void **state) {
    (void)state;
    struct tensix *x = create();
    struct vector *v = &x->vector;
    uint64_t seed = 7;
    for (unsigned round = 0; round < 40000; round++) {
        const struct instruction *i = &instructions[round % INSTRUCTIONS];
        uint32_t want[VECTOR_LREGS][LANES];
        struct operands o;
        draw_operands(&o, i, &seed);
        fill_lregs(v, &seed);
        disable_lanes(v, &seed);
        memcpy(want, v->lreg, sizeof want);
        expect(want, i, &o, v->lreg, enabled_lanes(v));
        issue_at(x, i->execute, encode(i, &o), now + 1);
        settle(x);
        assert_lregs(x, want, i, encode(i, &o));
    }
    free(x);
}

/* Each modifier of each instruction, LReg7 the same in all lanes. */
static void test_modifiers(void **state) {
    (void)state;
    struct tensix *x = create();
    struct vector *v = &x->vector;
    uint64_t seed = 11;
    for (unsigned round = 0; round < INSTRUCTIONS * 16 * 16; round++) {
        const struct instruction *i = &instructions[round % INSTRUCTIONS];
        struct operands o = { 1, 2, 5, 6, round / INSTRUCTIONS % 16, 0xC0B7 };
        o.vc = i->form == FORM_IMM ? o.vd : o.vc;
        uint32_t want[VECTOR_LREGS][LANES];
        fill_lregs(v, &seed);
        for (unsigned lane = 0; lane < LANES; lane++)
            v->lreg[7][lane] = 0xABCDE0 | round / INSTRUCTIONS / 16;
        memcpy(want, v->lreg, sizeof want);
        expect(want, i, &o, v->lreg, LANES_ALL);
        issue_at(x, i->execute, encode(i, &o), now + 1);
        settle(x);
        assert_lregs(x, want, i, encode(i, &o));
    }
    free(x);
}

/* VD of 12 and more: a template where LaneConfig does not forbid it; elsewhere only an indirect VD is a destination. */
static void test_backdoor(void **state) {
    (void)state;
    struct tensix *x = create();
    struct vector *v = &x->vector;
    uint64_t seed = 12;
    for (unsigned round = 0; round < 4000; round++) {
        const struct instruction *i = &instructions[round % INSTRUCTIONS];
        uint32_t want[VECTOR_LREGS][LANES], forbidden = 0;
        struct operands o;
        draw_operands(&o, i, &seed);
        o.vd = 12 + random_below(&seed, 4), o.vc = i->form == FORM_IMM ? o.vd : o.vc, o.mod |= INDIRECT_VD;
        fill_lregs(v, &seed);
        for (unsigned column = 0; column < VECTOR_COLUMNS; column++) {
            bool forbid = random_below(&seed, 2);
            v->lane_config[column] = forbid ? LANE_NO_BACKDOOR : 0;
            forbidden |= forbid ? 0x01010101u << column : 0;
        }
        vector_derive(v);
        memcpy(want, v->lreg, sizeof want);
        expect(want, i, &o, v->lreg, forbidden);
        issue_at(x, i->execute, encode(i, &o), now + 1);
        settle(x);
        assert_lregs(x, want, i, encode(i, &o));
        for (unsigned column = 0; column < VECTOR_COLUMNS; column++)
            if (!(forbidden >> column & 1))
                assert_int_equal(v->macro[column].template[o.vd - 12], encode(i, &o));
    }
    free(x);
}

/* ---- Scheduled: other operands than the word's, LReg16 as destination ---------------------------- */

/* The instruction that SFPLOADMACRO would start in this cycle. */
static void schedule_at(struct tensix *x, const struct instruction *i, const struct operands *o, uint32_t word,
                        uint64_t at) {
    struct vector_turn turn = {
        .x = x,
        .v = &x->vector,
        .in = x->vector.lreg,
        .now = at,
        .word = word,
        .lanes = LANES_ALL,
        .scheduled = true,
        .va = (uint8_t)o->va,
        .vb = (uint8_t)o->vb,
        .vc = (uint8_t)o->vc,
        .vd = (uint8_t)o->vd,
        .mod = (uint8_t)o->mod,
    };
    i->action(&turn);
    now = at;
}

static void test_scheduled(void **state) {
    (void)state;
    struct tensix *x = create();
    struct vector *v = &x->vector;
    uint64_t seed = 13;
    for (unsigned round = 0; round < 4000; round++) {
        const struct instruction *i = &instructions[round % INSTRUCTIONS];
        uint32_t want[VECTOR_LREGS][LANES];
        struct operands o, word;
        draw_operands(&o, i, &seed);
        draw_operands(&word, i, &seed);
        word.va = o.va, word.mod = o.mod, word.imm16 = o.imm16;
        o.vc = random_below(&seed, 8);
        o.vd = random_below(&seed, 2) ? 16 : random_below(&seed, 8);
        fill_lregs(v, &seed);
        memcpy(want, v->lreg, sizeof want);
        expect(want, i, &o, v->lreg, LANES_ALL);
        schedule_at(x, i, &o, encode(i, &word), now + 1);
        settle(x);
        assert_lregs(x, want, i, encode(i, &word));
    }
    free(x);
}

/* ---- Time --------------------------------------------------------------------------------------- */

/* The result can be read two cycles later, not one. */
static void test_two_cycles(void **state) {
    (void)state;
    struct tensix *x = create();
    for (unsigned n = 0; n < INSTRUCTIONS; n++) {
        const struct instruction *i = &instructions[n];
        struct operands o = { 10, 3, 9, 2, 0, 0x4000 };
        uint32_t reader = TT(SFPMUL, 2, 10, 9, 5, 0);
        settle(x);
        issue_at(x, i->execute, encode(i, &o), now + 1);
        assert_int_equal(execute_SFPMUL(x, 0, reader, now + 1), now + 2);
        issue_at(x, execute_SFPMUL, reader, now + 2);
    }
    free(x);
}

/* Two in a row that write all eight LRegs each. */
static void test_scattered_twice(void **state) {
    (void)state;
    struct tensix *x = create();
    struct vector *v = &x->vector;
    uint32_t want[VECTOR_LREGS][LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        v->lreg[7][lane] = lane % 8;
    memcpy(want, v->lreg, sizeof want);
    struct operands first = { 10, 10, 8, 0, INDIRECT_VD, 0 }, second = { 8, 8, 9, 0, INDIRECT_VD, 0 };
    expect(want, &instructions[0], &second, v->lreg, LANES_ALL);
    schedule_at(x, &instructions[0], &first, 0, now + 1);
    schedule_at(x, &instructions[0], &second, 0, now + 1);
    assert_int_equal(v->lates, 16);
    settle(x);
    assert_lregs(x, want, &instructions[0], 0);
    free(x);
}

/* From a core to the LReg, through the frontend. */
static void test_program(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    tb_push(tb, 1, TT(SFPADDI, 0x4040, 2, 0));         /* L2 = 3.0 */
    tb_push(tb, 1, TT(SFPMULI, 0xC000, 2, 0));         /* L2 = -6.0 */
    tb_push(tb, 1, TT(SFPMAD, 2, 2, 10, 3, NEGATE_A)); /* L3 = -36.0 + 1.0 */
    tb_push(tb, 1, TT(SFPMUL, 9, 9, 9, 8, 0));
    tb_push(tb, 1, TT(SFPMUL, 9, 9, 9, 8, 0));
    assert_true(tb_run(tb));
    for (unsigned lane = 0; lane < LANES; lane++) {
        assert_int_equal(tb->x->vector.lreg[2][lane], 0xC0C00000);
        assert_int_equal(tb->x->vector.lreg[3][lane], 0xC20C0000);
    }
    assert_int_equal(tb->at[1][1] - tb->at[1][0], 2);
    assert_int_equal(tb->at[1][2] - tb->at[1][1], 2);
    assert_int_equal(tb->at[1][3] - tb->at[1][2], 1);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_modifiers),  cmocka_unit_test(test_backdoor),
        cmocka_unit_test(test_scheduled), cmocka_unit_test(test_two_cycles), cmocka_unit_test(test_scattered_twice),
        cmocka_unit_test(test_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
