/* Soft reset of the cores (SoftReset.md): the bits of SOFT_RESET_0, the state that a core loses, and its first pc. The
 * other bits are in tensix/reset.c.
 */
#include "tile/tile.h"

static const struct {
    uint8_t hold_bit;     /* bit of SOFT_RESET_0 */
    uint8_t keep_ldm_bit; /* bit of DISABLE_RESET */
} bits[BH_CORE_COUNT] = {
    [BH_BRISC] = { 11, 6 },  [BH_TRISC0] = { 12, 0 }, [BH_TRISC1] = { 13, 2 },
    [BH_TRISC2] = { 14, 4 }, [BH_NCRISC] = { 18, 8 },
};

uint32_t tile_reset_bits(unsigned cores) {
    uint32_t set = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        set |= (cores >> core & 1) << bits[core].hold_bit;
    return set;
}

uint32_t tile_first_pc(const struct tile *tile, unsigned core) {
    const uint32_t *value = tile->control.value;
    unsigned i = core - BH_TRISC0;
    if (tile->kind == TILE_KIND_ETH)
        return tile->eth.first_pc[core != eth_core(0)];
    if (tensix_has_thread(core) && (value[REG_CONTROL_TRISC_RESET_PC_OVERRIDE] >> i & 1))
        return value[REG_CONTROL_TRISC0_RESET_PC + i];
    if (core == BH_NCRISC && (value[REG_CONTROL_NCRISC_RESET_PC_OVERRIDE] & 1))
        return value[REG_CONTROL_NCRISC_RESET_PC];
    return tile->core[core].default_pc;
}

static void hold(struct tile *tile, unsigned core, uint64_t time) {
    if (tile->mail.hazards)
        hazard_core_stopped(tile->mail.hazards, core, time);
    if (tensix_has_thread(core))
        tensix_detach_row(&tile->tensix, core - BH_TRISC0);
    core_hold(&tile->core[core]);
    risc_debug_held(tile, core);
    if (core < MAILBOX_CORES)
        mailbox_clear(&tile->mailboxes, core);
    if (tensix_has_thread(core))
        pcbuf_reader_gone(&tile->pcbufs, core - BH_TRISC0);
}

static void release(struct tile *tile, unsigned core, uint64_t time) {
    bool keep_ldm = tile->control.value[REG_CONTROL_DISABLE_RESET] >> bits[core].keep_ldm_bit & 1;
    if (tensix_has_thread(core))
        pcbuf_clear(&tile->pcbufs, core - BH_TRISC0);
    core_release(&tile->core[core], tile_first_pc(tile, core), time, keep_ldm);
    if (tile->mail.hazards)
        hazard_core_starts(tile->mail.hazards, core, tile_first_pc(tile, core));
}

void tile_soft_reset(struct tile *tile, uint32_t old_value, uint32_t new_value, uint64_t time) {
    bool changed = false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        bool was_held = old_value >> bits[core].hold_bit & 1;
        bool is_held = new_value >> bits[core].hold_bit & 1;
        if (is_held && !was_held)
            hold(tile, core, time);
        if (was_held && !is_held)
            release(tile, core, time);
        changed |= is_held != was_held;
    }
    tensix_soft_reset(&tile->tensix, new_value, time);
    tile_tensix_touched(tile); /* words that waited for a unit may continue */
    tile_event(tile, time);
    if (changed)
        tile_reschedule(tile);
}
