/* Prints the expected texts of the four tiles. */
#include <stdio.h>

int main(void) {
    for (unsigned y = 2; y <= 3; y++)
        for (unsigned x = 1; x <= 2; x++)
            printf("it should have been tile %u,%u\n", x, y);
    return 0;
}
