/* The Replay expander: 32 words, recorded and played.
 *
 * What is recorded is data, a REPLAY too. Source: REPLAY.md with its Blackhole branches; of the length only the low
 * bits count (tt-llk's assembly.yaml), so that 0 is 32 and what is more than 32 wraps. */
#ifndef TENSIX_FRONTEND_REPLAY_H
#define TENSIX_FRONTEND_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix.h"

enum { REPLAY_WORDS = 32 };

struct replay {
    uint32_t word[REPLAY_WORDS];
    uint8_t at;     /* the next word that is recorded or played */
    uint8_t left;   /* how many more */
    bool recording; /* else playing, while left is not 0 */
    bool executing; /* words pass on while they are recorded */
};

static inline bool replay_plays(const struct replay *replay) {
    return replay->left && !replay->recording;
}

static inline void replay_start(struct replay *replay, uint32_t word) {
    struct tensix_REPLAY op = tensix_decode_REPLAY(word);
    unsigned length = op.len % REPLAY_WORDS;
    replay->at = (uint8_t)(op.start_idx % REPLAY_WORDS);
    replay->left = (uint8_t)(length ? length : REPLAY_WORDS);
    replay->recording = op.load_mode;
    replay->executing = op.execute_while_loading;
}

/* The place of the next word; it is used up. */
static inline uint32_t *replay_step(struct replay *replay) {
    uint32_t *word = &replay->word[replay->at];
    BH_ASSERT(replay->left && replay->at < REPLAY_WORDS);
    replay->at = (uint8_t)((replay->at + 1) % REPLAY_WORDS);
    replay->left--;
    return word;
}

#endif
