/* Tests of Ethernet tiles (src/tile/eth.c, src/tile/eth_firmware.c): two cores, their memories, registers and resets.
 */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_script.h"
#include "support/rv.h"

static const struct bh_xy ETH = { 20, 25 }, TENSIX = { 1, 2 };

enum { SP = 2, A = 10, B = 11, C = 12, CODE_0 = 0x4000, CODE_1 = 0x5000, RESULT = 0x200 };

#define SOFT_RESET UINT32_C(0xFFB121B0)
#define FIRST_PC_0 UINT32_C(0xFFB14000)
#define FIRST_PC_1 UINT32_C(0xFFB14008)
#define SET(rd, v) rv_lui(rd, rv_high(v)), rv_addi(rd, rd, rv_low(v))
#define STOP       rv_jal(0, 0)
#define HELD       UINT32_C(0x1800)

static int make(void **state) {
    *state = make_chip(1);
    return 0;
}

static void put(bh_chip *chip, uint64_t address, uint32_t value) {
    put_word(chip, ETH, address, value);
}

static uint32_t get(bh_chip *chip, uint64_t address) {
    return read_word(chip, ETH, address);
}

static void assert_refused(bh_chip *chip, bool write, uint64_t address, uint32_t value, bh_status status,
                           const char *text) {
    bh_status got = write ? bh_write(chip, ETH, address, &value, 4) : bh_read(chip, ETH, address, &value, 4);
    assert_refusal(chip, got, status, text);
}

static void place(bh_chip *chip, struct bh_xy tile, uint32_t address, const uint32_t *code, size_t size) {
    assert_int_equal(bh_write(chip, tile, address, code, size), BH_OK);
}

static struct bh_core_info query(bh_chip *chip, enum bh_core core) {
    struct bh_core_info info;
    assert_int_equal(bh_core_query(chip, ETH, core, &info), BH_OK);
    return info;
}

/* As host software starts an idle core. */
static void start_e0(bh_chip *chip, const uint32_t *code, size_t size) {
    place(chip, ETH, CODE_0, code, size);
    put(chip, FIRST_PC_0, CODE_0);
    put(chip, SOFT_RESET, get(chip, SOFT_RESET) & ~UINT32_C(0x800));
}

#define START_E0(chip, ...) \
    do { \
        const uint32_t code_[] = { __VA_ARGS__ }; \
        start_e0(chip, code_, sizeof code_); \
        bh_run(chip, 4000, 0, NULL); \
    } while (0)

/* ---- Cores -------------------------------------------------------------------------------------- */

static void e0_starts_at_its_pc(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, SOFT_RESET), HELD);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_IN_RESET);
    START_E0(chip, SET(A, 0x12345678), rv_sw(A, RESULT, 0), rv_sw(SP, RESULT + 4, 0), STOP);
    assert_int_equal(get(chip, RESULT), 0x12345678);
    assert_int_equal(get(chip, RESULT + 4), 0); /* registers are zero */
    assert_int_equal(get(chip, SOFT_RESET), 0x1000);
    assert_int_equal(query(chip, BH_ERISC1).state, BH_CORE_IN_RESET);
}

/* Like tt-metal's firmware, E0 sets the first pc of E1 and releases it. */
static void e0_lets_e1_out(void **state) {
    bh_chip *chip = *state;
    const uint32_t second[] = { SET(A, 0xE1), rv_sw(A, RESULT, 0), rv_sw(SP, RESULT + 4, 0), STOP };
    place(chip, ETH, CODE_1, second, sizeof second);
    START_E0(chip, SET(A, FIRST_PC_1), SET(B, CODE_1), rv_sw(B, 0, A), SET(A, SOFT_RESET), rv_sw(0, 0, A), STOP);
    assert_int_equal(get(chip, SOFT_RESET), 0);
    assert_int_equal(get(chip, RESULT), 0xE1);
    assert_int_equal(get(chip, RESULT + 4), 0xFFB02000);
    put(chip, SOFT_RESET, HELD);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_IN_RESET);
    assert_int_equal(query(chip, BH_ERISC1).state, BH_CORE_IN_RESET);
}

static void without_a_pc_nobody_starts(void **state) {
    bh_chip *chip = *state;
    put(chip, SOFT_RESET, 0x80046000); /* and bits that mean something elsewhere */
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(get(chip, SOFT_RESET), 0);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_IN_RESET);
    assert_int_equal(query(chip, BH_ERISC1).state, BH_CORE_IN_RESET);
    START_E0(chip, SET(A, 5), rv_sw(A, RESULT, 0), STOP); /* with one it does, though its bit does not change */
    assert_int_equal(get(chip, RESULT), 5);
}

static void local_memories_are_private(void **state) {
    bh_chip *chip = *state;
    const uint32_t second[] = { SET(A, 0xFFB00000), rv_lw(B, 4, A), rv_sw(B, RESULT, 0), STOP };
    place(chip, ETH, CODE_1, second, sizeof second);
    put(chip, FIRST_PC_1, CODE_1);
    START_E0(chip, SET(A, 0xFFB00000), SET(B, 77), rv_sw(B, 4, A), rv_lw(C, 4, A), rv_sw(C, RESULT + 4, 0), STOP);
    put(chip, RESULT, 1);
    put(chip, SOFT_RESET, 0);
    bh_run(chip, 4000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 0);
    assert_int_equal(get(chip, RESULT + 4), 77);
    assert_refused(chip, false, 0xFFB00000, 0, BH_ERR_ADDRESS, "Ethernet tile (20,25)"); /* nor for the NoC */
    assert_refused(chip, false, 0xFFB16000, 0, BH_ERR_ADDRESS, "0xffb16000");
}

static void a_poller_sleeps_and_wakes(void **state) {
    bh_chip *chip = *state;
    START_E0(chip, rv_lw(A, 0x300, 0), rv_b(0, A, 0, -4), rv_sw(A, RESULT, 0), STOP);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_POLLING);
    bh_run(chip, 100000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 0);
    put(chip, 0x300, 9);
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 9);
    /* and on a register that the host writes */
    put(chip, SOFT_RESET, HELD);
    START_E0(chip, SET(C, FIRST_PC_1), rv_lw(A, 0, C), rv_b(0, A, 0, -4), rv_sw(A, RESULT, 0), STOP);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_POLLING);
    put(chip, FIRST_PC_1, 0x7000);
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 0x7000);
}

/* The core is the one of Tensix tiles: same program, same result, same time. */
static void e0_counts_as_brisc_does(void **state) {
    bh_chip *chip = *state;
    const uint32_t code[] = {
        SET(A, 0x400),     SET(C, 100),       rv_lw(B, 0, A), rv_addi(B, B, 3), rv_r(MAJOR_OP, 0, 1, B, B, C),
        rv_sw(B, 0, A), /* mul */
        rv_addi(C, C, -1), rv_bne(C, 0, -20), STOP,
    };
    struct bh_core_info brisc;
    assert_int_equal(bh_load_raw(chip, TENSIX, BH_BRISC, CODE_0, code, sizeof code), BH_OK);
    assert_int_equal(bh_load_raw(chip, ETH, BH_ERISC0, CODE_0, code, sizeof code), BH_OK);
    put(chip, 0x400, 7);
    uint32_t seven = 7, other = 0;
    assert_int_equal(bh_write(chip, TENSIX, 0x400, &seven, 4), BH_OK);
    assert_int_equal(bh_release(chip, TENSIX, 1u << BH_BRISC), BH_OK);
    assert_int_equal(bh_release(chip, ETH, 1u << BH_ERISC0), BH_OK);
    bh_run(chip, 5000, 0, NULL);
    assert_int_equal(bh_read(chip, TENSIX, 0x400, &other, 4), BH_OK);
    assert_int_equal(get(chip, 0x400), other);
    assert_int_not_equal(other, 7);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &brisc), BH_OK);
    /* BRISC jumps to the code first */
    assert_int_equal(query(chip, BH_ERISC0).state, brisc.state);
    assert_int_equal(query(chip, BH_ERISC0).pc, brisc.pc);
}

/* ---- NoC ------------------------------------------------------------------------------------------- */

/* Runs a list of requests on a core; the last thing it does is to count up the word at RESULT. */
static void run_script(bh_chip *chip, enum bh_core core, struct script *script) {
    uint32_t program[SCRIPT_PROGRAM], list = core == BH_ERISC0 ? 0x10000 : 0x18000, code = list - 0x1000;
    script_put(script, SCRIPT_ADD, RESULT, 1);
    script_put(script, SCRIPT_STOP, 0, 0);
    script_program(program, list);
    place(chip, ETH, list, script->word, script->count * 4);
    start_at(chip, ETH, core, code, program, sizeof program);
    bh_run(chip, 40000, 0, NULL);
    script_free(script);
}

/* From both cores by both NoCs: to DRAM and back, to a Tensix tile and to another Ethernet tile, and a count there. */
static void requests_go_everywhere(void **state) {
    bh_chip *chip = *state;
    const struct bh_xy other = { 25, 25 };
    uint32_t self = script_xy(ETH.x, ETH.y), data[64], back[64], value;
    for (uint32_t i = 0; i < 64; i++)
        data[i] = 0xE0000000 + i * 77;
    for (unsigned noc = 0; noc < 2; noc++) {
        enum bh_core core = noc ? BH_ERISC1 : BH_ERISC0;
        uint32_t into = 0x40000 + noc * 0x1000, from = 0x30000 + noc * 0x1000;
        struct script script = { 0 };
        struct script_request write = {
            from, 0, self, into, 0, script_xy(17, 12), 0, SCRIPT_WRITE | SCRIPT_MARKED, sizeof data, 0, 0, 0
        };
        struct script_request read = { into, 0, script_xy(17, 12), from + 0x400, 0,
                                       self, 0, SCRIPT_READ,       sizeof data,  0,
                                       0,    0 };
        struct script_request count = { 0x50000, 0, script_xy(other.x, other.y),   0x600 + noc * 16, 0,
                                        self,    0, SCRIPT_ATOMIC | SCRIPT_MARKED, 0x1000 | 31 << 2, 0,
                                        5,       0 };
        place(chip, ETH, from, data, sizeof data);
        script_request(&script, noc, 0, &write);
        script_put(&script, SCRIPT_WAIT, script_counter(noc, 1), 1); /* acknowledged */
        script_request(&script, noc, 1, &read);
        script_put(&script, SCRIPT_WAIT, script_counter(noc, 2), 1);
        write.ret_hi = script_xy(TENSIX.x, TENSIX.y);
        script_request(&script, noc, 0, &write);
        write.ret_hi = script_xy(other.x, other.y);
        script_request(&script, noc, 0, &write);
        script_request(&script, noc, 3, &count);
        script_put(&script, SCRIPT_WAIT, script_counter(noc, 1), 3);
        script_put(&script, SCRIPT_WAIT, script_counter(noc, 0), 1);
        run_script(chip, core, &script);
        assert_int_equal(get(chip, RESULT), noc + 1);
        assert_int_equal(bh_read(chip, ETH, from + 0x400, back, sizeof back), BH_OK);
        assert_memory_equal(back, data, sizeof data);
        assert_int_equal(bh_read(chip, TENSIX, into, back, sizeof back), BH_OK);
        assert_memory_equal(back, data, sizeof data);
        assert_int_equal(bh_read(chip, other, into, back, sizeof back), BH_OK);
        assert_memory_equal(back, data, sizeof data);
        assert_int_equal(bh_read(chip, other, 0x50000, &value, 4), BH_OK);
        assert_int_equal(value, 5 * (noc + 1));
        assert_int_equal(get(chip, 0x600 + noc * 16), 5 * noc); /* what it was before */
    }
}

/* A Tensix core counts up a word that an Ethernet core sleeps on, and reads ARC's boot status. */
static void others_reach_it(void **state) {
    bh_chip *chip = *state;
    uint32_t self = script_xy(TENSIX.x, TENSIX.y), program[SCRIPT_PROGRAM], value;
    struct script waits = { 0 }, sends = { 0 };
    struct script_request count = {
        0x700, 0, script_xy(ETH.x, ETH.y), 0x40, 0, self, 0, SCRIPT_ATOMIC | SCRIPT_MARKED, 0x1000 | 31 << 2, 0, 9, 0
    };
    struct script_request status = { 0x80030408, 0, script_xy(8, 0), 0x408, 0, self, 0, SCRIPT_READ, 4, 0, 0, 0 };
    script_put(&waits, SCRIPT_WAIT, 0x700, 9);
    run_script(chip, BH_ERISC0, &waits);
    assert_int_equal(query(chip, BH_ERISC0).state, BH_CORE_POLLING);
    script_request(&sends, 0, 0, &count);
    script_request(&sends, 0, 1, &status);
    script_put(&sends, SCRIPT_STOP, 0, 0);
    script_program(program, 0x10000);
    place(chip, TENSIX, 0x10000, sends.word, sends.count * 4);
    start_at(chip, TENSIX, BH_BRISC, 0x2000, program, sizeof program);
    bh_run(chip, 10000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 1);
    assert_int_equal(bh_read(chip, TENSIX, 0x408, &value, 4), BH_OK);
    assert_int_equal(value, 5);
    script_free(&sends);
}

static void a_bad_request_faults_its_core(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    struct bh_fault fault;
    struct script_request read = {
        0x80040000, 0, script_xy(8, 0), 0x700, 0, script_xy(ETH.x, ETH.y), 0, SCRIPT_READ, 4, 0, 0, 0
    };
    script_request(&script, 0, 0, &read);
    script_put(&script, SCRIPT_WAIT, script_counter(0, 2), 1);
    run_script(chip, BH_ERISC1, &script);
    assert_int_equal(get(chip, RESULT), 0);
    assert_int_equal(bh_core_fault(chip, ETH, BH_ERISC1, &fault), BH_OK);
    assert_int_equal(fault.kind, BH_FAULT_UNMODELLED);
    assert_int_equal(fault.tile.y, ETH.y);
    assert_non_null(strstr(fault.text, "erisc1"));
    assert_non_null(strstr(fault.text, "0x80040000 of tile (8,0)"));
}

/* ---- Refused accesses ------------------------------------------------------------------------------- */

static void assert_fault(bh_chip *chip, enum bh_fault_kind kind, uint64_t address, const char *text) {
    struct bh_fault fault;
    assert_int_equal(bh_core_fault(chip, ETH, BH_ERISC0, &fault), BH_OK);
    assert_int_equal(fault.kind, kind);
    assert_int_equal(fault.tile.x, ETH.x);
    assert_int_equal(fault.tile.y, ETH.y);
    assert_true(fault.address == address);
    assert_says(fault.text, text);
    assert_says(fault.text, "erisc0");
    put(chip, SOFT_RESET, HELD);
}

static void faults_name_core_and_address(void **state) {
    bh_chip *chip = *state;
    START_E0(chip, SET(A, 0x80000), rv_lw(B, 0, A), STOP); /* behind L1 */
    assert_fault(chip, BH_FAULT_UNMAPPED, 0x80000, "0x00080000");
    START_E0(chip, SET(A, 0x17FFF0), rv_sw(B, 0, A), STOP); /* L1 elsewhere */
    assert_fault(chip, BH_FAULT_UNMAPPED, 0x17FFF0, "store to 0x0017fff0");
    START_E0(chip, SET(A, 0x80000), rv_r(MAJOR_AMO, 2, 0, B, A, C), STOP);
    assert_fault(chip, BH_FAULT_UNMAPPED, 0x80000, "atomic");
    START_E0(chip, SET(A, 0x80000), rv_jalr(0, A, 0));
    assert_fault(chip, BH_FAULT_UNMAPPED, 0x80000, "jump to 0x00080000");
    START_E0(chip, SET(A, 0xFFE40000), rv_sw(0, 0, A), STOP); /* there is no coprocessor */
    assert_fault(chip, BH_FAULT_UNMAPPED, 0xFFE40000, "not mapped for erisc0");
    START_E0(chip, SET(A, 0xFFE50000), rv_sw(0, 0, A), STOP);
    assert_fault(chip, BH_FAULT_UNMAPPED, 0xFFE50000, "not mapped for erisc0");
    START_E0(chip, 0x00000008 << 2 | 1, STOP); /* .ttinsn */
    assert_fault(chip, BH_FAULT_UNMAPPED, 0xFFE40000, "push to");
    START_E0(chip, SET(A, 0xFFEC0000), rv_lw(B, 0, A), STOP);
    assert_fault(chip, BH_FAULT_UNMAPPED, 0xFFEC0000, "0xffec0000");
    START_E0(chip, SET(A, 0xFFB90004), SET(B, 2), rv_sw(B, 0, A), STOP);
    assert_fault(chip, BH_FAULT_UNMODELLED, 0xFFB90004, "no cable");
    START_E0(chip, SET(A, 0xFFBA0010), rv_lw(B, 0, A), STOP);
    assert_fault(chip, BH_FAULT_UNMODELLED, 0xFFBA0010, "Ethernet MAC");
    START_E0(chip, SET(A, 0xFFB12040), rv_lw(B, 0, A), STOP);
    assert_fault(chip, BH_FAULT_UNMODELLED, 0xFFB12040, "not modelled");
    START_E0(chip, SET(A, SOFT_RESET), rv_sh(0, 0, A), STOP);
    assert_fault(chip, BH_FAULT_MISALIGNED, SOFT_RESET, "32-bit words");
}

/* The last word of L1 runs; behind it there is nothing. */
static void code_ends_with_l1(void **state) {
    bh_chip *chip = *state;
    put(chip, 0x7FFFC, RV_NOP);
    put(chip, FIRST_PC_0, 0x7FFFC);
    put(chip, SOFT_RESET, 0x1000);
    bh_run(chip, 1000, 0, NULL);
    assert_fault(chip, BH_FAULT_UNMAPPED, 0x80000, "(0x0-0x7ffff)");
}

static void a_fault_stops_the_run(void **state) {
    bh_chip *chip = *state;
    struct bh_stop stop;
    const uint32_t code[] = { SET(A, 0x80000), rv_lw(B, 0, A), STOP };
    start_e0(chip, code, sizeof code);
    assert_int_equal(bh_run(chip, 10000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    assert_int_equal(stop.fault.core, BH_ERISC0);
    assert_int_equal(stop.fault.tile.y, 25);
}

/* ---- Registers ---------------------------------------------------------------------------------------- */

static void clock_is_chip_time(void **state) {
    bh_chip *chip = *state;
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(get(chip, 0xFFB121F0), 1000);
    bh_run(chip, UINT64_C(0x300000000), 0, NULL);
    assert_int_equal(get(chip, 0xFFB121F8), 0); /* latched when the low half was last read */
    assert_int_equal(get(chip, 0xFFB121F4), 3);
    assert_int_equal(get(chip, 0xFFB121F0), 1000);
    assert_int_equal(get(chip, 0xFFB121F8), 3);
    START_E0(chip, SET(A, 0xFFB121F0), rv_lw(B, 0, A), rv_lw(C, 0, A), rv_sub(C, C, B), rv_sw(C, RESULT, 0), STOP);
    assert_int_equal(get(chip, RESULT), 1);
}

/* "Writes ignored, reads as zero", says the page of the other bits. */
static void rx_queues_store_some_bits(void **state) {
    static const struct {
        uint32_t offset, reset[3], stored;
    } some[] = { { 0x00, { 2, 2, 0 }, 6 }, { 0x48, { 0, 0, 0 }, 0x3FFF }, { 0x0C, { 0, 0, 0 }, UINT32_MAX } };
    bh_chip *chip = *state;
    for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++)
        for (uint32_t queue = 0; queue < 3; queue++) {
            uint32_t address = 0xFFB94000 + 0x1000 * queue + some[i].offset;
            assert_int_equal(get(chip, address), some[i].reset[queue]);
            put(chip, address, UINT32_MAX);
            assert_int_equal(get(chip, address), some[i].stored);
            put(chip, address, 0);
            assert_int_equal(get(chip, address), 0);
            assert_int_equal(bh_poke(chip, ETH, address, &(uint32_t){ UINT32_MAX }, 4), BH_OK);
            assert_int_equal(get(chip, address), some[i].stored);
        }
}

static void queues_are_idle(void **state) {
    bh_chip *chip = *state;
    static const struct {
        uint32_t address, reset;
    } kept[] = {
        { 0xFFB90000, 1 },          { 0xFFB91000, 1 },      { 0xFFB92000, 0 },    { 0xFFB90014, 0 },
        { 0xFFB91080, 0x111 },      { 0xFFB91084, 1 },      { 0xFFB92088, 0 },    { 0xFFB98154, 0xA00 },
        { 0xFFB98218, 0xFFFFFFFF }, { 0xFFB9821C, 0xFFFF }, { 0xFFB98298, 1 },    { 0xFFB9829C, 0x100 },
        { 0xFFB986F0, 0 },          { FIRST_PC_0, 0 },      { 0xFFB98150, 0 },    { FIRST_PC_1, 0 },
        { FIRST_PC_0 + 4, 0 },      { FIRST_PC_1 + 4, 0 },  { 0xFFB98120, 0x1F }, { 0xFFB9C000, 0 },
    };
    static const uint32_t zero[] = {
        0xFFB90008, 0xFFB91030, 0xFFB92040, 0xFFB94004, 0xFFB95050, 0xFFB9800C, 0xFFB14020
    };
    for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        assert_int_equal(get(chip, kept[i].address), kept[i].reset);
        put(chip, kept[i].address, 0x1000 + i);
    }
    for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++)
        assert_int_equal(get(chip, kept[i].address), 0x1000 + i);
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++) {
        put(chip, zero[i], 0);
        assert_int_equal(get(chip, zero[i]), 0);
    }
    assert_refused(chip, true, 0xFFB91004, 1, BH_ERR_UNMODELLED, "no cable");
    assert_refused(chip, true, 0xFFB14024, 1, BH_ERR_UNMODELLED, "interrupts");
    assert_refused(chip, false, 0xFFB90010, 0, BH_ERR_UNMODELLED, "0xffb90010 (4 bytes) in Ethernet tile (20,25)");
    assert_refused(chip, false, 0xFFB9008C, 0, BH_ERR_UNMODELLED, "not modelled");
    assert_refused(chip, false, 0xFFB94054, 0, BH_ERR_UNMODELLED, "not modelled");
    assert_refused(chip, false, 0xFFB93000, 0, BH_ERR_ADDRESS, "sees nothing");
    assert_refused(chip, false, 0xFFB986F4, 0, BH_ERR_ADDRESS, "sees nothing");
}

/* Without a coprocessor nothing is queued or busy, and no lane of a Vector Unit is enabled. sstatus0 is scratch. */
static void status_without_a_coprocessor(void **state) {
    enum { CSRRS = 2, CSRRW = 1, SYSTEM = 0x73, QSTATUS = 0xBC0, BSTATUS, SSTATUS0 };
    bh_chip *chip = *state;
    for (uint32_t at = RESULT; at < RESULT + 16; at += 4)
        put(chip, at, 0xDEAD);
    START_E0(chip, rv_i(SYSTEM, CSRRS, A, 0, QSTATUS - 0x1000), rv_sw(A, RESULT, 0),
             rv_i(SYSTEM, CSRRS, A, 0, BSTATUS - 0x1000), rv_sw(A, RESULT + 4, 0), rv_addi(B, 0, 77),
             rv_i(SYSTEM, CSRRW, A, B, SSTATUS0 - 0x1000), rv_sw(A, RESULT + 8, 0),
             rv_i(SYSTEM, CSRRS, A, 0, SSTATUS0 - 0x1000), rv_sw(A, RESULT + 12, 0), STOP);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(get(chip, RESULT + 4 * i), i < 3 ? 0 : 77);
}

/* Other bits of its control have no effect here; in a Tensix tile nobody knows. */
static void the_watchdog_counts(void **state) {
    bh_chip *chip = *state;
    const uint32_t other = 2;
    assert_int_equal(get(chip, 0xFFB121E0), 0xFFFFFFFF);
    put(chip, 0xFFB121E0, 1000);
    put(chip, 0xFFB121E4, 7);
    assert_int_equal(bh_run(chip, 600, 0, NULL), BH_OK);
    assert_int_equal(get(chip, 0xFFB121E0), 400);
    assert_int_equal(get(chip, 0xFFB121E4), 7);
    assert_int_equal(get(chip, 0xFFB121E8), 0);
    assert_int_equal(bh_run(chip, 400, 0, NULL), BH_OK);
    assert_int_equal(get(chip, 0xFFB121E0), 0);
    assert_int_equal(get(chip, 0xFFB121E8), 1);
    assert_int_equal(bh_write(chip, (struct bh_xy){ 1, 2 }, 0xFFB121E4, &other, 4), BH_ERR_UNMODELLED);
    assert_non_null(strstr(bh_message(chip), "WDT_CNTL"));
}

static void thirty_two_streams(void **state) {
    bh_chip *chip = *state;
    put(chip, 0xFFB5F000 + 4 * 10, 0x123);
    assert_int_equal(get(chip, 0xFFB5F000 + 4 * 297), 0x123);
    assert_refused(chip, false, 0xFFB60000 + 4 * 297, 0, BH_ERR_ADDRESS, "sees nothing");
    START_E0(chip, SET(A, 0xFFB40000 + 4 * 270), SET(B, 5 << 6), rv_sw(B, 0, A), rv_sw(B, 0, A), STOP);
    assert_int_equal(get(chip, 0xFFB40000 + 4 * 297), 10);
}

static void nius_say_who_they_are(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, 0xFFB20044), 0x10611041);
    assert_int_equal(get(chip, 0xFFB30044), 0x0061128F);
    assert_int_equal(get(chip, 0xFFB20148), 0x654);
    assert_int_equal(get(chip, 0xFFB20048) >> 8 & 0xFFFF, 0x0200);
    START_E0(chip, SET(A, 0xFFB20148), rv_lw(B, 0, A), rv_sw(B, RESULT, 0), STOP);
    assert_int_equal(get(chip, RESULT), 0x654);
    assert_int_equal(bh_read(chip, (struct bh_xy){ 10, 1 }, 0xFFB20044, &(uint32_t){ 0 }, 4), BH_OK); /* harvested */
    uint32_t value = 0;
    assert_int_equal(bh_write(chip, (struct bh_xy){ 10, 1 }, SOFT_RESET, &value, 4), BH_ERR_ADDRESS);
    assert_non_null(strstr(bh_message(chip), "harvested Ethernet tile"));
    assert_int_equal(bh_release(chip, (struct bh_xy){ 10, 1 }, 1), BH_ERR_COORDINATE);
}

/* ---- Firmware -------------------------------------------------------------------------------------------- */

static void firmware_has_left_its_results(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, 0x7CC00), 0xC0DEA000);
    assert_int_equal(get(chip, 0x7CC04), 2);
    assert_int_equal(get(chip, 0x7CFBC), 0x010600);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(get(chip, get(chip, 0x7CF00 + 4 * i)) == 0x8067 || i == 1);
    uint32_t beat = get(chip, 0x7CC70);
    assert_int_equal(beat >> 16, 0xABCD);
    bh_run(chip, 256, 0, NULL);
    assert_int_equal(get(chip, 0x7CC70), beat + 1);
    START_E0(chip, STOP); /* it is not firmware's any more */
    put(chip, 0x7CC70, 12);
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(get(chip, 0x7CC70), 12);
}

/* The second function answers every message, whoever has sent it. */
static void a_function_answers_messages(void **state) {
    bh_chip *chip = *state;
    enum { RA = 1 };
    START_E0(chip, STOP);
    put(chip, 0x7D000, 0xCA110001); /* firmware does not have E0 any more */
    put(chip, 0x7D010, 0xCA11000F);
    put(chip, 0x7D020, 0x12345678);
    assert_int_equal(get(chip, 0x7D000), 0xCA110001);
    put(chip, SOFT_RESET, HELD);
    START_E0(chip, SET(A, 0x7CF04), rv_lw(A, 0, A), rv_jalr(RA, A, 0), STOP);
    assert_int_equal(get(chip, 0x7D000), 0xD0E50001);
    assert_int_equal(get(chip, 0x7D010), 0xD0E5000F);
    assert_int_equal(get(chip, 0x7D020), 0x12345678);
    assert_int_equal(get(chip, 0x7D030), 0);
}

/* As tt-metal starts its firmware on an active core: it returns to the board's firmware. */
static void a_message_releases_e0(void **state) {
    bh_chip *chip = *state;
    const uint32_t code[] = { SET(A, 77), rv_sw(A, RESULT, 0), rv_sw(SP, RESULT + 4, 0), rv_sw(3, RESULT + 8, 0),
                              rv_jalr(0, 1, 0) };
    place(chip, ETH, CODE_0, code, sizeof code);
    put(chip, 0x7D000, 0xCA110001); /* a check of the link */
    assert_int_equal(get(chip, 0x7D000), 0xD0E50001);
    put(chip, 0x7D004, CODE_0);
    for (unsigned i = 1; i < 3; i++) {
        put(chip, RESULT, 0);
        put(chip, 0x7D000, 0xCA110002);
        assert_int_equal(get(chip, 0x7D000), 0xD0E50002);
        bh_run(chip, 1000, 0, NULL);
        assert_int_equal(get(chip, RESULT), 77);
        assert_int_equal(get(chip, RESULT + 4), 0xFFB02000);
        assert_int_equal(get(chip, RESULT + 8), 0xFFB007F0); /* gp */
        assert_int_equal(query(chip, BH_ERISC0).pc, 0x70000);
    }
    assert_int_equal(get(chip, 0x7CC70) >> 16, 0xABCD); /* the heart beats again */
}

/* One beat every 256 cycles, counted from power-on, in every read that covers a byte of the counter. */
static void heart_beats_every_256_cycles(void **state) {
    const uint32_t BEAT = 0xABCD0000; /* the upper half, always */
    bh_chip *chip = *state;
    uint32_t words[2] = { 0 };
    uint8_t byte = 0xEE;
    assert_int_equal(get(chip, 0x7CC70), BEAT | 0);
    bh_run(chip, 255, 0, NULL);
    assert_int_equal(bh_cycle(chip), 255);
    assert_int_equal(get(chip, 0x7CC70), BEAT | 0);
    bh_run(chip, 1, 0, NULL);
    assert_int_equal(get(chip, 0x7CC70), BEAT | 1);
    bh_run(chip, 256 * 299 - 1, 0, NULL);
    assert_int_equal(get(chip, 0x7CC70), BEAT | 299);
    bh_run(chip, 1, 0, NULL);
    assert_int_equal(bh_read(chip, ETH, 0x7CC6C, words, 4), BH_OK); /* ends before the counter */
    assert_int_equal(bh_peek(chip, ETH, 0x7CC70, words, 4), BH_OK);
    assert_int_equal(words[0], BEAT | 299);
    assert_int_equal(bh_read(chip, ETH, 0x7CC70, &byte, 1), BH_OK);
    assert_int_equal(byte, 300 & 0xFF);
    bh_run(chip, 256, 0, NULL);
    assert_int_equal(bh_read(chip, ETH, 0x7CC6C, words, 8), BH_OK);
    assert_int_equal(words[1], BEAT | 301);
    bh_run(chip, 256 * 0x8001 - bh_cycle(chip), 0, NULL);
    assert_int_equal(get(chip, 0x7CC70), BEAT | 0x8001);
    bh_run(chip, 256 * 0x8002, 0, NULL); /* it counts in 16 bits */
    assert_int_equal(get(chip, 0x7CC70), BEAT | 3);
}

/* ---- The library's own ways ---------------------------------------------------------------------------------- */

static void cores_by_name(void **state) {
    bh_chip *chip = *state;
    const uint32_t code[] = { rv_addi(A, A, 1), rv_sw(A, RESULT, 0), STOP };
    struct bh_core_info info;
    uint32_t value;
    assert_int_equal(bh_load_raw(chip, ETH, BH_ERISC1, CODE_1, code, sizeof code), BH_OK);
    assert_int_equal(get(chip, FIRST_PC_1), CODE_1);
    assert_int_equal(bh_release(chip, ETH, 1u << BH_ERISC1), BH_OK);
    assert_int_equal(get(chip, SOFT_RESET), 0x800);
    bh_run(chip, 4000, 0, NULL);
    assert_int_equal(get(chip, RESULT), 1);
    assert_int_equal(bh_core_get(chip, ETH, BH_ERISC1, BH_REG_X0 + A, &value), BH_OK);
    assert_int_equal(value, 1);
    assert_int_equal(bh_hold(chip, ETH, 1u << BH_ERISC1), BH_OK);
    assert_int_equal(query(chip, BH_ERISC1).state, BH_CORE_IN_RESET);
    assert_int_equal(bh_core_query(chip, ETH, BH_TRISC1, &info), BH_ERR_ARGUMENT);
    assert_int_equal(bh_release(chip, ETH, 1u << BH_TRISC0), BH_ERR_ARGUMENT);
    assert_int_equal(bh_load_raw(chip, ETH, BH_TRISC2, CODE_1, code, sizeof code), BH_ERR_ARGUMENT);
    assert_int_equal(bh_load_raw(chip, ETH, BH_ERISC0, 0x7FFF8, code, sizeof code), BH_ERR_ADDRESS);
    assert_int_equal(bh_core_set(chip, ETH, BH_ERISC0, BH_REG_PC, 0x80000), BH_ERR_ARGUMENT);
    assert_int_equal(bh_gpr_get(chip, ETH, 0, 0, &value), BH_ERR_COORDINATE); /* no coprocessor */
}

static void it_can_be_watched(void **state) {
    bh_chip *chip = *state;
    struct bh_track_stats stats;
    START_E0(chip, rv_addi(A, A, 1), rv_jal(0, -4));
    assert_int_equal(bh_observe(chip, BH_WATCH_STATS, NULL, NULL), BH_OK);
    bh_run(chip, 1000, 0, NULL);
    assert_int_equal(bh_stats_get(chip, ETH, (enum bh_track)BH_ERISC0, &stats), BH_OK);
    assert_in_range(stats.instructions, 900, 1100);
    assert_int_equal(bh_stats_get(chip, ETH, (enum bh_track)BH_ERISC1, &stats), BH_OK);
    assert_int_equal(stats.instructions, 0);
    assert_int_equal(bh_observe_flush(chip), BH_OK);
    bh_reset(chip);
    assert_int_equal(bh_stats_get(chip, ETH, (enum bh_track)BH_ERISC0, &stats), BH_OK);
    assert_int_equal(stats.instructions, 0);
}

static void the_hash_sees_ethernet(void **state) {
    bh_chip *chip = *state;
    uint64_t fresh = bh_state_hash(chip);
    put(chip, 0x7CC04, 2); /* as it was */
    assert_true(bh_state_hash(chip) == fresh);
    put(chip, 0xFFB90014, 1);
    uint64_t queue = bh_state_hash(chip);
    assert_true(queue != fresh);
    put(chip, 0x7FFFC, 1);
    assert_true(bh_state_hash(chip) != queue);
    START_E0(chip, SET(A, 1), STOP);
    bh_reset(chip);
    assert_true(bh_state_hash(chip) == fresh);
}

/* Every live tile's two cores and some Tensix cores count, each at its own rate. */
static uint64_t crowd(unsigned threads) {
    bh_chip *chip = make_chip(threads);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i += i < TOPOLOGY_TENSIX - 9 ? 9 : 1) {
        const struct bh_tile_info *info = &chip->topology.site[topology_tile_site(&chip->topology, i)];
        const uint32_t code[] = { rv_addi(A, A, (int32_t)i + 1), rv_sw(A, RESULT, 0), rv_lw(B, RESULT + 16, 0),
                                  rv_add(A, A, B), rv_jal(0, -16) };
        const uint32_t other[] = { rv_addi(A, A, 3), rv_sw(A, RESULT + 16, 0), rv_jal(0, -8) };
        if (info->harvested)
            continue;
        assert_int_equal(bh_load_raw(chip, info->translated, BH_BRISC, CODE_0, code, sizeof code), BH_OK);
        assert_int_equal(bh_load_raw(chip, info->translated, BH_NCRISC, CODE_1, other, sizeof other), BH_OK);
        assert_int_equal(bh_release(chip, info->translated, 1u << BH_BRISC | 1u << BH_NCRISC), BH_OK);
    }
    bh_run(chip, 20000, 0, NULL);
    uint64_t hash = bh_state_hash(chip);
    assert_true(get(chip, RESULT) > 1000);
    bh_destroy(chip);
    return hash;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    uint64_t one = crowd(1);
    assert_true(crowd(2) == one);
    assert_true(crowd(3) == one);
}

int main(void) {
#define EACH(name) cmocka_unit_test_setup_teardown(name, make, teardown_chip)
    const struct CMUnitTest tests[] = {
        EACH(e0_starts_at_its_pc),
        EACH(e0_lets_e1_out),
        EACH(without_a_pc_nobody_starts),
        EACH(local_memories_are_private),
        EACH(a_poller_sleeps_and_wakes),
        EACH(e0_counts_as_brisc_does),
        EACH(requests_go_everywhere),
        EACH(others_reach_it),
        EACH(a_bad_request_faults_its_core),
        EACH(faults_name_core_and_address),
        EACH(code_ends_with_l1),
        EACH(a_fault_stops_the_run),
        EACH(clock_is_chip_time),
        EACH(rx_queues_store_some_bits),
        EACH(queues_are_idle),
        EACH(status_without_a_coprocessor),
        EACH(the_watchdog_counts),
        EACH(thirty_two_streams),
        EACH(nius_say_who_they_are),
        EACH(firmware_has_left_its_results),
        EACH(a_function_answers_messages),
        EACH(a_message_releases_e0),
        EACH(heart_beats_every_256_cycles),
        EACH(cores_by_name),
        EACH(it_can_be_watched),
        EACH(the_hash_sees_ethernet),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
