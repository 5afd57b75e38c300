/* Doubles sixteen words. */
#include "bhemu_guest.h"

enum { COUNT = 16 };

int main(void) {
    const volatile uint32_t *from = (const volatile uint32_t *)0x10000;
    volatile uint32_t *to = (volatile uint32_t *)0x20000;
    for (unsigned i = 0; i < COUNT; i++)
        to[i] = 2 * from[i];
    return COUNT;
}
