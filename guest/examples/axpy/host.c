/* Prints whether FILE has y as the host computes it: host FILE */
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int32_t y[64];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(y, sizeof y, 1, file) != 1)
        return 2;
    int right = 0;
    for (int32_t i = 0; i < 64; i++)
        right += y[i] == 1000 + i + 7 * (i - 32);
    printf("%d of 64 numbers are what the host computes\n", right);
    return right != 64;
}
