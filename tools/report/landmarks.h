/* What stretches of a tile's addresses are for, so that reports can say more of an address than its number. */
#ifndef TOOLS_LANDMARKS_H
#define TOOLS_LANDMARKS_H

#include "machine/machine.h"

struct landmark {
    struct tile_range tiles;
    uint64_t low, high; /* [low, high) */
    char name[64];
};

/* false: out of memory. Later ones go before earlier ones. */
bool landmark_add(struct machine *machine, const struct tile_list *tiles, uint64_t low, uint64_t size,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
bool landmark_add_tile(struct machine *machine, struct bh_xy tile, uint64_t low, uint64_t size, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The name of an address of a tile, or "": what has been put down, and registers that software polls. */
const char *landmark_of(const struct machine *machine, struct bh_xy tile, uint64_t address, char *text, size_t size);

#endif
