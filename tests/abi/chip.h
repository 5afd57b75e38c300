/* For files whose tests have a chip each: setup, teardown, and words of its BARs. */
#ifndef TESTS_ABI_CHIP_H
#define TESTS_ABI_CHIP_H

#include "client.h"

static struct ttsim abi; /* of the test that runs */

static int start(void **state) {
    (void)state;
    memset(host_memory, 0, sizeof host_memory);
    abi = load();
    abi.callbacks(dma_read, dma_write);
    abi.init();
    return 0;
}

static int stop(void **state) {
    (void)state;
    abi.exit();
    close_abi(&abi);
    return 0;
}

static inline uint32_t bus_word(uint64_t address) {
    uint32_t value = 0;
    abi.read(address, &value, sizeof value);
    return value;
}

#endif
