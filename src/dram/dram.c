/* The GDDR6 banks: see dram.h. */
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "dram/dram.h"

#define TOTAL (DRAM_BANKS * DRAM_BANK_SIZE)

bool dram_init(struct dram *dram, struct internal_error *error) {
    memset(dram, 0, sizeof *dram);
    dram->error = error;
    void *at = mmap(NULL, TOTAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    dram->bytes = at;
    return true;
}

void dram_free(struct dram *dram) {
    if (dram->bytes)
        munmap(dram->bytes, TOTAL);
    dram->bytes = NULL;
}

void dram_reset(struct dram *dram) {
    (void)BH_CHECK(dram->error, madvise(dram->bytes, TOTAL, MADV_DONTNEED) == 0);
    memset(dram->written, 0, sizeof dram->written);
    memset(dram->loan, 0, sizeof dram->loan);
}

static bool written(const struct dram *dram, unsigned bank, uint64_t chunk) {
    return dram->written[bank][chunk / 64] >> (chunk % 64) & 1;
}

void dram_read(const struct dram *dram, unsigned bank, uint64_t address, void *data, size_t size) {
    if (!BH_CHECK(dram->error, bank < DRAM_BANKS && dram_holds(address, size)))
        memset(data, 0, size);
    else
        memcpy(data, dram->bytes + bank * DRAM_BANK_SIZE + address, size);
}

uint8_t *dram_fill(struct dram *dram, unsigned bank, uint64_t address, size_t size) {
    for (uint64_t chunk = address >> DRAM_CHUNK_SHIFT; chunk <= (address + size - 1) >> DRAM_CHUNK_SHIFT; chunk++)
        dram->written[bank][chunk / 64] |= UINT64_C(1) << (chunk % 64);
    return dram->bytes + bank * DRAM_BANK_SIZE + address;
}

void dram_write(struct dram *dram, unsigned bank, uint64_t address, const void *data, size_t size) {
    if (!BH_CHECK(dram->error, bank < DRAM_BANKS && dram_holds(address, size)) || size == 0)
        return;
    (void)BH_CHECK(dram->error, !dram_is_lent(dram, bank, address, size));
    memcpy(dram_fill(dram, bank, address, size), data, size);
}

/* ---- Loans ---------------------------------------------------------------------------------------------- */

uint64_t dram_lend(struct dram *dram, unsigned bank, uint64_t address, size_t size) {
    struct dram_loan *loan = &dram->loan[bank];
    if (!BH_CHECK(dram->error, bank < DRAM_BANKS && dram_holds(address, size)))
        return DRAM_NO_LOAN;
    if (loan->pause) {
        loan->pause--;
        return DRAM_NO_LOAN;
    }
    bool any = loan->end;
    loan->first = any && loan->first < address ? loan->first : address;
    loan->end = loan->end > address + size ? loan->end : address + size;
    loan->count++;
    return bank * DRAM_BANK_SIZE + address;
}

void dram_give_back(struct dram *dram, uint64_t address) {
    struct dram_loan *loan = &dram->loan[address / DRAM_BANK_SIZE];
    if (BH_CHECK(dram->error, loan->count) && --loan->count == 0)
        loan->first = loan->end = 0;
}

/* Pauses lending: a program that writes what it reads would cause one copy after the other. */
void dram_all_copied(struct dram *dram, unsigned bank) {
    enum { PAUSE = 256 };
    BH_ASSERT(bank < DRAM_BANKS);
    dram->loan[bank].first = dram->loan[bank].end = 0;
    dram->loan[bank].pause = PAUSE;
}

void dram_visit(const struct dram *dram,
                void (*visit)(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size),
                void *user) {
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++) {
        for (uint64_t chunk = 0; chunk < DRAM_CHUNKS; chunk++) {
            if (dram->written[bank][chunk / 64] == 0) {
                chunk |= 63;
                continue;
            }
            if (!written(dram, bank, chunk))
                continue;
            uint64_t address = chunk << DRAM_CHUNK_SHIFT;
            visit(user, bank, address, dram->bytes + bank * DRAM_BANK_SIZE + address, (size_t)1 << DRAM_CHUNK_SHIFT);
        }
    }
}
