/* Inside the search for the first difference (diff.h). Pieces end at multiples of bh_epoch, which does not change a run
 * (docs/noc.md). In the last piece, which is one bh_epoch long, both runs are debugged: they stop at the end of each
 * epoch, then, in the first epoch at whose end they differ, before each instruction of the tiles that differ. Values
 * that the host has made different are ignored.
 *
 *     compare.c  comparisons of the two chips
 *     run.c      both sides run a piece, go back to its beginning, and run it again under a debugger
 *     step.c     the last piece: its first epoch, and the first instruction, after which the chips differ
 *     writer.c   the agents that have written the first difference
 *     seek.c     the search as a whole */
#ifndef TOOLS_DIFF_SEEK_H
#define TOOLS_DIFF_SEEK_H

#include "diff/diff.h"

enum { TILES_STEPPED = 16 };

/* A comparison in progress. */
struct comparison {
    const struct seeker *seeker;
    struct finding_list list;
    size_t most; /* number of differences to keep; with `stop`, the comparison ends after them */
    bool stop, no_memory;
    struct bh_xy tile[TILES_STEPPED]; /* the first tiles that differ */
    unsigned tiles, all_tiles;        /* numbers of tiles that differ: in `tile`, and all */
    struct bh_xy last;
};

/* The first moment at which a tile differs. */
struct moment {
    bool found;
    struct bh_xy tile;
    bool has_before;
    /* Events of the first side: the last without a difference, the first with one. */
    struct bh_debug_event before, after;
    struct comparison comparison;
};

static inline struct side *side_of(const struct seeker *s, unsigned i) {
    return &s->meeting->side[i];
}

static inline bh_chip *chip_of(const struct seeker *s, unsigned i) {
    return side_of(s, i)->machine->chip;
}

/* Sets the message. Returns false. */
bool seek_fail(struct seeker *s, const char *text);

/* Compares both chips, or one tile of them; tile NULL: all. Returns whether there is a difference. The caller frees
 * comparison->list.item. */
bool compare(const struct seeker *s, const struct bh_xy *tile, struct comparison *comparison);
/* Adds a difference to a comparison, unless it is to be ignored: callback for bh_state_diff. */
bool compare_add(void *comparison, const struct bh_difference *difference);
/* Returns whether the chips differ. */
bool compare_chips_differ(const struct seeker *s);
/* Records the differences that the host has made, for the result, and ignores them from now on. */
bool compare_ignore_host(struct seeker *s);

/* Keeps a snapshot of each chip as it is now, and restores these snapshots. */
bool run_take_snapshots(struct seeker *s);
bool run_go_back(struct seeker *s);
/* Returns the end of a piece of this many epochs that begins now. */
uint64_t run_piece_end(const struct seeker *s, uint64_t epochs);
/* Runs both sides to this cycle, or to the end of their runs. */
bool run_to(struct seeker *s, uint64_t cycle);
bool run_has_stopped(const struct side *side);
/* Begins or ends debugging of both chips. */
bool run_debug(struct seeker *s, bool on);
/* Goes back, and begins to run the piece up to `end` under the debugger. */
bool run_start(struct seeker *s, uint64_t end);
bool run_are_at_events(const struct seeker *s);
/* Runs a side to the end of an epoch in this cycle or later, or to the end of the piece. */
void run_to_epoch(struct seeker *s, struct side *side, uint64_t cycle);
/* Runs both sides to the end of the piece without stops, and ends debugging. */
bool run_to_end(struct seeker *s);

/* Finds the first cycle in which an epoch of both sides ends and they differ, and the previous such cycle without a
 * difference. */
bool step_find_epoch(struct seeker *s, uint64_t end, struct comparison *comparison);
/* Steps both sides from the last cycle without a difference to the first one with a difference. */
bool step_find_moments(struct seeker *s, uint64_t end, struct moment *moments, unsigned count);

/* Repeats the epoch with a watchpoint on the value and an observer of the tile, to find the writers on both sides. */
bool writer_find(struct seeker *s, uint64_t end, const struct moment *m, const struct bh_difference *d);
/* Names the instruction between the two events as the writer: it has surely written registers of its own core, and may
 * have written others. */
void writer_blame_core(const struct seeker *s, const struct moment *m, const struct bh_difference *d);

#endif
