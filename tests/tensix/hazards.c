/* The effect of a forgotten wait. Each scene runs twice: without the wait the consumer gets the old value, with the
 * wait that the documents require it gets the new one. Consumers are instructions behind the producer in the same
 * thread: WRCFG and ADDDMAREG for a GPR; for Config the special form of SETDMAREG, which belongs to another unit and
 * reads the packer's output format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

enum { B_THCON = 0x20, B_CFG = 0x80, OLD = 0x1111, NEW = 0x2222, DATA = 0x20000, WORD = 12 };

/* ---- A late GPR ----------------------------------------------------------------------------------------- */

/* GPR 8 is OLD, then the producer sets it to NEW. WRCFG copies it to Config. */
static uint32_t late_gpr(uint32_t producer, uint32_t wait) {
    struct tensix_box *tb = tb_create();
    box_poke32(tb->box, DATA, NEW);
    tb->x->gpr[0][8] = OLD;
    tb->x->gpr[0][9] = DATA / 16;
    tb->x->gpr[0][10] = 0;
    tb->x->config.bank[0][WORD + 1] = NEW;
    box_poke32(tb->box, 0xFFB12228, NEW); /* TRISC0_RESET_PC, without an effect here */
    tb_push(tb, 0, producer);
    if (wait)
        tb_push(tb, 0, wait);
    tb_push(tb, 0, TT(WRCFG, 8, 0, WORD));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[0][8], NEW); /* it does come */
    uint32_t seen = tb->x->config.bank[0][WORD];
    tb_destroy(tb);
    return seen;
}

static void loadind_needs_c0(void **state) {
    uint32_t load = TT(LOADIND, 1, 20, 0, 8, 9);
    (void)state;
    assert_int_equal(late_gpr(load, 0), OLD);
    assert_int_equal(late_gpr(load, TT(STALLWAIT, B_CFG, GATE_C_MEMORY)), NEW);
    assert_int_equal(late_gpr(load, TT(FLUSHDMA, 1)), NEW);
    assert_int_equal(late_gpr(load, TT(STALLWAIT, B_THCON, GATE_C_MEMORY)), OLD); /* does not hold a WRCFG */
    assert_int_equal(late_gpr(load, TT(STALLWAIT, B_CFG, GATE_C_PACK)), OLD);     /* waits for another thing */
}

static void loadreg_needs_c0(void **state) {
    uint32_t load = TT(LOADREG, 8, (0xFFB12228 & 0xFFFFF) >> 2);
    (void)state;
    assert_int_equal(late_gpr(load, 0), OLD);
    assert_int_equal(late_gpr(load, TT(STALLWAIT, B_CFG, GATE_C_MEMORY)), NEW);
}

/* The GPR is the increment first and the old value of L1 then. */
static void atincget_needs_c0(void **state) {
    uint32_t add = TT(ATINCGET, 0, 31, 0, 8, 9);
    (void)state;
    assert_int_equal(late_gpr(add, 0), OLD);
    assert_int_equal(late_gpr(add, TT(STALLWAIT, B_CFG, GATE_C_MEMORY)), NEW);
}

/* One instruction behind is too early. C12 with B7 is for consumers of the Configuration Unit. */
static void rdcfg_needs_c12(void **state) {
    uint32_t read = TT(RDCFG, 8, WORD + 1);
    (void)state;
    assert_int_equal(late_gpr(read, 0), OLD);
    assert_int_equal(late_gpr(read, TT(NOP, 0)), NEW);
    assert_int_equal(late_gpr(read, TT(STALLWAIT, B_CFG, GATE_C_CONFIG)), NEW);
}

/* The seed's STALL_CFG does not hold a consumer of the Scalar Unit; with STALL_THCON the wait does its work. */
static uint32_t rdcfg_then_add(uint32_t wait) {
    struct tensix_box *tb = tb_create();
    tb->x->gpr[0][8] = OLD;
    tb->x->config.bank[0][WORD] = NEW;
    tb_push(tb, 0, TT(RDCFG, 8, WORD));
    if (wait)
        tb_push(tb, 0, wait);
    tb_push(tb, 0, TT(ADDDMAREG, 1, 20, 0, 8));
    assert_true(tb_run(tb));
    uint32_t seen = tb->x->gpr[0][20];
    tb_destroy(tb);
    return seen;
}

static void rdcfg_for_the_scalar_unit_needs_b5(void **state) {
    (void)state;
    assert_int_equal(rdcfg_then_add(0), OLD);
    assert_int_equal(rdcfg_then_add(TT(STALLWAIT, B_THCON, GATE_C_CONFIG)), NEW);
}

/* How tt-llk steps through L1: RDCFG, ADDDMAREG with a GPR of another group of four, WRCFG of the sum. The sum is
 * right, and it is not overwritten by what RDCFG has read. */
static uint32_t step_address(unsigned left, unsigned right) {
    struct tensix_box *tb = tb_create();
    tb->x->config.bank[0][WORD] = NEW;
    tb->x->gpr[0][12] = OLD;
    tb->x->gpr[0][36] = 0x80;
    tb_push(tb, 0, TT(RDCFG, 12, WORD));
    tb_push(tb, 0, TT(ADDDMAREG, 0, 12, right, left));
    tb_push(tb, 0, TT(STALLWAIT, B_CFG, GATE_C_MEMORY));
    tb_push(tb, 0, TT(WRCFG, 12, 0, WORD));
    assert_true(tb_run(tb));
    uint32_t sum = tb->x->config.bank[0][WORD];
    assert_int_equal(tb->x->gpr[0][12], sum);
    tb_destroy(tb);
    return sum;
}

static void rdcfg_is_in_time_for_the_second_read(void **state) {
    (void)state;
    assert_int_equal(step_address(36, 12), NEW + 0x80);
    assert_int_equal(step_address(12, 36), OLD + 0x80);
}

/* ---- A late word of Config -------------------------------------------------------------------------------- */

/* The word with the packer's output format goes from format 1 to 5; SETDMAREG reads the format of the tile header into
 * GPR 21. */
enum { FORMAT_WORD = CONFIG_WORD_THCON_SEC0_REG1_Out_data_format, FROM = 1, TO = 5 };
#define FORMAT(value) ((uint32_t)(value) << CONFIG_SHIFT_THCON_SEC0_REG1_Out_data_format)

static uint32_t late_config(uint32_t producer, const uint32_t *between, size_t count) {
    struct tensix_box *tb = tb_create();
    uint32_t difference = FORMAT(TO) - FORMAT(FROM);
    tb->x->config.bank[0][FORMAT_WORD] = FORMAT(FROM);
    tb->x->config.bank[0][CONFIG_WORD_SCRATCH_SEC0_val] = tb->x->config.bank[1][CONFIG_WORD_SCRATCH_SEC0_val] =
        difference;
    tb->x->gpr[0][8] = FORMAT(TO);
    tb_stream(tb, 0, OVERLAY_CURR_PHASE, FORMAT(TO));
    tb_push(tb, 0, producer);
    tb_push_all(tb, 0, between, count);
    tb_push(tb, 0, TT(SETDMAREG, 2, 2 << 3, 1, 2 * 20));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.bank[0][FORMAT_WORD], FORMAT(TO));
    uint32_t seen = tb->x->gpr[0][21] >> 16 & 15;
    tb_destroy(tb);
    return seen;
}

static uint32_t late_config_1(uint32_t producer, uint32_t between) {
    return late_config(producer, &between, 1);
}

static void wrcfg_needs_a_nop(void **state) {
    uint32_t write = TT(WRCFG, 8, 0, FORMAT_WORD);
    (void)state;
    assert_int_equal(late_config(write, NULL, 0), FROM);
    assert_int_equal(late_config_1(write, TT(NOP, 0)), TO);
    assert_int_equal(late_config_1(write, TT(DMANOP, 0)), TO);
    assert_int_equal(late_config_1(write, TT(STALLWAIT, B_THCON, GATE_C_CONFIG)), TO);
}

static void cfgshiftmask_needs_a_nop(void **state) {
    uint32_t add = TT(CFGSHIFTMASK, 1, 3, 31, 0, 0, FORMAT_WORD);
    (void)state;
    assert_int_equal(late_config(add, NULL, 0), FROM);
    assert_int_equal(late_config_1(add, TT(NOP, 0)), TO);
    assert_int_equal(late_config_1(add, TT(STALLWAIT, B_THCON, GATE_C_CONFIG)), TO);
}

/* A NOP is not enough: the word comes five cycles later. */
static void streamwrcfg_needs_c12(void **state) {
    uint32_t copy = TT(STREAMWRCFG, 0, OVERLAY_CURR_PHASE, FORMAT_WORD);
    const uint32_t nops[4] = { TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), TT(NOP, 0) };
    (void)state;
    assert_int_equal(late_config(copy, NULL, 0), FROM);
    assert_int_equal(late_config(copy, nops, 3), FROM);
    assert_int_equal(late_config(copy, nops, 4), TO);
    assert_int_equal(late_config_1(copy, TT(STALLWAIT, B_THCON, GATE_C_CONFIG)), TO);
}

/* RMWCIB is done when the next instruction starts. */
static void rmwcib_needs_nothing(void **state) {
    (void)state;
    assert_int_equal(late_config(TT(RMWCIB0, 0xF0, TO << 4, FORMAT_WORD), NULL, 0), TO);
}

/* Consumers inside the Configuration Unit are kept in order by its stages. */
static void config_consumers_need_nothing(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb->x->gpr[0][8] = NEW;
    TB_PUSH_ALL(tb, 0, TT(WRCFG, 8, 0, WORD), TT(RDCFG, 20, WORD), TT(WRCFG, 8, 0, CONFIG_WORD_SCRATCH_SEC0_val),
                TT(CFGSHIFTMASK, 1, 3, 31, 0, 0, WORD), TT(RDCFG, 21, WORD));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->gpr[0][20], NEW);
    assert_int_equal(tb->x->gpr[0][21], 2 * NEW);
    tb_destroy(tb);
}

/* ---- LRegs ------------------------------------------------------------------------------------------------------- */

/* What the search for hazards believes that instructions of the Vector Unit read and write. */
static void lregs_are_known(void **state) {
    const struct {
        uint32_t word;
        struct vector_touch touch;
    } rows[] = {
        { TT(SFPLOAD, 3, 0, 0, 0), { .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPLOADI, 3, 8, 0), { .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPSTORE, 3, 0, 0, 0), { .reads = 1 << 3, .uses_flags = true } },
        { TT(SFPMAD, 1, 2, 3, 4, 0), { .reads = 0xE, .writes = 1 << 4, .uses_flags = true } },
        { TT(SFPMAD, 9, 10, 3, 4, 0), { .reads = 1 << 3, .writes = 1 << 4, .uses_flags = true } },
        { TT(SFPMAD, 1, 2, 3, 4, 4), { .writes = 1 << 4, .changes = 0xFF, .uses_flags = true } },
        { TT(SFPMAD, 1, 2, 3, 4, 8), { .reads = 0x8E, .changes = 0xFF, .uses_flags = true } },
        { TT(SFPMAD, 1, 2, 3, 9, 0), { .reads = 0xE, .uses_flags = true } },
        { TT(SFPLUT, 4, 0, 0), { .reads = 0xF, .writes = 1 << 4, .uses_flags = true } },
        { TT(SFPLUT, 4, 8, 0), { .reads = 0x8F, .changes = 0xFF, .uses_flags = true } },
        { TT(SFPADDI, 0, 5, 0), { .reads = 1 << 5, .writes = 1 << 5, .uses_flags = true } },
        { TT(SFPADDI, 0, 5, 8), { .reads = 0xA0, .changes = 0xFF, .uses_flags = true } },
        { TT(SFPIADD, 0, 1, 2, 4), { .reads = 6, .writes = 1 << 2, .uses_flags = true } },
        { TT(SFPIADD, 0, 1, 2, 5), { .reads = 2, .writes = 1 << 2, .uses_flags = true } },
        { TT(SFPIADD, 0, 1, 2, 0), { .reads = 6, .writes = 1 << 2, .uses_flags = true, .sets_flags = true } },
        { TT(SFPIADD, 0, 1, 2, 12), { .reads = 6, .writes = 1 << 2, .uses_flags = true, .sets_flags = true } },
        { TT(SFPAND, 1, 2, 3, 0), { .reads = 0xC, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPAND, 1, 2, 3, 1), { .reads = 6, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPOR, 1, 2, 3, 1), { .reads = 6, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPSHFT, 7, 2, 3, 0), { .reads = 0xC, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPSHFT, 7, 2, 3, 1), { .reads = 8, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPSHFT, 7, 2, 3, 5), { .reads = 4, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 0), { .changes = 0xF, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 1), { .changes = 0xF, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 2), { .reads = 1 << 5, .changes = 0xF, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 3), { .reads = 1 << 5, .writes = 1 << 6, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 4), { .reads = 1 << 5, .writes = 1 << 6, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 5), { .reads = 0x22, .writes = 1 << 6, .uses_flags = true } },
        { TT(SFPSHFT2, 1, 5, 6, 6), { .reads = 2, .writes = 1 << 6, .uses_flags = true } },
        { TT(SFP_STOCH_RND, 0, 0, 1, 2, 3, 1), { .reads = 4, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFP_STOCH_RND, 0, 0, 1, 2, 3, 5), { .reads = 6, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFP_STOCH_RND, 0, 0, 1, 2, 3, 13), { .reads = 4, .writes = 1 << 3, .uses_flags = true } },
        { TT(SFPLZ, 0, 1, 2, 0), { .reads = 2, .writes = 1 << 2, .uses_flags = true } },
        { TT(SFPLZ, 0, 1, 2, 8), { .reads = 2, .writes = 1 << 2, .uses_flags = true, .sets_flags = true } },
        { TT(SFPGT, 0, 1, 2, 8), { .reads = 6, .writes = 1 << 2, .uses_flags = true } },
        { TT(SFPGT, 0, 1, 2, 1), { .reads = 6, .uses_flags = true, .sets_flags = true } },
        { TT(SFPGT, 0, 1, 2, 2), { .reads = 6, .uses_flags = true, .sets_flags = true } },
        { TT(SFPSETCC, 0, 1, 0, 0), { .reads = 1 << 1, .uses_flags = true, .sets_flags = true } },
        { TT(SFPSWAP, 0, 1, 2, 1), { .changes = 6, .uses_flags = true } },
        { TT(SFPCONFIG, 0, 12, 0), { .reads = 1, .writes = 1 << 12, .uses_flags = true } },
        { TT(SFPCONFIG, 0, 15, 1), { .uses_flags = true } },
        { TT(SFPCONFIG, 0, 2, 1), { .reads = 1, .uses_flags = true } },
        { TT(SFPNOP, 0), { 0 } },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vector_touch touch = vector_touches(rows[i].word);
        if (touch.reads != rows[i].touch.reads || touch.writes != rows[i].touch.writes ||
            touch.changes != rows[i].touch.changes || touch.uses_flags != rows[i].touch.uses_flags ||
            touch.sets_flags != rows[i].touch.sets_flags)
            fail_msg("row %u: reads 0x%x, writes 0x%x, changes 0x%x, flags %u %u", i, touch.reads, touch.writes,
                     touch.changes, touch.uses_flags, touch.sets_flags);
    }
}

/* An instruction that only becomes a template uses nothing yet. */
static void templates_are_known(void **state) {
    static struct vector v;
    const uint32_t words[] = { TT(SFPMAD, 1, 2, 3, 12, 0), TT(SFPSTORE, 15, 0, 0, 0), TT(SFPLUT, 13, 0, 0),
                               TT(SFPPUSHC, 0, 0, 14, 0) };
    const uint32_t others[] = { TT(SFPMAD, 1, 2, 3, 11, 0), TT(SFPSTORE, 11, 0, 0, 0), TT(SFPLOAD, 12, 0, 0, 0),
                                TT(SFPLOADI, 13, 0, 0), TT(SFPCONFIG, 0, 14, 0) };
    (void)state;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        v.no_backdoor = 0;
        assert_true(vector_is_template(&v, words[i]));
        v.no_backdoor = 0x01010101; /* in column 0 it executes */
        assert_false(vector_is_template(&v, words[i]));
    }
    v.no_backdoor = 0;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(vector_is_template(&v, others[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loadind_needs_c0),
        cmocka_unit_test(loadreg_needs_c0),
        cmocka_unit_test(atincget_needs_c0),
        cmocka_unit_test(rdcfg_needs_c12),
        cmocka_unit_test(rdcfg_for_the_scalar_unit_needs_b5),
        cmocka_unit_test(rdcfg_is_in_time_for_the_second_read),
        cmocka_unit_test(wrcfg_needs_a_nop),
        cmocka_unit_test(cfgshiftmask_needs_a_nop),
        cmocka_unit_test(streamwrcfg_needs_c12),
        cmocka_unit_test(rmwcib_needs_nothing),
        cmocka_unit_test(config_consumers_need_nothing),
        cmocka_unit_test(lregs_are_known),
        cmocka_unit_test(templates_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
