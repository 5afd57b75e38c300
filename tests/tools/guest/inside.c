/* Three Tensix threads that stop for good with something inside: T0 in the middle of a MOP behind a SEMWAIT, with a
 * bank of SrcA handed over; T1 in the middle of a REPLAY, with its counters set; T2 at a STALLWAIT. */
#include "bhemu_guest.h"
#include "tensix.h"

enum { WHILE_ZERO = 1, BLOCK_ALL = 0x1FF, CLEAR = 1, TO_ONE = 2, BF16 = 1 };
#define MOP_CONFIG ((volatile uint32_t *)0xFFB80000)

int main(void) {
#if GUEST_CORE == GUEST_TRISC0
    static const uint32_t loops[] = { 3,          4,          0x02000000, 0x02000000, 0x02000000,
                                      0x45000028, 0x02000000, 0x45000128, 0x45000228 }; /* NOP, and SETDMAREG */
    for (unsigned i = 0; i < 9; i++)
        MOP_CONFIG[i] = loops[i];
    TTI_UNPACR_NOP(0, 0, 0, 1, BF16, 1, 0, TO_ONE, CLEAR);
    TTI_MOP_CFG(0x1234);
    TTI_SEMWAIT(BLOCK_ALL, 1 << 3, WHILE_ZERO);
    TTI_MOP(1, 0, 0);
#elif GUEST_CORE == GUEST_TRISC1
    TTI_SETADC(2, 1, 1, 77);
    TTI_SETRWC(0, 0, 6, 5, 4, 15);
    TTI_REPLAY(8, 6, 0, 1);
    for (unsigned i = 0; i < 6; i++)
        TTI_SETDMAREG(0, 9, 0, 20);
    TTI_SEMWAIT(BLOCK_ALL, 1 << 4, WHILE_ZERO);
    TTI_REPLAY(8, 6, 0, 0);
#else
    TTI_STALLWAIT(0x40, 1 << 7 | 1 << 8);
    TTI_SETRWC(0, 0, 0, 0, 0, 0);
#endif
    return 0;
}
