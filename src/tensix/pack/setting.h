/* Whether the packer's setting (pack.h) is that of the configuration: by its version, or the words that it follows
 * from. */
#ifndef TENSIX_PACK_SETTING_H
#define TENSIX_PACK_SETTING_H

#include <string.h>

#include "tensix/tensix.h"

/* Words of a bank, two at a time. Not among them: those that matter only with INT_DESCALE, with which nothing is kept,
 * and face sets, with which there are always edges. */
#define PACK_EACH_PAIR(of) of(0) of(2) of(8) of(18) of(20) of(22) of(24) of(26) of(28) of(70)

static inline uint64_t pack_pair(const uint32_t *config, unsigned word) {
    uint64_t value;
    memcpy(&value, config + word, sizeof value);
    return value;
}

static inline bool pack_is_known(const struct pack_setting *setting, const uint32_t *config, unsigned source) {
    const uint64_t *key = setting->key;
    uint64_t different = setting->source ^ source;
#define PACK_DIFFERENT(word) different |= *key++ ^ pack_pair(config, word);
    PACK_EACH_PAIR(PACK_DIFFERENT)
    return !different && setting->known;
}

/* Sizes of planes, and where usual instructions have their rows. */
static inline void pack_find_rows(struct pack_setting *setting, const uint32_t *config) {
    unsigned shift = setting->size + 4u;
    uint32_t base = CONFIG_GET(config, PCK0_ADDR_BASE_REG_0_Base);
    uint32_t y = CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Ystride);
    uint32_t z = CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Zstride);
    uint32_t w = CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
    setting->rows_known = setting->usual && !((base | y | z | w) & ((1u << shift) - 1));
    setting->plane = (uint8_t)CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_reads_per_xy_plane);
    setting->row = (base >> shift) + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    setting->y_rows = y >> shift;
    setting->z_rows = z >> shift;
    setting->w_rows = w >> shift;
}

/* Sets `setting` to that of the configuration. */
static inline struct pack_refusal pack_look_up(struct tensix *x, unsigned thread, const uint32_t *config,
                                               unsigned source) {
    struct pack_setting *setting = &x->pack.setting;
    struct pack_refusal refusal = pack_fine();
    if (BH_LIKELY(setting->version == x->config.version && setting->thread == thread && setting->source == source))
        return refusal;
    if (BH_UNLIKELY(!pack_is_known(setting, config, source)))
        refusal = pack_work_out(setting, &x->vector.lanes->pack, config, source);
    setting->version = setting->known ? x->config.version : 0;
    setting->thread = (uint8_t)thread;
    pack_find_rows(setting, config);
    return refusal;
}

#endif
