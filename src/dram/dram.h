/* The GDDR6 banks: 4 GiB each, three NoC ports to one storage.
 *
 * Source: Blackhole README.md (DRAM tiles). Storage is mapped lazily, so a bank costs only what has been written.
 * Inexact: there is no timing yet, and no error correction.
 */
#ifndef DRAM_DRAM_H
#define DRAM_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DRAM_BANKS = 8,
    DRAM_CHUNK_SHIFT = 16, /* what has been written is remembered in chunks of 64 KiB */
};

#ifndef DRAM_BANK_BITS /* fewer where a sanitizer leaves little address space (scripts/check) */
#define DRAM_BANK_BITS 32
#endif
#define DRAM_BANK_SIZE (UINT64_C(1) << DRAM_BANK_BITS)
#define DRAM_CHUNKS    (DRAM_BANK_SIZE >> DRAM_CHUNK_SHIFT)

struct dram {
    /* Saved state: the contents of `bytes`, wherever `written` says that there are any. */
    uint64_t written[DRAM_BANKS][DRAM_CHUNKS / 64];
    /* Derived */
    struct dram_loan {
        uint64_t first, end; /* all that is on loan lies within */
        uint32_t count;
        uint32_t pause; /* how many times not to lend: somebody has written to what was */
    } loan[DRAM_BANKS];
    /* Wiring: address space only, until written */
    uint8_t *bytes;
    struct internal_error *error;
};

bool dram_init(struct dram *dram, struct internal_error *error); /* false: no address space */
void dram_free(struct dram *dram);
void dram_reset(struct dram *dram); /* every bank is zero again */

/* The caller has checked with dram_holds. */
void dram_read(const struct dram *dram, unsigned bank, uint64_t address, void *data, size_t size);
void dram_write(struct dram *dram, unsigned bank, uint64_t address, const void *data, size_t size);
/* Bytes that the caller is about to write, of which nothing is on loan: they count as written. */
uint8_t *dram_fill(struct dram *dram, unsigned bank, uint64_t address, size_t size);
/* What is read need not be copied before it is asked for: it is on loan at this place among `bytes` and stays as it is
 * until it is given back. Who writes to a bank looks first whether something may be on loan there (dram_is_lent), makes
 * copies of all that is, and says so. DRAM_NO_LOAN: not now. */
uint64_t dram_lend(struct dram *dram, unsigned bank, uint64_t address, size_t size);
void dram_give_back(struct dram *dram, uint64_t place);
void dram_all_copied(struct dram *dram, unsigned bank);
static inline bool dram_is_lent(const struct dram *dram, unsigned bank, uint64_t address, size_t size) {
    return address < dram->loan[bank].end && address + size > dram->loan[bank].first;
}
#define DRAM_NO_LOAN UINT64_MAX

static inline bool dram_holds(uint64_t address, size_t size) {
    return address < DRAM_BANK_SIZE && size <= DRAM_BANK_SIZE - address;
}

/* The chunks that have ever been written, in order: calls visit with each; zero chunks may be among them. */
void dram_visit(const struct dram *dram,
                void (*visit)(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size),
                void *user);

#endif
