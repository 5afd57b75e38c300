/* Public functions about hazards: see hazard/hazard.h. */
#include "chip/chip.h"
#include "noc/route.h"
#include "tile/hazards.h"

static void wire(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        bool is_new = !chip->touched[i] && chip->time == 0;
        struct tile *tile = chip->hazards || chip->made[i] ? chip_made(chip, i) : NULL;
        struct hazard_tile *found = NULL;
        if (chip->hazards && !(found = hazard_search_tile(chip->hazards, tile->site, tile->xy, tile_l1_size(tile))))
            hazard_no_memory(chip->hazards);
        if (found && is_new && !hazard_watch_unwritten(found))
            hazard_no_memory(chip->hazards);
        if (tile)
            tile_find_hazards(tile, found);
        if (found)
            tile_hazards_begin(tile, is_new);
    }
}

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

void chip_hazards_multicast_left(struct bh_chip *chip, const struct transaction *transaction,
                                 struct noc_sites receivers) {
    const struct noc_request *request = &transaction->request;
    struct hazard_tile *sender = hazard_tile_of(chip->hazards, request->source);
    struct noc_sites all = route_area(request->noc, request->source, &request->area);
    unsigned count = noc_sites_has(&all, request->source) &&
                     niu_takes_multicast(&exchange_niu(chip, request->source)[request->noc]); /* its own copy */
    while (noc_sites_next(&receivers) != NOC_NOWHERE)
        count++;
    if (sender)
        tile_hazards_multicast_left(sender, transaction, count);
}

/* Returns the bank of a DRAM site, NULL for other sites. A bank has several sites, of which the first stands for
 * all. */
static struct hazard_tile *bank_of(struct bh_chip *chip, unsigned site) {
    const struct bh_tile_info *info = &chip->topology.site[site], *first = chip->topology.site;
    if (info->kind != BH_TILE_DRAM || info->harvested)
        return NULL;
    while (first->kind != BH_TILE_DRAM || first->index != info->index)
        first++;
    unsigned number = (unsigned)(first - chip->topology.site);
    struct hazard_tile *bank = hazard_search_tile(chip->hazards, number, first->translated, DRAM_BANK_SIZE);
    if (bank)
        bank->is_dram = true;
    else
        hazard_no_memory(chip->hazards);
    return bank;
}

void chip_hazards_arrived(struct bh_chip *chip, unsigned site, const struct transaction *transaction, uint64_t time) {
    struct hazard_tile *bank = bank_of(chip, site);
    if (bank)
        tile_hazards_arrived(bank, transaction, time);
}

void chip_hazards_written(struct bh_chip *chip, unsigned site, uint64_t address, size_t size) {
    struct hazard_tile *bank = bank_of(chip, site);
    for (uint32_t part; bank && size; size -= part, address += part) {
        part = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX);
        hazard_forget(bank, (uint32_t)address, part);
    }
}

/* ---- Public ------------------------------------------------------------------------------------------------------ */

void chip_free_hazards(struct bh_chip *chip) {
    hazard_search_free(chip->hazards);
    chip->hazards = NULL;
}

void chip_find_hazards_again(struct bh_chip *chip) {
    wire(chip);
}

/* The check goes on as if it had begun now. Tiles in their power-on state are as new as before. */
void chip_hazards_loaded(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip->made[i] ? chip->tile[i] : NULL;
        if (!tile || !tile->mail.hazards || (!chip->touched[i] && chip->time == 0))
            continue;
        hazard_all_written(tile->mail.hazards);
        tile_hazards_begin(tile, false);
    }
}

bh_status bh_check(bh_chip *chip, bool on) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (on && chip_is_loose(chip))
        return chip_fail(chip, BH_ERR_STATE, "bh_check: hazards need cycle timing");
    chip_free_hazards(chip);
    bh_status status = BH_OK;
    if (on && !(chip->hazards = hazard_search_make(NOC_SITES)))
        status = chip_fail(chip, BH_ERR_MEMORY, "bh_check: no memory");
    wire(chip);
    return status;
}

bh_status bh_check_end(bh_chip *chip, uint32_t address, uint32_t size, uint8_t value) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (!chip->hazards)
        return chip_fail(chip, BH_ERR_STATE, "bh_check_end: the chip is not checked");
    if (address >= CORE_L1_SIZE || size > CORE_L1_SIZE - address)
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_check_end: 0x%x bytes at 0x%x are not in L1", size, address);
    if (!hazard_search_end_at(chip->hazards, address, size, value))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_check_end: there are too many ranges");
    return BH_OK;
}

/* Returns the tile with cores at a site; NULL if there is none. */
static struct tile *tile_of(struct bh_chip *chip, unsigned site) {
    struct tile *tile = chip->made[site] ? chip_made(chip, site) : NULL;
    return tile && tile->mail.hazards ? tile : NULL;
}

bh_status bh_check_firmware(bh_chip *chip, const struct bh_check_firmware *f) {
    if (!chip || !f)
        return chip_null(chip, "firmware");
    if (!chip->hazards)
        return chip_fail(chip, BH_ERR_STATE, "bh_check_firmware: the chip is not checked");
    if (!f->launch_count || f->cb_mask_size > 8 || f->cb_count > HAZARD_CBS)
        return chip_fail(chip, BH_ERR_ARGUMENT,
                         "bh_check_firmware: there is no launch message, or more than 64 circular buffers");
    if (!hazard_search_firmware(chip->hazards, f))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_check_firmware: there are too many");
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (tile_of(chip, i))
            tile_hazards_note_cores(tile_of(chip, i));
    return BH_OK;
}

bh_status bh_check_buffer(bh_chip *chip, struct bh_xy xy, const char *name, uint32_t address) {
    if (!chip || !name)
        return chip_null(chip, "name");
    if (!chip->hazards)
        return chip_fail(chip, BH_ERR_STATE, "bh_check_buffer: the chip is not checked");
    struct tile *tile;
    bh_status status = chip_tile(chip, xy, &tile);
    if (status != BH_OK)
        return status;
    if (!tile->mail.hazards)
        return chip_fail(chip, BH_ERR_MEMORY, "bh_check_buffer: no memory");
    if (!hazard_kit_buffer(tile->mail.hazards, name, address))
        return chip_fail(chip, BH_ERR_ARGUMENT, "bh_check_buffer: tile %u,%u has too many", xy.x, xy.y);
    return BH_OK;
}

bh_status bh_check_finish(bh_chip *chip) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (!chip->hazards)
        return chip_fail(chip, BH_ERR_STATE, "bh_check_finish: the chip is not checked");
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (tile_of(chip, i))
            tile_hazards_end_cores(tile_of(chip, i));
    return BH_OK;
}

size_t bh_hazard_count(const bh_chip *chip) {
    return chip && chip->hazards ? hazard_search_count(chip->hazards) : 0;
}

bh_status bh_hazard_at(const bh_chip *chip, size_t index, struct bh_hazard *hazard) {
    if (!chip || !hazard)
        return chip_null(chip, "hazard");
    if (index >= bh_hazard_count(chip))
        return chip_fail(chip, BH_ERR_ARGUMENT, "hazard %zu: there are %zu, from 0", index, bh_hazard_count(chip));
    *hazard = *hazard_search_at(chip->hazards, index);
    return BH_OK;
}

bool bh_check_incomplete(const bh_chip *chip) {
    return chip && chip->hazards && hazard_search_incomplete(chip->hazards);
}
