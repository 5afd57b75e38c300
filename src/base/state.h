/* Saved state: tables that name every member of a struct, and the encoding of the members in a file.
 *
 * A table says for each member whether it is saved. The other members are wiring, which the owner of the block sets
 * (pointers, sizes, identity), or derived: recomputed from saved members, or caches that only make the host faster.
 * Loading overwrites a block in its power-on state. `tests/chip/state.c` compares the tables with the structs.
 *
 * Sparse bytes are written in units of 4 KiB: a mask of the 64-byte pieces that are not zero, then those pieces. */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum state_kind {
    STATE_SAVED,   /* bytes */
    STATE_ZERO,    /* many bytes that are zero at power-on; those that stay zero are never touched */
    STATE_TEXT,    /* a pointer to a constant text, or NULL */
    STATE_DERIVED, /* recomputed from saved members */
    STATE_WIRING,  /* belongs to the process or to the configuration */
};

struct state_member {
    const char *name;
    uint32_t offset, size; /* size of all elements, if the member is an array */
    enum state_kind kind;
    const struct state_table *inner; /* table of each element; NULL: the member is saved as bytes */
};

struct state_table {
    const char *name; /* of the struct */
    uint32_t size;
    uint32_t count;
    const struct state_member *member; /* in the order of their offsets */
};

#define STATE_MEMBER_(type, field, kind, inner) \
    { #field, offsetof(type, field), sizeof(((type *)0)->field), kind, inner }
#define STATE_SAVED(type, field)        STATE_MEMBER_(type, field, STATE_SAVED, NULL)
#define STATE_ZERO(type, field)         STATE_MEMBER_(type, field, STATE_ZERO, NULL)
#define STATE_TEXT(type, field)         STATE_MEMBER_(type, field, STATE_TEXT, NULL)
#define STATE_DERIVED(type, field)      STATE_MEMBER_(type, field, STATE_DERIVED, NULL)
#define STATE_WIRING(type, field)       STATE_MEMBER_(type, field, STATE_WIRING, NULL)
#define STATE_INNER(type, field, table) STATE_MEMBER_(type, field, STATE_SAVED, table)
#define STATE_TABLE(name, type, members) \
    { name, sizeof(type), sizeof(members) / sizeof(members)[0], members }

/* Returns a hash of the names, offsets and sizes of all saved members, including inner ones. */
uint64_t state_layout(const struct state_table *table);

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* A buffer that grows. */
struct state_out {
    uint8_t *bytes;
    size_t count, room;
    bool failed; /* no memory */
};

void state_put(struct state_out *out, const void *data, size_t size);
void state_put_sparse(struct state_out *out, const void *data, size_t size);
void state_put_text(struct state_out *out, const char *text);
void state_put_block(struct state_out *out, const struct state_table *table, const void *block);

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* A list of the texts to which blocks point after a load. */
struct state_texts {
    struct state_texts *next;
    char text[];
};

void state_free_texts(struct state_texts *texts);

struct state_in {
    const uint8_t *at, *end;
    bool failed; /* the bytes were too few or invalid; everything read since is zero */
    struct state_texts *texts;
};

void state_get(struct state_in *in, void *data, size_t size);
/* Precondition: the bytes are zero. */
void state_get_sparse(struct state_in *in, void *data, size_t size);
const char *state_get_text(struct state_in *in);
void state_get_block(struct state_in *in, const struct state_table *table, void *block);

static inline void state_put_u64(struct state_out *out, uint64_t value) {
    state_put(out, &value, sizeof value);
}

static inline uint64_t state_get_u64(struct state_in *in) {
    uint64_t value;
    state_get(in, &value, sizeof value);
    return value;
}

#endif
