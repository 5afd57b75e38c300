/* A server for gdb, which debugs runs (docs/debugging.md). gdb sees a tile as a process, and its cores as threads; in a
 * system, the tiles of all chips.
 *
 * The owner of a chip calls gdb_run instead of bh_run. The server watches the connection meanwhile, talks to gdb while
 * the chip is stopped, and goes back in time by snapshots and replay. It depends on bhemu.h and text/ only. */
#ifndef TOOLS_GDB_H
#define TOOLS_GDB_H

#include <stdbool.h>
#include <stddef.h>

#include "bhemu.h"

struct gdb;

enum { GDB_SECTIONS = 64 };

/* A program on a tile, whose symbols gdb can load. */
struct gdb_program {
    const char *path;               /* of its ELF file */
    bool moved;                     /* the program is not at the address that its file says */
    uint32_t section[GDB_SECTIONS]; /* how far each section in memory has moved, in the order of the file */
    unsigned count;
};

/* Functions and settings that the owner of the chip provides. */
struct gdb_owner {
    /* Finds the program with this index on a tile. Returns false past the last. chip: number in a system, else 0. May
     * be NULL. */
    bool (*program)(void *user, unsigned chip, struct bh_xy tile, unsigned index, struct gdb_program *program);
    void *user;
    bool no_reverse; /* the owner observes the chip, and replay would disturb the observation: gdb cannot go back */
};

/* Opens a socket that listens on a TCP port of this host; port 0: any free port. Sets *found to the port. Returns the
 * socket, or -1 and sets errno. */
int gdb_listen(unsigned port, unsigned *found);
/* Creates a server that listens on `port`: a number, 0 for any free port, or fd:N for a socket that listens already.
 * Returns NULL and writes a message on failure. gdb_close frees the server. */
struct gdb *gdb_open(const char *port, const struct gdb_owner *owner, char *message, size_t size);
/* Runs like bh_run, under the control of gdb. The first call waits for gdb to connect. Returns early, with stop->reason
 * BH_STOP_CYCLES, if the user has killed the run (gdb_killed). */
bh_status gdb_run(struct gdb *gdb, bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Like gdb_run, for a system (bh_system_run). */
bh_status gdb_run_system(struct gdb *gdb, bh_system *system, uint64_t cycles, unsigned flags, struct bh_stop *stop);
bool gdb_killed(const struct gdb *gdb);
/* Returns whether the chip replays cycles that it has run before. Callbacks of the owner have been called for them
 * already. */
bool gdb_replays(const struct gdb *gdb);
/* Reads host memory for the chip: calls the reader, or, in a replay, repeats the bytes of the first time. */
typedef void gdb_reader(uint64_t address, void *data, size_t size);
void gdb_host_read(struct gdb *gdb, gdb_reader *reader, uint64_t address, void *data, size_t size);
/* Shows gdb the last state, tells it that the run has ended with this exit status, and ends the connection. Frees the
 * server; gdb may be NULL. Precondition: the chip still exists. */
void gdb_close(struct gdb *gdb, int status);

#endif
