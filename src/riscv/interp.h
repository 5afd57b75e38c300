/* The interpreter: runs the decoded slots of one core until a time limit. It is compiled twice: with CORE_TIMED 1 for
 * cycle timing (interp.c), and with 0 for loose timing (interp_loose.c), which does without the state of the frontend.
 *
 * Time. Each instruction takes one cycle and slots are eight bytes apart, so within straight code the core's time is a
 * pointer difference: time = (slot - origin) / 8. A taken branch moves origin along with slot; a stall moves origin
 * back. The time is computed only where it is needed. The limit is checked on taken branches and at one word in 32.
 *
 * Costs (BabyRISCV/README.md): loads deliver after 2 (local memory) or 8 cycles (L1), and instructions that use the
 * result wait; multiplies deliver after 2; a mispredicted branch costs 4 more; divides occupy EX1; L1 stores that do
 * not merge leave the four-entry queue one by one. Instructions come from the instruction cache in blocks of as many
 * words as lie between two checks of the limit (fetch.h); while lines of a block are missing, every instruction is
 * checked. docs/timing.md has the sources of all figures.
 *
 * Computed goto and label addresses are GNU extensions; they are worth a third of the speed here. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/memmap.h"
#include "isa/push.h"
#include "riscv/fpu.h"
#include "riscv/fetch.h"
#include "riscv/ops.h"

#pragma GCC diagnostic ignored "-Wpedantic"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the interpreter reads guest memory in host byte order, which must be little-endian"
#endif

enum {
    TIMED = CORE_TIMED,
    STORE_INTERVAL8 = RV_PART_STORE_EIGHTHS, /* eighths of a cycle between two L1 stores that leave the queue */
    STORE_QUEUE = RV_PART_STORE_QUEUE,
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
/* Loads according to funct3. */
static inline uint32_t load_by(unsigned function, const uint8_t *p) {
    switch (function) {
    case 0: return load_i8(p);
    case 1: return load_i16(p);
    case 2: return load_u32(p);
    case 4: return load_u8(p);
    default: return load_u16(p);
    }
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

/* Returns whether address is below limit and a multiple of 2^shift: the low bits are rotated to the top. */
static inline bool inside(uint32_t address, uint32_t limit, unsigned shift) {
    return bits_rotate_right(address, shift) < limit >> shift;
}

static inline bool inside_l1(const struct core *core, uint32_t address, unsigned shift) {
    return bits_rotate_right(address, shift) < core->l1_limit[shift];
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

/* Sets each byte that is not zero to all ones. */
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

/* Rounds eighths of a cycle up to whole cycles. */
static inline int64_t whole8(int64_t eighths) {
    return (eighths + 7) & ~INT64_C(7);
}

/* Returns the time that a store waits for room in the queue. A store merges with the last one if both lie in the same
 * 16 bytes and start within four bytes of each other, unless cfg0 forbids it. Precondition: the queue is not empty, and
 * the delays of bursts are those of the present window. */
static int64_t store_wait8(struct core *core, uint32_t address, int64_t now8) {
    int64_t interval8 = TIMED ? (int64_t)core->burst.store8 : STORE_INTERVAL8;
    int64_t room8 = now8 + interval8 * (STORE_QUEUE - 1);
    bool adjacent = (address ^ core->store_last) < 16 && address - core->store_last + 4 <= 8;
    if (adjacent && !(core->cfg0 & CFG0_DIS_STORE_MERGE))
        return 0;
    if (core->store_free8 > room8)
        return whole8(core->store_free8 - room8);
    core->store_free8 += interval8;
    if (TIMED)
        burst_count(&core->burst, BURST_STORE, address, (uint64_t)now8 / 8);
    return 0;
}

/* Returns whether time has entered another window than the one that the delays of bursts belong to. */
static inline bool is_next_window(const struct core *core, int64_t now8) {
    return core->burst.present != burst_window((uint64_t)now8 / 8) + 1;
}

/* Returns the time at which every result in progress has been delivered, those of loads to x0 and of f registers
 * included, for instructions that drain the pipeline (CSRs.md, DisCsrSync; MemoryOrdering.md). */
static int64_t pipeline_empty8(const struct core *core) {
    int64_t latest = 8 * (int64_t)core->float_ready;
#pragma GCC unroll 32
    for (unsigned i = 1; i <= 32; i++)
        latest = core->ready8[i] > latest ? core->ready8[i] : latest;
    return latest;
}

/* Returns whether the word at pc continues a row: it is a .ttinsn, or a store that differs from the one before only in
 * its datum. All words of a row arrive with its first one, whichever pieces the row is executed in; so a block of code
 * is entered only by a jump, or by the instruction after a row. */
static inline bool continues_row(const struct core *core, uint32_t pc) {
    enum { DATUM = 31 << 20, SW = 0x2023, SW_MASK = 0x707F };
    uint32_t word = pc < core->l1_limit[0] ? core_word(core, pc) : 0;
    if ((word & 3) != 3)
        return true;
    return (word & SW_MASK) == SW && pc && !((word ^ core_word(core, pc - 4)) & ~(uint32_t)DATUM);
}

/* The body below is one function because computed gotos cannot leave it. */
void CORE_RUN(struct core *core, uint64_t limit, bool lockstep) {
    static const void *const paced[SLOT_END] = {
#define OP(name, second) [OP_##name] = &&L_##name, [SLOT_WAIT | OP_##name] = &&W_##name,
#include "riscv/ops.def"
        [OP_COUNT... SLOT_WAIT - 1] = &&L_FAULT,
        [SLOT_WAIT + OP_COUNT... SLOT_CHECK - 1] = &&L_FAULT,
        [SLOT_CHECK... SLOT_END - 1] = &&check,
    };
    static const void *const cached[SLOT_END] = {
    /* with the L0 data cache */
#define OP(name, second)    [OP_##name] = &&L_##name, [SLOT_WAIT | OP_##name] = &&W_##name,
#define OP_L1(name, second) [OP_##name] = &&l0, [SLOT_WAIT | OP_##name] = &&l0,
#include "riscv/ops.def"
        [OP_COUNT... SLOT_WAIT - 1] = &&L_FAULT,
        [SLOT_WAIT + OP_COUNT... SLOT_CHECK - 1] = &&L_FAULT,
        [SLOT_CHECK... SLOT_END - 1] = &&check,
    };
    static const void *const stepped[SLOT_END] = { [0 ... SLOT_END - 1] = &&check };
    static const void *const watched[SLOT_END] = { [0 ... SLOT_END - 1] = &&watch };

    uint32_t lacking = TIMED ? core->fetch.lacking : 0; /* lines of the block, while the cache lacks some */
    const void *const *plain = TIMED && core->caches ? cached : paced;
    const void *const *unwatched = lockstep || lacking ? stepped : plain;
    const bool is_watched = (core->profile != NULL) | (core->steps != NULL) | core->reports | core->debugged;
    const void *const *table = is_watched ? watched : unwatched;
    uint32_t *const x = core->x;
    uint8_t *const l1 = core->l1;
    int64_t stalled8 = core->stalled * 8;
    struct rv_slot *slot;
    const char *origin;
    const char *block = NULL;                     /* the slots of the block that instructions come from */
    uint32_t address, value, loaded, pushed_word; /* the last two live in memory, and so does `latency` */
    unsigned latency, size;
    struct slow_row row;
    bool full = false; /* a push found no room in this turn: the next one will not either */
    bool sign;

    if (core->state != BH_CORE_RUNNING || core_time(core) >= limit)
        return;
    core->preempted = core->moved = false;
    core->limit8 = (int64_t)(limit * 8);
    if (BH_UNLIKELY(!inside_l1(core, core->pc, 2))) {
        predecode_fault(core, core->pc);
        return;
    }
    slot = core->slots + core->pc / 4;
    if (TIMED)
        block = (const char *)(core->slots + core->fetch.block * SLOT_CHECK_WORDS);
    origin = (const char *)slot - 8 * core_time(core);

#define TIME8()    ((const char *)slot - origin)
#define NOW()      ((uint64_t)TIME8() / 8)
#define PC()       ((uint32_t)((uint64_t)((const char *)slot - (const char *)core->slots) / 2))
#define RS1        x[slot->rs1]
#define RS2        x[slot->imm] /* register to register */
#define DISPATCH() goto *table[slot->handler]
#define NEXT() \
    do { \
        slot++; \
        DISPATCH(); \
    } while (0)
#define STALL8(eighths) \
    do { \
        int64_t stall_ = (eighths); \
        stalled8 += stall_; \
        origin -= stall_; \
    } while (0)
#define STALL(cycles) STALL8(8 * (int64_t)(cycles))
/* Writes pc and time back to the core before other code reads them. */
#define SYNC() \
    do { \
        core->pc = PC(); \
        core->stalled = stalled8 >> 3; /* always whole cycles: a division would round for nothing */ \
        core->retired = (uint64_t)(TIME8() - stalled8) / 8; \
    } while (0)
/* The reverse, after slow paths that may have advanced time. */
#define RESUME() \
    do { \
        stalled8 = core->stalled * 8; \
        origin = (const char *)slot - 8 * core_time(core); \
    } while (0)
/* True if the slot is in another block than the current instructions. */
#define IS_ELSEWHERE() (TIMED && BH_UNLIKELY((uint64_t)((const char *)slot - block) >= 8 * SLOT_CHECK_WORDS))
/* Continues at target_slot, one cycle later. */
#define JUMP(target_slot) \
    do { \
        struct rv_slot *target_ = (target_slot); \
        origin += (const char *)target_ - (const char *)(slot + 1); \
        slot = target_; \
        if (IS_ELSEWHERE()) \
            goto fetch; \
        if (BH_UNLIKELY(TIME8() >= core->limit8)) \
            goto out; \
        DISPATCH(); \
    } while (0)
/* A branch or jump went this way. With loose timing the prediction is fixed: `expected`. */
#define WENT(taken, expected) \
    do { \
        if (TIMED && BH_UNLIKELY(fetch_predicts(&core->fetch, (uint64_t)(slot - core->slots)) != (taken))) { \
            fetch_learn(&core->fetch, (uint64_t)(slot - core->slots)); \
            STALL(CORE_COST_MISPREDICT); \
        } else if (!TIMED && !(expected)) { \
            STALL(CORE_COST_MISPREDICT); \
        } \
    } while (0)
/* Each operation has two labels: W_ first waits for sources that may be late, and falls through to L_. */
#define WAIT_UNTIL8(ready) \
    do { \
        int64_t late_ = (ready)-TIME8(); \
        if (late_ > 0) { \
            STALL8(late_); \
            if (BH_UNLIKELY(TIME8() >= core->limit8)) /* another core may come first now */ \
                goto out; \
        } \
    } while (0)
#define LATER(a, b) ((a) > (b) ? (a) : (b))
#define OP_0(name)  W_##name : L_##name
#define OP_1(name) \
    W_##name : WAIT_UNTIL8(core->ready8[slot->rs1]); \
    L_##name
#define OP_2(name) /* register to register */ \
    W_##name : WAIT_UNTIL8(LATER(core->ready8[slot->rs1], core->ready8[(uint8_t)slot->imm])); \
    L_##name
#define OP_S(name) /* stores, branches and vectors */ \
    W_##name : WAIT_UNTIL8(LATER(core->ready8[slot->rs1], core->ready8[slot->rd])); \
    L_##name
#define BRANCH_TARGET() ((struct rv_slot *)(void *)((char *)slot + 2 * (int64_t)slot->imm))
#define SET(expression) \
    do { \
        x[slot->rd] = (expression); \
        NEXT(); \
    } while (0)

    if (IS_ELSEWHERE() && !continues_row(core, core->pc))
        goto fetch;
    DISPATCH();

    /* The formatter misreads labels made by macros. */
    /* clang-format off */
check:
    if (IS_ELSEWHERE() && !continues_row(core, PC()))
        goto fetch;
    if (TIMED && BH_UNLIKELY(lacking)) {
        value = FETCH_LINE_OF(PC()) & (IS_ELSEWHERE() || continues_row(core, PC()) ? 0 : lacking);
        if (value) {
            lacking = fetch_line(&core->fetch, &core->code, value, l1);
            STALL(RV_PART_FETCH_LINE);
        }
    }
    if (BH_UNLIKELY(TIME8() >= core->limit8))
        goto out;
    goto *plain[slot->handler & (SLOT_CHECK - 1)];

fetch: /* the first instruction of another block */
    lacking = fetch_enter(&core->fetch, PC());
    if (BH_UNLIKELY(core->fetch.fills)) {
        SYNC();
        slow_fill(core);
        RESUME();
    }
    block = (const char *)(core->slots + core->fetch.block * SLOT_CHECK_WORDS);
    if (BH_UNLIKELY(lacking || unwatched != plain)) {
        unwatched = lockstep || lacking ? stepped : plain;
        table = is_watched ? watched : unwatched;
    }
    if (BH_UNLIKELY(TIME8() >= core->limit8))
        goto out;
    DISPATCH();

watch:
    if (core->profile)
        profile_step(core->profile, l1, PC(), NOW(), NOW() - (uint64_t)(stalled8 / 8));
    if (core->steps) {
        SYNC();
        core_note_step(core);
    }
    if (core->reports) {
        SYNC();
        latency = core->port->step(core->owner, core, PC(), NOW());
        if (latency) {
            STALL(latency);
            goto check;
        }
    }
    if (core->debugged) {
        SYNC();
        enum core_debug outcome_ = core->port->debug(core->owner, core);
        if (outcome_ == CORE_DEBUG_LEAVE)
            return;
        if (BH_UNLIKELY(outcome_ == CORE_DEBUG_MOVED)) {
            slot = core->slots + core->pc / 4;
            RESUME();
            if (IS_ELSEWHERE())
                goto fetch;
            DISPATCH();
        }
    }
    goto *unwatched[slot->handler];

OP_0(UNDECODED):
    predecode(core, slot);
    DISPATCH();

OP_0(FAULT):
    SYNC();
    predecode_fault(core, core->pc);
    return;

OP_0(NOP): NEXT();
OP_0(LI): SET((uint32_t)slot->imm);
OP_1(ADDI): SET(RS1 + (uint32_t)slot->imm);
OP_1(SLTI): SET((int32_t)RS1 < slot->imm);
OP_1(SLTIU): SET(RS1 < (uint32_t)slot->imm);
OP_1(XORI): SET(RS1 ^ (uint32_t)slot->imm);
OP_1(ORI): SET(RS1 | (uint32_t)slot->imm);
OP_1(ANDI): SET(RS1 & (uint32_t)slot->imm);
OP_1(SLLI): SET(RS1 << slot->imm);
OP_1(SRLI): SET(RS1 >> slot->imm);
OP_1(SRAI): SET((uint32_t)((int32_t)RS1 >> slot->imm));
OP_1(RORI): SET(bits_rotate_right(RS1, (unsigned)slot->imm));
OP_2(ADD): SET(RS1 + RS2);
OP_2(SUB): SET(RS1 - RS2);
OP_2(SLL): SET(RS1 << (RS2 & 31));
OP_2(SLT): SET((int32_t)RS1 < (int32_t)RS2);
OP_2(SLTU): SET(RS1 < RS2);
OP_2(XOR): SET(RS1 ^ RS2);
OP_2(SRL): SET(RS1 >> (RS2 & 31));
OP_2(SRA): SET((uint32_t)((int32_t)RS1 >> (RS2 & 31)));
OP_2(OR): SET(RS1 | RS2);
OP_2(AND): SET(RS1 & RS2);

#define MULTIPLY(expression) \
    do { \
        value = (expression); \
        core->ready8[slot->rd] = TIME8() + 8 * CORE_LATENCY_MULTIPLY; \
        SET(value); \
    } while (0)
OP_2(MUL): MULTIPLY(RS1 * RS2);
OP_2(MULH): MULTIPLY(high_product((int32_t)RS1, (int32_t)RS2));
OP_2(MULHSU): MULTIPLY(high_product((int32_t)RS1, (int64_t)RS2));
OP_2(MULHU): MULTIPLY((uint32_t)((uint64_t)RS1 * RS2 >> 32));

#define DIVIDE(is_signed, expression) \
    do { \
        STALL(slow_divide_cycles(RS1, RS2, is_signed) - 1); \
        SET(expression); \
    } while (0)
OP_2(DIV): DIVIDE(true, divide((int32_t)RS1, (int32_t)RS2));
OP_2(DIVU): DIVIDE(false, RS2 ? RS1 / RS2 : UINT32_MAX);
OP_2(REM): DIVIDE(true, remainder_of((int32_t)RS1, (int32_t)RS2));
OP_2(REMU): DIVIDE(false, RS2 ? RS1 % RS2 : RS1);

OP_2(SH1ADD): SET((RS1 << 1) + RS2);
OP_2(SH2ADD): SET((RS1 << 2) + RS2);
OP_2(SH3ADD): SET((RS1 << 3) + RS2);
OP_2(ANDN): SET(RS1 & ~RS2);
OP_2(ORN): SET(RS1 | ~RS2);
OP_2(XNOR): SET(~(RS1 ^ RS2));
OP_2(MIN): SET((int32_t)RS1 < (int32_t)RS2 ? RS1 : RS2);
OP_2(MINU): SET(RS1 < RS2 ? RS1 : RS2);
OP_2(MAX): SET((int32_t)RS1 > (int32_t)RS2 ? RS1 : RS2);
OP_2(MAXU): SET(RS1 > RS2 ? RS1 : RS2);
OP_2(ROL): SET(bits_rotate_left(RS1, RS2));
OP_2(ROR): SET(bits_rotate_right(RS1, RS2));
OP_2(PACK): SET((RS1 & 0xFFFF) | RS2 << 16);
OP_1(CLZ): SET(RS1 ? (uint32_t)__builtin_clz(RS1) : 32);
OP_1(CTZ): SET(RS1 ? (uint32_t)__builtin_ctz(RS1) : 32);
OP_1(CPOP): SET((uint32_t)__builtin_popcount(RS1));
OP_1(SEXT_B): SET((uint32_t)(int32_t)(int8_t)RS1);
OP_1(SEXT_H): SET((uint32_t)(int32_t)(int16_t)RS1);
OP_1(ORC_B): SET(or_combine(RS1));
OP_1(GREVI): SET(reverse(RS1, (uint32_t)slot->imm));

#define LOAD_AT(offset, shift, get, signed_) \
    do { \
        address = RS1 + (uint32_t)(offset); \
        if (BH_LIKELY(inside_l1(core, address, shift))) { \
            const unsigned rd_ = slot->rd; \
            core->ready8[rd_] = TIME8() + 8 * CORE_LATENCY_L1; \
            x[rd_] = get(l1 + address); \
            NEXT(); \
        } \
        if (BH_LIKELY(inside(address - CORE_LDM_BASE, core->ldm_limit, shift))) { \
            const unsigned rd_ = slot->rd; \
            core->ready8[rd_] = TIME8() + 8 * CORE_LATENCY_LOCAL; \
            x[rd_] = get(core->ldm + (address - CORE_LDM_BASE)); \
            NEXT(); \
        } \
        size = 1u << (shift); \
        sign = (signed_); \
        goto load_elsewhere; \
    } while (0)
#define LOAD(shift, get, signed_) LOAD_AT(slot->imm, shift, get, signed_)
OP_1(LB): LOAD(0, load_i8, true);
OP_1(LH): LOAD(1, load_i16, true);
OP_1(LW): LOAD(2, load_u32, false);
OP_1(LBU): LOAD(0, load_u8, false);
OP_1(LHU): LOAD(1, load_u16, false);
/* A load from L1 waits for room in the queue, which holds a load for one cycle less than its result takes. */
#define QUEUE(at) \
    do { \
        enum { EARLIER8 = 8 * (RV_PART_LOAD_L1 - RV_PART_LOAD_HELD) }; \
        const bool shared_ = inside_l1(core, at, 0); \
        if (shared_ && BH_UNLIKELY(is_next_window(core, TIME8()))) \
            goto share_l1; \
        int64_t late_ = core->ready8[slot->imm >> 16 & 63] - EARLIER8 - TIME8(); \
        late_ += shared_ ? 8 * (int64_t)core->burst.extra : 0; \
        if (late_ > 0) { \
            STALL8(late_); \
            goto check; \
        } \
        if (shared_) \
            burst_count(&core->burst, BURST_LOAD, at, NOW()); \
    } while (0)
OP_1(LOAD_QUEUED): {
    const int32_t offset_ = (int16_t)slot->imm;
    QUEUE(RS1 + (uint32_t)offset_);
    switch (slot->imm >> 24) {
    case 0: LOAD_AT(offset_, 0, load_i8, true);
    case 1: LOAD_AT(offset_, 1, load_i16, true);
    case 2: LOAD_AT(offset_, 2, load_u32, false);
    case 4: LOAD_AT(offset_, 0, load_u8, false);
    default: LOAD_AT(offset_, 1, load_u16, false);
    }
}

l0: { /* a load or a store while the L0 data cache is on */
    const unsigned op_ = slot->handler & SLOT_OP_MASK;
    const bool queued_ = op_ == OP_LOAD_QUEUED, stores_ = op_ > OP_LOAD_QUEUED;
    const int32_t offset_ = queued_ ? (int16_t)slot->imm : slot->imm;
    if (slot->handler & SLOT_WAIT)
        WAIT_UNTIL8(stores_ ? LATER(core->ready8[slot->rs1], core->ready8[slot->rd]) : core->ready8[slot->rs1]);
    address = RS1 + (uint32_t)offset_;
    if (!inside_l1(core, address, 0))
        goto *paced[op_];
    if (stores_) {
        l0_drop(&core->l0, address);
        goto *paced[op_];
    }
    const unsigned function_ = queued_ ? (uint32_t)slot->imm >> 24 : op_ - (unsigned)OP_LB + (op_ > (unsigned)OP_LW);
    if (address & ((1u << (function_ & 3)) - 1))
        goto *paced[op_];
    const uint8_t *bytes_ = l0_find(&core->l0, address);
    latency = bytes_ ? CORE_LATENCY_LOCAL : CORE_LATENCY_L1;
    if (!bytes_) {
        if (queued_)
            QUEUE(address);
        bytes_ = l0_fill(&core->l0, l1, address);
    }
    x[slot->rd] = load_by(function_, bytes_);
    core->ready8[slot->rd] = TIME8() + 8 * (int64_t)latency;
    if (!(core->cfg0 & CFG0_DIS_L0_FLUSH) && l0_count(&core->l0, 1))
        l0_flush(&core->l0);
    NEXT();
}

share_l1: /* the first access of a burst in a window */
    SYNC();
    if (!slow_share_l1(core))
        return;
    goto *plain[slot->handler & (SLOT_CHECK - 1)];

load_elsewhere:
    SYNC();
    if (slow_load(core, address, size, &loaded, &latency) != BUS_OK)
        return;
    RESUME();
    x[slot->rd] = extend(loaded, size, sign);
    core->ready8[slot->rd] = TIME8() + 8 * (int64_t)latency;
    goto done_elsewhere;

#define STORE(shift, put) \
    do { \
        address = RS1 + (uint32_t)slot->imm; \
        value = x[slot->rd]; \
        if (BH_LIKELY(inside_l1(core, address, shift))) { \
            int64_t now_ = TIME8(); \
            if (BH_LIKELY(core->store_free8 <= now_)) { \
                core->store_free8 = now_ + STORE_INTERVAL8; \
            } else { \
                if (TIMED && BH_UNLIKELY(is_next_window(core, now_))) \
                    goto share_l1; \
                int64_t wait_ = store_wait8(core, address, now_); \
                if (BH_UNLIKELY(wait_)) { \
                    STALL8(wait_); \
                    goto check; \
                } \
            } \
            core->store_last = address; \
            size = 1u << (shift); \
            if (BH_UNLIKELY(core->marks[address >> CORE_CODE_GRAIN])) \
                goto store_on_mark; \
            put(l1 + address, value); \
            NEXT(); \
        } \
        if ((shift) == 2 && address == CORE_PUSH_BASE) \
            goto push_store; \
        if (BH_LIKELY(inside(address - CORE_LDM_BASE, core->ldm_limit, shift))) { \
            put(core->ldm + (address - CORE_LDM_BASE), value); \
            NEXT(); \
        } \
        size = 1u << (shift); \
        goto store_elsewhere; \
    } while (0)
OP_S(SB): STORE(0, store_8);
OP_S(SH): STORE(1, store_16);
OP_S(SW): STORE(2, store_32);
OP_S(SW_PUSH):
    address = RS1 + (uint32_t)slot->imm;
    value = x[slot->rd];
    if (BH_LIKELY(address == CORE_PUSH_BASE && tensix_is_plain(value)))
        goto push_word;
    goto L_SW;

store_on_mark:
    SYNC();
    core->port->l1_store(core->owner, address, value, size, NOW());
    RESUME();
    goto done_elsewhere;

push_store:
    if ((slot[1].handler & SLOT_OP_MASK) != OP_SW && tensix_is_plain(value)) {
        /* A single store gets an operation of its own. The last store of a row must stay OP_SW, which slow_push_stores
         * looks for. */
        if (slot[1].handler != OP_UNDECODED && (slot->handler & SLOT_OP_MASK) == OP_SW &&
            !(TIMED && continues_row(core, PC())))
            slot->handler += OP_SW_PUSH - OP_SW;
        goto push_word;
    }
    SYNC();
    row = slow_push_stores(core, slot);
    goto pushed;

store_elsewhere:
    SYNC();
    if (slow_store(core, address, size, value) != BUS_OK)
        return;
    RESUME();
    goto done_elsewhere;

/* An instruction with effects outside the core is complete. The tile may want another core to run first, or the
 * instruction may have stopped, reset or interrupted this core. */
done_elsewhere:
    slot++;
    if (BH_UNLIKELY(core->preempted))
        goto out_unless_moved;
    DISPATCH();

OP_1(FLOAD_HALF): size = 2; goto float_load;
OP_1(FLOAD): size = 4;
float_load:
    address = RS1 + (uint32_t)slot->imm;
    SYNC();
    if (slow_load(core, address, size, &loaded, &latency) != BUS_OK)
        return;
    RESUME();
    core->f[slot->rd] = size == 2 ? loaded | FPU_BOX : loaded;
    if (core->float_ready < NOW() + latency) /* one before it may take longer */
        core->float_ready = NOW() + latency;
    goto done_elsewhere;

OP_1(FSTORE_HALF): size = 2; goto float_store;
OP_1(FSTORE): size = 4;
float_store:
    if (core->float_ready > NOW()) {
        STALL(core->float_ready - NOW());
        goto check;
    }
    address = RS1 + (uint32_t)slot->imm;
    value = size == 2 ? core->f[slot->rd] & 0xFFFF : core->f[slot->rd];
    goto store_elsewhere;

#define BRANCHES(name, relation, type) \
    OP_S(name##_UP) : \
    if (BH_LIKELY((type)RS1 relation(type) x[slot->rd])) { \
        WENT(true, true); \
        JUMP(BRANCH_TARGET()); \
    } \
    WENT(false, false); \
    NEXT(); \
    OP_S(name##_DOWN) : \
    if ((type)RS1 relation(type) x[slot->rd]) { \
        WENT(true, false); \
        JUMP(BRANCH_TARGET()); \
    } \
    WENT(false, true); \
    NEXT(); \
    OP_S(name##_POLL) : \
    if ((type)RS1 relation(type) x[slot->rd]) { \
        WENT(true, true); \
        goto poll; \
    } \
    WENT(false, false); \
    NEXT();

    BRANCHES(BEQ, ==, uint32_t)
    BRANCHES(BNE, !=, uint32_t)
    BRANCHES(BLT, <, int32_t)
    BRANCHES(BGE, >=, int32_t)
    BRANCHES(BLTU, <, uint32_t)
    BRANCHES(BGEU, >=, uint32_t)

OP_0(J_POLL):
    WENT(true, true);
poll: {
    struct rv_slot *branch = slot;
    bool again;
    slot = BRANCH_TARGET();
    origin += (const char *)slot - (const char *)(branch + 1);
    SYNC();
    if (poll_try(core, (uint32_t)(branch - core->slots) * 4, &again))
        return;
    if (!again) /* the plain forms precede the polling ones at a fixed distance */
        branch->handler = (uint16_t)((branch->handler & SLOT_OP_MASK) == OP_J_POLL
                                         ? branch->handler - (OP_J_POLL - OP_J)
                                         : branch->handler - (OP_BEQ_POLL - OP_BEQ_UP));
    if (IS_ELSEWHERE())
        goto fetch;
    if (BH_UNLIKELY(TIME8() >= core->limit8))
        goto out;
    DISPATCH();
}

OP_S(BRANCH_OUT): {
    uint32_t word = core_word(core, PC());
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

OP_0(JAL):
    x[slot->rd] = PC() + 4;
OP_0(J):
    WENT(true, true);
    JUMP(BRANCH_TARGET());
OP_1(JALR):
    address = (RS1 + (uint32_t)slot->imm) & ~UINT32_C(1);
    if (BH_UNLIKELY(!inside_l1(core, address, 2))) {
        SYNC();
        core_fault(core, BH_FAULT_UNMAPPED, core_word(core, core->pc), address,
                   "jump to 0x%08x, which is outside L1 or misaligned", address);
        return;
    }
    if (slot->rs1 != 1 || slot->rd != 32) /* returns are predicted, other targets are not */
        STALL(CORE_COST_MISPREDICT);
    x[slot->rd] = PC() + 4;
    JUMP(core->slots + address / 4);

/* An atomic enters the load/store unit when all stores have drained and all loads and atomics have their results
 * (MemoryOrdering.md). Its own cycle in EX1 may be the last one in which they have none. */
OP_2(AMO): {
    int64_t late8 = LATER(whole8(core->store_free8), pipeline_empty8(core) - 8) - TIME8();
    if (late8 > 0) {
        STALL8(late8);
        goto check;
    }
    SYNC();
    if (slow_amo(core, slot) != BUS_OK)
        return;
    RESUME();
    goto done_elsewhere;
}

OP_0(FENCE):
    if (core->store_free8 > TIME8()) {
        STALL8(whole8(core->store_free8 - TIME8()));
        goto check;
    }
OP_1(CSR): {
    int64_t late8 = pipeline_empty8(core) - TIME8();
    if (late8 > 0) {
        STALL8(late8);
        goto check;
    }
    /* The next instruction enters EX1 when this one has retired. */
    if ((slot->handler & SLOT_OP_MASK) != OP_CSR) {
        STALL(RV_OCCUPANCY_FENCE - 1);
        l0_flush(&core->l0);
        goto done_elsewhere;
    }
    SYNC();
    if (slow_csr(core, (uint32_t)slot->imm) != BUS_OK)
        return;
    STALL(RV_OCCUPANCY_CSR - 1);
    plain = TIMED && core->caches ? cached : paced;
    unwatched = lockstep || lacking ? stepped : plain;
    table = is_watched ? watched : unwatched;
    goto done_elsewhere;
}

OP_1(FLOAT):
    if (core->float_ready > NOW()) {
        STALL(core->float_ready - NOW());
        goto check;
    }
    core->float_ready = NOW() + RV_LATENCY_FLOAT;
    slow_float(core, slot);
    NEXT();

OP_S(VSET): { /* the next instruction waits behind it as behind a CSR instruction */
    int64_t late8 = pipeline_empty8(core) - TIME8();
    if (late8 > 0) {
        STALL8(late8);
        goto check;
    }
    goto vector;
}

OP_S(VECTOR):
vector:
    SYNC();
    if (slow_vector(core, (uint32_t)slot->imm, &latency) != BUS_OK)
        return;
    RESUME();
    STALL(latency - 1);
    goto done_elsewhere;

OP_0(PAUSE):
    SYNC();
    core->state = BH_CORE_PAUSED;
    core->waits_on = (core_word(core, core->pc) >> 20) & 1 ? WAIT_EBREAK : WAIT_ECALL;
    core->pc += 4;
    core->retired++;
    return;

OP_0(MRET):
    SYNC();
    if (!core->in_interrupt || (core->id != BH_BRISC && core->id != BH_NCRISC)) {
        core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, core_word(core, core->pc), 0,
                   core->in_interrupt ? "mret: only brisc and ncrisc have it" : "mret outside an interrupt handler");
        return;
    }
    core->in_interrupt = false;
    core->pc = core->return_pc;
    core->retired++;
    core->stalled += CORE_COST_MISPREDICT;
    return;

OP_0(TTINSN):
    if (slot->rd == ROW_OF_ONE) {
        value = (uint32_t)slot->imm;
        goto push_word;
    }
    if ((slot->rd & ROW_PLAIN) && !full) {
        unsigned shape = slow_shape(core, slot);
        row.count = core->port->push(core->owner, core, (const uint32_t *)&slot->imm, shape, PC(), NOW()).count;
        row.cycles = push_cycles(shape, row.count);
        if (BH_LIKELY(row.count))
            goto row_pushed;
        full = true;
    }
    SYNC();
    row = slow_push(core, slot);
pushed:
    if (!row.count)
        return;
    RESUME(); /* it may have stood still */
row_pushed:
    slot += row.count;
    origin += 8 * (row.count - row.cycles); /* fused words retire in the cycle of the first */
    stalled8 -= 8 * (int64_t)(row.count - row.cycles);
done_pushing:
    if (BH_UNLIKELY(core->preempted))
        goto out_unless_moved;
    if (IS_ELSEWHERE() && !continues_row(core, PC()))
        goto fetch;
    if (BH_UNLIKELY(TIME8() >= core->limit8)) /* the word that would look may be inside the row */
        goto out;
    DISPATCH();

push_word: /* a plain one that stands by itself */
    if (BH_LIKELY(!full)) {
        pushed_word = value;
        if (BH_LIKELY(core->port->push(core->owner, core, &pushed_word, PUSH_ONE, PC(), NOW()).count)) {
            slot++;
            goto done_pushing;
        }
        full = true;
    }
    SYNC();
    row = slow_push_word(core, slot);
    goto pushed;

out:
    SYNC();
    return;

out_unless_moved:
    /* After a reset or an interrupt from outside, pc and time are already set. */
    if (!core->moved)
        SYNC();
    /* clang-format on */
}
