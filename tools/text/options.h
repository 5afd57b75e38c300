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
    int id;            /* the command's own number for the option, from 0 on; options_next returns it */
    const char *name;  /* as in "max-cycles"; NULL ends the table */
    const char *value; /* how the help shows the value, as FILE or cycles|loose; NULL: the option is a switch */
    const char *help;  /* one line, or lines separated by \n */
};

struct command {
    const char *name;
    const char *synopsis; /* the text after "bhemu NAME " in the help */
    const char *summary;  /* one line */
    const struct option *options;
    const char *notes;                  /* paragraphs and examples that follow the options in the help */
    const struct command *const *inner; /* commands whose arguments this one accepts, too; ends with NULL; NULL: none */
    int (*run)(const struct command *command, int argc, char **argv);
};

struct arguments {
    const struct command *command;
    int argc, next;
    char **argv;
    bool only_words;   /* "--" has been seen */
    const char *value; /* of the option, or the word itself */
    const char *name;  /* of the option that options_next returned */
};

/* Results of options_next that are no id of an option. */
enum { OPTION_END = -1, OPTION_WORD = -2, OPTION_BAD = -3, OPTION_HELP = -4 };

/* Returns the id of the next option, or OPTION_WORD for a word that is no option. OPTION_BAD: the mistake has been
 * explained on stderr. OPTION_HELP: the help has been printed on stdout. */
int options_next(struct arguments *arguments);
/* Returns the option that a word, "--name" or "--name=value", names; NULL: the word is no option of the command. *value
 * becomes the text after the '=', or NULL. */
const struct option *options_named(const struct command *command, const char *word, const char **value);
/* Returns the command of that name from command->inner, or NULL. */
const struct command *options_inner(const struct command *command, const char *name);
/* Of a command that runs an inner one: prints its help if there are no arguments, or if the first one asks for it.
 * Returns the exit status, or -1 if the command goes on. */
int options_outer(const struct command *command, int argc, char **argv);
/* Runs an inner command with `count` words in front of the arguments. Returns its exit status. */
int options_run(const struct command *command, const struct command *inner, char *const *front, int count, int argc,
                char *const *argv);
/* Prints the help of a command. */
void options_help(const struct command *command, FILE *out);
/* Prints "bhemu NAME: ..." and a hint to the help on stderr. Returns EXIT_USAGE. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like usage_error without the hint, for mistakes that the help cannot solve, such as a file that cannot be read.
 * Returns EXIT_USAGE. */
int tool_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
