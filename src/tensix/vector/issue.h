/* Issue of vector instructions. Each row of vector.def becomes a handler here (execute_SFPMAD and so on). issue.c
 * explains the rules.
 *
 * If nothing is in flight (plain_from), a handler executes its instruction by `run` when `run` covers the word and its
 * VD, and by vector_act otherwise. Before plain_from, the second half of the handler (look_SFPMAD and so on) finds out
 * whether the instruction depends on a result in flight; if it does, vector_use_forwarded or vector_look continues.
 *
 * All of these end with a tail call, so that the handler saves no registers. `run` is inlined and passes the address of
 * its turn to no other function, so that the compiler can keep the turn in registers. */
#ifndef TENSIX_VECTOR_ISSUE_H
#define TENSIX_VECTOR_ISSUE_H

#include "tensix/tensix.h"
#include "tensix/vector/operands.h"

typedef uint32_t reads_function(const struct vector_turn *turn);
typedef void result_function(const struct vector_turn *turn);
struct vector_traits;
/* Executes an instruction that has entered and whose word has none of the row's `rare` bits. Returns what a handler
 * returns. */
typedef uint64_t run_function(struct vector_turn *turn, const struct vector_traits *traits);

/* ---- LRegs that the automatic stall believes to be read --------------------------------------------------------- */

/* Sets of LRegs, one bit each. Instructions wait only for LReg0..7. */
enum { EVERY_LREG = 0xFF, LREG7 = 0x80, NOT_LREG7 = 0x7F };

static inline uint32_t reads_NOTHING(const struct vector_turn *t) {
    (void)t;
    return 0;
}

static inline uint32_t reads_C(const struct vector_turn *t) {
    return 1u << t->vc;
}

static inline uint32_t reads_D(const struct vector_turn *t) {
    return 1u << t->vd;
}

static inline uint32_t reads_C_D(const struct vector_turn *t) {
    return 1u << t->vc | 1u << t->vd;
}

/* VB is included even if the instruction uses an immediate instead of VB, or no VB at all. */
static inline uint32_t reads_B_C(const struct vector_turn *t) {
    return 1u << t->vb | 1u << t->vc;
}

static inline uint32_t reads_ALL(const struct vector_turn *t) {
    (void)t;
    return EVERY_LREG;
}

/* LO16_ONLY and HI16_ONLY read VD, because they keep its other half. */
static inline uint32_t reads_LOAD(const struct vector_turn *t) {
    return t->mod >= 14 ? 1u << t->vd : 0;
}

static inline uint32_t reads_LOADI(const struct vector_turn *t) {
    return t->mod & 8 ? 1u << t->vd : 0;
}

static inline uint32_t reads_SETCC(const struct vector_turn *t) {
    return t->mod & 9 ? 0 : 1u << t->vc;
}

static inline uint32_t reads_MOV(const struct vector_turn *t) {
    return t->mod & 8 ? 0 : 1u << t->vc;
}

static inline uint32_t reads_FIELD(const struct vector_turn *t) {
    return t->mod & 1 ? 1u << t->vc : reads_C_D(t);
}

static inline uint32_t reads_ARECIP(const struct vector_turn *t) {
    return t->mod == 1 ? reads_B_C(t) : 1u << t->vc;
}

/* Returns the LReg that selects an indirect VD. */
static inline uint32_t reads_index(const struct vector_turn *t) {
    return t->mod & 8 ? LREG7 : 0;
}

static inline uint32_t reads_MAD(const struct vector_turn *t) {
    return t->mod & 4 ? EVERY_LREG : 1u << t->va | 1u << t->vb | 1u << t->vc | reads_index(t);
}

static inline uint32_t reads_IMM(const struct vector_turn *t) {
    return 1u << t->vc | reads_index(t);
}

static inline uint32_t reads_LUT(const struct vector_turn *t) {
    return 0xF | reads_index(t);
}

/* The stall tests Mod1Mirror (bits 19:16), not Mod1. */
static inline uint32_t reads_LUT32(const struct vector_turn *t) {
    return t->va & 8 ? EVERY_LREG : NOT_LREG7;
}

/* Moves along LRegs read the first four. The stall does not see what moves across lanes read, and for bit shifts it
 * takes VD where it should take VB. */
static inline uint32_t reads_SHFT2(const struct vector_turn *t) {
    switch (t->mod) {
    case 0:
    case 1: return 0xF;
    case 5: return reads_C_D(t);
    case 6: return 1u << t->vd;
    default: return 0;
    }
}

/* ---- Uses of LRegs ------------------------------------------------------------------------------------- */

/* Returns whether one of `count` fields of four bits, starting at bit 4 of the word, is this LReg. May also return true
 * if none is. */
static inline bool vector_names(uint32_t word, unsigned count, unsigned lreg) {
    uint32_t each = 0x1111u >> (16 - 4 * count), x = (word >> 4 ^ lreg * each) & 15 * each;
    return (x - each) & ~x & each << 3; /* nonzero if a field is zero; a zero field may also mark fields above it */
}

/* Returns whether the instruction reads or writes this LReg, or the stall believes that it reads it. May also return
 * true if neither is the case. With a constant opcode and form, only the comparison of operand numbers is left. */
static inline __attribute__((always_inline)) bool vector_uses(uint32_t word, uint8_t opcode, enum vector_form form,
                                                              unsigned lreg) {
    switch (opcode) {
    case TENSIX_SFPNOP:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC: return false;
    case TENSIX_SFPLOADMACRO:
    case TENSIX_SFPLUT:
    case TENSIX_SFPLUTFP32:
    case TENSIX_SFPTRANSP:
    case TENSIX_SFPCONFIG:
    case TENSIX_SFPSWAP:
    case TENSIX_SFPSHFT2: return true;
    }
    switch (form) {
    case VECTOR_FORM_LOAD: return (word >> 20 & 15) == lreg;
    case VECTOR_FORM_IMM16: return (word & 12) || vector_names(word, 1, lreg);
    case VECTOR_FORM_MAD: return (word & 12) || vector_names(word, 4, lreg);
    case VECTOR_FORM_SIMPLE: return vector_names(word, 2, lreg);
    case VECTOR_FORM_MAY_VB: return vector_names(word, word & 1 ? 3 : 2, lreg);
    default: return vector_names(word, 3, lreg);
    }
}

/* ---- Destinations ------------------------------------------------------------------------------------- */

/* Returns whether the instruction has a result for VD, or for the LReg that LReg7 selects in its place. */
static inline bool vector_writes_vd(uint8_t opcode, unsigned mod) {
    switch (opcode) {
    case TENSIX_SFPSTORE:
    case TENSIX_SFPSETCC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC: return false;
    case TENSIX_SFPLE:
    case TENSIX_SFPGT: return mod & 8;
    case TENSIX_SFPSHFT2: return mod > 2;
    default: return true;
    }
}

/* Returns whether LReg7 selects the destination. */
static inline bool vector_has_indirect_vd(uint8_t opcode, unsigned mod) {
    switch (opcode) {
    case TENSIX_SFPMAD:
    case TENSIX_SFPADD:
    case TENSIX_SFPMUL:
    case TENSIX_SFPMUL24:
    case TENSIX_SFPMULI:
    case TENSIX_SFPADDI:
    case TENSIX_SFPLUT:
    case TENSIX_SFPLUTFP32: return mod & 8;
    default: return false;
    }
}

/* Returns whether this mode of SFPMOV acts in all lanes, whatever their flags are. */
static inline bool vector_mov_ignores_flags(unsigned mod) {
    return (mod & ~4u) == 2; /* bit 2 is reserved */
}

/* ---- Effects of results on later instructions ----------------------------------------------------- */

static inline void result_NOW(const struct vector_turn *t) {
    (void)t;
}

static inline void result_late(const struct vector_turn *t, bool any) {
    t->v->written = any ? EVERY_LREG : 1u << t->vd & EVERY_LREG;
    t->v->written_at = t->now + VECTOR_LATENCY - 1;
    t->v->plain_from = TENSIX_NEVER;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + VECTOR_LATENCY);
}

static inline void result_LATE(const struct vector_turn *t) {
    result_late(t, t->mod & 8);
}

static inline void result_LUT32(const struct vector_turn *t) {
    result_late(t, t->va & 8);
}

/* Forwards a result to LReg0..7. Keeps a copy of the old value for the few instructions that read it in the next cycle.
 * Returns the LReg, for the result. Precondition: nothing else is in flight. */
static inline uint32_t *vector_forward_result(const struct vector_turn *t) {
    struct vector *v = t->v;
    v->forwarded = (uint8_t)t->vd;
    v->plain_from = v->forwarded_until = t->now + VECTOR_LATENCY;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + VECTOR_LATENCY);
    uint32_t *d = v->lreg[t->vd];
    memcpy(v->old_value, d, sizeof v->old_value);
    return d;
}

/* Records an instruction of two cycles: in the second one, only SFPNOP enters the unit. sub_units: a mask of those that
 * are occupied in the second cycle. */
static inline void result_of_two_cycles(const struct vector_turn *t, uint32_t sub_units) {
    struct vector *v = t->v;
    v->free_at = t->now + VECTOR_LATENCY;
    if (v->plain_from == t->now + 1)
        v->plain_from = v->free_at;
    v->nop_at = v->second_at = v->free_at - 1;
    v->second = sub_units;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, v->free_at);
}

static inline void result_SWAP(const struct vector_turn *t) {
    result_of_two_cycles(t, 1u << VECTOR_SIMPLE | 1u << VECTOR_ROUND);
}

static inline void result_SHFT2(const struct vector_turn *t) {
    if (t->mod >= 2 && t->mod <= 4)
        result_of_two_cycles(t, 1u << VECTOR_ROUND);
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

/* Traits of an instruction: everything about it that its word does not say. */
struct vector_traits {
    uint8_t unit; /* enum vector_sub_unit */
    uint8_t form; /* enum vector_form */
    vector_action *action;
    result_function *result;
    tensix_handler *execute;
};

/* Handlers for an instruction that uses the forwarded LReg, and for one that may depend on anything in flight. The
 * instruction waits, or enters through traits->execute or vector_act. reads: the LRegs that the automatic stall
 * believes it to read. */
uint64_t vector_use_forwarded(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                              const struct vector_traits *traits, uint32_t reads);
uint64_t vector_look(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_traits *traits,
                     uint32_t reads);
/* Executes an instruction of any form that has entered the unit in this cycle. Returns what a handler returns. */
uint64_t vector_act(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_traits *traits);

/* Runs the instruction by its own handler in this cycle. Precondition: nothing is in flight that the instruction
 * depends on. */
static inline uint64_t vector_run(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                  const struct vector_traits *traits) {
    x->vector.free_at = x->vector.plain_from = now;
    return traits->execute(x, thread, word, now);
}

static inline uint64_t vector_otherwise(const struct vector_turn *t, const struct vector_traits *traits) {
    return vector_act(t->x, t->thread, t->word, t->now, traits);
}

/* Sets all members of `turn`. One by one: a copy of the whole, as of a returned value, reads several members at once
 * right after they are written one by one, for which processors wait. */
static inline __attribute__((always_inline)) void vector_begin(struct vector_turn *turn, struct tensix *x,
                                                               unsigned thread, uint32_t word, uint64_t now,
                                                               enum vector_form form) {
    turn->x = x;
    turn->v = &x->vector;
    turn->in = x->vector.lreg;
    turn->now = now;
    turn->word = word;
    turn->lanes = LANES_ALL;
    turn->thread = thread;
    turn->va = turn->vb = turn->vc = turn->vd = turn->mod = turn->address = 0;
    turn->plain = turn->scheduled = turn->refused = false;
    vector_find_operands(turn, form);
}

/* Returns whether a VD of LReg12..15 may mark the instruction as a template. For SFPSTORE it has no other meaning. */
static inline bool vector_has_backdoor(uint8_t opcode) {
    return opcode != TENSIX_SFPLOAD && opcode != TENSIX_SFPLOADI && opcode != TENSIX_SFPLOADMACRO &&
           opcode != TENSIX_SFPCONFIG;
}

/* Returns whether VD marks the instruction as a template, or the erratum of ENABLE_DEST_INDEX applies to it
 * (special_vd). */
static inline bool vector_is_special(const struct vector *v, uint8_t opcode, unsigned vd) {
    return opcode == TENSIX_SFPSTORE ? vd >= 12 : vector_has_backdoor(opcode) && (v->special_vd >> vd & 1);
}

static inline __attribute__((always_inline)) uint32_t vector_reads(uint32_t word, enum vector_form form,
                                                                   reads_function *reads) {
    struct vector_turn turn = { .word = word };
    vector_find_operands(&turn, form);
    return reads(&turn);
}

/* Returns whether a forwarded result is the only one in flight. Precondition: now < plain_from. */
static inline bool vector_has_only_forwarded(const struct vector *v, uint64_t now) {
    return now + 1 == v->plain_from && now >= v->free_at;
}

/* Lets the instruction enter. `run` executes it, or vector_act if the word has a bit of `rare` or a special VD.
 * Precondition: nothing is in flight. */
static inline __attribute__((always_inline)) uint64_t vector_enter(struct tensix *x, unsigned thread, uint32_t word,
                                                                   uint64_t now, uint8_t opcode, enum vector_form form,
                                                                   uint32_t rare, const struct vector_traits *traits,
                                                                   run_function *run) {
    struct vector *v = &x->vector;
    v->free_at = v->plain_from = now + 1;
    struct vector_turn turn;
    vector_begin(&turn, x, thread, word, now, form);
    turn.plain = true;
    if (opcode == TENSIX_SFPSTORE ? turn.vd >= 12 : vector_has_backdoor(opcode) && vector_has_rare_vd(v, word, form))
        return vector_otherwise(&turn, traits);
    if (word & rare)
        return vector_otherwise(&turn, traits);
    if (opcode != TENSIX_SFPSTORE && vector_has_backdoor(opcode))
        turn.vd &= 7;
    return run(&turn, traits);
}

/* Generates traits_<name>, look_<name> and execute_<name> for a row of vector.def. */
#define VECTOR_EXECUTE_AS(name, unit, form, reads, result, rare, run) \
    static const struct vector_traits traits_##name = { VECTOR_##unit, VECTOR_FORM_##form, vector_##name, \
                                                        result_##result, execute_##name }; \
    __attribute__((noinline)) static uint64_t look_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                          uint64_t now) { \
        bool only_forwarded = vector_has_only_forwarded(&x->vector, now); \
        if (only_forwarded && !vector_uses(word, TENSIX_##name, VECTOR_FORM_##form, x->vector.forwarded)) \
            return vector_run(x, thread, word, now, &traits_##name); \
        uint32_t lregs = vector_reads(word, VECTOR_FORM_##form, reads_##reads); \
        return only_forwarded ? vector_use_forwarded(x, thread, word, now, &traits_##name, lregs) \
                              : vector_look(x, thread, word, now, &traits_##name, lregs); \
    } \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        if (now < x->vector.plain_from) \
            return look_##name(x, thread, word, now); \
        return vector_enter(x, thread, word, now, TENSIX_##name, VECTOR_FORM_##form, rare, &traits_##name, run); \
    }

/* Defines an action that is also inlined into its handler: act_<name>, and vector_<name>, which calls it. */
#define VECTOR_ACTION(name) \
    static inline __attribute__((always_inline)) void act_##name(struct vector_turn *turn); \
    void vector_##name(struct vector_turn *turn) { \
        act_##name(turn); \
    } \
    static inline __attribute__((always_inline)) void act_##name(struct vector_turn *turn)

/* Generates the handler of a row whose `run` only calls the action. */
#define VECTOR_EXECUTE(action, name, unit, form, reads, result) \
    static inline __attribute__((always_inline)) \
    uint64_t run_##name(struct vector_turn *turn, const struct vector_traits *traits) { \
        (void)traits; \
        result_##result(turn); /* first, because the action ends with a tail call */ \
        action(turn); \
        return BH_UNLIKELY(turn->refused) ? TENSIX_NEVER : TENSIX_PASSED; \
    } \
    VECTOR_EXECUTE_AS(name, unit, form, reads, result, 0, run_##name)

#endif
