#include "isa/perf.h"

const struct perf_row perf_rows[PERF_COUNT] = {
#define PERF(bank, select, name, meaning) { PERF_BANK_##bank, select, #name },
#include "isa/perf.def"
};

enum { GRANT = 256, PORTS = 8, MUX_SHIFT = 9, MUX_LAST = 5 };

static unsigned select_of(uint32_t mode) {
    return mode >> 8 & 0x1FF;
}

/* The two values without ports select the first ones. */
static unsigned mux_of(uint32_t mux_ctrl) {
    unsigned mux = mux_ctrl >> 4 & 7;
    return mux > MUX_LAST ? 0 : mux;
}

/* Returns the selector that tt-metal lists for a counter, given any of its selectors: grants of one thread are wired
 * together (tech report, "INSTRN_THREAD bank"), and what counted products of phase 0 counts all instructions. */
static unsigned canonical(enum perf_bank bank, unsigned select) {
    enum { KINDS = 8, THREADS = 3, WAITS = 9, FIRST_STALLS = 24, FIRST_WAIT = 31, STARTED = 3, PHASE_0 = GRANT + 2 };
    if (bank == PERF_BANK_TDMA_UNPACK && select == PHASE_0)
        return STARTED;
    if (bank != PERF_BANK_INSTRN_THREAD || select < GRANT)
        return select;
    if (select < GRANT + KINDS * THREADS)
        return select - (select - GRANT) % KINDS;
    if (select >= GRANT + FIRST_WAIT && select < GRANT + FIRST_WAIT + WAITS * THREADS)
        return FIRST_STALLS + (select - GRANT - FIRST_WAIT) / WAITS;
    return select;
}

enum perf_id perf_find(enum perf_bank bank, uint32_t mode, uint32_t mux_ctrl) {
    unsigned select = canonical(bank, select_of(mode));
    enum perf_id id = 0;
    if (bank == PERF_BANK_L1)
        select |= mux_of(mux_ctrl) << MUX_SHIFT;
    while (id < PERF_COUNT && (perf_rows[id].bank != bank || perf_rows[id].select != select))
        id++;
    return id;
}

bool perf_is_port(uint32_t mode) {
    return select_of(mode) % GRANT < PORTS;
}
