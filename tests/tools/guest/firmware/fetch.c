/* Kernel: reads 64 bytes from NoC coordinates and an address to L1 and waits for them. */
#include "kernel.h"

#define NOC_READ(offset) (*(volatile uint32_t *)(0xFFB20800 + (offset)))

static void kernel_main(const struct context *c) {
    NOC_READ(0x00) = c->args[1];
    NOC_READ(0x04) = 0;
    NOC_READ(0x08) = c->args[0];
    NOC_READ(0x0C) = c->args[2];
    NOC_READ(0x10) = 0;
    NOC_READ(0x14) = *(volatile uint32_t *)0xFFB20148 & 0xFFF;
    NOC_READ(0x18) = 0;
    NOC_READ(0x1C) = 0x2090;
    NOC_READ(0x20) = 64;
    uint32_t before = *(volatile uint32_t *)0xFFB20208;
    NOC_READ(0x40) = 1;
    while (*(volatile uint32_t *)0xFFB20208 == before)
        ;
}
