/* The Replay expander: 32 words, recorded and played. Source: REPLAY.md (BH); a REPLAY inside what is recorded is
 * data there. */
#ifndef TENSIX_FRONTEND_REPLAY_H
#define TENSIX_FRONTEND_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_WORDS = 32 };

struct replay {
    uint32_t word[REPLAY_WORDS];
    uint8_t at;     /* the next word that is recorded or played */
    uint8_t left;   /* how many more */
    bool recording; /* else playing, while left is not 0 */
    bool executing; /* words pass on while they are recorded */
};

#endif
