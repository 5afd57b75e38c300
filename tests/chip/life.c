/* Many chips in succession and at once, and chips in the child of a fork: memory, files and threads of the process are
 * as before, and nothing waits for threads that the child does not have. Reads /proc of Linux. */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/chip.h"
#include "support/rv.h"
#include "support/sanitizers.h"

/* ---- Resources of the process ------------------------------------------------------------------------------------ */

struct belongings {
    unsigned files, threads, mappings;
    unsigned long resident; /* pages */
};

static unsigned count_entries(const char *path) {
    unsigned count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static unsigned count_lines(const char *path) {
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

/* Freed blocks that libc keeps in its arenas are given back first: how many arenas it makes depends on a race of
 * threads. */
static struct belongings look(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    struct belongings now = {
        .files = count_entries("/proc/self/fd"),
        .threads = count_entries("/proc/self/task"),
        .mappings = count_lines("/proc/self/maps"),
    };
    unsigned long size;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &now.resident), 2);
    fclose(file);
    return now;
}

/* Sanitizers keep blocks that were freed, and have mappings of their own. */
static void assert_as_before(const struct belongings *before) {
    enum { MORE_PAGES = 512, MORE_MAPPINGS = 8 };
    struct belongings now = look();
    assert_int_equal(now.files, before->files);
    assert_int_equal(now.threads, before->threads);
    if (SANITIZED)
        return;
    assert_in_range(now.mappings, 1, before->mappings + MORE_MAPPINGS);
    assert_in_range(now.resident, 1, before->resident + MORE_PAGES);
}

/* ---- Chips ----------------------------------------------------------------------------------------------------------
 */

enum { BUSY_TILES = 20 };

/* BRISC of so many tiles counts for ever. */
static void start(bh_chip *chip, unsigned tiles) {
    const uint32_t program[] = { rv_addi(5, 5, 1), rv_sw(5, 0x100, 0), rv_jal(0, -8) };
    for (unsigned i = 0; i < tiles; i++)
        start_at(chip, (struct bh_xy){ (uint8_t)(1 + i % 5), (uint8_t)(2 + i / 5) }, BH_BRISC, 0, program,
                 sizeof program);
}

/* Of the number depends what the chip does. */
static void one_life(unsigned number) {
    struct bh_config config;
    bh_config_board(&config, number % 3 ? BH_BOARD_P150 : BH_BOARD_P100A);
    config.timing = number % 2 ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
    config.threads = number % 100 ? 1 : 2;
    bh_chip *chip = make_configured(&config);
    if (number % 10 == 0) {
        put_word(chip, (struct bh_xy){ 1, 2 }, 0x1000, number);
        put_word(chip, (struct bh_xy){ 17, 12 }, 0x1000, number);
    }
    if (number % 50 == 0)
        assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_PROFILE, NULL, NULL), BH_OK);
    if (number % 100 == 0) {
        start(chip, BUSY_TILES);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    }
    bh_destroy(chip);
}

static void ten_thousand_leave_nothing(void **state) {
    (void)state;
    for (unsigned i = 0; i < 200; i++) /* libc keeps what it has had once */
        one_life(i);
    struct belongings before = look();
    for (unsigned i = 0; i < 10000; i++)
        one_life(i);
    assert_as_before(&before);
}

/* A chip takes 35 GiB of addresses, and of memory what it uses. */
static void many_live_side_by_side(void **state) {
    enum { CHIPS = TSAN ? 2 : 64 }; /* the thread sanitizer leaves few addresses */
    static bh_chip *chip[CHIPS];
    (void)state;
    struct belongings before = look();
    for (unsigned i = 0; i < CHIPS; i++) {
        chip[i] = make_chip(1);
        put_word(chip[i], (struct bh_xy){ 1, 2 }, 0x1000, i);
    }
    for (unsigned i = 0; i < CHIPS; i++) {
        assert_int_equal(peek_word(chip[i], (struct bh_xy){ 1, 2 }, 0x1000), i);
        bh_destroy(chip[i]);
    }
    assert_as_before(&before);
}

/* ---- Forks ----------------------------------------------------------------------------------------------------------
 */

enum { PIECE = 20000, WAIT = 60, TOO_MANY = 100 };

/* Runs the work in a child that has so many seconds; what it returns comes back. */
static int in_child(int (*work)(bh_chip *chip), bh_chip *chip) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(WAIT);
        _exit(work(chip));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("the child was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static bh_chip *busy_chip(unsigned threads) {
    bh_chip *chip = make_chip(threads);
    start(chip, BUSY_TILES);
    assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
    return chip;
}

static int go_on(bh_chip *chip) {
    bh_run(chip, PIECE, 0, NULL);
    int answer = (int)(bh_state_hash(chip) % TOO_MANY);
    bh_reset(chip);
    bh_run(chip, PIECE, 0, NULL);
    bh_destroy(chip);
    return answer;
}

/* The chip has had host threads, which the child does not have: it goes on without, to the same end, and so does the
 * parent. */
static void a_child_has_chips_of_its_own(void **state) {
    (void)state;
    bh_chip *chip = busy_chip(3);
    struct belongings before = look();
    int answer = in_child(go_on, chip);
    assert_int_equal(look().threads, before.threads);
    assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
    assert_int_equal((int)(bh_state_hash(chip) % TOO_MANY), answer);
    bh_destroy(chip);
}

static int leave(bh_chip *chip) {
    bh_destroy(chip);
    return 0;
}

static int make_another(bh_chip *chip) {
    (void)chip;
    bh_chip *own = busy_chip(3);
    unsigned threads = count_entries("/proc/self/task");
    bh_destroy(own);
    return (int)threads;
}

/* A chip that the child makes has threads of its own. */
static void a_child_makes_chips(void **state) {
    (void)state;
    if (TSAN) /* which ends a child that makes threads */
        skip();
    bh_chip *chip = busy_chip(3);
    assert_int_equal(in_child(leave, chip), 0);
    assert_int_equal(in_child(make_another, chip), 2 + 3); /* with . and .. */
    bh_destroy(chip);
}

static int fork_again(bh_chip *chip) {
    bh_run(chip, PIECE, 0, NULL);
    return in_child(go_on, chip);
}

static void a_grandchild_goes_on(void **state) {
    (void)state;
    bh_chip *chip = busy_chip(2), *same = busy_chip(1);
    assert_int_equal(bh_run(same, PIECE, 0, NULL), BH_OK);
    assert_int_equal(bh_run(same, PIECE, 0, NULL), BH_OK);
    assert_int_equal(in_child(fork_again, chip), (int)(bh_state_hash(same) % TOO_MANY));
    bh_destroy(chip);
    bh_destroy(same);
}

/* A thread that uses another chip all the while: the child has that chip too, in the middle of a call, and may not
 * touch it. Its own are not concerned. */
static atomic_bool ends;

static void *run_for_ever(void *argument) {
    while (!atomic_load(&ends))
        bh_run(argument, 1000, 0, NULL);
    return NULL;
}

static void others_may_run_meanwhile(void **state) {
    pthread_t thread;
    (void)state;
    bh_chip *chip = busy_chip(2), *other = busy_chip(2), *same = busy_chip(1);
    assert_int_equal(bh_run(same, PIECE, 0, NULL), BH_OK);
    int expected = (int)(bh_state_hash(same) % TOO_MANY);
    atomic_store(&ends, false);
    assert_int_equal(pthread_create(&thread, NULL, run_for_ever, other), 0);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(in_child(go_on, chip), expected);
    atomic_store(&ends, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    bh_destroy(chip);
    bh_destroy(other);
    bh_destroy(same);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_leave_nothing),   cmocka_unit_test(many_live_side_by_side),
        cmocka_unit_test(a_child_has_chips_of_its_own), cmocka_unit_test(a_child_makes_chips),
        cmocka_unit_test(a_grandchild_goes_on),         cmocka_unit_test(others_may_run_meanwhile),
    };
    if (access("/proc/self/task", R_OK) != 0)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
