/* Command-line options from a table: parsing, help and errors that name the offending word. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of every command. */
enum {
    EXIT_DONE = 0,
    EXIT_FAULT = 1,
    EXIT_USAGE = 2,
    EXIT_LIMIT = 3,
    EXIT_DEADLOCK = 4,
    EXIT_RACE = 5,
    EXIT_DIFFERS = 6,
    EXIT_INTERRUPTED = 130
};

struct option {
    int id;           /* returned by options_next: the command's own numbers from 0 on, in any order */
    const char *name; /* "max-cycles"; NULL ends the table */
    const char
        *value; /* name of the value in the help, as FILE, or words to choose from, as cycles|loose; NULL: a switch */
    const char *help; /* one line, or lines separated by \n */
};

struct command {
    const char *name;
    const char *synopsis; /* follows "bhemu NAME " */
    const char *summary;  /* one line */
    const struct option *options;
    const char *notes;                  /* after the options: paragraphs and examples */
    const struct command *const *inner; /* the commands whose arguments it takes, up to NULL; NULL: none */
    int (*run)(const struct command *command, int argc, char **argv);
};

struct arguments {
    const struct command *command;
    int argc, next;
    char **argv;
    bool only_words;   /* "--" has been seen */
    const char *value; /* of the option or word that options_next returned */
    const char *name;  /* of the option */
};

/* Results of options_next besides the id of an option. */
enum { OPTION_END = -1, OPTION_WORD = -2, OPTION_BAD = -3, OPTION_HELP = -4 };

/* Returns the next option or word. OPTION_BAD: the mistake has been explained on stderr. OPTION_HELP: the help has
 * been printed. */
int options_next(struct arguments *arguments);
/* Returns the command of that name among those whose arguments a command takes, or NULL. */
const struct command *options_inner(const struct command *command, const char *name);
void options_help(const struct command *command, FILE *out);
/* Prints "bhemu NAME: ..." and a reference to the help on stderr. Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the error without the reference, for mistakes that the help cannot solve, such as a file that cannot be read.
 */
int tool_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
