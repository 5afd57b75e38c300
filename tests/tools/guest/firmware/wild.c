/* Kernel: stores where nothing is. */
#include "kernel.h"

static void kernel_main(const struct context *c) {
    *(volatile uint32_t *)0x20000000 = c->args[0];
}
