/* Files of sections and settings, one a line:
 *
 *     # a comment
 *     [section name]
 *     key = value
 *
 * Every line that is wrong gets a message with its number; reading goes on behind it. Nothing but the text is touched;
 * spans point into it.
 */
#ifndef TOOLS_INI_H
#define TOOLS_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "text/text.h"

#define INI_ERRORS_MAX 64

struct ini {
    struct span rest;
    /* The line that ini_next found. */
    unsigned line;
    bool is_section;
    struct span key;   /* or the kind of the section; of a section that is wrong .n is 0 */
    struct span value; /* or its name; .n 0: none */
    /* What was wrong so far; all are counted, the first ones kept. */
    unsigned error_count;
    struct parse_error errors[INI_ERRORS_MAX];
};

void ini_init(struct ini *ini, const char *text, size_t size);
/* The next line that says something; false at the end. */
bool ini_next(struct ini *ini);
/* A message for the line that ini_next found, or for another one. Returns false. */
bool ini_error(struct ini *ini, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ini_error_at(struct ini *ini, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* In the order of lines. */
void ini_sort_errors(struct ini *ini);
/* "unknown WHAT 'word'", with the one of the names that was probably meant. Returns false. */
bool ini_unknown(struct ini *ini, const char *what, struct span word, const char *const *names);

struct span span_trim(struct span s);
/* Takes the next word, parted by blanks, off the front; false if there is none. */
bool span_word(struct span *s, struct span *word);

#endif
