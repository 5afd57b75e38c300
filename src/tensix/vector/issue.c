/* Entry of instructions into the Vector Unit, and results that are in flight.
 *
 * The unit accepts one instruction a cycle from all threads. A result of the MAD sub-unit takes two cycles. An
 * instruction of any thread that would read it in between stalls, whichever lanes are enabled; but where the hardware
 * does not notice the read, the instruction gets the old value of the LReg. In the cycle after SFPSWAP and after modes
 * 2 to 4 of SFPSHFT2, only SFPNOP passes.
 *
 * From plain_from on nothing is in flight; this is the case for most instructions. If the only result in flight is one
 * of the MAD sub-unit, it is forwarded: written at once, since few instructions can see the difference. An instruction
 * that uses that LReg in the next cycle waits; if it has to read the old value, the forward is undone and the result
 * lands normally (vector_undo_forward).
 *
 * Assumed: CHICKEN_BITS_sfpu_scbd_disable switches off the stall of readers, but not the one after SFPSWAP and
 * SFPSHFT2. If a late result and an immediate one reach a register in the same cycle, the immediate one stays, because
 * it is younger. Backdoor loads act in disabled lanes too. If SFPCONFIG has just changed DISABLE_BACKDOOR_LOAD, an
 * instruction in the next cycle that depends on it faults. Sources: VectorUnit.md, SFPMAD.md, SFPLUTFP32.md,
 * SFPSHFT2.md, SFPSWAP.md, SFPSTOCHRND_*.md, SFPCONFIG.md (BH). */
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
        v->late_at = v->lates ? (v->late_at + 1) % VECTOR_LATE : 0; /* an empty ring restarts at 0, to touch fewer cache
                                                                     * lines of the host */
        v->lanes->simple.copy(v->lreg[late->lreg], late->value, late->lanes);
    } while (BH_UNLIKELY(vector_has_arrived(v, now)));
}

/* Uses the lanes that are enabled now, which are those of the forward: no instruction has entered since. */
void vector_undo_forward(struct vector *v) {
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

/* A scheduled instruction that started in this cycle keeps its result, which lands after `until`. */
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

/* Stores an instruction with VD >= 12 as a template in the columns whose LaneConfig permits it. turn->lanes becomes the
 * lanes of the other columns, in which the instruction executes. */
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

/* Lets the instruction enter in the next cycle. Precondition: no other agent acts before that
 * (clock_nothing_else_next). */
static uint64_t enter_next(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                           const struct vector_traits *traits) {
    uint64_t again = traits->execute(x, thread, word, now + 1);
    return again == TENSIX_PASSED ? TENSIX_PASSED_NEXT : again;
}

/* Holds an instruction in a cycle in which the unit does not accept it, or lets it enter in the next cycle if no other
 * agent acts before. */
__attribute__((noinline)) static uint64_t hold_back(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                    const struct vector_traits *traits) {
    const struct vector *v = &x->vector;
    if (v->free_at == TENSIX_NEVER)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_VECTOR_RESET);
    if (now != v->nop_at)
        return tensix_hold(x, thread, now + 1, WAIT_VECTOR_ENTRY);
    if (clock_nothing_else_next(x, now))
        return enter_next(x, thread, word, now, traits);
    return tensix_hold(x, thread, now + 1, WAIT_VECTOR_SECOND_CYCLE);
}

__attribute__((noinline)) static uint64_t await_result(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                       const struct vector_traits *traits) {
    if (clock_nothing_else_next(x, now))
        return enter_next(x, thread, word, now, traits);
    return tensix_hold(x, thread, now + 1, WAIT_VECTOR_RESULT);
}

/* Returns whether the erratum of ENABLE_DEST_INDEX applies to results of the instruction. */
static bool is_spoilt(const struct vector_turn *t) {
    uint8_t opcode = (uint8_t)(t->word >> 24);
    switch (opcode) {
    case TENSIX_SFPNOP:
    case TENSIX_SFPSWAP:
    case TENSIX_SFPTRANSP: return false;
    default: return vector_has_backdoor(opcode) && vector_writes_vd(opcode, t->mod);
    }
}

/* Returns the lanes whose result goes to LReg4..7. */
static uint32_t lanes_to_upper_half(const struct vector_turn *t) {
    bool all = t->word >> 24 == TENSIX_SFPMOV && vector_mov_ignores_flags(t->mod);
    uint32_t lanes = t->lanes & (all ? LANES_ALL : t->v->enabled), upper = 0;
    if (t->vd >= 12)
        lanes &= t->v->no_backdoor;
    if (!vector_has_indirect_vd((uint8_t)(t->word >> 24), t->mod))
        return t->vd >= 4 && t->vd < 8 ? lanes : 0;
    for (unsigned i = 0; i < LANES; i++)
        upper |= (uint32_t)((t->in[7][i] & 12) == 4) << i;
    return lanes & upper;
}

/* Refuses a result in LReg4..7 of a lane with ENABLE_DEST_INDEX: the hardware writes data of the index bank there. */
static void refuse_result(struct vector_turn *t) {
    if (is_spoilt(t) && (lanes_to_upper_half(t) & t->v->dest_index))
        vector_refuse(t, BH_FAULT_UNDEFINED,
                      "a result to LReg4..7 while ENABLE_DEST_INDEX is set, which the hardware corrupts (erratum "
                      "TEN-2932)");
}

uint64_t vector_act(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                    const struct vector_traits *traits) {
    struct vector_turn turn;
    vector_begin(&turn, x, thread, word, now, traits->form);
    bool special = vector_is_special(turn.v, (uint8_t)(word >> 24), turn.vd), template = special && turn.vd >= 12;
    if (turn.v->macros && !vector_join(&turn, traits->unit, !template))
        return turn.refused ? TENSIX_NEVER : TENSIX_PASSED;
    if (BH_UNLIKELY(turn.v->dest_index))
        refuse_result(&turn);
    if (template && !turn.refused)
        store_template(&turn);
    if ((turn.lanes || traits->unit == VECTOR_STORE) && !turn.refused) {
        traits->action(&turn);
        traits->result(&turn);
    }
    return turn.refused ? TENSIX_NEVER : TENSIX_PASSED;
}

static bool stalls(const struct tensix *x) {
    return !CONFIG_GET(x->config.bank[0], CHICKEN_BITS_sfpu_scbd_disable);
}

/* Slow path: checks everything that can hold the instruction, and lets it enter if nothing does. */
__attribute__((noinline)) static uint64_t look_at_all(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                      const struct vector_traits *traits, uint32_t reads) {
    struct vector *v = &x->vector;
    if (v->written_at == now && (reads & v->written) && stalls(x))
        return await_result(x, thread, word, now, traits);
    vector_arrive(v, now);
    if (BH_LIKELY(!v->macros && !v->lates))
        return vector_run(x, thread, word, now, traits);
    v->free_at = now + 1;
    return vector_act(x, thread, word, now, traits);
}

/* Lets SFPNOP enter, whatever is in flight. */
__attribute__((noinline)) static uint64_t pass_nop(struct vector *v, uint64_t now) {
    vector_arrive(v, now);
    v->free_at = now + 1;
    return TENSIX_PASSED;
}

/* Undoes the forward, so that the instruction reads the old value of the LReg. */
__attribute__((noinline)) static uint64_t read_old_value(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                                                         const struct vector_traits *traits, uint32_t reads) {
    vector_undo_forward(&x->vector);
    return look_at_all(x, thread, word, now, traits, reads);
}

uint64_t vector_use_forwarded(struct tensix *x, unsigned thread, uint32_t word, uint64_t now,
                              const struct vector_traits *traits, uint32_t reads) {
    BH_ASSERT(vector_is_forwarded(&x->vector, now));
    if (BH_LIKELY((reads >> x->vector.forwarded & 1) && stalls(x)))
        return await_result(x, thread, word, now, traits);
    return read_old_value(x, thread, word, now, traits, reads);
}

/* Every path ends with a tail call, so this function saves no registers. */
uint64_t vector_look(struct tensix *x, unsigned thread, uint32_t word, uint64_t now, const struct vector_traits *traits,
                     uint32_t reads) {
    struct vector *v = &x->vector;
    bool is_nop = word >> 24 == TENSIX_SFPNOP;
    if (BH_UNLIKELY(now < v->free_at) && !(is_nop && now == v->nop_at))
        return hold_back(x, thread, word, now, traits);
    if (is_nop) {
        v->nop_at = 0;
        if (BH_LIKELY(!v->macros && !vector_has_high_vd(word, traits->form)))
            return pass_nop(v, now);
    }
    if (vector_is_forwarded(v, now))
        return vector_use_forwarded(x, thread, word, now, traits, reads);
    return look_at_all(x, thread, word, now, traits, reads);
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

/* The handlers of the other rows are in mad.c, move.c, simple.c and flags.c. */
#define EXECUTE_MOVE(...)
#define EXECUTE_MAD(...)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_FLAGS(...)
#define EXECUTE_OTHER(name, ...)                         VECTOR_EXECUTE(vector_##name, name, __VA_ARGS__)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
