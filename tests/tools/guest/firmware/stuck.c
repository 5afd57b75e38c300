/* Kernel: waits for what nobody does. */
#include "kernel.h"

static void wait_forever(const volatile uint32_t *word) {
    while (*word == 0)
        ;
}

static void kernel_main(const struct context *c) {
    wait_forever((const volatile uint32_t *)c->args[0]);
}
