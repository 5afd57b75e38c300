/* Host threads: how many there are and when, that each stays on a processor of its own, and that they sleep. What they
 * compute is in tests/determinism. Reads /proc, as Linux has it. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "chip/chip.h"
#include "support/chip.h"
#include "support/rv.h"

enum { MOST = BH_THREADS_MAX + 8, LONG = 20000 };

struct tasks {
    unsigned count;
    pid_t id[MOST]; /* without the caller's */
};

static struct tasks born_with; /* what sanitizers have started */

static bool is_in(const struct tasks *tasks, pid_t id) {
    for (unsigned i = 0; i < tasks->count; i++)
        if (tasks->id[i] == id)
            return true;
    return false;
}

static struct tasks other_tasks(void) {
    struct tasks tasks = { 0 };
    DIR *dir = opendir("/proc/self/task");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
        if (id > 0 && id != (pid_t)syscall(SYS_gettid) && !is_in(&born_with, id) && tasks.count < MOST)
            tasks.id[tasks.count++] = id;
    }
    closedir(dir);
    return tasks;
}

/* Time on a processor, in nanoseconds (schedstat). */
static unsigned long long spent(pid_t id) {
    char path[64];
    unsigned long long time = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)id);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &time), 1);
    fclose(file);
    return time;
}

/* BRISC of so many tiles counts for ever. */
static void start(bh_chip *chip, unsigned tiles) {
    const uint32_t program[] = { rv_addi(5, 5, 1), rv_sw(5, 0x100, 0), rv_jal(0, -8) };
    for (unsigned i = 0; i < tiles; i++)
        start_at(chip, chip_made(chip, i)->xy, BH_BRISC, 0, program, sizeof program);
}

static unsigned host_processors(void) {
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    unsigned count = (unsigned)CPU_COUNT(&allowed);
    return count < BH_THREADS_MAX ? count : BH_THREADS_MAX;
}

/* By default as many as the host has processors, but only when there is work for them. */
static void threads_come_with_work(void **state) {
    static const unsigned asked[] = { 0, 1, 2, 3, 5 };
    (void)state;
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        bh_chip *chip = make_chip(asked[i]);
        unsigned all = asked[i] ? asked[i] : host_processors();
        assert_int_equal(other_tasks().count, 0);
        start(chip, 1);
        assert_int_equal(bh_run(chip, LONG, 0, NULL), BH_OK);
        assert_int_equal(other_tasks().count, 0); /* one tile needs no other thread */
        start(chip, 140);
        assert_int_equal(bh_run(chip, LONG, 0, NULL), BH_OK);
        assert_int_equal(other_tasks().count, all - 1);
        bh_destroy(chip);
        assert_int_equal(other_tasks().count, 0);
    }
}

static void each_stays_on_a_processor(void **state) {
    cpu_set_t all, one, seen;
    (void)state;
    bh_chip *chip = make_chip(3);
    start(chip, 140);
    assert_int_equal(bh_run(chip, LONG, 0, NULL), BH_OK);
    struct tasks tasks = other_tasks();
    assert_int_equal(tasks.count, 2);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&seen);
    for (unsigned i = 0; i < tasks.count; i++) {
        assert_int_equal(sched_getaffinity(tasks.id[i], sizeof one, &one), 0);
        assert_int_equal(CPU_COUNT(&one), 1);
        CPU_OR(&seen, &seen, &one);
    }
    assert_int_equal(CPU_COUNT(&seen), CPU_COUNT(&all) > 1 ? 2 : 1);
    bh_destroy(chip);
}

/* Between runs, and while time passes for a chip that is idle or has one tile awake. */
static void they_sleep_without_work(void **state) {
    const struct timespec tenth = { .tv_nsec = 100000000 };
    unsigned long long before[2];
    (void)state;
    bh_chip *chip = make_chip(3);
    start(chip, 140);
    assert_int_equal(bh_run(chip, LONG, 0, NULL), BH_OK);
    struct tasks tasks = other_tasks();
    assert_int_equal(tasks.count, 2);
    for (unsigned i = 1; i < 140; i++)
        assert_int_equal(bh_hold(chip, chip_made(chip, i)->xy, 1u << BH_BRISC), BH_OK);
    assert_int_equal(bh_run(chip, LONG, 0, NULL), BH_OK);
    nanosleep(&tenth, NULL); /* the last that spins has given up */
    for (unsigned i = 0; i < 2; i++)
        before[i] = spent(tasks.id[i]);
    assert_true(before[0] > 0);
    nanosleep(&tenth, NULL);
    assert_int_equal(bh_run(chip, 1000000, 0, NULL), BH_OK);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(spent(tasks.id[i]), before[i]);
    bh_destroy(chip);
}

static void *do_nothing(void *argument) {
    return argument;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_come_with_work),
        cmocka_unit_test(each_stays_on_a_processor),
        cmocka_unit_test(they_sleep_without_work),
    };
    if (access("/proc/self/task", R_OK) != 0 || access("/proc/self/schedstat", R_OK) != 0)
        return 77;
    pthread_t thread; /* the first one may bring others along, of sanitizers */
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 77;
    born_with = other_tasks();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
