/* Prints the expected sum, and the sum if ADDDMAREG reads the GPR before RDCFG has written it. */
#include <stdio.h>

int main(void) {
    unsigned config = 41, before = 6;
    printf("it should have been %u, and %u too early\n", config + 1, before + 1);
    return 0;
}
