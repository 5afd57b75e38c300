/* Makes the inputs, or checks the output: host make A B | host check A B C */
#include "tiles.h"

int main(int argc, char **argv) {
    if (argc == 4) {
        tiles_write(argv[2], 32, 32, 4);
        tiles_write(argv[3], 32, 32, 5);
        return 0;
    }
    static float a[TILE_DATA], b[TILE_DATA], c[TILE_DATA];
    static double want[TILE_DATA];
    tiles_read(argv[2], 32, 32, a);
    tiles_read(argv[3], 32, 32, b);
    tiles_read(argv[4], 32, 32, c);
    for (unsigned row = 0; row < 32; row++)
        for (unsigned column = 0; column < 32; column++)
            for (unsigned k = 0; k < 32; k++)
                want[row * 32 + column] += (double)a[row * 32 + k] * (double)b[k * 32 + column];
    return tiles_compare("a x b", c, want, TILE_DATA, 1.0 / 256); /* half a unit of the last of bf16's eight bits */
}
