/* Arithmetic expressions: sums and products of numbers and names, with parentheses.
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/" | "%") factor }
 *     factor  = NUMBER | NAME | "-" factor | "(" sum ")" */
#ifndef TOOLS_EXPR_H
#define TOOLS_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "text/text.h"

/* Gives names their values: `find` sets *value, or returns false for an unknown name. */
struct expr_scope {
    bool (*find)(const void *user, struct span name, int64_t *value);
    const void *user;
    bool only_check; /* values are not known yet: only the syntax is checked */
};

/* Evaluates an expression. Returns false and sets error->text if the expression has no value. */
bool expr_value(struct span text, const struct expr_scope *scope, int64_t *value, struct parse_error *error);
/* Like expr_value, for a value that fits into 32 bits, signed or unsigned. */
bool expr_word(struct span text, const struct expr_scope *scope, uint32_t *value, struct parse_error *error);

/* Returns whether the whole span is a valid NAME of the grammar above. */
bool is_name(struct span s);

#endif
