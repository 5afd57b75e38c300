/* T0: unpacks operands to SrcA, SrcB or Dst. */
#include "kit/unpack.h"
#include "path.h"

/* Returns the address of tile (row, column) of a tensor that is `columns` wide. */
static unsigned tile_at(unsigned base, enum tile_format format, unsigned columns, unsigned row, unsigned column) {
    return base + (row * columns + column) * tile_bytes(format);
}

/* Returns the address of a tile's first datum in a matrix of plain rows. */
static unsigned corner(const struct path *p, unsigned row, unsigned column) {
    unsigned bytes = format_bits(p->a_format) / 8;
    return p->a + (row * TILE_ROWS * p->columns + column) * TILE_ROWS * bytes;
}

static unsigned a_tile(const struct path *p, unsigned row, unsigned column) {
    if (p->operation == PATH_TILIZE)
        return corner(p, row, column);
    return tile_at(p->a, p->a_format, p->columns, row, column);
}

static void tiles_to_dst(const struct path *p) {
    unsigned together = p->operation == PATH_UNTILIZE ? p->columns : 1;
    for (unsigned row = 0; row < p->rows; row++)
        for (unsigned column = 0; column < p->columns; column += together) {
            unpack_wait_for_dst();
            for (unsigned i = 0; i < together; i++)
                unpack_to_dst(a_tile(p, row, column + i), i);
            unpack_filled_dst();
        }
}

static void unary(const struct path *p, unsigned row, unsigned column) {
    unsigned a = a_tile(p, row, column);
    if (p->operation == PATH_TILIZE && format_bits(p->a_format) == 8)
        unpack_tilize_bytes(a, p->columns * TILE_ROWS);
    else if (p->variant == 2)
        unpack_b(a);
    else
        unpack_a(a);
    if (p->operation != PATH_SFPU && (p->variant == 1 || format_is_integer(p->a_format)))
        TT_EMIT(UNPACK_ZEROS_WORD(UNPACKER_B));
}

static void eltwise(const struct path *p, unsigned row, unsigned column) {
    unpack_ab(a_tile(p, row, column), tile_at(p->b, p->b_format, p->columns, row, column));
}

static void each_tile(const struct path *p, void (*unpack)(const struct path *, unsigned, unsigned)) {
    for (unsigned row = 0; row < p->rows; row++)
        for (unsigned column = 0; column < p->columns; column++)
            unpack(p, row, column);
}

/* Makes each tile of the output from a row of tiles, from a column, or from all. */
static void reduce(const struct path *p) {
    for (unsigned row = 0; row < (p->variant == 0 ? p->rows : 1); row++)
        for (unsigned column = 0; column < (p->variant == 1 ? p->columns : 1); column++) {
            unpack_b(p->b);
            for (unsigned i = 0; i < (p->variant == 0 ? 1 : p->rows); i++)
                for (unsigned j = 0; j < (p->variant == 1 ? 1 : p->columns); j++)
                    unpack_a(a_tile(p, row + i, column + j));
        }
}

static void row_sums(const struct path *p) {
    for (unsigned row = 0; row < p->rows; row++)
        for (unsigned column = 0; column < p->columns; column++)
            unpack_ab(p->b, a_tile(p, row, column));
}

static void matmul(const struct path *p) {
    for (unsigned row = 0; row < p->rows; row++)
        for (unsigned column = 0; column < p->columns; column++)
            for (unsigned k = 0; k < p->inner; k++)
                unpack_ab(tile_at(p->b, p->b_format, p->columns, k, column),
                          tile_at(p->a, p->a_format, p->inner, row, k));
}

static void run(const struct path *p) {
    switch (p->operation) {
    case PATH_ELTWISE: each_tile(p, eltwise); break;
    case PATH_REDUCE: reduce(p); break;
    case PATH_ROW_SUMS: row_sums(p); break;
    case PATH_MATMUL: matmul(p); break;
    default: each_tile(p, unary); break;
    }
}

/* Prepares the unpackers for the tensors of an operation. */
static void prepare(const struct path *p) {
    if (p->variant == 3)
        unpack_init_to_dst(p->a_format);
    else if (p->operation == PATH_MATMUL || p->operation == PATH_ROW_SUMS)
        unpack_init(p->b_format, p->a_format);
    else
        unpack_init(p->a_format, p->operation == PATH_COPY ? p->a_format : p->b_format);
    if (p->operation == PATH_TILIZE)
        unpack_tilize_init(p->columns * TILE_ROWS * format_bits(p->a_format) / 8);
    if (p->operation == PATH_TRANSPOSE || (p->operation == PATH_REDUCE && p->variant == 0))
        unpack_transpose(1);
}

int main(void) {
    const struct path *p = (const struct path *)PATH_AT;
    prepare(p);
    for (unsigned pass = 0; pass < p->passes; pass++)
        if (p->variant == 3)
            tiles_to_dst(p);
        else
            run(p);
    tensix_sync();
    ((volatile uint32_t *)GUEST_SHARED)[0] = 1;
    for (;;)
        ;
}
