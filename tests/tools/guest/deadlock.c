/* Two Tensix threads that wait for each other, as Math and Pack do when one of them forgets a post. T1 hands a result
 * to T2 (semaphore 1), waits for it to be taken (semaphore 2), and hands over the next; T2 takes the first and waits
 * for the second without having told T1. */
#include "bhemu_guest.h"
#include "tensix.h"

enum { RESULT = 1 << 1, TAKEN = 1 << 2, WHILE_ZERO = 1, BLOCK_SYNC = 1 << 1 };

int main(void) {
#if GUEST_CORE == GUEST_TRISC1
    TTI_SEMINIT(1, 0, RESULT);
    TTI_SEMINIT(1, 0, TAKEN);
    TTI_SEMPOST(RESULT);
    TTI_SEMWAIT(BLOCK_SYNC, TAKEN, WHILE_ZERO);
    TTI_SEMPOST(RESULT);
#else
    for (unsigned i = 0; i < 2; i++) {
        TTI_SEMWAIT(BLOCK_SYNC, RESULT, WHILE_ZERO);
        TTI_SEMGET(RESULT);
    }
    TTI_SEMPOST(TAKEN);
#endif
    return 0;
}
