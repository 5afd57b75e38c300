/* Kernel for any processor: adds its number to a word of its own, args[0] + 4 * processor, when semaphore 0 says so.
 * Built with pc-relative addresses, so that those of local memory have to be relocated. */
#include "kernel.h"

static volatile uint32_t one = 1;
static volatile uint32_t calls;

static void kernel_main(const struct context *c) {
    while (c->semaphores[0] == 0)
        ;
    calls += one;
    ((volatile uint32_t *)c->args[0])[c->processor] += c->processor + one;
}
