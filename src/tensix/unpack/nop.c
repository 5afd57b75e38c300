/* UNPACR_NOP: clears a bank of Src and hands it to the Matrix Unit, in the order of the unpacker's instructions.
 *
 *     Unpack_Pop 1          clears: the unpacker's bank or both, to zero or to all ones (minus infinity); then hands it
 *                           over if Set_Dvalid is set
 *     Clr_to1_fmt_Ctrl 3    hands it over, and nothing else
 *
 * Not modelled: the other values of Unpack_Pop, which act on streams or pass time, and clearing to one or to a
 * register's value. Inexact: it waits for its bank at the gate, where the hardware lets the thread go on. Sources:
 * UNPACR_NOP_ZEROSRC.md, UNPACR_NOP_SETDVALID.md (WH, with their Blackhole branches); tt-llk's assembly.yaml for the
 * encoding. */
#include "tensix/tensix.h"

enum { POP_CLEAR = 1, CLEAR_ZERO = 0, CLEAR_ONES = 1, ONLY_DVALID = 3 };
enum { ALL_ONES = 0x7FFFF };

static void fill(struct src_bank *bank, uint32_t datum) {
    for (unsigned row = 0; row < SRC_ROWS; row++)
        for (unsigned column = 0; column < SRC_COLUMNS; column++)
            src_set(bank, row, column, datum);
}

static void clear(struct tensix *x, unsigned file, struct tensix_UNPACR_NOP op) {
    struct src *src = &x->src;
    for (unsigned bank = 0; bank < SRC_BANKS; bank++)
        if (op.Bank_Clr_Ctrl || bank == src->unpacker_bank[file])
            fill(&src->bank[file][bank], op.Src_ClrVal_Ctrl == CLEAR_ONES ? ALL_ONES : 0);
    src_changed(src, file);
    if (x->held & SRC_HELD)
        src_clear_held(src, x->held);
}

static void hand_over(struct tensix *x, unsigned thread, unsigned file, uint64_t now) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    const uint16_t *own = x->config.thread[thread];
    struct src_change change = {
        .take = (uint8_t)(1u << file),
        .format = { (uint8_t)CONFIG_GET(config, THCON_SEC0_REG2_Out_data_format),
                    (uint8_t)CONFIG_GET(config, THCON_SEC1_REG2_Out_data_format) },
    };
    x->src.unpacker_row[file][thread] =
        (uint8_t)((file == SRC_A ? CONFIG_GET(own, SRCA_SET_Base) : CONFIG_GET(own, SRCB_SET_Base)) << 4);
    matrix_change_banks(x, change, now);
}

/* The bank that it waits for, until it is the unpackers'. */
static unsigned waits_for(const struct src *src, unsigned file, struct tensix_UNPACR_NOP op) {
    return op.Stall_Clr_Cntrl ? src->unpacker_bank[file] : src->matrix_bank[file];
}

static bool modelled(struct tensix_UNPACR_NOP op) {
    return op.Clr_to1_fmt_Ctrl == ONLY_DVALID || (op.Unpack_Pop == POP_CLEAR && op.Src_ClrVal_Ctrl <= CLEAR_ONES);
}

uint64_t execute_UNPACR_NOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_UNPACR_NOP op = tensix_decode_UNPACR_NOP(word);
    unsigned file = op.Unpacker_Select ? SRC_B : SRC_A;
    bool only_dvalid = op.Clr_to1_fmt_Ctrl == ONLY_DVALID;
    if (!modelled(op))
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now, "this form comes with the unpackers");
    if (x->held & REG_HOLD_UNPACKERS)
        return tensix_hold(x, thread, TENSIX_NEVER, "the unpackers, held in soft reset");
    if (!only_dvalid && x->src.allowed[file][waits_for(&x->src, file, op)] != SRC_UNPACKERS)
        return tensix_hold(x, thread, matrix_banks_again(&x->matrix, now),
                           file == SRC_A ? "SrcA's bank, which the Matrix Unit has not handed back"
                                         : "SrcB's bank, which the Matrix Unit has not handed back");
    if (!only_dvalid)
        clear(x, file, op);
    if (only_dvalid || op.Set_Dvalid)
        hand_over(x, thread, file, now);
    return TENSIX_PASSED;
}
