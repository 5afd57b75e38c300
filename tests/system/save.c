/* Saved systems: a system that was saved in the middle of its traffic, at any cycle, with cables cut or not, goes on in
 * another one exactly as it does itself, on any number of host threads. Files that are damaged, forged, or of something
 * else are refused or not, but nothing worse, and a refused file changes nothing.
 *
 * SOAK=N draws N systems instead of a few. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mix.h"
#include "support/random.h"
#include "system/talk.h"

enum { PORTS = 12, CHIPS = 4, LINKS = 8, PACKETS = 200, SPAN = 40000, HEAD = 32 };

static char path[] = "/tmp/bhemu-system-XXXXXX";

struct plan {
    unsigned chips, links;
    struct bh_link link[LINKS];
    uint32_t seed[LINKS][2];
    unsigned ahead[LINKS][2];
    enum bh_timing timing;
};

static void draw(struct plan *plan, uint64_t *random) {
    *plan = (struct plan){ .chips = 2 + random_below(random, CHIPS - 1) };
    plan->timing = random_below(random, 5) ? BH_TIMING_CYCLES : BH_TIMING_LOOSE;
    plan->links = 1 + random_below(random, LINKS);
    for (unsigned i = 0; i < plan->links; i++) { /* each chip has a port for each link */
        struct bh_link *link = &plan->link[i];
        link->chip[0] = random_below(random, plan->chips);
        link->chip[1] = (link->chip[0] + 1 + random_below(random, plan->chips - 1)) % plan->chips;
        link->port[0] = link->port[1] = i;
        link->latency = BH_LINK_LATENCY_MIN + random_below(random, random_below(random, 2) ? 900 : 60);
        link->rate = 25 + random_below(random, 800);
        for (unsigned end = 0; end < 2; end++) {
            plan->seed[i][end] = 1 + (uint32_t)(random_next(random) >> 40);
            plan->ahead[i][end] = random_below(random, 9);
        }
    }
}

/* A system without programs. */
static bh_system *build(const struct plan *plan, unsigned threads) {
    bh_system *system;
    struct bh_config config;
    bh_config_init(&config);
    config.timing = plan->timing;
    assert_int_equal(bh_system_create(&system), BH_OK);
    assert_int_equal(bh_system_threads(system, threads), BH_OK);
    for (unsigned i = 0; i < plan->chips; i++)
        assert_int_equal(bh_system_add_chip(system, &config, NULL), BH_OK);
    for (unsigned i = 0; i < plan->links; i++)
        if (bh_system_add_link(system, &plan->link[i], NULL) != BH_OK)
            fail_msg("%s", bh_system_message(system));
    return system;
}

static bh_system *start(const struct plan *plan, unsigned threads) {
    bh_system *system = build(plan, threads);
    for (unsigned i = 0; i < plan->links; i++)
        for (unsigned end = 0; end < 2; end++)
            talk_start(bh_system_chip(system, plan->link[i].chip[end]), plan->link[i].port[end], PACKETS,
                       plan->seed[i][end], plan->ahead[i][end]);
    return system;
}

static void run(bh_system *system, uint64_t cycles) {
    if (bh_system_run(system, cycles, 0, NULL) != BH_OK)
        fail_msg("%s", bh_system_message(system));
}

static void load(bh_system *system) {
    if (bh_system_load(system, path) != BH_OK)
        fail_msg("%s", bh_system_message(system));
}

/* Cuts or joins a cable of all systems. */
static void turn(bh_system *const *system, unsigned count, unsigned link) {
    struct bh_link_stats stats;
    assert_int_equal(bh_system_link_stats(system[0], link, &stats), BH_OK);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(stats.up ? bh_system_cut(system[i], link) : bh_system_join(system[i], link), BH_OK);
}

static void assert_same_links(const bh_system *a, const bh_system *b) {
    struct bh_link_stats of[2];
    memset(of, 0, sizeof of);
    for (unsigned i = 0; bh_system_link_stats(a, i, &of[0]) == BH_OK; i++) {
        assert_int_equal(bh_system_link_stats(b, i, &of[1]), BH_OK);
        assert_memory_equal(&of[0], &of[1], sizeof of[0]);
    }
}

static void assert_same(bh_system *const *system, unsigned count, uint64_t seed) {
    for (unsigned i = 1; i < count; i++)
        assert_same_links(system[0], system[i]);
    for (unsigned i = 1; i < count; i++)
        if (bh_system_hash(system[i]) != bh_system_hash(system[0]) ||
            bh_system_cycle(system[i]) != bh_system_cycle(system[0]))
            fail_msg("seed %llu: a loaded system differs at cycle %llu", (unsigned long long)seed,
                     (unsigned long long)bh_system_cycle(system[0]));
}

/* The system goes on after it was saved, and two others go on from the file: one is new, one has run already. */
static void one_system(uint64_t seed) {
    uint64_t random = seed;
    struct plan plan;
    draw(&plan, &random);
    bh_system *system[3] = { start(&plan, 1), build(&plan, 2), start(&plan, 1 + (unsigned)seed % 2) };
    run(system[0], 1 + random_below(&random, SPAN));
    run(system[2], random_below(&random, 5000));
    if (random_below(&random, 2))
        turn(system, 1, random_below(&random, plan.links));
    run(system[0], random_below(&random, 600));
    if (bh_system_save(system[0], path) != BH_OK)
        fail_msg("%s", bh_system_message(system[0]));
    bh_snapshot *snapshot;
    uint64_t hash = bh_system_hash(system[0]);
    assert_int_equal(bh_system_snapshot_take(system[0], &snapshot), BH_OK);
    load(system[1]);
    load(system[2]);
    assert_same(system, 3, seed);
    for (unsigned point = 0; point < 6; point++) {
        uint64_t cycles = 1 + random_below(&random, point < 2 ? 40 : 9000);
        if (random_below(&random, 3) == 0)
            turn(system, 3, random_below(&random, plan.links));
        for (unsigned i = 0; i < 3; i++)
            run(system[i], cycles);
        assert_same(system, 3, seed);
    }
    assert_int_equal(bh_system_snapshot_restore(system[2], snapshot), BH_OK); /* back in time */
    assert_int_equal(bh_system_hash(system[2]), hash);
    bh_snapshot_free(snapshot);
    for (unsigned i = 0; i < 3; i++)
        bh_system_destroy(system[i]);
}

static void random_systems(void **state) {
    const char *count = getenv("SOAK");
    (void)state;
    for (uint64_t i = 0, n = count ? strtoull(count, NULL, 10) : 10; i < n; i++)
        one_system(1 + i * 7919);
}

/* A frame on the wire in both directions, a frame that waits for its cable, and one that was not exchanged. */
static void frames_under_way(void **state) {
    (void)state;
    struct bh_link_stats stats;
    for (uint64_t cycle = 0; cycle < 1200; cycle += 37) {
        bh_system *system = make_pair(500, 100), *other = make_pair(500, 100);
        for (unsigned chip = 0; chip < 2; chip++) {
            end_put(system, chip, 0x10000, 0x1234 + chip);
            send_data(system, chip, 0, 0x10000, 0x20000, 64);
        }
        pair_run(system, cycle);
        if (cycle % 2)
            assert_int_equal(bh_system_cut(system, 0), BH_OK);
        assert_int_equal(bh_system_save(system, path), BH_OK);
        load(other);
        if (cycle % 2) {
            assert_int_equal(bh_system_link_stats(other, 0, &stats), BH_OK);
            assert_false(stats.up);
            assert_int_equal(bh_system_join(other, 0), BH_OK);
        }
        pair_run(other, 3000);
        for (unsigned chip = 0; chip < 2; chip++)
            assert_int_equal(end_get(other, chip, 0x20000), 0x1234 + !chip);
        bh_system_destroy(system);
        bh_system_destroy(other);
    }
}

/* ---- Files that are refused ------------------------------------------------------------------------------------- */

struct file {
    uint8_t *bytes;
    size_t size;
};

static struct file read_back(void) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    struct file file = { .size = (size_t)ftell(in) };
    rewind(in);
    file.bytes = malloc(file.size);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.size, in), file.size);
    fclose(in);
    return file;
}

static void write_out(const uint8_t *bytes, size_t size) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

/* Makes size and checksum of a forged file right. */
static void seal(uint8_t *bytes, size_t size) {
    uint64_t version, behind = size - HEAD, checksum;
    memcpy(&version, bytes + 8, 8);
    checksum = mix_bytes(version, bytes + HEAD, behind);
    memcpy(bytes + 16, &behind, 8);
    memcpy(bytes + 24, &checksum, 8);
}

static void assert_refused(bh_system *system, bh_status status, const char *text) {
    uint64_t hash = bh_system_hash(system);
    assert_int_equal(bh_system_load(system, path), status);
    if (!strstr(bh_system_message(system), text) || !strstr(bh_system_message(system), path))
        fail_msg("'%s' is not in: %s", text, bh_system_message(system));
    assert_int_equal(bh_system_hash(system), hash);
}

static void damaged_files(void **state) {
    (void)state;
    uint64_t random = 5;
    bh_system *system = make_pair(0, 0);
    send_data(system, 0, 0, 0x10000, 0x20000, 64);
    pair_run(system, 300);
    assert_int_equal(bh_system_save(system, path), BH_OK);
    struct file file = read_back();
    pair_run(system, 100);
    write_out(file.bytes, 20);
    assert_refused(system, BH_ERR_ARGUMENT, "no saved system");
    write_out(file.bytes, file.size - 1);
    assert_refused(system, BH_ERR_ARGUMENT, "cut off");
    for (unsigned i = 0; i < 30; i++) {
        size_t at = HEAD + random_below(&random, (uint32_t)file.size - HEAD);
        file.bytes[at] ^= (uint8_t)(1u << random_below(&random, 8));
        write_out(file.bytes, file.size);
        assert_refused(system, BH_ERR_ARGUMENT, "checksum");
        free(file.bytes);
        assert_int_equal(bh_system_save(system, path), BH_OK);
        file = read_back();
    }
    file.bytes[8] ^= 2;
    write_out(file.bytes, file.size);
    assert_refused(system, BH_ERR_ARGUMENT, "another version");
    file.bytes[0] ^= 1;
    write_out(file.bytes, file.size);
    assert_refused(system, BH_ERR_ARGUMENT, "no saved system");
    free(file.bytes);
    assert_int_equal(bh_system_load(system, "/nowhere/system"), BH_ERR_FILE);
    assert_non_null(strstr(bh_system_message(system), "/nowhere/system: cannot be read"));
    assert_int_equal(bh_system_save(system, "/nowhere/system"), BH_ERR_FILE);
    assert_int_equal(bh_system_save(system, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_load(NULL, path), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_snapshot_take(system, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_snapshot_restore(system, NULL), BH_ERR_ARGUMENT);
    bh_system_destroy(system);
}

/* Bytes of the cables, and sometimes of anything, that are wrong although the checksum is right. */
static void forged_files(void **state) {
    (void)state;
    uint64_t random = 77, loaded = 0;
    struct plan plan;
    do
        draw(&plan, &random);
    while (plan.links < 3 || plan.timing == BH_TIMING_LOOSE);
    bh_system *system = start(&plan, 1);
    run(system, 6000);
    assert_int_equal(bh_system_cut(system, 1), BH_OK);
    run(system, 300);
    assert_int_equal(bh_system_save(system, path), BH_OK);
    struct file file = read_back();
    uint8_t *copy = malloc(file.size);
    assert_non_null(copy);
    for (unsigned i = 0; i < 160; i++) {
        size_t size = i % 8 ? file.size : HEAD + random_below(&random, (uint32_t)file.size - HEAD);
        size_t cables = size < 20000 ? size : 20000;
        memcpy(copy, file.bytes, size);
        for (unsigned k = 1 + random_below(&random, 3); k && cables > HEAD; k--)
            copy[HEAD + random_below(&random, (uint32_t)cables - HEAD)] ^= (uint8_t)random_below(&random, 256);
        seal(copy, size);
        write_out(copy, size);
        if (bh_system_load(system, path) != BH_OK)
            continue;
        loaded++;
        for (unsigned link = 0; link < plan.links; link++)
            (void)bh_system_join(system, link);
        (void)bh_system_run(system, 2000, 0, NULL);
    }
    assert_true(loaded > 8 && loaded < 152);
    write_out(file.bytes, file.size);
    load(system);
    free(copy);
    free(file.bytes);
    bh_system_destroy(system);
}

static void other_systems(void **state) {
    (void)state;
    struct bh_config config;
    struct bh_link link = { .chip = { 0, 1 }, .port = { 7, 7 } };
    bh_system *system = make_pair(0, 0), *other = make_pair(600, 0);
    bh_chip *chip;
    assert_int_equal(bh_system_save(system, path), BH_OK);
    assert_refused(other, BH_ERR_STATE, "another link 0");
    assert_int_equal(bh_system_add_link(other, &link, NULL), BH_OK);
    assert_refused(other, BH_ERR_STATE, "2 chips and 1 links, not 2 and 2");
    bh_system_destroy(other);
    bh_config_init(&config);
    config.skew = 64;
    assert_int_equal(bh_system_create(&other), BH_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(bh_system_add_chip(other, &config, NULL), BH_OK);
    link = (struct bh_link){ .chip = { 0, 1 }, .port = { PORT, PORT + 2 } };
    assert_int_equal(bh_system_add_link(other, &link, NULL), BH_OK);
    assert_refused(other, BH_ERR_STATE, "chip 0: saved from a chip with another configuration: skew differs");
    bh_system_destroy(other);
    bh_config_init(&config);
    chip = make_configured(&config);
    assert_int_equal(bh_load(chip, path), BH_ERR_ARGUMENT);
    assert_non_null(strstr(bh_message(chip), "saved from a system of several chips"));
    assert_int_equal(bh_save(chip, path), BH_OK);
    assert_refused(system, BH_ERR_ARGUMENT, "saved from a single chip");
    bh_destroy(chip);
    bh_system_destroy(system);
}

static int make_file(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems), cmocka_unit_test(frames_under_way), cmocka_unit_test(damaged_files),
        cmocka_unit_test(forged_files),   cmocka_unit_test(other_systems),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
