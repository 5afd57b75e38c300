/* A worker writes bytes into another one's L1, and the other reads them when it is told. The word that tells it goes
 * over another chip: worker - E0 - cable - E0 of the other chip - cable - E1 - worker. With EARLY, E1 waits for some
 * time instead, which orders nothing. */
#include "kit/eth.h"
#include "kit/noc.h"

enum { BYTES = 0x30000, TOLD = 0x31000, THERE = 0x32000, BACK = 0x33000, LENGTH = 64 };

#define WORD(address) (*(volatile uint32_t *)(address))

GUEST_L1 _Alignas(64) uint32_t word[LENGTH / 4];

static inline void await(uint32_t address) {
    while (!WORD(address))
        ;
}

#if defined WRITER /* brisc of 1,2 */
int main(void) {
    noc_init();
    for (unsigned i = 0; i < LENGTH / 4; i++)
        word[i] = i + 1;
    noc_stores_done((uint32_t)(uintptr_t)&word[LENGTH / 4 - 1]);
    noc_write(noc_tile(2, 2), BYTES, (uint32_t)(uintptr_t)word, LENGTH);
    noc_writes_done();
    noc_increment(noc_tile(24, 25), TOLD, 1);
    noc_atomics_done();
    return 0;
}
#elif defined READER         /* brisc of 2,2 */
int main(void) {
    int sum = 0;
    await(TOLD);
    for (unsigned i = 0; i < LENGTH; i += 4)
        sum += (int)WORD(BYTES + i);
    return sum;
}
#elif defined THERE_AND_BACK /* erisc0 of both chips */
int main(void) {
    word[0] = 1;
    if (THERE_AND_BACK == 0) {
        await(TOLD);
        eth_send(0, THERE, (uint32_t)(uintptr_t)word, 16);
    } else {
        await(THERE);
        eth_send(0, BACK, (uint32_t)(uintptr_t)word, 16);
    }
    return 0;
}
#else                        /* erisc1 */
int main(void) {
    noc_init();
#ifdef EARLY
    for (uint64_t end = wall_clock() + 6000; wall_clock() < end;)
        ;
#else
    await(BACK);
#endif
    noc_increment(noc_tile(2, 2), TOLD, 1);
    noc_atomics_done();
    return 0;
}
#endif
