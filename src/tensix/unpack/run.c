/* Fills in the job of an UNPACR from its plan (plan.h): unpack_prepare has set everything but counts and addresses.
 * Compressed, tilized, spread and blob data have no plan. Sources: as address.c. */
#include "tensix/tensix.h"

/* Returns the index of the first datum in the tile. */
static inline uint64_t first_datum(const struct unpack_plan *plan, const struct adc *xy, const struct adc *zw) {
    const uint32_t *counter = zw->channel[0].value;
    uint64_t plane = (uint64_t)(counter[ADC_W] & 0xFF) * plan->z_dim + (counter[ADC_Z] & 0xFF);
    return (plane * plan->y_dim + xy->channel[0].value[ADC_Y]) * plan->x_dim + xy->channel[0].value[ADC_X];
}

static inline void find_input(struct unpack_input *in, const struct unpack_plan *plan, uint32_t base, uint64_t first) {
    uint64_t at = ((uint64_t)base + plan->header) * 16;
    in->exponents = at * 16 + first;
    in->data = (at + plan->exponents) * 8 + first * in->bits;
    unpack_wrap(in);
}

bool unpack_run(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                struct unpack_job *job) {
    const struct unpack_plan *plan = unpack_plan_of(&x->plans.unpack, unpacker, context);
    if (BH_UNLIKELY(!plan_holds(&plan->of, x->config.version, unpack_key(thread, context, word))))
        return false;
    const uint32_t *section = x->config.bank[tensix_bank(x, thread)] + UNPACK_SECTION * unpacker;
    const struct adc *zw = &x->adc[thread][unpacker], *xy = &x->adc[plan->xy][unpacker];
    uint32_t from = xy->channel[0].value[ADC_X], to = xy->channel[1].value[ADC_X] + 1;
    uint32_t sum = unpack_output_sum(plan, zw->channel[1].value);
    if (BH_UNLIKELY(to < from || unpack_is_odd(plan, sum)))
        return false;
    *job = plan->job;
    job->word = word;
    job->flip = word & UNPACK_HANDS_OVER;
    job->out.zero = word & UNPACK_ZEROS;
    job->whole_rows = plan->job.whole_rows && !job->out.zero;
    job->in.count = to - from;
    job->units = ((to - from) * job->in.bits + 127) / 128;
    job->out.address = unpack_output_address(plan, sum);
    find_input(&job->in, plan, section[plan->base], first_datum(plan, xy, zw));
    return !(job->out.transpose && job->in.data % 128);
}
