/* Batches of generated programs on as many tiles as needed, one process for each batch. */
#include "runner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/device.h"

enum { CLOCKS_A_STEP = 200, STEPS = 10000, TIME_LIMIT = 120 };

struct job {
    const struct generated_kind *kind;
    const char *library;
    const struct generated *programs;
    unsigned count;
    struct result *results;
};

unsigned runner_batch(const struct generated_kind *kind) {
    return DEVICE_TILES * kind->per_tile;
}

static struct device_tile tile_of(const struct job *job, unsigned index) {
    return device_tile(index / job->kind->per_tile);
}

static unsigned load_program(struct device *device, struct device_tile tile, const struct generated *program) {
    unsigned cores = 0;
    for (unsigned i = 0; i < program->parts; i++) {
        const struct generated_part *part = &program->part[i];
        device_write(device, tile, device_core_start[part->core], part->word, part->count * 4);
        cores |= 1u << part->core;
    }
    device_write(device, tile, program->address, program->data, program->data_words * 4);
    return cores;
}

static void load(struct device *device, const struct job *job) {
    unsigned cores = 0;
    for (unsigned i = 0; i < job->count; i++) {
        cores |= load_program(device, tile_of(job, i), &job->programs[i]);
        if ((i + 1) % job->kind->per_tile == 0 || i + 1 == job->count) {
            device_release(device, tile_of(job, i), cores);
            cores = 0;
        }
    }
}

/* Number of leading programs that are done. */
static unsigned finished(struct device *device, const struct job *job, unsigned from) {
    while (from < job->count && device_read32(device, tile_of(job, from),
                                              job->programs[from].address + job->kind->done_word * 4) == GENERATED_DONE)
        from++;
    return from;
}

static void collect(struct device *device, const struct job *job) {
    for (unsigned i = 0; i < job->count; i++) {
        struct result *result = &job->results[i];
        device_read(device, tile_of(job, i), job->programs[i].address, result->area, job->kind->area_words * 4);
        result->state = result->area[job->kind->done_word] == GENERATED_DONE ? RESULT_DONE : RESULT_LOST;
        if (result->state == RESULT_LOST)
            snprintf(result->text, sizeof result->text, "did not reach its end");
    }
}

static int run_job(void *argument) {
    const struct job *job = argument;
    struct device *device = device_open(job->library);
    unsigned done = 0;
    if (!device)
        return 1;
    load(device, job);
    for (unsigned step = 0; step < STEPS && done < job->count; step++) {
        device_clock(device, CLOCKS_A_STEP);
        done = finished(device, job, done);
    }
    collect(device, job);
    device_close(device);
    return 0;
}

void runner_run(const struct generated_kind *kind, const char *library, const struct generated *programs,
                unsigned count, struct result *results) {
    struct job job = { kind, library, programs, count, results };
    memset(results, 0, count * sizeof *results);
    struct device_outcome outcome = device_spawn(run_job, &job, TIME_LIMIT);
    if (outcome.ok)
        return;
    bool hangs = strstr(outcome.text, "out of time") != NULL; /* halving would take for ever */
    if (count == 1 || hangs) {
        for (unsigned i = 0; i < count; i++) {
            results[i].state = RESULT_LOST;
            results[i].hangs = hangs;
            snprintf(results[i].text, sizeof results->text, "%.*s", (int)sizeof results->text - 1, outcome.text);
        }
        return;
    }
    runner_run(kind, library, programs, count / 2, results);
    runner_run(kind, library, programs + count / 2, count - count / 2, results + count / 2);
}

static uint64_t hash_word(uint64_t hash, uint32_t word) { /* FNV-1a by words, mixed */
    hash = (hash ^ word) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 29;
}

uint64_t result_hash(const struct generated_kind *kind, const struct result *result) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned i = 0; i < kind->area_words; i++)
        if (kind->is_compared(i))
            hash = hash_word(hash, result->area[i]);
    return hash;
}

uint64_t program_hash(const struct generated *program) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned part = 0; part < program->parts; part++)
        for (unsigned i = 0; i < program->part[part].count; i++)
            hash = hash_word(hash, program->part[part].word[i]);
    for (unsigned i = 0; i < program->data_words; i++)
        hash = hash_word(hash, program->data[i]);
    return hash;
}

int result_difference(const struct generated_kind *kind, const struct result *a, const struct result *b) {
    int found = -1;
    for (unsigned i = 0; i < kind->area_words; i++) {
        if (!kind->is_compared(i) || a->area[i] == b->area[i])
            continue;
        if (kind->is_clue(i))
            return (int)i;
        if (found < 0)
            found = (int)i;
    }
    return found;
}
