/* Address counters (ADCs). Each thread has one set for each of unpacker 0, unpacker 1 and the packers. A set has a
 * channel for the input address and one for the output address; a channel has four counters (X, Y, Z, W) and their CR
 * values, from which counters restart. Source: ADCs.md (WH, which says what differs on BH). */
#ifndef TENSIX_REGS_ADC_H
#define TENSIX_REGS_ADC_H

#include <stdint.h>

enum adc_user { ADC_UNPACKER0, ADC_UNPACKER1, ADC_PACKERS, ADC_COUNT };
enum adc_axis { ADC_X, ADC_Y, ADC_Z, ADC_W, ADC_AXES };

struct adc {
    struct adc_channel {
        uint32_t value[ADC_AXES], cr[ADC_AXES];
    } channel[2];
};

/* Cuts a value to the width of its counter: X has 18 bits, the others 13. */
static inline uint32_t adc_cut(enum adc_axis axis, uint32_t value) {
    return value & (axis == ADC_X ? 0x3FFFF : 0x1FFF);
}

/* The operations of the Miscellaneous Unit's instructions on one counter. */
static inline void adc_set(struct adc_channel *channel, enum adc_axis axis, uint32_t value) {
    channel->value[axis] = channel->cr[axis] = adc_cut(axis, value);
}

static inline void adc_increment(struct adc_channel *channel, enum adc_axis axis, uint32_t by) {
    channel->value[axis] = adc_cut(axis, channel->value[axis] + by);
}

static inline void adc_increment_cr(struct adc_channel *channel, enum adc_axis axis, uint32_t by) {
    adc_set(channel, axis, channel->cr[axis] + by);
}

/* Sets a counter by its number in REG2FLOP: bit 5 is the channel, 4:3 the set (3: none), bit 2 selects the CR value,
 * 1:0 is the axis. users: the ADC_COUNT sets of one thread. */
static inline void adc_set_flop(struct adc *users, unsigned number, uint32_t value) {
    unsigned user = number >> 3 & 3;
    enum adc_axis axis = (enum adc_axis)(number & 3);
    if (user == ADC_COUNT)
        return;
    struct adc_channel *channel = &users[user].channel[number >> 5 & 1];
    (number >> 2 & 1 ? channel->cr : channel->value)[axis] = adc_cut(axis, value);
}

#endif
