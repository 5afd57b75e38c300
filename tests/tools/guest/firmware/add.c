/* Kernel: reads 64 bytes from NoC coordinates and an address to L1 and adds them up. args: coordinates, address, where
 * in L1 the bytes go, where the sum goes. With HASTY it does not wait for the bytes; they are early enough by luck. */
#include "kernel.h"

#define NOC_READ(offset) (*(volatile uint32_t *)(0xFFB20800 + (offset)))
#define RESPONSES        (*(volatile uint32_t *)0xFFB20208)

__attribute__((noipa)) static void request(const struct context *c) {
    NOC_READ(0x00) = c->args[1];
    NOC_READ(0x04) = 0;
    NOC_READ(0x08) = c->args[0];
    NOC_READ(0x0C) = c->args[2];
    NOC_READ(0x10) = 0;
    NOC_READ(0x14) = *(volatile uint32_t *)0xFFB20148 & 0xFFF;
    NOC_READ(0x18) = 0;
    NOC_READ(0x1C) = 0x2090;
    NOC_READ(0x20) = 64;
    NOC_READ(0x40) = 1;
}

__attribute__((noipa)) static uint32_t add_up(const volatile uint32_t *word) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 16; i++)
        sum += word[i];
    return sum;
}

static void kernel_main(const struct context *c) {
#ifdef HASTY
    request(c);
    for (volatile uint32_t *clock = (volatile uint32_t *)0xFFB121F0, start = *clock; *clock - start < 2000;)
        ;
#else
    uint32_t before = RESPONSES;
    request(c);
    while (RESPONSES == before)
        ;
#endif
    *(volatile uint32_t *)c->args[3] = add_up((const volatile uint32_t *)c->args[2]);
}
