/* The client's memory, which the chip reaches over PCI Express: see vfio.h.
 *
 * Addresses are those of the bus: behind the device's iATU, before an IOMMU of the virtual machine (whose mappings the
 * client announces as they change). */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vfio/vfio.h"

/* ---- Mapping -------------------------------------------------------------------------------------- */

static bool overlaps(const struct vfio_memory *memory, uint64_t address, uint64_t size) {
    return address < memory->address + memory->size && memory->address < address + size;
}

/* Returns whether the file has all of these bytes: an access beyond its end would end the process. */
static bool can_map(int descriptor, uint64_t offset, uint64_t size) {
    struct stat file;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return size <= INT64_MAX && offset <= INT64_MAX - size && offset % page == 0 && fstat(descriptor, &file) == 0 &&
           offset + size <= (uint64_t)file.st_size;
}

int vfio_map(struct vfio_device *device, const struct vfio_dma_map *map, int descriptor) {
    struct vfio_memory memory = { .address = map->address,
                                  .size = map->size,
                                  .writable = map->flags & VFIO_MAP_WRITABLE };
    if (!map->size || map->size > UINT64_MAX - map->address || !(map->flags & VFIO_MAP_READABLE))
        return EINVAL;
    for (size_t i = 0; i < device->memory_count; i++)
        if (overlaps(&device->memory[i], map->address, map->size))
            return EEXIST;
    struct vfio_memory *all = realloc(device->memory, (device->memory_count + 1) * sizeof *all);
    if (!all)
        return ENOMEM;
    device->memory = all;
    if (descriptor >= 0) {
        int rights = PROT_READ | (memory.writable ? PROT_WRITE : 0);
        void *bytes = can_map(descriptor, map->offset, map->size)
                          ? mmap(NULL, (size_t)map->size, rights, MAP_SHARED, descriptor, (off_t)map->offset)
                          : MAP_FAILED;
        if (bytes == MAP_FAILED)
            return EINVAL;
        memory.bytes = bytes;
    }
    all[device->memory_count++] = memory;
    return 0;
}

static void release(const struct vfio_memory *memory) {
    if (memory->bytes)
        (void)munmap(memory->bytes, (size_t)memory->size);
}

int vfio_unmap(struct vfio_device *device, const struct vfio_dma_unmap *unmap) {
    for (size_t i = 0; i < device->memory_count; i++) {
        if (device->memory[i].address != unmap->address || device->memory[i].size != unmap->size)
            continue;
        release(&device->memory[i]);
        device->memory[i] = device->memory[--device->memory_count];
        return 0;
    }
    return ENOENT;
}

void vfio_forget_client(struct vfio_device *device) {
    for (size_t i = 0; i < device->memory_count; i++)
        release(&device->memory[i]);
    free(device->memory);
    device->memory = NULL;
    device->memory_count = 0;
    device->has_version = false;
}

/* ---- Memory that is gone --------------------------------------------------------------------------
 *
 * A client can shorten the file of its memory at any time. An access beyond the end of a mapped file raises SIGBUS. */

static struct vfio_device *guarded; /* for the handler of the signal */

static struct vfio_memory *find_mapped(struct vfio_device *device, const uint8_t *at) {
    for (size_t i = 0; i < device->memory_count; i++)
        if (device->memory[i].bytes && (uintptr_t)at - (uintptr_t)device->memory[i].bytes < device->memory[i].size)
            return &device->memory[i];
    return NULL;
}

/* Puts a page of ones where the client's page was; the access is then repeated. Any other access ends the process: it
 * is repeated, too, and raises the signal again, which has its default action by then. */
static void on_missing_page(int number, siginfo_t *info, void *context) {
    (void)context;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & ~(uintptr_t)(size - 1));
    struct vfio_memory *memory = find_mapped(guarded, page);
    if (!memory || mmap(page, size, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != page) {
        (void)signal(number, SIG_DFL);
        return;
    }
    memset(page, 0xFF, size);
    memory->lost_pages = true;
}

void vfio_guard(struct vfio_device *device) {
    struct sigaction action = { .sa_sigaction = on_missing_page, .sa_flags = SA_SIGINFO };
    sigemptyset(&action.sa_mask);
    guarded = device;
    (void)sigaction(SIGBUS, &action, NULL);
}

/* Reports an access to a page that was gone. */
static void report_lost(struct vfio_device *device) {
    for (size_t i = 0; i < device->memory_count; i++) {
        if (device->memory[i].lost_pages)
            vfio_warn(device, "DMA: the memory that the virtual machine shares at 0x%llx has become smaller",
                      (unsigned long long)device->memory[i].address);
        device->memory[i].lost_pages = false;
    }
}

/* ---- Access --------------------------------------------------------------------------------------- */

static const struct vfio_memory *find(const struct vfio_device *device, uint64_t address) {
    for (size_t i = 0; i < device->memory_count; i++)
        if (address - device->memory[i].address < device->memory[i].size)
            return &device->memory[i];
    return NULL;
}

/* Returns where the bytes from this address on are, and sets *run to the number of those that follow each other; NULL
 * if the chip cannot access them. */
static uint8_t *locate(struct vfio_device *device, uint64_t address, bool write, size_t size, size_t *run) {
    const struct vfio_memory *memory = find(device, address);
    const char *why = !memory                      ? "is no memory of the virtual machine"
                      : !memory->bytes             ? "is in memory that the virtual machine does not share (share=on)"
                      : write && !memory->writable ? "is in memory that may only be read"
                                                   : NULL;
    *run = size;
    if (why) {
        vfio_warn(device, "DMA: address 0x%llx, %s, %s", (unsigned long long)address, write ? "written" : "read", why);
        return NULL;
    }
    uint64_t at = address - memory->address, left = memory->size - at;
    *run = left < size ? (size_t)left : size;
    return memory->bytes + at;
}

/* What cannot be read is all ones, as on a bus without a responder. */
static void host_read(void *user, uint64_t address, void *data, size_t size) {
    for (size_t run; size; address += run, data = (char *)data + run, size -= run) {
        const uint8_t *bytes = locate(user, address, false, size, &run);
        if (bytes)
            memcpy(data, bytes, run);
        else
            memset(data, 0xFF, run);
    }
    report_lost(user);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    for (size_t run; size; address += run, data = (const char *)data + run, size -= run) {
        uint8_t *bytes = locate(user, address, true, size, &run);
        if (bytes)
            memcpy(bytes, data, run);
    }
    report_lost(user);
}

void vfio_configure(struct vfio_device *device, struct bh_config *config) {
    config->host_read = host_read;
    config->host_write = host_write;
    config->user = device;
}
