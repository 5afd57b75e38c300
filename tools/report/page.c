/* A page for the browser: see page.h. The page is a template (page/) that contains the run's data as JSON; its script
 * draws them. The events of each track are a list of numbers: gap, length, name and source line of each
 * (machine/timeline.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timeline.h"
#include "report/page.h"
#include "report/report.h"
#include "text/json.h"

/* The lines of the template before and after the data (made by page/embed). */
extern const char *const page_before[], *const page_behind[];

static void json_xy(struct json *j, const char *key, struct bh_xy at) {
    json_integers(j, key, (const uint64_t[]){ at.x, at.y }, 2);
}

static void json_tiles(struct json *j, const struct machine *m) {
    struct bh_tile_info info;
    json_open(j, "grid", '[');
    for (unsigned i = 0; bh_tile_at(m->chip, i, &info) == BH_OK; i++) {
        json_open_line(j, NULL, '{');
        json_string(j, "kind", bh_tile_kind_name(info.kind));
        json_bool(j, "harvested", info.harvested);
        json_xy(j, "at", info.translated);
        json_xy(j, "noc0", info.noc0);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void json_texts(struct json *j, const char *key, const struct timeline_texts *texts) {
    json_open(j, key, '[');
    for (size_t i = 0; i < texts->count; i++)
        json_string(j, NULL, texts->text[i]);
    json_close(j, ']');
}

static void json_track(struct json *j, struct bh_xy tile, unsigned number, const struct timeline_track *track) {
    if (!track->count)
        return;
    json_open_line(j, NULL, '{');
    json_xy(j, "tile", tile);
    json_number(j, "track", number);
    json_open(j, "events", '[');
    for (size_t i = 0; i < track->count; i++) {
        const struct timeline_event *e = &track->event[i];
        fprintf(j->out, "%s%u,%u,%u,%u", i ? "," : "", e->gap, e->length, e->name, e->place);
    }
    json_close(j, ']');
    json_close_line(j, '}');
}

static void json_tracks(struct json *j, const struct timeline *t) {
    json_open(j, "tracks", '[');
    for (unsigned i = 0; i < BH_TRACK_COUNT; i++)
        json_string(j, NULL, bh_track_name((enum bh_track)i));
    json_close(j, ']');
    json_open(j, "timeline", '[');
    for (unsigned i = 0; i < TIMELINE_SIDE * TIMELINE_SIDE; i++) {
        struct bh_xy tile = { (uint8_t)(i % TIMELINE_SIDE), (uint8_t)(i / TIMELINE_SIDE) };
        for (unsigned track = 0; t->tile[tile.y][tile.x] && track < BH_TRACK_COUNT; track++)
            json_track(j, tile, track, &t->tile[tile.y][tile.x][track]);
    }
    json_close(j, ']');
}

static void json_packets(struct json *j, const struct timeline *t) {
    json_open(j, "packets", '[');
    for (size_t i = 0; i < t->packet_count; i++) {
        const struct timeline_packet *p = &t->packet[i];
        json_integers(
            j, NULL,
            (const uint64_t[]){ p->noc, p->from.x, p->from.y, p->to.x, p->to.y, p->start, p->end, p->bytes, p->name },
            9);
    }
    json_close(j, ']');
}

static void json_chip(struct json *j, const struct machine *m) {
    const struct timeline *t = m->timeline;
    if (m->system_name)
        json_number(j, "chip", m->number);
    report_json_page(j, m);
    json_tiles(j, m);
    json_texts(j, "names", &t->names);
    json_texts(j, "places", &t->places);
    json_tracks(j, t);
    json_packets(j, t);
    json_number(j, "dropped", t->dropped);
}

/* Writes the chips that were used, or the first if there is none. */
static void json_chips(struct json *j, const struct machine *m) {
    bool any = false;
    json_string(j, "system", m->system_name);
    json_open(j, "chips", '[');
    for (unsigned i = 0; i <= m->other_count + 1; i++) {
        const struct machine *chip = i && i <= m->other_count ? &m->others[i - 1] : m;
        if (i > m->other_count ? any : !report_has_something(chip))
            continue;
        any = true;
        json_open(j, NULL, '{');
        json_chip(j, chip);
        json_close(j, '}');
    }
    json_close(j, ']');
    report_json_links(j, m);
}

static void write_data(FILE *out, const struct machine *m, bool all) {
    struct json j;
    json_init(&j, out);
    j.in_html = true;
    json_open(&j, NULL, '{');
    if (all)
        json_chips(&j, m);
    else
        json_chip(&j, m);
    json_close(&j, '}');
    json_end(&j);
}

static void write_lines(FILE *out, const char *const *line) {
    for (; *line; line++) {
        fputs(*line, out);
        fputc('\n', out);
    }
}

/* Writes one page. m gets messages. all: the page shows all chips of a system. */
static bool write_page(struct machine *m, const struct machine *chip, const char *path, bool all) {
    FILE *out = fopen(path, "w");
    if (!out)
        return machine_fail(m, "--report: cannot write '%s': %s", path, strerror(errno));
    write_lines(out, page_before);
    write_data(out, chip, all);
    write_lines(out, page_behind);
    bool written = !ferror(out);
    if (fclose(out) || !written)
        return machine_fail(m, "--report: '%s' could not be written: %s", path, strerror(errno));
    return true;
}

/* Writes a page for each chip of this rank. */
static bool write_pages(struct machine *m) {
    bool ok = true;
    for (unsigned i = 0; ok && i <= m->other_count; i++) {
        const struct machine *chip = i ? &m->others[i - 1] : m;
        if (!chip->chip || !report_has_something(chip))
            continue;
        char *path = output_chip_path(m->page_path, i);
        ok = path ? write_page(m, chip, path, false) : machine_fail(m, "out of memory");
        free(path);
    }
    return ok;
}

bool page_write(struct machine *m) {
    return m->ranks ? write_pages(m) : write_page(m, m, m->page_path, m->system);
}
