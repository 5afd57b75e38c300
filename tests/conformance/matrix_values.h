/* Values for SrcA, SrcB and Dst: random bits from the lanes of the Vector Unit, cut to numbers of the wanted sort. */
#ifndef CONFORMANCE_MATRIX_VALUES_H
#define CONFORMANCE_MATRIX_VALUES_H

#include "matrix_stream.h"

/* Of a random word some bits stay, others are set; in some lanes a special value takes its place. */
struct matrix_shape {
    uint32_t keep, fill[2], special;
    unsigned store; /* the format of SFPSTORE */
    bool sprinkle;
};
struct matrix_shapes {
    struct matrix_shape a, b, dst;
};

/* Such that products, Dst and sums often come near each other, and sometimes near the ends of what there is. */
struct matrix_shapes matrix_draw_shapes(struct matrix_stream *s);

/* Fill both banks of both files and Dst. Expect address modes and configuration of their own (matrix_generate.c). */
enum { FILL_STAY, FILL_DST, FILL_A, FILL_B, FILL_MODES };
enum { FILL_COUNTER = 14, PASS_COUNTER, TIMES_COUNTER }; /* registers of the core */
void matrix_fill_src(struct matrix_stream *s, const struct matrix_shapes *shapes);
void matrix_fill_dst(struct matrix_stream *s, const struct matrix_shape *shape);

#endif
