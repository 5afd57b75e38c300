/* Environment variables: see variables.h. */
#include "text/variables.h"

#include <string.h>

/* Described in docs/libttsim.md, docs/python.md, docs/system.md, guest/bhemu-cc and tests/external/README.md. */
static const char *const variables[] = { "BHEMU_BOARD",   "BHEMU_CC_QUIET",       "BHEMU_CHECK",       "BHEMU_GDB",
                                         "BHEMU_LAYOUT",  "BHEMU_LIBRARY",        "BHEMU_MPI_TIMEOUT", "BHEMU_ON_FAULT",
                                         "BHEMU_RECORD",  "BHEMU_RECORD_LIBRARY", "BHEMU_RISC_DEBUG",  "BHEMU_SYSTEM",
                                         "BHEMU_THREADS", "BHEMU_TIMING",         "BHEMU_VARY",        NULL };

bool variable_is_ours(const char *entry, struct span *name) {
    static const char prefix[] = "BHEMU_";
    *name = (struct span){ entry, strcspn(entry, "=") };
    return strncmp(entry, prefix, sizeof prefix - 1) == 0;
}

bool variable_is_known(struct span name, const char **near) {
    for (const char *const *known = variables; *known; known++)
        if (span_is(name, *known))
            return true;
    *near = closest(name, variables);
    return false;
}
