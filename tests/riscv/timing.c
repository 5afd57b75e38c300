/* The cost of instructions (BabyRISCV/README.md). Each case runs a few words and checks the core's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, B = 11, C = 12, D = 13, LDM = 14, DATA = 0x20000 };

#define WORDS_MAX 48

static struct slot_memo memo; /* of all cases, whose words lie at the same addresses */

/* Cycles that the words take on BRISC, ebreak not counted. x10 = DATA, x14 = local memory. */
static uint64_t cycles_of(const uint32_t *words, size_t count) {
    enum { RUNS = 3, SLICED = 1 };
    uint64_t cycles[RUNS];
    struct coverage coverage[RUNS];
    /* Time depends neither on how the tile slices it nor on the memo, which the last run finds filled. */
    for (unsigned run = 0; run < RUNS; run++) {
        struct box *box = box_create(run == SLICED ? 1 : 32);
        struct core *core = &box->tile.core[BH_BRISC];
        core->memo = run == SLICED ? NULL : &memo;
        box_code(box, BH_BRISC, words, count);
        box_poke32(box, (uint32_t)count * 4, EBREAK);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = DATA;
        core->x[LDM] = CORE_LDM_BASE;
        core->x[B] = 100;
        core->x[C] = 3;
        tile_run(&box->tile, 2000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        cycles[run] = core_time(core) - 1;
        coverage[run] = box->tile.coverage;
        box_destroy(box);
        assert_int_equal(cycles[run], cycles[0]);
        assert_memory_equal(&coverage[run], &coverage[0], sizeof *coverage);
    }
    return cycles[0];
}
#define CYCLES(...) cycles_of((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void test_one_cycle_each(void **state) {
    (void)state;
    assert_int_equal(CYCLES(NOP), 1);
    assert_int_equal(CYCLES(NOP, asm_r(RV_ADD, D, A, B), asm_r(RV_ADD, D, D, D), asm_i(RV_SLLI, D, D, 2)), 4);
}

static void test_load_latency(void **state) {
    uint32_t use = asm_r(RV_ADD, D, D, D);
    (void)state;
    /* N cycles: the user right behind the load issues N cycles after it. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), use), 8 + 1);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, LDM, 0), use), 2 + 1);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, LDM, 0), NOP, use), 3);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), NOP, NOP, NOP, NOP, NOP, NOP, NOP, use), 9);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), NOP, NOP, use), 9);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), NOP, NOP, NOP, NOP, NOP, NOP, use), 9); /* the last that can wait */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), NOP), 2);                               /* the result is not used */
    /* Two loads under way at once. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_i(RV_LW, C, A, 4), asm_r(RV_ADD, D, D, C)), 10);
    /* A redefinition in between is not waited for. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_i(RV_ADDI, D, 0, 1), use), 3);
    /* Every kind of user: store data, store address, branch, jump. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_s(RV_SW, D, 4, A)), 9);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_s(RV_SW, A, 64, D)), 9);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_b(RV_BNE, D, 0, 8)), 9);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_b(RV_BNE, 0, D, 8)), 9);
    /* Tile registers: at least 7. */
    assert_int_equal(CYCLES(asm_u(RV_LUI, C, 0xFFB12000), asm_i(RV_LW, D, C, 0x1B0), use), 1 + 7 + 1);
}

/* Four loads from L1 are under way at once, for seven cycles each. */
static void test_load_queue(void **state) {
    uint32_t loads[16];
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        loads[i] = asm_i(RV_LW, 16 + i % 8, A, (int32_t)(16 * i));
    assert_int_equal(cycles_of(loads, 4), 4);
    assert_int_equal(cycles_of(loads, 5), 8);
    assert_int_equal(cycles_of(loads, 8), 11);
    assert_int_equal(cycles_of(loads, 16) - cycles_of(loads, 8), 14);
    /* Others in between take the time. */
    uint32_t spread[] = { loads[0], loads[1], loads[2], loads[3], NOP, NOP, loads[4], loads[5] };
    assert_int_equal(cycles_of(spread, 8), 9);
    spread[4] = asm_i(RV_LW, 0, A, 0); /* a load to x0 is one, too */
    assert_int_equal(cycles_of(spread, 8), 11);
    /* Local memory does not queue. Every kind of load keeps its value. */
    for (unsigned i = 0; i < 16; i++)
        loads[i] = asm_i(RV_LW, 16 + i % 8, LDM, (int32_t)(4 * i));
    assert_int_equal(cycles_of(loads, 16), 16);
}

/* The values of loads that may find the queue full: the fifth of each kind. */
static void test_queued_values(void **state) {
    static const struct {
        enum rv_id id;
        uint32_t value;
    } kinds[] = {
        { RV_LB, 0xFFFFFF82 }, { RV_LBU, 0x82 }, { RV_LH, 0xFFFF8382 }, { RV_LHU, 0x8382 }, { RV_LW, 0x85848382 }
    };
    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct box *box = box_create(32);
        struct core *core = &box->tile.core[BH_BRISC];
        uint32_t load = asm_i(kinds[i].id, D, A, -4);
        BOX_CODE(box, BH_BRISC, asm_i(RV_LW, B, A, 0), asm_i(RV_LW, B, A, 0), asm_i(RV_LW, B, A, 0),
                 asm_i(RV_LW, C, A, 0), load, EBREAK);
        box_poke32(box, DATA, 0x85848382);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = DATA + 4;
        tile_run(&box->tile, 100);
        assert_int_equal(core->x[D], kinds[i].value);
        box_destroy(box);
    }
}

static void test_multiply_and_divide(void **state) {
    (void)state;
    assert_int_equal(CYCLES(asm_r(RV_MUL, D, B, C), asm_r(RV_ADD, D, D, D)), 3);
    assert_int_equal(CYCLES(asm_r(RV_MUL, D, B, C), NOP, asm_r(RV_ADD, D, D, D)), 3);
    assert_int_equal(CYCLES(asm_r(RV_DIV, D, B, 0)), 2);                               /* by zero */
    assert_int_equal(CYCLES(asm_i(RV_ADDI, C, 0, 1), asm_r(RV_DIVU, D, B, C)), 1 + 2); /* by one */
    assert_int_equal(CYCLES(asm_r(RV_REM, D, C, B)), 6);                               /* a small dividend */
    assert_int_equal(CYCLES(asm_i(RV_ADDI, D, 0, -1), asm_r(RV_DIVU, D, D, C)), 1 + 33);
    assert_int_equal(CYCLES(asm_i(RV_ADDI, D, 0, -1), asm_r(RV_DIV, D, D, C)), 1 + 6); /* its magnitude counts */
    /* Measured: twelve bits, and 29. */
    assert_int_equal(CYCLES(asm_u(RV_LUI, D, 0x1000), asm_i(RV_ADDI, D, D, -1), asm_r(RV_DIVU, D, D, C)), 2 + 14);
    assert_int_equal(CYCLES(asm_u(RV_LUI, D, 0x12345678), asm_r(RV_DIVU, D, D, C)), 1 + 33);
}

static void test_branches(void **state) {
    (void)state;
    assert_int_equal(CYCLES(asm_b(RV_BNE, 0, 0, 8), NOP), 2);              /* forward, not taken: predicted */
    assert_int_equal(CYCLES(asm_b(RV_BEQ, 0, 0, 8), NOP, NOP), 1 + 4 + 1); /* forward, taken */
    /* A loop of three rounds: the branch is taken for the first time, again, and not taken. */
    assert_int_equal(CYCLES(asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4)), 3 * 2 + 4 + 4);
    assert_int_equal(CYCLES(asm_j(0, 8), NOP, NOP), 1 + 4 + 1);
    /* A return is predicted, a jump through another register is not. */
    assert_int_equal(CYCLES(asm_i(RV_ADDI, 1, 0, 12), asm_i(RV_JALR, 0, 1, 0), NOP, NOP), 1 + 1 + 1);
    assert_int_equal(CYCLES(asm_i(RV_ADDI, 5, 0, 12), asm_i(RV_JALR, 0, 5, 0), NOP, NOP), 1 + 5 + 1);
}

/* A load that is put before code which has run already: its user waits from then on. */
static void test_patched_load(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    uint64_t before;
    (void)state;
    BOX_CODE(box, BH_BRISC, NOP, asm_r(RV_ADD, D, D, D), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 100);
    assert_int_equal(core_time(core), 3);
    box_poke32(box, 0, asm_i(RV_LW, D, 0, 0x100));
    box_release(box, 0);
    box_release(box, 1u << BH_BRISC);
    before = core_time(core);
    tile_run(&box->tile, 200);
    assert_int_equal(core_time(core) - before, 8 + 2);
    box_destroy(box);
}

static void test_store_queue(void **state) {
    uint32_t apart[12], near[12], far[12];
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        apart[i] = asm_s(RV_SW, B, (int32_t)(32 * i), A);
        near[i] = asm_s(RV_SW, B, (int32_t)(4 * i), A);
        far[i] = asm_s(RV_SW, B, (int32_t)(8 * (i % 2)), A);
    }
    assert_int_equal(cycles_of(apart, 4), 4); /* they fit the queue */
    /* In the long run two stores in eleven cycles. */
    assert_int_equal(cycles_of(apart, 12) - cycles_of(apart, 8), 4 * 11 / 2);
    /* Stores to neighbouring words merge: one entry for 16 bytes. */
    assert_int_equal(cycles_of(near, 12), 12);
    /* In the same 16 bytes, but more than four apart: they do not. */
    assert_int_equal(cycles_of(far, 12), cycles_of(apart, 12));
    /* With cfg0.DisStMerge none does. */
    uint32_t separate[14] = { asm_u(RV_LUI, 5, 1u << 12), asm_csr(RV_CSRRS, 0, 0x7C0, 5) };
    memcpy(&separate[2], near, sizeof near);
    assert_int_equal(cycles_of(separate, 14), 1 + 4 + cycles_of(apart, 12));
}

static void test_atomic_and_csr(void **state) {
    (void)state;
    assert_int_equal(CYCLES(asm_r(RV_AMOADD_W, D, A, B), asm_r(RV_ADD, D, D, D)), 12 + 1);
    /* A CSR instruction waits for everything before it and holds what follows. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_csr(RV_CSRRS, C, 0x7C3, 0), NOP), 8 + 4 + 1);
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), FENCE, NOP), 8 + 2 + 1);
    /* Loads without a user count, too. */
    assert_int_equal(CYCLES(asm_i(RV_LW, 0, A, 0), asm_csr(RV_CSRRS, C, 0x7C3, 0), NOP), 8 + 4 + 1);
    assert_int_equal(CYCLES(asm_i(RV_LW, 0, A, 0), FENCE, NOP), 8 + 2 + 1);
    assert_int_equal(CYCLES(asm_i(RV_FLW, 1, A, 0), FENCE, NOP), 8 + 2 + 1);
    /* An atomic leaves EX1 when the loads and atomics before it have their results. */
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), asm_r(RV_AMOADD_W, C, A, B), NOP), 7 + 5 + 1);
    assert_int_equal(CYCLES(asm_i(RV_LW, 0, A, 0), asm_r(RV_AMOADD_W, C, A, B), NOP), 7 + 5 + 1);
    assert_int_equal(CYCLES(asm_r(RV_AMOADD_W, D, A, B), asm_r(RV_AMOADD_W, C, A, B), NOP), 11 + 5 + 1);
    assert_int_equal(CYCLES(asm_r(RV_MUL, D, B, C), asm_r(RV_AMOADD_W, C, A, B), NOP), 1 + 5 + 1);
}

/* A store of an f register waits for it. A load from local memory does not bring one from L1 forward. */
static void test_floats(void **state) {
    uint32_t load = asm_i(RV_FLW, 1, A, 0), local = asm_i(RV_FLW, 2, LDM, 0), add = asm_r(RV_FADD_S, 3, 1, 1);
    (void)state;
    assert_int_equal(CYCLES(load, asm_s(RV_FSW, 1, 64, A)), 8 + 1);
    assert_int_equal(CYCLES(load, asm_s(RV_FSH, 1, 64, A)), 8 + 1);
    assert_int_equal(CYCLES(local, asm_s(RV_FSW, 2, 64, A)), 2 + 1);
    assert_int_equal(CYCLES(add, asm_s(RV_FSW, 3, 64, A)), 2 + 1);
    assert_int_equal(CYCLES(load, NOP, NOP, asm_s(RV_FSW, 1, 64, A)), 8 + 1);
    assert_int_equal(CYCLES(load, local, add), 8 + 1);
    /* An instruction that writes f13 does not write x13. */
    uint32_t load_x = asm_i(RV_LW, D, A, 0), use = asm_r(RV_ADD, D, D, D);
    assert_int_equal(CYCLES(load_x, asm_r(RV_FADD_S, D, 1, 1), use), 8 + 1);
    assert_int_equal(CYCLES(load_x, asm_r(RV_FMADD_S, D, 1, 1), use), 8 + 1);
    assert_int_equal(CYCLES(load_x, asm_r(RV_FEQ_S, D, 1, 1), use), 3);
}

/* Cycles that three words take on TRISC2, ebreak not counted. x10 = DATA. */
static uint64_t vector_cycles(uint32_t first, uint32_t second, uint32_t third) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC2];
    BOX_CODE(box, BH_TRISC2, first, second, third, EBREAK);
    box_release(box, 1u << BH_TRISC2);
    core->x[A] = DATA;
    core->vec.vl = 1;
    core->vec.vtype = 1 << 3; /* e16, m1 */
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    uint64_t cycles = core_time(core) - 1;
    box_destroy(box);
    return cycles;
}

/* A vector instruction waits for the x registers that it reads, and for no other. */
static void test_vector_operands(void **state) {
    uint32_t load = asm_i(RV_LW, D, A, 0), use = asm_r(RV_ADD, D, D, D);
    (void)state;
    assert_int_equal(vector_cycles(load, asm_r(RV_VADD_VV, 1, D, D) | 1u << 25, NOP), 3);
    assert_int_equal(vector_cycles(load, asm_r(RV_VADD_VI, 1, D, D) | 1u << 25, NOP), 3);
    assert_int_equal(vector_cycles(load, asm_r(RV_VFADD_VF, 1, D, 0) | 1u << 25 | 2u << 20, NOP), 3);
    assert_int_equal(vector_cycles(load, asm_r(RV_VADD_VX, 1, D, 2) | 1u << 25, NOP), 8 + 2);
    assert_int_equal(vector_cycles(load, asm_r(RV_VADD_VX, D, A, D) | 1u << 25, NOP), 3);
    assert_int_equal(vector_cycles(load, asm_r(RV_VLSE8_V, 1, A, D) | 1u << 25, NOP), 8 + 2);
    assert_int_equal(vector_cycles(load, asm_r(RV_VLUXEI8_V, 1, A, D) | 1u << 25, NOP), 3);
    assert_int_equal(vector_cycles(load, asm_r(RV_VSSE8_V, D, A, 5) | 1u << 25, NOP), 3);
    /* One that writes v13 does not write x13. */
    assert_int_equal(vector_cycles(load, asm_r(RV_VADD_VV, D, 1, 2) | 1u << 25, use), 8 + 1);
    assert_int_equal(vector_cycles(load, rv_row(RV_VMV_X_S)->match | D << 7, use), 3);
}

/* A vset waits for everything before it and holds what follows, as a CSR instruction does (README.md, EX1). */
static void test_vset(void **state) {
    static const enum rv_id ids[] = { RV_VSETVLI, RV_VSETIVLI, RV_VSETVL };
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned loads = 0; loads < 2; loads++) {
            struct box *box = box_create(32);
            struct core *core = &box->tile.core[BH_TRISC2];
            BOX_CODE(box, BH_TRISC2, loads ? asm_i(RV_LW, D, A, 0) : NOP, rv_row(ids[i])->match | 5 << 7, NOP, EBREAK);
            box_release(box, 1u << BH_TRISC2);
            core->x[A] = DATA;
            tile_run(&box->tile, 200);
            assert_int_equal(core->state, BH_CORE_PAUSED);
            assert_int_equal(core_time(core) - 1, (loads ? 8 : 1) + 4 + 1);
            box_destroy(box);
        }
}

/* mcycle and minstret see the same time. */
static void test_counters(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC0];
    (void)state;
    BOX_CODE(box, BH_TRISC0, asm_csr(RV_CSRRS, C, 0xB00, 0), asm_i(RV_LW, D, A, 0), asm_r(RV_ADD, D, D, D),
             asm_csr(RV_CSRRS, D, 0xC00, 0), asm_csr(RV_CSRRS, B, 0xB02, 0), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 200);
    assert_int_equal(core->x[C], 0);
    assert_int_equal(core->x[D], 4 + 8 + 1);
    assert_int_equal(core->x[B], 4);
    box_destroy(box);
}

/* After reset, local memory is swept to zero, a word a cycle; the core's own access waits for it. */
static void test_sweep(void **state) {
    static const unsigned cores[] = { BH_BRISC, BH_TRISC1 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct box *box = box_create(32);
        struct core *core = &box->tile.core[cores[i]];
        BOX_CODE(box, cores[i], asm_u(RV_LUI, A, CORE_LDM_BASE), asm_i(RV_LW, D, A, 0), EBREAK);
        memset(core->ldm, 0xAA, sizeof core->ldm);
        box_poke32(box, 0xFFB121B0, 0x47800 & ~(cores[i] == BH_BRISC ? 1u << 11 : 1u << 13));
        tile_run(&box->tile, 5000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->x[D], 0);
        assert_int_equal(core_time(core), core->ldm_size / 4 + 2);
        box_destroy(box);
    }
}

/* ---- Every row of isa/riscv.def ------------------------------------------------------------------------ */

/* Cycles of its class. */
static struct class_cycles {
    unsigned occupancy, latency;
} const classes[] = {
#define RV_CLASS(name, occupancy, latency, text) [RV_CLASS_##name] = { occupancy, latency },
#include "isa/riscv.def"
};

/* The result goes to x13 or f13; operands are x11 and x12, an easy divisor, or an address. */
static uint32_t word_of(const struct rv_row *row, unsigned address) {
    const struct rv_shape *shape = rv_shape((enum rv_format)row->format);
    bool memory = row->class == RV_CLASS_LOAD || row->class == RV_CLASS_STORE || row->class == RV_CLASS_AMO;
    uint32_t word = row->match;
    if (shape->rd != RV_FIELD_O)
        word |= D << 7;
    if (shape->rs1 != RV_FIELD_O)
        word |= (memory ? address : row->class == RV_CLASS_CSR ? 0u : (unsigned)B) << 15;
    if (shape->rs2 != RV_FIELD_O)
        word |= (row->class == RV_CLASS_DIV ? 0u : (unsigned)C) << 20;
    if (row->class == RV_CLASS_BRANCH)
        word |= asm_b(RV_BEQ, 0, 0, 8) & ~asm_b(RV_BEQ, 0, 0, 0);
    if (row->class == RV_CLASS_CSR)
        word |= UINT32_C(0x7C3) << 20;
    return word;
}

static void check_row(const struct rv_row *row) {
    const struct class_cycles *class = &classes[row->class];
    uint32_t word = word_of(row, LDM), use = asm_r(RV_ADD, D, D, D);
    const struct rv_shape *shape = rv_shape((enum rv_format)row->format);
    if (row->class == RV_CLASS_AMO)
        word = word_of(row, A);
    if (CYCLES(word, NOP) != class->occupancy + 1)
        fail_msg("%s: the next after %u cycles, the table says %u", row->name, (unsigned)CYCLES(word, NOP) - 1,
                 class->occupancy);
    if (shape->rd == RV_FIELD_F || row->class == RV_CLASS_FLOAT) /* one time for all f registers, and no other */
        use = word_of(rv_row(RV_FADD_S), 0);
    if ((shape->rd == RV_FIELD_X || shape->rd == RV_FIELD_F) && CYCLES(word, use) != class->latency + 1)
        fail_msg("%s: used after %u cycles, the table says %u", row->name, (unsigned)CYCLES(word, use) - 1,
                 class->latency);
}

/* Not here: jumps and system instructions, which do not go on with the next word; branches that are taken; vectors, of
 * which vec.c has the cycles. */
static bool goes_on(const struct rv_row *row) {
    return row->class != RV_CLASS_JUMP && row->class != RV_CLASS_SYSTEM && row->class != RV_CLASS_VECTOR &&
           !(row->class == RV_CLASS_BRANCH && core_branches((enum rv_id)(row - rv_row(RV_NONE)), 100, 3));
}

static void test_every_row(void **state) {
    (void)state;
    for (unsigned id = RV_NONE + 1; id < RV_COUNT; id++)
        if (goes_on(rv_row((enum rv_id)id)))
            check_row(rv_row((enum rv_id)id));
}

/* The parts, in the formulas that they stand in. */
static void test_every_part(void **state) {
    uint32_t use = asm_r(RV_ADD, D, D, D), stores[3 * RV_PART_STORE_QUEUE];
    enum { MANY = 3 * RV_PART_STORE_QUEUE, SOME = 2 * RV_PART_STORE_QUEUE };
    (void)state;
    assert_int_equal(CYCLES(asm_i(RV_LW, D, A, 0), use), RV_PART_LOAD_L1 + 1);
    assert_int_equal(CYCLES(asm_b(RV_BEQ, 0, 0, 8), NOP), RV_OCCUPANCY_BRANCH + RV_PART_MISPREDICT);
    assert_int_equal(CYCLES(asm_i(RV_JALR, 0, 0, 8), NOP), RV_OCCUPANCY_JUMP + RV_PART_MISPREDICT);
    assert_int_equal(CYCLES(asm_j(0, 8), NOP), RV_OCCUPANCY_JUMP + RV_PART_MISPREDICT);
    assert_int_equal(CYCLES(asm_r(RV_DIVU, D, C, B)), RV_PART_DIV_STEP + RV_PART_DIV_MORE);
    assert_int_equal(CYCLES(asm_r(RV_DIVU, D, B, C)), 2 * RV_PART_DIV_STEP + RV_PART_DIV_MORE); /* 100 has seven bits */
    for (unsigned i = 0; i < MANY; i++)
        stores[i] = asm_s(RV_SW, B, (int32_t)(32 * i), A);
    assert_int_equal(cycles_of(stores, RV_PART_STORE_QUEUE), RV_PART_STORE_QUEUE);
    assert_true(cycles_of(stores, RV_PART_STORE_QUEUE + 2) > RV_PART_STORE_QUEUE + 2);
    assert_int_equal(cycles_of(stores, MANY) - cycles_of(stores, SOME), (MANY - SOME) * RV_PART_STORE_EIGHTHS / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_cycle_each),
        cmocka_unit_test(test_load_latency),
        cmocka_unit_test(test_load_queue),
        cmocka_unit_test(test_queued_values),
        cmocka_unit_test(test_multiply_and_divide),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_store_queue),
        cmocka_unit_test(test_atomic_and_csr),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_vset),
        cmocka_unit_test(test_vector_operands),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_patched_load),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
