/* Moves the data of an UNPACR from L1 through conversion, decompression and upsampling to Src or Dst.
 *
 * In the common case, whole rows that are contiguous in L1, one kernel moves them all. Everything else moves datum by
 * datum, as the page describes it.
 *
 * The hardware writes SrcA in bursts of up to eight rows, and loses some bursts that cross from one set of 16 rows into
 * the next. No document says which, so all such moves are refused. Source: UNPACR_Regular.md (WH, with its Blackhole
 * branches). */
#include <string.h>

#include "isa/memmap.h"
#include "tensix/tensix.h"

enum { FIRST_ROWS = 4 /* rows of SrcA and Dst that output addresses count but that do not exist */ };
enum { SPREAD_ROWS = 8, DST_STEP = 4 /* rows that stay consecutive in every mapping of Dst */ };

static const char *const beyond_l1 = "its data lie beyond the end of L1";
static const char *const beyond_src = "it writes beyond the last row of Src";

/* A move while it is executed. */
struct move {
    struct tensix *x;
    const uint32_t *config;
    const struct unpack_job *job;
    struct src_bank *bank;
    unpack_rows *convert;
    unsigned file, first_row; /* first_row: row of Src where the thread's unpacks start */
    const char *bad;
    uint32_t odd_exponent; /* not 0: a datum had an exponent that does not fit the format */
};

/* The bank of Config decides at the time of the move whether INT8 is signed. */
static inline unpack_rows *kernel_of(const struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    const struct unpack_kernels *kernels = &x->vector.lanes->unpack;
    const uint32_t *config = x->config.bank[job->bank];
    unsigned path = job->path;
    if (BH_UNLIKELY(path == UNPACK_INT8) && (unpacker ? CONFIG_GET(config, ALU_FORMAT_SPEC_REG0_SrcBUnsigned)
                                                      : CONFIG_GET(config, ALU_FORMAT_SPEC_REG0_SrcAUnsigned)))
        path = UNPACK_UINT8;
    return job->out.dst ? kernels->to_dst[path] : kernels->to_src[path];
}

static inline struct src_bank *bank_of(struct tensix *x, unsigned unpacker) {
    return &x->src.bank[unpacker][x->src.unpacker_bank[unpacker]];
}

static void start(struct move *m, struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    *m = (struct move){
        .x = x,
        .config = x->config.bank[job->bank],
        .job = job,
        .bank = bank_of(x, unpacker),
        .convert = kernel_of(x, unpacker, job),
        .file = unpacker,
        .first_row = x->src.unpacker_row[unpacker][job->thread],
    };
}

/* ---- Rows of the output ------------------------------------------------------------------------------------ */

/* Returns the row of Src for a row number in output addresses; -1 for a row that does not exist; 64 or more if it is
 * undefined. */
static int src_row(const struct move *m, unsigned row) {
    if (m->file == SRC_B)
        return (int)(row + m->first_row);
    if (row < FIRST_ROWS)
        return -1;
    row -= FIRST_ROWS;
    if (m->job->out.absolute)
        return (int)(row % SRC_ROWS);
    return (int)(row < 16 ? row + m->first_row : SRC_ROWS);
}

static unsigned dst_row(unsigned row) {
    return (row - FIRST_ROWS) % DST_ROWS;
}

/* Returns the position in storage of a row of Dst. Its lower half is DST_LOW rows further on. */
static unsigned stored_row(const struct move *m, unsigned row) {
    return m->job->path == UNPACK_WORD ? dst_row32(m->config, row) : dst_row16(&m->x->dst, m->config, row);
}

static void now_valid(struct dst *dst, unsigned row, unsigned rows) {
    for (unsigned i = row; i < row + rows; i++) {
        dst_validate(dst, i, 1);
        dst_touch(dst, i);
    }
}

/* ---- Datum by datum ------------------------------------------------------------------------------------------ */

static void put_src(struct move *m, unsigned row, unsigned column, uint16_t a, uint16_t b) {
    const struct unpack_output *out = &m->job->out;
    int at = src_row(m, row);
    if (at < 0 || column < out->shift)
        return;
    if (at >= SRC_ROWS) {
        m->bad = beyond_src;
        return;
    }
    unsigned to = (unsigned)at;
    column -= out->shift;
    if (out->transpose) {
        unsigned low = to % 16;
        to = to - low + column;
        column = low;
    }
    m->bank->mantissa[to][column] = a;
    m->bank->exponent[to][column] = b;
}

static void put_dst(struct move *m, unsigned row, unsigned column, uint16_t a, uint16_t b) {
    unsigned at = stored_row(m, dst_row(row));
    if (m->x->held & REG_HOLD_FPU)
        return;
    m->x->dst.bits[at][column] = a;
    if (m->job->path == UNPACK_WORD)
        m->x->dst.bits[at + DST_LOW][column] = b;
    now_valid(&m->x->dst, at, 1);
}

static void put(struct move *m, uint32_t address, uint16_t a, uint16_t b) {
    unsigned rows = m->job->out.spread ? SPREAD_ROWS : 1;
    for (unsigned i = 0; i < rows; i++) {
        if (m->job->out.dst)
            put_dst(m, address / 16 + i, address % 16, a, b);
        else
            put_src(m, address / 16 + i, address % 16, a, b);
    }
}

/* ---- Input, up to 16 data with the same exponent at a time ---------------------------------------------------- */

struct chunk {
    uint8_t raw[UNPACK_ROW * 4];
    uint8_t zeros[UNPACK_ROW]; /* zeros that decompression inserts after each datum */
    uint8_t exponent;
    unsigned count;
};

static void wrap(const struct unpack_input *in, uint64_t *address, unsigned unit) {
    if (*address > in->limit * unit)
        *address -= in->fifo * unit;
}

/* bits: up to 32. Precondition: the bits do not touch more bytes than they need. */
static uint32_t read_bits(struct move *m, uint64_t address, unsigned bits) {
    uint64_t end = address + bits, size = memmap[MEMMAP_ROW_L1].size * UINT64_C(8);
    uint32_t value = 0;
    if (end > size || end < bits) {
        m->bad = beyond_l1;
        return 0;
    }
    memcpy(&value, m->x->l1 + address / 8, bits < 8 ? 1 : bits / 8);
    return bits < 8 ? value >> address % 8 & ((1u << bits) - 1) : value;
}

static void keep_raw(struct chunk *chunk, unsigned i, uint32_t value, unsigned bits) {
    if (bits < 8)
        chunk->raw[i * bits / 8] |= (uint8_t)(value << i * bits % 8);
    else
        memcpy(chunk->raw + i * bits / 8, &value, bits / 8);
}

static void clear_raw(struct chunk *chunk, unsigned i, unsigned bits) {
    if (bits < 8)
        chunk->raw[i * bits / 8] &= (uint8_t) ~(((1u << bits) - 1) << i * bits % 8);
    else
        memset(chunk->raw + i * bits / 8, 0, bits / 8);
}

static uint8_t read_delta(struct move *m, struct unpack_input *in) {
    uint8_t zeros = (uint8_t)read_bits(m, in->deltas, 4);
    in->deltas += 4;
    if (in->deltas % 128 == 0) {
        in->data += 128;
        in->deltas += 32 * in->bits;
        wrap(in, &in->deltas, 8);
    }
    return zeros;
}

/* Reads the next chunk. left: the number of data left to read; done: the number of data read before. */
static void read_chunk(struct move *m, struct unpack_input *in, uint32_t done, uint32_t left, struct chunk *chunk) {
    unsigned room = in->shared && !in->forced ? UNPACK_ROW - (unsigned)(in->exponents % UNPACK_ROW) : UNPACK_ROW;
    *chunk = (struct chunk){ .exponent = in->exponent, .count = left < room ? left : room };
    if (in->shared && !in->forced)
        chunk->exponent = (uint8_t)read_bits(m, in->exponents / 16 * 8, 8);
    for (unsigned i = 0; i < chunk->count && !m->bad; i++) {
        keep_raw(chunk, i, read_bits(m, in->data, in->bits), in->bits);
        in->data += in->bits;
        if ((done + i + 1) % in->piece == 0) {
            in->data += in->stride * UINT64_C(8) - in->bits * in->piece;
            wrap(in, &in->data, 8);
        }
        if (in->compressed)
            chunk->zeros[i] = read_delta(m, in);
    }
    in->exponents += chunk->count;
    if (in->exponents % 256 == 0)
        wrap(in, &in->exponents, 16);
}

/* ---- Output of one datum and the zeros after it ------------------------------------------------------------------ */

static void emit(struct move *m, struct unpack_input *in, uint32_t *address, uint16_t a, uint16_t b, unsigned zeros) {
    const struct unpack_output *out = &m->job->out;
    for (unsigned i = 0; i <= zeros; i++) {
        if (in->drop) {
            in->drop--;
            continue;
        }
        for (unsigned k = 0; k <= out->zeros; k++, ++*address)
            if (k == 0 || !out->skip)
                put(m, *address, i || k ? 0 : a, i || k ? 0 : b);
        if (--in->emit == 0)
            break;
    }
}

/* Returns whether any of the first `count` data of a chunk has an exponent that does not fit. Clears the others. */
static uint32_t is_odd_of(struct move *m, struct chunk *chunk, unsigned count) {
    uint16_t a[UNPACK_ROW], b[UNPACK_ROW];
    for (unsigned i = count; i < chunk->count; i++)
        clear_raw(chunk, i, m->job->in.bits);
    return m->convert(a, b, chunk->raw, &chunk->exponent, 0, 1);
}

static void move_slowly(struct move *m) {
    struct unpack_input in = m->job->in;
    uint32_t address = m->job->out.address, done = 0;
    bool zero = m->job->out.zero;
    while (done < in.count && in.emit && !m->bad) {
        struct chunk chunk;
        uint16_t a[UNPACK_ROW], b[UNPACK_ROW];
        read_chunk(m, &in, done, in.count - done, &chunk);
        bool odd = !m->bad && m->convert(a, b, chunk.raw, &chunk.exponent, 0, 1) && !zero;
        unsigned i = 0;
        for (; i < chunk.count && in.emit && !m->bad; i++)
            emit(m, &in, &address, zero ? 0 : a[i], zero ? 0 : b[i], zero ? 0 : chunk.zeros[i]);
        if (BH_UNLIKELY(odd))
            m->odd_exponent |= is_odd_of(m, &chunk, i);
        done += chunk.count;
    }
}

/* ---- Whole rows ------------------------------------------------------------------------------------------------ */

/* A face (16x16), which is filled row by row and then transposed. */
struct face {
    uint16_t a[UNPACK_ROW][UNPACK_ROW], b[UNPACK_ROW][UNPACK_ROW];
};

/* Converts rows, or clears them if the job says so. b: NULL for rows of a 16-bit Dst. */
static void convert(struct move *m, uint16_t *a, uint16_t *b, const uint8_t *in, const uint8_t *exponents,
                    unsigned rows) {
    unsigned step = !m->job->in.forced;
    if (!m->job->out.zero) {
        m->odd_exponent |= m->convert(a, b, in, exponents, step, rows);
        return;
    }
    memset(a, 0, rows * UNPACK_ROW * sizeof *a);
    if (b)
        memset(b, 0, rows * UNPACK_ROW * sizeof *b);
}

/* Convert rows up to the first one that is not consecutive in Src or Dst. Return the number of rows done. */
static unsigned rows_to_src(struct move *m, unsigned row, const uint8_t *in, const uint8_t *exponents, unsigned rows) {
    int at = src_row(m, row);
    if (at < 0)
        return rows < FIRST_ROWS - row ? rows : FIRST_ROWS - row;
    unsigned to = (unsigned)at;
    if (rows > SRC_ROWS - to)
        rows = SRC_ROWS - to;
    convert(m, m->bank->mantissa[to], m->bank->exponent[to], in, exponents, rows);
    return rows;
}

static unsigned rows_to_dst(struct move *m, unsigned row, const uint8_t *in, const uint8_t *exponents, unsigned rows) {
    struct dst *dst = &m->x->dst;
    unsigned first = dst_row(row), at = stored_row(m, first);
    bool wide = m->job->path == UNPACK_WORD;
    unsigned mapped = m->config[CONFIG_WORD_DEST_ACCESS_CFG_remap_addrs] || dst->halves ? DST_STEP
                      : wide                                                            ? DST_LOW
                                                                                        : DST_ROWS;
    unsigned room = mapped - first % mapped;
    if (rows > room)
        rows = room;
    if (m->x->held & REG_HOLD_FPU)
        return rows;
    convert(m, dst->bits[at], wide ? dst->bits[at + DST_LOW] : NULL, in, exponents, rows);
    now_valid(dst, at, rows);
    return rows;
}

static unsigned rows_to_face(struct move *m, struct face *face, unsigned row, const uint8_t *in,
                             const uint8_t *exponents, unsigned rows) {
    const struct rows_kernels *kernels = &m->x->vector.lanes->rows;
    unsigned at = (unsigned)src_row(m, row), in_face = at % UNPACK_ROW;
    if (rows > UNPACK_ROW - in_face)
        rows = UNPACK_ROW - in_face;
    convert(m, face->a[in_face], face->b[in_face], in, exponents, rows);
    if (in_face + rows < UNPACK_ROW)
        return rows;
    kernels->transpose(face->a[0]);
    kernels->transpose(face->b[0]);
    memcpy(m->bank->mantissa[at - in_face], face->a, sizeof face->a);
    memcpy(m->bank->exponent[at - in_face], face->b, sizeof face->b);
    return rows;
}

/* Converts rows that are contiguous in L1. */
static void put_rows(struct move *m, struct face *face, unsigned row, const uint8_t *in, const uint8_t *exponents,
                     unsigned rows) {
    unsigned bytes = UNPACK_ROW * m->job->in.bits / 8;
    while (rows) {
        unsigned done = m->job->out.dst         ? rows_to_dst(m, row, in, exponents, rows)
                        : m->job->out.transpose ? rows_to_face(m, face, row, in, exponents, rows)
                                                : rows_to_src(m, row, in, exponents, rows);
        row += done;
        rows -= done;
        in += done * bytes;
        exponents += m->job->in.forced ? 0 : done;
    }
}

static void move_rows(struct move *m) {
    const struct unpack_input *in = &m->job->in;
    struct face face;
    unsigned rows = in->count / UNPACK_ROW, row = m->job->out.address / UNPACK_ROW, piece = in->piece / UNPACK_ROW;
    const uint8_t *data = m->x->l1 + in->data / 8;
    const uint8_t *exponents = in->forced ? &in->exponent : m->x->l1 + (in->shared ? in->exponents / 16 : 0);
    if (in->stride == (uint32_t)in->piece * in->bits / 8)
        piece = rows; /* all rows are contiguous */
    for (unsigned done = 0; done < rows; done += piece) {
        unsigned some = rows - done < piece ? rows - done : piece;
        put_rows(m, &face, row + done, data, exponents, some);
        data += in->stride;
        exponents += in->forced ? 0 : some;
    }
}

/* ---- Choice of the path ----------------------------------------------------------------------------------------- */

/* Returns the number of bytes of L1 from the first datum to the last one. */
static uint64_t span(const struct unpack_input *in) {
    uint32_t pieces = (in->count - 1) / in->piece, last = (in->count - 1) % in->piece + 1;
    return (uint64_t)pieces * in->stride + (last * in->bits + 7u) / 8;
}

static bool stays_below_limit(const struct unpack_input *in, uint64_t end) {
    uint64_t exponents_end = in->exponents / 16 + in->count / 16 + 1;
    return !in->fifo || (end <= in->limit && (!in->shared || in->forced || exponents_end <= in->limit));
}

static bool whole_face(const struct move *m) {
    int at = src_row(m, m->job->out.address / UNPACK_ROW);
    return at >= 0 && at % UNPACK_ROW == 0 && m->job->in.count % (UNPACK_ROW * UNPACK_ROW) == 0;
}

static bool is_rows(const struct move *m, uint64_t end) {
    const struct unpack_input *in = &m->job->in;
    const struct unpack_output *out = &m->job->out;
    return in->count % UNPACK_ROW == 0 && out->address % UNPACK_ROW == 0 && !out->zeros && !out->shift &&
           !out->spread && in->data % 8 == 0 && stays_below_limit(in, end) &&
           !(in->shared && !in->forced && in->exponents % 16) && (!out->transpose || whole_face(m));
}

/* Returns why a row of uncompressed data has no destination, or NULL if every row has one. */
static const char *check_rows(const struct move *m) {
    const struct unpack_output *out = &m->job->out;
    uint64_t last = out->address + (m->job->in.count - UINT64_C(1)) * (out->zeros + 1u) + (out->skip ? 0 : out->zeros);
    uint64_t row = last / UNPACK_ROW + (out->spread ? SPREAD_ROWS - 1 : 0);
    if (out->dst || out->shift || (out->absolute && m->file == SRC_A))
        return NULL;
    return row > UINT16_MAX || src_row(m, (unsigned)row) >= SRC_ROWS ? beyond_src : NULL;
}

/* Refuses bursts that cross from one set of 16 rows into the next. Row numbers are those of SrcA. */
static const char *check_bursts(const struct move *m) {
    const struct unpack_job *job = m->job;
    unsigned burst = job->rate * 8u / job->in.bits;
    int first = (int)(job->out.address / UNPACK_ROW) - FIRST_ROWS;
    int end = (int)((job->out.address + job->in.count - 1) / UNPACK_ROW) - FIRST_ROWS + 1;
    burst = burst < 1 ? 1 : burst > 8 ? 8 : burst;
    for (int row = first; row < end; row += (int)burst) {
        int last = row + (int)burst < end ? row + (int)burst - 1 : end - 1;
        if (row >> 4 != last >> 4)
            return "a burst of rows would cross from one set of 16 rows of SrcA into the next";
    }
    return NULL;
}

static const char *check(const struct move *m, uint64_t end) {
    const struct unpack_job *job = m->job;
    if (end > memmap[MEMMAP_ROW_L1].size && stays_below_limit(&job->in, end))
        return beyond_l1;
    const char *bad = check_rows(m);
    if (bad)
        return bad;
    return m->file == SRC_A && !job->out.dst && !job->out.zeros ? check_bursts(m) : NULL;
}

static const char *const odd_exponent = "a datum of BFP8a, BFP4a or BFP2a has an exponent that is not one of FP16";

__attribute__((noinline)) static const char *move_any(struct tensix *x, unsigned unpacker,
                                                      const struct unpack_job *job) {
    struct move m;
    start(&m, x, unpacker, job);
    if (!job->in.count || !job->in.emit)
        return NULL;
    uint64_t end = job->in.compressed ? 0 : job->in.data / 8 + span(&job->in);
    if (!job->in.compressed && (m.bad = check(&m, end)))
        return m.bad;
    if (!job->in.compressed && is_rows(&m, end))
        move_rows(&m);
    else
        move_slowly(&m);
    src_changed(&x->src, unpacker);
    if (x->held & SRC_HELD)
        src_clear_held(&x->src, x->held);
    return !m.bad && m.odd_exponent ? odd_exponent : m.bad;
}

/* Returns the row of Src for a row number in output addresses, if `rows` rows from there on are consecutive in Src and
 * no burst crosses from one set of 16 into the next; else SRC_ROWS. A burst is a power of two of rows, up to eight. */
static inline unsigned first_src_row(const struct tensix *x, unsigned unpacker, const struct unpack_job *job,
                                     unsigned row, unsigned rows) {
    unsigned base = x->src.unpacker_row[unpacker][job->thread];
    if (unpacker == SRC_B)
        return row + base;
    row -= FIRST_ROWS;
    if (row >= DST_ROWS || (row % 8 && row % 16 + rows > 16))
        return SRC_ROWS;
    if (job->out.absolute)
        return row % SRC_ROWS;
    return row + rows <= 16 ? row + base : SRC_ROWS;
}

/* Moves whole rows by one call of a kernel. Returns false if the job needs the general path, or the tests that check()
 * and is_rows() make there. */
static inline bool move_whole_rows(struct tensix *x, unsigned unpacker, const struct unpack_job *job, uint32_t *odd) {
    const struct unpack_input *in = &job->in;
    unsigned rows = in->count / UNPACK_ROW;
    unsigned row = first_src_row(x, unpacker, job, job->out.address / UNPACK_ROW, rows);
    uint64_t end = in->data / 8 + rows * UNPACK_ROW * in->bits / 8;
    if ((in->count | job->out.address) % UNPACK_ROW || !rows || row + (uint64_t)rows > SRC_ROWS || in->data % 8 ||
        end > memmap[MEMMAP_ROW_L1].size || !stays_below_limit(in, end) || (x->held & SRC_HELD) ||
        (in->shared && !in->forced && in->exponents % 16))
        return false;
    struct src_bank *bank = bank_of(x, unpacker);
    const uint8_t *exponents = in->forced ? &in->exponent : x->l1 + (in->shared ? in->exponents / 16 : 0);
    *odd = kernel_of(x, unpacker, job)(bank->mantissa[row], bank->exponent[row], x->l1 + in->data / 8, exponents,
                                       !in->forced, rows);
    src_changed(&x->src, unpacker);
    return true;
}

const char *unpack_move(struct tensix *x, unsigned unpacker, const struct unpack_job *job) {
    uint32_t odd;
    if (BH_UNLIKELY(!job->whole_rows || !move_whole_rows(x, unpacker, job, &odd)))
        return move_any(x, unpacker, job);
    return BH_UNLIKELY(odd) ? odd_exponent : NULL;
}
