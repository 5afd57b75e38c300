/* Messages of vfio-user: what is in them, as they stand on the socket.
 *
 * Source: docs/interop/vfio-user.rst of QEMU; numbers of regions and interrupts as in Linux's vfio.h. */
#ifndef TOOLS_VFIO_WIRE_H
#define TOOLS_VFIO_WIRE_H

#include <stdint.h>

enum vfio_command {
    VFIO_VERSION = 1,
    VFIO_DMA_MAP = 2,
    VFIO_DMA_UNMAP = 3,
    VFIO_GET_INFO = 4,
    VFIO_GET_REGION_INFO = 5,
    VFIO_GET_IRQ_INFO = 7,
    VFIO_SET_IRQS = 8,
    VFIO_REGION_READ = 9,
    VFIO_REGION_WRITE = 10,
    VFIO_RESET = 13,
};

enum {
    VFIO_TYPE = 0xF,          /* of vfio_header.flags: 0 for a command, 1 for a reply */
    VFIO_REPLY = 1,           /* type */
    VFIO_NO_REPLY = 1 << 4,   /* of a command: nobody waits for the reply */
    VFIO_ERROR = 1 << 5,      /* of a reply: error has a number of errno.h */
    VFIO_MAJOR = 0,           /* version of the protocol */
    VFIO_MINOR = 0,           /* lowest minor version, which every client accepts */
    VFIO_DATA_MAX = 1 << 20,  /* most bytes of data in a message */
    VFIO_DESCRIPTORS_MAX = 8, /* most file descriptors that come with a message */
    VFIO_MESSAGE_MAX = VFIO_DATA_MAX + 64,
};

/* Regions of a PCI device: BARs 0 to 5, ROM, configuration space, VGA. */
enum { VFIO_BARS = 6, VFIO_REGION_CONFIG = 7, VFIO_REGIONS = 9 };
/* Kinds of interrupts of a PCI device. This device has none of any kind. */
enum { VFIO_IRQS = 5 };

struct vfio_header {
    uint16_t id, command;
    uint32_t size; /* of the whole message */
    uint32_t flags, error;
};

struct vfio_version {
    uint16_t major, minor; /* then a text in JSON, with its terminating zero */
};

struct vfio_dma_map {
    uint32_t argsz, flags;
    uint64_t offset, address, size; /* offset: in the file whose descriptor comes with the message */
};
enum { VFIO_MAP_READABLE = 1, VFIO_MAP_WRITABLE = 2 };

struct vfio_dma_unmap {
    uint32_t argsz, flags;
    uint64_t address, size;
};

struct vfio_info {
    uint32_t argsz, flags, regions, irqs;
};
enum { VFIO_INFO_RESETS = 1, VFIO_INFO_PCI = 2 };

struct vfio_region_info {
    uint32_t argsz, flags, index, cap_offset;
    uint64_t size, offset;
};
enum { VFIO_REGION_READABLE = 1, VFIO_REGION_WRITABLE = 2 };

struct vfio_irq_info {
    uint32_t argsz, flags, index, count;
};

struct vfio_irq_set {
    uint32_t argsz, flags, index, start, count;
};

struct vfio_access {
    uint64_t offset;
    uint32_t region, count; /* then the data of a write, or of the reply to a read */
};

#endif
