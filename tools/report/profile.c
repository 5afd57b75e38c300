/* Profiles: see profile.h. Counts for the same word of a program on the same core are summed over all tiles, then by
 * symbol and by source line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"

enum { SHOWN = 20 };

/* The time spent in some instructions of a program. */
struct spent {
    const struct program *program; /* NULL: code that the command line did not load */
    unsigned core;                 /* its kind */
    uint32_t pc;                   /* address in the file */
    const char *name;              /* name of the symbol, or of the source file */
    unsigned line;
    uint64_t count, cycles, waited;
};

struct list {
    struct spent *item;
    size_t count, room;
};

static bool put(struct list *list, const struct spent *item) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 1024;
        struct spent *larger = realloc(list->item, room * sizeof *larger);
        if (!larger)
            return false;
        list->item = larger;
        list->room = room;
    }
    list->item[list->count++] = *item;
    return true;
}

/* ---- Adding up ---------------------------------------------------------------------------------------------- */

static int compare_names(const char *a, const char *b) {
    return a == b ? 0 : !a ? 1 : !b ? -1 : strcmp(a, b);
}

static int by_key(const void *left, const void *right) {
    const struct spent *a = left, *b = right;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    int names = compare_names(a->name, b->name);
    if (names)
        return names;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Orders by time, the longest first. The order does not depend on the addresses of programs in host memory. */
static int by_time(const void *left, const void *right) {
    const struct spent *a = left, *b = right;
    uint64_t x = a->cycles + a->waited, y = b->cycles + b->waited;
    if (x != y)
        return x > y ? -1 : 1;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    int names = compare_names(a->name, b->name);
    if (names)
        return names;
    return a->line != b->line ? (a->line < b->line ? -1 : 1) : a->pc < b->pc ? -1 : a->pc > b->pc;
}

static void sort(struct list *list, int (*order)(const void *, const void *)) {
    if (list->count) /* qsort needs an array */
        qsort(list->item, list->count, sizeof *list->item, order);
}

/* Merges equal items. exact: items are equal only if they have the same pc. */
static void merge(struct list *list, bool exact) {
    size_t kept = 0;
    sort(list, by_key);
    for (size_t i = 0; i < list->count; i++) {
        struct spent *to = kept ? &list->item[kept - 1] : NULL, *from = &list->item[i];
        if (to && to->core == from->core && to->program == from->program && !compare_names(to->name, from->name) &&
            to->line == from->line && (!exact || to->pc == from->pc)) {
            to->count += from->count;
            to->cycles += from->cycles;
            to->waited += from->waited;
        } else {
            list->item[kept++] = *from;
        }
    }
    list->count = kept;
}

static bool collect_core(const struct machine *m, struct bh_xy tile, enum bh_core core, struct list *list) {
    struct bh_profile row;
    for (uint32_t pc = 0; bh_profile_from(m->chip, tile, core, pc, &row) == BH_OK; pc = row.pc + 4) {
        struct spent spent = { .core = core_kind(m->chip, tile, core),
                               .pc = row.pc,
                               .count = row.count,
                               .cycles = row.cycles,
                               .waited = row.waited };
        spent.program = machine_program(m, tile, core, &spent.pc);
        if (!put(list, &spent))
            return false;
    }
    return true;
}

static bool collect(const struct machine *m, struct list *words) {
    for (unsigned i = 0; i < machine_core_tiles(m); i++)
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            if (!collect_core(m, machine_core_tile(m, i), (enum bh_core)core, words))
                return false;
    merge(words, true);
    return true;
}

/* Returns the source file and line of an instruction, or of the outermost call if it belongs to inlined functions:
 * kernels consist mostly of these, and their lines are in headers. */
static const char *line_of(const struct program *program, uint32_t pc, unsigned *line) {
    const char *call = program_call(program, pc, line);
    return call ? call : program_line(program, pc, line);
}

/* Sums the words by symbol, or by source line. */
static bool group(const struct list *words, bool lines, struct list *out) {
    for (size_t i = 0; i < words->count; i++) {
        struct spent spent = words->item[i];
        uint32_t offset;
        if (spent.program && lines)
            spent.name = line_of(spent.program, spent.pc, &spent.line);
        else if (spent.program)
            spent.name = program_symbol(spent.program, spent.pc, &offset);
        if (!spent.name)
            spent.line = 0;
        if (!put(out, &spent))
            return false;
    }
    merge(out, false);
    sort(out, by_time);
    return true;
}

/* ---- Showing ------------------------------------------------------------------------------------------------ */

static void text_line(const struct spent *s) {
    char cycles[GROUPED_SIZE], waited[GROUPED_SIZE], count[GROUPED_SIZE];
    const char *base = s->name && s->line ? strrchr(s->name, '/') : NULL;
    printf("  %14s %14s %14s  %-7s ", grouped(s->cycles, cycles), grouped(s->waited, waited), grouped(s->count, count),
           core_kind_name(s->core));
    if (!s->name)
        printf("?\n");
    else if (s->line)
        printf("%s:%u\n", base ? base + 1 : s->name, s->line);
    else
        printf("%s\n", s->name);
}

static void text_list(const struct list *list, const char *what) {
    printf("  %14s %14s %14s  %-7s %s\n", "cycles", "waiting", "instructions", "core", what);
    for (size_t i = 0; i < list->count && i < SHOWN; i++)
        text_line(&list->item[i]);
    if (list->count > SHOWN)
        printf("  ... and %zu more\n", list->count - SHOWN);
}

static void json_list(struct json *j, const struct list *list, const char *what) {
    json_open(j, what, '[');
    for (size_t i = 0; i < list->count; i++) {
        const struct spent *s = &list->item[i];
        json_open_line(j, NULL, '{');
        json_string(j, "core", core_kind_name(s->core));
        if (s->name)
            json_string(j, s->line ? "file" : "symbol", s->name);
        if (s->line)
            json_number(j, "line", s->line);
        json_number(j, "cycles", s->cycles);
        json_number(j, "waited", s->waited);
        json_number(j, "instructions", s->count);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void show(struct json *j, const struct machine *m) {
    struct list words = { 0 }, symbols = { 0 }, lines = { 0 };
    if (!collect(m, &words) || !group(&words, false, &symbols) || !group(&words, true, &lines)) {
        fprintf(stderr, "bhemu run: no memory for a profile\n");
    } else if (j) {
        json_open(j, "profile", '{');
        json_list(j, &symbols, "symbols");
        json_list(j, &lines, "lines");
        json_close(j, '}');
    } else {
        printf("profile of the cores of all tiles%s\n", m->config.timing == BH_TIMING_LOOSE ? ", in loose cycles" : "");
        text_list(&symbols, "symbol");
        text_list(&lines, "source line");
    }
    free(words.item);
    free(symbols.item);
    free(lines.item);
}

void profile_text(const struct machine *m) {
    show(NULL, m);
}

void profile_json(struct json *j, const struct machine *m) {
    show(j, m);
}
