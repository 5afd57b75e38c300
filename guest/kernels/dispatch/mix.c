/* A kernel: multiplies every word of a page of DRAM by a number, adds another, and rotates the result. */
#include "kernel.h"

void kernel(const volatile uint32_t *arguments, const volatile uint32_t *common) {
    volatile uint32_t *words = (volatile uint32_t *)WORK;
    kernel_read_page(arguments, common);
    for (uint32_t i = 0; i < common[COMMON_PAGE_BYTES] / 4; i++) {
        uint32_t word = words[i] * common[COMMON_FACTOR] + arguments[ARG_SALT];
        words[i] = word << 7 | word >> 25;
    }
    kernel_write_page(arguments, common);
}
