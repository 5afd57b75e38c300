/* Accesses of the host through a window, which are packets that the PCIe tile sends
 * (BlackholeA0/PCIExpressTile/HostToDeviceTLBs.md, WormholeB0/PCIExpressTile/TLBs.md). They take no time; the NIUs at
 * both ends count them as NoC/Counters.md says.
 *
 * Assumed: a packet carries at most one flit, 64 aligned bytes, as a processor's loads and stores do; "counted writes"
 * ask for an acknowledgement like all writes except posted ones. */
#include "chip/chip.h"
#include "isa/memmap.h"
#include "noc/counters.h"

enum { COUNTERS = 0x200 }; /* offset in the NIU's registers */

/* Inline, because every access of the host calls it. */

static inline uint32_t packets_of(const struct chip_request *request) {
    if (request->size == 0)
        return 0;
    return (uint32_t)((request->address % NOC_FLIT + request->size + NOC_FLIT - 1) / NOC_FLIT);
}

/* A request of the host, and its number of packets of one flit each. */
struct sending {
    const struct chip_request *request;
    struct noc_tally tally;
};

static inline struct sending sending_of(const struct chip_request *request, bool posted) {
    uint32_t packets = packets_of(request);
    bool reads = request->op == CHIP_READ;
    return (struct sending){ request,
                             { reads ? NOC_KIND_READ : NOC_KIND_WRITE, 0, reads || !posted, packets, packets } };
}

/* ---- The receiver -------------------------------------------------------------------------------------- */

/* Returns whether the word is a counter that changes when a packet arrives. */
static bool is_arrival_counter(uint32_t address, unsigned noc) {
    uint32_t offset = address - memmap[noc ? MEMMAP_ROW_NIU1 : MEMMAP_ROW_NIU0].base - COUNTERS;
    return offset / 4 >= NIU_SLV_ATOMIC_RESP_SENT && offset / 4 < NIU_COUNTERS_USED;
}

/* Wakes cores that sleep until such a counter changes. */
__attribute__((noinline)) static void wake_watchers(struct tile *tile, unsigned noc) {
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

static inline bh_status access_at(struct bh_chip *chip, unsigned site, struct tile *tile, struct sending sent) {
    bool plain = tile && sent.tally.packets && sent.request->size <= UINT64_MAX - sent.request->address;
    return plain ? chip_access_tile(chip, site, tile, sent.request) : chip_access(chip, site, sent.request);
}

/* Lets the request arrive. A request that reads counters sees its own arrival, but not its response. */
__attribute__((always_inline)) static inline bh_status receive(struct bh_chip *chip, unsigned site,
                                                               struct sending sent) {
    unsigned small = chip->small_index[site], noc = sent.request->noc;
    bool reads = sent.request->op == CHIP_READ;
    struct tile *tile = small == TOPOLOGY_NONE ? chip_made(chip, topology_tile(&chip->topology.site[site])) : NULL;
    struct niu *niu = tile ? &tile->niu[noc] : &chip->small_niu[small][noc];
    if (reads)
        niu_count(niu, NOC_ARRIVED, &sent.tally);
    bh_status status = access_at(chip, site, tile, sent);
    if (__builtin_expect(status != BH_OK, 0))
        return status;
    if (!reads)
        niu_count(niu, NOC_ARRIVED, &sent.tally);
    niu_count(niu, NOC_ANSWERED, &sent.tally);
    if (tile && __builtin_expect(tile->niu_watchers, 0))
        wake_watchers(tile, noc);
    return BH_OK;
}

/* ---- The sender ---------------------------------------------------------------------------------------- */

static inline void count_sent(struct bh_chip *chip, struct sending sent, uint32_t receivers) {
    struct niu *niu = &chip->small_niu[chip->pcie_small][sent.request->noc];
    niu_count(niu, NOC_ASSIGNED, &sent.tally);
    niu_count(niu, NOC_STARTED, &sent.tally);
    sent.tally.packets *= receivers;
    niu_count(niu, NOC_RETURNED, &sent.tally);
}

bh_status chip_unicast(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, bool posted) {
    struct sending sent = sending_of(request, posted);
    unsigned site = topology_find(&chip->topology, request->noc, at);
    if (__builtin_expect(site == TOPOLOGY_NONE, 0))
        return chip_find(chip, at, request, &site); /* sets the message */
    bh_status status = receive(chip, site, sent);
    if (status == BH_OK)
        count_sent(chip, sent, 1);
    return status;
}

static bool in_span(unsigned at, unsigned start, unsigned end) {
    return start <= end ? start <= at && at <= end : at <= end || start <= at;
}

static struct bh_xy raw(const struct bh_tile_info *info, unsigned noc) {
    return noc ? info->noc1 : info->noc0;
}

/* Translates the corners first; the rectangle is then taken in raw coordinates, around the torus if start is past
 * end. */
bh_status chip_multicast(struct bh_chip *chip, struct bh_xy start, struct bh_xy end, const struct chip_request *request,
                         bool posted) {
    unsigned first = topology_find(&chip->topology, request->noc, start);
    unsigned last = topology_find(&chip->topology, request->noc, end);
    if (first == TOPOLOGY_NONE || last == TOPOLOGY_NONE)
        return chip_fail(chip, BH_ERR_COORDINATE, "multicast from (%u,%u) to (%u,%u) on NoC %u: no tile at a corner",
                         start.x, start.y, end.x, end.y, request->noc);
    struct bh_xy low = raw(&chip->topology.site[first], request->noc);
    struct bh_xy high = raw(&chip->topology.site[last], request->noc);
    struct sending sent = sending_of(request, posted);
    uint32_t receivers = 0;
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
        unsigned site = chip->topology.tensix_site[i];
        const struct bh_tile_info *info = &chip->topology.site[site];
        struct bh_xy at = raw(info, request->noc);
        if (info->harvested || !in_span(at.x, low.x, high.x) || !in_span(at.y, low.y, high.y))
            continue;
        bh_status status = receive(chip, site, sent);
        if (status != BH_OK)
            return status;
        receivers++;
    }
    count_sent(chip, sent, receivers);
    return BH_OK;
}
