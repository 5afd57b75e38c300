/* Prints the expected result. */
#include <stdio.h>

int main(void) {
    printf("it should have been %08x twice\n", 0x600DCAFEu);
    return 0;
}
