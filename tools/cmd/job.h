/* Code that the commands with a chip (run, boot, launch) share: options, the host's log, beginning and end. */
#ifndef TOOLS_JOB_H
#define TOOLS_JOB_H

#include <stdbool.h>

#include "formats/formats.h"
#include "machine/machine.h"
#include "report/suppress.h"
#include "text/options.h"

struct job {
    const struct command *command;
    struct machine machine;
    struct settings settings; /* settings from the command line */
    const char *host_log;     /* path of the log; NULL: none */
    const char *gdb;          /* port for gdb; NULL: none */
    const char *save;         /* path to save the chip to, if the command succeeds; NULL: none */
    const char *outcome;      /* path of the file for the outcome; NULL: none */
    const char *delays;       /* path of the file for the delays; NULL: none */
    char *suppress_text;      /* text of the file that --suppress names */
    struct suppressions suppress;
    bool time;                                 /* whether to print the time of the host */
    const struct format *format[OUTPUT_KINDS]; /* of the files that follow on the command line; NULL: by file name */
    bool unused_format[OUTPUT_KINDS];          /* no file has followed it yet */
    const char *tracing;                       /* an option that selects the contents of traces, for messages */
    struct parse_error error;
};

/* Options with the same meaning in all of these commands. A command lists those that it has in its table, with its own
 * help, and includes the rows that all of them share (job_output.def, job_host.def). A command numbers its other
 * options from JOB_OPTIONS on. */
enum job_option {
    JOB_MAX_CYCLES,
    JOB_KEEP_GOING,
    JOB_HOST_LOG,
    JOB_BOARD,
    JOB_THREADS,
    JOB_TIMING,
    JOB_SKEW,
    JOB_JSON,
    JOB_QUIET,
    JOB_TIME,
    JOB_NO_PROGRESS,
    JOB_SAVE,
    JOB_RESTORE,
    JOB_CHECK,
    JOB_SUPPRESS,
    JOB_VARY,
    JOB_OUTCOME,
    JOB_DELAYS,
    JOB_GDB,
    JOB_TRACE,
    JOB_TRACE_FORMAT,
    JOB_TRACE_TILES,
    JOB_TRACE_CYCLES,
    JOB_PROFILE_FILE,
    JOB_PROFILE_FORMAT,
    JOB_REPORT,
    JOB_OPTIONS,
};

struct job job_init(const struct command *command, uint64_t max_cycles);
/* Handles one of these options. Returns false and sets job->error for a wrong value, or if the id is none of these. */
bool job_option(struct job *job, int id, const char *value);

/* Returns the text of a file of the user, or of stdin for "-". Returns NULL and sets machine.message on failure. The
 * caller frees it. */
char *job_text(struct job *job, const char *path, size_t *size);

/* Opens the log, the suppressions and the machine. file: settings from a file, which those of the command line
 * override; may be NULL. Returns EXIT_DONE, or another status after printing the reason. */
int job_open(struct job *job, const struct settings *file);
/* Writes the page of --report, if requested. Returns EXIT_DONE, or EXIT_USAGE after printing the reason. */
int job_page(struct job *job);
/* Closes what job_open has opened, which may be nothing; writes the outcome and the delays, and, if the command
 * succeeded, saves the chip. Returns the given status, or another one if a file could not be written. */
int job_close(struct job *job, int status);

#endif
