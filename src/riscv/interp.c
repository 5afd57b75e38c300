/* The interpreter: runs the decoded slots of one core until a time limit.
 *
 * Time. Each instruction takes one cycle and slots are eight bytes apart, so that within straight code the core's time
 * is a pointer difference: time = (slot - origin) / 8. A taken branch moves origin along with slot; a stall moves
 * origin back. Only what looks at the time computes it. The limit is looked at on taken branches and at one word in 32.
 *
 * Costs (BabyRISCV/README.md): loads deliver after 2 (local memory) or 8 cycles (L1) and their users wait, multiplies
 * after 2; a mispredicted branch costs 4 more; divides occupy EX1; L1 stores that do not merge leave the four-entry queue
 * every 5 cycles. What no page gives is in docs/timing.md.
 *
 * Computed goto and label addresses are GNU extensions; they are worth a third of the speed here.
 */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "riscv/ops.h"

#pragma GCC diagnostic ignored "-Wpedantic"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the interpreter reads guest memory in host byte order, which must be little-endian"
#endif

enum {
    STORE_INTERVAL = 5, /* cycles between two L1 stores that leave the queue */
    STORE_QUEUE = 4,
};

_Static_assert(sizeof(struct rv_slot) == 8, "time is a difference of slot addresses");

static inline uint32_t load_u8(const uint8_t *p) {
    return *p;
}
static inline uint32_t load_i8(const uint8_t *p) {
    return (uint32_t)(int32_t)(int8_t)*p;
}
static inline uint32_t load_u16(const uint8_t *p) {
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return value;
}
static inline uint32_t load_i16(const uint8_t *p) {
    return (uint32_t)(int32_t)(int16_t)load_u16(p);
}
static inline uint32_t load_u32(const uint8_t *p) {
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}
static inline void store_8(uint8_t *p, uint32_t value) {
    *p = (uint8_t)value;
}
static inline void store_16(uint8_t *p, uint32_t value) {
    uint16_t half = (uint16_t)value;
    memcpy(p, &half, sizeof half);
}
static inline void store_32(uint8_t *p, uint32_t value) {
    memcpy(p, &value, sizeof value);
}

/* True if address is below limit and a multiple of 2^shift: the low bits are rotated to the top. */
static inline bool inside(uint32_t address, uint32_t limit, unsigned shift) {
    return bits_rotate_right(address, shift) < limit >> shift;
}

static inline uint32_t extend(uint32_t value, unsigned size, bool sign) {
    if (size == 4 || !sign)
        return value;
    return (uint32_t)bits_sign_extend(value, size * 8);
}

static inline uint32_t high_product(int64_t a, int64_t b) {
    return (uint32_t)((uint64_t)(a * b) >> 32);
}

static inline uint32_t divide(int32_t a, int32_t b) {
    if (b == 0)
        return UINT32_MAX;
    return b == -1 ? 0u - (uint32_t)a : (uint32_t)(a / b);
}

static inline uint32_t remainder_of(int32_t a, int32_t b) {
    if (b == 0)
        return (uint32_t)a;
    return b == -1 ? 0 : (uint32_t)(a % b);
}

/* Each byte becomes all ones if it is not zero. */
static inline uint32_t or_combine(uint32_t value) {
    value |= value >> 1 & 0x7F7F7F7F;
    value |= value >> 2 & 0x3F3F3F3F;
    value |= value >> 4 & 0x0F0F0F0F;
    return (value & 0x01010101) * 0xFF;
}

/* Generalised reversal: swaps neighbours of 2^i bits for each bit i of distance. */
static uint32_t reverse(uint32_t value, uint32_t distance) {
    static const uint32_t low[5] = { 0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF };
    for (unsigned i = 0; i < 5; i++)
        if (distance >> i & 1)
            value = (value & low[i]) << (1 << i) | (value >> (1 << i) & low[i]);
    return value;
}

/* The store queue: four entries; one that cannot merge leaves every five cycles. Stores merge with the last one if they
 * lie in the same 16 bytes and start within four bytes of it. */
static inline bool store_merges(const struct core *core, uint32_t address, uint64_t now) {
    return core->store_free > now && (address ^ core->store_last) < 16 && address - core->store_last + 4 <= 8;
}

/* How long the core has to wait before this store to L1 finds room. */
static inline uint64_t store_wait(const struct core *core, uint32_t address, uint64_t now) {
    uint64_t room = now + STORE_INTERVAL * (STORE_QUEUE - 1);
    return core->store_free > room && !store_merges(core, address, now) ? core->store_free - room : 0;
}

static inline void store_enqueue(struct core *core, uint32_t address, uint64_t now) {
    if (!store_merges(core, address, now))
        core->store_free = (core->store_free > now ? core->store_free : now) + STORE_INTERVAL;
    core->store_last = address;
}

/* The register that the second source of an operation is in. */
static inline unsigned second_source(const struct rv_slot *slot) {
    unsigned op = slot->handler & SLOT_OP_MASK;
    return (op >= OP_ADD && op <= OP_PACK) || op == OP_AMO ? (unsigned)slot->imm & 31 : slot->rd;
}

/* Instructions that drain the pipeline (CSRs.md, DisCsrSync): when everything under way has been delivered. */
static int64_t pipeline_empty8(const struct core *core) {
    int64_t latest = 0;
    for (unsigned i = 1; i < 32; i++)
        if (core->ready8[i] > latest)
            latest = core->ready8[i];
    return latest;
}

/* The body below is one function because computed gotos cannot leave it. */
void core_run(struct core *restrict core, uint64_t limit, bool lockstep) {
    static const void *const paced[SLOT_END] = {
#define OP(name, second) [OP_##name] = &&L_##name,
#include "riscv/ops.def"
        [OP_COUNT ... SLOT_WAIT_FIRST - 1] = &&L_FAULT,
        [SLOT_WAIT_FIRST ... SLOT_WAIT_SECOND - 1] = &&wait_first,
        [SLOT_WAIT_SECOND ... SLOT_CHECK - 1] = &&wait_second,
        [SLOT_CHECK ... SLOT_END - 1] = &&check,
    };
    static const void *const stepped[SLOT_END] = { [0 ... SLOT_END - 1] = &&check };

    const void *const *const table = lockstep ? stepped : paced;
    const int64_t limit8 = (int64_t)(limit * 8);
    uint32_t *const x = core->x;
    uint8_t *const l1 = core->l1;
    const uint8_t *const marks = core->marks;
    uint64_t stalled8 = core->stalled * 8;
    struct rv_slot *slot;
    const char *origin;
    uint32_t address, value;
    unsigned latency, size;
    bool sign;

    if (core->state != BH_CORE_RUNNING || core_time(core) >= limit)
        return;
    core->preempted = core->moved = false;
    if (BH_UNLIKELY(!inside(core->pc, CORE_L1_SIZE, 2))) {
        predecode_fault(core, core->pc);
        return;
    }
    slot = core->slots + core->pc / 4;
    origin = (const char *)slot - 8 * core_time(core);

#define TIME8() ((const char *)slot - origin)
#define NOW() ((uint64_t)TIME8() / 8)
#define PC() ((uint32_t)(slot - core->slots) * 4)
#define RS1 x[slot->rs1]
#define RS2 x[slot->imm] /* register to register */
#define DISPATCH() goto *table[slot->handler]
#define NEXT() \
    do { \
        slot++; \
        DISPATCH(); \
    } while (0)
#define STALL8(eighths) \
    do { \
        int64_t stall_ = (eighths); \
        stalled8 += (uint64_t)stall_; \
        origin -= stall_; \
    } while (0)
#define STALL(cycles) STALL8(8 * (int64_t)(cycles))
/* Brings the core's own idea of pc and time up to date, before anyone else looks at it. */
#define SYNC() \
    do { \
        core->pc = PC(); \
        core->stalled = stalled8 / 8; \
        core->retired = NOW() - stalled8 / 8; \
    } while (0)
/* And back, after slow paths that may have let time pass. */
#define RESUME() \
    do { \
        stalled8 = core->stalled * 8; \
        origin = (const char *)slot - 8 * core_time(core); \
    } while (0)
/* Go on at target_slot, one cycle later. */
#define JUMP(target_slot) \
    do { \
        struct rv_slot *target_ = (target_slot); \
        origin += (const char *)target_ - (const char *)(slot + 1); \
        slot = target_; \
        if (BH_UNLIKELY(TIME8() >= limit8)) \
            goto out; \
        DISPATCH(); \
    } while (0)
#define BRANCH_TARGET() ((struct rv_slot *)(void *)((char *)slot + 2 * (int64_t)slot->imm))
#define SET(expression) \
    do { \
        x[slot->rd] = (expression); \
        NEXT(); \
    } while (0)

    DISPATCH();

check:
    if (BH_UNLIKELY(TIME8() >= limit8))
        goto out;
    goto *paced[slot->handler & (SLOT_CHECK - 1)];

wait_second: { /* and perhaps the first */
    int64_t late8 = core->ready8[second_source(slot)] - TIME8();
    if (late8 > 0)
        STALL8(late8);
    if (!(slot->handler & SLOT_WAIT_FIRST))
        goto waited;
}
wait_first: {
    int64_t late8 = core->ready8[slot->rs1] - TIME8();
    if (late8 > 0)
        STALL8(late8);
}
waited: /* others may come first now */
    if (BH_UNLIKELY(TIME8() >= limit8))
        goto out;
    goto *paced[slot->handler & SLOT_OP_MASK];

L_UNDECODED:
    predecode(core, slot);
    DISPATCH();

L_FAULT:
    SYNC();
    predecode_fault(core, core->pc);
    return;

L_NOP: NEXT();
L_LI: SET((uint32_t)slot->imm);
L_ADDI: SET(RS1 + (uint32_t)slot->imm);
L_SLTI: SET((int32_t)RS1 < slot->imm);
L_SLTIU: SET(RS1 < (uint32_t)slot->imm);
L_XORI: SET(RS1 ^ (uint32_t)slot->imm);
L_ORI: SET(RS1 | (uint32_t)slot->imm);
L_ANDI: SET(RS1 & (uint32_t)slot->imm);
L_SLLI: SET(RS1 << slot->imm);
L_SRLI: SET(RS1 >> slot->imm);
L_SRAI: SET((uint32_t)((int32_t)RS1 >> slot->imm));
L_RORI: SET(bits_rotate_right(RS1, (unsigned)slot->imm));
L_ADD: SET(RS1 + RS2);
L_SUB: SET(RS1 - RS2);
L_SLL: SET(RS1 << (RS2 & 31));
L_SLT: SET((int32_t)RS1 < (int32_t)RS2);
L_SLTU: SET(RS1 < RS2);
L_XOR: SET(RS1 ^ RS2);
L_SRL: SET(RS1 >> (RS2 & 31));
L_SRA: SET((uint32_t)((int32_t)RS1 >> (RS2 & 31)));
L_OR: SET(RS1 | RS2);
L_AND: SET(RS1 & RS2);

#define MULTIPLY(expression) \
    do { \
        value = (expression); \
        core->ready8[slot->rd] = TIME8() + 8 * CORE_LATENCY_MULTIPLY; \
        SET(value); \
    } while (0)
L_MUL: MULTIPLY(RS1 * RS2);
L_MULH: MULTIPLY(high_product((int32_t)RS1, (int32_t)RS2));
L_MULHSU: MULTIPLY(high_product((int32_t)RS1, (int64_t)RS2));
L_MULHU: MULTIPLY((uint32_t)((uint64_t)RS1 * RS2 >> 32));

#define DIVIDE(is_signed, expression) \
    do { \
        STALL(slow_divide_cycles(RS1, RS2, is_signed) - 1); \
        SET(expression); \
    } while (0)
L_DIV: DIVIDE(true, divide((int32_t)RS1, (int32_t)RS2));
L_DIVU: DIVIDE(false, RS2 ? RS1 / RS2 : UINT32_MAX);
L_REM: DIVIDE(true, remainder_of((int32_t)RS1, (int32_t)RS2));
L_REMU: DIVIDE(false, RS2 ? RS1 % RS2 : RS1);

L_SH1ADD: SET((RS1 << 1) + RS2);
L_SH2ADD: SET((RS1 << 2) + RS2);
L_SH3ADD: SET((RS1 << 3) + RS2);
L_ANDN: SET(RS1 & ~RS2);
L_ORN: SET(RS1 | ~RS2);
L_XNOR: SET(~(RS1 ^ RS2));
L_MIN: SET((int32_t)RS1 < (int32_t)RS2 ? RS1 : RS2);
L_MINU: SET(RS1 < RS2 ? RS1 : RS2);
L_MAX: SET((int32_t)RS1 > (int32_t)RS2 ? RS1 : RS2);
L_MAXU: SET(RS1 > RS2 ? RS1 : RS2);
L_ROL: SET(bits_rotate_left(RS1, RS2));
L_ROR: SET(bits_rotate_right(RS1, RS2));
L_PACK: SET((RS1 & 0xFFFF) | RS2 << 16);
L_CLZ: SET(RS1 ? (uint32_t)__builtin_clz(RS1) : 32);
L_CTZ: SET(RS1 ? (uint32_t)__builtin_ctz(RS1) : 32);
L_CPOP: SET((uint32_t)__builtin_popcount(RS1));
L_SEXT_B: SET((uint32_t)(int32_t)(int8_t)RS1);
L_SEXT_H: SET((uint32_t)(int32_t)(int16_t)RS1);
L_ORC_B: SET(or_combine(RS1));
L_GREVI: SET(reverse(RS1, (uint32_t)slot->imm));

#define LOAD(shift, get, signed_) \
    do { \
        address = RS1 + (uint32_t)slot->imm; \
        if (BH_LIKELY(inside(address, CORE_L1_SIZE, shift))) { \
            x[slot->rd] = get(l1 + address); \
            core->ready8[slot->rd] = TIME8() + 8 * CORE_LATENCY_L1; \
            NEXT(); \
        } \
        if (BH_LIKELY(inside(address - CORE_LDM_BASE, core->ldm_limit, shift))) { \
            x[slot->rd] = get(core->ldm + (address - CORE_LDM_BASE)); \
            core->ready8[slot->rd] = TIME8() + 8 * CORE_LATENCY_LOCAL; \
            NEXT(); \
        } \
        size = 1u << (shift); \
        sign = (signed_); \
        goto load_elsewhere; \
    } while (0)
L_LB: LOAD(0, load_i8, true);
L_LH: LOAD(1, load_i16, true);
L_LW: LOAD(2, load_u32, false);
L_LBU: LOAD(0, load_u8, false);
L_LHU: LOAD(1, load_u16, false);

load_elsewhere:
    SYNC();
    if (slow_load(core, address, size, &value, &latency) != BUS_OK)
        return;
    RESUME();
    x[slot->rd] = extend(value, size, sign);
    core->ready8[slot->rd] = TIME8() + 8 * (int64_t)latency;
    goto done_elsewhere;

#define STORE(shift, put) \
    do { \
        address = RS1 + (uint32_t)slot->imm; \
        value = x[slot->rd]; \
        if (BH_LIKELY(inside(address, CORE_L1_SIZE, shift))) { \
            uint64_t now_ = NOW(), wait_ = store_wait(core, address, now_); \
            if (BH_UNLIKELY(wait_)) { \
                STALL(wait_); \
                goto check; \
            } \
            store_enqueue(core, address, now_); \
            put(l1 + address, value); \
            size = 1u << (shift); \
            if (BH_UNLIKELY(marks[address >> CORE_CODE_GRAIN])) \
                goto stored_on_mark; \
            NEXT(); \
        } \
        if (BH_LIKELY(inside(address - CORE_LDM_BASE, core->ldm_limit, shift))) { \
            put(core->ldm + (address - CORE_LDM_BASE), value); \
            NEXT(); \
        } \
        size = 1u << (shift); \
        goto store_elsewhere; \
    } while (0)
L_SB: STORE(0, store_8);
L_SH: STORE(1, store_16);
L_SW: STORE(2, store_32);

stored_on_mark:
    SYNC();
    core->port->l1_written(core->owner, address, size, NOW());
    goto done_elsewhere;

store_elsewhere:
    SYNC();
    if (slow_store(core, address, size, value) != BUS_OK)
        return;
    RESUME();
    goto done_elsewhere;

/* An instruction whose effects left the core is complete. The tile may want another core to run first, or this one may
 * have been stopped, reset or interrupted by its own doing. */
done_elsewhere:
    slot++;
    if (BH_UNLIKELY(core->preempted))
        goto out_unless_moved;
    DISPATCH();

L_FLOAD_HALF: size = 2; goto float_load;
L_FLOAD: size = 4;
float_load:
    address = RS1 + (uint32_t)slot->imm;
    SYNC();
    if (slow_load(core, address, size, &value, &latency) != BUS_OK)
        return;
    RESUME();
    core->f[slot->rd] = size == 2 ? value | 0xFFFF0000 : value; /* NaN-boxed */
    core->float_ready = NOW() + latency;
    goto done_elsewhere;

L_FSTORE_HALF: size = 2; goto float_store;
L_FSTORE: size = 4;
float_store:
    address = RS1 + (uint32_t)slot->imm;
    value = size == 2 ? core->f[slot->rd] & 0xFFFF : core->f[slot->rd];
    goto store_elsewhere;

#define BRANCHES(name, relation, type) \
    L_##name##_UP: \
    if (BH_LIKELY((type)RS1 relation(type) x[slot->rd])) \
        JUMP(BRANCH_TARGET()); \
    STALL(CORE_COST_MISPREDICT); \
    NEXT(); \
    L_##name##_DOWN: \
    if ((type)RS1 relation(type) x[slot->rd]) { \
        STALL(CORE_COST_MISPREDICT); \
        JUMP(BRANCH_TARGET()); \
    } \
    NEXT(); \
    L_##name##_POLL: \
    if ((type)RS1 relation(type) x[slot->rd]) \
        goto poll; \
    STALL(CORE_COST_MISPREDICT); \
    NEXT();

    BRANCHES(BEQ, ==, uint32_t)
    BRANCHES(BNE, !=, uint32_t)
    BRANCHES(BLT, <, int32_t)
    BRANCHES(BGE, >=, int32_t)
    BRANCHES(BLTU, <, uint32_t)
    BRANCHES(BGEU, >=, uint32_t)

L_J_POLL:
poll: {
    struct rv_slot *branch = slot;
    bool again;
    slot = BRANCH_TARGET();
    origin += (const char *)slot - (const char *)(branch + 1);
    SYNC();
    if (poll_try(core, (uint32_t)(branch - core->slots) * 4, &again))
        return;
    if (!again) /* the plain forms stand a fixed distance before the polling ones */
        branch->handler = (uint16_t)((branch->handler & SLOT_OP_MASK) == OP_J_POLL
                                         ? branch->handler - (OP_J_POLL - OP_J)
                                         : branch->handler - (OP_BEQ_POLL - OP_BEQ_UP));
    if (BH_UNLIKELY(TIME8() >= limit8))
        goto out;
    DISPATCH();
}

L_BRANCH_OUT: {
    uint32_t word = load_u32(l1 + PC());
    uint32_t a = RS1, b = x[slot->rd];
    bool less = word >> 13 & 1 ? a < b : (int32_t)a < (int32_t)b;
    bool taken = (word >> 14 & 1 ? less : a == b) != (word >> 12 & 1);
    if (!taken)
        NEXT();
    SYNC();
    address = core->pc + (uint32_t)slot->imm;
    core_fault(core, BH_FAULT_UNMAPPED, word, address, "branch to 0x%08x, which is outside L1 or misaligned", address);
    return;
}

L_JAL:
    x[slot->rd] = PC() + 4;
    JUMP(BRANCH_TARGET());
L_J: JUMP(BRANCH_TARGET());
L_JALR:
    address = (RS1 + (uint32_t)slot->imm) & ~UINT32_C(1);
    if (BH_UNLIKELY(!inside(address, CORE_L1_SIZE, 2))) {
        SYNC();
        core_fault(core, BH_FAULT_UNMAPPED, load_u32(l1 + core->pc), address,
                   "jump to 0x%08x, which is outside L1 or misaligned", address);
        return;
    }
    if (slot->rs1 != 1 || slot->rd != 32) /* returns are predicted, other targets are not */
        STALL(CORE_COST_MISPREDICT);
    x[slot->rd] = PC() + 4;
    JUMP(core->slots + address / 4);

L_AMO:
    SYNC();
    if (slow_amo(core, slot) != BUS_OK)
        return;
    RESUME();
    goto done_elsewhere;

L_FENCE:
    if (core->store_free > NOW()) {
        STALL(core->store_free - NOW());
        goto check;
    }
L_CSR: {
    int64_t late8 = pipeline_empty8(core) - TIME8();
    if (late8 > 0) {
        STALL8(late8);
        goto check;
    }
    if ((slot->handler & SLOT_OP_MASK) == OP_CSR) {
        SYNC();
        slow_csr(core, (uint32_t)slot->imm);
        if (core->state != BH_CORE_RUNNING)
            return;
    }
    STALL(1); /* the next instruction enters EX1 when this one has retired */
    goto done_elsewhere;
}

L_FLOAT:
    if (core->float_ready > NOW()) {
        STALL(core->float_ready - NOW());
        goto check;
    }
    core->float_ready = NOW() + CORE_LATENCY_MULTIPLY;
    slow_float(core, slot);
    NEXT();

L_VECTOR:
    SYNC();
    if (slow_vector(core, (uint32_t)slot->imm, &latency) != BUS_OK)
        return;
    RESUME();
    STALL(latency - 1);
    goto done_elsewhere;

L_PAUSE:
    SYNC();
    core->state = BH_CORE_PAUSED;
    core->waits_on = (load_u32(l1 + core->pc) >> 20) & 1 ? "ebreak" : "ecall";
    core->pc += 4;
    core->retired++;
    return;

L_MRET:
    SYNC();
    if (!core->in_interrupt || (core->id != BH_BRISC && core->id != BH_NCRISC)) {
        core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, load_u32(l1 + core->pc), 0,
                   core->in_interrupt ? "mret: only brisc and ncrisc have it" : "mret outside an interrupt handler");
        return;
    }
    core->in_interrupt = false;
    core->pc = core->return_pc;
    core->retired++;
    core->stalled += CORE_COST_MISPREDICT;
    return;

L_TTINSN:
    SYNC();
    if (core->port->push(core->owner, core, (uint32_t)slot->imm) != BUS_OK)
        return;
    goto done_elsewhere;

out:
    SYNC();
    return;

out_unless_moved:
    /* If somebody moved the core (reset, interrupt), its pc and time are already what they shall be. */
    if (!core->moved)
        SYNC();
}
