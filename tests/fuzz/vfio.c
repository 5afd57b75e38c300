/* Commands of a vfio-user client: `bhemu device` answers all of them, and a client can harm neither the chip nor the
 * server. An input is a list of commands: an opcode, a size, and a body. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vfio/vfio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct vfio_device device;
static struct vfio_message message;

/* Bodies of 100 bytes at most, so that an input has several commands. */
static size_t next_command(const uint8_t *data, size_t size, int file) {
    enum { MOST = 100 };
    size_t length = size > 1 ? data[1] % MOST : 0;
    length = length < size - 2 ? length : size - 2;
    message.header = (struct vfio_header){ .command = data[0] % 20 };
    message.size = (uint32_t)length;
    message.descriptors = 0;
    memcpy(message.body, data + 2, length);
    if (data[0] & 0x80)
        message.descriptor[message.descriptors++] = dup(file);
    return 2 + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bh_config config;
    bh_chip *chip;
    int file = memfd_create("memory", 0);
    if (file < 0 || ftruncate(file, 1 << 16) != 0)
        abort();
    if (!device.chip) {
        bh_config_init(&config);
        config.threads = 1;
        vfio_configure(&device, &config);
        if (bh_create(&config, &chip, NULL, 0) != BH_OK)
            abort();
        vfio_attach(&device, chip);
    }
    device.cycles_per_access = 10;
    while (size >= 2) {
        size_t used = next_command(data, size, file);
        vfio_answer(&device, &message);
        if (message.descriptors || (message.header.error && message.size) || message.size > sizeof message.body)
            abort();
        data += used;
        size -= used;
    }
    vfio_forget_client(&device);
    (void)close(file);
    return 0;
}
