/* One chip under the command line: what has been loaded into it, what happened, and what there is to report. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "program.h"
#include "script.h"

#define TENSIX_MAX 140

/* A program file, opened once however many tiles and cores have it. */
struct opened {
    struct span spec;
    struct program *program;
};

/* A program on some tiles, for one core. */
struct image {
    struct program *program;
    struct tile_list tiles;
    enum bh_core core;
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
    bool failed; /* an expectation that was not met */
};

struct machine {
    /* Options */
    const char *script_name; /* for messages; NULL: the command line */
    uint64_t max_cycles;
    bool json, quiet, keep_going, coverage, progress;

    bh_chip *chip;
    struct bh_config config;
    struct bh_xy tensix[TENSIX_MAX]; /* live ones, by index */
    unsigned tensix_count;

    struct image *images;
    size_t image_count;
    struct opened *opened;
    size_t opened_count;

    struct seen_fault *faults;
    size_t fault_count;
    struct finding *findings;
    size_t finding_count;

    bool limit_reached, interrupted, expectation_failed;
    bool deadlock;  /* how the last run ended, unless `expect CORE blocked` has asked for it */
    double seconds; /* host time inside bh_run */
    char message[400];
};

/* All that return bool: false and machine->message on a mistake of the user's. */
bool machine_open(struct machine *machine, const struct settings *settings);
void machine_close(struct machine *machine);
bool machine_do(struct machine *machine, const struct action *action);

/* The program that a core runs, as far as we loaded it; NULL if we did not. */
const struct program *machine_program(const struct machine *machine, struct bh_xy tile, enum bh_core core);
/* Faults that nobody expected. */
size_t machine_unexpected(const struct machine *machine);

#endif
