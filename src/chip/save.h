/* A chip as bytes: everything that decides how it goes on (save.c), and files of them (save_file.c). */
#ifndef CHIP_SAVE_H
#define CHIP_SAVE_H

#include "base/state.h"
#include "bhemu.h"
#include "chip/topology.h"

/* A saved chip in memory. */
struct save_bytes {
    uint8_t *at;
    size_t size;
    void *mapping;
    size_t mapped;
};

/* Makes room for so many bytes. False: no memory. */
bool save_bytes_make(struct save_bytes *bytes, size_t size);
void save_bytes_free(struct save_bytes *bytes);

/* Tiles of a saved chip that nobody has looked at since it was loaded. They sleep: no core runs, no packet is on its
 * way to or from them. chip_made reads them. */
struct unread {
    struct save_bytes bytes;
    unsigned count; /* tiles that are left */
    struct unread_tile {
        const uint8_t *at, *end; /* NULL: nothing is left to read */
        uint8_t waiting;         /* cores that are blocked or poll */
    } tile[TOPOLOGY_TILES];
};

/* What the bytes say of their chip; the part of struct bh_config that state depends on, in whole words. */
struct saved_config {
    uint64_t board, tensix_harvest, eth_harvest, dram_harvest, timing, skew, epoch;
};

/* Precondition: no run is under way. On failure the chip has a message. */
bh_status save_chip(bh_chip *chip, struct state_out *out);
/* Returns what is wrong with the bytes as a whole, or NULL and their configuration. */
const char *save_inspect(const uint8_t *bytes, size_t size, struct saved_config *config);
/* Restores the chip. Everything is checked first: bytes that are refused leave the chip as it was. The chip takes the
 * bytes over, in any case. */
bh_status save_restore(bh_chip *chip, struct save_bytes *bytes);

/* Reads a tile that is unread and has been made. False: no memory. */
bool save_read_tile(bh_chip *chip, unsigned index);
/* Forgets everything that is unread. */
void save_forget(bh_chip *chip);

#endif
