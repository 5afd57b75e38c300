/* What the host does through a window: packets that the PCIe tile sends
 * (BlackholeA0/PCIExpressTile/HostToDeviceTLBs.md, WormholeB0/PCIExpressTile/TLBs.md). They take no time; the NIUs on
 * both ends count them as NoC/Counters.md says.
 *
 * Assumed: a packet carries at most one flit, 64 aligned bytes, which is what a processor makes of loads and stores;
 * "counted writes" ask for an acknowledgement like all but posted ones.
 */
#include "chip/chip.h"
#include "isa/memmap.h"

enum { COUNTERS = 0x200 }; /* in the NIU's registers */

static uint32_t packets_of(const struct chip_request *request) {
    if (request->size == 0)
        return 0;
    return (uint32_t)((request->address % NOC_FLIT + request->size + NOC_FLIT - 1) / NOC_FLIT);
}

/* ---- The receiver -------------------------------------------------------------------------------------- */

static struct niu *niu_at(struct bh_chip *chip, unsigned site, unsigned noc) {
    unsigned small = chip->small_index[site];
    struct niu *niu = small == TOPOLOGY_NONE ? chip_made(chip, topology_tile(&chip->topology.site[site]))->niu
                                             : chip->small_niu[small];
    return &niu[noc];
}

static void count_arrival(struct niu *niu, const struct chip_request *request, bool posted) {
    uint32_t n = packets_of(request);
    if (request->op == CHIP_READ) {
        niu->count[NIU_SLV_REQ_ACCEPTED] += n;
        niu->count[NIU_SLV_RD_REQ_RECEIVED] += n;
        return;
    }
    niu->count[NIU_SLV_WR_REQ_STARTED + posted] += n;
    niu->count[NIU_SLV_WR_DATA_WORD_RECEIVED + posted] += n;
    niu->count[NIU_SLV_WR_REQ_RECEIVED + posted] += n;
}

static void count_answer(struct niu *niu, const struct chip_request *request, bool posted) {
    uint32_t n = packets_of(request);
    if (request->op == CHIP_WRITE) {
        niu->count[NIU_SLV_WR_ACK_SENT] += posted ? 0 : n;
        return;
    }
    niu->count[NIU_SLV_RD_RESP_SENT] += n;
    niu->count[NIU_SLV_RD_DATA_WORD_SENT] += n;
}

/* Is the word one of those that count here? */
static bool is_arrival_counter(uint32_t address, unsigned noc) {
    uint32_t offset = address - memmap[noc ? MEMMAP_ROW_NIU1 : MEMMAP_ROW_NIU0].base - COUNTERS;
    return offset / 4 >= NIU_SLV_ATOMIC_RESP_SENT && offset / 4 < NIU_COUNTERS_USED;
}

/* A core that sleeps until such a counter moves has slept enough. */
static void wake_watchers(struct tile *tile, unsigned noc) {
    unsigned cores = 0;
    for (unsigned left = tile->niu_watchers; left; left &= left - 1) {
        const struct core *core = &tile->core[__builtin_ctz(left)];
        for (unsigned i = 0; core->state == BH_CORE_POLLING && i < core->watch_count; i++)
            if (is_arrival_counter(core->watch[i].address, noc))
                cores |= 1u << core->id;
    }
    if (cores)
        tile_event_at(tile, tile->time, cores);
}

static bh_status receive(struct bh_chip *chip, unsigned site, const struct chip_request *request, bool posted) {
    struct niu *niu = niu_at(chip, site, request->noc);
    count_arrival(niu, request, posted);
    bh_status status = chip_access(chip, site, request);
    if (status != BH_OK)
        return status;
    count_answer(niu, request, posted);
    if (chip->small_index[site] == TOPOLOGY_NONE) {
        struct tile *tile = chip->tile[topology_tile(&chip->topology.site[site])];
        if (__builtin_expect(tile->niu_watchers, 0))
            wake_watchers(tile, request->noc);
    }
    return BH_OK;
}

/* ---- The sender ---------------------------------------------------------------------------------------- */

static void count_sent(struct bh_chip *chip, const struct chip_request *request, bool posted, uint32_t receivers) {
    struct niu *niu = &chip->small_niu[chip->pcie_small][request->noc];
    uint32_t n = packets_of(request);
    niu->count[NIU_CMD_ACCEPTED] += n;
    if (request->op == CHIP_READ) {
        niu->count[NIU_RD_REQ_STARTED] += n;
        niu->count[NIU_RD_REQ_SENT] += n;
        niu->count[NIU_RD_RESP_RECEIVED] += n;
        niu->count[NIU_RD_DATA_WORD_RECEIVED] += n;
        return;
    }
    niu->count[NIU_WR_REQ_STARTED + posted] += n;
    niu->count[NIU_WR_REQ_SENT + posted] += n;
    niu->count[NIU_WR_DATA_WORD_SENT + posted] += n;
    niu->count[NIU_WR_ACK_RECEIVED] += posted ? 0 : n * receivers;
}

bh_status chip_unicast(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, bool posted) {
    unsigned site;
    bh_status status = chip_find(chip, at, request, &site);
    if (status == BH_OK)
        status = receive(chip, site, request, posted);
    if (status == BH_OK)
        count_sent(chip, request, posted, 1);
    return status;
}

static bool in_span(unsigned at, unsigned start, unsigned end) {
    return start <= end ? start <= at && at <= end : at <= end || start <= at;
}

static struct bh_xy raw(const struct bh_tile_info *info, unsigned noc) {
    return noc ? info->noc1 : info->noc0;
}

/* Corners are translated first; the span is then taken in raw coordinates, around the torus if start is past end. */
bh_status chip_multicast(struct bh_chip *chip, struct bh_xy start, struct bh_xy end, const struct chip_request *request,
                         bool posted) {
    unsigned first = topology_find(&chip->topology, request->noc, start);
    unsigned last = topology_find(&chip->topology, request->noc, end);
    if (first == TOPOLOGY_NONE || last == TOPOLOGY_NONE)
        return chip_fail(chip, BH_ERR_COORDINATE, "multicast from (%u,%u) to (%u,%u) on NoC %u: no tile at a corner",
                         start.x, start.y, end.x, end.y, request->noc);
    struct bh_xy low = raw(&chip->topology.site[first], request->noc);
    struct bh_xy high = raw(&chip->topology.site[last], request->noc);
    uint32_t receivers = 0;
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
        unsigned site = chip->topology.tensix_site[i];
        const struct bh_tile_info *info = &chip->topology.site[site];
        struct bh_xy at = raw(info, request->noc);
        if (info->harvested || !in_span(at.x, low.x, high.x) || !in_span(at.y, low.y, high.y))
            continue;
        bh_status status = receive(chip, site, request, posted);
        if (status != BH_OK)
            return status;
        receivers++;
    }
    count_sent(chip, request, posted, receivers);
    return BH_OK;
}
