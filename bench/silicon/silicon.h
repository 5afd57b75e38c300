/* Predicted against measured cycles: what the classes of measurements share.
 *
 * measured.csv holds published measurements of Blackhole cards, a line each. Every class of them has a row in a
 * family's table (cores.c, issue.c ...), with a function that runs a guest program which does what the measured one did
 * and returns the same quantity. Nothing here knows a measured value but the reader of the table and the report. */
#ifndef SILICON_H
#define SILICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct silicon_point {
    char *class, *name, *parameters, *unit, *source; /* parameters: words `key=value`, separated by blanks */
    double measured, predicted;
    const char *file; /* that has the point, and its line there */
    unsigned line;
};

/* What went wrong, for people. */
struct silicon_error {
    char text[256];
};

struct silicon_class {
    const char *name;   /* as in the table */
    const char *text;   /* what is measured, for the page: whole sentences */
    double median, p90; /* the errors to stay below, as fractions */
    /* Sets point->predicted. Returns false with the reason if the point cannot be made. */
    bool (*predict)(struct silicon_point *point, struct silicon_error *error);
};

/* The families. Each ends with a row without a name. */
extern const struct silicon_class silicon_cores[], silicon_issue[], silicon_kernels[], silicon_noc[], silicon_flows[];

enum { SILICON_FILES = 8 };

struct silicon_table {
    struct silicon_point *points;
    unsigned count;
    char *bytes[SILICON_FILES]; /* the files, cut into the strings of the points */
    unsigned files;
};

/* Adds a file to a table, which is all zero at first: bytes must end with a zero and are copied; `file` must last. An
 * error names file, line and what is wrong. */
bool silicon_read(struct silicon_table *table, const char *file, const char *bytes, struct silicon_error *error);
void silicon_free(struct silicon_table *table);

/* Returns false with a message that begins with file, line and name of the point. */
bool silicon_fail(const struct silicon_point *point, struct silicon_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Finds a parameter. The number must be a whole one; the text ends at the next blank or at the end of the string. */
bool silicon_has(const struct silicon_point *point, const char *key);
bool silicon_number(const struct silicon_point *point, const char *key, long *value, struct silicon_error *error);
bool silicon_is(const struct silicon_point *point, const char *key, const char *value);
/* Returns the text of a parameter, or NULL. */
const char *silicon_text(const struct silicon_point *point, const char *key);

/* The distance of a prediction from its measurement, as a fraction of the measurement. */
double silicon_distance(const struct silicon_point *point);
/* The slope of the straight line with the least squares through (x[i], y[i]). */
double silicon_slope(const double *x, const double *y, unsigned count);
/* The smallest of these numbers, in ascending order, that is not exceeded by `fraction` of them (the nearest rank). */
double silicon_rank(const double *sorted, unsigned count, double fraction);

struct silicon_summary {
    unsigned points;
    double median, p90, worst;
    const struct silicon_point *worst_point;
};
/* Over the points of one class. */
struct silicon_summary silicon_summarize(const struct silicon_table *table, const char *class);

/* The report (report.c): for people, as the tables of the page, as a drawing of one class. */
void silicon_print(FILE *out, const struct silicon_table *table, const struct silicon_class *const *families);
void silicon_list(FILE *out, const struct silicon_table *table, const char *class);
void silicon_draw(FILE *out, const struct silicon_table *table, const char *class);
/* Writes the page again, with new tables between its two marks, and a drawing of each class below folder/silicon/. */
bool silicon_write(const char *folder, const struct silicon_table *table, const struct silicon_class *const *families,
                   struct silicon_error *error);
/* The name of a class as part of the name of a file. */
void silicon_file_name(const char *class, char *name, size_t size);

#endif
