/* See watchdog.h. */
#include "tile/watchdog.h"

#include "tile/tile.h"

bool watchdog_has(uint32_t address) {
    return address - (uint32_t)REG_AT_CONTROL_WATCHDOG_TIMER <=
           (uint32_t)REG_AT_CONTROL_WDT_STATUS - (uint32_t)REG_AT_CONTROL_WATCHDOG_TIMER;
}

/* Returns whether the watchdog has been seen to be at its end. */
static bool is_raised(const struct tile *tile) {
    return tile->pic.hardware >> PIC_WATCHDOG & 1;
}

static bool is_enabled(const struct pic *pic) {
    return (pic->core[0].hardware_enable | pic->core[1].hardware_enable) >> PIC_WATCHDOG & 1;
}

bool watchdog_runs(const struct tile *tile) {
    return control_watchdog_end(&tile->control) != UINT64_MAX && !is_raised(tile);
}

uint64_t watchdog_due(const struct tile *tile) {
    bool due = tile->kind == TILE_KIND_TENSIX && is_enabled(&tile->pic) && !is_raised(tile);
    return due ? control_watchdog_end(&tile->control) : UINT64_MAX;
}

void watchdog_look(struct tile *tile, uint64_t time) {
    bool raised = control_watchdog_end(&tile->control) <= time;
    if (tile->kind != TILE_KIND_TENSIX || raised == is_raised(tile))
        return;
    pic_hardware(&tile->pic, PIC_WATCHDOG, raised);
    tile_event(tile, time);
}

void watchdog_settle(struct tile *tile, uint64_t time) {
    uint64_t before = tile->late_due;
    watchdog_look(tile, time);
    late_find_due(tile);
    if (tile->late_due == before)
        return;
    tile_noc_touched(tile, tile->time);
    tile_reschedule(tile);
}

struct access watchdog_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    bool controls = (int)address == REG_AT_CONTROL_WDT_CNTL;
    if (controls && value & ~UINT32_C(1) && tile->kind == TILE_KIND_TENSIX)
        return access_refused(BH_FAULT_UNMODELLED,
                              "WDT_CNTL: no document says what bits other than 0 do in a Tensix tile");
    struct access access = control_write(&tile->control, address, value, time);
    watchdog_settle(tile, time);
    return access;
}
