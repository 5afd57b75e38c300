/* SFPSHFT2: moves registers along L0 to L3, moves lanes along their rows or up a row, or shifts bits.
 *
 * Source: SFPSHFT2.md (BH). Modes 2 to 4 take two cycles and read their operands in the first. */
#include <string.h>

#include "tensix/tensix.h"

enum { COPY, COPY_AND_MOVE_UP, COPY_AND_ROTATE, ROTATE, MOVE_RIGHT, SHIFT, SHIFT_BY_IMMEDIATE };

typedef uint32_t *out_function(struct vector_turn *turn, unsigned lreg, uint32_t lanes);

/* Executes L0 = L1, L1 = L2, L2 = L3, L3 = last, in this order since the operands may overlap. */
static void copy_down(struct vector_turn *turn, const uint32_t *last, uint32_t lanes, out_function *out) {
    const struct lanes *kernels = turn->v->lanes;
    for (unsigned i = 0; i < 3; i++)
        kernels->simple.copy(out(turn, i, lanes), turn->in[i + 1], lanes);
    kernels->simple.copy(out(turn, 3, lanes), last, lanes);
}

static int32_t immediate(const struct vector_turn *turn) {
    return (int32_t)(turn->word << 8) >> 20;
}

void vector_SFPSHFT2(struct vector_turn *turn) {
    const struct lanes *kernels = turn->v->lanes;
    uint32_t lanes = turn->lanes & turn->v->enabled, moved[LANES];
    const uint32_t *b = turn->in[turn->vb], *c = turn->in[turn->vc];
    switch (turn->mod) {
    case COPY:
        memset(moved, 0, sizeof moved);
        copy_down(turn, moved, lanes, vector_out);
        break;
    case COPY_AND_MOVE_UP:
        kernels->round.move_up(moved, turn->in[0], LANES_ALL);
        copy_down(turn, moved, lanes, vector_out);
        break;
    case COPY_AND_ROTATE:
        kernels->round.rotate(moved, c, LANES_ALL);
        copy_down(turn, moved, lanes, vector_out_late);
        break;
    case ROTATE: kernels->round.rotate(vector_out_late(turn, turn->vd, lanes), c, lanes); break;
    case MOVE_RIGHT: kernels->round.move_right(vector_out_late(turn, turn->vd, lanes), c, lanes); break;
    case SHIFT: kernels->simple.shift(vector_out(turn, turn->vd, lanes), b, c, lanes); break;
    case SHIFT_BY_IMMEDIATE:
        kernels->simple.shift_all(vector_out(turn, turn->vd, lanes), b, immediate(turn), lanes);
        break;
    default: vector_refuse(turn, BH_FAULT_UNDEFINED, "it has no mode %u", turn->mod); break;
    }
}
