/* Bursts of accesses to L1: see burst.h. */
#include "riscv/burst.h"

#include <stddef.h>

#include "isa/riscv.h"

void burst_reset(struct core_burst *burst) {
    *burst = (struct core_burst){ .store8 = RV_PART_STORE_EIGHTHS };
}

/* Delays the loads of one filling of the queue by the same whole number of cycles. The remainder is carried over to the
 * next filling. */
static void spread_delay(struct core_burst *burst) {
    uint32_t eighths = burst->carry8 + burst->hold8;
    burst->loads = (burst->loads + 1) % RV_PART_LOAD_QUEUE;
    if (burst->loads)
        return;
    burst->carry8 = eighths % 8;
    burst->extra = eighths / 8;
}

void burst_count(struct core_burst *burst, enum burst_kind kind, uint32_t address, uint64_t time) {
    uint64_t number = burst_window(time) + 1;
    struct burst_window *window = &burst->window[number % BURST_KEPT];
    if (window->number != number)
        *window = (struct burst_window){ .number = number };
    window->count[kind][address / BURST_BANK % BURST_BANKS]++;
    if (kind == BURST_LOAD)
        spread_delay(burst);
}

const struct burst_window *burst_of(const struct core_burst *burst, uint64_t number) {
    const struct burst_window *window = &burst->window[(number + 1) % BURST_KEPT];
    return window->number == number + 1 ? window : NULL;
}
