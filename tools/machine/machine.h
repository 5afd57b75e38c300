/* One chip of the command line: its programs, the events of its runs, and the contents of reports. A system has a
 * machine for each chip; the first leads the others (system.c). */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"
#include "gdb/gdb.h"
#include "machine/output.h"
#include "machine/program.h"
#include "script/script.h"
#include "text/progress.h"

#define TENSIX_MAX 140
#define ETH_MAX    14

/* A program file, opened once for all tiles and cores. */
struct opened {
    struct span spec;
    program_opener *opener;
    struct program *program;
};

/* A program on some tiles, for one core. */
struct image {
    struct program *program;
    struct tile_list tiles;
    enum bh_core core;
    uint32_t low, high;   /* its addresses on the tiles, [low, high) */
    uint32_t shift;       /* address on the tiles minus address in the file */
    const uint8_t *bytes; /* the loaded bytes, if known */
    uint8_t *own;         /* the same if the image owns them */
    bool firmware;        /* it runs kernels, and is none */
};

/* A fault, and whether an `expect CORE faulted` asked for it. */
struct seen_fault {
    struct bh_fault fault;
    bool expected;
};

/* The result of a dump, print or expect, kept for JSON. */
struct finding {
    const struct action *action;
    struct bh_xy tile;
    uint64_t address;
    uint8_t *data; /* of dumps to stdout and prints */
    size_t size;
    struct inside *inside; /* of dumps of the coprocessor */
    bool failed;           /* an expectation that was not met */
};

struct machine;

/* Runs a machine instead of machine_run. */
struct machine_driver {
    bool (*run)(struct machine_driver *driver, struct machine *machine, uint64_t cycles, unsigned flags,
                struct bh_stop *stop);
    void (*close)(struct machine_driver *driver, struct machine *machine); /* before the chip goes */
    bool repeats; /* the run has been made before: its faults and warnings are known */
};

struct machine {
    /* Options */
    const char *script_name; /* for messages; NULL: the command line */
    uint64_t max_cycles;
    bool json, quiet, keep_going, coverage;
    struct progress progress;
    uint64_t wait_until;               /* cycle up to which several runs wait for an answer; 0: none do */
    bool stats, summary, profile;      /* contents of the report (report/stats.h, report/profile.h) */
    struct output output[OUTPUTS_MAX]; /* traces and profiles for other tools */
    unsigned output_count;
    struct tile_list trace_tiles;        /* tiles whose events traces contain; empty: all */
    uint64_t trace_from, trace_to;       /* cycles whose events they contain, [from, to) */
    unsigned op;                         /* number of the run of kernels in progress, from 1 on */
    const char *page_path;               /* NULL: no page (report/page.h) */
    struct timeline *timeline;           /* the events for it */
    bool check;                          /* look for hazards (report/hazards.h) */
    const char *suppress_path;           /* file of suppressions; NULL: none */
    const struct suppressions *suppress; /* its contents (report/suppress.h) */
    const char *vary;                    /* seed or delays of --vary; NULL: no delays */
    const char *restore;                 /* file of a saved chip to continue; NULL: a new chip */
    struct gdb *gdb;                     /* the server for gdb; NULL: none */
    struct machine_driver *driver;       /* NULL: none */
    const char *system_name;             /* a kind of machine, or a file that describes a system; NULL: one chip */
    FILE *host_log; /* log of the host's accesses to tiles, one in each line (docs/software.md); NULL: none */

    bh_chip *chip;
    struct bh_config config;
    struct bh_xy tensix[TENSIX_MAX]; /* live ones, by index */
    unsigned tensix_count;
    struct bh_xy eth[ETH_MAX]; /* live Ethernet tiles */
    unsigned eth_count;

    bh_system *system;      /* that the chip belongs to, or NULL */
    unsigned number;        /* of the chip in it */
    struct machine *others; /* of the first machine: those of the other chips */
    unsigned other_count;
    struct ranks *ranks; /* other processes that have chips of the system (machine/ranks.h); NULL: none */
    uint64_t digest;     /* of the arguments and the command file, which are those of all ranks */

    struct image *images;
    size_t image_count;
    struct opened *opened;
    size_t opened_count;
    struct landmark *landmarks;
    size_t landmark_count;

    struct seen_fault *faults;
    size_t fault_count;
    struct finding *findings;
    size_t finding_count;

    bool limit_reached, interrupted, expectation_failed;
    bool astray;    /* a tile is in a state that its firmware does not have */
    bool deadlock;  /* how the last run ended, unless `expect CORE blocked` asked for it */
    double seconds; /* host time inside bh_run */
    char message[400];
};

/* Returns "p150" or "p100a". */
const char *board_name(enum bh_board board);
/* Returns "cycles" or "loose". */
const char *timing_name(enum bh_timing timing);
/* Returns the name of a state of cores (enum bh_core_state) for people. */
const char *state_name(unsigned state);
/* Returns the name of another board whose chip passes the test, or NULL. */
typedef bool board_test(const bh_chip *chip, const void *what);
const char *machine_other_board(const struct machine *machine, board_test *test, const void *what);

/* A test: there is a live tile at these coordinates (struct bh_xy). */
board_test board_has_tile;

/* Returns the list, or tile 1,2 if the list is empty. */
const struct tile_list *tile_list_or_first(const struct tile_list *list);
bool tile_list_has(const struct tile_list *list, struct bh_xy tile);
bool tile_range_is_one(const struct tile_range *range);

/* All that return bool return false and machine->message on a mistake of the user. */
bool machine_open(struct machine *machine, const struct settings *settings);
void machine_close(struct machine *machine);
/* Reports the events that have not ended, as if they ended now. */
bool machine_flush(struct machine *machine);
/* Completes traces and profiles. machine_close does the same without reporting errors. */
bool machine_end_outputs(struct machine *machine);
bool machine_do(struct machine *machine, const struct action *action);
/* Does it on this chip; machine_do finds the chip of the action first. */
bool machine_do_here(struct machine *machine, const struct action *action);
/* Completes a machine whose chip has been made: lists tiles, begins observations. */
bool machine_begin(struct machine *machine);
void machine_on_fault(struct machine *machine, const struct bh_fault *fault);
/* Returns whether what happens now has happened before: gdb has gone back, or a driver repeats a run. */
bool machine_is_repeated(const struct machine *machine);

/* ---- Systems (system.c) ---- */

/* Makes the system and a machine for each of its chips. */
bool system_open(struct machine *machine, const struct settings *settings);
void system_close(struct machine *machine);
/* Returns the machine of a chip; NULL and a message if there is none. */
struct machine *system_chip(struct machine *machine, unsigned chip);
bool system_run(struct machine *machine, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Gives the outcome of a run to all machines. */
void system_share(struct machine *machine);

/* Tiles with cores, by index: Tensix tiles, then Ethernet tiles that have a program. Others are left out: a look at a
 * tile that was never used would initialise it. */
unsigned machine_core_tiles(const struct machine *machine);
struct bh_xy machine_core_tile(const struct machine *machine, unsigned index);

/* Returns the name of a core: erisc0 and erisc1 in Ethernet tiles. */
const char *machine_core_name(const struct machine *machine, struct bh_xy tile, enum bh_core core);

/* Sets the message and returns false. */
bool machine_fail(struct machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool machine_failed_call(struct machine *machine, bh_status status, struct bh_xy tile);
/* Makes room for one more item at the end of an array of count items, which grows by powers of two. */
bool machine_reserve(struct machine *machine, void *array_pointer, size_t count, size_t item);

/* Which tiles an action can be about: any, those with cores, or Tensix tiles. */
enum tile_need { ANY_TILE, CORE_TILE, TENSIX_TILE };
/* Called for every tile of a list (tile_list_or_first) until one call returns false. */
typedef bool machine_verb(struct machine *machine, struct bh_xy tile, const void *what);
bool machine_each_tile(struct machine *machine, const struct tile_list *tiles, enum tile_need needs, machine_verb *verb,
                       const void *what);
/* Access memory, and registers word by word. Writes are logged. */
bool machine_peek(struct machine *machine, struct bh_xy tile, uint64_t address, uint8_t *data, size_t size);
bool machine_write(struct machine *machine, struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size);

/* Logs VERB X,Y ADDRESS BYTES, if there is a log. */
void machine_log(struct machine *machine, const char *verb, struct bh_xy tile, uint64_t address, const uint8_t *data,
                 size_t size);

/* Returns the program file of that name, opened once by that opener; NULL and a message on failure. */
struct program *machine_open_program(struct machine *machine, struct span spec, program_opener *opener);
bool machine_add_image(struct machine *machine, const struct image *image);
/* Runs for at most this many cycles. A fault ends the run early unless keep_going, and so does a chip on which
 * nothing can happen. Returns false and a message after an internal error of the library. */
bool machine_run(struct machine *machine, uint64_t cycles, struct bh_stop *stop);
/* Lets all machines that this thread opens from now on be run by a driver; NULL: by themselves. */
void machine_drive(struct machine_driver *driver);
/* Runs under gdb from now on, which connects to this port. */
bool machine_debug(struct machine *machine, const char *port);

/* Returns the program that was loaded for a core at *pc, and makes *pc the address in its file; NULL if there is
 * none. */
const struct program *machine_program(const struct machine *machine, struct bh_xy tile, enum bh_core core,
                                      uint32_t *pc);
/* Returns the image that was loaded for a core at pc; NULL if there is none. */
const struct image *machine_image(const struct machine *machine, struct bh_xy tile, enum bh_core core, uint32_t pc);
/* The last image that was found for a core. */
struct image_cache {
    const struct image *image;
    size_t images; /* loaded at that time */
};
/* Returns the same, faster if the last one fits. */
const struct image *machine_image_again(const struct machine *machine, struct image_cache *cache, struct bh_xy tile,
                                        enum bh_core core, uint32_t pc);
/* Returns the unit of time for reports: "cycles", or another word with loose timing, where counts are approximate. */
const char *machine_cycles(const struct machine *machine);
/* Returns the number of faults that were not expected. */
size_t machine_unexpected(const struct machine *machine);

#endif
