/* What math writes and pack finds, in bf16. */
#ifndef ROUNDS_H
#define ROUNDS_H

enum { ROUNDS = 4 };

static inline uint32_t value_of(unsigned round) {
    return round ? 0x3F80 + 0x40 * round : 0x4040; /* 3.0 came by SrcA */
}

#endif
