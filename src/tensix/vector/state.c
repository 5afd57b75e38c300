/* State of the Vector Unit: reset, and derived members.
 *
 * LReg12 is 1/512 as in the simulator and the Wormhole page; SoftReset.md says 1/65536. The generators of random
 * numbers are zero until PRNG_SEED is written. Sources: VectorUnit.md, LReg.md, SFPCONFIG.md, SoftReset.md (BH). */
#include <string.h>

#include "tensix/tensix.h"

static uint32_t by_lane(const struct vector *v, uint32_t bit) {
    uint32_t columns = 0;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        columns |= (uint32_t)((v->lane_config[i] & bit) != 0) << i;
    return columns * 0x01010101u;
}

static uint32_t rows_on(const struct vector *v) {
    uint32_t off = 0;
    for (unsigned row = 0; row < 4; row++)
        off |= (by_lane(v, 0x1000u << row) & 0xFF) << 8 * row;
    return ~off;
}

static uint16_t block_mov(const struct vector *v) {
    unsigned columns = 0;
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++)
        columns |= (v->lane_config[i] & LANE_BLOCK_DEST_MOV) / (LANE_BLOCK_DEST_MOV / 3) << 2 * i;
    return (uint16_t)columns;
}

static bool columns_differ(const struct vector *v) {
    for (unsigned i = 1; i < VECTOR_COLUMNS; i++)
        if (memcmp(&v->macro[i], &v->macro[0], sizeof v->macro[0]))
            return true;
    return false;
}

void vector_derive(struct vector *v) {
    v->rows_on = rows_on(v);
    v->no_backdoor = by_lane(v, LANE_NO_BACKDOOR);
    v->dest_index = by_lane(v, LANE_DEST_INDEX);
    v->capture_index = v->dest_index & by_lane(v, LANE_CAPTURE_INDEX);
    v->exchange = by_lane(v, LANE_EXCHANGE_B_C);
    v->fp16_inf = by_lane(v, LANE_FP16A_INF);
    v->block_write = by_lane(v, LANE_BLOCK_DEST_WRITE);
    v->block_read = by_lane(v, LANE_BLOCK_DEST_READ);
    v->read_exchange = by_lane(v, LANE_READ_EXCHANGE);
    v->write_exchange = by_lane(v, LANE_WRITE_EXCHANGE);
    v->moves_differ = (v->block_write | v->block_read | v->read_exchange | v->write_exchange | v->capture_index) != 0;
    v->block_mov = block_mov(v);
    v->special_vd = v->dest_index ? 0xF0F0 : 0xF000;
    v->rare_vd = v->dest_index ? 0xC0 : 0x80;
    v->columns_differ = columns_differ(v);
    v->plain_from = TENSIX_NEVER;
    vector_flags_changed(v);
}

static void set_constants(struct vector *v) {
    static const uint32_t value[] = { [8] = 0x3F56594B,     [10] = 0x3F800000,    [11] = VECTOR_LREG11,
                                      [12] = VECTOR_LREG12, [13] = VECTOR_LREG13, [14] = VECTOR_LREG14 };
    for (unsigned i = 8; i < 15; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            v->lreg[i][lane] = value[i];
    for (unsigned lane = 0; lane < LANES; lane++)
        v->lreg[15][lane] = 2 * lane;
}

/* Precondition: all bytes of *v are zero. */
void vector_init(struct vector *v) {
    v->lanes = lanes_best();
    set_constants(v);
    vector_derive(v);
}

/* Discards late results and scheduled instructions. Landings that are already queued will find nothing to do. */
void vector_hold(struct vector *v, uint64_t time) {
    if (vector_is_forwarded(v, time))
        vector_undo_forward(v);
    vector_arrive(v, time);
    v->lates = 0;
    v->macros = v->open = false;
    v->nop_at = v->written_at = v->second_at = v->unsure_at = 0;
    v->free_at = v->plain_from = TENSIX_NEVER;
}

void vector_leave(struct vector *v, uint64_t time) {
    memset(v->lreg, 0, sizeof v->lreg);
    memset(v->random, 0, sizeof v->random);
    memset(v->stack, 0, sizeof v->stack);
    memset(v->lane_config, 0, sizeof v->lane_config);
    memset(v->macro, 0, sizeof v->macro);
    v->flags = v->use_flags = 0;
    v->free_at = time;
    set_constants(v);
    vector_derive(v);
}
