/* Public functions about hazards: see hazard/hazard.h. */
#include "chip/chip.h"
#include "tile/hazards.h"

static void wire(struct bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip->hazards || chip->made[i] ? chip_made(chip, i) : NULL;
        struct hazard_tile *found = NULL;
        if (chip->hazards && !(found = hazards_tile(chip->hazards, tile->site, tile->xy, tile_l1_size(tile))))
            hazard_no_memory(chip->hazards);
        if (tile)
            tile_find_hazards(tile, found);
    }
}

void chip_free_hazards(struct bh_chip *chip) {
    hazards_free(chip->hazards);
    chip->hazards = NULL;
}

void chip_find_hazards_again(struct bh_chip *chip) {
    wire(chip);
}

bh_status bh_check(bh_chip *chip, bool on) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    if (on && chip_is_loose(chip))
        return chip_fail(chip, BH_ERR_STATE, "bh_check: hazards need cycle timing");
    chip_free_hazards(chip);
    bh_status status = BH_OK;
    if (on && !(chip->hazards = hazards_make(NOC_SITES)))
        status = chip_fail(chip, BH_ERR_MEMORY, "bh_check: no memory");
    wire(chip);
    return status;
}

size_t bh_hazard_count(const bh_chip *chip) {
    return chip && chip->hazards ? hazards_count(chip->hazards) : 0;
}

bh_status bh_hazard_at(const bh_chip *chip, size_t index, struct bh_hazard *hazard) {
    if (!chip || !hazard || index >= bh_hazard_count(chip))
        return BH_ERR_ARGUMENT;
    *hazard = *hazards_at(chip->hazards, index);
    return BH_OK;
}

bool bh_check_incomplete(const bh_chip *chip) {
    return chip && chip->hazards && hazards_incomplete(chip->hazards);
}
