/* A chip and its programs: see machine.h. A run is divided into slices of whole epochs, between which the progress line
 * is drawn; the division does not influence the guest. */
#include "machine/machine.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/addresses.h"
#include "machine/timeline.h"

#define FIRST_SLICE 64 /* epochs */
/* In cycles. Slices of ranks grow up to this size, whatever their time: all ranks must run the same slices. */
#define RANKS_SLICE (UINT64_C(1) << 20)

static volatile sig_atomic_t interrupted;
static _Thread_local struct machine_driver *driver_of_thread;

void machine_drive(struct machine_driver *driver) {
    driver_of_thread = driver;
}

bool machine_fail(struct machine *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(m->message, sizeof m->message, format, list);
    va_end(list);
    return false;
}

bool machine_failed_call(struct machine *m, bh_status status, struct bh_xy tile) {
    const char *why = bh_message(m->chip);
    return machine_fail(m, "tile %u,%u: %s", tile.x, tile.y, *why ? why : bh_status_text(status));
}

bool machine_reserve(struct machine *m, void *array_pointer, size_t count, size_t item) {
    void **array = array_pointer;
    if (count & (count - 1))
        return true;
    void *larger = realloc(*array, (count ? count * 2 : 1) * item);
    if (!larger)
        return machine_fail(m, "out of memory");
    *array = larger;
    return true;
}

bool machine_is_repeated(const struct machine *m) {
    return (m->gdb && gdb_replays(m->gdb)) || (m->driver && m->driver->repeats);
}

void machine_on_fault(struct machine *m, const struct bh_fault *fault) {
    if (machine_is_repeated(m))
        return;
    if (machine_reserve(m, &m->faults, m->fault_count, sizeof *m->faults))
        m->faults[m->fault_count++] = (struct seen_fault){ .fault = *fault };
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)chip;
    machine_on_fault(user, fault);
}

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    struct machine *m = user;
    (void)chip;
    if (machine_is_repeated(m))
        return;
    progress_erase(&m->progress);
    fprintf(stderr, "bhemu: warning: tile %u,%u: %s\n", warning->tile.x, warning->tile.y, warning->text);
}

/* ---- Boards ------------------------------------------------------------------------------- */

const char *board_name(enum bh_board board) {
    return board == BH_BOARD_P150 ? "p150" : "p100a";
}

const char *timing_name(enum bh_timing timing) {
    return timing == BH_TIMING_LOOSE ? "loose" : "cycles";
}

const char *state_name(unsigned state) {
    static const char *const names[] = { "in reset", "running", "polling", "blocked", "paused", "faulted" };
    return names[state];
}

static bool board_passes(enum bh_board board, board_test *test, const void *what) {
    struct bh_config config;
    bh_chip *chip;
    bh_config_board(&config, board);
    config.threads = 1;
    if (bh_create(&config, &chip, NULL, 0) != BH_OK)
        return false;
    bool passes = test(chip, what);
    bh_destroy(chip);
    return passes;
}

const char *machine_other_board(const struct machine *m, board_test *test, const void *what) {
    static const enum bh_board boards[] = { BH_BOARD_P150, BH_BOARD_P100A };
    for (unsigned i = 0; i < sizeof boards / sizeof *boards; i++)
        if (boards[i] != m->config.board && board_passes(boards[i], test, what))
            return board_name(boards[i]);
    return NULL;
}

/* ---- Tiles and memory -------------------------------------------------------------------- */

static bool range_has(const struct tile_range *range, struct bh_xy tile) {
    return range->all ||
           (tile.x >= range->low.x && tile.x <= range->high.x && tile.y >= range->low.y && tile.y <= range->high.y);
}

const struct tile_list *tile_list_or_first(const struct tile_list *list) {
    static const struct tile_list first = { 1, { { false, { 1, 2 }, { 1, 2 } } } };
    return list->count ? list : &first;
}

bool tile_list_has(const struct tile_list *list, struct bh_xy tile) {
    for (unsigned i = 0; i < list->count; i++)
        if (range_has(&list->range[i], tile))
            return true;
    return false;
}

bool tile_range_is_one(const struct tile_range *range) {
    return !range->all && range->low.x == range->high.x && range->low.y == range->high.y;
}

bool board_has_tile(const bh_chip *chip, const void *what) {
    struct bh_tile_info info;
    return bh_tile_find(chip, *(const struct bh_xy *)what, &info) == BH_OK && !info.harvested;
}

static bool one_tile(struct machine *m, const void *what, struct bh_xy tile, enum tile_need needs, machine_verb *verb) {
    struct bh_tile_info info;
    if (bh_tile_find(m->chip, tile, &info) != BH_OK)
        return machine_fail(m, "there is no tile %u,%u on this board", tile.x, tile.y);
    if (info.harvested) {
        const char *other = machine_other_board(m, board_has_tile, &tile);
        return machine_fail(m, "tile %u,%u is harvested on a %s%s%s%s", tile.x, tile.y, board_name(m->config.board),
                            other ? "; a " : "", other ? other : "", other ? " has it" : "");
    }
    if (needs != ANY_TILE && info.kind != BH_TILE_TENSIX && (needs == TENSIX_TILE || info.kind != BH_TILE_ETH))
        return machine_fail(m, "tile %u,%u is no Tensix tile but %s", tile.x, tile.y, bh_tile_kind_name(info.kind));
    return verb(m, tile, what);
}

static bool has_tensix_in(const bh_chip *chip, const void *what) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX && !info.harvested && range_has(what, info.translated))
            return true;
    return false;
}

static bool no_tiles(struct machine *m, const struct tile_range *range) {
    const char *other = machine_other_board(m, has_tensix_in, range);
    return machine_fail(m, "there is no Tensix tile from %u,%u to %u,%u%s%s%s", range->low.x, range->low.y,
                        range->high.x, range->high.y, other ? " on this board; a " : "", other ? other : "",
                        other ? " has some" : "");
}

bool machine_each_tile(struct machine *m, const struct tile_list *tiles, enum tile_need needs, machine_verb *verb,
                       const void *what) {
    const struct tile_list *list = tile_list_or_first(tiles);
    for (unsigned i = 0; i < list->count; i++) {
        const struct tile_range *range = &list->range[i];
        if (tile_range_is_one(range)) {
            if (!one_tile(m, what, range->low, needs, verb))
                return false;
            continue;
        }
        bool any = false;
        for (unsigned t = 0; t < m->tensix_count; t++) {
            if (!range_has(range, m->tensix[t]))
                continue;
            any = true;
            if (!verb(m, m->tensix[t], what))
                return false;
        }
        if (!any)
            return no_tiles(m, range);
    }
    return true;
}

bool machine_peek(struct machine *m, struct bh_xy tile, uint64_t address, uint8_t *data, size_t size) {
    bh_status status = bh_peek(m->chip, tile, address, data, size);
    bool words = status == BH_ERR_ALIGNMENT && address % 4 == 0 && size % 4 == 0 && size > 4;
    for (size_t i = 0; words && i < size; i += 4)
        if ((status = bh_peek(m->chip, tile, address + i, data + i, 4)) != BH_OK)
            break;
    return status == BH_OK || machine_failed_call(m, status, tile);
}

void machine_log(struct machine *m, const char *verb, struct bh_xy tile, uint64_t address, const uint8_t *data,
                 size_t size) {
    static const char digit[] = "0123456789abcdef";
    if (!m->host_log)
        return;
    fprintf(m->host_log, "%s %u,%u 0x%llx ", verb, tile.x, tile.y, (unsigned long long)address);
    for (size_t i = 0; i < size; i++) {
        putc_unlocked(digit[data[i] >> 4], m->host_log);
        putc_unlocked(digit[data[i] & 15], m->host_log);
    }
    fputc('\n', m->host_log);
}

bool machine_write(struct machine *m, struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size) {
    machine_log(m, "write", tile, address, data, size);
    bh_status status = bh_write(m->chip, tile, address, data, size);
    bool words = status == BH_ERR_ALIGNMENT && address % 4 == 0 && size % 4 == 0 && size > 4;
    for (size_t i = 0; words && i < size; i += 4)
        if ((status = bh_write(m->chip, tile, address + i, data + i, 4)) != BH_OK)
            break;
    return status == BH_OK || machine_failed_call(m, status, tile);
}

/* ---- Programs ------------------------------------------------------------------------------ */

struct program *machine_open_program(struct machine *m, struct span spec, program_opener *opener) {
    for (size_t i = 0; i < m->opened_count; i++) {
        const struct opened *o = &m->opened[i];
        if (o->opener == opener && span_same(o->spec, spec))
            return o->program;
    }
    if (!machine_reserve(m, &m->opened, m->opened_count, sizeof *m->opened))
        return NULL;
    struct program *program = opener(spec, m->message, sizeof m->message);
    if (program)
        m->opened[m->opened_count++] = (struct opened){ spec, opener, program };
    return program;
}

bool machine_add_image(struct machine *m, const struct image *image) {
    if (!machine_reserve(m, &m->images, m->image_count, sizeof *m->images))
        return false;
    m->images[m->image_count++] = *image;
    return true;
}

/* Returns the image that was loaded last for a core at pc, or NULL if there is none. */
static const struct image *image_at(const struct machine *m, struct bh_xy tile, enum bh_core core, uint32_t pc) {
    for (size_t i = m->image_count; i-- > 0;) {
        const struct image *image = &m->images[i];
        if (image->core == core && pc >= image->low && pc < image->high && tile_list_has(&image->tiles, tile))
            return image;
    }
    return NULL;
}

const struct image *machine_image_again(const struct machine *m, struct image_cache *cache, struct bh_xy tile,
                                        enum bh_core core, uint32_t pc) {
    const struct image *image = cache->images == m->image_count ? cache->image : NULL;
    if (!image || pc < image->low || pc >= image->high)
        *cache = (struct image_cache){ image_at(m, tile, core, pc), m->image_count };
    return cache->image;
}

const struct program *machine_program(const struct machine *m, struct bh_xy tile, enum bh_core core, uint32_t *pc) {
    const struct image *image = image_at(m, tile, core, *pc);
    if (!image)
        return NULL;
    *pc -= image->shift;
    return image->program;
}

/* ---- Running ----------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

/* Returns the number of Tensix tiles with a running core. */
static unsigned count_awake(const struct machine *m) {
    struct bh_core_info info;
    unsigned count = 0;
    for (unsigned i = 0; i < m->tensix_count; i++)
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            if (bh_core_query(m->chip, m->tensix[i], (enum bh_core)core, &info) == BH_OK &&
                info.state == BH_CORE_RUNNING) {
                count++;
                break;
            }
    return count;
}

/* Draws the progress line. rate: cycles per second in the last slice. */
static void draw_progress(struct machine *m, uint64_t end, double rate) {
    uint64_t cycle = bh_cycle(m->chip), limit = m->wait_until ? m->wait_until : end;
    char done[GROUPED_SIZE], total[GROUPED_SIZE];
    unsigned awake = count_awake(m);
    progress_draw(&m->progress, "cycle %s, %.2f million a second, %u tile%s awake, at most %.0f s to the limit, %s",
                  grouped(cycle, done), rate * 1e-6, awake, awake == 1 ? "" : "s",
                  rate > 0 && limit > cycle ? (double)(limit - cycle) / rate : 0, grouped(limit, total));
}

static uint64_t cycle(const struct machine *m) {
    return m->system ? bh_system_cycle(m->system) : bh_cycle(m->chip);
}

/* Returns the length of an epoch, which is the same in all chips of a system. This process has at least one of them. */
static uint64_t epoch(const struct machine *m) {
    const bh_chip *chip = m->chip;
    for (unsigned i = 0; !chip && i < m->other_count; i++)
        chip = m->others[i].chip;
    return bh_epoch(chip);
}

static bool run_slices(struct machine *m, uint64_t limit, struct bh_stop *stop) {
    unsigned flags = BH_RUN_STOP_ON_IDLE | (m->keep_going ? 0 : BH_RUN_STOP_ON_FAULT);
    uint64_t first = cycle(m), left = limit, slice = FIRST_SLICE * epoch(m);
    double start = now(), before = start;
    bh_status status;
    do {
        uint64_t cycles = slice < left ? slice : left;
        status = m->system ? (system_run(m, cycles, flags, stop) ? BH_OK : BH_ERR_INTERNAL)
                           : bh_run(m->chip, cycles, flags, stop);
        uint64_t done = cycle(m) - first;
        left = done < limit ? limit - done : 0;
        double time = now();
        if (progress_is_due(&m->progress) && time > before)
            draw_progress(m, first + limit, (double)cycles / (time - before));
        if (m->ranks ? slice < RANKS_SLICE : time - before < 0.02)
            slice *= 2;
        else if (!m->ranks && time - before > 0.2 && slice > FIRST_SLICE * epoch(m))
            slice /= 2;
        before = time;
    } while (status == BH_OK && stop->reason == BH_STOP_CYCLES && left && !interrupted);
    m->seconds += now() - start;
    if (!m->wait_until || stop->reason != BH_STOP_CYCLES)
        progress_erase(&m->progress);
    if (m->system)
        return status == BH_OK;
    return status == BH_OK || machine_fail(m, "%s: %s", bh_status_text(status), bh_message(m->chip));
}

static bool run_debugged(struct machine *m, uint64_t cycles, struct bh_stop *stop) {
    unsigned flags = BH_RUN_STOP_ON_IDLE | (m->keep_going ? 0 : BH_RUN_STOP_ON_FAULT);
    double start = now();
    bh_status status = m->system ? gdb_run_system(m->gdb, m->system, cycles, flags, stop)
                                 : gdb_run(m->gdb, m->chip, cycles, flags, stop);
    m->seconds += now() - start;
    if (m->system)
        return status == BH_OK || machine_fail(m, "%s", bh_system_message(m->system));
    return status == BH_OK || machine_fail(m, "%s: %s", bh_status_text(status), bh_message(m->chip));
}

/* Finds the programs of a tile, for gdb. Sections in L1 have moved by the shift of the image; local memory does not
 * move. */
static bool debugged_program(void *user, unsigned chip, struct bh_xy tile, unsigned index, struct gdb_program *out) {
    const struct machine *lead = user;
    if (chip > lead->other_count)
        return false;
    const struct machine *m = chip ? &lead->others[chip - 1] : lead;
    for (size_t i = 0; i < m->image_count; i++) {
        const struct image *image = &m->images[i];
        uint32_t address;
        if (program_is_raw(image->program, &address) || !tile_list_has(tile_list_or_first(&image->tiles), tile) ||
            index--)
            continue;
        *out = (struct gdb_program){ .path = program_path(image->program) };
        out->moved = image->shift != 0;
        for (; out->count < GDB_SECTIONS && program_section(image->program, out->count, &address); out->count++)
            out->section[out->count] = address < L1_SIZE ? image->shift : 0;
        return true;
    }
    return false;
}

bool machine_debug(struct machine *m, const char *port) {
    const struct gdb_owner owner = { .program = debugged_program,
                                     .user = m,
                                     .no_reverse = m->output_count || m->page_path || m->stats || m->summary ||
                                                   m->profile || m->check };
    m->gdb = gdb_open(port, &owner, m->message, sizeof m->message);
    return m->gdb;
}

static bool run_driven(struct machine *m, uint64_t cycles, struct bh_stop *stop) {
    unsigned flags = BH_RUN_STOP_ON_IDLE | (m->keep_going ? 0 : BH_RUN_STOP_ON_FAULT);
    bool ok = m->driver->run(m->driver, m, cycles, flags, stop);
    m->deadlock = stop->reason == BH_STOP_DEADLOCK;
    return ok;
}

bool machine_run(struct machine *m, uint64_t cycles, struct bh_stop *stop) {
    struct sigaction old, new = { .sa_handler = on_interrupt };
    *stop = (struct bh_stop){ .reason = BH_STOP_CYCLES };
    if (m->driver)
        return run_driven(m, cycles, stop);
    if (!m->gdb && !m->ranks) /* under gdb, Ctrl-C belongs to gdb; with ranks, it ends all of them */
        sigaction(SIGINT, &new, &old);
    bool ok = m->gdb ? run_debugged(m, cycles, stop) : run_slices(m, cycles, stop);
    if (!m->gdb && !m->ranks)
        sigaction(SIGINT, &old, NULL);
    m->interrupted = interrupted || (m->gdb && gdb_killed(m->gdb));
    m->deadlock = stop->reason == BH_STOP_DEADLOCK;
    return ok;
}

/* Returns whether an Ethernet tile has a program; `all` stands for Tensix tiles only. The programs of a restored chip
 * are not known, so that all of its tiles count. */
static bool is_used(const struct machine *m, struct bh_xy tile) {
    if (m->restore)
        return true;
    for (size_t i = 0; i < m->image_count; i++)
        if (!m->images[i].tiles.range[0].all && tile_list_has(&m->images[i].tiles, tile))
            return true;
    return false;
}

unsigned machine_core_tiles(const struct machine *m) {
    unsigned count = m->tensix_count;
    for (unsigned i = 0; i < m->eth_count; i++)
        count += is_used(m, m->eth[i]);
    return count;
}

struct bh_xy machine_core_tile(const struct machine *m, unsigned index) {
    unsigned i = 0, left = index - m->tensix_count;
    if (index < m->tensix_count)
        return m->tensix[index];
    while (i + 1 < m->eth_count && (!is_used(m, m->eth[i]) || left--))
        i++;
    return m->eth[i];
}

unsigned core_kind(const bh_chip *chip, struct bh_xy tile, enum bh_core core) {
    struct bh_tile_info info;
    bool eth = bh_tile_find(chip, tile, &info) == BH_OK && info.kind == BH_TILE_ETH;
    return eth ? BH_CORE_COUNT + (core != BH_ERISC0) : core;
}

const char *core_kind_name(unsigned kind) {
    return kind < BH_CORE_COUNT ? bh_core_name((enum bh_core)kind) : kind == BH_CORE_COUNT ? "erisc0" : "erisc1";
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static void on_event(void *machine, const struct bh_event *event) {
    struct machine *m = machine;
    outputs_event(m, event);
    if (m->timeline && event->kind <= BH_EVENT_PACKET)
        timeline_event(m->timeline, event);
}

/* Begins to observe what the outputs and the report need. --stats includes the instruction mix, which comes from
 * profiles; a page shows everything. */
static bool watch(struct machine *m) {
    bool page = m->page_path;
    unsigned what = (m->summary || m->stats || page ? BH_WATCH_STATS : 0u) |
                    (m->stats || m->profile || page ? BH_WATCH_PROFILE : 0u) | (page ? BH_WATCH_EVENTS : 0u) |
                    outputs_watch(m);
    if (!outputs_open(m))
        return false;
    if (page && !(m->timeline = timeline_new(m)))
        return machine_fail(m, "--report: out of memory");
    if (!what || bh_observe(m->chip, what, on_event, m) == BH_OK)
        return true;
    return machine_fail(m, "%s", bh_message(m->chip));
}

bool machine_flush(struct machine *m) {
    if (!m->output_count && !m->page_path)
        return true;
    for (unsigned i = 0; i <= m->other_count; i++) {
        bh_chip *chip = i ? m->others[i - 1].chip : m->chip;
        if (chip && bh_observe_flush(chip) != BH_OK)
            return machine_fail(m, "%s", bh_message(chip));
    }
    return true;
}

bool machine_end_outputs(struct machine *m) {
    bool complete = machine_flush(m);
    return outputs_close(m) && complete;
}

/* Takes the configuration of the saved chip. Settings of the user may repeat it, but not change it. */
static bool configure_as_saved(struct machine *m, const struct settings *settings) {
    bh_config_init(&m->config);
    if (bh_saved_config(m->restore, &m->config, m->message, sizeof m->message) != BH_OK)
        return false;
    if (settings->has_board && settings->board != m->config.board)
        return machine_fail(m, "%s has a %s", m->restore, board_name(m->config.board));
    if (settings->has_timing && settings->timing != m->config.timing)
        return machine_fail(m, "%s has the timing '%s'", m->restore, timing_name(m->config.timing));
    if (settings->has_skew && settings->skew != m->config.skew)
        return machine_fail(m, "%s was saved with another skew", m->restore);
    return true;
}

static bool configure(struct machine *m, const struct settings *settings) {
    if (m->restore)
        return configure_as_saved(m, settings);
    bh_config_board(&m->config, settings->board);
    m->config.timing = settings->timing;
    if (settings->has_skew)
        m->config.skew = settings->skew;
    return true;
}

static bool check(struct machine *m) {
    if (m->check && m->config.timing == BH_TIMING_LOOSE)
        return machine_fail(m, "--check needs the timing 'cycles'");
    if (!m->check || bh_check(m->chip, true) == BH_OK)
        return true;
    return machine_fail(m, "--check: %s", bh_message(m->chip));
}

static bool vary(struct machine *m) {
    if (m->vary && m->config.timing == BH_TIMING_LOOSE)
        return machine_fail(m, "--vary needs the timing 'cycles'");
    if (!m->vary || bh_vary_text(m->chip, m->vary) == BH_OK)
        return true;
    return machine_fail(m, "--vary: %s", bh_message(m->chip));
}

bool machine_begin(struct machine *m) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(m->chip, i, &info) == BH_OK; i++) {
        if (info.kind == BH_TILE_TENSIX && !info.harvested && m->tensix_count < TENSIX_MAX)
            m->tensix[m->tensix_count++] = info.translated;
        if (info.kind == BH_TILE_ETH && !info.harvested && m->eth_count < ETH_MAX)
            m->eth[m->eth_count++] = info.translated;
    }
    return watch(m) && check(m) && vary(m);
}

bool machine_open(struct machine *m, const struct settings *settings) {
    m->driver = driver_of_thread;
    if (m->system_name)
        return system_open(m, settings);
    if (!configure(m, settings))
        return false;
    if (settings->has_threads)
        m->config.threads = settings->threads;
    m->config.on_fault = on_fault;
    m->config.on_warning = on_warning;
    m->config.user = m;
    if (bh_create(&m->config, &m->chip, m->message, sizeof m->message) != BH_OK)
        return false;
    if (m->restore && bh_load(m->chip, m->restore) != BH_OK)
        return machine_fail(m, "%s", bh_message(m->chip));
    return machine_begin(m);
}

void machine_close(struct machine *m) {
    machine_end_outputs(m);
    timeline_free(m->timeline);
    if (m->driver && m->chip)
        m->driver->close(m->driver, m);
    if (m->system || m->others || m->ranks)
        system_close(m);
    else
        bh_destroy(m->chip);
    for (size_t i = 0; i < m->opened_count; i++)
        program_close(m->opened[i].program);
    for (size_t i = 0; i < m->finding_count; i++) {
        free(m->findings[i].data);
        free(m->findings[i].inside);
    }
    for (size_t i = 0; i < m->image_count; i++)
        free(m->images[i].own);
    free(m->landmarks);
    free(m->opened);
    free(m->images);
    free(m->faults);
    free(m->findings);
}

const char *machine_cycles(const struct machine *m) {
    return m->config.timing == BH_TIMING_LOOSE ? "loose cycles" : "cycles";
}

size_t machine_unexpected(const struct machine *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->fault_count; i++)
        count += !m->faults[i].expected;
    return count;
}
