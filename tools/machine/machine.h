/* One chip under the command line: what has been loaded into it, what happened, and what there is to report. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"
#include "machine/program.h"
#include "script/script.h"

#define TENSIX_MAX 140

/* A program file, opened once however many tiles and cores have it. */
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
    uint32_t low, high;   /* the addresses that it has there: [low, high) */
    uint32_t shift;       /* an address there minus the same in the file */
    const uint8_t *bytes; /* what was put there, if that is known */
    uint8_t *own;         /* the same if it is to be freed */
};

/* A fault, and whether an `expect CORE faulted` has asked for it. */
struct seen_fault {
    struct bh_fault fault;
    bool expected;
};

/* What a dump, print or expect gave, kept for JSON. */
struct finding {
    const struct action *action;
    struct bh_xy tile;
    uint64_t address;
    uint8_t *data; /* of dumps to stdout and prints */
    size_t size;
    struct inside *inside; /* of dumps of the coprocessor */
    bool failed;           /* an expectation that was not met */
};

struct machine {
    /* Options */
    const char *script_name; /* for messages; NULL: the command line */
    uint64_t max_cycles;
    bool json, quiet, keep_going, coverage, progress;
    bool stats, summary, profile;  /* what the report shows of how it ran (report/stats.h, report/profile.h) */
    const char *trace_path;        /* NULL: no trace */
    struct tile_list trace_tiles;  /* whose events are in it; all if empty */
    uint64_t trace_from, trace_to; /* what happens in these cycles is in it, [from, to) */
    struct trace *trace;
    const char *restore; /* file with the chip to go on with; NULL: a new one */
    FILE *host_log;      /* what the host does to tiles, a line each (docs/software.md); NULL: nobody wants it */

    bh_chip *chip;
    struct bh_config config;
    struct bh_xy tensix[TENSIX_MAX]; /* live ones, by index */
    unsigned tensix_count;

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
    bool deadlock;  /* how the last run ended, unless `expect CORE blocked` has asked for it */
    double seconds; /* host time inside bh_run */
    char message[400];
};

/* "p150" or "p100a". */
const char *board_name(enum bh_board board);
/* "cycles" or "loose". */
const char *timing_name(enum bh_timing timing);
/* What people call a state of cores (enum bh_core_state). */
const char *state_name(unsigned state);
/* The name of another board whose chip passes the test, or NULL. */
typedef bool board_test(const bh_chip *chip, const void *what);
const char *machine_other_board(const struct machine *machine, board_test *test, const void *what);

/* A test: is there a tile at these coordinates (struct bh_xy), and is it alive? */
board_test board_has_tile;

/* The list, or tile 1,2 if it is empty. */
const struct tile_list *tile_list_or_first(const struct tile_list *list);
bool tile_list_has(const struct tile_list *list, struct bh_xy tile);
bool tile_range_is_one(const struct tile_range *range);

/* All that return bool: false and machine->message on a mistake of the user's. */
bool machine_open(struct machine *machine, const struct settings *settings);
void machine_close(struct machine *machine);
/* The trace is complete; without it, machine_close does the same in silence. */
bool machine_end_trace(struct machine *machine);
bool machine_do(struct machine *machine, const struct action *action);

/* Puts the message down and returns false. */
bool machine_fail(struct machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool machine_failed_call(struct machine *machine, bh_status status, struct bh_xy tile);
/* Room for one more item at the end of an array that grows by powers of two and has count items. */
bool machine_reserve(struct machine *machine, void *array_pointer, size_t count, size_t item);

/* Called for every tile of a list (tile_list_or_first), until one returns false. */
typedef bool machine_verb(struct machine *machine, struct bh_xy tile, const void *what);
bool machine_each_tile(struct machine *machine, const struct tile_list *tiles, bool needs_cores, machine_verb *verb,
                       const void *what);
/* Words one by one where there are registers. Writes go into the host's log. */
bool machine_peek(struct machine *machine, struct bh_xy tile, uint64_t address, uint8_t *data, size_t size);
bool machine_write(struct machine *machine, struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size);

/* VERB X,Y ADDRESS BYTES, into the host's log if there is one. */
void machine_log(struct machine *machine, const char *verb, struct bh_xy tile, uint64_t address, const uint8_t *data,
                 size_t size);

/* The program file of that name, opened once in that way; NULL and a message on failure. */
struct program *machine_open_program(struct machine *machine, struct span spec, program_opener *opener);
bool machine_add_image(struct machine *machine, const struct image *image);
/* At most this many cycles; a fault ends it early unless keep_going, and so does a chip on which nothing can happen.
 * False and a message after an internal error of the library. */
bool machine_run(struct machine *machine, uint64_t cycles, struct bh_stop *stop);

/* The program that a core has at *pc, which becomes the address in its file; NULL if we loaded none. */
const struct program *machine_program(const struct machine *machine, struct bh_xy tile, enum bh_core core,
                                      uint32_t *pc);
/* What is counted in reports: "cycles", unless they are loose and not to be taken at face value. */
const char *machine_cycles(const struct machine *machine);
/* Faults that nobody expected. */
size_t machine_unexpected(const struct machine *machine);

#endif
