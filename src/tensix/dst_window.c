/* Dst as others than instructions see it: T0..T2 through a window of 32 KiB, and the debug read of arrays.
 *
 *     RISC_DEST_ACCESS_CTRL_SEC<thread>   no_swizzle 0  unsigned_int 1  fmt 4:2
 *                                         five bits each, from bit 14 of word 3 on
 *     fmt   0 FP32  1 INT32  2 FP16  3 BF16  4 INT16  5 INT8
 *           elements of 4, 4, 2, 2, 2 and 1 bytes, 16 to a row
 *
 * T0 and T1 access one element at a time, T2 several. Inexact: a vector load or store of T2 with elements smaller than
 * those of Dst faults, while the hardware treats it as one wide access. The duration of an access is not documented; it
 * is assumed to be that of an access to the GPRs.
 *
 *     DBG_ARRAY_RD_CMD   11:0 row  15:12 pair of columns  18:16 array: 0 SrcA, 1 SrcB, 2 Dst  19 bank
 *
 * The debug read shows the stored data of Dst, whether valid or not. SrcA cannot be read (tt-llk and tt-exalens move
 * its rows to Dst). For SrcB it shows, according to tt-llk, two rows that the last SHIFTXB has latched, eight columns
 * at a time, in a layout that no source describes: tt-exalens refuses to read it.
 *
 * Sources: Dst.md (BH); tt-llk's ckernel_debug.h and tt-exalens' debug_tensix.py, as no page describes the debug read;
 * the official simulator for rows that are invalid. */
#include "tensix/clock.h"

enum window_format { WINDOW_FP32, WINDOW_INT32, WINDOW_FP16, WINDOW_BF16, WINDOW_INT16, WINDOW_INT8, WINDOW_FORMATS };

struct window {
    struct dst *dst;
    const uint32_t *config;
    enum window_format format;
    unsigned size; /* bytes of an element */
    bool raw;      /* no_swizzle */
    bool is_signed;
};

/* Returns the window of a thread. The size is 0 if the format is reserved. */
static struct window window_of(struct tensix *x, unsigned thread) {
    static const uint8_t size[8] = { 4, 4, 2, 2, 2, 1 };
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    uint32_t control = config[CONFIG_WORD_RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle] >>
                       (CONFIG_SHIFT_RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle + 5 * thread);
    bool raw = control & 1;
    return (struct window){ .dst = &x->dst,
                            .config = config,
                            .format = (enum window_format)(control >> 2 & 7),
                            .size = size[control >> 2 & 7],
                            .raw = raw,
                            .is_signed = !raw && !(control & 2) };
}

/* ---- Elements --------------------------------------------------------------------------------------- */

/* Convert between two's complement and sign and magnitude, of this many bits. The most negative number cannot be
 * represented and becomes the next one. */
static uint32_t from_sign_magnitude(uint32_t value, unsigned bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1);
    return value & sign ? 0 - (value & (sign - 1)) : value;
}

static uint32_t to_sign_magnitude(uint32_t value, unsigned bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1);
    if (!(value & sign))
        return value;
    return value == sign ? sign | (sign - 1) : sign | ((0 - value) & (sign - 1));
}

static uint32_t load32(const struct window *w, unsigned row, unsigned column) {
    uint32_t value = dst_get32(w->dst, dst_row32(w->config, row), column);
    if (w->raw)
        return value;
    value = dst_decode32(value);
    return w->format == WINDOW_INT32 ? from_sign_magnitude(value, 32) : value;
}

static void store32(const struct window *w, unsigned row, unsigned column, uint32_t value) {
    if (!w->raw) {
        if (w->format == WINDOW_INT32)
            value = to_sign_magnitude(value, 32);
        value = dst_encode32(value);
    }
    dst_put32(w->dst, dst_row32(w->config, row), column, value);
}

static uint32_t load16(const struct window *w, uint16_t value) {
    switch (w->format) {
    case WINDOW_FP16: return w->raw ? value : dst_decode_fp16(value);
    case WINDOW_BF16: return w->raw ? value : dst_decode_bf16(value);
    case WINDOW_INT16: return w->is_signed ? from_sign_magnitude(value, 16) & 0xFFFF : value;
    default: /* INT8 */
        if (!w->is_signed)
            return value >> 5 & 0xFF;
        return value & 0x8000 ? (0u - (value >> 5 & 0x7F)) & 0xFF : value >> 5 & 0x7F;
    }
}

/* The magnitude of a negative byte comes out with bit 7 set, as on the hardware. */
static uint16_t store8(const struct window *w, uint8_t value) {
    if (!w->is_signed || value < 0x80)
        return (uint16_t)(value << 5 | (value ? 16 : 0));
    unsigned magnitude = (0x180u - value - (value == 0x80)) & 0xFF;
    return (uint16_t)(0x8000 | magnitude << 5 | 16);
}

static uint16_t store16(const struct window *w, uint32_t value) {
    uint16_t half = (uint16_t)value;
    switch (w->format) {
    case WINDOW_FP16: return w->raw ? half : dst_encode_fp16(half);
    case WINDOW_BF16: return w->raw ? half : dst_encode_bf16(half);
    case WINDOW_INT16: return w->is_signed ? (uint16_t)to_sign_magnitude(half, 16) : half;
    default: return store8(w, (uint8_t)value);
    }
}

/* element: the index of an element, row by row. */
static uint32_t load_element(const struct window *w, unsigned element) {
    unsigned row = element / DST_COLUMNS, column = element % DST_COLUMNS;
    if (w->size == 4)
        return load32(w, row, column);
    return load16(w, dst_get16(w->dst, dst_row16(w->dst, w->config, row), column));
}

static void store_element(const struct window *w, unsigned element, uint32_t value) {
    unsigned row = element / DST_COLUMNS, column = element % DST_COLUMNS;
    if (w->size == 4)
        store32(w, row, column, value);
    else
        dst_put16(w->dst, dst_row16(w->dst, w->config, row), column, store16(w, value));
}

/* ---- Accesses ------------------------------------------------------------------------------------- */

static struct access check(const struct window *w, enum bh_core core, uint32_t offset, unsigned size) {
    if (!w->size)
        return access_refused(BH_FAULT_UNDEFINED, "RISC_DEST_ACCESS_CTRL has a reserved format");
    if (size < w->size)
        return access_refused(BH_FAULT_UNDEFINED, "an access narrower than the format of RISC_DEST_ACCESS_CTRL");
    if (size > w->size && core != BH_TRISC2)
        return access_refused(BH_FAULT_UNDEFINED,
                              "an access wider than the format of RISC_DEST_ACCESS_CTRL, which only trisc2 can make");
    if (offset / w->size >= DST_ROWS * DST_COLUMNS)
        return access_refused(BH_FAULT_UNDEFINED, "there are 1024 rows of 16 elements");
    return access_done();
}

struct access tensix_dst_read(struct tensix *x, enum bh_core core, uint32_t offset, unsigned size, uint64_t time,
                              uint32_t *value) {
    tensix_run(x, time);
    struct window w = window_of(x, core - BH_TRISC0);
    struct access access = check(&w, core, offset, size);
    if (access.result != ACCESS_DONE)
        return access;
    *value = 0;
    for (unsigned done = 0; done < size; done += w.size)
        *value |= load_element(&w, (offset + done) / w.size) << 8 * done;
    return access;
}

struct access tensix_dst_write(struct tensix *x, enum bh_core core, uint32_t offset, unsigned size, uint64_t time,
                               uint32_t value) {
    if (!tensix_run(x, time + 1))
        return access_later();
    struct window w = window_of(x, core - BH_TRISC0);
    struct access access = check(&w, core, offset, size);
    if (access.result != ACCESS_DONE)
        return access;
    for (unsigned done = 0; done < size; done += w.size)
        store_element(&w, (offset + done) / w.size, value >> 8 * done);
    return clock_verified(x, access);
}

void tensix_feature_disable(struct tensix *x, uint32_t value, uint64_t time) {
    if (!x->running)
        tensix_run(x, time + 1);
    dst_feature_disable(&x->dst, value);
    config_changed(&x->config); /* plans depend on the mapping of rows that the register selects */
}

/* ---- The debug read ------------------------------------------------------------------------------------ */

enum { ARRAY_SRC_A, ARRAY_SRC_B, ARRAY_DST, ARRAY_EXPONENTS };

static struct access refuse_array(uint32_t command) {
    switch (command >> 16 & 7) {
    case ARRAY_SRC_A:
        return access_refused(BH_FAULT_UNDEFINED,
                              "the debug read does not reach SrcA: MOVDBGA2D moves its rows to Dst");
    case ARRAY_SRC_B:
        return access_refused(BH_FAULT_UNMODELLED, "in what layout the debug read shows SrcB is described nowhere: "
                                                   "MOVDBGB2D moves its rows to Dst");
    case ARRAY_EXPONENTS:
        return access_refused(BH_FAULT_UNMODELLED, "in what layout the debug read shows the packer's greatest "
                                                   "exponents is described nowhere");
    default: return access_refused(BH_FAULT_UNDEFINED, "DBG_ARRAY_RD_CMD names nothing that is known");
    }
}

struct access tensix_array_read(struct tensix *x, uint32_t command, uint64_t time, uint32_t *value) {
    unsigned row = command & 0xFFF, pair = command >> 12 & 15;
    if (command >> 16 != ARRAY_DST || row >= DST_ROWS || pair >= DST_COLUMNS / 2)
        return refuse_array(command);
    tensix_run(x, time);
    const uint16_t *columns = &x->dst.bits[row][2 * pair];
    *value = columns[0] | (uint32_t)columns[1] << 16;
    return access_done();
}
