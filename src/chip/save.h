/* A chip as bytes: everything that its future depends on (save.c), and files of these bytes (save_file.c). */
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

/* Allocates this many bytes. Returns false if memory is short. */
bool save_bytes_make(struct save_bytes *bytes, size_t size);
void save_bytes_free(struct save_bytes *bytes);

/* Tiles of a saved chip that have not been used since it was loaded. They sleep: no core runs, and no packet is in
 * flight to or from them. chip_made reads them. */
struct unread {
    struct save_bytes bytes;
    unsigned count; /* tiles that are left */
    struct unread_tile {
        const uint8_t *at, *end; /* NULL: nothing is left to read */
        uint8_t waiting;         /* cores that are blocked or poll */
    } tile[TOPOLOGY_TILES];
};

/* The configuration of a saved chip: the members of struct bh_config that state depends on, in whole words. */
struct saved_config {
    uint64_t board, tensix_harvest, eth_harvest, dram_harvest, timing, skew, epoch;
};

/* Precondition: no run is under way. On failure the chip has a message. */
bh_status save_chip(bh_chip *chip, struct state_out *out);
/* Checks head and size. Returns an error text, or NULL and the configuration. */
const char *save_inspect(const uint8_t *bytes, size_t size, struct saved_config *config);
/* Restores the chip. Checks everything first: refused bytes leave the chip unchanged. The chip owns the bytes
 * afterwards, even if they are refused. */
bh_status save_restore(bh_chip *chip, struct save_bytes *bytes);

struct bh_snapshot {
    size_t size;
    uint8_t bytes[];
};

/* For systems (system/save.c), whose files begin with this. */
#define SAVE_SYSTEM_MAGIC \
    { 'B', 'H', 'E', 'M', 'U', 'S', 'Y', 'S' }
/* Checks all that save_restore checks, and leaves the bytes to the caller. *time: of the chip. */
bh_status save_check(bh_chip *chip, const struct save_bytes *bytes, uint64_t *time);
/* Returns whether the bytes begin like those of a single chip. */
bool save_is_chip(const uint8_t *bytes, size_t size);
bool save_is_broken(const bh_chip *chip);
/* These return false and set errno. A file that was there stays as it was unless all has been written. */
bool save_read_file(const char *path, struct save_bytes *bytes);
bool save_write_file(const char *path, const struct state_out *out);
/* Returns the last `most` characters of a path, or all of it: in a message, the reason has to fit behind it. */
const char *save_path_end(const char *path, size_t most);

/* Reads a tile. Returns false if memory is short. Precondition: the tile is unread and has been made. */
bool save_read_tile(bh_chip *chip, unsigned index);
/* Drops all unread tiles. */
void save_forget(bh_chip *chip);

#endif
