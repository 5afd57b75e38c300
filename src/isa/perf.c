#include "isa/perf.h"

const struct perf_row perf_rows[PERF_COUNT] = {
#define PERF(bank, select, name, counts, meaning) \
    { PERF_BANK_##bank, counts, select, #name, "the performance counter " #name " is not modelled: " meaning },
#include "isa/perf.def"
};

/* Returns the selector that tt-metal lists for a counter that has several: grants of one thread are wired together
 * (tech report, "INSTRN_THREAD bank"). */
static unsigned canonical(enum perf_bank bank, unsigned select) {
    enum { GRANT = 256, KINDS = 8, THREADS = 3, WAITS = 9, FIRST_STALLS = 24, FIRST_WAIT = 31 };
    if (bank != PERF_BANK_INSTRN_THREAD || select < GRANT)
        return select;
    if (select < GRANT + KINDS * THREADS)
        return select - (select - GRANT) % KINDS;
    if (select >= GRANT + FIRST_WAIT && select < GRANT + FIRST_WAIT + WAITS * THREADS)
        return FIRST_STALLS + (select - GRANT - FIRST_WAIT) / WAITS;
    return select;
}

enum perf_id perf_find(enum perf_bank bank, uint32_t mode) {
    unsigned select = canonical(bank, mode >> 8 & 0x1FF);
    enum perf_id id = 0;
    while (id < PERF_COUNT && (perf_rows[id].bank != bank || perf_rows[id].select != select))
        id++;
    return id;
}
