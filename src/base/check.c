/* What happens when a check fails: see check.h. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the path from the last "src/" on, without the directory of the machine that built it. */
static const char *from_src(const char *where) {
    for (const char *at; (at = strstr(where + 1, "src/"));)
        where = at;
    return where;
}

bool check_failed(struct internal_error *error, const char *where) {
    where = from_src(where);
    if (BH_CHECKS || !error) {
        fprintf(stderr, "bhemu: internal error: %s\n", where);
        abort();
    }
    const char *none = NULL;
    atomic_compare_exchange_strong(&error->where, &none, where);
    if (error->pending)
        atomic_store_explicit(error->pending, true, memory_order_relaxed);
    return false;
}
