/* The usual PACR: whole rows of Dst without edges, under a setting that is known, in a place of the queue that had one
 * like it before. */
#ifndef TENSIX_PACK_USUAL_H
#define TENSIX_PACK_USUAL_H

#include "tensix/tensix.h"

enum { PACK_INTERFACES = 15 };
/* AddrMode, ReadIntfSel, Concat and Last are all that it may say; of these the second decides how many rows there are,
 * and the others differ from one to the next. */
enum {
    PACK_ROWS_OF = 15 << 8,
    PACK_OWN_BITS = 3 << 15 | 1 << 4 | 1,
    PACK_UNUSUAL = 0xFFFFFF & ~(PACK_ROWS_OF | PACK_OWN_BITS)
};

static inline unsigned pack_usual_interfaces(uint32_t word) {
    unsigned mask = word >> 8 & 15;
    return mask ? mask : PACK_INTERFACES;
}

/* May a usual one have this word? Its rows follow each other. */
static inline bool pack_is_usual(uint32_t word) {
    unsigned mask = pack_usual_interfaces(word);
    return !(word & PACK_UNUSUAL) && !(mask & (mask + 1));
}

/* What a place in the queue has that had a usual one of this thread under this setting. */
static inline uint64_t pack_usual_number(const struct pack_setting *setting, unsigned thread) {
    return setting->number << 2 | thread;
}

/* May it be a usual one, so that all but its rows, Last and Concat are as in the one before it? */
static inline bool pack_is_like_last(const struct tensix *x, unsigned thread, uint32_t word,
                                     const struct pack_job *job) {
    const struct pack_setting *setting = &x->pack.setting;
    return setting->version == x->config.version && setting->thread == thread && setting->rows_known &&
           job->setting == pack_usual_number(setting, thread) && !((job->word ^ word) & (PACK_UNUSUAL | PACK_ROWS_OF));
}

/* The first row of Dst. X is 0. */
static inline unsigned pack_usual_row(const struct pack_setting *setting, const uint32_t *counter) {
    return setting->row + counter[ADC_Y] * setting->y_rows + counter[ADC_Z] * setting->z_rows +
           counter[ADC_W] * setting->w_rows;
}

/* Fills in its job. False: there is more to it. */
static inline bool pack_plan_rows(const struct tensix *x, unsigned thread, uint32_t word, const struct adc *adc,
                                  struct pack_job *job) {
    if (!pack_is_like_last(x, thread, word, job) || adc->channel[0].value[ADC_X] ||
        adc->channel[1].value[ADC_X] != PACK_ROW - 1 || (x->held & REG_HOLD_ZEROACC))
        return false;
    unsigned row = pack_usual_row(&x->pack.setting, adc->channel[0].value);
    if (row % PACK_ROWS + job->in.rows > PACK_ROWS)
        return false;
    for (unsigned i = 0; i < PACK_ROWS; i++)
        job->in.row[i] = (uint16_t)(row % DST_ROWS + i);
    job->word = word;
    job->out.last = word & 1;
    job->out.concat = word >> 4 & 1;
    return true;
}

/* Is a tile of which nothing is compressed under way? */
static inline bool pack_is_placed(const struct pack *pack) {
    return pack->placed[PACK_TO] && (!pack->setting.exponents || pack->placed[PACK_EXPONENTS]);
}

#endif
