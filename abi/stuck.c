/* Finds kernels that do not end: see stuck.h.
 *
 * A deadlock is certain only if nothing on the chip can end it. Kernels of tt-metal mostly wait in loops that read
 * words which another agent, or the host, could still write. The go message of a tile distinguishes such a wait from
 * that of a tile with nothing to do. Kernels that the host has started itself, and does not ask about, belong to a
 * dispatcher, and wait all the time. */
#include "stuck.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "firmware/layout.h"
#include "machine/addresses.h"
#include "text/file.h"

enum {
    LAYOUTS_MAX = 8,
    CHIPS = 32,
    TILES = 256,
    REPORTED_MAX = 4, /* most tiles in one report */
    LONG = 1 << 20,
    SHORT = 1 << 14, /* in cycles, if the client runs the chip slowly */
    CODE_WORDS = 4,
};

/* Registers of an overlay stream in which kernels count the pages of a circular buffer. */
enum { PAGES_TAKEN = 8 * 4, PAGES_PUT_IN = 10 * 4 };

struct stuck {
    struct stuck_pace pace;
    struct layout layout[LAYOUTS_MAX];
    unsigned count;
    struct stuck_tile {
        uint64_t asleep_at; /* cycle in which the tile had fallen asleep, at the last look */
        double since;       /* host time at which this was first seen */
        bool reported;
    } tile[CHIPS][TILES];
};

static bool add(struct stuck *s, const char *text, size_t length, char *message, size_t size) {
    struct ini ini;
    if (s->count == LAYOUTS_MAX)
        return true;
    if (layout_parse(&ini, text, length, &s->layout[s->count])) {
        s->count++;
        return true;
    }
    snprintf(message, size, "line %u: %s", ini.errors[0].line, ini.errors[0].text);
    return false;
}

static bool add_file(struct stuck *s, const char *path, char *message, size_t size) {
    size_t length;
    uint8_t *bytes = file_read(span_of(path), &length, message, size);
    bool good = bytes && add(s, (const char *)bytes, length, message, size);
    free(bytes);
    return good;
}

struct stuck *stuck_open(const char *path, char *message, size_t size) {
    struct stuck *s = calloc(1, sizeof *s);
    bool good = s != NULL;
    if (!s)
        snprintf(message, size, "out of memory");
    if (good && *path)
        good = add_file(s, path, message, size);
    for (const struct layout_text *text = layout_texts; good && text->name; text++)
        good = add(s, text->text, strlen(text->text), message, size);
    if (good)
        return s;
    stuck_close(s);
    return NULL;
}

void stuck_close(struct stuck *stuck) {
    free(stuck);
}

struct stuck_pace *stuck_pace(struct stuck *stuck) {
    return &stuck->pace;
}

/* ---- Mailboxes ------------------------------------------------------------------------------------------------ */

struct mailbox {
    const bh_chip *chip;
    const char *name; /* name of the chip */
    struct bh_xy tile;
    const struct layout *layout;
    uint32_t message; /* address of the launch message */
    uint8_t signal, sync[PROCESSORS - 1];
};

static uint32_t number(const bh_chip *chip, struct bh_xy tile, uint32_t address, unsigned bytes) {
    uint8_t data[4] = { 0 };
    bh_peek(chip, tile, address, data, bytes);
    return data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

static uint32_t field(const struct mailbox *m, enum message_field_id id, unsigned index) {
    const struct message_field *f = &m->layout->message[id];
    if (f->width == 0 || index >= f->count)
        return 0;
    return number(m->chip, m->tile, m->message + f->offset + index * f->stride, f->width < 4 ? f->width : 4);
}

/* Returns the target of BRISC's jump at address 0. */
static uint32_t start_of(const bh_chip *chip, struct bh_xy tile) {
    uint32_t jal = number(chip, tile, 0, 4);
    uint32_t offset = (jal >> 21 & 0x3FF) << 1 | (jal >> 20 & 1) << 11 | (jal >> 12 & 0xFF) << 12;
    return (jal & 0xFFF) == 0x6F && !(jal >> 31) ? offset : 0;
}

static bool is_known(unsigned signal) {
    return signal == SIGNAL_DONE || signal == SIGNAL_INIT || signal == SIGNAL_GO || (signal >= 1 && signal <= 3);
}

/* Reads the mailbox. Returns false if the tile has no firmware with this layout. */
static bool fits(struct mailbox *m) {
    const struct layout *l = m->layout;
    uint32_t index = number(m->chip, m->tile, l->go_index, 4), message = number(m->chip, m->tile, l->rd_ptr, 4);
    if (start_of(m->chip, m->tile) != l->firmware[BH_BRISC] || index >= l->go_count || message >= l->launch_count)
        return false;
    m->message = l->launch + message * l->launch_size;
    m->signal = (uint8_t)number(m->chip, m->tile, l->go + 4 * index + SIGNAL_OFFSET, 1);
    bool known = true;
    for (unsigned i = 0; i < PROCESSORS - 1; i++) {
        m->sync[i] = (uint8_t)number(m->chip, m->tile, l->sync + i, 1);
        known &= is_known(m->sync[i]);
    }
    return known;
}

static bool read_mailbox(const struct stuck *s, const bh_chip *chip, struct bh_xy tile, struct mailbox *m) {
    for (unsigned i = 0; i < s->count; i++) {
        *m = (struct mailbox){ .chip = chip, .name = "", .tile = tile, .layout = &s->layout[i] };
        if (fits(m))
            return true;
    }
    return false;
}

static bool is_unfinished(const struct mailbox *m, bool polls) {
    return m->signal == SIGNAL_GO && (field(m, MESSAGE_MODE, 0) != MODE_HOST || polls);
}

/* ---- The report ---------------------------------------------------------------------------------------------- */

static unsigned processor_of(enum bh_core core) {
    unsigned i = 0;
    while (i < PROCESSORS && processor_core[i] != core)
        i++;
    return i;
}

/* Returns whether the pc lies in the kernel of a core, and sets *offset to the distance from its beginning. */
static bool in_kernel(const struct mailbox *m, enum bh_core core, uint32_t pc, uint32_t *offset) {
    unsigned processor = processor_of(core);
    uint32_t base = field(m, MESSAGE_CONFIG_BASE, 0) + field(m, MESSAGE_TEXT_OFFSET, processor);
    uint32_t size = field(m, MESSAGE_TEXT_SIZE, processor);
    *offset = pc - base;
    return processor < PROCESSORS && base && *offset < (size ? size : m->layout->config_size);
}

static void put_place(const struct mailbox *m, enum bh_core core, uint32_t pc, FILE *out) {
    uint32_t offset;
    fprintf(out, "%stile %u,%u: %s at pc 0x%x", m->name, m->tile.x, m->tile.y, bh_core_name(core), pc);
    if (!in_kernel(m, core, pc, &offset))
        return;
    fprintf(out, ", kernel + 0x%x, code", offset);
    for (unsigned i = 0; i < CODE_WORDS; i++)
        fprintf(out, " %08" PRIx32, number(m->chip, m->tile, pc + 4 * i, 4));
}

static bool in_range(uint32_t address, uint32_t first, uint32_t size) {
    return address - first < size;
}

static void put_unfinished(const struct mailbox *m, FILE *out) {
    const char *before = "waits for the kernels of ";
    for (unsigned i = 0; i < PROCESSORS - 1; i++) {
        if (m->sync[i] == SIGNAL_DONE)
            continue;
        fprintf(out, "%s%s", before, bh_core_name(processor_core[i + 1]));
        before = ", ";
    }
}

static void put_polled(const struct mailbox *m, enum bh_core core, const struct bh_core_info *info, FILE *out) {
    uint32_t at = info->waits_at, in_stream = (at - STREAMS) % STREAM_SIZE;
    uint32_t stream = (at - STREAMS) / STREAM_SIZE, buffer = stream - m->layout->cb_streams;
    bool is_count = stream < STREAM_COUNT && buffer < m->layout->cb_count;
    if (is_count && in_stream == PAGES_PUT_IN)
        fprintf(out, "waits for pages in circular buffer %u (0x%x)", buffer, at);
    else if (is_count && in_stream == PAGES_TAKEN)
        fprintf(out, "waits for room in circular buffer %u (0x%x)", buffer, at);
    else if (!at)
        fputs("jumps to itself", out);
    else if (core == BH_BRISC && in_range(at, m->layout->sync, 4))
        put_unfinished(m, out);
    else
        fprintf(out, "waits for %s (0x%x)", info->waits_on, at);
}

/* Returns whether a core has no kernel, or has finished it: it then reads its sync byte in a loop. */
static bool has_nothing_to_do(const struct mailbox *m, enum bh_core core) {
    return core != BH_BRISC && m->sync[processor_of(core) - 1] == SIGNAL_DONE;
}

static void put_core(const struct mailbox *m, enum bh_core core, FILE *out) {
    struct bh_core_info info;
    if (bh_core_query(m->chip, m->tile, core, &info) != BH_OK || info.state == BH_CORE_IN_RESET ||
        has_nothing_to_do(m, core))
        return;
    put_place(m, core, info.pc, out);
    fputs(": ", out);
    if (info.state == BH_CORE_POLLING)
        put_polled(m, core, &info, out);
    else if (info.state == BH_CORE_BLOCKED)
        fprintf(out, "blocked: %s (0x%x)", info.waits_on, info.waits_at);
    else
        fputs(info.state == BH_CORE_FAULTED ? "has faulted" : "has stopped", out);
    fputc('\n', out);
}

/* Writes the reason for which a thread waits: the text that follows the instruction in the chip's report, or
 * `otherwise` if the report shows the tile only as one of several. */
static void put_reason(const struct mailbox *m, const char *report, unsigned thread, const char *otherwise, FILE *out) {
    char head[40];
    snprintf(head, sizeof head, "tile %u,%u: T%u at ", m->tile.x, m->tile.y, thread);
    const char *line = report ? strstr(report, head) : NULL;
    const char *reason = line ? strstr(line, "): ") : NULL;
    if (reason)
        fprintf(out, "%.*s", (int)strcspn(reason + 3, "\n"), reason + 3);
    else
        fputs(otherwise, out);
}

static void put_thread(const struct mailbox *m, const char *report, unsigned thread, FILE *out) {
    static const enum bh_core pusher[] = { BH_TRISC0, BH_TRISC1, BH_TRISC2 };
    struct bh_thread_info info;
    char instruction[100];
    if (bh_thread_query(m->chip, m->tile, thread, &info) != BH_OK || info.state != BH_THREAD_WAITING)
        return;
    bh_disassemble(0, info.word << 2 | info.word >> 30, instruction, sizeof instruction); /* in the form of .ttinsn */
    put_place(m, pusher[thread], info.pc, out);
    fprintf(out, ": T%u has got %s from here, which waits: ", thread, instruction + strspn(instruction, ".tisn "));
    put_reason(m, report, thread, info.waits_on, out);
    fputc('\n', out);
}

static void put_threads(const struct mailbox *m, FILE *out) {
    size_t size = bh_report(m->chip, NULL, 0);
    char *report = malloc(size + 1);
    if (report)
        bh_report(m->chip, report, size + 1);
    for (unsigned i = 0; i < 3; i++)
        put_thread(m, report, i, out);
    free(report);
}

static void put_tile(const struct mailbox *m, FILE *out) {
    for (unsigned i = PROCESSORS; i-- > 0;)
        put_core(m, processor_core[i], out);
    put_threads(m, out);
}

void stuck_place(const struct stuck *stuck, const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t pc,
                 FILE *out) {
    struct mailbox m;
    uint32_t offset;
    if (!stuck || !read_mailbox(stuck, chip, tile, &m) || !in_kernel(&m, core, pc, &offset))
        return;
    put_place(&m, core, pc, out);
    fputc('\n', out);
}

/* ---- Looking ------------------------------------------------------------------------------------------------- */

/* A tile on which nothing has ever happened has no kernel. */
static bool is_long(struct stuck_tile *t, uint64_t cycle, uint64_t asleep, double seconds) {
    if (asleep == cycle)
        return false;
    if (cycle - asleep != t->asleep_at || !asleep) {
        *t = (struct stuck_tile){ .asleep_at = cycle - asleep, .since = seconds };
        return false;
    }
    return !t->reported && (asleep >= LONG || (asleep >= SHORT && seconds - t->since >= 1));
}

/* Returns whether a tile has a kernel that should have ended and that has not been reported. */
static bool is_found(struct stuck *stuck, const bh_chip *chip, unsigned index, struct bh_xy tile,
                     const struct stuck_watch *watch, struct mailbox *m) {
    struct stuck_tile *t = &stuck->tile[watch->number % CHIPS][index];
    if (!is_long(t, bh_cycle(chip), bh_asleep(chip, tile), watch->seconds) || !read_mailbox(stuck, chip, tile, m) ||
        !is_unfinished(m, watch->polls))
        return false;
    m->name = watch->name;
    return t->reported = true;
}

void stuck_look(struct stuck *stuck, const bh_chip *chip, const struct stuck_watch *watch, FILE *out) {
    struct bh_tile_info info;
    struct mailbox m;
    unsigned found = 0;
    for (unsigned i = 0; i < TILES && bh_tile_at(chip, i, &info) == BH_OK; i++) {
        if (info.kind != BH_TILE_TENSIX || info.harvested || !is_found(stuck, chip, i, info.translated, watch, &m))
            continue;
        if (found++ == 0)
            fprintf(out,
                    "[%llu] WARNING: Hang: %skernels do not end, and nothing has happened on their tiles for a while\n",
                    watch->clocks, watch->name);
        if (found <= REPORTED_MAX)
            put_tile(&m, out);
    }
    if (found > REPORTED_MAX)
        fprintf(out, "%sand %u more tile%s\n", watch->name, found - REPORTED_MAX, found == REPORTED_MAX + 1 ? "" : "s");
}
