/* Loads and stores of cores at TENSIX_CFG_BASE. Each needs stage 0 of the pipeline for a cycle. A store for which the
 * stage is not free waits in a queue while its core continues; a load waits in its core.
 *
 * Inexact: the path between core and unit takes no time of its own, because it is part of the core's latencies; the
 * length of the queue is a guess; hardware may execute a load before or after another core's waiting store, this unit
 * executes the load first. Sources: ConfigurationUnit.md, BackendConfiguration.md, AutoTTSync.md (BH). */
#include "tensix/config/pipeline.h"
#include "tensix/frontend/ttsync.h"
#include "tensix/clock.h"

/* ---- Stores that wait ------------------------------------------------------------------------------- */

static void land_store(struct tensix *x, uint32_t offset, uint32_t value, uint64_t now) {
    BH_ASSERT(offset < CONFIG_AT_THREAD && offset % 4 == 0);
    unsigned bank = offset / CONFIG_AT_BANK1; /* CONFIG_BOTH for the dual-write window */
    tensix_land_word(x, pipeline_enter(&x->config, PIPELINE_SINGLE, now),
                     landing_key(TENSIX_LAND_CONFIG, bank, offset / 4 % CONFIG_WORDS, 4) | LANDING_BY_CORE, value);
}

static void drop_first(struct config *config) {
    BH_ASSERT(config->requests);
    config->requests--;
    for (unsigned i = 0; i < config->requests; i++)
        config->request[i] = config->request[i + 1];
}

static void set_due(struct config *config, uint64_t from) {
    config->request_due = config->requests ? pipeline_admits(config, PIPELINE_SINGLE, from) : TENSIX_NEVER;
}

void config_step(struct tensix *x, uint64_t now) {
    struct config *config = &x->config;
    if (!config->requests || pipeline_admits(config, PIPELINE_SINGLE, now) > now) {
        set_due(config, now);
        return;
    }
    struct config_request first = config->request[0];
    BH_ASSERT(first.time <= now && config->request_due == now);
    drop_first(config);
    land_store(x, first.offset, first.value, now);
    if (tensix_has_thread(first.core)) {
        first.time = now + 1;
        config->last[first.core - BH_TRISC0] = first;
    }
    set_due(config, now + 1);
}

static struct access queue_store(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value,
                                 uint16_t resources, uint32_t delay) {
    struct config *config = &x->config;
    if (config->requests == CONFIG_REQUESTS) {
        tensix_alarm(x, (config->request_due > time ? config->request_due : time) + 1);
        return access_wait(WAIT_CONFIG_STORES);
    }
    struct config_request *request = &config->request[config->requests++];
    BH_ASSERT(config->requests == 1 || request[-1].time <= time);
    *request = (struct config_request){
        .time = time,
        .offset = offset,
        .value = value,
        .core = (uint8_t)core,
        .resources = resources,
    };
    if (tensix_has_thread(core))
        request->number = ++x->thread[core - BH_TRISC0].frontend.ttsync.requests;
    if (config->requests == 1)
        set_due(config, time + delay);
    return access_done();
}

/* ---- For the gates -------------------------------------------------------------------------------------- */

/* Returns the first cycle in which the request at this position of the queue can have been done, at one request a
 * cycle. */
static uint64_t done_by(const struct config *config, unsigned position, uint64_t now) {
    return (config->request_due > now ? config->request_due : now) + position + 1;
}

uint64_t config_request_pending(const struct tensix *x, unsigned thread, uint64_t now) {
    const struct config *config = &x->config;
    for (unsigned i = config->requests; i-- > 0;)
        if (config->request[i].core == BH_TRISC0 + thread)
            return done_by(config, i, now);
    return config->last[thread].time;
}

static bool holds(const struct config_request *request, uint64_t tag) {
    struct frontend_word word = { .tag = tag };
    return ttsync_precedes(request->number, word.request) && ttsync_meets(request->resources, true, word.resources);
}

/* Returns the cycle until which a word lingers after the request that it has waited for; 0 if it does not. */
static uint64_t lingers(const struct tensix *x, unsigned thread, uint64_t tag, uint64_t now) {
    struct frontend_word word = { .tag = tag };
    uint64_t until = x->config.last[thread].time + ttsync_lingers(word.request);
    return until > now && x->thread[thread].waits_on == WAIT_TTSYNC_CORE && !x->loose ? until : 0;
}

uint64_t config_request_holds(const struct tensix *x, unsigned thread, uint64_t tag, uint64_t now) {
    const struct config *config = &x->config;
    for (unsigned i = config->requests; i-- > 0;)
        if (config->request[i].core == BH_TRISC0 + thread && holds(&config->request[i], tag))
            return done_by(config, i, now);
    const struct config_request *last = &config->last[thread];
    if (!holds(last, tag))
        return 0;
    return last->time > now ? last->time : lingers(x, thread, tag, now);
}

/* ---- Accesses ----------------------------------------------------------------------------------------------- */

/* Finds the resources that the access touches (Auto TTSync). The access waits if instructions that were pushed before
 * it touch them. */
static struct access sync_first(struct tensix *x, enum bh_core core, uint32_t offset, bool store, uint64_t time,
                                uint16_t *resources) {
    *resources = 0;
    if (!tensix_has_thread(core))
        return access_done();
    *resources = ttsync_of_config(x->config.thread[core - BH_TRISC0], offset);
    return tensix_sync_with_words(x, core, *resources, store, time);
}

static bool queued_by(const struct config *config, enum bh_core core, unsigned *position) {
    for (*position = config->requests; (*position)-- > 0;)
        if (config->request[*position].core == core)
            return true;
    return false;
}

/* Runs the coprocessor up to the access. Returns the cycle of the access: a later one than `time` if the coprocessor
 * has run that cycle already. */
static uint64_t run_to(struct tensix *x, uint64_t time) {
    tensix_run(x, time);
    return time > x->time ? time : x->time;
}

struct access tensix_config_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value) {
    uint16_t resources;
    unsigned position;
    if (offset >= CONFIG_AT_END)
        return access_refused(BH_FAULT_UNMAPPED, "there is no Config or ThreadConfig word at this offset");
    time = run_to(x, time);
    struct access access = sync_first(x, core, offset, false, time, &resources);
    if (access.result != ACCESS_DONE)
        return access;
    if (queued_by(&x->config, core, &position)) {
        tensix_alarm(x, done_by(&x->config, position, time));
        return access_wait(WAIT_CONFIG_STORE_BEFORE);
    }
    uint64_t when = pipeline_admits(&x->config, PIPELINE_SINGLE, time);
    if (when > time) {
        tensix_alarm(x, when);
        return access_wait(WAIT_CONFIG_PIPELINE);
    }
    pipeline_enter(&x->config, PIPELINE_SINGLE, time);
    *value = config_peek(x, offset);
    return clock_verified(x, access_done());
}

/* Draws a delay (bh_vary) only for a store that finds the queue empty: stores after it in the queue are delayed with
 * it. */
static uint32_t delay_store(struct tensix *x, enum bh_core core, uint64_t time) {
    return x->config.requests ? 0 : tensix_draw(x, BH_DELAY_CONFIG, core, TENSIX_THREADS, time);
}

struct access tensix_config_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    uint16_t resources;
    if (offset >= CONFIG_AT_END)
        return access_refused(BH_FAULT_UNMAPPED, "there is no Config or ThreadConfig word at this offset");
    if (offset >= CONFIG_AT_THREAD)
        return access_refused(BH_FAULT_UNDEFINED, "only SETC16 writes ThreadConfig");
    tensix_catch_up(x);
    time = run_to(x, time);
    struct access access = sync_first(x, core, offset, true, time, &resources);
    if (access.result != ACCESS_DONE)
        return access;
    uint32_t delay = BH_LIKELY(!x->vary) ? 0 : delay_store(x, core, time);
    if (x->config.requests || delay || pipeline_admits(&x->config, PIPELINE_SINGLE, time) > time)
        access = queue_store(x, core, offset, time, value, resources, delay);
    else
        land_store(x, offset, value, time);
    if (access.result == ACCESS_DONE)
        config_invalidate(x, offset / 4 % CONFIG_WORDS, value);
    return clock_verified(x, access);
}
