/* A program in versions that differ in one thing, for bhemu diff: a constant, the address of a store, the address of a
 * packet, a configuration word. */
#include "kit/config.h"
#include "kit/noc.h"

#ifndef CONSTANT
#define CONSTANT 3
#endif
#ifndef PLACE
#define PLACE 5
#endif
#ifndef TARGET
#define TARGET 0x30000
#endif
#ifndef NUMBER
#define NUMBER 0x600DCAFE
#endif

GUEST_L1 volatile uint32_t table[16];
GUEST_L1 _Alignas(64) uint32_t line[16];

static uint32_t work(void) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        sum = sum * 5 + 1;
        table[i % 16] = sum;
    }
    return sum;
}

#if GUEST_CORE == GUEST_BRISC
int main(void) {
    uint32_t sum = work() + CONSTANT;
    table[PLACE] = sum;
    line[0] = 77;
    noc_init();
    noc_stores_done((uint32_t)(uintptr_t)line);
    noc_write(noc_tile(2, 2), TARGET, (uint32_t)(uintptr_t)line, sizeof line);
    return 0;
}

#else
int main(void) {
    work();
    TTI_SETDMAREG(0, NUMBER & 0xFFFF, 0, 20);
    TTI_SETDMAREG(0, NUMBER >> 16, 0, 21);
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TTI_WRCFG(10, 0, SCRATCH_SEC0_val_ADDR32);
    tensix_sync();
    return 0;
}
#endif
