/* Performance counters, src/tensix/count.c and src/tile/perf.c: counts of programs that can be derived by hand from the
 * cycles in which words pass, and the registers. That counts depend neither on skew nor on the ends of runs, and that
 * counting changes nothing, is in tests/chip/scenes.c. */
#include "isa/regs.h"
#include "support/tensix_scene.h"
#include "tensix/pack_setup.h"
#include "tensix/unpack_setup.h"
#include "tile/perf.h"

enum { B_ALL = 0x1FF, B_MATH = 1 << 6, BF16 = 5 };
#define AFTER TT(SETC16, 3, 1)

static const struct {
    uint32_t first, out;
} banks[PERF_BANKS] = {
    [PERF_BANK_INSTRN_THREAD] = { 0xFFB12000, 0xFFB12100 },
    [PERF_BANK_FPU] = { 0xFFB12018, 0xFFB12120 },
    [PERF_BANK_TDMA_UNPACK] = { 0xFFB1200C, 0xFFB12108 },
    [PERF_BANK_TDMA_PACK] = { 0xFFB120F0, 0xFFB12110 },
    [PERF_BANK_L1] = { 0xFFB12030, 0xFFB12118 },
};
#define PERF_CNT_ALL 0xFFB1203Cu

static void write_register(struct tensix_box *tb, uint32_t address, uint32_t value) {
    assert_true(perf_concerns(address, false));
    assert_int_equal(perf_write(&tb->box->tile, address, tb->now, value).result, ACCESS_DONE);
}

/* All banks; the write is in cycle tb->now, and its effect begins in the next. */
static void command(struct tensix_box *tb, uint32_t value) {
    for (unsigned i = 0; i < PERF_BANKS; i++) {
        write_register(tb, banks[i].first + 8, 0);
        write_register(tb, banks[i].first + 8, value);
    }
    tb->now++;
}

/* Ports of L1: bits 9 and up of `select` are for the mux. */
static struct access select_and_read(struct tensix_box *tb, enum perf_bank bank, unsigned select, uint32_t *value) {
    uint32_t mode = 0;
    (void)control_peek(&tb->box->tile.control, banks[bank].first + 4, tb->now, &mode);
    write_register(tb, banks[bank].first + 4, (mode & 0xFF) | (select & 0x1FF) << 8);
    tb->box->tile.control.value[REG_CONTROL_PERF_CNT_MUX_CTRL] = 0xF | select >> 9 << 4;
    return perf_read(&tb->box->tile, banks[bank].out + 4, tb->now, value);
}

static uint32_t selected(struct tensix_box *tb, enum perf_bank bank, unsigned select) {
    uint32_t value = 0;
    assert_int_equal(select_and_read(tb, bank, select, &value).result, ACCESS_DONE);
    return value;
}

static uint32_t count_of(struct tensix_box *tb, enum perf_id id) {
    return selected(tb, (enum perf_bank)perf_rows[id].bank, perf_rows[id].select);
}

static uint32_t reference(struct tensix_box *tb, enum perf_bank bank) {
    uint32_t value = 0;
    assert_int_equal(perf_read(&tb->box->tile, banks[bank].out, tb->now, &value).result, ACCESS_DONE);
    return value;
}

static void run_counted(struct tensix_box *tb) {
    command(tb, 1);
    if (!tb_run(tb))
        fail_msg("%s", tb->box->fault.text);
    command(tb, 2);
}

/* The ports of L1 of which the name contains one of the texts have so many requests and grants, the others none. */
static void assert_ports(struct tensix_box *tb, const char *text, const char *other, uint32_t requests) {
    for (unsigned id = 0; id < PERF_COUNT; id++) {
        const struct perf_row *row = &perf_rows[id];
        bool named = strstr(row->name, text) || strstr(row->name, other);
        if (row->bank == PERF_BANK_L1 && count_of(tb, (enum perf_id)id) != (named ? requests : 0))
            fail_msg("%s is %u", row->name, count_of(tb, (enum perf_id)id));
    }
}

/* Every counter that nothing in the program moves stays zero. */
static void assert_others_zero(struct tensix_box *tb, bool ports, const enum perf_id *some, unsigned count) {
    for (unsigned id = 0; id < PERF_COUNT; id++) {
        bool expected = perf_rows[id].bank == PERF_BANK_L1 && !ports;
        for (unsigned i = 0; i < count; i++)
            expected |= some[i] == id;
        if (!expected && count_of(tb, (enum perf_id)id))
            fail_msg("%s is %u", perf_rows[id].name, count_of(tb, (enum perf_id)id));
    }
}
#define ALL_OTHERS_ZERO(tb, ports, ...) \
    assert_others_zero(tb, ports, (const enum perf_id[]){ __VA_ARGS__ }, \
                       sizeof((const enum perf_id[]){ __VA_ARGS__ }) / sizeof(enum perf_id))
#define OTHERS_ZERO(tb, ...)           ALL_OTHERS_ZERO(tb, true, __VA_ARGS__)
#define OTHERS_ZERO_BUT_PORTS(tb, ...) ALL_OTHERS_ZERO(tb, false, __VA_ARGS__)

/* ---- Threads --------------------------------------------------------------------------------------------------- */

/* Five words that pass one a cycle. SETC16 keeps the Configuration Unit, of which no counter speaks. */
static void words_that_pass_at_once(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 1, AFTER, AFTER, AFTER, TT(NOP, 0), TT(SETADCXX, 4, 15, 0));
    run_counted(tb);
    assert_int_equal(tb->at[1][4], tb->at[1][0] + 4);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_1), 5);
    assert_int_equal(count_of(tb, PERF_CFG_INSTRN_AVAILABLE_1), 3);
    OTHERS_ZERO(tb, PERF_THREAD_INSTRUCTIONS_1, PERF_CFG_INSTRN_AVAILABLE_1);
}

/* An ADDDMAREG holds its thread for three cycles: the word behind it is at the gate for two of them. */
static void words_behind_the_scalar_unit(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 0, TT(ADDDMAREG, 1, 1, 2, 3), TT(ADDDMAREG, 1, 1, 2, 3), TT(ADDDMAREG, 1, 1, 2, 3), AFTER);
    run_counted(tb);
    assert_int_equal(tb->at[0][3], tb->at[0][0] + 9);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 4);
    assert_int_equal(count_of(tb, PERF_THREAD_STALLS_0), 6);
    assert_int_equal(count_of(tb, PERF_ANY_THREAD_STALL), 6);
    assert_int_equal(count_of(tb, PERF_THCON_INSTRN_AVAILABLE_0), 1 + 3 + 3);
    assert_int_equal(count_of(tb, PERF_CFG_INSTRN_AVAILABLE_0), 3);
}

/* T0 waits for a semaphore from the cycle after SEMWAIT up to the one in which T1 posts; the word behind it stays at
 * the gate one cycle longer. T2 waits for one that is full. */
static void waits_for_semaphores(void **state) {
    struct tensix_box *tb = *state;
    tb->x->sync.semaphore[1].max = 1;
    tb->x->sync.semaphore[2].value = tb->x->sync.semaphore[2].max = 1;
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, B_ALL, 1 << 1, GATE_SEM_ZERO), AFTER);
    tb_nops(tb, BH_TRISC2, 8); /* one wait a cycle is latched */
    TB_PUSH_ALL(tb, 2, TT(SEMWAIT, B_ALL, 1 << 2, GATE_SEM_MAX), AFTER);
    tb_nops(tb, BH_TRISC1, 40);
    TB_PUSH_ALL(tb, 1, TT(SEMPOST, 1 << 1), TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), TT(SEMGET, 1 << 2));
    run_counted(tb);
    uint64_t zero = tb->at[1][0] - tb->at[0][0], full = tb->at[1][4] - tb->at[2][0];
    assert_true(zero > 30);
    assert_int_equal(tb->at[0][1], tb->at[1][0] + 2);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_NONZERO_SEM_0), zero);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_NONFULL_SEM_2), full);
    assert_int_equal(count_of(tb, PERF_THREAD_STALLS_0), zero + 1);
    assert_int_equal(count_of(tb, PERF_CFG_INSTRN_AVAILABLE_0), zero + 2);
    assert_int_equal(count_of(tb, PERF_THREAD_STALLS_2), full + 1);
    assert_int_equal(count_of(tb, PERF_ANY_THREAD_STALL), later(tb->at[0][1], tb->at[2][1]) - tb->at[0][0] - 1);
    OTHERS_ZERO(tb, PERF_WAITING_FOR_NONZERO_SEM_0, PERF_WAITING_FOR_NONFULL_SEM_2, PERF_THREAD_STALLS_0,
                PERF_THREAD_STALLS_2, PERF_ANY_THREAD_STALL, PERF_CFG_INSTRN_AVAILABLE_0, PERF_CFG_INSTRN_AVAILABLE_2,
                PERF_SYNC_INSTRN_AVAILABLE_0, PERF_SYNC_INSTRN_AVAILABLE_1, PERF_SYNC_INSTRN_AVAILABLE_2,
                PERF_THREAD_INSTRUCTIONS_0, PERF_THREAD_INSTRUCTIONS_1, PERF_THREAD_INSTRUCTIONS_2);
}

/* tt-llk reads these three with all others, although nothing drives them. */
static void a_class_without_instructions(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 0, AFTER, TT(ADDDMAREG, 1, 1, 2, 3), AFTER);
    run_counted(tb);
    for (unsigned i = 9; i <= 11; i++)
        assert_int_equal(selected(tb, PERF_BANK_INSTRN_THREAD, i), 0);
    assert_int_equal(count_of(tb, PERF_CFG_INSTRN_AVAILABLE_0), 1 + 3);
}

/* Grants of one thread are one signal. */
static void grants_that_are_wired_together(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 2, TT(ADDDMAREG, 1, 1, 2, 3), AFTER, AFTER);
    run_counted(tb);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(selected(tb, PERF_BANK_INSTRN_THREAD, 272 + i), 3);
        assert_int_equal(selected(tb, PERF_BANK_INSTRN_THREAD, 264 + i), 0);
    }
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(selected(tb, PERF_BANK_INSTRN_THREAD, 287 + 18 + i), 2);
        assert_int_equal(selected(tb, PERF_BANK_INSTRN_THREAD, 287 + 9 + i), 0);
    }
}

/* ---- Matrix and Vector Unit ------------------------------------------------------------------------------------- */

static void give_src_to_matrix(struct tensix_box *tb) {
    memset(tb->x->src.allowed, SRC_MATRIX, sizeof tb->x->src.allowed);
}

/* Four products into the same rows, six cycles apart (docs/matrix.md), and two of the Vector Unit by another thread. */
static void products_and_vectors(void **state) {
    struct tensix_box *tb = *state;
    give_src_to_matrix(tb);
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 1, TT(MVMUL, 0, 0, 0, 0));
    tb_nops(tb, BH_TRISC2, 60);
    TB_PUSH_ALL(tb, 2, (uint32_t)TENSIX_SFPNOP << 24, TT(SFPSWAP, 0, 0, 1, 1), TT(SFPSWAP, 0, 0, 1, 1));
    run_counted(tb);
    assert_int_equal(tb->at[1][3], tb->at[1][0] + 18);
    assert_true(tb->at[2][0] > tb->at[1][3]);
    assert_int_equal(tb->at[2][2], tb->at[2][0] + 3);
    assert_int_equal(count_of(tb, PERF_FPU_COUNTER), 4);
    assert_int_equal(count_of(tb, PERF_SFPU_COUNTER), 5);
    assert_int_equal(count_of(tb, PERF_MATH_COUNTER), 9);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_STARTED), 4 + 3);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_AVAILABLE), 19 + 4);
    assert_int_equal(count_of(tb, PERF_MATH_SRC_DATA_READY), 19 + 4);
    assert_int_equal(count_of(tb, PERF_DATA_HAZARD_STALLS_MOVD2A), 19 + 4);
    assert_int_equal(count_of(tb, PERF_MATH_NOT_STALLED_DEST_WR_PORT), 19 + 4);
    assert_int_equal(count_of(tb, PERF_AVAILABLE_MATH), 4 + 4);
    assert_int_equal(count_of(tb, PERF_FPU_INSTRN_AVAILABLE_1), 19);
    assert_int_equal(count_of(tb, PERF_FPU_INSTRN_AVAILABLE_2), 4);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_MATH_IDLE_1), 4 * (TENSIX_LATENCY_MVMUL - 1));
    assert_int_equal(selected(tb, PERF_BANK_TDMA_UNPACK, 258), 4 + 3);
    assert_int_equal(count_of(tb, PERF_MATH_FIDELITY_STALL), 0);
}

/* SFPSHFT2 across lanes keeps the unit for two cycles, as SFPSWAP does; in its other modes for one. */
static void shuffles(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 2, TT(SFPSHFT2, 0, 0, 1, 3), TT(SFPSHFT2, 0, 0, 1, 5), TT(SFPSHFT2, 0, 0, 1, 4));
    run_counted(tb);
    assert_int_equal(tb->at[2][1], tb->at[2][0] + 2);
    assert_int_equal(tb->at[2][2], tb->at[2][0] + 3);
    assert_int_equal(count_of(tb, PERF_SFPU_COUNTER), 5);
    assert_int_equal(count_of(tb, PERF_MATH_COUNTER), 5);
}

/* The counters of phases see none: in hardware their selector is not connected. */
static void phases_of_fidelity(void **state) {
    struct tensix_box *tb = *state;
    give_src_to_matrix(tb);
    tb->x->config.thread[1][CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + 1] = 1 << 13;
    for (unsigned i = 0; i < 7; i++)
        tb_push(tb, 1, TT(MVMUL, 0, 0, 1, 0));
    tb_push(tb, 1, TT(ELWADD, 0, 0, 0, 0, 0));
    tb_push(tb, 1, TT(ELWMUL, 0, 0, 0, 0, 0));
    run_counted(tb);
    assert_int_equal(tb->x->rwc[1].fidelity, 7 & 3);
    assert_int_equal(selected(tb, PERF_BANK_TDMA_UNPACK, 258), 9);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_HF_2_CYCLE), 0);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_HF_4_CYCLE), 0);
    assert_int_equal(count_of(tb, PERF_MATH_FIDELITY_STALL), 0);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_STARTED), 9);
}

/* MOVD2A keeps all but moves to SrcA out of the unit. */
static void moves_to_srca(void **state) {
    struct tensix_box *tb = *state;
    give_src_to_matrix(tb);
    TB_PUSH_ALL(tb, 1, TT(MOVD2A, 0, 0, 0, 0, 0), TT(SETRWC, 0, 0, 0, 0, 0, 0));
    run_counted(tb);
    uint64_t held = tb->at[1][1] - tb->at[1][0] - 1;
    assert_true(held > 0);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_AVAILABLE), 2 + held);
    assert_int_equal(count_of(tb, PERF_DATA_HAZARD_STALLS_MOVD2A), 2);
    assert_int_equal(count_of(tb, PERF_AVAILABLE_MATH), 2 + held);
}

/* The first product waits for both banks, that of SrcA by itself and that of SrcB by a STALLWAIT. */
static void waits_for_banks(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, B_MATH, GATE_C_SRCB_VALID), TT(MVMUL, 0, 0, 0, 0));
    tb_nops(tb, BH_TRISC0, 30);
    tb_push(tb, 0, TT(SETDVALID, 2));
    tb_nops(tb, BH_TRISC0, 20);
    tb_push(tb, 0, TT(SETDVALID, 1));
    run_counted(tb);
    uint64_t b = tb->at[0][0] - tb->at[1][0], product = tb->at[1][1], a = product - tb->at[0][0] - 2;
    assert_int_equal(product, tb->at[0][1] + 1);
    assert_true(a > 15 && b > 15);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_SRCB_VALID), b);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_SRCA_VALID), a);
    assert_int_equal(count_of(tb, PERF_THREAD_STALLS_1), a + b + 1);
    assert_int_equal(count_of(tb, PERF_MATH_INSTRN_AVAILABLE), a + 1);
    assert_int_equal(count_of(tb, PERF_MATH_SRC_DATA_READY), 1);
}

/* ---- Unpackers and packer ---------------------------------------------------------------------------------------- */

/* 512 data of BF16 are 64 units of 16 bytes, eight a cycle. The second one has to wait for a bank for ever. */
static void unpackers(void **state) {
    enum { FETCH = 64 / TENSIX_PART_UNPACR_X8 };
    struct tensix_box *tb = *state;
    us_setup(tb, 0, BF16, BF16, 512);
    tb->x->src.allowed[SRC_A][1] = SRC_MATRIX;
    TB_PUSH_ALL(tb, 0, US_UNPACR(US_FLIP));
    tb_nops(tb, BH_TRISC1, 100);
    TB_PUSH_ALL(tb, 1, US_UNPACR(US_FLIP));
    command(tb, 1);
    tb_start(tb);
    tb_step(tb, 400);
    command(tb, 2);
    assert_int_equal(tb->box->faults, 0);
    uint64_t first = us_handed(tb, SRC_A, 0) ? tb->at[0][0] : 0, waits = 400 - tb->at[1][0];
    assert_true(first && waits > 100);
    assert_int_equal(count_of(tb, PERF_SRCA_WRITE_TID_EVEN), FETCH);
    assert_int_equal(count_of(tb, PERF_SRCA_WRITE_NOT_BLOCKED_OVR), FETCH);
    assert_int_equal(count_of(tb, PERF_UNPACK0_BUSY_THREAD0), FETCH + TENSIX_OCCUPANCY_UNPACR - 1);
    assert_int_equal(count_of(tb, PERF_UNPACK0_BUSY_THREAD1), waits);
    assert_int_equal(count_of(tb, PERF_SRCA_WRITE_AVAILABLE), FETCH + waits - (TENSIX_OCCUPANCY_UNPACR - 1));
    assert_int_equal(count_of(tb, PERF_SRCA_WRITE_ACTUAL), FETCH + waits - (TENSIX_OCCUPANCY_UNPACR - 1));
    assert_int_equal(count_of(tb, PERF_SRCA_WRITE_TID_ODD), 0);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_UNPACK_IDLE_0), FETCH + TENSIX_OCCUPANCY_UNPACR - 1);
    assert_ports(tb, "UNPACKER_0", "UNPACKER0", FETCH);
    OTHERS_ZERO_BUT_PORTS(tb, PERF_SRCA_WRITE_TID_EVEN, PERF_SRCA_WRITE_NOT_BLOCKED_OVR, PERF_UNPACK0_BUSY_THREAD0,
                          PERF_UNPACK0_BUSY_THREAD1, PERF_SRCA_WRITE_AVAILABLE, PERF_SRCA_WRITE_ACTUAL,
                          PERF_WAITING_FOR_UNPACK_IDLE_0, PERF_WAITING_FOR_UNPACK_IDLE_1, PERF_THREAD_INSTRUCTIONS_0,
                          PERF_THREAD_INSTRUCTIONS_1, PERF_UNPACK_INSTRN_AVAILABLE_0, PERF_UNPACK_INSTRN_AVAILABLE_1);
}

/* Five PACRs of 64 data of 32 bits: two cycles each, from the cycle after the first has passed on. */
static void packer(void **state) {
    struct tensix_box *tb = *state;
    pt_setup(tb);
    pt_formats(tb, true, 0, 0);
    for (unsigned i = 0; i < 5; i++)
        tb_push(tb, 2, PT_PACR(i == 4 ? PT_LAST : 0));
    run_counted(tb);
    uint64_t stalls = tb->at[2][4] - tb->at[2][0] - 4;
    assert_int_equal(count_of(tb, PERF_PACKER_BUSY), 10);
    assert_int_equal(count_of(tb, PERF_PACKER_DEST_READ_AVAILABLE), 10);
    assert_int_equal(count_of(tb, PERF_DEST_READ_GRANTED_0), 10);
    assert_int_equal(count_of(tb, PERF_WAITING_FOR_PACK_IDLE_2), 10);
    assert_ports(tb, "PACKER_IF", "EXT_PACKER", 10);
    assert_int_equal(count_of(tb, PERF_PACK_INSTRN_AVAILABLE_2), 5 + stalls);
    OTHERS_ZERO_BUT_PORTS(tb, PERF_PACKER_BUSY, PERF_PACKER_DEST_READ_AVAILABLE, PERF_DEST_READ_GRANTED_0,
                          PERF_WAITING_FOR_PACK_IDLE_2, PERF_PACK_INSTRN_AVAILABLE_2, PERF_THREAD_INSTRUCTIONS_2,
                          PERF_THREAD_STALLS_2, PERF_ANY_THREAD_STALL);
}

/* ---- Ports of L1 ------------------------------------------------------------------------------------------------- */

/* Eight units are copied in eleven cycles, and zeros are written one a cycle; the cycle in which a copy is asked for
 * counts too. */
static void the_mover(void **state) {
    struct tensix_box *tb = *state;
    struct mover_task copy = { 0x20000, 0x10000, 16, MOVER_L1_L1 }, clear = { 0x20000, 0, 10, MOVER_ZERO_L1 };
    command(tb, 1);
    tb_start(tb);
    mover_start(tb->x, &copy, TENSIX_THREADS, tb->now);
    tb_step(tb, tb->now + 100);
    assert_int_equal(count_of(tb, PERF_L1_0_TDMA_BUNDLE_0_RISC), 1 + 22);
    assert_int_equal(count_of(tb, PERF_L1_0_TDMA_BUNDLE_1_TRISC), 1 + 22);
    mover_start(tb->x, &clear, TENSIX_THREADS, tb->now);
    tb_step(tb, tb->now + 100);
    assert_int_equal(count_of(tb, PERF_L1_0_TDMA_BUNDLE_0_RISC), 1 + 22);
    assert_int_equal(count_of(tb, PERF_L1_0_TDMA_BUNDLE_1_GRANT), 1 + 22 + 10);
}

/* Loads and stores of L1 count, of registers do not; the Scalar Unit shares T0's port. */
static void cores_and_the_scalar_unit(void **state) {
    static const enum perf_id port[BH_CORE_COUNT] = { PERF_L1_0_TDMA_BUNDLE_0_RISC, PERF_L1_0_TDMA_BUNDLE_0_RISC,
                                                      PERF_L1_0_TDMA_BUNDLE_1_TRISC, PERF_L1_0_TDMA_BUNDLE_1_TRISC,
                                                      PERF_L1_0_TDMA_BUNDLE_0_RISC };
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct tensix_box *tb = tb_create();
        tb_li(tb, core, TB_T0, 0x30000);
        tb_li(tb, core, TB_T1, 0xFFB12000);
        for (unsigned i = 0; i < 7; i++)
            tb_rv(tb, core, i % 2 ? asm_s(RV_SW, TB_T2, 4 * (int)i, TB_T0) : asm_i(RV_LW, TB_T2, TB_T0, 4 * (int)i));
        tb_rv(tb, core, asm_i(RV_LW, TB_T2, TB_T1, 0x1F0));
        run_counted(tb);
        assert_int_equal(count_of(tb, port[core]), 7);
        assert_int_equal(count_of(tb, port[core] + 1u), 7);
        OTHERS_ZERO(tb, port[core], port[core] + 1u);
        tb_destroy(tb);
    }
    struct tensix_box *tb = *state;
    tb->x->gpr[0][4] = 0x3000;
    TB_PUSH_ALL(tb, 0, TT(LOADIND, 1, 0, 0, 8, 4), TT(STOREIND, 1, 1, 0, 0, 0, 8, 4), TT(ADDDMAREG, 1, 1, 2, 3));
    run_counted(tb);
    assert_int_equal(count_of(tb, PERF_L1_0_TDMA_BUNDLE_0_RISC), 2);
}

/* 130 bytes are three times up to 64, which four ports of 16 bytes move. The values of the mux behind the last group
 * are those of the first. */
static void a_niu(void **state) {
    struct tensix_box *tb = *state;
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned reads = 0; reads < 2; reads++) {
            static const char *const ports[2][2] = { { "RING0_INCOMING", "RING0_OUTGOING" },
                                                     { "RING1_INCOMING", "RING1_OUTGOING" } };
            command(tb, 1);
            perf_noc(&tb->box->tile, noc, reads, 130, tb->now);
            assert_ports(tb, ports[noc][reads], ports[noc][reads], 3);
            for (unsigned i = 0; i < 8; i++)
                assert_int_equal(selected(tb, PERF_BANK_L1, 7 << 9 | i), selected(tb, PERF_BANK_L1, i));
        }
    }
}

/* Each iteration of a polling loop is a request. The core sleeps when counting begins. */
static void a_core_that_polls(void **state) {
    struct tensix_box *tb = *state;
    tb_li(tb, BH_NCRISC, TB_T0, 0x30000);
    tb_rv(tb, BH_NCRISC, asm_i(RV_LW, TB_T2, TB_T0, 0));
    tb_rv(tb, BH_NCRISC, asm_b(RV_BEQ, TB_T2, 0, -4));
    tb_start(tb);
    tb_step(tb, 1000);
    assert_int_equal(tb->box->tile.core[BH_NCRISC].state, BH_CORE_POLLING);
    command(tb, 1);
    tb_step(tb, tb->now + 1000);
    assert_in_range(count_of(tb, PERF_L1_0_TDMA_BUNDLE_0_RISC), 90, 130);
}

/* ---- Banks ------------------------------------------------------------------------------------------------------ */

static void push_words(struct tensix_box *tb, unsigned count) {
    uint32_t word = AFTER;
    for (unsigned i = 0; i < count; i++)
        scene_push(tb, BH_TRISC0, 0, &word, 1, tb->now);
    tb_step(tb, tb->now + 50);
}

/* Counts stay when a bank stops, and begin at zero when it starts again; other banks go on. */
static void stop_and_restart(void **state) {
    struct tensix_box *tb = *state;
    command(tb, 1);
    push_words(tb, 3);
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first + 8, 2);
    tb_step(tb, tb->now + 10);
    push_words(tb, 2);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 3);
    assert_int_equal(reference(tb, PERF_BANK_INSTRN_THREAD), 51);
    assert_int_equal(reference(tb, PERF_BANK_L1), 50 + 10 + 50);
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first + 8, 2); /* it stays up: nothing */
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first + 8, 1);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 0);
    tb_step(tb, tb->now + 1);
    push_words(tb, 4);
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first + 8, 1); /* it stays up: counts go on */
    tb_step(tb, tb->now + 1);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 4);
    assert_int_equal(reference(tb, PERF_BANK_INSTRN_THREAD), 51);
}

static void one_register_for_two_banks(void **state) {
    struct tensix_box *tb = *state;
    write_register(tb, PERF_CNT_ALL, 1);
    tb_step(tb, tb->now + 20);
    assert_int_equal(tb->x->counting, 1 << PERF_BANK_INSTRN_THREAD | 1 << PERF_BANK_FPU);
    write_register(tb, PERF_CNT_ALL, 2);
    assert_int_equal(tb->x->counting, 0);
    tb_step(tb, tb->now + 20);
    assert_int_equal(reference(tb, PERF_BANK_INSTRN_THREAD), 20);
    assert_int_equal(reference(tb, PERF_BANK_FPU), 20);
    assert_int_equal(reference(tb, PERF_BANK_TDMA_PACK), 0);
}

/* Mode 1 ends by itself; mode 2 has no reference. */
static void modes(void **state) {
    struct tensix_box *tb = *state;
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first, 60);
    write_register(tb, banks[PERF_BANK_INSTRN_THREAD].first + 4, 1);
    write_register(tb, banks[PERF_BANK_FPU].first + 4, 2);
    command(tb, 1);
    push_words(tb, 3);
    push_words(tb, 2);
    assert_false(tb->x->counting >> PERF_BANK_INSTRN_THREAD & 1);
    assert_int_equal(reference(tb, PERF_BANK_INSTRN_THREAD), 60);
    assert_int_equal(reference(tb, PERF_BANK_FPU), 0);
    assert_int_equal(reference(tb, PERF_BANK_L1), 100);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 5);
    push_words(tb, 1);
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 5);
}

/* A core starts and stops a bank by stores, which are 20 cycles apart. */
static void cores_start_and_stop(void **state) {
    struct tensix_box *tb = *state;
    tb_li(tb, BH_NCRISC, TB_T0, banks[PERF_BANK_FPU].first + 8);
    tb_li(tb, BH_NCRISC, TB_T1, 1);
    tb_li(tb, BH_NCRISC, TB_T2, 2);
    tb_rv(tb, BH_NCRISC, asm_s(RV_SW, TB_T1, 0, TB_T0));
    tb_nops(tb, BH_NCRISC, 19);
    tb_rv(tb, BH_NCRISC, asm_s(RV_SW, TB_T2, 0, TB_T0));
    assert_true(tb_run(tb));
    assert_int_equal(reference(tb, PERF_BANK_FPU), 20);
}

/* The coprocessor itself: STOREREG at the end of the words that are counted. */
static void the_coprocessor_stops(void **state) {
    struct tensix_box *tb = *state;
    uint32_t at = (banks[PERF_BANK_INSTRN_THREAD].first + 8 - 0xFFB00000) / 4;
    command(tb, 1);
    tb->x->gpr[0][4] = 2;
    TB_PUSH_ALL(tb, 0, AFTER, AFTER, TT(STOREREG, 4, at), AFTER, AFTER);
    assert_true(tb_run(tb));
    assert_int_equal(count_of(tb, PERF_THREAD_INSTRUCTIONS_0), 3);
    assert_int_equal(tb->x->counting >> PERF_BANK_INSTRN_THREAD & 1, 0);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void assert_refused(struct access access, enum bh_fault_kind kind, const char *text) {
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, kind);
    assert_non_null(strstr(access.text, text));
}

static void counters_that_do_not_exist(void **state) {
    struct tensix_box *tb = *state;
    uint32_t value;
    assert_refused(select_and_read(tb, PERF_BANK_L1, 8, &value), BH_FAULT_UNDEFINED, "no document names");
    for (unsigned port = 42; port < 48; port++) { /* nothing drives them */
        assert_int_equal(selected(tb, PERF_BANK_L1, port / 8 << 9 | port % 8), 0);
        assert_int_equal(selected(tb, PERF_BANK_L1, port / 8 << 9 | 256 | port % 8), 0);
    }
    for (unsigned i = 13; i <= 17; i++) /* packers of Wormhole */
        assert_int_equal(selected(tb, PERF_BANK_TDMA_PACK, i), 0);
    for (unsigned i = 269; i <= 270; i++)
        assert_int_equal(selected(tb, PERF_BANK_TDMA_PACK, i), 0);
    assert_refused(select_and_read(tb, PERF_BANK_TDMA_PACK, 12, &value), BH_FAULT_UNDEFINED, "no document names");
    assert_refused(select_and_read(tb, PERF_BANK_INSTRN_THREAD, 280, &value), BH_FAULT_UNDEFINED, "no document names");
    assert_refused(select_and_read(tb, PERF_BANK_INSTRN_THREAD, 314, &value), BH_FAULT_UNDEFINED, "no document names");
    assert_refused(select_and_read(tb, PERF_BANK_FPU, 256, &value), BH_FAULT_UNDEFINED, "no document names");
    assert_refused(perf_write(&tb->box->tile, banks[PERF_BANK_FPU].first + 4, tb->now, 3), BH_FAULT_UNDEFINED, "mode");
}

/* Zero is no command. */
static void commands_by_setc16(void **state) {
    (void)state;
    for (uint32_t value = 0; value < 2; value++) {
        struct tensix_box *tb = tb_create();
        tb_push(tb, 0, TT(SETC16, CONFIG_WORD_PERF_CNT_CMD_Cmd0Start, value << 7));
        assert_int_equal(tb_run(tb), !value);
        assert_int_equal(tb->box->faults, value);
        assert_true(!value || strstr(tb->box->fault.text, "PERF_CNT_CMD"));
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(words_that_pass_at_once),
        BOXED(words_behind_the_scalar_unit),
        BOXED(waits_for_semaphores),
        BOXED(a_class_without_instructions),
        BOXED(grants_that_are_wired_together),
        BOXED(products_and_vectors),
        BOXED(shuffles),
        BOXED(phases_of_fidelity),
        BOXED(moves_to_srca),
        BOXED(waits_for_banks),
        BOXED(unpackers),
        BOXED(packer),
        BOXED(the_mover),
        BOXED(cores_and_the_scalar_unit),
        BOXED(a_niu),
        BOXED(a_core_that_polls),
        BOXED(stop_and_restart),
        BOXED(one_register_for_two_banks),
        BOXED(modes),
        BOXED(cores_start_and_stop),
        BOXED(the_coprocessor_stops),
        BOXED(counters_that_do_not_exist),
        cmocka_unit_test(commands_by_setc16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
