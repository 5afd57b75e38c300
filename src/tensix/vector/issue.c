/* When an instruction enters the Vector Unit, and what it sees of results that are on their way.
 *
 * Sources: VectorUnit.md, SFPMAD.md (automatic stall and the reads that it misses), SFPCONFIG.md (BH). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensix/tensix.h"

/* Where operands stand (vector.def). */
enum form { FORM_MAD, FORM_SIMPLE, FORM_VB, FORM_MAY_VB, FORM_IMM16, FORM_LOAD, FORM_NONE };

/* What the automatic stall believes to be read: sets of LRegs as bits. */
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
static inline uint32_t reads_B_C(const struct vector_turn *t) {
    return 1u << t->vb | 1u << t->vc;
}
static inline uint32_t reads_A_B_C(const struct vector_turn *t) {
    return t->mod & 4 ? UINT32_MAX : 1u << t->va | 1u << t->vb | 1u << t->vc;
}
static inline uint32_t reads_LUT(const struct vector_turn *t) {
    return t->mod & 8 ? UINT32_MAX : 0xFu;
}
static inline uint32_t reads_ALL(const struct vector_turn *t) {
    (void)t;
    return UINT32_MAX;
}

static inline void find_operands(struct vector_turn *t, enum form form) {
    uint32_t word = t->word;
    bool load = form == FORM_LOAD;
    t->vd = word >> (load ? 20 : 4) & 15;
    t->mod = word >> (load ? 16 : 0) & 15;
    t->vc = form == FORM_IMM16 ? t->vd : word >> 8 & 15;
    bool as_vd = form == FORM_SIMPLE || (form == FORM_MAY_VB && !(t->mod & 1));
    t->vb = as_vd ? t->vd : word >> 12 & 15;
    t->va = word >> 16 & 15;
}

/* ---- Results on their way ------------------------------------------------------------------------ */

static void arrive(struct vector *v, const struct vector_late *late) {
    v->lanes->simple.copy(v->lreg[late->lreg], late->value, late->lanes);
}

static void arrive_until(struct vector *v, uint64_t now) {
    while (v->lates && v->late[v->late_at].at <= now) {
        arrive(v, &v->late[v->late_at]);
        v->late_at = (v->late_at + 1) % VECTOR_LATE;
        v->lates--;
    }
}

static unsigned place_for(unsigned lreg) {
    return lreg < 8 || lreg == 16 ? lreg : VECTOR_NOWHERE;
}

static void forget_late(struct vector *v, unsigned lreg, uint32_t lanes) {
    for (unsigned i = 0; i < v->lates; i++) {
        struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->lreg == lreg)
            late->lanes &= ~lanes;
    }
}

uint32_t *vector_out(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    if (turn->v->lates)
        forget_late(turn->v, lreg, lanes);
    return turn->v->lreg[place_for(lreg)];
}

uint32_t *vector_out_late(struct vector_turn *turn, unsigned lreg, uint32_t lanes) {
    struct vector *v = turn->v;
    BH_CHECK(v->lates < VECTOR_LATE);
    struct vector_late *late = &v->late[(v->late_at + v->lates++) % VECTOR_LATE];
    late->at = turn->now + 2;
    late->lanes = lanes;
    late->lreg = (uint8_t)place_for(lreg);
    return late->value;
}

uint32_t (*vector_next_cycle(struct vector_turn *turn))[LANES] {
    arrive_until(turn->v, turn->now + 1);
    return turn->v->lreg;
}

uint32_t vector_peek(const struct vector *v, unsigned lreg, unsigned lane, uint64_t now) {
    uint32_t value = v->lreg[lreg][lane];
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->lreg == lreg && late->at <= now && (late->lanes >> lane & 1))
            value = late->value[lane];
    }
    return value;
}

/* The first cycle in which none of these LRegs is waited for. */
static uint64_t known_at(const struct vector *v, uint32_t reads) {
    uint64_t at = 0;
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (reads >> late->lreg & 1)
            at = late->at;
    }
    return at;
}

/* ---- Issue ------------------------------------------------------------------------------------- */

void vector_refuse(struct vector_turn *turn, enum bh_fault_kind kind, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    turn->refused = true;
    tensix_fault(turn->x, turn->thread, kind, turn->word, 0, turn->now, "%s", text);
}

/* An instruction with VD >= 12 is stored as a template where LaneConfig does not forbid it. */
static void store_template(struct vector_turn *t) {
    for (unsigned column = 0; column < VECTOR_COLUMNS; column++)
        if (!(t->v->no_backdoor >> column & 1))
            t->v->macro[column].template[t->vd - 12] = t->word;
    t->lanes = t->v->no_backdoor;
}

typedef uint32_t reads_function(const struct vector_turn *turn);

static inline __attribute__((always_inline)) uint64_t issue(struct tensix *x, unsigned thread, uint32_t word,
                                                            uint64_t now, enum form form, bool backdoor,
                                                            reads_function *reads, unsigned takes,
                                                            vector_action *action) {
    struct vector *v = &x->vector;
    if (BH_UNLIKELY(now < v->free_at))
        return tensix_hold(x, thread, v->free_at, "the Vector Unit takes one instruction a cycle");
    struct vector_turn turn = { .x = x, .v = v, .in = v->lreg, .now = now, .word = word, .thread = (uint8_t)thread };
    find_operands(&turn, form);
    if (v->lates) {
        uint64_t at = known_at(v, reads(&turn));
        if (at > now)
            return tensix_hold(x, thread, at, "a result of the Vector Unit");
        arrive_until(v, now);
    }
    turn.lanes = LANES_ALL;
    v->free_at = now + 1;
    if (backdoor && BH_UNLIKELY(turn.vd >= 12))
        store_template(&turn);
    if (turn.lanes)
        action(&turn);
    if (BH_UNLIKELY(turn.refused))
        return TENSIX_NEVER;
    if (takes > 1)
        tensix_busy_until(x, thread, TENSIX_BUSY_VECTOR, now + takes);
    return TENSIX_PASSED;
}

#define BACKDOOR(opcode) ((opcode) > 0x73 && (opcode) != TENSIX_SFPCONFIG && (opcode) != TENSIX_SFPLOADMACRO)
#define VECTOR_OP(name, unit, form, reads, takes) \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        return issue(x, thread, word, now, FORM_##form, BACKDOOR(TENSIX_##name), reads_##reads, takes, vector_##name); \
    }
#include "tensix/vector/vector.def"

void vector_SFPNOP(struct vector_turn *turn) {
    (void)turn;
}

/* ---- State --------------------------------------------------------------------------------------- */

static uint32_t by_lane(const struct vector *v, uint32_t bit) {
    uint32_t columns = 0;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        columns |= (uint32_t)((v->lane_config[i] & bit) != 0) << i;
    return columns * 0x01010101u;
}

static uint32_t rows_off(const struct vector *v) {
    uint32_t off = 0;
    for (unsigned row = 0; row < 4; row++)
        off |= (by_lane(v, 0x1000u << row) & 0xFF) << 8 * row;
    return off;
}

void vector_derive(struct vector *v) {
    v->rows_on = ~rows_off(v);
    vector_derive_enabled(v);
    v->no_backdoor = by_lane(v, LANE_NO_BACKDOOR);
    v->dest_index = by_lane(v, LANE_DEST_INDEX);
    v->exchange = by_lane(v, LANE_EXCHANGE_B_C);
    v->fp16_inf = by_lane(v, LANE_FP16A_INF);
    v->block_write = by_lane(v, LANE_BLOCK_DEST_WRITE);
    v->block_read = by_lane(v, LANE_BLOCK_DEST_READ);
    v->read_exchange = by_lane(v, LANE_READ_EXCHANGE);
    v->write_exchange = by_lane(v, LANE_WRITE_EXCHANGE);
    v->capture_index = v->dest_index & by_lane(v, LANE_CAPTURE_INDEX);
}

static void set_constants(struct vector *v) {
    static const uint32_t value[] = {
        [8] = 0x3F56594B, [10] = 0x3F800000, [11] = 0xBF800000, [12] = 0x3B000000, [13] = 0xBF2CC4C7, [14] = 0xBEB08FF9
    };
    for (unsigned i = 8; i < 15; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            v->lreg[i][lane] = value[i];
    for (unsigned lane = 0; lane < LANES; lane++)
        v->lreg[15][lane] = 2 * lane;
}

/* Everything that is not set here is zero already. */
void vector_init(struct vector *v) {
    v->lanes = lanes_best();
    set_constants(v);
    vector_derive(v);
}
