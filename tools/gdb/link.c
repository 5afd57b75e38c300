/* The connection to gdb: a socket of this host (see session.h). */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gdb/session.h"

/* ---- Life ------------------------------------------------------------------------------------------------- */

static bool is_ready(int fd) {
    struct pollfd one = { .fd = fd, .events = POLLIN };
    return fd >= 0 && poll(&one, 1, 0) > 0;
}

bool link_is_called(const struct gdb *gdb) {
    return gdb->fd < 0 && is_ready(gdb->listener);
}

bool link_has_input(const struct gdb *gdb) {
    return is_ready(gdb->fd);
}

bool link_accept(struct gdb *gdb) {
    int one = 1;
    do
        gdb->fd = accept(gdb->listener, NULL, NULL);
    while (gdb->fd < 0 && errno == EINTR);
    if (gdb->fd < 0)
        return false;
    (void)setsockopt(gdb->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    memset(&gdb->in, 0, sizeof gdb->in);
    gdb->no_ack = gdb->extended = false;
    return true;
}

void link_close(struct gdb *gdb) {
    if (gdb->fd >= 0)
        (void)close(gdb->fd);
    gdb->fd = -1;
    free(gdb->last);
    gdb->last = NULL;
    gdb->last_size = 0;
}

/* ---- Sending ---------------------------------------------------------------------------------------------- */

/* A connection that fails is noticed when the next packet is received. */
static void send_all(struct gdb *gdb, const char *bytes, size_t size) {
    while (size && gdb->fd >= 0) {
        ssize_t sent = send(gdb->fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return;
        bytes += sent;
        size -= (size_t)sent;
    }
}

void link_send(struct gdb *gdb, const char *data, size_t size) {
    char *packet = malloc(2 * size + 4);
    if (!packet) {
        send_all(gdb, "$E0c#d8", 7);
        return;
    }
    free(gdb->last);
    gdb->last = packet;
    gdb->last_size = packet_make(data, size, packet);
    send_all(gdb, gdb->last, gdb->last_size);
}

void link_say(struct gdb *gdb, const char *text) {
    link_send(gdb, text, strlen(text));
}

void link_print(struct gdb *gdb, const char *format, ...) {
    char text[2000], packet[2 * sizeof text + 2] = "O";
    va_list list;
    if (gdb->fd < 0)
        return;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    packet_hex(packet + 1, text, size);
    link_say(gdb, packet);
}

/* ---- Receiving -------------------------------------------------------------------------------------------- */

static bool take_byte(struct gdb *gdb, uint8_t *byte) {
    ssize_t count;
    do
        count = recv(gdb->fd, byte, 1, 0);
    while (count < 0 && errno == EINTR);
    return count == 1;
}

/* Bytes come one by one: the kernel has them already, and nothing here is fast. */
enum packet_result link_receive(struct gdb *gdb) {
    uint8_t byte;
    while (gdb->fd >= 0 && take_byte(gdb, &byte)) {
        enum packet_result result = packet_take(&gdb->in, byte);
        switch (result) {
        case PACKET_MORE: break;
        case PACKET_BAD: send_all(gdb, "-", gdb->no_ack ? 0 : 1); break;
        case PACKET_REPEAT:
            if (!gdb->no_ack)
                send_all(gdb, gdb->last, gdb->last_size);
            break;
        case PACKET_READY: send_all(gdb, "+", gdb->no_ack ? 0 : 1); return result;
        case PACKET_INTERRUPT: return result;
        }
    }
    return PACKET_BAD;
}
