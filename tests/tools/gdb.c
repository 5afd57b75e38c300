/* The server for gdb, packet by packet, without gdb. A process of its own runs a chip under the server; when the run
 * has ended it compares bh_state_hash with that of the same run without a server. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gdb/gdb.h"
#include "gdb/packet.h"

enum { DATA = 0x40000, LONG = 1000000 };

static const struct bh_xy tile = { 1, 2 }, other = { 2, 2 };

/* Counts down from 3, stores the count, and pauses; main is 0x0c. */
static const uint32_t short_program[] = {
    0x000402B7, /* 00 lui t0,0x40 */
    0xFFB00337, /* 04 lui t1,0xffb00 */
    0x00300393, /* 08 li t2,3 */
    0x00150513, /* 0c addi a0,a0,1 */
    0x00A2A823, /* 10 sw a0,16(t0) */
    0x00A32423, /* 14 sw a0,8(t1) */
    0xFFF38393, /* 18 addi t2,t2,-1 */
    0xFE0398E3, /* 1c bnez t2,0c */
    0x00100073, /* 20 ebreak */
};
static const uint32_t endless_program[] = { 0x00150513, 0xFFDFF06F }; /* 00 addi a0,a0,1; 04 j 00 */
/* The two cores of a tile that count in the same word of L1: their order shows in the result. */
static const uint32_t race_program[] = {
    0x000402B7, /* 00 lui t0,0x40 */
    0x3E800393, /* 04 li t2,1000 */
    0x0002A503, /* 08 lw a0,0(t0) */
    0x00150513, /* 0c addi a0,a0,1 */
    0x00A2A023, /* 10 sw a0,0(t0) */
    0xFFF38393, /* 14 addi t2,t2,-1 */
    0xFE0398E3, /* 18 bnez t2,08 */
    0x00100073, /* 1c ebreak */
};

/* ---- The server's process ----------------------------------------------------------------------------------- */

struct scene {
    const uint32_t *program;
    size_t size;
    bool race;       /* on NCRISC, too, and on another tile */
    bool changed;    /* the user changes the run: do not compare */
    uint64_t cycles; /* 0: many */
};

static void load(bh_chip *chip, struct bh_xy at, enum bh_core core, uint32_t address, const struct scene *scene) {
    if (bh_load_raw(chip, at, core, address, scene->program, scene->size) != BH_OK ||
        bh_release(chip, at, 1u << core) != BH_OK)
        _exit(90);
}

static bh_chip *make(const struct scene *scene) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = 1;
    if (bh_create(&config, &chip, NULL, 0) != BH_OK)
        _exit(90);
    load(chip, tile, BH_BRISC, 0, scene);
    if (scene->race) {
        load(chip, tile, BH_NCRISC, 0x12000, scene);
        load(chip, other, BH_BRISC, 0, scene);
    }
    return chip;
}

static uint64_t hash_without(const struct scene *scene) {
    bh_chip *chip = make(scene);
    if (bh_run(chip, scene->cycles ? scene->cycles : LONG, BH_RUN_STOP_ON_IDLE, NULL) != BH_OK)
        _exit(90);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

/* Exit status: 0 everything as without gdb, 1 another state, 2 killed. */
__attribute__((noreturn)) static void serve(int listener, const struct scene *scene) {
    const struct gdb_owner owner = { 0 };
    char port[24], message[200];
    struct bh_stop stop;
    snprintf(port, sizeof port, "fd:%d", listener);
    struct gdb *gdb = gdb_open(port, &owner, message, sizeof message);
    bh_chip *chip = make(scene);
    if (!gdb || gdb_run(gdb, chip, scene->cycles ? scene->cycles : LONG, BH_RUN_STOP_ON_IDLE, &stop) != BH_OK)
        _exit(91);
    bool killed = gdb_killed(gdb);
    bool same = scene->changed || killed || bh_state_hash(chip) == hash_without(scene);
    gdb_close(gdb, 0);
    bh_destroy(chip);
    _exit(killed ? 2 : !same);
}

/* ---- The client ---------------------------------------------------------------------------------------------- */

static struct client {
    pid_t child;
    int fd;
    struct packet_reader in;
    char printed[4000]; /* to the console */
} client;

static unsigned port; /* of the server */

/* Returns a connection to the server. */
static int call(void) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    const struct timeval patience = { .tv_sec = 60 };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void start(const struct scene *scene) {
    int listener = gdb_listen(0, &port);
    assert_true(listener >= 0);
    memset(&client, 0, sizeof client);
    fflush(NULL);
    client.child = fork();
    if (client.child == 0)
        serve(listener, scene);
    close(listener);
    client.fd = call();
}

static void send_raw(const char *bytes, size_t size) {
    assert_int_equal(send(client.fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

static char take_byte(void) {
    char byte;
    assert_int_equal(recv(client.fd, &byte, 1, 0), 1);
    return byte;
}

/* Returns the next packet; text for the console is kept aside. */
static const char *answer(void) {
    for (;;) {
        if (packet_take(&client.in, (uint8_t)take_byte()) != PACKET_READY)
            continue;
        const char *at = client.in.data + 1;
        size_t length = strlen(client.printed), size = strlen(at) / 2;
        if (client.in.data[0] != 'O' || strcmp(client.in.data, "OK") == 0)
            return client.in.data;
        if (length + size < sizeof client.printed)
            assert_true(packet_bytes(&at, (uint8_t *)client.printed + length, size));
    }
}

static const char *ask(const char *packet) {
    char bytes[2 * PACKET_MAX];
    client.printed[0] = '\0';
    memset(client.printed, 0, sizeof client.printed);
    send_raw(bytes, packet_make(packet, strlen(packet), bytes));
    return answer();
}

static void expect(const char *packet, const char *text) {
    assert_string_equal(ask(packet), text);
}

static void expect_part(const char *packet, const char *part) {
    const char *text = ask(packet);
    if (!strstr(text, part))
        fail_msg("%s: '%s' does not contain '%s'", packet, text, part);
}

static uint32_t pc(void) {
    uint32_t value;
    const char *at = ask("p20");
    assert_true(packet_bytes(&at, (uint8_t *)&value, sizeof value));
    return value;
}

static int end(void) {
    int status = -1;
    close(client.fd);
    assert_int_equal(waitpid(client.child, &status, 0), client.child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const struct scene plain = { short_program, sizeof short_program, .race = false };
static const struct scene changing = { short_program, sizeof short_program, .changed = true };
static const struct scene racing = { race_program, sizeof race_program, .race = true };
static const struct scene endless = { endless_program, sizeof endless_program, .cycles = 50000000 };

/* Goes on to the end of the run. */
static void run_to_the_end(void) {
    expect_part("vCont;c", "T00");
    assert_non_null(strstr(client.printed, "the run has ended"));
    expect_part("vCont;c", "W00;process:66");
}

/* ---- Tests --------------------------------------------------------------------------------------------------- */

static void it_says_what_it_can(void **state) {
    (void)state;
    start(&plain);
    expect_part("qSupported:multiprocess+;swbreak+", "multiprocess+");
    expect_part("qSupported", "ReverseContinue+");
    expect("QStartNoAckMode", "OK");
    expect_part("?", "T05thread:p66.1;");
    expect("qC", "QCp66.1");
    expect("qfThreadInfo", "mp66.1,p66.2,p66.3,p66.4,p66.5");
    expect("qsThreadInfo", "l");
    expect_part("qXfer:features:read:target.xml:0,ffff", "org.gnu.gdb.riscv.cpu");
    expect_part("qXfer:features:read:target.xml:4,10", "m");
    expect_part("qXfer:threads:read::0,fff", "name=\"brisc\"");
    expect_part("qXfer:osdata:read:processes:0,1fff", "<column name=\"pid\">102</column>");
    expect("qXfer:libraries:read::0,fff", "l<library-list version=\"1.0\"></library-list>");
    expect("vCont?", "vCont;c;C;s;S;r");
    expect("Tp66.5", "OK");
    expect("vMustReplyEmpty", "");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

/* Whatever comes, there is an answer, and the next command works. */
static void mistakes_are_answered(void **state) {
    static const char *const mistakes[] = {
        "m",
        "mxyz",
        "m0,ffffffffffffffff",
        "m10000000,4",
        "M0,4:12",
        "X0,4:1",
        "p",
        "pffff",
        "P20",
        "P20=12",
        "G12",
        "Z0",
        "Z0,1,4",
        "Z0,ffffffff,4",
        "Z2,0,0",
        "Z2,4,ffb00000",
        "Hg",
        "Hgp1.1",
        "Hgp66.9",
        "H",
        "Tp66.6",
        "Tz",
        "vCont;x",
        "vCont;s:q",
        "vCont;s:p67.1",
        "vAttach;1",
        "vAttach;zz",
        "qXfer:a:read:b",
        "qXfer:features:read:other.xml:0,10",
        "qXfer:features:read:target.xml:z",
        "qRcmd,1",
        "qRcmd,zz",
        "qThreadExtraInfo,zz",
        "M0,99999:00",
        "P1f4=00000000",
        "vCont;r1",
        "vCont;C",
    };
    (void)state;
    start(&plain);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const char *text = ask(mistakes[i]);
        if (*text && *text != 'E')
            fail_msg("%s: '%s' is no error", mistakes[i], text);
        expect("qC", "QCp66.1");
    }
    expect("y", "");
    expect("", "");
    expect("Z9,0,4", "");
    expect("bx", "");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void bytes_that_are_no_packets(void **state) {
    char byte;
    (void)state;
    start(&plain);
    send_raw("junk$qC#00", 10); /* a wrong checksum */
    while ((byte = take_byte()) != '-')
        ;
    send_raw("$qC", 3);
    send_raw("$qC#b4", 6); /* the sender begins again */
    assert_int_equal(take_byte(), '+');
    assert_string_equal(answer(), "QCp66.1");
    send_raw("-", 1); /* once more, please */
    assert_string_equal(answer(), "QCp66.1");
    expect("QStartNoAckMode", "OK");
    char *many = malloc(PACKET_MAX + 100);
    memset(many, 'a', PACKET_MAX + 100);
    send_raw("$", 1);
    send_raw(many, PACKET_MAX + 100);
    send_raw("#00", 3);
    free(many);
    expect("qC", "QCp66.1");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void breakpoints_and_steps(void **state) {
    (void)state;
    start(&plain);
    expect("Hgp66.1", "OK");
    expect("Z0,10,4", "OK");
    expect_part("vCont;c:p66.-1", "T05thread:p66.1;20:10000000;swbreak:;");
    expect("pa", "01000000");
    expect_part("vCont;s:p66.1;c", "20:14000000;");
    expect_part("vCont;c", "20:10000000;swbreak:;");
    expect("pa", "02000000");
    expect("z0,10,4", "OK");
    expect_part("vCont;r10,1c:p66.1", "20:1c000000;");
    expect("Z1,10,4", "OK");
    expect_part("c", "hwbreak:;");
    expect("z1,10,4", "OK");
    expect_part("vCont;s:p66.3", "T05thread:p66.3;"); /* in reset: says so, and does nothing */
    assert_non_null(strstr(client.printed, "nothing to step: trisc1 of tile 1,2, in reset"));
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void watchpoints(void **state) {
    (void)state;
    start(&plain);
    expect("Hgp66.1", "OK");
    expect("Z2,4000e,8", "OK"); /* any size, at any place */
    expect("Z3,40010,4", "OK");
    expect_part("c", "20:14000000;watch:4000e;");
    assert_string_equal(client.printed, "tile 1,2: 4 bytes at 0x40010 written by brisc at pc 0x10\n");
    expect_part("vCont;s:p66.1", "20:14000000;"); /* gdb's own step: the access has been made */
    expect_part("vCont;s:p66.1;c", "20:18000000;");
    expect("z2,4000e,8", "OK");
    expect("Z2,ffb00008,4", "OK");
    expect_part("c", "20:18000000;watch:ffb00008;");
    assert_string_equal(client.printed, "tile 1,2: 4 bytes at 0xffb00008 written by brisc at pc 0x14\n");
    expect("z2,ffb00008,4", "OK");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void there_and_back(void **state) {
    (void)state;
    start(&plain);
    expect("Hgp66.1", "OK");
    expect("Z0,1c,4", "OK");
    expect_part("c", "20:1c000000;");
    expect_part("c", "20:1c000000;");
    expect("p7", "01000000");
    expect_part("bs", "20:18000000;");
    expect("p7", "02000000");
    expect("m40010,4", "02000000");
    expect_part("bc", "20:1c000000;swbreak:;");
    expect("m40010,4", "01000000");
    expect_part("bc", "replaylog:begin;");
    assert_int_equal(pc(), 0);
    expect("m40010,4", "00000000");
    expect_part("bs", "replaylog:begin;");
    expect_part("c", "20:1c000000;");
    expect("z0,1c,4", "OK");
    expect("Z2,40010,4", "OK");
    expect_part("c", "watch:40010;");
    expect("m40010,4", "02000000");
    expect_part("bc", "20:10000000;watch:40010;"); /* before the write */
    expect("m40010,4", "01000000");
    expect_part("bs", "20:10000000;"); /* gdb's own step */
    expect_part("bs", "20:0c000000;");
    expect("z2,40010,4", "OK");
    expect_part("c", "T00");
    expect_part("bs", "20:20000000;"); /* the ebreak */
    expect_part("c", "T00");
    expect_part("c", "W00");
    assert_int_equal(end(), 0);
}

/* Cores that race are where they would be without gdb: after stops, steps, interrupts and ways back. */
static void nothing_changes(void **state) {
    char packet[40];
    (void)state;
    start(&racing);
    expect("Hgp66.1", "OK");
    expect("Z0,10,4", "OK");
    expect("Z2,40000,4", "OK");
    for (unsigned i = 0; i < 40; i++)
        expect_part("c", "T05");
    expect("z2,40000,4", "OK");
    for (unsigned i = 0; i < 40; i++) {
        snprintf(packet, sizeof packet, "vCont;s:p66.%u%s", i % 2 ? 1 : 5, i % 3 ? ";c" : "");
        expect_part(packet, "T05");
    }
    expect_part("bc", "T05");
    expect_part("bs", "T05");
    expect_part("c", "T05");
    expect("z0,10,4", "OK");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void values_can_be_changed(void **state) {
    (void)state;
    start(&changing);
    expect("Hgp66.1", "OK");
    expect("Z0,10,4", "OK");
    expect_part("c", "20:10000000;");
    expect("Pa=2a000000", "OK");
    expect("M40020,3:010203", "OK");
    expect("m40020,4", "01020300");
    expect("P0=01000000", "OK"); /* x0 stays zero */
    expect("p0", "00000000");
    expect("P20=14000000", "OK");
    expect_part("bs", "replaylog:begin;"); /* the past would be another one */
    assert_non_null(strstr(client.printed, "no history"));
    expect_part("c", "20:10000000;");
    expect("pa", "2b000000");
    expect("m40010,4", "00000000");
    expect("z0,10,4", "OK");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void control_c(void **state) {
    (void)state;
    start(&endless);
    expect("Hgp66.1", "OK");
    char bytes[40];
    send_raw(bytes, packet_make("vCont;c", 7, bytes));
    usleep(50000);
    send_raw("\3", 1);
    assert_non_null(strstr(answer(), "T02"));
    expect_part("vCont;s:p66.1;c", "T05");
    expect_part("bs", "T05");
    expect_part("D;66", "OK");
    assert_int_equal(end(), 0); /* the rest of the run, without gdb */
}

static void a_kill_ends_the_run(void **state) {
    char bytes[40];
    (void)state;
    start(&endless);
    send_raw(bytes, packet_make("k", 1, bytes));
    assert_int_equal(end(), 2);
    start(&endless);
    expect("vKill;66", "OK");
    assert_int_equal(end(), 2);
}

static void a_lost_connection_lets_it_run(void **state) {
    (void)state;
    start(&racing);
    expect("Z0,10,4", "OK");
    expect_part("c", "T05");
    assert_int_equal(end(), 0);
}

/* Reads up to the end of a connection. */
static void read_all(int fd, char *text, size_t size) {
    size_t used = 0;
    for (ssize_t got; used < size - 1 && (got = recv(fd, text + used, size - 1 - used, 0)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(fd);
}

/* Whether the first one is stopped or its chip runs, the second client is told at once and the run goes on. */
static void a_second_client_is_refused(void **state) {
    char text[200], bytes[40];
    (void)state;
    start(&racing);
    expect("qC", "QCp66.1");
    for (unsigned i = 0; i < 3; i++) {
        read_all(call(), text, sizeof text);
        assert_non_null(strstr(text, "$E.another gdb is connected"));
    }
    int gone = call(); /* one that leaves before it is told */
    close(gone);
    expect("qC", "QCp66.1");
    run_to_the_end();
    assert_int_equal(end(), 0);
    start(&endless);
    expect("qC", "QCp66.1");
    send_raw(bytes, packet_make("vCont;c", 7, bytes));
    read_all(call(), text, sizeof text);
    assert_non_null(strstr(text, "$E.another gdb is connected"));
    send_raw("\3", 1);
    assert_non_null(strstr(answer(), "T02"));
    expect("vKill;66", "OK");
    assert_int_equal(end(), 2);
}

/* A client that leaves in the middle of a packet, or says nothing at all. */
static void a_client_that_vanishes_lets_it_run(void **state) {
    (void)state;
    start(&racing);
    send_raw("$vCont;c", 8);
    assert_int_equal(end(), 0);
    start(&racing);
    assert_int_equal(end(), 0);
    start(&racing);
    send_raw("\xff\x00$#$$##}}", 10);
    assert_int_equal(end(), 0);
}

static void tiles_are_attached(void **state) {
    (void)state;
    start(&racing);
    expect("!", "OK");
    expect_part("Hgpca.1", "E");
    expect_part("vAttach;ca", "T05thread:pca.1;");
    expect("Hgpca.1", "OK");
    expect("Z0,1c,4", "OK");
    expect_part("vCont;c", "thread:pca.1;20:1c000000;");
    expect("z0,1c,4", "OK");
    expect("D;ca", "OK");
    expect_part("Tpca.1", "E");
    expect("Hgp66.1", "OK");
    run_to_the_end();
    assert_int_equal(end(), 0);
}

static void monitor(const char *command, const char *part) {
    char packet[200] = "qRcmd,";
    packet_hex(packet + 6, command, strlen(command));
    expect(packet, "OK");
    if (!strstr(client.printed, part))
        fail_msg("monitor %s: '%s' does not say '%s'", command, client.printed, part);
}

static void monitor_commands(void **state) {
    (void)state;
    start(&plain);
    monitor("help", "semaphores");
    monitor("", "semaphores");
    monitor("threads", "T2  idle");
    monitor("gates", "T0  no wait is latched");
    monitor("why", "nothing waits");
    monitor("lreg 11", "lane 24");
    monitor("lreg 17", "must be a number up to 16");
    monitor("dst 5 2", "\n   6  0000");
    monitor("src a", "SrcA bank 0");
    monitor("src", "a or b?");
    monitor("semaphores", "semaphore 7 is 0 of at most");
    monitor("gpr 2", "00000000 00000000");
    monitor("counters", "T1  dst 0");
    monitor("config ALU_FORMAT_SPEC*", "bank 1 0x0");
    monitor("config NOSUCH", "no field is called 'NOSUCH'");
    monitor("code 0 3", "lui");
    monitor("time", "chip   cycle 0");
    monitor("history", "1 snapshots");
    monitor("thread", "did you mean 'threads'");
    monitor("trace", "on, on FILE or off?");
    monitor("trace on /nowhere/file", "cannot write");
    monitor("trace on", "shown");
    expect("Z0,20,4", "OK");
    expect_part("c", "swbreak");
    expect("z0,20,4", "OK");
    expect_part("c", "T00");
    assert_non_null(strstr(client.printed, "1,2 brisc"));
    expect_part("c", "W00");
    assert_int_equal(end(), 0);
}

static void ports(void **state) {
    static const char *const bad[] = { "", "x", "65536", "-1", "1x", "fd:" };
    const struct gdb_owner owner = { 0 };
    char message[200];
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(gdb_open(bad[i], &owner, message, sizeof message));
        assert_non_null(strstr(message, "a port must be a number"));
    }
    assert_null(gdb_open("fd:60000", &owner, message, sizeof message));
    assert_non_null(strstr(message, "'fd:60000' is no socket"));
    int listener = gdb_listen(0, &port);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK); /* no other host can call */
    char text[20];
    snprintf(text, sizeof text, "%u", port);
    assert_null(gdb_open(text, &owner, message, sizeof message));
    assert_non_null(strstr(message, "cannot listen on port"));
    close(listener);
    struct gdb *gdb = gdb_open("0", &owner, message, sizeof message);
    assert_non_null(gdb);
    gdb_close(gdb, 0);
    gdb_close(NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_it_can),
        cmocka_unit_test(mistakes_are_answered),
        cmocka_unit_test(bytes_that_are_no_packets),
        cmocka_unit_test(breakpoints_and_steps),
        cmocka_unit_test(watchpoints),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(nothing_changes),
        cmocka_unit_test(values_can_be_changed),
        cmocka_unit_test(control_c),
        cmocka_unit_test(a_kill_ends_the_run),
        cmocka_unit_test(a_lost_connection_lets_it_run),
        cmocka_unit_test(a_second_client_is_refused),
        cmocka_unit_test(a_client_that_vanishes_lets_it_run),
        cmocka_unit_test(tiles_are_attached),
        cmocka_unit_test(monitor_commands),
        cmocka_unit_test(ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
