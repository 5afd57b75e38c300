/* Kernel: out[i] = in[i] * factor + step(i), for count words. in and out are circular buffers 0 and 1 (or args say
 * where), and everything that has to be relocated is used: constants and a table of functions in the code, words in
 * local memory that were initialised. */
#include "kernel.h"

static uint32_t plain(uint32_t i) {
    return i;
}
static uint32_t squared(uint32_t i) {
    return i * i;
}

typedef uint32_t step_function(uint32_t);
static step_function *const steps[] = { plain, squared };
static volatile uint32_t offset = 1000; /* in local memory */
static const uint32_t odd[4] = { 1, 3, 5, 7 };

/* args: count, factor, which step, index of the tile */
static void kernel_main(const struct context *c) {
    const volatile uint32_t *in = (const volatile uint32_t *)c->cbs[0].address;
    volatile uint32_t *out = (volatile uint32_t *)c->cbs[1].address;
    uint32_t count = c->args[0], factor = c->args[1];
    step_function *step = steps[c->args[2]];
    for (uint32_t i = 0; i < count; i++)
        out[i] = in[i] * factor + step(i) + offset + odd[i % 4];
    out[count] = c->common_args[0];
    out[count + 1] = (uint32_t)c->logical_x << 8 | c->logical_y;
    out[count + 2] = c->args[3];
    c->semaphores[4] += 1; /* semaphore 1 */
}
