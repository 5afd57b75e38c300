/* Instructions on address counters.
 *
 *     SETADC            value 15:0, thread 17:16, axis 19:18, channel 20, sets 23:21
 *     SETADCXX          X of channel 0 in 9:0, X of channel 1 in 19:10, sets 23:21
 *     SET, INC, ADDRCR  mask of counters 3:0 (not INC), four values of three bits each from bit 6 on, thread 19:18,
 *                       sets 23:21
 *     XY, ZW            the four counters: X or Z of channel 0, Y or W of it, then the same of channel 1
 *
 * Thread 0 is the issuing thread, 1 to 3 are T0 to T2. SETADC.md has bits 17:16 as the thread and also stores them in
 * X, which has 18 bits; tt-llk (llk_unpack_AB_face_compressed_mm.h) sets X of other threads' counters and needs it
 * without these bits. An empty mask of sets or counters changes nothing. Another thread's unpacker or packer may read
 * the counters in the very cycle in which an instruction passes; it sees the old values.
 *
 * Sources: SETADC.md, SETADCXX.md, SETADCXY.md, SETADCZW.md, INCADCXY.md, INCADCZW.md, ADDRCRXY.md, ADDRCRZW.md
 * (WH). */
#include "tensix/misc/misc.h"

#include "tensix/clock.h"

typedef void adc_verb(struct adc_channel *channel, enum adc_axis axis, uint32_t value);

static struct adc *adc_of(struct tensix *x, unsigned thread, uint32_t override) {
    return x->adc[override ? override - 1 : thread];
}

/* ---- One or two counters ------------------------------------------------------------------------------ */

static void set_one(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_SETADC op = tensix_decode_SETADC(word);
    struct adc *adc = adc_of(x, thread, op.Value >> 16);
    for (unsigned i = 0; i < ADC_COUNT; i++)
        if (op.CntSetMask >> i & 1)
            adc_set(&adc[i].channel[op.ChannelIndex], (enum adc_axis)op.DimensionIndex, op.Value & 0xFFFF);
}

static void set_x(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_SETADCXX op = tensix_decode_SETADCXX(word);
    for (unsigned i = 0; i < ADC_COUNT; i++) {
        if (op.CntSetMask >> i & 1) {
            adc_set(&x->adc[thread][i].channel[0], ADC_X, op.x_start);
            adc_set(&x->adc[thread][i].channel[1], ADC_X, op.x_end2);
        }
    }
}

/* ---- Two counters of both channels ---------------------------------------------------------------------- */

/* Applies an operation to counters of X and Y, or of Z and W. counters: a mask of the four. */
static inline void four(struct tensix *x, unsigned thread, uint32_t word, enum adc_axis first, unsigned counters,
                        adc_verb *verb) {
    struct tensix_SETADCXY op = tensix_decode_SETADCXY(word); /* all six instructions have the same fields, except that
                                                               * INC has no mask */
    struct adc *adc = adc_of(x, thread, op.Ch1_Y >> 3);
    const uint32_t value[4] = { op.Ch0_X, op.Ch0_Y, op.Ch1_X, op.Ch1_Y & 7 };
    for (unsigned i = 0; i < ADC_COUNT; i++)
        for (unsigned n = 0; n < 4; n++)
            if ((op.CntSetMask >> i & 1) && (counters >> n & 1))
                verb(&adc[i].channel[n / 2], (enum adc_axis)(first + n % 2), value[n]);
}

enum { ALL_FOUR = 15 };

static unsigned counters_of(uint32_t word) {
    return tensix_decode_SETADCXY(word).BitMask;
}

static void act(struct tensix *x, unsigned thread, uint32_t word) {
    switch (word >> 24) {
    case TENSIX_SETADC: set_one(x, thread, word); break;
    case TENSIX_SETADCXX: set_x(x, thread, word); break;
    case TENSIX_SETADCXY: four(x, thread, word, ADC_X, counters_of(word), adc_set); break;
    case TENSIX_SETADCZW: four(x, thread, word, ADC_Z, counters_of(word), adc_set); break;
    case TENSIX_INCADCXY: four(x, thread, word, ADC_X, ALL_FOUR, adc_increment); break;
    case TENSIX_INCADCZW: four(x, thread, word, ADC_Z, ALL_FOUR, adc_increment); break;
    case TENSIX_ADDRCRXY: four(x, thread, word, ADC_X, counters_of(word), adc_increment_cr); break;
    case TENSIX_ADDRCRZW: four(x, thread, word, ADC_Z, counters_of(word), adc_increment_cr); break;
    default: (void)BH_CHECK(x->error, word >> 24 == TENSIX_SETADC); /* the only opcode left */
    }
}

/* ---- Passing -------------------------------------------------------------------------------------------- */

void misc_land(struct tensix *x, const struct tensix_landing *landing) {
    act(x, landing->owner, landing->value[0]);
}

/* Executes the instruction at once if no other agent has its turn in this cycle: then only this thread can see the
 * counters, and not before the next cycle. */
static uint64_t execute(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (BH_LIKELY(x->next_other_event > now))
        act(x, thread, word);
    else
        tensix_land_word(x, now + 1, landing_key(TENSIX_LAND_MISC, thread, 0, 0), word);
    return TENSIX_PASSED;
}

#define ON_COUNTERS(name) \
    uint64_t execute_##name(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) { \
        return execute(x, thread, word, now); \
    }
ON_COUNTERS(SETADC)
ON_COUNTERS(SETADCXX)
ON_COUNTERS(SETADCXY)
ON_COUNTERS(SETADCZW)
ON_COUNTERS(INCADCXY)
ON_COUNTERS(INCADCZW)
ON_COUNTERS(ADDRCRXY)
ON_COUNTERS(ADDRCRZW)

/* ---- Without a description ---------------------------------------------------------------------------------- */

uint64_t execute_RSTDMA(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                        "no document says what this soft reset of the TDMA engine clears; SOFT_RESET_0 is documented");
}

uint64_t execute_TBUFCMD(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                        "it is reserved, and no document says what it does");
}
