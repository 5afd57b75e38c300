/* LCOV's tracefile (man geninfo): how often each line and function of the guest's sources was executed, summed over
 * tiles, cores and programs. A line counts as often as its most frequent instruction, a function as often as its first
 * one. */
#include <stdlib.h>
#include <string.h>

#include "formats/costs.h"
#include "formats/formats.h"

/* A line of a source file, or a function that begins there. */
struct mark {
    const char *file, *function; /* function is NULL for a line */
    unsigned line;
    uint64_t count;
    const struct program *program;
};

struct marks {
    struct mark *item;
    size_t count, room;
};

static bool add(struct marks *marks, const struct mark *mark) {
    if (marks->count == marks->room) {
        size_t room = marks->room ? 2 * marks->room : 1024;
        struct mark *larger = realloc(marks->item, room * sizeof *larger);
        if (!larger)
            return false;
        marks->item = larger;
        marks->room = room;
    }
    marks->item[marks->count++] = *mark;
    return true;
}

static int by_place(const void *left, const void *right) {
    const struct mark *a = left, *b = right;
    int files = strcmp(a->file, b->file);
    if (files)
        return files;
    if (!a->function != !b->function)
        return a->function ? -1 : 1;
    int names = a->function ? strcmp(a->function, b->function) : 0;
    if (names)
        return names;
    if (!a->function && a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Returns whether two marks are the same. The format identifies the functions of a file by their names. */
static bool is_same(const struct mark *a, const struct mark *b) {
    if (strcmp(a->file, b->file) != 0 || !a->function != !b->function)
        return false;
    return a->function ? strcmp(a->function, b->function) == 0 : a->line == b->line;
}

/* ---- Counting -------------------------------------------------------------------------------------------------- */

/* Rows of costs that belong to one program, sorted by pc. */
struct part {
    const struct cost_row *row;
    size_t count;
};

static struct part part_of(const struct costs *c, const struct program *program) {
    struct part part = { 0 };
    for (size_t i = 0; i < c->count; i++) {
        if (c->row[i].program != program)
            continue;
        part.row = part.row ? part.row : &c->row[i];
        part.count++;
    }
    return part;
}

/* Returns the largest count of the instructions in [low, high). */
static uint64_t most_in(const struct part *part, uint32_t low, uint32_t high) {
    size_t first = 0, last = part->count;
    uint64_t most = 0;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (part->row[middle].pc < low)
            first = middle + 1;
        else
            last = middle;
    }
    for (; first < part->count && part->row[first].pc < high; first++)
        most = part->row[first].cost.count > most ? part->row[first].cost.count : most;
    return most;
}

/* Returns the end of a row of the line table. Rows at the same address have the same end. */
static uint32_t end_of_row(const struct program *p, size_t index, uint32_t address) {
    uint32_t next = address;
    const char *file;
    unsigned line;
    while (next == address && program_line_at(p, ++index, &next, &file, &line))
        ;
    return next;
}

static bool add_program(struct marks *marks, const struct costs *c, const struct program *p) {
    struct part part = part_of(c, p);
    uint32_t address;
    struct mark mark = { .program = p };
    struct function function;
    for (size_t i = 0; program_line_at(p, i, &address, &mark.file, &mark.line); i++) {
        mark.count = most_in(&part, address, end_of_row(p, i, address));
        if (mark.line && !add(marks, &mark))
            return false;
    }
    for (size_t i = 0; program_function(p, i, &function); i++) {
        mark.file = program_declared(p, function.address, &mark.line);
        mark.function = function.name;
        mark.count = most_in(&part, function.address, function.address + 4);
        if (mark.file && !add(marks, &mark))
            return false;
    }
    return true;
}

/* Merges marks of the same line or function: takes the largest count within a program, and the sum over programs. */
static void merge(struct marks *marks) {
    size_t kept = 0;
    if (marks->count)
        qsort(marks->item, marks->count, sizeof *marks->item, by_place);
    for (size_t i = 0; i < marks->count;) {
        struct mark place = marks->item[i];
        place.count = 0;
        for (size_t j = i; j < marks->count && is_same(&place, &marks->item[j]); j++)
            place.line = marks->item[j].line < place.line ? marks->item[j].line : place.line;
        while (i < marks->count && is_same(&place, &marks->item[i])) {
            const struct program *program = marks->item[i].program;
            uint64_t most = 0;
            for (; i < marks->count && is_same(&place, &marks->item[i]) && marks->item[i].program == program; i++)
                most = marks->item[i].count > most ? marks->item[i].count : most;
            place.count += most;
        }
        marks->item[kept++] = place;
    }
    marks->count = kept;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void put_file(FILE *out, const struct mark *mark, size_t count) {
    size_t functions = 0, lines = 0, ran_functions = 0, ran_lines = 0;
    fprintf(out, "TN:\nSF:%s\n", mark->file);
    for (size_t i = 0; i < count && mark[i].function; i++)
        fprintf(out, "FN:%u,%s\n", mark[i].line, mark[i].function);
    for (size_t i = 0; i < count && mark[i].function; i++) {
        fprintf(out, "FNDA:%llu,%s\n", (unsigned long long)mark[i].count, mark[i].function);
        functions++;
        ran_functions += mark[i].count != 0;
    }
    fprintf(out, "FNF:%zu\nFNH:%zu\n", functions, ran_functions);
    for (size_t i = functions; i < count; i++) {
        fprintf(out, "DA:%u,%llu\n", mark[i].line, (unsigned long long)mark[i].count);
        lines++;
        ran_lines += mark[i].count != 0;
    }
    fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", lines, ran_lines);
}

static void put_all(FILE *out, const struct marks *marks) {
    for (size_t i = 0, next; i < marks->count; i = next) {
        for (next = i + 1; next < marks->count && strcmp(marks->item[i].file, marks->item[next].file) == 0; next++)
            ;
        put_file(out, &marks->item[i], next - i);
    }
}

static bool was_loaded(const struct machine *m, size_t image) {
    for (size_t i = 0; i < image; i++)
        if (m->images[i].program == m->images[image].program)
            return true;
    return false;
}

static bool begin(struct output *o) {
    struct costs *c = output_state(o, sizeof *c);
    return c && (costs_init(c, o->machine) || output_fail(o, "out of memory"));
}

static void put_event(struct output *o, const struct bh_event *e) {
    if (!costs_event(o->state, e))
        output_fail(o, "out of memory");
}

static bool end(struct output *o) {
    struct costs *c = o->state;
    const struct machine *m = o->machine;
    struct marks marks = { 0 };
    bool ok = c->row && costs_sort(c);
    for (size_t i = 0; ok && i < m->image_count; i++)
        ok = was_loaded(m, i) || add_program(&marks, c, m->images[i].program);
    merge(&marks);
    if (!ok)
        output_fail(o, "out of memory");
    else if (!marks.count)
        ok = output_nothing(o, "no program has source lines: compile with -g; nothing to write to '%s'", o->path);
    if (ok)
        put_all(o->file, &marks);
    free(marks.item);
    costs_free(c);
    return ok;
}

const struct format format_lcov = {
    .name = "lcov",
    .kind = OUTPUT_PROFILE,
    .begins = "",
    .ends = ".info",
    .reader = "lcov and genhtml: coverage of source lines",
    .watch = BH_WATCH_INSTRUCTIONS,
    .joins = true, /* a source may have several records: readers add them up */
    .open = begin,
    .event = put_event,
    .close = end,
};
