/* Deadlocks, the report of waits, and the readers of Tensix threads (src/chip/report.c, src/chip/tensix_api.c,
 * src/tensix/explain.c). */
#include <stdio.h>
#include <string.h>

#include "isa/tensix.h"
#include "support/chip.h"
#include "support/rv.h"

static const struct bh_xy TILE = { 1, 2 };

enum { EBREAK = 0x00100073 };
#define MAILBOX_FROM_T0 0xFFEC1000u

static void place(bh_chip *chip, struct bh_xy tile, enum bh_core core, const uint32_t *words, size_t size) {
    assert_int_equal(bh_write(chip, tile, core_entry[core], words, size), BH_OK);
    assert_int_equal(bh_release(chip, tile, 1u << core), BH_OK);
}
#define PLACE(chip, tile, core, ...) \
    place(chip, tile, core, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }))

static struct bh_stop run(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    return stop;
}

static void assert_report(bh_chip *chip, const char *expected) {
    char text[4000];
    size_t length = bh_report(chip, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* ---- Cores -------------------------------------------------------------------------------------------- */

static void wait_for_mailbox(bh_chip *chip, struct bh_xy tile) {
    PLACE(chip, tile, BH_BRISC, rv_lui(10, MAILBOX_FROM_T0), rv_i(MAJOR_LOAD, 2, 11, 10, 0), EBREAK);
}

static void poll_memory(bh_chip *chip, struct bh_xy tile, enum bh_core core) {
    PLACE(chip, tile, core, rv_lui(10, 0x20000), rv_i(MAJOR_LOAD, 2, 11, 10, 0), rv_b(0, 11, 0, -4), EBREAK);
}

static void a_blocked_core_is_a_deadlock(void **state) {
    bh_chip *chip = *state;
    wait_for_mailbox(chip, TILE);
    struct bh_stop stop = run(chip);
    assert_int_equal(stop.reason, BH_STOP_DEADLOCK);
    assert_int_equal(stop.fault.kind, BH_FAULT_DEADLOCK);
    assert_int_equal(stop.fault.core, BH_BRISC);
    assert_int_equal(stop.fault.thread, -1);
    assert_int_equal(stop.fault.pc, 4);
    assert_int_equal(stop.fault.insn, rv_i(MAJOR_LOAD, 2, 11, 10, 0));
    assert_int_equal(stop.fault.address, MAILBOX_FROM_T0);
    assert_int_equal(stop.fault.tile.y, 2);
    assert_int_equal(stop.waiting, 1);
    assert_string_equal(stop.fault.text, "brisc at pc 0x4, lw a1,0(a0): blocked: the mailbox from trisc0 is empty "
                                         "(0xffec1000)");
    assert_report(chip, "tile 1,2: brisc at pc 0x4, lw a1,0(a0): blocked: the mailbox from trisc0 is empty "
                        "(0xffec1000)\n");
    assert_true(bh_deadlocked(chip));
    assert_int_equal(run(chip).reason, BH_STOP_DEADLOCK); /* still */
    /* Without the flag time passes as before. */
    uint64_t asleep = bh_asleep(chip, TILE);
    assert_int_equal(bh_run(chip, 1000, 0, &stop), BH_OK);
    assert_int_equal(bh_asleep(chip, TILE), asleep + 1000);
    assert_int_equal(bh_asleep(chip, (struct bh_xy){ 2, 2 }), bh_cycle(chip)); /* nothing has ever happened there */
    assert_int_equal(stop.reason, BH_STOP_CYCLES);
    /* A core in reset does not wait. */
    assert_int_equal(bh_hold(chip, TILE, 1u << BH_BRISC), BH_OK);
    assert_false(bh_deadlocked(chip));
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_report(chip, "");
}

static void pollers_are_idle(void **state) {
    bh_chip *chip = *state;
    poll_memory(chip, TILE, BH_TRISC1);
    assert_int_equal(bh_asleep(chip, TILE), 0); /* about to run */
    PLACE(chip, TILE, BH_TRISC2, rv_jal(0, 0)); /* waits for nothing: no line */
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_false(bh_deadlocked(chip));
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_in_range(bh_asleep(chip, TILE), 1000, 2000);
    uint32_t one = 1;
    assert_int_equal(bh_write(chip, TILE, 0x21000, &one, 4), BH_OK); /* nobody looks there */
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_in_range(bh_asleep(chip, TILE), 2000, 3000);
    assert_report(chip, "tile 1,2: trisc1 at pc 0xa004, lw a1,0(a0): polling: a write to a word that it polls "
                        "(0x00020000)\n");
}

/* The host may wake a core that polls memory, which may then release the other. */
static void a_poller_may_free_the_blocked(void **state) {
    bh_chip *chip = *state;
    wait_for_mailbox(chip, TILE);
    poll_memory(chip, TILE, BH_NCRISC);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_report(chip, "tile 1,2: brisc at pc 0x4, lw a1,0(a0): blocked: the mailbox from trisc0 is empty "
                        "(0xffec1000)\n"
                        "tile 1,2: ncrisc at pc 0x12004, lw a1,0(a0): polling: a write to a word that it polls "
                        "(0x00020000)\n");
}

/* Nothing outside the tile reaches a mailbox: a core that polls one cannot be woken. */
static void a_poller_of_a_mailbox_frees_nobody(void **state) {
    bh_chip *chip = *state;
    wait_for_mailbox(chip, TILE);
    PLACE(chip, TILE, BH_TRISC1, rv_lui(10, MAILBOX_FROM_T0), rv_i(MAJOR_LOAD, 2, 11, 10, 4), rv_b(0, 11, 0, -4));
    struct bh_stop stop = run(chip);
    assert_int_equal(stop.reason, BH_STOP_DEADLOCK);
    assert_int_equal(stop.waiting, 2);
    assert_int_equal(stop.fault.core, BH_BRISC);
}

static void tiles_alike_are_told_once(void **state) {
    bh_chip *chip = *state;
    struct bh_tile_info info;
    char text[2000];
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX)
            wait_for_mailbox(chip, info.translated);
    poll_memory(chip, (struct bh_xy){ 2, 3 }, BH_TRISC0);
    assert_int_equal(run(chip).reason, BH_STOP_DEADLOCK);
    size_t length = bh_report(chip, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(text, "tile 1,2: brisc", 15);
    assert_says(text, "\nand 138 more tiles like it\n");
    assert_says(text, "tile 2,3: brisc");
    assert_says(text, "tile 2,3: trisc0");
    unsigned lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 4);
    /* As snprintf: the whole length, however small the room. */
    char little[20] = "";
    assert_int_equal(bh_report(chip, little, sizeof little), length);
    assert_int_equal(strlen(little), sizeof little - 1);
    assert_int_equal(bh_report(chip, NULL, 0), length);
}

/* ---- Threads --------------------------------------------------------------------------------------------- */

static uint32_t seminit(unsigned semaphore, unsigned value, unsigned max) {
    return tensix_to_stream(tensix_encode_SEMINIT(
        (struct tensix_SEMINIT){ .max_value = max, .init_value = value, .sem_sel = 1u << semaphore }));
}
static uint32_t sempost(unsigned semaphore) {
    return tensix_to_stream(tensix_encode_SEMPOST((struct tensix_SEMPOST){ .sem_sel = 1u << semaphore }));
}
static uint32_t semget(unsigned semaphore) {
    return tensix_to_stream(tensix_encode_SEMGET((struct tensix_SEMGET){ .sem_sel = 1u << semaphore }));
}
enum { UNTIL_NOT_ZERO = 1, UNTIL_NOT_MAX = 2 };
static uint32_t semwait(unsigned semaphore, unsigned condition) {
    return tensix_to_stream(tensix_encode_SEMWAIT(
        (struct tensix_SEMWAIT){ .stall_res = 0x1FF, .sem_sel = 1u << semaphore, .wait_sem_cond = condition }));
}
static uint32_t getm(unsigned mutex) {
    return tensix_to_stream(tensix_encode_ATGETM((struct tensix_ATGETM){ .mutex_index = mutex }));
}
static uint32_t stallwait(unsigned conditions) {
    return tensix_to_stream(
        tensix_encode_STALLWAIT((struct tensix_STALLWAIT){ .stall_res = 0x1FF, .wait_res = conditions }));
}

static struct bh_thread_info query(bh_chip *chip, unsigned thread) {
    struct bh_thread_info info;
    assert_int_equal(bh_thread_query(chip, TILE, thread, &info), BH_OK);
    return info;
}

/* T1 waits for a post of T2, which waits for one that T1 has made once and would make again. */
static void two_threads_wait_for_each_other(void **state) {
    bh_chip *chip = *state;
    struct bh_stop stop;
    char text[1000];
    PLACE(chip, TILE, BH_TRISC1, sempost(1), semwait(2, UNTIL_NOT_ZERO), sempost(1), EBREAK);
    run(chip);
    PLACE(chip, TILE, BH_TRISC2, semwait(1, UNTIL_NOT_ZERO), semget(1), semwait(1, UNTIL_NOT_ZERO), sempost(2), EBREAK);
    stop = run(chip);
    assert_int_equal(stop.reason, BH_STOP_DEADLOCK);
    assert_int_equal(stop.fault.kind, BH_FAULT_DEADLOCK);
    assert_int_equal(stop.fault.core, -1);
    assert_int_equal(stop.fault.thread, 1);
    assert_int_equal(stop.fault.pc, 0xA008);
    assert_int_equal(stop.fault.insn, tensix_from_stream(sempost(1)));
    bh_report(chip, text, sizeof text);
    assert_string_equal(text, "tile 1,2: T1 at SEMPOST sem_sel=2 (pushed at pc 0xa008): held by SEMWAIT: semaphore 2 "
                              "(UNPACK_TO_DEST) is 0; nobody has ever posted it\n"
                              "tile 1,2: T2 at SEMPOST sem_sel=4 (pushed at pc 0xe00c): held by SEMWAIT: semaphore 1 "
                              "(MATH_PACK) is 0; only T1 has posted it, and T1 waits at SEMPOST sem_sel=2\n");
    struct bh_thread_info info = query(chip, 1);
    assert_int_equal(info.state, BH_THREAD_WAITING);
    assert_int_equal(info.word, tensix_from_stream(sempost(1)));
    assert_int_equal(info.pc, 0xA008);
    assert_int_equal(info.queued, 1);
    assert_int_equal(info.passed, 2);
    assert_string_equal(info.waits_on, "the latched wait");
    info = query(chip, 0);
    assert_int_equal(info.state, BH_THREAD_IDLE);
    assert_int_equal(info.word, 0);
    assert_int_equal(info.passed, 0);
    assert_string_equal(info.waits_on, "");
}

static void a_full_semaphore(void **state) {
    bh_chip *chip = *state;
    char text[1000];
    uint32_t value, max;
    PLACE(chip, TILE, BH_TRISC0, seminit(1, 1, 2), sempost(1), semget(1), sempost(1), semwait(1, UNTIL_NOT_MAX),
          sempost(1), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_DEADLOCK);
    bh_report(chip, text, sizeof text);
    assert_says(text, "semaphore 1 (MATH_PACK) is 2, and its maximum 2; only T0 has taken it");
    assert_int_equal(bh_semaphore_get(chip, TILE, 1, &value, &max), BH_OK);
    assert_int_equal(value, 2);
    assert_int_equal(max, 2);
    assert_int_equal(bh_semaphore_get(chip, TILE, 0, &value, NULL), BH_OK);
    assert_int_equal(value, 0);
}

static void other_waits(void **state) {
    bh_chip *chip = *state;
    char text[2000];
    PLACE(chip, TILE, BH_TRISC0, getm(2), semwait(7, UNTIL_NOT_MAX), sempost(0), EBREAK);
    run(chip);
    PLACE(chip, TILE, BH_TRISC1, getm(2), EBREAK);
    PLACE(chip, TILE, BH_TRISC2, stallwait(1u << 7 | 1u << 8), sempost(0), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_DEADLOCK);
    bh_report(chip, text, sizeof text);
    assert_says(text, "T0 at SEMPOST sem_sel=1 (pushed at pc 0x6008): held by SEMWAIT: semaphore 7 (MATH_DONE) is 0, "
                      "and its maximum 0, as nobody has ever initialised it; nobody has ever taken it\n");
    assert_says(text, "T1 at ATGETM mutex_index=2 (pushed at pc 0xa000): mutex 2 is held by T0, and T0 waits at "
                      "SEMPOST sem_sel=1\n");
    assert_says(text, "T2 at SEMPOST sem_sel=1 (pushed at pc 0xe004): held by STALLWAIT: no unpacker has handed SrcA "
                      "to the Matrix Unit (C7), no unpacker has handed SrcB to the Matrix Unit (C8)\n");
}

/* Nothing takes what is unpacked, and no thread or core waits for that. */
static void an_unpacker_alone(void **state) {
    bh_chip *chip = *state;
    enum { CLEAR = 1 };
    uint32_t fill = tensix_to_stream(tensix_encode_UNPACR_NOP((struct tensix_UNPACR_NOP){
        .Unpacker_Select = 1, .Set_Dvalid = 1, .Stall_Clr_Cntrl = 1, .Unpack_Pop = CLEAR }));
    PLACE(chip, TILE, BH_TRISC0, fill, fill, EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    PLACE(chip, TILE, BH_TRISC1, fill, fill, EBREAK);
    struct bh_stop stop = run(chip);
    assert_int_equal(stop.reason, BH_STOP_DEADLOCK);
    assert_int_equal(stop.fault.thread, 1);
    assert_report(chip,
                  "tile 1,2: unpacker 1 has UNPACR_NOP Unpacker_Select=1, Stream_Id=0, Msg_Clr_Cnt=0, Set_Dvalid=1, "
                  "Clr_to1_fmt_Ctrl=0, Stall_Clr_Cntrl=1, Bank_Clr_Ctrl=0, Src_ClrVal_Ctrl=0, Unpack_Pop=1 of T1 and "
                  "1 more: it waits for SrcB's bank, which the Matrix Unit has not handed back\n");
}

static uint32_t compare_and_swap(unsigned expected, unsigned value, unsigned gpr) {
    return tensix_to_stream(tensix_encode_ATCAS(
        (struct tensix_ATCAS){ .SwapVal = value, .CmpVal = expected, .Sel32b = 1, .AddrRegIndex = gpr }));
}

/* A word of L1 can be written by the host: no deadlock, and it goes on when it is. */
static void a_word_of_memory(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 3;
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 5, 0x20000 / 16), BH_OK);
    PLACE(chip, TILE, BH_TRISC0, compare_and_swap(3, 9, 5), sempost(1), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    PLACE(chip, TILE, BH_TRISC1, compare_and_swap(0, 0, 0), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_false(bh_deadlocked(chip));
    assert_report(chip, "tile 1,2: T0 at ATCAS MemHierSel=0, SwapVal=9, CmpVal=3, Sel32b=1, DataRegIndex=0, "
                        "AddrRegIndex=5 (pushed at pc 0x6000): the word at 0x20004 of L1 is 0x0, not yet 0x3\n"
                        "tile 1,2: T1 at ATCAS MemHierSel=0, SwapVal=0, CmpVal=0, Sel32b=1, DataRegIndex=0, "
                        "AddrRegIndex=0 (pushed at pc 0xa000): the Scalar Unit is busy with T0's ATCAS: the word at "
                        "0x20004 of L1 is 0x0, not yet 0x3\n");
    assert_int_equal(bh_write(chip, TILE, 0x20004, &value, 4), BH_OK);
    run(chip);
    assert_int_equal(bh_read(chip, TILE, 0x20004, &value, 4), BH_OK);
    assert_int_equal(value, 9);
    assert_int_equal(query(chip, 0).state, BH_THREAD_IDLE);
    assert_int_equal(query(chip, 0).passed, 2);
}

/* So can a stream. */
static void a_stream(void **state) {
    bh_chip *chip = *state;
    uint32_t wait = tensix_encode_STREAMWAIT(
        (struct tensix_STREAMWAIT){ .stall_res = 0x1FF, .target_value = 5, .target_sel = 1, .wait_stream_sel = 2 });
    PLACE(chip, TILE, BH_TRISC2, tensix_to_stream(wait), sempost(1), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_report(chip, "tile 1,2: T2 at SEMPOST sem_sel=2 (pushed at pc 0xe004): held by STREAMWAIT: the message "
                        "count of stream 0 (register 259) is 0, not yet 5\n");
}

/* A GPR that the debugger sets is looked at: the compare above finds another word. */
static void setting_a_gpr_wakes(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 3;
    assert_int_equal(bh_write(chip, TILE, 0x30004, &value, 4), BH_OK);
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 5, 0x20000 / 16), BH_OK);
    PLACE(chip, TILE, BH_TRISC0, compare_and_swap(3, 9, 5), EBREAK);
    assert_int_equal(run(chip).reason, BH_STOP_IDLE);
    assert_int_equal(query(chip, 0).state, BH_THREAD_WAITING);
    assert_int_equal(bh_gpr_set(chip, TILE, 0, 5, 0x30000 / 16), BH_OK);
    run(chip);
    assert_int_equal(query(chip, 0).state, BH_THREAD_IDLE);
    assert_int_equal(bh_read(chip, TILE, 0x30004, &value, 4), BH_OK);
    assert_int_equal(value, 9);
}

/* A core whose thread never takes what it pushes blocks too. */
static void a_full_frontend(void **state) {
    bh_chip *chip = *state;
    uint32_t words[42];
    char text[2000];
    words[0] = semwait(3, UNTIL_NOT_ZERO);
    for (unsigned i = 1; i < 41; i++)
        words[i] = sempost(4);
    words[41] = EBREAK;
    place(chip, TILE, BH_TRISC0, words, sizeof words);
    assert_int_equal(run(chip).reason, BH_STOP_DEADLOCK);
    bh_report(chip, text, sizeof text);
    assert_says(text, "T0 at SEMPOST");
    assert_says(text, "tile 1,2: trisc0 at pc 0x60");
    assert_says(text, "blocked: room in the instruction FIFO (0xffe40000)");
    assert_in_range(query(chip, 0).queued, 29, 32);
}

static unsigned faults_told;
static struct bh_fault told;

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)user, (void)chip;
    faults_told++;
    told = *fault;
}

/* A wait without a condition is undefined: the thread stops, its core and the other threads do not. */
static void faults_of_a_thread(void **state) {
    struct bh_config config;
    struct bh_stop stop;
    struct bh_fault fault;
    (void)state;
    bh_config_init(&config);
    config.on_fault = on_fault;
    bh_chip *chip = make_configured(&config);
    faults_told = 0;
    assert_int_equal(bh_thread_fault(chip, TILE, 2, &fault), BH_ERR_STATE);
    assert_says(bh_message(chip), "T2 of tile (1,2) has not faulted");
    PLACE(chip, TILE, BH_TRISC2, semwait(0, 0), sempost(5), EBREAK);
    assert_int_equal(bh_run(chip, 10000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    assert_int_equal(stop.fault.core, -1);
    assert_int_equal(stop.fault.thread, 2);
    assert_int_equal(stop.fault.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(stop.fault.tile.x, 1);
    assert_int_equal(stop.fault.tile.y, 2);
    assert_int_equal(stop.fault.pc, 0xE000);
    assert_int_equal(faults_told, 1);
    assert_int_equal(told.thread, 2);
    assert_int_equal(bh_thread_fault(chip, TILE, 2, &fault), BH_OK);
    assert_int_equal(fault.tile.y, 2);
    assert_string_equal(fault.text, stop.fault.text);
    assert_int_equal(query(chip, 2).state, BH_THREAD_FAULTED);
    assert_int_equal(query(chip, 1).state, BH_THREAD_IDLE);
    bh_destroy(chip);
}

/* Faults of several threads and cores in one epoch are reported in the order of their cycles. */
static void faults_in_order(void **state) {
    bh_chip *chip = *state;
    struct bh_stop stop;
    PLACE(chip, TILE, BH_TRISC0, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP, RV_NOP,
          semwait(0, 0), EBREAK);
    PLACE(chip, TILE, BH_TRISC2, semwait(0, 0), EBREAK);
    assert_int_equal(bh_run(chip, 10000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    assert_int_equal(stop.fault.thread, 2);
    assert_int_equal(query(chip, 0).state, BH_THREAD_FAULTED);
}

/* ---- Registers --------------------------------------------------------------------------------------------- */

static void registers(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 1;
    uint64_t before = bh_state_hash(chip);
    assert_int_equal(bh_gpr_get(chip, TILE, 2, 63, &value), BH_OK);
    assert_int_equal(value, 0);
    assert_int_equal(bh_gpr_set(chip, TILE, 2, 63, 0x12345678), BH_OK);
    assert_int_equal(bh_gpr_get(chip, TILE, 2, 63, &value), BH_OK);
    assert_int_equal(value, 0x12345678);
    assert_int_equal(bh_gpr_get(chip, TILE, 1, 63, &value), BH_OK);
    assert_int_equal(value, 0);
    assert_true(bh_state_hash(chip) != before);
    assert_int_equal(bh_tensix_config_get(chip, TILE, 1, 0, &value), BH_OK);
    assert_int_equal(bh_thread_config_get(chip, TILE, 2, 0, &value), BH_OK);
}

static void bad_arguments(void **state) {
    bh_chip *chip = *state;
    struct bh_thread_info info;
    struct bh_fault fault;
    struct bh_xy dram = { 17, 12 };
    uint32_t value;
    assert_int_equal(bh_thread_query(chip, TILE, 3, &info), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "Tensix thread 3: there are 3");
    assert_int_equal(bh_thread_query(chip, dram, 0, &info), BH_ERR_COORDINATE);
    assert_int_equal(bh_thread_fault(chip, TILE, UINT32_MAX, &fault), BH_ERR_ARGUMENT);
    assert_int_equal(bh_thread_fault(chip, (struct bh_xy){ 63, 63 }, 0, &fault), BH_ERR_COORDINATE);
    assert_int_equal(bh_gpr_get(chip, TILE, 0, 64, &value), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "GPR 64: there are 64");
    assert_int_equal(bh_gpr_set(chip, TILE, 7, 0, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_gpr_set(chip, dram, 0, 0, 1), BH_ERR_COORDINATE);
    assert_int_equal(bh_tensix_config_get(chip, TILE, 2, 0, &value), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "bank of Config 2");
    assert_int_equal(bh_tensix_config_get(chip, TILE, 0, 100000, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_tensix_config_get(chip, dram, 0, 0, &value), BH_ERR_COORDINATE);
    assert_int_equal(bh_thread_config_get(chip, TILE, 0, 100000, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_thread_config_get(chip, TILE, 3, 0, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_semaphore_get(chip, TILE, 8, &value, NULL), BH_ERR_ARGUMENT);
    assert_says(bh_message(chip), "semaphore 8: there are 8");
    assert_int_equal(bh_semaphore_get(chip, dram, 0, &value, NULL), BH_ERR_COORDINATE);
}

static int setup_loose_chip(void **state) {
    *state = make_timed(BH_TIMING_LOOSE, 1);
    return 0;
}

int main(void) {
#define TEST(name)       cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)
#define TEST_LOOSE(name) cmocka_unit_test_setup_teardown(name, setup_loose_chip, teardown_chip)
    const struct CMUnitTest tests[] = {
        TEST(a_blocked_core_is_a_deadlock),
        TEST(pollers_are_idle),
        TEST(a_poller_may_free_the_blocked),
        TEST(a_poller_of_a_mailbox_frees_nobody),
        TEST(tiles_alike_are_told_once),
        TEST(two_threads_wait_for_each_other),
        TEST(a_full_semaphore),
        TEST(other_waits),
        TEST(an_unpacker_alone),
        TEST(a_word_of_memory),
        TEST(a_stream),
        TEST(setting_a_gpr_wakes),
        TEST(a_full_frontend),
        cmocka_unit_test(faults_of_a_thread),
        TEST(faults_in_order),
        TEST(registers),
        TEST(bad_arguments),
        TEST_LOOSE(a_poller_may_free_the_blocked),
        TEST_LOOSE(tiles_alike_are_told_once),
        TEST_LOOSE(two_threads_wait_for_each_other),
        TEST_LOOSE(a_full_semaphore),
        TEST_LOOSE(other_waits),
        TEST_LOOSE(an_unpacker_alone),
        TEST_LOOSE(a_word_of_memory),
        TEST_LOOSE(a_stream),
        TEST_LOOSE(setting_a_gpr_wakes),
        TEST_LOOSE(a_full_frontend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
