/* BHEMU_CHECK: the report of a session's hazards, however the session ends.
 * hazards LIBTTSIM */
#include <unistd.h>

#include "chips.h"

static uint64_t bar = BAR0; /* of the chip that runs the program */

enum { WAIT_AT = 24, LOAD_AT = 26, RESULT = 0x600, NOP = 0x13 };

/* BRISC of tile 1,2 reads 64 bytes of tile 2,2 to 0x500, lets time pass, and loads the first word. */
static void put_reader(const struct ttsim *in) {
    static const uint32_t program[] = {
        0xffb217b7, 0x40000713, 0x80e7a023, 0x8007a223, 0x08200713, 0x80e7a423, 0x50000693, 0x80d7a623,
        0x8007a823, 0xffb20637, 0x14862703, 0x80e7aa23, 0x8007ac23, 0x04000713, 0x82e7a023, 0x00002737,
        0x09070713, 0x80e7ae23, 0x20862283, 0x00100713, 0x84e7a023, 0x3e800313, 0xfff30313, 0xfe031ee3,
        0x00000013, 0x00000013, 0x0006a503, 0x60a02023, 0x0000006f,
    };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        put(in, bar, 1, 2, 4 * i, program[i]);
    put(in, bar, 2, 2, 0x400, 1234);
}

static void start_reader(const struct ttsim *in, bool waits) {
    put_reader(in);
    if (waits) {
        put(in, bar, 1, 2, 4 * WAIT_AT, 0x20862383);     /* lw t2, 0x208(a2): responses to reads */
        put(in, bar, 1, 2, 4 * WAIT_AT + 4, 0xfe538ee3); /* beq t2, t0, back to it */
    }
    put(in, bar, 1, 2, 0xFFB121B0, 0x47000);
    in->clock(30);
    assert_int_equal(get(in, bar, 1, 2, RESULT), 1234);
}

/* The same, but the core does not look at what it reads. */
static void start_idle_reader(const struct ttsim *in) {
    put_reader(in);
    put(in, bar, 1, 2, 4 * LOAD_AT, NOP);
    put(in, bar, 1, 2, 0xFFB121B0, 0x47000);
    in->clock(30);
}

static void exit_while_idle(const struct ttsim *in) {
    start_idle_reader(in);
    in->exit();
}

static void reset_while_idle(const struct ttsim *in) {
    start_idle_reader(in);
    put(in, bar, 1, 2, 0xFFB121B0, 0x47800);
    for (unsigned i = 0; i < 29; i++)
        put(in, bar, 1, 2, 4 * i, NOP); /* only the reset has seen the program */
    in->exit();
}

/* TRISC0 posts semaphore 0 and gets it twice, the second time at zero. */
static void get_at_zero(const struct ttsim *in) {
    static const uint32_t program[] = {
        0xffe805b7, 0x00100513, 0x0205a023, 0x0205a283, 0x02a5a023, 0x0205a283, 0x02a5a023, 0x0000006f,
    };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        put(in, bar, 1, 2, 0x6000 + 4 * i, program[i]);
    put(in, bar, 1, 2, 0xFFB121B0, 0x46800);
    in->clock(10);
    in->exit();
}

static void end_with_exit(const struct ttsim *in) {
    start_reader(in, false);
    in->exit();
}

static void wait_and_end(const struct ttsim *in) {
    start_reader(in, true);
    in->exit();
}

static void end_by_closing(const struct ttsim *in) {
    start_reader(in, false);
    dlclose(in->library);
}

static void end_with_an_error(const struct ttsim *in) {
    start_reader(in, false);
    (void)get(in, bar, 40, 40, 0x40);
}

/* li a0, 7; li a7, 93; ecall */
static void end_by_semihosting(const struct ttsim *in) {
    static const uint32_t program[] = { 0x00700513, 0x05d00893, 0x00000073 };
    start_reader(in, false);
    for (unsigned i = 0; i < 3; i++)
        put(in, bar, 2, 2, 4 * i, program[i]);
    put(in, bar, 2, 2, 0xFFB121B0, 0x47000);
    in->clock(10);
}

static void two_sessions(const struct ttsim *in) {
    end_with_exit(in);
    in->init();
    wait_and_end(in);
}

static void expect_race(const char *text) {
    assert_non_null(strstr(text, "] BHEMU_CHECK: hazards of the session\n"
                                 "RACE at L1 0x00000500 of tile 1,2: bytes are used before the NoC read"));
    assert_non_null(strstr(text, "NoC 0 read on tile 1,2 writes in cycle "));
    assert_non_null(strstr(text, ", requested by brisc:\n          00000050  sw a4,-1984(a5)\n"));
    assert_non_null(strstr(text, "brisc on tile 1,2 reads in cycle "));
    assert_non_null(strstr(text, "          00000068  lw a0,0(a3)\n  seen 1 time; kind READ_IN_FLIGHT\n"));
    const char *last = "\n1 hazard: 1 RACE (nothing orders the two accesses)\n";
    assert_string_equal(text + strlen(text) - strlen(last), last);
}

static void every_end_reports(void **state) {
    (void)state;
    char text[4000];
    assert_int_equal(in_child(end_with_exit, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    expect_race(text);
    assert_int_equal(in_child(end_by_closing, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    expect_race(text);
    assert_int_equal(in_child(end_with_an_error, 2, "BHEMU_CHECK=1", text, sizeof text), 1);
    expect_race(text);
    setenv("TTSIM_SEMIHOSTING", "1", 1);
    assert_int_equal(in_child(end_by_semihosting, 2, "BHEMU_CHECK=1", text, sizeof text), 7);
    unsetenv("TTSIM_SEMIHOSTING");
    expect_race(text);
}

static void a_wait_leaves_nothing_to_report(void **state) {
    (void)state;
    char text[4000];
    assert_int_equal(in_child(wait_and_end, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    const char *first = strchr(text, '\n');
    assert_non_null(first);
    assert_string_equal(first, "\nno hazards\n");
}

/* The end of a session, and a reset, are the ends of programs. */
static void ends_of_programs_are_looked_at(void **state) {
    (void)state;
    char text[4000];
    void (*const sessions[])(const struct ttsim *) = { exit_while_idle, reset_while_idle };
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(in_child(sessions[i], 2, "BHEMU_CHECK=1", text, sizeof text), 0);
        assert_non_null(strstr(text, "LATENT at the end of the program of tile 1,2: a request is in flight"));
        assert_non_null(strstr(text, "requested by brisc:\n          00000050  sw a4,-1984(a5)\n"));
        assert_non_null(strstr(text, "\n          00000070  jal zero,0x70\n  seen 1 time; kind AT_END\n"));
        assert_non_null(strstr(text, "\n1 hazard: 1 LATENT"));
    }
}

static void semaphores_past_their_ends_are_found(void **state) {
    (void)state;
    char text[4000];
    assert_int_equal(in_child(get_at_zero, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    assert_non_null(strstr(text, "SUSPECT at semaphore 0 of tile 1,2: "));
    assert_non_null(strstr(text, "          00006018  sw a0,32(a1)\n"));
}

static void two_chips(const struct ttsim *in) {
    start_reader(in, true);
    bar = home(1);
    start_reader(in, false);
    in->exit();
}

static void reports_name_the_chip(void **state) {
    (void)state;
    char text[4000];
    setenv("BHEMU_SYSTEM", "p300", 1);
    assert_int_equal(in_child(two_chips, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    unsetenv("BHEMU_SYSTEM");
    assert_non_null(strstr(text, "] BHEMU_CHECK: hazards of the session\n"
                                 "RACE at L1 0x00000500 of chip 1, tile 1,2: bytes are used before the NoC read"));
    assert_non_null(strstr(text, "NoC 0 read on chip 1, tile 1,2 writes in cycle "));
    assert_non_null(strstr(text, "brisc on chip 1, tile 1,2 reads in cycle "));
    const char *last = "\nchip 0: no hazards\nchip 1: 1 hazard: 1 RACE (nothing orders the two accesses)\n";
    assert_string_equal(text + strlen(text) - strlen(last), last);
}

/* Chip 0 reads, sends a frame, gets one from chip 1, and uses what it has read: other chips may know that the read is
 * over. */
static void frames_between(const struct ttsim *in) {
    abi = *in;
    put_reader(in);
    put(in, bar, 1, 2, 4 * (WAIT_AT - 3), 0x00010337); /* lui t1, 16: time for both frames */
    put(in, bar, 1, 2, 0xFFB121B0, 0x47000);
    in->clock(8);
    send_number(home(0), 2, 1);
    in->clock(20);
    send_number(home(1), 9, 2);
    in->clock(800);
    assert_int_equal(received_number(home(0), 2), 2);
    assert_int_equal(get(in, bar, 1, 2, RESULT), 1234);
    in->exit();
}

static void frames_make_races_uncertain(void **state) {
    (void)state;
    char text[4000];
    setenv("BHEMU_SYSTEM", "p300", 1);
    assert_int_equal(in_child(frames_between, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    unsetenv("BHEMU_SYSTEM");
    assert_non_null(strstr(text, "UNCERTAIN at L1 0x00000500 of chip 0, tile 1,2: "));
    assert_null(strstr(text, "RACE"));
}

static void off_nothing_is_said(void **state) {
    (void)state;
    static const char *const values[] = { NULL, "BHEMU_CHECK=", "BHEMU_CHECK=0" };
    char text[4000];
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        assert_int_equal(in_child(end_with_exit, 2, values[i], text, sizeof text), 0);
        assert_string_equal(text, "");
    }
}

static void a_file_gets_every_session(void **state) {
    (void)state;
    char text[4000], name[] = "/tmp/hazards-XXXXXX", variable[64];
    int file = mkstemp(name);
    assert_true(file >= 0);
    snprintf(variable, sizeof variable, "BHEMU_CHECK=%s", name);
    assert_int_equal(in_child(two_sessions, 2, variable, text, sizeof text), 0);
    assert_string_equal(text, "");
    ssize_t size = read(file, text, sizeof text - 1);
    assert_true(size > 0);
    text[size] = 0;
    close(file);
    unlink(name);
    char *second = strstr(text + 1, "\n[");
    assert_non_null(second);
    assert_non_null(strstr(second, "hazards of the session\nno hazards\n"));
    second[1] = 0;
    expect_race(text);
}

static void nothing(const struct ttsim *in) {
    (void)in;
}

static void mistakes_are_found_at_the_beginning(void **state) {
    (void)state;
    char text[400];
    assert_int_equal(in_child(nothing, 1, "BHEMU_CHECK=/nowhere/report", text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_CHECK=/nowhere/report: No such file"));
    setenv("BHEMU_LAYOUT", "/nowhere/layout", 1);
    assert_int_equal(in_child(nothing, 1, "BHEMU_CHECK=1", text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_LAYOUT=/nowhere/layout: "));
    setenv("BHEMU_LAYOUT", "/proc/self/environ", 1);
    assert_int_equal(in_child(nothing, 1, "BHEMU_CHECK=1", text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_LAYOUT=/proc/self/environ: line 1: "));
    unsetenv("BHEMU_LAYOUT");
    setenv("BHEMU_TIMING", "loose", 1);
    assert_int_equal(in_child(nothing, 1, "BHEMU_CHECK=1", text, sizeof text), 1);
    unsetenv("BHEMU_TIMING");
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_CHECK=1: "));
    assert_non_null(strstr(text, "cycle timing"));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_reports),
        cmocka_unit_test(a_wait_leaves_nothing_to_report),
        cmocka_unit_test(ends_of_programs_are_looked_at),
        cmocka_unit_test(semaphores_past_their_ends_are_found),
        cmocka_unit_test(reports_name_the_chip),
        cmocka_unit_test(frames_make_races_uncertain),
        cmocka_unit_test(off_nothing_is_said),
        cmocka_unit_test(a_file_gets_every_session),
        cmocka_unit_test(mistakes_are_found_at_the_beginning),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
