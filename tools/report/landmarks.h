/* Names for ranges of a tile's addresses, so that reports can show more than a number. */
#ifndef TOOLS_LANDMARKS_H
#define TOOLS_LANDMARKS_H

#include "machine/machine.h"

struct landmark {
    struct tile_range tiles;
    uint64_t low, high; /* [low, high) */
    char name[64];
};

/* Add a name. Later names take precedence over earlier ones. Both functions return false if there is no memory. */
bool landmark_add(struct machine *machine, const struct tile_list *tiles, uint64_t low, uint64_t size,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
bool landmark_add_tile(struct machine *machine, struct bh_xy tile, uint64_t low, uint64_t size, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Writes the name of an address of a tile, or "": an added name, or that of a register that software polls. Returns
 * text. */
const char *landmark_of(const struct machine *machine, struct bh_xy tile, uint64_t address, char *text, size_t size);

#endif
