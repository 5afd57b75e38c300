/* The table of measurements, and the statistics of errors: see silicon.h. */
#include "silicon.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum column { COLUMN_CLASS, COLUMN_NAME, COLUMN_PARAMETERS, COLUMN_VALUE, COLUMN_UNIT, COLUMN_SOURCE, COLUMNS };
static const char *const titles[COLUMNS] = { "class", "name", "parameters", "value", "unit", "source" };

static bool refuse(struct silicon_error *error, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(struct silicon_error *error, const char *file, unsigned line, const char *format, ...) {
    va_list arguments;
    int used = snprintf(error->text, sizeof error->text, "%s:%u: ", file, line);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof error->text)
        vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* Cuts a line at its commas. Returns the number of fields; at most COLUMNS of them are set. */
static unsigned cut(char *line, char *fields[COLUMNS]) {
    unsigned count = 0;
    for (char *field = line; field; count++) {
        char *comma = strchr(field, ',');
        if (count < COLUMNS)
            fields[count] = field;
        if (comma)
            *comma++ = 0;
        field = comma;
    }
    return count;
}

static bool read_header(char *fields[COLUMNS], unsigned count, const char *file, unsigned line,
                        struct silicon_error *error) {
    for (unsigned i = 0; i < COLUMNS; i++)
        if (count != COLUMNS || strcmp(fields[i], titles[i]) != 0)
            return refuse(error, file, line, "the first line must be class,name,parameters,value,unit,source");
    return true;
}

static bool read_point(struct silicon_point *point, char *fields[COLUMNS], unsigned count, const char *file,
                       unsigned line, struct silicon_error *error) {
    char *end;
    if (count != COLUMNS)
        return refuse(error, file, line, "%s: %u fields, %d are needed", count > 1 ? fields[COLUMN_NAME] : fields[0],
                      count, COLUMNS);
    for (unsigned i = 0; i < COLUMNS; i++)
        if (!*fields[i] && i != COLUMN_PARAMETERS)
            return refuse(error, file, line, "%s: no %s", fields[COLUMN_NAME], titles[i]);
    *point = (struct silicon_point){ .class = fields[COLUMN_CLASS],
                                     .name = fields[COLUMN_NAME],
                                     .parameters = fields[COLUMN_PARAMETERS],
                                     .unit = fields[COLUMN_UNIT],
                                     .source = fields[COLUMN_SOURCE],
                                     .file = file,
                                     .line = line };
    point->measured = strtod(fields[COLUMN_VALUE], &end);
    if (*end || !(point->measured > 0) || isinf(point->measured))
        return refuse(error, file, line, "%s: the value '%s' is not a number above 0", point->name,
                      fields[COLUMN_VALUE]);
    return true;
}

/* Makes room for the points of one more file. Returns its copy, or NULL without memory. */
static char *add_file(struct silicon_table *table, const char *bytes) {
    unsigned lines = 1;
    for (const char *c = bytes; *c; c++)
        lines += *c == '\n';
    struct silicon_point *points = realloc(table->points, (table->count + lines) * sizeof *points);
    if (!points)
        return NULL;
    table->points = points;
    char *copy = strdup(bytes);
    if (copy)
        table->bytes[table->files++] = copy;
    return copy;
}

bool silicon_read(struct silicon_table *table, const char *file, const char *bytes, struct silicon_error *error) {
    char *fields[COLUMNS] = { 0 };
    unsigned line = 0;
    if (table->files == SILICON_FILES)
        return refuse(error, file, 0, "there are more than %d files", SILICON_FILES);
    char *copy = add_file(table, bytes);
    if (!copy)
        return refuse(error, file, 0, "there is no memory for it");
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, '\n');
        if (next)
            *next++ = 0;
        line++;
        if (!*at)
            continue;
        unsigned count = cut(at, fields);
        if (line == 1 ? !read_header(fields, count, file, line, error)
                      : !read_point(&table->points[table->count], fields, count, file, line, error))
            return false;
        table->count += line > 1;
    }
    return true;
}

void silicon_free(struct silicon_table *table) {
    free(table->points);
    for (unsigned i = 0; i < table->files; i++)
        free(table->bytes[i]);
    *table = (struct silicon_table){ 0 };
}

bool silicon_fail(const struct silicon_point *point, struct silicon_error *error, const char *format, ...) {
    va_list arguments;
    int used = snprintf(error->text, sizeof error->text, "%s:%u: %s: ", point->file, point->line, point->name);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof error->text)
        vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

const char *silicon_text(const struct silicon_point *point, const char *key) {
    size_t length = strlen(key);
    for (const char *at = point->parameters; *at; at += *at == ' ') {
        if (!strncmp(at, key, length) && at[length] == '=')
            return at + length + 1;
        at += strcspn(at, " ");
    }
    return NULL;
}

bool silicon_has(const struct silicon_point *point, const char *key) {
    return silicon_text(point, key);
}

bool silicon_number(const struct silicon_point *point, const char *key, long *value, struct silicon_error *error) {
    const char *text = silicon_text(point, key);
    char *end;
    if (!text)
        return silicon_fail(point, error, "there is no parameter %s", key);
    errno = 0;
    *value = strtol(text, &end, 10);
    if (end == text || (*end && *end != ' ') || errno)
        return silicon_fail(point, error, "the parameter %s is not a whole number", key);
    return true;
}

bool silicon_is(const struct silicon_point *point, const char *key, const char *value) {
    const char *text = silicon_text(point, key);
    size_t length = strlen(value);
    return text && !strncmp(text, value, length) && (!text[length] || text[length] == ' ');
}

double silicon_distance(const struct silicon_point *point) {
    return fabs(point->predicted - point->measured) / point->measured;
}

double silicon_slope(const double *x, const double *y, unsigned count) {
    double mean_x = 0, mean_y = 0, both = 0, square = 0;
    for (unsigned i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    for (unsigned i = 0; i < count; i++) {
        both += (x[i] - mean_x) * (y[i] - mean_y);
        square += (x[i] - mean_x) * (x[i] - mean_x);
    }
    return both / square;
}

double silicon_rank(const double *sorted, unsigned count, double fraction) {
    unsigned rank = (unsigned)ceil(fraction * count - 1e-9);
    return count ? sorted[rank ? rank - 1 : 0] : 0;
}

static int ascending(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct silicon_summary silicon_summarize(const struct silicon_table *table, const char *class) {
    struct silicon_summary summary = { 0 };
    double *errors = calloc(table->count + 1, sizeof *errors);
    if (!errors)
        return summary;
    for (unsigned i = 0; i < table->count; i++) {
        const struct silicon_point *point = &table->points[i];
        if (strcmp(point->class, class) != 0)
            continue;
        errors[summary.points++] = silicon_distance(point);
        if (!summary.worst_point || silicon_distance(point) > summary.worst) {
            summary.worst = silicon_distance(point);
            summary.worst_point = point;
        }
    }
    qsort(errors, summary.points, sizeof *errors, ascending);
    summary.median = silicon_rank(errors, summary.points, 0.5);
    summary.p90 = silicon_rank(errors, summary.points, 0.9);
    free(errors);
    return summary;
}
