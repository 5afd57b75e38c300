/* What happens when a check fails. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

bool check_failed(struct internal_error *error, const char *where) {
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
