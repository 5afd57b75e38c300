/* Work without end that needs few instructions of a core: MOPs of 1023 x 1023 REPLAYs of 32 words each. */
#include "bhemu_guest.h"
#include "tensix.h"

#define MOP_CONFIG ((volatile uint32_t *)0xFFB80000)
enum { NOP = 0x02000000, PLAY_32 = 0x04000200, MOST = 1023 };

int main(void) {
    static const uint32_t loops[] = { MOST, MOST, NOP, NOP, NOP, PLAY_32, NOP, PLAY_32, PLAY_32 };
    for (unsigned i = 0; i < 9; i++)
        MOP_CONFIG[i] = loops[i];
    TTI_REPLAY(0, 32, 0, 1);
    for (unsigned i = 0; i < 32; i++)
        TTI_NOP();
    for (;;)
        TTI_MOP(1, 0, 0);
}
