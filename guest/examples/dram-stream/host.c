/* Makes the input, or checks the output: host make IN | host check IN OUT */
#include "tiles.h"

enum { ROWS = 32, COLUMNS = 64 * 32 };

int main(int argc, char **argv) {
    if (argc == 3) {
        tiles_write(argv[2], ROWS, COLUMNS, 7);
        return 0;
    }
    static float in[ROWS * COLUMNS], out[ROWS * COLUMNS];
    static double want[ROWS * COLUMNS];
    tiles_read(argv[2], ROWS, COLUMNS, in);
    tiles_read(argv[3], ROWS, COLUMNS, out);
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        want[i] = fmax(in[i], 0);
    return tiles_compare("relu of 64 tiles", out, want, ROWS * COLUMNS, 0);
}
