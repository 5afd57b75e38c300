/* The Replay expander: 32 words that can be recorded and played.
 *
 * Every recorded word is data, even a REPLAY. Source: REPLAY.md with its Blackhole branches. Only the low bits of a
 * length matter (tt-llk's assembly.yaml): 0 means 32, and longer lengths wrap around. */
#ifndef TENSIX_FRONTEND_REPLAY_H
#define TENSIX_FRONTEND_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

enum { REPLAY_WORDS = 32 };

struct replay {
    uint32_t word[REPLAY_WORDS];
    uint8_t at;     /* index of the next word to record or play */
    uint8_t left;   /* number of words left to record or play */
    bool recording; /* if left is not 0: recording (true) or playing (false) */
    bool executing; /* while recording: words are passed on as well */
};

/* Returns whether the expander is playing words. */
static inline bool replay_plays(const struct replay *replay) {
    return replay->left && !replay->recording;
}

/* Starts the recording or the replay that a REPLAY word asks for. */
static inline void replay_start(struct replay *replay, uint32_t word) {
    struct tensix_REPLAY op = tensix_decode_REPLAY(word);
    unsigned length = op.len % REPLAY_WORDS;
    replay->at = (uint8_t)(op.start_idx % REPLAY_WORDS);
    replay->left = (uint8_t)(length ? length : REPLAY_WORDS);
    replay->recording = op.load_mode;
    replay->executing = op.execute_while_loading;
}

/* Returns the next word, and moves on. */
static inline uint32_t *replay_step(struct replay *replay) {
    uint32_t *word = &replay->word[replay->at];
    BH_ASSERT(replay->left && replay->at < REPLAY_WORDS);
    replay->at = (uint8_t)((replay->at + 1) % REPLAY_WORDS);
    replay->left--;
    return word;
}

#endif
