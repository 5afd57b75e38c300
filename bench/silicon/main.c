/* Predicts every measurement of a table and says how far off the predictions are.
 *
 *     silicon [--list] [--class NAME] [--write FOLDER] MEASURED.csv...
 *
 * --list prints every point, --class takes only one class, --write writes FOLDER/silicon.md and its drawings again. */
#include <stdlib.h>
#include <string.h>

#include "silicon.h"

static const struct silicon_class *const families[] = { silicon_cores, silicon_issue, silicon_noc, silicon_flows, NULL };

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

/* Appends a table to another: without its first line, which has the titles. */
static char *append(char *bytes, char *more) {
    char *rest = bytes && more ? strchr(more, '\n') : NULL, *both = NULL;
    if (!bytes)
        return more;
    if (rest && asprintf(&both, "%s%s", bytes, rest + 1) < 0)
        both = NULL;
    free(bytes);
    free(more);
    return both;
}

int main(int argc, char **argv) {
    const char *only = NULL, *folder = NULL, *path = NULL;
    char *bytes = NULL;
    bool list = false, read = true;
    struct silicon_table table = { 0 };
    struct silicon_error error = { "" };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            list = true;
        else if (!strcmp(argv[i], "--class") && i + 1 < argc)
            only = argv[++i];
        else if (!strcmp(argv[i], "--write") && i + 1 < argc)
            folder = argv[++i];
        else if (read) {
            path = argv[i];
            bytes = append(bytes, read_file(path));
            read = bytes;
        }
    }
    if (!path) {
        fprintf(stderr, "usage: silicon [--list] [--class NAME] [--write FOLDER] MEASURED.csv...\n");
        return 2;
    }
    bool done = bytes && silicon_read(&table, path, bytes, &error) && predict(&table, only, &error);
    if (done && list)
        silicon_list(stdout, &table, only);
    if (done)
        silicon_print(stdout, &table, families);
    if (done && folder)
        done = silicon_write(folder, &table, families, &error);
    if (*error.text)
        fprintf(stderr, "%s\n", error.text);
    silicon_free(&table);
    free(bytes);
    return !done;
}
