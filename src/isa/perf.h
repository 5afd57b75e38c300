/* The performance counters of perf.def: banks, a number for each counter, and the counter that a bank's mode register
 * selects. */
#ifndef ISA_PERF_H
#define ISA_PERF_H

#include <stdbool.h>
#include <stdint.h>

enum perf_bank {
    PERF_BANK_INSTRN_THREAD,
    PERF_BANK_FPU,
    PERF_BANK_TDMA_UNPACK,
    PERF_BANK_TDMA_PACK,
    PERF_BANK_L1,
    PERF_BANKS
};

/* PERF_THREAD_STALLS_0 ... */
enum perf_id {
#define PERF(bank, select, name, meaning) PERF_##name,
#include "isa/perf.def"
    PERF_COUNT
};

struct perf_row {
    uint8_t bank; /* enum perf_bank */
    uint16_t select;
    const char *name;
};
extern const struct perf_row perf_rows[PERF_COUNT];

/* Returns the counter that a bank's mode register and PERF_CNT_MUX_CTRL select; PERF_COUNT if there is none. */
enum perf_id perf_find(enum perf_bank bank, uint32_t mode, uint32_t mux_ctrl);
/* Returns whether the mode register of the bank L1 selects a port. A port without a row reads zero: Blackhole does not
 * have it. */
bool perf_is_port(uint32_t mode);

#endif
