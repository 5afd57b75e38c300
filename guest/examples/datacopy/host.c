/* Makes the input, or checks the output: host make IN | host check IN OUT */
#include "tiles.h"

enum { ROWS = 64, COLUMNS = 64 };

int main(int argc, char **argv) {
    if (argc == 3) {
        tiles_write(argv[2], ROWS, COLUMNS, 1);
        return 0;
    }
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
    static double want[ROWS * COLUMNS];
    tiles_read(argv[2], ROWS, COLUMNS, in);
    tiles_read(argv[3], ROWS, COLUMNS, out);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        want[i] = in[i];
    return tiles_compare("copy", out, want, ROWS * COLUMNS, 0);
}
