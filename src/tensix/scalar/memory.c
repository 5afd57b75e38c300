/* Loads and stores of the Scalar Unit. The unit sees its own accesses in order, so memory is read and written when the
 * instruction passes. The result of a load lands later and overwrites whatever was written to its GPR meanwhile.
 * Sources: LOADIND.md, STOREIND_L1.md, STOREIND_MMIO.md, LOADREG.md, STOREREG.md (WH), with the size of L1 of BH.
 * Inexact: others see a store in the next cycle, where the pages say that it takes some time. A LOADREG of a local
 * memory that is being cleared after reset does not wait until that is done; it sees the same value. */
#include <string.h>

#include "base/order.h"
#include "isa/memmap.h"
#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

#define MMIO_BASE 0xFFB00000u

/* Returns the first GPR of an access. 16 bytes are four aligned GPRs. */
static unsigned first_gpr(unsigned index, unsigned bytes) {
    return bytes == 16 ? index & 0x3C : index;
}

/* Occupies the unit, and keeps the thread's memory pipeline busy until the store is done. */
static void finish_store(struct tensix *x, unsigned thread, uint64_t now, struct scalar_cycles cycles) {
    uint64_t left = scalar_occupy(x, thread, now, cycles.occupancy);
    tensix_busy_until(x, thread, TENSIX_BUSY_MEMORY, left + cycles.latency - cycles.occupancy);
}

/* Returns when a load lands that is delayed (bh_vary). Loads of a thread still land in order. */
static uint64_t delayed_load(struct tensix *x, unsigned thread, uint64_t now, uint64_t time) {
    uint64_t before = x->thread[thread].busy[TENSIX_BUSY_MEMORY];
    return later(time + tensix_draw(x, BH_DELAY_LOAD, thread, thread, now), before);
}

/* Lands a value of some bytes in GPRs. */
static void finish_load(struct tensix *x, unsigned thread, uint64_t now, struct scalar_cycles cycles, unsigned gpr,
                        const void *value, unsigned size) {
    uint64_t time = now + cycles.latency;
    if (BH_UNLIKELY(x->vary != NULL))
        time = delayed_load(x, thread, now, time);
    tensix_land(x, time, landing_key(TENSIX_LAND_GPR, thread, gpr, size), value, size);
    tensix_busy_until(x, thread, TENSIX_BUSY_MEMORY, time);
    scalar_occupy(x, thread, now, cycles.occupancy);
}

/* ---- L1 ------------------------------------------------------------------------------------------- */

uint64_t execute_LOADIND(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_LOADIND op = tensix_decode_LOADIND(word);
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    uint32_t address = scalar_l1_address(x, thread, op.AddrRegIndex, op.OffsetIndex);
    again = scalar_check_l1(x, thread, word, address, now);
    if (again)
        return again;
    uint8_t size = scalar_bytes[op.SizeSel];
    scalar_increment(x, thread, op.OffsetIndex, op.AutoIncSpec);
    finish_load(x, thread, now, SCALAR_CYCLES(LOADIND), first_gpr(op.DataRegIndex, size),
                &x->l1[address & ~(size - 1u)], size);
    return TENSIX_PASSED;
}

/* The increment of the address comes first: if it changes the GPRs with the data, the store sees the new values. */
static uint64_t store_l1(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STOREIND op = tensix_decode_STOREIND(word);
    uint32_t address = scalar_l1_address(x, thread, op.AddrRegIndex, op.OffsetIndex);
    uint8_t size = scalar_bytes[op.SizeSel << 1 | op.RegSizeSel];
    uint64_t again = scalar_check_l1(x, thread, word, address, now);
    if (again)
        return again;
    scalar_increment(x, thread, op.OffsetIndex, op.AutoIncSpec);
    scalar_store_l1(x, address & ~(size - 1u), &x->gpr[thread][first_gpr(op.DataRegIndex, size)], size, now);
    finish_store(x, thread, now, SCALAR_CYCLES(STOREIND));
    return TENSIX_PASSED;
}

/* ---- Registers and local memories --------------------------------------------------------------------- */

static uint64_t check_mmio(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now) {
    uint32_t first = memmap[MEMMAP_ROW_TDMA].base;
    if (address >= first)
        return TENSIX_PASSED;
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, address, now,
                        "address 0x%08x is below 0x%08x, the first one that the Scalar Unit reaches", address, first);
}

static uint64_t outcome(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now,
                        struct access access) {
    switch (access.result) {
    case ACCESS_DONE: return TENSIX_PASSED;
    case ACCESS_WAIT: return scalar_stay(x, thread, now, access.wait);
    default:
        return tensix_fault(x, thread, access.kind, word, address, now, "address 0x%08x: %s", address, access.text);
    }
}

static uint64_t write_mmio(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, uint32_t address,
                           uint32_t value, struct scalar_cycles cycles) {
    uint64_t again = check_mmio(x, thread, word, address, now);
    if (again)
        return again;
    tensix_end_batch(x);
    again = outcome(x, thread, word, address, now, x->port->write(x->owner, address, now, value));
    if (again)
        return again;
    finish_store(x, thread, now, cycles);
    return TENSIX_PASSED;
}

/* The increment of the address comes last: the store sees the old values. */
static uint64_t store_mmio(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STOREIND op = tensix_decode_STOREIND(word);
    const uint32_t *gpr = x->gpr[thread];
    if (op.RegSizeSel)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "a store to a register with bit 21 (RegSizeSel) set is undefined");
    uint32_t offset = gpr[op.AddrRegIndex] + (tensix_half(x, thread, op.OffsetIndex) >> 4);
    uint64_t again =
        write_mmio(x, thread, word, now, MMIO_BASE + (offset & 0xFFFFC), gpr[op.DataRegIndex], SCALAR_CYCLES(STOREIND));
    if (again)
        return again;
    scalar_increment(x, thread, op.OffsetIndex, op.AutoIncSpec);
    return TENSIX_PASSED;
}

uint64_t execute_STOREIND(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STOREIND op = tensix_decode_STOREIND(word);
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    if (op.MemHierSel)
        return store_l1(x, thread, word, now);
    return op.SizeSel ? store_mmio(x, thread, word, now) : scalar_store_src(x, thread, word, now);
}

uint64_t execute_STOREREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STOREREG op = tensix_decode_STOREREG(word);
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    return write_mmio(x, thread, word, now, MMIO_BASE + op.RegAddr * 4, x->gpr[thread][op.TdmaDataRegIndex],
                      SCALAR_CYCLES(STOREREG));
}

uint64_t execute_LOADREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_LOADREG op = tensix_decode_LOADREG(word);
    uint32_t address = MMIO_BASE + op.RegAddr * 4;
    uint32_t value = 0;
    uint64_t again = scalar_holds(x, thread, now);
    if (!again)
        again = check_mmio(x, thread, word, address, now);
    if (again)
        return again;
    tensix_end_batch(x);
    again = outcome(x, thread, word, address, now, x->port->read(x->owner, address, now, &value));
    if (again)
        return again;
    finish_load(x, thread, now, SCALAR_CYCLES(LOADREG), op.TdmaDataRegIndex, &value, sizeof value);
    return TENSIX_PASSED;
}
