/* host make: makes a0 ... a9, the rows of A, and b0 ... b13, the columns of B | host check C */
#include "tiles.h"

enum { K = 8, ROWS = 10, COLUMNS = 14 };

/* Reads a strip of tiles into `value`, or makes a strip if `value` is NULL. */
static void strip(char matrix, unsigned number, unsigned rows, unsigned columns, float *value) {
    char name[8];
    snprintf(name, sizeof name, "%c%u", matrix, number);
    if (value)
        tiles_read(name, rows, columns, value);
    else
        tiles_write(name, rows, columns, number * 2 + (matrix == 'b'));
}

/* Computes a tile of C from a row of A and a column of B. */
static void multiply(const float *a, const float *b, unsigned row, unsigned column, double *c) {
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < 32; j++) {
            double sum = 0;
            for (unsigned k = 0; k < K * 32; k++)
                sum += (double)a[i * K * 32 + k] * (double)b[k * 32 + j];
            c[(row * 32 + i) * COLUMNS * 32 + column * 32 + j] = sum;
        }
}

int main(int argc, char **argv) {
    int make = argc == 2;
    static float a[ROWS][32 * K * 32], b[COLUMNS][K * 32 * 32], c[ROWS * 32 * COLUMNS * 32];
    static double want[ROWS * 32 * COLUMNS * 32];
    for (unsigned i = 0; i < ROWS; i++)
        strip('a', i, 32, K * 32, make ? NULL : a[i]);
    for (unsigned i = 0; i < COLUMNS; i++)
        strip('b', i, K * 32, 32, make ? NULL : b[i]);
    if (make)
        return 0;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            multiply(a[row], b[column], row, column, want);
    tiles_read(argv[2], ROWS * 32, COLUMNS * 32, c);
    return tiles_compare("A x B on 140 tiles", c, want, sizeof want / sizeof *want, 1.0 / 256);
}
