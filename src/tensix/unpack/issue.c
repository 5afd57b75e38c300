/* UNPACR at the gate: its three forms, and its work before any data move.
 *
 * The form that flushes cached row starts has no effect, because row starts are read from L1 each time. Assumed: the
 * address of compressed data takes two more cycles; the page says only "more". Sources: UNPACR_Regular.md,
 * UNPACR_IncrementContextCounter.md, UNPACR_FlushCache.md (WH). */
#include "tensix/clock.h"

static void count_context(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    unsigned log2 = unpacker ? CONFIG_GET(config, THCON_SEC1_REG2_Context_count)
                             : CONFIG_GET(config, THCON_SEC0_REG2_Context_count);
    unsigned next = (context + 1) & 7;
    x->config.context_count[thread][unpacker] = (uint8_t)(next >> log2 ? 0 : next);
}

static bool counts_otherwise(const struct tensix *x, unsigned thread, unsigned unpacker) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)];
    return unpacker ? CONFIG_GET(config, THCON_SEC1_REG2_Context_count_non_log2_en)
                    : CONFIG_GET(config, THCON_SEC0_REG2_Context_count_non_log2_en);
}

/* AddrMode has an increment of two bits for each counter: from the top, Y and Z of channel 1, Y and Z of channel 0. */
static void count_addresses(struct adc *adc, unsigned mode) {
    adc_increment(&adc->channel[1], ADC_Y, mode >> 6 & 3);
    adc_increment(&adc->channel[1], ADC_Z, mode >> 4 & 3);
    adc_increment(&adc->channel[0], ADC_Y, mode >> 2 & 3);
    adc_increment(&adc->channel[0], ADC_Z, mode & 3);
}

static void count(struct tensix *x, unsigned thread, unsigned unpacker, uint32_t word, unsigned context) {
    struct tensix_UNPACR op = tensix_decode_UNPACR(word);
    count_addresses(&x->adc[thread][unpacker], op.AddrMode);
    if (op.OvrdThreadId && op.AddrCntContextId != thread)
        count_addresses(&x->adc[op.AddrCntContextId][unpacker], op.AddrMode);
    if (op.OvrdThreadId && op.AutoIncContextID)
        count_context(x, thread, unpacker, context);
}

static uint64_t move(struct tensix *x, unsigned thread, unsigned unpacker, uint32_t word, uint64_t now) {
    struct unpack_job *job = unpack_next_job(&x->unpack.unit[unpacker]);
    unsigned context = unpack_context(x, thread, unpacker, word);
    const char *bad = NULL;
    if (!unpack_run(x, thread, unpacker, context, word, job))
        bad = unpack_prepare(x, thread, unpacker, context, word, job);
    if (BH_UNLIKELY(bad))
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now, "%s", bad);
    uint64_t until = now + TENSIX_OCCUPANCY_UNPACR + (job->in.compressed ? TENSIX_PART_UNPACR_COMPRESSED : 0);
    job->bank = (uint8_t)tensix_bank(x, thread);
    x->unpack.address_free = until;
    job->ready = until + tensix_delay(x, BH_DELAY_UNPACK, unpacker, thread, now);
    tensix_freeze(x, thread, until);
    count(x, thread, unpacker, word, context);
    unpack_queue(x, unpacker, now);
    return TENSIX_PASSED;
}

uint64_t execute_UNPACR(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_UNPACR op = tensix_decode_UNPACR(word);
    unsigned unpacker = op.Unpack_block_selection;
    if (x->held & (REG_HOLD_UNPACKERS | REG_HOLD_GLUE))
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_UNPACK_RESET);
    if (now < x->unpack.address_free)
        return tensix_hold(x, thread, x->unpack.address_free, WAIT_UNPACK_ADDRESS);
    if ((op.CfgContextCntInc || (op.OvrdThreadId && op.AutoIncContextID)) && counts_otherwise(x, thread, unpacker))
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "no document says how contexts are counted with Context_count_non_log2_en");
    if (op.CfgContextCntInc && op.SearchCacheFlush)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now, "two forms at once");
    if (op.CfgContextCntInc) {
        count_context(x, thread, unpacker, x->config.context_count[thread][unpacker]);
        return TENSIX_PASSED;
    }
    if (op.SearchCacheFlush)
        return TENSIX_PASSED;
    if (unpack_full(&x->unpack.unit[unpacker]))
        return tensix_hold(x, thread, TENSIX_NEVER, unpacker ? WAIT_UNPACK1_FULL : WAIT_UNPACK0_FULL);
    return move(x, thread, unpacker, word, now);
}
