/* Whole paths: guest/kernels/paths, one case a tile, through a library with the libttsim ABI.
 *
 *     paths LIBRARY KERNELS [--oracle LIBRARY] [--expected FILE] [--record FILE] [--only TEXT] [--seed N] [--wild]
 *
 * KERNELS is the folder with paths_brisc.elf and so on. The output of every case is compared with what the host
 * computes, within the format's tolerance; with an oracle (also from the environment variable ORACLE) bit for bit with
 * its output; without one with hashes in FILE of what the oracle's output was. --record writes such a file. --seed
 * gives the cases other numbers, --wild any bits at all, which only the oracle can judge.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths_cases.h"
#include "support/device.h"
#include "support/image.h"

enum { OUTPUT = 96 * 1024, CLOCKS_A_STEP = 200, STEPS = 5000, TIME_LIMIT = 300, GUARD_BYTE = 0xA5 };

struct options {
    const char *ours, *kernels, *oracle, *expected, *record, *only;
    uint64_t seed;
    bool wild;
};

/* A case with everything that belongs to it. */
struct run {
    struct path_case one;
    struct path_image image;
    struct tensor want, scale;
};

struct output {
    bool done;
    char text[200]; /* why not */
    uint8_t bytes[OUTPUT + PATH_GUARD];
};

struct job {
    const char *library;
    const struct image *kernels; /* BRISC, TRISC0-2 */
    const struct run *runs;
    unsigned count;
    struct output *outputs;
};

static struct image read_kernel(const char *folder, const char *core) {
    char name[400];
    struct image image;
    snprintf(name, sizeof name, "%s/paths_%s.elf", folder, core);
    if (!image_read(name, &image)) {
        fprintf(stderr, "%s: cannot be read, or is no 32-bit ELF file\n", name);
        exit(2);
    }
    return image;
}

static void load(struct device *device, const struct job *job) {
    uint8_t *guard = malloc(OUTPUT + PATH_GUARD);
    if (!guard)
        exit(3);
    memset(guard, GUARD_BYTE, OUTPUT + PATH_GUARD);
    for (unsigned i = 0; i < job->count; i++) {
        const struct run *run = &job->runs[i];
        const struct path *path = &run->one.path;
        struct device_tile tile = device_tile(i);
        for (unsigned core = 0; core < 4; core++)
            (void)image_load(device, tile, &job->kernels[core]);
        device_write(device, tile, PATH_AT, path, sizeof *path);
        device_write(device, tile, path->a, run->image.a, run->image.a_size);
        device_write(device, tile, path->b, run->image.b, run->image.b_size);
        device_write(device, tile, path->out, guard, run->image.out_size + PATH_GUARD);
        device_release(device, tile, 1);
    }
    free(guard);
}

static bool is_finished(struct device *device, unsigned index) {
    return device_read32(device, device_tile(index), PATH_AT + offsetof(struct path, finished)) == 1;
}

static void collect(struct device *device, const struct job *job) {
    for (unsigned i = 0; i < job->count; i++) {
        struct output *output = &job->outputs[i];
        const struct run *run = &job->runs[i];
        device_read(device, device_tile(i), run->one.path.out, output->bytes, run->image.out_size + PATH_GUARD);
        output->done = is_finished(device, i);
        if (!output->done)
            snprintf(output->text, sizeof output->text, "does not end");
    }
}

static int run_job(void *argument) {
    const struct job *job = argument;
    struct device *device = device_open(job->library);
    unsigned finished = 0;
    if (!device)
        return 1;
    load(device, job);
    for (unsigned step = 0; step < STEPS && finished < job->count; step++) {
        device_clock(device, CLOCKS_A_STEP);
        while (finished < job->count && is_finished(device, finished))
            finished++;
    }
    collect(device, job);
    device_close(device);
    return 0;
}

/* Bisects for the input that ends the library's process. */
static void run_cases(struct job job) {
    struct device_outcome outcome = device_spawn(run_job, &job, TIME_LIMIT);
    unsigned half = job.count / 2;
    if (outcome.ok)
        return;
    if (job.count == 1) {
        job.outputs->done = false;
        snprintf(job.outputs->text, sizeof job.outputs->text, "%.199s", outcome.text);
        return;
    }
    run_cases((struct job){ job.library, job.kernels, job.runs, half, job.outputs });
    run_cases((struct job){ job.library, job.kernels, job.runs + half, job.count - half, job.outputs + half });
}

static struct output *run_library(const char *library, const struct image *kernels, const struct run *runs,
                                  unsigned count) {
    struct output *outputs = device_shared(count * sizeof *outputs);
    run_cases((struct job){ library, kernels, runs, count, outputs });
    return outputs;
}

static uint64_t hash_of(const struct run *run, const struct output *output) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < run->image.out_size + PATH_GUARD; i++) {
        hash = (hash ^ output->bytes[i]) * UINT64_C(0x100000001B3);
        hash ^= hash >> 29;
    }
    return hash;
}

/* False, with a line, if the output is not what the host computed. */
static bool check(const char *who, const struct run *run, const struct output *output) {
    char text[200] = "";
    unsigned off;
    if (!output->done) {
        printf("%s: %s: %s\n", run->one.name, who, output->text);
        return false;
    }
    off = run->one.wild ? 0 : path_check(&run->one, &run->want, &run->scale, output->bytes, text, sizeof text);
    for (unsigned i = 0; i < PATH_GUARD && !off; i++)
        if (output->bytes[run->image.out_size + i] != GUARD_BYTE) {
            snprintf(text, sizeof text, "written behind the end");
            off = 1;
        }
    if (off)
        printf("%s: %s: %u data are off: %s\n", run->one.name, who, off, text);
    return off == 0;
}

/* False, with a line, if two libraries differ. */
static bool same(const struct run *run, const struct output *ours, const struct output *oracle) {
    size_t first = 0, size = run->image.out_size + PATH_GUARD;
    if (memcmp(ours->bytes, oracle->bytes, size) == 0)
        return true;
    while (ours->bytes[first] == oracle->bytes[first])
        first++;
    printf("%s: byte %zu of %zu is 0x%02x, the oracle's 0x%02x\n", run->one.name, first, size, ours->bytes[first],
           oracle->bytes[first]);
    return false;
}

/* Finds "HASH name" in the file; 0 if it is not there. */
static uint64_t recorded(const char *file_name, const char *name) {
    FILE *file = fopen(file_name, "r");
    char line[200];
    uint64_t hash = 0;
    if (!file) {
        perror(file_name);
        exit(2);
    }
    while (!hash && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != '#' && strlen(line) > 17 && strcmp(line + 17, name) == 0)
            hash = strtoull(line, NULL, 16);
    }
    fclose(file);
    return hash;
}

static bool as_recorded(const char *file, const struct run *run, const struct output *output) {
    uint64_t hash = hash_of(run, output), want = recorded(file, run->one.name);
    if (hash != want)
        printf("%s: hash %016" PRIx64 ", recorded %016" PRIx64 "\n", run->one.name, hash, want);
    return hash == want;
}

static void record(const char *name, const struct run *runs, unsigned count, const struct output *ours,
                   const struct output *oracle) {
    FILE *file = fopen(name, "w");
    if (!file) {
        perror(name);
        exit(2);
    }
    fprintf(file, "# Hashes of the outputs of tests/conformance/paths.c, of the oracle where it does not refuse.\n");
    for (unsigned i = 0; i < count; i++) {
        const struct output *output = oracle && !runs[i].one.refused ? &oracle[i] : &ours[i];
        fprintf(file, "%016" PRIx64 " %s\n", hash_of(&runs[i], output), runs[i].one.name);
    }
    fclose(file);
}

static struct run *make_runs(const struct options *options, unsigned *count) {
    struct path_case *cases = calloc(PATH_CASES, sizeof *cases);
    struct run *runs = calloc(PATH_CASES, sizeof *runs);
    if (!cases || !runs)
        exit(3);
    unsigned all = path_cases(cases);
    *count = 0;
    for (unsigned i = 0; i < all; i++) {
        struct run *run = &runs[*count];
        if (options->only && !strstr(cases[i].name, options->only))
            continue;
        run->one = cases[i];
        run->one.seed += options->seed * PATH_CASES;
        run->one.wild = options->wild;
        path_image_make(&run->one, &run->image, &run->want, &run->scale);
        if (run->image.out_size > OUTPUT) {
            fprintf(stderr, "%s: output too large\n", run->one.name);
            exit(3);
        }
        (*count)++;
    }
    free(cases);
    return runs;
}

static struct options parse(int argc, char **argv) {
    struct options options = { .oracle = getenv("ORACLE") };
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--oracle") == 0)
            options.oracle = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--expected") == 0)
            options.expected = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--record") == 0)
            options.record = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--only") == 0)
            options.only = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            options.seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--wild") == 0)
            options.wild = true;
        else if (!options.ours)
            options.ours = argv[i];
        else
            options.kernels = argv[i];
    }
    if (!options.kernels) {
        fprintf(stderr, "usage: %s LIBRARY KERNELS [OPTION]...\n", argv[0]);
        exit(2);
    }
    return options;
}

int main(int argc, char **argv) {
    static struct image kernels[4]; /* like all that follows, for as long as the program lives */
    static struct run *runs;
    static struct output *ours, *oracle;
    struct options options = parse(argc, argv);
    unsigned count, failed = 0, compared = 0;
    for (unsigned core = 0; core < 4; core++)
        kernels[core] = read_kernel(options.kernels, device_core_name[core]);
    runs = make_runs(&options, &count);
    ours = run_library(options.ours, kernels, runs, count);
    if (options.oracle && *options.oracle)
        oracle = run_library(options.oracle, kernels, runs, count);
    for (unsigned i = 0; i < count; i++) {
        bool ok = check("ours", &runs[i], &ours[i]);
        if (oracle && !runs[i].one.refused) {
            ok &= check("oracle", &runs[i], &oracle[i]) && same(&runs[i], &ours[i], &oracle[i]);
            compared++;
        } else if (options.expected) {
            ok &= as_recorded(options.expected, &runs[i], &ours[i]);
        }
        failed += !ok;
    }
    if (options.record)
        record(options.record, runs, count, ours, oracle);
    printf("%u paths, %u compared with the oracle, %u fail\n", count, compared, failed);
    return failed || !count;
}
