/* host make: a0 ... a9, the rows of A, and b0 ... b13, the columns of B | host check C */
#include "tiles.h"

enum { K = 8, ROWS = 10, COLUMNS = 14 };

static float *strip(char matrix, unsigned number, unsigned rows, unsigned columns, int make) {
    char name[8];
    snprintf(name, sizeof name, "%c%u", matrix, number);
    if (make)
        tiles_write(name, rows, columns, number * 2 + (matrix == 'b'));
    return make ? NULL : tiles_read(name, rows, columns);
}

/* A tile of C from a row of A and a column of B. */
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
    static double want[ROWS * 32 * COLUMNS * 32];
    float *a[ROWS], *b[COLUMNS];
    for (unsigned i = 0; i < ROWS; i++)
        a[i] = strip('a', i, 32, K * 32, make);
    for (unsigned i = 0; i < COLUMNS; i++)
        b[i] = strip('b', i, K * 32, 32, make);
    if (make)
        return 0;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++)
            multiply(a[row], b[column], row, column, want);
    float *c = tiles_read(argv[2], ROWS * 32, COLUMNS * 32);
    return tiles_compare("A x B on 140 tiles", c, want, sizeof want / sizeof *want, 1.0 / 256);
}
