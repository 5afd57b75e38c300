/* Files of sections and settings, one in each line:
 *
 *     # a comment
 *     [section name]
 *     key = value
 *
 * Every wrong line gets a message with its number; reading continues behind it. The reader uses nothing but the
 * text; spans point into it. */
#ifndef TOOLS_INI_H
#define TOOLS_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "text/text.h"

#define INI_ERRORS_MAX 64

struct ini {
    struct span rest;
    /* The line that ini_next found */
    unsigned line;
    bool is_section;
    struct span key;   /* or the kind of the section; .n is 0 for a malformed section */
    struct span value; /* or its name; .n 0: none */
    /* Errors so far; all are counted, the first ones are kept */
    unsigned error_count;
    struct parse_error errors[INI_ERRORS_MAX];
};

void ini_init(struct ini *ini, const char *text, size_t size);
/* Finds the next line that is not empty. Returns false at the end. */
bool ini_next(struct ini *ini);
/* Add a message for the line that ini_next found, or for another one. Return false. */
bool ini_error(struct ini *ini, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ini_error_at(struct ini *ini, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sorts the errors by line. */
void ini_sort_errors(struct ini *ini);
/* Adds the message "unknown WHAT 'word'", with the name that was probably meant. Returns false. */
bool ini_unknown(struct ini *ini, const char *what, struct span word, const char *const *names);

struct span span_trim(struct span s);
/* Takes the next line off the front, without its comment and the blanks around it. A comment begins with a '#' that
 * begins the line or follows a blank. Returns false at the end. */
bool span_line(struct span *s, struct span *line);
/* Takes the next word, delimited by blanks, off the front. Returns false if there is none. */
bool span_word(struct span *s, struct span *word);

#endif
