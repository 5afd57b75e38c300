/* When an instruction enters the Vector Unit, and what it sees of results that are on their way.
 *
 * One instruction a cycle from all threads. A result of the MAD sub-unit takes two cycles; an instruction that would
 * read it in between stalls, whichever thread it is of and whatever lanes are enabled, unless the hardware does not see
 * that it reads: then it gets what the LReg held before. After SFPSWAP and modes 2 to 4 of SFPSHFT2 only SFPNOP passes
 * in the next cycle.
 *
 * Assumed: CHICKEN_BITS_sfpu_scbd_disable switches off the stall of readers, not the one after SFPSWAP and SFPSHFT2. A
 * register that both a late and an ordinary result reach in the same cycle keeps the ordinary one, which is younger.
 * A backdoor load does not depend on lanes being enabled. When SFPCONFIG has just changed DISABLE_BACKDOOR_LOAD, an
 * instruction in the next cycle that would see a difference faults.
 * Sources: VectorUnit.md, SFPMAD.md, SFPLUTFP32.md, SFPSHFT2.md, SFPSWAP.md, SFPSTOCHRND_*.md, SFPCONFIG.md (BH). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensix/tensix.h"
#include "tensix/vector/operands.h"

typedef uint32_t reads_function(const struct vector_turn *turn);
typedef void result_function(const struct vector_turn *turn);

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

static inline void alone(const struct vector_turn *t, uint32_t sub_units) {
    struct vector *v = t->v;
    v->free_at = t->now + 2;
    v->nop_at = v->second_at = t->now + 1;
    v->second = sub_units;
    tensix_busy_until(t->x, t->thread, TENSIX_BUSY_VECTOR, t->now + 2);
}

static inline void result_SWAP(const struct vector_turn *t) {
    alone(t, 1u << VECTOR_SIMPLE | 1u << VECTOR_ROUND);
}

static inline void result_SHFT2(const struct vector_turn *t) {
    if (t->mod >= 2 && t->mod <= 4)
        alone(t, 1u << VECTOR_ROUND);
}

/* ---- Results on their way -------------------------------------------------------------------------- */

static struct vector_late *late_number(struct vector *v, unsigned i) {
    return &v->late[(v->late_at + i) % VECTOR_LATE];
}

void vector_arrive(struct vector *v, uint64_t now) {
    while (v->lates && v->late[v->late_at].at <= now) {
        const struct vector_late *late = &v->late[v->late_at];
        v->lanes->simple.copy(v->lreg[late->lreg], late->value, late->lanes);
        v->late_at = (v->late_at + 1) % VECTOR_LATE;
        v->lates--;
    }
    if (!v->lates)
        v->late_at = 0; /* the same few lines of the host's cache */
}

static unsigned place_for(unsigned lreg) {
    return lreg < 8 || lreg == 16 ? lreg : VECTOR_NOWHERE;
}

/* What a scheduled instruction started in the same cycle arrives later, and stays. */
static void forget_late(struct vector *v, unsigned lreg, uint32_t lanes, uint64_t until) {
    for (unsigned i = 0; i < v->lates; i++) {
        struct vector_late *late = late_number(v, i);
        if (late->lreg == lreg && late->at <= until)
            late->lanes &= ~lanes;
    }
}

uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    if (turn->v->lates)
        forget_late(turn->v, lreg, lanes, turn->now + 1);
    return turn->v->lreg[place_for(lreg)];
}

/* One that arrives in the same cycle in the same LReg. */
static struct vector_late *find_late(struct vector *v, unsigned lreg, uint64_t at) {
    for (unsigned i = v->lates; i-- > 0 && late_number(v, i)->at == at;)
        if (late_number(v, i)->lreg == lreg)
            return late_number(v, i);
    return NULL;
}

uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector *v = turn->v;
    uint64_t at = turn->now + 2;
    unsigned place = place_for(lreg);
    struct vector_late *late = v->lates ? find_late(v, place, at) : NULL;
    if (late) {
        late->lanes |= lanes;
        return late->value;
    }
    BH_CHECK_HOT(v->lates < VECTOR_LATE);
    late = late_number(v, v->lates++);
    late->at = at;
    late->lanes = lanes;
    late->lreg = (uint8_t)place;
    return late->value;
}

uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES] {
    vector_arrive(turn->v, turn->now + 1);
    return turn->v->lreg;
}

uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now) {
    if (v->open && v->open_at == now)
        return v->before[lreg][lane];
    uint32_t value = v->lreg[lreg][lane];
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->lreg == lreg && late->at <= now && (late->lanes >> lane & 1))
            value = late->value[lane];
    }
    return value;
}

/* ---- Issue ------------------------------------------------------------------------------------------ */

void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
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

__attribute__((noinline)) static uint64_t hold(struct tensix *x, unsigned thread, uint64_t now) {
    const struct vector *v = &x->vector;
    if (v->free_at == TENSIX_NEVER)
        return tensix_hold(x, thread, TENSIX_NEVER, "the Vector Unit, held in soft reset");
    return tensix_hold(x, thread, now + 1,
                       now == v->nop_at ? "the Vector Unit, in the second cycle of SFPSWAP or SFPSHFT2"
                                        : "the Vector Unit takes one instruction a cycle");
}

/* Does it write a result to VD that the erratum spoils? */
static inline bool is_spoilt(uint8_t opcode, reads_function *reads) {
    return opcode != TENSIX_SFPSTORE && opcode != TENSIX_SFPSWAP && opcode != TENSIX_SFPTRANSP &&
           opcode != TENSIX_SFPSETCC && reads != reads_NOTHING;
}

static inline bool stalls(const struct tensix *x) {
    return !CONFIG_GET(x->config.bank[0], CHICKEN_BITS_sfpu_scbd_disable);
}

static inline __attribute__((always_inline)) uint64_t issue(struct tensix *x, unsigned thread, uint32_t word,
                                                            uint64_t now, uint8_t opcode, enum vector_sub_unit unit,
                                                            enum vector_form form, reads_function *reads,
                                                            result_function *result, vector_action *action) {
    bool backdoor = opcode != TENSIX_SFPLOAD && opcode != TENSIX_SFPLOADI && opcode != TENSIX_SFPLOADMACRO &&
                    opcode != TENSIX_SFPCONFIG;
    struct vector *v = &x->vector;
    uint64_t passed = TENSIX_PASSED;
    if (BH_UNLIKELY(now < v->free_at)) {
        if (opcode == TENSIX_SFPNOP && now == v->nop_at)
            v->nop_at = 0;
        else if (now == v->nop_at && tensix_alone_next(x, now))
            passed = TENSIX_PASSED_NEXT, now++;
        else
            return hold(x, thread, now);
    }
    struct vector_turn turn = { .x = x, .v = v, .in = v->lreg, .now = now, .word = word, .thread = (uint8_t)thread };
    turn.lanes = LANES_ALL;
    vector_find_operands(&turn, form);
    if (v->written_at == now && (reads(&turn) & v->written) && stalls(x)) {
        if (!tensix_alone_next(x, now))
            return tensix_hold(x, thread, now + 1, "a result of the Vector Unit");
        passed = TENSIX_PASSED_NEXT;
        turn.now = ++now;
    }
    if (v->lates)
        vector_arrive(v, now);
    bool special = backdoor && (v->special_vd >> turn.vd & 1), template = special && turn.vd >= 12;
    if (BH_UNLIKELY(v->macros) && !vector_join(&turn, unit, !template)) {
        v->free_at = now + 1;
        return turn.refused ? TENSIX_NEVER : passed;
    }
    v->free_at = now + 1;
    if (BH_UNLIKELY(special)) {
        if (template)
            store_template(&turn);
        else if (is_spoilt(opcode, reads))
            refuse_result(&turn);
    }
    if (BH_LIKELY(turn.lanes || opcode == TENSIX_SFPSTORE) && BH_LIKELY(!turn.refused)) {
        action(&turn);
        result(&turn);
    }
    return BH_UNLIKELY(turn.refused) ? TENSIX_NEVER : passed;
}

#define VECTOR_OP(name, unit, form, reads, result) \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        return issue(x, thread, word, now, TENSIX_##name, VECTOR_##unit, VECTOR_FORM_##form, reads_##reads, \
                     result_##result, vector_##name); \
    }
#include "tensix/vector/vector.def"

void vector_SFPNOP(struct vector_turn *turn) {
    (void)turn;
}
