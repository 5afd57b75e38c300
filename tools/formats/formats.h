/* The table of formats for traces and profiles. */
#ifndef TOOLS_FORMATS_H
#define TOOLS_FORMATS_H

#include "machine/output.h"

/* The names of all formats, for the help texts; a test compares them with the table. */
#define FORMATS_TRACE   "chrome, perfetto, noc, kanata, commit"
#define FORMATS_PROFILE "callgrind, lcov, device"

extern const struct format format_chrome, format_perfetto, format_noc, format_kanata, format_commit;
extern const struct format format_callgrind, format_lcov, format_device;

/* Returns the format with this index, or NULL past the last. */
const struct format *formats_at(unsigned index);
/* Find a format by its name, or by the name of a file, where a trace with any other name is "chrome". Both return NULL
 * if there is none. */
const struct format *formats_find(enum output_kind kind, const char *name);
const struct format *formats_of_file(enum output_kind kind, const char *path);
/* Returns the names of all formats of a kind: "chrome, perfetto, ...". */
const char *formats_names(enum output_kind kind);

#endif
