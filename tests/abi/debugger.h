/* A debugger of a session, which another process plays: packets of gdb's remote protocol. */
#ifndef TESTS_ABI_DEBUGGER_H
#define TESTS_ABI_DEBUGGER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static int connection;

static inline void send_packet(const char *data) {
    char text[200];
    unsigned sum = 0;
    for (const char *c = data; *c; c++)
        sum += (unsigned char)*c;
    int length = snprintf(text, sizeof text, "$%s#%02x", data, sum & 0xFF);
    if (write(connection, text, (size_t)length) != length)
        _exit(80);
}

/* Reads a packet, but no text for the console. */
static inline void read_packet(char *text, size_t size) {
    do {
        size_t count = 0;
        char c = 0, sum[2];
        while (c != '$')
            if (read(connection, &c, 1) != 1)
                _exit(81);
        while (read(connection, &c, 1) == 1 && c != '#' && count + 1 < size)
            text[count++] = c;
        text[count] = '\0';
        if (read(connection, &sum[0], 1) != 1 || read(connection, &sum[1], 1) != 1)
            _exit(82);
    } while (text[0] == 'O' && strcmp(text, "OK") != 0);
}

static inline void expect(const char *packet, const char *part) {
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
static inline pid_t start_debugger(void (*talk)(void)) {
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
    connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        _exit(84);
    talk();
    close(connection);
    _exit(0);
}

static inline int end_debugger(pid_t child) {
    int status;
    close(listener);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs a session in a child, under a debugger. Returns the status of the child. */
static inline int debug_session(void (*talk)(void), void (*session)(const struct ttsim *)) {
    char text[4000], variable[40];
    pid_t debugger = start_debugger(talk);
    snprintf(variable, sizeof variable, "BHEMU_GDB=fd:%d", listener);
    int status = in_child(session, 2, variable, text, sizeof text);
    assert_int_equal(end_debugger(debugger), 0);
    return status;
}

#endif
