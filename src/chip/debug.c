/* Debugging of a chip: public functions, the end of epochs, and snapshots. Tiles report their own events
 * (tile/debug.h). */
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/save.h"
#include "tile/debug.h"

struct debug {
    void (*on_event)(void *user, bh_chip *chip, const struct bh_debug_event *event);
    void *user;
    uint64_t time_at; /* the time of bh_debug_at */
    bool ended;       /* bh_debug has ended debugging from inside the callback */
    struct debug_tile tile[TOPOLOGY_TILES];
};

/* ---- Reports ---------------------------------------------------------------------------------------------- */

static void report(void *owner, const struct bh_debug_event *event) {
    struct bh_chip *chip = owner;
    bool inside = chip->in_debug;
    if (chip->debug->ended)
        return;
    chip->in_debug = true;
    chip->debug->on_event(chip->debug->user, chip, event);
    chip->in_debug = inside;
}

void chip_debug_fault(struct bh_chip *chip, unsigned tile, unsigned bit) {
    chip->debug->tile[tile].faults |= (uint8_t)(1u << bit);
}

void chip_debug_epoch(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->made[i])
            debug_end_epoch(chip->tile[i], chip->time);
    if (chip->time >= chip->debug->time_at) {
        const struct bh_debug_event event = { .kind = BH_DEBUG_TIME, .core = -1, .by = -1, .cycle = chip->time };
        chip->debug->time_at = UINT64_MAX;
        report(chip, &event);
    }
    if (chip->debug->ended)
        chip_free_debug(chip);
}

/* ---- Life ------------------------------------------------------------------------------------------------- */

void chip_debug_tile(struct bh_chip *chip, unsigned index) {
    struct tile *tile = chip->tile[index];
    tile->mail.debug = &chip->debug->tile[index];
    debug_refresh(tile);
}

void chip_debug_again(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        debug_forget(&chip->debug->tile[i]);
        if (chip->made[i])
            chip_debug_tile(chip, i);
    }
}

void chip_free_debug(struct bh_chip *chip) {
    if (!chip->debug)
        return;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (chip->made[i])
            debug_detach(chip->tile[i]);
        debug_free(&chip->debug->tile[i]);
    }
    free(chip->debug);
    chip->debug = NULL;
}

/* Ends debugging. Called inside the callback, it takes effect at the end of the epoch. */
static void end(struct bh_chip *chip) {
    if (chip->in_debug)
        chip->debug->ended = true;
    else
        chip_free_debug(chip);
}

bh_status bh_debug(bh_chip *chip, void (*on_event)(void *user, bh_chip *chip, const struct bh_debug_event *event),
                   void *user) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (!on_event) {
        if (chip->debug)
            end(chip);
        return BH_OK;
    }
    if (chip->in_debug)
        return chip_fail(chip, BH_ERR_STATE, "bh_debug: the chip is being debugged");
    chip_free_debug(chip);
    chip->debug = calloc(1, sizeof *chip->debug);
    if (!chip->debug)
        return chip_fail(chip, BH_ERR_MEMORY, "bh_debug: no memory");
    chip->debug->on_event = on_event;
    chip->debug->user = user;
    chip->debug->time_at = UINT64_MAX;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        chip->debug->tile[i].report = report;
        chip->debug->tile[i].owner = chip;
        chip->debug->tile[i].in_run = &chip->in_run;
    }
    chip_debug_again(chip);
    return BH_OK;
}

/* ---- Points ----------------------------------------------------------------------------------------------- */

static bh_status find(const bh_chip *chip, struct bh_xy at, unsigned cores, struct tile **tile) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status = chip_tile(chip, at, tile);
    if (status == BH_OK && cores & ~tile_cores(*tile))
        return chip_fail(chip, BH_ERR_ARGUMENT, "cores 0x%x: only the bits of 0x%x name a core of the tile", cores,
                         tile_cores(*tile));
    return status;
}

static bh_status find_debugged(const bh_chip *chip, struct bh_xy at, unsigned cores, struct tile **tile) {
    bh_status status = find(chip, at, cores, tile);
    if (status == BH_OK && !chip->debug)
        return chip_fail(chip, BH_ERR_STATE, "the chip is not debugged (bh_debug)");
    return status;
}

static bh_status refresh(bh_chip *chip, struct tile *tile, bool good) {
    if (!good)
        return chip_fail(chip, BH_ERR_MEMORY, "no memory for a breakpoint or watchpoint");
    debug_refresh(tile);
    return BH_OK;
}

bh_status bh_breakpoint(bh_chip *chip, struct bh_xy at, unsigned cores, uint32_t pc, bool on) {
    struct tile *tile = NULL;
    bh_status status = find_debugged(chip, at, cores, &tile);
    if (status == BH_OK && (pc % 4 || pc >= tile_l1_size(tile)))
        return chip_fail(chip, BH_ERR_ARGUMENT, "breakpoint at 0x%x: instructions are aligned words of L1", pc);
    return status == BH_OK ? refresh(chip, tile, debug_set_break(tile->mail.debug, cores, pc, on)) : status;
}

bh_status bh_step(bh_chip *chip, struct bh_xy at, unsigned cores) {
    struct tile *tile = NULL;
    bh_status status = find_debugged(chip, at, cores, &tile);
    if (status != BH_OK)
        return status;
    tile->mail.debug->steps = (uint8_t)cores;
    return refresh(chip, tile, true);
}

/* Returns whether the bytes are in the core's own local memory. */
static bool is_local(const struct tile *tile, unsigned core, uint32_t address, uint32_t size) {
    uint32_t offset = address - CORE_LDM_BASE, room = tile->core[core].ldm_size;
    return offset < room && size <= room - offset;
}

bh_status bh_watchpoint(bh_chip *chip, struct bh_xy at, enum bh_core core, uint32_t address, uint32_t size,
                        unsigned access, bool on) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    struct tile *tile = NULL;
    bh_status status = (unsigned)core < BH_CORE_COUNT ? find_debugged(chip, at, 1u << core, &tile)
                                                      : chip_fail(chip, BH_ERR_ARGUMENT, "core %d", (int)core);
    if (status != BH_OK)
        return status;
    if (!size || size > UINT32_MAX - address || !access || access & ~(unsigned)(BH_ACCESS_WRITE | BH_ACCESS_READ))
        return chip_fail(chip, BH_ERR_ARGUMENT, "watchpoint at 0x%x of %u bytes, access %u: not possible", address,
                         size, access);
    const struct debug_watch watch = {
        .address = address,
        .size = size,
        .core = is_local(tile, core, address, size) ? (uint8_t)core : BH_CORE_COUNT,
        .access = (uint8_t)access,
    };
    return refresh(chip, tile, debug_set_watch(tile->mail.debug, &watch, on));
}

bh_status bh_debug_at(bh_chip *chip, uint64_t cycle) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (!chip->debug)
        return chip_fail(chip, BH_ERR_STATE, "the chip is not debugged (bh_debug)");
    chip->debug->time_at = cycle;
    return BH_OK;
}

/* ---- Memory as a core sees it ----------------------------------------------------------------------------- */

/* Returns the status of an access; if it has failed, the message says why. */
static bh_status accessed(const bh_chip *chip, const char *verb, const struct tile *tile, enum bh_core core,
                          uint32_t address, size_t size, bh_status status, const char *why) {
    if (status == BH_OK)
        return BH_OK;
    return chip_fail(chip, status, "%s 0x%x (%zu bytes) of %s of tile (%u,%u): %s", verb, address, size,
                     core_name(&tile->core[core]), tile->xy.x, tile->xy.y, why);
}

static bh_status find_core(const bh_chip *chip, struct bh_xy at, enum bh_core core, struct tile **tile) {
    if ((unsigned)core >= BH_CORE_COUNT)
        return chip_fail(chip, BH_ERR_ARGUMENT, "core %d: there are %d", (int)core, BH_CORE_COUNT);
    return find(chip, at, 1u << core, tile);
}

bh_status bh_core_peek(const bh_chip *chip, struct bh_xy at, enum bh_core core, uint32_t address, void *data,
                       size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    struct tile *tile = NULL;
    const char *why = "";
    bh_status status = find_core(chip, at, core, &tile);
    if (status != BH_OK)
        return status;
    status = tile_core_peek(tile, core, address, data, size, &why);
    return accessed(chip, "peek at", tile, core, address, size, status, why);
}

bh_status bh_core_poke(bh_chip *chip, struct bh_xy at, enum bh_core core, uint32_t address, const void *data,
                       size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    struct tile *tile = NULL;
    const char *why = "";
    bh_status status = find_core(chip, at, core, &tile);
    if (status != BH_OK)
        return status;
    chip->host_changes++;
    chip->touched[tile->index] = true;
    status = tile_core_poke(tile, core, address, data, size, &why);
    return accessed(chip, "poke at", tile, core, address, size, status, why);
}

/* ---- Snapshots -------------------------------------------------------------------------------------------- */

bh_status bh_snapshot_take(bh_chip *chip, bh_snapshot **snapshot) {
    struct state_out out = { 0 };
    const bh_snapshot head = { 0 };
    if (!chip || !snapshot)
        return chip_null(chip, "snapshot");
    *snapshot = NULL;
    if (chip->in_run || atomic_load_explicit(&chip->is_broken, memory_order_relaxed))
        return chip_fail(chip, BH_ERR_STATE,
                         "bh_snapshot_take: a run is under way, or has ended with an internal error");
    state_put(&out, &head, sizeof head);
    bh_status status = save_chip(chip, &out);
    void *smaller = status == BH_OK ? realloc(out.bytes, out.count) : NULL;
    if (status != BH_OK) {
        free(out.bytes);
        return status;
    }
    *snapshot = smaller ? smaller : (void *)out.bytes;
    (*snapshot)->size = out.count - sizeof head;
    return BH_OK;
}

bh_status bh_snapshot_restore(bh_chip *chip, const bh_snapshot *snapshot) {
    struct save_bytes bytes;
    if (!chip || !snapshot)
        return chip_null(chip, "snapshot");
    if (chip->in_run)
        return chip_fail(chip, BH_ERR_STATE, "bh_snapshot_restore: a run is under way");
    if (chip->is_member)
        return chip_fail(chip, BH_ERR_STATE, "bh_snapshot_restore: the chip belongs to a system, and its time with it");
    if (!save_bytes_make(&bytes, snapshot->size))
        return chip_fail(chip, BH_ERR_MEMORY, "no memory left for the saved state");
    memcpy(bytes.at, snapshot->bytes, snapshot->size);
    return save_restore(chip, &bytes);
}

size_t bh_snapshot_size(const bh_snapshot *snapshot) {
    return snapshot ? snapshot->size : 0;
}

void bh_snapshot_free(bh_snapshot *snapshot) {
    free(snapshot);
}

uint64_t bh_host_changes(const bh_chip *chip) {
    return chip ? chip->host_changes : 0;
}
