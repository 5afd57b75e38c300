/* A kernel: running sums of a page of DRAM and of the block that all workers share. */
#include "kernel.h"

void kernel(const volatile uint32_t *arguments, const volatile uint32_t *common) {
    volatile uint32_t *words = (volatile uint32_t *)WORK;
    const volatile uint32_t *shared = (const volatile uint32_t *)SHARED;
    uint32_t sum = arguments[ARG_SALT];
    kernel_read_page(arguments, common);
    for (uint32_t i = 0; i < common[COMMON_PAGE_BYTES] / 4; i++) {
        sum += words[i] + shared[i * 5];
        words[i] = sum;
    }
    *(volatile uint32_t *)WORKED = sum;
    kernel_write_page(arguments, common);
}
