/* UNPACR_NOP: work that an unpacker does between two moves, in program order.
 *
 *     Unpack_Pop 0    frees messages of the stream that ThreadConfig selects
 *                1    clears: the unpacker's bank or both, to zero, to all ones (minus infinity), to one or to a value
 *                     in a register; then hands it over if Set_Dvalid is set
 *                2    takes a cycle
 *                3    as 0, with the stream and number in the word; with bit 2 another form, which is not modelled
 *     Clr_to1_fmt_Ctrl 3   hands the bank over, and nothing else; otherwise the format of a one: FP16, BF16 or INT8
 *
 * Assumed: only the lowest 19 bits of the register matter, in the layout of Src. Inexact: on hardware a clear in the
 * same cycle as ZEROSRC uses the banks of ZEROSRC. Sources: UNPACR_NOP*.md (WH, with their Blackhole branches);
 * tt-llk's assembly.yaml for the encoding. */
#include "isa/memmap.h"
#include "isa/overlay.h"
#include "tensix/tensix.h"

enum { POP_REGISTER, POP_CLEAR, POP_PAUSE, POP_WORD };
enum { CLEAR_ZERO, CLEAR_ONES, CLEAR_ONE, CLEAR_REGISTER };
enum { ONE_FP16, ONE_BF16, ONE_INT8, ONLY_DVALID };
enum { ALL_ONES = 0x7FFFF };

/* ---- Clearing --------------------------------------------------------------------------------------------- */

static uint32_t one(unsigned format) {
    switch (format) {
    case ONE_FP16: return 15;
    case ONE_BF16: return 127;
    default: return 1 << 8 | 16; /* INT8: a magnitude of one */
    }
}

static uint32_t clear_value(const struct tensix *x, unsigned thread, unsigned unpacker, struct tensix_UNPACR_NOP op) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    switch (op.Src_ClrVal_Ctrl) {
    case CLEAR_ZERO: return 0;
    case CLEAR_ONES: return ALL_ONES;
    case CLEAR_ONE: return one(op.Clr_to1_fmt_Ctrl);
    default:
        return (unpacker ? CONFIG_GET(config, UNP1_NOP_REG_CLR_VAL_nop_reg_clr_val)
                         : CONFIG_GET(config, UNP0_NOP_REG_CLR_VAL_nop_reg_clr_val)) &
               ALL_ONES;
    }
}

static void fill(struct tensix *x, unsigned file, unsigned bank, uint32_t datum) {
    const struct unpack_kernels *kernels = &x->vector.lanes->unpack;
    struct src_bank *data = &x->src.bank[file][bank];
    if (x->src.filled[file][bank] == datum + 1)
        return;
    src_set(data, 0, 0, datum);
    kernels->fill(data->mantissa[0], data->mantissa[0][0], SRC_ROWS);
    kernels->fill(data->exponent[0], data->exponent[0][0], SRC_ROWS);
    x->src.filled[file][bank] = datum + 1;
}

void unpack_clear(struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    struct src *src = &x->src;
    for (unsigned bank = 0; bank < SRC_BANKS; bank++)
        if (tensix_decode_UNPACR_NOP(job->word).Bank_Clr_Ctrl || bank == src->unpacker_bank[unpacker])
            fill(x, unpacker, bank, job->datum);
    src_handed(src, unpacker);
    if (x->held & SRC_HELD)
        src_clear_held(src, x->held);
}

/* ---- Streams --------------------------------------------------------------------------------------------- */

/* Returns the stream. The number of messages only decides whether the word's stream is used: each write frees one
 * entry. */
static uint32_t stream_of(const struct tensix *x, unsigned thread, unsigned unpacker, struct tensix_UNPACR_NOP op) {
    const uint16_t *own = x->config.thread[thread];
    if (op.Unpack_Pop == POP_WORD && op.Msg_Clr_Cnt)
        return op.Stream_Id;
    return unpacker ? CONFIG_GET(own, NOC_OVERLAY_MSG_CLEAR_StreamId_1)
                    : CONFIG_GET(own, NOC_OVERLAY_MSG_CLEAR_StreamId_0);
}

void unpack_pop(struct tensix *x, const struct unpack_job *job, uint64_t now) {
    uint32_t address = memmap[MEMMAP_ROW_OVERLAY].base + job->datum * OVERLAY_STREAM_SIZE + 4 * OVERLAY_MSG_DATA_CLEAR;
    struct access access = x->port->write(x->owner, address, now, 1);
    if (access.result != ACCESS_DONE)
        tensix_fault(x, job->thread, access.kind, job->word, address, now, "%s", access.text);
}

/* ---- At the gate ------------------------------------------------------------------------------------------- */

static uint8_t kind_of(struct tensix_UNPACR_NOP op) {
    if (op.Clr_to1_fmt_Ctrl == ONLY_DVALID)
        return UNPACK_DVALID;
    if (op.Unpack_Pop == POP_CLEAR)
        return UNPACK_CLEAR;
    return op.Unpack_Pop == POP_PAUSE ? UNPACK_PAUSE : UNPACK_POP;
}

/* Returns the bank that the job waits for. A clear waits for the Matrix Unit's bank unless the word says otherwise. */
static uint8_t bank_of(unsigned kind, struct tensix_UNPACR_NOP op) {
    if (kind != UNPACK_CLEAR)
        return UNPACK_NO_BANKS;
    return op.Stall_Clr_Cntrl ? UNPACK_OWN_BANK : UNPACK_MATRIX_BANK;
}

static uint8_t format_of(const struct tensix *x, unsigned thread, unsigned unpacker) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    return (uint8_t)(unpacker ? CONFIG_GET(config, THCON_SEC1_REG2_Out_data_format)
                              : CONFIG_GET(config, THCON_SEC0_REG2_Out_data_format));
}

/* Fills in every field, since the slot may still have an earlier job that moved data. */
static void set_job(struct unpack_job *job, const struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_UNPACR_NOP op = tensix_decode_UNPACR_NOP(word);
    unsigned unpacker = op.Unpacker_Select;
    uint8_t kind = kind_of(op), format = format_of(x, thread, unpacker);
    uint8_t row = unpack_base_row(x->config.thread[thread], unpacker);
    uint32_t datum = kind == UNPACK_CLEAR ? clear_value(x, thread, unpacker, op) : stream_of(x, thread, unpacker, op);
    if (job->kind == UNPACK_MOVE)
        memset(job, 0, sizeof *job);
    job->ready = now;
    job->word = word;
    job->kind = kind;
    job->thread = (uint8_t)thread;
    job->waits_for = bank_of(kind, op);
    job->rate = TENSIX_PART_UNPACR_X1;
    job->units = TENSIX_LATENCY_UNPACR_NOP * TENSIX_PART_UNPACR_X1; /* makes the job as long as fetching this much would
                                                                     * take */
    job->format = format;
    job->row = row;
    job->flip = kind == UNPACK_DVALID || (kind == UNPACK_CLEAR && op.Set_Dvalid);
    job->datum = datum;
}

uint64_t execute_UNPACR_NOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_UNPACR_NOP op = tensix_decode_UNPACR_NOP(word);
    unsigned unpacker = op.Unpacker_Select;
    if (kind_of(op) == UNPACK_POP && op.Unpack_Pop == POP_WORD && (op.Src_ClrVal_Ctrl & 1))
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now,
                            "this form writes a register, and no document says who sets the bases of its address");
    if (x->held & (REG_HOLD_UNPACKERS | REG_HOLD_GLUE))
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_UNPACK_RESET);
    if (unpack_full(&x->unpack.unit[unpacker]))
        return tensix_hold(x, thread, TENSIX_NEVER, unpacker ? WAIT_UNPACK1_FULL : WAIT_UNPACK0_FULL);
    set_job(unpack_next_job(&x->unpack.unit[unpacker]), x, thread, word, now);
    unpack_queue(x, unpacker, now);
    return TENSIX_PASSED;
}
