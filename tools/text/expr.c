/* Evaluates expressions (see expr.h) by recursive descent with a limited depth. Arithmetic is 64-bit; overflow is an
 * error. */
#include "text/expr.h"

#include <stdio.h>

#define DEPTH_MAX 32

struct reader {
    struct span rest, whole;
    const struct expr_scope *scope;
    struct parse_error *error;
    unsigned depth;
};

static bool fail(struct reader *r, const char *why) {
    snprintf(r->error->text, sizeof r->error->text, "%s in '%.*s'", why, SPAN(r->whole));
    return false;
}

static char look(struct reader *r) {
    while (r->rest.n && (r->rest.p[0] == ' ' || r->rest.p[0] == '\t')) {
        r->rest.p++;
        r->rest.n--;
    }
    return r->rest.n ? r->rest.p[0] : '\0';
}

static void skip(struct reader *r, size_t n) {
    r->rest.p += n;
    r->rest.n -= n;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t name_length(struct span s) {
    size_t n = 0;
    while (n < s.n && (is_letter(s.p[n]) || is_digit(s.p[n]) || (n && s.p[n] == '.')))
        n++;
    return n;
}

bool is_name(struct span s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_letter(s.p[i]) && (i == 0 || !is_digit(s.p[i])))
            return false;
    return s.n != 0;
}

static bool sum(struct reader *r, int64_t *value);

static bool number(struct reader *r, int64_t *value) {
    struct span digits = { r->rest.p, name_length(r->rest) };
    uint64_t n;
    if (!span_number(digits, INT64_MAX, &n))
        return fail(r, "a number is malformed or too large");
    *value = (int64_t)n;
    skip(r, digits.n);
    return true;
}

static bool name(struct reader *r, int64_t *value) {
    struct span s = { r->rest.p, name_length(r->rest) };
    if (!r->scope->find(r->scope->user, s, value)) {
        snprintf(r->error->text, sizeof r->error->text, "unknown name '%.*s'", SPAN(s));
        return false;
    }
    skip(r, s.n);
    return true;
}

static bool factor(struct reader *r, int64_t *value) {
    char c = look(r);
    bool ok;
    *value = 0;
    if (is_digit(c))
        return number(r, value);
    if (is_letter(c))
        return name(r, value);
    if (c != '-' && c != '(')
        return fail(r, r->rest.n ? "unexpected character" : "a number is missing");
    if (r->depth++ == DEPTH_MAX)
        return fail(r, "too many brackets");
    skip(r, 1);
    if (c == '-') {
        ok = factor(r, value) && (*value != INT64_MIN || fail(r, "a number is too large"));
        *value = ok ? -*value : 0;
    } else {
        ok = sum(r, value) && (look(r) == ')' || fail(r, "')' is missing"));
        if (ok)
            skip(r, 1);
    }
    r->depth--;
    return ok;
}

static bool combine(struct reader *r, char op, int64_t *value, int64_t other) {
    bool overflow = false;
    if (r->scope->only_check)
        return true;
    switch (op) {
    case '+': overflow = __builtin_add_overflow(*value, other, value); break;
    case '-': overflow = __builtin_sub_overflow(*value, other, value); break;
    case '*': overflow = __builtin_mul_overflow(*value, other, value); break;
    default:
        if (other == 0)
            return fail(r, "a division by zero");
        if (*value == INT64_MIN && other == -1)
            overflow = true;
        else
            *value = op == '/' ? *value / other : *value % other;
    }
    return !overflow || fail(r, "a number is too large");
}

static bool product(struct reader *r, int64_t *value) {
    if (!factor(r, value))
        return false;
    for (char c; (c = look(r)) == '*' || c == '/' || c == '%';) {
        int64_t other;
        skip(r, 1);
        if (!factor(r, &other) || !combine(r, c, value, other))
            return false;
    }
    return true;
}

static bool sum(struct reader *r, int64_t *value) {
    if (!product(r, value))
        return false;
    for (char c; (c = look(r)) == '+' || c == '-';) {
        int64_t other;
        skip(r, 1);
        if (!product(r, &other) || !combine(r, c, value, other))
            return false;
    }
    return true;
}

bool expr_value(struct span text, const struct expr_scope *scope, int64_t *value, struct parse_error *error) {
    struct reader r = { .rest = text, .whole = text, .scope = scope, .error = error };
    if (!sum(&r, value))
        return false;
    look(&r);
    return r.rest.n == 0 || fail(&r, "unexpected character");
}

bool expr_word(struct span text, const struct expr_scope *scope, uint32_t *value, struct parse_error *error) {
    int64_t wide;
    if (!expr_value(text, scope, &wide, error))
        return false;
    *value = (uint32_t)wide;
    if (scope->only_check || (wide >= INT32_MIN && wide <= UINT32_MAX))
        return true;
    snprintf(error->text, sizeof error->text, "'%.*s' is %lld, which does not fit into 32 bits", SPAN(text),
             (long long)wide);
    return false;
}
