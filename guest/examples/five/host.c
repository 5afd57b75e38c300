/* Prints the expected texts of the two tiles. */
#include <stdio.h>

int main(void) {
    for (unsigned x = 1; x <= 2; x++) {
        unsigned seed = x * 100 + 2;
        printf("it should have been %u and %u\n", seed + 1 + 2 + 3, seed * seed);
    }
    return 0;
}
