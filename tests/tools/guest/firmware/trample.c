/* Kernel: writes where it should not: address and value, address and value, ... and 0 at the end. */
#include "kernel.h"

static void kernel_main(const struct context *c) {
    for (const uint32_t *args = c->args; args[0]; args += 2)
        *(volatile uint32_t *)args[0] = args[1];
}
