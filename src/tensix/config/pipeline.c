/* Who is in which stage of the Configuration Unit's pipeline, and who may enter.
 *
 * Inexact: the page does not say what an RDCFG does whose predecessor stays in +1. Here it waits at its gate until that
 * stage will be free. */
#include "tensix/config/pipeline.h"

#include "base/check.h"
#include "tensix/tensix.h"

enum { NOWHERE = 2, STAGE_READS_STREAM = -3 };

static const struct {
    int8_t first, last;
    uint8_t cycles; /* in the last stage */
    bool blocks;
} paths[] = {
    [PIPELINE_STREAM] = { -4, 0, 1, false }, [PIPELINE_WRITE] = { -1, 0, 1, false },
    [PIPELINE_SHIFT] = { 0, 0, 2, true },    [PIPELINE_SINGLE] = { 0, 0, 1, false },
    [PIPELINE_READ] = { 0, 1, 1, false },
};

/* Entries move one stage a cycle but for the first stage and the last, where they may stay. */
static int stage_in(const struct config_entry *entry, uint64_t cycle) {
    if (cycle < entry->entered || cycle >= entry->leaves)
        return NOWHERE;
    int64_t stage = (int64_t)(cycle - entry->stage0);
    if (stage < entry->first_stage)
        return entry->first_stage;
    return stage > entry->last_stage ? entry->last_stage : (int)stage;
}

/* The first cycle in which it is no more where it is in this one. */
static uint64_t moves_on(const struct config_entry *entry, uint64_t cycle) {
    uint64_t second = entry->stage0 + (uint64_t)entry->first_stage + 1;
    return cycle < second ? second : cycle + 1;
}

static bool in_the_way(const struct config_entry *entry, enum pipeline_path path, uint64_t cycle) {
    int stage = stage_in(entry, cycle), first = paths[path].first;
    if (stage == first || (paths[path].blocks && stage == -1))
        return true;
    if (entry->blocks && entry->entered == cycle && first == -1)
        return true;
    return stage >= STAGE_READS_STREAM && stage < first && entry->entered < cycle;
}

/* In the cycle after it enters, an RDCFG needs +1. */
static bool keeps_last(const struct config_entry *entry, enum pipeline_path path, uint64_t cycle) {
    return path == PIPELINE_READ && stage_in(entry, cycle + 1) == paths[path].last && entry->entered < cycle;
}

/* When it could enter as far as this entry goes; `cycle` if it can then. */
static uint64_t after(const struct config_entry *entry, enum pipeline_path path, uint64_t cycle) {
    if (keeps_last(entry, path, cycle))
        return entry->leaves - 1;
    return in_the_way(entry, path, cycle) ? moves_on(entry, cycle) : cycle;
}

uint64_t pipeline_admits(const struct config *config, enum pipeline_path path, uint64_t now) {
    uint64_t cycle = now;
    if (config->busy_until <= now)
        return now;
    for (unsigned i = 0; i < config->entries;) {
        uint64_t next = after(&config->entry[i], path, cycle);
        i = next == cycle ? i + 1 : 0;
        cycle = next;
    }
    return cycle;
}

static void forget_gone(struct config *config, uint64_t now) {
    unsigned kept = 0;
    for (unsigned i = 0; i < config->entries; i++)
        if (config->entry[i].leaves > now)
            config->entry[kept++] = config->entry[i];
    config->entries = kept;
}

static void occupy(struct tensix *x, const struct config_entry *entry) {
    if (entry->leaves > x->config.busy_until)
        x->config.busy_until = entry->leaves;
    if (entry->thread != CONFIG_BY_CORE)
        tensix_busy_until(x, entry->thread, TENSIX_BUSY_CONFIG, entry->leaves);
}

struct config_entry *pipeline_enter(struct tensix *x, enum pipeline_path path, unsigned thread, uint64_t now) {
    struct config *config = &x->config;
    forget_gone(config, now);
    BH_CHECK(config->entries < CONFIG_IN_PIPE);
    struct config_entry *entry = &config->entry[config->entries++];
    uint64_t stage0 = now - (uint64_t)paths[path].first;
    *entry = (struct config_entry){
        .entered = now,
        .stage0 = stage0,
        .leaves = stage0 + (uint64_t)paths[path].last + paths[path].cycles,
        .first_stage = paths[path].first,
        .last_stage = paths[path].last,
        .blocks = paths[path].blocks,
        .thread = (uint8_t)thread,
    };
    occupy(x, entry);
    return entry;
}

void pipeline_delay_first(struct tensix *x, struct config_entry *entry, uint64_t cycles) {
    entry->stage0 += cycles;
    entry->leaves += cycles;
    occupy(x, entry);
}

void pipeline_delay_last(struct tensix *x, struct config_entry *entry, uint64_t cycles) {
    entry->leaves += cycles;
    occupy(x, entry);
}

struct config_entry *pipeline_preparing(struct config *config, uint64_t now) {
    for (unsigned i = 0; i < config->entries; i++)
        if (stage_in(&config->entry[i], now) == paths[PIPELINE_STREAM].first)
            return &config->entry[i];
    return NULL;
}
