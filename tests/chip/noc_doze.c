/* A core that waits for a number of answers sleeps through all but the last one: it goes on in the same cycle, with the
 * same registers and counts, as one that never sleeps. */
#include "support/noc_stage.h"
#include "support/random.h"

enum { PIECES = 600, LONGEST = 200, NEAR = 4, FAR = 120 };

/* Rounds of requests without waiting, then for all of them: for a number of answers of each kind, or for none to be
 * left. Short ones: nothing piles up. */
static void load(bh_chip *chip, uint64_t seed, bool sleepless) {
    struct script script = { 0 };
    uint64_t chance = seed;
    uint32_t writes = 0, reads = 0;
    struct tile *tile = chip_made(chip, 0);
    for (unsigned round = 0; round < 12; round++) {
        for (unsigned i = 0, end = 1 + random_below(&chance, 8); i < end; i++) {
            struct bh_xy other = chip_made(chip, 1 + random_below(&chance, random_below(&chance, 2) ? NEAR : FAR))->xy;
            bool reads_it = random_below(&chance, 2);
            request(&script, 0,
                    reads_it ? read_from(other, DATA, tile->xy, DATA + 64, 32)
                             : write_to(tile->xy, DATA, other, DATA + 128, 32));
            reads += reads_it;
            writes += !reads_it;
        }
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, writes);
        if (random_below(&chance, 2))
            wait_for(&script, 0, NIU_RD_RESP_RECEIVED, reads);
        else
            wait_for(&script, 0, NIU_OUTSTANDING, 0);
        script_put(&script, SCRIPT_ADD, DONE, 1);
    }
    tile->core[BH_BRISC].sleepless = sleepless;
    start(chip, tile->xy, BH_BRISC, &script);
}

/* Of its last request, and of all that it has executed. */
static void assert_alike(bh_chip *sleeps, bh_chip *polls) {
    struct tile *a = chip_made(sleeps, 0), *b = chip_made(polls, 0);
    uint64_t time, retired, other_time, other_retired;
    core_observe(&a->core[BH_BRISC], bh_cycle(sleeps), &time, &retired);
    core_observe(&b->core[BH_BRISC], bh_cycle(polls), &other_time, &other_retired);
    assert_int_equal(peek_word(sleeps, a->xy, DONE), peek_word(polls, b->xy, DONE));
    assert_int_equal(a->niu[0].assigned, b->niu[0].assigned);
    assert_int_equal(a->niu[0].link_free, b->niu[0].link_free);
    assert_int_equal(time - retired, other_time - other_retired);
}

static void it_goes_on_in_time(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bh_chip *sleeps = make(), *polls = make();
        load(sleeps, seed, false);
        load(polls, seed, true);
        for (unsigned i = 0; i < PIECES; i++) {
            uint32_t piece = 1 + random_below(&(uint64_t){ seed * 100 + i }, LONGEST);
            assert_int_equal(bh_run(sleeps, piece, 0, NULL), BH_OK);
            assert_int_equal(bh_run(polls, piece, 0, NULL), BH_OK);
            assert_memory_equal(chip_made(sleeps, 0)->core[BH_BRISC].x, chip_made(polls, 0)->core[BH_BRISC].x, 32 * 4);
        }
        assert_int_equal(peek_word(sleeps, here, DONE), 12);
        assert_alike(sleeps, polls);
        bh_destroy(sleeps);
        bh_destroy(polls);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(it_goes_on_in_time) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
