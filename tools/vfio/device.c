/* The chip as a device: its BARs, its reset, its time, and the warnings of the server: see vfio.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "vfio/vfio.h"

enum { WARNINGS_MAX = 50 };

void vfio_warn(struct vfio_device *device, const char *format, ...) {
    char text[256];
    va_list args;
    if (!device->warn || device->warnings > WARNINGS_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    device->warn(device->warnings++ < WARNINGS_MAX ? text : "no further warnings are printed");
}

bool vfio_run(struct vfio_device *device, uint64_t cycles, unsigned flags) {
    struct bh_stop stop;
    if (bh_run(device->chip, cycles, flags, &stop) == BH_OK)
        return stop.reason == BH_STOP_CYCLES;
    vfio_warn(device, "%s", bh_message(device->chip));
    return false;
}

int vfio_reset(struct vfio_device *device) {
    bh_reset(device->chip);
    if (device->origin && bh_snapshot_restore(device->chip, device->origin) != BH_OK)
        return EIO;
    return 0;
}

/* Returns the size of a 64-bit BAR, whose writable bits show it, or 0 if there is none. */
static uint64_t learn_bar(bh_chip *chip, unsigned bar) {
    enum { FLAGS = 15 };
    uint32_t at = VFIO_CONFIG_BARS + 4 * bar, before[2] = { 0 }, after[2] = { 0 };
    for (unsigned i = 0; i < 2; i++) {
        (void)bh_pci_config_read(chip, at + 4 * i, &before[i]);
        (void)bh_pci_config_write(chip, at + 4 * i, UINT32_MAX);
        (void)bh_pci_config_read(chip, at + 4 * i, &after[i]);
        (void)bh_pci_config_write(chip, at + 4 * i, before[i]);
    }
    uint64_t writable = ((uint64_t)after[1] << 32 | after[0]) & ~(uint64_t)FLAGS;
    return writable & -writable;
}

void vfio_attach(struct vfio_device *device, bh_chip *chip) {
    device->chip = chip;
    for (unsigned bar = 0; bar < VFIO_BARS; bar += 2)
        device->region_size[bar] = learn_bar(chip, bar);
    device->region_size[VFIO_REGION_CONFIG] = VFIO_CONFIG_SIZE;
}
