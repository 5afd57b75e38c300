/* Every row of isa/tensix.def on an emulated coprocessor: when its unit takes the next instruction, when its result is
 * seen, and when nothing has the instruction any more, each compared with the table. A row without a case here fails,
 * as does a case that sees nothing. timing_parts.c has the parts of times. */
#include "support/random.h"
#include "tensix/timing.h"

static void owns_banks(struct tensix_box *tb) {
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
}

static void unpacks(struct tensix_box *tb) {
    us_setup(tb, 0, 5, 5, 16);
    for (unsigned i = 0; i < 64; i++)
        tb->x->l1[US_TILE + i] = (uint8_t)(i + 1);
}

static void packs(struct tensix_box *tb) {
    pt_setup(tb);
    pt_fill(tb);
}

static void has_word_to_compare(struct tensix_box *tb) {
    tb->x->l1[L1_AT] = 5;
    memset(tb->x->l1 + L1_AT + 1, 0, 3);
}

static void has_fifo(struct tensix_box *tb) {
    memset(tb->x->l1 + L1_AT, 0, 16);
    tb->x->l1[L1_AT + 4] = 3;
}

static void has_flags(struct tensix_box *tb) {
    struct vector *v = &tb->x->vector;
    v->use_flags = UINT32_MAX;
    v->flags = 0xFFFF00FF;
    v->stack[0].occupied = v->stack[0].use_flags = UINT32_MAX;
    v->stack[0].flags = 0x0FFFFFFF;
    vector_derive(v);
}

static void has_histogram(struct tensix_box *tb) {
    tb->x->packer.exponent_histogram[3] = 7;
}

static void has_semaphores(struct tensix_box *tb) {
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        tb->x->sync.semaphore[i].value = 3;
}

static void holds_mutex(struct tensix_box *tb) {
    tb->x->sync.mutex[2].held_by = 0;
}

static void has_stream(struct tensix_box *tb) {
    tb_stream(tb, 0, 5, 77);
}

static void has_scratch(struct tensix_box *tb) {
    tb->x->config.bank[0][CONFIG_WORD_SCRATCH_SEC0_val] = 0xFFFFFFFF;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------- */

#define MATH(name, bits)     ROW(name, BY_READER, W(name, bits), .next = W(name, (bits) | 64), .prepare = owns_banks)
#define MOVE_TO_D(name)      ROW(name, BY_READER, W(name, 0), .reader = W(ELWADD, 1 << 21), .prepare = owns_banks)
#define CONTROL(name, bits)  ROW(name, IN_STATE, W(name, bits), .prepare = owns_banks)
#define ALU(name)            ROW(name, BY_READER, TT(name, .ResultRegIndex = 20, .OpBRegIndex = 21, .OpARegIndex = 22))
#define VECTOR(name, bits)   ROW(name, IN_STATE, W(name, bits))
#define FLAGS(name, bits)    ROW(name, IN_STATE, W(name, bits), .prepare = has_flags)
#define COUNTERS(name, bits) ROW(name, IN_STATE, W(name, bits))

enum { C2_D1 = 2 << 8 | 1 << 4, ABC_D1 = 4 << 16 | 3 << 12 | C2_D1, ALL_SETS = 7 << 21, ALL_FOUR = 15 };

// NOLINTNEXTLINE(readability-function-size): a row for each opcode
static const struct timed *find_row(unsigned opcode) {
    static struct timed rows[TENSIX_ROW_COUNT];
    const struct timed cases[] = {
        /* Matrix Unit */
        ROW(MOVD2A, BY_READER, W(MOVD2A, 0), .reader = W(MVMUL, 0), .prepare = owns_banks),
        MOVE_TO_D(MOVDBGA2D),
        ROW(MOVD2B, BY_READER, W(MOVD2B, 0), .reader = W(MVMUL, 0), .prepare = owns_banks),
        ROW(MOVB2A, AT_END, W(MOVB2A, 0), .prepare = owns_banks),
        MOVE_TO_D(MOVDBGB2D),
        CONTROL(ZEROACC, 1 << 19),
        CONTROL(ZEROSRC, 1 << 3 | 3),
        MOVE_TO_D(MOVA2D),
        MOVE_TO_D(MOVB2D),
        CONTROL(TRNSPSRCB, 0),
        CONTROL(SHIFTXA, 2),
        ROW(SHIFTXB, BY_READER, W(SHIFTXB, 16), .reader = W(MVMUL, 0), .prepare = owns_banks),
        ROW(CLREXPHIST, IN_STATE, W(CLREXPHIST, 0), .prepare = has_histogram),
        MATH(CONV3S1, 0),
        MATH(CONV3S2, 0),
        MATH(MPOOL3S1, 0),
        MATH(APOOL3S1, 0),
        MATH(MVMUL, 0),
        MATH(ELWMUL, 0),
        MATH(ELWADD, 1 << 21),
        MATH(DOTPV, 0),
        MATH(ELWSUB, 1 << 21),
        MATH(MPOOL3S2, 0),
        MATH(APOOL3S2, 0),
        MATH(GMPOOL, 1 << 19),
        MATH(GAPOOL, 0),
        ROW(GATESRCRST, AT_END, W(GATESRCRST, 3)),
        CONTROL(CLEARDVALID, 3 << 22),
        ROW(SETRWC, IN_NEXT, W(SETRWC, 5 << 14 | 5 << 10 | 5 << 6 | 15), .prepare = owns_banks),
        ROW(INCRWC, IN_NEXT, W(INCRWC, 5 << 14 | 5 << 10 | 5 << 6), .prepare = owns_banks),
        MATH(MFCONV3S1, 0),
        /* Mover, packer, unpackers */
        ROW(XMOV, AT_END, W(XMOV, 0)),
        ROW(PACR, IN_STATE, PT_PACR(PT_ONE | PT_LAST), .prepare = packs),
        ROW(UNPACR, BY_READER, US_UNPACR(US_FLIP), .reader = W(MOVA2D, 0), .prepare = unpacks),
        ROW(UNPACR_NOP, BY_READER, W(UNPACR_NOP, 1 << 8 | 1 << 5 | 1), .reader = W(MOVA2D, 0)),
        ROW(PACR_SETREG, AT_END, W(PACR_SETREG, 1 << 22)),
        /* Scalar Unit */
        ROW(SETDMAREG, IN_STATE, TT(SETDMAREG, 0, 1, 0, 2 * DATA_GPR)),
        ROW(FLUSHDMA, AT_END, TT(FLUSHDMA, 1)),
        ROW(REG2FLOP, IN_STATE, TT(REG2FLOP, .SizeSel = 1, .TargetSel = 0, .FlopIndex = 20, .RegIndex = DATA_GPR)),
        ROW(LOADIND, IN_STATE,
            TT(LOADIND, .SizeSel = 1, .OffsetIndex = 2 * ZERO_GPR, .DataRegIndex = DATA_GPR, .AddrRegIndex = ADDRESS)),
        ALU(ADDDMAREG),
        ALU(SUBDMAREG),
        ALU(MULDMAREG),
        ALU(BITWOPDMAREG),
        ALU(SHIFTDMAREG),
        ALU(CMPDMAREG),
        ROW(DMANOP, AT_END, W(DMANOP, 0)),
        ROW(ATINCGET, IN_STATE, TT(ATINCGET, .WrapVal = 31, .DataRegIndex = DATA_GPR, .AddrRegIndex = ADDRESS)),
        ROW(ATINCGETPTR, IN_STATE, TT(ATINCGETPTR, .WrapVal = 8, .DataRegIndex = DATA_GPR, .AddrRegIndex = ADDRESS),
            .prepare = has_fifo),
        ROW(ATSWAP, AT_END, TT(ATSWAP, .SwapMask = 0xFF, .DataRegIndex = DATA_GPR, .AddrRegIndex = ADDRESS)),
        ROW(ATCAS, AT_END, TT(ATCAS, .SwapVal = 5, .CmpVal = 5, .AddrRegIndex = ADDRESS),
            .prepare = has_word_to_compare),
        ROW(STOREIND, AT_END,
            TT(STOREIND, .MemHierSel = 1, .RegSizeSel = 1, .OffsetIndex = 2 * ZERO_GPR, .DataRegIndex = DATA_GPR,
               .AddrRegIndex = ADDRESS)),
        ROW(STOREREG, AT_END, TT(STOREREG, DATA_GPR, 0x12048 >> 2)),
        ROW(LOADREG, IN_STATE, TT(LOADREG, DATA_GPR, 0x121F0 >> 2)),
        /* Miscellaneous Unit */
        COUNTERS(SETADC, ALL_SETS | 5),
        COUNTERS(SETADCXY, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6 | ALL_FOUR),
        COUNTERS(INCADCXY, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6),
        COUNTERS(ADDRCRXY, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6 | ALL_FOUR),
        COUNTERS(SETADCZW, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6 | ALL_FOUR),
        COUNTERS(INCADCZW, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6),
        COUNTERS(ADDRCRZW, ALL_SETS | 3 << 12 | 3 << 9 | 3 << 6 | ALL_FOUR),
        COUNTERS(SETADCXX, ALL_SETS | 3 << 10 | 3),
        COUNTERS(SETDVALID, 3),
        /* Vector Unit */
        VECTOR(SFPLOAD, 1 << 20),
        VECTOR(SFPLOADI, 1 << 20 | 0x1234),
        VECTOR(SFPSTORE, 1 << 20),
        VECTOR(SFPLUT, 5 << 20),
        ROW(SFPMULI, IN_STATE, W(SFPMULI, 0x4000 << 8 | 1 << 4), .next = W(SFPMULI, 2 << 4)),
        ROW(SFPADDI, IN_STATE, W(SFPADDI, 0x4000 << 8 | 1 << 4), .next = W(SFPADDI, 2 << 4)),
        VECTOR(SFPDIVP2, 3 << 12 | C2_D1),
        VECTOR(SFPEXEXP, C2_D1),
        VECTOR(SFPEXMAN, C2_D1),
        VECTOR(SFPIADD, C2_D1),
        VECTOR(SFPSHFT, 3 << 12 | C2_D1 | 1),
        FLAGS(SFPSETCC, C2_D1),
        VECTOR(SFPMOV, C2_D1),
        VECTOR(SFPABS, C2_D1),
        VECTOR(SFPAND, C2_D1),
        VECTOR(SFPOR, C2_D1),
        VECTOR(SFPNOT, C2_D1),
        VECTOR(SFPLZ, C2_D1),
        VECTOR(SFPSETEXP, C2_D1),
        VECTOR(SFPSETMAN, 3 << 12 | C2_D1 | 1),
        VECTOR(SFPMAD, ABC_D1),
        VECTOR(SFPADD, ABC_D1),
        VECTOR(SFPMUL, ABC_D1),
        FLAGS(SFPPUSHC, 0),
        ROW(SFPPOPC, IN_STATE, W(SFPPOPC, 0), .next = W(SFPMOV, C2_D1), .prepare = has_flags),
        VECTOR(SFPSETSGN, C2_D1),
        FLAGS(SFPENCC, 1 << 12 | 10),
        FLAGS(SFPCOMPC, 0),
        VECTOR(SFPTRANSP, 0),
        VECTOR(SFPXOR, C2_D1),
        VECTOR(SFP_STOCH_RND, C2_D1),
        ROW(SFPNOP, AT_END, W(SFPNOP, 0)),
        VECTOR(SFPCAST, C2_D1),
        VECTOR(SFPCONFIG, 0x10 << 8 | 15 << 4 | 1),
        VECTOR(SFPSWAP, C2_D1),
        VECTOR(SFPLOADMACRO, 1 << 20),
        VECTOR(SFPSHFT2, C2_D1),
        VECTOR(SFPLUTFP32, 7 << 4),
        VECTOR(SFPLE, C2_D1 | 8),
        VECTOR(SFPGT, C2_D1 | 8),
        VECTOR(SFPMUL24, ABC_D1),
        VECTOR(SFPARECIP, C2_D1),
        /* Gate, Sync Unit */
        ROW(NOP, AT_END, W(NOP, 0)),
        ROW(ATGETM, IN_STATE, W(ATGETM, 2)),
        ROW(ATRELM, IN_STATE, W(ATRELM, 2), .prepare = holds_mutex),
        ROW(STALLWAIT, AT_END, TT(STALLWAIT, B6, 1), .next = TT(SEMPOST, 1)),
        ROW(SEMINIT, IN_STATE, TT(SEMINIT, 9, 6, 0xFF)),
        ROW(SEMPOST, IN_STATE, TT(SEMPOST, 3)),
        ROW(SEMGET, IN_STATE, TT(SEMGET, 3), .prepare = has_semaphores),
        ROW(SEMWAIT, AT_END, TT(SEMWAIT, B6, 1, 1), .next = TT(SEMPOST, 2), .prepare = has_semaphores),
        ROW(STREAMWAIT, AT_END, TT(STREAMWAIT, B6, 0, 0, 0), .next = TT(SEMPOST, 1)),
        /* Configuration Unit */
        ROW(WRCFG, IN_STATE, TT(WRCFG, DATA_GPR, 0, 12)),
        ROW(RDCFG, IN_STATE, TT(RDCFG, DATA_GPR, 12)),
        ROW(SETC16, IN_STATE, TT(SETC16, 5, 7)),
        ROW(RMWCIB0, IN_STATE, TT(RMWCIB0, 0xFF, 1, 12)),
        ROW(RMWCIB1, IN_STATE, TT(RMWCIB1, 0xFF, 1, 12)),
        ROW(RMWCIB2, IN_STATE, TT(RMWCIB2, 0xFF, 1, 12)),
        ROW(RMWCIB3, IN_STATE, TT(RMWCIB3, 0xFF, 1, 12)),
        ROW(STREAMWRCFG, IN_STATE, TT(STREAMWRCFG, 0, 5, 12), .prepare = has_stream),
        ROW(CFGSHIFTMASK, IN_STATE, TT(CFGSHIFTMASK, 0, 0, 31, 0, 0, 12), .prepare = has_scratch),
    };
    if (!rows[TENSIX_ROW_NOP].opcode)
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
            rows[tensix_row_index(cases[i].opcode)] = cases[i];
    const struct timed *row = &rows[tensix_row_index((uint8_t)opcode)];
    return row->opcode ? row : NULL;
}

static unsigned differs(const char *name, const char *what, unsigned observed, unsigned table) {
    if (observed == table)
        return 0;
    print_error("%s: %s %u cycles, the table says %u\n", name, what, observed, table);
    return 1;
}

static unsigned check_row(const struct timed *row, const struct tensix_row *table) {
    unsigned changed, idle, wrong = 0;
    const char *name = table->name;
    wrong += differs(name, "its unit takes the next after", distance(row, row->next ? row->next : row->word, name),
                     table->occupancy);
    observe(row, name, &changed, &idle);
    wrong += differs(name, "it is done after", idle, table->latency);
    if (row->result == IN_STATE)
        wrong += differs(name, "its result is seen after", changed, table->latency);
    if (row->result == IN_NEXT)
        wrong += differs(name, "its result is seen after", changed, 1);
    if (row->result == BY_READER)
        wrong += differs(name, "its result is read after", distance(row, row->reader ? row->reader : row->word, name),
                         table->latency);
    return wrong;
}

static bool is_in_frontend(const struct tensix_row *row) {
    return row->unit == TENSIX_UNIT_FRONTEND;
}

static void every_row(void **state) {
    unsigned wrong = 0, driven = 0;
    (void)state;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        const struct tensix_row *table = &tensix_rows[i];
        if (!table->implemented || is_in_frontend(table))
            continue;
        const struct timed *row = find_row(table->opcode);
        if (!row)
            fail_msg("%s has no case", table->name);
        wrong += check_row(row, table);
        driven++;
    }
    assert_int_equal(wrong, 0);
    assert_true(driven > 100);
}

/* An instruction counts as executed if some word of it is: every_row has one that passes without a fault. No word of
 * the others passes. */
static void others_always_fault(void **state) {
    uint64_t random = 1;
    unsigned others = 0;
    (void)state;
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++) {
        if (tensix_rows[i].implemented)
            continue;
        others++;
        for (unsigned draw = 0; draw < 64; draw++) {
            struct tensix_box *tb = tb_create();
            tb_push(tb, 0, (uint32_t)tensix_rows[i].opcode << 24 | (draw ? random_below(&random, 1 << 24) : 0));
            if (tb_run(tb))
                fail_msg("%s does not fault", tensix_rows[i].name);
            assert_non_null(strstr(tb->box->fault.text, tensix_rows[i].name));
            tb_destroy(tb);
        }
    }
    assert_int_equal(others, 10);
}

/* ---- Frontend -------------------------------------------------------------------------------------------------- */

/* Cycles between the first and the last NOP to pass, with these words behind the first. */
static unsigned nops_apart(const uint32_t *words, unsigned count, unsigned passes) {
    struct tensix_box *tb = tb_create();
    uint32_t nop = W(NOP, 0);
    for (unsigned i = 0; i < 9; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, i < 2 ? 1 : nop);
    for (unsigned i = 0; i < 8; i++)
        tb_push(tb, 0, nop);
    tb_push_all(tb, 0, words, count);
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 0, nop);
    tb_start(tb);
    until_pass(tb, 8 + passes, "NOP");
    unsigned cycles = (unsigned)(tb->at[0][8 + passes - 1] - tb->at[0][7]);
    tb_destroy(tb);
    return cycles;
}
#define NOPS_APART(passes, ...) \
    nops_apart((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, passes)

/* A stage takes a word a cycle; those that do not get to the gate show as a gap between the NOPs around them. */
static void rows_of_the_frontend(void **state) {
    (void)state;
    assert_int_equal(NOPS_APART(1, W(MOP_CFG, 0)), 1 + TENSIX_OCCUPANCY_MOP_CFG);
    assert_int_equal(NOPS_APART(1, TT(RESOURCEDECL, 0, 0, 0)), 1 + TENSIX_OCCUPANCY_RESOURCEDECL);
    assert_int_equal(NOPS_APART(2, TT(MOP, 1, 0, 0)), 2 + TENSIX_OCCUPANCY_MOP); /* expands to one NOP */
    assert_int_equal(NOPS_APART(1, TT(REPLAY, 0, 1, 1, 1), W(NOP, 0)), 1 + TENSIX_OCCUPANCY_REPLAY); /* records one */
    for (unsigned i = 0; i < TENSIX_ROW_COUNT; i++)
        if (is_in_frontend(&tensix_rows[i]))
            assert_int_equal(tensix_rows[i].latency, 1); /* the next stage can take a word in the next cycle */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(others_always_fault),
        cmocka_unit_test(rows_of_the_frontend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
