/* CSRs (BabyRISCV/CSRs.md): numbers, reset values, what is read-only, what aliases what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/box.h"

enum { A = 10, D = 13 };
#define QSTATUS_AT_REST 0x1000800u /* nothing is queued, lanes of the Vector Unit are on */

static const struct {
    unsigned csr;
    uint32_t reset; /* value after reset */
    uint32_t kept;  /* bits that keep what is written */
} plain[] = {
    { 0x003, 0, 0xFF },             /* fcsr */
    { 0x008, 0, 0 },                /* vstart */
    { 0x009, 0, 1 },                /* vxsat */
    { 0x00A, 0, 3 },                /* vxrm */
    { 0x300, 0x80006600, 0 },       /* mstatus */
    { 0x301, 0x40201123, 0 },       /* misa */
    { 0x320, 0, 0xFFFFFFFF },       /* mcountinhibit */
    { 0x323, 0, 0xFFFFFFFF },       /* mhpmevent3 */
    { 0x324, 0, 0xFFFFFFFF },       /* mhpmevent4 */
    { 0x7C0, 0x20000, 0xFFFFFFFF }, /* cfg0 */
    { 0x7C1, 0, 0xFFFFFFFF },
    { 0x7C2, 0, 0xFFFFFFFF }, /* pmacfg0, pmacfg1 */
    { 0x7C3, 0, 0xFFFFFFFF },
    { 0x7C4, 0, 0xFFFFFFFF },
    { 0x7C5, 0, 0xFFFFFFFF },
    { 0x7C6, 0, 0xFFFFFFFF },
    { 0xB03, 0, 0xFFFFFFFF },
    { 0xB04, 0, 0xFFFFFFFF },
    { 0xB83, 0, 0xFFFFFFFF },
    { 0xB84, 0, 0xFFFFFFFF },
    { 0xBCA, 0, 0xFFFFFFFF }, /* intp_restore_pc */
    { 0xC20, 0, 0xFFFFFFFF },
    { 0xC21, 0, 0xFFFFFFFF },  /* vl, vtype */
    { 0xC22, 16, 0xFFFFFFFF }, /* vlenb */
    { 0xF14, 0, 0 },           /* mhartid: zero everywhere */
};

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (unsigned id = 0; id < BH_CORE_COUNT; id++) {
            struct box *box = box_create(32);
            struct core *core = &box->tile.core[id];
            uint32_t value = ~plain[i].reset;
            assert_true(csr_peek(core, plain[i].csr, &value));
            assert_int_equal(value, plain[i].reset);
            assert_true(csr_write(core, plain[i].csr, 0xDFFFFFFF)); /* not the freeze of cfg0 */
            assert_true(csr_read(core, plain[i].csr, &value));
            assert_int_equal(value, plain[i].kept ? plain[i].kept & 0xDFFFFFFF : plain[i].reset);
            box_destroy(box);
        }
}

/* Everything else is no CSR: fflags, frm, time, mtvec ... */
static void test_absent(void **state) {
    struct box *box = box_create(32);
    unsigned present = 0;
    (void)state;
    for (unsigned csr = 0; csr < 0x1000; csr++) {
        uint32_t value;
        bool there = csr_peek(&box->tile.core[0], csr, &value);
        assert_int_equal(there, csr_write(&box->tile.core[0], csr, 0));
        present += there;
    }
    assert_false(csr_peek(&box->tile.core[0], 0x001, &(uint32_t){ 0 }));
    assert_false(csr_peek(&box->tile.core[0], 0xC01, &(uint32_t){ 0 }));
    /* 27 above, four halves of mcycle and minstret, their four aliases, qstatus, bstatus and eight sstatus. */
    assert_int_equal(present, sizeof plain / sizeof *plain + 4 + 4 + 10);
    box_destroy(box);
}

/* Set and clear: csrrs and csrrc with x0 do not write, csrrw always does. */
static void test_instructions(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    (void)state;
    BOX_CODE(box, BH_BRISC, asm_csr(RV_CSRRWI, 1, 0x7C3, 5), asm_csr(RV_CSRRSI, 2, 0x7C3, 8),
             asm_csr(RV_CSRRCI, 3, 0x7C3, 1), asm_csr(RV_CSRRS, 4, 0x7C3, 0), asm_csr(RV_CSRRW, 5, 0x7C3, A),
             asm_csr(RV_CSRRC, 6, 0x7C3, D), asm_csr(RV_CSRRW, 7, 0x7C3, 0), EBREAK);
    box_release(box, 1u << BH_BRISC);
    core->x[A] = 0xFFFF0000;
    core->x[D] = 0x0FFF0000;
    tile_run(&box->tile, 200);
    assert_int_equal(core->state, BH_CORE_PAUSED);
    assert_int_equal(core->x[1], 0);
    assert_int_equal(core->x[2], 5);
    assert_int_equal(core->x[3], 13);
    assert_int_equal(core->x[4], 12);
    assert_int_equal(core->x[5], 12);
    assert_int_equal(core->x[6], 0xFFFF0000);
    assert_int_equal(core->x[7], 0xF0000000);
    assert_int_equal(core->scratch[0], 0);
    box_destroy(box);
}

/* The sequence that every firmware starts with. */
static void test_firmware_sequence(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_TRISC2];
    (void)state;
    BOX_CODE(box, BH_TRISC2, asm_csr(RV_CSRRSI, 0, 0x7C0, 2), FENCE, asm_u(RV_LUI, A, 1u << 18),
             asm_csr(RV_CSRRS, 0, 0x7C0, A), asm_csr(RV_CSRRCI, 0, 0x7C0, 2), FENCE, FENCE,
             asm_csr(RV_CSRRSI, 0, 0x7C0, 8), EBREAK);
    box_release(box, 1u << BH_TRISC2);
    tile_run(&box->tile, 200);
    assert_int_equal(core->cfg0, 0x20000 | 1u << 18 | 8);
    box_destroy(box);
}

/* cycle and instret are writable aliases of mcycle and minstret, in halves. */
static void test_counters(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    uint32_t value;
    (void)state;
    core->retired = 100;
    core->stalled = 50;
    assert_true(csr_peek(core, 0xB00, &value));
    assert_int_equal(value, 150);
    assert_true(csr_peek(core, 0xC02, &value));
    assert_int_equal(value, 100);
    assert_true(csr_write(core, 0xC80, 7));
    assert_true(csr_peek(core, 0xB80, &value));
    assert_int_equal(value, 7);
    assert_true(csr_peek(core, 0xB00, &value));
    assert_int_equal(value, 150);
    assert_true(csr_write(core, 0xB02, 0xFFFFFFFF));
    core->retired++;
    assert_true(csr_peek(core, 0xC82, &value)); /* carried into the high half */
    assert_int_equal(value, 1);
    box_destroy(box);
}

/* An instruction that writes minstret or instret, or a half of it, is not counted: the next one reads what was written.
 */
static void test_written_instret(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct box *box = box_create_timed(32, loose);
        struct core *core = &box->tile.core[BH_BRISC];
        BOX_CODE(box, BH_BRISC, asm_csr(RV_CSRRW, 0, 0xB02, A), asm_csr(RV_CSRRS, 1, 0xB02, 0), NOP,
                 asm_csr(RV_CSRRS, 2, 0xC02, 0), asm_csr(RV_CSRRSI, 3, 0xC82, 1), asm_csr(RV_CSRRS, 4, 0xC02, 0),
                 asm_csr(RV_CSRRS, 5, 0xC82, 0), asm_csr(RV_CSRRW, 6, 0xC02, A), asm_csr(RV_CSRRS, 7, 0xC02, 0),
                 EBREAK);
        box_release(box, 1u << BH_BRISC);
        core->x[A] = 100;
        tile_run(&box->tile, 200);
        assert_int_equal(core->state, BH_CORE_PAUSED);
        assert_int_equal(core->x[1], 100);
        assert_int_equal(core->x[2], 102);
        assert_int_equal(core->x[3], 0);
        assert_int_equal(core->x[4], 103);
        assert_int_equal(core->x[5], 1);
        assert_int_equal(core->x[6], 105);
        assert_int_equal(core->x[7], 100);
        box_destroy(box);
    }
}

/* sstatus is scratch on brisc and ncrisc; triscs see streams, which are at rest; DisTTStatusReg freezes what is shown.
 */
static void test_status(void **state) {
    struct box *box = box_create(32);
    uint32_t value;
    (void)state;
    for (unsigned csr = 0xBC0; csr < 0xBCA; csr++)
        for (unsigned id = 0; id < BH_CORE_COUNT; id++) {
            struct core *core = &box->tile.core[id];
            uint32_t rest = csr == 0xBC0 ? QSTATUS_AT_REST : 0;
            bool scratch = csr >= 0xBC2 && (id == BH_BRISC || id == BH_NCRISC);
            assert_true(csr_write(core, csr, 77));
            assert_true(csr_peek(core, csr, &value));
            assert_int_equal(value, scratch ? 77 : rest);
            assert_true(csr_write(core, 0x7C0, 1u << 29));
            assert_true(csr_peek(core, csr, &value));
            assert_int_equal(value, scratch ? 77 : rest);
            assert_true(csr_write(core, csr, 78));
            assert_true(csr_peek(core, csr, &value));
            assert_int_equal(value, 78);
            assert_true(csr_write(core, 0x7C0, 0));
        }
    box_destroy(box);
}

/* The tile's values of the status CSRs, by core and CSR. */
static uint32_t shown;

static uint32_t show(void *owner, const struct core *core, unsigned csr) {
    (void)owner;
    return shown + core->id * 0x100u + csr;
}

/* qstatus and bstatus follow the tile until DisTTStatusReg freezes them, and again when it no longer does. */
static void test_frozen_status(void **state) {
    struct core_port port = tile_core_port;
    uint32_t value;
    (void)state;
    port.status_csr = show;
    for (unsigned csr = 0xBC0; csr < 0xBC2; csr++)
        for (unsigned id = 0; id < BH_CORE_COUNT; id++) {
            struct box *box = box_create(32);
            struct core *core = &box->tile.core[id];
            uint32_t own = id * 0x100 + csr;
            core->port = &port;
            shown = 0x10000;
            assert_true(csr_write(core, csr, 77)); /* lasts for a cycle at most */
            assert_true(csr_read(core, csr, &value));
            assert_int_equal(value, 0x10000 + own);
            shown = 0x20000;
            assert_true(csr_read(core, csr, &value));
            assert_int_equal(value, 0x20000 + own);
            assert_true(csr_write(core, 0x7C0, CFG0_RESET | CFG0_DIS_STATUS));
            shown = 0x30000;
            assert_true(csr_read(core, csr, &value));
            assert_int_equal(value, 0x20000 + own);
            assert_true(csr_write(core, csr, 77));
            assert_true(csr_write(core, 0x7C0, CFG0_DIS_STATUS)); /* set already: nothing is taken anew */
            assert_true(csr_read(core, csr, &value));
            assert_int_equal(value, 77);
            assert_true(csr_write(core, 0x7C0, CFG0_RESET));
            assert_true(csr_read(core, csr, &value));
            assert_int_equal(value, 0x30000 + own);
            box_destroy(box);
        }
}

/* PmcClrOnRd: a read of a counter's half clears that half. A peek does not. */
static void test_clear_on_read(void **state) {
    struct box *box = box_create(32);
    struct core *core = &box->tile.core[BH_BRISC];
    uint32_t value;
    (void)state;
    core->hpm_counter[0] = UINT64_C(0x100000002);
    csr_write(core, 0x7C0, 1u << 8);
    assert_true(csr_peek(core, 0xB03, &value));
    assert_true(csr_read(core, 0xB03, &value));
    assert_int_equal(value, 2);
    assert_int_equal(core->hpm_counter[0], UINT64_C(0x100000000));
    box_destroy(box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),          cmocka_unit_test(test_absent),
        cmocka_unit_test(test_instructions),    cmocka_unit_test(test_firmware_sequence),
        cmocka_unit_test(test_counters),        cmocka_unit_test(test_status),
        cmocka_unit_test(test_clear_on_read),   cmocka_unit_test(test_frozen_status),
        cmocka_unit_test(test_written_instret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
