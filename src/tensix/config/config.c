/* Backend configuration: the words, and the immediate effects of writing them.
 *
 * Source: BackendConfiguration.md (BH). The page does not say what a write of part of a word, by RMWCIB, does to
 * PRNG_SEED and RISCV_IC_INVALIDATE; here it has the effect of writing the whole new word. Assumed: a write of
 * PACK_COUNTERS restarts the packer's position in the tile (pack/edge.c). */
#include "tensix/config/config.h"

#include <string.h>

#include "base/check.h"
#include "tensix/tensix.h"

void config_init(struct config *config) {
    config->request_due = TENSIX_NEVER;
    config->version = 1; /* version 0 means "no plan" (plan.h) */
}

static void reset_bank(struct config *config, unsigned bank) {
    memset(config->bank[bank], 0, CONFIG_BASE_GLOBAL * sizeof config->bank[bank][0]);
}

static void store_banked(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw) {
    if (config_discards(x->held, index))
        return;
    x->config.bank[bank][index] = value & ~config_missing[index];
    if (index == CONFIG_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane)
        x->pack.position = x->pack.plane = 0;
    if (index == CONFIG_WORD_STATE_RESET_EN && !by_rmw)
        reset_bank(&x->config, bank);
}

static void store_global(struct tensix *x, unsigned index, uint32_t value) {
    struct config *config = &x->config;
    config->bank[0][index] = config->bank[1][index] = value & ~config_missing[index];
    if (index == CONFIG_WORD_PRNG_SEED_Seed_Val) {
        config->prng_seed = value;
        config->prng_seeds++;
        vector_seed(&x->vector, value);
    }
}

void config_store(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw) {
    if (!BH_CHECK(x->error, index < CONFIG_WORDS))
        return;
    config_changed(&x->config);
    if (index >= CONFIG_BASE_GLOBAL) {
        store_global(x, index, value);
        return;
    }
    if (bank != 1)
        store_banked(x, 0, index, value, by_rmw);
    if (bank != 0)
        store_banked(x, 1, index, value, by_rmw);
}

void config_invalidate(struct tensix *x, unsigned index, uint32_t value) {
    if (index == CONFIG_WORD_RISCV_IC_INVALIDATE_InvalidateAll && x->port->invalidate)
        x->port->invalidate(x->owner, value & BH_ALL_CORES);
}

uint32_t config_peek(const struct tensix *x, uint32_t offset) {
    const struct config *config = &x->config;
    unsigned word = offset / 4;
    if (offset < CONFIG_AT_DUAL)
        return config->bank[word / CONFIG_WORDS][word % CONFIG_WORDS];
    if (offset < CONFIG_AT_THREAD)
        return config->bank[0][word % CONFIG_WORDS];
    word -= CONFIG_AT_THREAD / 4;
    return offset < CONFIG_AT_END ? config->thread[word / CONFIG_THREAD_WORDS][word % CONFIG_THREAD_WORDS] : 0;
}
