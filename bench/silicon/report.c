/* The report: tables for people and for the page, and a drawing of each class (silicon.h). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "silicon.h"

static const struct silicon_class *next_class(const struct silicon_class *const **family,
                                              const struct silicon_class *class) {
    if (class && class[1].name)
        return class + 1;
    if (class)
        ++*family;
    while (**family && !(**family)->name)
        ++*family;
    return **family;
}
void silicon_print(FILE *out, const struct silicon_table *table, const struct silicon_class *const *families) {
    fprintf(out, "%-20s %6s %8s %8s %8s   %s\n", "class", "points", "median", "90th", "worst", "worst point");
    for (const struct silicon_class *const *family = families, *class = next_class(&family, NULL); class;
         class = next_class(&family, class)) {
        struct silicon_summary summary = silicon_summarize(table, class->name);
        if (!summary.points)
            continue;
        fprintf(out, "%-20s %6u %7.2f%% %7.2f%% %7.2f%%   %s %s: %.4g, measured %.4g\n", class->name, summary.points,
                100 * summary.median, 100 * summary.p90, 100 * summary.worst, summary.worst_point->name,
                summary.worst_point->parameters, summary.worst_point->predicted, summary.worst_point->measured);
    }
}

void silicon_list(FILE *out, const struct silicon_table *table, const char *class) {
    for (unsigned i = 0; i < table->count; i++) {
        const struct silicon_point *point = &table->points[i];
        if (!class || !strcmp(point->class, class))
            fprintf(out, "%-18s %-22s %-28s measured %10.4g predicted %10.4g %7.2f%%\n", point->class, point->name,
                    point->parameters, point->measured, point->predicted, 100 * silicon_distance(point));
    }
}

void silicon_file_name(const char *class, char *name, size_t size) {
    size_t i = 0;
    for (; class[i] && i + 1 < size; i++)
        name[i] = isalnum((unsigned char)class[i]) ? (char)tolower((unsigned char)class[i]) : '-';
    name[i] = 0;
}

/* ---- The drawing: measured to the right, predicted upwards, both as logarithms ------------------------------ */

enum { SIDE = 420, LEFT = 56, TOP = 28, BELOW = 44, RIGHT = 14 };

struct axis {
    double low, high; /* logarithms to base 10 */
};

static struct axis axis_of(const struct silicon_table *table, const char *class) {
    struct axis axis = { INFINITY, -INFINITY };
    for (unsigned i = 0; i < table->count; i++) {
        const struct silicon_point *point = &table->points[i];
        if (strcmp(point->class, class) != 0 || !(point->predicted > 0))
            continue;
        axis.low = fmin(axis.low, log10(fmin(point->measured, point->predicted)));
        axis.high = fmax(axis.high, log10(fmax(point->measured, point->predicted)));
    }
    double margin = fmax(0.04, 0.04 * (axis.high - axis.low));
    return (struct axis){ axis.low - margin, axis.high + margin };
}

static double across(const struct axis *axis, double value) {
    return LEFT + SIDE * (log10(value) - axis->low) / (axis->high - axis->low);
}
static double up(const struct axis *axis, double value) {
    return TOP + SIDE - SIDE * (log10(value) - axis->low) / (axis->high - axis->low);
}

static void draw_text(FILE *out, double x, double y, const char *anchor, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void draw_grid(FILE *out, const struct axis *axis) {
    static const double steps[] = { 1, 2, 5 };
    bool wide = axis->high - axis->low > 2.5; /* then powers of ten are enough */
    for (int power = (int)floor(axis->low); power <= (int)ceil(axis->high); power++) {
        for (unsigned i = 0; i < (wide ? 1 : 3); i++) {
            double value = steps[i] * pow(10, power);
            char text[32];
            if (log10(value) < axis->low || log10(value) > axis->high)
                continue;
            snprintf(text, sizeof text, "%g", value);
            fprintf(out, "<path class=\"grid\" d=\"M%.1f %d v%d M%d %.1f h%d\"/>\n", across(axis, value), TOP, SIDE,
                    LEFT, up(axis, value), SIDE);
            draw_text(out, across(axis, value), TOP + SIDE + 16, "middle", text);
            draw_text(out, LEFT - 6, up(axis, value) + 4, "end", text);
        }
    }
}

void silicon_draw(FILE *out, const struct silicon_table *table, const char *class) {
    struct axis axis = axis_of(table, class);
    int width = LEFT + SIDE + RIGHT, height = TOP + SIDE + BELOW;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width,
            height, width, height);
    fputs("<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd}.even{stroke:#888}"
          "circle{fill:#0a58ca;fill-opacity:.45}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
    draw_grid(out, &axis);
    fprintf(out, "<path class=\"even\" d=\"M%d %d L%d %d\"/>\n", LEFT, TOP + SIDE, LEFT + SIDE, TOP);
    draw_text(out, LEFT, TOP - 10, "start", class);
    draw_text(out, LEFT + SIDE / 2.0, TOP + SIDE + 36, "middle", "measured");
    draw_text(out, LEFT + SIDE, TOP - 10, "end", "predicted upwards");
    for (unsigned i = 0; i < table->count; i++) {
        const struct silicon_point *point = &table->points[i];
        if (!strcmp(point->class, class) && point->predicted > 0)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s %s: %.4g, measured %.4g</title></circle>\n",
                    across(&axis, point->measured), up(&axis, point->predicted), point->name, point->parameters,
                    point->predicted, point->measured);
    }
    fputs("</svg>\n", out);
}

/* ---- The page ----------------------------------------------------------------------------------------------- */

static const char begin_mark[] = "<!-- tables: begin -->\n", end_mark[] = "<!-- tables: end -->\n";
enum { WORST_SHOWN = 5 };

static void write_summary(FILE *out, const struct silicon_table *table, const struct silicon_class *const *families) {
    fputs("| class | points | median | 90th percentile | worst | wanted (median / 90th) |\n|---|---|---|---|---|---|\n",
          out);
    for (const struct silicon_class *const *family = families, *class = next_class(&family, NULL); class;
         class = next_class(&family, class)) {
        struct silicon_summary summary = silicon_summarize(table, class->name);
        if (summary.points)
            fprintf(out, "| %s | %u | %.2f %% | %.2f %% | %.2f %% | %g %% / %g %% |\n", class->name, summary.points,
                    100 * summary.median, 100 * summary.p90, 100 * summary.worst, 100 * class->median,
                    100 * class->p90);
    }
}

static int by_error(const void *a, const void *b) {
    const struct silicon_point *const *x = a, *const *y = b;
    double first = silicon_distance(*x), second = silicon_distance(*y);
    if (first != second)
        return first < second ? 1 : -1;
    return (*x)->line < (*y)->line ? -1 : 1;
}

static void write_worst(FILE *out, const struct silicon_table *table, const char *class) {
    const struct silicon_point **sorted = calloc(table->count + 1, sizeof *sorted);
    unsigned count = 0;
    if (!sorted)
        return;
    for (unsigned i = 0; i < table->count; i++)
        if (!strcmp(table->points[i].class, class))
            sorted[count++] = &table->points[i];
    qsort(sorted, count, sizeof *sorted, by_error);
    fputs("\n| furthest off | parameters | measured | predicted | error |\n|---|---|---|---|---|\n", out);
    for (unsigned i = 0; i < count && i < WORST_SHOWN; i++)
        fprintf(out, "| %s | %s | %.4g %s | %.4g | %.1f %% |\n", sorted[i]->name, sorted[i]->parameters,
                sorted[i]->measured, sorted[i]->unit, sorted[i]->predicted, 100 * silicon_distance(sorted[i]));
    free(sorted);
}

static void write_tables(FILE *out, const struct silicon_table *table, const struct silicon_class *const *families) {
    write_summary(out, table, families);
    for (const struct silicon_class *const *family = families, *class = next_class(&family, NULL); class;
         class = next_class(&family, class)) {
        char file[64];
        if (!silicon_summarize(table, class->name).points)
            continue;
        silicon_file_name(class->name, file, sizeof file);
        fprintf(out, "\n## %c%s\n\n%s\n\n![Predicted against measured](silicon/%s.svg)\n",
                toupper((unsigned char)*class->name), class->name + 1, class->text, file);
        write_worst(out, table, class->name);
    }
}

static char *read_all(const char *path) {
    FILE *in = fopen(path, "r");
    char *bytes = NULL;
    size_t room = 0;
    if (!in)
        return NULL;
    if (getdelim(&bytes, &room, 0, in) < 0) {
        free(bytes);
        bytes = NULL;
    }
    fclose(in);
    return bytes;
}

static bool complain(struct silicon_error *error, const char *path, const char *what) {
    snprintf(error->text, sizeof error->text, "%.200s: %.50s", path, what);
    return false;
}

static bool write_page(const char *path, const struct silicon_table *table, const struct silicon_class *const *families,
                       struct silicon_error *error) {
    char *page = read_all(path), *begin, *end;
    FILE *out;
    bool done = false;
    if (!page)
        return complain(error, path, "cannot be read");
    begin = strstr(page, begin_mark);
    end = begin ? strstr(begin, end_mark) : NULL;
    if (!end) {
        complain(error, path, "has no marks around its tables");
        goto out;
    }
    out = fopen(path, "w");
    if (!out) {
        complain(error, path, "cannot be written");
        goto out;
    }
    fprintf(out, "%.*s\n", (int)(begin - page + (long)strlen(begin_mark)), page);
    write_tables(out, table, families);
    fprintf(out, "\n%s", end);
    done = fclose(out) == 0 || complain(error, path, "cannot be written");
out:
    free(page);
    return done;
}

bool silicon_write(const char *folder, const struct silicon_table *table, const struct silicon_class *const *families,
                   struct silicon_error *error) {
    char path[512], file[64];
    for (const struct silicon_class *const *family = families, *class = next_class(&family, NULL); class;
         class = next_class(&family, class)) {
        if (!silicon_summarize(table, class->name).points)
            continue;
        silicon_file_name(class->name, file, sizeof file);
        snprintf(path, sizeof path, "%s/silicon/%s.svg", folder, file);
        FILE *out = fopen(path, "w");
        if (!out)
            return complain(error, path, "cannot be written");
        silicon_draw(out, table, class->name);
        if (fclose(out) != 0)
            return complain(error, path, "cannot be written");
    }
    snprintf(path, sizeof path, "%s/silicon.md", folder);
    return write_page(path, table, families, error);
}
