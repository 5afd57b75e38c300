#include "paths.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "paths/path.h"
#include "support/image.h"

enum { SIDE = 16, CLOCKS_A_STEP = 2000, STEPS = 100000 };
_Static_assert(SIDE *SIDE == PATHS_TILES, "");

#ifndef KERNELS
#define KERNELS "" /* no compiler for the kernels was found */
#endif

/* Writes tiles of BF16 numbers with magnitudes between 1 and 2 and both signs. */
static void write_tiles(struct device *device, uint32_t address, unsigned tiles) {
    static uint16_t data[SIDE * TILE_DATA];
    uint32_t random = address;
    for (unsigned i = 0; i < tiles * TILE_DATA; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = (uint16_t)(0x3F80 | (random >> 16 & 0x807F));
    }
    device_write(device, device_tile(0), address, data, tiles * TILE_DATA * sizeof data[0]);
}

bool paths_load(struct device *device) {
    static const char *const cores[] = { "brisc", "trisc0", "trisc1", "trisc2" };
    const uint32_t side = SIDE * tile_bytes(BF16);
    const struct path path = {
        .operation = PATH_MATMUL,
        .fidelity = 1,
        .rows = SIDE,
        .inner = 1,
        .columns = SIDE,
        .a = PATH_DATA,
        .b = PATH_DATA + side,
        .out = PATH_DATA + 2 * side,
        .a_format = BF16,
        .b_format = BF16,
        .out_format = BF16,
        .dst_format = BF16,
        .passes = 1,
    };
    for (unsigned i = 0; i < sizeof cores / sizeof *cores; i++) {
        char name[600];
        struct image image;
        snprintf(name, sizeof name, "%s/paths_%s.elf", KERNELS, cores[i]);
        if (!image_read(name, &image) || !image_load(device, device_tile(0), &image)) {
            printf("%s cannot be loaded\n", name);
            return false;
        }
        free(image.bytes);
    }
    write_tiles(device, path.a, SIDE);
    write_tiles(device, path.b, SIDE);
    device_write(device, device_tile(0), PATH_AT, &path, sizeof path);
    return true;
}

bool paths_round(struct device *device) {
    const uint32_t finished = PATH_AT + offsetof(struct path, finished);
    device_release(device, device_tile(0), 0);
    device_write32(device, device_tile(0), finished, 0);
    device_release(device, device_tile(0), 1);
    for (unsigned step = 0; step < STEPS; step++) {
        device_clock(device, CLOCKS_A_STEP);
        if (device_read32(device, device_tile(0), finished))
            return true;
    }
    printf("the kernels do not end\n");
    return false;
}
