/* The socket of vfio-user: see vfio.h. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vfio/vfio.h"

_Static_assert(sizeof(struct vfio_header) == 16, "as on the socket");

int vfio_listen(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        return fd;
    int why = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = why;
    return -1;
}

/* Keeps the file descriptors that have come, and closes those for which there is no room. */
static void keep_descriptors(struct vfio_message *message, struct msghdr *from) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(from); part; part = CMSG_NXTHDR(from, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            if (message->descriptors < VFIO_DESCRIPTORS_MAX)
                message->descriptor[message->descriptors++] = fd;
            else
                (void)close(fd);
        }
    }
}

/* Receives all of these bytes. Returns their number, or less at the end of the connection and after Ctrl-C, since a
 * client that stands in the middle of a message may never go on. */
static size_t receive(int socket, struct vfio_message *message, void *bytes, size_t size) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(VFIO_DESCRIPTORS_MAX * sizeof(int))];
    } control;
    size_t at = 0;
    while (at < size) {
        struct iovec part = { (char *)bytes + at, size - at };
        struct msghdr header = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
        };
        ssize_t count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
        if (count <= 0)
            break;
        keep_descriptors(message, &header);
        at += (size_t)count;
    }
    return at;
}

int vfio_receive(int socket, struct vfio_message *message, const char **why) {
    struct vfio_header *header = &message->header;
    message->descriptors = 0;
    size_t got = receive(socket, message, header, sizeof *header);
    if (!got)
        return 0;
    *why = "the connection ended within a message";
    bool whole = got == sizeof *header;
    if (whole)
        *why = "a message has an impossible size";
    if (!whole || header->size < sizeof *header || header->size - sizeof *header > sizeof message->body) {
        vfio_close_descriptors(message);
        return -1;
    }
    message->size = header->size - (uint32_t)sizeof *header;
    *why = "the connection ended within a message";
    if (receive(socket, message, message->body, message->size) == message->size)
        return 1;
    vfio_close_descriptors(message);
    return -1;
}

void vfio_close_descriptors(struct vfio_message *message) {
    while (message->descriptors)
        (void)close(message->descriptor[--message->descriptors]);
}

bool vfio_send(int socket, const struct vfio_message *message) {
    struct iovec part[2] = { { (void *)(uintptr_t)&message->header, sizeof message->header },
                             { (void *)(uintptr_t)message->body, message->size } };
    struct msghdr header = { .msg_iov = part, .msg_iovlen = 2 };
    while (part[0].iov_len + part[1].iov_len) {
        ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
        if (sent < 0)
            return false;
        for (unsigned i = 0; i < 2; i++) {
            size_t some = (size_t)sent < part[i].iov_len ? (size_t)sent : part[i].iov_len;
            part[i].iov_base = (char *)part[i].iov_base + some;
            part[i].iov_len -= some;
            sent -= (ssize_t)some;
        }
    }
    return true;
}
