/* Vector clocks: see clock.h. */
#include "hazard/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void hazard_clock_free(struct hazard_clock *clock) {
    free(clock->row);
    *clock = (struct hazard_clock){ 0 };
}

static struct hazard_row *find(const struct hazard_clock *clock, uint32_t tile) {
    for (uint32_t i = 0; i < clock->count; i++)
        if (clock->row[i].tile == tile)
            return &clock->row[i];
    return NULL;
}

static struct hazard_row *find_or_add(struct hazard_clock *clock, uint32_t tile) {
    struct hazard_row *row = find(clock, tile);
    if (row)
        return row;
    row = list_room(clock->row, clock->count, &clock->room, sizeof *row);
    if (!row)
        return NULL;
    clock->row = row;
    row += clock->count++;
    memset(row, 0, sizeof *row);
    row->tile = tile;
    return row;
}

static void raise(uint32_t *tick, uint32_t to) {
    *tick = *tick < to ? to : *tick;
}

bool hazard_clock_raise(struct hazard_clock *clock, struct hazard_epoch epoch) {
    struct hazard_row *row = find_or_add(clock, epoch.tile);
    if (row)
        raise(&row->tick[epoch.agent], epoch.tick);
    return row;
}

/* ---- Channels ------------------------------------------------------------------------------------------------- */

/* Bit 30 of a channel's number is its NoC (channel_of in tile/hazards.c). */
static uint32_t *ticks_of(struct hazard_row *row, uint32_t channel) {
    return &row->tick[hazard_niu_agent(channel >> 30 & 1, 0)];
}

static const struct hazard_arrived *find_channel(const struct hazard_row *row, uint32_t channel) {
    for (unsigned i = 0; i < HAZARD_ROW_CHANNELS && row->arrived[i].channel; i++)
        if (row->arrived[i].channel == channel)
            return &row->arrived[i];
    return NULL;
}

/* Returns the entry of a channel. If there is none, a new entry replaces the oldest one, whose ticks then count for all
 * channels. */
static struct hazard_arrived *channel_of(struct hazard_row *row, uint32_t channel) {
    const struct hazard_arrived *found = find_channel(row, channel);
    if (found)
        return &row->arrived[found - row->arrived];
    const struct hazard_arrived *last = &row->arrived[HAZARD_ROW_CHANNELS - 1];
    for (unsigned i = 0; last->channel && i < HAZARD_READ; i++)
        raise(&ticks_of(row, last->channel)[i], last->tick[i]);
    memmove(row->arrived + 1, row->arrived, (HAZARD_ROW_CHANNELS - 1) * sizeof *row->arrived);
    row->arrived[0] = (struct hazard_arrived){ .channel = channel };
    return &row->arrived[0];
}

bool hazard_clock_raise_channel(struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel) {
    unsigned agent = (unsigned)(epoch.agent - HAZARD_NIU0) % HAZARD_NOC_AGENTS;
    if (!channel || agent >= HAZARD_READ)
        return hazard_clock_raise(clock, epoch);
    struct hazard_row *row = find_or_add(clock, epoch.tile);
    if (row && row->tick[epoch.agent] < epoch.tick)
        raise(&channel_of(row, channel)->tick[agent], epoch.tick);
    return row;
}

static void join_channels(struct hazard_row *row, const struct hazard_row *from) {
    for (unsigned i = HAZARD_ROW_CHANNELS; i-- > 0;) {
        const struct hazard_arrived *arrived = &from->arrived[i];
        for (unsigned agent = 0; arrived->channel && agent < HAZARD_READ; agent++)
            if (arrived->tick[agent] > ticks_of(row, arrived->channel)[agent])
                raise(&channel_of(row, arrived->channel)->tick[agent], arrived->tick[agent]);
    }
}

static bool lacks_channels(const struct hazard_row *row, const struct hazard_row *from) {
    for (unsigned i = 0; i < HAZARD_ROW_CHANNELS && from->arrived[i].channel; i++) {
        const struct hazard_arrived *arrived = &from->arrived[i], *known = find_channel(row, arrived->channel);
        const uint32_t *all = &row->tick[hazard_niu_agent(arrived->channel >> 30 & 1, 0)];
        for (unsigned agent = 0; agent < HAZARD_READ; agent++)
            if (arrived->tick[agent] > all[agent] && (!known || arrived->tick[agent] > known->tick[agent]))
                return true;
    }
    return false;
}

/* ---- Whole clocks ---------------------------------------------------------------------------------------------- */

bool hazard_clock_join(struct hazard_clock *clock, const struct hazard_clock *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        const uint32_t *from = other->row[i].tick;
        struct hazard_row *row = find_or_add(clock, other->row[i].tile);
        if (!row)
            return false;
        for (unsigned agent = 0; agent < HAZARD_AGENTS; agent++)
            row->tick[agent] = from[agent] > row->tick[agent] ? from[agent] : row->tick[agent];
        if (other->row[i].arrived[0].channel)
            join_channels(row, &other->row[i]);
    }
    return true;
}

bool hazard_clock_copy(struct hazard_clock *clock, const struct hazard_clock *other) {
    if (clock->room < other->count) {
        struct hazard_row *row = realloc(clock->row, other->count * sizeof *row);
        if (!row)
            return false;
        clock->row = row;
        clock->room = other->count;
    }
    clock->count = other->count;
    if (other->count)
        memcpy(clock->row, other->row, other->count * sizeof *other->row);
    return true;
}

uint32_t hazard_clock_tick(const struct hazard_clock *clock, unsigned tile, unsigned agent) {
    const struct hazard_row *row = find(clock, tile);
    return row ? row->tick[agent] : 0;
}

bool hazard_clock_knows(const struct hazard_clock *clock, struct hazard_epoch epoch, uint32_t channel) {
    const struct hazard_row *row = find(clock, epoch.tile);
    unsigned agent = (unsigned)(epoch.agent - HAZARD_NIU0) % HAZARD_NOC_AGENTS;
    if (!row || row->tick[epoch.agent] >= epoch.tick || !channel || agent >= HAZARD_READ)
        return row && row->tick[epoch.agent] >= epoch.tick;
    const struct hazard_arrived *arrived = find_channel(row, channel);
    return arrived && arrived->tick[agent] >= epoch.tick;
}

bool hazard_clock_lacks(const struct hazard_clock *clock, const struct hazard_clock *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        const struct hazard_row *row = find(clock, other->row[i].tile);
        if (!row)
            return true;
        unsigned more = 0;
        for (unsigned agent = 0; agent < HAZARD_AGENTS; agent++)
            more |= other->row[i].tick[agent] > row->tick[agent];
        if (more || lacks_channels(row, &other->row[i]))
            return true;
    }
    return false;
}
