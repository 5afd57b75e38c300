/* Explains tiles that do not answer: shows the mailbox, the cores that are responsible, overwritten code, and where the
 * cores are. See firmware.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firmware/firmware.h"
#include "report/report.h"

#define EXPLAIN_MAX 4 /* most tiles that are explained in full */

static const char *signal_name(unsigned signal) {
    switch (signal) {
    case 0x00: return "done";
    case 0x01: return "load";
    case 0x02: return "waiting for reset";
    case 0x03: return "init sync registers";
    case 0x40: return "init";
    case 0x80: return "go";
    case 0xC0: return "reset read pointer";
    case 0xE0: return "reset read pointer from host";
    case 0xF0: return "replay trace";
    default: return "unknown";
    }
}

/* Reads the bytes by which BRISC synchronises with ncrisc, trisc0, trisc1 and trisc2, in this order. */
static void read_sync(const struct machine *m, const struct layout *l, struct bh_xy tile, uint8_t sync[4]) {
    memset(sync, 0, 4);
    bh_peek(m->chip, tile, l->sync, sync, 4);
}

static void mailbox_line(const struct machine *m, const struct layout *l, struct bh_xy tile) {
    uint8_t sync[4], signal = answers_signal(m, l, tile);
    read_sync(m, l, tile, sync);
    fprintf(stderr, "  go signal 0x%02x (%s); sync", signal, signal_name(signal));
    for (unsigned i = 0; i < 4; i++)
        fprintf(stderr, "%s %s 0x%02x (%s)", i ? "," : "", bh_core_name(processor_core[i + 1]), sync[i],
                signal_name(sync[i]));
    fputc('\n', stderr);
}

/* ---- Responsible cores ----------------------------------------------------------------------------- */

/* Returns the kernel that the core is executing, or NULL. */
static const struct program *kernel_at(const struct machine *m, const struct firmware *f, struct bh_xy tile,
                                       enum bh_core core, const struct bh_core_info *info) {
    uint32_t pc = info->pc;
    const struct program *program = machine_program(m, tile, core, &pc);
    return program == f->program[core] ? NULL : program;
}

static void blame_core(const struct machine *m, const struct firmware *f, struct bh_xy tile, unsigned processor,
                       unsigned signal) {
    enum bh_core core = processor_core[processor];
    struct bh_core_info info;
    if (bh_core_query(m->chip, tile, core, &info) != BH_OK)
        return;
    const struct program *kernel = kernel_at(m, f, tile, core, &info);
    const char *name = bh_core_name(core);
    if (info.state == BH_CORE_FAULTED || info.state == BH_CORE_IN_RESET)
        return;
    if (signal == SIGNAL_GO && kernel)
        fprintf(stderr, "  %s has not come back from its kernel '%s'\n", name, program_path(kernel));
    else if (signal == SIGNAL_GO && processor)
        fprintf(stderr, "  %s was told to go, but is not in its kernel\n", name);
    else if (signal == SIGNAL_INIT && processor)
        fprintf(stderr, "  %s has not told brisc that it has started\n", name);
    else if (processor && strcmp(signal_name(signal), "unknown") == 0)
        fprintf(stderr, "  %s is in an unknown state: its sync byte at 0x%x is 0x%02x\n", name,
                f->layout.sync + processor - 1, signal);
}

static void blame_held(const struct machine *m, struct bh_xy tile) {
    unsigned held = 0;
    for (unsigned i = 0; i < PROCESSORS; i++) {
        struct bh_core_info info;
        if (bh_core_query(m->chip, tile, processor_core[i], &info) == BH_OK && info.state == BH_CORE_IN_RESET)
            fprintf(stderr, "%s %s", held++ ? "," : "  in reset:", bh_core_name(processor_core[i]));
    }
    if (held)
        fputc('\n', stderr);
}

/* Names the cores that are responsible. BRISC answers last, after all others have finished. */
static void blame(const struct machine *m, const struct firmware *f, struct bh_xy tile) {
    uint8_t sync[4];
    read_sync(m, &f->layout, tile, sync);
    blame_core(m, f, tile, 0, SIGNAL_GO);
    for (unsigned i = 1; i < PROCESSORS; i++)
        blame_core(m, f, tile, i, sync[i - 1]);
    blame_held(m, tile);
}

/* ---- Overwritten code ---------------------------------------------------------------------- */

/* Returns whether another image was loaded over this one later, such as the kernels of a later run. */
static bool replaced(const struct machine *m, size_t index, struct bh_xy tile) {
    const struct image *image = &m->images[index];
    for (size_t i = index + 1; i < m->image_count; i++)
        if (m->images[i].low < image->high && image->low < m->images[i].high &&
            tile_list_has(&m->images[i].tiles, tile))
            return true;
    return false;
}

/* Returns the number of bytes of an image that have changed on the tile, and sets *first to the offset of the first. */
static size_t count_overwritten(const struct machine *m, const struct image *image, struct bh_xy tile, size_t *first) {
    size_t size = image->high - image->low, count = 0;
    uint8_t *now = malloc(size ? size : 1);
    if (now && bh_peek(m->chip, tile, image->low, now, size) == BH_OK)
        for (size_t i = size; i-- > 0;) {
            bool differs = now[i] != image->bytes[i];
            count += differs;
            *first = differs ? i : *first;
        }
    free(now);
    return count;
}

static void print_overwritten(const struct machine *m, const struct image *image, struct bh_xy tile) {
    size_t first = 0, count = count_overwritten(m, image, tile, &first);
    if (count) {
        char position[200];
        uint32_t at = image->low + ((uint32_t)first & ~3u);
        fprintf(stderr, "  code of %s has been overwritten: %zu byte%s from 0x%x on, '%s'%s\n",
                bh_core_name(image->core), count, count == 1 ? "" : "s", image->low + (uint32_t)first,
                program_path(image->program),
                program_where(image->program, at - image->shift, position, sizeof position));
    }
}

bool answers_overwritten(const struct machine *m, struct bh_xy tile) {
    size_t first = 0, count = 0;
    for (size_t i = 0; i < m->image_count; i++)
        if (m->images[i].bytes && tile_list_has(&m->images[i].tiles, tile) && !replaced(m, i, tile))
            count += count_overwritten(m, &m->images[i], tile, &first);
    return count;
}

static void overwritten(const struct machine *m, struct bh_xy tile) {
    for (size_t i = 0; i < m->image_count; i++)
        if (m->images[i].bytes && tile_list_has(&m->images[i].tiles, tile) && !replaced(m, i, tile))
            print_overwritten(m, &m->images[i], tile);
}

/* ---- The whole explanation ------------------------------------------------------------------------------ */

static bool has_faulted(const struct machine *m, struct bh_xy tile) {
    for (size_t i = 0; i < m->fault_count; i++)
        if (m->faults[i].fault.tile.x == tile.x && m->faults[i].fault.tile.y == tile.y)
            return true;
    return false;
}

/* Returns whether a tile itself has failed. A tile that had no time to answer, because a fault or an unknown signal
 * elsewhere ended the run, has not. */
static bool to_blame(const struct machine *m, const struct answers *answers, const struct answer *a) {
    if (a->done)
        return false;
    if (m->fault_count && !m->keep_going)
        return has_faulted(m, a->tile);
    return !answers->strange || a->strange;
}

static void headline(const struct machine *m, const struct firmware *f, const struct answer *a, const char *what) {
    if (a->strange)
        fprintf(stderr, "tile %u,%u is in an unknown state: the go signal at 0x%x is 0x%02x, neither %s nor done\n",
                a->tile.x, a->tile.y, f->layout.go + SIGNAL_OFFSET, answers_signal(m, &f->layout, a->tile), what);
    else
        fprintf(stderr, "tile %u,%u %s%s\n", a->tile.x, a->tile.y,
                has_faulted(m, a->tile) ? "faulted and has not answered " : "has not answered ", what);
}

void answers_explain(const struct machine *m, const struct firmware *f, const struct answers *answers,
                     const char *what) {
    unsigned explained = 0, left = 0;
    for (unsigned i = 0; i < answers->count; i++) {
        const struct answer *a = &answers->tile[i];
        if (!to_blame(m, answers, a))
            continue;
        if (explained == EXPLAIN_MAX) {
            left++;
            continue;
        }
        explained++;
        headline(m, f, a, what);
        mailbox_line(m, &f->layout, a->tile);
        blame(m, f, a->tile);
        overwritten(m, a->tile);
        report_tile(m, a->tile, stderr);
    }
    if (left)
        fprintf(stderr, "... and %u more tiles have not answered\n", left);
}
