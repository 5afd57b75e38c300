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

bool hazard_clock_raise(struct hazard_clock *clock, struct hazard_epoch epoch) {
    struct hazard_row *row = find_or_add(clock, epoch.tile);
    if (row && row->tick[epoch.agent] < epoch.tick)
        row->tick[epoch.agent] = epoch.tick;
    return row;
}

bool hazard_clock_join(struct hazard_clock *clock, const struct hazard_clock *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        const uint32_t *from = other->row[i].tick;
        struct hazard_row *row = find_or_add(clock, other->row[i].tile);
        if (!row)
            return false;
        for (unsigned agent = 0; agent < HAZARD_AGENTS; agent++)
            row->tick[agent] = from[agent] > row->tick[agent] ? from[agent] : row->tick[agent];
    }
    return true;
}

bool hazard_clock_copy(struct hazard_clock *clock, const struct hazard_clock *other) {
    clock->count = 0;
    return hazard_clock_join(clock, other);
}

uint32_t hazard_clock_tick(const struct hazard_clock *clock, unsigned tile, unsigned agent) {
    const struct hazard_row *row = find(clock, tile);
    return row ? row->tick[agent] : 0;
}

bool hazard_clock_knows(const struct hazard_clock *clock, struct hazard_epoch epoch) {
    return hazard_clock_tick(clock, epoch.tile, epoch.agent) >= epoch.tick;
}

bool hazard_clock_lacks(const struct hazard_clock *clock, const struct hazard_clock *other) {
    for (uint32_t i = 0; i < other->count; i++) {
        const struct hazard_row *row = find(clock, other->row[i].tile);
        if (!row)
            return true;
        unsigned more = 0;
        for (unsigned agent = 0; agent < HAZARD_AGENTS; agent++)
            more |= other->row[i].tick[agent] > row->tick[agent];
        if (more)
            return true;
    }
    return false;
}
