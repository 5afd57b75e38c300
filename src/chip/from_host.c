/* Accesses of the host through a window, which are packets that the PCIe tile sends
 * (BlackholeA0/PCIExpressTile/HostToDeviceTLBs.md, WormholeB0/PCIExpressTile/TLBs.md). They take no time; the NIUs at
 * both ends count them as NoC/Counters.md says.
 *
 * Assumed: a packet carries at most one flit, 64 aligned bytes, as a processor's loads and stores do; "counted writes"
 * ask for an acknowledgement like all writes except posted ones. */
#include "chip/chip.h"
#include "chip/exchange.h"
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

static inline struct niu *sender(struct bh_chip *chip, unsigned noc) {
    return &chip->small_niu[chip->pcie_small][noc];
}

static inline void count_sent(struct bh_chip *chip, struct sending sent, uint32_t receivers) {
    struct niu *niu = sender(chip, sent.request->noc);
    niu_count(niu, NOC_ASSIGNED, &sent.tally);
    niu_count(niu, NOC_STARTED, &sent.tally);
    sent.tally.packets *= receivers;
    niu_count(niu, NOC_RETURNED, &sent.tally);
}

/* Translates the coordinates of a window by tables that software has changed. */
__attribute__((noinline)) static unsigned translate_site(const struct niu *niu, struct bh_xy at) {
    unsigned x = at.x, y = at.y;
    route_translate(niu->config, &x, &y);
    return x < NOC_WIDTH && y < NOC_HEIGHT ? route_site(niu->noc, x, y) : TOPOLOGY_NONE;
}

/* Returns the site at the coordinates of a window, which the NIU of the PCIe tile translates like those of its own
 * requests. */
static inline unsigned find_site(struct bh_chip *chip, unsigned noc, struct bh_xy at) {
    const struct niu *niu = sender(chip, noc);
    return __builtin_expect(niu->own_tables, 0) ? translate_site(niu, at) : topology_find(&chip->topology, noc, at);
}

bh_status chip_unicast(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, bool posted) {
    struct sending sent = sending_of(request, posted);
    unsigned site = find_site(chip, request->noc, at);
    if (__builtin_expect(site == TOPOLOGY_NONE, 0))
        return chip_no_tile(chip, at, request);
    bh_status status = receive(chip, site, sent);
    if (status == BH_OK)
        count_sent(chip, sent, 1);
    return status;
}

/* ---- Multicasts ---------------------------------------------------------------------------------------- */

/* Translates the corners; the rectangle is then taken in coordinates of the NoC, around the torus if start is past
 * end. */
static bh_status find_area(struct bh_chip *chip, const struct chip_area *area, unsigned noc, struct noc_area *found) {
    unsigned first = find_site(chip, noc, area->start), last = find_site(chip, noc, area->end);
    if (first == TOPOLOGY_NONE || last == TOPOLOGY_NONE)
        return chip_fail(chip, BH_ERR_COORDINATE, "multicast from (%u,%u) to (%u,%u) on NoC %u: no tile at a corner",
                         area->start.x, area->start.y, area->end.x, area->end.y, noc);
    *found = (struct noc_area){
        .exclude = area->exclude,
        .start_x = (uint8_t)route_x(noc, first),
        .start_y = (uint8_t)route_y(noc, first),
        .end_x = (uint8_t)route_x(noc, last),
        .end_y = (uint8_t)route_y(noc, last),
    };
    const char *wrong = route_area_check(found);
    return wrong ? chip_fail(chip, BH_ERR_ARGUMENT, "multicast: %s", wrong) : BH_OK;
}

/* Finds the receivers, and refuses a window that gives another number of them. */
static bh_status find_receivers(struct bh_chip *chip, const struct chip_area *area, unsigned noc,
                                struct noc_sites *receivers, uint32_t *count) {
    struct noc_area found;
    bh_status status = find_area(chip, area, noc, &found);
    if (status != BH_OK)
        return status;
    *receivers = route_area(noc, sender(chip, noc)->site, &found);
    *count = 0;
    struct noc_sites all = *receivers;
    for (unsigned site; (site = noc_sites_next(&all)) != NOC_NOWHERE;)
        if (niu_takes_multicast(&exchange_niu(chip, site)[noc]))
            ++*count;
        else
            noc_sites_remove(receivers, site);
    if ((area->receivers || route_leaves_out(&found)) && area->receivers != *count)
        return chip_fail(chip, BH_ERR_ARGUMENT, "multicast: its window says that there are %u receivers, not %u",
                         area->receivers, *count);
    return BH_OK;
}

bh_status chip_multicast(struct bh_chip *chip, const struct chip_area *area, const struct chip_request *request,
                         bool posted) {
    struct sending sent = sending_of(request, posted);
    struct noc_sites receivers;
    uint32_t count;
    bh_status status = find_receivers(chip, area, request->noc, &receivers, &count);
    if (status != BH_OK)
        return status;
    for (unsigned site; (site = noc_sites_next(&receivers)) != NOC_NOWHERE;) {
        status = receive(chip, site, sent);
        if (status != BH_OK)
            return status;
    }
    count_sent(chip, sent, count);
    return BH_OK;
}
