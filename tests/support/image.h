/* ELF files that are written to a device's L1. */
#ifndef SUPPORT_IMAGE_H
#define SUPPORT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/device.h"

struct image {
    uint8_t *bytes; /* malloc'ed */
    size_t size;
};

/* False if it cannot be read, or is no 32-bit ELF file. */
bool image_read(const char *name, struct image *image);
void image_free(struct image *image);
/* Calls back for each segment with where it is kept. False if the file is not as it should be. */
bool image_each(const struct image *image, void (*part)(void *user, uint32_t address, const void *data, size_t size),
                void *user);
/* Writes the segments to where they are kept. False if the file is not as it should be. */
bool image_load(struct device *device, struct device_tile tile, const struct image *image);
uint32_t image_entry(const struct image *image);

#endif
