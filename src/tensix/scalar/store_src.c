/* STOREIND to SrcA or SrcB: four BF16 from two GPRs to four columns of a row. The instruction waits inside the unit
 * while the unpackers do not own the bank. Sources: STOREIND_Src.md (WH), SoftReset.md (BH: columns held in reset drop
 * what is written). Assumed: the bank's owner counts in the last of the three cycles. */
#include "base/order.h"
#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

enum { SRC_ROWS_OF_UNPACK = 16, SRC_A_SKIPPED_ROWS = 4, SRC_DATA = 4 };

/* Return a datum of Src: sign, ten bits of mantissa, eight of exponent. The low half of a GPR has the order sign,
 * mantissa, exponent. */
static uint32_t bf16_low(uint32_t gpr) {
    return (gpr & 0xFF00) << 3 | (gpr & 0xFF);
}

/* The high half has the order sign, exponent, mantissa. */
static uint32_t bf16_high(uint32_t gpr) {
    return gpr >> 31 << 18 | (gpr >> 16 & 0x7F) << 11 | (gpr >> 23 & 0xFF);
}

/* Returns whether the columns are in soft reset. SOFT_RESET_0: bit 16 is SrcB, 10 is all of SrcA, 19..22 are four
 * columns of it each. */
static bool held_in_reset(const struct tensix *x, unsigned file, unsigned group) {
    return file == SRC_B ? (x->held & REG_HOLD_SRCB) != 0
                         : (x->held & (REG_HOLD_FPU | (unsigned)REG_HOLD_SRCA_COLUMNS << group)) != 0;
}

struct src_target {
    bool defined;
    bool dropped; /* the row is before the first one, and the store has no effect */
    unsigned row;
};

static struct src_target find_row(const struct tensix *x, unsigned thread, unsigned file, uint32_t address) {
    bool whole = file == SRC_A && CONFIG_GET(x->config.thread[thread], SRCA_SET_SetOvrdWithAddr);
    uint32_t row = address >> 2;
    if (file == SRC_A && row < SRC_A_SKIPPED_ROWS)
        return (struct src_target){ .defined = true, .dropped = true };
    if (file == SRC_A)
        row -= SRC_A_SKIPPED_ROWS;
    if (row >= (whole ? (unsigned)SRC_ROWS : (unsigned)SRC_ROWS_OF_UNPACK))
        return (struct src_target){ .defined = false };
    return (struct src_target){ .defined = true, .row = whole ? row : row + x->src.unpacker_row[file][thread] };
}

static void write_row(struct tensix *x, unsigned file, unsigned row, unsigned group, const uint32_t *gpr) {
    struct src_bank *bank = &x->src.bank[file][x->src.unpacker_bank[file]];
    if (held_in_reset(x, file, group))
        return;
    for (unsigned i = 0; i < SRC_DATA; i++)
        src_set(bank, row, group * SRC_DATA + i, i & 1 ? bf16_high(gpr[i / 2]) : bf16_low(gpr[i / 2]));
    src_changed(&x->src, file);
}

uint64_t scalar_store_src(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STOREIND op = tensix_decode_STOREIND(word);
    unsigned file = op.RegSizeSel ? SRC_B : SRC_A;
    uint32_t address = x->gpr[thread][op.AddrRegIndex] + (tensix_half(x, thread, op.OffsetIndex) >> 4);
    struct src_target target = find_row(x, thread, file, address & 0xFFFFF);
    if (address & 0xF0000)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, address & 0xFFFFF, now,
                            "Src address 0x%05x has more than 16 bits", address & 0xFFFFF);
    uint64_t from = src_free_from(&x->src, file, x->src.unpacker_bank[file]);
    uint64_t again = smaller(from, matrix_banks_again(&x->matrix, now));
    if (from > now && again != TENSIX_NEVER)
        return tensix_hold(x, thread, again, WAIT_STOREIND_BANK);
    if (from > now)
        return scalar_stay(x, thread, now, file == SRC_B ? WAIT_STOREIND_SRCB : WAIT_STOREIND_SRCA);
    if (!target.defined)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, address & 0xFFFF, now,
                            "Src address 0x%04x is in a row that cannot be written this way", address & 0xFFFF);
    if (!target.dropped)
        write_row(x, file, target.row, address & 3, &x->gpr[thread][op.DataRegIndex & 0x3C]);
    scalar_increment(x, thread, op.OffsetIndex, op.AutoIncSpec);
    scalar_occupy(x, thread, now, TENSIX_OCCUPANCY_STOREIND);
    return TENSIX_PASSED;
}
