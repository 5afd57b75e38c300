/* Moves between LRegs and Dst, and immediates: SFPLOAD, SFPLOADI, SFPSTORE.
 *
 *     address  9:2 four rows  1 odd columns  0 unused
 *
 * An invalid row reads as zero, and a store to any of its lanes makes it valid; the documents call both undefined. A
 * load of rows that the Matrix Unit has just written faults: SFPLOAD.md requires three instructions in between. The
 * mode SRCB follows the configuration only: no page says that it follows the format which a bank of SrcB implies.
 * Sources: SFPLOAD.md, SFPSTORE.md, SFPLOADI.md, SFPLOADMACRO.md, Dst.md (BH). */
#include <string.h>

#include "isa/formats.h"
#include "tensix/vector/issue.h"

/* ---- Format and address ------------------------------------------------------------------------- */

enum { LOADED_AS_BF16 = FORMATS_LIKE_BF16 | 1 << FORMAT_TF32 };

/* Returns the format that the mode SRCB stands for. config: the thread's bank of Config; own: its ThreadConfig. */
static inline enum move_format resolve_srcb(const uint32_t *config, const uint16_t *own) {
    if (CONFIG_GET(config, ALU_ACC_CTRL_SFPU_Fp32_enabled))
        return MOVE_FP32;
    unsigned format = CONFIG_GET(config, ALU_FORMAT_SPEC_REG1_SrcB);
    if (BH_UNLIKELY(CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcB_override)))
        format = CONFIG_GET(config, ALU_FORMAT_SPEC_REG_SrcB_val);
    if (BH_UNLIKELY(CONFIG_GET(own, SFPU_DEST_FMT_Enable)))
        format = CONFIG_GET(own, SFPU_DEST_FMT_Base);
    return LOADED_AS_BF16 >> format & 1 ? MOVE_BF16 : MOVE_FP16;
}

static inline enum move_format resolve(unsigned mod0, const uint32_t *config, const uint16_t *own) {
    return mod0 == MOVE_SRCB ? resolve_srcb(config, own) : (enum move_format)mod0;
}

/* INT32_ALL (stack) adds the stack pointer and the lowest two bits of the counter; other modes the reverse. */
static inline unsigned address_of(uint32_t word, const struct rwc *rwc, bool stack, const uint32_t *config,
                                  const uint16_t *own) {
    unsigned dst = rwc->dst + CONFIG_GET(config, DEST_REGW_BASE_Base);
    unsigned sp = rwc->sp + CONFIG_GET(config, DEST_SP_BASE_Base);
    unsigned address = (word & 0x3FF) + CONFIG_GET(own, DEST_TARGET_REG_CFG_MATH_Offset);
    address += stack ? sp + (dst & 3) : dst + (sp & 3);
    return address & 0x3FF;
}

static void move_stack(struct rwc *rwc, unsigned increment) {
    rwc->sp = (uint16_t)((rwc->sp + increment) & RWC_DST_MASK);
}

static inline unsigned addr_mod(uint32_t word) {
    return word >> 13 & 7;
}

/* Flags of an entry of `formats` beside the format itself: whether loads or stores use Dst as 32 bits, and whether the
 * mode uses the stack pointer. */
enum { FORMAT = 15, LOADS_WIDE = 0x10, STORES_WIDE = 0x20, USES_STACK = 0x40, WIDE = LOADS_WIDE | STORES_WIDE };

static const uint8_t formats[MOVE_FORMATS] = {
    [MOVE_FP16] = MOVE_FP16,
    [MOVE_BF16] = MOVE_BF16,
    [MOVE_FP32] = MOVE_FP32 | WIDE,
    [MOVE_INT32] = MOVE_INT32 | WIDE,
    [MOVE_INT8] = MOVE_INT8,
    [MOVE_UINT16] = MOVE_UINT16,
    [MOVE_HI16] = MOVE_HI16 | STORES_WIDE,
    [MOVE_INT16] = MOVE_INT16,
    [MOVE_LO16] = MOVE_LO16 | STORES_WIDE,
    [MOVE_INT32_ALL] = MOVE_INT32_ALL | WIDE | USES_STACK,
    [MOVE_ZERO] = MOVE_ZERO,
    [MOVE_INT32_SM] = MOVE_INT32_SM | WIDE,
    [MOVE_INT8_COMP] = MOVE_INT8_COMP,
    [MOVE_LO16_ONLY] = MOVE_LO16_ONLY,
    [MOVE_HI16_ONLY] = MOVE_HI16_ONLY,
};

static inline unsigned row_of(const struct tensix *x, unsigned address, bool wide) {
    const uint32_t *config = x->config.bank[0]; /* both banks of Config share this word */
    unsigned row = address & ~3u;
    return wide ? dst_row32(config, row) : dst_row16(&x->dst, config, row);
}

static inline uint32_t odd_lanes(unsigned address, uint32_t exchange) {
    return address & 2 ? LANES_ALL : exchange;
}

/* ---- The plan ---------------------------------------------------------------------------------------- */

/* Returns the step of an ADDR_MOD that does nothing but add to the counter of Dst, else VECTOR_NO_STEP. */
static uint16_t step_of(const uint16_t *own, unsigned i) {
    unsigned dst = own[CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + i];
    bool more = own[CONFIG_WORD_ADDR_MOD_AB_SEC0_SrcAIncr + i] || (dst & (RWC_DST_CR | RWC_DST_CLEAR | RWC_DST_TO_CR));
    return more ? VECTOR_NO_STEP : dst & RWC_DST_MASK;
}

static void prepare(struct tensix *x, unsigned thread) {
    static const struct rwc none;
    struct vector_plan *plan = &x->plans.moves;
    const uint16_t *own = x->config.thread[thread];
    const uint32_t *config = x->config.bank[CONFIG_GET(own, CFG_STATE_ID_StateID)];
    bool elsewhere = x->vector.moves_differ || x->dst.halves || CONFIG_GET(config, DEST_ACCESS_CFG_remap_addrs) ||
                     CONFIG_GET(config, DEST_ACCESS_CFG_swizzle_32b);
    plan->of = (struct plan){ x->config.version, thread | (elsewhere ? 0 : VECTOR_MOVES_ROWS) };
    plan->base = address_of(0, &none, false, config, own);
    memcpy(plan->format, formats, sizeof plan->format);
    plan->format[MOVE_SRCB] = formats[resolve_srcb(config, own)];
    for (unsigned i = 0; i < 8; i++)
        plan->step[i] = step_of(own, i);
}

static inline bool plans_rows(const struct tensix *x, unsigned thread) {
    return plan_holds(&x->plans.moves.of, x->config.version, thread | VECTOR_MOVES_ROWS);
}

/* Executes an instruction that has entered and that the plan does not cover. If there is no plan for the thread,
 * prepares one and runs the instruction again. */
__attribute__((noinline)) static uint64_t move_otherwise(struct tensix *x, unsigned thread, uint32_t word,
                                                         const struct vector_traits *traits) {
    uint64_t now = x->vector.free_at - 1;
    if (!plans_rows(x, thread) && !plan_holds(&x->plans.moves.of, x->config.version, thread)) {
        prepare(x, thread);
        if (plans_rows(x, thread))
            return vector_run(x, thread, word, now, traits);
    }
    return vector_act(x, thread, word, now, traits);
}

/* A load or store that runs by the plan. */
struct planned {
    struct rwc *rwc;
    unsigned step, format;
    unsigned address, row;
};

/* Returns whether the plan covers the operands and the rows of the instruction, and fills in *u. wide: LOADS_WIDE or
 * STORES_WIDE. */
static inline __attribute__((always_inline)) bool runs_by_plan(const struct vector_turn *turn, unsigned wide,
                                                               struct planned *u) {
    const struct vector_plan *plan = &turn->x->plans.moves;
    const struct dst *dst = &turn->x->dst;
    u->rwc = &turn->x->rwc[turn->thread];
    if (!plans_rows(turn->x, turn->thread) || u->rwc->sp)
        return false;
    u->format = plan->format[turn->mod];
    u->address = turn->word + plan->base + u->rwc->dst;
    u->row = u->address & 0x3FC;
    if (u->format & (wide | USES_STACK)) {
        if (u->format & USES_STACK)
            return false;
        u->row = dst_wide_row(u->row);
    }
    if (BH_UNLIKELY(dst->invalid[u->row / 32]) && dst_invalid4(dst, u->row))
        return false;
    u->step = plan->step[addr_mod(turn->word)];
    return u->step != VECTOR_NO_STEP;
}

static inline void take_step(const struct planned *u) {
    u->rwc->dst = (uint16_t)((u->rwc->dst + u->step) & RWC_DST_MASK);
}

static inline unsigned side_of(const struct planned *u) {
    return u->address >> 1 & 1;
}

/* ---- Loads ------------------------------------------------------------------------------------------ */

enum {
    ROW_PAIR = MOVE_LOW + 4 * DST_COLUMNS
}; /* size in 16-bit data: from the first of four upper halves to the last of their lower halves */

/* Loads rows some of which are invalid, through a copy in which those are zero. wide: the copy includes lower
 * halves. */
static void load_with_invalid(move_load *load, uint32_t *d, const struct dst *dst, unsigned row, bool wide,
                              const uint32_t *old, uint32_t odd, uint32_t infinity, uint32_t lanes) {
    uint16_t valid[ROW_PAIR] __attribute__((aligned(64))) = { 0 };
    unsigned invalid = dst_invalid4(dst, row);
    for (unsigned i = 0; i < 4; i++) {
        if (invalid >> i & 1)
            continue;
        memcpy(valid + i * DST_COLUMNS, dst->bits[row + i], sizeof dst->bits[row]);
        if (wide)
            memcpy(valid + MOVE_LOW + i * DST_COLUMNS, dst->bits[row + i + DST_LOW], sizeof dst->bits[row]);
    }
    load(d, valid, old, odd, infinity, lanes);
}

static void capture_index(struct vector_turn *turn, uint32_t odd, uint32_t lanes) {
    unsigned row = turn->address & ~3u;
    if (turn->vd < 4)
        turn->v->lanes->move.index(vector_out(turn, turn->vd + 4u, lanes), row, odd, lanes);
}

static void load_rows(const struct vector_turn *turn, enum move_format format, uint32_t odd, uint32_t lanes) {
    struct vector *v = turn->v;
    const struct dst *dst = &turn->x->dst;
    unsigned row = row_of(turn->x, turn->address, formats[format] & LOADS_WIDE);
    const uint32_t *old = turn->in[turn->vd];
    move_load *load = v->lanes->move.load[format];
    if (dst_invalid4(dst, row))
        load_with_invalid(load, v->lreg[turn->vd], dst, row, formats[format] & LOADS_WIDE, old, odd, v->fp16_inf,
                          lanes);
    else
        load(v->lreg[turn->vd], dst->bits[row], old, odd, v->fp16_inf, lanes);
}

/* Faults a load of rows that the Matrix Unit is still writing: the hardware does not make it wait. Returns whether it
 * did. */
static bool too_early(struct vector_turn *turn, uint32_t lanes) {
    if (turn->now >= turn->x->matrix.vector_from || turn->vd >= 8 || !lanes ||
        !matrix_block_fresh(&turn->x->matrix, turn->address, turn->now))
        return false;
    vector_refuse(turn, BH_FAULT_UNDEFINED,
                  "rows %u to %u of Dst have been written by the Matrix Unit less than four cycles ago; three other "
                  "instructions or a STALLWAIT (B8 on C4) must come between",
                  turn->address & ~7u, turn->address | 7u);
    return true;
}

/* Advances the counters before it loads: nothing after that reads them. */
static void load(struct vector_turn *turn, bool stack) {
    struct tensix *x = turn->x;
    const struct vector *v = turn->v;
    const uint16_t *own = x->config.thread[turn->thread];
    const uint32_t *config = x->config.bank[CONFIG_GET(own, CFG_STATE_ID_StateID)];
    struct rwc *rwc = &x->rwc[turn->thread];
    if (stack && rwc->sp)
        move_stack(rwc, 0u - CONFIG_GET(own, SFPU_STACK_Incr));
    turn->address = (uint16_t)address_of(turn->word, rwc, stack, config, own);
    uint32_t lanes = turn->lanes & ~v->block_read & (stack ? LANES_ALL : v->enabled);
    if (too_early(turn, lanes))
        return;
    rwc_apply_partial(rwc, own, addr_mod(turn->word));
    if (turn->vd >= 8 || !lanes)
        return;
    uint32_t odd = odd_lanes(turn->address, v->read_exchange);
    if (lanes & v->capture_index)
        capture_index(turn, odd, lanes & v->capture_index);
    vector_out(turn, turn->vd, lanes);
    load_rows(turn, stack ? MOVE_INT32_ALL : resolve(turn->mod, config, own), odd, lanes);
}

/* Does what load() does, if the plan covers the instruction. */
static inline __attribute__((always_inline)) uint64_t load_by_plan(struct vector_turn *turn,
                                                                   const struct vector_traits *traits) {
    const struct vector *v = turn->v;
    struct planned u;
    if (turn->now < turn->x->matrix.vector_from || !runs_by_plan(turn, LOADS_WIDE, &u))
        return move_otherwise(turn->x, turn->thread, turn->word, traits);
    take_step(&u);
    const uint16_t *rows = turn->x->dst.bits[u.row];
    uint32_t *d = turn->v->lreg[turn->word >> 20 & 7];
    unsigned side = side_of(&u), format = u.format & FORMAT;
    if (BH_LIKELY(v->enabled == LANES_ALL))
        return v->lanes->move.load_all[side][format](d, rows, v->fp16_inf);
    return v->lanes->move.load[format](d, rows, d, 0u - side, v->fp16_inf, v->enabled);
}

void vector_SFPLOAD(struct vector_turn *turn) {
    load(turn, turn->mod == MOVE_INT32_ALL);
}

/* ---- Immediates ------------------------------------------------------------------------------------ */

enum { FLOATB = 0, FLOATA = 1, USHORT = 2, SHORT = 4, UPPER = 8, LOWER = 10 };

/* Widens FP16 by adjusting the exponent only: no value becomes an infinity. */
static uint32_t widen_fp16(uint32_t x) {
    return (x & 0x8000) << 16 | (((x & 0x7FFF) << 13) + (112u << 23));
}

static inline bool is_mode(unsigned mod) {
    return (1u << FLOATB | 1u << FLOATA | 1u << USHORT | 1u << SHORT | 1u << UPPER | 1u << LOWER) >> mod & 1;
}

/* Modes that write one half of the LReg keep its other half, even if that comes from a late result. Returns false,
 * without an effect, if the mode does not exist. */
static inline __attribute__((always_inline)) bool load_immediate(struct vector_turn *turn) {
    if (!is_mode(turn->mod))
        return false;
    const struct lanes *kernels = turn->v->lanes;
    uint32_t immediate = turn->word & 0xFFFF, lanes = turn->lanes & turn->v->enabled;
    uint32_t *d = vector_out(turn, turn->vd, lanes);
    const uint32_t *old = turn->in[turn->vd];
    switch (turn->mod) {
    case FLOATB: kernels->move.fill(d, immediate << 16, lanes); break;
    case FLOATA: kernels->move.fill(d, widen_fp16(immediate), lanes); break;
    case USHORT: kernels->move.fill(d, immediate, lanes); break;
    case SHORT: kernels->move.fill(d, (uint32_t)(int32_t)(int16_t)immediate, lanes); break;
    case UPPER: kernels->simple.keep_and_set(d, old, 0xFFFF, immediate << 16, lanes); break;
    case LOWER: kernels->simple.keep_and_set(d, old, 0xFFFF0000, immediate, lanes); break;
    }
    return true;
}

/* LReg8 and up are read-only. */
void vector_SFPLOADI(struct vector_turn *turn) {
    if (turn->vd < 8 && !load_immediate(turn))
        vector_refuse(turn, BH_FAULT_UNDEFINED, "SFPLOADI has no mode %u", turn->mod);
}

static inline __attribute__((always_inline)) uint64_t run_load_immediate(struct vector_turn *turn,
                                                                         const struct vector_traits *traits) {
    return load_immediate(turn) ? TENSIX_PASSED : vector_otherwise(turn, traits);
}

/* ---- Stores --------------------------------------------------------------------------------------- */

/* Makes every row valid that gets data from a lane. */
static void validate(struct dst *dst, unsigned row, uint32_t lanes) {
    for (unsigned i = 0; i < 4; i++)
        if (lanes >> 8 * i & 0xFF)
            dst_validate(dst, row + i, 1);
}

static void store_rows(const struct vector_turn *turn, enum move_format format, uint32_t lanes) {
    struct dst *dst = &turn->x->dst;
    unsigned row = row_of(turn->x, turn->address, formats[format] & STORES_WIDE);
    dst_touch(dst, row);
    validate(dst, row, lanes);
    turn->v->lanes->move.store[format](dst->bits[row], turn->in[turn->vd],
                                       odd_lanes(turn->address, turn->v->write_exchange), lanes);
}

/* For a scheduled store, turn->address is already set: SFPLOADMACRO has computed it and advanced the counters. */
static void store(struct vector_turn *turn, bool stack) {
    struct tensix *x = turn->x;
    const uint16_t *own = x->config.thread[turn->thread];
    const uint32_t *config = x->config.bank[CONFIG_GET(own, CFG_STATE_ID_StateID)];
    if (!turn->scheduled) {
        struct rwc *rwc = &x->rwc[turn->thread];
        turn->address = (uint16_t)address_of(turn->word, rwc, stack, config, own);
        if (stack)
            move_stack(rwc, CONFIG_GET(own, SFPU_STACK_Incr));
        rwc_apply_partial(rwc, own, addr_mod(turn->word));
    }
    uint32_t lanes = turn->lanes & ~turn->v->block_write & (stack ? LANES_ALL : turn->v->enabled);
    if (lanes)
        store_rows(turn, stack ? MOVE_INT32_ALL : resolve(turn->mod, config, own), lanes);
}

/* Does what store() does, if the plan covers the instruction. Precondition: at least one lane is enabled. */
static inline __attribute__((always_inline)) uint64_t store_lanes(struct vector_turn *turn,
                                                                  const struct vector_traits *traits, bool all) {
    const struct vector *v = turn->v;
    struct dst *dst = &turn->x->dst;
    struct planned u;
    if (!runs_by_plan(turn, STORES_WIDE, &u))
        return move_otherwise(turn->x, turn->thread, turn->word, traits);
    take_step(&u);
    dst_touch(dst, u.row);
    unsigned side = side_of(&u), format = u.format & FORMAT;
    const uint32_t *s = turn->in[turn->word >> 20 & 15];
    if (all)
        return v->lanes->move.store_all[side][format](dst->bits[u.row], s);
    return v->lanes->move.store[format](dst->bits[u.row], s, 0u - side, v->enabled);
}

__attribute__((noinline)) static uint64_t store_some_lanes(struct tensix *x, unsigned thread, uint32_t word,
                                                           uint64_t now, const struct vector_traits *traits) {
    struct vector_turn turn;
    vector_begin(&turn, x, thread, word, now, VECTOR_FORM_LOAD);
    return x->vector.enabled ? store_lanes(&turn, traits, false) : vector_act(x, thread, word, now, traits);
}

static inline __attribute__((always_inline)) uint64_t store_by_plan(struct vector_turn *turn,
                                                                    const struct vector_traits *traits) {
    if (BH_UNLIKELY(turn->v->enabled != LANES_ALL))
        return store_some_lanes(turn->x, turn->thread, turn->word, turn->now, traits);
    return store_lanes(turn, traits, true);
}

void vector_SFPSTORE(struct vector_turn *turn) {
    store(turn, turn->mod == MOVE_INT32_ALL);
}

void vector_SFPNOP(struct vector_turn *turn) {
    (void)turn;
}

/* ---- Issue ---------------------------------------------------------------------------------------- */

enum { LREG8_AND_UP = 8 << 20 };
#define EXECUTE_SFPLOAD(...)    VECTOR_EXECUTE_AS(__VA_ARGS__, LREG8_AND_UP, load_by_plan)
#define EXECUTE_SFPLOADI(...)   VECTOR_EXECUTE_AS(__VA_ARGS__, LREG8_AND_UP, run_load_immediate)
#define EXECUTE_SFPSTORE(...)   VECTOR_EXECUTE_AS(__VA_ARGS__, 0, store_by_plan)
#define EXECUTE_SFPNOP(...)     VECTOR_EXECUTE(vector_SFPNOP, __VA_ARGS__)
#define EXECUTE_MOVE(name, ...) EXECUTE_##name(name, __VA_ARGS__)
#define EXECUTE_MAD(...)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_FLAGS(...)
#define EXECUTE_OTHER(...)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
