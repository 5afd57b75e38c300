#include "support/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool image_read(const char *name, struct image *image) {
    FILE *file = fopen(name, "rb");
    long size;
    *image = (struct image){ 0 };
    if (!file)
        return false;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > (long)sizeof(Elf32_Ehdr)) {
        rewind(file);
        image->bytes = malloc((size_t)size);
        if (image->bytes)
            image->size = fread(image->bytes, 1, (size_t)size, file);
    }
    fclose(file);
    return image->size >= sizeof(Elf32_Ehdr) && memcmp(image->bytes, ELFMAG "\1\1", SELFMAG + 2) == 0;
}

void image_free(struct image *image) {
    free(image->bytes);
    *image = (struct image){ 0 };
}

bool image_each(const struct image *image, void (*part)(void *user, uint32_t address, const void *data, size_t size),
                void *user) {
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    memcpy(&header, image->bytes, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        size_t at = header.e_phoff + i * header.e_phentsize;
        if (at + sizeof segment > image->size)
            return false;
        memcpy(&segment, image->bytes + at, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_filesz == 0)
            continue;
        if ((uint64_t)segment.p_offset + segment.p_filesz > image->size)
            return false;
        part(user, segment.p_paddr, image->bytes + segment.p_offset, segment.p_filesz);
    }
    return true;
}

struct target {
    struct device *device;
    struct device_tile tile;
};

static void load_part(void *user, uint32_t address, const void *data, size_t size) {
    const struct target *target = user;
    device_write(target->device, target->tile, address, data, size);
}

bool image_load(struct device *device, struct device_tile tile, const struct image *image) {
    struct target target = { device, tile };
    return image_each(image, load_part, &target);
}

uint32_t image_entry(const struct image *image) {
    Elf32_Ehdr header;
    memcpy(&header, image->bytes, sizeof header);
    return header.e_entry;
}
