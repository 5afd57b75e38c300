/* Fills in the job of a PACR: rows, addresses, counts and modes, from the configuration and the counters in the cycle
 * in which it passes.
 *
 *     Dst     first datum = (base + X xstride + Y ystride + Z zstride + W wstride) / bytes + 16 offset, with X's lowest
 *             bits instead of the sum's; its row is that of interface 0, followed by the other interfaces' rows
 *     L1      L1_Dest_addr + header + (base + Y ystride + Z zstride + W wstride) / 16 + TDMA-RISC's offset, in units of
 *             16 bytes; the sections of a tile, as far as it has them: row starts | exponents | data
 *
 * The first instruction of a tile, which is the one after Last or Flush, computes the addresses in L1; the others
 * continue where it stopped. Sources: PACR.md (BH), Packers/InputAddressGenerator.md, OutputAddressGenerator.md,
 * Downsampling.md (WH, with their Blackhole branches), assembly.yaml of tt-llk. */
#include <string.h>

#include "isa/memmap.h"
#include "tensix/tensix.h"

enum { ALL_INTERFACES = 15, STRIDE = 16 /* rows from one interface to the next in strided mode */ };
enum { L1_SOURCE_MASK = 0x1FFFFF, L1_SOURCE_LOW = 0x3FFFF, L1_UNITS_MASK = 0x1FFFF };

/* An instruction while its job is filled in. */
struct draft {
    const struct tensix *x;
    const uint32_t *config;
    const struct adc_channel *in, *out;
    struct pack_job *job;
    const struct pack_plan *plan;
};

static inline struct tensix_PACR op_of(const struct draft *p) {
    return tensix_decode_PACR(p->job->word);
}

/* ---- Input ---------------------------------------------------------------------------------------------------- */

static inline uint32_t input_sum(const struct draft *p) {
    const uint32_t *counter = p->in->value, *config = p->config;
    return CONFIG_GET(config, PCK0_ADDR_BASE_REG_0_Base) +
           counter[ADC_X] * (CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Xstride) & 15) +
           counter[ADC_Y] * CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Ystride) +
           counter[ADC_Z] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Zstride) +
           counter[ADC_W] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
}

/* Returns the columns of a row to pack, if the X range has `count` columns starting with `column`. */
static uint16_t columns(const struct draft *p, unsigned column, unsigned count) {
    uint32_t mask = CONFIG_GET(p->config, THCON_SEC0_REG1_Downsample_mask);
    mask = mask ? mask : 0xFFFF;
    return (uint16_t)((mask & ((1u << count) - 1)) << column);
}

/* Returns the mask of interfaces that read. With Auto_set_last_pacr_intf_sel, the last instruction of a plane reads
 * only the rows that are left. */
static unsigned left_of_plane(const struct draft *p, unsigned mask) {
    unsigned rows = CONFIG_GET(p->config, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane), at = p->x->pack.position;
    if (at >= rows)
        return mask;
    return rows - at < (unsigned)__builtin_popcount(mask) ? (1u << (rows - at)) - 1 : mask;
}

static unsigned interfaces(const struct draft *p) {
    unsigned mask = op_of(p).ReadIntfSel ? op_of(p).ReadIntfSel : ALL_INTERFACES;
    return BH_UNLIKELY(CONFIG_GET(p->config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel)) ? left_of_plane(p, mask)
                                                                                           : mask;
}

static struct pack_refusal check_strided(const struct draft *p) {
    if (!CONFIG_GET(p->config, DEST_ACCESS_CFG_remap_addrs))
        return pack_undefined("DstAccessMode: no document says which rows are read without remap_addrs");
    if (p->job->in.wide && !CONFIG_GET(p->config, DEST_ACCESS_CFG_swizzle_32b))
        return pack_undefined("DstAccessMode: no document says which rows of 32 bits are read without swizzle_32b");
    return pack_fine();
}

/* Sets the rows that the interfaces read. They are in the same aligned four unless strided. */
static struct pack_refusal choose_rows(struct draft *p, unsigned start) {
    struct pack_input *in = &p->job->in;
    bool strided = op_of(p).DstAccessMode;
    unsigned mask = interfaces(p), step = strided ? STRIDE : 1;
    struct pack_refusal refusal = strided ? check_strided(p) : pack_fine();
    if (!strided && mask << start % PACK_ROWS > ALL_INTERFACES)
        return pack_undefined(
            "ReadIntfSel: an interface would leave the four aligned rows of Dst that the first is in");
    unsigned rows = 0;
    for (; mask; mask >>= 1, start += step) {
        in->row[rows] = (uint16_t)(start % DST_ROWS);
        rows += mask & 1;
    }
    in->rows = (uint16_t)rows;
    return refusal;
}

static struct pack_refusal from_dst(struct draft *p, uint32_t sum, uint32_t count) {
    struct pack_input *in = &p->job->in;
    unsigned size = p->plan->size, low = (16u >> size) - 1;
    if (sum & ((1u << size) - 1))
        return pack_undefined("PCK0_ADDR strides: the address in Dst is not a multiple of the size of a datum");
    if (p->x->held & REG_HOLD_ZEROACC)
        return pack_undefined("the packer's side of Dst is held in soft reset");
    uint32_t first = ((sum >> size) & ~low) + (p->in->value[ADC_X] & low) +
                     (CONFIG_GET(p->config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset) << 4);
    if (first % PACK_ROW + count > PACK_ROW)
        return pack_undefined("the X counters span more than the 16 columns of a row of Dst");
    in->take = columns(p, first % PACK_ROW, count);
    struct pack_refusal refusal = choose_rows(p, first / PACK_ROW % DST_ROWS);
    if (!refusal.text && p->plan->edges)
        pack_edges(&p->x->pack, p->config, in);
    return refusal;
}

/* Returns the number of rows of 16 that this many data need. */
static uint16_t rows_of(uint32_t count) {
    return (uint16_t)((count + PACK_ROW - 1) / PACK_ROW);
}

/* Works as packer 0 of Wormhole: ReadIntfSel has no effect. */
static struct pack_refusal from_l1(struct draft *p, uint32_t sum, uint32_t count) {
    struct pack_input *in = &p->job->in;
    unsigned bytes = 1u << p->plan->size, low = 16 / bytes - 1;
    uint32_t at = (CONFIG_GET(p->config, THCON_SEC0_REG1_L1_source_addr) << 18) + (sum & L1_SOURCE_LOW);
    in->bytes = (uint8_t)bytes;
    in->address = ((at & ~15u) + bytes * (p->in->value[ADC_X] & low)) & L1_SOURCE_MASK;
    in->count = count;
    in->rows = rows_of(count);
    in->take = columns(p, 0, PACK_ROW);
    if (in->address + (uint64_t)bytes * count > memmap[MEMMAP_ROW_L1].size)
        return pack_undefined("L1_source_addr: data beyond the end of L1");
    return pack_fine();
}

/* Without interfaces (ReadIntfSel is 0) the X range may be longer than a row. */
static struct pack_refusal from_nothing(struct draft *p, uint32_t count) {
    struct pack_input *in = &p->job->in;
    bool rows = op_of(p).ReadIntfSel;
    if (rows && count > PACK_ROW)
        return pack_undefined("the X counters span more than the 16 columns of a row");
    if (!rows && (p->in->value[ADC_X] || count % PACK_ROW))
        return pack_undefined("ZeroWrite without interfaces: X must go from 0 to the end of a row of 16");
    in->rows = rows ? (uint16_t)__builtin_popcount(op_of(p).ReadIntfSel) : rows_of(count);
    in->take = columns(p, 0, rows ? count : PACK_ROW);
    return pack_fine();
}

static struct pack_refusal plan_input(struct draft *p) {
    uint32_t first = p->in->value[ADC_X], last = p->out->value[ADC_X];
    if (op_of(p).Flush)
        return pack_fine();
    if (last < first)
        return pack_undefined("its last datum lies before the first: X of channel 1 is less than X of channel 0");
    switch (p->job->in.source) {
    case PACK_FROM_DST: return from_dst(p, input_sum(p), last - first + 1);
    case PACK_FROM_L1: return from_l1(p, input_sum(p), last - first + 1);
    default: return from_nothing(p, last - first + 1);
    }
}

/* ---- Output --------------------------------------------------------------------------------------------------- */

/* Returns the address of the tile in units of 16 bytes. */
static uint32_t tile_address(const struct draft *p) {
    const uint32_t *counter = p->out->value, *config = p->config;
    uint32_t offset = CONFIG_GET(config, PCK0_ADDR_BASE_REG_1_Base) +
                      counter[ADC_Y] * CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_1_Ystride) +
                      counter[ADC_Z] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_1_Zstride) +
                      counter[ADC_W] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_1_Wstride);
    uint32_t at = CONFIG_GET(config, THCON_SEC0_REG1_L1_Dest_addr) + (offset >> 4) +
                  !CONFIG_GET(config, THCON_SEC0_REG1_Sub_l1_tile_header_size);
    if (CONFIG_GET(config, THCON_SEC0_REG1_Add_l1_dest_addr_offset))
        at += p->x->packer.l1_dest_addr_offset;
    if (at > CONFIG_GET(config, THCON_SEC0_REG9_Pack_0_2_limit_address) * 2 + 1)
        at -= CONFIG_GET(config, THCON_SEC0_REG9_Pack_0_2_fifo_size) * 2;
    return at;
}

/* Sets the address of a section, and whether the section begins with this instruction. */
static struct pack_refusal place_section(const struct draft *p, enum pack_section section, uint32_t at) {
    struct pack_output *out = &p->job->out;
    out->address[section] = (at & L1_UNITS_MASK) * PACK_UNIT;
    out->new[section] = !p->x->pack.placed[section];
    if (out->new[section] && out->address[section] >= memmap[MEMMAP_ROW_L1].size)
        return pack_undefined("L1_Dest_addr and the output counters: the tile lies beyond the end of L1");
    return pack_fine();
}

__attribute__((noinline)) static struct pack_refusal place_sections(const struct draft *p) {
    uint32_t at = tile_address(p);
    struct pack_refusal refusal = pack_fine();
    if (p->job->path.open.compress) {
        refusal = place_section(p, PACK_STARTS, at);
        at += CONFIG_GET(p->config, THCON_SEC0_REG1_Row_start_section_size);
    }
    if (!refusal.text && p->plan->exponents) {
        refusal = place_section(p, PACK_EXPONENTS, at);
        at += CONFIG_GET(p->config, THCON_SEC0_REG1_Exp_section_size);
    }
    return refusal.text ? refusal : place_section(p, PACK_TO, at);
}

static bool has_begun(const struct draft *p) {
    const struct pack *pack = &p->x->pack;
    return pack_is_placed(pack, p->plan) && (!p->job->path.open.compress || pack->placed[PACK_STARTS]);
}

/* Returns the padding that RowPadZero asks for. Bits 1:0: 1 always, 2 unless Concat, 3 only with Last. Bit 2: at the
 * end instead of after each row. */
static inline uint8_t padding(struct tensix_PACR op) {
    unsigned when = op.RowPadZero & 3;
    if (!when || (when == 2 && op.Concat) || (when == 3 && !op.Last))
        return PACK_NO_PAD;
    return op.RowPadZero & 4 ? PACK_PAD_END : PACK_PAD_ROWS;
}

static struct pack_refusal plan_output(struct draft *p) {
    struct pack_output *out = &p->job->out;
    out->last = op_of(p).Last;
    out->flush = op_of(p).Flush;
    out->concat = op_of(p).Concat;
    out->pad = padding(op_of(p));
    return has_begun(p) ? pack_fine() : place_sections(p);
}

/* ---- Both ------------------------------------------------------------------------------------------------------- */

struct pack_refusal pack_run(struct tensix *x, uint32_t word, const struct adc *adc, struct pack_job *job) {
    const struct pack_plan *plan = &x->plans.pack;
    struct draft p = {
        .x = x,
        .config = x->config.bank[tensix_bank(x, plan->job.thread)],
        .in = &adc->channel[0],
        .out = &adc->channel[1],
        .job = job,
        .plan = plan,
    };
    if (plan->rows && pack_run_rows(plan, word, adc, job)) {
        job->first = !pack_is_placed(&x->pack, plan);
        return job->first ? place_sections(&p) : pack_fine();
    }
    *job = plan->job;
    job->word = word;
    job->whole = false;
    struct pack_refusal refusal = plan_input(&p);
    if (!refusal.text)
        refusal = plan_output(&p);
    if (!refusal.text)
        job->cycles = pack_cycles(job);
    return refusal;
}
