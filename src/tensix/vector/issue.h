/* How each vector instruction issues: the rows of vector.def become functions here, execute_SFPMAD and so on. issue.c
 * says what the rules are.
 *
 * Some actions have a form for the usual case beside the one for all cases. It is inlined, and gives nobody its turn's
 * address, which the compiler can keep in registers then. */
#ifndef TENSIX_VECTOR_ISSUE_H
#define TENSIX_VECTOR_ISSUE_H

#include "tensix/tensix.h"
#include "tensix/vector/operands.h"

typedef uint32_t reads_function(const struct vector_turn *turn);
typedef void result_function(const struct vector_turn *turn);
struct vector_way;
/* As a handler; if it is not the usual case it ends with vector_otherwise. */
typedef uint64_t usual_function(struct vector_turn *turn, const struct vector_way *way);

/* ---- What the automatic stall knows ---------------------------------------------------------------- */

/* Sets of LRegs as bits. Only 0 to 7 can be waited for. */
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

/* VB also where an immediate or nothing is used instead of it. */
static inline uint32_t reads_B_C(const struct vector_turn *t) {
    return 1u << t->vb | 1u << t->vc;
}

static inline uint32_t reads_ALL(const struct vector_turn *t) {
    (void)t;
    return EVERY_LREG;
}

/* LO16_ONLY and HI16_ONLY keep the other half. */
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

/* With an indirect VD. */
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

/* It looks at Mod1Mirror, 19:16. */
static inline uint32_t reads_LUT32(const struct vector_turn *t) {
    return t->va & 8 ? EVERY_LREG : NOT_LREG7;
}

/* The first four LRegs are moved; across lanes it sees nothing; bits of VB are shifted, but it takes VD for it. */
static inline uint32_t reads_SHFT2(const struct vector_turn *t) {
    switch (t->mod) {
    case 0:
    case 1: return 0xF;
    case 5: return reads_C_D(t);
    case 6: return 1u << t->vd;
    default: return 0;
    }
}

/* ---- What it meets ------------------------------------------------------------------------------------- */

/* The LRegs that it reads or writes in truth, or is believed to read, and maybe others. Folds away but for the
 * operands' numbers. */
static inline __attribute__((always_inline)) uint32_t vector_uses(const struct vector_turn *t, uint8_t opcode,
                                                                  enum vector_form form) {
    switch (opcode) {
    case TENSIX_SFPNOP:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC: return 0;
    case TENSIX_SFPLOADMACRO:
    case TENSIX_SFPLUT:
    case TENSIX_SFPLUTFP32:
    case TENSIX_SFPTRANSP:
    case TENSIX_SFPCONFIG:
    case TENSIX_SFPSWAP:
    case TENSIX_SFPSHFT2: return EVERY_LREG;
    }
    switch (form) {
    case VECTOR_FORM_LOAD: return 1u << t->vd;
    case VECTOR_FORM_IMM16: return t->mod & 12 ? EVERY_LREG : 1u << t->vd;
    case VECTOR_FORM_MAD: return t->mod & 12 ? EVERY_LREG : 1u << t->va | 1u << t->vb | 1u << t->vc | 1u << t->vd;
    default: return 1u << t->vb | 1u << t->vc | 1u << t->vd;
    }
}

/* ---- What results do to those that come after them ----------------------------------------------------- */

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

/* The same of LReg0..7 if nothing else is in flight: it can be written at once, with a copy of what it held for the few
 * who may read that in the next cycle. Returns the LReg. */
static inline uint32_t *vector_result_early(const struct vector_turn *t) {
    struct vector *v = t->v;
    v->early = (uint8_t)t->vd;
    v->plain_from = v->early_until = t->now + VECTOR_LATENCY;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + VECTOR_LATENCY);
    uint32_t *d = v->lreg[t->vd];
    memcpy(v->was, d, sizeof v->was);
    return d;
}

static inline void result_alone(const struct vector_turn *t, uint32_t sub_units) {
    struct vector *v = t->v;
    v->free_at = t->now + VECTOR_LATENCY;
    if (v->plain_from == t->now + 1)
        v->plain_from = v->free_at;
    v->nop_at = v->second_at = v->free_at - 1;
    v->second = sub_units;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, v->free_at);
}

static inline void result_SWAP(const struct vector_turn *t) {
    result_alone(t, 1u << VECTOR_SIMPLE | 1u << VECTOR_ROUND);
}

static inline void result_SHFT2(const struct vector_turn *t) {
    if (t->mod >= 2 && t->mod <= 4)
        result_alone(t, 1u << VECTOR_ROUND);
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

/* An instruction tries to enter (execute_SFPMAD and so on: its handler), then it does (enter_SFPMAD). What is not usual
 * about it has functions of its own, which end it as handlers do: so nothing has to be kept for after them, and the
 * usual way saves few registers. */

/* What there is to know of an instruction that does not follow from its word. */
struct vector_way {
    uint8_t unit; /* enum vector_sub_unit */
    uint8_t form; /* enum vector_form */
    reads_function *reads;
    vector_action *action;
    result_function *result;
    tensix_handler *execute, *enter;
};

/* The unit takes no instruction in this cycle. */
uint64_t vector_hold_back(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, tensix_handler *execute);
/* It reads the LReg that is early, and waits. */
uint64_t vector_await_result(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, tensix_handler *execute);
/* It uses the LReg that is early: it is one of those that see what that held. */
uint64_t vector_use_early(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_way *way);
/* It enters if it does not have to wait, with a look at everything that there may be. */
uint64_t vector_enter_carefully(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                const struct vector_way *way);
/* An instruction that has entered in this cycle acts, in whatever case it is. */
uint64_t vector_act(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_way *way);

static inline uint64_t vector_otherwise(const struct vector_turn *t, const struct vector_way *way) {
    return vector_act(t->x, t->thread, t->word, t->now, way);
}

static inline __attribute__((always_inline)) struct vector_turn
vector_turn_of(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, enum vector_form form) {
    struct vector *v = &x->vector;
    struct vector_turn turn = { .x = x, .v = v, .in = v->lreg, .now = now, .word = word, .thread = thread };
    turn.lanes = LANES_ALL;
    vector_find_operands(&turn, form);
    return turn;
}

static inline bool vector_stalls(const struct tensix *x) {
    return !CONFIG_GET(x->config.bank[0], CHICKEN_BITS_sfpu_scbd_disable);
}

/* May it mean more to write to LReg12..15? SFPSTORE can only be a template. */
static inline bool vector_has_backdoor(uint8_t opcode) {
    return opcode != TENSIX_SFPLOAD && opcode != TENSIX_SFPLOADI && opcode != TENSIX_SFPLOADMACRO &&
           opcode != TENSIX_SFPCONFIG;
}

/* Does it mean more to write there (special_vd)? */
static inline bool vector_is_special(const struct vector *v, uint8_t opcode, unsigned vd) {
    return opcode == TENSIX_SFPSTORE ? vd >= 12 : vector_has_backdoor(opcode) && (v->special_vd >> vd & 1);
}

/* SFPNOP enters, whatever is in flight. */
static inline uint64_t vector_pass_nop(struct vector *v, uint64_t now) {
    vector_arrive(v, now);
    v->free_at = now + 1;
    return TENSIX_PASSED;
}

/* Is there anything to look at first? An instruction that uses no LReg does not mind one that is early. */
static inline bool vector_has_to_check(const struct vector *v, uint64_t now, uint8_t opcode, enum vector_form form) {
    static const struct vector_turn any;
    bool uses_some = vector_uses(&any, opcode, form) != 0;
    return uses_some ? now < v->plain_from : now + 1 < v->plain_from || now < v->free_at;
}

/* Before plain_from. */
static inline __attribute__((always_inline)) uint64_t vector_check(struct tensix *x, unsigned thread, uint32_t word,
                                                                   uint64_t now, uint8_t opcode, enum vector_form form,
                                                                   const struct vector_way *way, reads_function *reads,
                                                                   tensix_handler *enter) {
    struct vector *v = &x->vector;
    if (BH_UNLIKELY(now < v->free_at) && !(opcode == TENSIX_SFPNOP && now == v->nop_at))
        return vector_hold_back(x, thread, word, now, way->execute);
    if (opcode == TENSIX_SFPNOP) {
        v->nop_at = 0;
        if (BH_LIKELY(!v->macros && !vector_has_high_vd(word, form)))
            return vector_pass_nop(v, now);
    }
    if (!vector_is_early(v, now))
        return vector_enter_carefully(x, thread, word, now, way);
    struct vector_turn turn = vector_turn_of(x, thread, word, now, form);
    if (vector_uses(&turn, opcode, form) >> v->early & 1) {
        if (BH_LIKELY((reads(&turn) >> v->early & 1) && vector_stalls(x)))
            return vector_await_result(x, thread, word, now, way->execute);
        return vector_use_early(x, thread, word, now, way);
    }
    if (v->plain_from == TENSIX_NEVER)
        return vector_enter_carefully(x, thread, word, now, way);
    return enter(x, thread, word, now);
}

/* In a plain cycle, or one in which it uses nothing that is early. way: for all cases. */
static inline __attribute__((always_inline)) uint64_t vector_enter(struct tensix *x, unsigned thread, uint32_t word,
                                                                   uint64_t now, uint8_t opcode, enum vector_form form,
                                                                   const struct vector_way *way,
                                                                   usual_function *usual) {
    struct vector *v = &x->vector;
    v->free_at = v->plain_from = now + 1;
    struct vector_turn turn = vector_turn_of(x, thread, word, now, form);
    turn.plain = true;
    if (opcode == TENSIX_SFPSTORE ? turn.vd >= 12 : vector_has_backdoor(opcode) && vector_has_rare_vd(v, word, form))
        return vector_otherwise(&turn, way);
    if (opcode != TENSIX_SFPSTORE && vector_has_backdoor(opcode))
        turn.vd &= 7;
    return usual(&turn, way);
}

/* A row of vector.def. */
#define VECTOR_EXECUTE_AS(name, unit, form, reads, result, usual) \
    static tensix_handler enter_##name; \
    static const struct vector_way way_##name = { VECTOR_##unit,   VECTOR_FORM_##form, reads_##reads, vector_##name, \
                                                  result_##result, execute_##name,     enter_##name }; \
    __attribute__((noinline)) static uint64_t enter_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                           uint64_t now) { \
        return vector_enter(x, thread, word, now, TENSIX_##name, VECTOR_FORM_##form, &way_##name, usual); \
    } \
    __attribute__((noinline)) static uint64_t check_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                           uint64_t now) { \
        return vector_check(x, thread, word, now, TENSIX_##name, VECTOR_FORM_##form, &way_##name, reads_##reads, \
                            enter_##name); \
    } \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        if (vector_has_to_check(&x->vector, now, TENSIX_##name, VECTOR_FORM_##form)) \
            return check_##name(x, thread, word, now); \
        return vector_enter(x, thread, word, now, TENSIX_##name, VECTOR_FORM_##form, &way_##name, usual); \
    }

/* An action for all cases that is inlined where it is usual: act_SFPMOV and so on. */
#define VECTOR_ACTION(name) \
    static inline __attribute__((always_inline)) void act_##name(struct vector_turn *turn); \
    void vector_##name(struct vector_turn *turn) { \
        act_##name(turn); \
    } \
    static inline __attribute__((always_inline)) void act_##name(struct vector_turn *turn)

/* One that has no other form. */
#define VECTOR_EXECUTE(action, name, unit, form, reads, result) \
    static inline __attribute__((always_inline)) \
    uint64_t usual_##name(struct vector_turn *turn, const struct vector_way *way) { \
        (void)way; \
        result_##result(turn); /* before the action, which ends with calling a kernel */ \
        action(turn); \
        return BH_UNLIKELY(turn->refused) ? TENSIX_NEVER : TENSIX_PASSED; \
    } \
    VECTOR_EXECUTE_AS(name, unit, form, reads, result, usual_##name)

#endif
