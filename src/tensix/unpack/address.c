/* Fills in the job of an UNPACR: input and output addresses, datum counts and modes, from the configuration and the
 * counters in the cycle in which it passes.
 *
 *     descriptor    word 0: format 3:0, uncompressed 4, no exponents 5, blobs 10:8, X 31:16     1: Y 7:0, Z 23:16
 *                        2: W 7:0, first rows of blobs 31:16     3: the rest of these 15:0, digest 31:24
 *     L1            header (16 bytes), digest | row starts | exponents | data
 *
 * Assumed: limit and size of the FIFO are in REG2, although there are two pairs of registers for them. Sources:
 * UNPACR_Regular.md, ADCs.md (WH, with their Blackhole branches). */
#include <string.h>

#include "isa/memmap.h"
#include "tensix/tensix.h"

_Static_assert(CONFIG_WORD_THCON_SEC1_REG7_Offset_address ==
                   CONFIG_WORD_THCON_SEC0_REG7_Offset_address + UNPACK_SECTION,
               "");

struct draft {
    struct tensix *x;
    const uint32_t *config,
        *section; /* section: `config`, shifted so that the names of unpacker 0's words select this unpacker's */
    const uint16_t *own;
    struct unpack_job *job;
    const struct adc *xy, *zw; /* xy may belong to another thread */
    unsigned unpacker, context;
    unsigned in_format, out_format;
    uint32_t x_dim, y_dim, z_dim, w_dim, blobs;
    uint64_t row_starts;      /* compressed data: byte address */
    bool multi;               /* multi-context mode */
    struct unpack_plan *plan; /* its version stays 0 until all of it is set */
};

static inline struct tensix_UNPACR op_of(const struct draft *p) {
    return tensix_decode_UNPACR(p->job->word);
}

static const uint32_t *descriptor(const struct draft *p) {
    return p->section + CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor;
}

/* Returns a context's bit in a word: bit `shift` on for contexts 0..3, bit `shift4` on for 4..7. */
static bool context_bit(const struct draft *p, unsigned word, unsigned shift, unsigned shift4) {
    return p->section[word] >> (p->context < 4 ? shift + p->context : shift4 + p->context - 4) & 1;
}

/* ---- Sizes and formats -------------------------------------------------------------------------------- */

static void read_dimensions(struct draft *p) {
    const uint32_t *d = descriptor(p);
    p->x_dim = d[0] >> 16;
    if (p->multi && p->unpacker == 0)
        p->x_dim =
            p->section[CONFIG_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0 + p->context / 2 % 2] >> 16 * (p->context % 2) &
            0xFFFF;
    p->y_dim = d[1] & 0xFF;
    p->z_dim = d[1] >> 16 & 0xFF;
    p->w_dim = d[2] & 0xFF;
    p->z_dim += !p->z_dim;
    p->w_dim += !p->w_dim;
    p->blobs = d[0] >> 8 & 7;
}

static void read_formats(struct draft *p) {
    uint32_t word = p->section[CONFIG_WORD_THCON_SEC0_REG7_Offset_address + p->context % 4];
    unsigned shift = p->context < 4 ? 16 : 24;
    if (p->multi && CONFIG_GET(p->section, THCON_SEC0_REG2_Ovrd_data_format)) {
        p->in_format = word >> shift & 15;
        p->out_format = word >> (shift + 4) & 15;
    } else {
        p->in_format = descriptor(p)[0] & 15;
        p->out_format = CONFIG_GET(p->section, THCON_SEC0_REG2_Out_data_format);
    }
}

static bool reads_to_dst(const struct draft *p) {
    if (p->unpacker)
        return false;
    return p->multi ? context_bit(p, CONFIG_WORD_THCON_SEC0_REG2_Unpack_if_sel_cntx0, 4, 20)
                    : CONFIG_GET(p->section, THCON_SEC0_REG2_Unpack_If_Sel);
}

static const char *choose_path(struct draft *p) {
    bool e4m3 = CONFIG_GET(p->section, THCON_SEC0_REG1_Unp_LF8_4b_exp);
    int path = unpack_path_of(p->in_format, p->out_format, p->job->out.dst, e4m3);
    if (path < 0)
        return "there is no conversion from this format in L1 to that output format";
    p->job->path = (uint8_t)path;
    p->job->format = (uint8_t)p->out_format;
    p->job->in.bits = unpack_formats[p->in_format].bits;
    return NULL;
}

/* ---- Input ------------------------------------------------------------------------------------------ */

static uint64_t up16(uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/* Returns the offset of the tile in units of 16 bytes. */
static uint32_t tile_offset(const struct draft *p) {
    return p->section[CONFIG_WORD_THCON_SEC0_REG7_Offset_address + (p->multi ? p->context % 4 : 0)] & 0xFFFF;
}

static uint32_t header_size(const struct draft *p) {
    return 1 + (descriptor(p)[3] >> 24);
}

static uint64_t tile_address(const struct draft *p) {
    uint64_t base = p->section[CONFIG_WORD_THCON_SEC0_REG3_Base_address + (p->multi ? p->context : 0)];
    return (base + tile_offset(p) + header_size(p)) * 16;
}
_Static_assert(CONFIG_WORD_THCON_SEC0_REG4_Base_cntx7_address == CONFIG_WORD_THCON_SEC0_REG3_Base_address + 7, "");

/* Sets the addresses of row starts and exponents. Returns the address of the data, in bytes. */
static uint64_t place_sections(struct draft *p) {
    struct unpack_input *in = &p->job->in;
    uint64_t at = tile_address(p);
    uint64_t planes = (uint64_t)p->z_dim * p->w_dim;
    if (in->compressed) {
        p->row_starts = at;
        at += up16(2 * (planes * (p->blobs ? p->blobs : p->y_dim) + 1));
    }
    in->shared = unpack_formats[p->in_format].shared;
    in->forced = CONFIG_GET(p->section, THCON_SEC0_REG2_Force_shared_exp);
    in->exponents = at * 16;
    p->plan->exponents = 0;
    if (in->shared && !in->forced && (in->bits == 8 || !(descriptor(p)[0] >> 5 & 1)))
        p->plan->exponents = up16((planes * p->y_dim * p->x_dim + 15) / 16);
    return at + p->plan->exponents;
}

static uint32_t blob_start(const struct draft *p, unsigned i) {
    uint32_t starts = descriptor(p)[2] >> 16 | descriptor(p)[3] << 16;
    if (p->multi && p->unpacker == 0)
        starts = p->config[CONFIG_WORD_UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start + p->context / 2 % 2];
    return (starts >> 4 * i & 15) << 4;
}

/* Sets the range of data that the counters select among blobs. A row of a blob has 16 data. Returns false if there is
 * no such blob. */
static bool search_blobs(const struct draft *p, uint32_t *from, uint32_t *to) {
    uint32_t next = (p->xy->channel[0].value[ADC_X] & 7) + 1;
    if (next == 8)
        return false;
    *from = blob_start(p, p->xy->channel[0].value[ADC_Y] & 7);
    *to = next == p->blobs ? p->x_dim & 0x1F0 : blob_start(p, next);
    return true;
}

static uint64_t plane(const struct draft *p) {
    const uint32_t *counter = p->zw->channel[0].value;
    return (uint64_t)(counter[ADC_W] & 0xFF) * p->z_dim + (counter[ADC_Z] & 0xFF);
}

static const char *find_uncompressed(struct draft *p, uint64_t *first) {
    const struct adc_channel *channel = p->xy->channel;
    uint32_t from = channel[0].value[ADC_X], to = channel[1].value[ADC_X] + 1, y = channel[0].value[ADC_Y];
    if (op_of(p).RowSearch && p->blobs) {
        if (!search_blobs(p, &from, &to))
            return "there is no blob behind the eighth";
        y = 0;
    } else if (op_of(p).RowSearch) {
        from = 0;
        to--;
    }
    if (to < from)
        return "its last datum lies before the first: X of channel 1 is less than X of channel 0";
    *first = (plane(p) * p->y_dim + y) * p->x_dim + from;
    p->job->in.count = to - from;
    p->job->in.emit = UINT32_MAX;
    return NULL;
}

static const char *row_start(const struct draft *p, uint64_t row, uint32_t *start) {
    uint64_t address = p->row_starts + 2 * row;
    uint16_t value;
    if (address + sizeof value > memmap[MEMMAP_ROW_L1].size)
        return "the row starts of its tile lie beyond the end of L1";
    memcpy(&value, p->x->l1 + address, sizeof value);
    *start = value;
    return NULL;
}

static const char *find_compressed(struct draft *p, uint64_t *first) {
    const struct adc_channel *channel = p->xy->channel;
    struct unpack_input *in = &p->job->in;
    uint32_t x = channel[0].value[ADC_X], y = channel[0].value[ADC_Y] & 0xFF, end = channel[1].value[ADC_X];
    uint64_t base = plane(p) * (op_of(p).RowSearch && p->blobs ? p->blobs : p->y_dim);
    bool whole = op_of(p).RowSearch || (x == 0 && end == p->x_dim - 1);
    uint32_t from, to;
    const char *bad = row_start(p, base + y, &from);
    if (bad || (bad = row_start(p, base + (op_of(p).RowSearch ? x & 0xFF : y) + 1, &to)))
        return bad;
    if (whole ? to < from : end + 1 < x)
        return "its last datum lies before the first";
    *first = from;
    in->count = whole ? to - from : UINT32_MAX;
    in->drop = whole ? 0 : x;
    in->emit = whole ? UINT32_MAX : end + 1 - x;
    return NULL;
}

/* Sets the addresses of the data. Compressed data come in groups of 32, each followed by 32 deltas of four bits. */
static void place_data(struct unpack_input *in, uint64_t at, uint64_t first) {
    in->exponents += first;
    if (!in->compressed) {
        in->data = at * 8 + first * in->bits;
        return;
    }
    uint64_t group = at * 8 + first / 32 * (32 * (in->bits + 4u));
    in->data = group + first % 32 * in->bits;
    in->deltas = group + 32 * in->bits + first % 32 * 4;
}

static uint32_t row_stride(const uint32_t *section) {
    return (CONFIG_GET(section, THCON_SEC0_REG2_Shift_amount_cntx0) |
            CONFIG_GET(section, THCON_SEC0_REG2_Shift_amount_cntx1) << 4 |
            CONFIG_GET(section, THCON_SEC0_REG2_Shift_amount_cntx2) << 8)
           << 4;
}

static const char *plan_input(struct draft *p, bool tilize) {
    struct unpack_input *in = &p->job->in;
    uint64_t first = 0, at;
    in->compressed = !(p->multi ? context_bit(p, CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0, 0, 16)
                                : descriptor(p)[0] >> 4 & 1);
    at = place_sections(p);
    const char *bad = in->compressed ? find_compressed(p, &first) : find_uncompressed(p, &first);
    if (bad)
        return bad;
    place_data(in, at, first);
    in->limit = CONFIG_GET(p->section, THCON_SEC0_REG2_Unpack_limit_address) * UINT64_C(16);
    in->fifo = CONFIG_GET(p->section, THCON_SEC0_REG2_Unpack_fifo_size) * UINT64_C(16);
    unpack_wrap(in);
    in->exponent = (uint8_t)(p->unpacker ? CONFIG_GET(p->config, UNP1_FORCED_SHARED_EXP_shared_exp)
                                         : CONFIG_GET(p->config, UNP0_FORCED_SHARED_EXP_shared_exp));
    in->piece = in->bits <= 8 ? 16 : 32;
    in->stride = tilize ? row_stride(p->section) : (uint32_t)in->bits * in->piece / 8;
    return NULL;
}

/* ---- Output ----------------------------------------------------------------------------------------- */

/* In multi-context mode, the whole output address of unpacker 0 may come from its context. */
static void read_output(struct draft *p) {
    struct unpack_plan *plan = p->plan;
    const uint32_t *strides = p->config + CONFIG_WORD_UNP0_ADDR_CTRL_XY_REG_1_Xstride + 2 * p->unpacker;
    unsigned bytes = unpack_formats[p->out_format].bits / 8u;
    plan->to = p->unpacker ? CONFIG_GET(p->config, UNP1_ADDR_BASE_REG_1_Base)
                           : CONFIG_GET(p->config, UNP0_ADDR_BASE_REG_1_Base);
    plan->y_stride = strides[0] >> 16;
    plan->z_stride = strides[1] & 0xFFFF;
    plan->w_stride = strides[1] >> 16;
    plan->size = bytes == 4 ? 2 : bytes == 2;
    plan->adds = true;
    plan->to_context = 0;
    if (!p->multi || p->unpacker == 1)
        return;
    plan->adds = p->job->out.dst || CONFIG_GET(p->config, UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
    plan->to_context =
        p->section[CONFIG_WORD_THCON_SEC0_REG5_Dest_cntx0_address + p->context / 2 % 2] >> 16 * (p->context % 2) &
        0xFFFF;
}
_Static_assert(CONFIG_WORD_UNP1_ADDR_CTRL_ZW_REG_1_Zstride == CONFIG_WORD_UNP0_ADDR_CTRL_XY_REG_1_Xstride + 3, "");

static const char *plan_output(struct draft *p, bool tilize) {
    struct unpack_output *out = &p->job->out;
    read_output(p);
    uint32_t sum = unpack_output_sum(p->plan, p->zw->channel[1].value);
    if (unpack_is_odd(p->plan, sum))
        return "its output address is not a multiple of the size of a datum";
    out->address = unpack_output_address(p->plan, sum);
    out->zeros = (uint8_t)((1u << CONFIG_GET(p->section, THCON_SEC0_REG2_Upsample_rate)) - 1);
    out->skip = CONFIG_GET(p->section, THCON_SEC0_REG2_Upsample_and_interleave);
    if (!tilize && p->unpacker == 0)
        out->shift = p->section[CONFIG_WORD_THCON_SEC0_REG2_Shift_amount_cntx0] >> (16 + 4 * (p->context % 4)) & 15;
    /* Haloize_mode of unpacker 1 has no effect, as on current silicon. */
    out->transpose = p->unpacker == 0 && CONFIG_GET(p->section, THCON_SEC0_REG2_Haloize_mode);
    out->absolute = CONFIG_GET(p->own, SRCA_SET_SetOvrdWithAddr);
    out->zero = op_of(p).ZeroWrite2;
    out->spread = op_of(p).srcb_bcast;
    return NULL;
}

/* ---- Refused combinations ------------------------------------------------------------------------ */

static const char *check_contexts(const struct draft *p) {
    if (p->multi && p->unpacker == 1 && p->context >= 2)
        return "unpacker 1 has contexts 0 and 1 only";
    if (p->multi && op_of(p).AddrCntContextId == 3)
        return "there are no address counters of a thread 3";
    return NULL;
}

static const char *check_spread(const struct draft *p) {
    const struct unpack_job *job = p->job;
    if (p->unpacker == 0)
        return "srcb_bcast is for unpacker 1";
    if (job->in.count > UNPACK_ROW || job->out.address % UNPACK_ROW || job->out.zeros)
        return "no document says what srcb_bcast does with more than one row";
    return NULL;
}

static const char *check_modes(const struct draft *p, bool tilize) {
    const struct unpack_job *job = p->job;
    if ((job->out.transpose || tilize) && job->in.data % 128)
        return "its data in L1 are not aligned to 16 bytes, as tilize and haloize modes need it";
    if (tilize && (job->out.zeros || job->in.compressed))
        return "tilize mode goes neither with upsampling nor with compressed tiles";
    if (tilize && job->in.bits < 8)
        return "tilize mode is undefined for data of less than a byte";
    if (job->out.dst && (job->out.shift || job->out.transpose))
        return "unpacking to Dst goes neither with Shift_amount nor with haloize mode";
    if (job->out.dst && job->out.absolute)
        return "unpacking to Dst is undefined with SRCA_SET_SetOvrdWithAddr";
    return job->out.spread ? check_spread(p) : NULL;
}

/* Completes the plan. */
static void leave_plan(struct draft *p, unsigned thread) {
    struct unpack_plan *plan = p->plan;
    const struct unpack_output *out = &p->job->out;
    plan->of = (struct plan){ p->x->config.version, unpack_key(thread, p->context, p->job->word) };
    plan->xy = (uint8_t)(p->multi ? op_of(p).AddrCntContextId : thread);
    plan->base = (uint8_t)(CONFIG_WORD_THCON_SEC0_REG3_Base_address + (p->multi ? p->context : 0));
    plan->header = tile_offset(p) + header_size(p);
    plan->x_dim = p->x_dim;
    plan->y_dim = p->y_dim;
    plan->z_dim = p->z_dim;
    plan->job = *p->job;
    plan->job.whole_rows = !(out->dst | out->zeros | out->shift | out->transpose);
    p->job->whole_rows = plan->job.whole_rows && !out->zero;
}

const char *unpack_prepare(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                           struct unpack_job *job) {
    memset(job, 0, sizeof *job);
    job->word = word;
    job->kind = UNPACK_MOVE;
    job->thread = (uint8_t)thread;
    job->waits_for = UNPACK_OWN_BANK;
    struct draft p = {
        .x = x,
        .config = x->config.bank[tensix_bank(x, thread)],
        .own = x->config.thread[thread],
        .job = job,
        .plan = unpack_plan_of(&x->plans.unpack, unpacker, context),
        .unpacker = unpacker,
        .context = context,
    };
    p.plan->of.version = 0;
    p.section = p.config + UNPACK_SECTION * unpacker;
    p.multi = op_of(&p).OvrdThreadId;
    const char *bad = check_contexts(&p);
    if (bad)
        return bad;
    p.xy = &x->adc[p.multi ? op_of(&p).AddrCntContextId : thread][unpacker];
    p.zw = &x->adc[thread][unpacker];
    bool tilize = CONFIG_GET(p.section, THCON_SEC0_REG2_Tileize_mode);
    job->out.dst = reads_to_dst(&p);
    read_dimensions(&p);
    read_formats(&p);
    if ((bad = choose_path(&p)) || (bad = plan_input(&p, tilize)) || (bad = plan_output(&p, tilize)) ||
        (bad = check_modes(&p, tilize)))
        return bad;
    unpack_speed(p.section, job, tilize);
    job->flip = op_of(&p).SetDatValid;
    job->advance = CONFIG_GET(p.section, THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd);
    job->row = unpack_base_row(p.own, unpacker);
    if (!(job->in.compressed || job->out.spread || tilize || op_of(&p).RowSearch))
        leave_plan(&p, thread);
    return NULL;
}
