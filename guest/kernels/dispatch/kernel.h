/* For kernels: their code runs at any address. Constants and tables would have fixed addresses. */
#ifndef KERNEL_H
#define KERNEL_H

#include "kit/noc.h"
#include "queue.h"

void kernel(const volatile uint32_t *arguments, const volatile uint32_t *common);

static inline uint32_t kernel_page_tile(uint32_t page) {
    return noc_tile(page % DRAM_BANKS < 4 ? 17 : 18, 14 + 3 * (page % DRAM_BANKS % 4));
}

static inline uint32_t kernel_page_address(const volatile uint32_t *arguments, const volatile uint32_t *common) {
    return arguments[ARG_BUFFER] + arguments[ARG_PAGE] / DRAM_BANKS * common[COMMON_PAGE_BYTES];
}

static inline void kernel_read_page(const volatile uint32_t *arguments, const volatile uint32_t *common) {
    noc_init();
    noc_read(kernel_page_tile(arguments[ARG_PAGE]), kernel_page_address(arguments, common), WORK,
             common[COMMON_PAGE_BYTES]);
    noc_reads_done();
}

static inline void kernel_write_page(const volatile uint32_t *arguments, const volatile uint32_t *common) {
    noc_stores_done(WORK);
    noc_write(kernel_page_tile(arguments[ARG_PAGE]), kernel_page_address(arguments, common), WORK,
              common[COMMON_PAGE_BYTES]);
    noc_writes_done();
}

#endif
