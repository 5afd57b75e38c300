/* Two mistakes that this run does not show, or the same without them if MENDED is defined. BRISC adds up words that it
 * reads from tile 2,2; it does other work meanwhile, and does not wait for the words. T0 loads a word into a GPR and
 * writes it to a configuration register, without a wait in between. */
#include "kit/config.h"
#include "kit/noc.h"

enum { WORDS = 16, REMOTE = 0x30000, GPR_ADDRESS = 4, GPR_OFFSET = 6, GPR_WORD = 8 };

GUEST_L1 _Alignas(64) uint32_t fetched[WORDS];

#if GUEST_CORE == GUEST_BRISC
__attribute__((noipa)) static void fetch(void) {
    noc_read(noc_tile(2, 2), REMOTE, (uint32_t)(uintptr_t)fetched, sizeof fetched);
#ifdef MENDED
    noc_reads_done();
#endif
}

static void work(void) {
    for (uint64_t end = wall_clock() + 1000; wall_clock() < end;)
        ;
}

__attribute__((noipa)) static uint32_t add_up(void) {
    const volatile uint32_t *word = fetched;
    uint32_t sum = 0;
    for (unsigned i = 0; i < WORDS; i++)
        sum += word[i];
    return sum;
}

int main(void) {
    noc_init();
    fetch();
    work();
    return (int)add_up();
}
#else
__attribute__((noipa)) static void configure(void) {
    TTI_LOADIND(1, 2 * GPR_OFFSET, 0, GPR_WORD, GPR_ADDRESS);
#ifdef MENDED
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
#endif
    TTI_WRCFG(GPR_WORD, 0, SCRATCH_SEC0_val_ADDR32);
    TTI_NOP();
}

int main(void) {
    volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)REMOTE;
    *word = 1;
    (void)*word; /* the store has come */
    TTI_SETDMAREG(0, REMOTE >> 4, 0, 2 * GPR_ADDRESS);
    TTI_SETDMAREG(0, 0, 0, 2 * GPR_ADDRESS + 1);
    TTI_SETDMAREG(0, 0, 0, 2 * GPR_OFFSET);
    configure();
    tensix_sync();
    return 0;
}
#endif
