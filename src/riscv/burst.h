/* Bursts of accesses to L1, the accesses for which cores compete: loads that follow four others so closely that the
 * load queue may be full, and stores that find the store queue busy. Other accesses neither wait for those of other
 * cores nor hinder them.
 *
 * Time is divided into windows. A core counts its bursts in each window by bank. The delays of a window follow from
 * what all cores of the tile did in the window before the last one (tile/ports.c). That window is complete by then,
 * because a core that is too far ahead of another one first gives way. So delays do not depend on the order in which
 * the cores of a tile are emulated. */
#ifndef RISCV_BURST_H
#define RISCV_BURST_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BURST_WINDOW = 256, /* cycles */
    BURST_DELAY = 2,    /* delays follow from the accesses this many windows earlier */
    BURST_KEPT = 4,     /* windows kept: those that delays need, and one more for a core that lags */
    BURST_BANKS = 16,   /* banks of L1 (L1.md) */
    BURST_BANK = 16,    /* consecutive bytes in one bank */
    BURST_MOST8 = 4096, /* bound of all delays, in eighths of a cycle */
};

enum burst_kind { BURST_LOAD, BURST_STORE, BURST_KINDS };

/* Accesses in one window. */
struct burst_window {
    uint64_t number; /* number of the window plus 1; 0: none */
    uint8_t count[BURST_KINDS][BURST_BANKS];
};

struct core_burst {
    struct burst_window window[BURST_KEPT]; /* by number modulo BURST_KEPT */
    uint64_t present;                       /* number of the window that the delays belong to, plus 1; 0: none */
    uint32_t hold8;  /* eighths of a cycle that a load stays in the queue longer because of other cores */
    uint32_t carry8; /* remainder of hold8 that is left for the next four loads, in eighths */
    uint32_t extra;  /* whole cycles that each of the next four loads stays longer */
    uint32_t loads;  /* loads counted, modulo the size of the queue */
    uint32_t store8; /* eighths of a cycle between two stores that leave the queue */
};

/* Sets the state of a core after reset: no bursts, no delays. */
void burst_reset(struct core_burst *burst);
/* Counts an access at `time`. */
void burst_count(struct core_burst *burst, enum burst_kind kind, uint32_t address, uint64_t time);
/* Returns the accesses in the window with this number; NULL if there are none. */
const struct burst_window *burst_of(const struct core_burst *burst, uint64_t number);

/* Returns the number of the window that a cycle is in. */
static inline uint64_t burst_window(uint64_t time) {
    return time / BURST_WINDOW;
}

#endif
