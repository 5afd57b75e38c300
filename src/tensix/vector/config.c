/* SFPCONFIG: writes the programmable constants, LaneConfig and LoadMacroConfig.
 *
 * Each column gets its value from the column's lane in row 0. SFPCONFIG acts in a column if the flags enable that lane,
 * whatever ROW_MASK is. New values take effect in the next cycle. Source: SFPCONFIG.md (BH); the default of LReg12 as
 * in its Wormhole form. */
#include "tensix/tensix.h"

enum { MOD_IMMEDIATE = 1, MOD_OPERATION = 6, MOD_OR = 2, MOD_AND = 4, MOD_XOR = 6, MOD_COLUMNS = 8 };
enum { DEST_SEQUENCE = 4, DEST_MISC = 8, DEST_LREG = 11, DEST_LANE_CONFIG = 15 };
enum { MISC_MASK = 0xFFF, LANE_CONFIG_MASK = (1 << LANE_CONFIG_BITS) - 1, IMMEDIATE_MASK = 0xFFFF };

static uint32_t immediate(const struct vector_turn *turn) {
    return turn->word >> 8 & IMMEDIATE_MASK;
}

static uint32_t columns_of(const struct vector_turn *turn) {
    const struct vector *v = turn->v;
    uint32_t columns = turn->lanes & (v->flags | ~v->use_flags) & 0xFF;
    for (unsigned i = 0; (turn->mod & MOD_COLUMNS) && i < VECTOR_COLUMNS; i++)
        if (!(immediate(turn) >> 2 * i & 1))
            columns &= ~(1u << i);
    return columns;
}

static uint32_t value_for(const struct vector_turn *turn, unsigned column) {
    return turn->mod & MOD_IMMEDIATE ? immediate(turn) : turn->in[0][column];
}

static uint32_t combined(const struct vector_turn *turn, uint32_t old, uint32_t value) {
    switch (turn->mod & MOD_OPERATION) {
    case MOD_OR: return old | value;
    case MOD_AND: return old & value;
    case MOD_XOR: return old ^ value;
    default: return value;
    }
}

/* An immediate has 16 bits and changes only those of LaneConfig. */
static void set_lane_config(struct vector_turn *turn, unsigned column) {
    uint32_t *config = &turn->v->lane_config[column], old = *config;
    uint32_t set = combined(turn, old, value_for(turn, column)) & LANE_CONFIG_MASK;
    if (turn->mod & MOD_IMMEDIATE)
        set |= old & ~(uint32_t)IMMEDIATE_MASK;
    if ((set ^ old) & LANE_NO_BACKDOOR)
        turn->v->unsure_at = turn->now + TENSIX_PART_SFPCONFIG_BACKDOOR - 1;
    if (set != old)
        config_changed(&turn->x->config);
    *config = set;
}

static void set_column(struct vector_turn *turn, unsigned column) {
    struct vector_macro_config *macro = &turn->v->macro[column];
    unsigned dest = turn->vd;
    if (dest < DEST_SEQUENCE)
        macro->template[dest] = turn->in[0][column];
    else if (dest < DEST_MISC)
        macro->sequence[dest - DEST_SEQUENCE] = value_for(turn, column);
    else if (dest == DEST_MISC)
        macro->misc = combined(turn, macro->misc, value_for(turn, column)) & MISC_MASK;
    else if (dest == DEST_LANE_CONFIG)
        set_lane_config(turn, column);
}

static void set_constant(struct vector_turn *turn, uint32_t columns) {
    static const uint32_t initial[] = { VECTOR_LREG11, VECTOR_LREG12, VECTOR_LREG13, VECTOR_LREG14 };
    uint32_t value[LANES];
    for (unsigned i = 0; i < LANES; i++)
        value[i] = turn->mod & MOD_IMMEDIATE ? initial[turn->vd - DEST_LREG] : turn->in[0][i % VECTOR_COLUMNS];
    turn->v->lanes->simple.copy(turn->v->lreg[turn->vd], value, columns * 0x01010101u);
}

void vector_SFPCONFIG(struct vector_turn *turn) {
    uint32_t columns = columns_of(turn);
    if (turn->vd >= DEST_LREG && turn->vd < DEST_LANE_CONFIG) {
        set_constant(turn, columns);
        return;
    }
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        if (columns >> i & 1)
            set_column(turn, i);
    vector_derive(turn->v);
}
