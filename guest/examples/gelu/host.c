/* Makes the input, or checks the output: host make IN | host check IN OUT */
#include "tiles.h"

int main(int argc, char **argv) {
    if (argc == 3) {
        tiles_write(argv[2], 32, 32, 3);
        return 0;
    }
    static float in[TILE_DATA], out[TILE_DATA];
    static double want[TILE_DATA];
    tiles_read(argv[2], 32, 32, in);
    tiles_read(argv[3], 32, 32, out);
    for (unsigned i = 0; i < TILE_DATA; i++)
        want[i] = in[i] * (1 + erf(in[i] / sqrt(2))) / 2;
    return tiles_compare("gelu", out, want, TILE_DATA, 1.0 / 256);
}
