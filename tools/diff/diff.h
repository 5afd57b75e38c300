/* Runs two commands in step, and finds the first state in which their chips differ (docs/diff.md).
 *
 *     side.c   a side: a host thread that executes a command, and stops where its chip would run
 *     seek.c   the search (seek.h lists its parts): both chips run piece by piece and are compared; a piece at whose
 * end they differ is repeated from its beginning in smaller pieces, then epoch by epoch, then instruction by
 *              instruction
 *     print.c  the result as text and as JSON */
#ifndef TOOLS_DIFF_H
#define TOOLS_DIFF_H

#include <pthread.h>

#include "machine/machine.h"

enum { SIDES = 2, WORKERS = 8 };

/* ---- Sides ------------------------------------------------------------------------------------------------- */

enum side_state {
    SIDE_HOST,    /* the command is doing something other than running the chip */
    SIDE_RUN,     /* the command wants to run the chip, and waits */
    SIDE_EVENT,   /* the side waits in the middle of a run, in a callback of bh_debug */
    SIDE_CLOSING, /* the command is about to close its machine, and waits */
    SIDE_ENDED,
};

struct side {
    struct machine_driver driver; /* must be the first member */
    struct meeting *meeting;
    enum side_state state;
    bool go;      /* the side may leave the state in which it waits */
    bool give_up; /* the side has to leave bh_run and the command as soon as possible */
    pthread_t thread;
    int (*command)(void *what);
    void *what;
    int status; /* exit status of the command, when it has ended */

    struct machine *machine;
    uint64_t end;   /* end of the run that the command wants */
    unsigned flags; /* bh_run_flags */
    struct bh_stop stop;
    /* The next piece: */
    uint64_t until;
    bh_status result;
    bool leave; /* the run is over: the command continues */
    struct bh_debug_event event;
    void (*on_event)(struct side *side); /* called in the callback, before the side waits */
    bool unheard;                        /* the callback does not wait */
};

/* Both sides and their lock. The searcher acts only when both sides wait. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct side side[SIDES];
};

/* Starts both sides, and waits until both wait. Returns false if a host thread cannot be created. */
bool meeting_begin(struct meeting *meeting);
void meeting_end(struct meeting *meeting); /* lets both commands end, and waits for them */
/* Let one side, or both, continue, and wait until they wait again. */
void meeting_go(struct meeting *meeting, struct side *side);
void meeting_go_both(struct meeting *meeting);
/* Callback for bh_debug; user is the side. */
void side_on_debug(void *user, bh_chip *chip, const struct bh_debug_event *event);

/* ---- The search -------------------------------------------------------------------------------------------- */

struct worker { /* an instruction of the coprocessor that was in progress, and may have written a value */
    struct bh_event event;
};

/* The agent that has written a value on one side. */
struct writer {
    bool known, sure; /* sure: it has written the value; otherwise it was active when the value changed */
    char agent[64];   /* "brisc", "packer", "NoC 0 from tile 2,3" */
    int core;         /* the core whose instruction has written; -1: none */
    uint32_t pc, word;
    uint64_t number; /* of the instruction */
};

struct finding_list {
    struct bh_difference *item;
    size_t count, total; /* numbers of differences: listed, and all */
};

struct result {
    bool inputs_differ, differs;
    struct finding_list inputs; /* differences made by the host, which later comparisons ignore */
    struct finding_list found;  /* the first differences of the run */
    bool at_end;                /* the chips were compared at their ends only */
    uint64_t equal_until;       /* last cycle at which nothing was different */
    uint64_t cycle;             /* cycle in which the first difference was seen */
    uint64_t from;              /* last cycle in which it was not there; cores run apart, so they are put in order */
    bool by_instruction;        /* these two cycles are those of consecutive instructions of the tile */
    struct bh_xy tile;
    unsigned tiles; /* number of tiles that differ at the end of the epoch */
    struct writer writer[SIDES];
    struct worker worker[SIDES][WORKERS]; /* the last instruction of each unit before the difference */
    unsigned workers[SIDES];
    struct bh_stop stop[SIDES];
    uint64_t end[SIDES]; /* last cycle of each run */
    bool interrupted;
};

struct seeker {
    struct meeting *meeting;
    struct result *result;
    bool values;    /* compare only values, and only at the ends of runs */
    bool memory;    /* of these, only L1 and DRAM */
    size_t listed;  /* number of differences to list */
    bool has_begun; /* a side has run */
    struct progress progress;
    const volatile int *interrupted;
    /* Bytes that the host has made different, sorted: */
    struct bh_difference *ignored;
    size_t ignored_count;
    bh_snapshot *last[SIDES]; /* snapshots of the last moment without a difference */
    uint64_t last_cycle;
    char message[400];
};

/* Runs both commands to the first difference or to their ends. Returns false and sets a message if that is not
 * possible. */
bool seek(struct seeker *seeker);
void seek_free(struct seeker *seeker);
/* Compares two chips without running them; of the seeker, only what is to be compared counts. Returns false if they
 * cannot be compared. The caller frees the result with result_free. */
bool seek_saved(const bh_chip *a, const bh_chip *b, struct seeker *seeker, struct result *result);
void result_free(struct result *result);

/* ---- The result -------------------------------------------------------------------------------------------- */

struct diff_report {
    const struct result *result;
    const struct machine *machine[SIDES]; /* NULL: saved chips */
    const bh_chip *chip[SIDES];
    const char *name[SIDES];
    bool values;
};
void diff_report_print(const struct diff_report *report);
void diff_report_json(const struct diff_report *report);

#endif
