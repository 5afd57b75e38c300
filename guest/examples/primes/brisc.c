#include "bhemu_guest.h"

GUEST_L1 uint32_t primes[200]; /* in L1, where the host can see it */
GUEST_L1 char message[64];

int main(void) {
    uint64_t start = wall_clock();
    uint32_t count = 0;
    for (uint32_t n = 2; n < 1000; n++) {
        uint32_t i = 0;
        while (i < count && n % primes[i])
            i++;
        if (i == count)
            primes[count++] = n;
    }
    uint32_t cycles = (uint32_t)(wall_clock() - start);
    char *at = put_number(message, count);
    at = put_number(put_text(at, " primes below 1000 in "), cycles);
    put_text(at, " cycles\n");
    return (int)count;
}
