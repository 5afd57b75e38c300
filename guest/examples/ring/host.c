/* Prints the expected text of the letter. */
#include <stdio.h>

int main(void) {
    unsigned tiles = 0, sum_x = 0, sum_y = 0;
    for (unsigned y = 2; y <= 11; y++)
        for (unsigned x = 1; x <= 16; x++) {
            if (x == 8 || x == 9)
                continue;
            tiles++, sum_x += x, sum_y += y;
        }
    printf("it should have been %u tiles, %u and %u\n", tiles, sum_x, sum_y);
    return 0;
}
