/* The contents of the GDDR6 banks: 4 GiB each, with three NoC ports to one storage. channel.h has their timing.
 *
 * Source: Blackhole README.md (DRAM tiles). Storage is mapped lazily, so a bank costs only what has been written.
 * Inexact: no error correction. */
#ifndef DRAM_DRAM_H
#define DRAM_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DRAM_BANKS = 8,
    DRAM_CHUNK_SHIFT = 16, /* the unit of `written`: 64 KiB */
};

#ifndef DRAM_BANK_BITS /* sanitizers that leave little address space set fewer (scripts/check) */
#define DRAM_BANK_BITS 32
#endif
#define DRAM_BANK_SIZE (UINT64_C(1) << DRAM_BANK_BITS)
#define DRAM_CHUNKS    (DRAM_BANK_SIZE >> DRAM_CHUNK_SHIFT)

struct dram {
    /* Saved state: the contents of `bytes` in the chunks that `written` marks */
    uint64_t written[DRAM_BANKS][DRAM_CHUNKS / 64];
    /* Derived */
    struct dram_loan {
        uint64_t first, end; /* range of all bytes on loan */
        uint32_t count;
        uint32_t pause; /* requests for a loan still to be refused, after a write to lent bytes */
    } loan[DRAM_BANKS];
    /* Wiring: reserved address space, which the host backs with memory when it is written */
    uint8_t *bytes;
    struct internal_error *error;
};

bool dram_init(struct dram *dram, struct internal_error *error); /* returns false if there is no address space */
void dram_free(struct dram *dram);
void dram_reset(struct dram *dram); /* clears every bank */

/* Read and write a range. Precondition: dram_holds() is true for the range. */
void dram_read(const struct dram *dram, unsigned bank, uint64_t address, void *data, size_t size);
void dram_write(struct dram *dram, unsigned bank, uint64_t address, const void *data, size_t size);
/* Returns the storage of a range for the caller to write, and marks it as written. Precondition: nothing in the range
 * is on loan. */
uint8_t *dram_fill(struct dram *dram, unsigned bank, uint64_t address, size_t size);
/* Lends a range, so that a packet need not copy it. Returns the offset of the range in `bytes`, or DRAM_NO_LOAN. The
 * range stays unchanged until dram_give_back: before a write to a bank, the writer calls dram_is_lent, copies
 * everything that is on loan from that bank, and calls dram_all_copied. */
uint64_t dram_lend(struct dram *dram, unsigned bank, uint64_t address, size_t size);
void dram_give_back(struct dram *dram, uint64_t address);
void dram_all_copied(struct dram *dram, unsigned bank);
static inline bool dram_is_lent(const struct dram *dram, unsigned bank, uint64_t address, size_t size) {
    return address < dram->loan[bank].end && address + size > dram->loan[bank].first;
}
#define DRAM_NO_LOAN UINT64_MAX

/* Returns whether [address, address + size) lies inside a bank. */
static inline bool dram_holds(uint64_t address, size_t size) {
    return address < DRAM_BANK_SIZE && size <= DRAM_BANK_SIZE - address;
}

/* Calls `visit` for each chunk that has ever been written, in the order of addresses. A chunk may hold only zeros. */
void dram_visit(const struct dram *dram,
                void (*visit)(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size),
                void *user);

#endif
