/* A failed check of the emulator's own rules: the run ends with BH_ERR_INTERNAL and a text that names the check, the
 * process goes on, and other chips are as before. The tests break the rules by hand, inside a tile and outside all of
 * them. A check build aborts instead. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "chip/chip.h"
#include "support/chip.h"
#include "support/rv.h"

static const struct bh_xy FIRST = { 1, 2 }, SECOND = { 2, 2 };

static struct tile *tile_at(bh_chip *chip, struct bh_xy at) {
    struct tile *tile;
    assert_int_equal(chip_tensix(chip, at, &tile), BH_OK);
    return tile;
}

/* A core that never ends keeps the tile awake. */
static void start_loop(bh_chip *chip, struct bh_xy tile) {
    uint32_t code[] = { rv_addi(5, 5, 1), rv_jal(0, -4) };
    start_at(chip, tile, BH_BRISC, 0, code, sizeof code);
}

/* A thread is due in a cycle that has been run. */
static void break_tile(bh_chip *chip, struct bh_xy at) {
    struct tile *tile = tile_at(chip, at);
    tile->changed = true; /* so that due times are checked */
    tile->tensix.time = bh_cycle(chip);
    tile->tensix.thread[1].due = bh_cycle(chip) - 1;
}

static void give_back_what_is_not_lent(bh_chip *chip) {
    dram_give_back(&chip->dram, 0);
}

/* Returns whether an action aborts, in a child process. */
static bool aborts(void (*act)(bh_chip *chip), bh_chip *chip) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        act(chip);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool aborts_in_check_builds(void (*act)(bh_chip *chip), bh_chip *chip) {
    if (BH_CHECKS)
        assert_true(aborts(act, chip));
    return BH_CHECKS;
}

static void break_and_run(bh_chip *chip) {
    break_tile(chip, FIRST);
    (void)bh_run(chip, 1000, 0, NULL);
}

static void assert_broken(bh_chip *chip, const char *place) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 1000, 0, &stop), BH_ERR_INTERNAL);
    assert_non_null(strstr(bh_message(chip), place));
}

static void a_tile(void **state) {
    (void)state;
    bh_chip *chip = make_chip(1), *other = make_chip(1);
    uint32_t word = 0x12345678, read = 0;
    start_loop(chip, FIRST);
    start_loop(other, FIRST);
    assert_int_equal(bh_write(chip, FIRST, 0x20000, &word, sizeof word), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    if (!aborts_in_check_builds(break_and_run, chip)) {
        break_tile(chip, FIRST);
        assert_broken(chip, "src/tensix/clock.c:");
        assert_non_null(strstr(bh_message(chip), "due >= x->time"));
        assert_non_null(strstr(bh_message(chip), "tile (1,2)"));
        uint64_t cycle = bh_cycle(chip);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_ERR_INTERNAL);
        assert_int_equal(bh_cycle(chip), cycle);
        assert_int_equal(bh_read(chip, FIRST, 0x20000, &read, sizeof read), BH_OK);
        assert_int_equal(read, word);
        bh_reset(chip);
        start_loop(chip, FIRST);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
        assert_int_equal(bh_cycle(chip), 1000);
    }
    assert_int_equal(bh_run(other, 1000, 0, NULL), BH_OK);
    bh_destroy(other);
    bh_destroy(chip);
}

/* The text names the first of several tiles, on any number of host threads. */
static void several_tiles(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3 && !BH_CHECKS; threads++) {
        bh_chip *chip = make_chip(threads);
        start_loop(chip, SECOND);
        start_loop(chip, FIRST);
        assert_int_equal(bh_run(chip, 4096, 0, NULL), BH_OK);
        break_tile(chip, SECOND);
        break_tile(chip, FIRST);
        assert_broken(chip, "tile (1,2)");
        bh_destroy(chip);
    }
}

static void outside_the_tiles(void **state) {
    (void)state;
    bh_chip *chip = make_chip(1);
    if (!aborts_in_check_builds(give_back_what_is_not_lent, chip)) {
        give_back_what_is_not_lent(chip);
        assert_broken(chip, "src/dram/dram.c:");
        assert_null(strstr(bh_message(chip), "tile ("));
    }
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile),
        cmocka_unit_test(several_tiles),
        cmocka_unit_test(outside_the_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
