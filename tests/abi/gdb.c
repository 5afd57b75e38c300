/* BHEMU_GDB: a session with libttsim.so under a debugger, which another process plays.
 * gdb LIBTTSIM */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { RESULT = 0x600 };

/* ---- The debugger ------------------------------------------------------------------------------------------- */

static int wire;

static void send_packet(const char *data) {
    char text[200];
    unsigned sum = 0;
    for (const char *c = data; *c; c++)
        sum += (unsigned char)*c;
    int length = snprintf(text, sizeof text, "$%s#%02x", data, sum & 0xFF);
    if (write(wire, text, (size_t)length) != length)
        _exit(80);
}

/* Reads a packet, but no text for the console. */
static void read_packet(char *text, size_t size) {
    do {
        size_t count = 0;
        char c = 0;
        while (c != '$')
            if (read(wire, &c, 1) != 1)
                _exit(81);
        while (read(wire, &c, 1) == 1 && c != '#' && count + 1 < size)
            text[count++] = c;
        text[count] = '\0';
        if (read(wire, &c, 1) != 1 || read(wire, &c, 1) != 1)
            _exit(82);
    } while (text[0] == 'O' && strcmp(text, "OK") != 0);
}

static void expect(const char *packet, const char *part) {
    char text[5000];
    send_packet(packet);
    read_packet(text, sizeof text);
    if (!strstr(text, part)) {
        fprintf(stderr, "%s: '%s' does not contain '%s'\n", packet, text, part);
        _exit(83);
    }
}

static int listener;

/* Starts a process that talks to the library. */
static pid_t start_debugger(void (*talk)(void)) {
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child)
        return child;
    wire = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(wire, (struct sockaddr *)&address, sizeof address) != 0)
        _exit(84);
    talk();
    close(wire);
    _exit(0);
}

static int end_debugger(pid_t child) {
    int status;
    close(listener);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- The client of the library ------------------------------------------------------------------------------- */

/* BRISC counts to five in the word at RESULT: 08 addi a0,a0,1; 0c sw a0,0x600(zero); 10 bne a0,a1,08; 14 j 14 */
static void count(const struct ttsim *abi) {
    static const uint32_t program[] = { 0x00000513, 0x00500593, 0x00150513, 0x60A02023, 0xFEB51CE3, 0x0000006F };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        write32(abi, 1, 2, 4 * i, program[i]);
    write32(abi, 1, 2, 0xFFB121B0, 0x47000);
    abi->clock(30);
    assert_int_equal(read32(abi, 1, 2, RESULT), 5);
    abi->clock(30);
    abi->exit();
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
    while (read(wire, &c, 1) == 1)
        ;
}

static void detach(void) {
    expect("?", "thread:p66.1");
    expect("D", "OK");
}

static void a_session_is_debugged(void **state) {
    (void)state;
    char text[4000], variable[40];
    pid_t debugger = start_debugger(debug_forwards_and_back);
    snprintf(variable, sizeof variable, "BHEMU_GDB=fd:%d", listener);
    assert_int_equal(in_child(count, 2, variable, text, sizeof text), 0);
    assert_int_equal(end_debugger(debugger), 0);
}

static void a_session_is_killed(void **state) {
    (void)state;
    char text[4000], variable[40];
    pid_t debugger = start_debugger(kill_the_session);
    snprintf(variable, sizeof variable, "BHEMU_GDB=fd:%d", listener);
    assert_int_equal(in_child(count, 2, variable, text, sizeof text), 1);
    assert_int_equal(end_debugger(debugger), 0);
}

static void a_session_goes_on_without(void **state) {
    (void)state;
    char text[4000], variable[40];
    pid_t debugger = start_debugger(detach);
    snprintf(variable, sizeof variable, "BHEMU_GDB=fd:%d", listener);
    assert_int_equal(in_child(count, 2, variable, text, sizeof text), 0);
    assert_int_equal(end_debugger(debugger), 0);
}

static void nothing(const struct ttsim *abi) {
    abi->exit();
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
        cmocka_unit_test(a_session_is_debugged),
        cmocka_unit_test(a_session_is_killed),
        cmocka_unit_test(a_session_goes_on_without),
        cmocka_unit_test(a_wrong_port_is_an_error),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
