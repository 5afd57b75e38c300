/* Tables of state: one for each struct, with a row for each member. A row says once how a member is saved, which values
 * of it are possible, and whether software can observe it. Saving, loading and the hash of a chip walk the tables.
 *
 * Members that are not saved are either wiring, which the owner of the block sets (pointers, sizes, identity), or
 * derived: recomputed from saved members, or caches that only make the host faster. A load overwrites a block that is
 * in its power-on state. `tests/chip/state.c` compares the tables with the structs. state_rows.h has the macros for
 * rows.
 *
 * Sparse bytes are written in units of 4 KiB: a mask of the 64-byte pieces that are not zero, then those pieces. */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum state_kind {
    STATE_SAVED,   /* bytes; the inner table, if there is one, has no member that is not saved */
    STATE_ZERO,    /* many bytes, zero at power-on; the host never touches those that stay zero */
    STATE_PARTS,   /* a struct, member by member as its table says */
    STATE_DERIVED, /* recomputed from saved members */
    STATE_WIRING,  /* belongs to the process or to the configuration */
};

/* Adds to a hash what software can observe of a member. block: the struct that has the member. now: all cycles before
 * this one are complete. */
typedef uint64_t state_view(uint64_t hash, const void *block, uint64_t now);

struct state_member {
    const char *name;
    uint32_t offset, size;           /* size of all elements, if the member is an array */
    uint8_t kind;                    /* enum state_kind */
    bool seen;                       /* software can observe the bytes */
    bool time;                       /* a cycle, or a number of cycles */
    uint8_t width;                   /* bytes of an integer with a limit; 0: every value is possible */
    uint8_t element;                 /* bytes of each integer if the member is an array of integers; else 0 */
    uint32_t stride;                 /* bytes of each inner array if the member is an array of arrays; else 0 */
    uint64_t most;                   /* the greatest possible value */
    uint64_t bits;                   /* the bits that can be set */
    const struct state_table *inner; /* table of each element, or NULL */
    state_view *view;                /* hashes the member in place of its bytes and of its inner table; or NULL */
};

struct state_table {
    const char *name; /* name of the struct */
    uint32_t size;
    uint32_t count;
    const struct state_member *member;      /* in the order of their offsets */
    bool (*is_possible)(const void *block); /* checks members against each other; may be NULL */
    /* Brings a copy of the block forward to the beginning of cycle `now`, the state in which an observer sees the
     * block. Blocks are brought forward lazily, and the hash must not show how far. NULL: the block needs no such
     * step. */
    void (*bring)(void *copy, uint64_t now);
};

#define STATE_TABLE(name, type, members) \
    { name, sizeof(type), sizeof(members) / sizeof(members)[0], members, NULL, NULL }
#define STATE_CHECKED_TABLE(name, type, members, is_possible) \
    { name, sizeof(type), sizeof(members) / sizeof(members)[0], members, is_possible, NULL }

/* Room for the copy of a block that is brought forward. */
enum { STATE_COPY_MAX = 8192 };
struct state_copy {
    _Alignas(64) uint8_t bytes[STATE_COPY_MAX];
};
/* Returns a copy of the block that has been brought forward, or the block itself if its table has no `bring`. */
const void *state_brought(const struct state_table *table, const void *block, uint64_t now, struct state_copy *copy);

/* Returns a hash of the names, offsets and sizes of all saved members, including inner ones. */
uint64_t state_layout(const struct state_table *table);

/* Adds to a hash what software can observe of a block. */
uint64_t state_hash(uint64_t hash, const struct state_table *table, const void *block, uint64_t now);

/* ---- Comparing ------------------------------------------------------------------------------------------- */

/* A value that differs. */
struct state_value {
    const char *name;  /* path of members from the outermost table on, as "tensix.gpr[1][7]" */
    size_t offset;     /* of the value, in the block */
    uint32_t size;     /* bytes; 0: software can observe a difference, but no single value shows it */
    bool time;         /* as in struct state_member */
    uint64_t value[2]; /* in the first and in the second block */
};

/* A comparison of two blocks with the same table. It compares what enters the hash. */
struct state_diff {
    const uint64_t now[2]; /* as in state_view */
    bool values;           /* leave out members that are times */
    /* Called for each value that differs, in the order of the table. Returns whether to continue. */
    bool (*report)(void *user, const struct state_value *value);
    void *user;
    /* Private to state_compare() */
    bool all; /* compare every saved member, seen or not */
    bool ended;
    size_t count, length;
    char name[160];
};

/* Calls diff->report for every value in which the two blocks differ, until report returns false. */
void state_compare(struct state_diff *diff, const struct state_table *table, const void *a, const void *b);

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* A buffer that grows. `bytes` belongs to the caller, who frees it. */
struct state_out {
    uint8_t *bytes;
    size_t count, room;
    bool failed; /* there was no memory; everything written since is lost */
};

/* Appends bytes as they are; sparse bytes; a block, as its table says. Without memory they set out->failed. */
void state_put(struct state_out *out, const void *data, size_t size);
void state_put_sparse(struct state_out *out, const void *data, size_t size);
void state_put_block(struct state_out *out, const struct state_table *table, const void *block);

/* ---- Reading --------------------------------------------------------------------------------------------- */

struct state_in {
    const uint8_t *at, *end;
    bool failed;  /* the bytes were too few or invalid; everything read since is zero */
    bool fresh;   /* blocks are in their power-on state: bytes of STATE_ZERO that are zero need not be written */
    bool scratch; /* blocks are read to be checked: bytes of STATE_ZERO that need no check are passed over */
    /* The first impossible value: its table, and its member, or NULL if members contradict each other */
    const struct state_table *bad_table;
    const struct state_member *bad_member;
};

/* Reads bytes as state_put has written them. */
void state_get(struct state_in *in, void *data, size_t size);
/* Reads sparse bytes. Precondition: the bytes at `data` are zero. */
void state_get_sparse(struct state_in *in, void *data, size_t size);
/* Skip bytes that state_put or state_put_sparse has written. */
void state_skip(struct state_in *in, size_t size);
void state_skip_sparse(struct state_in *in, size_t size);
/* Reads a block and checks its values. An impossible value sets in->failed, bad_table and bad_member. */
void state_get_block(struct state_in *in, const struct state_table *table, void *block);

/* Checks the values of a block that is in memory; fails as state_get_block does. Precondition: all members of its table
 * are saved. */
void state_check(struct state_in *in, const struct state_table *table, const void *block);

static inline void state_put_u64(struct state_out *out, uint64_t value) {
    state_put(out, &value, sizeof value);
}

static inline uint64_t state_get_u64(struct state_in *in) {
    uint64_t value;
    state_get(in, &value, sizeof value);
    return value;
}

#endif
