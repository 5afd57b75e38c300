/* Random NoC requests of all tiles (support/noc_world.h) on a library with the libttsim ABI, against plain arrays; on
 * another one too, if there is one: both have to agree with the arrays.
 *
 *     noc_random LIBRARY [--oracle LIBRARY] [--first SEED] [--count N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/noc_world.h"

enum { SOURCES = 140, PART = 4096, REQUESTS = 12, LONGEST = 16384, CLOCKS = 20000, CLOCKS_MAX = 2000000 };

struct job {
    const char *library;
    uint64_t seed;
    unsigned requests, receivers;
    bool differs;
};

static struct world *make_world(uint64_t seed) {
    struct bh_config config;
    bh_chip *chip; /* only to know where everything is */
    bh_config_init(&config);
    if (bh_create(&config, &chip, NULL, 0) != BH_OK)
        abort();
    /* every other seed has few sources, and so long requests */
    struct world *world = world_create(chip, seed, seed % 2 ? 14 : SOURCES, seed % 2 ? 0xF000 : PART);
    bh_destroy(chip);
    world->common = true;
    world->without = 1u << BH_TILE_PCIE;
    return world;
}

static struct device_tile tile_of(const struct world *world, unsigned site) {
    return (struct device_tile){ world->info[site].translated.x, world->info[site].translated.y };
}

static void load_memory(struct device *device, const struct world *world) {
    for (unsigned i = 0; i < world->sources; i++) {
        unsigned site = world->source[i].site;
        device_write(device, tile_of(world, site), WORLD_FROM, world->memory[site].byte + WORLD_FROM, WORLD_AREA);
    }
}

static void start(struct device *device, const struct world *world) {
    uint32_t program[SCRIPT_PROGRAM];
    script_program(program, WORLD_LIST);
    for (unsigned i = 0; i < world->sources; i++) {
        const struct world_source *source = &world->source[i];
        struct device_tile tile = tile_of(world, source->site);
        device_write(device, tile, 0, program, sizeof program);
        device_write(device, tile, WORLD_LIST, source->script.word, source->script.count * 4);
        device_release(device, tile, 1);
    }
}

static bool is_done(struct device *device, const struct world *world) {
    for (unsigned i = 0; i < world->sources; i++)
        if (device_read32(device, tile_of(world, world->source[i].site), 0x8000) != 0xD05E)
            return false;
    return true;
}

static bool site_is_right(struct device *device, struct world *world, unsigned site) {
    static uint8_t found[WORLD_L1];
    const struct bh_tile_info *info = &world->info[site];
    uint32_t first = info->kind == BH_TILE_TENSIX ? WORLD_FROM : info->kind == BH_TILE_ETH ? WORLD_ETH_PARTS : 0;
    uint32_t size = world->memory[site].size - first;
    if (info->kind == BH_TILE_TENSIX)
        world_set_word(world->memory[site].byte + WORLD_COUNTED, world->counted[site]);
    device_read(device, tile_of(world, site), first, found, size);
    for (uint32_t i = 0; i < size && memcmp(found, world->memory[site].byte + first, size) != 0; i++)
        if (found[i] != world->memory[site].byte[first + i]) {
            printf("%s tile (%u,%u) at 0x%x: 0x%02x instead of 0x%02x\n", bh_tile_kind_name(info->kind),
                   info->translated.x, info->translated.y, first + i, found[i], world->memory[site].byte[first + i]);
            return false;
        }
    for (unsigned i = 0; info->kind == BH_TILE_TENSIX && i < 36; i++)
        if (device_read32(device, tile_of(world, site), world_register(world, i)) != world->handler[site][i]) {
            printf("tile (%u,%u), stream %u is wrong\n", info->translated.x, info->translated.y, i);
            return false;
        }
    return true;
}

static bool all_is_right(struct device *device, struct world *world) {
    for (unsigned site = 0; site < WORLD_SITES; site++)
        if (world->memory[site].byte && !(world->without >> world->info[site].kind & 1) &&
            !site_is_right(device, world, site))
            return false;
    return true;
}

static int run(void *argument) {
    struct job *job = argument;
    struct world *world = make_world(job->seed);
    struct device *device = device_open(job->library);
    if (!device)
        return 1;
    load_memory(device, world);
    world_draw_all(world, REQUESTS, LONGEST);
    start(device, world);
    for (uint32_t clocks = 0; clocks < CLOCKS_MAX && !is_done(device, world); clocks += CLOCKS)
        device_clock(device, CLOCKS);
    job->requests = world->requests;
    job->receivers = world->receivers;
    job->differs = !is_done(device, world) || !all_is_right(device, world);
    device_close(device);
    world_destroy(world);
    return job->differs;
}

/* True if all is right. */
static bool check(struct job *job, const char *library, uint64_t seed) {
    *job = (struct job){ .library = library, .seed = seed };
    struct device_outcome outcome = device_spawn(run, job, 120);
    if (!outcome.ok)
        printf("seed %llu, %s: %s\n", (unsigned long long)seed, library, outcome.text);
    return outcome.ok;
}

int main(int argc, char **argv) {
    const char *library = argc > 1 ? argv[1] : NULL, *oracle = NULL;
    uint64_t first = 0, requests = 0, receivers = 0;
    unsigned count = 6, wrong[2] = { 0, 0 };
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--oracle") == 0)
            oracle = argv[i + 1];
        else if (strcmp(argv[i], "--first") == 0)
            first = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0)
            count = (unsigned)strtoul(argv[i + 1], NULL, 0);
    }
    if (!library || argc % 2) {
        fprintf(stderr, "usage: noc_random LIBRARY [--oracle LIBRARY] [--first SEED] [--count N]\n");
        return 2;
    }
    struct job *job = device_shared(sizeof *job);
    for (uint64_t seed = first; seed < first + count; seed++) {
        wrong[0] += !check(job, library, seed);
        requests += job->requests;
        receivers += job->receivers;
        wrong[1] += oracle && !check(job, oracle, seed);
    }
    printf("%u seeds, %llu requests, %llu arrivals: %u wrong", count, (unsigned long long)requests,
           (unsigned long long)receivers, wrong[0]);
    printf(oracle ? ", %u on the oracle\n" : "\n", wrong[1]);
    device_unshare(job, sizeof *job);
    return wrong[0] || wrong[1];
}
