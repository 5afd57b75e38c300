/* Suppressions: see suppress.h. */
#include "report/suppress.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/ini.h"

static bool unknown_kind(struct span word, struct parse_error *error) {
    const char *names[BH_HAZARD_KIND_COUNT + 1] = { 0 };
    for (int i = 0; i < BH_HAZARD_KIND_COUNT; i++)
        names[i] = bh_hazard_kind_name((enum bh_hazard_kind)i);
    const char *near = closest(word, names);
    snprintf(error->text, sizeof error->text, "unknown kind of hazards '%.*s'%s%s%s", SPAN(word),
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool find_kind(struct span word, int *kind, struct parse_error *error) {
    for (*kind = 0; *kind < BH_HAZARD_KIND_COUNT; ++*kind)
        if (span_is(word, bh_hazard_kind_name((enum bh_hazard_kind) * kind)))
            return true;
    *kind = -1;
    return span_is(word, "*") || unknown_kind(word, error);
}

static bool parse_line(struct span line, struct suppression *item, struct parse_error *error) {
    struct span rest = line, more;
    bool complete = span_word(&rest, &item->kind_name) && span_word(&rest, &item->first) &&
                    span_word(&rest, &item->second) && !span_word(&rest, &more);
    if (complete)
        return find_kind(item->kind_name, &item->kind, error);
    snprintf(error->text, sizeof error->text, "a suppression is KIND SYMBOL SYMBOL, not '%.*s'", SPAN(line));
    return false;
}

/* Makes room for one more item. The capacity is a power of two. */
static bool reserve(struct suppressions *list, struct parse_error *error) {
    if (list->count & (list->count - 1))
        return true;
    struct suppression *larger = realloc(list->item, (list->count ? 2 * list->count : 1) * sizeof *larger);
    if (!larger) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return false;
    }
    list->item = larger;
    return true;
}

bool suppress_parse(const char *text, size_t size, struct suppressions *list, struct parse_error *error) {
    struct span rest = { text, size };
    *list = (struct suppressions){ 0 };
    *error = (struct parse_error){ 0 };
    for (struct span line; span_line(&rest, &line);) {
        struct suppression item = { .line = ++error->line };
        if (!line.n)
            continue;
        if (!parse_line(line, &item, error) || !reserve(list, error)) {
            suppress_free(list);
            return false;
        }
        list->item[list->count++] = item;
    }
    return true;
}

void suppress_free(struct suppressions *list) {
    free(list->item);
    *list = (struct suppressions){ 0 };
}

const struct suppression *suppress_find(const struct suppressions *list, enum bh_hazard_kind kind, struct span first,
                                        struct span second) {
    for (size_t i = 0; i < list->count; i++) {
        const struct suppression *item = &list->item[i];
        if ((item->kind < 0 || item->kind == (int)kind) && span_matches(first, item->first) &&
            span_matches(second, item->second))
            return item;
    }
    return NULL;
}
