/* The host's side of tt-metal's slow dispatch: loading firmware, mailboxes, waiting for answers. */
#ifndef TOOLS_FIRMWARE_H
#define TOOLS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "text/json.h"
#include "firmware/layout.h"
#include "machine/machine.h"
#include "script/script.h"

/* The files of a build of the firmware and the tiles to boot, as the user names them. */
struct firmware_files {
    struct span layout; /* .n 0: the layout with the addresses of the files */
    struct span directory;
    struct span file[BH_CORE_COUNT];
    struct tile_list tiles;
};

/* A build of the firmware: five programs and their layout. */
struct firmware {
    char layout_name[64];
    struct layout layout; /* with the numbers of banks for which the programs have tables */
    char *path[BH_CORE_COUNT];
    struct program *program[BH_CORE_COUNT];
};

/* Tiles that are to answer with the signal DONE in their go message. */
struct answers {
    unsigned count, done;
    bool strange; /* the message of some tile has a value that the host never wrote */
    struct answer {
        struct bh_xy tile;
        bool done, strange;
        uint64_t cycle; /* of the answer, at the latest */
    } tile[TENSIX_MAX];
};

/* All that return bool return false and machine->message on a mistake of the user. */
bool firmware_open(struct machine *machine, const struct firmware_files *what, struct firmware *firmware);
void firmware_close(struct firmware *firmware);
/* Loads the firmware, releases BRISC and waits until every tile has answered, has faulted, or cannot answer any
 * more. */
bool firmware_boot(struct machine *machine, const struct firmware *firmware, const struct tile_list *tiles,
                   uint64_t max_cycles, struct answers *answers);

/* Sets the tiles of a list, each once. */
bool answers_expect(struct machine *machine, const struct tile_list *tiles, struct answers *answers);
/* Runs until all tiles have answered a signal (INIT or GO), one has another value, max_cycles have passed, or
 * nothing can happen any more. */
bool answers_wait(struct machine *machine, const struct firmware *firmware, uint8_t told, uint64_t max_cycles,
                  struct answers *answers);
/* Returns whether the code on a tile differs from what was loaded. */
bool answers_overwritten(const struct machine *machine, struct bh_xy tile);
/* Sets the tiles of a restored chip. An error if one of them has not been booted. */
bool answers_found(struct machine *machine, const struct firmware *firmware, struct answers *answers);
/* Returns the signal in the go message of a tile. */
uint8_t answers_signal(const struct machine *machine, const struct layout *layout, struct bh_xy tile);
/* Prints the tiles that have not answered and the positions of their cores, on stderr. what: the signal they were
 * sent. */
void answers_explain(const struct machine *machine, const struct firmware *firmware, const struct answers *answers,
                     const char *what);

/* Writes the array "tiles". */
void answers_json(struct json *json, const struct answers *answers);
/* Writes the array "cores" of tiles that have not answered, if there are any. */
void answers_json_stuck(struct json *json, const struct machine *machine, const struct answers *answers);

/* Returns a tile of a DRAM bank as kernels see it: bank counts the live banks; NoC 0 and NoC 1 use different ports. */
bool dram_tile(const bh_chip *chip, unsigned bank, unsigned noc, struct bh_xy *tile);

bool write_word(struct machine *machine, struct bh_xy tile, uint32_t address, uint32_t value);

#endif
