/* Random sessions of public calls: a session is a list of calls of bhemu.h, and has a text form, the log.
 *
 *     # a comment
 *     session again threads observed cut
 *     create chip=0 eth_harvest=0x120 threads=2 callbacks=15
 *     load chip=0 x=1 y=2 core=0 data=00000013 00100073
 *     release chip=0 x=1 y=2 cores=0x1
 *     run chip=0 cycles=700 flags=0x2
 *
 * One call a line: a verb of session.def, its arguments by name in any order (one that is missing is 0), and words of
 * data at the end. The line `session` names the comparisons: the calls are made once more with a change, and every
 * answer and every bh_state_hash has to be as it was.
 *
 *     again      no change
 *     threads    chips get two host threads, or one if they had several
 *     observed   all chips are watched from the beginning, and calls that watch are left out
 *     cut        runs without flags come in pieces; only of chips that are timed in cycles and run in lockstep
 *                (skew=1), with epochs that let every packet arrive in its cycle
 *     debugged   every instruction of many cores and every access to their L1 is reported to a debugger, which looks
 *                around each time; calls that watch are left out
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SESSION_CHIPS = 3, SESSION_ARGUMENTS = 12, SESSION_WORDS = 1024, SESSION_CALLS = 400 };

/* ---- Calls ---------------------------------------------------------------------------------------------------- */

enum session_verb {
#define VERB(name, watches, arguments) VERB_##name,
#include "session.def"
    VERB_COUNT
};

struct session_verb_row {
    const char *name;
    bool watches; /* says something about the observer: left out where the observers differ */
    const char *argument[SESSION_ARGUMENTS];
};

extern const struct session_verb_row session_verbs[VERB_COUNT];

/* The value of an argument: its place in the row of session.def. */
struct session_call {
    enum session_verb verb;
    uint64_t argument[SESSION_ARGUMENTS];
    uint32_t *data; /* malloc'ed, NULL if there is none */
    unsigned words;
};

enum session_check {
    CHECK_AGAIN = 1,
    CHECK_THREADS = 2,
    CHECK_OBSERVED = 4,
    CHECK_CUT = 8,
    CHECK_DEBUGGED = 16,
    CHECK_ALL = 31
};

struct session {
    struct session_call call[SESSION_CALLS];
    unsigned count;
    unsigned checks; /* enum session_check */
};

/* The argument of this name; aborts if the verb has none. */
uint64_t session_get(const struct session_call *call, const char *name);

void session_free(struct session *session);

/* ---- The log -------------------------------------------------------------------------------------------------- */

/* Returns whether the text begins like a log. */
bool session_is_log(const char *text, size_t size);
/* Reads a log; lines that are none of a log are passed over, and counted. */
unsigned session_read(struct session *session, const char *text, size_t size);
/* Writes the log. Returns its length, like snprintf. explain: words of programs are disassembled in comments. */
size_t session_write(const struct session *session, bool explain, char *text, size_t size);

/* ---- Drawing -------------------------------------------------------------------------------------------------- */

/* The source of decisions: given bytes, then, if there is one, a generator. */
struct session_dice {
    const uint8_t *bytes;
    size_t size;
    uint64_t state; /* 0: the dice are used up with the bytes */
};

/* A number below the limit. */
uint32_t dice_below(struct session_dice *dice, uint32_t limit);
/* True once in so many. */
bool dice_once_in(struct session_dice *dice, uint32_t count);
uint32_t dice_word(struct session_dice *dice);
bool dice_over(const struct session_dice *dice);

void session_draw(struct session *session, struct session_dice *dice);

/* A program for a core, and an address that software on the tile or over the NoC might use. */
unsigned session_draw_program(struct session_dice *dice, unsigned core, uint32_t word[SESSION_WORDS]);
uint32_t session_draw_address(struct session_dice *dice);
uint32_t session_draw_value(struct session_dice *dice);

/* ---- Playing -------------------------------------------------------------------------------------------------- */

struct session_outcome {
    uint64_t answer[SESSION_CALLS];
    uint64_t heard[SESSION_CALLS];  /* what callbacks heard during the call; which depends on the pieces of a run */
    uint64_t events[SESSION_CALLS]; /* of the observer, during the call */
    uint64_t state[SESSION_CHIPS];  /* bh_state_hash at the end, 0 without a chip */
    bool compared[SESSION_CALLS];   /* false: the change leaves the call out, or it is about that which changes */
};

/* Makes the calls with a change, or none (0). */
void session_play(const struct session *session, unsigned change, struct session_outcome *outcome);

/* Plays a session and its comparisons; aborts with a line to stderr where they differ. */
void session_check(const struct session *session);

#endif
