/* SETDMAREG: sets half a GPR to a constant, or GPRs to signals of the packer.
 *
 * Sources: SETDMAREG_Immediate.md, SETDMAREG_Special.md (WH). The pages have four packers and Blackhole has one: the
 * bits of the other three read as zero, and a source that selects one of them is undefined (tt-llk reserves sources 3
 * to 5). Sources from 10 on select nothing and read as zero, so that one instruction can clear four GPRs. */
#include <string.h>

#include "tensix/batch.h"
#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

enum source {
    SOURCE_TILE_SIZE = 0,
    SOURCE_ZERO_FLAGS = 1,
    SOURCE_TILE_HEADER = 2,
    SOURCE_HISTOGRAM_LOW = 6,
    SOURCE_HISTOGRAM_HIGH = 7,
    SOURCE_CLEAR = 8,
    SOURCE_MAX_EXPONENT = 9,
};

/* The bits of the four words of a tile header that are not reserved. */
static const uint32_t header_bits[4] = { 0x0000FFFF, 0x00FF0000, 0xFFFFFFFF, 0 };

/* The fields of Payload_SigSel. */
struct signals {
    unsigned half;    /* bits 2:0: which half word of the 16 bytes */
    unsigned source;  /* bits 6:3 */
    unsigned packers; /* bits 10:7: a packer, or a mask */
};

static struct signals decode_signals(uint32_t select) {
    return (struct signals){ .half = select & 7, .source = select >> 3 & 15, .packers = select >> 7 & 15 };
}

static uint32_t last_tile_size(const struct tensix *x, unsigned thread) {
    return x->packer.last_thread == thread ? x->packer.last_tile_size : 0;
}

static void read_header(const struct tensix *x, unsigned thread, uint32_t value[4]) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    value[0] = (last_tile_size(x, thread) + 1) & 0xFFFF;
    value[1] = CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format) << 16 |
               CONFIG_GET(config, THCON_SEC0_REG1_Disable_zero_compress) << 20;
    value[2] = x->packer.all_zero_flags;
}

static void clear_tile_size(struct packer *packer, unsigned packers) {
    if (packers & 1)
        memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
}

/* Returns why the source cannot be read, or NULL if it can. */
static const char *undefined(const struct tensix *x, unsigned thread, struct signals signals) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    bool histogram = signals.source == SOURCE_HISTOGRAM_LOW || signals.source == SOURCE_HISTOGRAM_HIGH;
    if (signals.source > SOURCE_TILE_HEADER && signals.source < SOURCE_HISTOGRAM_LOW)
        return "is reserved";
    if (histogram && (signals.packers & 3))
        return "selects a packer other than 0, and there is one";
    if (signals.source == SOURCE_TILE_HEADER && CONFIG_GET(config, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd))
        return "takes a bit from All_pack_disable_zero_compress, which Blackhole does not have";
    return NULL;
}

static void read_signals(struct tensix *x, unsigned thread, struct signals signals, uint32_t value[4]) {
    struct packer *packer = &x->packer;
    switch (signals.source) {
    case SOURCE_TILE_SIZE: value[0] = (uint32_t)packer->acc_tile_size[thread] << 16 | last_tile_size(x, thread); break;
    case SOURCE_ZERO_FLAGS: value[0] = packer->all_zero_flags; break;
    case SOURCE_TILE_HEADER: read_header(x, thread, value); break;
    case SOURCE_HISTOGRAM_LOW: memcpy(value, &packer->exponent_histogram[0], 16); break;
    case SOURCE_HISTOGRAM_HIGH: memcpy(value, &packer->exponent_histogram[16], 16); break;
    case SOURCE_CLEAR:
        value[0] = packer->all_zero_flags & 1;
        clear_tile_size(packer, signals.packers);
        break;
    case SOURCE_MAX_EXPONENT: value[0] = packer->max_exponent; break;
    default: break; /* nothing: zeros */
    }
}

static void write_gprs(struct tensix *x, unsigned thread, unsigned size, unsigned result_half, unsigned half,
                       const uint32_t value[4]) {
    uint32_t *four = &x->gpr[thread][result_half >> 1 & 0x3C];
    switch (size) {
    case 0: tensix_set_half(x, thread, result_half, (uint16_t)(value[half / 2] >> half % 2 * 16)); break;
    case 1: x->gpr[thread][result_half >> 1] = value[half / 2]; break;
    case 2: memcpy(four, value, 16); break;
    default: /* a tile header; its reserved bits do not change */
        for (unsigned i = 0; i < 4; i++)
            four[i] = (four[i] & ~header_bits[i]) | (value[i] & header_bits[i]);
        break;
    }
}

/* noinline: keeps spills out of the path of constants. */
__attribute__((noinline)) static uint64_t set_signals(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_SETDMAREG op = tensix_decode_SETDMAREG(word);
    struct signals signals = decode_signals(op.Payload_SigSel);
    uint32_t value[4] = { 0 };
    const char *why = undefined(x, thread, signals);
    if (why)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now, "source %u %s", signals.source, why);
    read_signals(x, thread, signals, value);
    write_gprs(x, thread, op.Payload_SigSelSize, op.RegIndex16b, signals.half, value);
    scalar_occupy_briefly(x, thread, now, TENSIX_OCCUPANCY_SETDMAREG);
    return TENSIX_PASSED;
}

static inline void set_constant(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_SETDMAREG op = tensix_decode_SETDMAREG(word);
    tensix_set_half(x, thread, op.RegIndex16b, (uint16_t)(op.Payload_SigSelSize << 14 | op.Payload_SigSel));
}

/* Words of a row are equal here: the opcode and SetSignalsMode. */
#define ROW_BITS (UINT32_C(0xFF) << 24 | 1u << 7)

/* Sets the constant, and those of the words of the batch that follow. */
static uint64_t set_constants(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct batch_row row = batch_row(x, now);
    do
        set_constant(x, thread, word);
    while (batch_row_next(&row, &word, ROW_BITS));
    scalar_occupy_briefly(x, thread, row.now, TENSIX_OCCUPANCY_SETDMAREG);
    return batch_row_end(x, &row, now);
}

uint64_t execute_SETDMAREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (!scalar_open_short(x, thread, now))
        return scalar_wait(x, thread);
    if (tensix_decode_SETDMAREG(word).SetSignalsMode)
        return set_signals(x, thread, word, now);
    if (batch_makes_rows(x))
        return set_constants(x, thread, word, now);
    set_constant(x, thread, word);
    scalar_occupy_briefly(x, thread, now, TENSIX_OCCUPANCY_SETDMAREG);
    return TENSIX_PASSED;
}
