/* Files that a run writes for other tools: traces and profiles. A format is a row of a table (formats/formats.h); the
 * machine hands events to the format, and knows nothing about the contents of its files. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"

enum { OUTPUTS_MAX = 8 };

enum output_kind {
    OUTPUT_TRACE,   /* a log of events with their times; --trace-tiles and --trace-cycles select events */
    OUTPUT_PROFILE, /* a summary of what was executed and what it cost */
    OUTPUT_KINDS
};

struct machine;
struct output;

struct format {
    const char *name; /* "perfetto" */
    enum output_kind kind;
    const char *begins, *ends; /* beginning and end of the file names that have this format by default; "": any */
    const char *reader;        /* what the format is for, in words */
    unsigned watch;            /* what to observe besides BH_WATCH_EVENTS (enum bh_watch) */
    bool cycles;               /* the format makes no sense with loose timing */
    bool joins;                /* all chips of a system share one file; otherwise each chip has its own */
    /* A file consists of `head`, the parts of the chips with `between` between any two that are not empty, and `behind`
     * at the end. NULL: there is no such text. */
    void (*head)(struct output *output);
    const char *between, *behind;
    /* open and close return false after output_fail. open is called when the file is open, and may be NULL. event gets
     * each event of the run. close writes the rest; the caller frees `state` even if close fails. */
    bool (*open)(struct output *output);
    void (*event)(struct output *output, const struct bh_event *event);
    bool (*close)(struct output *output);
};

struct output {
    const struct format *format;
    const char *path;
    struct machine *machine;
    FILE *file;  /* NULL: not open */
    FILE *whole; /* first chip of a system: the file that all chips share, while `file` is a temporary one for its part;
                    else NULL */
    char *own_path;   /* `path` with the number of the chip in it; NULL: `path` is used as it is */
    void *state;      /* belongs to the format; allocated by output_state */
    uint64_t events;  /* number of events that the format was given */
    bool has_nothing; /* the run has nothing to write; `problem` says why */
    int error;        /* errno of the first write that failed */
    char problem[300];
};

/* Sets output->problem, unless an earlier call has set it. Returns false. */
bool output_fail(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like output_fail, for a chip that has nothing to write: an error only if no other chip of the system has something to
 * write. A later output_fail replaces the problem. */
bool output_nothing(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Allocates output->state, all zero. Returns NULL after output_fail if there is no memory. */
void *output_state(struct output *output, size_t size);

/* Returns the name of a file with the number of a chip in it, as in trace.chip1.json. The caller frees it. Returns NULL
 * without memory. */
char *output_chip_path(const char *path, unsigned chip);

/* outputs_open opens the outputs of one chip; outputs_close completes those of all chips of a system. An output that
 * cannot be written does not keep the others from being completed. Both return false and set machine->message on
 * failure. */
bool outputs_open(struct machine *machine);
bool outputs_close(struct machine *machine);
/* Hands an event to every output that wants it. */
void outputs_event(struct machine *machine, const struct bh_event *event);
/* Returns what the chip has to observe for the outputs (enum bh_watch). */
unsigned outputs_watch(const struct machine *machine);

#endif
