/* The host's side of tt-metal's slow dispatch: loading firmware, mailboxes, waiting for answers. */
#ifndef TOOLS_FIRMWARE_H
#define TOOLS_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "text/json.h"
#include "firmware/layout.h"
#include "machine/machine.h"
#include "script/script.h"

/* Where a build of the firmware is, and the tiles that it is for, as the user says. */
struct firmware_files {
    struct span layout; /* .n 0: the one whose addresses are those of the files */
    struct span directory;
    struct span file[BH_CORE_COUNT];
    struct tile_list tiles;
};

/* A build of the firmware: five programs and the layout that they were made for. */
struct firmware {
    char layout_name[64];
    struct layout layout; /* with the numbers of banks that the programs have tables for */
    char *path[BH_CORE_COUNT];
    struct program *program[BH_CORE_COUNT];
};

/* Tiles that owe an answer: the signal DONE in their go message. */
struct answers {
    unsigned count, done;
    bool strange; /* there is a tile whose message says what nobody told it */
    struct answer {
        struct bh_xy tile;
        bool done, strange;
        uint64_t cycle; /* when it was there, at the latest */
    } tile[TENSIX_MAX];
};

/* All that return bool: false and machine->message on a mistake of the user's. */
bool firmware_open(struct machine *machine, const struct firmware_files *what, struct firmware *firmware);
void firmware_close(struct firmware *firmware);
/* Puts it on the tiles, lets BRISC go and waits until every tile has answered, faults, or cannot any more. */
bool firmware_boot(struct machine *machine, const struct firmware *firmware, const struct tile_list *tiles,
                   uint64_t max_cycles, struct answers *answers);

/* The tiles of a list, each once. */
bool answers_expect(struct machine *machine, const struct tile_list *tiles, struct answers *answers);
/* Runs until all have answered what they were told (INIT or GO), or one says anything else, or max_cycles have passed,
 * or nothing happens any more. */
bool answers_wait(struct machine *machine, const struct firmware *firmware, uint8_t told, uint64_t max_cycles,
                  struct answers *answers);
/* Is the code on a tile not what was loaded, or is to be? */
bool answers_overwritten(const struct machine *machine, struct bh_xy tile);
/* The tiles of a chip that was saved: an error if one of them has not been booted. */
bool answers_found(struct machine *machine, const struct firmware *firmware, struct answers *answers);
/* What the go message of a tile says now. */
uint8_t answers_signal(const struct machine *machine, const struct layout *layout, struct bh_xy tile);
/* Who has not answered and where its cores are, on stderr. what: what they were told. */
void answers_explain(const struct machine *machine, const struct firmware *firmware, const struct answers *answers,
                     const char *what);

/* The array "tiles". */
void answers_json(struct json *json, const struct answers *answers);
/* The array "cores" of tiles that have not answered, if there are any. */
void answers_json_stuck(struct json *json, const struct machine *machine, const struct answers *answers);

/* A tile of a DRAM bank as kernels see it: bank counts the live ones; NoC 0 and NoC 1 go to different ports. */
bool dram_tile(const bh_chip *chip, unsigned bank, unsigned noc, struct bh_xy *tile);

bool write_word(struct machine *machine, struct bh_xy tile, uint32_t address, uint32_t value);

#endif
