/* When instructions of the Matrix Unit pass, src/tensix/matrix/issue.h: one a cycle, blocks of Dst that are being
 * written, banks of Src, and what others see. Pages: MatrixUnit.md, Dst.md, SrcASrcB.md, SFPLOAD.md, STALLWAIT.md;
 * figures of cards where these say otherwise. */
#include "support/random.h"
#include "support/tensix_scene.h"

enum { B_MATH = 1 << 6, B_SFPU = 1 << 8, B_SYNC = 1 << 1, B_UNPACK = 1 << 3 };

/* One tile, of which both banks of both files are the Matrix Unit's. */
static int make(void **state) {
    struct tensix_box *tb = tb_create();
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    tb->now = 100;
    *state = tb;
    return 0;
}

/* ---- Pairs ------------------------------------------------------------------------------------------- */

/* Each instruction: whether it waits for and writes the block of Dst that bits 9:0 name, when its result can be used,
 * and which instructions it keeps out. Cards: six cycles from arithmetic to arithmetic on the same rows. */
enum kind { PLAIN, ARITHMETIC, TO_D, TO_A, TO_B, TWO_CYCLES };

struct op {
    tensix_handler *handler;
    uint32_t word;
    bool reads, writes;
    unsigned latency;
    enum kind kind;
};

#define OP(name, bits, reads, writes, latency, kind) \
    { execute_##name, (uint32_t)TENSIX_##name << 24 | (bits), reads, writes, latency, kind }
static const struct op ops[] = {
    OP(MVMUL, 0, true, true, 6, ARITHMETIC),
    OP(MVMUL, 1 << 19, true, true, 6, ARITHMETIC),
    OP(DOTPV, 0, true, true, 6, ARITHMETIC),
    OP(GAPOOL, 0, true, true, 6, ARITHMETIC),
    OP(GMPOOL, 1 << 19, true, true, 6, ARITHMETIC),
    OP(ELWMUL, 0, true, true, 6, ARITHMETIC),
    OP(ELWADD, 0, true, true, 6, PLAIN),
    OP(ELWADD, 1 << 21, true, true, 6, PLAIN),
    OP(ELWSUB, 0, true, true, 6, PLAIN),
    OP(ELWSUB, 1 << 21, true, true, 6, PLAIN),
    OP(CONV3S1, 0, true, true, 6, ARITHMETIC),
    OP(CONV3S2, 0, true, true, 6, ARITHMETIC),
    OP(MFCONV3S1, 0, true, true, 6, ARITHMETIC),
    OP(APOOL3S1, 0, true, true, 6, ARITHMETIC),
    OP(APOOL3S2, 0, true, true, 6, ARITHMETIC),
    OP(MPOOL3S1, 0, true, true, 6, ARITHMETIC),
    OP(MPOOL3S2, 0, true, true, 6, ARITHMETIC),
    OP(SETRWC, 0, false, false, 6, PLAIN), /* counters change at once */
    OP(INCRWC, 0, false, false, 6, PLAIN),
    OP(CLREXPHIST, 0, false, false, 1, PLAIN),
    OP(GATESRCRST, 0, false, false, 1, PLAIN),
    OP(CLEARDVALID, 0, false, false, 1, PLAIN),
    OP(ZEROSRC, 0, false, false, 1, PLAIN),
    OP(ZEROACC, 1 << 19, false, false, 1, PLAIN),
    OP(TRNSPSRCB, 0, false, false, 1, PLAIN),
    OP(SHIFTXA, 2, false, false, 1, PLAIN),
    OP(SHIFTXB, 0, false, false, 2, TWO_CYCLES),
    OP(MOVA2D, 0, false, true, 4, TO_D),
    OP(MOVA2D, 2 << 12, false, true, 4, TO_D),
    OP(MOVDBGA2D, 0, false, true, 4, TO_D),
    OP(MOVB2D, 0, false, true, 4, TO_D),
    OP(MOVD2A, 0, true, false, 2, TO_A),
    OP(MOVB2A, 0, false, false, 4, TO_A),
    OP(MOVD2B, 0, true, false, 4, TO_B),
};
enum { OPS = sizeof ops / sizeof *ops };

static unsigned most(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* The least distance from one to the next. */
static unsigned least(const struct op *first, const struct op *second, bool same_block) {
    unsigned gap = first->kind == TWO_CYCLES ? 2 : 1;
    if (first->kind == TO_A && second->kind != TO_A)
        gap = most(gap, 2);
    if (first->kind == TO_B && second->kind != TO_B)
        gap = most(gap, 4);
    bool listed = second->kind == ARITHMETIC || second->kind == TO_B || (second->kind == TO_A && second->reads);
    if (first->kind == TO_D && listed)
        gap = most(gap, 4);
    if (first->writes && second->reads && same_block)
        gap = most(gap, first->latency);
    return gap;
}

/* The cycle in which an instruction that is there from cycle `from` on passes. It is asked to try again only then. */
static uint64_t passes_at(struct tensix_box *tb, unsigned thread, const struct op *op, unsigned row, uint64_t from) {
    uint32_t word = op->word | (op->reads || op->writes ? row : 0);
    uint64_t again;
    while ((again = op->handler(tb->x, thread, word, from))) {
        assert_true(again > from && again != TENSIX_NEVER);
        from = again;
    }
    return from;
}

/* Cycles from one to the next that comes `late` cycles after it. */
static unsigned distance(struct tensix_box *tb, const struct op *first, const struct op *second, unsigned row,
                         unsigned late) {
    tb->now += 20;
    assert_int_equal(passes_at(tb, 0, first, 8, tb->now), tb->now);
    return (unsigned)(passes_at(tb, 1, second, row, tb->now + late) - tb->now);
}

/* Every pair: in the same eight rows of Dst and in others, and the second so many cycles late. */
static void pairs(void **state) {
    struct tensix_box *tb = *state;
    static const unsigned rows[] = { 8, 12, 15, 7, 16, 0, 8 + 512 };
    for (unsigned i = 0; i < OPS * OPS; i++) {
        const struct op *first = &ops[i / OPS], *second = &ops[i % OPS];
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
            if (distance(tb, first, second, rows[k], 1) != least(first, second, rows[k] / 8 == 1))
                fail_msg("%08x %08x", first->word, second->word | rows[k]);
        for (unsigned late = 0; late < 8; late++)
            assert_int_equal(distance(tb, first, second, 8, late), most(late, least(first, second, true)));
    }
}

/* A third instruction waits for what the first has begun, whatever came between. */
static void windows_stay_open(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned i = 0; i < OPS * OPS; i++) {
        const struct op *first = &ops[i / OPS], *third = &ops[i % OPS];
        tb->now += 20;
        assert_int_equal(passes_at(tb, 0, first, 8, tb->now), tb->now);
        uint64_t second = passes_at(tb, 1, &ops[17], 0, tb->now); /* SETRWC */
        assert_int_equal(second - tb->now, least(first, &ops[17], false));
        unsigned gap = most((unsigned)(second - tb->now) + 1, least(first, third, true));
        assert_int_equal(passes_at(tb, 2, third, 8, second + 1) - tb->now, gap);
    }
}

/* Counters and bases count, before rows are compared. */
static void rows_by_counters(void **state) {
    struct tensix_box *tb = *state;
    struct tensix *x = tb->x;
    x->rwc[1].dst = 0x3F0;
    x->config.thread[1][CONFIG_WORD_DEST_TARGET_REG_CFG_MATH_Offset] = 0x20;
    x->config.bank[0][CONFIG_WORD_DEST_REGW_BASE_Base] = 0;
    for (unsigned i = 0; i < 3; i++) {
        x->config.bank[0][CONFIG_WORD_DEST_REGW_BASE_Base] = 0;
        x->rwc[1].dst = 0x3F0;
        tb->now += 20;
        assert_int_equal(passes_at(tb, 0, &ops[0], 24, tb->now), tb->now);
        x->config.bank[0][CONFIG_WORD_DEST_REGW_BASE_Base] = 8 * i;
        assert_int_equal(passes_at(tb, 1, &ops[0], 0, tb->now + 1) - tb->now, i == 1 ? 6 : 1);
    }
}

/* Accesses some blocks again and again; each write is waited for, not just the last. */
static void six_blocks_are_enough(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned blocks = 1; blocks < 8; blocks++) {
        tb->now += 20;
        uint64_t at = tb->now;
        for (unsigned i = 0; i < 4 * blocks; i++)
            at = passes_at(tb, 0, &ops[0], i % blocks * 8, at) + 1;
        unsigned round = blocks < 6 ? 6 : blocks;
        assert_int_equal(at - tb->now, 3 * round + blocks);
        tb->now = at;
    }
}

/* ---- Threads ------------------------------------------------------------------------------------------- */

/* One a cycle from all of them, each as often as the others. */
static void one_a_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < 5; i++)
            tb_push(tb, thread, TT(MVMUL, 0, 0, 0, 64 * thread + 8 * i));
    assert_true(tb_run(tb));
    bool taken[200] = { false };
    uint64_t first = tb->at[0][0] < tb->at[1][0] ? tb->at[0][0] : tb->at[1][0];
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(tb->passes[thread], 5);
        for (unsigned i = 0; i < 5; i++) {
            uint64_t at = tb->at[thread][i] - (tb->at[2][0] < first ? tb->at[2][0] : first);
            assert_true(at < 200);
            assert_false(taken[at]);
            taken[at] = true;
        }
    }
    tb_destroy(tb);
}

/* Cycles from one instruction of the thread to the next, once all threads have begun. steps: those of this mask go on
 * by eight rows with every instruction; others stay. */
static double spacing(unsigned threads, unsigned steps, unsigned thread) {
    enum { WORDS = 24, FROM = 8 };
    struct tensix_box *tb = tb_create();
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    for (unsigned t = 0; t < 3; t++)
        for (unsigned i = 0; i < WORDS && (threads >> t & 1); i++)
            tb_push(tb, t, TT(ELWADD, 0, 0, 0, 0, steps >> t & 1 ? 8 * (i + 1) : 0));
    assert_true(tb_run(tb));
    double cycles = (double)(tb->at[thread][WORDS - 1] - tb->at[thread][FROM]) / (WORDS - 1 - FROM);
    tb_destroy(tb);
    return cycles;
}

/* Measured on cards: an instruction that waits for rows of Dst keeps those of other threads out. */
static void waits_for_rows_inside_the_unit(void **state) {
    static const struct {
        unsigned threads, steps;
        double cycles;
    } measured[] = { { 2, 0, 6 }, { 3, 0, 12 }, { 7, 0, 18 }, { 2, 2, 1 }, { 3, 2, 6 }, { 7, 2, 12 } };
    (void)state;
    for (unsigned i = 0; i < sizeof measured / sizeof *measured; i++)
        for (unsigned thread = 0; thread < 3; thread++)
            if (measured[i].threads >> thread & 1)
                assert_true(spacing(measured[i].threads, measured[i].steps, thread) == measured[i].cycles);
}

/* C4: as many cycles as the latency, none for what is done in its cycle. */
static void busy(void **state) {
    (void)state;
    for (unsigned i = 0; i < OPS; i++) {
        struct tensix_box *tb = tb_create();
        memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
        TB_PUSH_ALL(tb, 1, ops[i].word, TT(STALLWAIT, B_SYNC, GATE_C_MATRIX), TT(SEMPOST, 1));
        assert_true(tb_run(tb));
        /* The wait latches in the next cycle, is met once the unit is idle, and holds for one more. */
        assert_int_equal(tb->at[1][1] - tb->at[1][0], 1);
        assert_int_equal(tb->at[1][2] - tb->at[1][0], most(ops[i].latency, 2) + 1);
        tb_destroy(tb);
    }
}

/* ---- Banks ------------------------------------------------------------------------------------------------ */

#define TO_MATRIX(file) TT(UNPACR_NOP, file, 0, 0, 1, 0, 0, 0, 0, 1)

/* Passes in the cycle after the hand-over of the later bank, without attempts in between. */
static void waits_for_both_files(void **state) {
    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        struct tensix_box *tb = tb_create();
        tb_push(tb, 1, TT(ELWADD, 3, 0, 0, 0, 0));
        tb_nops(tb, BH_TRISC0, 40);
        tb_push(tb, 0, TO_MATRIX(order));
        tb_nops(tb, BH_TRISC0, 10);
        tb_push(tb, 0, TO_MATRIX(!order));
        tb_start(tb);
        tb_step(tb, 40);
        assert_int_equal(tb->passes[1], 0);
        assert_int_equal(tb->x->thread[1].due, TENSIX_NEVER);
        assert_non_null(
            strstr(wait_text(tb->x->thread[1].waits_on), "which no unpacker has handed to the Matrix Unit"));
        tb_step(tb, 200);
        assert_int_equal(tb->passes[1], 1);
        assert_int_equal(tb->at[1][0], tb->at[0][1] + 1);
        assert_int_equal(tb->x->src.matrix_bank[SRC_A], 1);
        assert_int_equal(tb->x->src.unpacker_bank[SRC_B], 1);
        tb_destroy(tb);
    }
}

/* C5..C8 are met in the cycle after the hand-over, and hold for one more. */
static void conditions_on_banks(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, B_SYNC, GATE_C_SRCA_VALID | GATE_C_SRCB_VALID), TT(SEMPOST, 1));
    tb_nops(tb, BH_TRISC0, 40);
    TB_PUSH_ALL(tb, 0, TO_MATRIX(0), TO_MATRIX(1), TO_MATRIX(0), TO_MATRIX(1));
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, B_SYNC, GATE_C_SRCA_FREE | GATE_C_SRCB_FREE), TT(SEMPOST, 2));
    tb_nops(tb, BH_TRISC2, 80);
    TB_PUSH_ALL(tb, 2, TT(CLEARDVALID, 1, 0), TT(CLEARDVALID, 2, 0), TT(CLEARDVALID, 3, 0));
    tb_start(tb);
    tb_step(tb, 300);
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->at[1][1], tb->at[0][1] + 2);
    assert_int_equal(tb->passes[0], 6);
    assert_int_equal(tb->passes[2], 3);
    tb_destroy(tb);
}

/* A bank that is cleared and handed over waits until the Matrix Unit has handed its own back. */
static void unpacker_waits(void **state) {
    (void)state;
    struct tensix_box *tb = tb_create();
    src_set(&tb->x->src.bank[SRC_A][0], 3, 4, 5);
    TB_PUSH_ALL(tb, 0, TO_MATRIX(0), TO_MATRIX(0));
    tb_nops(tb, BH_TRISC1, 60);
    TB_PUSH_ALL(tb, 1, TT(CLEARDVALID, 1, 0));
    tb_start(tb);
    tb_step(tb, 50);
    assert_int_equal(tb->passes[0], 2);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 3, 4), 0);
    assert_int_equal(unpack_waits_for(&tb->x->unpack, 0), WAIT_SRCA_RETURN);
    assert_int_equal(tb->x->src.allowed[SRC_A][1], SRC_UNPACKERS);
    tb_step(tb, 200);
    assert_int_equal(tb->x->src.allowed[SRC_A][1], SRC_MATRIX);
    assert_int_equal(tb->x->thread[0].busy[TENSIX_BUSY_UNPACK0], tb->at[1][0] + 2);
    tb_destroy(tb);
}

/* A hand-over is not visible in its own cycle, whichever agent comes first in it. */
static void not_in_the_same_cycle(void **state) {
    (void)state;
    for (unsigned delay = 0; delay < 24; delay++) {
        struct tensix_box *tb = tb_create();
        tb->x->src.allowed[SRC_A][0] = SRC_MATRIX;
        tb_nops(tb, BH_TRISC0, 12);
        tb_push(tb, 0, TT(SETDVALID, 2));
        tb_nops(tb, BH_TRISC1, delay);
        tb_push(tb, 1, TT(MVMUL, 0, 0, 0, 0));
        tb_nops(tb, BH_TRISC2, delay);
        tb_push(tb, 2, TT(MVMUL, 0, 0, 0, 8));
        assert_true(tb_run(tb));
        assert_true(tb->at[1][0] > tb->at[0][0]);
        assert_true(tb->at[2][0] > tb->at[0][0]);
        tb_destroy(tb);
    }
}

/* ---- The Vector Unit ----------------------------------------------------------------------------------------- */

static unsigned faults_of_load(unsigned nops, unsigned row, unsigned wait, unsigned vd, const struct op *op) {
    struct tensix_box *tb = tb_create();
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
    tb_push(tb, 1, op->word | 64);
    for (unsigned i = 0; i < nops; i++)
        tb_push(tb, 1, TT(NOP, 0));
    if (wait)
        tb_push(tb, 1, TT(STALLWAIT, B_SFPU, wait));
    tb_push(tb, 1, TT(SFPLOAD, vd, 2, 0, row));
    tb_run(tb);
    unsigned faults = tb->box->faults;
    if (faults) {
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
        assert_non_null(strstr(tb->box->fault.text, "rows 64 to 71 of Dst have been written by the Matrix Unit"));
    }
    tb_destroy(tb);
    return faults;
}

/* Three instructions between, or a wait: then a load may read what the Matrix Unit has written. */
static void loads_of_the_vector_unit(void **state) {
    (void)state;
    for (unsigned i = 0; i < OPS; i++) {
        for (unsigned nops = 0; nops < 5; nops++)
            assert_int_equal(faults_of_load(nops, 64, 0, 0, &ops[i]), ops[i].writes && nops < 3);
        assert_int_equal(faults_of_load(0, 64, GATE_C_MATRIX, 0, &ops[i]), 0);
        assert_int_equal(faults_of_load(0, 68, 0, 0, &ops[i]), ops[i].writes);
        assert_int_equal(faults_of_load(0, 72, 0, 0, &ops[i]), 0);
        assert_int_equal(faults_of_load(0, 60, 0, 0, &ops[i]), 0);
        assert_int_equal(faults_of_load(0, 64, 0, 8, &ops[i]), 0);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------------------------- */

static void assert_refused(struct tensix_box *tb, tensix_handler *handler, uint32_t word, enum bh_fault_kind kind,
                           const char *text) {
    unsigned before = tb->box->faults;
    uint16_t row[16];
    tb->now += 20;
    memset(tb->x->dst.bits, 0x5A, sizeof tb->x->dst.bits);
    memcpy(row, tb->x->dst.bits[0], sizeof row);
    struct rwc rwc = tb->x->rwc[0];
    assert_int_equal(handler(tb->x, 0, word, tb->now), TENSIX_NEVER);
    assert_int_equal(tb->box->faults, before + 1);
    assert_int_equal(tb->box->fault.kind, kind);
    if (!strstr(tb->box->fault.text, text))
        fail_msg("%s", tb->box->fault.text);
    assert_memory_equal(tb->x->dst.bits[0], row, sizeof row);
    assert_memory_equal(&tb->x->rwc[0], &rwc, sizeof rwc);
}

static void refusals(void **state) {
    struct tensix_box *tb = *state;
    struct tensix *x = tb->x;
    assert_refused(tb, execute_GMPOOL, TT(GMPOOL, 0, 0, 0, 0, 0), BH_FAULT_UNDEFINED, "single row");
    for (unsigned format = 12; format < 14; format++) {
        x->src.format[SRC_A][0] = (uint8_t)format;
        assert_refused(tb, execute_MVMUL, TT(MVMUL, 0, 0, 0, 0), BH_FAULT_UNDEFINED, "reserved");
    }
}

/* ---- Rounding ----------------------------------------------------------------------------------------- */

static bool is_maximum(const struct op *op) {
    return op->handler == execute_GMPOOL || op->handler == execute_MPOOL3S1 || op->handler == execute_MPOOL3S2;
}

/* Random numbers of ordinary exponents. */
static void draw_numbers(struct tensix *x) {
    uint64_t seed = 4711;
    for (unsigned row = 0; row < SRC_ROWS; row++)
        for (unsigned column = 0; column < SRC_COLUMNS; column++)
            for (unsigned file = 0; file < 2; file++)
                src_set(&x->src.bank[file][0], row, column, ((uint32_t)random_next(&seed) & 0x7FF03) | 0x7C);
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            dst_put16(&x->dst, row, column, (uint16_t)((random_next(&seed) & 0xFF03) | 0x7C));
    src_changed(&x->src, SRC_A);
    src_changed(&x->src, SRC_B);
}

static bool is_arithmetic(const struct op *op) {
    return op->writes && op->latency == 6;
}

static void execute_with(struct tensix_box *tb, const struct op *op, uint32_t alu) {
    tb->x->config.bank[0][CONFIG_WORD_ALU_ROUNDING_MODE_Fpu_srnd_en] = alu;
    tb->now += 20;
    assert_int_equal(op->handler(tb->x, 0, op->word, tb->now), TENSIX_PASSED);
}

/* Nothing is rounded: the instruction does what it does with the switch at 0. */
static void assert_no_effect(struct tensix_box *tb, const struct op *op, uint32_t alu, uint32_t bit) {
    uint16_t result[2][8][DST_COLUMNS];
    for (unsigned i = 0; i < 2; i++) {
        draw_numbers(tb->x);
        execute_with(tb, op, i ? alu | bit : alu);
        memcpy(result[i], tb->x->dst.bits, sizeof result[i]);
    }
    assert_memory_equal(result[0], result[1], sizeof result[0]);
}

enum { RANDOM = 1 << 0 };
static const uint32_t INTEGERS = UINT32_C(1) << CONFIG_SHIFT_ALU_ACC_CTRL_INT8_math_enabled;

static void rounding(void **state) {
    static const char *const name[] = { NULL, "GS_LF", "Bfp8_HF" };
    static const uint32_t bit[] = { RANDOM, 1 << 13, 1 << 14 };
    struct tensix_box *tb = *state;
    uint32_t *alu = &tb->x->config.bank[0][CONFIG_WORD_ALU_ROUNDING_MODE_Fpu_srnd_en];
    for (unsigned i = 0; i < OPS; i++)
        for (unsigned k = 0; k < 3 && is_arithmetic(&ops[i]); k++) {
            assert_no_effect(tb, &ops[i], INTEGERS, bit[k]);
            if (is_maximum(&ops[i]))
                assert_no_effect(tb, &ops[i], 0, bit[k]);
            *alu = bit[k];
            if (!is_maximum(&ops[i]) && name[k])
                assert_refused(tb, ops[i].handler, ops[i].word, BH_FAULT_UNMODELLED, name[k]);
        }
}

/* Draws operands, clears Dst, and executes the instruction. */
static void start_from_zero(struct tensix_box *tb, const struct op *op, uint32_t alu) {
    draw_numbers(tb->x);
    memset(tb->x->dst.bits, 0, sizeof tb->x->dst.bits);
    execute_with(tb, op, alu);
}

/* A rounded sum is one of the two neighbours of the sum that a 32-bit Dst gets, whose upper half is the nearer to zero;
 * the more is lost the more often it is the other. The sum of the lost parts estimates how often. A second run without
 * a reset has other random numbers, one after a reset the same. */
static void random_rounding(void **state) {
    const uint32_t wide = UINT32_C(1) << CONFIG_SHIFT_ALU_ACC_CTRL_Fp32_enabled;
    struct tensix_box *tb = *state;
    struct dst *dst = &tb->x->dst;
    uint16_t first[8][DST_COLUMNS];
    uint32_t exact[8][DST_COLUMNS];
    for (unsigned i = 0; i < OPS; i++) {
        double expected = 0;
        int away = 0, sums = 0;
        if (!is_arithmetic(&ops[i]) || is_maximum(&ops[i]))
            continue;
        start_from_zero(tb, &ops[i], wide);
        for (unsigned row = 0; row < 8; row++)
            for (unsigned j = 0; j < DST_COLUMNS; j++)
                exact[row][j] = dst_decode32(dst_get32(dst, dst_wide_row(row), j));
        for (unsigned run = 0; run < 50; run++) {
            start_from_zero(tb, &ops[i], RANDOM);
            for (unsigned row = 0; row < 8; row++)
                for (unsigned j = 0; j < DST_COLUMNS; j++) {
                    uint32_t got = dst_decode_bf16(dst_get16(dst, row, j)), low = exact[row][j] >> 16;
                    assert_true(got == low || (got == low + 1 && (exact[row][j] & 0xFFFF)));
                    expected += (exact[row][j] & 0xFFFF) / 65536.0;
                    away += got != low;
                    sums += (exact[row][j] & 0xFFFF) != 0;
                }
            if (run == 0)
                memcpy(first, dst->bits, sizeof first);
        }
        assert_true((away - expected) * (away - expected) <= 9 * sums);
        assert_int_equal(memcmp(first, dst->bits, sizeof first) != 0, sums > 0);
        tensix_soft_reset(tb->x, REG_HOLD_FPU, tb->now += 20);
        tensix_soft_reset(tb->x, 0, tb->now += 20);
        start_from_zero(tb, &ops[i], RANDOM);
        if (i == 0)
            assert_memory_equal(first, dst->bits, sizeof first);
    }
}

/* ---- Banks, one instruction at a time ---------------------------------------------------------------------------- */

static void step(struct tensix_box *tb, tensix_handler *handler, uint32_t word) {
    tb->now += 10;
    assert_int_equal(handler(tb->x, 2, word, tb->now), TENSIX_PASSED);
    tensix_run(tb->x, tb->now + 2);
}

static void cleardvalid(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned i = 0; i < 64; i++) {
        unsigned files = i & 3, keep = i >> 2 & 1, reset = i >> 3 & 1, bank = i >> 4 & 3;
        memset(src->allowed, SRC_MATRIX, sizeof src->allowed);
        memset(src->format, 5, sizeof src->format);
        src->unpacker_bank[0] = src->unpacker_bank[1] = 1;
        src->matrix_bank[0] = bank & 1;
        src->matrix_bank[1] = (uint8_t)(bank >> 1);
        step(tb, execute_CLEARDVALID, TT(CLEARDVALID, files, keep << 1 | reset));
        for (unsigned file = 0; file < 2; file++) {
            unsigned was = bank >> file & 1, given = files >> file & 1;
            assert_int_equal(src->matrix_bank[file], reset ? 0 : was ^ (given && !keep));
            assert_int_equal(src->unpacker_bank[file], !reset);
            assert_int_equal(src->allowed[file][was], reset || given ? SRC_UNPACKERS : SRC_MATRIX);
            assert_int_equal(src->allowed[file][!was], reset ? SRC_UNPACKERS : SRC_MATRIX);
            assert_int_equal(src->format[file][1], reset ? 0 : 5);
        }
    }
}

/* SETDVALID and UNPACR_NOP: whose the bank is, of which format, and where unpacks go on. */
static void to_the_matrix_unit(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG2_Out_data_format] = 5;
    tb->x->config.bank[0][CONFIG_WORD_THCON_SEC1_REG2_Out_data_format] = 4;
    tb->x->config.thread[2][CONFIG_WORD_SRCA_SET_Base] = 2;
    tb->x->config.thread[2][CONFIG_WORD_SRCB_SET_Base] = 3;
    memset(src->allowed, SRC_UNPACKERS, sizeof src->allowed);
    step(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 0, 0, 0, 0, 3, 0, 0, 0, 0));
    assert_int_equal(src->allowed[SRC_A][0], SRC_MATRIX);
    assert_int_equal(src->allowed[SRC_A][1], SRC_UNPACKERS);
    assert_int_equal(src->unpacker_bank[SRC_A], 1);
    assert_int_equal(src->format[SRC_A][0], 5);
    assert_int_equal(src->unpacker_row[SRC_A][2], 32);
    step(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, 1, 0, 0, 1, 0, 0, 0, 0, 1));
    assert_int_equal(src->allowed[SRC_B][0], SRC_MATRIX);
    assert_int_equal(src->format[SRC_B][0], 4);
    assert_int_equal(src->unpacker_row[SRC_B][2], 48);
    step(tb, execute_SETDVALID, TT(SETDVALID, 3));
    assert_int_equal(src->allowed[SRC_A][1], SRC_MATRIX);
    assert_int_equal(src->allowed[SRC_B][1], SRC_MATRIX);
    assert_int_equal(src->format[SRC_A][1], 5);
    assert_int_equal(src->format[SRC_B][1], 4);
    assert_int_equal(src->unpacker_bank[SRC_A], 0);
    assert_int_equal(src->unpacker_bank[SRC_B], 0);
}

/* Rows that are written after they were cleared are cleared again. */
static void clearing_again(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    for (unsigned round = 0; round < 4; round++) {
        memset(src->allowed, SRC_UNPACKERS, sizeof src->allowed);
        step(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, SRC_A, 0, 0, 0, 0, 0, 1, 0, 1));
        step(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, SRC_B, 0, 0, 0, 0, 0, 1, 1, 1));
        assert_int_equal(src_get(&src->bank[SRC_A][0], 1, 1), 0);
        assert_int_equal(src_get(&src->bank[SRC_B][0], 1, 1), 0x7FFFF);
        memset(src->allowed, SRC_MATRIX, sizeof src->allowed);
        if (round & 1)
            step(tb, execute_MOVB2A, TT(MOVB2A, 0, 0, 2, 0));
        else
            step(tb, execute_ZEROSRC, TT(ZEROSRC, 1, 1, 1, 1));
        assert_int_not_equal(src_get(&src->bank[SRC_A][0], 1, 1), 0);
    }
}

/* Clearing: the unpacker's bank or both, to zero or all ones; nothing is handed over unless it is asked for. */
static void clearing(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    memset(src->allowed, SRC_UNPACKERS, sizeof src->allowed);
    for (unsigned i = 0; i < 16; i++) {
        unsigned file = i & 1, both = i >> 1 & 1, ones = i >> 2 & 1, bank = i >> 3;
        for (unsigned k = 0; k < 4; k++)
            for (unsigned row = 0; row < 64; row += 63)
                src_set(&src->bank[k / 2][k % 2], row, 15, 0x2A55A);
        src_changed(src, SRC_A);
        src_changed(src, SRC_B);
        src->unpacker_bank[file] = (uint8_t)bank;
        step(tb, execute_UNPACR_NOP, TT(UNPACR_NOP, file, 0, 0, 0, 0, 0, both, ones, 1));
        for (unsigned k = 0; k < 4; k++) {
            bool cleared = k / 2 == file && (both || k % 2 == bank);
            uint32_t want = cleared ? (ones ? 0x7FFFF : 0) : 0x2A55A;
            assert_int_equal(src_get(&src->bank[k / 2][k % 2], 63, 15), want);
            assert_int_equal(src_get(&src->bank[k / 2][k % 2], 0, 15), want);
        }
        assert_int_equal(src->unpacker_bank[file], bank);
        assert_int_equal(src->allowed[file][bank], SRC_UNPACKERS);
    }
}

/* ---- Soft reset ----------------------------------------------------------------------------------------------- */

static void held_in_reset(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    tb->x->held = REG_HOLD_FPU;
    assert_int_equal(execute_MVMUL(tb->x, 0, TT(MVMUL, 3, 0, 0, 0), 50), TENSIX_NEVER);
    assert_int_equal(tb->box->faults, 0);
    tb->x->held = REG_HOLD_SRCA_CLIENT;
    step(tb, execute_MVMUL, TT(MVMUL, 3, 0, 0, 0));
    assert_int_equal(src->matrix_bank[SRC_A], 0);
    assert_int_equal(src->allowed[SRC_A][0], SRC_MATRIX);
    assert_int_equal(src->matrix_bank[SRC_B], 1);
    assert_int_equal(src->allowed[SRC_B][0], SRC_UNPACKERS);
    tb->x->held = REG_HOLD_SRCB;
    step(tb, execute_CLEARDVALID, TT(CLEARDVALID, 3, 0));
    assert_int_equal(src->matrix_bank[SRC_A], 1);
    assert_int_equal(src->matrix_bank[SRC_B], 1);
    src->unpacker_bank[SRC_B] = 0;
    step(tb, execute_SETDVALID, TT(SETDVALID, 2));
    assert_int_equal(src->allowed[SRC_B][0], SRC_UNPACKERS);
}

/* Src in reset is zero, whatever instructions write there. */
static void held_data(void **state) {
    struct tensix_box *tb = *state;
    struct src *src = &tb->x->src;
    memset(tb->x->dst.bits, 0x5A, sizeof tb->x->dst.bits);
    step(tb, execute_MOVD2A, TT(MOVD2A, .src = 8, .instr_mod = 2)); /* leaves a plan, which ends with the reset */
    tensix_soft_reset(tb->x, REG_HOLD_SRCB | (uint32_t)REG_HOLD_SRCA_COLUMNS << 2, tb->now);
    memset(src->allowed, SRC_MATRIX, sizeof src->allowed);
    step(tb, execute_MOVD2B, TT(MOVD2B, .src = 8, .instr_mod = 2));
    step(tb, execute_MOVD2A, TT(MOVD2A, .src = 8, .instr_mod = 2));
    for (unsigned column = 0; column < SRC_COLUMNS; column++) {
        assert_int_equal(src_get(&src->bank[SRC_B][0], 9, column), 0);
        assert_int_equal(src_get(&src->bank[SRC_A][0], 9, column), column / 4 == 2 ? 0 : 0x5Au << 11 | 0x5A);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, tb_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pairs),
        TEST(windows_stay_open),
        TEST(rows_by_counters),
        TEST(six_blocks_are_enough),
        cmocka_unit_test(one_a_cycle),
        cmocka_unit_test(waits_for_rows_inside_the_unit),
        cmocka_unit_test(busy),
        cmocka_unit_test(waits_for_both_files),
        cmocka_unit_test(conditions_on_banks),
        cmocka_unit_test(unpacker_waits),
        cmocka_unit_test(not_in_the_same_cycle),
        cmocka_unit_test(loads_of_the_vector_unit),
        TEST(refusals),
        TEST(rounding),
        TEST(random_rounding),
        TEST(cleardvalid),
        TEST(to_the_matrix_unit),
        TEST(clearing),
        TEST(clearing_again),
        TEST(held_in_reset),
        TEST(held_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
