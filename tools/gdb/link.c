/* The connection to gdb: a TCP socket on this host (see session.h). */
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

/* ---- Connecting ------------------------------------------------------------------------------------------- */

static bool is_ready(int fd) {
    struct pollfd one = { .fd = fd, .events = POLLIN };
    return fd >= 0 && poll(&one, 1, 0) > 0;
}

bool link_is_called(const struct gdb *gdb) {
    return gdb->fd < 0 && is_ready(gdb->listener);
}

/* Waits a moment for bytes, and discards them. */
static void discard(int fd) {
    enum { MOMENT = 100 }; /* milliseconds */
    char bytes[1024];
    struct pollfd one = { .fd = fd, .events = POLLIN };
    if (poll(&one, 1, MOMENT) > 0) {
        ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        (void)count;
    }
}

/* Tells another client that gdb is connected already. Returns false if the listening socket has failed. */
static bool refuse_another(const struct gdb *gdb) {
    static const char text[] = "E.another gdb is connected to this run";
    char packet[2 * sizeof text + 4];
    int other = accept(gdb->listener, NULL, NULL);
    if (other < 0)
        return errno == EINTR || errno == ECONNABORTED;
    discard(other); /* closing a connection with unread bytes would discard the reply */
    ssize_t sent = send(other, packet, packet_make(text, sizeof text - 1, packet), MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent; /* the client may have disconnected, and needs no reply then */
    (void)shutdown(other, SHUT_WR);
    discard(other);
    (void)close(other);
    return true;
}

bool link_has_input(const struct gdb *gdb) {
    if (gdb->fd >= 0 && is_ready(gdb->listener))
        (void)refuse_another(gdb);
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

/* Sends bytes. A failed connection is noticed when the next packet is received. */
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

/* Waits for bytes from gdb, and refuses other clients meanwhile. */
static void wait_for_bytes(const struct gdb *gdb) {
    struct pollfd both[2] = { { .fd = gdb->fd, .events = POLLIN }, { .fd = gdb->listener, .events = POLLIN } };
    while (!both[0].revents) {
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            return;
        if (both[1].revents && !refuse_another(gdb))
            both[1].fd = -1;
    }
}

static bool take_byte(const struct gdb *gdb, uint8_t *byte) {
    for (;;) {
        ssize_t count = recv(gdb->fd, byte, 1, MSG_DONTWAIT);
        if (count >= 0)
            return count == 1;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            wait_for_bytes(gdb);
        else if (errno != EINTR)
            return false;
    }
}

/* Reads byte by byte, which is fast enough: the kernel buffers the bytes. */
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
