/* Tables of the state of the coprocessor's registers, for saving and hashing. */
#include "base/mix.h"
#include "base/order.h"
#include "base/state_rows.h"
#include "tensix/regs/adc.h"
#include "tensix/regs/dst.h"
#include "tensix/regs/packer.h"
#include "tensix/regs/rwc.h"
#include "tensix/regs/src.h"
#include "tensix/state.h"

/* ---- Counters --------------------------------------------------------------------------------------------- */

#define T struct adc_channel
static const struct state_member channel_members[] = { SEEN(value), SEEN(cr) };
static const struct state_table channel_state = STATE_TABLE("adc_channel", T, channel_members);
#undef T

#define T struct adc
static const struct state_member adc_members[] = { INNER(channel, channel_state) };
const struct state_table adc_state = STATE_TABLE("adc", T, adc_members);
#undef T

#define T struct rwc
static const struct state_member rwc_members[] = {
    SEEN_MOST(dst, uint16_t, RWC_DST_MASK),
    SEEN_MOST(dst_cr, uint16_t, RWC_DST_MASK),
    SEEN_MOST(sp, uint16_t, RWC_DST_MASK),
    SEEN_MOST(src_a, uint8_t, RWC_SRC_MASK),
    SEEN_MOST(src_a_cr, uint8_t, RWC_SRC_MASK),
    SEEN_MOST(src_b, uint8_t, RWC_SRC_MASK),
    SEEN_MOST(src_b_cr, uint8_t, RWC_SRC_MASK),
    SEEN_MOST(fidelity, uint8_t, RWC_FIDELITY_MASK),
    SEEN_MOST(none, uint8_t, 0),
};
const struct state_table rwc_state = STATE_TABLE("rwc", T, rwc_members);
#undef T

/* ---- Src and Dst ------------------------------------------------------------------------------------------ */

/* Skips files that have not been touched: they are still as at power-on. */
static uint64_t see_files(uint64_t hash, const void *block, uint64_t now) {
    const struct src *src = block;
    for (unsigned file = 0; file < SRC_FILES; file++) {
        if (!src->touched[file])
            continue;
        hash = mix_bytes(mix(hash, file), src->bank[file], sizeof src->bank[file]);
        hash = mix_bytes(mix_bytes(hash, src->allowed[file], SRC_BANKS), src->format[file], SRC_BANKS);
        hash = mix(mix(hash, src->unpacker_bank[file]), (uint64_t)src->matrix_bank[file] << 8 | src->last_format[file]);
        hash = mix_bytes(hash, src->unpacker_row[file], sizeof src->unpacker_row[file]);
        for (unsigned bank = 0; bank < SRC_BANKS; bank++)
            hash =
                mix(hash, src->allowed[file][bank] == SRC_UNPACKERS ? later(src->free_from[file][bank], now) - now : 0);
    }
    return hash;
}

#define T struct src_bank
static const struct state_member bank_members[] = { SAVED_GRID(mantissa), SAVED_GRID(exponent) };
static const struct state_table bank_state = STATE_TABLE("src_bank", T, bank_members);
#undef T

#define T struct src
static const struct state_member src_members[] = {
    MOST(allowed, uint8_t, SRC_MATRIX),
    MOST(format, uint8_t, 15),
    MOST(last_format, uint8_t, 15),
    MOST(unpacker_bank, uint8_t, SRC_BANKS - 1),
    MOST(matrix_bank, uint8_t, SRC_BANKS - 1),
    MOST(unpacker_row, uint8_t, SRC_ROWS - 1),
    SAVED(free_from),
    DERIVED(prepared),
    MOST(touched, uint8_t, 1),
    SAVED(filled),
    VIEW_INNER_ZERO(bank, bank_state, see_files),
};
const struct state_table src_state = STATE_TABLE("src", T, src_members);
#undef T

/* Adds only rows that have been written since power-on to the hash. */
static uint64_t see_rows(uint64_t hash, const void *block, uint64_t now) {
    enum { GROUP = 32 };
    const struct dst *dst = block;
    (void)now;
    for (unsigned i = 0; i < DST_ROWS / GROUP; i++)
        if (dst->touched >> i & 1)
            hash = mix_bytes(hash, dst->bits[i * GROUP], GROUP * sizeof dst->bits[0]);
    return hash;
}

#define T struct dst
static const struct state_member dst_members[] = {
    SEEN(invalid),
    SEEN(touched),
    SEEN_FLAG(halves),
    VIEW_GRID_ZERO(bits, see_rows),
};
const struct state_table dst_state = STATE_TABLE("dst", T, dst_members);
#undef T

/* ---- The packer's registers ------------------------------------------------------------------------------- */

#define T struct packer_tile
static const struct state_member tile_members[] = { SEEN(zero_flags), SEEN(size) };
static const struct state_table tile_state = STATE_TABLE("packer_tile", T, tile_members);
#undef T

#define T struct packer
static uint64_t see_tiles(uint64_t hash, const void *block, uint64_t now) {
    const struct packer *packer = block;
    for (unsigned i = 0; i < packer->tiles; i++)
        hash = state_hash(hash, &tile_state, &packer->tile[i], now);
    return hash;
}

static const struct state_member packer_members[] = {
    SEEN(acc_tile_size),
    SEEN(last_tile_size),
    SEEN_MOST(last_thread, uint8_t, 3),
    SEEN(all_zero_flags),
    SEEN(exponent_histogram),
    SEEN(max_exponent),
    VIEW_INNER(tile, tile_state, see_tiles),
    SEEN_MOST(tiles, uint8_t, PACKER_TILES),
    SEEN(l1_dest_addr_offset),
    SEEN(set_reg_base),
    SEEN(set_reg_scaler),
};
const struct state_table packer_state = STATE_TABLE("packer", T, packer_members);
#undef T
