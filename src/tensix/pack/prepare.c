/* Makes plans of PACRs (plan.h), and refuses everything that no document describes. Sources: PACR.md (BH),
 * Packers/README.md (WH), the pages that address.c, format.c and edge.c list. */
#include <string.h>

#include "tensix/tensix.h"

/* AddrMode, Concat, Last and ReadIntfSel: if all other fields are 0, an instruction may pack whole rows. */
enum { PLAIN_BITS = PACK_OWN_BITS | 15 << 8 };

static struct pack_refusal check_modes(const uint32_t *config) {
    if (CONFIG_GET(config, THCON_SEC0_REG1_Downsample_rate))
        return pack_unmodelled("Downsample_rate: no document says what it does");
    if (CONFIG_GET(config, THCON_SEC0_REG1_pack_start_intf_pos))
        return pack_unmodelled("pack_start_intf_pos: no document says what it does");
    if (CONFIG_GET(config, THCON_SEC0_REG1_pack_dis_y_pos_start_offset))
        return pack_unmodelled("pack_dis_y_pos_start_offset: no document says what it does");
    if (CONFIG_GET(config, THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd))
        return pack_unmodelled("All_pack_disable_zero_compress_ovrd: Blackhole has no bits that it would choose");
    if (CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_per_xy_plane))
        return pack_unmodelled("pack_per_xy_plane: no document says when the packer ends tiles by itself");
    return pack_fine();
}

static unsigned source_of(const uint32_t *config, struct tensix_PACR op) {
    if (op.Flush || op.ZeroWrite)
        return PACK_FROM_NOTHING;
    return CONFIG_GET(config, THCON_SEC0_REG1_Source_interface_selection) ? PACK_FROM_L1 : PACK_FROM_DST;
}

/* Returns the number of interfaces if they are 0 to n without a gap, else 0. */
static unsigned neighbours(uint32_t word) {
    unsigned mask = tensix_decode_PACR(word).ReadIntfSel ? tensix_decode_PACR(word).ReadIntfSel : 15u;
    return mask & (mask + 1) ? 0 : (unsigned)__builtin_popcount(mask);
}

/* Returns whether the instruction packs whole rows of Dst without compression. */
static bool has_rows(const struct tensix *x, const struct pack_plan *plan, const uint32_t *config, uint32_t word) {
    unsigned taken = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_mask);
    return plan->job.in.source == PACK_FROM_DST && !(x->held & REG_HOLD_ZEROACC) && !plan->edges &&
           !plan->job.path.open.compress && (taken == 0 || taken == UINT16_MAX) &&
           !CONFIG_GET(config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel) &&
           !(word & 0xFFFFFF & ~(uint32_t)PLAIN_BITS) && neighbours(word);
}

/* Sets the first row and the strides in rows. Returns false if the strides are not multiples of a row. */
static bool find_rows(struct pack_plan *plan, const uint32_t *config) {
    unsigned shift = plan->size + 4u;
    uint32_t base = CONFIG_GET(config, PCK0_ADDR_BASE_REG_0_Base);
    uint32_t y = CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Ystride);
    uint32_t z = CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
    uint32_t w = CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    plan->row = (base >> shift) + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    plan->y_rows = y >> shift;
    plan->z_rows = z >> shift;
    plan->w_rows = w >> shift;
    return !((base | y | z | w) & ((1u << shift) - 1));
}

static void set_job(struct pack_job *job, const uint32_t *config, unsigned thread, unsigned source) {
    memset(job, 0, sizeof *job);
    job->task = PACK_MOVE;
    job->thread = (uint8_t)thread;
    job->in.source = (uint8_t)source;
    job->in.wide = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data);
    job->out.fifo = CONFIG_GET(config, THCON_SEC0_REG1_Enable_out_fifo);
    job->out.header = CONFIG_GET(config, THCON_SEC0_REG1_Add_tile_header_size);
    job->out.flags = !CONFIG_GET(config, THCON_SEC0_REG1_Disable_pack_zero_flags);
}

struct pack_refusal pack_prepare(struct tensix *x, unsigned thread, uint32_t word) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    struct pack_plan *plan = &x->plans.pack;
    unsigned source = source_of(config, tensix_decode_PACR(word));
    unsigned from = CONFIG_GET(config, THCON_SEC0_REG1_In_data_format) & 3;
    struct pack_refusal refusal = check_modes(config);
    plan->of.version = 0;
    if (refusal.text)
        return refusal;
    plan->plane = (uint8_t)CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    plan->size = (uint8_t)(from < 2 ? 2 - from : 0);
    plan->edges = source == PACK_FROM_DST && pack_has_edges(config);
    plan->exponents = CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format) >> 1 & 1; /* formats of less than 16 bits */
    set_job(&plan->job, config, thread, source);
    refusal = pack_choose_path(&x->vector.lanes->pack, config, source, plan->edges, &plan->job.path);
    if (refusal.text)
        return refusal;
    plan->rows = has_rows(x, plan, config, word) && find_rows(plan, config);
    if (plan->rows) {
        plan->job.whole = true;
        plan->job.in.take = UINT16_MAX;
        plan->job.in.rows = (uint16_t)neighbours(word);
        plan->job.cycles = pack_cycles(&plan->job);
    }
    plan->of = (struct plan){ x->config.version, pack_key(thread, word) };
    return refusal;
}
