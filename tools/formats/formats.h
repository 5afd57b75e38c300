/* The formats of traces and profiles: one table. */
#ifndef TOOLS_FORMATS_H
#define TOOLS_FORMATS_H

#include "machine/output.h"

/* For the help; a test compares them with the table. */
#define FORMATS_TRACE   "chrome, perfetto, noc, kanata, commit"
#define FORMATS_PROFILE "callgrind, lcov, device"

extern const struct format format_chrome, format_perfetto, format_noc, format_kanata, format_commit;
extern const struct format format_callgrind, format_lcov, format_device;

/* Returns the formats by index from 0; NULL past the last. */
const struct format *formats_at(unsigned index);
/* These return NULL if there is none: by name; by the name of a file, "chrome" for a trace with any other name. */
const struct format *formats_find(enum output_kind kind, const char *name);
const struct format *formats_of_file(enum output_kind kind, const char *path);
/* Returns "chrome, perfetto, ...". */
const char *formats_names(enum output_kind kind);

#endif
