/* Random programs for the coprocessor, through our own API: results do not depend on how far a core may run ahead of
 * the others, nor on host threads. The programs are synchronised, so values are determined and only times may differ.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bhemu.h"
#include "generate.h"
#include "support/device.h"

enum { PROGRAMS = DEVICE_TILES, BATCHES = 2, CYCLES = 200000 };

struct results {
    uint32_t area[PROGRAMS][GENERATED_AREA];
};

static const struct generated_kind *const kind = &generated_tensix;

static struct bh_xy tile_at(unsigned index) {
    struct device_tile tile = device_tile(index);
    return (struct bh_xy){ .x = (uint8_t)tile.x, .y = (uint8_t)tile.y };
}

static void load(bh_chip *chip, unsigned index, const struct generated *program) {
    unsigned cores = 0;
    struct bh_xy tile = tile_at(index);
    assert_int_equal(bh_write(chip, tile, program->address, program->data, program->data_words * 4), BH_OK);
    for (unsigned i = 0; i < program->parts; i++) {
        const struct generated_part *part = &program->part[i];
        assert_int_equal(bh_write(chip, tile, device_core_start[part->core], part->word, part->count * 4), BH_OK);
        cores |= 1u << part->core;
    }
    assert_int_equal(bh_release(chip, tile, cores), BH_OK);
}

static void run(const struct generated *programs, unsigned skew, unsigned threads, struct results *results) {
    struct bh_config config;
    struct bh_stop stop;
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = threads;
    if (skew)
        config.skew = skew;
    assert_int_equal(bh_create(&config, &chip, NULL, 0), BH_OK);
    for (unsigned i = 0; i < PROGRAMS; i++)
        load(chip, i, &programs[i]);
    assert_int_equal(bh_run(chip, CYCLES, BH_RUN_STOP_ON_FAULT | BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("fault: %s", stop.fault.text);
    for (unsigned i = 0; i < PROGRAMS; i++)
        assert_int_equal(
            bh_peek(chip, tile_at(i), programs[i].address, results->area[i], kind->area_words * sizeof(uint32_t)),
            BH_OK);
    bh_destroy(chip);
}

static void compare(const struct generated *programs, const struct results *a, const struct results *b) {
    for (unsigned i = 0; i < PROGRAMS; i++) {
        if (a->area[i][kind->done_word] != GENERATED_DONE || b->area[i][kind->done_word] != GENERATED_DONE)
            fail_msg("seed %" PRIu64 " did not reach its end", programs[i].seed);
        for (unsigned word = 0; word < kind->area_words; word++)
            if (kind->is_compared(word) && a->area[i][word] != b->area[i][word]) {
                char name[40];
                kind->name(&programs[i], word, name, sizeof name);
                fail_msg("seed %" PRIu64 ": %s is %08x in lockstep, %08x else", programs[i].seed, name,
                         a->area[i][word], b->area[i][word]);
            }
    }
}

static void skew_and_threads_make_no_difference(void **state) {
    static const struct { unsigned skew, threads; } settings[] = { { 0, 1 }, { 7, 1 }, { 0, 2 } };
    struct generated *programs = calloc(PROGRAMS, sizeof *programs);
    struct results *lockstep = calloc(1, sizeof *lockstep), *other = calloc(1, sizeof *other);
    (void)state;
    assert_true(programs && lockstep && other);
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        for (unsigned i = 0; i < PROGRAMS; i++)
            kind->generate(&programs[i], 1000000 + batch * PROGRAMS + i);
        run(programs, 1, 1, lockstep);
        for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
            run(programs, settings[i].skew, settings[i].threads, other);
            compare(programs, lockstep, other);
        }
    }
    free(programs), free(lockstep), free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(skew_and_threads_make_no_difference) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
