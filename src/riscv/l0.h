/* The L0 data cache of a core with cycle timing (MemoryOrdering.md, README.md, CSRs.md): four lines of 16 bytes between
 * the core and L1.
 *
 * A load from L1 that hits reads the line, which no other agent changes: if another agent has written to L1 since the
 * line was filled, the core reads the old value. A load that misses fills a line. A store of the core drops its line;
 * `fence`, an atomic and a reset drop all of them. The chip also drops all of them at random, at about 0.8 % of the
 * requests; here every 128th request does so.
 *
 * Assumed, because no page says it: a line can hold any 16 bytes of L1, and the line that was filled first is replaced
 * first. */
#ifndef RISCV_L0_H
#define RISCV_L0_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { L0_LINES = 4, L0_LINE = 16, L0_FLUSH_EVERY = 128 };

struct core_l0 {
    uint32_t tag[L0_LINES]; /* address / L0_LINE, plus 1; 0: the line is empty */
    uint8_t data[L0_LINES][L0_LINE];
    uint8_t next;     /* line to fill next */
    uint8_t requests; /* count of requests, modulo L0_FLUSH_EVERY */
};

/* Drops all lines. */
static inline void l0_flush(struct core_l0 *l0) {
    memset(l0->tag, 0, sizeof l0->tag);
}

/* Returns the bytes that the cache has from this address to the end of its line; NULL if it does not have the line. */
static inline const uint8_t *l0_find(const struct core_l0 *l0, uint32_t address) {
    const uint32_t tag = address / L0_LINE + 1;
    for (unsigned i = 0; i < L0_LINES; i++)
        if (l0->tag[i] == tag)
            return l0->data[i] + address % L0_LINE;
    return NULL;
}

/* Drops the line that holds this address, if there is one. */
static inline void l0_drop(struct core_l0 *l0, uint32_t address) {
    const uint32_t tag = address / L0_LINE + 1;
    for (unsigned i = 0; i < L0_LINES; i++)
        l0->tag[i] = l0->tag[i] == tag ? 0 : l0->tag[i];
}

/* Fills a line. bytes: the 16 bytes of L1 that contain the address. Returns the byte of the address in the line. */
static inline const uint8_t *l0_put(struct core_l0 *l0, const uint8_t *bytes, uint32_t address) {
    unsigned line = l0->next;
    l0->next = (uint8_t)((line + 1) % L0_LINES);
    l0->tag[line] = address / L0_LINE + 1;
    memcpy(l0->data[line], bytes, L0_LINE);
    return l0->data[line] + address % L0_LINE;
}
/* Fills a line from L1; returns as l0_put does. */
static inline const uint8_t *l0_fill(struct core_l0 *l0, const uint8_t *l1, uint32_t address) {
    return l0_put(l0, l1 + address / L0_LINE * L0_LINE, address);
}

/* Leaves the cache as if all lines had been dropped and the line of this address filled again, this many times. */
static inline void l0_refill(struct core_l0 *l0, uint32_t address, uint64_t times) {
    uint8_t bytes[L0_LINE];
    const uint8_t *line = l0_find(l0, address / L0_LINE * L0_LINE);
    if (!times)
        return;
    if (line)
        memcpy(bytes, line, L0_LINE);
    l0_flush(l0);
    l0->next = (uint8_t)((l0->next + times - 1) % L0_LINES);
    if (line)
        (void)l0_put(l0, bytes, address);
    else
        l0->next = (uint8_t)((l0->next + 1) % L0_LINES);
}

/* Counts requests. Returns whether one of them drops all lines. */
static inline bool l0_count(struct core_l0 *l0, uint64_t requests) {
    uint64_t count = l0->requests + requests;
    l0->requests = (uint8_t)(count % L0_FLUSH_EVERY);
    return count >= L0_FLUSH_EVERY;
}

#endif
