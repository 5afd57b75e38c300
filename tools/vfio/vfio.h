/* A server for vfio-user, by which a virtual machine sees a chip as a PCI device (docs/virtual-machines.md).
 *
 *     link.c      the socket: messages with file descriptors
 *     device.c    the chip as a device
 *     memory.c    the client's memory, which the chip reaches over PCI Express
 *     requests.c  answers to the client's commands
 *     serve.c     receives commands, and lets the chip run while none comes
 *
 * The server is single-threaded: a command is answered between two runs of the chip. */
#ifndef TOOLS_VFIO_VFIO_H
#define TOOLS_VFIO_VFIO_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "vfio/wire.h"

/* Configuration space: its size, and where the three pairs of BARs begin and end. */
enum { VFIO_CONFIG_SIZE = 4096, VFIO_CONFIG_BARS = 0x10, VFIO_CONFIG_BARS_END = 0x28 };

/* Part of the client's memory. bytes: where it is mapped here, or NULL if the client does not share it. */
struct vfio_memory {
    uint64_t address, size;
    uint8_t *bytes;
    bool writable;
    volatile sig_atomic_t lost_pages; /* the client's file has become shorter: an access has found a page missing */
};

struct vfio_device {
    bh_chip *chip;
    uint64_t region_size[VFIO_REGIONS];
    bh_snapshot *origin;        /* what a reset of the device restores; NULL: the power-on state */
    uint64_t cycles_per_access; /* the chip runs for this many cycles before each access of the client */
    struct vfio_memory *memory;
    size_t memory_count;
    bool has_version; /* the client has said its version of the protocol */
    unsigned warnings;
    void (*warn)(const char *text); /* prints a line for the user */
};

/* A command of the client, and the reply, whose body is as long as reply_size says. */
struct vfio_message {
    struct vfio_header header;
    uint32_t size; /* of the body */
    int descriptor[VFIO_DESCRIPTORS_MAX];
    unsigned descriptors;
    uint8_t body[VFIO_MESSAGE_MAX];
};

/* device.c: makes this chip the device. */
void vfio_attach(struct vfio_device *device, bh_chip *chip);
/* Lets the chip run for this many cycles, with flags of bh_run. Returns whether it has done so. */
bool vfio_run(struct vfio_device *device, uint64_t cycles, unsigned flags);
/* Resets the device. Returns 0, or a number of errno.h. */
int vfio_reset(struct vfio_device *device);
/* Reports something to the user, unless that has been done very often. */
void vfio_warn(struct vfio_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* memory.c: lets the chip that will be made with this configuration use the client's memory. */
void vfio_configure(struct vfio_device *device, struct bh_config *config);
/* Lets accesses to memory that the client has taken away read ones and write nothing, instead of ending the process.
 * For one device in a process. */
void vfio_guard(struct vfio_device *device);
/* Answers to VFIO_DMA_MAP and VFIO_DMA_UNMAP: 0, or a number of errno.h. descriptor: -1 if there is none. The caller
 * closes it. */
int vfio_map(struct vfio_device *device, const struct vfio_dma_map *map, int descriptor);
int vfio_unmap(struct vfio_device *device, const struct vfio_dma_unmap *unmap);
/* Forgets the client's memory. The chip keeps its state. */
void vfio_forget_client(struct vfio_device *device);

/* requests.c: answers a command: replaces the message by its reply. Takes the file descriptors over. */
void vfio_answer(struct vfio_device *device, struct vfio_message *message);

/* link.c: listens at a path of the file system. Returns a socket, or -1 with errno. */
int vfio_listen(const char *path);
/* Receives a command, and waits for it. Returns 1; 0 if the client has closed the connection; -1, and sets *why, if the
 * connection is of no more use. */
int vfio_receive(int socket, struct vfio_message *message, const char **why);
/* Closes the file descriptors that have come with a message. */
void vfio_close_descriptors(struct vfio_message *message);
/* Sends a message. Returns false if the client is gone. */
bool vfio_send(int socket, const struct vfio_message *message);

/* serve.c: returns whether a socket has something to read. Waits for it if told so, but not for ever, since a signal
 * may come just before the wait. */
bool vfio_is_called(int socket, bool wait);
/* Serves a client until it disconnects, or *stop becomes true. Returns false, and sets *why, if the connection
 * has failed. */
bool vfio_serve(struct vfio_device *device, int socket, const volatile sig_atomic_t *stop, const char **why);

#endif
