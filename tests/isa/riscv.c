/* The RISC-V table and decoder: facts that need no other tool. Known words come from the GNU assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "isa/riscv.h"

static uint32_t random_word(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 16);
}

static const struct known {
    uint32_t word;
    struct rv_insn insn;
    const char *text; /* at pc 0x10000 */
} known[] = {
    { 0x80058513, { RV_ADDI, 10, 11, 0, 0, -2048 }, "addi a0,a1,-2048" },
    { 0x7FF00F93, { RV_ADDI, 31, 0, 0, 0, 2047 }, "addi t6,zero,2047" },
    { 0xFFC12403, { RV_LW, 8, 2, 0, 0, -4 }, "lw s0,-4(sp)" },
    { 0x80F50023, { RV_SB, 0, 10, 15, 0, -2048 }, "sb a5,-2048(a0)" },
    { 0x7FF02FA3, { RV_SW, 0, 0, 31, 0, 2047 }, "sw t6,2047(zero)" },
    { 0x80B50063, { RV_BEQ, 0, 10, 11, 0, -4096 }, "beq a0,a1,0xf000" },
    { 0x7ED61FE3, { RV_BNE, 0, 12, 13, 0, 4094 }, "bne a2,a3,0x10ffe" },
    { 0xFFEFFFE3, { RV_BGEU, 0, 31, 30, 0, -2 }, "bgeu t6,t5,0xfffe" },
    { 0xFFFFF537, { RV_LUI, 10, 0, 0, 0, -4096 }, "lui a0,0xfffff" },
    { 0x80000197, { RV_AUIPC, 3, 0, 0, 0, INT32_MIN }, "auipc gp,0x80000" },
    { 0x800000EF, { RV_JAL, 1, 0, 0, 0, -1048576 }, "jal ra,0xfff10000" },
    { 0x7FFFF06F, { RV_JAL, 0, 0, 0, 0, 1048574 }, "jal zero,0x10fffe" },
    { 0x001002EF, { RV_JAL, 5, 0, 0, 0, 2048 }, "jal t0,0x10800" },
    { 0xFFF280E7, { RV_JALR, 1, 5, 0, 0, -1 }, "jalr ra,-1(t0)" },
    { 0x01F59513, { RV_SLLI, 10, 11, 0, 0, 31 }, "slli a0,a1,0x1f" },
    { 0x6115D513, { RV_RORI, 10, 11, 0, 0, 17 }, "rori a0,a1,0x11" },
    { 0x0EB6252F, { RV_AMOSWAP_W, 10, 12, 11, 0, 3 }, "amoswap.w.aqrl a0,a1,(a2)" },
    { 0xBCA59573, { RV_CSRRW, 10, 11, 0, 0, 0xBCA }, "csrrw a0,0xbca,a1" },
    { 0x7C0FE073, { RV_CSRRSI, 0, 31, 0, 0, 0x7C0 }, "csrrsi zero,0x7c0,31" },
    { 0x0FF0000F, { RV_FENCE, 0, 0, 0, 0, 0xFF }, "fence iorw,iorw" },
    { 0xFFFF8F8F, { RV_FENCE, 0, 0, 0, 0, 0xFFF }, "fence iorw,iorw" }, /* reserved bits are ignored */
    { 0x68C59543, { RV_FMADD_S, 10, 11, 12, 13, 1 }, "fmadd.s fa0,fa1,fa2,fa3,rtz" },
    { 0xFC20F04B, { RV_FNMSUB_H, 0, 1, 2, 31, 7 }, "fnmsub.h ft0,ft1,ft2,ft11" },
    { 0xFF852507, { RV_FLW, 10, 10, 0, 0, -8 }, "flw fa0,-8(a0)" },
    { 0x00359327, { RV_FSH, 0, 11, 3, 0, 6 }, "fsh ft3,6(a1)" },
    { 0xC0059553, { RV_FCVT_W_S, 10, 11, 0, 0, 1 }, "fcvt.w.s a0,fa1,rtz" },
    { 0xD415F553, { RV_FCVT_H_WU, 10, 11, 0, 0, 7 }, "fcvt.h.wu fa0,a1" },
    { 0x4025F553, { RV_FCVT_S_H, 10, 11, 0, 0, 0 }, "fcvt.s.h fa0,fa1" }, /* any rounding mode */
    { 0xE4050553, { RV_FMV_X_H, 10, 10, 0, 0, 0 }, "fmv.x.h a0,fa0" },
    { 0x30200073, { RV_MRET, 0, 0, 0, 0, 0 }, "mret" },
    { 0x00100073, { RV_EBREAK, 0, 0, 0, 0, 0 }, "ebreak" },
    { 0x0805C533, { RV_ZEXT_H, 10, 11, 0, 0, 0 }, "zext.h a0,a1" },
    { 0x08C5C533, { RV_PACK, 10, 11, 12, 0, 0 }, "pack a0,a1,a2" },
    { 0x6985D513, { RV_REV8, 10, 11, 0, 0, 0 }, "rev8 a0,a1" },
    { 0x6875D513, { RV_BREV8, 10, 11, 0, 0, 0 }, "brev8 a0,a1" },
    { 0x6885D513, { RV_GREVI, 10, 11, 0, 0, 8 }, "grevi a0,a1,0x8" },
    { 0x0D35F557, { RV_VSETVLI, 10, 11, 0, 0, 0xD3 }, "vsetvli a0,a1,e32,m8,ta,ma" },
    { 0xC0F8F557, { RV_VSETIVLI, 10, 17, 0, 0, 0x0F }, "vsetivli a0,17,e16,mf2,tu,mu" },
    { 0x80C5F557, { RV_VSETVL, 10, 11, 12, 0, 0 }, "vsetvl a0,a1,a2" },
    { 0x40055207, { RV_VLE16_V, 4, 10, 0, 0, 2 }, "vlseg3e16.v v4,(a0),v0.t" },
    { 0x06956207, { RV_VLUXEI32_V, 4, 10, 9, 1, 0 }, "vluxei32.v v4,(a0),v9" },
    { 0xEAD600A7, { RV_VSSE8_V, 1, 12, 13, 1, 7 }, "vssseg8e8.v v1,(a2),a3" },
    { 0x6284E407, { RV_VL4RE32_V, 8, 9, 0, 0, 0 }, "vl4re32.v v8,(s1)" },
    { 0x002830D7, { RV_VADD_VI, 1, 0, 2, 0, -16 }, "vadd.vi v1,v2,-16,v0.t" },
    { 0x962FB0D7, { RV_VSLL_VI, 1, 0, 2, 1, 31 }, "vsll.vi v1,v2,31" },
    { 0xB275D1D7, { RV_VFMACC_VF, 3, 11, 7, 1, 0 }, "vfmacc.vf v3,fa1,v7" },
    { 0x43F02557, { RV_VMV_X_S, 10, 0, 31, 1, 0 }, "vmv.x.s a0,v31" },
    { 0x4038A557, { RV_VFIRST_M, 10, 0, 3, 0, 0 }, "vfirst.m a0,v3,v0.t" },
    { 0x5C2EB0D7, { RV_VMERGE_VIM, 1, 0, 2, 0, -3 }, "vmerge.vim v1,v2,-3,v0" },
};

static void test_known_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct rv_insn *want = &known[i].insn;
        struct rv_insn got;
        char text[64];
        assert_int_equal(rv_decode(known[i].word, &got), want->id);
        assert_int_equal(got.id, want->id);
        assert_int_equal(got.rd, want->rd);
        assert_int_equal(got.rs1, want->rs1);
        assert_int_equal(got.rs2, want->rs2);
        assert_int_equal(got.rs3, want->rs3);
        assert_int_equal(got.imm, want->imm);
        assert_int_equal(riscv_disasm(0x10000, known[i].word, text, sizeof text), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
}

/* Instructions that the cores lack, and words that are no instructions anywhere. */
static void test_illegal_words(void **state) {
    static const struct {
        uint32_t word;
        const char *what;
    } illegal[] = {
        { 0x00000000, "zero" },    { 0xFFFFFFFF, "all ones" },  { 0x00000012, ".ttinsn" },  { 0x0000100F, "fence.i" },
        { 0x1000252F, "lr.w" },    { 0x18A5252F, "sc.w" },      { 0x18B57553, "fdiv.s" },   { 0x58057553, "fsqrt.s" },
        { 0x1CB57553, "fdiv.h" },  { 0x5C057553, "fsqrt.h" },   { 0x02A57553, "fadd.d" },   { 0x00053507, "fld" },
        { 0x00053503, "ld" },      { 0x02059513, "slli 32" },   { 0x28B51533, "bset" },     { 0x08B57533, "packh" },
        { 0x08F51513, "zip" },     { 0x0AB51533, "clmul" },     { 0x10500073, "wfi" },      { 0x10200073, "sret" },
        { 0x00200073, "uret" },    { 0x00004073, "system 4" },  { 0x00002063, "branch 2" }, { 0x8620A1D7, "vdivu.vv" },
        { 0x8E20A1D7, "vrem.vv" }, { 0x8220D1D7, "vfdiv.vf" },  { 0x4E2011D7, "vfsqrt.v" }, { 0x4E2291D7, "vfrec7.v" },
        { 0x02057187, "vle64.v" }, { 0x4A21A1D7, "vsext.vf8" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++) {
        struct rv_insn insn = { .id = RV_ADD, .rd = 1, .imm = 1 };
        char text[32], want[32];
        if (rv_decode(illegal[i].word, &insn) != RV_NONE)
            fail_msg("%s decodes to %s", illegal[i].what, rv_row(insn.id)->name);
        assert_int_equal(insn.id, RV_NONE);
        assert_int_equal(insn.rd | insn.imm, 0);
        assert_true(rv_reads(&insn) == 0 && rv_writes(&insn) == 0);
        snprintf(want, sizeof want, ".word 0x%08x", illegal[i].word);
        riscv_disasm(0, illegal[i].word, text, sizeof text);
        assert_string_equal(text, want);
    }
}

static bool overlap_marked(unsigned special, unsigned general) {
    static const struct {
        unsigned special, general;
    } marked[] = {
#define RV_OVERLAP(special, general) { RV_##special, RV_##general },
#include "isa/riscv.def"
    };
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        if (marked[i].special == special && marked[i].general == general)
            return true;
    return false;
}

/* Two rows overlap if and only if they are marked, and then every word of the special one matches the general one. */
static void test_overlaps(void **state) {
    (void)state;
    for (unsigned i = 1; i < RV_COUNT; i++)
        for (unsigned j = i + 1; j < RV_COUNT; j++) {
            const struct rv_row *a = rv_row((enum rv_id)i), *b = rv_row((enum rv_id)j);
            bool overlap = ((a->match ^ b->match) & a->mask & b->mask) == 0;
            if (overlap != overlap_marked(i, j))
                fail_msg("%s and %s: overlap %d", a->name, b->name, overlap);
            if (overlap)
                assert_int_equal(a->mask & b->mask, b->mask);
            assert_string_not_equal(a->name, b->name);
        }
}

static void test_rows_decode_to_themselves(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (unsigned id = 1; id < RV_COUNT; id++) {
        const struct rv_row *row = rv_row((enum rv_id)id);
        assert_int_equal(row->match & ~row->mask, 0);
        assert_int_equal(row->match & row->mask & 3, 3);
        for (int i = 0; i < 1000; i++) {
            struct rv_insn insn;
            enum rv_id got = rv_decode(row->match | (random_word(&seed) & ~row->mask), &insn);
            if (got != (enum rv_id)id && !overlap_marked(got, id))
                fail_msg("%s decodes to %s", row->name, rv_row(got)->name);
        }
    }
}

/* Words over the whole space: decoding is sound (the row matches) and complete (no row matches if none is found). */
static void test_decode_agrees_with_the_rows(void **state) {
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t word = random_word(&seed) | 3;
        struct rv_insn insn;
        unsigned first = 1;
        while (first < RV_COUNT && (word & rv_row((enum rv_id)first)->mask) != rv_row((enum rv_id)first)->match)
            first++;
        assert_int_equal(rv_decode(word, &insn), first == RV_COUNT ? RV_NONE : first);
    }
}

static void test_vector_rows_come_last(void **state) {
    (void)state;
    assert_true(RV_FIRST_V <= 256);
    for (unsigned id = 1; id < RV_COUNT; id++) {
        const struct rv_row *row = rv_row((enum rv_id)id);
        assert_int_equal(row->extension == RV_EXT_V, id >= RV_FIRST_V);
        assert_int_equal(row->class == RV_CLASS_VECTOR, id >= RV_FIRST_V);
    }
}

/* Every operand bit of a row belongs to a field or to the immediate, but where the cores ignore bits. */
static void test_formats_cover_the_operands(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (unsigned id = 1; id < RV_COUNT; id++) {
        const struct rv_row *row = rv_row((enum rv_id)id);
        uint32_t ignored = id == RV_FENCE ? 0x000F8F80 : id == RV_FCVT_S_H ? 0x7000 : 0;
        for (unsigned bit = 0; bit < 32; bit++) {
            uint32_t word = row->match | (random_word(&seed) & ~row->mask), flip = UINT32_C(1) << bit;
            struct rv_insn a, b;
            if (row->mask & flip || rv_decode(word, &a) != (enum rv_id)id ||
                rv_decode(word ^ flip, &b) != (enum rv_id)id)
                continue;
            bool differ = a.rd != b.rd || a.rs1 != b.rs1 || a.rs2 != b.rs2 || a.rs3 != b.rs3 || a.imm != b.imm;
            if (differ != !(ignored & flip))
                fail_msg("%s: bit %u", row->name, bit);
        }
    }
}

#define X(n) (UINT64_C(1) << (n))
#define F(n) (UINT64_C(1) << (32 + (n)))

static void test_register_use(void **state) {
    static const struct {
        uint32_t word;
        uint64_t reads, writes;
    } use[] = {
        { 0x00B50633, X(10) | X(11), X(12) },         /* add a2,a0,a1 */
        { 0x00B50033, X(10) | X(11), 0 },             /* add zero,a0,a1 */
        { 0x00000013, 0, 0 },                         /* nop */
        { 0x80F50023, X(10) | X(15), 0 },             /* sb a5,-2048(a0) */
        { 0xFFC12403, X(2), X(8) },                   /* lw s0,-4(sp) */
        { 0x80B50063, X(10) | X(11), 0 },             /* beq a0,a1 */
        { 0xFFFFF537, 0, X(10) },                     /* lui a0 */
        { 0x0EB6252F, X(11) | X(12), X(10) },         /* amoswap.w.aqrl a0,a1,(a2) */
        { 0x7C0FE073, 0, 0 },                         /* csrrsi zero,0x7c0,31 */
        { 0x68C59543, F(11) | F(12) | F(13), F(10) }, /* fmadd.s */
        { 0xFC00704B, F(0) | F(31), F(0) },           /* fnmsub.h ft0,ft0,ft0,ft11: f0 is a register like others */
        { 0xFF852507, X(10), F(10) },                 /* flw fa0,-8(a0) */
        { 0x00359327, X(11) | F(3), 0 },              /* fsh ft3,6(a1) */
        { 0xC0059553, F(11), X(10) },                 /* fcvt.w.s a0,fa1 */
        { 0xD415F553, X(11), F(10) },                 /* fcvt.h.wu fa0,a1 */
        { 0xEAD600A7, X(12) | X(13), 0 },             /* vssseg8e8.v v1,(a2),a3 */
        { 0x06956207, X(10), 0 },                     /* vluxei32.v v4,(a0),v9 */
        { 0xB275D1D7, F(11), 0 },                     /* vfmacc.vf v3,fa1,v7 */
        { 0x43F02557, 0, X(10) },                     /* vmv.x.s a0,v31 */
        { 0x423015D7, 0, F(11) },                     /* vfmv.f.s fa1,v3 */
        { 0x0D35F557, X(11), X(10) },                 /* vsetvli a0,a1,… */
        { 0xC0F8F557, 0, X(10) },                     /* vsetivli a0,17,… */
    };
    (void)state;
    for (size_t i = 0; i < sizeof use / sizeof *use; i++) {
        struct rv_insn insn;
        assert_int_not_equal(rv_decode(use[i].word, &insn), RV_NONE);
        assert_true(rv_reads(&insn) == use[i].reads);
        assert_true(rv_writes(&insn) == use[i].writes);
    }
}

/* As snprintf: whole length returned, nothing beyond size written, always terminated. */
static void test_short_buffers(void **state) {
    static const char whole[] = "fmadd.s fa0,fa1,fa2,fa3,rtz";
    (void)state;
    for (size_t size = 0; size <= sizeof whole + 1; size++) {
        char text[64];
        size_t kept = size < sizeof whole ? size : sizeof whole;
        memset(text, '?', sizeof text);
        assert_int_equal(riscv_disasm(0, 0x68C59543, text, size), sizeof whole - 1);
        assert_int_equal(text[size], '?');
        if (kept) {
            assert_int_equal(text[kept - 1], 0);
            assert_memory_equal(text, whole, kept - 1);
        }
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_words),
        cmocka_unit_test(test_illegal_words),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_rows_decode_to_themselves),
        cmocka_unit_test(test_decode_agrees_with_the_rows),
        cmocka_unit_test(test_vector_rows_come_last),
        cmocka_unit_test(test_formats_cover_the_operands),
        cmocka_unit_test(test_register_use),
        cmocka_unit_test(test_short_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
