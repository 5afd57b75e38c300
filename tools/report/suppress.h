/* Suppressions: causes of hazards that the user knows about and does not want to see, one in each line:
 *
 *     # a comment
 *     KIND FIRST SECOND
 *
 * KIND is a kind of hazard (bhemu_hazard.def) or *. FIRST and SECOND are patterns (span_matches) for the symbols of the
 * first and the second instruction; an instruction without a symbol has the empty symbol, which only * matches.
 *
 * The parser copies nothing: spans point into the given text, which must outlive them. */
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

/* Parses a file. Returns false, with an empty list, for the first wrong line (see error) or if there is no memory. The
 * caller frees the list with suppress_free. */
bool suppress_parse(const char *text, size_t size, struct suppressions *list, struct parse_error *error);
void suppress_free(struct suppressions *list);

/* Returns the first suppression that matches the kind and the symbols of a hazard, or NULL if there is none. */
const struct suppression *suppress_find(const struct suppressions *list, enum bh_hazard_kind kind, struct span first,
                                        struct span second);

#endif
