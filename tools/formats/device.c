/* tt-metal's device profiler log, profile_log_device.csv (tt_metal/impl/profiler/profiler.cpp), which tools/tracy reads.
 * Its zones are those that tt-metal's firmware marks: BRISC-FW and BRISC-KERNEL and their like, as the emulator sees
 * them. Coordinates are those of NoC 0, as tt-metal has them. The scripts tell runs apart by BRISC-FW, and expect that
 * everything else on a tile lies in it, as BRISC waits for the other cores. Here that zone is from the first to the last
 * cycle of all cores of the tile, whether BRISC has waited or not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/sorted.h"
#include "formats/zones.h"

enum { MEGAHERTZ = 1350 };

/* A line of the log. */
struct marker {
    struct zone zone;
    struct bh_xy at;
    bool end;
};

/* A run of kernels on a tile. */
struct tile_run {
    struct zone all; /* BRISC-FW: from the first to the last cycle */
};

struct log {
    struct output *output;
    struct tile_run *run;
    size_t runs;
    struct zones zones;
    struct sorted *sorted;
};

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static uint64_t time_of(const struct marker *m) {
    return m->end ? m->zone.end : m->zone.start;
}

/* By tile, core and time. At the same time zones nest: the firmware's begins first and ends last. */
static int by_core(const void *left, const void *right) {
    const struct marker *a = left, *b = right;
    int order = compare(a->at.x, b->at.x);
    order = order ? order : compare(a->at.y, b->at.y);
    order = order ? order : compare(zone_rank(a->zone.core), zone_rank(b->zone.core));
    order = order ? order : compare(time_of(a), time_of(b));
    if (order || a->end != b->end)
        return order ? order : b->end - a->end;
    return a->end ? b->zone.kernel - a->zone.kernel : a->zone.kernel - b->zone.kernel;
}

static struct tile_run *run_of(struct log *log, const struct zone *zone) {
    for (size_t i = log->runs; i-- > 0;) {
        const struct zone *all = &log->run[i].all;
        if (all->tile.x == zone->tile.x && all->tile.y == zone->tile.y && all->op == zone->op)
            return &log->run[i];
    }
    if (!machine_reserve(log->output->machine, &log->run, log->runs, sizeof *log->run)) {
        output_fail(log->output, "out of memory");
        return NULL;
    }
    struct tile_run *run = &log->run[log->runs++];
    *run = (struct tile_run){ .all = *zone };
    run->all.core = BH_BRISC;
    run->all.kernel = false;
    return run;
}

static void put_zone(struct log *log, const struct zone *zone) {
    struct bh_tile_info info = { 0 };
    struct marker marker = { .zone = *zone };
    bh_tile_find(log->output->machine->chip, zone->tile, &info);
    marker.at = info.noc0;
    for (unsigned i = 0; i < 2; i++) {
        marker.end = i;
        if (!sorted_put(log->sorted, &marker))
            output_fail(log->output, "no room for a temporary file: %s", strerror(errno));
    }
}

static void found(void *user, const struct zone *zone) {
    struct log *log = user;
    struct tile_run *run = run_of(log, zone);
    bool master = zone->core == BH_BRISC && !zone->kernel;
    if (!master)
        put_zone(log, zone);
    if (!run)
        return;
    if (master) {
        run->all.program = zone->program;
        run->all.pc = zone->pc;
    }
    run->all.start = zone->start < run->all.start ? zone->start : run->all.start;
    if (zone->end + !master > run->all.end)
        run->all.end = zone->end + !master; /* behind the others */
}

/* Numbers of zones are hashes of 16 bits there; 0 is none. */
static unsigned number_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    h = (h ^ h >> 16) & 0xFFFF;
    return h ? h : 1;
}

static void put_marker(FILE *out, const struct marker *m) {
    const struct zone *z = &m->zone;
    const char *name = zone_name(z->core, z->kernel), *file = NULL, *base;
    unsigned line = 0;
    if (z->program)
        file = program_line(z->program, z->pc, &line);
    base = file ? strrchr(file, '/') : NULL;
    fprintf(out, "0,%u,%u,%s,%u,%llu,0,%u,,,%s,%s,%u,%s,\n", m->at.x, m->at.y, zone_risc(z->core), number_of(name),
            (unsigned long long)time_of(m), z->op, name, m->end ? "ZONE_END" : "ZONE_START", line,
            base ? base + 1 : file ? file : "");
}

static bool begin(struct output *o) {
    struct log *log = output_state(o, sizeof *log);
    if (!log)
        return false;
    log->output = o;
    log->sorted = sorted_new(sizeof(struct marker), by_core);
    fprintf(o->file, "ARCH: blackhole, CHIP_FREQ[MHz]: %u, Max Compute Cores: %u\n", MEGAHERTZ, o->machine->tensix_count);
    fputs("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, "
          "trace id, trace id counter, zone name, type, source line, source file, meta data\n",
          o->file);
    return (zones_init(&log->zones, o->machine, found, log) && log->sorted) || output_fail(o, "out of memory");
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct log *log = o->state;
    zones_event(&log->zones, e);
}

static bool end(struct output *o) {
    struct log *log = o->state;
    if (log->sorted)
        zones_end(&log->zones);
    for (size_t i = 0; log->sorted && i < log->runs; i++)
        put_zone(log, &log->run[i].all);
    const struct marker *m;
    while (log->sorted && !ferror(o->file) && (m = sorted_next(log->sorted)))
        put_marker(o->file, m);
    bool read = log->sorted && !sorted_failed(log->sorted);
    sorted_free(log->sorted);
    free(log->zones.core);
    free(log->run);
    if (!read)
        return output_fail(o, "a temporary file cannot be read: %s", strerror(errno));
    return log->runs || output_fail(o, "no core has run a kernel: nothing to write to '%s'", o->path);
}

const struct format format_device = {
    .name = "device",
    .kind = OUTPUT_PROFILE,
    .begins = "",
    .ends = ".csv",
    .reader = "scripts for tt-metal's profile_log_device.csv",
    .watch = BH_WATCH_INSTRUCTIONS,
    .open = begin,
    .event = put_event,
    .close = end,
};
