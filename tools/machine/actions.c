/* Carries out the actions of command lines and command files on a machine: see script.h and machine.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"
#include "machine/addresses.h"
#include "machine/inside.h"
#include "machine/machine.h"
#include "machine/ranks.h"

/* ---- Addresses ------------------------------------------------------------------------------ */

/* Returns the program with this symbol, if there is one on any tile. */
static const struct image *image_with(const struct machine *m, struct span symbol) {
    uint32_t address, size;
    for (size_t i = m->image_count; i-- > 0;)
        if (program_find(m->images[i].program, symbol, &address, &size))
            return &m->images[i];
    return NULL;
}

/* Sets the message for an unknown symbol. The user may have meant another tile or, in a dump, state of the
 * coprocessor. */
static bool no_symbol(struct machine *m, const struct action *action, struct bh_xy tile) {
    struct span symbol = action->address.symbol;
    const struct image *image = image_with(m, symbol);
    const struct tile_range *range = image && !image->tiles.range[0].all ? &image->tiles.range[0] : NULL;
    const char *meant = action->kind == ACTION_DUMP ? closest(symbol, inside_names + 1) : NULL;
    if (range)
        return machine_fail(m, "no program on tile %u,%u has a symbol '%.*s'; one on tile %u,%u has: say %u,%u:%.*s",
                            tile.x, tile.y, SPAN(symbol), range->low.x, range->low.y, range->low.x, range->low.y,
                            SPAN(symbol));
    return machine_fail(m, "no program on tile %u,%u has a symbol '%.*s'%s%s%s", tile.x, tile.y, SPAN(symbol),
                        meant ? "; did you mean tensix." : "", meant ? meant : "", meant ? "?" : "");
}

static bool resolve(struct machine *m, const struct action *action, struct bh_xy tile, uint64_t *address,
                    uint64_t *size) {
    const struct guest_address *from = &action->address;
    *address = from->offset;
    *size = action->number;
    if (from->symbol.n == 0)
        return true;
    for (size_t i = m->image_count; i-- > 0;) {
        const struct image *image = &m->images[i];
        uint32_t at, length;
        if (!tile_list_has(&image->tiles, tile) || !program_find(image->program, from->symbol, &at, &length))
            continue;
        *address = address_from_outside(image->core, at) + from->offset;
        if (*size == 0 && length > from->offset)
            *size = length - from->offset;
        return *size || action->kind != ACTION_DUMP ||
               machine_fail(m, "symbol '%.*s' has no size: say how many bytes", SPAN(from->symbol));
    }
    return no_symbol(m, action, tile);
}

/* ---- Loading and writing ----------------------------------------------------------------- */

/* Names circular buffers for the hazard check, after the symbols with which a program marks them (CB_AT of
 * guest/include/kit/cb.h). */
static bool name_buffers(struct machine *m, struct bh_xy tile, const struct program *program) {
    static const char prefix[] = "cb.";
    size_t index = 0;
    uint32_t address;
    for (const char *name; m->check && (name = program_symbol_with(program, prefix, &index, &address));)
        if (bh_check_buffer(m->chip, tile, name + strlen(prefix), address) != BH_OK)
            return machine_fail(m, "--check: %s", bh_message(m->chip));
    return true;
}

/* Returns the core of an action about one core. */
static enum bh_core core_of(const struct action *action) {
    enum bh_core core = BH_BRISC;
    while (!(action->cores >> core & 1))
        core++;
    return core;
}

/* Returns whether the core of the action has the name by which the action calls it. */
static bool has_core(const struct machine *m, struct bh_xy tile, const struct action *action) {
    return span_is(action->core, bh_core_name_at(m->chip, tile, core_of(action)));
}

static bool load_tile(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    const struct image *image = &m->images[m->image_count - 1];
    if (!has_core(m, tile, action))
        return machine_fail(m, "cannot load '%s': tile %u,%u has no %.*s; Ethernet tiles have erisc0 and erisc1",
                            program_path(image->program), tile.x, tile.y, SPAN(action->core));
    size_t size;
    uint32_t address;
    const uint8_t *bytes = program_bytes(image->program, &size);
    bh_status status = program_is_raw(image->program, &address)
                           ? bh_load_raw(m->chip, tile, image->core, address, bytes, size)
                           : bh_load_elf(m->chip, tile, image->core, bytes, size, NULL);
    if (status == BH_OK)
        return name_buffers(m, tile, image->program);
    const char *why = bh_message(m->chip);
    return machine_fail(m, "cannot load '%s' for %s on tile %u,%u: %s", program_path(image->program),
                        bh_core_name_at(m->chip, tile, image->core), tile.x, tile.y,
                        *why ? why : bh_status_text(status));
}

static bool do_load(struct machine *m, const struct action *action) {
    struct image image = { .program = machine_open_program(m, action->file, program_open),
                           .tiles = *tile_list_or_first(&action->tiles),
                           .core = core_of(action),
                           .high = UINT32_MAX };
    return image.program && machine_add_image(m, &image) &&
           machine_each_tile(m, &action->tiles, CORE_TILE, load_tile, action);
}

static bool write_words(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    uint64_t address, size;
    if (!resolve(m, action, tile, &address, &size))
        return false;
    for (size_t i = 0; i < action->word_count; i++) {
        uint8_t bytes[4];
        put_word(bytes, action->words[i]);
        if (!machine_write(m, tile, address + 4 * i, bytes, 4))
            return false;
    }
    return true;
}

/* Completes the message about a file that cannot be read, if its name looks like a number. */
static bool cannot_read(struct machine *m, struct span file) {
    bool number = file.n && (*file.p == '-' || (*file.p >= '0' && *file.p <= '9'));
    size_t used = strlen(m->message);
    if (number)
        snprintf(m->message + used, sizeof m->message - used, ", nor is it a list of 32-bit words");
    return false;
}

static bool write_file(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    uint64_t address, length;
    size_t size;
    uint8_t *bytes = file_read(action->file, &size, m->message, sizeof m->message);
    if (!bytes)
        return cannot_read(m, action->file);
    bool ok = size ? resolve(m, action, tile, &address, &length) && machine_write(m, tile, address, bytes, size)
                   : machine_fail(m, "the file '%.*s' is empty", SPAN(action->file));
    free(bytes);
    return ok;
}

static bool release_tile(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    bh_status status =
        action->kind == ACTION_HOLD ? bh_hold(m->chip, tile, action->cores) : bh_release(m->chip, tile, action->cores);
    return status == BH_OK || machine_failed_call(m, status, tile);
}

/* ---- Running ----------------------------------------------------------------------------- */

static bool do_run(struct machine *m, const struct action *action) {
    struct bh_stop stop;
    bool ok = machine_run(m, action->number ? action->number : m->max_cycles, &stop);
    m->limit_reached = stop.reason == BH_STOP_CYCLES && !action->number && !m->interrupted;
    return ok;
}

/* ---- Dumps and expectations ---------------------------------------------------------------- */

static bool keep(struct machine *m, const struct finding *finding) {
    if (!machine_reserve(m, &m->findings, m->finding_count, sizeof *m->findings))
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

static bool expect_memory(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    struct finding finding = { .action = action, .tile = tile };
    uint64_t size;
    if (!resolve(m, action, tile, &finding.address, &size))
        return false;
    for (size_t i = 0; i < action->word_count; i++) {
        uint8_t b[4];
        uint64_t address = finding.address + 4 * i;
        if (!machine_peek(m, tile, address, b, 4))
            return false;
        uint32_t word = word_at(b);
        if (word == action->words[i])
            continue;
        finding.failed = true;
        complain(m, action, "tile %u,%u address 0x%llx is 0x%08x, not 0x%08x", tile.x, tile.y,
                 (unsigned long long)address, word, action->words[i]);
    }
    return keep(m, &finding);
}

/* Reads bytes up to a zero byte, max bytes at most. */
static bool peek_text(struct machine *m, struct bh_xy tile, uint64_t address, uint8_t *text, size_t max, size_t *size) {
    for (*size = 0; *size < max; ++*size) {
        if (!machine_peek(m, tile, address + *size, text + *size, 1))
            return false;
        if (text[*size] == 0)
            break;
    }
    return true;
}

#define TEXT_MAX 4096

static bool expect_text(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
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

static bool expect_core(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    struct finding finding = { .action = action, .tile = tile };
    struct bh_core_info info;
    uint32_t value = 0;
    enum bh_core core = core_of(action);
    if (!has_core(m, tile, action))
        return machine_fail(m, "tile %u,%u has no %.*s; Ethernet tiles have erisc0 and erisc1", tile.x, tile.y,
                            SPAN(action->core));
    bool is_register = action->kind == ACTION_EXPECT_REGISTER;
    bh_status status =
        is_register ? bh_core_get(m->chip, tile, core, action->reg, &value) : bh_core_query(m->chip, tile, core, &info);
    if (status != BH_OK)
        return machine_failed_call(m, status, tile);
    if (is_register) {
        finding.failed = value != action->words[0];
        if (finding.failed)
            complain(m, action, "tile %u,%u %.*s %.*s is 0x%08x, not 0x%08x", tile.x, tile.y, SPAN(action->core),
                     SPAN(action->name), value, action->words[0]);
        return keep(m, &finding);
    }
    finding.failed = (unsigned)info.state != action->state;
    if (finding.failed)
        complain(m, action, "tile %u,%u %.*s is %s, not %s", tile.x, tile.y, SPAN(action->core), state_name(info.state),
                 state_name(action->state));
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

static bool dump_tile(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    struct finding finding = { .action = action, .tile = tile };
    uint64_t size;
    if (!resolve(m, action, tile, &finding.address, &size))
        return false;
    if (action->file.n && (action->tiles.count > 1 || !tile_range_is_one(&action->tiles.range[0])))
        return machine_fail(m, "one file cannot take the bytes of several tiles: '%.*s'", SPAN(action->file));
    finding.size = (size_t)size;
    finding.data = malloc(finding.size);
    bool ok = finding.data ? machine_peek(m, tile, finding.address, finding.data, finding.size)
                           : machine_fail(m, "out of memory");
    if (ok && action->file.n)
        ok = file_write(action->file, finding.data, finding.size, m->message, sizeof m->message);
    else if (ok && !m->json)
        hex_dump(tile, finding.address, finding.data, finding.size);
    ok = ok && keep(m, &finding);
    if (!ok)
        free(finding.data);
    return ok;
}

static bool dump_thread(struct machine *m, struct bh_xy tile, const struct action *action, unsigned thread) {
    struct finding finding = { .action = action, .tile = tile, .inside = malloc(sizeof *finding.inside) };
    if (!finding.inside)
        return machine_fail(m, "out of memory");
    *finding.inside = (struct inside){ .what = action->inside, .thread = thread };
    bh_status status = inside_read(m->chip, tile, finding.inside);
    bool ok = status == BH_OK || machine_failed_call(m, status, tile);
    if (ok && !m->json)
        inside_text(finding.inside, tile);
    ok = ok && keep(m, &finding);
    if (!ok)
        free(finding.inside);
    return ok;
}

static bool dump_inside(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
    for (unsigned thread = 0; thread < BH_THREADS; thread++)
        if ((action->threads >> thread & 1) && !dump_thread(m, tile, action, thread))
            return false;
    return true;
}

static bool print_tile(struct machine *m, struct bh_xy tile, const void *what) {
    const struct action *action = what;
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
        return machine_fail(m, "out of memory");
    memcpy(finding.data, text, finding.size);
    bool ok = keep(m, &finding);
    if (!ok)
        free(finding.data);
    return ok;
}

static bool has_symbol(struct machine *m, struct bh_xy tile, const void *what) {
    uint64_t address, size;
    return resolve(m, what, tile, &address, &size);
}

bool machine_can_look(struct machine *m, const struct action *action) {
    struct machine *at = m->system || action->chip ? system_chip(m, action->chip) : m;
    if (!at)
        return false;
    if (action->inside || !action->address.symbol.n ||
        machine_each_tile(at, &action->tiles, ANY_TILE, has_symbol, action))
        return true;
    return at == m ? false : machine_fail(m, "chip %u: %s", action->chip, at->message);
}

bool machine_do(struct machine *m, const struct action *action) {
    struct machine *at = m->system || action->chip ? system_chip(m, action->chip) : m;
    if (!at && !m->ranks)
        return false;
    if (action->kind == ACTION_RUN)
        at = m;
    bool ok = m->ranks ? ranks_do(m, at, action) : machine_do_here(at, action);
    if (action->kind == ACTION_RUN && m->system)
        system_share(m);
    if (m->ranks)
        return ok;
    if (ok || at == m)
        return ok;
    return machine_fail(m, "chip %u: %s", action->chip, at->message);
}

bool machine_do_here(struct machine *m, const struct action *action) {
    switch (action->kind) {
    case ACTION_LOAD: return do_load(m, action);
    case ACTION_WRITE:
        return machine_each_tile(m, &action->tiles, ANY_TILE, action->words ? write_words : write_file, action);
    case ACTION_RELEASE:
    case ACTION_HOLD: return machine_each_tile(m, &action->tiles, CORE_TILE, release_tile, action);
    case ACTION_RUN: return do_run(m, action);
    case ACTION_EXPECT_MEMORY: return machine_each_tile(m, &action->tiles, ANY_TILE, expect_memory, action);
    case ACTION_EXPECT_TEXT: return machine_each_tile(m, &action->tiles, ANY_TILE, expect_text, action);
    case ACTION_EXPECT_STATE:
    case ACTION_EXPECT_REGISTER: return machine_each_tile(m, &action->tiles, CORE_TILE, expect_core, action);
    case ACTION_DUMP:
        return machine_each_tile(m, &action->tiles, ANY_TILE, action->inside ? dump_inside : dump_tile, action);
    case ACTION_PRINT: return machine_each_tile(m, &action->tiles, ANY_TILE, print_tile, action);
    }
    return machine_fail(m, "unknown action");
}
