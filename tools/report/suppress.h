/* Suppressions: causes of hazards that a user knows and does not want to see, one in each line:
 *
 *     # a comment
 *     KIND FIRST SECOND
 *
 * KIND is a kind of hazards (bhemu_hazard.def) or *. FIRST and SECOND are patterns (span_matches) for the symbols of
 * the first and the second instruction; an instruction without a symbol has the empty one, which only * matches.
 *
 * Parsing uses nothing but the text: spans point into it. */
#ifndef TOOLS_SUPPRESS_H
#define TOOLS_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "bhemu.h"
#include "text/text.h"

struct suppression {
    unsigned line;
    int kind; /* -1: every kind */
    struct span kind_name, first, second;
};

struct suppressions {
    struct suppression *item;
    size_t count;
};

/* Parses a file. Returns false and error for the first wrong line, or if there is no memory; then the list is empty. */
bool suppress_parse(const char *text, size_t size, struct suppressions *list, struct parse_error *error);
void suppress_free(struct suppressions *list);

/* Returns the first line that matches the kind and the symbols of a hazard; NULL if there is none. */
const struct suppression *suppress_find(const struct suppressions *list, enum bh_hazard_kind kind, struct span first,
                                        struct span second);

#endif
