/* Right and wrong synchronisation. The word `wrong` selects a mistake: 0 none, 1 a result that is used too early,
 * 2 a semaphore that nothing posts. */
#include "kit/config.h"

GUEST_L1 volatile uint32_t wrong;
GUEST_L1 char message[64];

enum { GPR_NUMBER = 8, GPR_SUM = 12, SEM_READY = 3 };

/* T1 reads a configuration register into a GPR and adds 1 to it. The result of RDCFG lands two cycles after the
 * instruction, so that ADDDMAREG has to be held until the Configuration Unit is done. */
int trisc1(void) {
    config_write(SCRATCH_SEC0_val_ADDR32, 41);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_CORE); /* RDCFG could overtake the core's store */
    gpr_set(GPR_NUMBER, 6);
    tensix_sync();
    if (wrong == 1) {
        TTI_RDCFG(GPR_NUMBER, SCRATCH_SEC0_val_ADDR32);
        TTI_ADDDMAREG(1, GPR_SUM, 1, GPR_NUMBER);
    } else {
        TTI_RDCFG(GPR_NUMBER, SCRATCH_SEC0_val_ADDR32);
        TTI_STALLWAIT(STALL_SCALAR, UNTIL_CONFIG);
        TTI_ADDDMAREG(1, GPR_SUM, 1, GPR_NUMBER);
    }
    tensix_sync();
    uint32_t sum = gpr_read(GPR_SUM);
    put_text(put_number(put_text(message, "41 + 1 = "), sum), "\n");
    if (wrong != 2)
        TTI_SEMPOST(1 << SEM_READY);
    return (int)sum;
}

/* T2 continues when T1 has posted. */
int trisc2(void) {
    TTI_SEMWAIT(STALL_SYNC, 1 << SEM_READY, WHILE_ZERO);
    TTI_SEMGET(1 << SEM_READY);
    tensix_sync();
    return 0;
}
