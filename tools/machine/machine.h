/* One chip of the command line: its programs, the events of its runs, and the contents of reports. A system has a
 * machine for each chip; the first machine owns the system and leads the others (system.c). */
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

/* A program file, which is opened once for all tiles and cores. */
struct opened {
    struct span spec;
    program_opener *opener;
    struct program *program;
};

/* A program that has been loaded on some tiles for one core. */
struct image {
    struct program *program;
    struct tile_list tiles;
    enum bh_core core;
    uint32_t low, high;   /* the addresses that it occupies on the tiles, [low, high) */
    uint32_t shift;       /* address on the tiles minus address in the file */
    const uint8_t *bytes; /* the loaded bytes; NULL: not known */
    uint8_t *own;         /* the same bytes if the image owns them, else NULL */
    bool firmware;        /* the program is firmware, which runs kernels */
};

/* A fault, and whether an action `expect CORE faulted` has claimed it. */
struct seen_fault {
    struct bh_fault fault;
    bool expected;
};

/* The result of a dump, print or expect, kept for the report in JSON. */
struct finding {
    const struct action *action;
    struct bh_xy tile;
    uint64_t address;
    uint8_t *data; /* the bytes of a dump to stdout or of a print */
    size_t size;
    struct inside *inside; /* the state that a dump of the coprocessor has read */
    bool failed;           /* the expectation was not met */
};

struct machine;

/* Replaces the body of machine_run for machines that it drives (machine_drive). */
struct machine_driver {
    bool (*run)(struct machine_driver *driver, struct machine *machine, uint64_t cycles, unsigned flags,
                struct bh_stop *stop);
    void (*close)(struct machine_driver *driver, struct machine *machine); /* called before the chip is destroyed */
    bool repeats; /* the run repeats an earlier one, whose faults and warnings have been reported */
};

struct machine {
    /* Options: */
    const char *script_name; /* name of the command file, for messages; NULL: actions come from the command line */
    uint64_t max_cycles;
    bool json, quiet, keep_going, coverage;
    struct progress progress;
    uint64_t wait_until;               /* cycle at which runs that wait for answers of firmware give up; 0: none wait */
    bool stats, summary, profile;      /* contents of the report (report/stats.h, report/profile.h) */
    struct output output[OUTPUTS_MAX]; /* traces and profiles for other tools */
    unsigned output_count;
    struct tile_list trace_tiles;        /* tiles whose events traces contain; empty: all tiles */
    uint64_t trace_from, trace_to;       /* cycles whose events traces contain, [from, to) */
    unsigned op;                         /* number of the launch of kernels in progress, from 1 on */
    const char *page_path;               /* file for the page (report/page.h); NULL: no page */
    struct timeline *timeline;           /* the events that the page shows */
    bool check;                          /* whether to look for hazards (report/hazards.h) */
    const char *suppress_path;           /* file of suppressions; NULL: none */
    const struct suppressions *suppress; /* contents of that file (report/suppress.h) */
    const char *vary;                    /* seed or list of delays of --vary; NULL: no delays */
    const char *restore;                 /* file of a saved chip or system to continue; NULL: a new one */
    struct gdb *gdb;                     /* server for gdb; NULL: none */
    struct machine_driver *driver;       /* runs the machine instead of machine_run; NULL: none */
    const char *system_name; /* name of a kind of system, or of a file that describes one; NULL: a single chip */
    FILE *host_log; /* log of the host's accesses to tiles, one in each line (docs/software.md); NULL: no log */

    bh_chip *chip;
    struct bh_config config;
    struct bh_xy tensix[TENSIX_MAX]; /* live Tensix tiles, by index */
    unsigned tensix_count;
    struct bh_xy eth[ETH_MAX]; /* live Ethernet tiles */
    unsigned eth_count;

    bh_system *system;      /* the system, in its first machine only; NULL elsewhere and for a single chip */
    unsigned number;        /* of the chip in the system */
    struct machine *others; /* in the first machine: the machines of the other chips */
    unsigned other_count;
    struct ranks *ranks; /* other processes that run chips of the system (machine/ranks.h); NULL: none */
    uint64_t digest;     /* of the arguments and the command file, which must be the same in all ranks */

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
    bool astray;    /* a tile is in a state that its firmware does not know */
    bool deadlock;  /* the last run ended in a deadlock that no `expect CORE blocked` has claimed */
    double seconds; /* host time spent inside bh_run */
    char message[400];
};

/* Returns "p150" or "p100a". */
const char *board_name(enum bh_board board);
/* Returns "cycles" or "loose". */
const char *timing_name(enum bh_timing timing);
/* Returns the name of a state of cores (enum bh_core_state), for people. */
const char *state_name(unsigned state);
/* Tests the chip of a board. machine_other_board returns the name of a board other than the machine's whose chip passes
 * the test, or NULL. */
typedef bool board_test(const bh_chip *chip, const void *what);
const char *machine_other_board(const struct machine *machine, board_test *test, const void *what);

/* A board_test that passes if there is a live tile at the coordinates *(struct bh_xy *)what. */
board_test board_has_tile;

/* Returns the list itself, or a list of tile 1,2 if it is empty. */
const struct tile_list *tile_list_or_first(const struct tile_list *list);
bool tile_list_has(const struct tile_list *list, struct bh_xy tile);
/* Returns whether the range is a single tile. */
bool tile_range_is_one(const struct tile_range *range);

/* Unless a comment says otherwise, functions that return bool return false and set machine->message on a mistake of the
 * user. machine_open creates the chip or the system, by the options in the machine and by the settings. */
bool machine_open(struct machine *machine, const struct settings *settings);
/* Frees everything that the machine owns. Also needed after machine_open has failed. */
void machine_close(struct machine *machine);
/* Ends the events that are still in progress, and hands them to the outputs and the page. */
bool machine_flush(struct machine *machine);
/* Completes the files of traces and profiles. machine_close does the same, but reports no errors. */
bool machine_end_outputs(struct machine *machine);
/* Returns whether the symbol of a dump or text exists on each of its tiles. Otherwise sets a message. */
bool machine_can_look(struct machine *machine, const struct action *action);
/* Carries out an action on the chip that it names. */
bool machine_do(struct machine *machine, const struct action *action);
/* Carries out an action on the chip of this machine, whatever chip the action names. */
bool machine_do_here(struct machine *machine, const struct action *action);
/* Completes a machine whose chip has been created: lists its tiles, and begins to observe, check and vary it. */
bool machine_begin(struct machine *machine);
/* Records a fault for the report, unless the run is repeated (machine_is_repeated). */
void machine_on_fault(struct machine *machine, const struct bh_fault *fault);
/* Returns whether the run repeats cycles whose faults and warnings have been reported: gdb has gone back in time, or a
 * driver repeats a run. */
bool machine_is_repeated(const struct machine *machine);

/* ---- Systems (system.c) ---- */

/* Creates the system and a machine for each of its chips. */
bool system_open(struct machine *machine, const struct settings *settings);
void system_close(struct machine *machine);
/* Returns the machine of a chip, or NULL and sets a message if there is no such chip. */
struct machine *system_chip(struct machine *machine, unsigned chip);
/* Runs all chips of the system, like bh_system_run. */
bool system_run(struct machine *machine, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Copies the outcome of a run from the first machine to the others. */
void system_share(struct machine *machine);

/* Tiles with cores, by index: all Tensix tiles, then those Ethernet tiles that have a program. Other Ethernet tiles are
 * left out, because a query would initialise a tile that was never used. */
unsigned machine_core_tiles(const struct machine *machine);
struct bh_xy machine_core_tile(const struct machine *machine, unsigned index);

/* Kinds of cores: those of Tensix tiles have the numbers of enum bh_core, then come erisc0 and erisc1. */
enum { CORE_KINDS = BH_CORE_COUNT + 2 };
unsigned core_kind(const bh_chip *chip, struct bh_xy tile, enum bh_core core);
const char *core_kind_name(unsigned kind);

/* Sets the message. Returns false. */
bool machine_fail(struct machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets the message for a call of the library about a tile that has failed. Returns false. */
bool machine_failed_call(struct machine *machine, bh_status status, struct bh_xy tile);
/* Makes room for one more item at the end of an array with count items, whose capacity is a power of two. array_pointer
 * points to the pointer to the array. */
bool machine_reserve(struct machine *machine, void *array_pointer, size_t count, size_t item);

/* The tiles that an action accepts: any, those with cores, or Tensix tiles only. */
enum tile_need { ANY_TILE, CORE_TILE, TENSIX_TILE };
/* machine_each_tile calls the verb for every tile of tile_list_or_first(tiles), until one call returns false. It fails
 * if a tile does not exist, is harvested, or is not of the needed kind. */
typedef bool machine_verb(struct machine *machine, struct bh_xy tile, const void *what);
bool machine_each_tile(struct machine *machine, const struct tile_list *tiles, enum tile_need needs, machine_verb *verb,
                       const void *what);
/* Read and write memory of a tile in one access, or word by word where the tile only allows that (registers). Writes
 * are logged. */
bool machine_peek(struct machine *machine, struct bh_xy tile, uint64_t address, uint8_t *data, size_t size);
bool machine_write(struct machine *machine, struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size);

/* Writes the line "VERB X,Y ADDRESS BYTES" to the log, if there is one. */
void machine_log(struct machine *machine, const char *verb, struct bh_xy tile, uint64_t address, const uint8_t *data,
                 size_t size);

/* Returns the program file of that name, opened by that opener. A file is opened once; the machine owns it. Returns
 * NULL and sets a message on failure. */
struct program *machine_open_program(struct machine *machine, struct span spec, program_opener *opener);
/* Appends a copy of the image. The machine owns image->own from then on. */
bool machine_add_image(struct machine *machine, const struct image *image);
/* Runs for at most this many cycles. A fault ends the run early unless keep_going is set, and so does a state in which
 * nothing can happen any more. Returns false and sets a message after an internal error of the library. */
bool machine_run(struct machine *machine, uint64_t cycles, struct bh_stop *stop);
/* Lets a driver run all machines that this host thread opens from now on; NULL: they run by themselves again. */
void machine_drive(struct machine_driver *driver);
/* Opens a server for gdb on this port (gdb_open). From now on, gdb controls runs. */
bool machine_debug(struct machine *machine, const char *port);

/* Returns the program that was loaded for a core at *pc, and changes *pc to the address in the program's file. Returns
 * NULL if there is none. */
const struct program *machine_program(const struct machine *machine, struct bh_xy tile, enum bh_core core,
                                      uint32_t *pc);
/* The image that machine_image_again found last for a core. */
struct image_cache {
    const struct image *image;
    size_t images; /* number of images at that time */
};
/* Returns the image that was loaded last for a core at pc, or NULL if there is none. Looks at the last result first, so
 * that consecutive instructions are fast. Use one cache for each core of each tile. */
const struct image *machine_image_again(const struct machine *machine, struct image_cache *cache, struct bh_xy tile,
                                        enum bh_core core, uint32_t pc);
/* Returns the unit of time for reports: "cycles", or "loose cycles" with loose timing, where counts are approximate. */
const char *machine_cycles(const struct machine *machine);
/* Returns the number of faults that were not expected. */
size_t machine_unexpected(const struct machine *machine);

#endif
