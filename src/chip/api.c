/* Public functions about the tiles, memories and cores of a chip. They check their arguments and call the chip. */
#include <string.h>

#include "chip/chip.h"
#include "numeric/lanes/lanes.h"

/* ---- Names and configuration -------------------------------------------------------------------- */

const char *bh_tile_kind_name(enum bh_tile_kind kind) {
    static const char *const name[BH_TILE_KIND_COUNT] = {
        "Tensix", "DRAM", "Ethernet", "PCI Express", "ARC", "L2CPU", "security", "router-only",
    };
    return (unsigned)kind < BH_TILE_KIND_COUNT ? name[kind] : "unknown tile";
}

void bh_config_board(struct bh_config *config, enum bh_board board) {
    if (!config)
        return;
    *config = (struct bh_config){ .board = board };
    topology_defaults(config);
}

void bh_config_init(struct bh_config *config) {
    bh_config_board(config, BH_BOARD_P150);
}

const char *bh_message(const bh_chip *chip) {
    return chip ? chip->message : "";
}

/* ---- Tiles -------------------------------------------------------------------------------------- */

bh_status bh_tile_at(const bh_chip *chip, unsigned index, struct bh_tile_info *info) {
    if (!chip || !info)
        return chip_null(chip, "info");
    if (index >= TOPOLOGY_SITES)
        return chip_fail(chip, BH_ERR_ARGUMENT, "tile index %u: there are %d", index, TOPOLOGY_SITES);
    *info = chip->topology.site[index];
    return BH_OK;
}

bh_status bh_tile_find(const bh_chip *chip, struct bh_xy tile, struct bh_tile_info *info) {
    if (!chip || !info)
        return chip_null(chip, "info");
    unsigned site = topology_find(&chip->topology, 0, tile);
    if (site == TOPOLOGY_NONE)
        return chip_fail(chip, BH_ERR_COORDINATE, "there is no tile at (%u,%u)", tile.x, tile.y);
    *info = chip->topology.site[site];
    return BH_OK;
}

const char *bh_core_name_at(const bh_chip *chip, struct bh_xy tile, enum bh_core core) {
    unsigned site = chip ? topology_find(&chip->topology, 0, tile) : TOPOLOGY_NONE;
    if (site == TOPOLOGY_NONE || chip->topology.site[site].kind != BH_TILE_ETH)
        return bh_core_name(core);
    return core == BH_ERISC0 || core == BH_ERISC1 ? eth_core_name(core) : bh_core_name(BH_CORE_COUNT);
}

/* The casts drop const: the message, and the clocks of sleeping tiles, change although the state of the chip does
 * not. */
static bh_status request(const bh_chip *chip, struct bh_xy tile, enum chip_op op, uint64_t address, const void *data,
                         size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    ((bh_chip *)(uintptr_t)chip)->host_changes += op != CHIP_PEEK;
    struct chip_request asked = { .op = op, .address = address, .data = (void *)(uintptr_t)data, .size = size };
    return chip_access_at((bh_chip *)(uintptr_t)chip, tile, &asked);
}

bh_status bh_read(bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size) {
    return request(chip, tile, CHIP_READ, address, data, size);
}

bh_status bh_write(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size) {
    return request(chip, tile, CHIP_WRITE, address, data, size);
}

bh_status bh_peek(const bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size) {
    return request(chip, tile, CHIP_PEEK, address, data, size);
}

bh_status bh_poke(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size) {
    return request(chip, tile, CHIP_POKE, address, data, size);
}

/* ---- Reset ---------------------------------------------------------------------------------------- */

/* Reads SOFT_RESET_0, changes the bits of the cores, and writes it back, as software does. */
static bh_status set_reset(bh_chip *chip, struct bh_xy at, unsigned cores, bool hold, struct tile **tile) {
    uint32_t value;
    bh_status status = chip_tile(chip, at, tile);
    if (status == BH_OK && cores & ~tile_cores(*tile))
        status = chip_fail(chip, BH_ERR_ARGUMENT, "cores 0x%x: only the bits of 0x%x name a core of the tile", cores,
                           tile_cores(*tile));
    if (status == BH_OK)
        status = bh_read(chip, at, (uint32_t)REG_AT_CONTROL_SOFT_RESET_0, &value, sizeof value);
    if (status != BH_OK)
        return status;
    uint32_t bits = (*tile)->kind == TILE_KIND_ETH ? eth_reset_bits(cores) : tile_reset_bits(cores);
    value = hold ? value | bits : value & ~bits;
    return bh_write(chip, at, (uint32_t)REG_AT_CONTROL_SOFT_RESET_0, &value, sizeof value);
}

bh_status bh_hold(bh_chip *chip, struct bh_xy tile, unsigned cores) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    struct tile *owner;
    return set_reset(chip, tile, cores, true, &owner);
}

static unsigned held_cores(const struct tile *tile) {
    unsigned held = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        held |= (unsigned)(tile->core[core].state == BH_CORE_IN_RESET) << core;
    return held;
}

/* A core that leaves reset clears its local memory; images that bh_load_elf has staged are copied after that. */
bh_status bh_release(bh_chip *chip, struct bh_xy at, unsigned cores) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    struct tile *tile;
    bh_status status = chip_tile(chip, at, &tile);
    if (status != BH_OK)
        return status;
    unsigned fresh = held_cores(tile) & cores & chip->staged[tile->index];
    status = set_reset(chip, at, cores, false, &tile);
    for (unsigned core = 0; core < BH_CORE_COUNT && status == BH_OK; core++)
        if (fresh >> core & 1)
            memcpy(tile->core[core].ldm, chip->stage[tile->index] + core * CORE_LDM_MAX, tile->core[core].ldm_size);
    return status;
}

/* ---- Cores ------------------------------------------------------------------------------------------ */

/* Returns NULL, sets the message and puts the status into *status, if there is no such core. */
static struct core *find_core(const bh_chip *chip, struct bh_xy at, enum bh_core core, bh_status *status) {
    struct tile *tile;
    if ((unsigned)core >= BH_CORE_COUNT) {
        *status = chip_fail(chip, BH_ERR_ARGUMENT, "core %d: there are %d", (int)core, BH_CORE_COUNT);
        return NULL;
    }
    *status = chip_tile(chip, at, &tile);
    if (*status == BH_OK && !(tile_cores(tile) >> core & 1))
        *status =
            chip_fail(chip, BH_ERR_ARGUMENT, "an Ethernet tile such as (%u,%u) has no core %d", at.x, at.y, (int)core);
    return *status == BH_OK ? &tile->core[core] : NULL;
}

static bool waits(const struct core *core) {
    return core->state == BH_CORE_POLLING || core->state == BH_CORE_BLOCKED;
}

bh_status bh_core_query(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_core_info *info) {
    if (!chip || !info)
        return chip_null(chip, "info");
    bh_status status;
    uint64_t time, retired;
    const struct core *found = find_core(chip, tile, core, &status);
    if (!found)
        return status;
    core_observe(found, chip->time, &time, &retired);
    if (waits(found) && time < chip->time)
        time = chip->time; /* the core's own clock stands still while it waits */
    *info = (struct bh_core_info){
        .state = found->state,
        .pc = found->pc,
        .cycle = time,
        .retired = retired,
        .waits_on = waits(found) ? wait_text(found->waits_on) : "",
        .waits_at = waits(found) ? found->waits_at : 0,
    };
    return BH_OK;
}

static uint32_t *plain_register(struct core *core, unsigned reg) {
    const unsigned vector = reg - BH_REG_V0;
    if (core->id == BH_TRISC2 && vector < sizeof core->vec.v / 4)
        return (uint32_t *)(void *)core->vec.v + vector;
    if (reg < BH_REG_F0)
        return &core->x[reg];
    if (reg < BH_REG_PC)
        return &core->f[reg - BH_REG_F0];
    return reg == BH_REG_PC ? &core->pc : NULL;
}

static bool is_csr(unsigned reg) {
    return reg >= BH_REG_CSR && reg - BH_REG_CSR <= 0xFFF;
}

static bh_status no_register(const bh_chip *chip, unsigned reg) {
    if (is_csr(reg))
        return chip_fail(chip, BH_ERR_ARGUMENT, "the core has no such CSR: 0x%x", reg - BH_REG_CSR);
    return chip_fail(chip, BH_ERR_ARGUMENT, "there is no register %u", reg);
}

bh_status bh_core_get(const bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    bh_status status;
    struct core *found = find_core(chip, tile, core, &status);
    if (!found)
        return status;
    const uint32_t *plain = plain_register(found, reg);
    enum { STATUS = 0xBC0 }; /* CSRs from here on show the coprocessor, and reading them makes it run */
    if (chip->in_debug && reg >= BH_REG_CSR + STATUS && csr_shows_tile(found, reg - BH_REG_CSR))
        return chip_fail(chip, BH_ERR_STATE, "CSR 0x%x: not in the middle of a run", reg - BH_REG_CSR);
    if (plain)
        *value = *plain;
    else if (!is_csr(reg) || !csr_peek(found, reg - BH_REG_CSR, value))
        return no_register(chip, reg);
    return BH_OK;
}

/* Wakes the core, because with another register value it may no longer have to wait. */
static void look_again(bh_chip *chip, struct bh_xy at, struct core *core) {
    struct tile *tile;
    if (!waits(core) || chip_tile(chip, at, &tile) != BH_OK)
        return;
    core_wake(core, chip->time, 0);
    if (chip->in_debug)
        tile_reschedule(tile);
    else
        chip_tile_port.awake(chip, tile);
}

bh_status bh_core_set(bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t value) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status;
    struct core *found = find_core(chip, tile, core, &status);
    if (!found)
        return status;
    if (reg == BH_REG_X0)
        return BH_OK; /* x0 stays zero */
    if (reg == BH_REG_PC && (value % 4 || value >= found->l1_limit[0]))
        return chip_fail(chip, BH_ERR_ARGUMENT, "pc 0x%x: instructions are aligned words of L1", value);
    uint32_t *plain = plain_register(found, reg);
    if (!plain && !(is_csr(reg) && csr_exists(found, reg - BH_REG_CSR)))
        return no_register(chip, reg);
    chip->host_changes++;
    look_again(chip, tile, found);
    if (plain)
        *plain = value;
    else
        csr_write(found, reg - BH_REG_CSR, value);
    return BH_OK;
}

/* Tells the tile's debug interface that the core runs again, whatever the interface has done with it. */
static void forget_debugger(bh_chip *chip, struct bh_xy at, const struct core *core) {
    struct tile *tile;
    if (chip_tile(chip, at, &tile) == BH_OK)
        risc_debug_resumed(tile, core->id);
}

bh_status bh_core_resume(bh_chip *chip, struct bh_xy at, enum bh_core core) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status;
    struct core *found = find_core(chip, at, core, &status);
    if (!found)
        return status;
    if (found->state != BH_CORE_PAUSED)
        return chip_fail(chip, BH_ERR_STATE, "%s of tile (%u,%u) is not paused", core_name(found), at.x, at.y);
    chip->host_changes++;
    forget_debugger(chip, at, found);
    found->state = BH_CORE_BLOCKED; /* an observer sees the core wait in the instruction */
    look_again(chip, at, found);
    return BH_OK;
}

bh_status bh_core_fault(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_fault *fault) {
    if (!chip || !fault)
        return chip_null(chip, "fault");
    bh_status status;
    const struct core *found = find_core(chip, tile, core, &status);
    if (!found)
        return status;
    if (found->state != BH_CORE_FAULTED)
        return chip_fail(chip, BH_ERR_STATE, "%s of tile (%u,%u) has not faulted", core_name(found), tile.x, tile.y);
    *fault = found->fault;
    return BH_OK;
}

/* ---- Coverage ------------------------------------------------------------------------------ */

bh_status bh_coverage_at(const bh_chip *chip, unsigned index, struct bh_coverage *row) {
    if (!chip || !row)
        return chip_null(chip, "row");
    enum { RISCV_ROWS = RV_COUNT - 1 }; /* without RV_NONE */
    if (index >= RISCV_ROWS + TENSIX_ROW_COUNT)
        return chip_fail(chip, BH_ERR_ARGUMENT, "there is no instruction number %u", index);
    unsigned at = index < RISCV_ROWS ? index + 1 : index - RISCV_ROWS;
    bool tensix = index >= RISCV_ROWS;
    *row = (struct bh_coverage){ tensix ? tensix_rows[at].name : rv_row((enum rv_id)at)->name, tensix, 0 };
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        const struct coverage *coverage = &chip->tile[i]->coverage;
        row->words += tensix ? coverage->tensix[at] : coverage->riscv[at];
    }
    return BH_OK;
}

const char *bh_host_level(void) {
    return lanes_best()->level;
}
