/* A chip as bytes: everything that its future depends on (save.c), and files with these bytes (save_file.c). */
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

/* Allocates memory for this many bytes. Returns false if there is none. save_bytes_free frees it. */
bool save_bytes_make(struct save_bytes *bytes, size_t size);
void save_bytes_free(struct save_bytes *bytes);

/* Tiles of a loaded chip that have not been used since the load. They sleep: no core runs, and no packet is in flight
 * to or from them. chip_made reads them. */
struct unread {
    struct save_bytes bytes;
    unsigned count; /* number of unread tiles */
    struct unread_tile {
        const uint8_t *at, *end; /* bytes of the tile; NULL: there is nothing to read */
        uint8_t waiting;         /* mask of cores that are blocked or poll */
    } tile[TOPOLOGY_TILES];
};

/* The configuration of a saved chip: the members of struct bh_config on which state depends, in whole words. */
struct saved_config {
    uint64_t board, tensix_harvest, eth_harvest, dram_harvest, timing, skew, epoch;
};

/* Writes the chip to *out. On failure the chip has a message. Precondition: no run is in progress. */
bh_status save_chip(bh_chip *chip, struct state_out *out);
/* Checks head and size. Returns an error text; or NULL, with the configuration in *config. */
const char *save_inspect(const uint8_t *bytes, size_t size, struct saved_config *config);
/* Restores the chip. Everything is checked first: refused bytes leave the chip unchanged. The chip takes the bytes
 * over, even if it refuses them. */
bh_status save_restore(bh_chip *chip, struct save_bytes *bytes);

struct bh_snapshot {
    size_t size;
    uint8_t bytes[];
};

/* The first bytes of a system's file (system/save.c). */
#define SAVE_SYSTEM_MAGIC \
    { 'B', 'H', 'E', 'M', 'U', 'S', 'Y', 'S' }
/* Makes all checks of save_restore; the bytes stay with the caller. Sets *time to the time of the saved chip. */
bh_status save_check(bh_chip *chip, const struct save_bytes *bytes, uint64_t *time);
/* Returns whether the bytes begin like those of a single chip, and not of a system. */
bool save_is_chip(const uint8_t *bytes, size_t size);
bool save_is_broken(const bh_chip *chip);
/* Reads a file. Returns NULL, or why it cannot be read. */
const char *save_read_file(const char *path, struct save_bytes *bytes);
/* Writes a file. Returns false and sets errno on failure. An existing file is replaced only when everything has been
 * written; the bytes go straight to a pipe or a device. */
bool save_write_file(const char *path, const struct state_out *out);
/* Returns the last `most` characters of a path, or all of it, so that a message has room for the reason after it. */
const char *save_path_end(const char *path, size_t most);

/* Reads an unread tile. Returns false if there is no memory. Precondition: the tile is unread and has been
 * initialised. */
bool save_read_tile(bh_chip *chip, unsigned index);
/* Drops all unread tiles. */
void save_forget(bh_chip *chip);

#endif
