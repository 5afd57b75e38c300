/* Words of the command line and of command files: spans of text, numbers, and "did you mean". No allocation. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of text that is not terminated. For printf: "%.*s", SPAN(s). */
struct span {
    const char *p;
    size_t n;
};
#define SPAN(s) (int)((s).n > 200 ? 200 : (s).n), (s).p

struct span span_of(const char *text);
bool span_is(struct span s, const char *text);
/* Splits at the first c: *head gets what stands before it, *s what stands behind. False if there is no c. */
bool span_cut(struct span *s, char c, struct span *head);

/* What is wrong in a text of the user's, and in which line of it; 0: not in a file. */
struct parse_error {
    unsigned line;
    char text[240];
};

/* 123, 0x7b, 0b1111011; underscores between digits. False unless the whole span is one number up to max. */
bool span_number(struct span s, uint64_t max, uint64_t *value);
/* The same, with k, M or G (10^3, 10^6, 10^9) behind it. */
bool span_count(struct span s, uint64_t *value);

/* The entry of a NULL-terminated list that s was probably meant to be, or NULL. */
const char *closest(struct span s, const char *const *names);

/* Writes n with thousands apart, "1,234,567"; returns text. */
#define GROUPED_SIZE 27
const char *grouped(uint64_t n, char text[GROUPED_SIZE]);

#endif
