/* Creation and reset of a chip: the arena, the tiles, and their identities. See chip.h.
 *
 * Arena: struct tile x 140, marks x 140 | packet pools, tiles and marks of Ethernet | per tile: L1, decoded slots,
 * staged local memories | memory of ARC. The first part is small and hot, and lies in huge pages if the host has them.
 * The memory of a tile stays untouched until its first use, which initialises the tile in its power-on state. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/line.h"
#include "chip/chip.h"
#include "chip/pool.h"
#include "chip/save.h"
#include "chip/vary.h"
#include "tile/eth_firmware.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, LINE = 64, STAGE_BYTES = BH_CORE_COUNT * CORE_LDM_MAX };

bh_status chip_fail(const struct bh_chip *chip, bh_status status, const char *format, ...) {
    struct bh_chip *owner = (struct bh_chip *)chip;
    va_list args;
    va_start(args, format);
    line_put_list(owner->message, sizeof owner->message, format, args);
    va_end(args);
    return status;
}

bh_status chip_null(const struct bh_chip *chip, const char *what) {
    return chip ? chip_fail(chip, BH_ERR_ARGUMENT, "%s is NULL", what) : BH_ERR_ARGUMENT;
}

/* ---- The arena -------------------------------------------------------------------------- */

static size_t round_up(size_t size, size_t to) {
    return (size + to - 1) / to * to;
}

/* A tile takes one cache line more than it needs, so that the same field of different tiles does not compete for one
 * cache set. */
static size_t tile_stride(void) {
    return round_up(sizeof(struct tile), LINE) + LINE;
}

static size_t packet_pool_stride(void) {
    return round_up(sizeof(struct packet_pool), LINE);
}

/* Returns an offset for the memories of a tile, which begin at another line of a page in each tile. Tiles run the same
 * programs at the same addresses, and would compete for the same cache sets otherwise. */
static size_t colour(unsigned tile) {
    return (size_t)(tile * 11 % (PAGE / LINE)) * LINE;
}

/* Returns the next offset in the arena, and advances by whole pages. */
static size_t take(size_t *used, size_t size) {
    size_t here = *used;
    *used += round_up(size, PAGE);
    return here;
}

/* The layout of the arena, in offsets. Storage of tiles is given by the offset of the first tile and a stride. */
struct arena_plan {
    size_t tiles, marks, memo, hot_end, pools, eth_tiles, eth_marks;
    size_t l1, slots, stage, stride;
    size_t arc_csm, size;
};

static struct arena_plan plan_arena(void) {
    struct arena_plan plan;
    size_t used = 0;
    plan.tiles = take(&used, tile_stride() * TOPOLOGY_TENSIX);
    plan.marks = take(&used, TILE_MARKS * TOPOLOGY_TENSIX);
    plan.memo = take(&used, sizeof(struct slot_memo));
    plan.hot_end = used = round_up(used, HUGE_PAGE);
    plan.pools = take(&used, packet_pool_stride() * BH_THREADS_MAX); /* also used by a chip that does nothing */
    plan.eth_tiles = take(&used, tile_stride() * TOPOLOGY_ETH);
    plan.eth_marks = take(&used, TILE_MARKS * TOPOLOGY_ETH);
    plan.l1 = take(&used, CORE_L1_SIZE + PAGE);
    plan.slots = take(&used, TILE_SLOT_BYTES + PAGE);
    plan.stage = take(&used, STAGE_BYTES);
    plan.stride = used - plan.l1;
    used += (TOPOLOGY_TILES - 1) * plan.stride;
    plan.arc_csm = take(&used, ARC_CSM_SIZE);
    plan.size = used;
    return plan;
}

static struct tile *tile_storage(const struct bh_chip *chip, const struct arena_plan *plan, unsigned i) {
    size_t at = i >= TOPOLOGY_TENSIX ? plan->eth_tiles + (i - TOPOLOGY_TENSIX) * tile_stride()
                                     : plan->tiles + i * tile_stride();
    return (struct tile *)(void *)(chip->arena + at);
}

static void deal_out(struct bh_chip *chip) {
    const struct arena_plan plan = plan_arena();
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        chip->tile[i] = tile_storage(chip, &plan, i);
        chip->stage[i] = chip->arena + plan.stage + i * plan.stride;
    }
    for (unsigned i = 0; i < BH_THREADS_MAX; i++)
        chip->packet_pool[i] = (struct packet_pool *)(void *)(chip->arena + plan.pools + i * packet_pool_stride());
    chip->arc.csm = chip->arena + plan.arc_csm;
}

static void wire_storage(const struct bh_chip *chip, unsigned i) {
    const struct arena_plan plan = plan_arena();
    struct tile *tile = chip->tile[i];
    uint8_t *storage = chip->arena + i * plan.stride;
    tile->memo = (struct slot_memo *)(void *)(chip->arena + plan.memo);
    tile->l1 = storage + plan.l1 + colour(i);
    tile->slots = (struct rv_slot *)(void *)(storage + plan.slots + colour(i + 32));
    tile->marks = i >= TOPOLOGY_TENSIX ? chip->arena + plan.eth_marks + (i - TOPOLOGY_TENSIX) * TILE_MARKS
                                       : chip->arena + plan.marks + i * TILE_MARKS;
}

/* Maps `size` bytes, aligned to a huge page. */
static uint8_t *map_aligned(size_t size) {
    size_t mapped = size + HUGE_PAGE;
    uint8_t *at = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    size_t before = round_up((uintptr_t)at, HUGE_PAGE) - (uintptr_t)at;
    if (before)
        (void)munmap(at, before);
    if (before < HUGE_PAGE)
        (void)munmap(at + before + size, HUGE_PAGE - before);
    return at + before;
}

static bool map_arena(struct bh_chip *chip) {
    const struct arena_plan plan = plan_arena();
    chip->arena = map_aligned(plan.size);
    if (!chip->arena)
        return false;
    chip->arena_size = plan.size;
    /* With 700 running cores the host's TLB is the bottleneck, hence huge pages. After the hot part they would make one
     * used byte of each L1 cost two megabytes. */
    (void)madvise(chip->arena, plan.hot_end, MADV_HUGEPAGE);
    (void)madvise(chip->arena + plan.hot_end, plan.size - plan.hot_end, MADV_NOHUGEPAGE);
    return true;
}

/* ---- Power-on ----------------------------------------------------------------------------- */

/* Returns the skew if the user gives none. A core that has run ahead and accesses the coprocessor makes it run ahead of
 * the other cores as well, whose pushes then come late. A larger skew costs less, but beyond this value the gain is
 * small (docs/timing.md). With loose timing nothing can be late. */
static unsigned default_skew(const struct bh_chip *chip) {
    return chip_is_loose(chip) ? BH_SKEW_MAX : BH_SKEW_MAX / 4;
}

static void identify_tile(const struct bh_chip *chip, struct tile *tile, unsigned index) {
    const struct bh_tile_info *info = &chip->topology.site[topology_tile_site(&chip->topology, index)];
    tile->xy = info->translated;
    tile->noc0 = info->noc0;
    tile->index = index;
    tile->number = info->index;
    tile->kind = info->kind == BH_TILE_ETH ? TILE_KIND_ETH : TILE_KIND_TENSIX;
    tile->skew = chip->config.skew ? chip->config.skew : default_skew(chip);
    tile->debug_flaws = chip->config.debug_flaws;
    tile->tensix.loose = chip_is_loose(chip);
}

struct eth_identity chip_eth_identity(const struct bh_chip *chip, unsigned channel) {
    return (struct eth_identity){
        .board_id = topology_board_id(&chip->config),
        .asic_id = topology_asic_id(&chip->config),
        .location = chip->config.location,
        .channel = (uint8_t)channel,
        .live_channel = chip->topology.site[chip->topology.eth_site[channel]].logical.y,
    };
}

void chip_init_tile(struct bh_chip *chip, unsigned index) {
    struct tile *tile = chip->tile[index];
    chip->made[index] = true;
    wire_storage(chip, index);
    exchange_join(chip, index);
    identify_tile(chip, tile, index);
    tile->port = &chip_tile_port;
    tile->owner = chip;
    tile->error = (struct internal_error){ .pending = &chip->is_broken };
    tile_init(tile);
    if (BH_UNLIKELY(chip->vary != NULL))
        chip_vary_tile(chip, index);
    if (BH_UNLIKELY(chip->debug != NULL))
        chip_debug_tile(chip, index);
    if (tile->kind != TILE_KIND_ETH)
        return;
    tile->eth_port = chip->eth_port[index - TOPOLOGY_TENSIX];
    const struct eth_identity identity = chip_eth_identity(chip, index - TOPOLOGY_TENSIX);
    eth_firmware_init(tile, &identity);
    chip->touched[index] = true;
}

/* A loaded tile that is only read now has no packets, so the read cannot run out of memory. */
void chip_make_tile(struct bh_chip *chip, unsigned index) {
    chip_init_tile(chip, index);
    if (BH_UNLIKELY(chip->unread != NULL) && chip->unread->tile[index].at)
        (void)save_read_tile(chip, index);
    if (BH_UNLIKELY(chip->debug != NULL))
        chip_debug_tile(chip, index); /* the load has overwritten the marks of L1 */
}

static void init_niu(const struct bh_chip *chip, struct niu *niu, unsigned noc, const struct bh_tile_info *info) {
    niu_init(niu, noc, info->noc0, info->translated, topology_endpoint_class(info), topology_endpoint_index(info));
    niu_configure(niu, &chip->exchange.grid);
}

static void init_small_tiles(struct bh_chip *chip) {
    unsigned count = 0;
    for (unsigned site = 0; site < TOPOLOGY_SITES; site++) {
        const struct bh_tile_info *info = &chip->topology.site[site];
        chip->small_index[site] = TOPOLOGY_NONE;
        if (topology_tile(info) != TOPOLOGY_NONE)
            continue;
        chip->small_index[site] = (uint8_t)count;
        if (info->kind == BH_TILE_PCIE && !info->harvested)
            chip->pcie_small = (uint8_t)count;
        for (unsigned noc = 0; noc < 2; noc++)
            init_niu(chip, &chip->small_niu[count][noc], noc, info);
        count++;
    }
    BH_ASSERT(count == CHIP_SMALL_TILES);
}

static void power_on(struct bh_chip *chip) {
    deal_out(chip);
    exchange_reset(chip);
    chip->idle = true;
    chip->unsettled = chip->commanded = false;
    chip->open_ended_epoch = false;
    chip->only_tile = TOPOLOGY_NONE;
    init_small_tiles(chip);
    pcie_init(&chip->pcie);
    arc_init(&chip->arc, &chip->config);
    if (chip->hazards)
        chip_find_hazards_again(chip);
    if (chip->debug)
        chip_debug_again(chip);
    if (chip->observers)
        chip_watch_again(chip);
}

void chip_reset(struct bh_chip *chip) {
    chip->host_changes++;
    exchange_free(chip); /* while tiles still have their storage */
    atomic_store_explicit(&chip->is_broken, false, memory_order_relaxed);
    atomic_store_explicit(&chip->error.where, NULL, memory_order_relaxed);
    (void)BH_CHECK(&chip->error, madvise(chip->arena, chip->arena_size, MADV_DONTNEED) == 0);
    dram_reset(&chip->dram);
    chip->time = chip->epoch_end = chip->quiet_since = 0;
    atomic_store_explicit(&chip->fault_pending, false, memory_order_relaxed);
    memset(chip->awake, 0, sizeof chip->awake);
    memset(chip->queued, 0, sizeof chip->queued);
    memset(chip->held, 0, sizeof chip->held);
    memset(chip->waiting, 0, sizeof chip->waiting);
    memset(chip->fresh_faults, 0, sizeof chip->fresh_faults);
    memset(chip->touched, 0, sizeof chip->touched);
    memset(chip->made, 0, sizeof chip->made);
    memset(chip->staged, 0, sizeof chip->staged);
    memset(chip->coming, 0, sizeof chip->coming);
    save_forget(chip);
    power_on(chip);
}

static bh_status check_config(struct bh_chip *chip, const struct bh_config *config) {
    const char *wrong = topology_init(&chip->topology, config);
    if (!wrong && config->threads > BH_THREADS_MAX)
        wrong = "threads: more than 64";
    if (!wrong && config->skew > BH_SKEW_MAX)
        wrong = "skew: more than 128 cycles";
    if (!wrong && config->timing != BH_TIMING_CYCLES && config->timing != BH_TIMING_LOOSE)
        wrong = "timing: neither cycles nor loose";
    if (!wrong && config->epoch > CHIP_EPOCH)
        wrong = "epoch: more than 256 cycles";
    return wrong ? chip_fail(chip, BH_ERR_ARGUMENT, "configuration: %s", wrong) : BH_OK;
}

bh_status chip_init(struct bh_chip *chip, const struct bh_config *config) {
    bh_status status = check_config(chip, config);
    if (status != BH_OK)
        return status;
    chip->config = *config;
    chip->error.pending = &chip->is_broken;
    exchange_init(chip);
    if (!map_arena(chip) || !dram_init(&chip->dram, &chip->error))
        return chip_fail(chip, BH_ERR_MEMORY, "no address space for the chip's memories");
    power_on(chip);
    chip->threads = config->threads ? config->threads : pool_default_threads();
    return BH_OK;
}

void chip_free(struct bh_chip *chip) {
    pool_destroy(chip->pool);
    chip_free_observers(chip);
    chip_free_hazards(chip);
    chip_free_vary(chip);
    chip_free_debug(chip);
    save_forget(chip);
    free(chip->unreported);
    if (chip->tile[0])
        exchange_free(chip);
    dram_free(&chip->dram);
    if (chip->arena)
        munmap(chip->arena, chip->arena_size);
}
