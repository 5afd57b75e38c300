/* BHEMU_GDB: a session with libttsim.so under a debugger, which another process plays.
 * gdb LIBTTSIM */
#include "chips.h"
#include "debugger.h"

enum { RESULT = 0x600 };

static uint64_t bar = BAR0; /* of the chip that counts */

/* ---- The client of the library ------------------------------------------------------------------------------- */

/* BRISC counts to five in the word at RESULT: 08 addi a0,a0,1; 0c sw a0,0x600(zero); 10 bne a0,a1,08; 14 j 14 */
static void start_counting(const struct ttsim *in) {
    static const uint32_t program[] = { 0x00000513, 0x00500593, 0x00150513, 0x60A02023, 0xFEB51CE3, 0x0000006F };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        put(in, bar, 1, 2, 4 * i, program[i]);
    put(in, bar, 1, 2, 0xFFB121B0, 0x47000);
}

static void count(const struct ttsim *in) {
    start_counting(in);
    in->clock(30);
    assert_int_equal(get(in, bar, 1, 2, RESULT), 5);
    in->clock(30);
    in->exit();
}

static void debug_forwards_and_back(void) {
    expect("?", "thread:p66.1");
    expect("Hgp66.1", "OK");
    expect("Z0,c,4", "OK");
    expect("vCont;c", "20:0c000000;swbreak");
    expect("vCont;c", "20:0c000000;swbreak");
    expect("pa", "02000000");
    expect("bc", "20:0c000000;swbreak");
    expect("pa", "01000000");
    expect("z0,c,4", "OK");
    expect("Z2,600,4", "OK");
    expect("vCont;c", "watch:600");
    expect("m600,4", "01000000");
    expect("z2,600,4", "OK");
    expect("vCont;c", "T00"); /* the client has ended the session */
    expect("m600,4", "05000000");
    expect("vCont;c", "W00");
}

static void kill_the_session(void) {
    send_packet("k");
    char c;
    while (read(connection, &c, 1) == 1)
        ;
}

static void detach(void) {
    expect("?", "thread:p66.1");
    expect("D", "OK");
}

static void a_session_is_debugged(void **state) {
    (void)state;
    assert_int_equal(debug_session(debug_forwards_and_back, count), 0);
}

static void a_session_is_killed(void **state) {
    (void)state;
    assert_int_equal(debug_session(kill_the_session, count), 1);
}

static void a_session_goes_on_without(void **state) {
    (void)state;
    assert_int_equal(debug_session(detach, count), 0);
}

/* ---- Several chips ------------------------------------------------------------------------------------------- */

/* BRISC of the second chip counts, then a frame comes from the first. */
static void count_and_send(const struct ttsim *in) {
    abi = *in;
    bar = home(1);
    start_counting(in);
    in->clock(30);
    assert_int_equal(get(in, bar, 1, 2, RESULT), 5);
    send_number(home(0), 2, 4711);
    in->clock(30);
    assert_int_equal(received_number(home(1), 9), 4711);
    in->exit();
}

/* Tile 1,2 of chip 1 is process 10102, 0x2776; tile 29,25 is process 12925, 0x327d. */
static void debug_the_second_chip(void) {
    expect("?", "thread:p2776.1");
    expect("qThreadExtraInfo,p2776.1", "6368697020312c2074696c6520312c32"); /* "chip 1, tile 1,2" */
    expect("Hgp2776.1", "OK");
    expect("Z0,c,4", "OK");
    expect("vCont;c", "20:0c000000;swbreak");
    expect("vCont;c", "20:0c000000;swbreak");
    expect("pa", "02000000");
    expect("bc", "20:0c000000;swbreak");
    expect("pa", "01000000");
    expect("z0,c,4", "OK");
    expect("vAttach;327d", "thread:p327d.");
    expect("Hgp327d.1", "OK");
    expect("Z2,20000,4", "OK");
    expect("vCont;c", "watch:20000");
    expect("m20000,4", "67120000");
    expect("bc", "watch:20000"); /* all chips go back to before the frame, */
    expect("m20000,4", "00000000");
    expect("z2,20000,4", "OK");
    expect("vCont;c", "T00"); /* and to the end of the session */
    expect("m20000,4", "67120000");
    expect("vCont;c", "W00");
}

static void several_chips_are_debugged(void **state) {
    (void)state;
    setenv("BHEMU_SYSTEM", "p300", 1);
    assert_int_equal(debug_session(debug_the_second_chip, count_and_send), 0);
    assert_int_equal(debug_session(kill_the_session, count_and_send), 1);
    unsetenv("BHEMU_SYSTEM");
}

static void nothing(const struct ttsim *in) {
    in->exit();
}

static void a_wrong_port_is_an_error(void **state) {
    (void)state;
    char text[4000];
    assert_int_equal(in_child(nothing, 1, "BHEMU_GDB=here", text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_GDB=here: a port must be a number"));
    assert_int_equal(in_child(nothing, 1, "BHEMU_GDB=", text, sizeof text), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_debugged),     cmocka_unit_test(a_session_is_killed),
        cmocka_unit_test(a_session_goes_on_without), cmocka_unit_test(several_chips_are_debugged),
        cmocka_unit_test(a_wrong_port_is_an_error),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
