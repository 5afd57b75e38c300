/* When an instruction enters the Vector Unit, and what it sees of results that are on their way.
 *
 * One instruction a cycle from all threads. A result of the MAD sub-unit takes two cycles; an instruction that would
 * read it in between stalls, whichever thread it is of and whatever lanes are enabled, unless the hardware does not see
 * that it reads: then it gets what the LReg held before. After SFPSWAP and modes 2 to 4 of SFPSHFT2 only SFPNOP passes
 * in the next cycle.
 *
 * Most instructions meet nothing of all that: plain_from says so. A result of the MAD sub-unit that is alone in flight
 * is even written at once ("forwarded"), as few instructions could see the difference: one that uses the LReg in the
 * next cycle waits, or has the result taken back and put on its way (vector_take_back).
 *
 * Assumed: CHICKEN_BITS_sfpu_scbd_disable switches off the stall of readers, not the one after SFPSWAP and SFPSHFT2. A
 * register that both a late result and one without delay reach in the same cycle keeps the latter, which is younger.
 * A backdoor load does not depend on lanes being enabled. When SFPCONFIG has just changed DISABLE_BACKDOOR_LOAD, an
 * instruction in the next cycle that would see a difference faults.
 * Sources: VectorUnit.md, SFPMAD.md, SFPLUTFP32.md, SFPSHFT2.md, SFPSWAP.md, SFPSTOCHRND_*.md, SFPCONFIG.md (BH). */
#include <stdarg.h>
#include <string.h>

#include "base/line.h"
#include "tensix/clock.h"
#include "tensix/vector/issue.h"

/* ---- Results on their way -------------------------------------------------------------------------- */

void vector_take_late(struct vector *v, uint64_t now) {
    do {
        const struct vector_late *late = &v->late[v->late_at];
        BH_ASSERT(v->lates && late->at <= now);
        v->lates--;
        v->late_at = v->lates ? (v->late_at + 1) % VECTOR_LATE : 0; /* the same few lines of the host's cache */
        v->lanes->simple.copy(v->lreg[late->lreg], late->value, late->lanes);
    } while (BH_UNLIKELY(vector_has_arrived(v, now)));
}

/* Lanes that were on when it started still are: nothing has entered since. */
void vector_take_back(struct vector *v) {
    uint32_t *lreg = v->lreg[v->forwarded];
    BH_ASSERT(v->forwarded_until && v->forwarded < 8 && v->lates < VECTOR_LATE);
    struct vector_late *late = vector_late_number(v, v->lates++);
    late->at = v->forwarded_until;
    late->lanes = v->enabled;
    late->lreg = v->forwarded;
    memcpy(late->value, lreg, sizeof late->value);
    memcpy(lreg, v->old_value, sizeof v->old_value);
    v->forwarded_until = 0;
    v->plain_from = TENSIX_NEVER;
}

/* What a scheduled instruction started in the same cycle arrives later, and stays. */
void vector_forget_late(struct vector *v, unsigned lreg, uint32_t lanes, uint64_t until) {
    for (unsigned i = 0; i < v->lates; i++) {
        struct vector_late *late = vector_late_number(v, i);
        if (late->lreg == lreg && late->at <= until)
            late->lanes &= ~lanes;
    }
}

struct vector_late *vector_find_late(struct vector *v, unsigned lreg, uint64_t at) {
    for (unsigned i = v->lates; i-- > 0 && vector_late_number(v, i)->at == at;)
        if (vector_late_number(v, i)->lreg == lreg)
            return vector_late_number(v, i);
    return NULL;
}

uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES] {
    vector_arrive(turn->v, turn->now + 1);
    return turn->v->lreg;
}

uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now) {
    if (v->open && v->open_at == now)
        return v->before[lreg][lane];
    uint32_t value = vector_is_forwarded(v, now) && v->forwarded == lreg ? v->old_value[lane] : v->lreg[lreg][lane];
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->lreg == lreg && late->at <= now && (late->lanes >> lane & 1))
            value = late->value[lane];
    }
    return value;
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...) {
    char text[sizeof(((struct bh_fault *)0)->text)];
    va_list args;
    va_start(args, format);
    line_put_list(text, sizeof text, format, args);
    va_end(args);
    turn->refused = true;
    tensix_fault(turn->x, turn->thread, kind, turn->word, 0, turn->now, "%s%s",
                 turn->scheduled ? "scheduled by SFPLOADMACRO: " : "", text);
}

/* An instruction with VD >= 12 is stored as a template in the columns whose LaneConfig does not forbid it, and executes
 * in the others. */
static void store_template(struct vector_turn *t) {
    struct vector *v = t->v;
    if (t->now == v->unsure_at) {
        vector_refuse(
            t, BH_FAULT_UNDEFINED,
            "SFPCONFIG changed DISABLE_BACKDOOR_LOAD in the cycle before, so that it is undefined whether VD = "
            "%u means a template; an SFPNOP in between helps",
            t->vd);
        return;
    }
    uint32_t columns = t->lanes & ~v->no_backdoor;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        if (columns >> i & 1)
            v->macro[i].template[t->vd - 12] = t->word;
    t->lanes &= v->no_backdoor;
    vector_derive(v);
}

/* A result in LReg4..7 of lanes with ENABLE_DEST_INDEX: the hardware puts something of the index bank there. */
static void refuse_result(struct vector_turn *t) {
    if (t->lanes & t->v->enabled & t->v->dest_index)
        vector_refuse(
            t, BH_FAULT_UNDEFINED,
            "a result to LReg%u while ENABLE_DEST_INDEX is set, which the hardware corrupts (erratum TEN-2932)", t->vd);
}

/* In the next cycle it enters, if nothing happens before. */
static uint64_t enter_next(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                           const struct vector_way *way) {
    uint64_t again = way->execute(x, thread, word, now + 1);
    return again == TENSIX_PASSED ? TENSIX_PASSED_NEXT : again;
}

/* The unit takes no instruction in this cycle. */
__attribute__((noinline)) static uint64_t hold_back(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                    const struct vector_way *way) {
    const struct vector *v = &x->vector;
    if (v->free_at == TENSIX_NEVER)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_VECTOR_RESET);
    if (now != v->nop_at)
        return tensix_hold(x, thread, now + 1, WAIT_VECTOR_ENTRY);
    if (clock_nothing_else_next(x, now))
        return enter_next(x, thread, word, now, way);
    return tensix_hold(x, thread, now + 1, WAIT_VECTOR_SECOND_CYCLE);
}

__attribute__((noinline)) static uint64_t await_result(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                       const struct vector_way *way) {
    if (clock_nothing_else_next(x, now))
        return enter_next(x, thread, word, now, way);
    return tensix_hold(x, thread, now + 1, WAIT_VECTOR_RESULT);
}

/* Does it write a result to VD that the erratum spoils? */
static bool is_spoilt(unsigned opcode) {
    switch (opcode) {
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPNOP:
    case TENSIX_SFPPOPC:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPSETCC:
    case TENSIX_SFPSTORE:
    case TENSIX_SFPSWAP:
    case TENSIX_SFPTRANSP: return false;
    default: return true;
    }
}

uint64_t vector_act(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_way *way) {
    struct vector_turn turn = vector_turn_of(x, thread, word, now, way->form);
    bool special = vector_is_special(turn.v, (uint8_t)(word >> 24), turn.vd), template = special && turn.vd >= 12;
    if (turn.v->macros && !vector_join(&turn, way->unit, !template))
        return turn.refused ? TENSIX_NEVER : TENSIX_PASSED;
    if (template)
        store_template(&turn);
    else if (special && is_spoilt(word >> 24))
        refuse_result(&turn);
    if ((turn.lanes || way->unit == VECTOR_STORE) && !turn.refused) {
        way->action(&turn);
        way->result(&turn);
    }
    return turn.refused ? TENSIX_NEVER : TENSIX_PASSED;
}

static bool stalls(const struct tensix *x) {
    return !CONFIG_GET(x->config.bank[0], CHICKEN_BITS_sfpu_scbd_disable);
}

/* It enters if it does not have to wait, with a look at everything that there may be. */
__attribute__((noinline)) static uint64_t look_at_all(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                      const struct vector_way *way, uint32_t reads) {
    struct vector *v = &x->vector;
    if (v->written_at == now && (reads & v->written) && stalls(x))
        return await_result(x, thread, word, now, way);
    vector_arrive(v, now);
    if (BH_LIKELY(!v->macros && !v->lates))
        return vector_run(x, thread, word, now, way);
    v->free_at = now + 1;
    return vector_act(x, thread, word, now, way);
}

/* SFPNOP enters, whatever is in flight. */
__attribute__((noinline)) static uint64_t pass_nop(struct vector *v, uint64_t now) {
    vector_arrive(v, now);
    v->free_at = now + 1;
    return TENSIX_PASSED;
}

/* It sees what the LReg held. */
__attribute__((noinline)) static uint64_t undo_forward(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                       const struct vector_way *way, uint32_t reads) {
    vector_take_back(&x->vector);
    return look_at_all(x, thread, word, now, way, reads);
}

uint64_t vector_use_forwarded(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                              const struct vector_way *way, uint32_t reads) {
    BH_ASSERT(vector_is_forwarded(&x->vector, now));
    if (BH_LIKELY((reads >> x->vector.forwarded & 1) && stalls(x)))
        return await_result(x, thread, word, now, way);
    return undo_forward(x, thread, word, now, way, reads);
}

/* Ends with a call in every case, so that it saves no registers. */
uint64_t vector_look(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_way *way,
                     uint32_t reads) {
    struct vector *v = &x->vector;
    bool is_nop = word >> 24 == TENSIX_SFPNOP;
    if (BH_UNLIKELY(now < v->free_at) && !(is_nop && now == v->nop_at))
        return hold_back(x, thread, word, now, way);
    if (is_nop) {
        v->nop_at = 0;
        if (BH_LIKELY(!v->macros && !vector_has_high_vd(word, way->form)))
            return pass_nop(v, now);
    }
    if (vector_is_forwarded(v, now))
        return vector_use_forwarded(x, thread, word, now, way, reads);
    return look_at_all(x, thread, word, now, way, reads);
}

/* ---- Cycles of the rows ----------------------------------------------------------------------------- */

#define CYCLES(name, occupancy, latency) \
    _Static_assert((int)TENSIX_OCCUPANCY_##name == (occupancy) && (int)TENSIX_LATENCY_##name == (latency), \
                   "vector.def says otherwise of " #name);
#define CYCLES_NOW(name)                                 CYCLES(name, 1, 1)
#define CYCLES_LATE(name)                                CYCLES(name, 1, VECTOR_LATENCY)
#define CYCLES_LUT32(name)                               CYCLES(name, 1, VECTOR_LATENCY)
#define CYCLES_SWAP(name)                                CYCLES(name, VECTOR_LATENCY, VECTOR_LATENCY)
#define CYCLES_SHFT2(name)                               CYCLES(name, 1, 1)
#define VECTOR_OP(name, unit, form, reads, result, home) CYCLES_##result(name)
#include "tensix/vector/vector.def"
_Static_assert((int)VECTOR_LATENCY == 2 && (int)TENSIX_PART_SFPSHFT2_ACROSS == (int)VECTOR_LATENCY,
               "there is one cycle in which readers stall, and one place for what takes it");

/* The others are in mad.c, move.c, simple.c and flags.c. */
#define EXECUTE_MOVE(...)
#define EXECUTE_MAD(...)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_FLAGS(...)
#define EXECUTE_OTHER(name, ...)                         VECTOR_EXECUTE(vector_##name, name, __VA_ARGS__)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
