/* Atomics on L1.
 *
 * ATINCGET and ATSWAP leave the unit at once; two can be in flight, which gives the documented rate of one in twelve
 * cycles. ATCAS and ATINCGETPTR make an attempt every 15 cycles and stay in the unit until one succeeds. A failed
 * attempt would fail again until a write changes the 16 bytes in L1, or the GPR that has their address. So the next
 * attempt that is really executed is the first one after such a write (scalar_look_again), in the same 15-cycle grid.
 *
 * Sources: ATINCGET.md, ATINCGETPTR.md, ATSWAP.md, ATCAS.md (WH). Assumed: an attempt looks at L1 in its first
 * cycle. */
#include <string.h>

#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

static uint32_t l1_word(const struct tensix *x, uint32_t address) {
    uint32_t value;
    memcpy(&value, &x->l1[address], sizeof value);
    return value;
}

/* Returns 0 if an atomic of the thread can start; else holds it or faults, and returns as a handler does. Faults for an
 * address outside L1, and for bit 23, which the pages describe only as 0. */
static uint64_t start(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now) {
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    if (word >> 23 & 1)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, address, now,
                            "an atomic with bit 23 (MemHierSel) set is undefined");
    return scalar_check_l1(x, thread, word, address, now);
}

/* ---- Sent and forgotten -------------------------------------------------------------------------- */

static uint64_t *first_free_slot(struct scalar *scalar) {
    uint64_t *slot = scalar->atomic_free;
    return slot[1] < slot[0] ? &slot[1] : &slot[0];
}

/* Returns 0 if a slot will be free when the request leaves the unit; else holds the word and returns as a handler
 * does. */
static uint64_t slots_full(struct tensix *x, unsigned thread, uint64_t now, struct scalar_cycles cycles) {
    uint64_t free_at = *first_free_slot(&x->scalar);
    if (free_at <= now + cycles.occupancy)
        return TENSIX_PASSED;
    return tensix_hold(x, thread, free_at - cycles.occupancy, WAIT_SCALAR_ATOMICS);
}

static void send(struct tensix *x, unsigned thread, uint64_t now, struct scalar_cycles cycles) {
    *first_free_slot(&x->scalar) = now + cycles.latency;
    tensix_busy_until(x, thread, TENSIX_BUSY_MEMORY, now + cycles.latency);
    scalar_occupy(x, thread, now, cycles.occupancy);
}

static void return_word(struct tensix *x, unsigned thread, unsigned gpr, uint32_t value, uint64_t time) {
    tensix_land_word(x, time, landing_key(TENSIX_LAND_GPR, thread, gpr, 4), value);
}

/* Adds to the bits of a word that are in the mask, which covers the low ones. Returns the old word. */
static uint32_t add_to_word(struct tensix *x, uint32_t address, uint32_t amount, uint32_t mask, uint64_t now) {
    uint32_t old = l1_word(x, address);
    uint32_t value = ((old + amount) & mask) | (old & ~mask);
    scalar_store_l1(x, address, &value, sizeof value, now);
    return old;
}

uint64_t execute_ATINCGET(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_ATINCGET op = tensix_decode_ATINCGET(word);
    uint32_t address = x->gpr[thread][op.AddrRegIndex] * 16 + op.Sel32b * 4;
    uint64_t again = start(x, thread, word, address, now);
    if (!again)
        again = slots_full(x, thread, now, SCALAR_CYCLES(ATINCGET));
    if (again)
        return again;
    uint32_t mask = (UINT32_C(2) << op.WrapVal) - 1;
    uint32_t old = add_to_word(x, address, x->gpr[thread][op.DataRegIndex], mask, now);
    return_word(x, thread, op.DataRegIndex, old, now + TENSIX_LATENCY_ATINCGET);
    send(x, thread, now, SCALAR_CYCLES(ATINCGET));
    return TENSIX_PASSED;
}

/* SwapMask selects 16-bit parts of the 16 bytes. With its bit 8, the data are zeros except for one GPR in its own
 * position. */
uint64_t execute_ATSWAP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_ATSWAP op = tensix_decode_ATSWAP(word);
    uint32_t address = x->gpr[thread][op.AddrRegIndex] * 16;
    uint32_t data[4] = { 0 };
    uint64_t again = start(x, thread, word, address, now);
    if (!again)
        again = slots_full(x, thread, now, SCALAR_CYCLES(ATSWAP));
    if (again)
        return again;
    if (op.SwapMask >> 8 & 1)
        data[op.DataRegIndex & 3] = x->gpr[thread][op.DataRegIndex];
    else
        memcpy(data, &x->gpr[thread][op.DataRegIndex & 0x3C], sizeof data);
    for (unsigned i = 0; i < 8; i++)
        if (op.SwapMask >> i & 1)
            scalar_store_l1(x, address + 2 * i, (const uint8_t *)data + 2 * i, 2, now);
    send(x, thread, now, SCALAR_CYCLES(ATSWAP));
    return TENSIX_PASSED;
}

/* ---- Retried ------------------------------------------------------------------------------------- */

/* Cycles between two attempts, the same for both instructions. */
enum { ATTEMPT = TENSIX_OCCUPANCY_ATCAS };
_Static_assert((int)TENSIX_OCCUPANCY_ATINCGETPTR == (int)ATTEMPT, "");
_Static_assert((int)TENSIX_LATENCY_ATCAS == (int)ATTEMPT && (int)TENSIX_LATENCY_ATINCGETPTR == (int)ATTEMPT,
               "the last attempt ends with the result");

static uint64_t first_attempt_from(const struct scalar *scalar, uint64_t time) {
    BH_ASSERT(scalar->owner != SCALAR_NOBODY && scalar->last_try >= scalar->first_try);
    if (time <= scalar->last_try)
        time = scalar->last_try + 1;
    uint64_t attempts = (time - scalar->last_try + ATTEMPT - 1) / ATTEMPT;
    return scalar->last_try + attempts * ATTEMPT;
}

/* Returns 0 if an attempt is due now. Otherwise another event than its own has woken the word: holds it until its next
 * attempt. */
static uint64_t between_attempts(struct tensix *x, unsigned thread, uint64_t now) {
    const struct scalar *scalar = &x->scalar;
    if (scalar->owner != thread)
        return TENSIX_PASSED;
    enum wait why = (enum wait)x->thread[thread].waits_on;
    uint64_t at = scalar->next_try > now ? scalar->next_try : first_attempt_from(scalar, now);
    return at > now ? tensix_hold(x, thread, at, why ? why : WAIT_ATOMIC_ATTEMPT) : TENSIX_PASSED;
}

/* Returns 0 if the instruction can make an attempt now; else holds it and returns as a handler does. An attempt that a
 * soft reset of the unit prevents counts as made. */
static uint64_t begin_attempt(struct tensix *x, unsigned thread, uint32_t word, uint32_t address, uint64_t now) {
    uint64_t again = between_attempts(x, thread, now);
    if (again)
        return again;
    again = start(x, thread, word, address, now);
    if (again && x->scalar.owner == thread)
        x->scalar.last_try = now;
    return again;
}

/* Returns the cycle in which the next result lands in a GPR of the thread, since that may change the address. */
static uint64_t next_result(struct tensix *x, unsigned thread) {
    for (unsigned i = 0; i < x->landings; i++) {
        const struct tensix_landing *landing = tensix_landing_place(x, i);
        if (landing->where == TENSIX_LAND_GPR && landing->owner == thread)
            return landing->time;
    }
    return TENSIX_NEVER;
}

static uint64_t fail(struct tensix *x, unsigned thread, uint32_t address, uint64_t now, enum wait why) {
    uint64_t result = next_result(x, thread);
    scalar_stay(x, thread, now, why);
    x->scalar.last_try = now;
    if (result != TENSIX_NEVER)
        x->scalar.next_try = first_attempt_from(&x->scalar, result);
    x->port->watch_l1(x->owner, address & ~15u, 16);
    return x->scalar.next_try;
}

/* Makes the attempt that begins now the last one. Returns the cycle in which it ends. */
static uint64_t succeed(struct tensix *x, unsigned thread, uint64_t now) {
    bool retried = x->scalar.owner == thread;
    if (retried) {
        x->scalar.first_try = now;
        x->port->watch_l1(x->owner, 0, 0);
    }
    uint64_t end = scalar_occupy(x, thread, now, ATTEMPT);
    tensix_busy_until(x, thread, TENSIX_BUSY_MEMORY, end);
    return end;
}

void scalar_look_again(struct tensix *x, uint64_t time) {
    struct scalar *scalar = &x->scalar;
    if (scalar->owner == SCALAR_NOBODY || x->thread[scalar->owner].faulted)
        return;
    struct tensix_thread *thread = &x->thread[scalar->owner];
    uint64_t at = first_attempt_from(scalar, time > x->time ? time : x->time);
    if (at < scalar->next_try || scalar->next_try <= scalar->last_try)
        scalar->next_try = at;
    if (tensix_clock(x, scalar->next_try) < thread->due)
        thread->due = tensix_clock(x, scalar->next_try);
    clock_other_event(x, thread->due);
}

void tensix_l1_written(struct tensix *x, uint32_t address, uint32_t size, uint64_t time) {
    (void)address, (void)size;
    scalar_look_again(x, time);
    clock_verify(x);
}

uint64_t execute_ATCAS(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_ATCAS op = tensix_decode_ATCAS(word);
    uint32_t address = x->gpr[thread][op.AddrRegIndex] * 16 + op.Sel32b * 4;
    uint64_t again = begin_attempt(x, thread, word, address, now);
    if (again)
        return again;
    if (l1_word(x, address) != op.CmpVal)
        return fail(x, thread, address, now, WAIT_ATCAS);
    succeed(x, thread, now);
    scalar_store_l1(x, address, &op.SwapVal, 4, now);
    return TENSIX_PASSED;
}

/* Returns what the instruction has to wait for. Two words in L1 are the read and the write pointer of a FIFO. An odd
 * Sel32b pushes, an even one pops. */
static enum wait fifo_waits(const struct tensix *x, uint32_t address, unsigned select, unsigned width) {
    uint32_t size = l1_word(x, address + 4) - l1_word(x, address);
    uint32_t capacity = width ? UINT32_C(1) << (width - 1) : 0x8000;
    if (!(select & 1))
        return size == 0 ? WAIT_ATINCGETPTR_ELEMENT : WAIT_NONE;
    return size != 0 && size % capacity == 0 ? WAIT_ATINCGETPTR_ROOM : WAIT_NONE;
}

uint64_t execute_ATINCGETPTR(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_ATINCGETPTR op = tensix_decode_ATINCGETPTR(word);
    uint32_t address = x->gpr[thread][op.AddrRegIndex] * 16;
    uint64_t again = begin_attempt(x, thread, word, address, now);
    if (again)
        return again;
    enum wait why = fifo_waits(x, address, op.Sel32b, op.WrapVal);
    if (why)
        return fail(x, thread, address, now, why);
    uint64_t end = succeed(x, thread, now);
    uint32_t amount = op.NoIncr ? 0 : UINT32_C(1) << op.IncrVal;
    uint32_t mask = (UINT32_C(1) << op.WrapVal) - 1;
    return_word(x, thread, op.DataRegIndex, add_to_word(x, address + op.Sel32b * 4, amount, mask, now), end);
    return TENSIX_PASSED;
}
