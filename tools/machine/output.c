/* Outputs of a run: see output.h. A file that cannot be written any more is left alone until the end of the run, which
 * goes on. */
#include "machine/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/machine.h"

const char *output_option(enum output_kind kind) {
    return kind == OUTPUT_TRACE ? "trace" : "profile-file";
}

bool output_fail(struct output *o, const char *format, ...) {
    va_list list;
    if (*o->problem)
        return false;
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
    return machine_fail(m, "--%s: %s", output_option(o->format->kind), o->problem);
}

static bool has_events(struct machine *m, struct bh_xy tile, const void *what) {
    struct bh_tile_info info;
    (void)what;
    if (bh_tile_find(m->chip, tile, &info) == BH_OK && info.kind != BH_TILE_ROUTER)
        return true;
    return machine_fail(m, "--trace-tiles: nothing happens on %u,%u, which is a router only", tile.x, tile.y);
}

static bool open_one(struct machine *m, struct output *o) {
    o->machine = m;
    if (o->format->cycles && m->config.timing == BH_TIMING_LOOSE)
        return output_fail(o, "the format '%s' needs the timing 'cycles'", o->format->name);
    if (!(o->file = fopen(o->path, "w")))
        return output_fail(o, "cannot write '%s': %s", o->path, strerror(errno));
    return !o->format->open || o->format->open(o);
}

/* A reader of a pipe that has gone is an error of the file, not the end of the run. */
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

/* Closes the file. One that would have misleading contents, or none, is removed, unless it is a device. */
static bool close_one(struct output *o) {
    if (!o->file)
        return true;
    bool opened = o->state || !o->format->open;
    bool complete = opened && o->format->close(o) && !*o->problem;
    free(o->state);
    o->state = NULL;
    bool written = is_written(o);
    if (fclose(o->file) && written) {
        o->error = errno;
        written = false;
    }
    o->file = NULL;
    if (!written) {
        *o->problem = 0;
        return output_fail(o, "cannot write '%s': %s", o->path, strerror(o->error));
    }
    if (!complete && strncmp(o->path, "/dev/", 5) != 0)
        unlink(o->path);
    return complete;
}

bool outputs_close(struct machine *m) {
    bool ok = true;
    for (unsigned i = 0; i < m->output_count; i++)
        if (!close_one(&m->output[i]) && ok)
            ok = report(m, &m->output[i]);
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
        o->format->event(o, e);
        is_written(o);
    }
}
