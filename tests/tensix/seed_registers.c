/* The seed chapter on registers, section by section (docs/seeds.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

enum { A0 = 10, A1 = 11, A2 = 12 };
#define SOFT_RESET_0 0xFFB121B0u
#define WALL_CLOCK_0 0xFFB121F0u

/* ---- Must emulate --------------------------------------------------------------------------------------------- */

/* configure_csr() of the firmware, on each core: the value is kept. Bit 17, the store merge timer's, is set at reset.
 */
static void cfg0_firmware_sequence(void **state) {
    (void)state;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct tensix_box *tb = tb_create();
        tb_li(tb, (enum bh_core)core, 5, 1 << 18);
        tb_rv(tb, (enum bh_core)core, asm_csr(RV_CSRRSI, 0, 0x7C0, 2));
        tb_rv(tb, (enum bh_core)core, asm_csr(RV_CSRRS, 0, 0x7C0, 5));
        tb_rv(tb, (enum bh_core)core, asm_csr(RV_CSRRCI, 0, 0x7C0, 2));
        tb_rv(tb, (enum bh_core)core, asm_csr(RV_CSRRSI, 0, 0x7C0, 8));
        tb_rv(tb, (enum bh_core)core, asm_csr(RV_CSRRS, A0, 0x7C0, 0));
        assert_true(tb_run(tb));
        assert_int_equal(core_of(tb, (enum bh_core)core)->x[A0], 1 << 17 | 1 << 18 | 8);
        tb_destroy(tb);
    }
}

/* DisTriscCache is not without effect: it ends the fusion of adjacent .ttinsn. */
static void cfg0_bit_18_ends_fusion(void **state) {
    uint64_t time[2];
    (void)state;
    for (unsigned off = 0; off < 2; off++) {
        struct tensix_box *tb = tb_create();
        tb_li(tb, BH_TRISC0, 5, off ? 1 << 18 : 0);
        tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 0, 0x7C0, 5));
        for (unsigned i = 0; i < 12; i++)
            tb_push(tb, 0, TT(NOP, 0));
        assert_true(tb_run(tb));
        assert_int_equal(tb->passes[0], 12);
        time[off] = core_time(core_of(tb, BH_TRISC0));
        tb_destroy(tb);
    }
    assert_int_equal(time[1] - time[0], 12 - 3);
}

/* Bits 30 and 31: fadd.h on BF16, rounded toward zero or to nearest even. */
static void cfg0_bits_30_and_31(void **state) {
    static const struct { uint32_t cfg0, sum; } cases[] = { { 0, 0x4200 }, { 1u << 30, 0x3FFF }, { 3u << 30, 0x4000 } };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct tensix_box *tb = tb_create();
        /* FP16: 1 + 2 = 3; BF16: 1.9921875 + 0.005859375 lies between two neighbours, the upper one nearer. */
        uint32_t a = i ? 0x3FFF : 0x3C00, b = i ? 0x3BC0 : 0x4000;
        tb_li(tb, BH_TRISC0, 5, cases[i].cfg0);
        tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 0, 0x7C0, 5));
        tb_li(tb, BH_TRISC0, 6, a);
        tb_li(tb, BH_TRISC0, 7, b);
        tb_rv(tb, BH_TRISC0, asm_r(RV_FMV_H_X, 1, 6, 0));
        tb_rv(tb, BH_TRISC0, asm_r(RV_FMV_H_X, 2, 7, 0));
        tb_rv(tb, BH_TRISC0, asm_r(RV_FADD_H, 3, 1, 2));
        tb_rv(tb, BH_TRISC0, asm_r(RV_FMV_X_H, A0, 3, 0));
        assert_true(tb_run(tb));
        assert_int_equal(core_of(tb, BH_TRISC0)->x[A0] & 0xFFFF, cases[i].sum);
        tb_destroy(tb);
    }
}

/* The boot sequence: everything held, BRISC let go by the host, the others by BRISC. */
static void soft_reset_boot_sequence(void **state) {
    struct tensix_box *tb = tb_create();
    struct box *box = tb->box;
    (void)state;
    box_poke32(box, 0xFFB12224, 0x155);
    box_poke32(box, SOFT_RESET_0, 0x47800);
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, A0, 0, 1), asm_u(RV_LUI, 5, 0xFFB12000), asm_s(RV_SW, 0, 0x1B0, 5), EBREAK);
    for (unsigned core = BH_TRISC0; core < BH_CORE_COUNT; core++)
        BOX_CODE(box, (enum bh_core)core, asm_i(RV_ADDI, A0, 0, (int32_t)core + 1), EBREAK);
    tb_step(tb, 50);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        assert_int_equal(core_of(tb, (enum bh_core)core)->state, BH_CORE_IN_RESET);
    /* The host lets BRISC go; until its store the others stay. */
    box_poke32(box, SOFT_RESET_0, 0x47000);
    assert_int_equal(core_of(tb, BH_BRISC)->state, BH_CORE_RUNNING);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_IN_RESET);
    assert_int_equal(core_of(tb, BH_NCRISC)->state, BH_CORE_IN_RESET);
    tb_step(tb, 300);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        assert_int_equal(core_of(tb, (enum bh_core)core)->x[A0], core + 1);
    assert_int_equal(box_peek32(box, SOFT_RESET_0), 0);
    tb_destroy(tb);
}

/* The coprocessor's bits do something: 15 and 16 give the Src banks back, 9 clears the THCON configuration, 10 SrcA. */
static void soft_reset_coprocessor_bits(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->src.allowed[SRC_A][1] = tb->x->src.allowed[SRC_B][0] = SRC_MATRIX;
    src_set(&tb->x->src.bank[SRC_A][0], 3, 4, 5);
    tb->x->config.bank[0][70] = 7;
    box_poke32(tb->box, SOFT_RESET_0, 0x47800 | 1 << 15);
    assert_int_equal(tb->x->src.allowed[SRC_A][1], SRC_UNPACKERS);
    assert_int_equal(tb->x->src.allowed[SRC_B][0], SRC_MATRIX);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 3, 4), 5);
    box_poke32(tb->box, SOFT_RESET_0, 0x47800 | 1 << 16 | 1 << 9 | 1 << 10);
    assert_int_equal(tb->x->src.allowed[SRC_B][0], SRC_UNPACKERS);
    assert_int_equal(src_get(&tb->x->src.bank[SRC_A][0], 3, 4), 0);
    assert_int_equal(tb->x->config.bank[0][70], 0);
    tb_destroy(tb);
}

/* With an override bit a core starts at its register, else at the default that the seed leaves out. */
static void reset_pc_registers(void **state) {
    static const struct {
        enum bh_core core;
        uint32_t pc, enable, bit, usual;
    } rows[] = {
        { BH_TRISC0, 0xFFB12228, 0xFFB12234, 1, 0x6000 },
        { BH_TRISC1, 0xFFB1222C, 0xFFB12234, 2, 0xA000 },
        { BH_TRISC2, 0xFFB12230, 0xFFB12234, 4, 0xE000 },
        { BH_NCRISC, 0xFFB12238, 0xFFB1223C, 1, 0x12000 },
    };
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned enabled = 0; enabled < 2; enabled++) {
            struct tensix_box *tb = tb_create();
            uint32_t other[2] = { asm_i(RV_ADDI, A0, 0, 2), EBREAK };
            BOX_CODE(tb->box, rows[i].core, asm_i(RV_ADDI, A0, 0, 1), EBREAK);
            assert_int_equal(core_of(tb, rows[i].core)->default_pc, rows[i].usual);
            box_poke(tb->box, 0x30000, other, sizeof other);
            box_poke32(tb->box, rows[i].pc, 0x30000);
            box_poke32(tb->box, rows[i].enable, enabled ? rows[i].bit : 0);
            box_release(tb->box, 1u << rows[i].core);
            tb_step(tb, 20);
            assert_int_equal(core_of(tb, rows[i].core)->x[A0], 1 + enabled);
            tb_destroy(tb);
        }
}

/* riscv_wait(600): reads the clock until 600 cycles have gone by. */
static void wall_clock_riscv_wait(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_TRISC1, 5, WALL_CLOCK_0);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, 6, 5, 0));
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, 7, 5, 0));
    tb_rv(tb, BH_TRISC1, asm_r(RV_SUB, A0, 7, 6));
    tb_rv(tb, BH_TRISC1, asm_i(RV_SLTIU, 28, A0, 600));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BNE, 28, 0, -12));
    assert_true(tb_run(tb));
    assert_true(core_of(tb, BH_TRISC1)->x[A0] >= 600);
    assert_true(core_of(tb, BH_TRISC1)->x[A0] < 640);
    assert_true(core_time(core_of(tb, BH_TRISC1)) >= 600);
    tb_destroy(tb);
}

/* The low half runs over between two loads: the high half is still that of the first load, the third register live. */
static void wall_clock_high_half(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->now = UINT64_C(0xFFFFFFF0);
    tile_run(&tb->box->tile, tb->now);
    tb_li(tb, BH_BRISC, 5, WALL_CLOCK_0);
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, A0, 5, 0));
    for (unsigned i = 0; i < 40; i++)
        tb_rv(tb, BH_BRISC, NOP);
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, A1, 5, 8));
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, A2, 5, 4));
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 13, 5, 0));
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 14, 5, 8));
    tb_start(tb);
    tb_step(tb, tb->now + 200);
    const uint32_t *x = core_of(tb, BH_BRISC)->x;
    assert_true(x[A0] >= 0xFFFFFFF0);
    assert_int_equal(x[A1], 0);
    assert_int_equal(x[A2], 1);
    assert_true(x[13] < 200);
    assert_int_equal(x[14], 1);
    tb_destroy(tb);
}

/* ---- Write sinks ------------------------------------------------------------------------------------------------ */

/* device_setup() writes them. The third is at 0xFFB11024, which the seed takes for the clock. */
static void write_sinks(void **state) {
    static const uint32_t sinks[][2] = {
        { 0xFFB12190, 0x3F }, { 0xFFB12240, 0 }, { 0xFFB12244, 0 }, { 0xFFB11024, 0x3F }
    };
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = tb_create_in(box_create_timed(1, loose));
        for (unsigned i = 0; i < 4; i++)
            tb_store(tb, BH_BRISC, sinks[i][0], sinks[i][1]);
        assert_true(tb_run(tb));
        tb_destroy(tb);
    }
}

/* The chapter's address of CLK_GATE_EN is another one than the register's: a write to it has no effect there. */
static void clock_gate_at_the_seed_address(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_store(tb, BH_BRISC, 0xFFB11024, 0x15);
    tb_store(tb, BH_BRISC, 0xFFB12190, 0x3F);
    tb_load(tb, BH_BRISC, A0, 0xFFB11024);
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, BH_BRISC)->x[A0], 0x15);
    tb_destroy(tb);
}

/* ---- Counters and custom CSRs ------------------------------------------------------------------------------------ */

static void standard_counters(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 6, 0xB00, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 7, 0xB02, 0));
    for (unsigned i = 0; i < 10; i++)
        tb_rv(tb, BH_TRISC0, NOP);
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A0, 0xB00, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A1, 0xB02, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A2, 0xB80, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 13, 0xB82, 0));
    assert_true(tb_run(tb));
    const uint32_t *x = core_of(tb, BH_TRISC0)->x;
    assert_true(x[A0] - x[6] >= 12);
    assert_int_equal(x[A1] - x[7], 12);
    assert_int_equal(x[A2], 0);
    assert_int_equal(x[13], 0);
    tb_destroy(tb);
}

/* Not zero while something is queued or under way: the seed's constant 0 is for emulators without time. */
static void qstatus_and_bstatus(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_busy_until(tb->x, 0, TENSIX_BUSY_PACK, 500);
    TB_PUSH_ALL(tb, 0, TT(STALLWAIT, 0x80, GATE_C_PACK), TT(SETC16, 3, 7));
    for (unsigned i = 0; i < 30; i++)
        tb_rv(tb, BH_TRISC0, NOP);
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A0, 0xBC0, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A1, 0xBC1, 0));
    tb_load(tb, BH_TRISC0, A2, TB_PC_BUF + 4); /* until the thread is idle */
    tb_rv(tb, BH_TRISC0, asm_r(RV_ADD, A2, A2, A2));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 13, 0xBC0, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, 14, 0xBC1, 0));
    assert_true(tb_run(tb));
    const uint32_t *x = core_of(tb, BH_TRISC0)->x;
    assert_int_equal(x[A0] & 0x7FF, 1 << 6);  /* the SETC16 */
    assert_int_equal(x[A1] & 1 << 5, 1 << 5); /* the packer */
    assert_int_equal(x[13] & 0x7FF, 0);
    assert_int_equal(x[14] & 0x7FF, 0);
    tb_destroy(tb);
}

/* With nothing queued qstatus is not 0: bits 11 and 24 say that a lane of the Vector Unit is enabled. */
static void qstatus_at_rest(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = tb_create_in(box_create_timed(1, loose));
        tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A0, 0xBC0, 0));
        tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A1, 0xBC1, 0));
        tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRS, A0, 0xBC0, 0));
        tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRS, A1, 0xBC1, 0));
        assert_true(tb_run(tb));
        for (enum bh_core core = BH_BRISC; core <= BH_TRISC0; core++) {
            assert_int_equal(core_of(tb, core)->x[A0], 1 << 24 | 1 << 11);
            assert_int_equal(core_of(tb, core)->x[A1], 0);
        }
        tb_destroy(tb);
    }
}

/* Scratch for BRISC and NCRISC, what streams show for the TRISCs. */
static void sstatus(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_BRISC, 5, 0x1234);
    tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRW, 0, 0xBC4, 5));
    tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRS, A0, 0xBC4, 0));
    tb_rv(tb, BH_TRISC0, asm_csr(RV_CSRRS, A0, 0xBC4, 0));
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, BH_BRISC)->x[A0], 0x1234);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[A0], 0);
    tb_destroy(tb);
}

static void intp_restore_pc(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_li(tb, BH_BRISC, 5, 0x1234);
    tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRW, 0, 0xBCA, 5));
    tb_rv(tb, BH_BRISC, asm_csr(RV_CSRRS, A0, 0xBCA, 0));
    assert_true(tb_run(tb));
    assert_int_equal(core_of(tb, BH_BRISC)->x[A0], 0x1234);
    tb_destroy(tb);
}

/* ---- Deferred by the seed ---------------------------------------------------------------------------------------- */

/* Each is there in some form; what would have to be measured by units that do not exist faults instead of lying, and so
 * does the debug bus while it is off. */
static void deferred_registers(void **state) {
    static const uint32_t readable[] = { 0xFFB12054, 0xFFB12000, 0xFFB12218, 0xFFB12070, 0xFFB12074,
                                         0xFFB1207C, 0xFFB121D0, 0xFFB121D4, 0xFFB121E0, 0xFFB12100,
                                         0xFFB12124, 0xFFB12118, 0xFFB1211C };
    static const struct {
        uint32_t address;
        enum bh_fault_kind kind;
    } faulting[] = { { 0xFFB1205C, BH_FAULT_UNDEFINED }, { 0xFFB120B4, BH_FAULT_UNMODELLED } };
    (void)state;
    for (unsigned i = 0; i < sizeof readable / 4; i++) {
        struct tensix_box *tb = tb_create();
        tb_load(tb, BH_BRISC, A0, readable[i]);
        assert_true(tb_run(tb));
        tb_destroy(tb);
    }
    for (unsigned i = 0; i < sizeof faulting / sizeof *faulting; i++) {
        struct tensix_box *tb = tb_create();
        tb_load(tb, BH_BRISC, A0, faulting[i].address);
        assert_false(tb_run(tb));
        assert_int_equal(tb->box->fault.kind, faulting[i].kind);
        assert_int_equal(tb->box->fault.address, faulting[i].address);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cfg0_firmware_sequence),
        cmocka_unit_test(cfg0_bit_18_ends_fusion),
        cmocka_unit_test(cfg0_bits_30_and_31),
        cmocka_unit_test(soft_reset_boot_sequence),
        cmocka_unit_test(soft_reset_coprocessor_bits),
        cmocka_unit_test(reset_pc_registers),
        cmocka_unit_test(wall_clock_riscv_wait),
        cmocka_unit_test(wall_clock_high_half),
        cmocka_unit_test(write_sinks),
        cmocka_unit_test(clock_gate_at_the_seed_address),
        cmocka_unit_test(standard_counters),
        cmocka_unit_test(qstatus_and_bstatus),
        cmocka_unit_test(qstatus_at_rest),
        cmocka_unit_test(sstatus),
        cmocka_unit_test(intp_restore_pc),
        cmocka_unit_test(deferred_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
