/* Rounds of work of several host threads: every worker takes part in every round, whether it spins or sleeps when the
 * round begins, and the caller sees what all have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/rounds.h"

enum { WORKERS = 3, ROUNDS = 3000, PAUSES = 500 /* rounds between two pauses of somebody */ };

struct shift {
    struct rounds rounds;
    unsigned round;         /* written by the caller before each round */
    unsigned done[WORKERS]; /* the last round of each worker, not atomic */
    pthread_t thread[WORKERS];
};
static struct shift shift;

static void pause_shortly(void) { /* longer than anybody spins */
    (void)nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static void *work(void *argument) {
    unsigned *done = argument;
    for (unsigned seen = 0;;) {
        seen = rounds_await(&shift.rounds, seen);
        if (shift.round % PAUSES == 1 + (unsigned)(done - shift.done))
            pause_shortly();
        *done = seen == shift.round ? seen : UINT32_MAX;
        if (shift.round == ROUNDS)
            return NULL;
        rounds_done(&shift.rounds);
    }
}

static void everybody_takes_part_in_every_round(void **state) {
    (void)state;
    rounds_init(&shift.rounds);
    for (unsigned i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&shift.thread[i], NULL, work, &shift.done[i]), 0);
    for (shift.round = 1; shift.round < ROUNDS; shift.round++) {
        rounds_begin(&shift.rounds, WORKERS);
        rounds_finish(&shift.rounds);
        for (unsigned i = 0; i < WORKERS; i++)
            assert_int_equal(shift.done[i], shift.round);
        if (shift.round % PAUSES == 0)
            pause_shortly();
    }
    rounds_begin(&shift.rounds, WORKERS); /* the last one, which nobody waits for */
    for (unsigned i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(shift.thread[i], NULL), 0);
        assert_int_equal(shift.done[i], ROUNDS);
    }
    rounds_destroy(&shift.rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_takes_part_in_every_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
