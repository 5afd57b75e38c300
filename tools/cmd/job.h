/* Shared by the commands with a chip (run, boot, launch): options, the host's log, beginning and end. */
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
    struct settings settings; /* from the command line */
    const char *host_log;     /* path; NULL: no log */
    const char *gdb;          /* port for gdb; NULL: none */
    const char *save;         /* path of the file to save the chip to after success; NULL: none */
    const char *outcome;      /* path of the file for the outcome; NULL: none */
    const char *delays;       /* path of the file for the delays; NULL: none */
    char *suppress_text;      /* of the file that --suppress names */
    struct suppressions suppress;
    bool time;                                 /* print the time of the host */
    const struct format *format[OUTPUT_KINDS]; /* of the files that follow on the command line; NULL: by name */
    const char *tracing;                       /* an option that says what is in a trace */
    struct parse_error error;
};

/* Options that mean the same in all of these commands. A command lists those that it has in its table, with its own
 * help, and includes the rows that all of them share (job_output.def, job_host.def). The numbers of its other options
 * begin at JOB_OPTIONS. */
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
/* Evaluates one of these options. Returns false and job->error for a wrong value or another number. */
bool job_option(struct job *job, int id, const char *value);

/* Returns the text of a file of the user, or of stdin for "-". NULL and machine.message on failure. */
char *job_text(struct job *job, const char *path, size_t *size);

/* Opens the log, the suppressions and the machine. file: settings of a file, which the command line overrides, or NULL.
 * Returns EXIT_DONE, or another status after printing the reason. */
int job_open(struct job *job, const struct settings *file);
/* Writes the page of --report, if there is one. Returns EXIT_DONE, or EXIT_USAGE after printing the reason. */
int job_page(struct job *job);
/* Closes them, even if they were not opened, writes outcome and delays, and saves the chip if the command succeeded.
 * Returns the given status, or another one if a file could not be written. */
int job_close(struct job *job, int status);

#endif
