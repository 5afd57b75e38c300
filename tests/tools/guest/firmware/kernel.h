/* How a kernel of the tests begins: the firmware calls its first byte. */
#ifndef KERNEL_H
#define KERNEL_H

#include "firmware.h"

extern uint32_t data_start[], data_end[], data_kept[];
uint32_t kernel(const struct context *context);
static void kernel_main(const struct context *context);

__attribute__((section(".start"))) uint32_t kernel(const struct context *context) {
    const uint32_t *from = data_kept;
    for (uint32_t *to = data_start; to != data_end; to++)
        *to = *from++;
    kernel_main(context);
    return 0;
}

#endif
