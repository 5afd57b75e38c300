/* The slow paths of the interpreter: registers of the tile, atomics, CSRs, floating point, vectors. */
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/memmap.h"
#include "isa/push.h"
#include "isa/riscv.h"
#include "riscv/fpu.h"
#include "riscv/ops.h"
#include "riscv/rvv/vec.h"

/* Waits for the end of the sweep that clears local memory after a reset. */
static void wait_for_sweep(struct core *core) {
    if (core->ldm_ready > core_time(core))
        core->stalled += (int64_t)(core->ldm_ready - core_time(core));
    core->ldm_limit = core->ldm_size;
}

static bool is_misaligned(struct core *core, uint32_t address, unsigned size, const char *what) {
    if (!(address & (size - 1)))
        return false;
    core_fault(core, BH_FAULT_MISALIGNED, core_word(core, core->pc), address, "misaligned %u-byte %s at 0x%08x", size,
               what, address);
    return true;
}

/* Blocks the core if an access cannot complete. The core repeats the instruction when it wakes, unless it was put into
 * reset in the meantime. */
static enum bus_result block_if_waiting(struct core *core, uint32_t address, enum bus_result result) {
    if (BH_UNLIKELY(result == BUS_WAIT && !core->moved)) {
        core->state = BH_CORE_BLOCKED;
        core->waits_at = address;
        core->waited = core->retired + 1;
    }
    return result;
}

static enum bus_result load_register(struct core *core, uint32_t address, unsigned size, uint32_t *value,
                                     unsigned *latency) {
    enum bus_result result = core->port->load(core->owner, core, address, size, value, latency);
    if (BH_UNLIKELY(core->reports && result == BUS_OK))
        core->port->loaded(core->owner, core, address);
    return block_if_waiting(core, address, result);
}

static enum bus_result store_register(struct core *core, uint32_t address, unsigned size, uint32_t value) {
    enum bus_result result = core->port->store(core->owner, core, address, size, value);
    if (BH_UNLIKELY(core->reports && result == BUS_OK))
        core->port->stored(core->owner, core, address, value);
    return block_if_waiting(core, address, result);
}

/* Returns whether the address is below the registers of the tile, which follow local memory. */
static bool is_memory(uint32_t address) {
    return address < CORE_LDM_BASE + CORE_LDM_MAX;
}

/* Returns the bytes that a load through the L0 data cache reads. Sets *latency if the load hits. */
static const uint8_t *cached(struct core *core, uint32_t address, unsigned *latency) {
    const uint8_t *bytes = l0_find(&core->l0, address);
    if (bytes)
        *latency = CORE_LATENCY_LOCAL;
    else
        bytes = l0_fill(&core->l0, core->l1, address);
    if (!(core->cfg0 & CFG0_DIS_L0_FLUSH) && l0_count(&core->l0, 1))
        l0_flush(&core->l0);
    return bytes;
}

__attribute__((noinline)) static enum bus_result load_memory(struct core *core, uint32_t address, unsigned size,
                                                             uint32_t *value, unsigned *latency) {
    if (is_misaligned(core, address, size, "load"))
        return BUS_FAULT;
    if (address < core->l1_limit[0]) {
        *latency = CORE_LATENCY_L1;
        memcpy(value, core->caches ? cached(core, address, latency) : core->l1 + address, size);
        return BUS_OK;
    }
    if (address - CORE_LDM_BASE < core->ldm_size) {
        wait_for_sweep(core);
        memcpy(value, core->ldm + (address - CORE_LDM_BASE), size);
        *latency = CORE_LATENCY_LOCAL;
        return BUS_OK;
    }
    return load_register(core, address, size, value, latency);
}

enum bus_result slow_load(struct core *core, uint32_t address, unsigned size, uint32_t *value, unsigned *latency) {
    *value = 0;
    if (BH_UNLIKELY(is_memory(address) || address & (size - 1)))
        return load_memory(core, address, size, value, latency);
    return load_register(core, address, size, value, latency);
}

static inline void store_l1(struct core *core, uint32_t address, unsigned size, uint32_t value) {
    l0_drop(&core->l0, address);
    if (core->marks[address >> CORE_CODE_GRAIN])
        core->port->l1_store(core->owner, address, value, size, core_time(core));
    else
        memcpy(core->l1 + address, &value, size);
}

__attribute__((noinline)) static enum bus_result store_memory(struct core *core, uint32_t address, unsigned size,
                                                              uint32_t value) {
    if (is_misaligned(core, address, size, "store"))
        return BUS_FAULT;
    if (address < core->l1_limit[0]) {
        store_l1(core, address, size, value);
        return BUS_OK;
    }
    if (address - CORE_LDM_BASE < core->ldm_size) {
        wait_for_sweep(core);
        memcpy(core->ldm + (address - CORE_LDM_BASE), &value, size);
        return BUS_OK;
    }
    return store_register(core, address, size, value);
}

enum bus_result slow_store(struct core *core, uint32_t address, unsigned size, uint32_t value) {
    if (BH_UNLIKELY(is_memory(address) || address & (size - 1)))
        return store_memory(core, address, size, value);
    return store_register(core, address, size, value);
}

/* Decodes the slot. Returns whether it holds a .ttinsn, which counts as executed then. */
__attribute__((noinline)) static bool decode_ttinsn(struct core *core, struct rv_slot *slot) {
    uint32_t pc = (uint32_t)(slot - core->slots) * 4;
    if (slot->handler != OP_UNDECODED || pc >= core->l1_limit[0] || (core_word(core, pc) & 3) == 3 ||
        !core_word(core, pc))
        return false;
    predecode(core, slot);
    return (slot->handler & SLOT_OP_MASK) == OP_TTINSN;
}

static inline bool is_ttinsn(struct core *core, struct rv_slot *slot) {
    return BH_LIKELY((slot->handler & SLOT_OP_MASK) == OP_TTINSN) || decode_ttinsn(core, slot);
}

/* Counts the .ttinsn that follow each other from this slot on. Writes their number, and whether all of them are
 * plain, to the slot's rd. */
__attribute__((noinline)) static void measure_row(struct core *core, struct rv_slot *slot) {
    unsigned n = 0, plain = ROW_PLAIN;
    do
        plain = slot[n].rs1 ? plain : 0;
    while (++n < PUSH_ROW_MAX && is_ttinsn(core, slot + n));
    slot->rd = (uint8_t)(n | plain);
}

static inline struct slow_row push(struct core *core, const uint32_t *words, unsigned shape) {
    struct core_push pushed = core->port->push(core->owner, core, words, shape | PUSH_WAITS, core->pc, core_time(core));
    if (!pushed.count)
        block_if_waiting(core, memmap[MEMMAP_ROW_PUSH0].base, pushed.result);
    return (struct slow_row){ pushed.count, push_cycles(shape, pushed.count) };
}

/* The instruction caches of TRISCs fuse adjacent .ttinsn into groups. A group begins with whichever .ttinsn is executed
 * first (PushTensixInstruction.md; that fusion is greedy, wherever the words lie, is our reading). */
struct slow_row slow_push(struct core *core, struct rv_slot *slot) {
    if (BH_UNLIKELY(!slot->rd))
        measure_row(core, slot);
    return push(core, (const uint32_t *)&slot->imm, slow_shape(core, slot));
}

/* Returns the whole slot as a number. */
static inline uint64_t bits_of(const struct rv_slot *slot) {
    uint64_t bits;
    memcpy(&bits, slot, sizeof bits);
    return bits;
}

/* Pushes the datum of a store to the push window, and those of the stores to the same address that follow it, each in a
 * cycle of its own. A register that may not have been delivered yet ends the row. */
struct slow_row slow_push_stores(struct core *core, const struct rv_slot *slot) {
    uint32_t words[PUSH_ROW_MAX];
    const struct rv_slot same = { .handler = SLOT_OP_MASK | SLOT_WAIT, .rs1 = 0xFF, .imm = -1 };
    const struct rv_slot alike = { .handler = OP_SW, .rs1 = slot->rs1, .imm = slot->imm };
    const uint64_t mask = bits_of(&same), wanted = bits_of(&alike);
    unsigned n = 0;
    bool plain = true;
    do {
        uint32_t word = core->x[slot[n].rd];
        words[n] = word;
        plain &= tensix_is_plain(word);
    } while (++n < PUSH_ROW_MAX && (bits_of(&slot[n]) & mask) == wanted);
    return push(core, words, push_shape(n, 1, 1, plain));
}

struct slow_row slow_push_word(struct core *core, const struct rv_slot *slot) {
    uint32_t word = (slot->handler & SLOT_OP_MASK) == OP_TTINSN ? (uint32_t)slot->imm : core->x[slot->rd];
    return push(core, &word, PUSH_ONE);
}

void slow_push_one(struct core *core) {
    struct rv_slot *slot = core->slots + core->pc / 4;
    if (slot->handler == OP_UNDECODED)
        predecode(core, slot);
    uint32_t word = (slot->handler & SLOT_OP_MASK) == OP_TTINSN ? (uint32_t)slot->imm : core->x[slot->rd];
    struct slow_row row = push(core, &word, push_shape(1, 1, 1, tensix_is_plain(word)));
    core->pc += 4 * row.count;
    core->retired += row.count;
}

/* Drops slots that were decoded from an old block if the new block has replaced it. */
void slow_fill(struct core *core) {
    if (fetch_fill(&core->fetch, &core->code, core->l1))
        core_forget(core->slots, core->marks, core->fetch.replaced * FETCH_BLOCK, FETCH_BLOCK);
    if (core->port->code_cached)
        core->port->code_cached(core->owner, core);
}

bool slow_share_l1(struct core *core) {
    if (core->port->share_l1)
        return core->port->share_l1(core->owner, core);
    core->burst.present = burst_window(core_time(core)) + 1;
    return true;
}

/* funct5 of the Zaamo instructions. */
enum { AMO_ADD = 0, AMO_SWAP = 1, AMO_XOR = 4, AMO_OR = 8, AMO_AND = 12, AMO_MIN = 16, AMO_MAX = 20, AMO_MINU = 24 };

static uint32_t amo_result(unsigned function, uint32_t old, uint32_t operand) {
    switch (function) {
    case AMO_ADD: return old + operand;
    case AMO_SWAP: return operand;
    case AMO_XOR: return old ^ operand;
    case AMO_OR: return old | operand;
    case AMO_AND: return old & operand;
    case AMO_MIN: return (int32_t)old < (int32_t)operand ? old : operand;
    case AMO_MAX: return (int32_t)old > (int32_t)operand ? old : operand;
    case AMO_MINU: return old < operand ? old : operand;
    default: return old > operand ? old : operand; /* maxu */
    }
}

enum bus_result slow_amo(struct core *core, const struct rv_slot *slot) {
    uint32_t address = core->x[slot->rs1], operand = core->x[slot->imm & 31], old, result;
    if (is_misaligned(core, address, 4, "atomic"))
        return BUS_FAULT;
    if (address >= core->l1_limit[0]) {
        core_fault(core, BH_FAULT_UNMAPPED, core_word(core, core->pc), address,
                   "atomic at 0x%08x: atomics work on L1 only", address);
        return BUS_FAULT;
    }
    l0_flush(&core->l0);
    memcpy(&old, core->l1 + address, sizeof old);
    result = amo_result((unsigned)slot->imm >> 8, old, operand);
    core->x[slot->rd] = old;
    store_l1(core, address, sizeof result, result);
    core->stalled += RV_OCCUPANCY_AMO - 1;
    core->ready8[slot->rd] = 8 * (int64_t)(core_time(core) + RV_LATENCY_AMO - (RV_OCCUPANCY_AMO - 1));
    return BUS_OK;
}

static void csr_fault(struct core *core, uint32_t word, const char *what) {
    core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, "%s 0x%03x", what, word >> 20);
}

/* Executes csrrw, csrrs, csrrc and their immediate forms: funct3 1..3 and 5..7. */
enum bus_result slow_csr(struct core *core, uint32_t word) {
    unsigned csr = word >> 20, function = word >> 12 & 3, rs1 = word >> 15 & 31, rd = word >> 7 & 31;
    uint32_t operand = word >> 14 & 1 ? rs1 : core->x[rs1], old = 0, value;
    bool writes = function == 1 || rs1 != 0, reads = function != 1 || rd != 0;
    if (csr_shows_tile(core, csr) && !core->port->reach(core->owner, core))
        return BUS_LATER;
    if (!(reads ? csr_read(core, csr, &old) : csr_peek(core, csr, &old))) {
        csr_fault(core, word, "there is no CSR");
        return BUS_FAULT;
    }
    if (writes && core->in_interrupt) {
        core_fault(core, BH_FAULT_UNDEFINED, word, 0,
                   "write to CSR 0x%03x in an interrupt handler: it does not work on this hardware", csr);
        return BUS_FAULT;
    }
    value = function == 1 ? operand : function == 2 ? old | operand : old & ~operand;
    if (writes) {
        csr_write(core, csr, value);
        core->retired_base += csr_counts_instructions(csr); /* Zicsr 2.0: the next instruction reads what was written */
    }
    core->x[rd ? rd : 32] = old;
    return BUS_OK;
}

void slow_float(struct core *core, const struct rv_slot *slot) {
    uint32_t packed = (uint32_t)slot->imm;
    fpu_execute((enum rv_id)(packed & 0xFFFF), slot->rd, slot->rs1, (uint8_t)(packed >> 16 & 31),
                (uint8_t)(packed >> 24), core->x, core->f, core->cfg0, &core->fcsr);
}

static enum bus_result vector_load(void *owner, uint32_t address, unsigned size, uint32_t *value) {
    struct core *core = owner;
    unsigned latency;
    enum bus_result result = slow_load(core, address, size, value, &latency);
    if (BH_UNLIKELY(core->reports & CORE_REPORTS_HAZARDS && address < core->l1_limit[0] && result == BUS_OK))
        core->port->loaded(core->owner, core, address);
    return result;
}

static enum bus_result vector_store(void *owner, uint32_t address, unsigned size, uint32_t value) {
    struct core *core = owner;
    enum bus_result result = slow_store(core, address, size, value);
    if (BH_UNLIKELY(core->reports & CORE_REPORTS_HAZARDS && address < core->l1_limit[0] && result == BUS_OK))
        core->port->stored(core->owner, core, address, value);
    return result;
}

/* Returns whether a load would fault. Memory, and registers that can be read without side effects, do not fault.
 * Registers whose reads have side effects count as faulting, so that a fault-only-first load ends before them. */
static bool vector_load_faults(void *owner, uint32_t address, unsigned size) {
    const struct core *core = owner;
    uint32_t value;
    unsigned latency;
    if (address & (size - 1))
        return true;
    if (address < core->l1_limit[0] || address - CORE_LDM_BASE < core->ldm_size)
        return false;
    return !core->port->peek(core->owner, core, address, size, &value, &latency);
}

enum bus_result slow_vector(struct core *core, uint32_t word, unsigned *cycles) {
    const struct vec_port port = {
        .owner = core, .load = vector_load, .store = vector_store, .load_faults = vector_load_faults
    };
    if (core->id != BH_TRISC2) {
        core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, "vector instruction 0x%08x: only trisc2 has them",
                   word);
        return BUS_FAULT;
    }
    switch (vec_execute(&core->vec, &port, word, core->x, core->f, core->cfg0, &core->fcsr, cycles)) {
    case VEC_DONE: return BUS_OK;
    case VEC_WAIT: return BUS_WAIT;
    case VEC_FAULT: return BUS_FAULT;
    default: break;
    }
    core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, "reserved vector instruction 0x%08x with vtype 0x%x", word,
               core->vec.vtype);
    return BUS_FAULT;
}

/* A division occupies EX1: two cycles for easy cases, else six to 33 depending on the magnitude of the dividend
 * (BabyRISCV/README.md). Measured: 14 cycles for 12 bits and 33 for 29. That bits count in steps of four is our reading
 * of these. */
unsigned slow_divide_cycles(uint32_t dividend, uint32_t divisor, bool is_signed) {
    unsigned bits, cycles;
    if (divisor <= 1 || (is_signed && dividend == 0x80000000 && divisor == UINT32_MAX))
        return RV_OCCUPANCY_DIV;
    if (is_signed && (int32_t)dividend < 0)
        dividend = 0 - dividend;
    bits = dividend ? 32 - (unsigned)__builtin_clz(dividend) : 1;
    cycles = (bits + RV_PART_DIV_STEP - 1) / RV_PART_DIV_STEP * RV_PART_DIV_STEP + RV_PART_DIV_MORE;
    return cycles < RV_PART_DIV_MOST ? cycles : RV_PART_DIV_MOST;
}
