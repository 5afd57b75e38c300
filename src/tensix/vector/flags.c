/* Predication: SFPENCC and the stack of flags. A set of lanes is a word with one bit for each.
 *
 * The stacks of lanes can differ in depth, because a push can be a template in some columns (a backdoor load) and
 * execute in others. These instructions also act in disabled lanes. Sources: SFPENCC.md, SFPPUSHC.md, SFPPOPC.md (BH),
 * SFPCOMPC.md (WH). */
#include "tensix/vector/issue.h"

enum { ENCC_INVERT = 1, ENCC_SET = 2, ENCC_SET_FLAGS = 8, IMM_ENABLE = 1 << 12, IMM_FLAGS = 1 << 13 };

static uint32_t select(uint32_t lanes, uint32_t yes, uint32_t no) {
    return (yes & lanes) | (no & ~lanes);
}

static void set(struct vector *v, uint32_t lanes, uint32_t flags, uint32_t use_flags) {
    v->flags = select(lanes, flags, v->flags);
    v->use_flags = select(lanes, use_flags, v->use_flags);
    vector_flags_changed(v);
}

VECTOR_ACTION(SFPENCC) {
    struct vector *v = turn->v;
    uint32_t use = v->use_flags, flags = UINT32_MAX;
    if (turn->mod & ENCC_SET)
        use = turn->word & IMM_ENABLE ? UINT32_MAX : 0;
    else if (turn->mod & ENCC_INVERT)
        use = ~use;
    if (turn->mod & ENCC_SET_FLAGS)
        flags = turn->word & IMM_FLAGS ? UINT32_MAX : 0;
    set(v, turn->lanes, flags, use);
}

/* ---- The stack ------------------------------------------------------------------------------------- */

enum { PLAIN = 0, LAST_OPERATION = 12, INVERT = 13, ALL_ON = 14, ALL_OFF = 15 };

/* Combines a and b as modes 1 to 12 do. The table has a truth table for each mode: bit 2 * a + b is the result. */
static uint32_t combine(unsigned mod, uint32_t a, uint32_t b) {
    static const uint8_t table[LAST_OPERATION + 1] = { 0, 10, 5, 8, 14, 4, 13, 2, 11, 1, 7, 6, 9 };
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        if (table[mod] >> i & 1)
            result |= (i & 2 ? a : ~a) & (i & 1 ? b : ~b);
    return result;
}

/* Returns the top of each lane's stack. `empty` is the value for lanes with an empty stack. */
static struct vector_flags top_of(const struct vector *v, bool empty) {
    uint32_t none = ~v->stack[0].occupied;
    struct vector_flags top = { .flags = empty ? none : 0, .use_flags = empty ? none : 0 };
    for (unsigned i = 0; i < VECTOR_STACK && v->stack[i].occupied; i++) {
        uint32_t lanes = vector_top_lanes(v, i);
        top.flags |= v->stack[i].flags & lanes;
        top.use_flags |= v->stack[i].use_flags & lanes;
    }
    return top;
}

static void put_top(struct vector *v, uint32_t lanes, uint32_t flags, uint32_t use_flags) {
    for (unsigned i = 0; i < VECTOR_STACK && v->stack[i].occupied; i++) {
        uint32_t here = vector_top_lanes(v, i) & lanes;
        v->stack[i].flags = select(here, flags, v->stack[i].flags);
        v->stack[i].use_flags = select(here, use_flags, v->stack[i].use_flags);
    }
}

/* Adds a level in these lanes. The loop goes from the top down, so that a level just added is not taken for one that
 * was there. */
static void push(struct vector *v, uint32_t lanes) {
    unsigned levels = 0;
    while (levels < VECTOR_STACK - 1 && v->stack[levels].occupied)
        levels++;
    for (unsigned i = levels + 1; i-- > 0;) {
        uint32_t below = i ? v->stack[i - 1].occupied : UINT32_MAX;
        v->stack[i].occupied |= lanes & below;
    }
    put_top(v, lanes, v->flags, v->use_flags);
}

/* Clears what it removes, so that nothing is left that software cannot see. */
static void pop(struct vector *v, uint32_t lanes) {
    for (unsigned i = 0; i < VECTOR_STACK && v->stack[i].occupied; i++) {
        struct vector_flags *level = &v->stack[i];
        uint32_t keep = ~(lanes & vector_top_lanes(v, i));
        level->occupied &= keep;
        level->flags &= keep;
        level->use_flags &= keep;
    }
}

static void change_top(struct vector *v, unsigned mod, uint32_t lanes) {
    if (mod == INVERT)
        set(v, lanes, ~v->flags, v->use_flags);
    if (mod <= LAST_OPERATION)
        put_top(v, lanes, combine(mod, top_of(v, false).flags, v->flags), v->use_flags);
    else if (mod == INVERT)
        put_top(v, lanes, v->flags, v->use_flags);
    else
        put_top(v, lanes, mod == ALL_ON ? UINT32_MAX : 0, UINT32_MAX);
}

void vector_SFPPUSHC(struct vector_turn *turn) {
    struct vector *v = turn->v;
    if (turn->mod == PLAIN && (turn->lanes & v->stack[VECTOR_STACK - 1].occupied))
        vector_refuse(turn, BH_FAULT_UNDEFINED, "a push onto the full stack of flags is undefined: it has %d levels",
                      VECTOR_STACK);
    else if (turn->mod == PLAIN)
        push(v, turn->lanes);
    else if (turn->lanes & ~v->stack[0].occupied)
        vector_refuse(turn, BH_FAULT_UNDEFINED, "a change of the top of the empty stack of flags is undefined");
    else
        change_top(v, turn->mod, turn->lanes);
}

void vector_SFPPOPC(struct vector_turn *turn) {
    struct vector *v = turn->v;
    struct vector_flags top = top_of(v, false);
    if (turn->mod == PLAIN && (turn->lanes & ~v->stack[0].occupied)) {
        vector_refuse(turn, BH_FAULT_UNDEFINED, "a pop from the empty stack of flags is undefined");
    } else if (turn->mod == PLAIN) {
        pop(v, turn->lanes);
        set(v, turn->lanes, top.flags, top.use_flags);
    } else if (turn->mod <= LAST_OPERATION) {
        set(v, turn->lanes, combine(turn->mod, v->flags, top.flags), top.use_flags);
    } else if (turn->mod == INVERT) {
        set(v, turn->lanes, ~v->flags, v->use_flags);
    } else {
        set(v, turn->lanes, turn->mod == ALL_ON ? UINT32_MAX : 0, UINT32_MAX);
    }
}

/* An empty stack counts as a top of all ones. */
VECTOR_ACTION(SFPCOMPC) {
    struct vector *v = turn->v;
    struct vector_flags top = top_of(v, true);
    set(v, turn->lanes, top.flags & top.use_flags & v->use_flags & ~v->flags, v->use_flags);
}

/* ---- Issue ------------------------------------------------------------------------------------------- */

#define EXECUTE_MOVE(...)
#define EXECUTE_MAD(...)
#define EXECUTE_SIMPLE(...)
#define EXECUTE_FLAGS(name, ...) VECTOR_EXECUTE(act_##name, name, __VA_ARGS__)
#define EXECUTE_OTHER(...)
#define VECTOR_OP(name, unit, form, reads, result, home) EXECUTE_##home(name, unit, form, reads, result)
#include "tensix/vector/vector.def"
