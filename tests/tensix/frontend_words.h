/* Words and a frontend for its tests. */
#ifndef TENSIX_FRONTEND_WORDS_H
#define TENSIX_FRONTEND_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "isa/config.h"
#include "isa/tensix.h"
#include "tensix/frontend/frontend.h"

static const uint16_t tracked[CONFIG_THREAD_WORDS] = { [CONFIG_WORD_TENSIX_TRISC_SYNC_TrackTensixInstructions] = 0x1F };

enum { PLAIN = TENSIX_SFPMAD };

static inline uint32_t plain(unsigned n) {
    return (uint32_t)PLAIN << 24 | n;
}

static inline uint32_t replay(unsigned start, unsigned len, bool load, bool exec) {
    return tensix_encode_REPLAY(
        (struct tensix_REPLAY){ .start_idx = start, .len = len, .load_mode = load, .execute_while_loading = exec });
}

static inline uint32_t mop_list(unsigned count, unsigned mask) {
    return (uint32_t)TENSIX_MOP << 24 | (count - 1) << 16 | mask;
}

static inline struct frontend *create(void) {
    struct frontend *f = calloc(1, sizeof *f);
    frontend_init(f);
    return f;
}

#endif
