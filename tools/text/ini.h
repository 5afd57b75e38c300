/* Files of sections and settings, one in each line:
 *
 *     # a comment
 *     [section name]
 *     key = value
 *
 * Every wrong line gets a message with its number; reading continues with the next line. The reader opens no files and
 * copies nothing: spans point into the given text, which must outlive them. */
#ifndef TOOLS_INI_H
#define TOOLS_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "text/text.h"

#define INI_ERRORS_MAX 64

struct ini {
    struct span rest;
    /* The line that ini_next found: */
    unsigned line;
    bool is_section;
    struct span key;   /* the key, or in a section line its kind; .n is 0 for a malformed section */
    struct span value; /* the value, or in a section line its name; .n is 0 for a section without a name */
    /* Errors so far: all are counted, only the first INI_ERRORS_MAX are kept. */
    unsigned error_count;
    struct parse_error errors[INI_ERRORS_MAX];
};

/* Prepares to read `size` bytes of text. */
void ini_init(struct ini *ini, const char *text, size_t size);
/* Finds the next line that is not empty, and reports malformed lines. Returns false at the end of the text. */
bool ini_next(struct ini *ini);
/* Add a message for the line that ini_next found, or for another line. Both return false. */
bool ini_error(struct ini *ini, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ini_error_at(struct ini *ini, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sorts the errors by line. */
void ini_sort_errors(struct ini *ini);
/* Adds the message "unknown WHAT 'word'" and suggests the closest of `names`, a NULL-terminated list. Returns false. */
bool ini_unknown(struct ini *ini, const char *what, struct span word, const char *const *names);

/* Returns the span without blanks at its ends. */
struct span span_trim(struct span s);
/* Takes the next line off the front of *s, and strips its comment and the blanks around it. A comment begins with a '#'
 * at the beginning of the line or after a blank. Returns false at the end of *s. */
bool span_line(struct span *s, struct span *line);
/* Takes the next word, delimited by blanks, off the front of *s. Returns false if *s has no more words. */
bool span_word(struct span *s, struct span *word);

#endif
