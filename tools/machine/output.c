/* Outputs of a run: see output.h. After a failed write to a file, the run continues, and nothing more is written to
 * that file. */
#include "machine/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/ranks.h"

static const char *option_of(enum output_kind kind) {
    return kind == OUTPUT_TRACE ? "trace" : "profile-file";
}

bool output_fail(struct output *o, const char *format, ...) {
    va_list list;
    if (*o->problem && !o->has_nothing)
        return false;
    o->has_nothing = false;
    va_start(list, format);
    vsnprintf(o->problem, sizeof o->problem, format, list);
    va_end(list);
    return false;
}

bool output_nothing(struct output *o, const char *format, ...) {
    va_list list;
    if (*o->problem)
        return false;
    o->has_nothing = true;
    va_start(list, format);
    vsnprintf(o->problem, sizeof o->problem, format, list);
    va_end(list);
    return false;
}

void *output_state(struct output *o, size_t size) {
    o->state = calloc(1, size);
    if (!o->state)
        output_fail(o, "out of memory");
    return o->state;
}

static bool report(struct machine *m, const struct output *o) {
    return machine_fail(m, "--%s: %s", option_of(o->format->kind), o->problem);
}

static bool has_events(struct machine *m, struct bh_xy tile, const void *what) {
    struct bh_tile_info info;
    (void)what;
    if (bh_tile_find(m->chip, tile, &info) == BH_OK && info.kind != BH_TILE_ROUTER)
        return true;
    return machine_fail(m, "--trace-tiles: nothing happens on %u,%u, which is a router only", tile.x, tile.y);
}

char *output_chip_path(const char *path, unsigned chip) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t size = strlen(path) + 24, stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    char *result = malloc(size);
    if (result)
        snprintf(result, size, "%.*s.chip%u%s", (int)stem, path, chip, path + stem);
    return result;
}

/* Returns whether the chips share the file of this output. Those of several ranks never do: their parts would have to
 * be sent from one process to another. */
static bool is_joined(const struct machine *m, const struct output *o) {
    return m->system_name && o->format->joins && !ranks_are_several();
}

static bool open_file(struct machine *m, struct output *o) {
    bool joined = is_joined(m, o);
    if (m->system_name && !joined && !(o->path = o->own_path = output_chip_path(o->path, m->number)))
        return output_fail(o, "out of memory");
    FILE *named = joined && m->number ? NULL : fopen(o->path, "w");
    if (!named && !(joined && m->number))
        return output_fail(o, "cannot write '%s': %s", o->path, strerror(errno));
    if (named && o->format->head) {
        o->file = named;
        o->format->head(o);
    }
    o->whole = joined ? named : NULL;
    o->file = joined ? tmpfile() : named;
    return o->file || output_fail(o, "no room for a temporary file: %s", strerror(errno));
}

static bool open_one(struct machine *m, struct output *o) {
    o->machine = m;
    if (o->format->cycles && m->config.timing == BH_TIMING_LOOSE)
        return output_fail(o, "the format '%s' needs the timing 'cycles'", o->format->name);
    return open_file(m, o) && (!o->format->open || o->format->open(o));
}

/* Ignores SIGPIPE: a pipe whose reader has closed its end is an error of that file, and does not end the run. */
bool outputs_open(struct machine *m) {
    if (m->output_count)
        signal(SIGPIPE, SIG_IGN);
    if (m->trace_tiles.count && !machine_each_tile(m, &m->trace_tiles, ANY_TILE, has_events, NULL))
        return false;
    for (unsigned i = 0; i < m->output_count; i++)
        if (!open_one(m, &m->output[i]))
            return report(m, &m->output[i]);
    return true;
}

static bool is_written(struct output *o) {
    if (ferror(o->file) && !o->error)
        o->error = errno;
    return !ferror(o->file);
}

/* Lets the format write the rest, and frees its state. Returns whether the output is complete. */
static bool finish(struct output *o) {
    bool opened = o->state || !o->format->open;
    bool complete = opened && o->format->close(o) && !*o->problem;
    free(o->state);
    o->state = NULL;
    return complete;
}

/* Closes the file. An incomplete file is removed, unless it is a device. */
static bool close_file(struct output *o, FILE *file, bool complete) {
    bool written = !ferror(file);
    if (!written && !o->error)
        o->error = errno;
    if (fclose(file) && written) {
        o->error = errno;
        written = false;
    }
    if (!written) {
        *o->problem = 0;
        return output_fail(o, "cannot write '%s': %s", o->path, strerror(o->error));
    }
    if (!complete && strncmp(o->path, "/dev/", 5) != 0)
        unlink(o->path);
    return complete;
}

/* Closes the file of one chip. In a system, the file of a chip without events is removed, which is no error. */
static bool close_own(struct output *o) {
    if (!o->file)
        return true;
    bool idle = o->own_path && !o->events, complete = finish(o);
    if (complete && o->format->behind)
        fputs(o->format->behind, o->file);
    complete = close_file(o, o->file, complete && !idle);
    o->file = NULL;
    o->has_nothing = o->has_nothing || (idle && !complete && !*o->problem);
    return complete || o->has_nothing;
}

/* Appends the part of a chip to the shared file. Returns false if the part cannot be read. */
static bool copy_part(struct output *whole, FILE *part, bool *first) {
    char bytes[1 << 14];
    rewind(part);
    for (size_t n, begin = true; (n = fread(bytes, 1, sizeof bytes, part)); begin = false) {
        if (begin && !*first && whole->format->between)
            fputs(whole->format->between, whole->whole);
        *first = false;
        fwrite(bytes, 1, n, whole->whole);
    }
    return !ferror(part);
}

static struct output *output_of(struct machine *m, unsigned chip, unsigned index) {
    return chip ? &m->others[chip - 1].output[index] : &m->output[index];
}

/* Drops the parts of all chips. The first chip, which has the shared file, is the last one that opens its output: when
 * that fails, the other chips have begun their parts already. */
static void drop_parts(struct machine *m, unsigned index) {
    for (unsigned i = 0; i <= m->other_count; i++) {
        struct output *o = output_of(m, i, index);
        if (!o->file)
            continue;
        (void)finish(o);
        fclose(o->file);
        o->file = NULL;
    }
}

/* Closes an output whose chips share the file: joins the parts of all chips. */
static bool close_joined(struct machine *m, unsigned index) {
    struct output *whole = &m->output[index];
    bool ok = true, any = false, first = true;
    if (!whole->whole) {
        drop_parts(m, index);
        return true;
    }
    for (unsigned i = 0; i <= m->other_count; i++) {
        struct output *o = output_of(m, i, index);
        if (!o->file)
            continue;
        bool complete = finish(o);
        if (complete && !copy_part(whole, o->file, &first))
            complete = output_fail(o, "a temporary file cannot be read: %s", strerror(errno));
        if (ferror(o->file) && !ferror(whole->whole))
            complete = output_fail(o, "a temporary file cannot be written: %s", strerror(o->error));
        fclose(o->file);
        o->file = NULL;
        any = any || complete;
        if (!complete && !o->has_nothing && ok)
            ok = report(m, o);
    }
    if (whole->format->behind)
        fputs(whole->format->behind, whole->whole);
    FILE *file = whole->whole;
    whole->whole = NULL;
    if (!any && ok)
        ok = report(m, whole);
    bool written = close_file(whole, file, ok);
    return written || (ok ? report(m, whole) : false);
}

/* Closes an output with a file for each chip. It is an error if no chip has anything to write. */
static bool close_each(struct machine *m, unsigned index) {
    bool ok = true, any = false, open = false;
    for (unsigned i = 0; i <= m->other_count; i++) {
        struct output *o = output_of(m, i, index);
        open = open || o->file;
        if (!close_own(o) && ok)
            ok = report(m, o);
        any = any || !o->has_nothing;
        free(o->own_path);
        o->own_path = NULL;
        o->path = m->output[index].path;
    }
    if (any || !open || !ok || ranks_are_several())
        return ok;
    struct output *o = &m->output[index];
    if (!*o->problem)
        output_fail(o, "nothing happened on any chip: nothing to write");
    return report(m, o);
}

bool outputs_close(struct machine *m) {
    bool ok = true;
    for (unsigned i = 0; i < m->output_count; i++) {
        bool closed = is_joined(m, &m->output[i]) ? close_joined(m, i) : close_each(m, i);
        ok = ok && closed;
    }
    return ok;
}

unsigned outputs_watch(const struct machine *m) {
    unsigned watch = m->output_count ? BH_WATCH_EVENTS : 0;
    for (unsigned i = 0; i < m->output_count; i++)
        watch |= m->output[i].format->watch;
    return watch;
}

static bool is_wanted(const struct machine *m, const struct bh_event *e) {
    return e->end >= m->trace_from && e->start < m->trace_to && (e->end > m->trace_from || e->start == e->end) &&
           (!m->trace_tiles.count || tile_list_has(&m->trace_tiles, e->tile));
}

void outputs_event(struct machine *m, const struct bh_event *e) {
    for (unsigned i = 0; i < m->output_count; i++) {
        struct output *o = &m->output[i];
        if (!o->file || ferror(o->file) || (o->format->kind == OUTPUT_TRACE && !is_wanted(m, e)))
            continue;
        o->events++;
        o->format->event(o, e);
        is_written(o);
    }
}
