/* Files that a run writes for other tools: traces and profiles. A format is a row of a table (formats/formats.h); the
 * machine feeds it with events and knows nothing of its contents. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"

enum { OUTPUTS_MAX = 8 };

enum output_kind {
    OUTPUT_TRACE,   /* what happened when; --trace-tiles and --trace-cycles select events */
    OUTPUT_PROFILE, /* what was executed, and what it cost */
    OUTPUT_KINDS
};

struct machine;
struct output;

struct format {
    const char *name; /* "perfetto" */
    enum output_kind kind;
    const char *begins, *ends; /* names of files that have this format by default; "": any */
    const char *reader;        /* for people: what it is for */
    unsigned watch;            /* enum bh_watch besides BH_WATCH_EVENTS */
    bool cycles;               /* it makes no sense with loose timing */
    bool joins;                /* a system has one file for all its chips; otherwise each chip has one of its own */
    /* A file has `head`, the parts of the chips, `between` between any two that are not empty, and `behind` at the end.
     * NULL: nothing there. */
    void (*head)(struct output *output);
    const char *between, *behind;
    /* These return false after output_fail. open: the file is open. close: writes what is left; state is freed even if
     * that fails. */
    bool (*open)(struct output *output);
    void (*event)(struct output *output, const struct bh_event *event);
    bool (*close)(struct output *output);
};

struct output {
    const struct format *format;
    const char *path;
    struct machine *machine;
    FILE *file;       /* NULL: closed */
    FILE *whole;      /* of the first chip of a system: the file that the parts of the chips go to; NULL: no parts */
    char *own_path;   /* `path` with the number of the chip, or NULL */
    void *state;      /* of the format */
    uint64_t events;  /* that it was given */
    bool has_nothing; /* there was nothing to write; the problem says why */
    int error;        /* errno of the first write that has failed */
    char problem[300];
};

/* Returns "trace" or "profile-file": the option. */
const char *output_option(enum output_kind kind);
/* Sets output->problem, unless there is one, and returns false. */
bool output_fail(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, where there is nothing to write: no error for a chip if another one has something. */
bool output_nothing(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Allocates the state of a format, all zero. */
void *output_state(struct output *output, size_t size);

/* Returns the name of a file with the number of a chip in it: trace.chip1.json. The caller frees it; NULL: no memory.
 */
char *output_chip_path(const char *path, unsigned chip);

/* These return false and machine->message on failure. open: those of one chip. close: of all outputs, and of all chips;
 * those that cannot be written do not keep others from it. */
bool outputs_open(struct machine *machine);
bool outputs_close(struct machine *machine);
void outputs_event(struct machine *machine, const struct bh_event *event);
/* Returns what the outputs want to watch (enum bh_watch). */
unsigned outputs_watch(const struct machine *machine);

#endif
