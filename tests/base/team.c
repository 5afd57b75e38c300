/* A team of host threads: every member takes part in every round, whether it spins or sleeps when the round begins, and
 * the caller sees what all have written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/team.h"

enum { MEMBERS = 4, ROUNDS = 3000, PAUSES = 500 /* rounds between two pauses of somebody */ };

struct shift {
    unsigned round;         /* written by the caller before each round */
    unsigned done[MEMBERS]; /* rounds that each member has taken part in, not atomic */
};

static void pause_shortly(void) { /* longer than anybody spins */
    (void)nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static void take_part(void *context, unsigned member) {
    struct shift *shift = context;
    if (shift->round % PAUSES == member)
        pause_shortly();
    shift->done[member] = shift->done[member] + 1 == shift->round ? shift->round : UINT32_MAX;
}

static void everybody_takes_part_in_every_round(void **state) {
    (void)state;
    struct shift shift = { 0 };
    struct team *team = team_create(MEMBERS, take_part, &shift);
    assert_non_null(team);
    for (shift.round = 1; shift.round <= ROUNDS; shift.round++) {
        team_begin(team);
        team_finish(team);
        assert_int_equal(shift.done[0], 0); /* the caller's part is his own affair */
        for (unsigned i = 1; i < MEMBERS; i++)
            assert_int_equal(shift.done[i], shift.round);
        if (shift.round % PAUSES == 0)
            pause_shortly();
    }
    team_destroy(team);
}

static void a_team_may_end_before_its_first_round(void **state) {
    (void)state;
    struct shift shift = { 0 };
    for (unsigned members = 1; members <= MEMBERS; members++) {
        struct team *team = team_create(members, take_part, &shift);
        assert_non_null(team);
        assert_true(team_is_whole(team));
        team_destroy(team);
    }
    for (unsigned i = 0; i < MEMBERS; i++)
        assert_int_equal(shift.done[i], 0);
    team_destroy(NULL);
}

static void a_fork_leaves_the_threads_behind(void **state) {
    (void)state;
    struct shift shift = { .round = 1 };
    struct team *team = team_create(MEMBERS, take_part, &shift);
    assert_non_null(team);
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool whole = team_is_whole(team);
        team_destroy(team);
        _exit(whole);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(team_is_whole(team)); /* the parent's goes on */
    team_begin(team);
    team_finish(team);
    assert_int_equal(shift.done[MEMBERS - 1], 1);
    team_destroy(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_takes_part_in_every_round),
        cmocka_unit_test(a_team_may_end_before_its_first_round),
        cmocka_unit_test(a_fork_leaves_the_threads_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
