/* clock_verify (src/tensix/clock.h): a due time, a count or an owner that is not what it should be ends a check build.
 * Each case breaks one of them by hand in a child process. Other builds do not look. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/tensix_box.h"
#include "tensix/clock.h"

static bool ends_in_abort(struct tensix *x, void (*change)(struct tensix *x)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        change(x);
        clock_verify(x);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void nothing(struct tensix *x) {
    (void)x;
}

static void data_due(struct tensix *x) {
    x->pack.count = 1;
    x->pack.job[x->pack.first].end = x->pack.free_at = x->time + 10;
    x->pack.due = x->time + 9; /* and data_due has not been told */
}

static void pack_due(struct tensix *x) {
    x->pack.due = x->data_due = x->time + 9;
}

static void unpack_due(struct tensix *x) {
    x->unpack.due = x->data_due = x->time + 9;
}

static void mover_due(struct tensix *x) {
    x->mover.due = x->time + 1;
}

static void request_due(struct tensix *x) {
    x->config.request_due = x->time + 1;
}

static void next_landing(struct tensix *x) {
    x->landing[x->landing_at] = (struct tensix_landing){ .time = x->time + 3, .where = TENSIX_LAND_GPR, .size = 4 };
    x->landings = 1;
    x->last_landing = x->time + 3;
}

static void late_landing(struct tensix *x) {
    next_landing(x);
    x->next_landing = x->landing[x->landing_at].time = x->time - 1;
}

static void thread_due(struct tensix *x) {
    x->thread[1].due = x->time - 1;
}

static void word_without_due(struct tensix *x) {
    const uint32_t word = (uint32_t)TENSIX_NOP << 24;
    (void)frontend_push(&x->thread[2].frontend, &word, 1, 0, x->time, x->config.thread[2]);
}

static void idle_at(struct tensix *x) {
    x->thread[0].busy[TENSIX_BUSY_PACK] = x->thread[0].idle_at + 5;
}

static void undecided(struct tensix *x) {
    x->undecided = 1;
}

static void missed_wait(struct tensix *x) {
    x->thread[0].gate = (struct gate){ .opcode = TENSIX_SEMWAIT, .block = 1, .look_at = TENSIX_NEVER };
    x->thread[0].gate.free_at = TENSIX_NEVER; /* of no semaphore: it is met, and nothing looks at it */
    x->undecided = 1;
}

static void in_flight(struct tensix *x) {
    x->thread[0].frontend.in_flight = 1;
}

static void attached_row(struct tensix *x) {
    x->thread[0].row.end = 4;
    x->thread[0].row.group = 1;
}

static void mutex(struct tensix *x) {
    x->sync.mutex[0].promised = 1; /* to a thread that does not want it */
}

static void every_break_is_heard(void **state) {
    static void (*const change[])(struct tensix * x) = {
        data_due,         pack_due, unpack_due, mover_due,   request_due, next_landing, late_landing, thread_due,
        word_without_due, idle_at,  undecided,  missed_wait, in_flight,   attached_row, mutex,
    };
    struct tensix_box *tb = tb_create();
    (void)state;
    tensix_run(tb->x, 100);
    assert_false(ends_in_abort(tb->x, nothing));
    for (unsigned i = 0; i < sizeof change / sizeof *change; i++)
        if (ends_in_abort(tb->x, change[i]) != (bool)BH_CHECKS)
            fail_msg("case %u is%s heard", i, BH_CHECKS ? " not" : "");
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_break_is_heard) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
