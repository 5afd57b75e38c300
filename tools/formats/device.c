/* tt-metal's device profiler log, profile_log_device.csv (tt_metal/impl/profiler/profiler.cpp), which tools/tracy
 * reads. Its zones are those that tt-metal's firmware marks: BRISC-FW, BRISC-KERNEL and their like, as the emulator
 * sees them. Coordinates are those of NoC 0, as in tt-metal. The scripts tell runs apart by BRISC-FW, and expect
 * everything else on a tile to lie inside it, because BRISC waits for the other cores. Here that zone lasts from the
 * first to the last cycle of all cores of the tile, whether BRISC has waited or not.
 *
 * The log also contains the marks that a kernel makes with tt-metal's kernel profiler
 * (tt_metal/tools/profiler/kernel_profiler.hpp). For a mark, the kernel stores two words to a buffer in L1: one with a
 * number, its type and the high part of the wall clock, then one with the low part.
 *
 *     31 valid    30:28 type (0 start, 1 end, 4 event)    27:12 number    11:0 high part
 *
 * The number is a hash of the zone's name, which only the host knows: here the name is "zone-NUMBER". Data that follow
 * a mark are left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/costs.h"
#include "formats/formats.h"
#include "formats/sorted.h"
#include "formats/zones.h"

enum { MEGAHERTZ = 1350 };

/* A line of the log. */
struct marker {
    struct zone zone;
    struct bh_xy at;
    bool end;
    uint8_t mark; /* 0: begin or end of a zone; else 1 + type of a mark */
    uint16_t number;
};

enum { MARK_START = 0, MARK_END = 1, MARK_EVENT = 4 };

/* The wall clock that a core has read last, and the first word of a mark that it may have stored. */
struct marking {
    uint32_t low, high;
    uint32_t address, word; /* word 0: no first word */
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
    struct marking *marking; /* for each core */
};

static int compare(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static uint64_t time_of(const struct marker *m) {
    return m->end ? m->zone.end : m->zone.start;
}

/* Orders by tile, core and time. At the same time zones nest: the firmware's zone begins first and ends last. */
static int by_core(const void *left, const void *right) {
    const struct marker *a = left, *b = right;
    int order = compare(a->at.x, b->at.x);
    order = order ? order : compare(a->at.y, b->at.y);
    order = order ? order : compare(zone_rank(a->zone.core), zone_rank(b->zone.core));
    order = order ? order : compare(time_of(a), time_of(b));
    if (order || a->end != b->end)
        return order ? order : b->end - a->end;
    int depth_a = a->mark ? 2 : a->zone.kernel, depth_b = b->mark ? 2 : b->zone.kernel;
    return a->end ? depth_b - depth_a : depth_a - depth_b;
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
        run->all.end = zone->end + !master; /* the zone of the tile ends after the others */
}

/* Returns the number of a zone: a hash of 16 bits, as in tt-metal, and never 0. */
static unsigned number_of(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    h = (h ^ h >> 16) & 0xFFFF;
    return h ? h : 1;
}

static void put_marker(FILE *out, unsigned chip, const struct marker *m) {
    const struct zone *z = &m->zone;
    char marked[20];
    const char *name = zone_name(z->core, z->kernel), *file = NULL, *base;
    const char *type = m->mark == MARK_EVENT + 1 ? "TS_EVENT" : m->end ? "ZONE_END" : "ZONE_START";
    unsigned line = 0;
    if (m->mark) {
        snprintf(marked, sizeof marked, "zone-%u", m->number);
        name = marked;
    }
    if (z->program)
        file = program_line(z->program, z->pc, &line);
    base = file ? strrchr(file, '/') : NULL;
    fprintf(out, "%u,%u,%u,%s,%u,%llu,0,%u,,,%s,%s,%u,%s,\n", chip, m->at.x, m->at.y, zone_risc(z->core),
            m->mark ? m->number : number_of(name), (unsigned long long)time_of(m), z->op, name, type, line,
            base   ? base + 1
            : file ? file
                   : "");
}

static void put_head(struct output *o) {
    fprintf(o->file, "ARCH: blackhole, CHIP_FREQ[MHz]: %u, Max Compute Cores: %u\n", MEGAHERTZ,
            o->machine->tensix_count);
    fputs("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, "
          "trace id, trace id counter, zone name, type, source line, source file, meta data\n",
          o->file);
}

static bool begin(struct output *o) {
    struct log *log = output_state(o, sizeof *log);
    if (!log)
        return false;
    log->output = o;
    log->sorted = sorted_new(sizeof(struct marker), by_core);
    log->marking = calloc(COSTS_CORES, sizeof *log->marking);
    return (zones_init(&log->zones, o->machine, found, log) && log->sorted && log->marking) ||
           output_fail(o, "out of memory");
}

static void put_mark(struct log *log, const struct bh_event *e, const struct marking *m) {
    struct bh_tile_info info = { 0 };
    unsigned type = m->word >> 28 & 7;
    uint32_t pc = e->pc;
    uint64_t time = (uint64_t)m->high << 32 | m->low;
    const struct program *program = machine_program(log->output->machine, e->tile, (enum bh_core)e->track, &pc);
    struct marker marker = {
        .zone = { .tile = e->tile,
                  .core = (uint8_t)e->track,
                  .op = log->output->machine->op,
                  .start = time,
                  .end = time,
                  .program = program,
                  .pc = pc },
        .end = type == MARK_END,
        .mark = (uint8_t)(type + 1),
        .number = (uint16_t)(m->word >> 12),
    };
    bh_tile_find(log->output->machine->chip, e->tile, &info);
    marker.at = info.noc0;
    if ((type == MARK_START || type == MARK_END || type == MARK_EVENT) && marker.number &&
        !sorted_put(log->sorted, &marker))
        output_fail(log->output, "no room for a temporary file: %s", strerror(errno));
}

/* Finds marks: two stores, to consecutive words, with the clock that the core has just read. */
static void look_for_mark(struct log *log, const struct bh_event *e) {
    const uint32_t clock = 0xFFB121F0, valid = UINT32_C(1) << 31;
    const struct bh_instruction *i = e->instruction;
    struct marking *m = &log->marking[costs_core_number(e)];
    if (i->access == BH_ACCESS_READ && i->address == clock)
        m->low = i->value;
    else if (i->access == BH_ACCESS_READ && (i->address == clock + 4 || i->address == clock + 8))
        m->high = i->value;
    if (i->access != BH_ACCESS_WRITE || i->size != 4)
        return;
    if (m->word && i->address == m->address + 4 && i->stored == m->low && (m->word & 0xFFF) == (m->high & 0xFFF))
        put_mark(log, e, m);
    m->word = i->stored & valid ? i->stored : 0;
    m->address = i->address;
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct log *log = o->state;
    zones_event(&log->zones, e);
    if (e->instruction)
        look_for_mark(log, e);
}

static bool end(struct output *o) {
    struct log *log = o->state;
    if (log->sorted)
        zones_end(&log->zones);
    for (size_t i = 0; log->sorted && i < log->runs; i++)
        put_zone(log, &log->run[i].all);
    const struct marker *m;
    while (log->sorted && !ferror(o->file) && (m = sorted_next(log->sorted)))
        put_marker(o->file, o->machine->number, m);
    bool read = log->sorted && !sorted_failed(log->sorted);
    sorted_free(log->sorted);
    free(log->zones.core);
    free(log->marking);
    free(log->run);
    if (!read)
        return output_fail(o, "a temporary file cannot be read: %s", strerror(errno));
    return log->runs || output_nothing(o, "no core has run a kernel: nothing to write to '%s'", o->path);
}

const struct format format_device = {
    .name = "device",
    .kind = OUTPUT_PROFILE,
    .begins = "",
    .ends = ".csv",
    .reader = "scripts for tt-metal's profile_log_device.csv",
    .watch = BH_WATCH_INSTRUCTIONS,
    .joins = true,
    .head = put_head,
    .open = begin,
    .event = put_event,
    .close = end,
};
