/* Prints the expected text. */
#include <stdio.h>

int main(void) {
    unsigned bytes = 0, sum = 0;
    for (unsigned number = 0; number < 12; number++)
        for (unsigned i = 0; i < 1 + number * 5 % 14; i++) {
            bytes += 16;
            sum += number * 1000 + i;
        }
    printf("they should have been %u bytes, sum %u\n", bytes, sum);
    return 0;
}
