/* A session while it is played.
 *
 * An answer is a hash over the status, the message behind it, what was written through pointers, and what callbacks
 * heard meanwhile. Buffers are as large as they are said to be, up to a limit, so that a sanitizer sees a byte too far.
 */
#ifndef FUZZ_SESSION_PLAYER_H
#define FUZZ_SESSION_PLAYER_H

#include "bhemu.h"
#include "session.h"

struct play;

struct player {
    struct play *play;
    bh_chip *chip;
    bool lockstep;
    uint8_t *host;
    unsigned looks; /* of a debugger */
};

struct play {
    const struct session_call *call;
    unsigned change;
    uint64_t *mixed; /* one of the following */
    uint64_t answer, heard, events;
    struct player player[SESSION_CHIPS];
};

/* Ends the process with a line about the present call. */
void player_fail(const struct play *play, const char *what);

/* ---- Arguments of the present call ------------------------------------------------------------------------------ */

static inline uint64_t get(const struct play *play, const char *name) {
    return session_get(play->call, name);
}

static inline unsigned number(const struct play *play, const char *name) {
    return (unsigned)session_get(play->call, name);
}

static inline struct player *player_of(struct play *play) {
    return &play->player[get(play, "chip") % SESSION_CHIPS];
}

static inline bh_chip *chip_of(struct play *play) {
    return player_of(play)->chip;
}

static inline struct bh_xy tile_of(const struct play *play) {
    return (struct bh_xy){ (uint8_t)get(play, "x"), (uint8_t)get(play, "y") };
}

static inline enum bh_core core_of(const struct play *play) {
    return (enum bh_core)(int)get(play, "core");
}

static inline bool is_null(const struct play *play, unsigned pointer) {
    return get(play, "null") >> pointer & 1;
}

/* The pointer, or NULL where the log says so. */
static inline void *given(const struct play *play, unsigned pointer, void *at) {
    return is_null(play, pointer) ? NULL : at;
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

/* Add to the answer, or to what callbacks have heard. */
void player_mix(struct play *play, uint64_t value);
void player_mix_bytes(struct play *play, const void *data, size_t size);
void player_mix_text(struct play *play, const char *text);
void player_mix_fault(struct play *play, const struct bh_fault *fault);
/* Adds the status. Returns whether the call succeeded. A failed call must leave its message. */
bool player_done(struct play *play, bh_status status);

struct buffer {
    uint8_t *bytes;
    size_t size;
};

/* Returns a buffer with the data of the call. */
struct buffer player_buffer(const struct play *play, size_t size);
/* Adds the status and, of a read, the bytes. Frees the buffer. */
void player_finish_access(struct play *play, struct buffer *buffer, bh_status status, bool reads);

/* ---- Chips ------------------------------------------------------------------------------------------------------ */

/* Callback for bh_observe; user is the player. */
void player_hear_event(void *user, const struct bh_event *event);
void player_end(struct player *player);
/* The verb `create`. */
void play_create(struct play *play);

#endif
