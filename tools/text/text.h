/* Words of the command line and of command files: spans of text, numbers, and suggestions ("did you mean"). Nothing
 * here allocates memory. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of text that need not end with a zero. To print it: printf("%.*s", SPAN(s)), which shows at most 200
 * characters. */
struct span {
    const char *p;
    size_t n;
};
#define SPAN(s) (int)((s).n > 200 ? 200 : (s).n), (s).p

struct span span_of(const char *text);
bool span_is(struct span s, const char *text);
bool span_same(struct span a, struct span b);
/* Splits *s at the first c: *head gets the text before c, *s the text after it. Returns false, and changes neither, if
 * there is no c. */
bool span_cut(struct span *s, char c, struct span *head);

/* Returns whether the whole text matches a pattern, in which * stands for any text and ? for any character. */
bool span_matches(struct span s, struct span pattern);

/* A mistake in a text of the user. line 0: the text is not from a file. */
struct parse_error {
    unsigned line;
    char text[240];
};

/* Parses a number such as 123, 0x7b or 0b1111011, with optional underscores between digits. Returns false unless the
 * whole span is one number of at most max. */
bool span_number(struct span s, uint64_t max, uint64_t *value);
/* Parses such a number with an optional suffix k, M or G (10^3, 10^6, 10^9). Returns false if the value does not
 * fit. */
bool span_count(struct span s, uint64_t *value);

/* Returns the name from a NULL-terminated list that s was probably meant to be, or NULL if none is close enough. */
const char *closest(struct span s, const char *const *names);

/* Writes n with commas between thousands, as in "1,234,567". Returns text. */
#define GROUPED_SIZE 27
const char *grouped(uint64_t n, char text[GROUPED_SIZE]);

#endif
