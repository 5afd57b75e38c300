/* SFPSWAP: exchanges two registers, or orders them as minimum and maximum. With ENABLE_DEST_INDEX it exchanges their
 * two index registers in the same lanes too.
 *
 * SFPSWAP compares the values that it reads in its first cycle, and exchanges those that it reads in its second.
 *
 * Source: SFPSWAP.md (BH). */
#include "tensix/tensix.h"

enum { SWAP_ALWAYS = 0 };

/* The lanes in which VD becomes the minimum, by mode; none in modes 9 and up. */
static const uint32_t vd_gets_minimum[16] = {
    [1] = 0xFFFFFFFF, [2] = 0x0000FFFF, [3] = 0x00FF00FF, [4] = 0xFF0000FF,
    [5] = 0x000000FF, [6] = 0x0000FF00, [7] = 0x00FF0000, [8] = 0xFF000000,
};

static uint32_t lanes_to_swap(const struct vector_turn *turn) {
    const struct vector *v = turn->v;
    uint32_t swap = UINT32_MAX;
    if (turn->mod != SWAP_ALWAYS)
        swap = v->lanes->simple.smaller(turn->in[turn->vc], turn->in[turn->vd]) ^ ~vd_gets_minimum[turn->mod] ^
               v->exchange;
    return swap & turn->lanes & v->enabled;
}

static void write(struct vector_turn *turn, unsigned lreg, const uint32_t *value, uint32_t lanes) {
    if (lanes)
        turn->v->lanes->simple.copy(vector_out_late(turn, lreg, lanes), value, lanes);
}

/* Exchanges the values that are read in the second cycle. */
static void exchange(struct vector_turn *turn, unsigned c, uint32_t c_lanes, unsigned d, uint32_t d_lanes) {
    uint32_t(*next)[LANES] = vector_next_cycle(turn);
    write(turn, c, next[d], c_lanes);
    write(turn, d, next[c], d_lanes);
}

/* Returns the lanes that write to the LReg itself. Lanes with indices (indexed) write only to LReg0..3. */
static uint32_t writes(unsigned lreg, uint32_t plain, uint32_t indexed) {
    return lreg < 4 ? plain | indexed : lreg < 8 ? plain : 0;
}

void vector_SFPSWAP(struct vector_turn *turn) {
    uint32_t swap = lanes_to_swap(turn), indexed = swap & turn->v->dest_index, plain = swap & ~indexed;
    if (!swap)
        return;
    unsigned c = turn->vc, d = turn->vd;
    exchange(turn, c, writes(c, plain, indexed), d, writes(d, plain, indexed));
    exchange(turn, 4 + (c & 3), indexed, 4 + (d & 3), indexed);
}
