/* Random NoC requests, in a race with the cores that make them, give the same state after the same time, whether time
 * passes in one run, in runs of any length or cycle by cycle, and on any number of host threads.
 *
 * Cores send and go on: they count up words that packets are about to write, so that the result shows which comes
 * first.
 *
 *     noc_pieces [ROUNDS [SEED]]
 */
#include <stdlib.h>
#include <string.h>

#include "support/chip.h"
#include "support/noc_soak.h"
#include "support/sanitizers.h"

enum { LOOKS = 8, RACE = 0x20000, RACE_BYTES = 2048, LIST = 0x10000, OPERATIONS = 250 };

static unsigned rounds = 1;
static uint64_t first_seed = 100;

struct setting {
    unsigned tiles, cores; /* how many of each */
    unsigned skew, epoch, threads;
    unsigned look;    /* cycles between two looks at the state */
    unsigned longest; /* piece; 0: all at once */
};

struct outcome {
    uint64_t hash[LOOKS];
};

/* ---- Programs ---------------------------------------------------------------------------------------------- */

struct drawing {
    struct soak chance;
    struct script script;
    unsigned tile, tiles, core, requests;
};

static uint32_t below(struct drawing *d, uint32_t limit) {
    return soak_next(&d->chance) % limit;
}

static uint32_t some_word(struct drawing *d) {
    return RACE + below(d, RACE_BYTES / 4) * 4;
}

/* Tensix tiles, the own one too, and DRAM. */
static uint32_t somewhere(struct drawing *d, bool dram) {
    if (dram && below(d, 3) == 0)
        return script_xy(17 + below(d, 2), 12 + below(d, 12));
    return soak_xy(below(d, 4) ? below(d, d->tiles) : below(d, SOAK_TILES));
}

static struct script_request draw_atomic(struct drawing *d) {
    uint32_t at = some_word(d);
    return (struct script_request){
        .targ_lo = at,
        .targ_hi = somewhere(d, false),
        .ret_lo = some_word(d),
        .ret_hi = soak_xy(d->tile),
        .ctrl = SCRIPT_ATOMIC | SCRIPT_MARKED,
        .len = 0x1000 | 31 << 2 | (at / 4 & 3),
        .data = below(d, 100),
    };
}

static struct script_request draw_request(struct drawing *d) {
    uint32_t length = below(d, 3) ? 4 + below(d, 60) : 1 + below(d, RACE_BYTES / 2);
    uint32_t near = RACE + below(d, RACE_BYTES - length + 1), far = RACE + (near - RACE) % 64, hi = somewhere(d, true);
    struct script_request write = {
        .targ_lo = near, .targ_hi = soak_xy(d->tile), .ret_lo = far, .ret_hi = hi, .len = length
    };
    switch (below(d, 15)) {
    case 0:
        write.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE;
        write.ret_hi = soak_xy(SOAK_TILES - 1) | soak_xy(0) << 12;
        return write;
    case 1:
    case 2:
    case 3:
    case 4: return draw_atomic(d);
    case 5:
    case 6:
    case 7:
    case 8: write.ctrl = SCRIPT_WRITE | SCRIPT_MARKED; return write;
    default:
        return (struct script_request){
            .targ_lo = far, .targ_hi = hi, .ret_lo = near, .ret_hi = soak_xy(d->tile), .len = length
        };
    }
}

static void count(struct drawing *d, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        script_put(&d->script, SCRIPT_ADD, some_word(d), 1);
}

/* Sends something and goes on, or waits until all that has an answer is back and lets some time pass in silence. */
static void draw_one(struct drawing *d) {
    if (below(d, 3) && d->requests < 100) {
        struct script_request request = draw_request(d);
        request.tag = d->core << 10;
        d->requests++;
        script_request(&d->script, below(d, 2), d->core % 4, &request);
        count(d, below(d, 12));
        return;
    }
    d->requests = 0;
    script_put(&d->script, SCRIPT_WAIT, script_counter(0, NIU_OUTSTANDING + d->core), 0);
    script_put(&d->script, SCRIPT_WAIT, script_counter(1, NIU_OUTSTANDING + d->core), 0);
    count(d, below(d, 30));
}

static void load(bh_chip *chip, struct drawing *d) {
    uint32_t program[SCRIPT_PROGRAM], list = LIST + d->core * 0x3000;
    for (unsigned i = 0; i < OPERATIONS && d->script.count < 0x3000 / 4 - 200; i++)
        draw_one(d);
    script_put(&d->script, SCRIPT_JUMP, list, 0);
    assert_true(d->script.count * 4 <= 0x3000);
    script_program(program, list);
    assert_int_equal(bh_write(chip, soak_tile(d->tile), list, d->script.word, d->script.count * 4), BH_OK);
    start_at(chip, soak_tile(d->tile), (enum bh_core)d->core, 0x1000 + d->core * 0x400, program, sizeof program);
    script_free(&d->script);
}

/* ---- Runs -------------------------------------------------------------------------------------------------- */

static void run_pieces(bh_chip *chip, uint64_t cycles, unsigned longest, unsigned *random) {
    while (cycles) {
        *random = *random * 1103515245 + 12345;
        unsigned limit = *random >> 30 ? longest : longest < 20 ? longest : 20; /* short ones among long ones */
        uint64_t piece = longest ? 1 + (*random >> 8) % limit : cycles;
        piece = piece < cycles ? piece : cycles;
        assert_int_equal(bh_run(chip, piece, 0, NULL), BH_OK);
        cycles -= piece;
    }
}

static struct outcome run(const struct setting *setting, uint64_t seed) {
    struct outcome outcome;
    struct drawing d = { .chance = { .random = seed }, .tiles = setting->tiles };
    bh_chip *chip = make_with(setting->threads, setting->skew, setting->epoch);
    unsigned random = (unsigned)seed;
    for (d.tile = 0; d.tile < setting->tiles; d.tile++)
        for (d.core = 0; d.core < setting->cores; d.core++)
            load(chip, &d);
    for (unsigned i = 0; i < LOOKS; i++) {
        run_pieces(chip, setting->look, setting->longest, &random);
        outcome.hash[i] = bh_state_hash(chip);
    }
    bh_destroy(chip);
    return outcome;
}

static void compare(struct setting setting, uint64_t seed) {
    static const unsigned longest[] = { 0, 40, 1, 200, 700 };
    setting.threads = 1;
    setting.longest = 0;
    struct outcome whole = run(&setting, seed);
    assert_true(whole.hash[0] != whole.hash[LOOKS - 1]);
    for (setting.threads = TSAN ? 2 : 1; setting.threads <= 3; setting.threads++)
        for (unsigned i = 0; i < some_of(sizeof longest / sizeof longest[0]); i++) {
            setting.longest = longest[i];
            struct outcome pieces = run(&setting, seed);
            for (unsigned k = 0; k < LOOKS; k++)
                if (pieces.hash[k] != whole.hash[k])
                    fail_msg("seed %llu, %u tiles, %u threads, pieces of up to %u: another state after %u cycles",
                             (unsigned long long)seed, setting.tiles, setting.threads, setting.longest,
                             (k + 1) * setting.look);
        }
}

static void compare_all(struct setting setting) {
    for (unsigned i = 0; i < rounds; i++)
        compare(setting, first_seed + i);
}

/* Several cores of a tile are in lockstep here: else where a run ends may change their order.
 * The only tile awake ends epochs by itself, where it sends. */
static void one_tile(void **state) {
    (void)state;
    compare_all((struct setting){ .tiles = 1, .cores = 1, .skew = 128, .look = 10000 });
    compare_all((struct setting){ .tiles = 1, .cores = 5, .skew = 1, .look = 2000 });
}

static void two_tiles(void **state) {
    (void)state;
    compare_all((struct setting){ .tiles = 2, .cores = 1, .skew = 128, .look = 2000 });
    compare_all((struct setting){ .tiles = 2, .cores = 3, .skew = 1, .look = 1500 });
}

static void all_tiles(void **state) {
    (void)state;
    compare_all((struct setting){ .tiles = SOAK_TILES, .cores = 1, .skew = 128, .look = 500 });
}

static void exactly_in_time(void **state) {
    (void)state;
    compare_all((struct setting){ .tiles = 5, .cores = 1, .skew = 128, .epoch = 19, .look = 1500 });
}

static void with_long_epochs(void **state) {
    (void)state;
    compare_all((struct setting){ .tiles = 5, .cores = 1, .skew = 128, .epoch = 256, .look = 1500 });
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tile),        cmocka_unit_test(two_tiles),        cmocka_unit_test(all_tiles),
        cmocka_unit_test(exactly_in_time), cmocka_unit_test(with_long_epochs),
    };
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : rounds;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 0) : first_seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
