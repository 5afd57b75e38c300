/* Compiled for the cores by guest_cross.sh, which looks at the words in .text. */
#include "cfg_defines.h"
#include "tensix.h"

void program(unsigned value);

void program(unsigned value) {
    TTI_SETC16(CFG_STATE_ID_StateID_ADDR32, 1);
    TTI_NOP();
    TTI_UNPACR(1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
    TTI(STALLWAIT, 128, 2064);
    TT_SETDMAREG(0, value, 0, 5);
#ifdef BAD_VALUE
    TTI_SETC16(256, 0);
#endif
#ifdef NOT_CONSTANT
    TTI_SETC16(2, value);
#endif
}
