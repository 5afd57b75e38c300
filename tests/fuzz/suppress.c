/* Fuzzes the parser of suppressions: any bytes must give a list or a message with a line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "report/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_item(const struct suppressions *list, size_t index) {
    const struct suppression *s = &list->item[index];
    if (s->kind < -1 || s->kind >= BH_HAZARD_KIND_COUNT || !s->first.n || !s->second.n)
        abort();
    if (s->line == 0 || (index && s->line <= list->item[index - 1].line))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct suppressions list;
    struct parse_error error;
    if (!suppress_parse((const char *)data, size, &list, &error) && (!error.line || !error.text[0] || list.count))
        abort();
    for (size_t i = 0; i < list.count; i++)
        check_item(&list, i);
    /* Symbols that the file itself has. */
    if (list.count && !suppress_find(&list, (enum bh_hazard_kind)(list.item[0].kind < 0 ? 0 : list.item[0].kind),
                                     list.item[0].first, list.item[0].second))
        abort(); /* a pattern matches itself */
    suppress_free(&list);
    return 0;
}
