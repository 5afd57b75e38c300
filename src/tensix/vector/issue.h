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
typedef bool rare_function(const struct vector_turn *turn); /* is it not the usual case? */

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

/* ---- What results do to those that come after them ----------------------------------------------------- */

static inline void result_NOW(const struct vector_turn *t) {
    (void)t;
}

static inline void result_late(const struct vector_turn *t, bool any) {
    t->v->written = any ? EVERY_LREG : 1u << t->vd & EVERY_LREG;
    t->v->written_at = t->now + 1;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + 2);
}

static inline void result_LATE(const struct vector_turn *t) {
    result_late(t, t->mod & 8);
}

static inline void result_LUT32(const struct vector_turn *t) {
    result_late(t, t->va & 8);
}

static inline void result_alone(const struct vector_turn *t, uint32_t sub_units) {
    struct vector *v = t->v;
    v->free_at = t->now + 2;
    v->nop_at = v->second_at = t->now + 1;
    v->second = sub_units;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + 2);
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
 * usual way saves few registers.
 *
 * The unit takes no instruction in this cycle; or not this one, which reads what has just been written. */
uint64_t vector_hold_back(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, tensix_handler *execute);
uint64_t vector_await_result(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, tensix_handler *execute);
/* Results come to their LRegs first. */
uint64_t vector_arrive_first(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, tensix_handler *enter);

static inline __attribute__((always_inline)) struct vector_turn
vector_turn_of(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, enum vector_form form) {
    struct vector *v = &x->vector;
    struct vector_turn turn = { .x = x, .v = v, .in = v->lreg, .now = now, .word = word, .thread = thread };
    turn.lanes = LANES_ALL;
    vector_find_operands(&turn, form);
    return turn;
}

/* What there is to know of an instruction that does not follow from its word. */
struct vector_way {
    uint8_t unit; /* enum vector_sub_unit */
    uint8_t form; /* enum vector_form */
    vector_action *action;
    result_function *result;
};

/* An instruction that has entered in this cycle acts, in whatever case it is. */
uint64_t vector_act(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_way *way);

static inline bool vector_stalls(const struct tensix *x) {
    return !CONFIG_GET(x->config.bank[0], CHICKEN_BITS_sfpu_scbd_disable);
}

/* Does it mean more to write there (special_vd)? SFPSTORE can only be a template. */
static inline bool vector_is_special(const struct vector *v, uint8_t opcode, unsigned vd) {
    bool backdoor = opcode != TENSIX_SFPLOAD && opcode != TENSIX_SFPLOADI && opcode != TENSIX_SFPLOADMACRO &&
                    opcode != TENSIX_SFPCONFIG;
    return opcode == TENSIX_SFPSTORE ? vd >= 12 : backdoor && (v->special_vd >> vd & 1);
}

static inline uint64_t vector_arrive_and_enter(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                               tensix_handler *enter) {
    if (vector_has_arrived(&x->vector, now))
        return vector_arrive_first(x, thread, word, now, enter);
    return enter(x, thread, word, now);
}

/* The handler. check: goes on if something has just been written. */
static inline uint64_t vector_issue(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, uint8_t opcode,
                                    reads_function *reads, tensix_handler *check, tensix_handler *execute,
                                    tensix_handler *enter) {
    const struct vector *v = &x->vector;
    bool second = opcode == TENSIX_SFPNOP && now == v->nop_at;
    if (BH_UNLIKELY(now < v->free_at) && !second)
        return vector_hold_back(x, thread, word, now, execute);
    if (reads != reads_NOTHING && v->written_at == now)
        return check(x, thread, word, now);
    return vector_arrive_and_enter(x, thread, word, now, enter);
}

static inline uint64_t vector_check_reads(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                          enum vector_form form, reads_function *reads, tensix_handler *execute,
                                          tensix_handler *enter) {
    struct vector_turn turn = vector_turn_of(x, thread, word, now, form);
    if ((reads(&turn) & x->vector.written) && vector_stalls(x))
        return vector_await_result(x, thread, word, now, execute);
    return vector_arrive_and_enter(x, thread, word, now, enter);
}

/* way: for all cases. usual: what it does unless it is rare. */
static inline __attribute__((always_inline)) uint64_t
vector_enter(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, uint8_t opcode, enum vector_form form,
             result_function *result, const struct vector_way *way, rare_function *rare, vector_action *usual) {
    struct vector *v = &x->vector;
    if (opcode == TENSIX_SFPNOP && now == v->nop_at)
        v->nop_at = 0;
    v->free_at = now + 1;
    struct vector_turn turn = vector_turn_of(x, thread, word, now, form);
    if (BH_UNLIKELY(rare(&turn)) || BH_UNLIKELY(v->macros) || BH_UNLIKELY(vector_is_special(v, opcode, turn.vd)))
        return vector_act(x, thread, word, now, way);
    result(&turn); /* before the action, which ends with calling a kernel */
    usual(&turn);
    return BH_UNLIKELY(turn.refused) ? TENSIX_NEVER : TENSIX_PASSED;
}

/* A row of vector.def. */
#define VECTOR_EXECUTE_AS(name, unit, form, reads, result, rare, usual) \
    __attribute__((noinline)) static uint64_t enter_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                           uint64_t now) { \
        static const struct vector_way way = { VECTOR_##unit, VECTOR_FORM_##form, vector_##name, result_##result }; \
        return vector_enter(x, thread, word, now, TENSIX_##name, VECTOR_FORM_##form, result_##result, &way, rare, \
                            usual); \
    } \
    __attribute__((noinline)) static uint64_t check_##name(struct tensix *x, unsigned thread, uint32_t word, \
                                                           uint64_t now) { \
        return vector_check_reads(x, thread, word, now, VECTOR_FORM_##form, reads_##reads, execute_##name, \
                                  enter_##name); \
    } \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        return vector_issue(x, thread, word, now, TENSIX_##name, reads_##reads, check_##name, execute_##name, \
                            enter_##name); \
    }

/* One that has no other form. */
static inline bool vector_never(const struct vector_turn *turn) {
    (void)turn;
    return false;
}
#define VECTOR_EXECUTE(name, ...) VECTOR_EXECUTE_AS(name, __VA_ARGS__, vector_never, vector_##name)

#endif
