/* Sorted records: see sorted.h. A run is RUN_RECORDS records, sorted in memory; the runs in the temporary file are
 * merged while they are read. */
#include "formats/sorted.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_RECORDS = 1 << 15, READ_RECORDS = 1 << 9 };

/* A run in the temporary file while it is merged. Records are read from the file part by part. */
struct run {
    size_t at, left;   /* in records: where the next part is in the file, and how many records are left there */
    size_t next, have; /* next record in the part, and number of records in it */
    uint8_t *part;
};

struct sorted {
    size_t size;
    sorted_order *order;
    uint8_t *record;   /* the records of the run in memory */
    size_t count, put; /* number of records in memory, and in all */
    FILE *file;        /* the temporary file; NULL: everything is in memory */
    struct run *run;
    size_t runs, last; /* last: the run whose record was returned last, or SIZE_MAX */
    uint8_t *swap;
    bool reading, failed;
};

struct sorted *sorted_new(size_t size, sorted_order *order) {
    struct sorted *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct sorted){ .size = size, .order = order, .last = SIZE_MAX };
    s->record = malloc(RUN_RECORDS * size);
    s->swap = malloc(RUN_RECORDS * size);
    if (s->record && s->swap)
        return s;
    sorted_free(s);
    return NULL;
}

/* Merge sort: stable, and fast for records that are nearly in order. */
static void sort(struct sorted *s) {
    uint8_t *from = s->record, *to = s->swap;
    for (size_t width = 1; width < s->count; width *= 2) {
        for (size_t low = 0; low < s->count; low += 2 * width) {
            size_t middle = low + width < s->count ? low + width : s->count;
            size_t high = low + 2 * width < s->count ? low + 2 * width : s->count, a = low, b = middle;
            for (size_t i = low; i < high; i++) {
                bool first = a < middle && (b >= high || s->order(from + a * s->size, from + b * s->size) <= 0);
                memcpy(to + i * s->size, from + (first ? a++ : b++) * s->size, s->size);
            }
        }
        uint8_t *other = from;
        from = to;
        to = other;
    }
    s->record = from;
    s->swap = to;
}

static bool spill(struct sorted *s) {
    sort(s);
    if (!s->file && !(s->file = tmpfile()))
        return false;
    if (fwrite(s->record, s->size, s->count, s->file) != s->count)
        return false;
    s->count = 0;
    return true;
}

bool sorted_put(struct sorted *s, const void *record) {
    if (s->failed || s->reading)
        return false;
    if (s->count == RUN_RECORDS && !spill(s)) {
        s->failed = true;
        return false;
    }
    memcpy(s->record + s->count++ * s->size, record, s->size);
    s->put++;
    return true;
}

static bool fill(struct sorted *s, struct run *run) {
    run->next = 0;
    run->have = run->left < READ_RECORDS ? run->left : READ_RECORDS;
    if (!run->have)
        return true;
    if (fseek(s->file, (long)(run->at * s->size), SEEK_SET) ||
        fread(run->part, s->size, run->have, s->file) != run->have)
        return false;
    run->at += run->have;
    run->left -= run->have;
    return true;
}

static bool begin_reading(struct sorted *s) {
    s->reading = true;
    if (!s->file) {
        sort(s);
        return true;
    }
    if ((s->count && !spill(s)) || fflush(s->file))
        return false;
    s->runs = (s->put + RUN_RECORDS - 1) / RUN_RECORDS;
    if (!(s->run = calloc(s->runs, sizeof *s->run)))
        return false;
    for (size_t i = 0; i < s->runs; i++) {
        struct run *run = &s->run[i];
        run->at = i * RUN_RECORDS;
        run->left = s->put - run->at < RUN_RECORDS ? s->put - run->at : RUN_RECORDS;
        if (!(run->part = malloc(READ_RECORDS * s->size)) || !fill(s, run))
            return false;
    }
    return true;
}

static const void *head(const struct sorted *s, const struct run *run) {
    return run->part + run->next * s->size;
}

/* Returns the next record. The run of the previous record advances only now, because the caller may have used that
 * record until this call. */
static const void *merge(struct sorted *s) {
    const struct run *first = NULL;
    if (s->last != SIZE_MAX) {
        struct run *run = &s->run[s->last];
        if (++run->next == run->have && !fill(s, run)) {
            s->failed = true;
            return NULL;
        }
    }
    for (size_t i = 0; i < s->runs; i++) {
        const struct run *run = &s->run[i];
        if (run->next < run->have && (!first || s->order(head(s, run), head(s, first)) < 0))
            first = run;
    }
    s->last = first ? (size_t)(first - s->run) : SIZE_MAX;
    return first ? head(s, first) : NULL;
}

const void *sorted_next(struct sorted *s) {
    if (!s->reading && !s->failed)
        s->failed = !begin_reading(s);
    if (s->failed)
        return NULL;
    if (s->file)
        return merge(s);
    s->last++; /* SIZE_MAX becomes 0 at the first call */
    return s->last < s->count ? s->record + s->last * s->size : NULL;
}

bool sorted_failed(const struct sorted *s) {
    return s->failed;
}

void sorted_free(struct sorted *s) {
    if (!s)
        return;
    for (size_t i = 0; s->run && i < s->runs; i++)
        free(s->run[i].part);
    if (s->file)
        fclose(s->file);
    free(s->run);
    free(s->record);
    free(s->swap);
    free(s);
}
