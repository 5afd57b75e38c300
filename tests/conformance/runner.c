/* Batches of generated programs: five cores on as many tiles as needed, one process for each batch. */
#include "runner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/device.h"

enum { CLOCKS_A_STEP = 200, STEPS = 500, TIME_LIMIT = 120 };

struct job {
    const char *library;
    const struct generated *programs;
    unsigned count;
    struct result *results;
};

/* Five consecutive seeds are for five different cores and share a tile. */
static struct device_tile tile_of(unsigned index) {
    return device_tile(index / DEVICE_CORES);
}

static void load(struct device *device, const struct job *job) {
    unsigned cores = 0;
    for (unsigned i = 0; i < job->count; i++) {
        const struct generated *program = &job->programs[i];
        device_write(device, tile_of(i), device_core_start[program->core], program->word, program->count * 4);
        device_write(device, tile_of(i), GENERATED_DATA(program->core), program->data, sizeof program->data);
        cores |= 1u << program->core;
        if ((i + 1) % DEVICE_CORES == 0 || i + 1 == job->count) {
            device_release(device, tile_of(i), cores);
            cores = 0;
        }
    }
}

/* Number of leading programs that are done. */
static unsigned finished(struct device *device, const struct job *job, unsigned from) {
    while (from < job->count &&
           device_read32(device, tile_of(from), GENERATED_DATA(job->programs[from].core) + AREA_DONE) == GENERATED_DONE)
        from++;
    return from;
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
    for (unsigned i = 0; i < job->count; i++) {
        struct result *result = &job->results[i];
        device_read(device, tile_of(i), GENERATED_DATA(job->programs[i].core), result->area, sizeof result->area);
        result->state = result->area[AREA_DONE / 4] == GENERATED_DONE ? RESULT_DONE : RESULT_LOST;
        if (result->state == RESULT_LOST)
            snprintf(result->text, sizeof result->text, "did not reach its end");
    }
    device_close(device);
    return 0;
}

void runner_run(const char *library, const struct generated *programs, unsigned count, struct result *results) {
    struct job job = { library, programs, count, results };
    memset(results, 0, count * sizeof *results);
    struct device_outcome outcome = device_spawn(run_job, &job, TIME_LIMIT);
    if (outcome.ok)
        return;
    if (count == 1) {
        results->state = RESULT_LOST;
        snprintf(results->text, sizeof results->text, "%.*s", (int)sizeof results->text - 1, outcome.text);
        return;
    }
    runner_run(library, programs, count / 2, results);
    runner_run(library, programs + count / 2, count - count / 2, results + count / 2);
}

static bool is_compared(unsigned index) {
    return index < AREA_START / 4 || (index >= AREA_END / 4 && index < AREA_DONE / 4);
}

static uint64_t hash_word(uint64_t hash, uint32_t word) { /* FNV-1a by words, mixed */
    hash = (hash ^ word) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 29;
}

uint64_t result_hash(const struct result *result) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned i = 0; i < AREA_SIZE / 4; i++)
        if (is_compared(i))
            hash = hash_word(hash, result->area[i]);
    return hash;
}

uint64_t program_hash(const struct generated *program) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned i = 0; i < program->count; i++)
        hash = hash_word(hash, program->word[i]);
    for (unsigned i = 0; i < sizeof program->data / 4; i++)
        hash = hash_word(hash, program->data[i]);
    return hash;
}

int result_difference(const struct result *a, const struct result *b) {
    for (unsigned i = AREA_END / 4; i < AREA_DONE / 4; i++) /* registers are the better clue */
        if (a->area[i] != b->area[i])
            return (int)i;
    for (unsigned i = 0; i < AREA_START / 4; i++)
        if (a->area[i] != b->area[i])
            return (int)i;
    return -1;
}

void result_name(const struct generated *program, int index, char *text, unsigned size) {
    unsigned offset = (unsigned)index * 4;
    if (offset >= AREA_LOCAL)
        snprintf(text, size, "local 0x%X", 0xFFB00000u + offset - AREA_LOCAL);
    else if (offset >= AREA_END + 128)
        snprintf(text, size, "f%u", (offset - AREA_END - 128) / 4);
    else if (offset >= AREA_END)
        snprintf(text, size, "x%u", (offset - AREA_END) / 4);
    else
        snprintf(text, size, "L1 0x%X", GENERATED_DATA(program->core) + offset);
}
