/* Packets that cannot be sent or received, and interrupts at the end of those that can. */
#include <stdio.h>

#include "support/noc_stage.h"

/* ---- Interrupts -------------------------------------------------------------------------------------------------- */

static void interrupt_at_completion(unsigned noc) {
    enum { HANDLER = 0x3000, ID = 5, RTZ_CFG = 0x178, RTZ_CLR = 0x17C };
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = read_from(there, DATA, here, DATA, 64);
    const uint32_t pic = 0xFFB13000, number = 1 + noc;
    /* counts at DONE, clears the source, goes back */
    const uint32_t handler[] = {
        rv_lui(20, script_niu(noc, 0)),
        rv_addi(21, 0, 1 << ID),
        rv_sw(21, RTZ_CLR, 20),
        rv_lw(22, DONE, 0),
        rv_addi(22, 22, 1),
        rv_sw(22, DONE, 0),
        0x30200073,
    };
    put(chip, here, HANDLER, handler, sizeof handler);
    r.tag = ID << 10;
    script_put(&script, SCRIPT_STORE, pic + 0x128 + 4 * number, HANDLER);
    script_put(&script, SCRIPT_STORE, pic + 4, 1u << number);
    script_put(&script, SCRIPT_STORE, script_niu(noc, 0) + RTZ_CFG, 1 << ID);
    for (unsigned i = 0; i < 3; i++) {
        request(&script, noc, r);
        script_put(&script, SCRIPT_WAIT, DONE, i + 1); /* asleep until the handler has been there */
    }
    script_put(&script, SCRIPT_STORE, DONE + 4, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(peek_word(chip, here, DONE), 3);
    assert_int_equal(peek_word(chip, here, DONE + 4), 1);
    bh_destroy(chip);
}

static void completion_interrupts(void **state) {
    (void)state;
    interrupt_at_completion(0);
    interrupt_at_completion(1);
}

/* ---- Faults ------------------------------------------------------------------------------------------------------ */

static void a_bad_request_faults_the_store(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, there, DATA, 16);
    r.ret_hi = script_xy(31, 31);
    script_request(&script, 1, 2, &r);
    script_put(&script, SCRIPT_STORE, DONE, 1);
    start(chip, here, BH_TRISC1, &script);
    struct bh_fault fault = run_into_fault(chip);
    assert_int_equal(fault.core, BH_TRISC1);
    assert_int_equal(fault.tile.x, here.x);
    if (!strstr(fault.text, "NoC 1 command buffer 2: RET_ADDR_HI names (31,31)"))
        fail_msg("%s", fault.text);
    assert_int_equal(peek_word(chip, here, DONE), 0);
    bh_destroy(chip);
}

static void what_a_receiver_cannot_do_faults_the_sender(void **state) {
    static const struct {
        struct bh_xy to;
        uint64_t address;
        enum bh_fault_kind kind;
        const char *text;
    } cases[] = {
        { { 2, 2 }, 0xFFB10000, BH_FAULT_UNMAPPED, "4 bytes: the NoC sees nothing" },
        { { 8, 26 }, 0x1000, BH_FAULT_UNMODELLED, "4 bytes: of L2CPU tiles only the NIUs are modelled" },
        { { 17, 12 }, 0x100000000, BH_FAULT_UNMAPPED, "4 bytes: a bank has 4 GiB" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned way = 0; way < 4; way++) {
            bool back = way & 1;
            bh_chip *chip = make_timed(way & 2 ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 1);
            struct script script = { 0 };
            struct bh_fault again;
            char receiver[32];
            struct script_request r = read_from(cases[i].to, (uint32_t)cases[i].address, here, DATA, 4);
            if (back) /* it is where the answer goes that cannot take it */
                r = (struct script_request){ .targ_lo = DATA,
                                             .targ_hi = xy(there),
                                             .ret_lo = (uint32_t)cases[i].address,
                                             .ret_mid = (uint32_t)(cases[i].address >> 32),
                                             .ret_hi = xy(cases[i].to),
                                             .ctrl = SCRIPT_READ,
                                             .len = 4 };
            else
                r.targ_mid = (uint32_t)(cases[i].address >> 32);
            script_request(&script, 0, 3, &r);
            script_put(&script, SCRIPT_WAIT, DONE, 1); /* for ever */
            start(chip, here, BH_NCRISC, &script);
            struct bh_fault fault = run_into_fault(chip);
            assert_int_equal(fault.kind, cases[i].kind);
            assert_int_equal(fault.core, BH_NCRISC);
            assert_int_equal(fault.tile.x, here.x);
            assert_int_equal(fault.tile.y, here.y);
            assert_int_equal(fault.address, cases[i].address);
            assert_int_equal(fault.insn, peek_word(chip, here, fault.pc));
            assert_non_null(strstr(fault.text, "ncrisc at pc 0x"));
            snprintf(receiver, sizeof receiver, "of tile (%u,%u)", cases[i].to.x, cases[i].to.y);
            assert_non_null(strstr(fault.text, receiver));
            if (!strstr(fault.text, cases[i].text))
                fail_msg("'%s' is not in '%s'", cases[i].text, fault.text);
            if (!back)
                assert_non_null(strstr(fault.text, "NoC 0, command buffer 3 of tile (1,2): read of"));
            assert_int_equal(bh_core_fault(chip, here, BH_NCRISC, &again), BH_OK);
            assert_string_equal(again.text, fault.text);
            assert_int_equal(blocks_in_use(chip), 0);
            bh_destroy(chip);
        }
}

/* A core that has been put back into reset is not blamed any more, but the fault is reported. */
static void a_fault_without_a_core_is_told(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    request(&script, 0, read_from((struct bh_xy){ 8, 26 }, 0x1000, here, DATA, 4));
    start(chip, here, BH_BRISC, &script);
    changes_at(chip, here, script_counter(0, NIU_OUTSTANDING));
    assert_int_equal(bh_hold(chip, here, 1u << BH_BRISC), BH_OK);
    struct bh_fault fault = run_into_fault(chip);
    struct bh_core_info info;
    assert_int_equal(fault.core, BH_BRISC);
    assert_int_equal(bh_core_query(chip, here, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_IN_RESET);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completion_interrupts),
        cmocka_unit_test(a_bad_request_faults_the_store),
        cmocka_unit_test(what_a_receiver_cannot_do_faults_the_sender),
        cmocka_unit_test(a_fault_without_a_core_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
