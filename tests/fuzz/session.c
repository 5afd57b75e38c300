/* Fuzzes the public calls: random sessions, and the comparisons that session.h lists. The input is a log of a session,
 * or bytes that decide what is drawn. */
#include <stdio.h>
#include <stdlib.h>

#include "session.h"

static const char *const change_names[] = {
    [CHECK_AGAIN] = "the same calls once more",
    [CHECK_THREADS] = "another number of host threads",
    [CHECK_OBSERVED] = "an observer",
    [CHECK_CUT] = "runs in pieces",
    [CHECK_DEBUGGED] = "a debugger",
};

static void fail(unsigned change, const char *what, unsigned number, const char *verb) {
    fprintf(stderr, "fuzz session: %s: %s %u %s\n", change_names[change], what, number, verb);
    abort();
}

static void compare(const struct session *session, unsigned change, const struct session_outcome *plain) {
    static struct session_outcome changed;
    session_play(session, change, &changed);
    for (unsigned i = 0; i < session->count; i++) {
        const char *verb = session_verbs[session->call[i].verb].name;
        if (!plain->compared[i] || !changed.compared[i])
            continue;
        if (plain->answer[i] != changed.answer[i])
            fail(change, "another answer of call", i, verb);
        if (plain->heard[i] != changed.heard[i] && change != CHECK_CUT)
            fail(change, "callbacks hear otherwise in call", i, verb);
        if (plain->events[i] != changed.events[i] && !(change & (CHECK_CUT | CHECK_OBSERVED | CHECK_DEBUGGED)))
            fail(change, "other events in call", i, verb);
    }
    for (unsigned i = 0; i < SESSION_CHIPS; i++)
        if (plain->state[i] != changed.state[i])
            fail(change, "another state at the end of chip", i, "");
}

void session_check(const struct session *session) {
    static struct session_outcome plain;
    session_play(session, 0, &plain);
    for (unsigned change = 1; change & CHECK_ALL; change <<= 1)
        if (session->checks & change)
            compare(session, change, &plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct session session;
    if (session_is_log((const char *)data, size)) {
        (void)session_read(&session, (const char *)data, size);
    } else {
        struct session_dice dice = { .bytes = data, .size = size };
        session_draw(&session, &dice);
    }
    session_check(&session);
    session_free(&session);
    return 0;
}
