/* Serves a vfio-user client, and lets the chip run meanwhile: see vfio.h. */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "vfio/vfio.h"

/* The chip runs this many cycles at a time, which is short enough for a client that waits for an answer. */
enum { SLICE = 20000 };

bool vfio_is_called(int socket, bool wait) {
    enum { MILLISECONDS = 500 };
    struct pollfd one = { .fd = socket, .events = POLLIN };
    return poll(&one, 1, wait ? MILLISECONDS : 0) > 0;
}

/* Receives a command. Returns as vfio_receive does. The server sends no commands, so no reply can come. */
static int receive(int socket, struct vfio_message *message, const char **why) {
    int got = vfio_receive(socket, message, why);
    if (got <= 0 || (message->header.flags & VFIO_TYPE) == 0)
        return got;
    *why = "the client sends a reply to no command";
    vfio_close_descriptors(message);
    return -1;
}

static bool serve(struct vfio_device *device, int socket, struct vfio_message *message,
                  const volatile sig_atomic_t *stop, const char **why) {
    bool busy = true;
    while (!*stop) {
        if (!vfio_is_called(socket, !busy)) {
            busy = busy && vfio_run(device, SLICE, BH_RUN_STOP_ON_IDLE);
            continue;
        }
        int got = receive(socket, message, why);
        if (got <= 0)
            return got == 0;
        bool waits = !(message->header.flags & VFIO_NO_REPLY);
        vfio_answer(device, message);
        if (waits && !vfio_send(socket, message))
            return true; /* the client is gone */
        busy = true;
    }
    return true;
}

bool vfio_serve(struct vfio_device *device, int socket, const volatile sig_atomic_t *stop, const char **why) {
    struct vfio_message *message = malloc(sizeof *message);
    *why = "out of memory";
    bool good = message && serve(device, socket, message, stop, why);
    free(message);
    vfio_forget_client(device);
    return good;
}
