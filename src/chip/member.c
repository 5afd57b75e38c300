/* A chip as a member of a system: see member.h. */
#include "chip/member.h"

#include "base/order.h"
#include "chip/chip.h"
#include "chip/run.h"
#include "tile/eth_firmware.h"

void member_init(bh_chip *chip, uint64_t time) {
    chip->is_member = true;
    chip->time = chip->epoch_end = chip->quiet_since = time;
}

bh_status member_run(bh_chip *chip, uint64_t until, bool *faulted, struct bh_fault *fault) {
    return run_member(chip, until, faulted, fault);
}

bool member_is_idle(const bh_chip *chip) {
    return chip->idle;
}

bool member_calls_user(const bh_chip *chip) {
    const struct bh_config *config = &chip->config;
    return config->host_read || config->host_write || chip->debug || chip->hazards || chip->observers || chip->vary;
}

void member_report(bh_chip *chip) {
    for (uint32_t i = 0; i < chip->unreported_count; i++)
        chip->config.on_fault(chip->config.user, chip, &chip->unreported[i]);
    chip->unreported_count = 0;
    if (chip->exchange.warning_count)
        exchange_warn(chip);
}

bool member_is_deadlocked(const bh_chip *chip, struct bh_fault *fault) {
    return chip_deadlock(chip, fault);
}

unsigned member_waiting(const bh_chip *chip) {
    return run_count_waiting(chip);
}

/* ---- Ports ------------------------------------------------------------------------------------------------- */

/* Returns the channel of a port; TOPOLOGY_ETH if the chip has no such port. */
static unsigned channel_of(const struct bh_chip *chip, unsigned port) {
    for (unsigned channel = 0; channel < TOPOLOGY_ETH; channel++) {
        const struct bh_tile_info *info = &chip->topology.site[chip->topology.eth_site[channel]];
        if (!info->harvested && info->logical.y == port)
            return channel;
    }
    return TOPOLOGY_ETH;
}

struct tile *member_eth_tile(bh_chip *chip, unsigned port) {
    return chip_made(chip, TOPOLOGY_TENSIX + channel_of(chip, port));
}

bool member_has_port(const bh_chip *chip, unsigned port) {
    return channel_of(chip, port) < TOPOLOGY_ETH;
}

/* A tile that was never used learns about its cable at its first use (chip_init_tile). */
void member_connect(bh_chip *chip, unsigned port, struct eth_port *to) {
    unsigned channel = channel_of(chip, port);
    chip->eth_port[channel] = to;
    if (chip->made[TOPOLOGY_TENSIX + channel])
        chip->tile[TOPOLOGY_TENSIX + channel]->eth_port = to;
}

struct eth_identity member_identity(const bh_chip *chip, unsigned port) {
    return chip_eth_identity(chip, channel_of(chip, port));
}

/* Also ends an epoch that the end of a run has cut short: its length depends on what is due (run.c). */
static void wake(struct bh_chip *chip, struct tile *tile, uint64_t time) {
    chip->epoch_end = smaller(chip->epoch_end, chip->time);
    chip_wake(chip, tile->index, later(time, chip->time));
}

void member_expect(bh_chip *chip, unsigned port) {
    struct tile *tile = member_eth_tile(chip, port);
    eth_touched(tile);
    if (tile->late_due != UINT64_MAX)
        wake(chip, tile, tile->late_due);
}

/* A tile that was never used learns about its link at its first use. */
void member_link_changed(bh_chip *chip, unsigned port) {
    chip->host_changes++;
    if (!chip->made[TOPOLOGY_TENSIX + channel_of(chip, port)])
        return;
    struct tile *tile = member_eth_tile(chip, port);
    if (tile->time < chip->time)
        tile->time = chip->time;
    eth_firmware_link(tile);
    eth_touched(tile);
    tile_event(tile, chip->time);
    wake(chip, tile, smaller(tile->late_due, chip->time));
}
