/* Makes the inputs, or checks the output: host make A B | host check A B C */
#include "tiles.h"

enum { ROWS = 64, COLUMNS = 128 };

int main(int argc, char **argv) {
    if (argc == 4) {
        tiles_write(argv[2], ROWS, COLUMNS, 1);
        tiles_write(argv[3], ROWS, COLUMNS, 2);
        return 0;
    }
    static float a[ROWS * COLUMNS], b[ROWS * COLUMNS], c[ROWS * COLUMNS];
    static double want[ROWS * COLUMNS];
    tiles_read(argv[2], ROWS, COLUMNS, a);
    tiles_read(argv[3], ROWS, COLUMNS, b);
    tiles_read(argv[4], ROWS, COLUMNS, c);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        want[i] = (double)a[i] + (double)b[i];
    return tiles_compare("a + b", c, want, ROWS * COLUMNS, 0); /* these sums are exact in bf16 */
}
