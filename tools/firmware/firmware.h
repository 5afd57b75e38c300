/* The host's part of tt-metal's slow dispatch: loads firmware, writes mailboxes, and waits for tiles to answer. */
#ifndef TOOLS_FIRMWARE_H
#define TOOLS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "text/json.h"
#include "firmware/layout.h"
#include "machine/machine.h"
#include "script/script.h"

/* The files of a build of the firmware and the tiles to boot, as the user has named them. */
struct firmware_files {
    struct span layout; /* name or file of the layout; .n is 0: the built-in layout with the addresses of the files */
    struct span directory;
    struct span file[BH_CORE_COUNT];
    struct tile_list tiles;
};

/* A build of the firmware: a program for each core, and their layout. */
struct firmware {
    char layout_name[64];
    struct layout layout; /* with the numbers of banks and circular buffers that the programs were built for */
    char *path[BH_CORE_COUNT];
    struct program *program[BH_CORE_COUNT];
};

/* Tiles that have to answer with the signal DONE in their go message. */
struct answers {
    unsigned count, done;
    bool strange; /* the go message of a tile has a value that the host never wrote */
    struct answer {
        struct bh_xy tile;
        bool done, strange;
        uint64_t cycle; /* at which the answer was seen */
    } tile[TENSIX_MAX];
};

/* Unless a comment says otherwise, functions that return bool return false and set machine->message on a mistake of the
 * user. */
bool firmware_open(struct machine *machine, const struct firmware_files *what, struct firmware *firmware);
void firmware_close(struct firmware *firmware);
/* Loads the firmware, releases BRISC, and waits until every tile has answered or the run cannot continue
 * (answers_wait). */
bool firmware_boot(struct machine *machine, const struct firmware *firmware, const struct tile_list *tiles,
                   uint64_t max_cycles, struct answers *answers);

/* Lists the tiles that have to answer, each once. */
bool answers_expect(struct machine *machine, const struct tile_list *tiles, struct answers *answers);
/* Runs until all tiles have answered a signal (`sent`: INIT or GO), one has an unknown value in its go message,
 * max_cycles have passed, or nothing can happen any more. */
bool answers_wait(struct machine *machine, const struct firmware *firmware, uint8_t sent, uint64_t max_cycles,
                  struct answers *answers);
/* Returns whether code on a tile differs from the code that was loaded there. */
bool answers_overwritten(const struct machine *machine, struct bh_xy tile);
/* Checks that the tiles of `answers` are ready on a restored chip, with the firmware as it was loaded. */
bool answers_found(struct machine *machine, const struct firmware *firmware, struct answers *answers);
/* Returns the signal in the go message of a tile. */
uint8_t answers_signal(const struct machine *machine, const struct layout *layout, struct bh_xy tile);
/* Prints on stderr the tiles that have not answered, and where their cores are. what: name of the signal that they were
 * sent. */
void answers_explain(const struct machine *machine, const struct firmware *firmware, const struct answers *answers,
                     const char *what);

/* Writes the JSON array "tiles". */
void answers_json(struct json *json, const struct answers *answers);
/* Writes the JSON array "cores" with the cores of the tiles that have not answered, if there are any. */
void answers_json_stuck(struct json *json, const struct machine *machine, const struct answers *answers);

/* Finds the tile by which kernels access a DRAM bank. `bank` counts live banks; NoC 0 and NoC 1 use different ports.
 * Returns false if there is no such bank. */
bool dram_tile(const bh_chip *chip, unsigned bank, unsigned noc, struct bh_xy *tile);

bool write_word(struct machine *machine, struct bh_xy tile, uint32_t address, uint32_t value);

#endif
