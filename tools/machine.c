/* Carries actions out on a chip: see machine.h. Runs go in slices of whole epochs, so that how often the progress
 * line is drawn changes nothing in what the guest does. */
#include "machine.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOCAL_BASE  0xFFB00000u /* a core's own local memory, as the core sees it */
#define LOCAL_SIZE  0x2000u
#define FIRST_SLICE 64 /* epochs */

static volatile sig_atomic_t interrupted;

static bool fail(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct machine *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(m->message, sizeof m->message, format, list);
    va_end(list);
    return false;
}

static bool failed_call(struct machine *m, bh_status status, struct bh_xy tile) {
    const char *why = bh_message(m->chip);
    return fail(m, "tile %u,%u: %s", tile.x, tile.y, *why ? why : bh_status_text(status));
}

/* Room for one more item at the end of an array that grows by powers of two. */
static bool reserve(struct machine *m, void *array_pointer, size_t count, size_t item) {
    void **array = array_pointer;
    if (count & (count - 1))
        return true;
    void *larger = realloc(*array, (count ? count * 2 : 1) * item);
    if (!larger)
        return fail(m, "out of memory");
    *array = larger;
    return true;
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    struct machine *m = user;
    (void)chip;
    if (reserve(m, &m->faults, m->fault_count, sizeof *m->faults))
        m->faults[m->fault_count++] = (struct seen_fault){ .fault = *fault };
}

/* ---- Tiles and addresses ---------------------------------------------------------------- */

static bool range_has(const struct tile_range *range, struct bh_xy tile) {
    return range->all ||
           (tile.x >= range->low.x && tile.x <= range->high.x && tile.y >= range->low.y && tile.y <= range->high.y);
}

static bool list_has(const struct tile_list *list, struct bh_xy tile) {
    for (unsigned i = 0; i < list->count; i++)
        if (range_has(&list->range[i], tile))
            return true;
    return false;
}

static bool is_one_tile(const struct tile_range *range) {
    return !range->all && range->low.x == range->high.x && range->low.y == range->high.y;
}

/* Called for every tile of a list. */
typedef bool tile_verb(struct machine *m, const struct action *action, struct bh_xy tile);

static bool one_tile(struct machine *m, const struct action *action, struct bh_xy tile, bool needs_cores,
                     tile_verb *verb) {
    struct bh_tile_info info;
    if (bh_tile_find(m->chip, tile, &info) != BH_OK)
        return fail(m, "there is no tile %u,%u on this board", tile.x, tile.y);
    if (info.harvested)
        return fail(m, "tile %u,%u is harvested", tile.x, tile.y);
    if (needs_cores && info.kind != BH_TILE_TENSIX)
        return fail(m, "tile %u,%u is no Tensix tile but %s", tile.x, tile.y, bh_tile_kind_name(info.kind));
    return verb(m, action, tile);
}

static bool each_tile(struct machine *m, const struct action *action, bool needs_cores, tile_verb *verb) {
    static const struct tile_list first = { 1, { { false, { 1, 2 }, { 1, 2 } } } };
    const struct tile_list *list = action->tiles.count ? &action->tiles : &first;
    for (unsigned i = 0; i < list->count; i++) {
        const struct tile_range *range = &list->range[i];
        if (is_one_tile(range)) {
            if (!one_tile(m, action, range->low, needs_cores, verb))
                return false;
            continue;
        }
        bool any = false;
        for (unsigned t = 0; t < m->tensix_count; t++) {
            if (!range_has(range, m->tensix[t]))
                continue;
            any = true;
            if (!verb(m, action, m->tensix[t]))
                return false;
        }
        if (!any)
            return fail(m, "there is no Tensix tile from %u,%u to %u,%u", range->low.x, range->low.y, range->high.x,
                        range->high.y);
    }
    return true;
}

/* From outside, a core's local memory is seen at an address of its own. */
static uint32_t outside_address(enum bh_core core, uint32_t address) {
    static const uint32_t window[BH_CORE_COUNT] = {
        [BH_BRISC] = 0xFFB14000,  [BH_NCRISC] = 0xFFB16000, [BH_TRISC0] = 0xFFB18000,
        [BH_TRISC1] = 0xFFB1A000, [BH_TRISC2] = 0xFFB1C000,
    };
    return address - LOCAL_BASE < LOCAL_SIZE ? address - LOCAL_BASE + window[core] : address;
}

static bool resolve(struct machine *m, const struct action *action, struct bh_xy tile, uint64_t *address,
                    uint64_t *size) {
    const struct place *place = &action->place;
    *address = place->offset;
    *size = action->number;
    if (place->symbol.n == 0)
        return true;
    for (size_t i = m->image_count; i-- > 0;) {
        const struct image *image = &m->images[i];
        uint32_t at, length;
        if (!list_has(&image->tiles, tile) || !program_find(image->program, place->symbol, &at, &length))
            continue;
        *address = outside_address(image->core, at) + place->offset;
        if (*size == 0 && length > place->offset)
            *size = length - place->offset;
        return *size || action->kind != ACTION_DUMP ||
               fail(m, "symbol '%.*s' has no size: say how many bytes", SPAN(place->symbol));
    }
    return fail(m, "no program on tile %u,%u has a symbol '%.*s'", tile.x, tile.y, SPAN(place->symbol));
}

static bool peek(struct machine *m, struct bh_xy tile, uint64_t address, uint8_t *data, size_t size) {
    bh_status status = bh_peek(m->chip, tile, address, data, size);
    bool words = status == BH_ERR_ALIGNMENT && address % 4 == 0 && size % 4 == 0 && size > 4;
    for (size_t i = 0; words && i < size; i += 4)
        if ((status = bh_peek(m->chip, tile, address + i, data + i, 4)) != BH_OK)
            break;
    return status == BH_OK || failed_call(m, status, tile);
}

static bool write_bytes(struct machine *m, struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size) {
    bh_status status = bh_write(m->chip, tile, address, data, size);
    bool words = status == BH_ERR_ALIGNMENT && address % 4 == 0 && size % 4 == 0 && size > 4;
    for (size_t i = 0; words && i < size; i += 4)
        if ((status = bh_write(m->chip, tile, address + i, data + i, 4)) != BH_OK)
            break;
    return status == BH_OK || failed_call(m, status, tile);
}

/* ---- Loading and writing ----------------------------------------------------------------- */

static struct program *open_program(struct machine *m, struct span spec) {
    for (size_t i = 0; i < m->opened_count; i++)
        if (m->opened[i].spec.n == spec.n && memcmp(m->opened[i].spec.p, spec.p, spec.n) == 0)
            return m->opened[i].program;
    if (!reserve(m, &m->opened, m->opened_count, sizeof *m->opened))
        return NULL;
    struct program *program = program_open(spec, m->message, sizeof m->message);
    if (program)
        m->opened[m->opened_count++] = (struct opened){ spec, program };
    return program;
}

static bool load_tile(struct machine *m, const struct action *action, struct bh_xy tile) {
    const struct image *image = &m->images[m->image_count - 1];
    size_t size;
    uint32_t address;
    const uint8_t *bytes = program_bytes(image->program, &size);
    bh_status status = program_is_raw(image->program, &address)
                           ? bh_load_raw(m->chip, tile, image->core, address, bytes, size)
                           : bh_load_elf(m->chip, tile, image->core, bytes, size, NULL);
    (void)action;
    if (status == BH_OK)
        return true;
    const char *why = bh_message(m->chip);
    return fail(m, "cannot load '%s' for %s on tile %u,%u: %s", program_path(image->program), bh_core_name(image->core),
                tile.x, tile.y, *why ? why : bh_status_text(status));
}

static bool do_load(struct machine *m, const struct action *action) {
    if (!reserve(m, &m->images, m->image_count, sizeof *m->images))
        return false;
    struct program *program = open_program(m, action->file);
    if (!program)
        return false;
    struct image image = { .program = program, .tiles = action->tiles };
    while (!(action->cores >> image.core & 1))
        image.core++;
    if (image.tiles.count == 0)
        image.tiles = (struct tile_list){ 1, { { false, { 1, 2 }, { 1, 2 } } } };
    m->images[m->image_count++] = image;
    return each_tile(m, action, true, load_tile);
}

static bool write_words(struct machine *m, const struct action *action, struct bh_xy tile) {
    uint64_t address, size;
    if (!resolve(m, action, tile, &address, &size))
        return false;
    for (size_t i = 0; i < action->word_count; i++) {
        uint32_t w = action->words[i];
        uint8_t bytes[4] = { (uint8_t)w, (uint8_t)(w >> 8), (uint8_t)(w >> 16), (uint8_t)(w >> 24) };
        if (!write_bytes(m, tile, address + 4 * i, bytes, 4))
            return false;
    }
    return true;
}

static bool write_file(struct machine *m, const struct action *action, struct bh_xy tile) {
    uint64_t address, length;
    size_t size;
    uint8_t *bytes = file_read(action->file, &size, m->message, sizeof m->message);
    bool ok = bytes && resolve(m, action, tile, &address, &length) && write_bytes(m, tile, address, bytes, size);
    free(bytes);
    return ok;
}

static bool release_tile(struct machine *m, const struct action *action, struct bh_xy tile) {
    bh_status status =
        action->kind == ACTION_HOLD ? bh_hold(m->chip, tile, action->cores) : bh_release(m->chip, tile, action->cores);
    return status == BH_OK || failed_call(m, status, tile);
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

static void draw_progress(uint64_t cycles, uint64_t limit, double seconds) {
    char done[GROUPED_SIZE], total[GROUPED_SIZE];
    fprintf(stderr, "\r%s of at most %s cycles, %.0f s, %.1f million a second\x1b[K", grouped(cycles, done),
            grouped(limit, total), seconds, (double)cycles / seconds * 1e-6);
}

static void run_slices(struct machine *m, uint64_t limit, struct bh_stop *stop) {
    unsigned flags = BH_RUN_STOP_ON_IDLE | (m->keep_going ? 0 : BH_RUN_STOP_ON_FAULT);
    uint64_t first = bh_cycle(m->chip), left = limit, slice = FIRST_SLICE * (uint64_t)bh_epoch(m->chip);
    double start = now(), before = start, drawn = start;
    do {
        uint64_t cycles = slice < left ? slice : left;
        if (bh_run(m->chip, cycles, flags, stop) != BH_OK)
            break;
        uint64_t done = bh_cycle(m->chip) - first;
        left = done < limit ? limit - done : 0;
        double time = now();
        if (time - before < 0.02)
            slice *= 2;
        else if (time - before > 0.2 && slice > FIRST_SLICE * (uint64_t)bh_epoch(m->chip))
            slice /= 2;
        before = time;
        if (m->progress && time - start > 1 && time - drawn > 0.1) {
            draw_progress(done, limit, time - start);
            drawn = time;
        }
    } while (stop->reason == BH_STOP_CYCLES && left && !interrupted);
    m->seconds += now() - start;
    if (drawn > start)
        fputs("\r\x1b[K", stderr);
}

static bool do_run(struct machine *m, const struct action *action) {
    struct bh_stop stop = { .reason = BH_STOP_CYCLES };
    struct sigaction old, new = { .sa_handler = on_interrupt };
    sigaction(SIGINT, &new, &old);
    run_slices(m, action->number ? action->number : m->max_cycles, &stop);
    sigaction(SIGINT, &old, NULL);
    m->interrupted = interrupted;
    m->deadlock = stop.reason == BH_STOP_DEADLOCK;
    m->limit_reached = stop.reason == BH_STOP_CYCLES && !action->number && !interrupted;
    return true;
}

/* ---- Looking ------------------------------------------------------------------------------ */

static bool keep(struct machine *m, const struct finding *finding) {
    if (!reserve(m, &m->findings, m->finding_count, sizeof *m->findings))
        return false;
    m->findings[m->finding_count++] = *finding;
    return true;
}

static void complain(struct machine *m, const struct action *action, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(struct machine *m, const struct action *action, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s:%u: expectation failed: ", m->script_name ? m->script_name : "bhemu run", action->line);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    m->expectation_failed = true;
}

static bool expect_memory(struct machine *m, const struct action *action, struct bh_xy tile) {
    struct finding finding = { .action = action, .tile = tile };
    uint64_t size;
    if (!resolve(m, action, tile, &finding.address, &size))
        return false;
    for (size_t i = 0; i < action->word_count; i++) {
        uint8_t b[4];
        uint64_t address = finding.address + 4 * i;
        if (!peek(m, tile, address, b, 4))
            return false;
        uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        if (word == action->words[i])
            continue;
        finding.failed = true;
        complain(m, action, "tile %u,%u address 0x%llx is 0x%08x, not 0x%08x", tile.x, tile.y,
                 (unsigned long long)address, word, action->words[i]);
    }
    return keep(m, &finding);
}

/* The bytes at an address up to a zero byte, at most max of them. */
static bool peek_text(struct machine *m, struct bh_xy tile, uint64_t address, uint8_t *text, size_t max, size_t *size) {
    for (*size = 0; *size < max; ++*size) {
        if (!peek(m, tile, address + *size, text + *size, 1))
            return false;
        if (text[*size] == 0)
            break;
    }
    return true;
}

#define TEXT_MAX 4096

static bool expect_text(struct machine *m, const struct action *action, struct bh_xy tile) {
    struct finding finding = { .action = action, .tile = tile };
    uint8_t text[TEXT_MAX];
    uint64_t length;
    size_t size;
    if (!resolve(m, action, tile, &finding.address, &length) ||
        !peek_text(m, tile, finding.address, text, sizeof text, &size))
        return false;
    finding.failed = size != action->file.n || memcmp(text, action->file.p, size) != 0;
    if (finding.failed)
        complain(m, action, "tile %u,%u address 0x%llx has the text \"%.*s\"", tile.x, tile.y,
                 (unsigned long long)finding.address, (int)size, (const char *)text);
    return keep(m, &finding);
}

static void accept_faults(struct machine *m, struct bh_xy tile, enum bh_core core) {
    for (size_t i = 0; i < m->fault_count; i++) {
        const struct bh_fault *fault = &m->faults[i].fault;
        if (fault->tile.x == tile.x && fault->tile.y == tile.y && fault->core == (int)core)
            m->faults[i].expected = true;
    }
}

static bool expect_core(struct machine *m, const struct action *action, struct bh_xy tile) {
    static const char *const states[] = { "in reset", "running", "polling", "blocked", "paused", "faulted" };
    struct finding finding = { .action = action, .tile = tile };
    struct bh_core_info info;
    uint32_t value = 0;
    enum bh_core core = BH_BRISC;
    while (!(action->cores >> core & 1))
        core++;
    bh_status status = action->kind == ACTION_EXPECT_STATE ? bh_core_query(m->chip, tile, core, &info)
                                                           : bh_core_get(m->chip, tile, core, action->reg, &value);
    if (status != BH_OK)
        return failed_call(m, status, tile);
    if (action->kind == ACTION_EXPECT_REGISTER) {
        finding.failed = value != action->words[0];
        if (finding.failed)
            complain(m, action, "tile %u,%u %s %.*s is 0x%08x, not 0x%08x", tile.x, tile.y, bh_core_name(core),
                     SPAN(action->name), value, action->words[0]);
        return keep(m, &finding);
    }
    finding.failed = (unsigned)info.state != action->state;
    if (finding.failed)
        complain(m, action, "tile %u,%u %s is %s, not %s", tile.x, tile.y, bh_core_name(core), states[info.state],
                 states[action->state]);
    if (action->state == BH_CORE_FAULTED)
        accept_faults(m, tile, core);
    if (action->state == BH_CORE_BLOCKED && !finding.failed)
        m->deadlock = false;
    return keep(m, &finding);
}

static void hex_dump(struct bh_xy tile, uint64_t address, const uint8_t *data, size_t size) {
    printf("tile %u,%u\n", tile.x, tile.y);
    for (size_t row = 0; row < size; row += 16) {
        printf("%08llx ", (unsigned long long)address + row);
        for (size_t i = row; i < row + 16; i++)
            i < size ? printf(i % 4 ? "%02x" : " %02x", data[i]) : printf(i % 4 ? "  " : "   ");
        fputs("  ", stdout);
        for (size_t i = row; i < row + 16 && i < size; i++)
            putchar(data[i] >= 0x20 && data[i] < 0x7F ? data[i] : '.');
        putchar('\n');
    }
}

static bool save(struct machine *m, struct span path, const uint8_t *data, size_t size) {
    char name[4096];
    snprintf(name, sizeof name, "%.*s", (int)path.n, path.p);
    FILE *file = fopen(name, "wb");
    bool ok = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file))
        ok = false;
    return ok || fail(m, "cannot write '%s'", name);
}

static bool dump_tile(struct machine *m, const struct action *action, struct bh_xy tile) {
    struct finding finding = { .action = action, .tile = tile };
    uint64_t size;
    if (!resolve(m, action, tile, &finding.address, &size))
        return false;
    if (action->file.n && (action->tiles.count > 1 || !is_one_tile(&action->tiles.range[0])))
        return fail(m, "one file cannot take the bytes of several tiles: '%.*s'", SPAN(action->file));
    finding.size = (size_t)size;
    finding.data = malloc(finding.size);
    bool ok = finding.data ? peek(m, tile, finding.address, finding.data, finding.size) : fail(m, "out of memory");
    if (ok && action->file.n)
        ok = save(m, action->file, finding.data, finding.size);
    else if (ok && !m->json)
        hex_dump(tile, finding.address, finding.data, finding.size);
    ok = ok && keep(m, &finding);
    if (!ok)
        free(finding.data);
    return ok;
}

static bool print_tile(struct machine *m, const struct action *action, struct bh_xy tile) {
    struct finding finding = { .action = action, .tile = tile };
    uint64_t length;
    uint8_t text[TEXT_MAX];
    if (!resolve(m, action, tile, &finding.address, &length) ||
        !peek_text(m, tile, finding.address, text, sizeof text, &finding.size))
        return false;
    if (!m->json)
        printf("%.*s%s", (int)finding.size, (const char *)text,
               finding.size && text[finding.size - 1] == '\n' ? "" : "\n");
    finding.data = malloc(finding.size + 1);
    if (!finding.data)
        return fail(m, "out of memory");
    memcpy(finding.data, text, finding.size);
    bool ok = keep(m, &finding);
    if (!ok)
        free(finding.data);
    return ok;
}

bool machine_do(struct machine *m, const struct action *action) {
    switch (action->kind) {
    case ACTION_LOAD: return do_load(m, action);
    case ACTION_WRITE: return each_tile(m, action, false, action->words ? write_words : write_file);
    case ACTION_RELEASE:
    case ACTION_HOLD: return each_tile(m, action, true, release_tile);
    case ACTION_RUN: return do_run(m, action);
    case ACTION_EXPECT_MEMORY: return each_tile(m, action, false, expect_memory);
    case ACTION_EXPECT_TEXT: return each_tile(m, action, false, expect_text);
    case ACTION_EXPECT_STATE:
    case ACTION_EXPECT_REGISTER: return each_tile(m, action, true, expect_core);
    case ACTION_DUMP: return each_tile(m, action, false, dump_tile);
    case ACTION_PRINT: return each_tile(m, action, false, print_tile);
    }
    return fail(m, "unknown action");
}

/* ---- Life ----------------------------------------------------------------------------------- */

bool machine_open(struct machine *m, const struct settings *settings) {
    bh_config_board(&m->config, settings->board);
    if (settings->has_threads)
        m->config.threads = settings->threads;
    if (settings->has_skew)
        m->config.skew = settings->skew;
    m->config.on_fault = on_fault;
    m->config.user = m;
    if (bh_create(&m->config, &m->chip, m->message, sizeof m->message) != BH_OK)
        return false;
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(m->chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX && !info.harvested && m->tensix_count < TENSIX_MAX)
            m->tensix[m->tensix_count++] = info.translated;
    return true;
}

void machine_close(struct machine *m) {
    bh_destroy(m->chip);
    for (size_t i = 0; i < m->opened_count; i++)
        program_close(m->opened[i].program);
    for (size_t i = 0; i < m->finding_count; i++)
        free(m->findings[i].data);
    free(m->opened);
    free(m->images);
    free(m->faults);
    free(m->findings);
}

const struct program *machine_program(const struct machine *m, struct bh_xy tile, enum bh_core core) {
    for (size_t i = m->image_count; i-- > 0;)
        if (m->images[i].core == core && list_has(&m->images[i].tiles, tile))
            return m->images[i].program;
    return NULL;
}

size_t machine_unexpected(const struct machine *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->fault_count; i++)
        count += !m->faults[i].expected;
    return count;
}
