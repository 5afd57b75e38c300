/* Bursts of accesses to L1, as far as cores compete for it: loads that follow four others so closely that the load
 * queue may be full, and stores that find the store queue busy. Other accesses neither wait for those of other cores
 * nor hinder them.
 *
 * Time is divided into windows. A core counts its bursts in each window by bank. The delays of a window follow from
 * what all cores of the tile did in the window before the last one (tile/ports.c), which is complete then: a core that
 * is too far ahead of another one gives way first. So delays do not depend on the order in which cores of a tile are
 * emulated. */
#ifndef RISCV_BURST_H
#define RISCV_BURST_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BURST_WINDOW = 256, /* cycles */
    BURST_DELAY = 2,    /* delays follow from so many windows before */
    BURST_KEPT = 4,     /* windows: those before, and one that another core looks back from */
    BURST_BANKS = 16,   /* of L1, L1.md */
    BURST_BANK = 16,    /* bytes in a row in one of them */
    BURST_MOST8 = 4096, /* no delay is as long, in eighths of a cycle */
};

enum burst_kind { BURST_LOAD, BURST_STORE, BURST_KINDS };

/* Accesses in one window. */
struct burst_window {
    uint64_t number; /* of the window, and 1; 0: none */
    uint8_t count[BURST_KINDS][BURST_BANKS];
};

struct core_burst {
    struct burst_window window[BURST_KEPT]; /* by number */
    uint64_t present;                       /* number of the window that the delays belong to, and 1; 0: none */
    uint32_t hold8;  /* eighths of a cycle for which loads stay in the queue longer than those of a single core */
    uint32_t carry8; /* likewise, what is left for the next four */
    uint32_t extra;  /* whole cycles for which the next ones do */
    uint32_t loads;  /* modulo those that fill the queue */
    uint32_t store8; /* eighths of a cycle between two stores that leave the queue */
};

/* Sets the state after reset. */
void burst_reset(struct core_burst *burst);
/* Counts an access in this cycle. */
void burst_count(struct core_burst *burst, enum burst_kind kind, uint32_t address, uint64_t time);
/* Returns the accesses in a window; NULL if there are none. */
const struct burst_window *burst_of(const struct core_burst *burst, uint64_t window);

/* Number of the window of a cycle. */
static inline uint64_t burst_window(uint64_t time) {
    return time / BURST_WINDOW;
}

#endif
