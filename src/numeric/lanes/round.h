/* Conversions and the random numbers behind some of them. */
#include "numeric/lanes/lanes.h"
#include "numeric/lanes/vec.h"

/* A shift register: the new top bit is the complement of the parity of four taps. */
static void random_step(uint32_t *d, uint32_t *state, uint32_t mask) {
    VEC_EACH(i) {
        vec s = vec_load(state + i);
        vec taps = s ^ s >> 1 ^ s >> 21 ^ s >> 31;
        vec_put(d, i, s, mask);
        vec_put(state, i, ~taps << 31 | s >> 1, mask);
    }
}

#define ROUND_KERNELS { .random = random_step }
