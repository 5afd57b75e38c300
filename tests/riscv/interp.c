/* Instructions one by one: registers and memory in, a word, registers and memory out. Edges are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, B = 11, D = 12 }; /* registers of the tests */
enum { DATA = 0x20000 };

/* Runs one word with x10 = a, x11 = b; gives x12. */
static uint32_t run_word(uint32_t word, uint32_t a, uint32_t b) {
    struct box *box = box_create(1);
    struct core *core = &box->tile.core[BH_BRISC];
    uint32_t result;
    BOX_CODE(box, BH_BRISC, word, EBREAK);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = a;
    core->x[B] = b;
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->x[0], 0);
    result = core->x[D];
    box_destroy(box);
    return result;
}

static const struct {
    enum rv_id id;
    uint32_t a, b, result;
} binary[] = {
    { RV_ADD, 0xFFFFFFFF, 1, 0 },
    { RV_SUB, 0, 1, 0xFFFFFFFF },
    { RV_SLL, 1, 33, 2 }, /* the count is taken modulo 32 */
    { RV_SRL, 0x80000000, 31, 1 },
    { RV_SRA, 0x80000000, 31, 0xFFFFFFFF },
    { RV_SRA, 0x80000000, 32, 0x80000000 },
    { RV_SLT, 0x80000000, 0x7FFFFFFF, 1 },
    { RV_SLTU, 0x80000000, 0x7FFFFFFF, 0 },
    { RV_XOR, 0xF0F0F0F0, 0xFF00FF00, 0x0FF00FF0 },
    { RV_OR, 0xF0F0F0F0, 0x0F000000, 0xFFF0F0F0 },
    { RV_AND, 0xF0F0F0F0, 0xFF000000, 0xF0000000 },
    { RV_MUL, 0x10001, 0x10001, 0x20001 },
    { RV_MULH, 0x80000000, 0x80000000, 0x40000000 },
    { RV_MULH, 0xFFFFFFFF, 0xFFFFFFFF, 0 },
    { RV_MULHSU, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF },
    { RV_MULHSU, 0x80000000, 0xFFFFFFFF, 0x80000000 },
    { RV_MULHU, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE },
    { RV_DIV, 7, 0, 0xFFFFFFFF },
    { RV_DIV, 0x80000000, 0xFFFFFFFF, 0x80000000 },
    { RV_DIV, (uint32_t)-7, 2, (uint32_t)-3 },
    { RV_DIVU, 7, 0, 0xFFFFFFFF },
    { RV_DIVU, 0x80000000, 0xFFFFFFFF, 0 },
    { RV_REM, 7, 0, 7 },
    { RV_REM, 0x80000000, 0xFFFFFFFF, 0 },
    { RV_REM, (uint32_t)-7, 2, (uint32_t)-1 },
    { RV_REMU, 7, 0, 7 },
    { RV_REMU, 0xFFFFFFFF, 10, 5 },
    { RV_SH1ADD, 0x80000001, 1, 3 },
    { RV_SH2ADD, 0x40000001, 1, 5 },
    { RV_SH3ADD, 0x20000001, 1, 9 },
    { RV_ANDN, 0xFF, 0x0F, 0xF0 },
    { RV_ORN, 0, 0xFFFFFFFE, 1 },
    { RV_XNOR, 0x55555555, 0x55555555, 0xFFFFFFFF },
    { RV_MIN, 0x80000000, 1, 0x80000000 },
    { RV_MINU, 0x80000000, 1, 1 },
    { RV_MAX, 0x80000000, 1, 1 },
    { RV_MAXU, 0x80000000, 1, 0x80000000 },
    { RV_ROL, 0x80000001, 1, 3 },
    { RV_ROL, 0x80000001, 32, 0x80000001 },
    { RV_ROR, 0x80000001, 1, 0xC0000000 },
    { RV_PACK, 0x11112222, 0x33334444, 0x44442222 },
};

static void test_binary(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        assert_int_equal(run_word(asm_r(binary[i].id, D, A, B), binary[i].a, binary[i].b), binary[i].result);
}

static const struct {
    enum rv_id id;
    uint32_t a;
    int32_t imm;
    uint32_t result;
} immediate[] = {
    { RV_ADDI, 0x7FFFFFFF, 1, 0x80000000 },
    { RV_ADDI, 0, -2048, 0xFFFFF800 },
    { RV_SLTI, 0xFFFFFFFF, 0, 1 },
    { RV_SLTIU, 5, -1, 1 }, /* the immediate is sign-extended, then unsigned */
    { RV_XORI, 0x0F, -1, 0xFFFFFFF0 },
    { RV_ORI, 0x0F, 0x70, 0x7F },
    { RV_ANDI, 0xFFFFFFFF, -16, 0xFFFFFFF0 },
    { RV_SLLI, 1, 31, 0x80000000 },
    { RV_SRLI, 0x80000000, 31, 1 },
    { RV_SRAI, 0x80000000, 31, 0xFFFFFFFF },
    { RV_RORI, 1, 1, 0x80000000 },
    { RV_RORI, 0x12345678, 0, 0x12345678 },
    { RV_GREVI, 0x00000001, 31, 0x80000000 }, /* reverses all bits */
    { RV_GREVI, 0x12345678, 0, 0x12345678 },
    { RV_GREVI, 0x12345678, 16, 0x56781234 },
    { RV_CLZ, 0, 0, 32 },
    { RV_CLZ, 1, 0, 31 },
    { RV_CTZ, 0, 0, 32 },
    { RV_CTZ, 0x80000000, 0, 31 },
    { RV_CPOP, 0xFFFFFFFF, 0, 32 },
    { RV_SEXT_B, 0x80, 0, 0xFFFFFF80 },
    { RV_SEXT_H, 0x8000, 0, 0xFFFF8000 },
    { RV_ZEXT_H, 0x12348000, 0, 0x8000 },
    { RV_ORC_B, 0x01008000, 0, 0xFF00FF00 },
    { RV_REV8, 0x12345678, 0, 0x78563412 },
    { RV_BREV8, 0x01020380, 0, 0x8040C001 },
};

static void test_immediate(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof immediate / sizeof *immediate; i++)
        assert_int_equal(run_word(asm_i(immediate[i].id, D, A, immediate[i].imm), immediate[i].a, 0),
                         immediate[i].result);
    assert_int_equal(run_word(asm_u(RV_LUI, D, 0xABCDE000), 0, 0), 0xABCDE000);
    assert_int_equal(run_word(asm_u(RV_AUIPC, D, 0xABCDE000), 0, 0), 0xABCDE000); /* pc is 0 */
}

/* One bit of a byte is enough, whichever it is. */
static void test_orc_b_of_every_bit(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++)
        assert_int_equal(run_word(asm_i(RV_ORC_B, D, A, 0), UINT32_C(1) << bit, 0), UINT32_C(0xFF) << bit / 8 * 8);
}

static void test_x0_stays_zero(void **state) {
    (void)state;
    run_word(asm_i(RV_ADDI, 0, 0, 5), 0, 0);
    run_word(asm_r(RV_MUL, 0, A, B), 3, 5);
    run_word(asm_i(RV_LW, 0, 0, 0), 0, 0);
    run_word(asm_u(RV_LUI, 0, 0x1000), 0, 0);
    run_word(asm_csr(RV_CSRRW, 0, 0x7C3, A), 1, 0);
}

/* Loads of DATA + offset, where the bytes 0x80 0x81 .. 0x87 lie. */
static void test_loads(void **state) {
    static const struct {
        enum rv_id id;
        int32_t offset;
        uint32_t result;
    } cases[] = {
        { RV_LB, 1, 0xFFFFFF81 }, { RV_LBU, 1, 0x81 },      { RV_LH, 2, 0xFFFF8382 },
        { RV_LHU, 2, 0x8382 },    { RV_LW, 4, 0x87868584 }, { RV_LW, -4, 0 },
    };
    static const uint8_t bytes[8] = { 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87 };
    const uint32_t bases[] = { DATA, CORE_L1_SIZE - 8, CORE_LDM_BASE + 8, CORE_LDM_BASE + 0x2000 - 8 };
    (void)state;
    for (size_t base = 0; base < sizeof bases / sizeof *bases; base++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct box *box = box_create(1);
            struct core *core = &box->tile.core[BH_BRISC];
            BOX_CODE(box, BH_BRISC, asm_i(cases[i].id, D, A, cases[i].offset), EBREAK);
            box_release(box, 1u << BH_BRISC);
            if (bases[base] < CORE_L1_SIZE)
                memcpy(box->tile.l1 + bases[base], bytes, sizeof bytes);
            else
                memcpy(core->ldm + (bases[base] - CORE_LDM_BASE), bytes, sizeof bytes);
            core->x[A] = bases[base];
            tile_run(&box->tile, 200);
            assert_int_equal(core->state, BH_CORE_PAUSED);
            assert_int_equal(core->x[D], cases[i].result);
            box_destroy(box);
        }
}

static void test_stores(void **state) {
    static const struct {
        enum rv_id id;
        int32_t offset;
        uint32_t low, high;
    } cases[] = {
        { RV_SB, 1, 0x0000DD00, 0 },
        { RV_SH, 2, 0xCCDD0000, 0 },
        { RV_SW, 4, 0, 0xAABBCCDD },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct box *box = box_create(1);
        struct core *core = &box->tile.core[BH_BRISC];
        BOX_CODE(box, BH_BRISC, asm_s(cases[i].id, B, cases[i].offset, A), asm_s(cases[i].id, B, cases[i].offset, D),
                 EBREAK);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = DATA;
        core->x[D] = CORE_LDM_BASE;
        core->x[B] = 0xAABBCCDD;
        tile_run(&box->tile, 200);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(box_peek32(box, DATA), cases[i].low);
        assert_int_equal(box_peek32(box, DATA + 4), cases[i].high);
        assert_memory_equal(core->ldm, box->tile.l1 + DATA, 8);
        box_destroy(box);
    }
}

static void test_atomics(void **state) {
    static const struct {
        enum rv_id id;
        uint32_t old, operand, result;
    } cases[] = {
        { RV_AMOADD_W, 0xFFFFFFFF, 2, 1 },
        { RV_AMOSWAP_W, 1, 2, 2 },
        { RV_AMOXOR_W, 3, 5, 6 },
        { RV_AMOOR_W, 3, 5, 7 },
        { RV_AMOAND_W, 3, 5, 1 },
        { RV_AMOMIN_W, 0x80000000, 1, 0x80000000 },
        { RV_AMOMAX_W, 0x80000000, 1, 1 },
        { RV_AMOMINU_W, 0x80000000, 1, 1 },
        { RV_AMOMAXU_W, 0x80000000, 1, 0x80000000 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned aqrl = 0; aqrl < 4; aqrl++) { /* ignored by these cores */
            struct box *box = box_create(1);
            struct core *core = &box->tile.core[BH_NCRISC];
            BOX_CODE(box, BH_NCRISC, asm_r(cases[i].id, D, A, B) | aqrl << 25, EBREAK);
            box_release(box, 1u << BH_NCRISC);
            box_poke32(box, DATA, cases[i].old);
            core->x[A] = DATA;
            core->x[B] = cases[i].operand;
            tile_run(&box->tile, 200);
            assert_int_equal(core->state, BH_CORE_PAUSED);
            assert_int_equal(core->x[D], cases[i].old);
            assert_int_equal(box_peek32(box, DATA), cases[i].result);
            box_destroy(box);
        }
}

static void test_branches(void **state) {
    static const struct {
        enum rv_id id;
        uint32_t a, b;
        bool taken;
    } cases[] = {
        { RV_BEQ, 1, 1, true },
        { RV_BEQ, 1, 2, false },
        { RV_BNE, 1, 2, true },
        { RV_BNE, 1, 1, false },
        { RV_BLT, (uint32_t)-1, 0, true },
        { RV_BLT, 0, 0, false },
        { RV_BGE, 0, (uint32_t)-1, true },
        { RV_BGE, 0, 0, true },
        { RV_BGE, (uint32_t)-1, 0, false },
        { RV_BLTU, 0, (uint32_t)-1, true },
        { RV_BLTU, 0, 0, false },
        { RV_BGEU, (uint32_t)-1, 0, true },
        { RV_BGEU, 0, 1, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int forward = 0; forward < 2; forward++) {
            struct box *box = box_create(1);
            struct core *core = &box->tile.core[BH_BRISC];
            /* 0: j 12 · 4: li 1 · 8: ebreak · 12: branch to 4 or 20 · 16: ebreak · 20: li 1 · 24: ebreak */
            BOX_CODE(box, BH_BRISC, asm_j(0, 12), asm_i(RV_ADDI, D, 0, 1), EBREAK,
                     asm_b(cases[i].id, A, B, forward ? 8 : -8), EBREAK, asm_i(RV_ADDI, D, 0, 1), EBREAK);
            box_release(box, 1u << BH_BRISC);
            core->x[A] = cases[i].a;
            core->x[B] = cases[i].b;
            tile_run(&box->tile, 200);
            assert_int_equal(core->state, BH_CORE_PAUSED);
            assert_int_equal(core->x[D], cases[i].taken);
            box_destroy(box);
        }
}

static void test_calls(void **state) {
    struct box *box = box_create(1);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    /* 0: jal ra, 12 · 4: addi d, d, 1 · 8: ebreak · 12: addi d, x0, 4 · 16: jalr x0, 1(ra): bit 0 is dropped */
    BOX_CODE(box, BH_BRISC, asm_j(1, 12), asm_i(RV_ADDI, D, D, 1), EBREAK, asm_i(RV_ADDI, D, 0, 4),
             asm_i(RV_JALR, 0, 1, 1));
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->x[1], 4);
    assert_int_equal(core->x[D], 5);
    box_destroy(box);
}

/* jalr whose link register is its base: the target comes from the old value. */
static void test_jalr_same_register(void **state) {
    struct box *box = box_create(1);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_i(RV_JALR, A, A, 4), NOP, NOP, EBREAK);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = 8;
    tile_run(&box->tile, 200);
    assert_int_equal(core->x[A], 4);
    assert_int_equal(core->pc, 16);
    box_destroy(box);
}

/* A program overwrites an instruction that has been run and decoded before, and runs it again: x13 afterwards.
 * invalidate: the program also writes RISCV_IC_INVALIDATE. */
static uint32_t rewrite(bool invalidate, bool loose) {
    enum { E = 14, IC_INVALIDATE = 185 * 4 };
    struct box *box = box_create_timed(32, loose);
    struct core *core = &box->tile.core[BH_BRISC];
    /* 0: addi d, d, 1 (to be overwritten) · bne d, b, end · sw a, 0(x0) · sw b, (e) · a pause · j 0 · end: ebreak */
    uint32_t words[26] = { asm_i(RV_ADDI, D, D, 1), asm_b(RV_BNE, D, B, 24 * 4), asm_s(RV_SW, A, 0, 0),
                           invalidate ? asm_s(RV_SW, B, IC_INVALIDATE, E) : NOP };
    for (unsigned i = 4; i < 24; i++) /* InstructionCache.md: so many may come from before the invalidation */
        words[i] = NOP;
    words[24] = asm_j(0, -24 * 4);
    words[25] = EBREAK;
    box_code(box, BH_BRISC, words, 26);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = asm_i(RV_ADDI, D, D, 100);
    core->x[B] = 1;
    core->x[E] = 0xFFEF0000;
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    uint32_t sum = core->x[D];
    box_destroy(box);
    return sum;
}

static void test_code_is_rewritten(void **state) {
    (void)state;
    assert_int_equal(rewrite(true, false), 101);
    assert_int_equal(rewrite(false, false), 2); /* the instruction cache has the old one */
    assert_int_equal(rewrite(true, true), 101);
    assert_int_equal(rewrite(false, true), 101); /* there is none with loose timing */
}

/* Code from the host over code that has run. */
static void test_host_rewrites_code(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, D, 0, 1), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 100);
    assert_int_equal(core->x[D], 1);
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, D, 0, 2), EBREAK);
    box_release(box, 0);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 200);
    assert_int_equal(core->x[D], 2);
    box_destroy(box);
}

static const struct {
    const char *name;
    uint32_t word;
    uint32_t a;
    enum bh_fault_kind kind;
    uint64_t address;
    const char *text;
} faults[] = {
    { "zero word", 0x00000000, 0, BH_FAULT_RUNAWAY, 0, "runaway pc" },
    { "no encoding", 0xFFFFFFFF, 0, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "0xffffffff" },
    { "lr.w is absent", 0x1005252F, DATA, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "illegal" },
    { "fence.i is absent", 0x0000100F, 0, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "illegal" },
    { "a CSR that is not there", 0x30501073, 0, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "0x305" },
    { "mret outside a handler", 0x30200073, 0, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "mret" },
    { "vector on brisc", 0x57, 0, BH_FAULT_ILLEGAL_INSTRUCTION, 0, "trisc2" },
    { "misaligned lw", 0x00052603, DATA + 2, BH_FAULT_MISALIGNED, DATA + 2, "misaligned 4-byte load at 0x00020002" },
    { "misaligned lh", 0x00051603, DATA + 1, BH_FAULT_MISALIGNED, DATA + 1, "misaligned 2-byte load" },
    { "misaligned sw", 0x00B52023, DATA + 1, BH_FAULT_MISALIGNED, DATA + 1, "misaligned 4-byte store" },
    { "load behind L1", 0x00052603, CORE_L1_SIZE, BH_FAULT_UNMAPPED, CORE_L1_SIZE, "0x00180000" },
    { "load behind local memory", 0x00052603, CORE_LDM_BASE + 0x2000, BH_FAULT_UNMAPPED, CORE_LDM_BASE + 0x2000,
      "brisc" },
    { "atomic outside L1", 0x00B5252F, CORE_LDM_BASE, BH_FAULT_UNMAPPED, CORE_LDM_BASE, "atomics work on L1 only" },
    { "jalr outside L1", 0x00050067, CORE_LDM_BASE, BH_FAULT_UNMAPPED, CORE_LDM_BASE, "jump to 0xffb00000" },
    { "jalr to a half word", 0x00050067, 0x1002, BH_FAULT_UNMAPPED, 0x1002, "misaligned" },
};

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct box *box = box_create(32);
        struct core *core = &box->tile.core[BH_BRISC];
        BOX_CODE(box, BH_BRISC, NOP, faults[i].word, EBREAK);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = faults[i].a;
        assert_false(tile_run(&box->tile, 300));
        if (box->faults != 1 || box->fault.kind != faults[i].kind || !strstr(box->fault.text, faults[i].text))
            fail_msg("%s: %u faults, the last: %s", faults[i].name, box->faults, box->fault.text);
        assert_int_equal(core->state, BH_CORE_FAULTED);
        assert_int_equal(box->fault.core, BH_BRISC);
        assert_int_equal(box->fault.pc, 4);
        assert_int_equal(box->fault.insn, faults[i].word);
        if (faults[i].address)
            assert_int_equal(box->fault.address, faults[i].address);
        assert_int_equal(box->fault.tile.x, 1);
        box_destroy(box);
    }
}

/* A reason that is too long for the text ends behind a whole word. */
static void test_a_long_reason(void **state) {
    (void)state;
    struct box *box = box_create(32);
    char reason[300] = "";
    while (strlen(reason) + 8 < sizeof reason)
        strcat(reason, "reason ");
    core_fault(&box->tile.core[BH_TRISC0], BH_FAULT_UNDEFINED, 0, 0, "%s", reason);
    const char *text = box->fault.text, *end = text + strlen(text);
    assert_memory_equal(text, "trisc0 at pc 0x", 15);
    assert_string_equal(end - 10, "reason ...");
    assert_true(end - text > (int)sizeof box->fault.text - 9);
    box_destroy(box);
}

/* Off the end of L1, and branches out of it, which fault only when taken. */
static void test_fetch_outside(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    uint32_t last = asm_i(RV_ADDI, D, 0, 7);
    (void)state;
    box_poke32(box, CORE_L1_SIZE - 4, last);
    box_poke32(box, 0xFFB12228, CORE_L1_SIZE - 4);
    box_poke32(box, 0xFFB12234, 1);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 300);
    assert_int_equal(core->x[D], 7);
    assert_int_equal(box->fault.kind, BH_FAULT_UNMAPPED);
    assert_int_equal(box->fault.pc, CORE_L1_SIZE);
    box_destroy(box);

    box = box_create(32);
    core = &box->tile.core[BH_BRISC];
    BOX_CODE(box, BH_BRISC, asm_b(RV_BNE, 0, 0, -4), asm_b(RV_BEQ, 0, 0, -8), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 300);
    assert_int_equal(core->state, BH_CORE_FAULTED);
    assert_int_equal(box->fault.pc, 4);
    assert_int_equal(box->fault.address, 0xFFFFFFFC);
    box_destroy(box);
}

/* Every branch decides as it does inside L1, whatever lies where it leads. */
static void test_branches_out_of_l1(void **state) {
    static const struct {
        enum rv_id op;
        bool less, equal, more; /* taken when rs1 is -1, 5 and 9, and rs2 is 5 */
    } branches[] = {
        { RV_BEQ, false, true, false }, { RV_BNE, true, false, true },    { RV_BLT, true, false, false },
        { RV_BGE, false, true, true },  { RV_BLTU, false, false, false }, { RV_BGEU, true, true, true },
    };
    static const uint32_t values[] = { UINT32_MAX, 5, 9 };
    (void)state;
    for (unsigned i = 0; i < 3 * sizeof branches / sizeof branches[0]; i++) {
        struct box *box = box_create(32);
        struct core *core = &box->tile.core[BH_BRISC];
        const bool taken[] = { branches[i / 3].less, branches[i / 3].equal, branches[i / 3].more };
        BOX_CODE(box, BH_BRISC, asm_b(branches[i / 3].op, A, B, -8), EBREAK);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = values[i % 3];
        core->x[B] = 5;
        tile_run(&box->tile, 300);
        assert_int_equal(core->state, taken[i % 3] ? BH_CORE_FAULTED : BH_CORE_PAUSED);
        box_destroy(box);
    }
}

static void test_float_memory(void **state) {
    struct box *box = box_create(1);
    struct core *core = &box->tile.core[BH_TRISC1];
    (void)state;
    BOX_CODE(box, BH_TRISC1, asm_i(RV_FLW, 1, A, 0), asm_i(RV_FLH, 2, A, 0), asm_s(RV_FSW, 1, 8, A),
             asm_s(RV_FSH, 2, 12, A), asm_i(RV_FLW, 3, B, 0), EBREAK);
    box_release(box, 1u << BH_TRISC1);
    box_poke32(box, DATA, 0x3F801234);
    core->x[A] = DATA;
    core->x[B] = CORE_LDM_BASE;
    core->ldm[3] = 0x40;
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->f[1], 0x3F801234);
    assert_int_equal(core->f[2], 0xFFFF1234);
    assert_int_equal(core->f[3], 0x40000000);
    assert_int_equal(box_peek32(box, DATA + 8), 0x3F801234);
    assert_int_equal(box_peek32(box, DATA + 12), 0x1234);
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_immediate),
        cmocka_unit_test(test_orc_b_of_every_bit),
        cmocka_unit_test(test_x0_stays_zero),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_jalr_same_register),
        cmocka_unit_test(test_code_is_rewritten),
        cmocka_unit_test(test_host_rewrites_code),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_a_long_reason),
        cmocka_unit_test(test_fetch_outside),
        cmocka_unit_test(test_branches_out_of_l1),
        cmocka_unit_test(test_float_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
