/* The usual PACR: whole rows of Dst without edges, in the middle of a tile, under a setting that is known, in a place
 * of the queue that had one like it before. */
#ifndef TENSIX_PACK_USUAL_H
#define TENSIX_PACK_USUAL_H

#include "tensix/tensix.h"

enum { PACK_INTERFACES = 15 };

static inline unsigned pack_usual_interfaces(uint32_t word) {
    unsigned mask = word >> 8 & 15;
    return mask ? mask : PACK_INTERFACES;
}

/* May it be a usual one, so that all but its rows, Last and Concat are as in the one before it? */
static inline bool pack_is_like_last(const struct tensix *x, unsigned thread, uint32_t word,
                                     const struct pack_job *job) {
    /* AddrMode, ReadIntfSel, Concat and Last; of these the second decides how many rows there are. */
    enum { OTHERS = 0xFFFFFF & ~(3 << 15 | 15 << 8 | 1 << 4 | 1), ROWS = 15 << 8 };
    const struct pack_setting *setting = &x->pack.setting;
    return setting->version == x->config.version && setting->thread == thread && setting->usual &&
           job->setting == setting->number && job->thread == thread && !(word & OTHERS) && !((job->word ^ word) & ROWS);
}

/* In bytes, of the first datum. X is 0. */
static inline uint32_t pack_usual_sum(const uint32_t *config, const uint32_t *counter) {
    return CONFIG_GET(config, PCK0_ADDR_BASE_REG_0_Base) +
           counter[ADC_Y] * CONFIG_GET(config, PCK0_ADDR_CTRL_XY_REG_0_Ystride) +
           counter[ADC_Z] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Zstride) +
           counter[ADC_W] * CONFIG_GET(config, PCK0_ADDR_CTRL_ZW_REG_0_Wstride);
}

/* Fills in its job. False: there is more to it. */
static inline bool pack_plan_usual(const struct tensix *x, unsigned thread, uint32_t word, const struct adc *adc,
                                   struct pack_job *job) {
    const struct pack_setting *setting = &x->pack.setting;
    const bool *placed = x->pack.placed;
    if (!pack_is_like_last(x, thread, word, job) || !placed[PACK_TO] ||
        (setting->exponents && !placed[PACK_EXPONENTS]) || adc->channel[0].value[ADC_X] ||
        adc->channel[1].value[ADC_X] != PACK_ROW - 1 || (x->held & REG_HOLD_ZEROACC))
        return false;
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    uint32_t sum = pack_usual_sum(config, adc->channel[0].value);
    unsigned mask = pack_usual_interfaces(word);
    unsigned row = (sum >> setting->size >> 4) + CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_Offset);
    if (sum & ((16u << setting->size) - 1) || mask & (mask + 1) || mask << row % PACK_ROWS > PACK_INTERFACES)
        return false;
    for (unsigned i = 0; i < PACK_ROWS; i++)
        job->in.row[i] = (uint16_t)(row % DST_ROWS + i);
    job->word = word;
    job->out.last = word & 1;
    job->out.concat = word >> 4 & 1;
    return true;
}

#endif
