/* Predicts every measurement of a table and says how far off the predictions are.
 *
 *     silicon [--list] [--class NAME] [--write FOLDER] MEASURED.csv...
 *
 * --list prints every point, --class takes only one class, --write writes FOLDER/silicon.md and its drawings again. */
#include <stdlib.h>
#include <string.h>

#include "silicon.h"

static const struct silicon_class *const families[] = { silicon_cores, silicon_issue, silicon_kernels,
                                                        silicon_noc,   silicon_flows, NULL };

static const struct silicon_class *class_of(const struct silicon_point *point) {
    for (const struct silicon_class *const *family = families; *family; family++)
        for (const struct silicon_class *class = *family; class->name; class ++)
            if (!strcmp(class->name, point->class))
                return class;
    return NULL;
}

static bool predict(struct silicon_table *table, const char *only, struct silicon_error *error) {
    unsigned kept = 0;
    for (unsigned i = 0; i < table->count; i++) {
        struct silicon_point *point = &table->points[i];
        const struct silicon_class *class = class_of(point);
        if (only && strcmp(only, point->class) != 0)
            continue;
        if (!class)
            return silicon_fail(point, error, "there is no class '%s'", point->class);
        if (!class->predict(point, error))
            return false;
        table->points[kept++] = *point;
    }
    table->count = kept;
    return true;
}

static char *read_file(const char *path) {
    FILE *in = fopen(path, "r");
    char *bytes = NULL;
    size_t room = 0;
    if (!in || getdelim(&bytes, &room, 0, in) < 0)
        fprintf(stderr, "%s: cannot be read\n", path);
    if (in)
        fclose(in);
    return bytes;
}

static bool read_table(struct silicon_table *table, const char *path, struct silicon_error *error) {
    char *bytes = read_file(path);
    bool done = bytes && silicon_read(table, path, bytes, error);
    free(bytes);
    return done;
}

int main(int argc, char **argv) {
    const char *only = NULL, *folder = NULL;
    bool list = false, done = true;
    struct silicon_table table = { 0 };
    struct silicon_error error = { "" };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            list = true;
        else if (!strcmp(argv[i], "--class") && i + 1 < argc)
            only = argv[++i];
        else if (!strcmp(argv[i], "--write") && i + 1 < argc)
            folder = argv[++i];
        else
            done = done && read_table(&table, argv[i], &error);
    }
    if (done && !table.files) {
        fprintf(stderr, "usage: silicon [--list] [--class NAME] [--write FOLDER] MEASURED.csv...\n");
        return 2;
    }
    done = done && predict(&table, only, &error);
    if (done && list)
        silicon_list(stdout, &table, only);
    if (done)
        silicon_print(stdout, &table, families);
    if (done && folder)
        done = silicon_write(folder, &table, families, &error);
    if (*error.text)
        fprintf(stderr, "%s\n", error.text);
    silicon_free(&table);
    return !done;
}
