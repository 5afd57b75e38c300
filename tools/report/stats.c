/* Statistics of a run: see stats.h. Percentages refer to chip time, in the summary to the time of all tiles that
 * ran. */
#include <stdio.h>
#include <string.h>

#include "machine/event.h"
#include "report/report.h"
#include "report/stats.h"

enum { REASONS_SHOWN = 4, MIX_SHOWN = 8 };

static bool is_noc(unsigned track) {
    return track >= BH_TRACK_NOC0;
}

static bool did_something(const struct bh_track_stats *s) {
    return s->busy || s->stalled || s->instructions || s->packets_in;
}

static struct bh_track_stats stats_of(const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_track_stats stats = { 0 };
    bh_stats_get(m->chip, tile, (enum bh_track)track, &stats);
    return stats;
}

/* Returns the name of a track; cores of Ethernet tiles have their own names. */
static const char *track_name(const struct machine *m, struct bh_xy tile, unsigned track) {
    const char *name = event_track_name(m, tile, (enum bh_track)track);
    return name ? name : bh_track_name((enum bh_track)track);
}

/* Returns whether a core of the tile has left reset or a thread has executed an instruction. */
static bool tile_ran(const struct machine *m, struct bh_xy tile) {
    for (unsigned track = 0; track <= BH_TRACK_T2; track++) {
        struct bh_track_stats stats = stats_of(m, tile, track);
        if (did_something(&stats))
            return true;
    }
    return false;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- The summary ------------------------------------------------------------------------------------------- */

struct sums {
    unsigned tiles;
    uint64_t core_instructions, thread_instructions;
    struct bh_track_stats track[BH_TRACK_COUNT], endpoints; /* track: without cores of Ethernet tiles */
    struct bh_track_stats eth[CORE_KINDS - BH_CORE_COUNT];  /* erisc0 and erisc1 */
};

static void add(struct bh_track_stats *to, const struct bh_track_stats *more) {
    to->busy += more->busy;
    to->stalled += more->stalled;
    to->instructions += more->instructions;
    to->packets_in += more->packets_in;
    to->bytes_in += more->bytes_in;
    to->bytes_out += more->bytes_out;
}

static struct sums sum_up(const struct machine *m) {
    struct sums sums = { 0 };
    for (unsigned i = 0; i < machine_core_tiles(m); i++) {
        struct bh_xy tile = machine_core_tile(m, i);
        if (!tile_ran(m, tile))
            continue;
        sums.tiles++;
        for (unsigned track = 0; track < BH_TRACK_COUNT; track++) {
            struct bh_track_stats stats = stats_of(m, tile, track);
            unsigned kind = track < BH_CORE_COUNT ? core_kind(m->chip, tile, (enum bh_core)track) : 0;
            add(kind < BH_CORE_COUNT ? &sums.track[track] : &sums.eth[kind - BH_CORE_COUNT], &stats);
            if (track < BH_CORE_COUNT)
                sums.core_instructions += stats.instructions;
            else if (track <= BH_TRACK_T2)
                sums.thread_instructions += stats.instructions;
        }
    }
    bh_endpoint_stats(m->chip, &sums.endpoints);
    return sums;
}

static void summary_line(const char *name, uint64_t value, const char *unit) {
    char text[GROUPED_SIZE];
    printf("  %-16s %16s%s%s\n", name, grouped(value, text), *unit ? " " : "", unit);
}

static void unit_line(const char *name, const struct bh_track_stats *s, uint64_t whole) {
    char busy[GROUPED_SIZE], count[GROUPED_SIZE];
    if (did_something(s))
        printf("  %-16s %16s  %6.1f%% %9.1f%% %16s\n", name, grouped(s->busy, busy), percent(s->busy, whole),
               percent(s->stalled, whole), grouped(s->instructions, count));
}

static void utilisation(const struct sums *sums, uint64_t cycles) {
    printf("  %-16s %16s  %7s %10s %16s\n", "unit", "busy cycles", "busy", "stalled", "instructions");
    for (unsigned track = 0; track < BH_TRACK_NOC0; track++)
        unit_line(bh_track_name((enum bh_track)track), &sums->track[track], cycles * sums->tiles);
    for (unsigned kind = BH_CORE_COUNT; kind < CORE_KINDS; kind++)
        unit_line(core_kind_name(kind), &sums->eth[kind - BH_CORE_COUNT], cycles * sums->tiles);
}

static void traffic(const struct sums *sums) {
    struct bh_track_stats in = sums->endpoints;
    char bytes[GROUPED_SIZE], packets[GROUPED_SIZE];
    add(&in, &sums->track[BH_TRACK_NOC0]);
    add(&in, &sums->track[BH_TRACK_NOC1]);
    printf("  %-16s %16s bytes received in %s packets\n", "NoC", grouped(in.bytes_in, bytes),
           grouped(in.packets_in, packets));
}

static void host_time(const struct machine *m, uint64_t cycles, unsigned tiles) {
    char text[GROUPED_SIZE];
    double seconds = m->seconds > 1e-9 ? m->seconds : 1e-9;
    printf("  %-16s %16.3f s\n", "host time", m->seconds);
    printf("  %-16s %16s %s a second\n", "speed", grouped((uint64_t)((double)cycles / seconds), text),
           machine_cycles(m));
    printf("  %-16s %16s %s of a tile a second\n", "", grouped((uint64_t)((double)(cycles * tiles) / seconds), text),
           machine_cycles(m));
}

void stats_summary(const struct machine *m, bool time) {
    struct sums sums = sum_up(m);
    uint64_t cycles = bh_cycle(m->chip);
    summary_line("tiles", sums.tiles, "");
    summary_line(machine_cycles(m), cycles, "");
    summary_line("instructions", sums.core_instructions, "of RISC-V cores");
    summary_line("", sums.thread_instructions, "of Tensix threads");
    utilisation(&sums, cycles);
    traffic(&sums);
    if (time)
        host_time(m, cycles, sums.tiles);
}

/* ---- Tile by tile ------------------------------------------------------------------------------------------- */

static void list_reasons(const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_stall stall;
    uint64_t left = 0;
    char cycles[GROUPED_SIZE];
    for (unsigned i = 0; bh_stall_at(m->chip, tile, (enum bh_track)track, i, &stall) == BH_OK; i++) {
        if (i >= REASONS_SHOWN) {
            left += stall.cycles;
            continue;
        }
        printf("%28s on %s", grouped(stall.cycles, cycles), stall.why);
        printf(stall.at ? " (0x%08x)\n" : "\n", stall.at);
    }
    if (left)
        printf("%28s on other things\n", grouped(left, cycles));
}

static void list_mix(const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_mix mix;
    unsigned count = 0;
    char text[GROUPED_SIZE];
    for (; bh_mix_at(m->chip, tile, (enum bh_track)track, count, &mix) == BH_OK; count++)
        if (count < MIX_SHOWN)
            printf("%s%s %s", count ? ", " : "           ", grouped(mix.count, text), mix.name);
    if (count > MIX_SHOWN)
        printf(", %u more kinds", count - MIX_SHOWN);
    if (count)
        printf("\n");
}

static void noc_line(unsigned track, const struct bh_track_stats *s) {
    char out[GROUPED_SIZE], in[GROUPED_SIZE], count[GROUPED_SIZE], from[GROUPED_SIZE];
    printf("  %-8s %s bytes sent in %s packets, %s bytes received in %s packets\n", bh_track_name((enum bh_track)track),
           grouped(s->bytes_out, out), grouped(s->instructions, count), grouped(s->bytes_in, in),
           grouped(s->packets_in, from));
}

static void track_text(const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_track_stats s = stats_of(m, tile, track);
    uint64_t cycles = bh_cycle(m->chip);
    char busy[GROUPED_SIZE], stalled[GROUPED_SIZE], count[GROUPED_SIZE];
    if (!did_something(&s))
        return;
    if (is_noc(track)) {
        noc_line(track, &s);
        return;
    }
    printf("  %-8s %14s %5.1f%% %14s %5.1f%% %14s\n", track_name(m, tile, track), grouped(s.busy, busy),
           percent(s.busy, cycles), grouped(s.stalled, stalled), percent(s.stalled, cycles),
           grouped(s.instructions, count));
    list_reasons(m, tile, track);
    list_mix(m, tile, track);
}

void stats_text(const struct machine *m) {
    char cycles[GROUPED_SIZE];
    for (unsigned i = 0; i < machine_core_tiles(m); i++) {
        struct bh_xy tile = machine_core_tile(m, i);
        if (!tile_ran(m, tile))
            continue;
        if (m->system_name)
            printf("chip %u, ", m->number);
        printf("tile %u,%u in %s %s\n", tile.x, tile.y, grouped(bh_cycle(m->chip), cycles), machine_cycles(m));
        printf("  %-8s %21s %21s %14s\n", "", "busy", "stalled", "instructions");
        for (unsigned track = 0; track < BH_TRACK_COUNT; track++)
            track_text(m, tile, track);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void json_reasons(struct json *j, const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_stall stall;
    json_open(j, "waits", '[');
    for (unsigned i = 0; bh_stall_at(m->chip, tile, (enum bh_track)track, i, &stall) == BH_OK; i++) {
        json_open(j, NULL, '{');
        json_string(j, "why", stall.why);
        if (stall.at)
            json_number(j, "at", stall.at);
        json_number(j, "cycles", stall.cycles);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_mix(struct json *j, const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_mix mix;
    json_open(j, "mix", '{');
    for (unsigned i = 0; bh_mix_at(m->chip, tile, (enum bh_track)track, i, &mix) == BH_OK; i++)
        json_number(j, mix.name, mix.count);
    json_close(j, '}');
}

static void json_track(struct json *j, const struct machine *m, struct bh_xy tile, unsigned track) {
    struct bh_track_stats s = stats_of(m, tile, track);
    if (!did_something(&s))
        return;
    json_open_line(j, NULL, '{');
    json_string(j, "track", track_name(m, tile, track));
    json_number(j, "busy", s.busy);
    json_number(j, "stalled", s.stalled);
    json_number(j, is_noc(track) ? "packets_out" : "instructions", s.instructions);
    if (is_noc(track)) {
        json_number(j, "bytes_out", s.bytes_out);
        json_number(j, "packets_in", s.packets_in);
        json_number(j, "bytes_in", s.bytes_in);
    } else {
        json_reasons(j, m, tile, track);
        json_mix(j, m, tile, track);
    }
    json_close_line(j, '}');
}

void stats_json(struct json *j, const struct machine *m) {
    json_open(j, "stats", '[');
    for (unsigned i = 0; i < machine_core_tiles(m); i++) {
        struct bh_xy tile = machine_core_tile(m, i);
        if (!tile_ran(m, tile))
            continue;
        json_open(j, NULL, '{');
        report_json_xy(j, tile);
        json_open(j, "tracks", '[');
        for (unsigned track = 0; track < BH_TRACK_COUNT; track++)
            json_track(j, m, tile, track);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}
