/* What the configuration says to all instructions alike: worked out again only if one of the words that it comes from
 * is another one, as programs configure the packer once for many instructions. Addresses, strides and offsets are not
 * among these words. Sources: the pages that format.c and edge.c name. */
#include "tensix/pack/setting.h"

/* All that format.c, edge.c and this file look at are there. */
#define LOOKED_AT(name, word) _Static_assert(CONFIG_WORD_##name == (word) || CONFIG_WORD_##name == (word) + 1, #name)
LOOKED_AT(ALU_FORMAT_SPEC_REG_Dstacc_val, 0);
LOOKED_AT(ALU_ROUNDING_MODE_Packer_srnd_en, 0);
LOOKED_AT(ALU_FORMAT_SPEC_REG2_Dstacc, 0);
LOOKED_AT(STACC_RELU_ApplyRelu, 2);
LOOKED_AT(INT_DESCALE_Enable, 8);
LOOKED_AT(PCK_DEST_RD_CTRL_Read_32b_data, 18);
LOOKED_AT(PCK_EDGE_TILE_FACE_SET_SELECT_enable, 18);
LOOKED_AT(TILE_ROW_SET_MAPPING_0_row_set_mapping_0, 20);
LOOKED_AT(TILE_ROW_SET_MAPPING_3_row_set_mapping_0, 22);
LOOKED_AT(PCK_EDGE_OFFSET_SEC0_mask, 24);
LOOKED_AT(PCK_EDGE_OFFSET_SEC3_mask, 26);
LOOKED_AT(PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 28);
LOOKED_AT(THCON_SEC0_REG1_Out_data_format, 70);
LOOKED_AT(THCON_SEC0_REG1_Pack_L1_Acc, 70);

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

static void read_output(const uint32_t *config, struct pack_output *out) {
    *out = (struct pack_output){
        .fifo = CONFIG_GET(config, THCON_SEC0_REG1_Enable_out_fifo),
        .header = CONFIG_GET(config, THCON_SEC0_REG1_Add_tile_header_size),
        .flags = !CONFIG_GET(config, THCON_SEC0_REG1_Disable_pack_zero_flags),
    };
}

static bool is_usual(const struct pack_setting *setting, const uint32_t *config, unsigned source) {
    unsigned taken = CONFIG_GET(config, THCON_SEC0_REG1_Downsample_mask);
    return source == PACK_FROM_DST && !setting->edges && !setting->way.open.compress &&
           (taken == 0 || taken == UINT16_MAX) && !CONFIG_GET(config, THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel);
}

static void keep(struct pack_setting *setting, const uint32_t *config, unsigned source) {
    uint64_t *key = setting->key;
#define KEY(word) *key++ = pack_pair(config, word);
    PACK_EACH_PAIR(KEY)
    setting->source = (uint8_t)source;
    setting->known = !CONFIG_GET(config, INT_DESCALE_Enable);
}

struct pack_refusal pack_work_out(struct pack_setting *setting, const struct pack_kernels *kernels,
                                  const uint32_t *config, unsigned source) {
    setting->known = false;
    setting->number++;
    struct pack_refusal refusal = check_modes(config);
    if (refusal.text)
        return refusal;
    unsigned from = CONFIG_GET(config, THCON_SEC0_REG1_In_data_format) & 3;
    read_output(config, &setting->out);
    setting->edges = source == PACK_FROM_DST && pack_has_edges(config);
    setting->wide = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data);
    setting->exponents = CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format) >> 1 & 1; /* less than 16 bits */
    setting->size = (uint8_t)(from < 2 ? 2 - from : 0);
    refusal = pack_choose_way(kernels, config, source, setting->edges, &setting->way);
    setting->usual = is_usual(setting, config, source);
    if (!refusal.text)
        keep(setting, config, source);
    return refusal;
}
