/* Runs a fuzz target without libFuzzer: on the files of a directory and on random changes of them, or, without
 * such files, on random bytes. Always the same sequence.
 *
 *     fuzz_TARGET [DIRECTORY [RUNS [SEED]]]
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16 };

static unsigned runs = 20000;

static uint64_t state = 1;

static uint32_t next(void) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

static size_t read_file(const char *directory, const char *name, uint8_t *data) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t size = fread(data, 1, LARGEST, file);
    fclose(file);
    return size;
}

static int is_seed(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* A few changed bytes, words set to edges, and now and then a shorter input. */
static size_t mutate(uint8_t *data, size_t size) {
    static const uint32_t edges[] = { 0, 1, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0x180000 };
    for (unsigned changes = 1 + next() % 8; changes && size; changes--) {
        size_t at = next() % size;
        if (next() % 4 == 0 && at + 4 <= size)
            memcpy(data + at, &edges[next() % 8], 4);
        else
            data[at] = (uint8_t)next();
    }
    return next() % 8 == 0 && size ? next() % size : size;
}

static size_t random_bytes(uint8_t *data) {
    size_t size = next() % 512;
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)next();
    return size;
}

/* In a block of its own size, so that a sanitizer sees every byte too far. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(3);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_seeds(const char *directory, struct dirent **files, unsigned count) {
    static uint8_t seed[LARGEST], data[LARGEST];
    for (unsigned i = 0; i < count; i++) {
        size_t size = read_file(directory, files[i]->d_name, seed);
        run(seed, size);
        for (unsigned j = 0; j < runs / count; j++) {
            memcpy(data, seed, size);
            run(data, mutate(data, size));
        }
    }
}

int main(int argc, char **argv) {
    static uint8_t data[LARGEST];
    struct dirent **files = NULL;
    int count = argc > 1 ? scandir(argv[1], &files, is_seed, alphasort) : 0;
    runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : runs;
    state = argc > 3 ? strtoull(argv[3], NULL, 0) : state;
    if (count > 0)
        run_seeds(argv[1], files, (unsigned)count);
    else
        for (unsigned i = 0; i < runs; i++)
            run(data, random_bytes(data));
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    printf("%d seeds, about %u inputs\n", count > 0 ? count : 0, runs);
    return 0;
}
