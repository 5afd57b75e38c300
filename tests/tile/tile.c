/* The cores of a tile together: turns, waits, resets, interrupts. Real cores, not fakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, B = 11, C = 12, D = 13, DATA = 0x20000 };
#define CONTROL   0xFFB12000u
#define PIC       0xFFB13000u
#define MAILBOXES 0xFFEC0000u

static struct core *core_of(struct box *box, enum bh_core core) {
    return &box->tile.core[core];
}

/* brisc sends 1..20 to trisc1, which adds them up: the writer blocks on a full mailbox, the reader on an empty one. */
static void test_mailbox_blocks(void **state) {
    (void)state;
    for (unsigned slow_reader = 0; slow_reader < 2; slow_reader++)
        for (unsigned skew = 1; skew <= 128; skew *= 2) {
            struct box *box = box_create(skew);
            uint32_t pause = slow_reader ? asm_r(RV_DIVU, D, D, D) : NOP;
            /* brisc: c = 0; do { [pause] mailbox(t1) = ++c } while (c != 20) */
            BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, MAILBOXES + 0x2000), asm_i(RV_ADDI, B, 0, 20),
                     slow_reader ? NOP : asm_r(RV_DIVU, D, D, B), asm_i(RV_ADDI, C, C, 1), asm_s(RV_SW, C, 0, A),
                     asm_b(RV_BNE, C, B, -12), EBREAK);
            BOX_CODE(box, BH_TRISC1, asm_u(RV_LUI, A, MAILBOXES), asm_i(RV_ADDI, B, 0, 20), pause,
                     asm_i(RV_LW, C, A, 0), asm_r(RV_ADD, 5, 5, C), asm_b(RV_BNE, C, B, -12), EBREAK);
            box_release(box, 1u << BH_BRISC | 1u << BH_TRISC1);
            tile_run(&box->tile, 20000);
            assert_int_equal(core_of(box, BH_BRISC)->state, BH_CORE_PAUSED);
            assert_int_equal(core_of(box, BH_TRISC1)->state, BH_CORE_PAUSED);
            assert_int_equal(core_of(box, BH_TRISC1)->x[5], 210);
            box_destroy(box);
        }
}

/* No word ever comes: the tile has nothing left to run, and reports what the core waits for. */
static void test_blocked_for_ever(void **state) {
    struct box *box = box_create(32);
    (void)state;
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, MAILBOXES), asm_i(RV_LW, C, A, 0), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    assert_false(tile_run(&box->tile, 1000));
    assert_int_equal(core_of(box, BH_TRISC0)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(wait_text(core_of(box, BH_TRISC0)->waits_on), "mailbox"));
    assert_int_equal(core_of(box, BH_TRISC0)->pc, 0x6004);
    assert_int_equal(core_of(box, BH_TRISC0)->waits_at, MAILBOXES);
    assert_true(core_time(core_of(box, BH_TRISC0)) < 10); /* it has no time while it waits */
    box_destroy(box);
}

/* PCBuf: brisc's load comes back when trisc0 has taken everything and waits for more. */
static void test_pcbuf(void **state) {
    struct box *box = box_create(32);
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, 0xFFE80000), asm_i(RV_ADDI, C, 0, 7), asm_s(RV_SW, C, 0, A),
             asm_s(RV_SW, C, 0, A), asm_i(RV_LW, D, A, 0), asm_u(RV_LUI, B, DATA), asm_i(RV_LW, 5, B, 0), EBREAK);
    /* trisc0 takes two words, adds them to L1, and comes back for a third. */
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, 0xFFE80000), asm_u(RV_LUI, B, DATA), asm_i(RV_LW, C, A, 0),
             asm_r(RV_ADD, D, D, C), asm_s(RV_SW, D, 0, B), asm_j(0, -12));
    box_release(box, 1u << BH_BRISC | 1u << BH_TRISC0);
    tile_run(&box->tile, 2000);
    assert_int_equal(core_of(box, BH_BRISC)->state, BH_CORE_PAUSED);
    assert_int_equal(core_of(box, BH_BRISC)->x[5], 14);
    assert_int_equal(core_of(box, BH_TRISC0)->state, BH_CORE_BLOCKED);
    box_destroy(box);
}

/* brisc releases the others with pcs of its own, as firmware does. */
static void test_brisc_releases_others(void **state) {
    static const uint32_t program[] = { 0x00A00293 /* addi t0, x0, 10 */, EBREAK };
    struct box *box = box_create(128);
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        box_poke(box, 0x30000 + 0x100 * i, program, sizeof program);
    BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, CONTROL), asm_u(RV_LUI, B, 0x30000), asm_s(RV_SW, B, 0x228, A),
             asm_i(RV_ADDI, B, B, 0x100), asm_s(RV_SW, B, 0x22C, A), asm_i(RV_ADDI, B, B, 0x100),
             asm_s(RV_SW, B, 0x230, A), asm_i(RV_ADDI, B, B, 0x100), asm_s(RV_SW, B, 0x238, A), asm_i(RV_ADDI, B, 0, 7),
             asm_s(RV_SW, B, 0x234, A), asm_i(RV_ADDI, B, 0, 1), asm_s(RV_SW, B, 0x23C, A), asm_s(RV_SW, 0, 0x1B0, A),
             EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 5000);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        assert_int_equal(core_of(box, i)->state, BH_CORE_PAUSED);
    assert_int_equal(core_of(box, BH_TRISC0)->pc, 0x30008);
    assert_int_equal(core_of(box, BH_NCRISC)->pc, 0x30308);
    assert_int_equal(core_of(box, BH_TRISC2)->x[5], 10);
    /* The cores began at their release. */
    assert_true(core_time(core_of(box, BH_NCRISC)) > core_time(core_of(box, BH_BRISC)) - 5);
    box_destroy(box);
}

/* A core that resets itself stops at once; one that resets another stops that one in the middle of its work. */
static void test_core_holds_cores(void **state) {
    struct box *box = box_create(128);
    (void)state;
    BOX_CODE(box, BH_NCRISC, asm_i(RV_ADDI, D, D, 1), asm_j(0, -4));
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, C, 0, 200), asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4),
             asm_u(RV_LUI, A, CONTROL), asm_u(RV_LUI, B, 0x48000), asm_i(RV_ADDI, B, B, -0x800),
             asm_s(RV_SW, B, 0x1B0, A), asm_i(RV_ADDI, D, 0, 1), EBREAK);
    box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC);
    assert_false(tile_run(&box->tile, 5000));
    assert_int_equal(core_of(box, BH_BRISC)->state, BH_CORE_IN_RESET);
    assert_int_equal(core_of(box, BH_NCRISC)->state, BH_CORE_IN_RESET);
    assert_int_equal(core_of(box, BH_BRISC)->x[D], 0);
    assert_true(core_time(core_of(box, BH_NCRISC)) < 410 + 128 + 32);
    box_destroy(box);
}

/* Registers and local memory after a second release: zero, unless DISABLE_RESET keeps the memory. */
static void test_release_clears(void **state) {
    (void)state;
    for (unsigned keep = 0; keep < 2; keep++) {
        struct box *box = box_create(32);
        struct core *core = core_of(box, BH_TRISC0);
        BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, CORE_LDM_BASE), asm_i(RV_LW, D, A, 0), asm_i(RV_ADDI, C, C, 5),
                 asm_s(RV_SW, C, 0, A), EBREAK);
        box_poke32(box, CONTROL + 0x224, keep);
        for (unsigned round = 0; round < 2; round++) {
            box_poke32(box, CONTROL + 0x1B0, 0x47800);
            box_poke32(box, CONTROL + 0x1B0, 0x46800);
            tile_run(&box->tile, 3000 * (round + 1));
            assert_int_equal(core->state, BH_CORE_PAUSED);
            assert_int_equal(core->x[C], 5);
            assert_int_equal(core->x[D], keep && round ? 5 : 0);
        }
        box_destroy(box);
    }
}

/* The wall clock: low half latches the high one; it goes on while the core spins on it. */
static void test_wall_clock(void **state) {
    struct box *box = box_create(32);
    struct core *core = core_of(box, BH_TRISC0);
    (void)state;
    /* wait until 600 cycles have passed */
    BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, CONTROL), asm_i(RV_LW, B, A, 0x1F0), asm_i(RV_LW, C, A, 0x1F0),
             asm_r(RV_SUB, C, C, B), asm_i(RV_SLTIU, C, C, 600), asm_b(RV_BNE, C, 0, -12), EBREAK);
    box_release(box, 1u << BH_TRISC0);
    tile_run(&box->tile, 5000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_true(core_time(core) >= 600 && core_time(core) < 640);
    box_destroy(box);
}

/* A software interrupt stops what brisc does, runs the handler, and mret goes back; it wakes a sleeper too. */
static void test_interrupt(void **state) {
    (void)state;
    for (unsigned asleep = 0; asleep < 2; asleep++) {
        struct box *box = box_create(128);
        struct core *core = core_of(box, BH_BRISC);
        uint32_t handler[] = {
            asm_u(RV_LUI, A, PIC), asm_i(RV_LW, D, A, 0x18 + 4 * 3),
            asm_i(RV_LW, 6, A, 8), asm_csr(RV_CSRRS, 7, 0xBCA, 0),
            0x30200073 /* mret */,
        };
        box_poke(box, 0x40000, handler, sizeof handler);
        box_poke32(box, PIC + 0xA8 + 4 * 3, 0x40000);
        box_poke32(box, PIC, 1u << 3);
        BOX_CODE(box, BH_BRISC, asleep ? asm_i(RV_LW, C, B, 0) : asm_i(RV_ADDI, 5, 5, 1), asm_b(RV_BEQ, C, 0, -4));
        BOX_CODE(box, BH_NCRISC, asm_i(RV_ADDI, C, 0, 100), asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4),
                 asm_u(RV_LUI, A, PIC), asm_i(RV_ADDI, B, 0, 99), asm_s(RV_SW, B, 0x18 + 4 * 3, A), EBREAK);
        box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC);
        core->x[B] = DATA;
        tile_run(&box->tile, 2000);
        assert_int_equal(core->x[D], 99); /* what was written, and the read took it */
        assert_int_equal(core->x[6], 3);  /* INT_NO */
        assert_true(core->x[7] == 0 || core->x[7] == 4);
        assert_false(core->in_interrupt);
        assert_int_equal(core->state, asleep ? BH_CORE_POLLING : BH_CORE_RUNNING);
        assert_int_equal(box_peek32(box, PIC + 0x18 + 4 * 3), 0);
        box_destroy(box);
    }
}

/* The watchdog interrupts brisc when it has counted to zero, once: the handler stops it. */
static void test_watchdog(void **state) {
    enum { TIMER = 0x1E0, CNTL = 0x1E4, STATUS = 0x1E8, MCYCLE = 0xB00 };
    (void)state;
    for (unsigned asleep = 0; asleep < 2; asleep++) {
        struct box *box = box_create(128);
        struct core *core = core_of(box, BH_BRISC);
        uint32_t handler[] = {
            asm_u(RV_LUI, A, CONTROL), asm_i(RV_LW, 9, A, STATUS), asm_csr(RV_CSRRS, 6, MCYCLE, 0),
            asm_s(RV_SW, 0, CNTL, A),  asm_i(RV_ADDI, D, D, 1),    0x30200073 /* mret */,
        };
        box_poke(box, 0x40000, handler, sizeof handler);
        box_poke32(box, PIC + 0x128 + 4 * 3, 0x40000);
        box_poke32(box, PIC + 4, 1u << 3);
        BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, CONTROL), asm_i(RV_ADDI, C, 0, 400), asm_s(RV_SW, C, TIMER, A),
                 asm_i(RV_ADDI, C, 0, 1), asm_s(RV_SW, C, CNTL, A), asm_csr(RV_CSRRS, 8, MCYCLE, 0),
                 asm_i(RV_ADDI, C, 0, 0), asleep ? asm_i(RV_LW, C, B, 0) : asm_i(RV_ADDI, 5, 5, 1),
                 asm_b(RV_BEQ, C, 0, -4));
        box_release(box, 1u << BH_BRISC);
        core->x[B] = DATA;
        tile_run(&box->tile, 390);
        assert_int_equal(core->x[D], 0);
        tile_run(&box->tile, 3000);
        assert_int_equal(core->x[D], 1);
        assert_int_equal(core->x[9], 1);
        assert_true(core->x[6] - core->x[8] >= 395 && core->x[6] - core->x[8] < 430);
        assert_int_equal(box_peek32(box, PIC + 0xA4), 0);
        assert_false(core->in_interrupt);
        box_destroy(box);
    }
}

/* Cores that poll it see it run out, and it disturbs nobody who has not enabled the interrupt. */
static void test_watchdog_polled(void **state) {
    (void)state;
    for (unsigned level = 0; level < 2; level++) {
        struct box *box = box_create(128);
        struct core *core = core_of(box, BH_NCRISC);
        BOX_CODE(box, BH_NCRISC, asm_u(RV_LUI, A, CONTROL), asm_i(RV_ADDI, C, 0, 300), asm_s(RV_SW, C, 0x1E0, A),
                 asm_i(RV_ADDI, C, 0, 1), asm_s(RV_SW, C, 0x1E4, A), asm_u(RV_LUI, B, level ? PIC : CONTROL),
                 asm_i(RV_LW, C, B, level ? 0xA4 : 0x1E8), asm_b(RV_BEQ, C, 0, -4), EBREAK);
        box_release(box, 1u << BH_NCRISC);
        tile_run(&box->tile, 5000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->x[C], 1);
        assert_true(core_time(core) >= 300 && core_time(core) < 340);
        assert_int_equal(box_peek32(box, PIC + 0xA4), !level); /* reading the interrupt clears it */
        assert_int_equal(box_peek32(box, CONTROL + 0x1E0), 0);
        box_destroy(box);
    }
}

/* brisc and ncrisc are both interrupted, and read HW_INT: the first one takes the interrupt, and neither is interrupted
 * again, although the watchdog stays at zero. When it has been started again, it is raised anew. */
static void test_watchdog_taken(void **state) {
    enum { TIMER = 0x1E0, CNTL = 0x1E4, RESULT = 0x200 };
    struct box *box = box_create(1);
    (void)state;
    uint32_t handler[] = { asm_u(RV_LUI, A, PIC), asm_i(RV_LW, C, A, 0xA4), asm_r(RV_ADD, D, D, C),
                           asm_i(RV_ADDI, 9, 9, 1), 0x30200073 /* mret */ };
    box_poke(box, 0x40000, handler, sizeof handler);
    box_poke32(box, PIC + 0x128 + 4 * 3, 0x40000);
    box_poke32(box, PIC + 4, 1u << 3);
    box_poke32(box, PIC + 0x10, 1u << 3);
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, 5, 5, 1), asm_j(0, -4));
    BOX_CODE(box, BH_NCRISC, asm_i(RV_ADDI, 5, 5, 1), asm_j(0, -4));
    box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC);
    for (unsigned round = 1; round <= 3; round++) {
        box_poke32(box, CONTROL + TIMER, 300);
        box_poke32(box, CONTROL + CNTL, 1);
        assert_int_equal(box_peek32(box, PIC + 0xA4), 0);
        tile_run(&box->tile, 2000 * round);
        assert_int_equal(core_of(box, BH_BRISC)->x[9], round);
        assert_int_equal(core_of(box, BH_NCRISC)->x[9], round);
        assert_int_equal(core_of(box, BH_BRISC)->x[D] + core_of(box, BH_NCRISC)->x[D], round);
        assert_int_equal(box_peek32(box, PIC + 0xA4), 0);
        assert_int_equal(box_peek32(box, CONTROL + 0x1E8), 1);
    }
    box_destroy(box);
}

/* A core that waits in a load or a store is not interrupted before that is complete, whatever wakes it. */
static void test_interrupt_while_blocked(void **state) {
    (void)state;
    for (unsigned run = 0; run < 6; run++) {
        const bool stores = run % 2;
        struct box *box = box_create_timed(run / 2 ? 128 : 1, run / 2 == 2);
        struct core *core = core_of(box, BH_BRISC);
        uint32_t handler[] = { asm_u(RV_LUI, 20, PIC), asm_i(RV_LW, 6, 20, 0x18), asm_i(RV_ADDI, 7, D, 0),
                               asm_csr(RV_CSRRS, 8, 0xBCA, 0), 0x30200073 /* mret */ };
        box_poke(box, 0x40000, handler, sizeof handler);
        box_poke32(box, PIC + 0xA8, 0x40000);
        box_poke32(box, PIC, 1);
        BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, MAILBOXES + 0x1000), stores ? asm_s(RV_SW, 0, 0, A) : NOP,
                 stores ? asm_s(RV_SW, 0, 0, A) : NOP, stores ? asm_s(RV_SW, 0, 0, A) : NOP,
                 stores ? asm_s(RV_SW, 0, 0, A) : NOP, stores ? asm_s(RV_SW, 0, 0, A) : asm_i(RV_LW, D, A, 0),
                 asm_i(RV_ADDI, D, D, 1), EBREAK);
        /* ncrisc raises the interrupt, and wakes brisc again some time later. */
        BOX_CODE(box, BH_NCRISC, asm_i(RV_ADDI, C, 0, 100), asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4),
                 asm_u(RV_LUI, A, PIC), asm_i(RV_ADDI, B, 0, 99), asm_s(RV_SW, B, 0x18, A), asm_i(RV_ADDI, C, 0, 100),
                 asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4), asm_s(RV_SW, 0, 0x1C, A), EBREAK);
        BOX_CODE(box, BH_TRISC0, asm_i(RV_ADDI, C, 0, 500), asm_i(RV_ADDI, C, C, -1), asm_b(RV_BNE, C, 0, -4),
                 asm_u(RV_LUI, A, MAILBOXES), asm_i(RV_ADDI, B, 0, 40),
                 stores ? asm_i(RV_LW, B, A, 0) : asm_s(RV_SW, B, 0, A), EBREAK);
        box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC | 1u << BH_TRISC0);
        tile_run(&box->tile, 900);
        assert_int_equal(core->state, BH_CORE_BLOCKED);
        assert_int_equal(core->pc, 5 * 4);
        assert_false(core->in_interrupt);
        assert_int_equal(core->x[6], 0);
        tile_run(&box->tile, 5000);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->x[6], 99);
        assert_int_equal(core->x[7], stores ? 0 : 40); /* what had been loaded */
        assert_int_equal(core->x[8], 6 * 4);
        assert_int_equal(core->x[D], stores ? 1 : 41);
        box_destroy(box);
    }
}

/* An interrupt that a core raises for itself is taken before its next instruction. */
static void test_interrupts_itself(void **state) {
    struct box *box = box_create(128);
    uint32_t handler[] = { asm_i(RV_LW, 6, A, 0x18), asm_i(RV_ADDI, D, 0, 99), 0x30200073 /* mret */ };
    (void)state;
    box_poke(box, 0x40000, handler, sizeof handler);
    box_poke32(box, PIC + 0xA8, 0x40000);
    box_poke32(box, PIC, 1);
    BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, PIC), asm_i(RV_ADDI, B, 0, 5), asm_s(RV_SW, B, 0x18, A),
             asm_i(RV_ADDI, C, D, 0), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 1000);
    assert_int_equal(core_of(box, BH_BRISC)->state, BH_CORE_PAUSED);
    assert_int_equal(core_of(box, BH_BRISC)->x[C], 99);
    assert_int_equal(core_of(box, BH_BRISC)->x[6], 5);
    box_destroy(box);
}

/* mret is a jump that is never predicted: one cycle and four more. */
static void test_mret_takes_five_cycles(void **state) {
    struct box *box = box_create(1);
    struct core *core = core_of(box, BH_BRISC);
    uint32_t handler[] = { asm_i(RV_LW, 6, A, 0x18), asm_csr(RV_CSRRS, 7, 0xB00, 0), asm_csr(RV_CSRRS, 9, 0xB00, 0),
                           0x30200073 /* mret */ };
    (void)state;
    box_poke(box, 0x40000, handler, sizeof handler);
    box_poke32(box, PIC + 0xA8, 0x40000);
    box_poke32(box, PIC, 1);
    BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, PIC), asm_i(RV_ADDI, B, 0, 5), asm_s(RV_SW, B, 0x18, A),
             asm_csr(RV_CSRRS, 8, 0xB00, 0), EBREAK);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 1000);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->x[8] - core->x[9], core->x[9] - core->x[7] + 5);
    box_destroy(box);
}

/* Straight code without a branch keeps to the limit too. */
static void test_straight_code(void **state) {
    struct box *box = box_create(128);
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        box_poke32(box, 4 * i, NOP);
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 100);
    assert_in_range(core_time(core_of(box, BH_BRISC)), 100, 132);
    box_destroy(box);
}

/* Writes to CSRs do not work in a handler: said, not ignored. */
static void test_csr_write_in_handler(void **state) {
    struct box *box = box_create(32);
    uint32_t handler[] = { asm_csr(RV_CSRRWI, 0, 0x7C3, 1), EBREAK };
    (void)state;
    box_poke(box, 0x40000, handler, sizeof handler);
    box_poke32(box, PIC + 0xA8, 0x40000);
    box_poke32(box, PIC, 1);
    BOX_CODE(box, BH_BRISC, asm_i(RV_ADDI, D, D, 1), asm_j(0, -4));
    box_release(box, 1u << BH_BRISC);
    tile_run(&box->tile, 100);
    box_poke32(box, PIC + 0x18, 1);
    tile_run(&box->tile, 200);
    assert_int_equal(box->fault.kind, BH_FAULT_UNDEFINED);
    box_destroy(box);
}

/* No core is ever more than skew cycles, and one block of 32 instructions, past another that could run. */
static void test_skew_bound(void **state) {
    static const unsigned skews[] = { 1, 8, 32, 128 };
    (void)state;
    for (size_t i = 0; i < sizeof skews / sizeof *skews; i++) {
        struct box *box = box_create(skews[i]);
        /* brisc writes its time, ncrisc looks how far apart they are: max in x6. */
        BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, DATA), asm_csr(RV_CSRRS, C, 0xB00, 0), asm_s(RV_SW, C, 0, A),
                 asm_j(0, -8));
        BOX_CODE(box, BH_NCRISC, asm_u(RV_LUI, A, DATA), asm_i(RV_LW, B, A, 0), asm_csr(RV_CSRRS, C, 0xB00, 0),
                 asm_r(RV_SUB, D, B, C), asm_r(RV_MAX, 6, 6, D), asm_r(RV_SUB, D, C, B), asm_r(RV_MAX, 7, 7, D),
                 asm_j(0, -24));
        box_release(box, 1u << BH_BRISC | 1u << BH_NCRISC);
        tile_run(&box->tile, 20000);
        assert_in_range(core_of(box, BH_NCRISC)->x[6], 0, skews[i] + 32);
        assert_in_range(core_of(box, BH_NCRISC)->x[7], 0, skews[i] + 32 + 24);
        box_destroy(box);
    }
}

/* The end of a program does not depend on how the caller slices time. */
static void test_slices(void **state) {
    uint64_t time[3];
    uint32_t sum[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned slices[] = { 1, 100, 20000 };
        struct box *box = box_create(1);
        BOX_CODE(box, BH_BRISC, asm_u(RV_LUI, A, DATA), asm_i(RV_ADDI, C, C, 1), asm_s(RV_SW, C, 0, A), asm_j(0, -8));
        BOX_CODE(box, BH_TRISC0, asm_u(RV_LUI, A, DATA), asm_i(RV_ADDI, B, 0, 300), asm_i(RV_LW, C, A, 0),
                 asm_r(RV_ADD, 5, 5, C), asm_b(RV_BLT, C, B, -8), EBREAK);
        box_release(box, 1u << BH_BRISC | 1u << BH_TRISC0);
        for (uint64_t until = slices[i]; until <= 20000; until += slices[i])
            tile_run(&box->tile, until);
        assert_int_equal(core_of(box, BH_TRISC0)->state, BH_CORE_PAUSED);
        time[i] = core_time(core_of(box, BH_TRISC0));
        sum[i] = core_of(box, BH_TRISC0)->x[5];
        box_destroy(box);
    }
    assert_int_equal(time[0], time[1]);
    assert_int_equal(time[1], time[2]);
    assert_int_equal(sum[0], sum[1]);
    assert_int_equal(sum[1], sum[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mailbox_blocks),
        cmocka_unit_test(test_blocked_for_ever),
        cmocka_unit_test(test_pcbuf),
        cmocka_unit_test(test_brisc_releases_others),
        cmocka_unit_test(test_core_holds_cores),
        cmocka_unit_test(test_release_clears),
        cmocka_unit_test(test_wall_clock),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_watchdog_polled),
        cmocka_unit_test(test_watchdog_taken),
        cmocka_unit_test(test_interrupt_while_blocked),
        cmocka_unit_test(test_interrupts_itself),
        cmocka_unit_test(test_mret_takes_five_cycles),
        cmocka_unit_test(test_straight_code),
        cmocka_unit_test(test_csr_write_in_handler),
        cmocka_unit_test(test_skew_bound),
        cmocka_unit_test(test_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
