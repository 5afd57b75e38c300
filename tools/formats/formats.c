/* The table of formats: see formats.h. If several formats fit the name of a file, the first one is used. */
#include "formats/formats.h"

#include <string.h>

static const struct format *const formats[] = {
    &format_noc,    &format_perfetto,  &format_kanata, &format_commit,
    &format_chrome, &format_callgrind, &format_lcov,   &format_device,
};

enum { FORMATS = sizeof formats / sizeof *formats };

const struct format *formats_at(unsigned index) {
    return index < FORMATS ? formats[index] : NULL;
}

const struct format *formats_find(enum output_kind kind, const char *name) {
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i]->kind == kind && strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static bool fits(const struct format *format, const char *name) {
    size_t length = strlen(name), begins = strlen(format->begins), ends = strlen(format->ends);
    if (!begins && !ends)
        return false;
    return length >= begins + ends && strncmp(name, format->begins, begins) == 0 &&
           strcmp(name + length - ends, format->ends) == 0;
}

const struct format *formats_of_file(enum output_kind kind, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i]->kind == kind && fits(formats[i], name))
            return formats[i];
    return kind == OUTPUT_TRACE ? &format_chrome : NULL;
}

const char *formats_names(enum output_kind kind) {
    return kind == OUTPUT_TRACE ? FORMATS_TRACE : FORMATS_PROFILE;
}
