/* What the commands with a chip (run, boot, launch) have in common: options, the host's log, how they begin and end. */
#ifndef TOOLS_JOB_H
#define TOOLS_JOB_H

#include <stdbool.h>

#include "machine/machine.h"
#include "text/options.h"

struct job {
    const struct command *command;
    struct machine machine;
    struct settings settings; /* as the command line has them */
    const char *host_log;     /* path; NULL: nobody wants it */
    const char *save;         /* likewise: where to save the chip when everything has gone well */
    bool time;                /* say how long the host took */
    struct parse_error error;
};

/* Options that mean the same in all of them. A command that has one puts it into its table, with a help of its own; the
 * numbers of its own options begin at JOB_OPTIONS. */
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
    JOB_SAVE,
    JOB_RESTORE,
    JOB_OPTIONS,
};

struct job job_init(const struct command *command, uint64_t max_cycles);
/* Takes one of these; false and job->error on a wrong value, and on a number that is none of theirs. */
bool job_option(struct job *job, int id, const char *value);

/* The text of a file of the user's, or of stdin if that is its name: "-". NULL and machine.message on failure. */
char *job_text(struct job *job, const char *path, size_t *size);

/* Opens the log and the machine; file: settings of a file, which the command line goes before, or NULL. Returns
 * EXIT_DONE, or another status once it has said why not. */
int job_open(struct job *job, const struct settings *file);
/* Closes them, opened or not, and saves the chip if the command has gone well. Returns the status of the command: the
 * given one, unless the log or the chip could not be written. */
int job_close(struct job *job, int status);

#endif
