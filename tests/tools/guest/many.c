/* Pushes words of two units in turn, so that each of them is an event of its own: of the thread, and of its unit. */
#include "kit/sync.h"

enum { ROUNDS = 2000 };

int main(void) {
    for (unsigned i = 0; i < ROUNDS; i++) {
        TTI_SETDMAREG(0, 1, 0, 20);
        TTI_SETC16(12, 5);
    }
    return 0;
}
