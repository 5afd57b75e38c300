/* Words of the command line and of command files: spans of text, numbers, and suggestions ("did you mean"). No
 * allocation. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of text without a terminator. For printf: "%.*s", SPAN(s). */
struct span {
    const char *p;
    size_t n;
};
#define SPAN(s) (int)((s).n > 200 ? 200 : (s).n), (s).p

struct span span_of(const char *text);
bool span_is(struct span s, const char *text);
/* Splits at the first c: *head gets the text before it, *s the text behind it. Returns false if there is no c. */
bool span_cut(struct span *s, char c, struct span *head);

/* Returns whether the whole text matches a pattern, in which * stands for any text and ? for any character. */
bool span_matches(struct span s, struct span pattern);

/* A mistake in a text of the user, and its line; 0: not in a file. */
struct parse_error {
    unsigned line;
    char text[240];
};

/* Parses 123, 0x7b or 0b1111011, with underscores between digits. Returns false unless the whole span is one number
 * up to max. */
bool span_number(struct span s, uint64_t max, uint64_t *value);
/* Parses such a number with an optional k, M or G (10^3, 10^6, 10^9). */
bool span_count(struct span s, uint64_t *value);

/* Returns the entry of a NULL-terminated list that s was probably meant to be, or NULL. */
const char *closest(struct span s, const char *const *names);

/* Writes n with separated thousands, "1,234,567". Returns text. */
#define GROUPED_SIZE 27
const char *grouped(uint64_t n, char text[GROUPED_SIZE]);

#endif
