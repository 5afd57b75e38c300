/* Measures what it costs to save and load a chip: one with 140 tiles and 700 cores that wait for work, as after a boot,
 * or the chip in a file.
 *
 *     bench_restore [FILE]
 *
 * Times are the minimum of several attempts, in processor time of the calling thread: the disk is not measured. "first
 * use" is a hash of the whole chip, which reads every tile that a load has left unread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bhemu.h"

enum { TRIES = 20, CODE = 16 << 10, POLLED = 0x8000 };

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bh_chip *create(const struct bh_config *config) {
    bh_chip *chip;
    char message[256];
    if (bh_create(config, &chip, message, sizeof message) == BH_OK)
        return chip;
    fprintf(stderr, "bench_restore: %s\n", message);
    exit(1);
}

static void check(bh_chip *chip, bh_status status) {
    if (status == BH_OK)
        return;
    fprintf(stderr, "bench_restore: %s\n", bh_message(chip));
    exit(1);
}

/* Lets every core of a tile poll a word, and fills L1 as firmware would. */
static void fill_tile(bh_chip *chip, struct bh_xy tile) {
    static const uint32_t loop[] = { POLLED | 0x2B7, 0x0002A303,
                                     0xFE030EE3 }; /* lui x5; lw x6, 0(x5); beq x6, x0, -4 */
    static const uint32_t entry[BH_CORE_COUNT] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };
    uint32_t code[CODE / 4];
    for (uint32_t i = 0; i < CODE / 4; i++)
        code[i] = i * 2654435761u + 1;
    check(chip, bh_poke(chip, tile, 0x20000, code, sizeof code));
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        check(chip, bh_load_raw(chip, tile, (enum bh_core)core, entry[core], loop, sizeof loop));
    check(chip, bh_release(chip, tile, (1u << BH_CORE_COUNT) - 1));
}

static void make_file(const char *path) {
    struct bh_config config;
    struct bh_tile_info info;
    bh_config_init(&config);
    bh_chip *chip = create(&config);
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX && !info.harvested)
            fill_tile(chip, info.translated);
    check(chip, bh_run(chip, 20000, 0, NULL));
    double start = now();
    check(chip, bh_save(chip, path));
    printf("save                %8.2f ms\n", now() - start);
    bh_destroy(chip);
}

struct times {
    double create, load, both, use;
};

static void note(double *least, double time) {
    if (*least == 0 || time < *least)
        *least = time;
}

static void try_once(const char *path, const struct bh_config *config, struct times *least) {
    double start = now();
    bh_chip *chip = create(config);
    double created = now();
    check(chip, bh_load(chip, path));
    double loaded = now();
    (void)bh_state_hash(chip);
    double used = now();
    bh_destroy(chip);
    note(&least->create, created - start);
    note(&least->load, loaded - created);
    note(&least->both, loaded - start);
    note(&least->use, used - loaded);
}

int main(int count, char **arguments) {
    char made[] = "/tmp/bench-restore-XXXXXX", message[256];
    const char *path = count > 1 ? arguments[1] : made;
    struct times least = { 0 };
    struct bh_config config;
    struct stat info;
    if (count < 2) {
        int file = mkstemp(made);
        if (file < 0)
            return 1;
        (void)close(file);
        make_file(made);
    }
    bh_config_init(&config);
    if (bh_saved_config(path, &config, message, sizeof message) != BH_OK) {
        fprintf(stderr, "bench_restore: %s\n", message);
        return 1;
    }
    config.threads = 1;
    for (unsigned i = 0; i < TRIES; i++)
        try_once(path, &config, &least);
    if (stat(path, &info) == 0)
        printf("file                %8.2f MiB\n", (double)info.st_size / (1 << 20));
    printf("create              %8.2f ms\nload                %8.2f ms\ncreate and load     %8.2f ms\n", least.create,
           least.load, least.both);
    printf("first use of all    %8.2f ms\n", least.use);
    if (count < 2)
        (void)unlink(made);
    return 0;
}
