/* Halves of the packer's data: lanes of 16 bits in which the highest is a sign. */
#ifndef NUMERIC_LANES_PACK_HALVES_H
#define NUMERIC_LANES_PACK_HALVES_H

#include "numeric/lanes/lanes.h"
#include "numeric/simd.h"

/* Vectors of halves in a row; of words in as many halves. */
enum { PACK_HALVES = PACK_ROW / VEC_SHORTS, PACK_VECS = VEC_SHORTS / VEC_LANES };

struct pack_row {
    vec_ushort at[PACK_HALVES];
};

/* The sign bit counts as less. */
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
