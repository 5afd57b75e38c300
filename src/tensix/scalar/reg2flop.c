/* REG2FLOP: moves GPRs to THCON configuration or to an address counter. The new value is visible from the end of the
 * instruction on.
 *
 * Sources: REG2FLOP_Configuration.md, REG2FLOP_ADC.md (WH), which give little confidence for Blackhole. Assumed: the
 * instruction waits inside the unit while anything is in the Configuration Unit's pipeline; according to the pages it
 * waits for writes to THCON configuration. */
#include <string.h>

#include "tensix/scalar/unit.h"
#include "tensix/tensix.h"

enum target { TARGET_CONFIG, TARGET_LOCAL, TARGET_ADC, TARGET_ADC_OF_THREAD };

static uint64_t cycles(const struct tensix *x, uint64_t now) {
    return TENSIX_OCCUPANCY_REG2FLOP + (x->config.busy_until > now ? x->config.busy_until - now : 0);
}

static uint64_t to_config(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_REG2FLOP op = tensix_decode_REG2FLOP(word);
    bool wide = op.SizeSel == 0;
    if (op.FlopIndex >= CONFIG_BASE_GLOBAL - CONFIG_BASE_THCON)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "word %u of Config is not THCON configuration (%u to %u)", CONFIG_BASE_THCON + op.FlopIndex,
                            (unsigned)CONFIG_BASE_THCON, CONFIG_BASE_GLOBAL - 1u);
    unsigned index = CONFIG_BASE_THCON + (wide ? op.FlopIndex & ~3u : op.FlopIndex), size = wide ? 16 : 4;
    tensix_land(x, scalar_occupy(x, thread, now, cycles(x, now)),
                landing_key(TENSIX_LAND_CONFIG, tensix_bank(x, thread), index, size),
                &x->gpr[thread][wide ? op.RegIndex & 0x3C : op.RegIndex], size);
    return TENSIX_PASSED;
}

/* Returns the whole GPR, or 16 or 8 bits of it at an offset in bytes; 0 for a size of 128 bits or an unaligned
 * offset. */
static uint32_t cut_out(uint32_t gpr, unsigned size, unsigned offset) {
    switch (size) {
    case 1: return offset == 0 ? gpr : 0;
    case 2: return offset % 2 == 0 ? gpr >> offset * 8 & 0xFFFF : 0;
    case 3: return gpr >> offset * 8 & 0xFF;
    default: return 0;
    }
}

static uint64_t to_counter(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_REG2FLOP op = tensix_decode_REG2FLOP(word);
    unsigned of_thread = op.TargetSel == TARGET_ADC_OF_THREAD ? op.ContextId_2 : thread;
    uint64_t time = scalar_occupy(x, thread, now, cycles(x, now));
    uint32_t value = cut_out(x->gpr[thread][op.RegIndex], op.SizeSel, op.ByteOffset);
    if (of_thread < TENSIX_THREADS)
        tensix_land_word(x, time, landing_key(TENSIX_LAND_ADC, of_thread, op.FlopIndex & 0x3F, 4), value);
    return TENSIX_PASSED;
}

uint64_t execute_REG2FLOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    uint64_t again = scalar_holds(x, thread, now);
    if (again)
        return again;
    switch (tensix_decode_REG2FLOP(word).TargetSel) {
    case TARGET_CONFIG: return to_config(x, thread, word, now);
    case TARGET_LOCAL:
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                            "target 1 (local registers) is in no document");
    default: return to_counter(x, thread, word, now);
    }
}
