/* Arithmetic of the Scalar Unit: GPR = GPR op GPR, or GPR op constant. An instruction takes three cycles; four if it
 * reads two GPRs that are not in the same aligned group of four, since the right operand is then read a cycle later. No
 * page says so, but tt-llk steps through L1 with RDCFG directly followed by ADDDMAREG in this form
 * (llk_unpack_AB_matmul.h), and that works. Sources: ADDDMAREG.md, SUBDMAREG.md, MULDMAREG.md, BITWOPDMAREG.md,
 * SHIFTDMAREG.md, CMPDMAREG.md (WH). */
#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

typedef uint32_t operation(uint32_t left, uint32_t right);

static uint32_t add(uint32_t left, uint32_t right) {
    return left + right;
}

static uint32_t subtract(uint32_t left, uint32_t right) {
    return left - right;
}

static uint32_t multiply(uint32_t left, uint32_t right) {
    return (left & 0xFFFF) * (right & 0xFFFF);
}

static uint32_t bits_and(uint32_t left, uint32_t right) {
    return left & right;
}

static uint32_t bits_or(uint32_t left, uint32_t right) {
    return left | right;
}

static uint32_t bits_xor(uint32_t left, uint32_t right) {
    return left ^ right;
}

static uint32_t shift_left(uint32_t left, uint32_t right) {
    return left << (right & 31);
}

static uint32_t shift_right(uint32_t left, uint32_t right) {
    return left >> (right & 31);
}

static uint32_t greater(uint32_t left, uint32_t right) {
    return left > right;
}

static uint32_t less(uint32_t left, uint32_t right) {
    return left < right;
}

static uint32_t equal(uint32_t left, uint32_t right) {
    return left == right;
}

/* Returns the newest queued result for the GPR that lands by `time`, or NULL. Only RDCFG has such results here. */
static struct tensix_landing *on_its_way(struct tensix *x, unsigned thread, unsigned gpr, uint64_t time) {
    for (unsigned i = x->landings; i-- > 0;) {
        struct tensix_landing *l = tensix_landing_place(x, i);
        if (l->where == TENSIX_LAND_GPR && l->owner == thread && l->index == gpr && l->size == 4 && l->time <= time)
            return l;
    }
    return NULL;
}

static uint32_t second_read(struct tensix *x, unsigned thread, unsigned gpr, uint64_t now) {
    const struct tensix_landing *late = on_its_way(x, thread, gpr, now + TENSIX_PART_SECOND_READ);
    return late ? late->value[0] : x->gpr[thread][gpr];
}

/* Writes the result now. A queued result that would land in the GPR before `time` is given the same value, so that it
 * cannot overwrite this one. */
static void put(struct tensix *x, unsigned thread, unsigned gpr, uint32_t value, uint64_t time) {
    struct tensix_landing *before = on_its_way(x, thread, gpr, time);
    if (before)
        before->value[0] = value;
    x->gpr[thread][gpr] = value;
}

/* Executes one of the six instructions, which share this layout. operate: NULL if the mode has no operation. */
static uint64_t execute(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, struct scalar_cycles cycles,
                        operation *operate) {
    struct tensix_ADDDMAREG op = tensix_decode_ADDDMAREG(word);
    const uint32_t *gpr = x->gpr[thread];
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    if (!operate)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now, "a mode (OpSel) that has no operation");
    bool one_read = op.OpBisConst || op.OpARegIndex / 4 == op.OpBRegIndex / 4;
    unsigned more = one_read ? 0 : TENSIX_PART_SECOND_READ;
    uint32_t right = op.OpBisConst ? op.OpBRegIndex
                     : one_read    ? gpr[op.OpBRegIndex]
                                   : second_read(x, thread, op.OpBRegIndex, now);
    put(x, thread, op.ResultRegIndex, operate(gpr[op.OpARegIndex], right), now + cycles.latency + more);
    scalar_occupy(x, thread, now, cycles.occupancy + more);
    return TENSIX_PASSED;
}

uint64_t execute_ADDDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return execute(x, thread, word, now, SCALAR_CYCLES(ADDDMAREG), add);
}

uint64_t execute_SUBDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return execute(x, thread, word, now, SCALAR_CYCLES(SUBDMAREG), subtract);
}

uint64_t execute_MULDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return execute(x, thread, word, now, SCALAR_CYCLES(MULDMAREG), multiply);
}

uint64_t execute_BITWOPDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    static operation *const modes[8] = { bits_and, bits_or, bits_xor };
    return execute(x, thread, word, now, SCALAR_CYCLES(BITWOPDMAREG), modes[tensix_decode_BITWOPDMAREG(word).OpSel]);
}

uint64_t execute_SHIFTDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    static operation *const modes[8] = { shift_left, shift_right };
    return execute(x, thread, word, now, SCALAR_CYCLES(SHIFTDMAREG), modes[tensix_decode_SHIFTDMAREG(word).OpSel]);
}

uint64_t execute_CMPDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    static operation *const modes[8] = { greater, less, equal };
    return execute(x, thread, word, now, SCALAR_CYCLES(CMPDMAREG), modes[tensix_decode_CMPDMAREG(word).OpSel]);
}
