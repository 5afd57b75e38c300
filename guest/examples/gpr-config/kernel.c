/* T0: moves a number from the instruction stream to a GPR, to a configuration register, and back to a GPR. */
#include "kit/config.h"

GUEST_L1 char message[128];

enum { GPR_OUT = 10, GPR_BACK = 11, NUMBER = 0x600DCAFE };

int trisc0(void) {
    TTI_SETDMAREG(0, NUMBER & 0xFFFF, 0, 2 * GPR_OUT);  /* 16 bits in each instruction: the lower half, */
    TTI_SETDMAREG(0, NUMBER >> 16, 0, 2 * GPR_OUT + 1); /* and the upper one */
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(GPR_OUT, 0, SCRATCH_SEC0_val_ADDR32);
    TTI_NOP(); /* WRCFG takes two cycles */
    TTI_NOP();
    TTI_RDCFG(GPR_BACK, SCRATCH_SEC0_val_ADDR32);
    tensix_sync(); /* waits until all of that is done */

    uint32_t config = config_read(SCRATCH_SEC0_val_ADDR32), back = gpr_read(GPR_BACK);
    char *at = put_hex(put_text(message, "configuration "), config);
    at = put_hex(put_text(at, ", GPR "), back);
    put_text(at, "\n");
    return config == NUMBER && back == NUMBER ? 0 : 1;
}
