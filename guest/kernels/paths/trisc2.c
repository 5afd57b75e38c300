/* T2: packs results to L1. */
#include "kit/pack.h"
#include "path.h"

static unsigned output_tiles(const struct path *p) {
    if (p->operation == PATH_ROW_SUMS || (p->operation == PATH_REDUCE && p->variant == 0))
        return p->rows;
    if (p->operation == PATH_REDUCE)
        return p->variant == 1 ? p->columns : 1;
    return p->rows * p->columns;
}

/* Returns the address for the tile that is made as number `index`. */
static unsigned place(const struct path *p, unsigned index) {
    if (p->operation == PATH_TRANSPOSE)
        index = index % p->columns * p->rows + index / p->columns;
    return p->out + index * tile_bytes(p->out_format);
}

static void tiles(const struct path *p) {
    for (unsigned i = 0; i < output_tiles(p); i++) {
        pack_wait_for_math();
        pack_tile(0, place(p, i));
        pack_dst_done();
    }
}

static void rows(const struct path *p) {
    unsigned row_bytes = p->columns * TILE_ROWS * format_bits(p->out_format) / 8;
    for (unsigned row = 0; row < p->rows; row++) {
        pack_wait_for_math();
        pack_untilize(p->out + row * TILE_ROWS * row_bytes);
        pack_dst_done();
    }
}

static void load(const struct path *p) {
    if (p->operation == PATH_UNTILIZE)
        pack_untilize_init(p->columns, p->columns * TILE_ROWS * format_bits(p->out_format) / 8);
    else if (p->operation == PATH_TILIZE && format_bits(p->a_format) > 8)
        pack_tilized_init();
    else
        pack_tiles_init();
}

int main(void) {
    const struct path *p = (const struct path *)PATH_AT;
    pack_init(p->dst_format, p->out_format);
    pack_relu(p->relu, p->threshold);
    load(p);
    for (unsigned pass = 0; pass < p->passes; pass++) {
        if (pass == 1)
            pack_accumulate(1);
        if (p->operation == PATH_UNTILIZE)
            rows(p);
        else
            tiles(p);
    }
    tensix_sync();
    ((volatile uint32_t *)GUEST_SHARED)[2] = 1;
    for (;;)
        ;
}
