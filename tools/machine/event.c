/* Events in words: see event.h. */
#include <stdio.h>
#include <string.h>

#include "machine/event.h"

static bool is_core(const struct bh_event *e) {
    return (unsigned)e->track < BH_CORE_COUNT;
}

/* Returns the name of the region of the address map at an address, as a core sees it, or NULL. */
static const char *region_name(enum bh_core core, uint32_t address) {
    struct bh_region region;
    for (unsigned i = 0; bh_region_at(i, &region) == BH_OK; i++)
        if ((region.cores >> core & 1) && address - region.base < region.size)
            return region.name;
    return NULL;
}

/* Returns the variable at the event's address in the program of the event's core, or NULL. */
static const char *variable_at(const struct machine *m, const struct bh_event *e, uint32_t *offset) {
    uint32_t pc = e->pc, start, size;
    const struct program *program = machine_program(m, e->tile, (enum bh_core)e->track, &pc);
    const char *name = program ? program_symbol(program, (uint32_t)e->at - (e->pc - pc), offset) : NULL;
    bool inside = name && program_find(program, span_of(name), &start, &size) && *offset < size;
    return inside ? name : NULL;
}

/* Writes "done", "done+0x4", "NIU 0 0xffb20200" or "L1 0x20000". */
static void name_address(const struct machine *m, const struct bh_event *e, char *text, size_t size) {
    uint32_t offset;
    const char *name = variable_at(m, e, &offset), *region = region_name((enum bh_core)e->track, (uint32_t)e->at);
    if (name && offset)
        snprintf(text, size, "%s+0x%x", name, offset);
    else if (name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s 0x%x", region ? region : "address", (uint32_t)e->at);
}

static const char *wait_name(const struct machine *m, const struct bh_event *e, char *text, size_t size) {
    char address[100];
    bool polls = strcmp(e->name, "a write to a word that it polls") == 0;
    if (!is_core(e) || !e->at) {
        snprintf(text, size, "wait: %s", e->name);
        return text;
    }
    name_address(m, e, address, sizeof address);
    if (polls)
        snprintf(text, size, "wait: polls %s", address);
    else
        snprintf(text, size, "wait: %s at %s", e->name, address);
    return text;
}

const char *event_name(const struct machine *m, const struct bh_event *e, char *text, size_t size) {
    return e->kind == BH_EVENT_WAIT ? wait_name(m, e, text, size) : e->name;
}

const char *event_place(const struct machine *m, const struct bh_event *e, char *text, size_t size) {
    unsigned track = e->track;
    if (track >= BH_TRACK_T0 && track <= BH_TRACK_T2)
        track = track - BH_TRACK_T0 + BH_TRISC0;
    for (unsigned core = 0; e->pc && core < BH_CORE_COUNT; core++) {
        uint32_t pc = e->pc;
        if (track < BH_CORE_COUNT && core != track)
            continue;
        const struct program *program = machine_program(m, e->tile, (enum bh_core)core, &pc);
        if (*program_where(program, pc, text, size))
            return memmove(text, text + 1, strlen(text)); /* drops the leading blank */
    }
    *text = 0;
    return text;
}

const char *event_tile_name(const struct machine *m, struct bh_xy tile, char *text, size_t size) {
    struct bh_tile_info info;
    char chip[20] = "";
    bool known = bh_tile_find(m->chip, tile, &info) == BH_OK && info.kind != BH_TILE_TENSIX;
    if (m->system_name)
        snprintf(chip, sizeof chip, "chip %u ", m->number);
    snprintf(text, size, "%s%s %u,%u", chip, known ? bh_tile_kind_name(info.kind) : "tile", tile.x, tile.y);
    return text;
}

const char *event_track_name(const struct machine *m, struct bh_xy tile, enum bh_track track) {
    struct bh_tile_info info;
    bool known = bh_tile_find(m->chip, tile, &info) == BH_OK, noc = track == BH_TRACK_NOC0 || track == BH_TRACK_NOC1;
    bool eth = known && info.kind == BH_TILE_ETH;
    if (eth && (track == (unsigned)BH_ERISC0 || track == (unsigned)BH_ERISC1))
        return bh_core_name_at(m->chip, tile, (enum bh_core)track);
    bool has = noc || (track == BH_TRACK_ETH ? eth : known && info.kind == BH_TILE_TENSIX);
    return has ? bh_track_name(track) : NULL;
}
