/* Occupancy of the Scalar Unit, DMANOP and FLUSHDMA.
 *
 * An instruction that waits inside the unit (ATCAS, ATINCGETPTR, FLUSHDMA, a store to a bank of Src that the unpackers
 * do not own) stays at its gate meanwhile, so that readers of the frontend find it there. The unit accepts no other
 * instruction in that time.
 *
 * Sources: ScalarUnit.md, DMANOP.md, FLUSHDMA.md (WH), SoftReset.md (BH). Inexact: contention for L1, its ports and the
 * GPRs, which the pages mention without numbers, costs nothing. */
#include "tensix/scalar/scalar.h"

#include <string.h>

#include "isa/memmap.h"
#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

void scalar_init(struct scalar *scalar) {
    scalar->owner = SCALAR_NOBODY;
}

/* ---- The unit ------------------------------------------------------------------------------------ */

uint64_t scalar_wait(struct tensix *x, unsigned thread) {
    if (x->held & REG_HOLD_GLUE)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_SCALAR_GLUE_RESET);
    return tensix_hold(x, thread, x->scalar.busy_until, WAIT_SCALAR_BUSY);
}

uint64_t scalar_holds(struct tensix *x, unsigned thread, uint64_t now) {
    if (x->held & REG_HOLD_SCALAR)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_SCALAR_RESET);
    return scalar_open_short(x, thread, now) ? TENSIX_PASSED : scalar_wait(x, thread);
}

static uint64_t entered(const struct tensix *x, unsigned thread, uint64_t now) {
    return x->scalar.owner == thread ? x->scalar.first_try : now;
}

uint64_t scalar_leave(struct tensix *x, unsigned thread, uint64_t now, uint64_t cycles) {
    uint64_t until = entered(x, thread, now) + cycles;
    BH_ASSERT(x->scalar.owner == thread && x->scalar.first_try <= now);
    if (until <= now)
        until = now + 1;
    scalar_occupy_until(x, thread, until);
    x->scalar.owner = SCALAR_NOBODY;
    tensix_wake(x, until);
    return until;
}

uint64_t scalar_stay(struct tensix *x, unsigned thread, uint64_t now, enum wait why) {
    struct scalar *scalar = &x->scalar;
    BH_ASSERT(scalar->owner == SCALAR_NOBODY || scalar->owner == thread);
    if (scalar->owner != thread)
        scalar->first_try = now;
    scalar->owner = (uint8_t)thread;
    scalar->busy_until = scalar->next_try = TENSIX_NEVER;
    return tensix_hold(x, thread, TENSIX_NEVER, why);
}

/* ---- What the families share --------------------------------------------------------------------- */

uint64_t scalar_check_l1(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now) {
    uint32_t size = memmap[MEMMAP_ROW_L1].size;
    if (address < size)
        return TENSIX_PASSED;
    return tensix_fault(x, thread, BH_FAULT_UNMAPPED, word, address, now,
                        "address 0x%08x is outside L1, which ends at 0x%08x", address, size);
}

void scalar_store_l1(struct tensix *x, uint32_t address, const void *data, uint32_t size, uint64_t now) {
    BH_ASSERT(size && address < memmap[MEMMAP_ROW_L1].size && size <= memmap[MEMMAP_ROW_L1].size - address);
    tensix_l1_changes(x, address, size);
    memcpy(&x->l1[address], data, size);
    x->port->l1_written(x->owner, BH_TRACK_SCALAR, address, size, now + 1);
}

void scalar_increment(struct tensix *x, unsigned thread, unsigned half, unsigned spec) {
    static const uint8_t step[4] = { 0, 2, 4, 16 };
    tensix_set_half(x, thread, half, (uint16_t)(tensix_half(x, thread, half) + step[spec]));
}

/* ---- Instructions --------------------------------------------------------------------------------- */

uint64_t execute_DMANOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    (void)word;
    if (!scalar_open_short(x, thread, now))
        return scalar_wait(x, thread);
    scalar_occupy_briefly(x, thread, now, TENSIX_OCCUPANCY_DMANOP);
    return TENSIX_PASSED;
}

/* The four conditions of FLUSHDMA are the first four of STALLWAIT. */
uint64_t execute_FLUSHDMA(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    unsigned mask = tensix_decode_FLUSHDMA(word).FlushSpec;
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    uint64_t until = gate_condition(x, thread, mask ? mask : 0xF, now);
    if (until == TENSIX_NEVER)
        return scalar_stay(x, thread, now, WAIT_FLUSHDMA);
    uint64_t since = entered(x, thread, now);
    scalar_occupy(x, thread, now,
                  until > since + TENSIX_OCCUPANCY_FLUSHDMA ? until - since : TENSIX_OCCUPANCY_FLUSHDMA);
    return TENSIX_PASSED;
}
