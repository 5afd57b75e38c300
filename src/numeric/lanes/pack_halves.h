/* Halves of the packer's data: lanes of 16 bits, whose highest bit is the sign. */
#ifndef NUMERIC_LANES_PACK_HALVES_H
#define NUMERIC_LANES_PACK_HALVES_H

#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

/* The number of vectors of halves in a row, and of vectors of words that hold as many data as one vector of halves. */
enum { PACK_HALVES = PACK_ROW / VEC_SHORTS, PACK_VECS = VEC_SHORTS / VEC_LANES };

struct pack_row {
    vec_ushort at[PACK_HALVES];
};

/* Return the greater or the lesser number; numbers with the sign bit are less. */
VEC_INLINE vec_ushort pack_more(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vec_short_max((vec_short)a, (vec_short)b);
}

VEC_INLINE vec_ushort pack_least(vec_ushort a, vec_ushort b) {
    return (vec_ushort)vec_short_min((vec_short)a, (vec_short)b);
}

VEC_INLINE vec_ushort pack_above(vec_ushort a, vec_ushort b) {
    return (vec_ushort)((vec_short)a > (vec_short)b);
}

#endif
