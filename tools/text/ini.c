/* Sections and settings: see ini.h. */
#include "text/ini.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span s) {
    while (s.n && is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

bool span_word(struct span *s, struct span *word) {
    *s = span_trim(*s);
    size_t n = 0;
    while (n < s->n && !is_blank(s->p[n]))
        n++;
    *word = (struct span){ s->p, n };
    s->p += n;
    s->n -= n;
    return n != 0;
}

/* Returns the line up to the first '#' that begins the line or follows a blank. */
static struct span without_comment(struct span line) {
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] == '#' && (i == 0 || is_blank(line.p[i - 1])))
            return (struct span){ line.p, i };
    return line;
}

bool span_line(struct span *s, struct span *line) {
    if (!s->n)
        return false;
    if (!span_cut(s, '\n', line)) {
        *line = *s;
        s->n = 0;
    }
    *line = span_trim(without_comment(*line));
    return true;
}

void ini_init(struct ini *ini, const char *text, size_t size) {
    *ini = (struct ini){ .rest = { text, size } };
}

static bool complain(struct ini *ini, unsigned line, const char *format, va_list list) {
    if (ini->error_count < INI_ERRORS_MAX) {
        struct parse_error *error = &ini->errors[ini->error_count];
        error->line = line;
        vsnprintf(error->text, sizeof error->text, format, list);
    }
    ini->error_count++;
    return false;
}

bool ini_error(struct ini *ini, const char *format, ...) {
    va_list list;
    va_start(list, format);
    complain(ini, ini->line, format, list);
    va_end(list);
    return false;
}

bool ini_error_at(struct ini *ini, unsigned line, const char *format, ...) {
    va_list list;
    va_start(list, format);
    complain(ini, line, format, list);
    va_end(list);
    return false;
}

void ini_sort_errors(struct ini *ini) {
    unsigned count = ini->error_count < INI_ERRORS_MAX ? ini->error_count : INI_ERRORS_MAX;
    for (unsigned i = 1; i < count; i++) {
        struct parse_error error = ini->errors[i];
        unsigned at = i;
        for (; at && ini->errors[at - 1].line > error.line; at--)
            ini->errors[at] = ini->errors[at - 1];
        ini->errors[at] = error;
    }
}

bool ini_unknown(struct ini *ini, const char *what, struct span word, const char *const *names) {
    const char *near = closest(word, names);
    if (near)
        return ini_error(ini, "unknown %s '%.*s'; did you mean '%s'?", what, SPAN(word), near);
    return ini_error(ini, "unknown %s '%.*s'", what, SPAN(word));
}

/* Reads [KIND] or [KIND NAME]. A malformed line ends the previous section, too; its kind is empty. */
static bool section(struct ini *ini, struct span line) {
    bool closed = line.n > 1 && line.p[line.n - 1] == ']';
    struct span inside = { line.p + 1, line.n - 1 - closed };
    ini->is_section = true;
    ini->key = ini->value = (struct span){ line.p, 0 };
    if (!closed)
        ini_error(ini, "']' is missing at the end of '%.*s'", SPAN(line));
    else if (!span_word(&inside, &ini->key))
        ini_error(ini, "a section needs a name");
    else
        ini->value = span_trim(inside);
    return true;
}

static bool setting(struct ini *ini, struct span line) {
    struct span value = line, key;
    if (!span_cut(&value, '=', &key))
        return ini_error(ini, "neither [SECTION] nor KEY = VALUE: '%.*s'", SPAN(line));
    ini->key = span_trim(key);
    ini->value = span_trim(value);
    ini->is_section = false;
    if (ini->key.n == 0)
        return ini_error(ini, "the key is missing in front of '='");
    if (ini->value.n == 0)
        return ini_error(ini, "'%.*s' has no value", SPAN(ini->key));
    return true;
}

bool ini_next(struct ini *ini) {
    for (struct span line; span_line(&ini->rest, &line);) {
        ini->line++;
        if (line.n && (line.p[0] == '[' ? section(ini, line) : setting(ini, line)))
            return true;
    }
    return false;
}
