/* Two runs in step, and the first state in which they differ (docs/diff.md).
 *
 *     side.c  a run: a thread that executes a command, and stops where its chip would run
 *     seek.c  the search: both chips run piece by piece and are compared; a piece at whose end they differ is repeated
 *             from its beginning in smaller pieces, then epoch by epoch, then instruction by instruction
 *     tell.c  the result as text and as JSON
 */
#ifndef TOOLS_DIFF_H
#define TOOLS_DIFF_H

#include <pthread.h>

#include "machine/machine.h"

enum { SIDES = 2, SHOWN = 8, WORKERS = 8 };

/* ---- Sides ------------------------------------------------------------------------------------------------- */

enum side_state {
    SIDE_HOST,    /* the command does something else than run the chip */
    SIDE_RUN,     /* the command wants to run the chip, and waits */
    SIDE_EVENT,   /* in the middle of a run, in a callback of bh_debug */
    SIDE_CLOSING, /* the command is about to end */
    SIDE_ENDED,
};

struct side {
    struct machine_driver driver; /* the first member */
    struct meeting *meeting;
    enum side_state state;
    bool go;      /* the side may leave the state in which it waits */
    bool give_up; /* leave bh_run and the command as soon as possible */
    pthread_t thread;
    int (*command)(void *what);
    void *what;
    int status; /* of the command, when it has ended */

    struct machine *machine;
    uint64_t end;   /* of the run that the command wants */
    unsigned flags; /* bh_run_flags */
    struct bh_stop stop;
    /* The next piece: */
    uint64_t until;
    bh_status result;
    bool leave; /* the run is over: the command goes on */
    struct bh_debug_event event;
    void (*on_event)(struct side *side); /* in the callback, before it waits; returns at once if `unheard` */
    bool unheard;                        /* the callback does not wait */
};

/* Both sides and their lock. One side moves at most while the other does; the searcher moves when both wait. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct side side[SIDES];
};

bool meeting_begin(struct meeting *meeting);
void meeting_end(struct meeting *meeting); /* lets both commands end, and waits for them */
/* Waits until neither side moves. */
void meeting_wait(struct meeting *meeting);
/* Let a side, or both, move on, and wait. */
void meeting_go(struct meeting *meeting, struct side *side);
void meeting_go_both(struct meeting *meeting);
/* Callback for bh_debug: user is the side. */
void side_on_debug(void *user, bh_chip *chip, const struct bh_debug_event *event);

/* ---- The search -------------------------------------------------------------------------------------------- */

struct worker { /* that may have written a value: an instruction of the coprocessor at work */
    struct bh_event event;
};

/* The agent that has written a value of one side. */
struct writer {
    bool known, sure; /* sure: it has; otherwise it was at work when the value changed */
    char agent[64];   /* "brisc", "packer", "NoC 0 from tile 2,3" */
    int core;         /* whose instruction it is; -1: none */
    uint32_t pc, word;
    uint64_t number; /* of the instruction */
};

struct finding_list {
    struct bh_difference *item;
    size_t count, total; /* shown, and all */
};

struct result {
    bool inputs_differ, differs;
    struct finding_list inputs; /* made by the host: they are left out of later comparisons */
    struct finding_list found;  /* the first differences of the run */
    bool host;                  /* the host has made them */
    bool at_end;                /* found at the end only */
    uint64_t equal_until;       /* cycle up to which nothing differs */
    uint64_t cycle;             /* of the first difference: it is there at the latest */
    uint64_t from;              /* and not before */
    bool by_instruction;        /* the two cycles are those of neighbouring instructions of the tile */
    struct bh_xy tile;
    unsigned tiles; /* that differ at the end of the epoch */
    struct writer writer[SIDES];
    struct worker worker[SIDES][WORKERS]; /* the last instruction of each unit before */
    unsigned workers[SIDES];
    struct bh_stop stop[SIDES];
    uint64_t end[SIDES]; /* last cycle of each run */
    bool interrupted;
};

struct seeker {
    struct meeting *meeting;
    struct result *result;
    bool values; /* compare values at the end only */
    struct progress progress;
    const volatile int *interrupted;
    /* Ignored: bytes that the host has made different, sorted */
    struct bh_difference *ignored;
    size_t ignored_count, ignored_room;
    bh_snapshot *last[SIDES]; /* the last moment at which nothing differed */
    uint64_t last_cycle;
    char message[400];
};

/* Runs both commands to the first difference or to their ends. Returns false and a message if that was not possible. */
bool seek(struct seeker *seeker);
void seek_free(struct seeker *seeker);
/* Compares two chips; nothing runs. */
bool seek_saved(const bh_chip *a, const bh_chip *b, bool values, struct result *result);
void result_free(struct result *result);

/* ---- The result -------------------------------------------------------------------------------------------- */

struct tell {
    const struct result *result;
    const struct machine *machine[SIDES]; /* NULL: saved chips */
    const bh_chip *chip[SIDES];
    const char *name[SIDES];
    bool values;
};
void tell_text(const struct tell *tell);
void tell_json(const struct tell *tell);

#endif
