/* A server for gdb: the debugger of runs (docs/debugging.md). A tile is a process, its cores are threads; those of all
 * chips, in a system.
 *
 * The owner of a chip calls gdb_run instead of bh_run. The server looks after the connection in between, talks to gdb
 * while the chip stands still, and goes back in time by snapshots and replay. It depends on bhemu.h only. */
#ifndef TOOLS_GDB_H
#define TOOLS_GDB_H

#include <stdbool.h>
#include <stddef.h>

#include "bhemu.h"

struct gdb;

enum { GDB_SECTIONS = 64 };

/* A program on a tile, for gdb's symbols. */
struct gdb_program {
    const char *path;               /* of its ELF file */
    bool moved;                     /* it is not where its file says */
    uint32_t section[GDB_SECTIONS]; /* how far each of the file's sections in memory has moved, in the file's order */
    unsigned count;
};

/* Functions that the owner of the chip provides. */
struct gdb_owner {
    /* Returns the programs of a tile by index from 0; false past the last. chip: of a system, else 0. May be NULL. */
    bool (*program)(void *user, unsigned chip, struct bh_xy tile, unsigned index, struct gdb_program *program);
    void *user;
    bool no_reverse; /* replay would disturb the owner, who observes the chip */
};

/* Opens a socket that listens on a port of this host, 0 for any. Returns it, or -1 and errno. */
int gdb_listen(unsigned port, unsigned *found);
/* Listens on a TCP port of this host: PORT, 0 for any, or fd:N for a socket that listens already. Returns NULL and a
 * message on failure. */
struct gdb *gdb_open(const char *port, const struct gdb_owner *owner, char *message, size_t size);
/* Returns the port. */
unsigned gdb_port(const struct gdb *gdb);
/* Runs like bh_run. The first call waits for gdb to connect. Returns early, with stop->reason BH_STOP_CYCLES, if the
 * user has killed the run: gdb_killed. */
bh_status gdb_run(struct gdb *gdb, bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* The same for a system, like bh_system_run. */
bh_status gdb_run_system(struct gdb *gdb, bh_system *system, uint64_t cycles, unsigned flags, struct bh_stop *stop);
bool gdb_killed(const struct gdb *gdb);
/* Returns whether what happens now has happened before: callbacks of the chip have been called then. */
bool gdb_replays(const struct gdb *gdb);
/* Reads host memory for the chip: by the owner's function, or what it gave when this happened first. */
typedef void gdb_reader(uint64_t address, void *data, size_t size);
void gdb_host_read(struct gdb *gdb, gdb_reader *reader, uint64_t address, void *data, size_t size);
/* Shows gdb the last state, tells it that the run has ended with this status, and ends the connection. gdb may be NULL.
 * Precondition: the chip exists. */
void gdb_close(struct gdb *gdb, int status);

#endif
