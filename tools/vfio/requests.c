/* Answers to the commands of a vfio-user client: see vfio.h. */
#include <errno.h>
#include <string.h>

#include "vfio/vfio.h"

enum {
    CONFIG_TIMER = 0x930, /* control of the interface timer */
    BAR_PREFETCHABLE = 8,
    TIMER_FORCE = 1 << 4,
};

static uint64_t region_size(const struct vfio_device *device, uint32_t region) {
    return region < VFIO_REGIONS ? device->region_size[region] : 0;
}

/* ---- Configuration space --------------------------------------------------------------------------- */

/* BARs are prefetchable, as those of cards: otherwise they would not fit behind a bridge. */
static uint32_t config_word(const struct vfio_device *device, uint32_t offset) {
    uint32_t word = 0;
    (void)bh_pci_config_read(device->chip, offset, &word);
    bool low_of_bar = offset >= VFIO_CONFIG_BARS && offset < VFIO_CONFIG_BARS_END && offset % 8 == 0;
    return low_of_bar ? word | BAR_PREFETCHABLE : word;
}

static void read_config(const struct vfio_device *device, uint32_t offset, uint8_t *data, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        data[i] = (uint8_t)(config_word(device, (offset + i) & ~3u) >> (offset + i) % 4 * 8);
}

/* Drivers reset the chip by forcing an interrupt of its interface timer, which ARC answers with a reset. */
static bool is_reset(uint32_t offset, uint32_t value) {
    return offset == CONFIG_TIMER && (value & TIMER_FORCE);
}

/* Writes the bytes one word at a time. Bytes of a word that are not written keep their values. */
static int write_config(struct vfio_device *device, uint32_t offset, const uint8_t *data, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        uint32_t at = (offset + i) & ~3u, word = 0;
        (void)bh_pci_config_read(device->chip, at, &word);
        for (; i < count && ((offset + i) & ~3u) == at; i++) {
            unsigned shift = (offset + i) % 4 * 8;
            word = (word & ~(UINT32_C(0xFF) << shift)) | (uint32_t)data[i] << shift;
        }
        (void)bh_pci_config_write(device->chip, at, word);
        if (is_reset(at, word))
            return vfio_reset(device);
    }
    return 0;
}

/* ---- Accesses --------------------------------------------------------------------------------------- */

static bool is_inside(const struct vfio_device *device, const struct vfio_access *access) {
    uint64_t size = region_size(device, access->region);
    return access->count <= VFIO_DATA_MAX && access->offset <= size && access->count <= size - access->offset;
}

/* Time passes for a driver that polls. */
static void let_time_pass(struct vfio_device *device) {
    (void)vfio_run(device, device->cycles_per_access, 0);
}

/* An access that the chip refuses reads as ones, as on a bus without a responder. */
static void read_bar(struct vfio_device *device, const struct vfio_access *access, uint8_t *data) {
    if (bh_bar_read(device->chip, access->region, access->offset, data, access->count) == BH_OK)
        return;
    vfio_warn(device, "BAR %u + 0x%llx, %u bytes, read: %s", access->region, (unsigned long long)access->offset,
              access->count, bh_message(device->chip));
    memset(data, 0xFF, access->count);
}

static void write_bar(struct vfio_device *device, const struct vfio_access *access, const uint8_t *data) {
    if (bh_bar_write(device->chip, access->region, access->offset, data, access->count) != BH_OK)
        vfio_warn(device, "BAR %u + 0x%llx, %u bytes, written: %s", access->region, (unsigned long long)access->offset,
                  access->count, bh_message(device->chip));
}

static int answer_read(struct vfio_device *device, struct vfio_message *message) {
    struct vfio_access access;
    uint8_t *data = message->body + sizeof access;
    memcpy(&access, message->body, sizeof access);
    if (!is_inside(device, &access))
        return EINVAL;
    let_time_pass(device);
    if (access.region == VFIO_REGION_CONFIG)
        read_config(device, (uint32_t)access.offset, data, access.count);
    else
        read_bar(device, &access, data);
    message->size = (uint32_t)sizeof access + access.count;
    return 0;
}

static int answer_write(struct vfio_device *device, struct vfio_message *message) {
    struct vfio_access access;
    const uint8_t *data = message->body + sizeof access;
    memcpy(&access, message->body, sizeof access);
    if (!is_inside(device, &access) || message->size - sizeof access != access.count)
        return EINVAL;
    let_time_pass(device);
    message->size = sizeof access;
    if (access.region == VFIO_REGION_CONFIG)
        return write_config(device, (uint32_t)access.offset, data, access.count);
    write_bar(device, &access, data);
    return 0;
}

/* ---- Descriptions ------------------------------------------------------------------------------------- */

static int answer_version(struct vfio_device *device, struct vfio_message *message) {
    static const char capabilities[] = "{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576}}";
    struct vfio_version version;
    memcpy(&version, message->body, sizeof version);
    if (version.major != VFIO_MAJOR)
        return EINVAL;
    version.minor = VFIO_MINOR;
    memcpy(message->body, &version, sizeof version);
    memcpy(message->body + sizeof version, capabilities, sizeof capabilities);
    message->size = sizeof version + sizeof capabilities;
    device->has_version = true;
    return 0;
}

static int answer_info(struct vfio_message *message) {
    const struct vfio_info info = { sizeof info, VFIO_INFO_RESETS | VFIO_INFO_PCI, VFIO_REGIONS, VFIO_IRQS };
    memcpy(message->body, &info, message->size = sizeof info);
    return 0;
}

static int answer_region_info(const struct vfio_device *device, struct vfio_message *message) {
    struct vfio_region_info info;
    memcpy(&info, message->body, sizeof info);
    if (info.index >= VFIO_REGIONS)
        return EINVAL;
    uint64_t size = region_size(device, info.index);
    info = (struct vfio_region_info){ .argsz = sizeof info,
                                      .flags = size ? VFIO_REGION_READABLE | VFIO_REGION_WRITABLE : 0,
                                      .index = info.index,
                                      .size = size };
    memcpy(message->body, &info, message->size = sizeof info);
    return 0;
}

static int answer_irq_info(struct vfio_message *message) {
    struct vfio_irq_info info;
    memcpy(&info, message->body, sizeof info);
    if (info.index >= VFIO_IRQS)
        return EINVAL;
    info = (struct vfio_irq_info){ .argsz = sizeof info, .index = info.index };
    memcpy(message->body, &info, message->size = sizeof info);
    return 0;
}

/* There are no interrupts to set: only commands that name none are accepted. */
static int answer_set_irqs(struct vfio_message *message) {
    struct vfio_irq_set set;
    memcpy(&set, message->body, sizeof set);
    message->size = 0;
    return set.index < VFIO_IRQS && !set.start && !set.count ? 0 : EINVAL;
}

/* ---- Memory ------------------------------------------------------------------------------------------- */

static int answer_map(struct vfio_device *device, struct vfio_message *message) {
    struct vfio_dma_map map;
    memcpy(&map, message->body, sizeof map);
    message->size = 0;
    return vfio_map(device, &map, message->descriptors ? message->descriptor[0] : -1);
}

static int answer_unmap(struct vfio_device *device, struct vfio_message *message) {
    struct vfio_dma_unmap unmap;
    memcpy(&unmap, message->body, sizeof unmap);
    message->size = sizeof unmap;
    return vfio_unmap(device, &unmap);
}

/* ---- All ------------------------------------------------------------------------------------------------ */

/* Returns the least size of a command's body, or UINT32_MAX if there is no such command. */
static uint32_t least_size(unsigned command) {
    switch (command) {
    case VFIO_VERSION: return sizeof(struct vfio_version);
    case VFIO_DMA_MAP: return sizeof(struct vfio_dma_map);
    case VFIO_DMA_UNMAP: return sizeof(struct vfio_dma_unmap);
    case VFIO_GET_INFO: return sizeof(struct vfio_info);
    case VFIO_GET_REGION_INFO: return sizeof(struct vfio_region_info);
    case VFIO_GET_IRQ_INFO: return sizeof(struct vfio_irq_info);
    case VFIO_SET_IRQS: return sizeof(struct vfio_irq_set);
    case VFIO_REGION_READ:
    case VFIO_REGION_WRITE: return sizeof(struct vfio_access);
    case VFIO_RESET: return 0;
    default: return UINT32_MAX;
    }
}

/* Replaces the body by that of the reply. Returns 0, or a number of errno.h. */
static int answer(struct vfio_device *device, struct vfio_message *message) {
    unsigned command = message->header.command;
    uint32_t least = least_size(command);
    if (least == UINT32_MAX)
        return ENOTSUP;
    if (message->size < least || (!device->has_version && command != VFIO_VERSION))
        return EINVAL;
    switch (command) {
    case VFIO_VERSION: return answer_version(device, message);
    case VFIO_DMA_MAP: return answer_map(device, message);
    case VFIO_DMA_UNMAP: return answer_unmap(device, message);
    case VFIO_GET_INFO: return answer_info(message);
    case VFIO_GET_REGION_INFO: return answer_region_info(device, message);
    case VFIO_GET_IRQ_INFO: return answer_irq_info(message);
    case VFIO_SET_IRQS: return answer_set_irqs(message);
    case VFIO_REGION_READ: return answer_read(device, message);
    case VFIO_REGION_WRITE: return answer_write(device, message);
    default: message->size = 0; return vfio_reset(device);
    }
}

void vfio_answer(struct vfio_device *device, struct vfio_message *message) {
    struct vfio_header *header = &message->header;
    int error = answer(device, message);
    vfio_close_descriptors(message);
    if (error)
        message->size = 0;
    header->size = (uint32_t)sizeof *header + message->size;
    header->flags = VFIO_REPLY | (error ? VFIO_ERROR : 0);
    header->error = (uint32_t)error;
}
